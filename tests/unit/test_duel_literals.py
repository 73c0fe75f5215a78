"""Predicted answers: literals go on the wire unevaluated and mean what Python says; everything else is left alone."""

# ruff: noqa: E501  (rows of a table)

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a1kit.duel.literals import literal_wire
from a1kit.sandbox import read, value_of

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.complex_numbers(allow_nan=False, allow_infinity=False).filter(
        lambda z: z.real == 0 and math.copysign(1, z.real) > 0
    )
    | st.text()
    | st.binary()
)
hashable = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4).map(tuple), max_leaves=6)
values = st.recursive(
    hashable,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.lists(inner, max_size=5).map(tuple)
        | st.dictionaries(hashable, inner, max_size=4)
        | st.sets(hashable, max_size=4)
    ),
    max_leaves=12,
)


@given(values)
def test_a_literal_is_the_same_value_as_if_it_had_been_evaluated(value: object) -> None:
    data = literal_wire(repr(value))
    assert data is not None
    assert read(data).strict == value_of(value).strict


@pytest.mark.parametrize(
    ("source", "value"),
    [
        (" 7 ", 7), ("-0", 0), ("-0.0", -0.0), ("+3", 3), ("0x_ff", 255), ("1_000", 1000), ("1e400", math.inf),
        ("'a' 'b'", "ab"), ("r'\\d'", "\\d"), ("b'\\xff'", b"\xff"), ("...", ...), ("set()", set()), ("(1,)", (1,)), ("()", ()),
        ("[1, [2.5, None], {'k': (True,)}]", [1, [2.5, None], {"k": (True,)}]), ("{1: 'a', True: 'b'}", {1: "b"}), ("-2j", -2j),
        ("(\n1,\n 2)", (1, 2)), ("'\\ud800'", "\ud800"), ("{1, 1, 1.0}", {1}),
    ],
)  # fmt: skip
def test_spellings_of_literals(source: str, value: object) -> None:
    data = literal_wire(source)
    assert data is not None and read(data).canonical == value_of(value).canonical


@pytest.mark.parametrize(
    "source",
    ["x", "f(1)", "1 + 1", "[x for x in y]", "f'{1}'", "__import__('os')", "{**{}}", "[*[1]]", "- 'a'", "not True", "~1", "-(1)+0",
     "1; 2", "a = 1", "", "   ", "(", "1 2", "\0", "set([1])", "list()", "float('nan')", "lambda: 1", "-[1]", "- -1"],
)  # fmt: skip
def test_what_is_no_plain_literal_is_left_to_a_child(source: str) -> None:
    assert literal_wire(source) is None


@pytest.mark.parametrize("source", ["{[1]}", "{[1]: 2}", "{{1}, {2}}"])
def test_no_set_or_dict_is_ever_built_from_a_literal(source: str) -> None:
    """Building one of these raises; building one of numbers that all hash alike takes minutes."""
    assert literal_wire(source) is not None


def test_text_too_deep_or_too_long_to_parse_is_no_literal() -> None:
    assert literal_wire("[" * 5_000 + "]" * 5_000) is None
    assert literal_wire("1" * 200_000) is None
    assert literal_wire("-" * 5_000 + "1") is None
