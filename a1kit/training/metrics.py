"""One row of numbers a step: what the charts of a run are made of (`docs/data-schema.md` lists the names).

Names are `noun/quantity`. Everything is a mean over the step unless it says otherwise; a quantity that does not exist
in a step (a pass rate on history when nothing was recalled) is left out of the row, never written as 0.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from a1kit.hacking import sign_rates
from a1kit.selection import is_flat, population_std
from a1kit.training.step import Lessons, Played
from a1kit.types import Completion, Duel, Load, State, Suite, UpdateStats

_UPDATE = ("loss", "grad_norm", "learning_rate", "kl", "entropy", "clip_fraction")


def step_metrics(played: Played) -> dict[str, float]:
    """The row of a finished step."""
    duels = played.duels
    suites = [suite for duel in duels for suite in duel.suites]
    row = dict(_code(duels))
    row.update(_tests(duels, suites))
    row.update(sign_rates(duels))
    row.update(_groups(played.lessons))
    row["book/added"] = played.changes.added
    row["book/removed"] = played.changes.removed
    row["book/size"] = played.changes.size
    row["book/recalled"] = sum(len(duel.history) for duel in duels) / max(1, len(duels))
    row.update(_update("code", played.code_update))
    row.update(_update("tests", played.tests_update))
    row["seconds"] = sum(played.seconds.values())
    return {name: float(value) for name, value in row.items()}


def _code(duels: Sequence[Duel]) -> Iterator[tuple[str, float]]:
    loaded = [duel for duel in duels if duel.load is Load.OK]
    yield "code/reward", _mean(duel.reward for duel in duels) or 0.0
    yield "code/loads", len(loaded) / max(1, len(duels))
    yield from _known("code/pass_new", _mean(rate for duel in loaded if (rate := pass_new(duel.suites)) is not None))
    yield from _known("code/pass_hist", _mean(duel.pass_hist for duel in duels if duel.pass_hist is not None))
    yield from _written("code", [duel.completion for duel in duels])


def _tests(duels: Sequence[Duel], suites: Sequence[Suite]) -> Iterator[tuple[str, float]]:
    if not suites:
        return
    yield "tests/reward", statistics.fmean(suite.reward for suite in suites)
    yield "tests/validity", statistics.fmean(suite.validity for suite in suites)
    yield "tests/adversity", statistics.fmean(suite.adversity for suite in suites)
    played = [suite for duel in duels if duel.load is Load.OK for suite in duel.suites]
    yield from _known("tests/kill_rate", _mean(float(_kills(suite)) for suite in played))
    written = [test for suite in suites for test in suite.tests]
    for state in (State.VALID, State.CORRECTED):
        yield f"tests/{state.value}", sum(test.state is state for test in written) / max(1, len(written))
    yield "tests/dropped", sum(not test.kept for test in written) / max(1, len(written))
    yield "tests/written", len(written) / len(suites)
    yield from _written("tests", [suite.completion for suite in suites])


def _groups(lessons: Lessons) -> Iterator[tuple[str, float]]:
    """How much of the batch teaches nothing, and how far apart rewards are inside a group."""
    for name, groups in (("code", lessons.code), ("tests", lessons.tests)):
        if groups:
            yield f"{name}/flat_groups", sum(is_flat(group.rewards) for group in groups) / len(groups)
            yield f"{name}/spread", statistics.fmean(population_std(group.rewards) for group in groups)
            yield f"{name}/advantage", statistics.fmean(abs(a) for group in groups for a in group.advantages)
    if lessons.selected:
        yield "topvar/sigma", statistics.fmean(lessons.sigmas[index] for index in lessons.selected)
        yield "topvar/sigma_all", statistics.fmean(lessons.sigmas)


def _update(name: str, stats: UpdateStats | None) -> Iterator[tuple[str, float]]:
    if stats is not None:
        values = asdict(stats)
        yield from ((f"{name}/{key}", values[key]) for key in _UPDATE)


def _written(name: str, completions: Sequence[Completion]) -> Iterator[tuple[str, float]]:
    yield f"{name}/length", statistics.fmean(len(completion.ids) for completion in completions)
    yield f"{name}/finished", statistics.fmean(completion.finished for completion in completions)


def pass_new(suites: Sequence[Suite]) -> float | None:
    """The pass rate of a candidate on all kept tests of its suites; None without any."""
    kept = [test for suite in suites for test in suite.kept]
    return sum(test.passed for test in kept) / len(kept) if kept else None


def _kills(suite: Suite) -> bool:
    return any(not test.passed for test in suite.kept)


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return statistics.fmean(known) if known else None


def _known(name: str, value: float | None) -> Iterator[tuple[str, float]]:
    if value is not None:
        yield name, value
