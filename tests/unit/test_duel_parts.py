"""The judge's smaller parts: large jobs, neutral children, the cache, ordered streaming."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence

import pytest

from a1kit.duel import errands as large
from a1kit.duel.cache import ByteCache
from a1kit.duel.errands import Errand, run_errands
from a1kit.duel.neutral import Request, evaluate
from a1kit.duel.streaming import in_order
from a1kit.sandbox import Call, FakeSandbox, Job, Limits, Observation, ProgramResult, Status, value_of

SQUARE = "def f(x):\n    return x * x\n"


class CappedSandbox(FakeSandbox):
    """Stops every program that has more than one call after the first, as one that sends too much is stopped."""

    def run_jobs(self, jobs: Sequence[Job]) -> list[ProgramResult]:
        results = super().run_jobs(jobs)
        full = Observation(Status.CRASHED, detail="sent more than 4 bytes of results")
        return [
            ProgramResult(r.load, (r.observations[0], *[full] * (len(r.observations) - 1)), events=("output-cap",))
            if len(r.observations) > 1
            else r
            for r in results
        ]


class TestLargeJobs:
    def test_calls_that_were_cut_off_by_the_output_limit_are_asked_one_by_one(self) -> None:
        (result,) = run_errands(CappedSandbox(), [Errand(Job(SQUARE, (Call("f(1)"), Call("f(2)"), Call("f(3)"))))])
        assert [one.value.source for one in result.observations if one.value] == ["1", "4", "9"]

    def test_a_job_too_large_to_send_is_split_and_its_answers_joined(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(large, "MAX_CALL_CHARACTERS", 10)
        sandbox = FakeSandbox()
        calls = tuple(Call(f"f({n})") for n in range(1, 8))
        (result,) = run_errands(sandbox, [Errand(Job(SQUARE, calls))])
        assert [one.value.source for one in result.observations if one.value] == [str(n * n) for n in range(1, 8)]
        assert [len(job.calls) for job in sandbox.jobs] == [2, 2, 2, 1]

    def test_a_split_program_that_does_not_load_does_not_load(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(large, "MAX_CALL_CHARACTERS", 4)
        (result,) = run_errands(FakeSandbox(), [Errand(Job("1 / 0", (Call("f(1)"), Call("f(2)"))))])
        assert result.load.status is Status.RAISED and result.observations == ()

    def test_lonely_calls_get_a_child_each_and_the_others_share_one(self) -> None:
        sandbox = FakeSandbox()
        calls = tuple(Call(f"f({n})") for n in range(1, 6))
        (result,) = run_errands(sandbox, [Errand(Job(SQUARE, calls), {calls[1], calls[3]})])
        assert [one.value.source for one in result.observations if one.value] == ["1", "4", "9", "16", "25"]
        assert [[call.expression for call in job.calls] for job in sandbox.jobs] == [
            ["f(1)", "f(3)", "f(5)"],
            ["f(2)"],
            ["f(4)"],
        ]

    def test_a_program_with_nothing_but_lonely_calls_is_not_started_once_more(self) -> None:
        sandbox = FakeSandbox()
        call = Call("f(2)")
        run_errands(sandbox, [Errand(Job(SQUARE, (call,)), {call})])
        assert len(sandbox.jobs) == 1


class TestNeutralChildren:
    def test_requests_of_one_group_share_a_child_and_see_their_own_values(self) -> None:
        sandbox = FakeSandbox()
        requests = [Request("suite", "_0 + _1", "", _wire(n, 10 * n)) for n in range(3)]
        answers = evaluate(sandbox, [*requests, Request("other", "_0", "", _wire(5))], Limits())
        assert [answers[request][0].value for request in requests] == [value_of(0), value_of(11), value_of(22)]
        assert [len(job.calls) for job in sandbox.jobs] == [3, 1]

    def test_every_seed_gives_an_answer(self) -> None:
        sandbox = FakeSandbox(lambda job, call: Observation(Status.OK, value_of(job.hash_seed)))
        request = Request("suite", "1")
        assert evaluate(sandbox, [request, request], Limits(), hash_seeds=(0, 1))[request] == (
            Observation(Status.OK, value_of(0)),
            Observation(Status.OK, value_of(1)),
        )

    def test_values_that_cannot_be_bound_spoil_their_own_request_only(self) -> None:
        class Picky(FakeSandbox):
            def _result(self, job: Job) -> ProgramResult:
                if b'"poison"' in job.values:
                    return ProgramResult(Observation(Status.TIMEOUT, detail="more than 3 s"))
                return super()._result(job)

        good, bad = (Request("suite", "_0", "", _wire(text)) for text in ("fine", "poison"))
        answers = evaluate(Picky(), [good, bad], Limits())
        assert answers[good][0].value == value_of("fine") and answers[bad][0].status is Status.TIMEOUT


def _wire(*things: object) -> tuple[bytes, ...]:
    return tuple(value_of(thing).wire for thing in things)


class TestByteCache:
    def test_the_least_recently_used_leave_first(self) -> None:
        cache: ByteCache[str] = ByteCache(30)
        for key in "abc":
            cache.put(key, key, 10)
        assert cache.get("a") == "a"
        cache.put("d", "d", 10)
        assert [cache.get(key) for key in "abcd"] == ["a", None, "c", "d"]
        assert (cache.bytes, len(cache)) == (30, 3)

    def test_what_is_larger_than_the_cache_is_not_kept_and_pushes_nothing_out(self) -> None:
        cache: ByteCache[str] = ByteCache(30)
        cache.put("small", "s", 10)
        cache.put("large", "l", 31)
        assert cache.get("large") is None and cache.get("small") == "s"

    def test_a_new_value_takes_the_room_of_the_old_one(self) -> None:
        cache: ByteCache[str] = ByteCache(30)
        cache.put("a", "old", 20)
        cache.put("a", "new", 5)
        assert (cache.get("a"), cache.bytes) == ("new", 5)


class TestInOrder:
    def test_results_keep_the_order_whatever_finishes_first(self) -> None:
        def work(n: int) -> int:
            time.sleep(0.02 * (n % 3 == 0))
            return n

        assert list(in_order(range(20), work, threads=4)) == list(range(20))

    def test_a_result_does_not_wait_for_input_that_has_not_come(self) -> None:
        more = threading.Event()

        def slow_input() -> Iterator[int]:
            yield 1
            assert more.wait(10)
            yield 2

        results = in_order(slow_input(), lambda n: n, threads=2)
        assert next(results) == 1
        more.set()
        assert list(results) == [2]

    def test_only_a_window_of_the_input_is_read_ahead(self) -> None:
        read: list[int] = []

        def endless() -> Iterator[int]:
            n = 0
            while True:
                read.append(n)
                yield n
                n += 1

        results = in_order(endless(), lambda n: n, threads=2, window=4)
        assert [next(results) for _ in range(3)] == [0, 1, 2]
        time.sleep(0.05)
        assert len(read) <= 3 + 4 + 2
        results.close()  # type: ignore[attr-defined]

    def test_an_exception_comes_at_its_place_and_ends_the_stream(self) -> None:
        results = in_order([1, 2, 0, 3], lambda n: 6 // n, threads=2)
        assert [next(results), next(results)] == [6, 3]
        with pytest.raises(ZeroDivisionError):
            next(results)

    def test_an_exception_of_the_input_is_raised_too(self) -> None:
        def broken() -> Iterator[int]:
            yield 1
            raise OSError("the pipe broke")

        results = in_order(broken(), lambda n: n, threads=2)
        assert next(results) == 1
        with pytest.raises(OSError, match="the pipe broke"):
            next(results)
