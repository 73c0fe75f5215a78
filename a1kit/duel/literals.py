"""Predicted answers that are plain literals, put on the wire without being evaluated.

    literal_wire("[1, -2.5]")  ->  b'["l",1,["f","-0x1.4000000000000p+1"]]'

A predicted answer is model-written text. Evaluating it here, even with `ast.literal_eval`, would build sets and dicts
whose hashes the model chose; a crafted set of integers takes minutes. So the syntax tree is translated to the tree of
`a1kit.sandbox.codec` and compared as canonical text like every other value. Whatever is not a plain literal gives
None: it is evaluated in a child (`a1kit.duel.neutral`).
"""

from __future__ import annotations

import ast
import json
import re
from functools import lru_cache

from a1kit.parsing.source import Unparsable, parse

_SMALL_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})", re.ASCII)
_FITS = 1 << 53
_DUMPS = json.JSONEncoder(check_circular=False, allow_nan=False, separators=(",", ":")).encode
_SEQUENCES: dict[type[ast.AST], str] = {ast.List: "l", ast.Tuple: "t", ast.Set: "s"}
_NAMED = {"None": b"null", "True": b"true", "False": b"false"}

_EMPTY_SET = ast.dump(ast.parse("set()", mode="eval").body)

Tree = None | bool | int | str | list["Tree"]


class _NotPlain(Exception):
    """Not a literal; the value needs a child."""


def literal_wire(source: str) -> bytes | None:
    """The wire bytes of a literal, or None when `source` is anything else (or no Python at all)."""
    return _short(source) if len(source) <= _SHORT else _wire(source)


def _wire(source: str) -> bytes | None:
    source = source.strip()
    if _SMALL_INTEGER.fullmatch(source):
        return b"0" if source == "-0" else source.encode()
    named = _NAMED.get(source)
    if named is not None:
        return named
    try:
        (statement,) = parse(source).body
        if not isinstance(statement, ast.Expr):
            return None
        return _DUMPS(_tree(statement.value)).encode("ascii")
    except (Unparsable, ValueError, RecursionError, _NotPlain):
        return None


_SHORT = 400
_short = lru_cache(maxsize=16_384)(_wire)


def _tree(node: ast.expr) -> Tree:
    kind = type(node)
    if kind is ast.Constant:
        return _constant(node.value)  # type: ignore[attr-defined]
    tag = _SEQUENCES.get(kind)
    if tag is not None:
        return [tag, *map(_tree, node.elts)]  # type: ignore[attr-defined]
    if isinstance(node, ast.Dict):
        pairs: list[Tree] = ["d"]
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                raise _NotPlain
            pairs += [_tree(key), _tree(value)]
        return pairs
    if isinstance(node, ast.UnaryOp):
        return _signed(node)
    if isinstance(node, ast.Call) and ast.dump(node) == _EMPTY_SET:
        return ["s"]
    raise _NotPlain


def _constant(value: object) -> Tree:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -_FITS < value < _FITS else ["i", f"{value:x}"]
    if isinstance(value, float):
        return ["f", value.hex()]
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return ["u", [ord(char) for char in value]]
        return value
    if isinstance(value, bytes):
        return ["b", value.hex()]
    if isinstance(value, complex):
        return ["c", value.real.hex(), value.imag.hex()]
    if value is ...:
        return ["e"]
    raise _NotPlain


def _signed(node: ast.UnaryOp) -> Tree:
    if not isinstance(node.operand, ast.Constant):
        raise _NotPlain
    value = node.operand.value
    if type(value) not in (int, float, complex):
        raise _NotPlain
    if isinstance(node.op, ast.USub):
        return _constant(-value)  # type: ignore[operator]
    if isinstance(node.op, ast.UAdd):
        return _constant(value)
    raise _NotPlain
