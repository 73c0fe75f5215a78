"""The ledger: frames a child sends, honest or forged, become exactly one observation a call."""

from __future__ import annotations

import json
import marshal
import random
import signal
from typing import Any

import pytest

from a1kit.sandbox import Call, Job, Limits, Observation, Status, frames
from a1kit.sandbox.host import Report
from a1kit.sandbox.ledger import Ledger, OutsideKill

LIMITS = Limits(call_seconds=1.0, program_seconds=3.0, output_bytes=1000)
LOADED = frames.FRAME.pack(0, frames.LOADED, frames.VALUE, 0.0)
DONE = frames.FRAME.pack(0, frames.DONE, frames.VALUE, 0.0)
EXITED = frames.END_ITSELF


def ledger(calls: int = 3) -> Ledger:
    return Ledger(Job("program", tuple(Call(f"f({i})") for i in range(calls)), LIMITS))


def frame(place: int, payload: bytes = b"1", kind: int = frames.VALUE, length: int | None = None) -> bytes:
    return frames.FRAME.pack(len(payload) if length is None else length, place, kind, 0.001) + payload


def failure(place: int, name: str = "ValueError", kind: int = frames.RAISED) -> bytes:
    return frame(place, json.dumps([name, [name, "Exception"], f"{name}: no"]).encode(), kind)


def report(reason: int = EXITED, status: int = 0, cpu: float = 0.01, call: int = 0) -> Report:
    return Report(1, reason, status, call, cpu, cpu, 1 << 20)


def seen(book: Ledger) -> list[tuple[Status, str | None]]:
    return [(each.status, each.value.source if each.value else each.exception) for each in book.result().observations]


def test_an_honest_child_is_believed() -> None:
    book = ledger()
    book.take(report(), LOADED + frame(0) + failure(1) + frame(2, b'"x"') + DONE, False)
    assert book.finished
    assert seen(book) == [(Status.OK, "1"), (Status.RAISED, "ValueError"), (Status.OK, "'x'")]
    assert book.result().events == ()


def test_the_job_of_a_first_child_holds_the_program_and_all_calls() -> None:
    program, calls, values, room = marshal.loads(ledger().payload())
    assert (program, values, room) == ("program", [], 1000)
    assert calls == [("f(0)", ""), ("f(1)", ""), ("f(2)", "")]


def test_a_call_that_hangs_is_not_asked_again_and_the_rest_are() -> None:
    book = ledger()
    book.take(report(frames.END_CALL_TIME, signal.SIGKILL), LOADED + frame(0), False)
    assert not book.finished
    _, calls, _, _ = marshal.loads(book.payload())
    assert calls == [("f(2)", "")]
    book.take(report(), LOADED + frame(0, b"3") + DONE, False)
    assert seen(book) == [(Status.OK, "1"), (Status.TIMEOUT, None), (Status.OK, "3")]


def test_the_next_child_gets_only_the_time_that_is_left() -> None:
    book = ledger()
    book.take(report(frames.END_CALL_TIME, signal.SIGKILL, cpu=1.0), LOADED, False)
    total, wall = frames.ORDER.unpack(book.order(2, 10))[5], frames.ORDER.unpack(book.order(2, 10))[7]
    assert total == pytest.approx(2.0) and wall == pytest.approx(8.0)


def test_when_the_time_is_spent_what_was_not_reached_is_a_timeout() -> None:
    book = ledger()
    book.take(report(frames.END_PROGRAM_TIME, signal.SIGKILL, cpu=3.0), LOADED + frame(0), False)
    assert seen(book) == [(Status.OK, "1"), (Status.TIMEOUT, None), (Status.TIMEOUT, None)]


@pytest.mark.parametrize(
    ("how", "status"),
    [
        (report(frames.END_CALL_TIME, signal.SIGKILL), Status.TIMEOUT),
        (report(frames.END_WALL, signal.SIGKILL), Status.TIMEOUT),
        (report(frames.END_CANCELLED, signal.SIGKILL), Status.CRASHED),
        (report(status=signal.SIGSEGV), Status.CRASHED),
        (report(status=signal.SIGXCPU), Status.TIMEOUT),
        (report(status=frames.EXIT_MEMORY << 8), Status.MEMORY),
        (report(status=3 << 8), Status.CRASHED),
        (report(status=0), Status.CRASHED),
    ],
)
def test_a_missing_answer_is_explained_by_how_the_child_ended(how: Report, status: Status) -> None:
    book = ledger(1)
    book.take(how, LOADED, False)
    assert seen(book) == [(status, None)]
    loading = ledger(1)
    loading.take(how, b"", False)
    assert loading.result().load.status is status and loading.result().observations == ()


def test_a_kill_from_outside_is_no_verdict() -> None:
    book = ledger()
    with pytest.raises(OutsideKill):
        book.take(report(status=signal.SIGKILL), LOADED + frame(0), False)
    assert book.unanswered == [0, 1, 2] and not book.finished


def test_where_programs_can_send_signals_a_kill_is_a_crash() -> None:
    book = ledger(1)
    book.signals_blocked = False
    book.take(report(status=signal.SIGKILL), LOADED, False)
    assert seen(book) == [(Status.CRASHED, None)]


@pytest.mark.parametrize(
    "kind", [frames.RAISED, frames.SYNTAX, frames.MEMORY, frames.REFUSED, frames.UNSUPPORTED, 6, 255]
)
def test_a_failed_load_has_no_observations_whatever_else_was_sent(kind: int) -> None:
    book = ledger()
    book.take(report(), failure(frames.LOADED, kind=kind) + frame(0) + frame(1) + frame(2) + DONE, False)
    result = book.result()
    assert result.load.status is not Status.OK and result.observations == ()


def test_answers_without_a_word_about_loading_do_not_count() -> None:
    book = ledger()
    book.take(report(), frame(0) + frame(1) + frame(2) + DONE, False)
    assert book.result().load.status is Status.CRASHED and book.result().observations == ()
    assert "forged-frame" in book.result().events


def test_the_first_answer_to_a_call_counts() -> None:
    book = ledger(1)
    book.take(report(), LOADED + frame(0, b"1") + frame(0, b"2") + DONE, False)
    assert seen(book) == [(Status.OK, "1")] and book.result().events == ("forged-frame",)


def test_answers_in_any_order_go_to_their_calls() -> None:
    book = ledger()
    book.take(report(), LOADED + frame(2, b"3") + frame(0, b"1") + frame(1, b"2") + DONE, False)
    assert seen(book) == [(Status.OK, "1"), (Status.OK, "2"), (Status.OK, "3")]


@pytest.mark.parametrize("place", [3, 2**31 - 1, -3, -(2**31)])
def test_answers_to_calls_never_made_are_ignored(place: int) -> None:
    book = ledger()
    book.take(report(), LOADED + frame(place) + frame(0) + frame(1) + frame(2) + DONE, False)
    assert [status for status, _ in seen(book)] == [Status.OK] * 3
    assert book.result().events == ("forged-frame",)


@pytest.mark.parametrize("tail", [frame(1)[:-1], frame(1)[:5], frame(1, length=2**32 - 1), b"\xff" * 12])
def test_a_frame_that_is_cut_off_is_no_answer(tail: bytes) -> None:
    book = ledger(2)
    book.take(report(), LOADED + frame(0) + tail, False)
    assert seen(book)[0] == (Status.OK, "1")
    assert [status for status, _ in seen(book)][1:] == [Status.CRASHED]
    assert "partial-frame" in book.result().events


def test_garbage_is_no_answer_and_costs_a_bounded_time() -> None:
    book = ledger(2)
    book.take(report(), random.Random(0).randbytes(1_000_000), False)
    assert book.result().load.status is Status.CRASHED and book.result().observations == ()


def test_a_flood_of_empty_frames_is_given_up_on() -> None:
    book = ledger(1)
    book.take(report(), LOADED + frame(7, b"") * 300_000, False)
    assert seen(book) == [(Status.CRASHED, None)]


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{}",
        b"[1,2,3]",
        b'["a","b"]',
        b'["a",1,"c"]',
        b'["a",[1],"c"]',
        b'["a",{},3]',
        b"\xff",
        b"[" * 60_000,
        b"1" * 70_000,
        b'{"a":' * 20_000,
    ],
)
def test_a_failure_that_makes_no_sense_is_still_a_failure(payload: bytes) -> None:
    book = ledger(1)
    book.take(report(), LOADED + frame(0, payload, frames.RAISED) + DONE, False)
    (observation,) = book.result().observations
    assert observation.status is Status.RAISED and observation.exception is None
    assert "forged-frame" in book.result().events


@pytest.mark.parametrize("kind", [6, 100, 255])
def test_a_frame_of_an_unknown_kind_is_a_crash(kind: int) -> None:
    book = ledger(1)
    book.take(report(), LOADED + failure(0, kind=kind) + DONE, False)
    assert seen(book)[0][0] is Status.CRASHED


def test_a_syntax_error_in_a_call_is_an_exception_of_the_call() -> None:
    book = ledger(1)
    book.take(report(), LOADED + failure(0, "SyntaxError", frames.SYNTAX) + DONE, False)
    assert seen(book) == [(Status.RAISED, "SyntaxError")]


def test_bytes_that_are_no_value_are_unsupported() -> None:
    book = ledger(1)
    book.take(report(), LOADED + frame(0, b"{") + DONE, False)
    assert seen(book) == [(Status.UNSUPPORTED, None)]


@pytest.mark.parametrize("cpu", [float("nan"), float("inf"), -1.0, 1e30])
def test_a_forged_time_is_not_kept(cpu: float) -> None:
    book = ledger(1)
    book.take(report(), LOADED + frames.FRAME.pack(1, 0, frames.VALUE, cpu) + b"1" + DONE, False)
    assert book.result().observations[0].cpu_seconds == 0.0


def test_a_child_that_sent_too_much_has_crashed_and_is_not_asked_again() -> None:
    book = ledger()
    book.take(report(frames.END_CANCELLED, signal.SIGKILL), b"", True)
    assert book.finished and book.result().load.status is Status.CRASHED
    assert "output-cap" in book.result().events


def test_a_program_that_loads_only_the_first_time_fails_the_calls_that_remain() -> None:
    book = ledger()
    book.take(report(status=3 << 8), LOADED + frame(0), False)
    book.take(report(), failure(frames.LOADED), False)
    assert [status for status, _ in seen(book)] == [Status.OK, Status.CRASHED, Status.RAISED]


def test_what_earlier_children_sent_counts_against_the_limit() -> None:
    book = ledger()
    book.take(report(status=3 << 8), LOADED + frame(0, b'"' + b"x" * 598 + b'"'), False)
    assert book.room == 400
    assert marshal.loads(book.payload())[3] == 400


def observation_count(book: Ledger) -> Any:
    return len(book.result().observations)


@pytest.mark.parametrize("calls", [0, 1, 5])
def test_there_is_one_observation_a_call_for_every_way_of_ending(calls: int) -> None:
    for reason in (EXITED, frames.END_CALL_TIME, frames.END_PROGRAM_TIME, frames.END_WALL, frames.END_CANCELLED):
        book = ledger(calls)
        for _ in range(calls + 1):
            if not book.finished:
                book.take(report(reason, signal.SIGSEGV), LOADED, False)
        assert book.finished and observation_count(book) == calls
        assert all(isinstance(each, Observation) for each in book.result().observations)
