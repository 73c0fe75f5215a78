"""The short cut for literal calls gives what the compiler would give, and leaves to the compiler what it cannot."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a1kit.sandbox.child import literal_call

literals = st.recursive(
    st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(), st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.tuples(inner)),
    max_leaves=6,
)


def collect(*arguments: Any) -> list[Any]:
    return list(arguments)


NAMES: dict[str, Any] = {"f": collect}


def short_cut(expression: str) -> Any:
    """What the short cut gives; None where it leaves the expression to the compiler."""
    function, arguments = literal_call(expression, NAMES)
    return None if function is None else function(*arguments)


@given(st.lists(literals, max_size=4))
def test_where_the_short_cut_is_taken_it_agrees_with_the_compiler(arguments: list[Any]) -> None:
    expression = f"f({', '.join(map(repr, arguments))})"
    found = short_cut(expression)
    assert found is None or repr(found) == repr(eval(expression, dict(NAMES)))


@given(st.text(alphabet="f(),[]-.0123 'e\"TrueFalseNone\\", max_size=14))
def test_odd_spellings_agree_or_are_left_to_the_compiler(inside: str) -> None:
    expression = f"f({inside})"
    found = short_cut(expression)
    assert found is None or repr(found) == repr(eval(expression, dict(NAMES)))


@pytest.mark.parametrize(
    "expression",
    ["f()", "f(1)", "f([1, -2.5], [[]])", 'f("a b", "é")', "f('x', 1)", "f(True, None, [False])", "f(-0.0)"],
)
def test_plain_calls_take_the_short_cut(expression: str) -> None:
    assert repr(short_cut(expression)) == repr(eval(expression, dict(NAMES)))


@pytest.mark.parametrize(
    "expression",
    [
        *("f((1, 2))", "f(1,)", "f(1.)", "f(.5)", "f(007)", "f(1e5)", "f(1_000)", "f(1 2)", "f(1-2)", "f(--1)"),
        *(
            "f('a' 'b')",
            r"f('\n')",
            "f('''a''')",
            "f(b'a')",
            "f('it\"s')",
            "f(x)",
            "f(1)(2)",
            "f(1) ",
            "g(1)",
            "f(*[1])",
        ),
        *("f(1], [2)", "f(1)\n", "f('a', True)", "f(k=1)", "f(1) + 1", "f({})", "f(1) == f(2)", "(f)(1)", "f ([1])"),
    ],
)
def test_everything_else_is_left_to_the_compiler(expression: str) -> None:
    assert short_cut(expression) is None
