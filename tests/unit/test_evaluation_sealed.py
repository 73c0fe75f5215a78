"""Test programs taken apart: what crosses, what stays, and that nobody who cheats gets through."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from a1kit.errors import InputError
from a1kit.evaluation.examiner import Answer, Examiner
from a1kit.evaluation.sealed import Rule, take_apart
from a1kit.sandbox import FakeSandbox, LocalSandbox
from a1kit.types import Outcome, Question

HELPERS = """
from math import inf

def assertion(out, exp, atol):
    assert out == exp
"""
CHECK = """
def check(candidate):
    inputs = [[1, [2]], [3, [inf]], ["é", [5]]]
    results = [[2, 1], [inf, 3], [5, "é"]]
    for i, (inp, exp) in enumerate(zip(inputs, results)):
        assertion(candidate(*inp), exp, 0)
"""
RIGHT = "def f(a, b): return [b[0], a]"
WRONG = {
    "a wrong value": "def f(a, b): return [b[0], a] if a != 3 else [0, 3]",
    "a tuple for a list": "def f(a, b): return (b[0], a)",
    "an exception": "def f(a, b): 1 / 0",
    "another name": "def g(a, b): return [b[0], a]",
    "no program": "def f(",
    "nothing": "",
    "the end of the process": "def f(a, b):\n    import os\n    os._exit(0)",
}
CHEATS = {
    "equal to everything": "class L(list):\n    def __eq__(self, other): return True\n    __hash__ = None\n"
    "def f(a, b): return L()",
    "reads the caller": "import sys\ndef f(a, b):\n    frame = sys._getframe(1)\n"
    "    while frame and 'exp' not in frame.f_locals: frame = frame.f_back\n    return frame.f_locals['exp']",
}


def question(check: str = CHECK, helpers: str = HELPERS, reference: str = RIGHT) -> Question:
    return Question("q", "def f(a, b): ...", "f", reference, meta={"check": f"{helpers}{check}\n\ncheck(f)\n"})


@pytest.fixture(scope="module")
def box() -> Iterator[LocalSandbox]:
    with LocalSandbox(workers=1) as made:
        yield made


def test_no_result_is_in_what_the_candidate_is_sent() -> None:
    check = CHECK.replace('[5, "é"]', "['the secret']")
    test = take_apart(HELPERS + check, "f")
    assert test is not None
    assert test.inputs == 3
    assert "the secret" in test.checker
    assert not any("the secret" in call.expression + call.setup for call in (*test.calls, *test.again))


@pytest.mark.parametrize(
    "check",
    [
        "def check(candidate):\n    assert candidate(1) == 2\n",
        "def check(candidate):\n    inputs = [[1]]\n    results = [1, 2]\n"
        "    for i, (inp, exp) in enumerate(zip(inputs, results)):\n        assert candidate(*inp) == exp\n",
        "def check(candidate):\n    inputs = [[secret]]\n    results = [1]\n"
        "    for i, (inp, exp) in enumerate(zip(inputs, results)):\n        assert candidate(*inp) == exp\n",
        "def check(candidate):\n    inputs = [[1]]\n    results = [1]\n"
        "    for i, (inp, exp) in enumerate(zip(inputs, results)):\n"
        "        assert candidate(*inp) == candidate(*inp)\n",
        "this is no Python",
    ],
)
def test_a_program_of_another_shape_is_not_taken_apart(check: str) -> None:
    assert take_apart(check, "f") is None


def test_both_ways_agree_on_the_reference_and_on_wrong_programs(box: LocalSandbox) -> None:
    sealed, whole = Examiner(box, seconds=3), Examiner(box, seconds=3, sealed=False)
    answers = [Answer(question(), code) for code in (RIGHT, *WRONG.values())]
    assert sealed.is_sealed(question())
    assert not whole.is_sealed(question())
    expected = [True] + [False] * len(WRONG)
    assert [verdict.passed for verdict in sealed.verdicts(answers)] == expected
    assert [verdict.passed for verdict in whole.verdicts(answers)] == expected


@pytest.mark.parametrize("rule", list(Rule))
def test_what_cheats_from_inside_fails_when_sealed_and_passes_when_not(box: LocalSandbox, rule: Rule) -> None:
    if rule is Rule.EVALPLUS:
        pytest.importorskip("evalplus")
    answers = [Answer(question(), code) for code in CHEATS.values()]
    assert not any(verdict.passed for verdict in Examiner(box, rule=rule, seconds=3).verdicts(answers))
    assert all(verdict.passed for verdict in Examiner(box, seconds=3, sealed=False).verdicts(answers))


def test_a_reference_function_among_the_helpers_answers_outside(box: LocalSandbox) -> None:
    helpers = HELPERS + "\ndef ref_func(a, b):\n    return [b[0], a]\n"
    check = (
        "\ndef check(candidate):\n    inputs = [[1, [2]], [3, [4]]]\n    for i, inp in enumerate(inputs):\n"
        "        assertion(candidate(*inp), ref_func(*inp), 0)\n"
    )
    one = question(check, helpers)
    examiner = Examiner(box, seconds=3)
    assert examiner.is_sealed(one)
    got = examiner.verdicts([Answer(one, RIGHT), Answer(one, WRONG["a wrong value"])])
    assert [verdict.passed for verdict in got] == [True, False]


def test_a_generator_is_as_good_as_a_list_where_the_checker_makes_a_set(box: LocalSandbox) -> None:
    helpers = "def assertion(out, exp, atol):\n    out = set(out)\n    exp = set(exp)\n    assert out == exp\n"
    check = (
        "\ndef check(f):\n    inputs = [[[1, 2]], [[]]]\n    results = [(2, 1), ()]\n"
        "    for i, (inp, exp) in enumerate(zip(inputs, results)):\n        assertion(f(*inp), exp, 0)\n"
    )
    one = question(check, helpers, "def f(xs): return xs")
    examiner = Examiner(box, seconds=3)
    codes = ["def f(xs): return (x for x in xs)", "def f(xs): return (x for x in xs[1:])"]
    assert [verdict.passed for verdict in examiner.verdicts([Answer(one, code) for code in codes])] == [True, False]


def test_a_question_whose_reference_cannot_be_seen_from_outside_is_judged_whole_and_marked(box: LocalSandbox) -> None:
    helpers = "def assertion(out, exp, atol):\n    assert out.value == exp\n"
    check = (
        "\ndef check(f):\n    inputs = [[1]]\n    results = [1]\n"
        "    for i, (inp, exp) in enumerate(zip(inputs, results)):\n        assertion(f(*inp), exp, 0)\n"
    )
    box_class = "class Box:\n    def __init__(self, value): self.value = value\n"
    one = question(check, helpers, f"{box_class}def f(x): return Box(x)")
    examiner = Examiner(box, seconds=3)
    assert not examiner.is_sealed(one)
    assert examiner.references([one])[0].passed


def test_golden_assertions_alone_are_sealed(box: LocalSandbox) -> None:
    one = Question("g", "Twice.", "f", "def f(x): return 2 * x", golden=("assert f(1) == 2", "assert f(3) == 6"))
    examiner = Examiner(box, seconds=3)
    assert examiner.is_sealed(one)
    got = examiner.verdicts([Answer(one, one.reference), Answer(one, "def f(x): return x + 1"), Answer(one, "")])
    assert [verdict.outcome for verdict in got] == [Outcome.PASSED, Outcome.WRONG, Outcome.RAISED]


def test_a_test_program_that_only_raises_is_run_after_the_candidate(box: LocalSandbox) -> None:
    one = Question("p", "Twice.", "f", "def f(x): return 2 * x", meta={"check": "assert f(2) == 4\n"})
    examiner = Examiner(box, seconds=3)
    assert not examiner.is_sealed(one)
    got = examiner.verdicts([Answer(one, one.reference), Answer(one, "def f(x): return x")])
    assert [verdict.passed for verdict in got] == [True, False]


def test_a_question_without_any_test_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="'bare' has neither golden tests nor a test program"):
        Examiner(FakeSandbox()).verdicts([Answer(Question("bare", "p", "f", "def f(): 1"), "def f(): 2")])
