"""`a1kit experiment SUITE`: every setting of a suite with several seeds, and the report of what they say.

    a1kit experiment baselines                          # on micro-traps, five seeds, two at a time
    a1kit experiment paper --seeds 5 --output experiments/paper
    a1kit experiment ablations --quick                  # two seeds, a quarter of the steps: a look, not a result

Stopped at any moment (Ctrl-C, kill -9, a power cut), the same command goes on where it was. `--report-only` writes the
report of what is finished.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from a1kit.cli.train import fields_of
from a1kit.errors import InputError, MissingDependency
from a1kit.presets import PRESETS

if TYPE_CHECKING:
    from a1kit.experiments.grid import Progress

EXPERIMENTS = Path("experiments")
QUICK_SEEDS, QUICK_SHARE = 2, 4
BAND = "band.json"


def command(
    name: Annotated[str, typer.Argument(metavar="[SUITE]", help="Which suite; without it: a list.")] = "",
    base: Annotated[str, typer.Option("--preset", "-p", help=f"One of: {', '.join(PRESETS)}.")] = "micro-traps",
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="How many seeds, from 0 on.")] = 5,
    out: Annotated[
        Path | None, typer.Option("--output", "--out", "-o", help="Folder. [default: experiments/SUITE-PRESET]")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, help="Runs side by side (0: one a core).")] = 0,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="FIELD=VALUE", help="For every run; repeatable.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Two seeds and a quarter of the steps.")] = False,
    report_only: Annotated[bool, typer.Option("--report-only", help="Run nothing; report what is finished.")] = False,
    findings: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="A second place for the Markdown report.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines instead of the table.")] = False,
) -> None:
    """Compare settings over several seeds, and report."""
    from a1kit.experiments import grid
    from a1kit.experiments.suites import SUITES, suite

    if not name:
        for known, settings in SUITES.items():
            print(json.dumps({known: settings}) if as_json else f"{known}: {', '.join(settings)}")
        return
    values = fields_of(changes or [])
    if quick:
        seeds = min(seeds, QUICK_SEEDS)
        values = {**_shortened(base), **values}
    folder = out or EXPERIMENTS / f"{name}-{base}{'-quick' if quick else ''}"
    chosen = suite(name, base, seeds, values)
    failed: tuple[Any, ...] = ()
    if not report_only:
        with _shown(as_json) as listen:
            failed = grid.run(chosen, folder, jobs=jobs or os.cpu_count() or 1, listen=listen)
    _report(folder, _command_line(name, base, seeds, changes or [], quick), findings, as_json)
    for cell in failed:
        print(f"failed: {cell.name}: {grid.why_failed(cell)} (its log: {cell.log})")
    if failed:
        raise InputError(f"{len(failed)} runs failed; the same command tries them again.")


def _shortened(base: str) -> dict[str, Any]:
    from a1kit.presets import preset

    config = preset(base)
    steps = max(1, config.train.steps // QUICK_SHARE)
    return {"train.steps": steps, "eval.every": max(1, steps // 4), "train.checkpoint_every": steps}


def _command_line(name: str, base: str, seeds: int, changes: list[str], quick: bool) -> str:
    words = ["a1kit experiment", name, "--preset", base, "--seeds", str(seeds)]
    words += [word for pair in changes for word in ("--set", pair)]
    return " ".join([*words, *(["--quick"] if quick else [])])


def _report(folder: Path, made_by: str, also: Path | None, as_json: bool) -> None:
    try:
        from a1kit.experiments import report
        from a1kit.experiments.grid import open_grid
    except ModuleNotFoundError as error:
        raise MissingDependency(f"the report needs {error.name}: pip install 'a1kit[eval]'") from error
    text, page = report.write(folder, command=made_by, also=also)
    if open_grid(folder).name == "band":
        _write_band(folder)
    if as_json:
        print(json.dumps({"event": "report", "markdown": str(text), "html": str(page)}))
    else:
        print(f"\nreport: {text}\n        {page}")


def _write_band(folder: Path) -> None:
    """`band.json`: what `data/bands` keeps of a preset."""
    from a1kit.experiments.results import band_of, read
    from a1kit.store.files import write_text_whole

    write_text_whole(folder / BAND, json.dumps(band_of(read(folder)).to_dict(), indent=1) + "\n")


@contextmanager
def _shown(as_json: bool) -> Iterator[Callable[[Progress], None]]:
    """A table that is kept up to date on a terminal; lines elsewhere, when a run has ended."""
    from rich.console import Console
    from rich.live import Live

    console = Console()
    if as_json or not console.is_terminal:
        yield _Lines(as_json)
        return
    with Live(console=console, refresh_per_second=2, transient=False) as live:
        yield lambda progress: live.update(_table(progress))


class _Lines:
    """One line whenever the number of finished or failed runs changes."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._said = (-1, -1)

    def __call__(self, progress: Progress) -> None:
        counts = (progress.finished, progress.states.count("failed"))
        if counts == self._said:
            return
        self._said = counts
        if self._as_json:
            facts = {"event": "progress", "finished": counts[0], "failed": counts[1], "runs": len(progress.cells)}
            print(json.dumps({**facts, "seconds_left": progress.seconds_left}), flush=True)
        else:
            print(f"{time.strftime('%H:%M:%S')}  {_summary(progress)}", flush=True)


def _summary(progress: Progress) -> str:
    failed = progress.states.count("failed")
    text = f"{progress.finished} of {len(progress.cells)} runs finished"
    text += f", {failed} failed" if failed else ""
    if progress.seconds_left is not None:
        text += f", about {progress.seconds_left / 60:.0f} min left"
    return text


_MARKS = {"finished": "[green]done[/]", "failed": "[red]failed[/]", "running": "running"}


def _table(progress: Progress) -> Any:
    from rich.table import Table

    seeds = sorted({cell.seed for cell in progress.cells})
    table = Table(title=_summary(progress), title_justify="left")
    table.add_column("setting")
    for seed in seeds:
        table.add_column(f"seed {seed}", justify="right")
    rows: dict[str, dict[int, str]] = {}
    for cell, state in zip(progress.cells, progress.states, strict=True):
        mark = _MARKS.get(state, "")
        if cell in progress.running:
            mark = f"step {cell.step()}"
        rows.setdefault(cell.setting.name, {})[cell.seed] = mark
    for name, marks in rows.items():
        table.add_row(name, *(marks.get(seed, "") for seed in seeds))
    return table
