"""Which parts of an assertion the program's child has to evaluate, and how the rest looks without them.

An assertion `assert sorted(f(xs)) == want` falls apart into what is *observed* (`f(xs)`) and the *check* over the
observed values (`sorted(_0) == want`). Before that, results with names are put in their place, comprehensions over
literals are written out, and one-line helpers are replaced by what they return, so that the expected side of
`check(3, 4)` with `check = lambda x, want: f(x) == want` never travels with the call.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from a1kit.parsing import names
from a1kit.parsing.literals import destructure, elements, fold
from a1kit.parsing.scopes import Scoped, expression, substituted
from a1kit.parsing.setup import Setup
from a1kit.parsing.source import Segments, Unparsable, copy_tree, render, walk

MAX_UNROLLED = 256
"""Most elements of a literal loop or comprehension that are written out."""

_ONLY_LOOK = names.words(
    "callable dir getattr hasattr help id isinstance issubclass len print repr str type vars bool hash"
)
_SINGLE = names.words("round isinstance hasattr getattr next sorted enumerate issubclass sum int iter islice")
_VALUE_TYPES = (int, float, complex, str, bytes, bytearray, list, tuple, dict, set, range, type(None), Generator)
_OF_VALUES = frozenset(name for kind in _VALUE_TYPES for name in dir(kind)) | names.words(
    "all any argmax argmin astype flatten item max mean min prod reshape sum tolist most_common elements appendleft "
    "popleft extendleft rotate date time year isoformat total_seconds quantize"
)
"""What can be asked of built-in values, and of the results of well-known libraries."""
_COMPARING = names.words("isclose allclose array_equal approx eq ne lt le gt ge is_ is_not contains compare")


@dataclass(frozen=True, slots=True)
class Seen:
    """One observation: the expression, and the longest chain of attributes, methods and one-argument functions around
    it that a child could evaluate instead when the value itself cannot leave it (`chain is node` if there is none).
    `told` is the part of the text that tells this call from another: `Stack().push(5).top()`, not just `Stack()`."""

    node: ast.expr
    chain: ast.expr
    told: ast.expr


def prepared(test: ast.expr, setup: Setup) -> ast.expr:
    """The assertion with results in place of their names, literals looked up, comprehensions over literals and one-line
    helpers written out. The same object when nothing of this applies."""
    rebound = names.binds(test) & (setup.strong | setup.weak | setup.callables)
    if rebound:
        raise Unparsable(f"the assertion gives {min(rebound)} another value while it reads it")
    _refuse_two_turns(test, setup)
    work = _inlined(fold(test, setup.literals), setup)
    if setup.helpers and names.loads(work) & setup.helpers:
        work = expression(_Helpers(setup).visit(work if work is not test else copy_tree(work)))
        work = fold(work, setup.literals)
    if any(isinstance(node, names.Comprehension) and names.loads(node) & setup.callables for node in walk(work)):
        unrolled = _Unroll(setup)
        work = fold(expression(unrolled.visit(copy_tree(work))), setup.literals)
    return work


def _refuse_two_turns(test: ast.expr, setup: Setup) -> None:
    """Refuse `s.pop() == 2 and s.pop() == 1`: each part would start from the same `s`."""
    for changed in set().union(*map(names.changed_by, walk(test))) & setup.strong:
        group = setup.group(changed)
        if sum(isinstance(node, ast.Name) and node.id in group for node in walk(test)) > 1:
            raise Unparsable(f"one part of the assertion changes {changed} and another part reads it")


def _inlined(test: ast.expr, setup: Setup) -> ast.expr:
    if not setup.strong:
        return test
    work = test
    afterwards = bool(setup.weak and setup.weak & set(_looked_at(test, setup)))
    for _ in range(20):
        values = {}
        for name in sorted(names.loads(work) & setup.strong):
            value = setup.inlinable(name)
            step = setup.producer(name)
            if value is None or step is None:
                continue
            handed = _changeable(step.hands, setup)
            if not (handed if afterwards else handed & (setup.strong - {name})):  # which would run it twice
                values[name] = value
        if _share_arguments(values, setup):
            return test
        if not values:
            break
        work = substituted(work, values)
    return work


def _changeable(handed: Iterable[str], setup: Setup) -> set[str]:
    """Those of the names whose objects a call could have changed."""
    return {name for name in handed if not isinstance(setup.literals.get(name), ast.Constant | ast.UnaryOp)}


def _looked_at(test: ast.expr, setup: Setup) -> Iterator[str]:
    """Names that an assertion looks at after the calls, in comparisons that hold no result."""
    parts = test.values if isinstance(test, ast.BoolOp) else [test.operand] if isinstance(test, ast.UnaryOp) else []
    for part in parts:
        yield from _looked_at(part, setup)
    if not parts and not names.loads(test) & (setup.callables | setup.strong):
        yield from names.loads(test)


def _share_arguments(values: Mapping[str, ast.expr], setup: Setup) -> bool:
    """Whether two results were computed one after the other from one object, which the first call may have changed."""
    handed: set[str] = set()
    for name in values:
        step = setup.producer(name)
        hands = set() if step is None else _changeable(step.hands, setup)
        if hands & handed:
            return True
        handed |= hands
    return False


class _Helpers(Scoped):
    """Calls of helpers that only return an expression become that expression."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.room = MAX_UNROLLED // 4

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if not (isinstance(node.func, ast.Name) and node.func.id in self.setup.helpers - self.hidden):
            return node
        step = self.setup.producer(node.func.id)
        body = None if step is None else one_expression(step.node)
        if body is None:
            return node
        arguments, returned = body
        values = bound_arguments(arguments, node)
        free = names.loads(returned) - set(values or ()) - self.setup.callables
        if values is None or free & self.hidden or _repeats_an_effect(returned, values):
            return node
        self.room -= 1
        if self.room < 0:
            raise Unparsable("the helpers call each other without end")
        return expression(self.visit(substituted(returned, values)))


def _repeats_an_effect(returned: ast.expr, values: Mapping[str, ast.expr]) -> bool:
    """Whether an argument that changes something (`next(it)`) would be evaluated more or less than once."""
    effects = {name for name, value in values.items() if names.mutates(ast.Expr(ast.Tuple([value], ast.Load())))}
    reads = [node.id for node in walk(returned) if isinstance(node, ast.Name)]
    return any(reads.count(name) != 1 for name in effects)


def one_expression(node: ast.stmt) -> tuple[ast.arguments, ast.expr] | None:
    """Parameters and result of a function whose body is one `return`."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
        return node.value.args, node.value.body
    if isinstance(node, ast.FunctionDef) and not node.decorator_list:
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None:
            return node.args, body[0].value
    return None


def bound_arguments(parameters: ast.arguments, call: ast.Call) -> dict[str, ast.expr] | None:
    """Which argument each parameter of a plain function gets in a plain call; None when either is not plain."""
    if parameters.vararg or parameters.kwarg or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    order = [argument.arg for argument in [*parameters.posonlyargs, *parameters.args]]
    named = [*order, *(argument.arg for argument in parameters.kwonlyargs)]
    if len(call.args) > len(order):
        return None
    values = dict(zip(order, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in values or keyword.arg not in named:
            return None
        values[keyword.arg] = keyword.value
    defaults = dict(zip(order[len(order) - len(parameters.defaults) :], parameters.defaults, strict=True))
    for argument, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True):
        if default is not None:
            defaults[argument.arg] = default
    values = {**defaults, **values}
    return values if set(values) == set(named) else None


class _Unroll(Scoped):
    """Comprehensions over literals that call the entry point become displays of their elements."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.room = 4 * MAX_UNROLLED

    def _rows(self, node: names.Comprehension) -> list[dict[str, ast.expr]] | None:
        """What every round gives to the variables; None when it is not known from the text, or calls nothing."""
        if not names.loads(node) & self.setup.callables - self.hidden:
            return None
        literals = {name: value for name, value in self.setup.literals.items() if name not in self.hidden}
        rows: list[dict[str, ast.expr]] = [{}]
        for generator in node.generators:
            if generator.ifs or generator.is_async:
                return None
            longer: list[dict[str, ast.expr]] = []
            for row in rows:
                items = elements(fold(substituted(generator.iter, row), literals), literals)
                if items is None:
                    return None
                for item in items:
                    pairs = destructure(generator.target, item, literals)
                    if pairs is None or len(longer) >= MAX_UNROLLED:
                        return None
                    self.room -= 1
                    if self.room < 0:
                        raise Unparsable("the comprehensions have too many elements to be written out")
                    longer.append({**row, **dict(pairs)})
            rows = longer
        return rows

    def _display(self, node: names.Comprehension) -> ast.AST:
        self._comprehension(node)
        rows = self._rows(node)
        if rows is None:
            return node
        if isinstance(node, ast.DictComp):
            keys: list[ast.expr | None] = [self._round(node.key, row) for row in rows]
            return ast.Dict(keys, [self._round(node.value, row) for row in rows])
        items = [self._round(node.elt, row) for row in rows]
        return ast.Set(items) if isinstance(node, ast.SetComp) and items else ast.List(items, ast.Load())

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _display

    def _round(self, node: ast.expr, row: Mapping[str, ast.expr]) -> ast.expr:
        return expression(self.visit(substituted(node, row)))


def observed(test: ast.expr, setup: Setup) -> list[Seen]:
    """The observations of a prepared assertion, one for every place they stand in, in the order of the text."""
    return list(_Observer(setup).walk(test, [], frozenset(), weak=True))


class _Observer:
    """Walks an expression and yields its outermost observations.

    Inside a comparison that holds a result, a name that was only an *argument* stands for its value before the call
    (`assert f(xs) == sorted(xs)`); a comparison without a result looks at it after the call (`assert xs == [1, 2]`).
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    def walk(self, node: ast.expr, parents: list[ast.AST], hidden: frozenset[str], weak: bool) -> Iterator[Seen]:
        if isinstance(node, ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            for part in node.values if isinstance(node, ast.BoolOp) else [node.operand]:
                yield from self.walk(part, [], hidden, weak)
            return
        weak = weak and bool(self.setup.weak) and not (names.loads(node) & (self.setup.callables | self.setup.strong))
        yield from self._visit(node, [], hidden, weak)

    def _visit(self, node: ast.AST, parents: list[ast.AST], hidden: frozenset[str], weak: bool) -> Iterator[Seen]:
        if isinstance(node, ast.Name):
            yield from self._name(node, parents, hidden, weak)
            return
        if (isinstance(node, ast.Call) and self._calls(node)) or self._identity(node):
            free = names.loads(node)
            if free & hidden:
                raise Unparsable("the call depends on a variable that is not a literal")
            assert isinstance(node, ast.expr)
            yield self._seen(node, parents)
            return
        for child, there in _children(node, hidden):
            yield from self._visit(child, [*parents, node], there, weak)

    def _name(self, node: ast.Name, parents: list[ast.AST], hidden: frozenset[str], weak: bool) -> Iterator[Seen]:
        if not isinstance(node.ctx, ast.Load) or node.id in hidden:
            return
        if node.id in self.setup.callables:
            raise Unparsable(f"mentions {node.id} without calling it")
        if node.id in self.setup.strong or (weak and node.id in self.setup.weak):
            yield self._seen(node, parents)

    def _seen(self, node: ast.expr, parents: list[ast.AST]) -> Seen:
        return Seen(node, self._chain(node, parents), told_apart(node, parents, self.setup.entry_point[:1].isupper()))

    def _calls(self, node: ast.Call) -> bool:
        callables = self.setup.callables
        if isinstance(node.func, ast.Name) and node.func.id in callables:
            return True
        if isinstance(node.func, ast.Name) and node.func.id in _ONLY_LOOK:
            return False
        handed = [*node.args, *(keyword.value for keyword in node.keywords)]
        return any(isinstance(argument, ast.Name) and argument.id in callables for argument in handed)

    def _identity(self, node: ast.AST) -> bool:
        """`f(xs) is xs`: identity does not survive the wire, so the child evaluates the comparison itself."""
        if not (isinstance(node, ast.Compare) and all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops)):
            return False
        reads = [names.loads(side) for side in [node.left, *node.comparators]]
        watched = self.setup.callables | self.setup.strong
        if not any(read & watched for read in reads) or not all(reads):
            return False
        handed: set[str] = set().union(*(read for read in reads if read & watched))
        known = handed | (names.BUILTINS - self.setup.bound)
        return all(read <= known for read in reads)  # an object made to be compared with would travel with the call

    def _chain(self, node: ast.expr, parents: list[ast.AST]) -> ast.expr:
        """Climb from an observation through what is applied to it, without taking along another side of a
        comparison."""
        chain = node
        position = len(parents) - 1
        while position >= 0:
            parent = parents[position]
            if isinstance(parent, ast.keyword) and position > 0:
                break
            if not _applies(parent, chain, self.setup):
                break
            assert isinstance(parent, ast.expr)
            chain = parent
            position -= 1
        return node if isinstance(chain, ast.Attribute) and _is_method(chain, parents, position) else chain


def _children(node: ast.AST, hidden: frozenset[str]) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    """The parts of a node in the order of the text, each with the names that the scopes around it bind."""
    if isinstance(node, ast.Lambda):
        yield node.args, hidden
        yield node.body, hidden | names.local(node.args, [node.body])
    elif isinstance(node, names.Comprehension):
        inside = hidden | names.targets(node)
        first = node.generators[0]
        for child in ast.iter_child_nodes(node):
            if child is first:
                yield first.iter, hidden  # evaluated outside
                yield from ((condition, inside) for condition in first.ifs)
            else:
                yield child, inside
    else:
        yield from ((child, hidden) for child in ast.iter_child_nodes(node))


def told_apart(node: ast.expr, parents: Sequence[ast.AST], makes_object: bool) -> ast.expr:
    """An observed call with what is done to its result, as far as that makes it another call.

    Two methods of an object that the program defines are two calls: `make(3).area()`, `make(3).height()`. What built-in
    values have (`f(x).lower()`, `f(x)[0]`) looks at one and the same result, unless the entry point is a class
    (`makes_object`), whose instances are looked at through nothing else.
    """
    whole, own = node, makes_object
    for parent in reversed(parents):
        if isinstance(parent, ast.Call) and parent.func is whole:
            own = own or (isinstance(whole, ast.Attribute) and whole.attr not in _OF_VALUES)
        elif isinstance(parent, ast.Call):
            if not (makes_object and [whole] == parent.args and _is_builtin(parent.func)):
                break
        elif not (isinstance(parent, ast.Attribute | ast.Subscript) and parent.value is whole):
            break
        assert isinstance(parent, ast.expr)
        whole = parent
    return whole if own else node


def _is_builtin(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and function.id in names.BUILTINS


def _is_method(chain: ast.Attribute, parents: list[ast.AST], position: int) -> bool:
    """Whether the climb stopped between a method and its call."""
    parent = parents[position] if position >= 0 else None
    return isinstance(parent, ast.Call) and parent.func is chain


def _compares(argument: ast.expr) -> bool:
    return any(isinstance(node, ast.Compare) for node in walk(argument))


def _applies(parent: ast.AST, chain: ast.expr, setup: Setup) -> bool:
    if isinstance(parent, ast.Attribute):
        return not (parent.attr.startswith("__") and parent.attr not in ("__name__", "__class__", "__len__", "__doc__"))
    if isinstance(parent, ast.Subscript):
        return parent.value is chain and not names.loads(parent.slice) - names.BUILTINS
    if not isinstance(parent, ast.Call):
        return False
    rest = [argument for argument in parent.args if argument is not chain]
    rest += [keyword.value for keyword in parent.keywords]
    known = names.BUILTINS | {
        name for step in setup.steps if isinstance(step.node, ast.Import | ast.ImportFrom) for name in step.binds
    }
    if any(names.loads(argument) - known or _compares(argument) for argument in rest):
        return False
    if parent.func is chain:
        return True
    function = parent.func.id if isinstance(parent.func, ast.Name) else getattr(parent.func, "attr", "")
    if not function or function in _COMPARING or chain not in parent.args:
        return False
    if isinstance(parent.func, ast.Name) and not (parent.func.id in known or parent.func.id in names.PRELUDE):
        return False
    if isinstance(parent.func, ast.Attribute):
        base = names.base_name(parent.func)
        if base is None:
            return isinstance(parent.func.value, ast.Constant) and not rest
        if base not in known and base not in names.PRELUDE:
            return False
    return not rest or function in _SINGLE


_FORMATTED = re.compile("[fF][rR]?['\"]")


def faithful(test: ast.expr, segments: Segments) -> bool:
    """Whether the positions of the nodes can be trusted: before Python 3.12 they cannot inside f-strings."""
    if not _FORMATTED.search(segments.text):
        return True
    return not any(isinstance(node, ast.JoinedStr) for node in walk(test))


def spelled(test: ast.expr, replaced: Mapping[int, str], segments: Segments | None) -> str:
    """Source of an expression with some of its nodes (by `id`) replaced by names.

    `segments` is the text the expression came from, or None when its tree was changed (see `faithful`).
    """
    if segments is not None and not isinstance(test, ast.NamedExpr):  # which needs brackets
        begin, end = segments.start(test), segments.end(test)
        text = segments.text[begin:end]
        if "\n" not in text and not replaced:
            return text
        if "\n" not in text:
            spans = sorted(
                (segments.start(node), segments.end(node), replaced[id(node)])
                for node in walk(test)
                if id(node) in replaced and isinstance(node, ast.expr)
            )
            pieces, last = [], begin
            for start, stop, name in spans:
                if start >= last:
                    pieces += [segments.text[last:start], name]
                    last = stop
            return "".join([*pieces, segments.text[last:end]])
    return render(_replacing(test, replaced)) if replaced else render(test)


def _replacing(node: ast.AST, replaced: Mapping[int, str]) -> ast.AST:
    if id(node) in replaced:
        return ast.Name(replaced[id(node)], ast.Load())
    fresh = type(node)()
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            value = _replacing(value, replaced)
        elif isinstance(value, list):
            value = [_replacing(item, replaced) if isinstance(item, ast.AST) else item for item in value]
        setattr(fresh, name, value)
    return ast.fix_missing_locations(fresh) if isinstance(fresh, ast.stmt) else fresh
