"""What can be known of literals without evaluating anything: their elements, their parts, what a loop over them
sees."""

from __future__ import annotations

import ast
from typing import TypeVar

from a1kit.parsing import names
from a1kit.parsing.normal import number, range_of
from a1kit.parsing.scopes import Scoped, expression
from a1kit.parsing.source import Unparsable, copy_tree, walk

Literals = dict[str, ast.expr]
"""Variables whose value is a display or a constant that nothing has changed."""

_MAX_NODES = 5000
Node = TypeVar("Node", bound=ast.AST)


def destructure(target: ast.expr, value: ast.expr, literals: Literals) -> list[tuple[str, ast.expr]] | None:
    """Names of an assignment target with the piece of a literal that each receives; None when it is not known."""
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    if isinstance(target, ast.Tuple | ast.List):
        if isinstance(value, ast.Name):
            value = literals.get(value.id, value)
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            elements: list[ast.expr] = [ast.copy_location(ast.Constant(letter), value) for letter in value.value]
        elif isinstance(value, ast.Tuple | ast.List):
            elements = value.elts
        else:
            return None
        if len(elements) != len(target.elts) or any(isinstance(e, ast.Starred) for e in [*elements, *target.elts]):
            return None
        pairs: list[tuple[str, ast.expr]] = []
        for part, element in zip(target.elts, elements, strict=True):
            inner = destructure(part, element, literals)
            if inner is None:
                return None
            pairs += inner
        return pairs
    return None


class _Fold(Scoped):
    """Looks up constant subscripts and lengths of literals. What a definition reads when it is called, perhaps after a
    change, is left alone in statements (`later`)."""

    def __init__(self, literals: Literals, later: bool) -> None:
        self.literals = literals
        self.later = later
        self.room = _MAX_NODES
        self.changed = False

    def known(self, node: ast.expr) -> ast.expr | None:
        """What a container is as a display: itself, or the literal of its name."""
        if isinstance(node, ast.Name):
            return None if node.id in self.hidden else self.literals.get(node.id)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return super().visit_Lambda(node) if self.later else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1 and not node.keywords:
            argument = node.args[0]
            container = self.known(argument)
            items = container.elts if isinstance(container, ast.List | ast.Tuple) else [ast.Starred(argument)]
            if not any(isinstance(item, ast.Starred) for item in items):
                self.changed = True
                return ast.copy_location(ast.Constant(len(items)), node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        container = self.known(node.value)
        element = None if container is None else element_of(container, node.slice)
        if element is None or (names.loads(element) & self.hidden and container is not node.value):
            return node
        self.room -= len(walk(element))
        if self.room < 0:
            raise Unparsable("too large once the elements of literals are looked up")
        self.changed = True
        return expression(self.visit(copy_tree(element)))


def element_of(container: ast.expr, index: ast.expr) -> ast.expr | None:
    """The element of a list, tuple or dict display at a constant index; None when it is not known from the text."""
    if isinstance(container, ast.List | ast.Tuple):
        place, size = number(index), len(container.elts)
        if not isinstance(place, int) or any(isinstance(element, ast.Starred) for element in container.elts):
            return None
        return container.elts[place] if -size <= place < size else None
    if isinstance(container, ast.Dict) and isinstance(index, ast.Constant):
        found = None
        for key, value in zip(container.keys, container.values, strict=True):
            if not isinstance(key, ast.Constant):
                return None
            if key.value == index.value and type(key.value) is type(index.value):
                found = value
        return found
    return None


def fold(node: Node, literals: Literals) -> Node:
    """`node` with constant subscripts and lengths of literals looked up; the same object when there are none.

    A name to which the node itself gives a value, or whose object it changes, is not looked up: a loop comes back to
    its beginning. Definitions are left as they are.
    """
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node
    if not any(_may_fold(child, literals) for child in walk(node)):
        return node
    changed = _changes(node)
    steady = {name: value for name, value in literals.items() if not changed & {name, *names.loads(value)}}
    folding = _Fold(steady, later=isinstance(node, ast.expr))
    folded: Node = folding.visit(copy_tree(node))
    return folded if folding.changed else node


def _changes(node: ast.AST) -> set[str]:
    """Names that a statement or expression may give another value before it has read them for the last time."""
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return names.binds(node.value) if node.value is not None else set()
    if isinstance(node, ast.stmt):
        return names.binds(node) | names.mutates(node)
    return names.binds(node)


def _may_fold(node: ast.AST, literals: Literals) -> bool:
    if isinstance(node, ast.Subscript):
        return not isinstance(node.value, ast.Name) or node.value.id in literals
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"


def elements(node: ast.expr, literals: Literals) -> list[ast.expr] | None:
    """What a loop over `node` goes through, known from the text alone; None when it is not."""
    if isinstance(node, ast.Name):
        found = literals.get(node.id)
        return None if found is None or isinstance(found, ast.Name) else elements(found, literals)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return None if any(isinstance(item, ast.Starred) for item in node.elts) else list(node.elts)
    if isinstance(node, ast.Dict):
        return None if None in node.keys else [key for key in node.keys if key is not None]
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return [ast.Constant(item) for item in node.value]
    if isinstance(node, ast.Subscript):
        container = literals.get(node.value.id) if isinstance(node.value, ast.Name) else node.value
        inner = None if container is None else element_of(container, node.slice)
        return None if inner is None else elements(inner, literals)
    if isinstance(node, ast.Call) and not node.keywords:
        return _elements_of_call(node, literals)
    return None


def _elements_of_call(node: ast.Call, literals: Literals) -> list[ast.expr] | None:
    numbers = range_of(node)
    if numbers is not None:
        return [
            ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value)) for value in numbers
        ]
    if isinstance(node.func, ast.Attribute):
        return _elements_of_method(node.func, node.args, literals)
    if not isinstance(node.func, ast.Name) or not node.args:
        return None
    inner = [elements(argument, literals) for argument in node.args]
    lists = [items for items in inner if items is not None]
    function = node.func.id
    if function == "zip" and len(lists) == len(inner):
        return [ast.Tuple(list(row), ast.Load()) for row in zip(*lists, strict=False)]
    if function == "enumerate" and inner[0] is not None and len(node.args) <= 2:
        start = node.args[1].value if len(node.args) == 2 and isinstance(node.args[1], ast.Constant) else 0
        if not isinstance(start, int):
            return None
        return [ast.Tuple([ast.Constant(start + i), item], ast.Load()) for i, item in enumerate(inner[0])]
    if function == "reversed" and len(inner) == 1 and inner[0] is not None:
        return inner[0][::-1]
    if function in ("list", "tuple", "iter") and len(inner) == 1:
        return inner[0]
    return None


def _elements_of_method(function: ast.Attribute, args: list[ast.expr], literals: Literals) -> list[ast.expr] | None:
    owner = literals.get(function.value.id) if isinstance(function.value, ast.Name) else function.value
    if isinstance(owner, ast.Dict) and None not in owner.keys and not args:
        keys = [key for key in owner.keys if key is not None]
        if function.attr == "items":
            return [ast.Tuple([key, value], ast.Load()) for key, value in zip(keys, owner.values, strict=True)]
        if function.attr in ("keys", "values"):
            return keys if function.attr == "keys" else list(owner.values)
    if isinstance(owner, ast.Constant) and isinstance(owner.value, str) and function.attr == "split" and not args:
        return [ast.Constant(word) for word in owner.value.split()]
    return None
