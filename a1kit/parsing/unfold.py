"""From a test file to single assertions, each after the statements that run before it.

Functions, classes, parameter lists, loops over literals, `subTest` and `if __name__` are unfolded; `unittest` methods
become `assert`; a helper that asserts (`def check(x, want): assert f(x) == want`) is unfolded at its calls.
Statements that are no assertions collect in a `Setup`. What is inside a construct that cannot be unfolded (a `while`,
a loop over something computed) is reported as malformed, one report an assertion, so that nothing that was written
disappears.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from a1kit.parsing import names
from a1kit.parsing.code import is_main_guard
from a1kit.parsing.literals import destructure, elements, fold
from a1kit.parsing.observe import MAX_UNROLLED, bound_arguments
from a1kit.parsing.raising import (
    Raising,
    called,
    conditions_after,
    expected_by_call,
    expected_by_try,
    expected_by_with,
    flagged_by_try,
    written,
)
from a1kit.parsing.scopes import Substitute, expression
from a1kit.parsing.setup import Setup
from a1kit.parsing.source import Segments, Unparsable, copy_tree, render, walk
from a1kit.parsing.suites import (
    Awaited,
    NamedResults,
    as_statement,
    asserted_in,
    assertions_in,
    entry_calls,
    free_parameters,
    holds_assertion,
    is_called,
    is_fixture,
    parameter_rows,
    plain_members,
    with_values,
)
from a1kit.parsing.unittests import as_assertion, is_assertion_method

Emit = Callable[[str, Setup, bool], None]
"""Receives the source of one assertion, its set-up, and whether it expects an exception."""

Refuse = Callable[[str, str], None]
"""Receives source that cannot be a test, and the reason."""

MAX_TESTS = 1000
"""Most assertions that are read from one text."""

_DEPTH = 12
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_CANDIDATE = names.words("candidate func fn function solution sol method")


class TooMany(Exception):
    """The text holds more assertions than are read."""


class Unfolder:
    """Walks statements in order and hands every assertion to `emit`."""

    def __init__(self, entry_point: str, known: frozenset[str], emit: Emit, refuse: Refuse) -> None:
        self.entry_point = entry_point
        self.known = known
        self.emit = emit
        self.refuse = refuse
        self.functions: dict[str, _Function] = {}
        self.called: set[str] = set()
        self.renames: dict[str, ast.expr] = {}
        self.instances: set[str] = {"Solution"}
        self.depth = 0
        self.rounds = 2 * MAX_TESTS

    def module(self, tree: ast.Module, text: str, setup: Setup) -> None:
        """Unfold a parsed text after what earlier texts left in `setup`."""
        for node in walk(tree):
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Call)
                and isinstance(node.value.func, ast.Name)
            ):
                self.called.add(node.value.func.id)
        later = [
            node for node in tree.body if isinstance(node, _Function | ast.ClassDef) and not self._holds_tests(node)
        ]
        self._block(tree.body, setup, Segments(text), later)

    def _block(
        self, body: Sequence[ast.stmt], setup: Setup, segments: Segments | None, later: Sequence[ast.stmt] = ()
    ) -> None:
        self.depth += 1
        if self.depth > _DEPTH:
            self.depth -= 1
            raise Unparsable("nested too deeply to be unfolded")
        index = 0
        while index < len(body):
            node = body[index]
            index += 1
            try:
                index += self._statement(node, body[index:], setup, segments, later)
            except Unparsable as error:
                self.refuse(self._text(node, segments), str(error))
        self.depth -= 1

    def _statement(
        self,
        node: ast.stmt,
        following: Sequence[ast.stmt],
        setup: Setup,
        segments: Segments | None,
        later: Sequence[ast.stmt],
    ) -> int:
        """Handle one statement; the result is how many of the following ones went with it."""
        renamed = self._renamed(node)
        if renamed is not node:
            node, segments = renamed, None
        if isinstance(node, ast.Assert):
            self._assertion(node, setup, segments)
        elif isinstance(node, ast.Expr):
            self._expression(node, setup, segments)
        elif isinstance(node, ast.With | ast.AsyncWith):
            return self._with(node, following, setup, segments)
        elif isinstance(node, ast.Try):
            return self._try(node, following, setup, segments)
        elif isinstance(node, ast.For):
            self._loop(node, setup, segments)
        elif isinstance(node, ast.If) and is_main_guard(node.test):
            self._block(node.body, setup, segments)
        elif isinstance(node, _Function):
            self._function(node, setup, segments, later)
        elif isinstance(node, ast.ClassDef) and self._holds_tests(node):
            self._class(node, setup, later)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node, setup, segments)
        elif not isinstance(node, ast.Pass | ast.Return | ast.Global | ast.Nonlocal):
            if holds_assertion(node):
                self._refuse_inside(
                    node, f"stands inside `{type(node).__name__.lower()}`, which is not unfolded", segments
                )
            elif not self._alias(node):
                self._step(node, setup, segments)
        return 0

    # ── single statements ──

    def _assertion(self, node: ast.Assert, setup: Setup, segments: Segments | None) -> None:
        """Hand over an assertion. Later ones see what it did: names it bound, objects that changed under its calls."""
        written_test = node.test
        read = names.loads(written_test)
        watched = setup.callables | setup.strong
        inner = setup
        if setup.asserted and not read & (watched | setup.weak):  # `assert xs == [1]` after `assert f(xs) == 2`
            inner = setup.copy()
            for call in setup.asserted:
                if setup.handed(call) & read:
                    inner.add(as_statement(call))
        elif isinstance(node.test, ast.BoolOp):
            test = self._looks_after(node.test, inner := setup.copy())
            if test is not node.test:
                node, segments = ast.Assert(test, None, lineno=1, col_offset=0), None
        self.emit(self._text(node, segments), inner, False)
        for child in walk(written_test):
            if isinstance(child, ast.NamedExpr):
                setup.add(ast.fix_missing_locations(ast.Assign([child.target], child.value, lineno=1)))
        if read & watched:
            self._remember(written_test, setup)

    def _looks_after(self, test: ast.BoolOp, setup: Setup) -> ast.expr:
        """`f(xs) and xs == [1]` reads an argument after the call: give the result a name, in `setup` and in the
        test."""
        handed: set[str] = set()
        for part in test.values:
            if names.loads(part) & handed and not names.loads(part) & setup.callables:
                break
            for call in entry_calls(part, setup.callables):
                handed |= setup.handed(call)
        else:
            return test
        fresh = NamedResults(setup).visit(copy_tree(test))
        return expression(ast.fix_missing_locations(fresh))

    def _remember(self, test: ast.expr, setup: Setup) -> None:
        for call in entry_calls(test, setup.callables):
            if setup.handed(call):
                setup.asserted.append(call)
        for child in walk(test):
            if isinstance(child, ast.Call) and names.mutates(as_statement(child)) & setup.strong:
                changes = isinstance(child.func, ast.Attribute) and names.receivers(child) & setup.strong
                if changes or (isinstance(child.func, ast.Name) and child.func.id == "next"):
                    setup.add(as_statement(child))
                    return

    def _step(self, node: ast.stmt, setup: Setup, segments: Segments | None) -> None:
        try:
            setup.add(node, self._text(node, segments))
        except Unparsable as error:
            setup.failure = setup.failure or str(error)  # told when an assertion misses what the statement binds

    def _expression(self, node: ast.Expr, setup: Setup, segments: Segments | None) -> None:
        value = node.value
        if isinstance(value, ast.Constant):
            return
        if isinstance(value, ast.Call):
            if called(value) == "main" and names.base_name(value.func) in ("unittest", "pytest"):
                return
            assertion = as_assertion(value)
            if assertion is not None:
                self._assertion(assertion, setup, None)
                return
            raising = expected_by_call(value)
            if raising is not None:
                self._raising(raising, setup)
                return
            if is_assertion_method(value):
                self.refuse(self._text(node, segments), f"the assertion method {called(value)} is not known")
                return
            if isinstance(value.func, ast.Name) and value.func.id in self.functions:
                self._call(self.functions[value.func.id], value, setup)
                return
        elif isinstance(value, ast.Compare) and self.entry_point in names.loads(value):
            self.refuse(self._text(node, segments), "compares but asserts nothing")
            return
        self._step(node, setup, segments)

    def _import(self, node: ast.Import | ast.ImportFrom, setup: Setup, segments: Segments | None) -> None:
        """Imports of the function under test from some module are not needed: the sandbox has it already."""
        if isinstance(node, ast.ImportFrom):
            foreign = (node.module or "").split(".")[0] not in names.STDLIB
            given = {self.entry_point, "Solution", *self.known}
            own = [alias for alias in node.names if foreign and alias.name in given]
            for alias in own:
                if alias.name == self.entry_point and alias.asname not in (None, self.entry_point):
                    self.renames[str(alias.asname)] = ast.Name(self.entry_point, ast.Load())
                elif alias.name == "Solution" and alias.asname:
                    self.instances.add(alias.asname)
            if own or (foreign and node.names[0].name == "*") or node.module == "__future__":
                return
        elif all(alias.name.split(".")[0] not in names.STDLIB and "." not in alias.name for alias in node.names):
            self.instances |= {alias.asname or alias.name for alias in node.names}
        self._step(node, setup, segments)

    def _alias(self, node: ast.stmt) -> bool:
        """`candidate = f` and `solver = Solution()` are other names for the function under test and for its owner."""
        if not (isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)):
            return False
        name = node.targets[0].id
        self.renames.pop(name, None)
        if isinstance(node.value, ast.Name) and node.value.id == self.entry_point and name != self.entry_point:
            self.renames[name] = ast.Name(self.entry_point, ast.Load())
            return True
        if (
            isinstance(node.value, ast.Call)
            and not node.value.args
            and names.base_name(node.value.func) in self.instances
        ):
            self.instances.add(name)
            return isinstance(node.value.func, ast.Name) and node.value.func.id == "Solution"
        return False

    def _renamed(self, node: ast.stmt) -> ast.stmt:
        if self.renames and names.loads(node) & set(self.renames):
            renamed = Substitute(self.renames).visit(copy_tree(node))
            assert isinstance(renamed, ast.stmt)
            node = renamed
        if not isinstance(node, _Function | ast.ClassDef) and any(isinstance(child, ast.Await) for child in walk(node)):
            awaited = Awaited().visit(copy_tree(node))
            assert isinstance(awaited, ast.stmt)
            node = ast.fix_missing_locations(awaited)
        if any(self._is_own_method(child) for child in walk(node)):
            changed = _OwnMethods(self).visit(copy_tree(node))
            assert isinstance(changed, ast.stmt)
            node = changed
        return node

    def _is_own_method(self, node: ast.AST) -> bool:
        """`Solution().f`, `solver.f`, `module.f` for the function under test."""
        if not (isinstance(node, ast.Attribute) and node.attr == self.entry_point):
            return False
        owner = node.value.func if isinstance(node.value, ast.Call) and not node.value.args else node.value
        return isinstance(owner, ast.Name) and owner.id in self.instances

    # ── exceptions ──

    def _with(
        self, node: ast.With | ast.AsyncWith, following: Sequence[ast.stmt], setup: Setup, segments: Segments | None
    ) -> int:
        raising = expected_by_with(node)
        if raising is not None:
            taken = conditions_after(raising, following)
            own = isinstance(node.items[0].context_expr, ast.Call) and called(node.items[0].context_expr) == "raises"
            if own and not taken and isinstance(node, ast.With) and self._text(node, segments).startswith("with"):
                self.emit(self._text(node, segments), setup, True)
            else:
                try:
                    self._raising(raising, setup)
                except Unparsable as error:
                    self.refuse(self._text(node, segments), str(error))
            return taken
        if all(
            isinstance(item.context_expr, ast.Call) and called(item.context_expr) in ("subTest", "nullcontext")
            for item in node.items
        ):
            self._block(node.body, setup, None)
        elif holds_assertion(node):
            self._refuse_inside(node, "stands inside `with`, which is not unfolded", segments)
        else:
            self._step(node, setup, segments)
        return 0

    def _raising(self, raising: Raising, setup: Setup) -> None:
        self.emit(written(raising), setup, True)

    def _try(self, node: ast.Try, following: Sequence[ast.stmt], setup: Setup, segments: Segments | None) -> int:
        raising = expected_by_try(node)
        if raising is not None:
            self._raising(raising, setup)
            return 0
        flagged = flagged_by_try(node, following)
        if flagged is not None:
            self._raising(flagged, setup)
            return 1
        if any(isinstance(inner, ast.Assert) for inner in node.body) or any(
            holds_assertion(inner) for inner in node.body
        ):
            self._block(node.body, setup, segments)
            return 0
        if self.entry_point in names.loads(node):
            self.refuse(self._text(node, segments), "the try statement passes whether or not anything is raised")
            return 0
        self._step(node, setup, segments)
        return 0

    # ── loops ──

    def _loop(self, node: ast.For, setup: Setup, segments: Segments | None) -> None:
        if not holds_assertion(node) and not self._calls_checker(node):
            self._step(node, setup, segments)
            return
        items = elements(fold(node.iter, setup.literals), setup.literals)
        if items is None:
            self._loop_over_result(node, setup, segments)
            return
        if len(items) > MAX_UNROLLED:
            raise Unparsable(f"a loop over {len(items)} elements; at most {MAX_UNROLLED} are unfolded")
        if any(isinstance(inner, ast.Break | ast.Continue) for inner in walk(node)):
            raise Unparsable("the loop uses break or continue, so its elements are not separate tests")
        changed = set().union(*(names.binds(inner) | names.mutates(inner) for inner in node.body))
        if set().union(*map(names.binds, node.body)) & names.loads(*items):
            raise Unparsable("the loop changes what it goes through")
        for item in items:
            self.rounds -= 1
            if self.rounds < 0:
                raise TooMany
            pairs = destructure(node.target, item, setup.literals)
            if pairs is None or changed & {name for name, _ in pairs}:
                assign = ast.Assign([node.target], item, lineno=1)
                setup.add(ast.fix_missing_locations(assign))
                self._block(node.body, setup, segments)
            else:
                self._block([with_values(inner, dict(pairs)) for inner in node.body], setup, None)
        self._block(node.orelse, setup, None)

    def _calls_checker(self, node: ast.stmt) -> bool:
        return any(
            isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id in self.functions
            for inner in walk(node)
        )

    def _loop_over_result(self, node: ast.For, setup: Setup, segments: Segments | None) -> None:
        """`for x in f(3): assert x > 0` asserts `all(x > 0 for x in f(3))`; a call that depends on `x` cannot be cut
        out."""
        inside = set().union(*(names.loads(inner) for inner in node.body))
        if inside & setup.callables or not names.loads(node.iter) & (setup.callables | setup.strong | setup.weak):
            self._refuse_inside(node, "the call depends on a loop over something that is not a literal", segments)
            return
        for generators, test in asserted_in([ast.comprehension(node.target, node.iter, [], 0)], node.body):
            whole = ast.Call(ast.Name("all", ast.Load()), [ast.GeneratorExp(test, generators)], [])
            self._assertion(ast.fix_missing_locations(ast.Assert(whole, lineno=1, col_offset=0)), setup, None)

    # ── functions and classes ──

    def _holds_tests(self, node: ast.stmt) -> bool:
        """Whether a definition is a test (or a class of tests), and not a helper that computes something."""
        if isinstance(node, _Function):
            if node.name == self.entry_point:
                return False
            returns = any(
                isinstance(inner, ast.Return) and inner.value is not None and not isinstance(inner.value, ast.Constant)
                for inner in walk(node)
            )
            return holds_assertion(node) and (node.name.startswith("test") or not returns)
        if isinstance(node, ast.ClassDef):
            return any(isinstance(inner, _Function) and inner.name.startswith("test") for inner in node.body) or any(
                isinstance(inner, _Function) and holds_assertion(inner) for inner in node.body
            )
        return False

    def _function(self, node: _Function, setup: Setup, segments: Segments | None, later: Sequence[ast.stmt]) -> None:
        if is_fixture(node):
            self.functions.setdefault(f"fixture {node.name}", node)
            return
        if not self._holds_tests(node):
            self._step(node, setup, segments)
            return
        rows = parameter_rows(node, setup.literals)
        if rows is not None:
            for row in rows:
                self._body(node, row, setup, later)
            return
        self.functions[node.name] = node
        if any(node.name == name for name in self.called) and node.args.args:
            return  # unfolded where it is called, with the arguments given there
        free = free_parameters(node, self.functions)
        values: dict[str, ast.expr] = {}
        if len(free) == 1 and (free[0] in _CANDIDATE or is_called(node, free[0])):
            values[free[0]] = ast.Name(self.entry_point, ast.Load())
        elif free:
            self._refuse_inside(node, f"nothing gives a value to {', '.join(free)}", segments)
            return
        self._body(node, values, setup, later)

    def _call(self, function: _Function, call: ast.Call, setup: Setup) -> None:
        """Unfold a function that asserts at a place that calls it."""
        if not call.args and not call.keywords:
            return  # unfolded where it is defined
        values = bound_arguments(function.args, call)
        if values is None:
            raise Unparsable(f"the arguments of {function.name} cannot be matched with its parameters")
        self._body(function, values, setup, ())

    def _body(self, node: _Function, values: dict[str, ast.expr], setup: Setup, later: Sequence[ast.stmt]) -> None:
        inner = setup.copy()
        for definition in later:
            if not names.binds(definition) <= set().union(*(step.binds for step in inner.steps)):
                inner.add(definition)
        fixtures = {
            argument.arg: self.functions[f"fixture {argument.arg}"]
            for argument in names.all_arguments(node.args)
            if f"fixture {argument.arg}" in self.functions and argument.arg not in values
        }
        for name, fixture in fixtures.items():
            self._fixture(name, fixture, inner)
        defaults = bound_arguments(
            node.args,
            ast.Call(
                ast.Name(node.name, ast.Load()),
                [],
                [
                    ast.keyword(name, value)
                    for name, value in {**{f: ast.Name(f, ast.Load()) for f in fixtures}, **values}.items()
                ],
            ),
        )
        values = {
            name: value for name, value in (defaults or values).items() if name not in fixtures and name != "self"
        }
        for name in _to_assign(node.body, values):
            inner.add(ast.fix_missing_locations(ast.Assign([ast.Name(name, ast.Store())], values.pop(name), lineno=1)))
        self._block([with_values(statement, values) for statement in node.body], inner, None)

    def _fixture(self, name: str, fixture: _Function, setup: Setup) -> None:
        for statement in fixture.body:
            value = statement.value if isinstance(statement, ast.Return) else None
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield):
                value = statement.value.value
            if value is not None:
                setup.add(ast.fix_missing_locations(ast.Assign([ast.Name(name, ast.Store())], value, lineno=1)))
                return
            setup.add(statement)

    def _class(self, node: ast.ClassDef, setup: Setup, later: Sequence[ast.stmt]) -> None:
        """Methods of a test class, each after class attributes and `setUp`; `self.x` becomes the variable `self_x`."""
        inner = setup.copy()
        methods = {member.name: member for member in node.body if isinstance(member, _Function)}
        for member in node.body:
            if isinstance(member, ast.Assign | ast.AnnAssign):
                self._step(plain_members(member, methods, attribute=True), inner, None)
        for name in ("setUpClass", "setup_class", "setUp", "setup_method", "setup"):
            if name in methods:
                self._block([plain_members(statement, methods) for statement in methods[name].body], inner, None)
        for member in methods.values():
            static = any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in member.decorator_list)
            if self._holds_tests(member) and not member.name.lower().startswith("setup"):
                changed = plain_members(member, methods)
                assert isinstance(changed, _Function)
                if not static:
                    changed.args.args = changed.args.args[1:]
                self._function(changed, inner, None, later)

    # ── text ──

    def _text(self, node: ast.stmt, segments: Segments | None) -> str:
        """Source of a statement as it was written, moved to the left margin; of a changed one, as it is now."""
        if segments is None:
            return render(node)
        start = segments.start(node)
        for decorator in getattr(node, "decorator_list", ()):
            start = min(start, segments.start(decorator) - 1)
        text = segments.text[start : segments.end(node)]
        if "\n" in text and node.col_offset > 0:
            return render(node)
        return text

    def _refuse_inside(self, node: ast.stmt, reason: str, segments: Segments | None) -> None:
        for inner in assertions_in(node):
            try:
                text = render(inner)
            except Unparsable:
                text = self._text(node, segments)
            self.refuse(text, reason)


def _to_assign(body: Sequence[ast.stmt], values: dict[str, ast.expr]) -> list[str]:
    """Parameters that cannot be replaced by their arguments, because the body changes them or what those read."""
    bound = set().union(*map(names.binds, body))
    changed = bound | set().union(*map(names.mutates, body))
    found = changed & set(values)
    while True:
        more = {name for name, value in values.items() if names.loads(value) & (bound | found)} - found
        if not more:
            break
        found |= more
    order = sorted(found)
    for place, name in enumerate(order):
        if names.loads(*(values[later] for later in order[place + 1 :])) & {name}:
            raise Unparsable(f"the parameter {name} hides a variable that another argument reads")
    return order


class _OwnMethods(ast.NodeTransformer):
    def __init__(self, unfolder: Unfolder) -> None:
        self.unfolder = unfolder

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if self.unfolder._is_own_method(node):
            return ast.copy_location(ast.Name(self.unfolder.entry_point, ast.Load()), node)
        self.generic_visit(node)
        return node
