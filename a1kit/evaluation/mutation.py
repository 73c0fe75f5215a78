"""Which mutants of a reference some tests kill, judged in the sandbox: one child a mutant, no start of pytest.

    (results,) = play_mutants(judge, [Case(question, tests, mutants(question.reference))])
    results[0].fate(5)            # Fate.KILLED: one of the first five tests fails on that mutant

A mutant is *killed* by a test that passes on the reference and fails on the mutant. cosmic-ray knows two fates, killed
and survived, and counts as killed a mutant that does not compile and one that runs out of time. The fates here are
finer, so that a score can say how much of it is owed to the clock; `Fate.counts_as_killed` gives cosmic-ray's reading.

Tests are judged as everywhere in this kit: values leave the child, and are compared outside. So a test that passes or
fails by anything but values (what is printed, how often something is called) is not a test here.

**Equivalent mutants.** Some mutants compute the same as the original, so that no test can kill them, and which ones is
undecidable. `equivalents` brackets their number among the survivors of a test suite:

    least      those that compile to the same code
    most       those that no probe tells apart: calls of the reference made from its known calls by small changes
               (`a1kit.evaluation.probes`), as many as can be paid for, and only where the reference returns a value
    estimate   `most` less the killable mutants that the probes are expected to have missed, by Chao's estimator:
               (m - 1) / m · q1 (q1 - 1) / (2 (q2 + 1)), with m probes, q1 mutants told apart by exactly one of them
               and q2 by exactly two (Chao 1987); never below `least`

Not handled: mutants that differ only in what they raise for calls on which the reference raises, which are left out of
the probes and so count as equivalent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from a1kit.duel import Judge, Pairing
from a1kit.mutants import Mutant
from a1kit.rewards import Rules
from a1kit.types import Completion, Duel, Load, Outcome, Question

PROBE_SECONDS = 0.25
"""CPU seconds of the reference for one probe; slower ones are left out."""

_PROBES_A_SUITE = 32


class Fate(StrEnum):
    """What became of a mutant under some tests."""

    SURVIVED = "survived"
    KILLED = "killed"
    TIMEOUT = "timeout"
    """No test fails on it but by running out of time."""
    UNLOADABLE = "unloadable"
    """It does not compile, or raises when it is loaded."""

    @property
    def counts_as_killed(self) -> bool:
        """As cosmic-ray counts."""
        return self is not Fate.SURVIVED


@dataclass(frozen=True, slots=True)
class Case:
    """A reference, tests that pass on it (source, in the order of the rounds), and its mutants."""

    question: Question
    tests: tuple[str, ...]
    mutants: tuple[Mutant, ...]


@dataclass(frozen=True, slots=True)
class MutantResult:
    """What the tests made of one mutant.

    first    place of the first test it fails, in any way; None if it passes all
    wrong    place of the first test it fails otherwise than by running out of time
    loads    False when it cannot be run at all (then `first` is 0)
    detail   how it failed that first test
    """

    mutant: Mutant
    first: int | None
    wrong: int | None
    loads: bool = True
    detail: str = ""

    def fate(self, k: int) -> Fate:
        """Its fate under the first k tests."""
        if self.first is None or self.first >= k:
            return Fate.SURVIVED
        if not self.loads:
            return Fate.UNLOADABLE
        return Fate.TIMEOUT if self.wrong is None or self.wrong >= k else Fate.KILLED


@dataclass(frozen=True, slots=True)
class Equivalents:
    """How many of `survivors` are equivalent to the original: a bracket and an estimate, from `probes` calls."""

    survivors: int
    least: int
    most: int
    estimate: float
    probes: int


def play_mutants(judge: Judge, cases: Sequence[Case]) -> list[tuple[MutantResult, ...]]:
    """Every mutant of every case under the case's tests; one result a mutant, in order.

    The first test is played alone, and the others on what survives it: most mutants that hang do so at once, and hang
    once only. Raises `SandboxUnavailable` when the machinery fails: that is no fate.
    """
    found: dict[tuple[int, int], MutantResult] = {}
    waiting: list[tuple[int, int]] = []
    for place, case in enumerate(cases):
        for number, mutant in enumerate(case.mutants):
            if not case.tests:
                found[place, number] = MutantResult(mutant, None, None)
            elif mutant.fault:
                found[place, number] = MutantResult(mutant, 0, 0, loads=False, detail=mutant.fault)
            else:
                waiting.append((place, number))
    for part in (slice(0, 1), slice(1, None)):
        waiting = [spot for spot in waiting if cases[spot[0]].tests[part]]
        pairings = [_pairing(cases[place], number, part) for place, number in waiting]
        for (place, number), duel in zip(waiting, judge.play(pairings), strict=True):
            found[place, number] = _result(cases[place].mutants[number], duel, part.start or 0)
        waiting = [spot for spot in waiting if found[spot].first is None]
    return [tuple(found[place, number] for number in range(len(case.mutants))) for place, case in enumerate(cases)]


def equivalents(judge: Judge, question: Question, survivors: Sequence[Mutant], probes: Sequence[str]) -> Equivalents:
    """Bracket the equivalent ones among mutants that some tests left alive. `probes` are calls of the entry point."""
    told_apart, played = _told_apart(judge, question, survivors, probes)
    times = Counter(told_apart)
    least, most = sum(mutant.same for mutant in survivors), times[0]
    missed = (played - 1) / played * times[1] * (times[1] - 1) / (2 * (times[2] + 1)) if played else 0.0
    return Equivalents(len(survivors), least, most, max(float(least), most - missed), played)


def _told_apart(
    judge: Judge, question: Question, survivors: Sequence[Mutant], probes: Sequence[str]
) -> tuple[list[int], int]:
    """How many probes each survivor answers otherwise than the reference, and how many the reference answers at all."""
    asking = judge.under(Rules(k=_PROBES_A_SUITE, predictions=False), call_seconds=PROBE_SECONDS)
    suites = tuple(
        Completion("\n".join(probes[start : start + _PROBES_A_SUITE]))
        for start in range(0, len(probes), _PROBES_A_SUITE)
    )
    different = [mutant for mutant in survivors if not mutant.same]
    duels = asking.play([Pairing(question, Completion(mutant.source), suites) for mutant in different])
    counts = iter([_failures(duel) for duel in duels])
    played = sum(len(suite.kept) for suite in duels[0].suites) if duels else 0
    return [0 if mutant.same else next(counts) for mutant in survivors], played


def _failures(duel: Duel) -> int:
    return sum(not test.passed for suite in duel.suites for test in suite.kept)


def _pairing(case: Case, number: int, part: slice) -> Pairing:
    return Pairing(case.question, Completion(case.mutants[number].source), (), case.tests[part])


def _result(mutant: Mutant, duel: Duel, offset: int) -> MutantResult:
    if duel.load is not Load.OK:
        late = duel.load is Load.TIMEOUT
        return MutantResult(mutant, offset, None if late else offset, late, f"{duel.load}: {duel.load_detail}")
    failed = list(_failed(duel, offset))
    wrong = next((place for place, outcome, _ in failed if outcome is not Outcome.TIMEOUT), None)
    if not failed:
        return MutantResult(mutant, None, None)
    first, outcome, detail = failed[0]
    return MutantResult(mutant, first, wrong, detail=f"{outcome}: {detail}" if detail else str(outcome))


def _failed(duel: Duel, offset: int) -> Iterator[tuple[int, Outcome, str]]:
    """Place, outcome and detail of the tests that the mutant fails."""
    for place, test in enumerate(duel.history, offset):
        if test.verdict is not None and not test.verdict.passed:
            yield place, test.verdict.outcome, test.verdict.detail or f"got {test.verdict.got}"
