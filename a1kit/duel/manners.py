"""What a test's calls may do in the child that holds the program, told from their source.

A test is model-written, and its set-up and arguments are evaluated beside the program it tests. Two things a hostile
tester must not gain from that:

* *telling reference and candidate apart*: `f(3 if f.__code__.co_argcount else 4)` asks the two for different things, so
  that a right candidate fails. A call that looks into the program, the interpreter or the machine is `PRYING`, and the
  test is malformed;
* *spoiling the calls beside it*: a set-up that leaves something behind in a module changes what later calls of the same
  child give, for other suites as well. Calls of anything but literals are `ALONE`: each gets a child of its own.

What remains, `f` called with literals, is `PLAIN`, shares a child, and is nearly everything a trained tester writes.
A reference that evaluates text (`eval`) makes even literals dangerous; then every call is alone.

This reads names. It is no sandbox: a module of the standard library that hands out another under an unexpected name
would get through to a child of its own, where it can still harm nobody else.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import lru_cache

from a1kit.parsing.source import Unparsable, parse


class Manners(IntEnum):
    """How a test's calls behave, from harmless to refused."""

    PLAIN = 0
    ALONE = 1
    PRYING = 2


_LITERAL_CALL = r"\((?:[-+\s0-9.,:\[\](){}]|True|False|None|'[^'\\\n]*'|\"[^\"\\\n]*\")*\)"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PURE = _words(
    "abs all any ascii bin bool bytearray bytes chr complex dict divmod enumerate filter float format frozenset hex "
    "int iter len list map max min next oct ord pow range repr reversed round set slice sorted str sum tuple zip"
)
_APPLIES = _words("accumulate dropwhile filter filterfalse map max min partial reduce sorted starmap takewhile")
"""What the function under test may be handed to. Anything else could ask what kind of thing it is."""

_PRYING_NAMES = _words("breakpoint compile delattr dir eval exec getattr globals hasattr id locals open setattr vars")
_MODULES = _words(
    "abc array bisect calendar cmath collections copy csv dataclasses datetime decimal enum fractions functools "
    "hashlib heapq io itertools json math numbers operator os pytest queue random re statistics string struct sys "
    "textwrap time typing unicodedata uuid zoneinfo"
)
"""Modules of the standard library that a test may import."""

_OF_MODULE = {"os": _words("path sep linesep"), "sys": _words("maxsize float_info int_info maxunicode byteorder")}
"""Of these modules, only this."""

_DANGEROUS = _words(
    "attrgetter builtins cache_clear cache_info ctypes f_back f_builtins f_code f_globals f_locals format_map func gc "
    "gi_code gi_frame importlib inspect methodcaller mock modules monkeypatch os patch sys tb_frame threading"
)
_SPECIAL_METHODS = frozenset(
    f"__{name}__"
    for name in _words(
        "abs add and bool call contains enter eq exit float ge getitem gt hash init int invert iter le len lt mod mul "
        "ne neg next or post_init pow radd repr rmul rsub str sub truediv xor"
    )
)


def manners(calls: Iterable[str], setup: str, entry_point: str) -> Manners:
    """How the calls of a test behave."""
    if setup:
        return _read("\n".join([setup, *calls]), entry_point)
    return max((_of_call(call, entry_point) for call in calls), default=Manners.PLAIN)


def evaluates_text(program: str) -> bool:
    """Whether a program might run text that it is given as code."""
    return _EVALUATES.search(program) is not None


_EVALUATES = re.compile(
    r"(?<![.\w])(?:eval|exec|compile|__import__)\b|\b(?:import_module|run_path|pickle|marshal|shelve)\b"
)


@lru_cache(maxsize=16_384)
def _of_call(call: str, entry_point: str) -> Manners:
    if _literal_call(entry_point).fullmatch(call):
        return Manners.PLAIN
    return _read(call, entry_point)


@lru_cache(maxsize=1_024)
def _literal_call(entry_point: str) -> re.Pattern[str]:
    return re.compile(re.escape(entry_point) + _LITERAL_CALL)


def _read(source: str, entry_point: str) -> Manners:
    try:
        tree = parse(source)
    except Unparsable:
        return Manners.ALONE
    try:
        return max(_seen(tree, entry_point), default=Manners.PLAIN)
    except RecursionError:
        return Manners.ALONE


def _seen(tree: ast.AST, entry_point: str) -> Iterator[Manners]:
    nodes = list(ast.walk(tree))
    modules = dict(_imports(nodes))
    assigned = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    used_well = {id(part) for node in nodes if isinstance(node, ast.Call) for part in _used_well(node)}
    for node in nodes:
        if isinstance(node, ast.Name):
            if node.id == entry_point:
                yield Manners.PLAIN if id(node) in used_well else Manners.PRYING
            elif node.id in _PRYING_NAMES or (node.id.startswith("__") and node.id != "__name__"):
                yield Manners.PRYING
            elif node.id not in _PURE and node.id not in assigned:
                yield Manners.ALONE
        elif isinstance(node, ast.Attribute):
            yield _attribute(node, entry_point, modules)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield _import(node)
        elif isinstance(node, _LASTING):
            yield Manners.ALONE


_LASTING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.With, ast.Try, ast.Global, ast.Lambda)


def _used_well(call: ast.Call) -> Iterator[ast.expr]:
    """The places in a call where the function under test may stand: as what is called, or as what is applied."""
    yield call.func
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    if name in _APPLIES:
        yield from call.args[:1]
        yield from (keyword.value for keyword in call.keywords if keyword.arg in ("key", "func", "function"))


def _attribute(node: ast.Attribute, entry_point: str, modules: dict[str, str]) -> Manners:
    if isinstance(node.value, ast.Constant) and node.attr.isalpha():
        return Manners.PLAIN  # "a b".split()
    base = node.value.id if isinstance(node.value, ast.Name) else None
    hidden = node.attr.startswith("_") and node.attr not in _SPECIAL_METHODS
    if hidden or base == entry_point or node.attr in _DANGEROUS:
        return Manners.PRYING
    if base in modules:
        allowed = _OF_MODULE.get(modules[base])
        if not isinstance(node.ctx, ast.Load) or (allowed is not None and node.attr not in allowed):
            return Manners.PRYING
    return Manners.ALONE


def _imports(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """Name and module for everything that is imported under a name."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield (alias.asname or alias.name.partition(".")[0]), alias.name.partition(".")[0]


def _import(node: ast.Import | ast.ImportFrom) -> Manners:
    if isinstance(node, ast.ImportFrom):
        root = (node.module or "").partition(".")[0]
        allowed = _OF_MODULE.get(root)
        for alias in node.names:
            if alias.name in _DANGEROUS or (allowed is not None and alias.name not in allowed) or alias.name == "*":
                return Manners.PRYING
        roots = [root]
    else:
        roots = [alias.name.partition(".")[0] for alias in node.names]
    for root in roots:
        if root in sys.stdlib_module_names and root not in _MODULES:
            return Manners.PRYING
    return Manners.ALONE
