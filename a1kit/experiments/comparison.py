"""Any runs side by side, with the tables and figures of an experiment's report.

Runs that differ in nothing but their seed (and in what cannot change a result: threads, workers) are one row, and their
seeds are its spread. A row is named by the fields in which it differs from the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from a1kit.errors import InputError
from a1kit.experiments.grid import Cell
from a1kit.experiments.results import Results, Run, read_run
from a1kit.experiments.suites import Setting, Suite
from a1kit.store.run_log import read_manifest

INDIFFERENT = (
    "seed",
    "report_to",
    "train.threads",
    "train.checkpoint_every",
    "train.keep_checkpoints",
    "judge.workers",
)
"""Fields that do not make another row."""


def results_of(folders: Sequence[Path]) -> Results:
    """The runs as results. Raises InputError for a folder without a run, or without a finished step."""
    configs = [_flat(read_manifest(folder)["config"]) for folder in folders]
    groups: dict[tuple[tuple[str, str], ...], str] = {}
    settings: dict[str, Setting] = {}
    runs: list[Run] = []
    for folder, config in zip(folders, configs, strict=True):
        key = tuple((name, repr(value)) for name, value in sorted(config.items()) if name not in INDIFFERENT)
        if key not in groups:
            name = _name(config, configs[0], taken=settings)
            groups[key] = name
            settings[name] = Setting(name, name)
        seed = int(config["seed"])
        used = {run.cell.seed for run in runs if run.cell.setting.name == groups[key]}
        while seed in used:  # the same run twice, or resumed copies: each counts
            seed += 1_000_000
        runs.append(read_run(Cell(settings[groups[key]], seed, folder)))
    seeds = tuple(sorted({run.cell.seed for run in runs}))
    suite = Suite("comparison", str(configs[0].get("preset") or "own"), tuple(settings.values()), seeds)
    return Results(suite, tuple(runs), ())


def _flat(config: Mapping[str, Any], place: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in config.items():
        if isinstance(value, Mapping) and name != "columns":
            found |= _flat(value, f"{place}{name}.")
        else:
            found[f"{place}{name}"] = value
    return found


def _name(config: Mapping[str, Any], first: Mapping[str, Any], taken: Mapping[str, Setting]) -> str:
    changed = [
        f"{name}={value}"
        for name, value in config.items()
        if name not in INDIFFERENT and name != "preset" and value != first.get(name)
    ]
    name = ", ".join(changed[:4]) + (f" and {len(changed) - 4} more" if len(changed) > 4 else "")
    name = name or str(config.get("preset") or "first")
    return name if name not in taken else f"{name} ({len(taken)})"


def check(folders: Sequence[Path]) -> None:
    """At least one run, each there once."""
    if not folders:
        raise InputError("name the runs to compare, as in: a1kit compare runs/micro-0 runs/micro-1")
    resolved = [folder.resolve() for folder in folders]
    for folder in resolved:
        if resolved.count(folder) > 1:
            raise InputError(f"{folder} is named twice; a run cannot be compared with itself.")
