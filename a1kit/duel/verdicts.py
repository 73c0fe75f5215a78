"""From observed values to verdicts. Pure: nothing is run here, and nothing model-written is rebuilt as an object.

    EQUAL    the two canonical texts are the same (Python's `==`, nan equal to nan; with types when the test is strict)
    CLOSE    every pair of numbers is close within the test's own tolerance, everything else is equal
    RAISES   one of the expected names is in the method resolution order of what was raised
    CHECK    an expression over the values, which only a child may evaluate (`a1kit.duel.neutral`)

Whatever the form: a candidate that shows exactly what the oracle showed passes. The oracle satisfies every kept test,
so this loses nothing, and it means that no test, however hostile, can fail a right candidate.
"""

from __future__ import annotations

from collections.abc import Sequence

from a1kit.sandbox import wire
from a1kit.sandbox.protocol import Observation, Status, Value
from a1kit.types import Form, Outcome, TestCase, Verdict

MAX_SHOWN = 2_000
"""Characters of a value that are kept for people to read."""

_OUTCOMES = {
    Status.RAISED: Outcome.RAISED,
    Status.TIMEOUT: Outcome.TIMEOUT,
    Status.MEMORY: Outcome.MEMORY,
    Status.CRASHED: Outcome.CRASHED,
    Status.REFUSED: Outcome.REFUSED,
    Status.UNSUPPORTED: Outcome.WRONG,
    Status.SYNTAX: Outcome.CRASHED,
}

NEEDS_CHECK = None
"""What `decide` answers when only evaluating the test's expression can tell."""


def shown(value: Value | None) -> str | None:
    """A value as Python source, cut to a readable length."""
    if value is None or value.source is None:
        return None
    return cut(value.source)


def cut(text: str, limit: int = MAX_SHOWN) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text):,} characters)"


def same(test: TestCase, first: Value, second: Value) -> bool:
    """Whether two values count as equal for this test."""
    return wire.same(first, second, strict=test.strict)


def agree(first: Observation, second: Observation) -> bool:
    """Whether two runs of one program showed the same: the same value with types, or the same kind of exception."""
    if first.status is not second.status:
        return False
    if first.value is not None and second.value is not None:
        return first.value.strict == second.value.strict
    return first.exception == second.exception


def raised_as_expected(test: TestCase, seen: Observation) -> bool:
    """Whether `seen` is one of the exceptions that a RAISES test names, or a subclass."""
    if seen.status is not Status.RAISED:
        return False
    names = {name.rpartition(".")[2] for name in (seen.exception or "", *seen.bases)}
    return any(name.rpartition(".")[2] in names for name in test.exceptions)


def message(seen: Observation) -> str:
    """The text of an exception, without the name of its type."""
    name, separator, text = seen.detail.partition(": ")
    return text if separator and name.isidentifier() else ("" if name == seen.exception else seen.detail)


def decide(
    test: TestCase, expected: Value | None, oracle: Sequence[Observation], got: Sequence[Observation]
) -> Verdict | None:
    """The verdict on a candidate that showed `got` where the oracle showed `oracle`; None when a check must tell.

    `expected` is the answer that an EQUAL or CLOSE test names as played; None for a condition.
    """
    if test.form is Form.RAISES:
        return _decide_raises(test, oracle[0], got[0])
    for seen in got:
        if seen.status is not Status.OK:
            return failure(seen)
    if all(_shows_the_same(test, theirs, ours) for theirs, ours in zip(oracle, got, strict=True)):
        return passed(got)
    value = got[0].value
    if expected is None or value is None:
        return NEEDS_CHECK
    if same(test, expected, value):
        return passed(got)
    if test.form is Form.CLOSE and wire.close(value, expected, rel_tol=test.rel_tol, abs_tol=test.abs_tol):
        return passed(got)
    return wrong(got, f"expected {cut(expected.source or 'another value', 200)}")


def passed(got: Sequence[Observation]) -> Verdict:
    """A right answer, showing the values that were seen."""
    return Verdict(Outcome.PASSED, _all_shown(got))


def wrong(got: Sequence[Observation], detail: str) -> Verdict:
    """A wrong answer, showing the values that were seen."""
    return Verdict(Outcome.WRONG, _all_shown(got), detail)


def _all_shown(got: Sequence[Observation]) -> str | None:
    if len(got) == 1:
        return shown(got[0].value)
    return cut(", ".join(shown(seen.value) or "?" for seen in got))


def failure(seen: Observation) -> Verdict:
    """The verdict on a call that gave no value."""
    detail = seen.detail
    if seen.status is Status.UNSUPPORTED:
        detail = f"the result cannot be compared: {detail}" if detail else "the result cannot be compared"
    return Verdict(_OUTCOMES[seen.status], None, cut(detail))


def _shows_the_same(test: TestCase, oracle: Observation, got: Observation) -> bool:
    return oracle.value is not None and got.value is not None and same(test, oracle.value, got.value)


def _decide_raises(test: TestCase, oracle: Observation, got: Observation) -> Verdict | None:
    if got.status is Status.OK:
        return Verdict(Outcome.WRONG, shown(got.value), f"expected {' or '.join(test.exceptions)} to be raised")
    if not raised_as_expected(test, got):
        return failure(got)
    if test.check and message(got) != message(oracle):
        return NEEDS_CHECK
    return Verdict(Outcome.PASSED, got.exception)
