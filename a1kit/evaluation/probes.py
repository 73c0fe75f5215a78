"""Calls made from known calls by small changes: other inputs of the same shape, to tell two programs apart.

    probe_calls(["f([1, 2], 'a')"], "f", limit=40)    # "f([], 'a')", "f([2, 1], 'a')", "f([1, 2], '')", …

Only literal arguments are changed, one at a time, in ways that cross the boundaries at which programs go wrong: empty,
single, reversed, repeated, one more, one less, the sign, zero. The order is fixed: every known call gives its first
change before any gives its second, so that a short list is a varied one.

Not handled: calls whose arguments are not literals; what a reader of the call cannot see (a list of points stays one,
but nothing knows that they must not be collinear). What the reference refuses is left out by the judge.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import Any

from a1kit.parsing.source import expression_tree

MAX_CALL = 2_000
"""Characters of the longest call that is changed; reading it builds sets and dicts, which must stay small."""

_FAR = 10**12


def probe_calls(calls: Sequence[str], entry_point: str, limit: int) -> tuple[str, ...]:
    """At most `limit` different calls: the known ones first, then changed ones."""
    known = [call for call in dict.fromkeys(calls) if len(call) <= MAX_CALL]
    changed = [_changed(call, entry_point) for call in known]
    in_turn = chain.from_iterable(zip_longest(*changed))
    return tuple(dict.fromkeys(chain(known, (call for call in in_turn if call))))[:limit]


def _changed(call: str, entry_point: str) -> Iterator[str]:
    """The call with one argument changed, arguments in turn; nothing for what is no call of literals."""
    try:
        node = expression_tree(call)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == entry_point):
        return
    places = [*range(len(node.args)), *(keyword.arg for keyword in node.keywords if keyword.arg)]
    variants = [_texts(_argument(node, place)) for place in places]
    for row in zip_longest(*variants):
        for place, text in zip(places, row, strict=True):
            if text is not None:
                yield _written(node, entry_point, place, text)


def _argument(node: ast.Call, place: int | str) -> ast.expr:
    if isinstance(place, int):
        return node.args[place]
    return next(keyword.value for keyword in node.keywords if keyword.arg == place)


def _written(node: ast.Call, entry_point: str, changed: int | str, text: str) -> str:
    parts = [text if place == changed else ast.unparse(argument) for place, argument in enumerate(node.args)]
    parts += [
        f"{keyword.arg}={text if keyword.arg == changed else ast.unparse(keyword.value)}"
        if keyword.arg
        else f"**{ast.unparse(keyword.value)}"
        for keyword in node.keywords
    ]
    return f"{entry_point}({', '.join(parts)})"


def _texts(argument: ast.expr) -> Iterator[str]:
    try:
        value = ast.literal_eval(argument)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return
    seen = {repr(value)}
    for other in _variants(value):
        text = repr(other)
        if text not in seen and "inf" not in text and "nan" not in text:
            seen.add(text)
            yield text


def _variants(value: Any) -> Iterable[Any]:
    """Values near a literal, of its own type."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        near = [value + 1, value - 1, 0, -value, 1, 2, value * 2, value // 2, value + 10, value * value]
        return [number for number in near if abs(number) < max(_FAR, abs(value) + 2)]
    if isinstance(value, float):
        return [value + 0.5, 0.0, -value, value + 1, value - 1, value * 2, float(round(value)), value / 3]
    if isinstance(value, str):
        return _strings(value)
    if isinstance(value, list):
        return _lists(value)
    if isinstance(value, tuple):
        return [tuple(changed) for changed in _lists(list(value)) if len(changed) == len(value)]
    if isinstance(value, dict):
        return _dicts(value)
    return []


def _strings(value: str) -> list[str]:
    half = len(value) // 2
    return [
        "", value[:-1], value[::-1], value + value[-1:], value[:1], value[1:], value.swapcase(), value + value,
        value[half:] + value[:half], value + " ", " " + value, value.replace(value[:1], "z") if value else "a",
    ]  # fmt: skip


def _lists(value: list[Any]) -> Iterator[list[Any]]:
    yield []
    yield value[::-1]
    yield value[:-1]
    yield value + value[-1:]
    yield value[:1]
    for place, element in enumerate(value):
        for changed in _variants(element):
            yield [*value[:place], changed, *value[place + 1 :]]
            break
    yield value[1:]
    yield value + value
    yield value[:1] * len(value)
    for place, element in enumerate(value):
        for changed in list(_variants(element))[1:4]:
            yield [*value[:place], changed, *value[place + 1 :]]


def _dicts(value: dict[Any, Any]) -> Iterator[dict[Any, Any]]:
    yield {}
    for key in value:
        yield {other: kept for other, kept in value.items() if other != key}
    for key in value:
        for changed in _variants(value[key]):
            yield {**value, key: changed}
            break
