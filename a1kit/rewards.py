"""The two rewards of a duel, as arithmetic over counts (Paper §3.3, eq. 2-4). Nothing here runs or reads a program.

For one candidate, `pass_hist` is its pass rate on the question's historical tests (None without any) and `pass_new(n)`
its pass rate on the kept tests of suite n.

    Code LLM   R_C = mean_n pass_new(n)                       no history
               R_C = (pass_hist + mean_n pass_new(n)) / 2     with history

    Test LLM   R_T = alpha * validity + (1 - alpha) * adversity, for each suite

The two conventions differ in what validity and adversity count against:

    paper      validity  = valid / K                          of the first K tests written
               adversity = 1 - pass_new                       no history
               adversity = (pass_hist - pass_new + 1) / 2     with history

    release    validity  = clip(min(kept / K, 1 - (dropped + corrected) / K), 0, 1)
               fail_new  = failures among the first K kept tests / K
               adversity = fail_new                           no history
               adversity = (fail_new - fail_hist + 1) / 2     with history

`release` is what the authors' training code computes and is the default: counting against the fixed K means that a
suite cannot win by keeping one killer test and spoiling the rest, which the paper's formula allows
(`tests/unit/test_rewards.py` shows it).

A candidate that does not load earns 0, and so does every suite against it. A suite without a kept test has adversity
0; for the Code LLM it counts as `pass_hist` (`release`, with history) or as a pass rate of 0, because a test that was
never played was never passed. The paper leaves that last case open.

Not handled here: the spread of rewards inside a group (`a1kit.selection`), and what is a valid test (`a1kit.duel`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from a1kit.errors import ConfigError


class Convention(StrEnum):
    """Which published definition of validity and adversity counts (see the module docstring)."""

    PAPER = "paper"
    RELEASE = "release"


@dataclass(frozen=True, slots=True)
class Rules:
    """The numbers of the game. `k` tests are asked for in a suite, `alpha` weighs validity against adversity.

    `predictions=False` is the ablation "without predicted answer" (Paper §4.4): the oracle fills every answer, so a
    test is valid when its call runs and is not a repeat. Raises `ConfigError` for numbers that mean nothing.
    """

    k: int = 8
    alpha: float = 0.5
    convention: Convention = Convention.RELEASE
    predictions: bool = True

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ConfigError(f"k is {self.k}: a suite needs at least one requested test, so use k >= 1")
        if not 0.0 <= self.alpha <= 1.0:
            raise ConfigError(f"alpha is {self.alpha}: it weighs validity against adversity, so use 0 <= alpha <= 1")


@dataclass(frozen=True, slots=True)
class SuiteCounts:
    """What validation and play made of one suite.

    `valid` and `corrected` tests are kept, `dropped` is everything else that was written (tests beyond the paper
    convention's K are left out altogether). `failed` has one entry a kept test, in the order written: True when the
    candidate failed it.
    """

    valid: int
    corrected: int
    dropped: int
    failed: tuple[bool, ...]

    def __post_init__(self) -> None:
        if min(self.valid, self.corrected, self.dropped) < 0 or self.valid + self.corrected != len(self.failed):
            raise ValueError(f"{self} does not add up: valid + corrected must be the number of kept tests")

    @property
    def kept(self) -> int:
        return len(self.failed)

    @property
    def pass_new(self) -> float | None:
        """The candidate's pass rate on the kept tests; None when there are none."""
        return 1.0 - sum(self.failed) / len(self.failed) if self.failed else None


@dataclass(frozen=True, slots=True)
class SuiteScore:
    """The Test LLM's reward for one suite, in components. `pass_new` is None for a suite without a kept test."""

    validity: float
    adversity: float
    reward: float
    pass_new: float | None


def validity(counts: SuiteCounts, rules: Rules) -> float:
    """How many of the K requested tests were right as written, in [0, 1] (Paper eq. 3, first term)."""
    if rules.convention is Convention.PAPER:
        _check_cut(counts, rules)
        return counts.valid / rules.k
    spoiled = counts.dropped + counts.corrected
    return min(1.0, max(0.0, min(counts.kept / rules.k, 1.0 - spoiled / rules.k)))


def adversity(counts: SuiteCounts, pass_hist: float | None, rules: Rules) -> float:
    """How hard the suite was for its candidate, in [0, 1] (Paper eq. 4)."""
    if not counts.failed:
        return 0.0
    if rules.convention is Convention.PAPER:
        _check_cut(counts, rules)
        fail_new = sum(counts.failed) / counts.kept
    else:
        fail_new = sum(counts.failed[: rules.k]) / rules.k
    return fail_new if pass_hist is None else (fail_new + pass_hist) / 2.0


def suite_score(counts: SuiteCounts, rules: Rules, *, pass_hist: float | None = None, loads: bool = True) -> SuiteScore:
    """The Test LLM's reward for one suite against one candidate, with its parts; 0 when the candidate does not load."""
    if not loads:
        return SuiteScore(0.0, 0.0, 0.0, None)
    right, hard = validity(counts, rules), adversity(counts, pass_hist, rules)
    return SuiteScore(right, hard, rules.alpha * right + (1.0 - rules.alpha) * hard, counts.pass_new)


def code_reward(
    suites: Sequence[SuiteCounts], rules: Rules, *, pass_hist: float | None = None, loads: bool = True
) -> float:
    """The Code LLM's reward for one candidate, in [0, 1] (Paper eq. 2); 0 when the candidate does not load.

    Without any suite the history alone decides.
    """
    if not loads:
        return 0.0
    if not suites:
        return pass_hist or 0.0
    if pass_hist is None:
        return sum(counts.pass_new or 0.0 for counts in suites) / len(suites)
    if rules.convention is Convention.PAPER:
        return (pass_hist + sum(counts.pass_new or 0.0 for counts in suites) / len(suites)) / 2.0
    return sum(_with_history(counts.pass_new, pass_hist) for counts in suites) / len(suites)


def _with_history(pass_new: float | None, pass_hist: float) -> float:
    return pass_hist if pass_new is None else (pass_hist + pass_new) / 2.0


def _check_cut(counts: SuiteCounts, rules: Rules) -> None:
    written = counts.kept + counts.dropped
    if written > rules.k:
        raise ValueError(f"{written} tests counted, but the paper convention scores only the first k = {rules.k}")
