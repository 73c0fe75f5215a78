"""One test on its way through a sitting: what the oracle showed, what validation made of it, how it is played.

A `Trial` is shared by all suites and candidates of a question in which the same test occurs, so that it is validated
once however often a policy writes it. `settle` is where the states of Paper §3.2 are given; it is a generator that
yields what it wants evaluated in a neutral child, so that a sitting can serve all trials of a step in a few rounds.

Departures from the paper, which knows only `assert f(x) == answer`: conditions of any form are settled on the oracle's
values, and a false one is rewritten with the oracle's answers in its own form (`a1kit.parsing.corrected`).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from a1kit.duel.literals import literal_wire
from a1kit.duel.neutral import Request
from a1kit.duel.verdicts import (
    NEEDS_CHECK,
    cut,
    decide,
    failure,
    message,
    passed,
    raised_as_expected,
    same,
    shown,
    wrong,
)
from a1kit.parsing import corrected, parse_assertion
from a1kit.sandbox import wire
from a1kit.sandbox.protocol import Call, Observation, Status, Value
from a1kit.types import Form, Outcome, State, TestCase, Verdict

MAX_WRITTEN = 64_000
"""Characters of a test that holds the oracle's answer; a longer one is `unsupported`."""

_TRUE = wire.read(b"true").strict
_FALSE = wire.read(b"false").strict
_UNHAPPY = {Status.TIMEOUT: State.TIMEOUT, Status.UNSUPPORTED: State.UNSUPPORTED}

Wishes = Generator[list[Request], list[tuple[Observation, ...]], None]
"""Yields requests; is sent, for each, what it gave under every hash seed."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the oracle showed for one call; `again` is what it showed the second time, if that was something else."""

    seen: Observation
    again: Observation | None = None

    @property
    def stable(self) -> bool:
        return self.again is None


class Trial:
    """A test, the oracle's observations of its calls, and its state. `test` is the test as played: settling replaces it
    by the corrected one."""

    __slots__ = (
        "calls", "detail", "entry_point", "expected", "group", "known", "opaque", "oracle", "parameters", "predicted",
        "seen", "source", "state", "test",
    )  # fmt: skip

    def __init__(
        self,
        test: TestCase,
        entry_point: str,
        parameters: tuple[str, ...] | None,
        group: str,
        known: frozenset[str] = frozenset(),
    ) -> None:
        self.test = test
        self.entry_point = entry_point
        self.parameters = parameters
        self.known = known
        self.group = group
        self.calls = tuple(Call(call, test.setup) for call in test.calls)
        self.opaque = False
        self.seen: tuple[Observation, ...] = ()
        self.state = State.MALFORMED
        self.source = test.source
        self.predicted = cut(test.predicted) if test.predicted is not None else None
        self.expected: Value | None = None
        self.oracle: str | None = None
        self.detail = ""

    # Before settling: which calls to watch.

    def look_behind(self) -> None:
        """Watch something else, because the oracle's value cannot leave its child (`f(x).area()` instead of `f(x)`)."""
        self.opaque = True
        self.calls = self.calls_behind()

    def calls_behind(self) -> tuple[Call, ...]:
        return tuple(Call(call, self.test.setup) for call in self.test.opaque_calls)

    def wants_to_look_behind(self, seen: Sequence[Observation]) -> bool:
        return (
            not self.opaque and bool(self.test.opaque_calls) and any(one.status is Status.UNSUPPORTED for one in seen)
        )

    def playable(self, seen: Sequence[Observation]) -> bool:
        """Whether the oracle's first answers leave a chance that this test is kept."""
        if self.test.form is Form.RAISES:
            return seen[0].status in (Status.OK, Status.RAISED)
        return all(one.status is Status.OK for one in seen)

    # Validation on the oracle.

    def settle(self, told: Sequence[Told]) -> Wishes:
        """Give the test its state."""
        self.seen = tuple(one.seen for one in told)
        if self.test.form is Form.RAISES:
            yield from self._settle_raises(told[0])
            return
        for one in told:
            if one.seen.status is not Status.OK:
                self._drop(_UNHAPPY.get(one.seen.status, State.RAISED), _what(one.seen))
                return
        if not all(one.stable for one in told):
            yield from self._settle_restless(told)
        elif self.opaque or self.test.form is Form.CHECK:
            yield from self._settle_check()
        else:
            yield from self._settle_value()

    def _settle_value(self) -> Wishes:
        """EQUAL and CLOSE: the prediction against the oracle's value."""
        test, answer = self.test, self.seen[0].value
        assert answer is not None
        self.expected, self.oracle = answer, shown(answer)
        if test.predicted is None:  # a bare call: its answer is filled in, not corrected
            self._correct([answer])
            self.state = State.VALID if self.state is State.CORRECTED else self.state
            return
        bytes_ = literal_wire(test.predicted)
        if bytes_ is not None:
            predicted = _read(bytes_)
        else:
            ((first, second),) = yield [Request(self.group, test.predicted, test.check_setup)]
            if first.value is None or second.value is None:
                self.detail = f"the predicted answer gives no value: {_what(first)}"
            elif first.value.strict != second.value.strict:
                self._drop(State.UNSTABLE, "the predicted answer changes from one evaluation to the next")
                return
            predicted = first.value
        if predicted is not None and (
            same(test, answer, predicted)
            or (test.form is Form.CLOSE and wire.close(answer, predicted, rel_tol=test.rel_tol, abs_tol=test.abs_tol))
        ):
            self.state = State.VALID
            if test.form is Form.CLOSE:
                self.expected = predicted
        else:
            self._correct([answer])

    def _settle_check(self) -> Wishes:
        """CHECK: the condition over the oracle's values; a false one is rewritten with the oracle's answers."""
        self.oracle = cut(", ".join(shown(one.value) or "?" for one in self.seen))
        test = self.test
        exprs = test.opaque_answer_exprs if self.opaque else test.answer_exprs
        answer_requests = [Request(self.group, expr, test.check_setup, self._values(self.seen)) for expr in exprs]
        told = yield [self._request(self.seen), *answer_requests]
        answers = [
            first.value
            for first, second in told[1:]
            if first.value is not None and second.value is not None and first.value.strict == second.value.strict
        ]
        if answers and len(answers) == len(exprs):
            self.oracle = cut(", ".join(shown(answer) or "?" for answer in answers))
        holds = self._holds(*told[0])
        if holds is None:
            return
        if holds:
            self.state = State.VALID
        elif len(answers) < len(exprs):
            self._drop(State.UNSUPPORTED, "the condition is false on the reference, which has no single answer to it")
        else:
            self._correct(answers)
            if self.state is State.CORRECTED:
                yield from self._adopt()

    def _settle_restless(self, told: Sequence[Told]) -> Wishes:
        """The reference's values changed, as the order of a set does. A condition that holds on both all the same
        (`sorted(f(x)) == …`) is a test; a comparison with the values themselves is not."""
        test, again = self.test, tuple(one.again or one.seen for one in told)
        if self.opaque or test.form is not Form.CHECK or any(one.value is None for one in again):
            self._drop(State.UNSTABLE, "the reference answered differently when it was asked again")
            return
        exprs = test.answer_exprs
        requests = [
            request
            for seen in (self.seen, again)
            for request in (
                self._request(seen),
                *(Request(self.group, expr, test.check_setup, self._values(seen)) for expr in exprs),
            )
        ]
        said = yield requests
        half = 1 + len(exprs)
        holds = [_truth(one) for pair in (said[0], said[half]) for one in pair]
        answers = [_agreed([*first, *second]) for first, second in zip(said[1:half], said[half + 1 :], strict=True)]
        known = [answer for answer in answers if answer is not None]
        self.oracle = cut(", ".join(shown(answer) or "?" for answer in known)) or None
        if all(truth is True for truth in holds):
            self.state = State.VALID
        elif all(truth is False for truth in holds) and known and len(known) == len(exprs):
            self._correct(known)
            if self.state is State.CORRECTED:
                yield from self._adopt()
        else:
            self._drop(State.UNSTABLE, "the reference answered differently when it was asked again")

    def _settle_raises(self, told: Told) -> Wishes:
        """RAISES: the named exception, another one (corrected to its name), or a value (corrected to an equality)."""
        seen, test = told.seen, self.test
        if seen.status not in (Status.OK, Status.RAISED):
            self._drop(_UNHAPPY.get(seen.status, State.RAISED), _what(seen))
        elif not told.stable:
            self._drop(State.UNSTABLE, "the reference did not do the same when it was asked again")
        elif seen.status is Status.OK:
            self.oracle, self.expected = shown(seen.value), seen.value
            self._correct([seen.value] if seen.value is not None else [])
            if self.state is State.CORRECTED:
                yield from self._adopt()
        else:
            self.oracle = seen.exception
            if raised_as_expected(test, seen):
                holds = True
                if test.check:
                    (told_check,) = yield [self._request(self.seen)]
                    said = self._holds(*told_check)
                    if said is None:
                        return
                    holds = said
                if holds:
                    self.state = State.VALID
                else:
                    self._drop(State.UNSUPPORTED, f"the reference raises with another message: {_what(seen)}")
            else:
                self._correct([])
                if self.state is State.CORRECTED:
                    yield from self._adopt()

    def _holds(self, first: Observation, second: Observation) -> bool | None:
        """Whether the condition is true on the oracle, evaluated twice; None when that dropped the test."""
        if first.status is Status.TIMEOUT or second.status is Status.TIMEOUT:
            self._drop(State.TIMEOUT, "the condition takes too long on the reference's own values")
            return None
        if _truth(first) is not _truth(second) or first.status is not second.status:
            self._drop(State.UNSTABLE, "the condition changes from one evaluation to the next")
            return None
        truth = _truth(first)
        if truth is None:
            self.detail = f"the condition fails on the reference: {_what(first)}"
        return bool(truth)

    def _correct(self, answers: Sequence[Value]) -> None:
        """Write the oracle's answers into the test, or drop it when that cannot be done."""
        raised = self.seen[0].exception if self.seen[0].status is Status.RAISED else None
        source: str | None = None
        answer_sources = [answer.source for answer in answers if answer.source is not None]
        if len(answer_sources) == len(answers):
            imports = list(dict.fromkeys(line for answer in answers for line in answer.imports))
            with suppress(ValueError):  # the form has no place for these answers
                source = corrected(self.test, answer_sources, exception=raised, imports=imports)
        if source is None:
            self._drop(State.UNSUPPORTED, self.detail or "the reference's answer cannot be written into this test")
        elif len(source) > MAX_WRITTEN:
            self._drop(State.UNSUPPORTED, f"with the reference's answer the test is {len(source):,} characters long")
        else:
            self.state, self.source = State.CORRECTED, source

    def _adopt(self) -> Wishes:
        """Play the corrected text as a test of its own: it must watch the same calls, and hold on the oracle."""
        test = parse_assertion(self.source, self.entry_point, parameters=self.parameters, known=self.known)
        if test.malformed or tuple(Call(call, test.setup) for call in test.calls) != self.calls:
            self._drop(State.UNSUPPORTED, "the corrected test does not read as the same test")
            return
        self.test, self.opaque = test, False
        if test.form is Form.CHECK:
            (told,) = yield [self._request(self.seen)]
            if self._holds(*told) is False:
                self._drop(State.UNSUPPORTED, "even with the reference's answer the condition is false on it")

    def _drop(self, state: State, detail: str) -> None:
        self.state, self.detail, self.source = state, cut(detail, 500), self.test.source

    # Play.

    def verdict(self, got: Sequence[Observation], *, behind: bool = False) -> Verdict | Request:
        """The verdict on what a candidate showed, or the request whose answer `told` turns into one.

        `behind`: `got` are the candidate's values of `calls_behind`, for want of values of `calls`.
        """
        if behind:
            unseen = next((one for one in got if one.status is not Status.OK), None)
            return failure(unseen) if unseen is not None else self._request(got, behind=True)
        verdict = decide(self.test, self.expected, self.seen, got)
        return self._request(got) if verdict is NEEDS_CHECK else verdict

    def told(self, got: Sequence[Observation], answer: Observation) -> Verdict:
        """The verdict when the condition over the candidate's values gave `answer`."""
        truth = _truth(answer)
        if truth:
            return passed(got) if self.test.form is not Form.RAISES else Verdict(Outcome.PASSED, got[0].exception)
        reason = "the condition is false" if truth is False else f"the condition fails: {_what(answer)}"
        if self.test.form is Form.RAISES:
            return Verdict(Outcome.WRONG, None, cut(f"raised with another message: {_what(got[0])}"))
        return wrong(got, reason)

    def _request(self, seen: Sequence[Observation], *, behind: bool = False) -> Request:
        check = self.test.opaque_check if self.opaque or behind else self.test.check
        return Request(self.group, f"not not ({check})", self.test.check_setup, self._values(seen))

    def _values(self, seen: Sequence[Observation]) -> tuple[bytes, ...]:
        if self.test.form is Form.RAISES and seen[0].status is Status.RAISED:
            text = literal_wire(repr(message(seen[0])))
            return (text or b'""',)
        return tuple(one.value.wire for one in seen if one.value is not None)


def _truth(answer: Observation) -> bool | None:
    if answer.value is None:
        return None
    return True if answer.value.strict == _TRUE else False if answer.value.strict == _FALSE else None


def _agreed(told: Sequence[Observation]) -> Value | None:
    """The value that all of these gave; None when they differ or one gave none."""
    values = [one.value for one in told if one.value is not None]
    same_everywhere = len(values) == len(told) and len({value.strict for value in values}) == 1
    return values[0] if same_everywhere else None


def _read(data: bytes) -> Value | None:
    try:
        return wire.read(data)
    except wire.WireError:
        return None


def _what(seen: Observation) -> str:
    return seen.detail or seen.exception or str(seen.status)
