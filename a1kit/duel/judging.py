"""The judge: candidates, suites and history go in, duels with verdicts and rewards come out (Paper §3.2-3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from a1kit.duel.cache import ByteCache
from a1kit.duel.docket import Pairing
from a1kit.duel.sitting import Settings, Sitting
from a1kit.duel.streaming import in_order
from a1kit.errors import ConfigError
from a1kit.rewards import Convention, Rules, SuiteCounts, code_reward, suite_score
from a1kit.sandbox.protocol import Sandbox
from a1kit.types import Completion, Duel, Load, Question, State, Suite

MAX_CALL_SECONDS = 300.0

LEAST_FOR_TWO = 32
"""Smaller batches are judged in one piece."""


class Judge:
    """Judges pairings in batches, in a sandbox that it does not own. Safe to use from several threads.

    rules            K, alpha, the convention (`a1kit.rewards.Rules`)
    call_seconds     CPU seconds the reference may take for one call; a test on which it needs more is dropped. A
                     candidate gets as much, or three times what the reference took if that is more.
    program_seconds  CPU seconds a candidate may take for all calls of a batch together; calls it never reached are
                     timeouts. Raised by itself when the reference needs long too.
    memory_mb        address space of every program
    cache_mb         memory for answers that are kept from one batch to the next

    Identical programs, tests and calls are run once in a batch, and what does not depend on the machine is remembered.
    Raises `QuestionError` for a reference that does not load, `SandboxUnavailable` when the machinery fails: never a
    verdict.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        rules: Rules = Rules(),
        *,
        call_seconds: float = 1.0,
        program_seconds: float = 20.0,
        memory_mb: int = 512,
        cache_mb: int = 128,
    ) -> None:
        self.rules = rules
        self._settings = Settings(
            sandbox=sandbox,
            rules=rules,
            call_seconds=_checked(call_seconds),
            load_seconds=max(3.0, call_seconds),
            program_seconds=max(program_seconds, call_seconds),
            memory_mb=memory_mb,
            oracle=ByteCache(cache_mb << 19),
            candidates=ByteCache(cache_mb << 18),
            loads=ByteCache(cache_mb << 18),
        )

    def under(self, rules: Rules, *, call_seconds: float | None = None) -> Judge:
        """The same judge, with the same memory, under other rules."""
        judge = object.__new__(Judge)
        judge.rules = rules
        seconds = self._settings.call_seconds if call_seconds is None else _checked(call_seconds)
        judge._settings = replace(
            self._settings,
            rules=rules,
            call_seconds=seconds,
            load_seconds=max(3.0, seconds),
            program_seconds=max(self._settings.program_seconds, seconds),
        )
        return judge

    def judge(self, pairings: Iterable[Pairing]) -> list[Duel]:
        """`play`, then `score`: one duel a pairing, in order, complete."""
        return [score(duel, self.rules) for duel in self.play(pairings)]

    def play(self, pairings: Iterable[Pairing]) -> list[Duel]:
        """Validate and play every test: one duel a pairing, in order, with verdicts and without rewards."""
        parts = _parts(list(pairings))
        judged = in_order(parts, self._sit, threads=len(parts)) if len(parts) > 1 else map(self._sit, parts)
        return [duel for part in judged for duel in part]

    def _sit(self, pairings: Sequence[Pairing]) -> list[Duel]:
        return Sitting(self._settings, pairings).hold()

    def play_golden(self, candidates: Sequence[tuple[Question, Completion]]) -> list[Duel]:
        """Every candidate against its question's golden tests, as its history: `pass_hist` is the pass rate, and
        `passes_all` says whether it is right."""
        return self.play([Pairing(question, completion, (), question.golden) for question, completion in candidates])


def score(duel: Duel, rules: Rules) -> Duel:
    """The duel with both rewards, by component (`a1kit.rewards`)."""
    loads = duel.load is Load.OK
    counts = [suite_counts(suite, rules) for suite in duel.suites]
    suites = []
    for suite, counted in zip(duel.suites, counts, strict=True):
        scored = suite_score(counted, rules, pass_hist=duel.pass_hist, loads=loads)
        suites.append(Suite(suite.completion, suite.tests, scored.validity, scored.adversity, scored.reward))
    reward = code_reward(counts, rules, pass_hist=duel.pass_hist, loads=loads)
    return replace(duel, suites=tuple(suites), reward=reward)


def suite_counts(suite: Suite, rules: Rules) -> SuiteCounts:
    """A judged suite as the numbers its reward is made of. Without predictions nothing is `corrected`, only filled."""
    tests = suite.tests[: rules.k] if rules.convention is Convention.PAPER else suite.tests
    kept = [test for test in tests if test.state.kept]
    corrected = sum(test.state is State.CORRECTED for test in kept) if rules.predictions else 0
    failed = tuple([not test.passed for test in kept])
    return SuiteCounts(len(kept) - corrected, corrected, len(tests) - len(kept), failed)


def passes_all(duel: Duel) -> bool:
    """Whether the candidate loaded and passed every replayed (or golden) test; False if one could not be played."""
    return duel.load is Load.OK and bool(duel.history) and all(test.passed for test in duel.history)


def _parts(pairings: Sequence[Pairing]) -> list[Sequence[Pairing]]:
    """The batch in one or two runs of whole questions: one is read and decided while programs of the other run."""
    cut = len(pairings) // 2
    while 0 < cut < len(pairings) and pairings[cut].question.id == pairings[cut - 1].question.id:
        cut += 1
    if len(pairings) < LEAST_FOR_TWO or cut >= len(pairings):
        return [pairings]
    return [pairings[:cut], pairings[cut:]]


def _checked(call_seconds: float) -> float:
    if not 0.0 < call_seconds <= MAX_CALL_SECONDS:
        raise ConfigError(f"call_seconds is {call_seconds}: use a number above 0, at most {MAX_CALL_SECONDS:.0f}")
    return call_seconds
