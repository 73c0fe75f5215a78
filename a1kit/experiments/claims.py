"""What the paper says a run should show, and whether these runs do: computed from the results, never typed.

Each claim is a difference with a direction, between two settings seed by seed, or between the end and the start of one.

    reproduced        the 95 % interval lies on the claimed side of 0
    not reproduced    it does not, and it excludes an effect of the size that would matter (`matters`)
    undecided         it leaves both open: more seeds would be needed, `detectable` says how large an effect had to be
    not measured      a setting is missing, or has fewer than two seeds
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from a1kit.experiments.results import Comparison, Results, compare
from a1kit.experiments.suites import FULL


class Finding(StrEnum):
    """What the runs say of a claim."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    UNDECIDED = "undecided at this power"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence, and the paired difference that should be above 0 if it is true.

    number   of the paper's qualitative claims (docs/method.md), or a letter for what else is asked
    matters  the smallest difference that would be worth talking about
    """

    number: str
    sentence: str
    measure: str
    difference: Callable[[Results], Comparison | None]
    matters: float


@dataclass(frozen=True, slots=True)
class Answer:
    """A claim with what was found."""

    claim: Claim
    finding: Finding
    comparison: Comparison | None


def answer(claim: Claim, results: Results) -> Answer:
    """Decide one claim."""
    found = claim.difference(results)
    if found is None:
        return Answer(claim, Finding.NOT_MEASURED, None)
    if found.difference.low > 0:
        return Answer(claim, Finding.REPRODUCED, found)
    if found.difference.high < claim.matters:
        return Answer(claim, Finding.NOT_REPRODUCED, found)
    return Answer(claim, Finding.UNDECIDED, found)


def answers(results: Results) -> tuple[Answer, ...]:
    """Every claim."""
    return tuple(answer(claim, results) for claim in CLAIMS)


def _above(one: str, other: str, measure: str) -> Callable[[Results], Comparison | None]:
    return lambda results: results.compare(one, other, measure)


def _gain(setting: str, measure: str) -> Callable[[Results], Comparison | None]:
    """The end against the start of one setting."""

    def difference(results: Results) -> Comparison | None:
        start = {run.cell.seed: run.start[measure] for run in results.of(setting) if measure in run.start}
        return compare(results.values(setting, measure), start)

    return difference


Rows = Sequence[Mapping[str, float]]


def _by_run(
    setting: str, number: Callable[[Rows], float | None], floor: float = 0.0
) -> Callable[[Results], Comparison | None]:
    """A number of each run of one setting, against a fixed floor."""

    def difference(results: Results) -> Comparison | None:
        found = {run.cell.seed: number([row for row in run.rows if row["step"] > 0]) for run in results.of(setting)}
        known = {seed: value for seed, value in found.items() if value is not None}
        return compare(known, dict.fromkeys(known, floor))

    return difference


def _mean(rows: Rows, name: str) -> float | None:
    values = [row[name] for row in rows if name in row]
    return sum(values) / len(values) if values else None


def _alive(rows: Rows) -> float | None:
    """The smaller share of groups with variance of the two models, over the last quarter."""
    late = rows[3 * len(rows) // 4 :]
    flat = [_mean(late, f"{role}/flat_groups") for role in ("code", "tests")]
    return min(1 - value for value in flat if value is not None) if None not in flat else None


def _leaving(rows: Rows) -> float | None:
    """Tests that left minus tests that entered, a step, over the last half."""
    late = rows[len(rows) // 2 :]
    added, removed = _mean(late, "book/added"), _mean(late, "book/removed")
    return None if added is None or removed is None else removed - added


def _converging(rows: Rows) -> float | None:
    """How much closer to each other added and removed are in the last quarter than in the first."""
    quarter = max(1, len(rows) // 4)
    gaps = []
    for part in (rows[:quarter], rows[-quarter:]):
        added, removed = _mean(part, "book/added"), _mean(part, "book/removed")
        if added is None or removed is None:
            return None
        gaps.append(abs(added - removed))
    return gaps[0] - gaps[1]


def _sees(results: Results) -> Comparison | None:
    """The kill rate of the full method with the code shown, less that with the code hidden."""
    return compare(results.values(FULL, "eval/kill_rate"), results.values(FULL, "eval/kill_rate_hidden"))


def _as_good_as_golden(results: Results) -> Comparison | None:
    """The full method, given 0.05, against golden tests."""
    given = {seed: value + 0.05 for seed, value in results.values(FULL, "eval/avg").items()}
    return compare(given, results.values("golden", "eval/avg"))


CLAIMS: tuple[Claim, ...] = (
    Claim("1", "Both rewards stay alive: late in training more than a tenth of both models' groups still have variance",
          "share of groups with variance, less 0.1", _by_run(FULL, _alive, 0.1), 0.02),
    Claim("2a", "Without weight on validity (alpha = 0) suites become less valid",
          "eval/validity", _above(FULL, "alpha_0", "eval/validity"), 0.02),
    Claim("2b", "With weight on validity alone (alpha = 1) tests become trivial: they kill less",
          "eval/kill_rate", _above(FULL, "alpha_100", "eval/kill_rate"), 0.02),
    Claim("2c", "... and the Code LLM is rewarded more for it",
          "code/reward", _above("alpha_100", FULL, "code/reward"), 0.02),
    Claim("3a", "In the second half more tests leave the Mistake Book than enter it",
          "tests a step", _by_run(FULL, _leaving), 0.1),
    Claim("3b", "Tests added and removed converge", "tests a step", _by_run(FULL, _converging), 0.1),
    Claim("4", "Without the Mistake Book the Code LLM forgets: it fails more of the tests it had mastered",
          "eval/refailed", _above("no_mistake_book", FULL, "eval/refailed"), 0.002),
    Claim("5", "Without the code tests miss faults of the particular program: they kill less",
          "eval/kill_rate", _above(FULL, "black_box", "eval/kill_rate"), 0.02),
    Claim("6", "Without predicted answers validity collapses",
          "eval/validity", _above(FULL, "no_prediction", "eval/validity"), 0.02),
    Claim("7", "Training makes the Test LLM find faults that it missed before",
          "eval/kill_rate", _gain(FULL, "eval/kill_rate"), 0.02),
    Claim("A", "Training makes the Code LLM better on questions it never saw",
          "eval/avg", _gain(FULL, "eval/avg"), 0.02),
    Claim("B", "It becomes better than on static tests of the starting tester",
          "eval/avg", _above(FULL, "static_tests", "eval/avg"), 0.02),
    Claim("C", "White-box tests make a better Code LLM than black-box ones",
          "eval/avg", _above(FULL, "black_box", "eval/avg"), 0.02),
    Claim("D", "The Mistake Book makes a better Code LLM",
          "eval/avg", _above(FULL, "no_mistake_book", "eval/avg"), 0.02),
    Claim("E", "Training the tester pays for the Code LLM: better than against the tester it started with",
          "eval/avg", _above(FULL, "frozen_tester", "eval/avg"), 0.02),
    Claim("F", "Two models do better than one that plays both roles",
          "eval/avg", _above(FULL, "self_play", "eval/avg"), 0.02),
    Claim("G", "Adversarial tests do as well as the questions' own golden tests",
          "eval/avg, plus 0.05", _as_good_as_golden, 0.02),
    Claim("H", "The trained tester sees the code: it kills more than with the code hidden",
          "eval/kill_rate", _sees, 0.02),
)  # fmt: skip
