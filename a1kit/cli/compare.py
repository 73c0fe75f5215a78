"""`a1kit compare RUN…`: tables and figures of any runs side by side.

    a1kit compare runs/micro-0 runs/micro-1 runs/no-book-0 --output comparison

Runs that differ in their seed alone are one row. Unfinished runs are compared as far as they are.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from a1kit.errors import InputError, MissingDependency


def command(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Run folders.")],
    out: Annotated[Path, typer.Option("--output", "--out", "-o", help="Folder for report.md and report.html.")] = Path(
        "comparison"
    ),
    as_json: Annotated[
        bool, typer.Option("--json", help="The values as one JSON document instead of the tables.")
    ] = False,
) -> None:
    """Compare runs."""
    try:
        from a1kit.experiments import comparison, report
    except ModuleNotFoundError as error:
        raise MissingDependency(f"the report needs {error.name}: pip install 'a1kit[eval]'") from error
    comparison.check(runs)
    results = comparison.results_of(runs)
    try:
        text, page = report.write_comparison(results, out)
    except OSError as error:
        raise InputError(f"cannot write to {str(out)!r}: {error}; give another folder with --output") from error
    if as_json:
        rows = [
            {
                "run": str(run.cell.folder),
                "row": run.cell.setting.title,
                "seed": run.cell.seed,
                "values": dict(run.values),
            }
            for run in results.runs
        ]
        print(json.dumps({"runs": rows, "markdown": str(text), "html": str(page)}, indent=1))
        return
    print(text.read_text(encoding="utf-8").partition("## Figures")[0])
    print(f"report: {text}\n        {page}")
