"""The child's half of the value wire: Python objects to a tagged tree, and back for checkers.

This file runs inside the child that executes model-written code, so it must stand alone (standard library only) and
nothing it says is believed: `a1kit.sandbox.wire` reads the bytes in the trusted process and accepts only what it can
check. What this half owes is *fairness*: honest values of every common type must arrive unharmed.

The tree is JSON of nulls, booleans, small integers, strings and arrays; an array starts with its tag:

    ["i", hex] big int      ["f", hex|nan|inf|-inf] float      ["c", re, im] complex
    ["u", code points] string that holds surrogates            ["b"|"B", hex] bytes, bytearray
    ["l"|"t"|"s"|"F"|"q", ...] list, tuple, set, frozenset, deque      ["d", k, v, k, v, ...] dict
    ["r", start, stop, step] range       ["D", text] Decimal       ["Q", numerator, denominator] Fraction
    ["date"|"time"|"dt", iso]  ["td", days, seconds, microseconds]  ["np", dtype, ["l", shape...], ["l", items...]]
    ["x", name] exception by type name   ["T", name] built-in type  ["e"] Ellipsis

Types are dispatched exactly. A subclass is reduced to its built-in base through the base's own C slots
(`list.__iter__(x)`, never `iter(x)`), so an overridden `__eq__`, `__iter__` or `__repr__` is not consulted, while
Counter, namedtuple, IntEnum and numpy scalars stay what they are. Cycles end at the depth limit; anything else without
an encoding raises `Unsupported`.
"""

from __future__ import annotations

import builtins
import collections
import datetime
import decimal
import fractions
import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

MAX_DEPTH = 100
MAX_NODES = 200_000
MAX_INT_BITS = 1 << 20
_SMALL = 1 << 53

_type_name = type.__dict__["__name__"].__get__
_type_mro = type.__dict__["__mro__"].__get__
_numerator = fractions.Fraction.__dict__["_numerator"].__get__
_denominator = fractions.Fraction.__dict__["_denominator"].__get__


def _no_default(thing: object) -> object:
    raise TypeError(f"{type(thing)} in a tree")


_string = json.encoder.encode_basestring_ascii
_chunks = vars(json.encoder)["c_make_encoder"](None, _no_default, _string, None, ":", ",", False, False, False)
"""`json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode`, made once instead of for every value."""
_BUILTIN_TYPES = {name: kind for name, kind in vars(builtins).items() if isinstance(kind, type)}


class Unsupported(Exception):
    """The value has no encoding; the message names the type or the limit."""


def dumps(value: object) -> bytes:
    """Encode one value as ASCII bytes.

    Raises
    ------
    Unsupported
        No encoding for a part of the value, or it is too deep, too large or cyclic.
    """
    if value is True:
        return b"true"
    if value is False:
        return b"false"
    return "".join(_chunks(_Encoder().tree(value, 0), 0)).encode("ascii")


class _Encoder:
    """One value's worth of encoding, with its node budget."""

    def __init__(self) -> None:
        self.budget = MAX_NODES

    def tree(self, x: Any, depth: int) -> Any:
        kind = type(x)
        if kind is int:
            return x if -_SMALL < x < _SMALL else _big(x)
        if kind is str:
            return x if x.isascii() else _text(x)
        if x is None or kind is bool:
            return x
        if kind is float:
            return ["f", x.hex()]
        handler = _HANDLERS.get(kind)
        if handler is not None:
            return handler(self, x, depth)
        return self._reduced(x, kind, depth)

    def items(self, tag: str, values: Iterable[Any], count: int, depth: int) -> list[Any]:
        """`[tag, *encoded values]`, charging `count` nodes."""
        self.budget -= count + 1
        if self.budget < 0:
            raise Unsupported(f"value has more than {MAX_NODES} parts")
        if depth >= MAX_DEPTH:
            raise Unsupported(f"value is nested deeper than {MAX_DEPTH} levels, or contains itself")
        out: list[Any] = [tag]
        append, tree, depth = out.append, self.tree, depth + 1
        for value in values:
            if type(value) is int and -_SMALL < value < _SMALL:
                append(value)
            else:
                append(tree(value, depth))
        return out

    def mapping(self, pairs: Iterable[tuple[Any, Any]], count: int, depth: int) -> list[Any]:
        return self.items("d", (part for pair in pairs for part in pair), 2 * count, depth)

    def _reduced(self, x: Any, kind: type, depth: int) -> Any:
        """A value whose exact type is unknown: as its built-in base, through that base's slots."""
        mro = _type_mro(kind)
        for base, reduce in _REDUCERS:
            if base in mro:
                return self.tree(reduce(x), depth + 1) if depth < MAX_DEPTH else self.items("l", (), 0, depth)
        if BaseException in mro:
            return ["x", _type_name(kind)[:200]]
        if type in mro:
            name = _type_name(x)
            if _BUILTIN_TYPES.get(name) is x:
                return ["T", name]
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            return self._numpy(numpy, x, kind, mro, depth)
        raise Unsupported(f"a value of type {_type_name(kind)[:80]} has no encoding")

    def _numpy(self, numpy: Any, x: Any, kind: type, mro: tuple[type, ...], depth: int) -> Any:
        if numpy.generic in mro:
            item = numpy.generic.item(x)
            if type(item) is not kind:
                return self.tree(item, depth + 1)
        elif numpy.ndarray in mro:
            dtype = numpy.ndarray.__dict__["dtype"].__get__(x)
            if dtype.kind in "biufcUS":
                flat = numpy.ndarray.tolist(numpy.ndarray.ravel(x))
                shape = numpy.ndarray.__dict__["shape"].__get__(x)
                return [
                    "np",
                    str(dtype.str),
                    self.items("l", shape, len(shape), depth + 1),
                    self.items("l", flat, len(flat), depth + 1),
                ]
        raise Unsupported(f"a value of type {_type_name(kind)[:80]} has no encoding")


def _big(x: int) -> Any:
    if x.bit_length() > MAX_INT_BITS:
        raise Unsupported(f"integer of more than {MAX_INT_BITS} bits")
    return ["i", f"{x:x}"]


def _text(x: str) -> Any:
    try:
        x.encode("utf-8")
    except UnicodeEncodeError:
        return ["u", [ord(char) for char in x]]
    return x


def _integer(x: int) -> Any:
    return x if -_SMALL < x < _SMALL else _big(x)


_HANDLERS: dict[type, Callable[[_Encoder, Any, int], Any]] = {
    list: lambda e, x, depth: e.items("l", x, len(x), depth),
    tuple: lambda e, x, depth: e.items("t", x, len(x), depth),
    dict: lambda e, x, depth: e.mapping(x.items(), len(x), depth),
    set: lambda e, x, depth: e.items("s", x, len(x), depth),
    frozenset: lambda e, x, depth: e.items("F", x, len(x), depth),
    collections.deque: lambda e, x, depth: e.items("q", x, len(x), depth),
    complex: lambda e, x, depth: ["c", x.real.hex(), x.imag.hex()],
    bytes: lambda e, x, depth: ["b", x.hex()],
    bytearray: lambda e, x, depth: ["B", x.hex()],
    range: lambda e, x, depth: ["r", _integer(x.start), _integer(x.stop), _integer(x.step)],
    decimal.Decimal: lambda e, x, depth: ["D", decimal.Decimal.__str__(x)],
    fractions.Fraction: lambda e, x, depth: ["Q", e.tree(_numerator(x), depth + 1), e.tree(_denominator(x), depth + 1)],
    datetime.datetime: lambda e, x, depth: ["dt", datetime.datetime.isoformat(x)],
    datetime.date: lambda e, x, depth: ["date", datetime.date.isoformat(x)],
    datetime.time: lambda e, x, depth: ["time", datetime.time.isoformat(x)],
    datetime.timedelta: lambda e, x, depth: ["td", x.days, x.seconds, x.microseconds],
    type(...): lambda e, x, depth: ["e"],
}
"""Exact types beyond the scalars that `_Encoder.tree` handles itself."""

_ALL = slice(None)
_REDUCERS: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (int, int.__pos__),
    (float, float.__pos__),
    (complex, complex.__pos__),
    (str, lambda x: str.__getitem__(x, _ALL)),
    (bytes, lambda x: bytes.__getitem__(x, _ALL)),
    (bytearray, lambda x: bytearray.__getitem__(x, _ALL)),
    (tuple, lambda x: tuple.__getitem__(x, _ALL)),
    (list, lambda x: list.__getitem__(x, _ALL)),
    (dict, lambda x: dict(dict.items(x))),
    (set, lambda x: set(set.__iter__(x))),
    (frozenset, lambda x: frozenset(frozenset.__iter__(x))),
    (collections.deque, lambda x: collections.deque(collections.deque.__iter__(x))),
    (decimal.Decimal, lambda x: decimal.Decimal(decimal.Decimal.__str__(x))),
    (fractions.Fraction, lambda x: fractions.Fraction(_numerator(x), _denominator(x))),
    (datetime.datetime, lambda x: datetime.datetime.fromisoformat(datetime.datetime.isoformat(x))),
    (datetime.date, lambda x: datetime.date.fromisoformat(datetime.date.isoformat(x))),
    (datetime.time, lambda x: datetime.time.fromisoformat(datetime.time.isoformat(x))),
    (datetime.timedelta, datetime.timedelta.__pos__),
)
"""Base types a subclass is reduced to, the more special one first (datetime is a date)."""


def loads(data: bytes) -> Any:
    """Rebuild a value from the wire. Only for a child that checks values: hostile bytes can make this hang.

    Exceptions come back as an instance of an empty class of that name; numpy arrays need numpy.
    """
    return _value(json.loads(data))


def _value(tree: Any) -> Any:
    if type(tree) is not list:
        return tree
    tag, parts = tree[0], tree[1:]
    return _BUILDERS[tag](parts)


def _values(parts: list[Any]) -> list[Any]:
    return [_value(part) for part in parts]


def _float(text: str) -> float:
    return float.fromhex(text)


def _array(parts: list[Any]) -> Any:
    import numpy

    dtype, shape, items = parts
    return numpy.array(_value(items), dtype=dtype).reshape(_value(shape))


_BUILDERS: dict[str, Callable[[list[Any]], Any]] = {
    "i": lambda p: int(p[0], 16),
    "f": lambda p: _float(p[0]),
    "c": lambda p: complex(_float(p[0]), _float(p[1])),
    "u": lambda p: "".join(map(chr, p[0])),
    "b": lambda p: bytes.fromhex(p[0]),
    "B": lambda p: bytearray.fromhex(p[0]),
    "l": _values,
    "t": lambda p: tuple(_values(p)),
    "s": lambda p: set(_values(p)),
    "F": lambda p: frozenset(_values(p)),
    "q": lambda p: collections.deque(_values(p)),
    "d": lambda p: {_value(p[i]): _value(p[i + 1]) for i in range(0, len(p), 2)},
    "r": lambda p: range(*_values(p)),
    "D": lambda p: decimal.Decimal(p[0]),
    "Q": lambda p: fractions.Fraction(*_values(p)),
    "date": lambda p: datetime.date.fromisoformat(p[0]),
    "time": lambda p: datetime.time.fromisoformat(p[0]),
    "dt": lambda p: datetime.datetime.fromisoformat(p[0]),
    "td": lambda p: datetime.timedelta(p[0], p[1], p[2]),
    "np": _array,
    "x": lambda p: type(p[0], (Exception,), {})(),
    "T": lambda p: _BUILTIN_TYPES[p[0]],
    "e": lambda p: ...,
}
