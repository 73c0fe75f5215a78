"""The trusted half of the value wire: bytes from a hostile child become a `Value`, or are rejected.

Nothing is rebuilt. The JSON tree (see `a1kit.sandbox.codec` for the tags) is *described* in three strings:

* `canonical`, equal for two values exactly when Python's `==` holds between them, with the one exception that nan
  equals nan: True is 1 is 1.0 is Decimal("1"), a set is a frozenset, a tuple is not a list, -0.0 is 0.0;
* `strict`, the same, but also separating types;
* `source`, a Python expression for the value, rendered here from the tree, so that it can be written into a test.

Elements of sets and items of dicts are sorted by their canonical string and repeats dropped; no `set` or `dict` is
filled from the wire, because a child can send integers that all hash to 0. Size, nesting, number of parts and integer
length are bounded before the JSON parser sees the bytes, so that neither memory nor time nor the stack can be
exhausted. Long canonical strings are replaced by their SHA-256.

Known departures from `==`: Decimals of more than 4,000 digits or exponents beyond 5,000 equal only Decimals; an
OrderedDict or Counter compares as a dict; two numpy arrays are equal when shapes and all elements are.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NoReturn

from a1kit.sandbox import wire_forms as forms
from a1kit.sandbox.protocol import Value

MAX_BYTES = 4 << 20
MAX_DEPTH = 105
MAX_NODES = 260_000
MAX_SOURCE = 100_000
_DIGEST_FROM = 4_096
_CACHED_BYTES = 1_024

Tree = Any
"""A parsed JSON value: None, bool, int, str, or a list of trees."""


class WireError(ValueError):
    """The bytes are not a value; the message says why. A child sent them, so it is data, not a fault."""


def read(data: bytes) -> Value:
    """Describe the value that `data` encodes.

    Raises
    ------
    WireError
        Too long, too deep, too many parts, not JSON, or not a value.
    """
    return _read_small(data) if len(data) <= _CACHED_BYTES else _read(data)


def same(a: Value, b: Value, *, strict: bool = False) -> bool:
    """Whether two values are equal (`strict`: and of equal types throughout)."""
    return a.strict == b.strict if strict else a.canonical == b.canonical


def close(a: Value, b: Value, *, rel_tol: float = 0.0, abs_tol: float = 0.0) -> bool:
    """Whether two values are equal with their numbers compared by `math.isclose`.

    Descends into lists, tuples, deques, arrays and the values of dicts; sets and dict keys must be equal exactly.
    """
    if a.canonical == b.canonical:
        return True
    try:
        return _close(parse(a.wire), parse(b.wire), rel_tol, abs_tol)
    except WireError:
        return False


def parse(data: bytes) -> Tree:
    """The JSON tree of `data`, bounded in every direction. Raises `WireError`."""
    if len(data) > MAX_BYTES:
        raise WireError(f"{len(data)} bytes exceed the limit of {MAX_BYTES}")
    if len(data) > _CACHED_BYTES:
        _check_skeleton(data)
    try:
        return _decode(data.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise WireError(f"not a value: {type(error).__name__}") from None


def _reject(text: str) -> NoReturn:
    raise ValueError(f"bare number {text[:20]}")


_decode = json.JSONDecoder(parse_float=_reject, parse_constant=_reject).decode
_LONG_NUMBER = re.compile(rb"[0-9]{20}")
_NOT_BRACKETS = bytes(code for code in range(256) if code not in b"[]")


def _check_skeleton(data: bytes) -> None:
    """Bound parts, nesting and number length before parsing, in time linear in the bytes."""
    plain = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    if plain.count(b'"') > 2 * MAX_NODES:
        raise WireError(f"more than {MAX_NODES} parts")
    skeleton = b"".join(plain.split(b'"')[::2])
    if b"{" in skeleton:
        raise WireError("a JSON object is not a value")
    if skeleton.count(b",") + skeleton.count(b"[") > 2 * MAX_NODES:
        raise WireError(f"more than {MAX_NODES} parts")
    if _LONG_NUMBER.search(skeleton):
        raise WireError("a bare integer of more than 19 digits")
    brackets = skeleton.translate(None, _NOT_BRACKETS)
    for _ in range(MAX_DEPTH):
        shorter = brackets.replace(b"[]", b"")
        if len(shorter) == len(brackets):
            break
        brackets = shorter
    if brackets:
        raise WireError(f"nested deeper than {MAX_DEPTH} levels, or unbalanced")


def _read(data: bytes) -> Value:
    tree = parse(data)
    try:
        canonical = _Describer(strict=False).text(tree, 0)
        strict = _Describer(strict=True).text(tree, 0)
    except (ValueError, TypeError, OverflowError, RecursionError, IndexError) as error:
        raise WireError(f"not a value: {error}"[:200]) from None
    imports: set[str] = set()
    source = _Renderer(imports).text(tree)
    if source is not None and len(source) > MAX_SOURCE:
        source = None
    return Value(_digest(canonical), _digest(strict), data, source, tuple(sorted(imports)) if source else ())


_read_small = lru_cache(maxsize=4_096)(_read)


def _digest(text: str) -> str:
    if len(text) < _DIGEST_FROM:
        return text
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()


class _Describer:
    """Canonical strings. `strict` adds the type wherever `==` looks through it."""

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self.spent: forms.Budget | None = None

    @property
    def work(self) -> forms.Budget:
        """What slow arithmetic may still cost; most values need none."""
        if self.spent is None:
            self.spent = forms.Budget()
        return self.spent

    def text(self, tree: Tree, depth: int) -> str:
        kind = type(tree)
        if kind is int:
            return f"I{tree:x}" if self.strict else f"n{tree:x}"
        if kind is str:
            return forms.text(tree)
        if tree is None:
            return "N"
        if kind is bool:
            return f"B{tree:d}" if self.strict else f"n{tree:d}"
        if kind is not list or not tree or type(tree[0]) is not str:
            raise WireError("an array without a tag")
        if depth > MAX_DEPTH:
            raise WireError("too deep")
        describe = _DESCRIBE.get(tree[0])
        if describe is None:
            raise WireError(f"unknown tag {tree[0][:20]!r}")
        return describe(self, tree, depth)

    def parts(self, trees: Iterable[Tree], depth: int) -> list[str]:
        letter = "I" if self.strict else "n"
        text, depth = self.text, depth + 1
        return [f"{letter}{tree:x}" if type(tree) is int else text(tree, depth) for tree in trees]

    def joined(self, tag: str, tree: Tree, depth: int) -> str:
        return f"{tag}[{','.join(self.parts(tree[1:], depth))}]"

    def unordered(self, tag: str, tree: Tree, depth: int) -> str:
        return f"{tag if self.strict else 's'}{{{','.join(_distinct(sorted(self.parts(tree[1:], depth))))}}}"

    def mapping(self, tree: Tree, depth: int) -> str:
        if len(tree) % 2 == 0:
            raise WireError("a key without a value")
        keys, values = self.parts(tree[1::2], depth), self.parts(tree[2::2], depth)
        order = sorted(range(len(keys)), key=keys.__getitem__)
        items = [
            f"{keys[i]}:{values[i]}"
            for place, i in enumerate(order)
            if place + 1 == len(order) or keys[order[place + 1]] != keys[i]
        ]
        return f"d{{{','.join(items)}}}"

    def number(self, tag: str, plain: str) -> str:
        return f"{tag}:{plain}" if self.strict else f"n{plain}"

    def array(self, tree: Tree, depth: int) -> str:
        dtype, shape, items = _array_parts(tree)
        head = f"np{dtype}" if self.strict else "np"
        body = ",".join(_Describer(strict=False).parts(items, depth + 1))
        return f"{head}{shape}[{body}]"


def _distinct(ordered: list[str]) -> list[str]:
    return [text for i, text in enumerate(ordered) if i == 0 or text != ordered[i - 1]]


def _array_parts(tree: Tree) -> tuple[str, list[int], list[Tree]]:
    """dtype, shape and flat elements of an `np` tree, checked against each other."""
    _, dtype, shape, items = tree
    if not re.fullmatch(r"[<>|=][biufcUS]\d{1,6}", dtype) or shape[:1] != ["l"] or items[:1] != ["l"]:
        raise WireError("a malformed array")
    dims = shape[1:]
    if len(dims) > 32 or any(type(n) is not int or n < 0 for n in dims) or math.prod(dims) != len(items) - 1:
        raise WireError("an array whose shape does not fit its elements")
    return dtype, dims, items[1:]


_DESCRIBE: dict[str, Callable[[_Describer, Tree, int], str]] = {
    "i": lambda d, t, depth: f"{'I' if d.strict else 'n'}{forms.integer(t):x}",
    "f": lambda d, t, depth: d.number("F", forms.real(forms.float_of(t, 1))),
    "c": lambda d, t, depth: forms.complex_text(t, d.strict),
    "u": lambda d, t, depth: forms.text(forms.code_points(t)),
    "b": lambda d, t, depth: f"b{forms.raw(t).hex()}",
    "B": lambda d, t, depth: f"{'B:' if d.strict else 'b'}{forms.raw(t).hex()}",
    "l": lambda d, t, depth: d.joined("l", t, depth),
    "t": lambda d, t, depth: d.joined("t", t, depth),
    "q": lambda d, t, depth: d.joined("q", t, depth),
    "s": lambda d, t, depth: d.unordered("s", t, depth),
    "F": lambda d, t, depth: d.unordered("F", t, depth),
    "d": lambda d, t, depth: d.mapping(t, depth),
    "r": lambda d, t, depth: forms.range_text(t),
    "D": lambda d, t, depth: d.number("D", forms.decimal_text(t, d.work)),
    "Q": lambda d, t, depth: d.number("Q", forms.fraction_text(t, d.work)),
    "date": lambda d, t, depth: f"date{forms.date(t).isoformat()}",
    "time": lambda d, t, depth: f"time{forms.time(t).isoformat()}",
    "dt": lambda d, t, depth: forms.instant(forms.moment(t)),
    "td": lambda d, t, depth: f"td{forms.duration(t)!r}",
    "np": lambda d, t, depth: d.array(t, depth),
    "x": lambda d, t, depth: f"x{forms.name(t)}",
    "T": lambda d, t, depth: f"T{forms.name(t)}",
    "e": lambda d, t, depth: forms.ellipsis(t),
}


class _Renderer:
    """Python source of a tree that `_Describer` has accepted; None where a part has none. Collects imports."""

    def __init__(self, imports: set[str]) -> None:
        self.imports = imports

    def text(self, tree: Tree) -> str | None:
        kind = type(tree)
        if kind is int or kind is str or kind is bool or tree is None:
            return repr(tree)
        return _RENDER[tree[0]](self, tree)

    def parts(self, trees: Iterable[Tree]) -> list[str] | None:
        out = []
        for tree in trees:
            text = repr(tree) if type(tree) is int else self.text(tree)
            if text is None:
                return None
            out.append(text)
        return out

    def wrapped(self, before: str, trees: Iterable[Tree], after: str) -> str | None:
        parts = self.parts(trees)
        return None if parts is None else f"{before}{', '.join(parts)}{after}"

    def pair(self, tree: Tree) -> str | None:
        return self.wrapped("(", tree[1:], ",)" if len(tree) == 2 else ")")

    def unordered(self, tree: Tree) -> str | None:
        """Elements in canonical order, so that the same set has the same source under every hash seed."""
        describer = _Describer(strict=False)
        keyed = sorted(((describer.text(part, 0), i) for i, part in enumerate(tree[1:])))
        chosen = [i for place, (key, i) in enumerate(keyed) if place == 0 or key != keyed[place - 1][0]]
        return self.wrapped("{", (tree[1 + i] for i in chosen), "}") if chosen else "set()"

    def frozen(self, tree: Tree) -> str | None:
        inner = self.unordered(tree)
        return None if inner is None else f"frozenset({'' if inner == 'set()' else inner})"

    def mapping(self, tree: Tree) -> str | None:
        keys, values = self.parts(tree[1::2]), self.parts(tree[2::2])
        if keys is None or values is None:
            return None
        return "{" + ", ".join(f"{key}: {value}" for key, value in zip(keys, values, strict=True)) + "}"

    def array(self, tree: Tree) -> str | None:
        dtype, shape, items = _array_parts(tree)
        self.imports.add("import numpy")
        flat = self.wrapped("[", items, "]")
        tail = "" if len(shape) == 1 else f".reshape({tuple(shape)})"
        return None if flat is None else f"numpy.array({flat}, dtype={dtype!r}){tail}"

    def importing(self, statement: str, text: str) -> str:
        self.imports.add(statement)
        return text


def _int_source(number: int) -> str:
    """Decimal when the interpreter's limit on digits surely allows it, else hexadecimal, which has no limit."""
    limit = sys.get_int_max_str_digits() or 4_300
    return repr(number) if number.bit_length() < 3 * min(limit, 4_300) else hex(number)


def _float_source(number: float) -> str:
    return repr(number) if math.isfinite(number) else f"float({str(number)!r})"


def _fraction_source(tree: Tree) -> str:
    numerator, denominator = forms.fraction(tree)
    return f"Fraction({_int_source(numerator)}, {_int_source(denominator)})"


_DATETIME = "import datetime"
_RENDER: dict[str, Callable[[_Renderer, Tree], str | None]] = {
    "i": lambda r, t: _int_source(forms.integer(t)),
    "f": lambda r, t: _float_source(forms.float_of(t, 1)),
    "c": lambda r, t: f"complex({_float_source(forms.float_of(t, 1))}, {_float_source(forms.float_of(t, 2))})",
    "u": lambda r, t: repr(forms.code_points(t)),
    "b": lambda r, t: repr(forms.raw(t)),
    "B": lambda r, t: f"bytearray({forms.raw(t)!r})",
    "l": lambda r, t: r.wrapped("[", t[1:], "]"),
    "t": lambda r, t: r.pair(t) if len(t) > 1 else "()",
    "q": lambda r, t: r.wrapped(r.importing("from collections import deque", "deque(["), t[1:], "])"),
    "s": lambda r, t: r.unordered(t),
    "F": lambda r, t: r.frozen(t),
    "d": lambda r, t: r.mapping(t),
    "r": lambda r, t: r.wrapped("range(", t[1:], ")"),
    "D": lambda r, t: r.importing("from decimal import Decimal", f"Decimal({t[1]!r})"),
    "Q": lambda r, t: r.importing("from fractions import Fraction", _fraction_source(t)),
    "date": lambda r, t: r.importing(_DATETIME, repr(forms.date(t))),
    "time": lambda r, t: r.importing(_DATETIME, repr(forms.time(t))),
    "dt": lambda r, t: r.importing(_DATETIME, repr(forms.moment(t))),
    "td": lambda r, t: r.importing(_DATETIME, repr(forms.duration(t))),
    "np": lambda r, t: r.array(t),
    "x": lambda r, t: None,
    "T": lambda r, t: forms.name(t),
    "e": lambda r, t: "...",
}


def _close(a: Tree, b: Tree, rel_tol: float, abs_tol: float) -> bool:
    x, y = forms.as_float(a), forms.as_float(b)
    if x is not None and y is not None:
        return (x != x and y != y) or math.isclose(x, y, rel_tol=rel_tol, abs_tol=abs_tol)
    if type(a) is list and type(b) is list and a[0] == b[0]:
        if a[0] in ("l", "t", "q"):
            pairs = zip(a[1:], b[1:], strict=False)
            return len(a) == len(b) and all(_close(m, n, rel_tol, abs_tol) for m, n in pairs)
        if a[0] == "np":
            return a[2] == b[2] and _close(a[3], b[3], rel_tol, abs_tol)
        if a[0] == "d" and len(a) == len(b):
            (keys_a, values_a), (keys_b, values_b) = _sorted_items(a), _sorted_items(b)
            return keys_a == keys_b and all(map(lambda m, n: _close(m, n, rel_tol, abs_tol), values_a, values_b))
    return _Describer(strict=False).text(a, 0) == _Describer(strict=False).text(b, 0)


def _sorted_items(tree: Tree) -> tuple[list[str], list[Tree]]:
    keys = _Describer(strict=False).parts(tree[1::2], 0)
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return [keys[i] for i in order], [tree[2 + 2 * i] for i in order]
