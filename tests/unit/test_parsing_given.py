"""Tests that use what the question asks every program to define, judged against programs that do and do not."""

from __future__ import annotations

from a1kit.duel import Judge, Pairing
from a1kit.problems.validation import check_question
from a1kit.rewards import Rules
from a1kit.sandbox import FakeSandbox
from a1kit.types import Completion, Outcome, Question, State

SHAPES = (
    "class Square:\n    def __init__(self, side):\n        self.side = side\n\n\ndef area(s):\n    return s.side ** 2\n"
)
TOLD = "class Square:\n    side: int\n\ndef area(s: Square) -> int:\n    ..."
SUITE = "assert area(Square(3)) == 9\nassert area(Square(2)) == 5"


def played(prompt: str, candidate: str, suite: str = SUITE) -> list[tuple[State, Outcome | None]]:
    question = Question("q", prompt, "area", SHAPES)
    pairing = Pairing(question, Completion(candidate), (Completion(suite),))
    (duel,) = Judge(FakeSandbox(), Rules(k=4)).judge([pairing])
    return [(test.state, test.verdict.outcome if test.verdict else None) for test in duel.suites[0].tests]


def test_a_class_that_the_question_shows_can_be_used_in_tests() -> None:
    right = SHAPES.replace("** 2", "* s.side")
    wrong = SHAPES.replace("** 2", "* 2")
    assert played(TOLD, right) == [(State.VALID, Outcome.PASSED), (State.CORRECTED, Outcome.PASSED)]
    assert played(TOLD, wrong) == [(State.VALID, Outcome.WRONG), (State.CORRECTED, Outcome.PASSED)]


def test_a_candidate_that_lacks_a_class_the_question_shows_fails_tests_that_use_it() -> None:
    assert played(TOLD, "def area(s):\n    return s.side ** 2") == [
        (State.VALID, Outcome.RAISED),
        (State.CORRECTED, Outcome.RAISED),
    ]


def test_a_class_that_only_the_reference_has_makes_a_test_malformed_and_harms_no_candidate() -> None:
    states = played("Compute the area of what you are given.", "def area(s):\n    return s.side ** 2")
    assert states == [(State.MALFORMED, None), (State.MALFORMED, None)]


def test_a_golden_test_may_use_what_the_question_shows() -> None:
    check_question(Question("q", TOLD, "area", SHAPES, ("assert area(Square(3)) == 9",)))
