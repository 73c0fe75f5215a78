"""`a1kit judge`: the judge on its own, for any trainer and any language. JSON lines in, JSON lines out, in order.

    a1kit judge duels.jsonl > verdicts.jsonl
    producer | a1kit judge | consumer          # every line is answered as soon as it and those before it are judged
    a1kit judge duels.jsonl --table            # for people

The fields are described in `a1kit.duel.records`. A line that cannot be judged gets `{"id": …, "error": …}`, does not
stop the rest, and makes the exit status 1. A failure of the machinery is exit status 3; it never becomes a verdict.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer

from a1kit.cli.lines import LineWriter, open_lines, read_lines
from a1kit.errors import InputError
from a1kit.rewards import Convention, Rules
from a1kit.sandbox.protocol import Level

Result = Mapping[str, Any]

WIDTH = 120
"""Columns of the table when nobody's terminal says how many there are."""


def command(
    source: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="JSON lines to judge; - or nothing: standard input.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write results here (complete or not at all), not to stdout.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Programs at once. [default: one a core]")
    ] = None,
    k: Annotated[int, typer.Option("--k", help="Tests asked for in a suite.")] = 8,
    alpha: Annotated[float, typer.Option("--alpha", help="Weight of validity against adversity, 0 to 1.")] = 0.5,
    convention: Annotated[
        Convention, typer.Option("--convention", help="Which published reward formula.")
    ] = Convention.RELEASE,
    call_seconds: Annotated[
        float, typer.Option("--call-seconds", help="CPU seconds the reference may take for one call.")
    ] = 1.0,
    level: Annotated[
        Level | None, typer.Option("--level", help="Refuse to start below this isolation. [default: the best there is]")
    ] = None,
    table: Annotated[bool, typer.Option("--table", help="A table for people instead of JSON lines.")] = False,
) -> None:
    """Judge candidates and their test suites. A record's own options win over those given here."""
    from a1kit.duel.records import Defaults, dump, judge_all, load

    defaults = Defaults(Rules(k, alpha, convention), call_seconds)
    descriptor = open_lines(None if source is None or str(source) == "-" else source)
    tally = Tally()
    with _writer(output, table) as writer, _progress(descriptor, output, table) as progress:
        lines = (line if isinstance(line, InputError) else load(line) for line in read_lines(descriptor))
        for result in judge_all(lines, defaults, jobs=jobs, level=level):
            tally.add(result)
            if writer is not None:
                writer.write(dump(result))
            progress.step(tally)
    if table:
        tally.show()
    if not tally.lines:
        raise InputError(
            "the input holds no lines; give one JSON object a line, with the fields "
            "id, entry_point, reference, candidate, suites"
        )
    if tally.errors:
        raise InputError(f"{tally.errors} of {tally.lines} lines could not be judged; their results say why")


def _writer(output: Path | None, table: bool) -> AbstractContextManager[LineWriter | None]:
    """JSON lines go to the output file, or to standard output unless the table is shown there."""
    return nullcontext() if table and output is None else LineWriter(output)


class Tally:
    """Counts over all results; for `--table`, one row each."""

    def __init__(self) -> None:
        self.lines = self.errors = self.tests = self.kept = self.failed = 0
        self._rows: list[tuple[str, ...]] = []

    def add(self, result: Result) -> None:
        self.lines += 1
        if "error" in result:
            self.errors += 1
            self._rows.append((str(result["id"]), "error", *[""] * 7, str(result["error"])))
            return
        tests = [test for suite in result["suites"] for test in suite["tests"]]
        states = [test["state"] for test in tests]
        played = [test["verdict"] for test in (*tests, *result["history"]) if test["verdict"] is not None]
        valid, corrected = states.count("valid"), states.count("corrected")
        passed = played.count("passed")
        self.tests += len(tests)
        self.kept += valid + corrected
        self.failed += len(played) - passed
        self._rows.append(
            (
                str(result["id"]),
                result["candidate"]["status"],
                str(valid),
                str(corrected),
                str(len(tests) - valid - corrected),
                str(passed),
                str(len(played) - passed),
                f"{result['reward']:.3f}",
                " ".join(f"{suite['reward']:.2f}" for suite in result["suites"]),
                ", ".join(result["flags"]),
            )
        )

    def show(self) -> None:
        """Print the rows and one line of totals. Everything in a record is shown as plain text."""
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(caption_justify="left", box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
        table.add_column("id", no_wrap=True, overflow="ellipsis", min_width=12)
        table.add_column("loads", no_wrap=True)
        for name in ("valid", "corr.", "drop.", "passed", "failed", "R code"):
            table.add_column(name, justify="right", no_wrap=True)
        table.add_column("R tests", justify="right", overflow="ellipsis", min_width=9, max_width=24)
        table.add_column("noticed", overflow="fold", min_width=20)
        for row in self._rows:
            table.add_row(*(Text(_printable(cell)) for cell in row))
        table.caption = (
            f"{self.lines} duels, {self.tests} generated tests, {self.kept} kept; "
            f"candidates failed {self.failed} of the tests they played"
        )
        Console(width=None if sys.stdout.isatty() else WIDTH).print(table)


class _Progress(Protocol):
    def step(self, tally: Tally) -> None: ...


class _Silent:
    def step(self, tally: Tally) -> None:
        pass


class _Bar:
    """A progress bar on standard error, by the bytes of the input that have been read."""

    def __init__(self, descriptor: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        info = os.fstat(descriptor)
        self._descriptor = descriptor
        self._total = info.st_size if stat.S_ISREG(info.st_mode) else None
        columns = [TextColumn("judging"), BarColumn(), TextColumn("{task.fields[done]}"), TimeElapsedColumn()]
        if self._total is not None:
            columns += [TextColumn("left"), TimeRemainingColumn()]
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task("judging", total=self._total, done="0 lines")

    def __enter__(self) -> _Bar:
        self._progress.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._progress.stop()

    def step(self, tally: Tally) -> None:
        read = os.lseek(self._descriptor, 0, os.SEEK_CUR) if self._total is not None else None
        words = f"{tally.lines} lines" + (f", {tally.errors} errors" if tally.errors else "")
        self._progress.update(self._task, completed=read, done=words)


def _progress(descriptor: int, output: Path | None, table: bool) -> AbstractContextManager[_Progress]:
    """A bar where somebody can see it and it does not run into the results."""
    results_on_terminal = output is None and not table and sys.stdout.isatty()
    return _Bar(descriptor) if sys.stderr.isatty() and not results_on_terminal else nullcontext(_Silent())


def _printable(text: str) -> str:
    """Control characters, which could drive the terminal, become spaces."""
    return "".join(char if char.isprintable() else " " for char in text)
