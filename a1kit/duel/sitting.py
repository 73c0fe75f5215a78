"""All duels of one step, judged together.

    read     parse every completion once; group tests by reference, candidates by program (`a1kit.duel.docket`)
    ask      every call on the reference (seed 0)                                       one child a reference
    play     the reference again (seed 1, calls in reverse order), and every program     one child a program
    settle   predictions and conditions on the oracle's values                           one child a suite that needs it
    decide   verdicts from values; conditions on the candidates' values                  one child a suite that needs it

Identical programs, suites, tests and calls are run once. The second run of the oracle has another hash seed *and* the
calls in reverse order, so that an answer that hangs on set order, on chance or on what was called before is found out.

A candidate gets at least `GENEROUS` times the CPU that the oracle used on the slowest of its calls. The oracle itself
must stay within `call_seconds`, so a candidate as fast as the oracle never loses a test to the clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from a1kit.duel.cache import ByteCache
from a1kit.duel.docket import Bench, Docket, Pairing, Player, judged_test
from a1kit.duel.errands import Errand, run_errands
from a1kit.duel.manners import evaluates_text
from a1kit.duel.neutral import Answers, Request, evaluate
from a1kit.duel.trial import Told, Trial, Wishes
from a1kit.duel.verdicts import agree, cut
from a1kit.errors import QuestionError
from a1kit.rewards import Rules
from a1kit.sandbox.protocol import Call, Job, Limits, Observation, ProgramResult, Sandbox, Status
from a1kit.types import Duel, Load, Verdict

GENEROUS = 3.0
"""A candidate may take this many times the oracle's CPU, if that is more than `call_seconds`."""

_UNKEPT = (Status.TIMEOUT, Status.MEMORY, Status.CRASHED)
"""Observations that may depend on the machine or on the calls around them: not remembered between steps."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a sitting needs besides its pairings. Seconds are CPU seconds; see `a1kit.duel.Judge`."""

    sandbox: Sandbox
    rules: Rules
    call_seconds: float
    load_seconds: float
    program_seconds: float
    memory_mb: int
    oracle: ByteCache[Told]
    candidates: ByteCache[Observation]
    loads: ByteCache[tuple[Load, str, tuple[str, ...]]]


class Sitting:
    """Judges one batch of pairings; made for one use."""

    def __init__(self, settings: Settings, pairings: Sequence[Pairing]) -> None:
        self.settings = settings
        self.docket = Docket(pairings, settings.rules)

    def hold(self) -> list[Duel]:
        """One duel a pairing, in order, with verdicts and without rewards."""
        self._ask()
        self._play()
        self._settle()
        self._decide()
        return self.docket.duels()

    # ask

    def _ask(self) -> None:
        """First answers of every reference; then those of tests that must look behind a value."""
        self._load_references()
        self._ask_calls((bench, trial) for bench in self.docket.benches.values() for trial in bench.trials.values())
        behind = []
        for bench in self.docket.benches.values():
            for trial in bench.trials.values():
                if trial.test.opaque_calls and trial.wants_to_look_behind([bench.first(call) for call in trial.calls]):
                    trial.look_behind()
                    behind.append((bench, trial))
        if behind:
            self._ask_calls(behind)

    def _load_references(self) -> None:
        """A reference that no test asks must load all the same."""
        idle = [bench for bench in self.docket.benches.values() if not bench.trials]
        errands = [self._reference_errand(bench, (), self.settings.call_seconds, 0) for bench in idle]
        for bench, result in zip(idle, self._run(errands), strict=True):
            _check_reference(bench, result)

    def _ask_calls(self, asked: Iterable[tuple[Bench, Trial]]) -> None:
        needed: dict[Bench, dict[Call, None]] = {}
        oracle, seconds = self.settings.oracle, self.settings.call_seconds
        for bench, trial in asked:
            for call in trial.calls:
                if call in bench.told or call in bench.fresh:
                    continue
                told = oracle.get((bench.code, seconds, call.setup, call.expression))
                if told is not None:
                    bench.told[call] = told
                else:
                    needed.setdefault(bench, {})[call] = None
        benches = list(needed)
        errands = [
            self._reference_errand(bench, list(needed[bench]), self.settings.call_seconds, 0) for bench in benches
        ]
        for bench, result in zip(benches, self._run(errands), strict=True):
            _check_reference(bench, result)
            bench.fresh.update(zip(needed[bench], result.observations, strict=True))

    def _reference_errand(self, bench: Bench, calls: Sequence[Call], seconds: float, hash_seed: int) -> Errand:
        """The oracle's budget never binds: one suite's slow calls must not cost another suite its tests."""
        load = self.settings.load_seconds
        limits = Limits(seconds, load, load + seconds * (len(calls) + 1), memory_mb=self.settings.memory_mb)
        job = Job(bench.code, tuple(calls), limits, hash_seed=hash_seed)
        return Errand(job, calls if bench.evaluates else bench.alone)

    # play

    def _play(self) -> None:
        """The oracle's second answers, and every program's answers, side by side."""
        again = [(bench, calls) for bench in self.docket.benches.values() if (calls := _to_confirm(bench))]
        errands = [self._reference_errand(bench, calls, self._limit(bench, calls), 1) for bench, calls in again]
        waiting: list[tuple[Player, list[Call]]] = []
        for player in self.docket.players.values():
            to_play = self._calls_to_play(player) if player.code else None
            if to_play is not None:
                waiting.append((player, to_play))
                errands.append(self._candidate_errand(player, to_play))
        results = self._run(errands)
        for (bench, calls), result in zip(again, results, strict=False):
            _check_reference(bench, result)
            for call, second in zip(calls, result.observations, strict=True):
                first = bench.fresh[call]
                bench.told[call] = Told(first, None if agree(first, second) else second)
                if second.status is not Status.TIMEOUT:
                    self._remember_answer(bench, call)
        for bench in self.docket.benches.values():
            for call, seen in bench.fresh.items():
                if call not in bench.told:
                    bench.told[call] = Told(seen)
                    if seen.status not in _UNKEPT:
                        self._remember_answer(bench, call)
        for (player, calls), result in zip(waiting, results[len(again) :], strict=True):
            self._note_play(player, calls, result)

    def _remember_answer(self, bench: Bench, call: Call) -> None:
        told = bench.told[call]
        key = (bench.code, self.settings.call_seconds, call.setup, call.expression)
        size = _weight(call, told.seen) + (_weight(call, told.again) if told.again is not None else 0)
        self.settings.oracle.put(key, told, size)

    def _limit(self, bench: Bench, calls: Iterable[Call]) -> float:
        slowest = max((bench.first(call).cpu_seconds for call in calls), default=0.0)
        return max(self.settings.call_seconds, GENEROUS * slowest)

    def _calls_to_play(self, player: Player) -> list[Call] | None:
        """Calls that have to be run; None when the program need not be started at all."""
        bench, known, seconds = player.bench, self.settings.candidates, self.settings.call_seconds
        calls: dict[Call, None] = {}
        for trial in player.trials:
            if trial.playable([bench.first(call) for call in trial.calls]):
                for call in trial.calls:
                    if call in player.seen or call in calls:
                        continue
                    seen = known.get((player.code, seconds, call.setup, call.expression))
                    if seen is None:
                        calls[call] = None
                    else:
                        player.seen[call] = seen
        loaded = self.settings.loads.get((player.code, bench.question.entry_point))
        if loaded is not None:
            player.load, player.load_detail, player.events = loaded
            if player.load is not Load.OK or not calls:
                return None
        return list(calls)

    def _candidate_errand(self, player: Player, calls: Sequence[Call]) -> Errand:
        settings = self.settings
        seconds = self._limit(player.bench, calls)
        oracle_total = sum(player.bench.first(call).cpu_seconds for call in calls)
        limits = Limits(
            seconds,
            settings.load_seconds,
            max(settings.program_seconds, settings.load_seconds + GENEROUS * oracle_total),
            memory_mb=settings.memory_mb,
        )
        if not player.named:
            calls = [*calls, Call(player.bench.question.entry_point)]
        apart = player.bench.evaluates and evaluates_text(player.code)
        return Errand(Job(player.code, tuple(calls), limits), calls if apart else player.bench.alone)

    def _note_play(self, player: Player, calls: Sequence[Call], result: ProgramResult) -> None:
        player.load, player.load_detail = Load(str(result.load.status)), cut(result.load.detail, 500)
        player.events = result.events
        seen = result.observations
        if player.load is Load.OK and len(seen) > len(calls):
            if seen[-1].status is Status.RAISED and seen[-1].exception == "NameError":
                player.load, player.load_detail = Load.MISSING, _missing(player.bench.question.entry_point)
            seen = seen[: len(calls)]
        entry_point, seconds = player.bench.question.entry_point, self.settings.call_seconds
        if result.load.status not in _UNKEPT:
            loaded = (player.load, player.load_detail, player.events)
            self.settings.loads.put((player.code, entry_point), loaded, len(player.code) + 200)
        if player.load is Load.OK:
            for call, one in zip(calls, seen, strict=True):
                player.seen[call] = one
                if one.status not in _UNKEPT:
                    self.settings.candidates.put(
                        (player.code, seconds, call.setup, call.expression), one, _weight(call, one)
                    )

    # settle

    def _settle(self) -> None:
        """Drive every trial's questions to neutral children, round by round, until all have their state."""
        open_: list[tuple[Trial, Wishes, list[Request]]] = []
        for bench in self.docket.benches.values():
            for trial in bench.trials.values():
                _advance(open_, trial, trial.settle([bench.told[call] for call in trial.calls]), None)
        while open_:
            answers = self._evaluate(chain.from_iterable(requests for _, _, requests in open_), (0, 1))
            waiting, open_ = open_, []
            for trial, wishes, requests in waiting:
                _advance(open_, trial, wishes, [answers[request] for request in requests])

    def _evaluate(self, requests: Iterable[Request], hash_seeds: Sequence[int]) -> Answers:
        seconds = self.settings.call_seconds
        limits = Limits(seconds, self.settings.load_seconds, self.settings.load_seconds + 64 * seconds)
        return evaluate(self.settings.sandbox, requests, limits, hash_seeds=hash_seeds)

    # decide

    def _decide(self) -> None:
        loaded = [player for player in self.docket.players.values() if player.load is Load.OK]
        self._look_behind(loaded)
        asked: list[tuple[Player, Trial, tuple[Observation, ...], Request]] = []
        for player in loaded:
            for trial in player.trials:
                if not trial.state.kept:
                    continue
                behind = trial in player.behind
                got = player.behind[trial] if behind else tuple([player.seen[call] for call in trial.calls])
                verdict = trial.verdict(got, behind=behind)
                if isinstance(verdict, Verdict):
                    player.judged[trial] = judged_test(trial, verdict)
                else:
                    asked.append((player, trial, got, verdict))
        if asked:
            answers = self._evaluate((request for *_, request in asked), (0,))
            for player, trial, got, request in asked:
                player.judged[trial] = judged_test(trial, trial.told(got, answers[request][0]))

    def _look_behind(self, players: Iterable[Player]) -> None:
        """Where a candidate's value cannot leave its child but the test asks for something else of it (`list(f(x))` of
        a generator), run that instead."""
        behind: list[tuple[Player, list[Trial], Errand]] = []
        for player in players:
            trials = [
                trial
                for trial in player.trials
                if trial.state.kept and trial.wants_to_look_behind([player.seen[call] for call in trial.calls])
            ]
            if trials:
                errand = self._candidate_errand(player, list(chain.from_iterable(trial.calls for trial in trials)))
                calls = tuple(call for trial in trials for call in trial.calls_behind())
                behind.append((player, trials, replace(errand, job=replace(errand.job, calls=calls))))
        for (player, trials, _), result in zip(behind, self._run([errand for *_, errand in behind]), strict=True):
            seen = iter(result.observations or [result.load] * sum(len(trial.test.opaque_calls) for trial in trials))
            for trial in trials:
                player.behind[trial] = tuple(next(seen) for _ in trial.test.opaque_calls)

    def _run(self, errands: Sequence[Errand]) -> list[ProgramResult]:
        return run_errands(self.settings.sandbox, errands)


def _advance(
    open_: list[tuple[Trial, Wishes, list[Request]]],
    trial: Trial,
    wishes: Wishes,
    answers: list[tuple[Observation, ...]] | None,
) -> None:
    """Let a trial go on with `answers`; keep it open if it has further requests."""
    try:
        requests = next(wishes) if answers is None else wishes.send(answers)
    except StopIteration:
        return
    open_.append((trial, wishes, requests))


def _to_confirm(bench: Bench) -> list[Call]:
    """First answers that a second run can confirm or refute, in reverse order."""
    return [call for call, seen in bench.fresh.items() if seen.status in (Status.OK, Status.RAISED)][::-1]


def _check_reference(bench: Bench, result: ProgramResult) -> None:
    if result.load.status is not Status.OK:
        raise QuestionError(
            f"question {bench.question.id!r}: the reference does not load ({result.load.status}: "
            f"{cut(result.load.detail, 300)}); give a reference that runs on its own"
        )


def _missing(entry_point: str) -> str:
    return f"the program defines no {entry_point}"


def _weight(call: Call, seen: Observation) -> int:
    """Approximate bytes that a remembered observation holds."""
    value = seen.value
    size = 600 + len(call.expression) + len(call.setup) + len(seen.detail)
    if value is not None:
        size += len(value.wire) + len(value.canonical) + len(value.strict) + len(value.source or "")
    return size
