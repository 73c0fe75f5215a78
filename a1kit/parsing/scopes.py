"""Rewriting expressions without mixing up names that are spelt alike.

`k + 1` means one thing outside `lambda k: …` and another inside. Whoever replaces names in a tree, or moves parts of it
out, has to know which inner scopes stand around a node:

    class Doubles(Scoped):
        def visit_Name(self, node):
            return node if node.id in self.hidden else …

`hidden` are the names that lambdas, comprehensions, functions and classes around the node bind. What Python evaluates
outside such a scope (default values, decorators, the first iterable of a comprehension) is visited outside.

`Substitute` puts expressions in the place of names. Where an expression reads a name that the scope around its new
place binds, the scope's own variable is renamed first, so that nothing is captured.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from a1kit.parsing import names
from a1kit.parsing.source import Unparsable, copy_tree, walk

MAX_NODES = 10_000
"""Most nodes that putting expressions in the place of names may add to one statement."""

Node = TypeVar("Node", bound=ast.AST)
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Scoped(ast.NodeTransformer):
    """A transformer that knows in `hidden` which names the scopes around a node bind."""

    hidden: frozenset[str] = frozenset()

    def entering(self, node: Node, bound: set[str]) -> Node:
        """Called before the inside of a scope that binds `bound` is visited; may return another scope."""
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._defaults(node.args)
        node = self.entering(node, names.local(node.args, [node.body]))
        (node.body,) = self._inside(names.local(node.args, [node.body]), [node.body])
        return node

    def _comprehension(self, node: names.Comprehension) -> ast.AST:
        first = node.generators[0]
        first.iter = expression(self.visit(first.iter))
        node = self.entering(node, names.targets(node))
        bound = names.targets(node)
        for position, generator in enumerate(node.generators):
            if position:
                (generator.iter,) = self._inside(bound, [generator.iter])
            (generator.target,) = self._inside(bound, [generator.target])
            generator.ifs = self._inside(bound, generator.ifs)
        if isinstance(node, ast.DictComp):
            node.key, node.value = self._inside(bound, [node.key, node.value])
        else:
            (node.elt,) = self._inside(bound, [node.elt])
        return node

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _comprehension

    def visit_FunctionDef(self, node: Function) -> ast.AST:
        node.decorator_list = [expression(self.visit(mark)) for mark in node.decorator_list]
        self._defaults(node.args)
        for argument in names.all_arguments(node.args):
            if argument.annotation is not None:
                argument.annotation = expression(self.visit(argument.annotation))
        if node.returns is not None:
            node.returns = expression(self.visit(node.returns))
        node = self.entering(node, names.local(node.args, node.body))
        self._statements(node, names.local(node.args, node.body))
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self.visit_FunctionDef(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        for part in ("decorator_list", "bases"):
            setattr(node, part, [expression(self.visit(item)) for item in getattr(node, part)])
        for keyword in node.keywords:
            keyword.value = expression(self.visit(keyword.value))
        self._statements(node, names.binds(*node.body))
        return node

    def _defaults(self, args: ast.arguments) -> None:
        args.defaults = [expression(self.visit(default)) for default in args.defaults]
        args.kw_defaults = [None if item is None else expression(self.visit(item)) for item in args.kw_defaults]

    def _inside(self, bound: Iterable[str], nodes: Sequence[ast.expr]) -> list[ast.expr]:
        outside = self.hidden
        self.hidden = outside | frozenset(bound)
        found = [expression(self.visit(node)) for node in nodes]
        self.hidden = outside
        return found

    def _statements(self, node: Function | ast.ClassDef, bound: Iterable[str]) -> None:
        outside = self.hidden
        self.hidden = outside | frozenset(bound)
        body: list[ast.stmt] = []
        for statement in node.body:
            fresh = self.visit(statement)
            body += fresh if isinstance(fresh, list) else [fresh]
        node.body = body
        self.hidden = outside


class Substitute(Scoped):
    """Puts expressions in the place of names, where those names are not bound anew inside."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = dict(values)
        self.room = MAX_NODES
        self.sizes: dict[str, int] = {}

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not isinstance(node.ctx, ast.Load) or node.id not in self.values or node.id in self.hidden:
            return node
        value = self.values[node.id]
        if node.id not in self.sizes:
            self.sizes[node.id] = len(walk(value))
        self.room -= self.sizes[node.id]
        if self.room < 0:
            raise Unparsable("too large once results and parameters are put in their places")
        return expression(copy_tree(value))

    def entering(self, node: Node, bound: set[str]) -> Node:
        replaced = (names.loads(node) & set(self.values)) - self.hidden
        read: set[str] = set().union(*(names.loads(self.values[name]) for name in replaced))
        clash = bound & read
        return _renamed(node, sorted(clash), read) if clash else node


def _renamed(node: Node, clash: Sequence[str], taken: set[str]) -> Node:
    """A lambda or comprehension with other names for some of its variables."""
    used = taken | {child.id for child in walk(node) if isinstance(child, ast.Name)}
    if not isinstance(node, ast.Lambda | names.Comprehension) or any(
        isinstance(child, ast.NamedExpr) for child in walk(node)
    ):
        raise Unparsable(f"the variable {clash[0]} means two things in one expression")
    fresh: dict[str, str] = {}
    for name in clash:
        fresh[name] = next(new for i in range(len(used) + 1) if (new := f"{name}_{i}") not in used)
        used.add(fresh[name])
    inner = Substitute({old: ast.Name(new, ast.Load()) for old, new in fresh.items()})
    if isinstance(node, ast.Lambda):
        for argument in names.all_arguments(node.args):
            argument.arg = fresh.get(argument.arg, argument.arg)
        node.body = expression(inner.visit(node.body))
        return node
    for position, generator in enumerate(node.generators):
        if position:
            generator.iter = expression(inner.visit(generator.iter))
        generator.ifs = [expression(inner.visit(condition)) for condition in generator.ifs]
        for child in walk(generator.target):
            if isinstance(child, ast.Name):
                child.id = fresh.get(child.id, child.id)
    for part in ("elt", "key", "value"):
        if hasattr(node, part):
            setattr(node, part, expression(inner.visit(getattr(node, part))))
    return node


def substituted(node: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr:
    """A copy of `node` with names replaced by expressions."""
    return expression(Substitute(values).visit(copy_tree(node)))


def expression(node: object) -> ast.expr:
    """Narrow a transformer's result."""
    assert isinstance(node, ast.expr)
    return node
