"""What a batch of pairings holds, read and sorted: tests by reference, candidates by program. Nothing is run here.

    Pairing ── Player (a program) ── Bench (a reference) ── Trial (a test)

A test that occurs in many suites of a question is one trial; candidates with the same program text are one player.
`Docket.duels` puts the judged pieces back together in the order of the pairings.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from a1kit.duel.literals import literal_wire
from a1kit.duel.manners import Manners, evaluates_text, manners
from a1kit.duel.trial import Told, Trial
from a1kit.errors import QuestionError
from a1kit.parsing import ParsedCode, given_names, parse_assertion, parse_code, parse_tests, signature
from a1kit.parsing.source import Unparsable, parse
from a1kit.rewards import Convention, Rules
from a1kit.sandbox.protocol import Call, Observation
from a1kit.types import Completion, Duel, Form, JudgedTest, Load, Question, State, Suite, TestCase, Verdict

_SHORT = 8_000
"""Characters of a program up to which its parse is remembered."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """One candidate and everything that attacks it: suites of the Test LLM, and replayed tests (source) of the book."""

    question: Question
    candidate: Completion
    suites: tuple[Completion, ...] = ()
    history: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Bench:
    """A reference solution with all tests that ask it."""

    question: Question
    code: str
    parameters: tuple[str, ...] | None
    known: frozenset[str]
    """Names besides the entry point that a test may use, because the question tells every candidate of them."""
    evaluates: bool
    """Whether the reference may run text that it is given: then each of its calls is alone in its child."""
    alone: set[Call] = field(default_factory=set)
    """Calls that get a child of their own (`a1kit.duel.manners`)."""
    trials: dict[tuple[str, str], Trial] = field(default_factory=dict)
    suites: dict[str, tuple[Trial | JudgedTest, ...]] = field(default_factory=dict)
    replays: dict[str, Trial | JudgedTest] = field(default_factory=dict)
    told: dict[Call, Told] = field(default_factory=dict)
    fresh: dict[Call, Observation] = field(default_factory=dict)
    """First answers that are not confirmed yet."""

    def first(self, call: Call) -> Observation:
        told = self.told.get(call)
        return told.seen if told is not None else self.fresh[call]


@dataclass(slots=True, eq=False)
class Player:
    """A program, run once for all duels in which a candidate of this question came out as it."""

    bench: Bench
    code: str
    named: bool = True
    """Whether the parser found a definition of the entry point; one that it missed may still be made at run time."""
    load: Load = Load.OK
    load_detail: str = ""
    trials: dict[Trial, None] = field(default_factory=dict)
    seen: dict[Call, Observation] = field(default_factory=dict)
    behind: dict[Trial, tuple[Observation, ...]] = field(default_factory=dict)
    """What was seen instead of values that cannot leave their child."""
    judged: dict[Trial, JudgedTest] = field(default_factory=dict)
    events: tuple[str, ...] = ()


class Docket:
    """The pairings of one batch, read."""

    def __init__(self, pairings: Sequence[Pairing], rules: Rules) -> None:
        self.rules = rules
        self.benches: dict[tuple[str, str, frozenset[str]], Bench] = {}
        self.players: dict[tuple[Bench, str], Player] = {}
        self._seats = [(pairing, *self._read(pairing)) for pairing in pairings]

    def duels(self) -> list[Duel]:
        """One duel a pairing, in order, with verdicts and without rewards."""
        return [_duel(pairing, player, flags) for pairing, player, flags in self._seats]

    def _read(self, pairing: Pairing) -> tuple[Player, tuple[str, ...]]:
        """The program of a pairing and what its text looked like; registers all its tests."""
        question = pairing.question
        place = (question.reference, question.entry_point, _known(question))
        bench = self.benches.get(place)
        if bench is None:
            bench = self.benches[place] = _bench(question)
        player, flags = self._player(bench, pairing.candidate)
        for completion in pairing.suites:
            tests = bench.suites.get(completion.text)
            if tests is None:
                tests = bench.suites[completion.text] = self._read_suite(bench, completion.text)
            player.trials.update((test, None) for test in tests if isinstance(test, Trial))
        for source in pairing.history:
            replay = bench.replays.get(source)
            if replay is None:
                replay = bench.replays[source] = self._read_replay(bench, source)
            if isinstance(replay, Trial):
                player.trials[replay] = None
        return player, flags

    def _player(self, bench: Bench, candidate: Completion) -> tuple[Player, tuple[str, ...]]:
        parsed = _parse(candidate.text, bench.question.entry_point)
        player = self.players.get((bench, parsed.code))
        if player is None:
            player = self.players[bench, parsed.code] = Player(bench, parsed.code)
            player.named = "entry-missing" not in parsed.flags
            if not parsed.code:
                player.load, player.load_detail = Load.MISSING, parsed.reason or "the completion holds no code"
        return player, parsed.flags

    def _read_suite(self, bench: Bench, text: str) -> tuple[Trial | JudgedTest, ...]:
        """Tests of a suite in order; those that are dropped unseen are judged at once."""
        rules = self.rules
        limit = rules.k if rules.convention is Convention.PAPER else None
        group = f"suite {len(bench.suites)} of {bench.question.id}"
        keys: set[str] = set()
        tests: list[Trial | JudgedTest] = []
        for place, read in enumerate(self._parsed(bench, text)):
            test = self._refused(bench, read)
            if test.malformed is not None:
                tests.append(JudgedTest(test, State.MALFORMED, test.source, detail=test.malformed))
            elif limit is not None and place >= limit:
                detail = f"beyond the {limit} tests that were asked for"
                tests.append(JudgedTest(test, State.EXTRA, test.source, test.predicted, detail=detail))
            elif test.key in keys:
                tests.append(JudgedTest(test, State.REPEATED, test.source, test.predicted, detail="repeats a call"))
            else:
                keys.add(test.key)
                tests.append(self._trial(bench, test, group))
        return tuple(tests)

    def _parsed(self, bench: Bench, text: str) -> tuple[TestCase, ...]:
        """The tests of a suite. Without predictions a line with a bare call is a test, its answer to be filled in."""
        entry_point = bench.question.entry_point
        if self.rules.predictions:
            return parse_tests(text, entry_point, parameters=bench.parameters, known=bench.known)
        filled = {line: f"assert {line.strip()} == None" for line in text.splitlines() if _bare_call(line, entry_point)}
        lines = "\n".join(filled.get(line, line) for line in text.splitlines())
        return tuple(
            replace(test, predicted=None) if test.source in filled.values() else test
            for test in parse_tests(lines, entry_point, parameters=bench.parameters, known=bench.known)
        )

    def _read_replay(self, bench: Bench, source: str) -> Trial | JudgedTest:
        read = parse_assertion(source, bench.question.entry_point, parameters=bench.parameters, known=bench.known)
        test = self._refused(bench, read)
        if test.malformed is None:
            return self._trial(bench, test, f"replay of {source}")
        return JudgedTest(test, State.MALFORMED, source, detail=test.malformed)

    @staticmethod
    def _refused(bench: Bench, test: TestCase) -> TestCase:
        """The test, malformed if its calls look into the program; notes which of its calls must be alone."""
        if test.malformed is not None:
            return test
        entry_point = bench.question.entry_point
        behaviour = manners(test.calls, test.setup, entry_point)
        if behaviour is Manners.PRYING:
            return replace(test, malformed=f"the call looks into the program instead of only calling {entry_point}")
        calls = test.calls
        if test.opaque_calls:
            behind = manners(test.opaque_calls, test.setup, entry_point)
            if behind is Manners.PRYING:
                test = replace(test, opaque_calls=(), opaque_check="", opaque_answer_exprs=())
            else:
                behaviour, calls = max(behaviour, behind), calls + test.opaque_calls
        if behaviour is Manners.ALONE:
            bench.alone.update(Call(call, test.setup) for call in calls)
        return test

    @staticmethod
    def _trial(bench: Bench, test: TestCase, group: str) -> Trial:
        """The shared trial of this test; tests with model-written expressions are shared inside their suite only."""
        key = (test.source, "" if _needs_no_child(test) else group)
        trial = bench.trials.get(key)
        if trial is None:
            trial = bench.trials[key] = Trial(test, bench.question.entry_point, bench.parameters, group, bench.known)
        return trial


def _needs_no_child(test: TestCase) -> bool:
    """Whether the trusted process decides about the test without evaluating anything that the test says."""
    if test.form is Form.RAISES:
        return not test.check
    return test.form is not Form.CHECK and (test.predicted is None or literal_wire(test.predicted) is not None)


def _bare_call(line: str, entry_point: str) -> bool:
    """Whether a line is nothing but a call of the entry point."""
    if not line.strip().startswith(f"{entry_point}("):
        return False
    try:
        (statement,) = parse(line.strip()).body
    except (Unparsable, ValueError):
        return False
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)


def read_reference(question: Question) -> str:
    """The program of a question's reference. Raises `QuestionError` when there is none, or it lacks the entry point."""
    parsed = _parse(question.reference, question.entry_point)
    if not parsed.code:
        raise QuestionError(
            f"question {question.id!r}: the reference holds no program ({parsed.reason}); give its source"
        )
    if "entry-missing" in parsed.flags:
        raise QuestionError(
            f"question {question.id!r}: the reference does not define {question.entry_point!r}; "
            "correct the entry point or the reference"
        )
    return parsed.code


def _parse(text: str, entry_point: str) -> ParsedCode:
    """`parse_code`, remembering short texts: policies repeat themselves, and references come in every batch."""
    return _parse_short(text, entry_point) if len(text) <= _SHORT else parse_code(text, entry_point)


_parse_short = lru_cache(maxsize=4_096)(parse_code)
_signature = lru_cache(maxsize=1_024)(signature)
_given = lru_cache(maxsize=1_024)(given_names)


def _known(question: Question) -> frozenset[str]:
    return _given(question.prompt, question.reference, question.entry_point)


def _bench(question: Question) -> Bench:
    code = read_reference(question)
    parameters = _signature(question.reference, question.entry_point)
    return Bench(question, code, parameters, _known(question), evaluates_text(code))


def judged_test(trial: Trial, verdict: Verdict | None) -> JudgedTest:
    return JudgedTest(trial.test, trial.state, trial.source, trial.predicted, trial.oracle, verdict, trial.detail)


def _duel(pairing: Pairing, player: Player, flags: Sequence[str]) -> Duel:
    suites = tuple(
        Suite(completion, tuple([_outcome(player, test) for test in player.bench.suites[completion.text]]))
        for completion in pairing.suites
    )
    history = tuple(_replayed(player, source) for source in pairing.history)
    counted = [test for test in history if test.kept]
    noticed = {*flags, *player.events}
    if len(counted) < len(history):
        noticed.add("history-dropped")
    return Duel(
        question=pairing.question,
        completion=pairing.candidate,
        code=player.code,
        load=player.load,
        load_detail=player.load_detail,
        suites=suites,
        history=history,
        pass_hist=sum(test.passed for test in counted) / len(counted) if counted else None,
        flags=tuple(sorted(noticed)),
    )


def _outcome(player: Player, test: Trial | JudgedTest) -> JudgedTest:
    if isinstance(test, JudgedTest):
        return test
    judged = player.judged.get(test)
    if judged is None:  # dropped, or the program did not load
        judged = player.judged[test] = judged_test(test, None)
    return judged


def _replayed(player: Player, source: str) -> JudgedTest:
    """A replayed test keeps the text it has in the book. It counts only while the reference agrees with it."""
    test = player.bench.replays[source]
    judged = _outcome(player, test)
    if judged.state is State.CORRECTED:
        detail = f"the reference no longer agrees with this test: it gives {judged.oracle}"
        return JudgedTest(judged.test, State.UNSTABLE, source, judged.predicted, judged.oracle, None, detail)
    if judged.source == source:
        return judged
    return JudgedTest(judged.test, judged.state, source, judged.predicted, judged.oracle, judged.verdict, judged.detail)
