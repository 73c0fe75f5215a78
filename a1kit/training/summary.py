"""What a run came to, against its own beginning: on held-out questions, with intervals, in a few lines.

Both evaluations are on the same questions and wrong programs, so gains are paired differences; an interval that holds 0
is said to show nothing. Numbers come from the run folder alone, so a run can be summed up at any time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from a1kit.evaluation import Estimate, SuiteReport, Target, difference, estimate
from a1kit.store.run_log import read_metrics, read_status
from a1kit.training.evaluate import read_evaluations
from a1kit.types import Question


@dataclass(frozen=True, slots=True)
class Gain:
    """One quantity at the start and the end, and the paired difference."""

    name: str
    before: Estimate
    after: Estimate
    gain: Estimate

    @property
    def verdict(self) -> str:
        """In a word: "better", "worse", or that it cannot be told."""
        if self.gain.low > 0:
            return "better"
        return "worse" if self.gain.high < 0 else "no clear change"


@dataclass(frozen=True, slots=True)
class Summary:
    """A run in numbers. `seconds` is training time by phase; `gains` is empty without two evaluations."""

    folder: Path
    state: str
    steps: int
    gains: tuple[Gain, ...]
    seconds: Mapping[str, float]
    book: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for `--json`."""
        gains = {
            gain.name: {
                "before": _plain(gain.before),
                "after": _plain(gain.after),
                "gain": _plain(gain.gain),
                "verdict": gain.verdict,
            }
            for gain in self.gains
        }
        return {
            "run": str(self.folder),
            "state": self.state,
            "steps": self.steps,
            "gains": gains,
            "seconds": dict(self.seconds),
            "book": dict(self.book),
        }


def summarise(folder: Path) -> Summary:
    """The summary of a run folder, finished or not."""
    rows = [row for row in read_metrics(folder) if row["step"] > 0]
    evaluations = read_evaluations(folder)
    gains: list[Gain] = []
    if len(evaluations) > 1:
        gains = list(_gains(evaluations[0], evaluations[-1]))
    seconds: dict[str, float] = {}
    for row in rows:
        for name, value in row.items():
            if name.startswith("seconds/"):
                seconds[name.removeprefix("seconds/")] = seconds.get(name.removeprefix("seconds/"), 0.0) + value
    book = {
        "added": sum(row.get("book/added", 0.0) for row in rows),
        "removed": sum(row.get("book/removed", 0.0) for row in rows),
        "size": rows[-1].get("book/size", 0.0) if rows else 0.0,
    }
    state = str(read_status(folder).get("state", "unknown"))
    return Summary(folder, state, rows[-1]["step"] if rows else 0, tuple(gains), seconds, book)


def _gains(first: Mapping[str, Any], last: Mapping[str, Any]) -> Sequence[Gain]:
    gains = []
    if "code" in first and "code" in last:
        early, late = ([count / report["code"]["n"] for count in report["code"]["passes"]] for report in (first, last))
        name = f"avg@{last['code']['n']}"
        gains.append(Gain(name, estimate(early), estimate(late), difference(early, late)))
        early, late = (list(map(float, report["code"]["greedy"])) for report in (first, last))
        gains.append(Gain("greedy", estimate(early), estimate(late), difference(early, late)))
    if "tests" in first and "tests" in last:
        gains.append(_quality_gain(first["tests"], last["tests"]))
        for name, key in (("validity", "validities"), ("kill rate", "kills")):
            early, late = first["tests"][key], last["tests"][key]
            gains.append(Gain(name, estimate(early), estimate(late), difference(early, late)))
    return gains


def _quality_gain(first: Mapping[str, Any], last: Mapping[str, Any]) -> Gain:
    early, late = _report(first), _report(last)
    return Gain("validity x kill", early.quality, late.quality, late.quality_gain(early))


def _report(kept: Mapping[str, Any]) -> SuiteReport:
    """The report as it was, but for the programs: the summary compares numbers."""
    targets = tuple(Target(Question(name, "", "", ""), "", label) for name, label in kept["targets"])
    return SuiteReport(targets, tuple(kept["validities"]), tuple(kept["kills"]))


def _plain(value: Estimate) -> dict[str, float | None]:
    numbers = {"mean": value.mean, "low": value.low, "high": value.high}
    return {name: None if math.isnan(number) else round(number, 4) for name, number in numbers.items()}
