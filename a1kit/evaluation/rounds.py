"""Test generation by the protocol of UnLeakedTestBench: one test a round, then mutants of the function (Paper §4.1).

A task is a function that is right. In each of K rounds the Test LLM is shown it, with the tests of the rounds before,
and writes one more test, which *passes* if the function agrees with it. Over the first k rounds:

    pass@k  100 · tests that pass / (tasks · k)
    mut@k   100 · (1 - mean over tasks of surviving mutants / mutants), over the tasks whose k tests all pass
    Mul     pass@5 · mut@5 / 100

Mutants are cosmic-ray's (`a1kit.mutants`), judged in the sandbox (`a1kit.evaluation.mutation`). As there, a mutant that
runs out of time counts as killed; how much of mut@k is owed to that is `timeouts_at`, and `mut_at(k, strict=True)` is
the score without it. Scores are per cent, as published; intervals are over tasks.

Judged otherwise than by the authors of the benchmark: a test is one assertion on the function, and what a completion
holds beyond its first assertion is not looked at; verdicts come from values (`a1kit.duel`), not from pytest.
"""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from a1kit.duel import Judge, Pairing
from a1kit.errors import InputError, QuestionError
from a1kit.evaluation.measures import Estimate, bootstrap, estimate
from a1kit.evaluation.mutation import Case, Equivalents, Fate, MutantResult, equivalents, play_mutants
from a1kit.evaluation.probes import probe_calls
from a1kit.mutants import Mutant, mutants
from a1kit.parsing import parse_assertion
from a1kit.policies.protocol import Policy, Sampling
from a1kit.prompts import PromptStyle, test_prompt
from a1kit.rewards import Convention, Rules
from a1kit.types import Completion, Question, State

Writer = Callable[[Sequence[Question], Sequence[tuple[str, ...]], int], Sequence[str]]
"""Writes one round: questions, the tests each has so far, the round (from 0) -> one completion a question."""


@dataclass(frozen=True, slots=True)
class RoundTest:
    """The test of one round: its source ("" when the completion held none), whether it passes, and if not why."""

    source: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class TaskResult:
    """One task: its tests in the order of the rounds, and what the passing ones before the first failure did to the
    mutants. `equivalents` is about the mutants that all K tests left alive; None when that was not asked for."""

    id: str
    tests: tuple[RoundTest, ...]
    mutants: tuple[MutantResult, ...]
    equivalents: Equivalents | None = None
    fault: str = ""
    """Why there are no mutants, when an operator cannot read the function."""

    def passed(self, k: int) -> int:
        """How many of the first k tests pass."""
        return sum(test.passed for test in self.tests[:k])

    def fates(self, k: int) -> dict[Fate, int] | None:
        """How many mutants met which fate under the first k tests; None when mut@k leaves this task out."""
        if not self.mutants or self.passed(k) < k:
            return None
        fates = [result.fate(k) for result in self.mutants]
        return {fate: fates.count(fate) for fate in Fate}

    def to_record(self) -> dict[str, Any]:
        """Plain values, without the text of the mutants, which the function and their names give back."""
        return {
            "id": self.id,
            "tests": [[test.source, test.passed, test.detail] for test in self.tests],
            "mutants": [
                [one.mutant.operator, one.mutant.occurrence, one.first, one.wrong, one.loads] for one in self.mutants
            ],
            "equivalents": None if self.equivalents is None else _plain(self.equivalents),
            "fault": self.fault,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> TaskResult:
        """The result that `to_record` wrote; its mutants have no text."""
        found = tuple(
            MutantResult(Mutant(operator, occurrence, (0, 0), (0, 0), ""), first, wrong, loads)
            for operator, occurrence, first, wrong, loads in record["mutants"]
        )
        equal = record["equivalents"]
        tests = tuple(RoundTest(*test) for test in record["tests"])
        return cls(record["id"], tests, found, None if equal is None else Equivalents(**equal), record["fault"])


@dataclass(frozen=True, slots=True)
class RoundsReport:
    """The scores of `tasks` over up to `rounds` rounds. All in per cent."""

    tasks: tuple[TaskResult, ...]
    rounds: int

    def pass_at(self, k: int) -> Estimate:
        self._check(k)
        return estimate([100 * task.passed(k) / k for task in self.tasks])

    def mut_at(self, k: int, *, strict: bool = False) -> Estimate:
        """mut@k; `n` is how many tasks it is over. `strict` does not count what only ran out of time as killed."""
        self._check(k)
        killed = [_killed(task, k, strict) for task in self.tasks]
        return estimate([value for value in killed if value is not None])

    def timeouts_at(self, k: int) -> Estimate:
        """Mutants that only ran out of time, in per cent of all, mean over the tasks of mut@k."""
        return self._share(Fate.TIMEOUT, k)

    def unloadable_at(self, k: int) -> Estimate:
        """Mutants that do not load, in per cent of all, mean over the tasks of mut@k."""
        return self._share(Fate.UNLOADABLE, k)

    def mul_at(self, k: int = 5) -> Estimate:
        """pass@k · mut@k / 100; 0 when no task's tests all pass. Both are resampled together."""
        self._check(k)
        killed = [_killed(task, k, False) for task in self.tasks]

        def of(units: Sequence[int]) -> float:
            counted = [value for unit in units if (value := killed[unit]) is not None]
            passed = statistics.fmean(100 * self.tasks[unit].passed(k) / k for unit in units)
            return mul(passed, statistics.fmean(counted)) if counted else 0.0

        return bootstrap(len(self.tasks), of)

    def equivalents(self) -> Equivalents | None:
        """The brackets of all tasks whose K tests all pass, added up; None when nothing was probed."""
        known = [task.equivalents for task in self.tasks if task.equivalents is not None]
        if not known:
            return None
        return Equivalents(
            sum(one.survivors for one in known),
            sum(one.least for one in known),
            sum(one.most for one in known),
            sum(one.estimate for one in known),
            sum(one.probes for one in known),
        )

    def mut_without_equivalents(self) -> Estimate:
        """mut@K if the mutants estimated to be equivalent are taken out of the count."""
        values = []
        for task in self.tasks:
            counts, equal = task.fates(self.rounds), task.equivalents
            if counts is not None and equal is not None and len(task.mutants) > equal.estimate:
                alive = counts[Fate.SURVIVED] - equal.estimate
                values.append(100 * (1 - alive / (len(task.mutants) - equal.estimate)))
        return estimate(values)

    def _share(self, fate: Fate, k: int) -> Estimate:
        self._check(k)
        known = [(task, counts) for task in self.tasks if (counts := task.fates(k)) is not None]
        return estimate([100 * counts[fate] / len(task.mutants) for task, counts in known])

    def _check(self, k: int) -> None:
        if not 1 <= k <= self.rounds:
            raise ValueError(f"k is {k}; there were {self.rounds} rounds")


def mul(pass_at_k: float, mut_at_k: float) -> float:
    """Mul of a pass@k and a mut@k, all in per cent."""
    return pass_at_k * mut_at_k / 100


def play_rounds(judge: Judge, questions: Sequence[Question], write: Writer, rounds: int) -> list[tuple[RoundTest, ...]]:
    """K rounds of one test each for every question."""
    single = judge.under(Rules(k=1, convention=Convention.PAPER))
    tests: list[tuple[RoundTest, ...]] = [() for _ in questions]
    for number in range(rounds):
        earlier = [tuple(test.source for test in done if test.source) for done in tests]
        texts = write(questions, earlier, number)
        pairings = [
            Pairing(question, Completion(question.reference), (Completion(text),))
            for question, text in zip(questions, texts, strict=True)
        ]
        for place, duel in enumerate(single.play(pairings)):
            judged = duel.suites[0].tests
            test = RoundTest("", False, "the completion holds no test")
            if judged:
                state = judged[0].state
                detail = "" if state is State.VALID else f"{state}: {judged[0].detail}".removesuffix(": ")
                if state is State.CORRECTED:
                    detail = f"the function gives {judged[0].oracle}"
                source = judged[0].test.source if state is not State.MALFORMED else ""
                test = RoundTest(source, state is State.VALID, detail)
            tests[place] += (test,)
    return tests


def judge_tests(
    judge: Judge, questions: Sequence[Question], tests: Sequence[tuple[RoundTest, ...]], *, probes: int = 64
) -> list[TaskResult]:
    """The mutants of every question under its tests; up to `probes` calls look for equivalent ones (0: none do).

    A task whose first test fails counts in no mut@k, so its mutants are not played.
    """
    cases, faults = [], []
    for question, written in zip(questions, tests, strict=True):
        passing, fault = _passing(written), ""
        made: tuple[Mutant, ...] = ()
        try:
            made = mutants(question.reference) if passing else ()
        except InputError as error:
            fault = str(error)
        cases.append(Case(question, passing, made))
        faults.append(fault)
    results = []
    for case, played, written, fault in zip(cases, play_mutants(judge, cases), tests, faults, strict=True):
        equal = None
        if probes and played and len(case.tests) == len(written):
            alive = [one.mutant for one in played if one.first is None]
            calls = probe_calls(_calls(case.question, case.tests), case.question.entry_point, probes)
            equal = equivalents(judge, case.question, alive, calls)
        results.append(TaskResult(case.question.id, written, played, equal, fault))
    return results


def model_writer(
    policy: Policy,
    *,
    seed: int = 0,
    sampling: Sampling = Sampling(),
    style: PromptStyle = PromptStyle.A1,
    black_box: bool = False,
) -> Writer:
    """Rounds written by a model, which sees the function unless `black_box`."""

    def write(questions: Sequence[Question], earlier: Sequence[tuple[str, ...]], number: int) -> list[str]:
        prompts = [
            test_prompt(question, None if black_box else question.reference, 1, style, earlier=before)
            for question, before in zip(questions, earlier, strict=True)
        ]
        name = f"{seed}/{number}/{questions[0].id if questions else ''}"
        digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
        drawn = policy.sample(prompts, 1, seed=int.from_bytes(digest, "big") >> 1, sampling=sampling)
        return [group[0].text for group in drawn]

    return write


def given_writer(tests: Mapping[str, Sequence[str]]) -> Writer:
    """Rounds that were written elsewhere: question id -> its tests in order. A missing one is an empty completion."""

    def write(questions: Sequence[Question], earlier: Sequence[tuple[str, ...]], number: int) -> list[str]:
        del earlier
        return [known[number] if number < len(known := tests.get(question.id, ())) else "" for question in questions]

    return write


def usable(judge: Judge, questions: Sequence[Question]) -> tuple[list[Question], dict[str, str]]:
    """The questions whose reference loads, and for every other one the reason why not."""
    good, bad = [], {}
    for question in questions:
        try:
            judge.play([Pairing(question, Completion(question.reference))])
        except QuestionError as error:
            bad[question.id] = str(error)
        else:
            good.append(question)
    return good, bad


def _passing(written: Sequence[RoundTest]) -> tuple[str, ...]:
    """The tests before the first one that fails: those a mut@k can rest on."""
    count = next((place for place, test in enumerate(written) if not test.passed), len(written))
    return tuple(test.source for test in written[:count])


def _calls(question: Question, tests: Sequence[str]) -> list[str]:
    """The calls of the tests that come with a question and of these tests, those without set-up only."""
    known = (*question.golden, *question.meta.get("test_list", ()), *tests)
    read = [parse_assertion(source, question.entry_point) for source in known]
    return [call for test in read if test.malformed is None and not test.setup for call in test.calls]


def _killed(task: TaskResult, k: int, strict: bool) -> float | None:
    counts = task.fates(k)
    if counts is None:
        return None
    alive = counts[Fate.SURVIVED] + (counts[Fate.TIMEOUT] if strict else 0)
    return 100 * (1 - alive / len(task.mutants))


def _plain(value: Equivalents) -> dict[str, float]:
    return {
        "survivors": value.survivors,
        "least": value.least,
        "most": value.most,
        "estimate": round(value.estimate, 4),
        "probes": value.probes,
    }
