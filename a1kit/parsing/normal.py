"""One spelling for every way to write the same call: the key by which a test counts as repeated.

    canonical(parse("f( [1,\\t2], sep='a')"))  ==  canonical(parse('f([0x1, 2,], sep="a")'))

What is unified: spacing, quotes, number bases and underscores, brackets that mean nothing, keyword arguments (by the
parameters of the reference), star arguments over literals, set order, `list()` and `[]`, repetition and concatenation
of literals, small arithmetic, names of lambda parameters, and set-up variables (given as canonical text in `bound`).
What stays apart: `1`, `1.0` and `True`, `0.0` and `-0.0`, list and tuple, the order of a dict.

The arithmetic is done here, on constants of the test's text, within tight bounds; nothing of the text is executed.
Whoever wants two spellings of one call can still get them (`int("7")`); the judge sees the same value twice, no more.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from a1kit.parsing import names

_LIMIT = 256
_LONGEST = 4000
_BITS = 4096
_EMPTY = {"list": "[]", "tuple": "()", "dict": "{}", "set": "set()", "str": "''", "int": "0", "bytes": "b''"}

Number = int | float | complex
_NUMBERS = (int, float, complex)


@dataclass(slots=True)
class Normaliser:
    """Turns expressions and statements into canonical text.

    `entry_point` and `parameters` tell how keyword arguments map to positions; `bound` gives canonical text for names
    of literal set-up variables and of imports; `renamed` new names for variables that have to stay; `local` are names
    that an inner scope binds and that mean nothing else in it.
    """

    entry_point: str
    parameters: tuple[str, ...] | None = None
    bound: Mapping[str, str] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    local: frozenset[str] = frozenset()
    depth: int = 0

    def text(self, node: ast.AST) -> str:
        """Canonical text of a node; a long one is replaced by its digest, so that keys stay short."""
        text = self._text(node)
        return text if len(text) <= _LONGEST else f"#{hashlib.sha256(text.encode()).hexdigest()}"

    def _text(self, node: ast.AST) -> str:
        kind = type(node)
        if kind is ast.Constant:
            return constant(node.value)  # type: ignore[attr-defined]
        if kind is ast.Name:
            name: str = node.id  # type: ignore[attr-defined]
            if name in self.renamed:
                return self.renamed[name]
            return name if name in self.local else self.bound.get(name, name)
        if kind is ast.List:
            return f"[{', '.join(self._items(node.elts))}]"  # type: ignore[attr-defined]
        if kind is ast.Tuple:
            return _tuple(self._items(node.elts))  # type: ignore[attr-defined]
        method = _METHODS.get(kind)
        return method(self, node) if method is not None else self._generic(node)

    def _items(self, elements: Sequence[ast.expr]) -> list[str]:
        items: list[str] = []
        for element in elements:
            if type(element) is ast.Constant and type(element.value) is int:  # by far the most frequent
                items.append(constant(element.value))
            elif isinstance(element, ast.Starred):
                spread = self.sequence(element.value)
                items += [f"*{self.text(element.value)}"] if spread is None else spread
            else:
                items.append(self.text(element))
        return items

    def _set(self, node: ast.Set) -> str:
        items = sorted(set(self._items(node.elts)))
        return f"{{{', '.join(items)}}}" if items else "set()"

    def _dict(self, node: ast.Dict) -> str:
        items = [
            f"**{self.text(value)}" if key is None else f"{self.text(key)}: {self.text(value)}"
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return f"{{{', '.join(items)}}}"

    def _unary(self, node: ast.UnaryOp) -> str:
        value = number(node)
        if value is not None:
            return constant(value)
        sign = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not "}[type(node.op)]
        return f"({sign}{self.text(node.operand)})"

    def _binary(self, node: ast.BinOp) -> str:
        value = number(node)
        if value is not None:
            return constant(value)
        joined = _string(node)
        if joined is not None:
            return constant(joined)
        if isinstance(node.op, ast.Add | ast.Mult):
            items = self.sequence(node)
            if items is not None:
                return _tuple(items) if _is_tuple(node) else f"[{', '.join(items)}]"
        return f"({self.text(node.left)} {type(node.op).__name__} {self.text(node.right)})"

    def _fstring(self, node: ast.JoinedStr) -> str:
        if all(isinstance(value, ast.Constant) for value in node.values):
            return constant("".join(str(value.value) for value in node.values))  # type: ignore[attr-defined]
        return self._generic(node)

    def _within(self, variables: Sequence[str]) -> Normaliser:
        """For the inside of a scope whose variables' names do not matter."""
        fresh = {name: f"${self.depth + place}" for place, name in enumerate(variables)}
        depth = self.depth + len(variables)
        return Normaliser(
            self.entry_point, self.parameters, self.bound, {**self.renamed, **fresh}, self.local | fresh.keys(), depth
        )

    def _lambda(self, node: ast.Lambda) -> str:
        args = node.args
        inner = self._within([argument.arg for argument in names.all_arguments(args)])
        defaults = ", ".join(self.text(default) for default in args.defaults)
        shape = str(len(args.posonlyargs) + len(args.args))
        if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
            named = [
                argument.arg if default is None else f"{argument.arg}={self.text(default)}"
                for argument, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
            ]
            stars = f"{len(args.posonlyargs)} {bool(args.vararg)} {bool(args.kwarg)}"
            shape = f"{shape} {stars} [{', '.join(named)}]"
        return f"(lambda {shape} [{defaults}] {inner.text(node.body)})"

    def _comprehension(self, node: names.Comprehension) -> str:
        targets = [child for loop in node.generators for child in ast.walk(loop.target)]
        stored = [child.id for child in targets if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store)]
        inner = self._within(list(dict.fromkeys(stored)))
        loops = [
            f"{'async ' if loop.is_async else ''}for {inner.text(loop.target)} "
            + f"in {(inner if place else self).text(loop.iter)}"
            + "".join(f" if {inner.text(condition)}" for condition in loop.ifs)
            for place, loop in enumerate(node.generators)
        ]
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return f"{type(node).__name__}({', '.join(map(inner.text, parts))} {' '.join(loops)})"

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
        own = names.binds(*node.body) if isinstance(node, ast.ClassDef) else names.local(node.args, node.body)
        renamed = {name: text for name, text in self.renamed.items() if name not in own}
        inner = Normaliser(self.entry_point, self.parameters, self.bound, renamed, self.local | own, self.depth)
        outside = [*node.decorator_list]
        if isinstance(node, ast.ClassDef):
            outside += [*node.bases, *(keyword.value for keyword in node.keywords)]
            head = f"class {', '.join(str(keyword.arg) for keyword in node.keywords)}"
        else:
            outside += [*node.args.defaults, *(item for item in node.args.kw_defaults if item is not None)]
            head = f"{type(node).__name__} {inner.text(_bare(node.args))}"
        body = "; ".join(map(inner.text, node.body))
        name = self.renamed.get(node.name, node.name)
        return f"({head} {name} [{', '.join(map(self.text, outside))}] {body})"

    def _attribute(self, node: ast.Attribute) -> str:
        if isinstance(node.value, ast.Name) and node.value.id == "math" and node.attr in ("inf", "nan"):
            return constant(float(node.attr))
        return f"{self.text(node.value)}.{node.attr}"

    def _call(self, node: ast.Call) -> str:
        if isinstance(node.func, ast.Name) and not (
            node.func.id in self.renamed or node.func.id in self.bound or node.func.id in self.local
        ):
            name = node.func.id
            if name == self.entry_point:
                return self._entry_call(node)
            if not node.keywords:
                plain = self._builtin(name, node.args)
                if plain is not None:
                    return plain
            elif name == "dict" and not node.args and all(keyword.arg for keyword in node.keywords):
                pairs = (f"{constant(keyword.arg)}: {self.text(keyword.value)}" for keyword in node.keywords)
                return f"{{{', '.join(pairs)}}}"
        return f"{self.text(node.func)}({', '.join(self._arguments(node, None))})"

    def _builtin(self, name: str, args: Sequence[ast.expr]) -> str | None:
        """Literals written as calls: `list()`, `set([1, 2])`, `tuple(range(3))`, `float("inf")`."""
        if not args:
            return _EMPTY.get(name)
        if len(args) != 1:
            return None
        if name == "float" and isinstance(args[0], ast.Constant) and isinstance(args[0].value, str):
            word = args[0].value.strip().lower()
            if word in ("inf", "+inf", "-inf", "infinity", "-infinity", "nan"):
                return constant(float(word))
        if name in ("list", "tuple", "set"):
            items = self.sequence(args[0], spread=True)
            if items is not None:
                if name == "set":
                    return f"{{{', '.join(sorted(set(items)))}}}" if items else "set()"
                return _tuple(items) if name == "tuple" else f"[{', '.join(items)}]"
        return None

    def _entry_call(self, node: ast.Call) -> str:
        return f"{self.entry_point}({', '.join(self._arguments(node, self.parameters))})"

    def _arguments(self, node: ast.Call, parameters: tuple[str, ...] | None) -> list[str]:
        positional = self._items(node.args)
        keywords: dict[str, str] = {}
        spread: list[str] = []
        for keyword in node.keywords:
            if keyword.arg is not None:
                keywords[keyword.arg] = self.text(keyword.value)
            elif isinstance(keyword.value, ast.Dict) and all(_is_name(key) for key in keyword.value.keys):
                for key, value in zip(keyword.value.keys, keyword.value.values, strict=True):
                    keywords[key.value] = self.text(value)  # type: ignore[union-attr]
            else:
                spread.append(f"**{self.text(keyword.value)}")
        if parameters is not None and not any(item.startswith("*") for item in positional):
            while len(positional) < len(parameters) and parameters[len(positional)] in keywords:
                positional.append(keywords.pop(parameters[len(positional)]))
        return [*positional, *(f"{name}={value}" for name, value in sorted(keywords.items())), *spread]

    def sequence(self, node: ast.expr, spread: bool = False) -> list[str] | None:
        """Canonical items of a list or tuple that is known from the text alone, else None. `spread` also opens strings
        and `range`, as `list(…)` does."""
        if isinstance(node, ast.List | ast.Tuple):
            items = self._items(node.elts)
            return None if any(item.startswith("*") for item in items) else items
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            for side, times in ((node.left, node.right), (node.right, node.left)):
                count = number(times)
                items_ = self.sequence(side) if isinstance(count, int) else None
                if items_ is not None and isinstance(count, int) and len(items_) * max(count, 0) <= _LIMIT:
                    return items_ * count
            return None
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Add)
            and _is_tuple(node.left) == _is_tuple(node.right)
        ):
            left, right = self.sequence(node.left), self.sequence(node.right)
            return None if left is None or right is None or len(left) + len(right) > _LIMIT else left + right
        if spread and isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) <= _LIMIT:
            return [constant(letter) for letter in node.value]
        if spread:
            values = range_of(node)
            return None if values is None else [constant(value) for value in values]
        return None

    def _generic(self, node: ast.AST) -> str:
        parts = []
        for name, value in ast.iter_fields(node):
            if name in ("ctx", "type_comment", "kind"):
                continue
            if isinstance(value, list):
                inner = ", ".join(self.text(item) if isinstance(item, ast.AST) else repr(item) for item in value)
                parts.append(f"[{inner}]")
            elif isinstance(value, ast.AST):
                parts.append(self.text(value))
            elif isinstance(value, str):
                parts.append(self.renamed.get(value, value) if name in ("name", "arg", "id") else repr(value))
            else:
                parts.append(repr(value))
        return f"{type(node).__name__}({', '.join(parts)})"


_METHODS: dict[type[ast.AST], Callable[[Normaliser, Any], str]] = {
    ast.Set: Normaliser._set,
    ast.Dict: Normaliser._dict,
    ast.UnaryOp: Normaliser._unary,
    ast.BinOp: Normaliser._binary,
    ast.JoinedStr: Normaliser._fstring,
    ast.Lambda: Normaliser._lambda,
    ast.ListComp: Normaliser._comprehension,
    ast.SetComp: Normaliser._comprehension,
    ast.DictComp: Normaliser._comprehension,
    ast.GeneratorExp: Normaliser._comprehension,
    ast.FunctionDef: Normaliser._definition,
    ast.AsyncFunctionDef: Normaliser._definition,
    ast.ClassDef: Normaliser._definition,
    ast.Attribute: Normaliser._attribute,
    ast.Call: Normaliser._call,
}


def _bare(args: ast.arguments) -> ast.arguments:
    """Parameters with their names and kinds; of default values only how many there are."""
    there = ast.Constant(True)
    return ast.arguments(
        [ast.arg(argument.arg) for argument in args.posonlyargs],
        [ast.arg(argument.arg) for argument in args.args],
        ast.arg(args.vararg.arg) if args.vararg else None,
        [ast.arg(argument.arg) for argument in args.kwonlyargs],
        [None if default is None else there for default in args.kw_defaults],
        ast.arg(args.kwarg.arg) if args.kwarg else None,
        [there for _ in args.defaults],
    )


def constant(value: object) -> str:
    """Canonical text of a constant: types stay apart, integers of any size have one."""
    kind = type(value)
    if kind is str or kind is bool:
        return repr(value)
    if isinstance(value, int):
        return hex(value) if value.bit_length() > 14_000 else repr(value)
    if isinstance(value, float):
        return "inf" if value == float("inf") else "-inf" if value == float("-inf") else repr(value)
    return repr(value)


def _tuple(items: list[str]) -> str:
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def _is_tuple(node: ast.expr) -> bool:
    while isinstance(node, ast.BinOp):
        node = node.right if isinstance(node.left, ast.Constant) else node.left
    return isinstance(node, ast.Tuple)


def _is_name(key: ast.expr | None) -> bool:
    return isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier()


def number(node: ast.expr) -> Number | None:
    """The number that a constant expression stands for (`-1`, `10**-6`, `2 * 3`), None for anything else or too
    large."""
    if isinstance(node, ast.Constant):
        value = node.value
        return value if isinstance(value, _NUMBERS) and not isinstance(value, bool) else None
    if isinstance(node, ast.UnaryOp):
        inner = number(node.operand)
        if inner is None:
            return None
        if isinstance(node.op, ast.USub):
            return -inner
        return inner if isinstance(node.op, ast.UAdd) else None
    if isinstance(node, ast.BinOp):
        left = number(node.left)
        right = number(node.right) if left is not None else None
        if left is not None and right is not None:
            return _arithmetic(node.op, left, right)
    return None


def _arithmetic(operator: ast.operator, left: Number, right: Number) -> Number | None:
    if any(isinstance(side, int) and side.bit_length() > _BITS for side in (left, right)):
        return None
    try:
        if isinstance(operator, ast.Add):
            return left + right
        if isinstance(operator, ast.Sub):
            return left - right
        if isinstance(operator, ast.Mult):
            return left * right
        if isinstance(operator, ast.Div):
            return left / right
        if isinstance(operator, ast.Pow) and isinstance(left, int | float) and isinstance(right, int):
            return _power(left, right)
    except (ArithmeticError, ValueError):
        return None
    return None


def _power(base: int | float, exponent: int) -> Number | None:
    if abs(exponent) > _LIMIT or (isinstance(base, int) and base.bit_length() * abs(exponent) > _BITS):
        return None
    result: Number = base**exponent
    return result


def _string(node: ast.expr) -> str | bytes | None:
    """`"a" * 3` and `"a" + "b"` as one string, when short."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str | bytes) else None
    if not isinstance(node, ast.BinOp):
        return None
    if isinstance(node.op, ast.Add):
        left, right = _string(node.left), _string(node.right)
        if isinstance(left, str) and isinstance(right, str):
            return left + right
        if isinstance(left, bytes) and isinstance(right, bytes):
            return left + right
    if isinstance(node.op, ast.Mult):
        for side, times in ((node.left, node.right), (node.right, node.left)):
            count, text = number(times), _string(side)
            if isinstance(count, int) and text is not None and len(text) * max(count, 0) <= 16 * _LIMIT:
                return text * count
    return None


def range_of(node: ast.expr) -> range | None:
    """The `range` that a call with constant arguments makes, at most 256 numbers long."""
    if not (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range" and not node.keywords
    ):
        return None
    values = [number(argument) for argument in node.args]
    if not 1 <= len(values) <= 3:
        return None
    whole = [value for value in values if isinstance(value, int)]
    if len(whole) != len(values) or (len(whole) == 3 and whole[2] == 0):
        return None
    result = range(*whole)
    try:
        return result if len(result) <= _LIMIT else None
    except OverflowError:
        return None
