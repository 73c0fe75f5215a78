"""Finished runs as numbers: one value a measure, setting and seed, and what seeds say together.

A run is read at fixed points: its evaluations at three quarters and at the end of its steps. The value of a measure is
the mean of the two, which was decided before any run was looked at; the two readings are in `numbers.json` as well.
Values over seeds have a 95 % t-interval; two settings are compared seed by seed (paired t-test).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from a1kit.errors import InputError, MissingDependency
from a1kit.experiments.grid import Cell, cells_of, open_grid
from a1kit.experiments.suites import FULL, Setting, Suite
from a1kit.store.run_log import read_metrics
from a1kit.training.bands import MEASURES as BAND_MEASURES
from a1kit.training.bands import Band

LEVEL = 0.05
"""Error of the first kind that a comparison may make."""

LEAST_FOR_BAND = 10

POWER = 0.8
"""Chance of finding a difference that `Comparison.detectable` promises."""

MEASURES: dict[str, str] = {
    "eval/avg": "held-out code right, avg@n",
    "eval/greedy": "held-out code right, greedy",
    "eval/validity": "validity of suites",
    "eval/kill_rate": "kill rate",
    "eval/kill_rate_hidden": "kill rate, code hidden",
    "eval/quality": "validity x kill rate",
    "eval/old_failures_passed": "old failures passed",
    "eval/refailed": "mastered tests failed again",
}
"""Measures of an evaluation, and what tables call them."""

LATE: dict[str, str] = {
    "code/reward": "reward of the Code LLM",
    "tests/reward": "reward of the Test LLM",
    "code/flat_groups": "groups of candidates without variance",
    "tests/flat_groups": "groups of suites without variance",
    "tests/validity": "validity in training",
    "tests/kill_rate": "kill rate in training",
}
"""Measures of training, as means over the last quarter of the steps."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A measure over seeds: mean, bounds of its 95 % t-interval, and the values by seed."""

    mean: float
    low: float
    high: float
    values: Mapping[int, float]

    def __str__(self) -> str:
        half = (self.high - self.low) / 2
        return f"{self.mean:.3f}" if math.isnan(half) else f"{self.mean:.3f} ± {half:.3f}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One setting minus another over the seeds both have: `p` is two-sided. `detectable` is the difference that so many
    seeds, scattered like these, would find four times out of five."""

    difference: Spread
    p: float
    detectable: float


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run: its rows of metrics and its values."""

    cell: Cell
    rows: tuple[Mapping[str, Any], ...]
    start: Mapping[str, float]
    values: Mapping[str, float]
    readings: Mapping[int, Mapping[str, float]]
    seconds: float


@dataclass(frozen=True, slots=True)
class Results:
    """All finished runs of a grid. `missing` are cells without a finished run."""

    suite: Suite
    runs: tuple[Run, ...]
    missing: tuple[Cell, ...]

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Settings with at least one finished run."""
        there = {run.cell.setting.name for run in self.runs}
        return tuple(setting for setting in self.suite.settings if setting.name in there)

    def of(self, setting: str) -> tuple[Run, ...]:
        return tuple(run for run in self.runs if run.cell.setting.name == setting)

    def has(self, *settings: str) -> bool:
        return all(self.of(setting) for setting in settings)

    def values(self, setting: str, measure: str) -> dict[int, float]:
        """Seed -> value, for seeds that have it. A setting `start` is the models before training."""
        if setting == "start":
            return {run.cell.seed: run.start[measure] for run in self.of(FULL) if measure in run.start}
        return {run.cell.seed: run.values[measure] for run in self.of(setting) if measure in run.values}

    def spread(self, setting: str, measure: str) -> Spread | None:
        """The measure over seeds; None without a value."""
        values = self.values(setting, measure)
        return spread(values) if values else None

    def compare(self, one: str, other: str, measure: str) -> Comparison | None:
        """`one` minus `other`, seed by seed; None with fewer than two common seeds."""
        return compare(self.values(one, measure), self.values(other, measure))


def read(folder: Path) -> Results:
    """The finished runs of a grid's folder."""
    suite = open_grid(folder)
    runs, missing = [], []
    for cell in cells_of(suite, folder):
        if cell.state() == "finished":
            runs.append(read_run(cell))
        else:
            missing.append(cell)
    if not runs:
        raise InputError(f"{folder} has no finished run yet. Go on with: a1kit experiment {suite.name} --output {folder}")
    return Results(suite, tuple(runs), tuple(missing))


def read_run(cell: Cell) -> Run:
    """One run, which must have played a step."""
    rows = read_metrics(cell.folder)
    if not any(row["step"] > 0 for row in rows):
        raise InputError(f"{cell.folder} has no finished step yet; there is nothing to compare.")
    evaluations = {int(row["step"]): row for row in rows if "eval/avg" in row}
    steps = [row for row in rows if row["step"] > 0]
    last = int(steps[-1]["step"])
    points = sorted({_nearest(evaluations, 0.75 * last), _nearest(evaluations, last)} - {0})
    readings = {
        point: {name: evaluations[point][name] for name in evaluations[point] if _kept(name)} for point in points
    }
    names = set().union(*readings.values()) if readings else set()
    values = {name: statistics.fmean(r[name] for r in readings.values() if name in r) for name in sorted(names)}
    late = [row for row in steps if row["step"] > 0.75 * last]
    for name in LATE:
        found = [row[name] for row in late if name in row]
        if found:
            values[name] = statistics.fmean(found)
    start = {name: value for name, value in evaluations.get(0, {}).items() if _kept(name)}
    seconds = float(rows[-1]["time"]) - float(rows[0]["time"])
    return Run(cell, tuple(rows), start, values, readings, seconds)


def _kept(name: str) -> bool:
    return name.startswith("eval/") and name != "eval/seconds"


def _nearest(evaluations: Mapping[int, Any], step: float) -> int:
    return min(evaluations, key=lambda point: (abs(point - step), -point), default=0)


def spread(values: Mapping[int, float]) -> Spread:
    """Mean and 95 % t-interval of values by seed; the bounds are nan for a single one."""
    numbers = list(values.values())
    mean = statistics.fmean(numbers)
    if len(numbers) < 2:
        return Spread(mean, math.nan, math.nan, dict(values))
    half = _quantile(1 - LEVEL / 2, len(numbers) - 1) * statistics.stdev(numbers) / math.sqrt(len(numbers))
    return Spread(mean, mean - half, mean + half, dict(values))


def compare(one: Mapping[int, float], other: Mapping[int, float]) -> Comparison | None:
    """The paired comparison of two settings over their common seeds."""
    differences = {seed: one[seed] - other[seed] for seed in sorted(one.keys() & other.keys())}
    if len(differences) < 2:
        return None
    numbers = list(differences.values())
    error = statistics.stdev(numbers) / math.sqrt(len(numbers))
    found = spread(differences)
    freedom = len(numbers) - 1
    if error == 0.0:
        return Comparison(found, 1.0 if found.mean == 0.0 else 0.0, 0.0)
    p = 2 * _t().sf(abs(found.mean) / error, freedom)
    detectable = (_quantile(1 - LEVEL / 2, freedom) + _quantile(POWER, freedom)) * error
    return Comparison(found, float(p), float(detectable))


def _quantile(share: float, freedom: int) -> float:
    return float(_t().ppf(share, freedom))


def _t() -> Any:
    """Student's distribution."""
    try:
        from scipy.stats import t
    except ModuleNotFoundError as error:
        raise MissingDependency("intervals over seeds need scipy: pip install 'a1kit[eval]'") from error
    return t


def band_of(results: Results, setting: str = FULL) -> Band:
    """The band of the runs of one setting (`a1kit.training.bands`). Raises InputError below ten runs."""
    runs = results.of(setting)
    if len(runs) < LEAST_FOR_BAND:
        raise InputError(f"a band needs {LEAST_FOR_BAND} runs, there are {len(runs)}. Add some with --seeds.")
    points: dict[int, dict[str, tuple[float, float]]] = {}
    for step in sorted({int(row["step"]) for run in runs for row in run.rows if "eval/avg" in row}):
        for name in BAND_MEASURES:
            values = [row[name] for run in runs for row in run.rows if row["step"] == step and name in row]
            if len(values) >= LEAST_FOR_BAND:
                half = _quantile(0.995, len(values) - 1) * statistics.stdev(values) * math.sqrt(1 + 1 / len(values))
                mean = statistics.fmean(values)
                points.setdefault(step, {})[name] = (round(mean - half, 4), round(mean + half, 4))
    return Band(results.suite.preset, len(runs), points)
