"""The shapes that test files give to their assertions: parameter lists, fixtures, methods of test classes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from a1kit.parsing.literals import Literals, destructure, elements, fold
from a1kit.parsing.observe import MAX_UNROLLED
from a1kit.parsing.raising import called, expected_by_with
from a1kit.parsing.scopes import Scoped, Substitute, expression
from a1kit.parsing.setup import Setup
from a1kit.parsing.source import Unparsable, copy_tree, walk
from a1kit.parsing.unittests import is_assertion_method

Function = ast.FunctionDef | ast.AsyncFunctionDef


def holds_assertion(node: ast.AST) -> bool:
    """Whether something inside a statement asserts."""
    return any(
        isinstance(inner, ast.Assert)
        or (
            isinstance(inner, ast.Call)
            and (is_assertion_method(inner) or (called(inner) == "raises" and bool(inner.args)))
        )
        for inner in walk(node)
    )


def assertions_in(node: ast.stmt) -> list[ast.stmt]:
    """The statements inside one statement that assert something."""
    found: list[ast.stmt] = [
        inner
        for inner in walk(node)
        if isinstance(inner, ast.Assert)
        or (isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Call) and is_assertion_method(inner.value))
        or (isinstance(inner, ast.With) and expected_by_with(inner) is not None)
    ]
    return found[:MAX_UNROLLED]


def is_fixture(node: Function) -> bool:
    """Whether a function is marked as a pytest fixture."""
    return any(
        (getattr(mark, "attr", None) or getattr(getattr(mark, "func", None), "attr", None)) == "fixture"
        for mark in node.decorator_list
    )


def free_parameters(node: Function, functions: dict[str, Function]) -> list[str]:
    """Parameters without a default that are no fixtures."""
    args = [*node.args.posonlyargs, *node.args.args]
    needed = args[: len(args) - len(node.args.defaults)] if node.args.defaults else args
    return [argument.arg for argument in needed if f"fixture {argument.arg}" not in functions]


def is_called(node: Function, name: str) -> bool:
    """Whether a function calls something by this name."""
    return any(
        isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == name
        for inner in walk(node)
    )


def parameter_rows(node: Function, literals: Literals) -> list[dict[str, ast.expr]] | None:
    """The rows of `@pytest.mark.parametrize` decorators, all combinations; None without such a decorator."""
    rows: list[dict[str, ast.expr]] = [{}]
    found = False
    for decorator in node.decorator_list:
        if not (isinstance(decorator, ast.Call) and called(decorator) == "parametrize" and len(decorator.args) >= 2):
            continue
        found = True
        target = _parameter_names(decorator.args[0])
        items = elements(fold(decorator.args[1], literals), literals)
        if target is None or items is None:
            raise Unparsable("the parameters of the test are not literals")
        choices = [_row(target, item, literals) for item in items]
        rows = [{**row, **choice} for row in rows for choice in choices]
        if len(rows) > MAX_UNROLLED:
            raise Unparsable(f"{len(rows)} parameter rows; at most {MAX_UNROLLED} are unfolded")
    return rows if found else None


def _row(target: list[str], item: ast.expr, literals: Literals) -> dict[str, ast.expr]:
    if isinstance(item, ast.Call) and called(item) == "param":
        item = item.args[0] if len(target) == 1 and len(item.args) == 1 else ast.Tuple(item.args, ast.Load())
    if len(target) == 1:
        return {target[0]: item}
    stored: list[ast.expr] = [ast.Name(name, ast.Store()) for name in target]
    pairs = destructure(ast.Tuple(stored, ast.Store()), item, literals)
    if pairs is None:
        raise Unparsable("a row of parameters does not match their names")
    return dict(pairs)


def _parameter_names(node: ast.expr) -> list[str] | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [name.strip() for name in node.value.split(",") if name.strip()]
    if isinstance(node, ast.List | ast.Tuple):
        found = [
            element.value
            for element in node.elts
            if isinstance(element, ast.Constant) and isinstance(element.value, str)
        ]
        return found if len(found) == len(node.elts) else None
    return None


class _SelfNames(ast.NodeTransformer):
    def __init__(self, owners: set[str], methods: Iterable[str]) -> None:
        self.owners = owners
        self.methods = set(methods)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if not (isinstance(node.value, ast.Name) and node.value.id in self.owners):
            return node
        if node.attr.startswith("assert") or node.attr in ("fail", "subTest") or node.attr in self.methods:
            return node
        return ast.copy_location(ast.Name(f"self_{node.attr}", node.ctx), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        function = node.func
        if (
            isinstance(function, ast.Attribute)
            and isinstance(function.value, ast.Name)
            and function.value.id in self.owners
            and function.attr in self.methods
        ):
            node.func = ast.copy_location(ast.Name(function.attr, ast.Load()), function)
        return node


def plain_members(node: ast.stmt, methods: Iterable[str], attribute: bool = False) -> ast.stmt:
    """A statement of a test class outside its class: `self.x` and class attributes are plain variables."""
    if attribute:
        fresh = copy_tree(node)
        for target in fresh.targets if isinstance(fresh, ast.Assign) else [fresh.target]:  # type: ignore[attr-defined]
            for name in walk(target):
                if isinstance(name, ast.Name):
                    name.id = f"self_{name.id}"
    else:
        fresh = _SelfNames({"self", "cls"}, methods).visit(copy_tree(node))
    assert isinstance(fresh, ast.stmt)
    return fresh


class NamedResults(Scoped):
    """Moves calls of the entry point into assignments at the end of a set-up."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if not (isinstance(node.func, ast.Name) and node.func.id in self.setup.callables - self.hidden):
            self.generic_visit(node)
            return node
        if self.hidden:  # called any number of times there
            raise Unparsable("reads an argument after calls that stand inside a lambda or a comprehension")
        name = f"result_{len(self.setup.steps)}"
        self.setup.add(ast.fix_missing_locations(ast.Assign([ast.Name(name, ast.Store())], node, lineno=1)))
        return ast.Name(name, ast.Load())


def entry_calls(tree: ast.AST, callables: set[str]) -> list[ast.Call]:
    """Calls of the function under test, or of a helper that calls it."""
    return [
        node
        for node in walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in callables
    ]


def as_statement(value: ast.expr) -> ast.stmt:
    """A copy of an expression as a statement of its own."""
    return ast.fix_missing_locations(ast.Expr(expression(copy_tree(value)), lineno=1, col_offset=0))


def asserted_in(
    generators: list[ast.comprehension], body: Sequence[ast.stmt]
) -> Iterable[tuple[list[ast.comprehension], ast.expr]]:
    """The assertions of a loop body, each with the loops and conditions around it."""
    for node in body:
        if isinstance(node, ast.Assert):
            yield generators, node.test
        elif isinstance(node, ast.For) and not node.orelse:
            yield from asserted_in([*generators, ast.comprehension(node.target, node.iter, [], 0)], node.body)
        elif isinstance(node, ast.If) and not node.orelse:
            last = generators[-1]
            narrowed = ast.comprehension(last.target, last.iter, [*last.ifs, node.test], 0)
            yield from asserted_in([*generators[:-1], narrowed], node.body)
        else:
            raise Unparsable("a loop over results with more than assertions in it is not unfolded")


class Awaited(ast.NodeTransformer):
    """`await f(x)` outside a coroutine is `asyncio.run(f(x))`."""

    def visit_Await(self, node: ast.Await) -> ast.expr:
        self.generic_visit(node)
        return ast.Call(ast.Attribute(ast.Name("asyncio", ast.Load()), "run", ast.Load()), [node.value], [])


def with_values(node: ast.stmt, values: dict[str, ast.expr]) -> ast.stmt:
    """A copy of a statement with names replaced by literals, and parts of those looked up."""
    fresh = Substitute(values).visit(copy_tree(node)) if values else node
    assert isinstance(fresh, ast.stmt)
    return fold(fresh, {}) if values else fresh
