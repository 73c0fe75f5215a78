"""The classic problems keep their promises, and the reader of their files says what is wrong with one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import pytest

from a1kit.errors import QuestionError
from a1kit.problems import ProblemSet, load
from a1kit.problems.classic import Bug, parse_problem
from a1kit.problems.validation import check_question
from a1kit.sandbox import Call, Job, Limits, LocalSandbox, Observation, Status
from a1kit.types import Question

LIMITS = Limits(call_seconds=0.15, load_seconds=3.0, program_seconds=30.0)


@pytest.fixture(scope="module")
def classic() -> ProblemSet:
    return load("classic")


@pytest.fixture(scope="module")
def box() -> Iterator[LocalSandbox]:
    with LocalSandbox(allow_limits_only=True) as sandbox:
        yield sandbox


def golden_calls(question: Question) -> tuple[Call, ...]:
    """Each golden test as one expression that is true when the test passes; set-up lines run before it."""
    calls = []
    for source in question.golden:
        *setup, last = ast.parse(source).body
        assert isinstance(last, ast.Assert)
        calls.append(Call(ast.unparse(last.test), "\n".join(map(ast.unparse, setup))))
    return tuple(calls)


def passes(observation: Observation) -> bool:
    return observation.status is Status.OK and observation.value is not None and observation.value.source == "True"


def pairs(classic: ProblemSet) -> list[tuple[Question, Bug]]:
    return [(question, bug) for question in classic for bug in question.meta["bugs"]]


def seen(box: LocalSandbox, jobs: Sequence[Job]) -> list[tuple[str, str]]:
    """What the only call of each job gave: status, and value or exception."""
    observations = [result.observations[0] for result in box.run_jobs(jobs)]
    return [(o.status, o.value.strict if o.value is not None else str(o.exception)) for o in observations]


def test_there_are_at_least_sixty_problems_with_the_promised_parts(classic: ProblemSet) -> None:
    assert len(classic) >= 60
    for question in classic:
        bugs = question.meta["bugs"]
        assert len(question.golden) >= 8, question.id
        assert sum(bug.caught for bug in bugs) >= 3, question.id
        assert sum(not bug.caught for bug in bugs) >= 1, question.id
        assert len({bug.name for bug in bugs}) == len(bugs), question.id
        assert len({bug.source for bug in bugs} | {question.reference}) == len(bugs) + 1, question.id
        assert question.meta["title"] and question.meta["topics"], question.id


def test_every_problem_passes_the_static_checks(classic: ProblemSet) -> None:
    for question in classic:
        check_question(question)


def test_every_prompt_is_a_stub_with_the_signature_of_the_reference_and_an_example(classic: ProblemSet) -> None:
    for question in classic:
        stub = ast.parse(question.prompt).body[-1]
        assert isinstance(stub, ast.FunctionDef) and stub.name == question.entry_point
        reference = next(
            node
            for node in ast.parse(question.reference).body
            if isinstance(node, ast.FunctionDef) and node.name == question.entry_point
        )
        assert [a.arg for a in stub.args.args] == [a.arg for a in reference.args.args], question.id
        assert f"{question.entry_point}(" in (ast.get_docstring(stub) or ""), question.id


def test_every_reference_passes_all_its_golden_tests(classic: ProblemSet, box: LocalSandbox) -> None:
    jobs = [Job(question.reference, golden_calls(question), LIMITS) for question in classic]
    for question, result in zip(classic, box.run_jobs(jobs), strict=True):
        failed = [
            source
            for source, observation in zip(question.golden, result.observations, strict=True)
            if not passes(observation)
        ]
        assert not failed, question.id


def test_golden_tests_catch_every_caught_bug_and_no_subtle_one(classic: ProblemSet, box: LocalSandbox) -> None:
    versions = pairs(classic)
    jobs = [Job(bug.source, golden_calls(question), LIMITS) for question, bug in versions]
    for (question, bug), result in zip(versions, box.run_jobs(jobs), strict=True):
        assert result.load.status is Status.OK, (question.id, bug.name, result.load.detail)
        missed = all(map(passes, result.observations))
        assert missed is not bug.caught, (question.id, bug.name)


def test_every_subtle_bug_differs_from_the_reference_on_its_witness(classic: ProblemSet, box: LocalSandbox) -> None:
    subtle = [(question, bug) for question, bug in pairs(classic) if not bug.caught]
    right = seen(box, [Job(question.reference, (Call(bug.witness),), LIMITS) for question, bug in subtle])
    wrong = seen(box, [Job(bug.source, (Call(bug.witness),), LIMITS) for _, bug in subtle])
    for (question, bug), expected, got in zip(subtle, right, wrong, strict=True):
        assert expected[0] is Status.OK, (question.id, bug.name)
        assert got != expected, (question.id, bug.name)


def test_three_sum_has_the_bug_that_many_repeated_elements_show(classic: ProblemSet) -> None:
    bugs = [bug for bug in classic["classic/three_sum"].meta["bugs"] if not bug.caught]
    assert {"three_sum([0, 0, 0, 0])", "three_sum([-1, -1, -1, 2, 2])"} <= {bug.witness for bug in bugs}


def test_the_split_is_fixed_and_covers_everything(classic: ProblemSet) -> None:
    train, held_out = classic.split("train"), classic.split("held_out")
    assert sorted(train.ids + held_out.ids) == sorted(classic.ids)
    assert len(train) >= 48 and len(held_out) >= 16
    assert "classic/three_sum" in train.ids and "classic/edit_distance" in held_out.ids


PROBLEM = """\
# Twice
# topics: numbers

# %% prompt
def twice(x): ...
# %% reference
def twice(x):
    y = x + x
    return y

# %% golden
assert twice(1) == 2

z = 4
assert twice(z) == 8
# %% bug: adds one
#-    y = x + x
#+    y = x + 1
#-    return y
#+    z = y
#+    return z
# %% subtle bug: floats
# witness: twice(10**20)
def twice(x):
    return int(2.0 * x)
"""


def test_a_bug_may_be_an_edit_of_several_places_or_written_out() -> None:
    edited, whole = parse_problem("twice", PROBLEM).meta["bugs"]
    assert edited == Bug("adds one", "def twice(x):\n    y = x + 1\n    z = y\n    return z\n", True, "")
    assert whole == Bug("floats", "def twice(x):\n    return int(2.0 * x)\n", False, "twice(10**20)")


def test_set_up_lines_belong_to_the_assertion_after_them() -> None:
    assert parse_problem("twice", PROBLEM).golden == ("assert twice(1) == 2", "z = 4\nassert twice(z) == 8")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("# Twice\n", "", "no heading"),
        ("# %% golden\n", "", "no cell 'golden'"),
        ("# %% golden", "# %% gold", "unknown cell 'gold'"),
        ("# witness: twice(10**20)\n", "", "a subtle bug without a witness"),
        ("#-    y = x + x", "#-    y = 2 * x", "occur 0 times in the reference"),
    ],
)
def test_a_problem_file_with_a_fault_is_named_with_its_line(old: str, new: str, reason: str) -> None:
    with pytest.raises(QuestionError, match=r"problem file twice\.py, line \d+: ") as caught:
        parse_problem("twice", PROBLEM.replace(old, new))
    assert reason in str(caught.value) and caught.value.remedy
