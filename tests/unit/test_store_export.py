"""Exports: every source comes back byte for byte, and the pytest file runs."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from a1kit.errors import InputError
from a1kit.store.book import Book
from a1kit.store.export import ExportedTest, Format, Solution, export, read_book, read_export, read_run
from a1kit.store.run_log import BOOK, RunLog
from a1kit.store.text import pack, unpack
from a1kit_bench.synthetic import synthetic_step

HARD = (
    "assert f('\ud800') == 1",
    "assert f('a\0b') == '\0'",
    "x = 1\r\nassert f(x) == 2\r",
    "assert f('\"\\'\\\\') == '''\n'''",
    "assert f('\ufdd0d800') == 'é漢\U0001f600'",
    f"assert f({'7' * 5000}) == {'7' * 5000}",
    "  assert f(1) == 2 , 'comma, and; quote \"'\t",
    "",
)
TESTS = [ExportedTest(f"q{number}\udc80", source, "alive", number, 3, 4) for number, source in enumerate(HARD)]


@pytest.mark.parametrize("format_", [Format.JSONL, Format.CSV, Format.PARQUET])
def test_every_source_comes_back_byte_for_byte(tmp_path: Path, format_: Format) -> None:
    export(TESTS, tmp_path / "file", format_)
    assert read_export(tmp_path / "file", format_) == TESTS


def test_the_pytest_file_holds_every_source_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "test_book.py"
    export(TESTS, path, Format.PYTEST, {test.question: Solution("f", "def f(x):\n    return x\n") for test in TESTS})
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    params = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "param"]
    assert [tuple(map(ast.literal_eval, call.args)) for call in params] == [
        (test.question, test.source) for test in TESTS
    ]


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(exclude_categories=())))
def test_packing_any_text_is_undone_by_unpacking_and_is_always_valid_unicode(text: str) -> None:
    pack(text).encode("utf-8")
    assert unpack(pack(text)) == text


def test_the_pytest_file_passes_on_the_reference_and_fails_on_a_wrong_solution(tmp_path: Path) -> None:
    reference = "def f(x):\n    '''Ein \"Ärger\".'''\n    return x * 2\n"
    tests = [
        ExportedTest("double", "assert f(2) == 4", "alive", 3, 1, 2),
        ExportedTest("double", "n = 10 ** 5000 + 1\nassert f(n) == n + n", "alive", 1, 1, 2),
        ExportedTest("double", f"assert f({'4' * 5000}) == {'8' * 5000}", "alive", 1, 1, 2),
        ExportedTest("double", "assert f('\\ud800\\n') == '\\ud800\\n\\ud800\\n'", "mastered", 0, 1, 2),
    ]
    path = tmp_path / "test_double.py"
    export(tests, path, Format.PYTEST, {"double": Solution("f", reference)})
    assert run_pytest(path) == (0, "4 passed")
    (tmp_path / "mine.py").write_text("def f(x):\n    return x * 2 if x != 2 else 5\n")
    status, summary = run_pytest(path, solution=tmp_path / "mine.py")
    assert (status, summary) == (1, "1 failed, 3 passed")


def test_a_run_is_exported_from_its_step_files_with_mastered_tests_on_demand(tmp_path: Path) -> None:
    with RunLog.create(tmp_path / "run", {}) as log, Book(log.folder / BOOK) as book:
        for step in range(1, 7):
            record = synthetic_step(step, questions=3, pool=5, history=book.recall)
            log.write_step(record, book.record(step, record.duels).events)
        alive = {(mistake.question, mistake.source, mistake.counter, mistake.entered) for mistake in book.mistakes()}
        at_three = {(mistake.question, mistake.source, mistake.counter, mistake.entered) for mistake in book.after(3)}
        tests, solutions = read_run(log.folder)  # while the trainer holds the run and its book
        assert {(test.question, test.source, test.counter, test.entered) for test in tests} == alive
        then, _ = read_run(log.folder, step=3)
        assert {(test.question, test.source, test.counter, test.entered) for test in then} == at_three
        everything, _ = read_run(log.folder, mastered=True)
        assert {test.state for test in everything} == {"alive", "mastered"}
        assert {test.question for test in tests} <= set(solutions)
    assert {(test.question, test.source, test.counter, test.entered) for test in read_book(log.folder / BOOK)} == alive


def test_a_pytest_file_without_the_solutions_is_refused_with_where_they_are(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Export from the run folder"):
        export(TESTS, tmp_path / "t.py", Format.PYTEST)
    assert list(tmp_path.iterdir()) == []


def run_pytest(path: Path, solution: Path | None = None) -> tuple[int, str]:
    environment = {
        **os.environ,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        **({"A1KIT_SOLUTION": str(solution)} if solution else {}),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, str(path)]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=path.parent, timeout=120, check=False
    )
    return done.returncode, done.stdout.strip().splitlines()[-1].split(" in ")[0]
