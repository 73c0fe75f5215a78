"""What a group of rewards teaches: advantages, and which suites update the Test LLM (Paper §3.4).

    advantage_i = (R_i - mean R) / (std R + eps)          group relative, GRPO
    sigma_m     = sqrt(mean_n (R_mn - mean_n R_mn)^2)      spread of candidate m's N suites, TopVar

The advantage uses the *sample* standard deviation (n - 1) and eps = 1e-4, as TRL's GRPOTrainer does, so that a group
scored here and a group scored by TRL move the weights alike. TopVar uses the *population* deviation, as the paper
writes it; within one question all groups have the same size, so the choice between the two cannot change the order.

A group whose rewards are all equal teaches nothing: its advantages are exactly 0, and `Selection.flat` counts such
groups so that a run can report them instead of training on them in silence.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

ADVANTAGE_EPS = 1e-4
"""What TRL adds to the standard deviation."""

FLAT = 1e-9
"""A spread below this is rounding, not variance: rewards are ratios of small counts."""


class TopVar(StrEnum):
    """Which candidates' suites update the Test LLM: the most varied, random ones, or all (an ablation each)."""

    TOP = "top"
    RANDOM = "random"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which of a question's candidates were chosen.

    `chosen` are indices in ascending order, `sigmas` the spread of every candidate's suites (same order as given),
    `flat` the number of *chosen* groups without variance.
    """

    chosen: tuple[int, ...]
    sigmas: tuple[float, ...]
    flat: int


def population_std(values: Sequence[float]) -> float:
    """Standard deviation with divisor n; 0.0 for fewer than two values."""
    return math.sqrt(_squares(values) / len(values)) if len(values) > 1 else 0.0


def is_flat(rewards: Sequence[float]) -> bool:
    """Whether the rewards of a group are all the same, so that it teaches nothing."""
    return population_std(rewards) < FLAT


def advantages(rewards: Sequence[float], *, eps: float = ADVANTAGE_EPS) -> tuple[float, ...]:
    """Each reward against its group, in units of the group's sample standard deviation. Flat groups give zeros."""
    if is_flat(rewards):
        return (0.0,) * len(rewards)
    mean = math.fsum(rewards) / len(rewards)
    std = math.sqrt(_squares(rewards) / (len(rewards) - 1))
    return tuple((reward - mean) / (std + eps) for reward in rewards)


def select(
    suite_rewards: Sequence[Sequence[float]], *, keep: int = 1, how: TopVar = TopVar.TOP, seed: int = 0
) -> Selection:
    """Choose `keep` of one question's M candidates by the rewards of their N suites (`suite_rewards[m][n]`).

    Ties go to the lower index. `seed` matters to `TopVar.RANDOM` alone; `TopVar.ALL` ignores `keep`. A candidate
    without suites has nothing to teach and is chosen last.
    """
    sigmas = tuple(population_std(rewards) for rewards in suite_rewards)
    everyone = range(len(sigmas))
    if how is TopVar.ALL:
        chosen = tuple(everyone)
    elif how is TopVar.RANDOM:
        with_suites = [m for m in everyone if len(suite_rewards[m])]
        pool = with_suites if len(with_suites) >= keep else list(everyone)
        chosen = tuple(sorted(random.Random(seed).sample(pool, min(keep, len(pool)))))
    else:
        ranked = sorted(everyone, key=lambda m: (not len(suite_rewards[m]), -_rounded(sigmas[m]), m))
        chosen = tuple(sorted(ranked[:keep]))
    return Selection(chosen, sigmas, sum(sigmas[m] < FLAT for m in chosen))


def _rounded(sigma: float) -> float:
    """Spreads that differ by rounding alone are a tie."""
    return round(sigma, 12)


def _squares(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values)
