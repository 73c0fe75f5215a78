"""From observed values to verdicts. Pure: nothing is run here, and nothing model-written is rebuilt as an object.

    EQUAL    the two canonical texts are the same (Python's `==`, nan equal to nan; with types when the test is strict)
    CLOSE    every pair of numbers is close within the test's own tolerance, everything else is equal
    RAISES   one of the expected names is in the method resolution order of what was raised
    CHECK    an expression over the values, which only a child may evaluate (`a1kit.duel.neutral`)

Whatever the form: a candidate that shows exactly what the oracle showed passes. The oracle satisfies every kept test,
so this loses nothing, and it means that no test, however hostile, can fail a right candidate.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

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

PASSED = Verdict(Outcome.PASSED)
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
    return first.strict == second.strict if test.strict else first.canonical == second.canonical


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

    `expected` is the answer of a value test as played: the oracle's own.
    """
    if test.form is Form.RAISES:
        return _decide_raises(test, oracle[0], got[0])
    for seen in got:
        if seen.status is not Status.OK:
            return failure(seen)
    if all(_shows_the_same(test, theirs, ours) for theirs, ours in zip(oracle, got, strict=True)):
        return PASSED
    if test.form is Form.CHECK:
        return NEEDS_CHECK
    value = got[0].value
    if expected is None or value is None:
        raise AssertionError(f"a kept test of form {test.form} has no value to compare: {test.source!r}")
    if test.form is Form.CLOSE and close(value, expected, test.rel_tol, test.abs_tol):
        return PASSED
    return wrong(got, f"expected {cut(expected.source or 'another value', 200)}")


def wrong(got: Sequence[Observation], detail: str) -> Verdict:
    """A wrong answer, showing the values that were seen."""
    parts = [shown(seen.value) or "?" for seen in got]
    return Verdict(Outcome.WRONG, parts[0] if len(parts) == 1 else cut(", ".join(parts)), detail)


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
    return PASSED


def close(first: Value, second: Value, rel_tol: float, abs_tol: float) -> bool:
    """Whether two values are close: numbers as `math.isclose` has it, element by element inside containers.

    Sets and everything that is not a number must be equal; sequences must have the same length (a list may face a
    tuple, as in `pytest.approx`), dicts the same keys.
    """
    if first.canonical == second.canonical:
        return True
    try:
        return _close(json.loads(first.wire), json.loads(second.wire), rel_tol, abs_tol)
    except RecursionError:
        return False


_SEQUENCE_TAGS = ("l", "t", "q")


def _close(a: object, b: object, rel_tol: float, abs_tol: float) -> bool:
    if isinstance(a, list) and isinstance(b, list) and a and b:
        if a[0] == "np":
            return _close(_flat(a), _flat(b), rel_tol, abs_tol) if b[0] == "np" and a[2] == b[2] else (
                len(a[2]) == 2 and _close(_flat(a), b, rel_tol, abs_tol)
            )
        if b[0] == "np":
            return _close(b, a, rel_tol, abs_tol)
        if a[0] in _SEQUENCE_TAGS and b[0] in _SEQUENCE_TAGS:
            return len(a) == len(b) and all(
                _close(x, y, rel_tol, abs_tol) for x, y in zip(a[1:], b[1:], strict=True)
            )
        if a[0] == "d" and b[0] == "d":
            return _close_dicts(a, b, rel_tol, abs_tol)
    x, y = number(a), number(b)
    if x is None or y is None:
        return a == b
    if isinstance(x, complex) or isinstance(y, complex):
        gap = abs(x - y)
        return gap <= max(rel_tol * max(abs(x), abs(y)), abs_tol)
    if isinstance(x, int) and isinstance(y, int) and not rel_tol:
        return x == y or abs(x - y) <= abs_tol
    try:
        return math.isnan(x) and math.isnan(y) or math.isclose(x, y, rel_tol=rel_tol, abs_tol=abs_tol)
    except OverflowError:
        return x == y


def _close_dicts(a: list[object], b: list[object], rel_tol: float, abs_tol: float) -> bool:
    """Dicts on the wire are `["d", key, value, …]`; keys are matched by their text, never hashed as objects."""
    theirs = {json.dumps(b[i]): b[i + 1] for i in range(1, len(b) - 1, 2)}
    if len(a) != len(b):
        return False
    for i in range(1, len(a) - 1, 2):
        key = json.dumps(a[i])
        if key not in theirs or not _close(a[i + 1], theirs[key], rel_tol, abs_tol):
            return False
    return True


def _flat(array: list[object]) -> object:
    return array[3]


def number(tree: object) -> int | float | complex | None:
    """A number from its place in a wire tree; None for anything else."""
    if isinstance(tree, bool):
        return int(tree)
    if isinstance(tree, int):
        return tree
    if not isinstance(tree, list) or not tree or len(tree) > 3:
        return None
    tag, *parts = tree
    if tag == "f" and len(parts) == 1:
        return float.fromhex(parts[0])
    if tag == "i" and len(parts) == 1:
        return int(parts[0], 16)
    if tag == "c" and len(parts) == 2:
        return complex(float.fromhex(parts[0]), float.fromhex(parts[1]))
    return None
