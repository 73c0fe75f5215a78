"""A batch judged in two parts: order, errors, interrupts."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from a1kit.duel import Judge, Pairing
from a1kit.duel.judging import LEAST_FOR_TWO, _parts
from a1kit.duel.streaming import in_order
from a1kit.sandbox import LocalSandbox
from a1kit.types import Completion, Question


def test_results_come_in_order_whoever_ends_first() -> None:
    first_may_end = threading.Event()

    def work(part: int) -> int:
        if part == 0:
            assert first_may_end.wait(10)
        else:
            first_may_end.set()
        return part * 10

    assert list(in_order([0, 1], work, threads=2)) == [0, 10]


def test_the_first_parts_error_is_raised() -> None:
    ended: list[int] = []

    def work(part: int) -> None:
        if part == 0:
            time.sleep(0.05)
        ended.append(part)
        raise ValueError(f"part {part}")

    with pytest.raises(ValueError, match="part 0"):
        list(in_order([0, 1], work, threads=2))
    assert sorted(ended) == [0, 1]


def test_an_interrupt_does_not_wait_for_the_threads() -> None:
    release = threading.Event()
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            list(in_order([0, 1], lambda part: release.wait(60), threads=2))
        assert time.monotonic() - began < 30
    finally:
        release.set()
        timer.join()


def test_a_batch_is_cut_between_questions() -> None:
    def pairings(*counts: int) -> list[Pairing]:
        questions = [Question(f"q{place}", "", "f", "def f(x):\n    return x") for place in range(len(counts))]
        return [
            Pairing(question, Completion(""), (), ())
            for question, count in zip(questions, counts, strict=True)
            for _ in range(count)
        ]

    for batch in (pairings(8, 8, 8, 8), pairings(1, 30, 30), pairings(40, 2)):
        parts = _parts(batch)
        assert [each for part in parts for each in part] == batch
        assert len(parts) == 2
        assert parts[0][-1].question.id != parts[1][0].question.id
    for batch in ([], pairings(LEAST_FOR_TWO - 1), pairings(64), pairings(8, 40)):
        assert _parts(batch) == [batch]


def test_two_parts_judge_as_one_would() -> None:
    questions = [
        Question(f"q{place}", "", "f", f"def f(x):\n    return x + {place}", golden=(f"assert f(1) == {1 + place}",))
        for place in range(8)
    ]
    written = [Completion(f"```python\ndef f(x):\n    return x + {add}\n```") for add in range(8)]
    asked = [(question, completion) for question in questions for completion in written]
    assert len(asked) >= LEAST_FOR_TWO
    with LocalSandbox(allow_limits_only=True) as box:
        together = Judge(box).play_golden(asked)
        apart = [duel for pair in asked for duel in Judge(box).play_golden([pair])]
    assert [duel.history[0].passed for duel in together] == [duel.history[0].passed for duel in apart]
    assert [duel.history[0].passed for duel in together] == [own == add for own in range(8) for add in range(8)]
