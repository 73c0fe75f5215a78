"""`a1kit eval-tests` and `a1kit bench mutants`: from the command line to the scores, and on after an interruption."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cosmic_ray", reason="mutants are made by the package cosmic-ray (extra `eval`)")

TASKS = [
    {"func_name": "double", "code": "def double(x):\n    return 2 * x\n", "prompt": "Twice x.", "task_id": "1",
     "test_list": ["assert double(2) == 4"]},
    {"func_name": "first", "code": "def first(xs):\n    return xs[0] if xs else None\n", "prompt": "The first.",
     "task_id": "2", "test_list": []},
]  # fmt: skip
TESTS = [
    {"id": "1", "tests": ["assert double(2) == 4", "assert double(3) == 6"]},
    {"id": "2", "tests": ["assert first([5, 6]) == 5", "assert first([]) == 7"]},
]


def evaluate(*arguments: object) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "a1kit", "eval-tests", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    data, tests = tmp_path / "tasks.json", tmp_path / "tests.jsonl"
    data.write_text(json.dumps(TASKS))
    tests.write_text("".join(json.dumps(row) + "\n" for row in TESTS))
    return data, tests


def scores(*arguments: object) -> dict[str, Any]:
    found = evaluate(*arguments, "--json")
    assert found.returncode == 0, found.stderr
    document: dict[str, Any] = json.loads(found.stdout)
    return document


def test_tests_written_elsewhere_are_scored(files: tuple[Path, Path]) -> None:
    data, tests = files
    document = scores("--data", data, "--tests", tests, "--rounds", 2)
    first, second = document["scores"]
    assert first["pass"]["mean"] == 100 and second["pass"]["mean"] == 75
    assert first["mut"]["n"] == 2 and second["mut"]["n"] == 1
    assert 0 < first["mut"]["mean"] < second["mut"]["mean"] <= 100
    assert second["mul"]["mean"] == pytest.approx(75 * second["mut"]["mean"] / 100)
    assert document["equivalents"]["least"] <= document["equivalents"]["most"] <= document["equivalents"]["survivors"]
    assert document["left_out"] == {}


def test_a_file_of_results_is_gone_on_with_and_a_torn_line_is_written_again(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    data, tests = files
    output = tmp_path / "results.jsonl"
    whole = scores("--data", data, "--tests", tests, "--rounds", 2, "-o", output)
    lines = output.read_bytes().splitlines(keepends=True)
    assert len(lines) == 3
    output.write_bytes(b"".join(lines[:2]) + lines[2][:20])
    again = scores("--data", data, "--tests", tests, "--rounds", 2, "-o", output)
    assert again == whole
    assert output.read_bytes().splitlines(keepends=True)[:2] == lines[:2] and len(output.read_text().splitlines()) == 3
    other = evaluate("--data", data, "--tests", tests, "--rounds", 1, "-o", output)
    assert other.returncode == 1 and "other settings (rounds)" in other.stderr


def test_a_table_says_what_mut_counts_and_how_many_mutants_may_be_equivalent(files: tuple[Path, Path]) -> None:
    data, tests = files
    found = evaluate("--data", data, "--tests", tests, "--rounds", 1)
    assert found.returncode == 0, found.stderr
    assert "only timed out" in found.stdout and "as cosmic-ray does" in found.stdout
    assert "Equivalent mutants: of" in found.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "either --model NAME"),
        (("--tests", "{tests}"), "either --data FILE or --problems NAME"),
        (("--data", "{data}", "--tests", "{tests}", "--model", "x"), "either --model NAME"),
        (("--data", "{data}", "--tests", "missing.jsonl"), "missing.jsonl"),
        (("--data", "{data}", "--tests", "{data}"), "give a list of texts"),
        (("--problems", "nothing", "--tests", "{tests}"), "nothing"),
        (("--data", "{data}", "--tests", "{tests}", "-o", "{tests}"), "is no output of eval-tests"),
    ],
)
def test_bad_input_is_named(files: tuple[Path, Path], arguments: tuple[str, ...], words: str) -> None:
    data, tests = files
    found = evaluate(*(word.format(data=data, tests=tests) for word in arguments))
    assert found.returncode == 1
    assert words in found.stderr and "Traceback" not in found.stderr
    assert tests.read_text().count("\n") == 2


def test_nothing_is_scored_when_functions_do_not_load(files: tuple[Path, Path]) -> None:
    data, tests = files
    data.write_text(json.dumps([TASKS[0], {**TASKS[1], "code": "import nowhere\ndef first(xs): pass\n"}]))
    found = evaluate("--data", data, "--tests", tests)
    assert found.returncode == 1
    assert "1 of 2 functions cannot be judged" in found.stderr and "nowhere" in found.stderr


def test_functions_of_the_published_file_can_be_read(shared_data: Path) -> None:
    from a1kit.problems import load

    tasks = load(shared_data / "unleakedtestbench_lite.json", preset="unleakedtestbench")
    assert len(tasks) == 200
    assert all(task.entry_point in task.reference and task.meta["test_list"] for task in tasks)


def test_the_benchmark_compares_verdicts_mutant_by_mutant_and_names_those_that_differ() -> None:
    from a1kit.evaluation.mutation import Fate
    from a1kit_bench.mutants import TIMEOUT, Side, compared

    names = [("q", "core/AddNot", place) for place in range(4)]
    ours = Side(dict(zip(names, [Fate.KILLED, Fate.UNLOADABLE, Fate.SURVIVED, Fate.TIMEOUT], strict=True)), 0.5)
    theirs = Side(dict(zip(names, [Fate.SURVIVED, Fate.KILLED, Fate.SURVIVED, Fate.TIMEOUT], strict=True)), 20.0)
    report = compared(ours, theirs, 1)
    assert report["comparison"]["agreement"] == 0.75 and report["comparison"]["times as fast"] == 40.0
    assert report["comparison"]["times as fast, cosmic-ray's time-outs not counted"] == (20.0 - TIMEOUT) / 0.5
    assert report["differing verdicts"] == ["q core/AddNot 0: a1kit killed, cosmic-ray survived"]
    short = compared(ours, Side(dict(list(theirs.fates.items())[:3]), 1.0), 1)
    assert short["comparison"]["mutants in both"] == 3 and short["comparison"]["mutants in one only"] == 1


@pytest.mark.slow
def test_the_benchmark_finds_the_verdicts_of_cosmic_ray_itself() -> None:
    from a1kit_bench import mutants

    report = mutants.run(quick=True)
    assert report["comparison"]["mutants in one only"] == 0
    assert report["comparison"]["mutants in both"] >= mutants.QUICK
    assert report["differing verdicts"] == [] and report["comparison"]["agreement"] == 1.0
