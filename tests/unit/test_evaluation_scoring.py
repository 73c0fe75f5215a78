"""A whole evaluation with a scripted policy: numbers, refusal, going on after a kill."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from a1kit.errors import InputError
from a1kit.evaluation.benchmarks import Benchmark, find_benchmark
from a1kit.evaluation.examiner import Examiner
from a1kit.evaluation.ledger import Ledger
from a1kit.evaluation.modes import Mode
from a1kit.evaluation.recorded import RecordedWriter
from a1kit.evaluation.scoring import PolicyWriter, Report, Scored, score, without_failing
from a1kit.policies import ScriptedPolicy
from a1kit.policies.scripted import prompt_text
from a1kit.sandbox import LocalSandbox
from a1kit.types import Question

SETTINGS = {"model": "scripted"}


def questions(count: int = 4) -> tuple[Question, ...]:
    """Question i wants i times its argument."""
    return tuple(
        Question(f"q{i}", f"Multiply by {i}.", "f", f"def f(x): return {i} * x", golden=(f"assert f(3) == {3 * i}",))
        for i in range(1, count + 1)
    )


def answer(prompt: object, sample: int, seed: int) -> str:
    """Right on the first i samples of question i, and never more."""
    factor = int(prompt_text(prompt).partition("Multiply by ")[2][0])  # type: ignore[arg-type]
    return f"```python\ndef f(x):\n    return {factor if sample < factor else -1} * x\n```"


@pytest.fixture(scope="module")
def box() -> Iterator[LocalSandbox]:
    with LocalSandbox(workers=1) as made:
        yield made


class Counted(ScriptedPolicy):
    """Counts the prompts it is asked; gives up, as a killed process does, after `most` of them."""

    def __init__(self, most: int = 1000) -> None:
        super().__init__(answer)
        self.asked, self.most = 0, most

    def sample(self, prompts, n, **options):  # type: ignore[no-untyped-def]
        if self.asked + len(prompts) > self.most:
            raise KeyboardInterrupt
        self.asked += len(prompts)
        return super().sample(prompts, n, **options)


def run(
    box: LocalSandbox, policy: ScriptedPolicy, path: Path | None, asked: tuple[Question, ...], batch: int = 1
) -> tuple[Report, list[Scored]]:
    heard: list[Scored] = []
    with Ledger(path, SETTINGS) as ledger:
        writer = PolicyWriter(policy, 4, Mode.A1_PAPER)
        report = score(
            Benchmark("b", asked, {}), writer, Examiner(box, seconds=3), ledger, mode=Mode.A1_PAPER, batch=batch,
            listen=heard.append,
        )  # fmt: skip
    return report, heard


def test_a_scripted_policy_gets_the_numbers_it_was_scripted_for(box: LocalSandbox) -> None:
    report, heard = run(box, Counted(), None, questions())
    assert [one.passes for one in report.questions] == [1, 2, 3, 4]
    assert report.code.avg.mean == pytest.approx(10 / 16)
    assert report.code.pass_at(4).mean == 1.0
    assert [one.done for one in heard] == [1, 2, 3, 4]
    assert heard[-1].left == 0.0
    row = report.to_dict([1, 4])
    assert row["avg@4"]["mean"] == row["pass@1"]["mean"]
    assert row["outcomes"] == {"passed": 10, "wrong": 6}
    assert row["unsealed"] == []


def test_an_evaluation_that_was_killed_asks_only_what_is_missing_and_ends_the_same(
    box: LocalSandbox, tmp_path: Path
) -> None:
    path = tmp_path / "e.jsonl"
    whole, _ = run(box, Counted(), None, questions())
    with pytest.raises(KeyboardInterrupt):
        run(box, Counted(most=2), path, questions())
    lines = path.read_bytes()
    path.write_bytes(lines[: lines.rstrip(b"\n").rfind(b"\n") + 20])  # the kill came in the middle of a line
    policy = Counted()
    report, _ = run(box, policy, path, questions())
    assert policy.asked == 2  # the second batch's completions were whole, only their verdicts were cut
    assert [one.outcomes for one in report.questions] == [one.outcomes for one in whole.questions]
    assert [json.loads(line)["kind"] for line in path.read_text().splitlines()] == (
        ["settings", "references"] + ["written", "judged"] * 4
    )


def test_a_finished_evaluation_is_read_and_nothing_is_asked(box: LocalSandbox, tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    run(box, Counted(), path, questions(), batch=3)
    policy = Counted()
    report, _ = run(box, policy, path, questions(), batch=3)
    assert policy.asked == 0
    assert [one.passes for one in report.questions] == [1, 2, 3, 4]


def test_a_ledger_of_other_settings_is_refused_with_the_difference(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    with Ledger(path, {"n": 4}):
        pass
    with pytest.raises(InputError, match="n = 4, and this one has 8"), Ledger(path, {"n": 8}):
        pass


def test_a_ledger_in_use_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    with Ledger(path, SETTINGS):
        with pytest.raises(InputError, match="in use"):
            Ledger(path, SETTINGS)


def test_a_file_that_is_no_ledger_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text("hello\n")
    with pytest.raises(InputError, match="line 1: not a record"):
        Ledger(path, SETTINGS)
    assert path.read_text() == "hello\n"


def test_nothing_is_asked_or_scored_when_references_fail_and_they_are_named(box: LocalSandbox) -> None:
    broken = Question("broken", "Multiply by 7.", "f", "def f(x): return x", golden=("assert f(3) == 21",))
    policy = Counted()
    with pytest.raises(InputError, match=r"1 of 5 reference solutions fail.*broken"):
        run(box, policy, None, (*questions(), broken))
    assert policy.asked == 0


def test_failing_references_can_be_left_out_and_are_counted(box: LocalSandbox) -> None:
    broken = Question("broken", "Multiply by 7.", "f", "def f(x): return x", golden=("assert f(3) == 21",))
    kept = without_failing(Benchmark("b", (*questions(), broken), {}), Examiner(box, seconds=3))
    assert [question.id for question in kept.questions] == ["q1", "q2", "q3", "q4"]
    assert kept.left_out == {"its reference fails": 1}


def test_completions_from_a_file_are_scored_like_a_model(box: LocalSandbox, tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    rows = [
        {"task_id": "Q1", "solution": "def f(x): return x"},
        {"task_id": "q1", "completion": "Here:\n```python\ndef f(x):\n    return -x\n```"},
        {"task_id": "q2", "solution": "def f(x): return 2 * x"},
        {"task_id": "q2", "completion": "I do not know."},
        {"task_id": "elsewhere", "completion": "x"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    asked = questions(2)
    with Ledger(None, SETTINGS) as ledger:
        writer = RecordedWriter(path, asked)
        report = score(Benchmark("b", asked, {}), writer, Examiner(box, seconds=3), ledger, mode=Mode.A1_PAPER)
    assert writer.n == 2
    assert [one.passes for one in report.questions] == [1, 1]


def test_a_question_with_too_few_completions_is_named(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text(
        '{"id": "q1", "completion": "a"}\n{"id": "q1", "completion": "b"}\n{"id": "q2", "completion": "c"}\n'
    )
    with pytest.raises(InputError, match="'q2' has 1 completions and 2 are needed"):
        RecordedWriter(path, questions(2))


def test_bigcodebench_runs_what_is_installed_and_lists_the_rest(box: LocalSandbox, tmp_path: Path) -> None:
    test = (
        "import unittest\nclass TestCases(unittest.TestCase):\n"
        "    def test_a(self):\n        self.assertEqual(task_func(2), 4)\n"
    )
    row = {
        "task_id": "BigCodeBench/0", "complete_prompt": "def task_func(x):\n    '''Twice.'''\n",
        "canonical_solution": "    return 2 * x\n", "test": test, "entry_point": "task_func",
        "libs": "['math', 'numpy']",
    }  # fmt: skip
    far = {**row, "task_id": "BigCodeBench/1", "libs": "['no_such_package_here']"}
    path = tmp_path / "bcb.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in (row, far)))
    found = find_benchmark("bigcodebench", data=path)
    assert [question.id for question in found.questions] == ["BigCodeBench/0"]
    assert found.missing == ("no_such_package_here",)
    assert found.left_out == {"packages not installed": 1}
    assert found.packages == ("numpy",)
    examiner = Examiner(box, seconds=5)
    (question,) = found.questions
    assert not examiner.is_sealed(question)
    assert examiner.references([question])[0].passed
