"""How good the two models are: the Code LLM on golden tests, the Test LLM on programs known to be wrong.

Code (method §6): n candidates a question, c of them pass every golden test.

    avg@n   mean over questions of c / n
    pass@k  mean over questions of 1 - C(n - c, k) / C(n, k), the unbiased estimator (Chen et al. 2021)
    greedy  share of questions whose single most likely candidate passes

Tests: for each pair of a question and a wrong program, suites written by the Test LLM that sees the program.

    validity   mean validity of a suite, as its reward counts it (`a1kit.rewards.validity`)
    kill rate  share of suites with a kept test that the program fails
    quality    validity x kill rate: neither right but harmless tests nor wild guesses will do

Every number is an `Estimate` with a bootstrap interval over questions (over pairs, for tests), since samples of one
question are not independent. Two models are compared on the same units with `difference` and `quality_gain`, which
resample the units once for both. What the golden tests miss counts as right: this measures agreement with them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from a1kit.duel import Judge, Pairing, passes_all
from a1kit.errors import InputError
from a1kit.policies.protocol import Policy, Sampling
from a1kit.prompts import PromptStyle, code_prompt, test_prompt
from a1kit.types import Completion, Question

RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % bootstrap interval over `n` independent units; nan without units."""

    mean: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True)
class Target:
    """A program known to be wrong, for the Test LLM to attack. `label` groups targets (the kind of bug)."""

    question: Question
    code: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class CodeReport:
    """The Code LLM on golden tests. `passes[i]` of the `n` candidates for question i are right."""

    questions: tuple[Question, ...]
    n: int
    passes: tuple[int, ...]
    greedy_passes: tuple[bool, ...] = ()
    completions: tuple[tuple[Completion, ...], ...] = ()
    """The candidates themselves, a group a question, where they were kept."""

    @property
    def shares(self) -> tuple[float, ...]:
        """c / n of each question."""
        return tuple(c / self.n for c in self.passes)

    @property
    def avg(self) -> Estimate:
        """avg@n."""
        return estimate(self.shares)

    @property
    def greedy(self) -> Estimate:
        """Greedy accuracy; nan when greedy candidates were not asked for."""
        return estimate(self.greedy_passes)

    def pass_at(self, k: int) -> Estimate:
        """pass@k, for k up to n."""
        return estimate([pass_at_k(self.n, c, k) for c in self.passes])


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """The Test LLM on wrong programs: for each target its suites' mean validity and the share of them that kill."""

    targets: tuple[Target, ...]
    validities: tuple[float, ...]
    kills: tuple[float, ...]

    @property
    def validity(self) -> Estimate:
        return estimate(self.validities)

    @property
    def kill(self) -> Estimate:
        return estimate(self.kills)

    @property
    def quality(self) -> Estimate:
        """Mean validity times mean kill rate."""
        return bootstrap(len(self.targets), self._quality_of)

    def quality_gain(self, before: SuiteReport) -> Estimate:
        """This report's quality minus an earlier one's on the same targets."""
        if before.targets != self.targets:
            raise InputError("the two reports are about different targets; evaluate both models on the same ones")
        return bootstrap(len(self.targets), lambda units: self._quality_of(units) - before._quality_of(units))

    def kill_by_label(self) -> dict[str, Estimate]:
        """The kill rate of each kind of target, in the order of the labels."""
        groups: dict[str, list[float]] = {}
        for target, kill in zip(self.targets, self.kills, strict=True):
            groups.setdefault(target.label, []).append(kill)
        return {label: estimate(groups[label]) for label in sorted(groups)}

    def _quality_of(self, units: Sequence[int]) -> float:
        return _mean_of(self.validities, units) * _mean_of(self.kills, units)


def evaluate_code(
    policy: Policy,
    judge: Judge,
    questions: Sequence[Question],
    *,
    n: int = 8,
    seed: int = 0,
    sampling: Sampling = Sampling(),
    style: PromptStyle = PromptStyle.A1,
    greedy: bool = True,
) -> CodeReport:
    """n candidates a question at `sampling` (and one greedy one), judged on the question's golden tests.

    Raises InputError for a question without golden tests.
    """
    for question in questions:
        if not question.golden:
            raise InputError(f"question {question.id!r} has no golden tests, so nothing can be measured on it")
    prompts = [code_prompt(question, style) for question in questions]
    drawn = policy.sample(prompts, n, seed=seed, sampling=sampling)
    best: list[tuple[Completion, ...]] = [() for _ in questions]
    if greedy:
        settings = Sampling(0.0, 1.0, sampling.max_new_tokens, sampling.stop)
        best = policy.sample(prompts, 1, seed=seed, sampling=settings)
    candidates = [
        (question, completion)
        for question, group, single in zip(questions, drawn, best, strict=True)
        for completion in (*group, *single)
    ]
    verdicts = iter([passes_all(duel) for duel in judge.play_golden(candidates)])
    passes, greedy_passes = [], []
    for group, single in zip(drawn, best, strict=True):
        passes.append(sum(next(verdicts) for _ in group))
        greedy_passes += [next(verdicts) for _ in single]
    return CodeReport(tuple(questions), n, tuple(passes), tuple(greedy_passes), tuple(map(tuple, drawn)))


def evaluate_tests(
    policy: Policy,
    judge: Judge,
    targets: Sequence[Target],
    *,
    suites: int = 1,
    seed: int = 0,
    sampling: Sampling = Sampling(),
    style: PromptStyle = PromptStyle.A1,
    black_box: bool = False,
) -> SuiteReport:
    """`suites` suites a target, of `judge.rules.k` tests each, played against the target's program.

    With `black_box` the Test LLM is shown the question alone.
    """
    rules = judge.rules
    prompts = [
        test_prompt(
            target.question,
            None if black_box else target.code,
            rules.k,
            style,
            calls_only=not rules.predictions,
        )
        for target in targets
    ]
    written = policy.sample(prompts, suites, seed=seed, sampling=sampling)
    pairings = [
        Pairing(target.question, Completion(target.code), group) for target, group in zip(targets, written, strict=True)
    ]
    validities, kills = [], []
    for duel in judge.judge(pairings):
        validities.append(math.fsum(suite.validity for suite in duel.suites) / suites)
        kills.append(sum(any(not test.passed for test in suite.kept) for suite in duel.suites) / suites)
    return SuiteReport(tuple(targets), tuple(validities), tuple(kills))


def pass_at_k(n: int, c: int, k: int) -> float:
    """The chance that k of n samples, c of them right, hold a right one: 1 - C(n - c, k) / C(n, k).

    Raises ValueError unless 0 <= c <= n and 1 <= k <= n.
    """
    if not 0 <= c <= n or not 1 <= k <= n:
        raise ValueError(f"pass@k needs 0 <= c <= n and 1 <= k <= n; got n={n}, c={c}, k={k}")
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


def estimate(values: Sequence[float], *, seed: int = 0) -> Estimate:
    """The mean of `values`, one a unit, with its interval."""
    return bootstrap(len(values), lambda units: _mean_of(values, units), seed)


def difference(before: Sequence[float], after: Sequence[float], *, seed: int = 0) -> Estimate:
    """The mean of after - before over the same units, with its interval."""
    return estimate([late - early for early, late in zip(before, after, strict=True)], seed=seed)


def _mean_of(values: Sequence[float], units: Sequence[int]) -> float:
    return sum(map(values.__getitem__, units)) / len(units)


def bootstrap(count: int, statistic: Callable[[Sequence[int]], float], seed: int = 0) -> Estimate:
    """`statistic` of all units, and the 2.5 and 97.5 percentiles of it over resamples of the units."""
    if not count:
        return Estimate(math.nan, math.nan, math.nan, 0)
    rng, everyone = random.Random(seed), range(count)
    found = sorted(statistic(rng.choices(everyone, k=count)) for _ in range(RESAMPLES))
    low, high = found[round(0.025 * (RESAMPLES - 1))], found[round(0.975 * (RESAMPLES - 1))]
    return Estimate(statistic(everyone), low, high, count)
