"""`a1kit export`: the tests of a Mistake Book as a pytest file, JSON lines, CSV or Parquet.

    a1kit export runs/micro-0                                        # the living tests: test_micro_0.py
    a1kit export runs/micro-0 --format jsonl --output book.jsonl --mastered
    a1kit export runs/micro-0 --step 20 --question micro/sum-of-evens

A run is read from its step files, so this works while it trains. A book file (`mistakes.duckdb`) can be exported to
everything but pytest, since it does not hold the solutions.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from a1kit.errors import InputError
from a1kit.store.export import ExportedTest, Format, Solutions, export, read_book, read_run

_ENDINGS = {Format.PYTEST: ".py", Format.JSONL: ".jsonl", Format.CSV: ".csv", Format.PARQUET: ".parquet"}


def command(
    source: Annotated[Path, typer.Argument(metavar="RUN|BOOK", help="A run folder, or a mistakes.duckdb file.")],
    format_: Annotated[Format, typer.Option("--format", "-f", help="What to write.")] = Format.PYTEST,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="[default: test_RUN.py or RUN.FORMAT, here]")
    ] = None,
    step: Annotated[int | None, typer.Option("--step", min=0, help="The book as it was after this step.")] = None,
    mastered: Annotated[bool, typer.Option("--mastered", help="Also the tests that have left the book.")] = False,
    question: Annotated[
        list[str] | None, typer.Option("--question", "-q", metavar="ID", help="Only this question's; repeatable.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Report as a JSON document.")] = False,
) -> None:
    """Export the tests of a Mistake Book."""
    tests, solutions = _read(source, step, mastered)
    tests = _only(tests, question or [])
    if not tests:
        raise InputError(f"{source} has no tests to export; `--mastered` includes those that have left the book.")
    path = output or Path(_name(source, format_))
    export(tests, path, format_, solutions)
    questions = len({test.question for test in tests})
    if as_json:
        print(json.dumps({"file": str(path), "format": format_.value, "tests": len(tests), "questions": questions}))
    else:
        print(f"{len(tests)} tests of {questions} questions → {path}")
        if format_ is Format.PYTEST:
            print(f"run them: pytest {path}")


def _read(source: Path, step: int | None, mastered: bool) -> tuple[list[ExportedTest], Solutions]:
    if source.is_dir():
        return read_run(source, step=step, mastered=mastered)
    if step is not None or mastered:
        raise InputError("--step and --mastered need the run folder, not the book file alone.")
    return read_book(source), {}


def _only(tests: list[ExportedTest], questions: list[str]) -> list[ExportedTest]:
    known = {test.question for test in tests}
    for name in questions:
        if name not in known:
            some = ", ".join(sorted(known)[:5]) or "none"
            raise InputError(f"the book has no test of question {name!r}; it has {len(known)} questions: {some}, …")
    return [test for test in tests if not questions or test.question in questions]


def _name(source: Path, format_: Format) -> str:
    stem = source.resolve().name if source.is_dir() else source.resolve().parent.name
    safe = "".join(letter if letter.isalnum() else "_" for letter in stem)
    return ("test_" if format_ is Format.PYTEST else "") + safe + _ENDINGS[format_]
