"""What a backend promises besides containing programs: order, completeness, limits, concurrency, clean-up."""

from __future__ import annotations

import asyncio
import statistics
import threading
import time

import pytest

from a1kit.errors import InputError, SandboxUnavailable
from a1kit.sandbox import Call, Job, Limits, LocalSandbox, ProgramResult, Sandbox, Status, same, value_of

IDENTITY = "def f(x):\n    return x\n"
SHORT = Limits(call_seconds=0.2)


def statuses(result: ProgramResult) -> list[Status]:
    return [seen.status for seen in result.observations]


def sources(result: ProgramResult) -> list[str | None]:
    return [seen.value.source if seen.value else None for seen in result.observations]


def test_a_backend_satisfies_the_protocol(sandbox: LocalSandbox) -> None:
    assert isinstance(sandbox, Sandbox)


def test_observations_come_in_the_order_of_the_calls_one_for_each(sandbox: LocalSandbox) -> None:
    result = sandbox.run(IDENTITY, [Call(f"f({i})") for i in range(100)])
    assert sources(result) == [str(i) for i in range(100)]


def test_results_come_in_the_order_of_the_jobs(sandbox: LocalSandbox) -> None:
    jobs = [Job(IDENTITY, (Call(f"f({i})"),)) for i in range(40)]
    assert [sources(result) for result in sandbox.run_jobs(jobs)] == [[str(i)] for i in range(40)]


def test_no_jobs_give_no_results(sandbox: LocalSandbox) -> None:
    assert sandbox.run_jobs([]) == []


def test_a_program_without_calls_is_still_loaded(sandbox: LocalSandbox) -> None:
    result = sandbox.run("x = 1")
    assert result.load.status is Status.OK and result.observations == ()


@pytest.mark.parametrize(
    ("program", "status", "exception"),
    [
        ("def f(:\n", Status.SYNTAX, "SyntaxError"),
        ("x = '\ud800'\n", Status.SYNTAX, "UnicodeEncodeError"),
        ("x = 1\0\n", Status.SYNTAX, None),
        ("1 / 0\n", Status.RAISED, "ZeroDivisionError"),
        ("import sys\nsys.exit(3)\n", Status.RAISED, "SystemExit"),
        ("raise KeyboardInterrupt\n", Status.RAISED, "KeyboardInterrupt"),
        ("while True: pass\n", Status.TIMEOUT, None),
        ("import time\ntime.sleep(60)\n", Status.TIMEOUT, None),
        ("import os\nos._exit(0)\n", Status.CRASHED, None),
    ],
)
def test_a_program_that_does_not_load_has_no_observations(
    sandbox: LocalSandbox, program: str, status: Status, exception: str | None
) -> None:
    result = sandbox.run(program, [Call("f(1)")], Limits(load_seconds=0.2))
    assert result.load.status is status
    assert exception is None or result.load.exception == exception
    assert result.observations == ()


def test_an_exception_carries_its_name_its_bases_and_its_message(sandbox: LocalSandbox) -> None:
    program = "class Odd(ValueError): pass\ndef f(): raise Odd('no such thing')\n"
    (seen,) = sandbox.run(program, [Call("f()")]).observations
    assert (seen.status, seen.exception, seen.detail) == (Status.RAISED, "Odd", "Odd: no such thing")
    assert seen.bases[:4] == ("Odd", "ValueError", "Exception", "BaseException")


def test_every_kind_of_failing_call_costs_only_itself(sandbox: LocalSandbox) -> None:
    program = """
import os, time
def f(x):
    if x == 1:
        while True: pass
    if x == 2: os._exit(0)
    if x == 3: time.sleep(60)
    if x == 4: raise SystemExit
    if x == 5: return [0] * 10**9
    if x == 6: return f
    if x == 7: import ctypes; ctypes.string_at(0)
    if x == 8: return f(x)
    return x
"""
    result = sandbox.run(program, [Call(f"f({i})") for i in range(10)], SHORT)
    assert statuses(result) == [
        Status.OK,
        Status.TIMEOUT,
        Status.CRASHED,
        Status.TIMEOUT,
        Status.RAISED,
        Status.MEMORY,
        Status.UNSUPPORTED,
        Status.CRASHED,
        Status.RAISED,
        Status.OK,
    ]
    assert sources(result)[0] == "0" and sources(result)[9] == "9"


def test_calls_that_the_program_has_no_time_for_are_timeouts(sandbox: LocalSandbox) -> None:
    program = "def f(x):\n    while x: pass\n    return x\n"
    calls = [Call("f(1)")] * 6 + [Call("f(0)")]
    result = sandbox.run(program, calls, Limits(call_seconds=0.2, program_seconds=0.5))
    assert statuses(result) == [Status.TIMEOUT] * 7
    assert "0.5 s" in result.observations[-1].detail
    assert result.cpu_seconds < 1.0


def test_set_up_runs_in_a_copy_of_the_names_and_leaves_nothing_behind(sandbox: LocalSandbox) -> None:
    calls = [Call("f(y)", setup="y = 5\nf = lambda x: x + 1"), Call("y"), Call("f(7)")]
    result = sandbox.run(IDENTITY, calls)
    assert sources(result) == ["6", None, "7"]
    assert result.observations[1].exception == "NameError"


def test_arguments_are_made_anew_for_each_call(sandbox: LocalSandbox) -> None:
    program = "data = [3, 1, 2]\ndef f(x):\n    x.sort()\n    return x\n"
    assert sources(sandbox.run(program, [Call("f([3, 1, 2])")] * 2)) == ["[1, 2, 3]"] * 2


def test_what_stands_under_the_main_guard_does_not_run(sandbox: LocalSandbox) -> None:
    result = sandbox.run("name = __name__\nif __name__ == '__main__':\n    1 / 0\n", [Call("name == '__main__'")])
    assert sources(result) == ["False"]


def test_values_are_bound_before_the_program_runs(sandbox: LocalSandbox) -> None:
    values = tuple(value_of(thing).wire for thing in ([3, 1], {"a": {1, 2}}))
    (result,) = sandbox.run_jobs([Job("total = sum(_0)", (Call("total"), Call("_1['a'] == {2, 1}")), values=values)])
    assert sources(result) == ["4", "True"]


def test_the_hash_seed_decides_the_order_of_sets(sandbox: LocalSandbox) -> None:
    calls = (Call("list({'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'})"),)
    zero, again, one = (sandbox.run_jobs([Job("", calls, hash_seed=seed)])[0] for seed in (0, 0, 1))
    assert sources(zero) == sources(again) != sources(one)


def test_a_set_has_the_same_source_under_every_hash_seed(sandbox: LocalSandbox) -> None:
    calls = (Call("{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}"),)
    zero, one = (sandbox.run_jobs([Job("", calls, hash_seed=seed)])[0] for seed in (0, 1))
    assert sources(zero) == sources(one)


def test_unseeded_randomness_is_the_same_in_every_run(sandbox: LocalSandbox) -> None:
    program = "import random\ndef f():\n    return random.random()\n"
    first, second = (sandbox.run(program, [Call("f()"), Call("f()")]) for _ in range(2))
    assert sources(first) == sources(second)
    assert sources(first)[0] != sources(first)[1]


def test_output_is_captured_up_to_its_limit(sandbox: LocalSandbox) -> None:
    program = (
        "import sys\nprint('hello')\ndef f():\n    print('x' * 100_000)\n    sys.stderr.write('end')\n    return 1\n"
    )
    result = sandbox.run(program, [Call("f()")], Limits(capture_bytes=1_000))
    assert result.stdout.startswith("hello\nxxx") and len(result.stdout) == 1_000
    assert sources(result) == ["1"]


def test_output_is_not_kept_unless_asked_for(sandbox: LocalSandbox) -> None:
    assert sandbox.run("print('hello')").stdout == ""


def test_a_time_limit_ends_a_call_close_to_its_time(sandbox: LocalSandbox) -> None:
    spent = []
    for _ in range(5):
        result = sandbox.run("def f():\n    while True: pass\n", [Call("f()")], SHORT)
        assert statuses(result) == [Status.TIMEOUT]
        spent.append(result.cpu_seconds)
    assert 0.19 <= statistics.median(spent) < 0.4


def test_values_larger_than_the_output_limit_are_unsupported_and_the_rest_arrive(sandbox: LocalSandbox) -> None:
    program = "def f(n):\n    return 'x' * n\n"
    limits = Limits(output_bytes=10_000)
    result = sandbox.run(program, [Call("f(5)"), Call("f(20_000)"), Call("f(6)")], limits)
    assert statuses(result) == [Status.OK, Status.UNSUPPORTED, Status.OK]


def test_a_large_job_arrives_whole(sandbox: LocalSandbox) -> None:
    text = "x" * 3_000_000
    result = sandbox.run("def f(x):\n    return len(x)\n", [Call(f"f({text!r})"), Call(f"f({text!r})")])
    assert sources(result) == ["3000000"] * 2


def test_a_job_that_is_too_large_is_bad_input_and_hurts_nobody(sandbox: LocalSandbox) -> None:
    with pytest.raises(InputError, match="at most"):
        sandbox.run("#" * (65 << 20))
    assert sources(sandbox.run(IDENTITY, [Call("f(1)")])) == ["1"]


def test_threads_share_a_sandbox(sandbox: LocalSandbox) -> None:
    answers: dict[int, list[str | None]] = {}

    def ask(number: int) -> None:
        jobs = [Job(IDENTITY, (Call(f"f({number})"),)) for _ in range(5)]
        answers[number] = [source for result in sandbox.run_jobs(jobs) for source in sources(result)]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == {number: [str(number)] * 5 for number in range(8)}


def test_a_thread_with_one_job_is_not_starved_by_a_thread_with_many(sandbox: LocalSandbox) -> None:
    slow = Job("import time\ntime.sleep(0.02)\n")
    crowd = threading.Thread(target=sandbox.run_jobs, args=([slow] * 100,))
    crowd.start()
    time.sleep(0.1)
    sandbox.run(IDENTITY, [Call("f(1)")])
    was_running = crowd.is_alive()
    crowd.join(60)
    assert was_running


def test_asyncio_tasks_share_a_sandbox(sandbox: LocalSandbox) -> None:
    async def ask() -> list[list[ProgramResult]]:
        return await asyncio.gather(*(sandbox.arun_jobs([Job(IDENTITY, (Call(f"f({i})"),))]) for i in range(6)))

    assert [sources(result) for (result,) in asyncio.run(ask())] == [[str(i)] for i in range(6)]


def test_a_cancelled_task_leaves_a_usable_sandbox(sandbox: LocalSandbox) -> None:
    async def give_up() -> None:
        await asyncio.wait_for(sandbox.arun_jobs([Job("import time\ntime.sleep(60)\n")]), 0.1)

    with pytest.raises(TimeoutError):
        asyncio.run(give_up())
    assert sources(sandbox.run(IDENTITY, [Call("f(1)")])) == ["1"]


def test_a_closed_sandbox_says_so_and_may_be_closed_again(open_sandbox: object) -> None:
    assert callable(open_sandbox)
    box = open_sandbox()
    box.close()
    box.close()
    with pytest.raises(SandboxUnavailable, match="closed"):
        box.run(IDENTITY)


def test_two_different_results_are_not_the_same(sandbox: LocalSandbox) -> None:
    result = sandbox.run(IDENTITY, [Call("f((1, 2))"), Call("f([1, 2])"), Call("f([1, 2.0])")])
    one, two, three = (seen.value for seen in result.observations)
    assert one and two and three
    assert not same(one, two) and same(two, three) and not same(two, three, strict=True)
