"""Mutants of a program: one small change each, by cosmic-ray's operators, made in memory.

    for mutant in mutants("def add(a, b): return a + b"):
        mutant.operator, mutant.source         # "core/ReplaceBinaryOperator_Add_Sub", "def add(a, b): return a - b"

The operators are those of the package cosmic-ray itself (extra `eval`), in its order and with its numbering, so that a
mutant is named by (operator, occurrence) here as there. What differs is only where the changed text goes: into a string
instead of over the file, and from there into the sandbox (`a1kit.evaluation.mutation`) instead of one start of pytest a
mutant.

Two kinds of mutant are known before anything is run. One that does not *compile* is killed by any test (cosmic-ray
starts pytest to find out). One that compiles to the *same code* as the original, because the compiler folds the
change away, is equivalent to it: no test can kill it.

Not handled: operators that need arguments (`VariableReplacer`, `VariableInserter`), which cosmic-ray leaves out too
unless a configuration gives them; operators of other packages that plug into cosmic-ray.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Any

from a1kit.errors import InputError, MissingDependency

PREFIX = "core/"
"""What cosmic-ray puts before the names of its own operators."""

Place = tuple[int, int]
"""Line (from 1) and column (from 0)."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A program with one change.

    operator, occurrence   cosmic-ray's name of the change and which of the places it could be made at
    start, end             what was changed, in the original
    source                 the changed program
    fault                  why it does not compile; "" when it does
    same                   it compiles to the same code as the original: certainly equivalent
    """

    operator: str
    occurrence: int
    start: Place
    end: Place
    source: str
    fault: str = ""
    same: bool = False


def mutants(source: str) -> tuple[Mutant, ...]:
    """Every mutant of a program, in cosmic-ray's order.

    Raises `InputError` for a program that does not compile, or that an operator cannot read; `MissingDependency`
    without cosmic-ray.
    """
    parts = _cosmic_ray()
    original, fault = _compiled(source)
    if original is None:
        raise InputError(f"the program to be mutated does not compile: {fault}; give a program that does")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `x is "a"` is a change as good as any
        return tuple(_mutants(source, original, parts))


def operators() -> tuple[str, ...]:
    """Names of the operators that are applied."""
    return tuple(PREFIX + name for name in _cosmic_ray().operators)


@dataclass(frozen=True, slots=True)
class _CosmicRay:
    """The parts of cosmic-ray that are used: operators by name, its parser, and its walk over the nodes of a tree."""

    operators: Mapping[str, Any]
    parse: Callable[[str], Any]
    nodes: Callable[[Any], Iterable[Any]]


@cache
def _cosmic_ray() -> _CosmicRay:
    try:
        from cosmic_ray.ast import ast_nodes, get_ast
        from cosmic_ray.operators.provider import OperatorProvider
    except ImportError as error:
        raise MissingDependency('mutants are made by the package cosmic-ray: pip install "a1kit[eval]"') from error
    provider = OperatorProvider()
    made = {name: provider[name]() for name in provider if not provider[name].arguments()}
    return _CosmicRay(made, get_ast, ast_nodes)


def _mutants(source: str, original: CodeType, parts: _CosmicRay) -> Iterator[Mutant]:
    tree = parts.parse(source)
    nodes = list(parts.nodes(tree))
    for name, operator in parts.operators.items():
        try:
            # All places are found before any is changed: a changed tree is put back, but not while it is walked.
            places = [
                (node, index, place) for node in nodes for index, place in enumerate(operator.mutation_positions(node))
            ]
            for occurrence, (node, index, (start, end)) in enumerate(places):
                changed = _changed(tree, node, operator, index, parts)
                code, fault = _compiled(changed)
                same = code is not None and _alike(code, original)
                yield Mutant(PREFIX + name, occurrence, start, end, changed, fault, same)
        except (AttributeError, IndexError, AssertionError, ValueError) as error:
            raise InputError(
                f"cosmic-ray's operator {name} cannot read this program ({type(error).__name__}: {error}); leave it out"
            ) from error


def _changed(tree: Any, node: Any, operator: Any, index: int, parts: _CosmicRay) -> str:
    """The text of the tree with one node changed. cosmic-ray parses the text anew for every mutant; here the change is
    taken back, which is ten times as fast."""
    kept = [(part, part.children if (inner := hasattr(part, "children")) else part.value, inner)
            for part in parts.nodes(node)]  # fmt: skip
    for part, children, inner in kept:
        if inner:
            part.children = list(children)
    around = node.parent.children
    try:
        new = operator.mutate(node, index)
        instead = [] if new is None else [new]
        place = next(place for place, child in enumerate(around) if child is node)
        node.parent.children = [*around[:place], *instead, *around[place + 1 :]]
        return str(tree.get_code())
    finally:
        node.parent.children = around
        for part, value, inner in kept:
            setattr(part, "children" if inner else "value", value)


def _compiled(source: str) -> tuple[CodeType | None, str]:
    """The code of a program, or None and why there is none."""
    try:
        return compile(source, "<mutant>", "exec", dont_inherit=True), ""
    except SyntaxError as error:
        return None, f"{error.msg} (line {error.lineno})"
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return None, f"{type(error).__name__}: {error}"


def _alike(one: CodeType, other: CodeType) -> bool:
    """Whether two pieces of code do the same, instruction by instruction. Where in the text they came from is no
    matter; constants are compared with their types, since 1 == True == 1.0."""
    if (one.co_code, one.co_names, one.co_varnames, one.co_freevars, one.co_cellvars, one.co_flags) != (
        other.co_code, other.co_names, other.co_varnames, other.co_freevars, other.co_cellvars, other.co_flags,
    ):  # fmt: skip
        return False
    if (one.co_exceptiontable, len(one.co_consts)) != (other.co_exceptiontable, len(other.co_consts)):
        return False
    return all(_same_constant(left, right) for left, right in zip(one.co_consts, other.co_consts, strict=True))


def _same_constant(left: object, right: object) -> bool:
    if isinstance(left, CodeType) and isinstance(right, CodeType):
        return _alike(left, right)
    if type(left) is not type(right):
        return False
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(_same_constant, left, right))
    return repr(left) == repr(right)
