"""Test programs of benchmarks, and questions that can or cannot be judged with."""

from __future__ import annotations

import pytest

from a1kit.duel import CheckedProgram, run_checks, validate_question, validate_questions
from a1kit.errors import QuestionError
from a1kit.sandbox import FakeSandbox, Observation, Status
from a1kit.types import Outcome, Question

SQUARE = "def f(x):\n    return x * x\n"
CHECK = "def check(candidate):\n    assert candidate(3) == 9\n    assert candidate(2) == 4\n"


def outcome(code: str, test: str = CHECK, entry_point: str = "f") -> Outcome:
    (verdict,) = run_checks(FakeSandbox(), [CheckedProgram(code, test, entry_point)])
    return verdict.outcome


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (SQUARE, Outcome.PASSED),
        ("def f(x): return x + x", Outcome.WRONG),
        ("def f(x): return x.missing", Outcome.RAISED),
        ("1 / 0", Outcome.RAISED),
        ("def f(x) return x", Outcome.RAISED),
        ("def g(x): return x * x", Outcome.RAISED),
    ],
)
def test_a_program_passes_when_its_check_returns_none(code: str, expected: Outcome) -> None:
    assert outcome(code) is expected


def test_a_check_that_returns_something_is_no_pass() -> None:
    assert outcome(SQUARE, "def check(candidate): return True") is Outcome.WRONG


def test_the_candidate_is_checked_even_when_the_test_program_takes_its_name() -> None:
    assert outcome("def check(n): return n * n", CHECK, "check") is Outcome.PASSED
    assert outcome("def check(n): return n", CHECK, "check") is Outcome.WRONG


def test_what_the_test_program_imports_does_not_replace_the_candidates_own_functions() -> None:
    code = "def gcd(a, b):\n    return a if b == 0 else gcd(b, a % b) * 2\n"
    test = "from math import gcd\ndef check(candidate):\n    assert candidate(4, 6) == {}\n"
    assert outcome(code, test.format(2), "gcd") is Outcome.WRONG
    assert outcome(code, test.format(16), "gcd") is Outcome.PASSED


def test_the_test_program_sees_what_the_candidate_defines_beside_the_entry_point() -> None:
    code = "def encode(x):\n    return x + 1\ndef decode(x):\n    return x - 1\n"
    test = "from __future__ import annotations\ndef check(candidate):\n    assert candidate(encode(3)) == 3\n"
    assert outcome(code, test, "decode") is Outcome.PASSED


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (Status.TIMEOUT, Outcome.TIMEOUT),
        (Status.MEMORY, Outcome.MEMORY),
        (Status.CRASHED, Outcome.CRASHED),
        (Status.REFUSED, Outcome.REFUSED),
        (Status.UNSUPPORTED, Outcome.WRONG),
    ],
)
def test_other_endings_keep_their_name(status: Status, expected: Outcome) -> None:
    sandbox = FakeSandbox(lambda job, call: Observation(status))
    (verdict,) = run_checks(sandbox, [CheckedProgram(SQUARE, CHECK, "f")])
    assert verdict.outcome is expected


def asked(identity: str = "q7", entry_point: str = "f", reference: str = SQUARE, *golden: str) -> Question:
    return Question(identity, "Square.", entry_point, reference, golden)


def test_a_good_question_is_accepted() -> None:
    validate_question(asked("q", "f", SQUARE, "assert f(2) == 4", "assert f(-1) > 0"), FakeSandbox())


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (asked(entry_point="f(x)"), "is not a name"),
        (asked(entry_point="g"), "does not define 'g'"),
        (asked(reference="import absent_module\ndef f(x): return 1"), "does not load .*absent_module"),
        (asked("q7", "f", SQUARE, "assert f(2) == 4", "assert f(3) == 8"), r"fails golden test 'assert f\(3\) == 8'"),
        (asked("q7", "f", SQUARE, "assert f(None) == 8"), r"fails golden test .*TypeError"),
        (asked("q7", "f", SQUARE, "f(2) is four"), "cannot be played"),
    ],
)
def test_a_bad_question_is_refused_with_its_id_and_the_reason(question: Question, reason: str) -> None:
    with pytest.raises(QuestionError, match=f"question 'q7': .*{reason}"):
        validate_question(question, FakeSandbox())


def test_all_faults_of_a_set_are_found_in_order() -> None:
    questions = [asked("a"), asked("b", "g"), asked("c"), asked("d", "f", SQUARE, "assert f(2) == 5")]
    assert [str(error).split(":")[0] for error in validate_questions(questions, FakeSandbox())] == [
        "question 'b'",
        "question 'd'",
    ]
