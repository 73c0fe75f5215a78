"""A test program taken apart: the inputs go to the candidate, the results stay away from it.

HumanEval+ and MBPP+ ship programs of one shape,

    <helpers>
    def check(candidate):
        inputs = [...]
        results = [...]                                    # or the helpers hold a reference function instead
        for i, (inp, exp) in enumerate(zip(inputs, results)):
            assertion(candidate(*inp), exp, 0)

and run with the candidate in one process, where a candidate that goes looking finds `results`, or replaces numpy's
comparison. `take_apart` makes two programs of one: calls, to be evaluated on the candidate in one child, and a checker
in which `candidate(*inp)` has become "the i-th value that was seen", to be run in another child over those values. The
checker is the benchmark's own text otherwise, so its verdict is the benchmark's.

Two rules of comparison:

    PROGRAM    the test program's own assertion
    EVALPLUS   what the package evalplus does with the same inputs and results: floats (and lists of them) within
               rtol 1e-7 and atol 1e-6, equal types wherever a tolerance is needed, and its oracles for special tasks

Not handled, and therefore None: a `check` of any other shape, and inputs that are more than literals and names of
modules the helpers import. What a candidate does to its arguments is not seen by the checker, which has its own.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from a1kit.errors import MissingDependency
from a1kit.parsing.source import expression_tree, module_tree
from a1kit.sandbox.protocol import Call

_SEEN, _START, _CHECK = "_a1kit_seen", "_a1kit_start", "_a1kit_check"


class Rule(StrEnum):
    """Who decides whether a result is right."""

    PROGRAM = "program"
    EVALPLUS = "evalplus"


@dataclass(frozen=True, slots=True)
class SealedTest:
    """One test program in two halves.

    calls     what the candidate is asked, in order; the first only asks whether the names it needs are there
    again     the same calls for values that cannot leave a child, reduced to what the checker looks at: a generator to
              a list where a set is made of it, any object to a word where only None counts; () where nothing would do
    checker   program that defines the check over values seen, to be asked with `question_of`
    """

    calls: tuple[Call, ...]
    again: tuple[Call, ...]
    checker: str

    @property
    def inputs(self) -> int:
        return len(self.calls) - 1

    @staticmethod
    def question_of(values: int, start: int) -> Call:
        """The call that checks `values` values, bound to `_0 …`, as those of the inputs from number `start` on."""
        return Call(f"{_CHECK}([{', '.join(f'_{i}' for i in range(values))}], {start})")


@dataclass(frozen=True, slots=True)
class _Shape:
    """The parts of a test program. `results` is None where the helpers hold a reference function."""

    head: str
    check: ast.FunctionDef
    inputs: ast.List
    results: ast.List | None
    loop: ast.For
    index: str
    callee: str
    source: _Source


class _Source:
    """Text of nodes, in time that does not depend on how long the program is."""

    def __init__(self, text: str) -> None:
        self.lines = [line.encode() for line in text.split("\n")]

    def of(self, node: ast.expr) -> str:
        if node.lineno != node.end_lineno:
            return ast.unparse(node)
        return self.lines[node.lineno - 1][node.col_offset : node.end_col_offset].decode()

    def before(self, line: int) -> str:
        return b"\n".join(self.lines[: line - 1]).decode()


def take_apart(check: str, entry_point: str, rule: Rule = Rule.PROGRAM) -> SealedTest | None:
    """Both halves of a test program, or None when it is of another shape.

    check   source that defines `check(candidate)`, with or without a last line that calls it

    Raises MissingDependency when the rule is evalplus' and the package is not installed.
    """
    shape = _shape(check, entry_point)
    if shape is None:
        return None
    imports = _imports(shape)
    calls = _calls(shape, entry_point, imports)
    if calls is None:
        return None
    checker = _program_checker(shape) if rule is Rule.PROGRAM else _evalplus_checker(shape, entry_point)
    return SealedTest(calls, _again(shape, calls), checker)


# -- the shape ---------------------------------------------------------------------------------------------------------


def _shape(check: str, entry_point: str) -> _Shape | None:
    try:
        tree = module_tree(check)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "check"]
    if len(functions) != 1 or not _ends_with(tree, functions[0], entry_point):
        return None
    function = functions[0]
    if len(function.args.args) != 1 or function.decorator_list:
        return None
    match function.body:
        case [ast.Assign(targets=[ast.Name(id="inputs")], value=ast.List() as inputs), ast.For() as loop]:
            results = None
        case [
            ast.Assign(targets=[ast.Name(id="inputs")], value=ast.List() as inputs),
            ast.Assign(targets=[ast.Name(id="results")], value=ast.List() as results),
            ast.For() as loop,
        ]:
            if len(results.elts) != len(inputs.elts):
                return None
        case _:
            return None
    found = _loop(loop, paired=results is not None)
    if found is None:
        return None
    source = _Source(check)
    return _Shape(source.before(function.lineno), function, inputs, results, loop, *found, source)


def _ends_with(tree: ast.Module, function: ast.FunctionDef, entry_point: str) -> bool:
    """Whether nothing follows the function but the call `check(entry_point)`."""
    after = tree.body[tree.body.index(function) + 1 :]
    return not after or [ast.unparse(node) for node in after] == [f"check({entry_point})"]


def _loop(loop: ast.For, *, paired: bool) -> tuple[str, str] | None:
    """The names of the index and of what is called, of `for i, (inp, exp) in enumerate(zip(inputs, results))`."""
    over = "enumerate(zip(inputs, results))" if paired else "enumerate(inputs)"
    match loop.target:
        case ast.Tuple(elts=[ast.Name(id=index), ast.Tuple(elts=[ast.Name(id="inp"), ast.Name(id="exp")])]) if paired:
            pass
        case ast.Tuple(elts=[ast.Name(id=index), ast.Name(id="inp")]) if not paired:
            pass
        case _:
            return None
    if ast.unparse(loop.iter) != over or len(loop.body) != 1 or loop.orelse:
        return None
    called = [name for node in ast.walk(loop.body[0]) if (name := _asks_candidate(node)) and name != "ref_func"]
    return (index, called[0]) if len(called) == 1 else None


def _asks_candidate(node: ast.AST) -> str | None:
    """The name called in `name(*inp)`."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[ast.Starred(value=ast.Name(id="inp"))], keywords=[]):
            return name
    return None


def _imports(shape: _Shape) -> dict[str, str]:
    """Name -> the statement that imports it, of the helpers."""
    found: dict[str, str] = {}
    for node in module_tree(shape.head).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = ast.unparse(node)
    return found


# -- the candidate's half ----------------------------------------------------------------------------------------------


def _calls(shape: _Shape, entry_point: str, imports: dict[str, str]) -> tuple[Call, ...] | None:
    """A question after the names, then one call an input; None when an input needs a name nobody imports."""
    callee = entry_point if shape.callee == shape.check.args.args[0].arg else shape.callee
    calls = [Call(f"callable({entry_point}) and callable({callee})")]
    for element in shape.inputs.elts:
        setup: list[str] = []
        for name in _names(element):
            if name in imports:
                setup.append(imports[name])
            elif not hasattr(builtins, name):
                return None
        if isinstance(element, ast.List | ast.Tuple):
            arguments = ", ".join(shape.source.of(part) for part in element.elts)
        else:
            arguments = f"*{shape.source.of(element)}"
        calls.append(Call(f"{callee}({arguments})", "\n".join(dict.fromkeys(setup))))
    return tuple(calls)


def _names(node: ast.expr) -> Iterator[str]:
    return (part.id for part in ast.walk(node) if isinstance(part, ast.Name))


_NOT_NONE = "(lambda value: value if value is None or value is True or value is False else 'something')"


def _again(shape: _Shape, calls: Sequence[Call]) -> tuple[Call, ...]:
    """The calls with their values reduced, for checkers that make a set of a value, or ask only whether it is None."""
    if "out = set(out)" in shape.head:
        reduce = "list"
    elif "exact_match = exp == (out is not None)" in shape.head:
        reduce = _NOT_NONE
    else:
        return ()
    return (calls[0], *(Call(f"{reduce}({call.expression})", call.setup) for call in calls[1:]))


# -- the checker's half ------------------------------------------------------------------------------------------------


class _Replayed(ast.NodeTransformer):
    """`candidate(*inp)` becomes the value that was seen."""

    def __init__(self, shape: _Shape) -> None:
        self.callee, self.index = shape.callee, shape.index

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if _asks_candidate(node) == self.callee:
            return expression_tree(f"{_SEEN}[{self.index}]")
        return self.generic_visit(node)


def _lists(shape: _Shape) -> list[str]:
    lines = [f"    inputs = {shape.source.of(shape.inputs)}"]
    if shape.results is not None:
        lines.append(f"    results = {shape.source.of(shape.results)}")
    return lines


def _program_checker(shape: _Shape) -> str:
    statement = ast.unparse(_Replayed(shape).visit(shape.loop.body[0]))
    cuts = [f"    inputs = inputs[{_START}:][:len({_SEEN})]"]
    if shape.results is not None:
        cuts.append(f"    results = results[{_START}:]")
    return "\n".join(
        [
            shape.head,
            f"def {_CHECK}({_SEEN}, {_START}):",
            *_lists(shape),
            *cuts,
            f"    for {ast.unparse(shape.loop.target)} in {ast.unparse(shape.loop.iter)}:",
            *(f"        {line}" for line in statement.split("\n")),
            "",
        ]
    )


_FLOATS = """
import numpy as _a1kit_np

def _a1kit_floats(value):
    if isinstance(value, float):
        return True
    if isinstance(value, (list, tuple)) and value:
        return all(isinstance(part, float) for part in value)
    return isinstance(value, _a1kit_np.ndarray) and value.dtype in (_a1kit_np.float64, _a1kit_np.float32)

def _a1kit_compare(equal, out, exp, atol):
    if not equal and atol:
        assert type(out) is type(exp)
        assert not isinstance(exp, (list, tuple)) or len(out) == len(exp)
        assert _a1kit_np.allclose(out, exp, rtol=1e-07, atol=atol)
    else:
        assert equal
"""

_EQUALS = {
    "are_equivalent": "True",
    "sum_div": "out == exp or out == 0",
    "surface_Area": "out == exp or abs(out - _surface_Area(*inp)) <= atol",
    "digit_distance_nums": "out == exp or out == _digit_distance_nums(*inp)",
}
"""Tasks of MBPP+ whose results are not the only right ones. The oracles named here are evalplus' own, by its source."""


def _evalplus_checker(shape: _Shape, entry_point: str) -> str:
    try:
        from evalplus.eval import _special_oracle as special
    except ImportError:
        raise MissingDependency("judging as evalplus does needs its package: pip install evalplus") from None
    oracles = [inspect.getsource(function) for function in (special._surface_Area, special._digit_distance_nums)]
    equal = _EQUALS.get(entry_point, "out == exp")
    if entry_point in special.MBPP_OUTPUT_SET_EQ_TASKS:
        equal = "set(out) == set(exp)"
    elif entry_point in special.MBPP_OUTPUT_NOT_NONE_TASKS:
        equal = "out == exp if isinstance(out, bool) else exp == (out is not None)"
    expected = "results[i]" if shape.results is not None else "ref_func(*inp)"
    asserts = [f"        equal = {equal}", "        _a1kit_compare(equal, out, exp, atol)"]
    if entry_point == "find_zero":
        oracles.append(inspect.getsource(special._poly))
        asserts = ["        assert abs(_poly(*inp, out)) <= atol"]
    return "\n".join(
        [
            shape.head,
            "import math",
            *oracles,
            _FLOATS,
            f"def {_CHECK}({_SEEN}, {_START}):",
            *_lists(shape),
            f"    atol = {_tolerance(shape)!r}",
            f"    for i, inp in enumerate(inputs[:{_START} + len({_SEEN})]):",
            f"        exp = {expected}",
            "        if atol == 0 and _a1kit_floats(exp):",
            "            atol = 1e-6",
            f"        if i < {_START}:",
            "            continue",
            f"        out = {_SEEN}[i - {_START}]",
            *asserts,
            "",
        ]
    )


def _tolerance(shape: _Shape) -> float:
    """The absolute tolerance the task names: the last argument of `assertion`, or what a bound is compared with."""
    match shape.loop.body[0]:
        case ast.Expr(value=ast.Call(args=[*_, ast.Constant(value=float() | int() as tolerance)])):
            return float(tolerance)
        case ast.Assert(test=ast.Compare(comparators=[ast.Constant(value=float() | int() as tolerance)])):
            return float(tolerance)
    return 0.0
