"""The tests of a Mistake Book as files for other tools: pytest, JSON lines, CSV, Parquet.

Every format gives each source back byte for byte (`tests/unit/test_store_export.py` reads them all back). JSON and
Python have escapes for lone surrogates; CSV and Parquet hold packed text (`a1kit.store.text`).

The pytest file stands on its own: it holds the reference solution of every question and runs each test against it, so
`pytest FILE` passes as written. Put your own function in the place of a reference, or name a module that defines it
with `A1KIT_SOLUTION=path/to/module.py`, and the failures are that function's mistakes.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from a1kit.errors import InputError
from a1kit.store.book import Book
from a1kit.store.files import make_folder, write_whole
from a1kit.store.queries import RunView
from a1kit.store.text import pack, unpack


class Format(StrEnum):
    """What a book can be exported to."""

    PYTEST = "pytest"
    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"


class ExportedTest(NamedTuple):
    """One life of a test. `state` is "alive" or "mastered"; `entered` and `last_step` are steps."""

    question: str
    source: str
    state: str
    counter: int
    entered: int
    last_step: int


class Solution(NamedTuple):
    """What a pytest file needs to know of a question."""

    entry_point: str
    reference: str


Solutions = Mapping[str, Solution]


def read_run(folder: Path, *, step: int | None = None, mastered: bool = False) -> tuple[list[ExportedTest], Solutions]:
    """The tests of a run's book and their questions' solutions, from the step files: works while the run goes on.

    step       the book as it was after that step (None: now)
    mastered   also the tests that have left the book
    """
    with RunView(folder) as view:
        steps = view.steps()
        until = step if step is not None else max(steps, default=0)
        rows = view.query(
            "SELECT question, source, state, counter, entered, last_step FROM book_at(?) WHERE state = 'alive' OR ?"
            " ORDER BY question, counter DESC, entered, source",
            [until, mastered],
            limit=100_000_000,
        ).rows
        questions = view.query(
            "SELECT question, any_value(entry_point), any_value(reference) FROM questions GROUP BY question",
            limit=100_000_000,
        ).rows
    return [ExportedTest(*row) for row in rows], {name: Solution(*rest) for name, *rest in questions}


def read_book(path: Path) -> list[ExportedTest]:
    """The living tests of a book file that no trainer has open."""
    if not path.is_file():
        raise InputError(f"there is no Mistake Book at {path}.")
    with Book(path) as book:
        return [
            ExportedTest(mistake.question, mistake.source, "alive", mistake.counter, mistake.entered, mistake.entered)
            for mistake in book.mistakes()
        ]


def export(tests: Sequence[ExportedTest], path: Path, format_: Format, solutions: Solutions | None = None) -> None:
    """Write the tests to `path`, whole or not at all."""
    writers: dict[Format, Callable[[Path], None]] = {
        Format.PYTEST: lambda aside: _write_pytest(aside, tests, solutions or {}),
        Format.JSONL: lambda aside: _write_jsonl(aside, tests),
        Format.CSV: lambda aside: _write_csv(aside, tests),
        Format.PARQUET: lambda aside: pq.write_table(_table(tests), aside, compression="zstd"),
    }
    make_folder(path.parent)
    write_whole(path, writers[format_])


def read_export(path: Path, format_: Format) -> list[ExportedTest]:
    """What `export` wrote as JSON lines, CSV or Parquet."""
    if format_ is Format.JSONL:
        return [ExportedTest(**json.loads(line)) for line in path.read_text(encoding="utf-8").split("\n") if line]
    if format_ is Format.CSV:
        with path.open(newline="", encoding="utf-8") as file:
            _lift_field_limit()
            return [_from_text(row) for row in csv.DictReader(file)]
    if format_ is Format.PARQUET:
        return [_from_text(row) for row in pq.read_table(path).to_pylist()]
    raise InputError("a pytest file is run, not read; export as jsonl, csv or parquet to read tests back.")


def _write_jsonl(path: Path, tests: Sequence[ExportedTest]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for test in tests:
            file.write(json.dumps(test._asdict(), ensure_ascii=True) + "\n")


def _write_csv(path: Path, tests: Sequence[ExportedTest]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(ExportedTest._fields)
        writer.writerows((pack(test.question), pack(test.source), *test[2:]) for test in tests)


def _table(tests: Sequence[ExportedTest]) -> pa.Table:
    return pa.table(
        {
            "question": pa.array([pack(test.question) for test in tests], pa.string()),
            "source": pa.array([pack(test.source) for test in tests], pa.string()),
            "state": pa.array([test.state for test in tests], pa.string()),
            "counter": pa.array([test.counter for test in tests], pa.int32()),
            "entered": pa.array([test.entered for test in tests], pa.int32()),
            "last_step": pa.array([test.last_step for test in tests], pa.int32()),
        }
    )


def _from_text(row: Mapping[str, str]) -> ExportedTest:
    return ExportedTest(
        unpack(row["question"]),
        unpack(row["source"]),
        row["state"],
        int(row["counter"]),
        int(row["entered"]),
        int(row["last_step"]),
    )


def _lift_field_limit() -> None:
    csv.field_size_limit(max(csv.field_size_limit(), 1 << 27))


_PYTEST_HEAD = '''"""{count} tests that candidates failed, exported from a Mistake Book by a1kit.

Each test runs against its question's solution in SOLUTIONS. Put your own function there, or name a module that defines
it: A1KIT_SOLUTION=my_module.py pytest {name}
"""

import os
import sys
from pathlib import Path

import pytest

sys.set_int_max_str_digits(0)  # tests may hold integers of thousands of digits

'''

_PYTEST_TAIL = '''

def program(question):
    """The solution under test."""
    own = os.environ.get("A1KIT_SOLUTION")
    return Path(own).read_text(encoding="utf-8") if own else SOLUTIONS[question]


@pytest.mark.parametrize(("question", "source"), TESTS)
def test_mistake(question, source):
    namespace = {"__name__": "solution"}
    exec(compile(program(question), f"<solution of {question}>", "exec"), namespace)
    try:
        exec(compile(source, "<test>", "exec"), namespace)
    except AssertionError as error:
        raise AssertionError(f"{question}: {source}") from error
'''


def _write_pytest(path: Path, tests: Sequence[ExportedTest], solutions: Solutions) -> None:
    used = dict.fromkeys(test.question for test in tests)
    missing = [question for question in used if question not in solutions]
    if missing:
        raise InputError(
            f"the solution of {missing[0]!r} is not known, so its tests cannot be made into a pytest file. "
            "Export from the run folder, whose step files hold every question, not from the book file alone."
        )
    lines = [_PYTEST_HEAD.format(count=len(tests), name=path.name.removeprefix(".").removesuffix(".tmp"))]
    lines.append("SOLUTIONS = {\n")
    lines += [f"    {question!a}: {_block(solutions[question].reference)},\n" for question in used]
    lines.append("}\n\nTESTS = [\n")
    for number, test in enumerate(tests):
        identity = f"{number}-failed-{test.counter}-times" if test.counter else f"{number}-mastered"
        lines.append(f"    pytest.param({test.question!a}, {test.source!a}, id={identity!r}),\n")
    lines.append("]\n")
    lines.append(_PYTEST_TAIL)
    path.write_text("".join(lines), encoding="utf-8", newline="\n")


def _block(source: str) -> str:
    """A string literal of the source that a person can read: one literal a line, joined by Python."""
    lines = source.splitlines(keepends=True)
    if len(lines) < 2 or "".join(lines) != source:
        return ascii(source)
    inner = "\n".join(f"        {line!a}" for line in lines)
    return f"(\n{inner}\n    )"
