"""Comparisons that leave a slot for an answer: equality, closeness of floats, and functions that compare.

| as written | kind |
|---|---|
| `a == b`, `a is None`, `a is True` | equal |
| `math.isclose(a, b, rel_tol=…, abs_tol=…)`, `abs(a - b) < eps`, `a == pytest.approx(b)` | close |
| `np.isclose(a, b)`, `np.allclose(a, b)`, `np.array_equal(a, b)`, `a is None` inside more | check, with a slot |

A strict `abs(a - b) < eps` keeps its meaning as a tolerance just below `eps`. `pytest.approx` measures its relative
tolerance against the expected value, `math.isclose` against the larger of the two; between them lies a factor of
1 + 1e-6, which is ignored.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass

from a1kit.parsing.normal import number

_COMPARERS = frozenset(("isclose", "allclose", "array_equal", "array_equiv"))


@dataclass(frozen=True, slots=True)
class Recognised:
    """Two operands that are compared, and how. `one_way`: only the second one can be the answer."""

    first: ast.expr
    second: ast.expr
    kind: str = "equal"
    strict: bool = False
    identity: bool = False
    rel_tol: float = 0.0
    abs_tol: float = 0.0
    one_way: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """A comparison with its sides told apart: where the answer stands in the text, what is tested, what is expected."""

    slot: ast.expr
    work_tested: ast.expr
    work_answer: ast.expr
    kind: str
    strict: bool
    identity: bool
    rel_tol: float
    abs_tol: float


def equality(test: ast.expr, literals: Mapping[str, ast.expr]) -> Recognised | None:
    """`a == b`, and `a is b` for one of None, True and False."""
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        return None
    left, right = test.left, test.comparators[0]
    if isinstance(test.ops[0], ast.Eq):
        return Recognised(left, right)
    if isinstance(test.ops[0], ast.Is):
        for side in (right, left):
            if isinstance(side, ast.Constant) and (side.value is None or isinstance(side.value, bool)):
                return Recognised(left, right, strict=side.value is not None, identity=True)
    return None


def closeness(test: ast.expr, literals: Mapping[str, ast.expr]) -> Recognised | None:
    """`math.isclose(a, b)`, `abs(a - b) < eps` and `a == pytest.approx(b)` with tolerances that are numbers."""
    if isinstance(test, ast.Call):
        return _isclose(test, literals)
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        return None
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    if isinstance(operator, ast.Eq):
        for side, other in ((right, left), (left, right)):
            if isinstance(side, ast.Call) and _function(side) == "approx" and len(side.args) >= 1:
                return _approx(side, other, literals)
        return None
    if isinstance(operator, ast.Lt | ast.LtE):
        return _absolute(left, right, isinstance(operator, ast.Lt), literals)
    if isinstance(operator, ast.Gt | ast.GtE):
        return _absolute(right, left, isinstance(operator, ast.Gt), literals)
    return None


def comparer(test: ast.expr, literals: Mapping[str, ast.expr]) -> Recognised | None:
    """`np.allclose(a, b, …)` and its kind: evaluated as they are, with a slot for the answer."""
    if not (isinstance(test, ast.Call) and _function(test) in _COMPARERS and len(test.args) >= 2):
        return None
    if any(isinstance(argument, ast.Starred) for argument in test.args):
        return None
    return Recognised(test.args[0], test.args[1], kind="check")


def _function(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _isclose(call: ast.Call, literals: Mapping[str, ast.expr]) -> Recognised | None:
    from_math = isinstance(call.func, ast.Name) or (
        isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name) and call.func.value.id == "math"
    )
    if not (from_math and _function(call) == "isclose" and len(call.args) == 2):
        return None
    tolerances = _tolerances(call, {"rel_tol": 1e-9, "abs_tol": 0.0}, literals)
    if tolerances is None:
        return None
    return Recognised(call.args[0], call.args[1], "close", rel_tol=tolerances["rel_tol"], abs_tol=tolerances["abs_tol"])


def _approx(call: ast.Call, other: ast.expr, literals: Mapping[str, ast.expr]) -> Recognised | None:
    given = {keyword.arg for keyword in call.keywords}
    names = ["rel", "abs"]
    keywords = [*call.keywords, *(ast.keyword(name, value) for name, value in zip(names, call.args[1:], strict=False))]
    given |= {keyword.arg for keyword in keywords}
    defaults = {"rel": 0.0 if "abs" in given else 1e-6, "abs": 1e-12, "nan_ok": 0.0}
    tolerances = _tolerances(ast.Call(call.func, [], keywords), defaults, literals)
    if tolerances is None:
        return None
    return Recognised(other, call.args[0], "close", rel_tol=tolerances["rel"], abs_tol=tolerances["abs"])


def _tolerances(
    call: ast.Call, defaults: dict[str, float], literals: Mapping[str, ast.expr]
) -> dict[str, float] | None:
    values = dict(defaults)
    for keyword in call.keywords:
        value = 1.0 if keyword.arg == "nan_ok" else _real(keyword.value, literals)
        if keyword.arg not in values or value is None or value < 0:
            return None
        values[keyword.arg] = value
    return values


def _absolute(left: ast.expr, right: ast.expr, strictly: bool, literals: Mapping[str, ast.expr]) -> Recognised | None:
    if not (isinstance(left, ast.Call) and _function(left) in ("abs", "fabs") and len(left.args) == 1):
        return None
    difference = left.args[0]
    if not (isinstance(difference, ast.BinOp) and isinstance(difference.op, ast.Sub)):
        return None
    tolerance = _real(right, literals)
    if tolerance is None or tolerance < 0 or (strictly and tolerance == 0):
        return None
    if strictly:
        tolerance = math.nextafter(tolerance, 0.0)
    return Recognised(difference.left, difference.right, "close", abs_tol=tolerance)


def _real(node: ast.expr, literals: Mapping[str, ast.expr]) -> float | None:
    if isinstance(node, ast.Name) and node.id in literals:
        node = literals[node.id]
    value = number(node)
    if value is None or isinstance(value, complex):
        return None
    try:
        return float(value)
    except OverflowError:
        return None
