"""The assertion methods of `unittest` and `numpy.testing` as plain `assert` statements.

`self.assertEqual(a, b, "why")` means `assert a == b`; the message has no part in the meaning and goes. Methods that are
not in the table are not understood, which the caller reports rather than guesses.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from a1kit.parsing.scopes import Substitute, expression
from a1kit.parsing.source import expression_tree

_SPELLINGS = {
    "a == b": "assertEqual assertEquals assertListEqual assertTupleEqual assertDictEqual assertSetEqual "
    "assertSequenceEqual assertMultiLineEqual assert_equal",
    "a != b": "assertNotEqual assertNotEquals",
    "a is b": "assertIs",
    "a is not b": "assertIsNot",
    "a in b": "assertIn",
    "a not in b": "assertNotIn",
    "a < b": "assertLess",
    "a <= b": "assertLessEqual",
    "a > b": "assertGreater",
    "a >= b": "assertGreaterEqual",
    "isinstance(a, b)": "assertIsInstance",
    "not isinstance(a, b)": "assertNotIsInstance",
    "sorted(a, key=repr) == sorted(b, key=repr)": "assertCountEqual assertItemsEqual",
    "re.search(b, a)": "assertRegex assertRegexpMatches",
    "not re.search(b, a)": "assertNotRegex",
    "np.array_equal(a, b)": "assert_array_equal",
}
_UNARY = {
    "a": "assertTrue assert_",
    "not a": "assertFalse",
    "a is None": "assertIsNone",
    "a is not None": "assertIsNotNone",
}
_FORMS = {name: (form, 2) for form, names in _SPELLINGS.items() for name in names.split()} | {
    name: (form, 1) for form, names in _UNARY.items() for name in names.split()
}


def as_assertion(call: ast.Call) -> ast.Assert | None:
    """The `assert` that a method call stands for, or None when it is not one that the table knows."""
    if not isinstance(call.func, ast.Attribute):
        return None
    method = call.func.attr
    special = _SPECIAL.get(method)
    test: ast.expr | None = None
    if special is not None and len(call.args) >= 2:
        test = special(call)
    elif method in _FORMS:
        form, count = _FORMS[method]
        if len(call.args) >= count and not any(isinstance(argument, ast.Starred) for argument in call.args):
            test = _filled(form, call.args)
    if test is None:
        return None
    return ast.fix_missing_locations(ast.copy_location(ast.Assert(test), call))


def is_assertion_method(call: ast.Call) -> bool:
    """Whether a call looks like an assertion method, known or not."""
    return (
        isinstance(call.func, ast.Attribute)
        and call.func.attr.startswith("assert")
        and call.func.attr != "assert_called"
    )


def _filled(form: str, args: list[ast.expr]) -> ast.expr:
    values = dict(zip("ab", args, strict=False))
    return expression(Substitute(values).visit(expression_tree(form)))


def _keyword(call: ast.Call, name: str, position: int) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    return call.args[position] if len(call.args) > position else None


def _almost(call: ast.Call) -> ast.expr:
    """Within `delta`, or equal when the difference is rounded to `places` (7) digits."""
    delta, places = _keyword(call, "delta", 9), _keyword(call, "places", 2)
    if delta is None:
        digits = places.value if isinstance(places, ast.Constant) and isinstance(places.value, int) else 7
        delta = ast.Constant(0.5 * 10.0**-digits) if abs(digits) <= 300 else ast.Constant(0.0)
    return expression(Substitute({"delta": delta}).visit(_filled("abs(a - b) <= delta", call.args)))


def _not_almost(call: ast.Call) -> ast.expr:
    return ast.UnaryOp(ast.Not(), _almost(call))


def _allclose(call: ast.Call) -> ast.expr:
    rtol = _keyword(call, "rtol", 2) or ast.Constant(1e-7)
    atol = _keyword(call, "atol", 3) or ast.Constant(0.0)
    form = _filled("np.allclose(a, b, rtol=rtol, atol=atol)", call.args)
    return expression(Substitute({"rtol": rtol, "atol": atol}).visit(form))


_SPECIAL: dict[str, Callable[[ast.Call], ast.expr]] = {
    "assertAlmostEqual": _almost,
    "assertAlmostEquals": _almost,
    "assertNotAlmostEqual": _not_almost,
    "assert_allclose": _allclose,
    "assert_almost_equal": _almost,
}
