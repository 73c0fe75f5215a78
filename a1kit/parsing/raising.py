"""Tests that expect an exception: `pytest.raises`, `assertRaises`, and `try` with `else` or `assert False`.

What counts: the last statement inside is the call, those before it are set-up; the exception is known by its name; a
condition on the message (`match=…`, `assert "x" in str(error)`) becomes a check over `_0`, the message.

A `try` that passes as well when nothing is raised (`try: f(x)` / `except E: pass`), or whose `assert False` is caught
by its own `except Exception`, cannot fail for the reason it was written for, and is malformed.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from a1kit.parsing import names
from a1kit.parsing.assertions import Context, malformed, split
from a1kit.parsing.observe import faithful, spelled
from a1kit.parsing.scopes import Substitute, expression
from a1kit.parsing.setup import Setup
from a1kit.parsing.source import Segments, Unparsable, bounded, copy_tree, expression_tree, parse, render
from a1kit.parsing.unittests import as_assertion
from a1kit.types import Form, TestCase

_VACUOUS = frozenset(("AssertionError", "Exception", "BaseException"))


@dataclass(slots=True)
class Raising:
    """An expectation of an exception, whatever it was written as."""

    exception: ast.expr
    body: list[ast.stmt]
    match: ast.expr | None = None
    name: str | None = None
    """The variable that holds the exception (or pytest's information about it)."""
    conditions: list[ast.expr] = field(default_factory=list)


def expected_by_with(node: ast.With | ast.AsyncWith) -> Raising | None:
    """`with pytest.raises(E, match=…) as info:` and `with self.assertRaises(E) as caught:`."""
    if len(node.items) != 1 or not isinstance(node.items[0].context_expr, ast.Call):
        return None
    call = node.items[0].context_expr
    function = called(call)
    if function not in ("raises", "assertRaises", "assertRaisesRegex") or not call.args:
        return None
    variable = node.items[0].optional_vars
    match = next((keyword.value for keyword in call.keywords if keyword.arg == "match"), None)
    if function == "assertRaisesRegex" and len(call.args) > 1:
        match = call.args[1]
    return Raising(call.args[0], node.body, match, variable.id if isinstance(variable, ast.Name) else None)


def expected_by_call(call: ast.Call) -> Raising | None:
    """`self.assertRaises(E, f, 1, 2)` and `pytest.raises(E, lambda: f(1))`."""
    if called(call) not in ("raises", "assertRaises") or len(call.args) < 2:
        return None
    function = call.args[1]
    if isinstance(function, ast.Lambda) and len(call.args) == 2:
        body: ast.expr = function.body
    else:
        keywords = [keyword for keyword in call.keywords if keyword.arg not in ("match", "msg")]
        body = ast.Call(function, call.args[2:], keywords)
    return Raising(call.args[0], [ast.Expr(body)])


def expected_by_try(node: ast.Try) -> Raising | None:
    """A `try` that passes only when its body raises one of the named exceptions.

    None when it is no such thing; `Unparsable` when it looks like one but cannot fail.
    """
    if not node.handlers or any(_fails(handler.body) for handler in node.handlers):
        return None
    body = list(node.body)
    failing = bool(node.orelse) and _fails(node.orelse)
    inside = False
    if body and _fails(body[-1:]):
        failing = inside = True
        body = body[:-1]
    if not failing or not body:
        return None
    types = [handler.type for handler in node.handlers]
    caught = {name for kind in types for name in (exception_names(kind) if kind is not None else ("BaseException",))}
    if inside and caught & _VACUOUS and isinstance(node.body[-1], ast.Assert | ast.Raise):
        raise Unparsable("the except clause also catches the failure inside its own try, so the test cannot fail")
    known = [kind for kind in types if kind is not None]
    exception = known[0] if len(types) == len(known) == 1 else None
    if exception is None:
        exception = ast.Tuple(known, ast.Load()) if len(known) == len(types) else ast.Name("BaseException", ast.Load())
    handler = node.handlers[0]
    conditions = [statement.test for statement in handler.body if isinstance(statement, ast.Assert)]
    conditions = [test for test in conditions if not isinstance(test, ast.Constant)]
    return Raising(exception, body, None, handler.name, conditions if len(node.handlers) == 1 else [])


def _fails(body: Sequence[ast.stmt]) -> bool:
    """Whether statements say that the test has failed: `assert False`, `raise AssertionError`, `pytest.fail()`."""
    for node in body:
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant) and not node.test.value:
            return True
        if isinstance(node, ast.Raise) and node.exc is not None and "AssertionError" in names.loads(node.exc):
            return True
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and called(node.value) == "fail":
            return True
    return False


def called(call: ast.Call) -> str:
    """The last part of the name of the function that is called."""
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def exception_names(node: ast.expr) -> tuple[str, ...]:
    """`ValueError`, `json.JSONDecodeError`, `(KeyError, IndexError)` as names without modules."""
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(name for element in node.elts for name in exception_names(element))
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        return (node.attr,)
    raise Unparsable("the expected exception is not given by its name")


def written(raising: Raising) -> str:
    """The expectation in the one spelling that `analyse_raising` reads: `with pytest.raises(…)`, then its
    conditions."""
    call = ast.Call(ast.Attribute(ast.Name("pytest", ast.Load()), "raises", ast.Load()), [raising.exception], [])
    if raising.match is not None:
        call.keywords.append(ast.keyword("match", raising.match))
    variable = ast.Name("caught", ast.Store()) if raising.conditions else None
    block = ast.With([ast.withitem(call, variable)], raising.body)
    tests: list[ast.stmt] = [ast.Assert(_over_caught(test, raising.name)) for test in raising.conditions]
    return "\n".join(render(ast.fix_missing_locations(node)) for node in [block, *tests])


def _over_caught(test: ast.expr, name: str | None) -> ast.expr:
    """The condition with every spelling of the message as `str(caught.value)`; anything else about it is refused."""
    work = expression(_Message(name).visit(copy_tree(test)))
    if name in names.loads(work):
        raise Unparsable("reads more of the exception than its message")
    message = expression_tree("str(caught.value)")
    return expression(Substitute({"_0": message}).visit(work))


class _Message(ast.NodeTransformer):
    """`str(e)`, `e.args[0]`, `str(info.value)`, `str(cm.exception)` become `_0`."""

    def __init__(self, name: str | None) -> None:
        self.name = name

    def _is_error(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Attribute) and node.attr in ("value", "exception"):
            node = node.value
        return isinstance(node, ast.Name) and node.id == self.name

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if (
            isinstance(node.func, ast.Name)
            and node.func.id == "str"
            and len(node.args) == 1
            and self._is_error(node.args[0])
        ):
            return ast.Name("_0", ast.Load())
        if (
            isinstance(node.func, ast.Attribute)
            and node.func.attr == "match"
            and self._is_error(node.func.value)
            and node.args
        ):
            return _searched(node.args[0])
        self.generic_visit(node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        value = node.value
        if (
            isinstance(value, ast.Attribute)
            and value.attr == "args"
            and self._is_error(value.value)
            and isinstance(node.slice, ast.Constant)
            and node.slice.value == 0
        ):
            return ast.Name("_0", ast.Load())
        self.generic_visit(node)
        return node


def _searched(pattern: ast.expr) -> ast.expr:
    return ast.Call(
        ast.Attribute(ast.Name("re", ast.Load()), "search", ast.Load()), [pattern, ast.Name("_0", ast.Load())], []
    )


def analyse_raising(text: str, setup: Setup, context: Context) -> TestCase:
    """The test that `with pytest.raises(E): …` (and conditions after it) makes after the steps of `setup`."""
    try:
        with bounded():
            return _analyse(text, setup, context)
    except Unparsable as error:
        return malformed(text, str(error))


def _analyse(text: str, setup: Setup, context: Context) -> TestCase:
    block, *rest = parse(text).body
    raising = expected_by_with(block) if isinstance(block, ast.With) else None
    if raising is None:
        raise Unparsable("not an expectation of an exception")
    if setup.redefined:
        raise Unparsable(f"the test defines {context.entry_point} itself, so it would not test the candidate's")
    conditions = [
        expression(_Message(raising.name).visit(copy_tree(node.test))) for node in rest if isinstance(node, ast.Assert)
    ]
    if raising.match is not None:
        conditions.insert(0, _searched(raising.match))
    inner = setup.copy()
    for statement in raising.body[:-1]:
        inner.add(statement)
    call = _raising_call(raising.body[-1])
    if not names.loads(call) & (inner.callables | inner.strong):
        raise Unparsable(f"nothing inside calls {context.entry_point}")
    check: ast.expr = ast.Constant(True)
    if conditions:
        check = conditions[0] if len(conditions) == 1 else ast.BoolOp(ast.And(), conditions)
    if raising.name in names.loads(check):
        raise Unparsable("reads more of the exception than its message")
    sides = split(
        [call], [], [call], ast.Module([block, *rest], []), check, names.loads(check) - {"_0"}, inner, context
    )
    prefix = _prefix(setup, block, rest, sides.prefix, raising.body[:-1], context)
    segments = Segments(text)
    assert isinstance(block, ast.With)
    opening = block.items[0].context_expr
    spelled_call = spelled(call, {}, segments if faithful(call, segments) else None)
    before = text[: segments.start(raising.exception)]
    tail = text[segments.end(opening) : segments.end(block)].replace(f" as {raising.name}", "", 1)
    kinds = exception_names(raising.exception)
    inside = "".join(f"{render(node)}\n" for node in raising.body[:-1])
    return TestCase(
        source=prefix + text,
        key=sides.key,
        form=Form.RAISES,
        setup=sides.setup,
        calls=(spelled_call,),
        predicted=segments.of(raising.exception),
        exceptions=kinds,
        check=render(check) if conditions else "",
        check_setup=sides.check_setup if conditions else "",
        template=(prefix + before, ")" + tail),
        value_template=(f"{_without_tools(prefix, call)}{inside}assert {spelled_call} == ", ""),
    )


def _without_tools(prefix: str, call: ast.expr) -> str:
    """The set-up without the imports that only the expectation needed."""
    needed = names.loads(call)
    return "".join(
        line
        for line in prefix.splitlines(keepends=True)
        if line.strip() not in ("import pytest", "from pytest import raises", "import re") or line.split()[-1] in needed
    )


def _raising_call(node: ast.stmt) -> ast.expr:
    if isinstance(node, ast.Expr | ast.Return) and node.value is not None:
        return node.value
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        return node.value
    if isinstance(node, ast.Assert):
        return node.test.left if isinstance(node.test, ast.Compare) else node.test
    raise Unparsable("the last statement that should raise is not a call")


def _prefix(
    setup: Setup, block: ast.stmt, rest: Sequence[ast.stmt], prefix: str, inside: Sequence[ast.stmt], context: Context
) -> str:
    """The text in front: the set-up, without the statements that stand inside the block themselves."""
    if not inside:
        return prefix
    origins = setup.origins([], names.loads(block, *rest))
    bound: set[str] = set().union(*(origin.binds for origin in origins))
    read = names.loads(block, *rest).union(*(origin.loads for origin in origins)) - bound - names.BUILTINS
    read -= {context.entry_point, *context.known}
    lines = sorted(line for line in (names.import_for(name, [block, *rest]) for name in read) if line)
    return "".join(f"{line}\n" for line in [*lines, *(origin.text for origin in origins)])


def conditions_after(raising: Raising, following: Sequence[ast.stmt]) -> int:
    """Take the assertions about the caught exception that stand right behind its block; the result is how many."""
    taken = 0
    while raising.name and taken < len(following):
        node = following[taken]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            node = as_assertion(node.value) or node
        if not (isinstance(node, ast.Assert) and raising.name in names.loads(node)):
            break
        raising.conditions.append(node.test)
        taken += 1
    return taken


def flagged_by_try(node: ast.Try, following: Sequence[ast.stmt]) -> Raising | None:
    """`try: f(x)` / `except E: raised = True`, then `assert raised`."""
    if (
        not following
        or not isinstance(following[0], ast.Assert)
        or len(node.handlers) != 1
        or node.handlers[0].type is None
    ):
        return None
    flags = {
        target.id
        for statement in node.handlers[0].body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Constant)
        and statement.value.value is True
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    test = following[0].test
    if (
        isinstance(test, ast.Compare)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value is True
    ):
        test = test.left
    if not (isinstance(test, ast.Name) and test.id in flags):
        return None
    body = [
        statement
        for statement in node.body
        if not (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant))
    ]
    return Raising(node.handlers[0].type, body) if body else None
