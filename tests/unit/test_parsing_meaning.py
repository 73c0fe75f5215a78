"""A test taken apart means what it meant in one piece: both ways of running it agree on right and on wrong programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from a1kit.parsing import parse_assertion, parse_tests
from a1kit.types import Form, TestCase

Namespace = dict[str, Any]


def crosses(value: object) -> bool:
    """Whether a value could leave a program's child."""
    if isinstance(value, list | tuple | set | frozenset):
        return all(crosses(item) for item in value)
    if isinstance(value, dict):
        return all(crosses(item) for pair in value.items() for item in pair)
    return value is None or type(value) in (bool, int, float, complex, str, bytes, range)


def observe(program: str, setup: str, calls: Sequence[str]) -> list[Any]:
    """What the child sees and does: the program, the set-up and the calls, each in a fresh copy."""
    values = []
    for call in calls:
        namespace: Namespace = {}
        exec(program, namespace)
        exec(setup, namespace)
        values.append(eval(call, namespace))
    return values


def judged(case: TestCase, program: str) -> bool:
    """Whether a program passes, with the pieces evaluated apart as the judge does."""
    assert case.malformed is None, case.malformed
    if case.form is Form.RAISES:
        try:
            observe(program, case.setup, case.calls)
        except Exception as error:
            known = {kind.__name__ for kind in type(error).__mro__} & set(case.exceptions)
            return bool(known) and (not case.check or check(case, case.check, [str(error)]))
        return False
    try:
        values = observe(program, case.setup, case.calls)
        expression = case.check
        if case.opaque_calls and not all(crosses(value) for value in values):
            values, expression = observe(program, case.setup, case.opaque_calls), case.opaque_check
    except Exception:
        return False
    namespace: Namespace = {}
    exec(case.check_setup, namespace)
    if case.form is Form.CHECK:
        return check(case, expression, values)
    assert case.predicted is not None
    predicted = eval(case.predicted, namespace)
    if case.form is Form.EQUAL:
        return bool(values[0] == predicted) and (not case.strict or type(values[0]) is type(predicted))
    try:
        return math.isclose(values[0], predicted, rel_tol=case.rel_tol, abs_tol=case.abs_tol)
    except TypeError:
        return False


def check(case: TestCase, expression: str, values: Sequence[Any]) -> bool:
    namespace: Namespace = {f"_{index}": value for index, value in enumerate(values)}
    try:
        exec(case.check_setup, namespace)
        return bool(eval(expression, namespace))
    except Exception:
        return False


def in_one_piece(source: str, program: str) -> bool:
    """Whether a program passes the test as it was written."""
    namespace: Namespace = {"__name__": "test"}
    exec(program, namespace)
    try:
        exec(source, namespace)
    except BaseException as error:
        if type(error) in (SystemExit, KeyboardInterrupt, SyntaxError):
            raise
        return False
    return True


ADD = (
    "def f(a, b=0): return a + b",
    "def f(a, b=0): return a - b",
    "def f(a, b=0): return None",
    "def f(a, b=0): raise ValueError('negative')",
)
LIST = (
    "def f(xs): return sorted(xs)",
    "def f(xs): return list(xs)",
    "def f(xs): xs.sort(); return xs",
    "def f(xs): xs.clear()",
    "def f(xs): return tuple(sorted(xs))",
    "def f(xs): return iter(sorted(xs))",
)
FLOAT = (
    "def f(x): return x / 3",
    "def f(x): return x / 3 + 1e-7",
    "def f(x): return x / 3.1",
    "def f(x): return str(x)",
    "def f(x): return float('nan')",
)
TRUTH = (
    "def f(x): return x > 2",
    "def f(x): return int(x > 2)",
    "def f(x): return [] if x < 3 else [0]",
    "def f(x): return None",
    "def f(x): return not x > 2",
)
TEXT = (
    "def f(s): return s.upper()",
    "def f(s): return s",
    "def f(s): return [s.upper()]",
    "def f(s): return s.upper() + '!'",
)
RAISE = (
    "def f(x):\n    if x < 0: raise ValueError('negative input')\n    return x",
    "def f(x):\n    if x < 0: raise ValueError('bad')\n    return x",
    "def f(x):\n    if x < 0: raise KeyError('negative')\n    return x",
    "def f(x): return x",
    "class Wrong(ValueError): pass\ndef f(x):\n    raise Wrong('negative input')",
)
OBJECT = (
    "class P:\n    def __init__(self, x): self.x = x\n    def area(self): return self.x ** 2\ndef f(x): return P(x)",
    "class P:\n    def __init__(self, x): self.x = x + 1\n    def area(self): return self.x ** 2\n"
    "def f(x): return P(x)",
    "class P:\n    def area(self): return 9\n    x = '3'\ndef f(x): return P()",
    "def f(x): return x",
)
STACK = (
    "class S:\n    def __init__(self): self.xs = []\n    def push(self, x): self.xs.append(x)\n"
    "    def pop(self): return self.xs.pop()\n    def __len__(self): return len(self.xs)\ndef f(): return S()",
    "class S:\n    def __init__(self): self.xs = []\n    def push(self, x): self.xs.append(x)\n"
    "    def pop(self): return self.xs.pop(0)\n    def __len__(self): return 2\ndef f(): return S()",
)
MAKER = (
    "def f(n): return lambda k: n * k",
    "def f(n): return lambda k: n + k",
    "def f(n): return (lambda k: 6)",
    "def f(n): return n",
)
GENERATOR = (
    "def f(n):\n    yield from range(n)",
    "def f(n): return list(range(n))",
    "def f(n): return iter(())",
    "def f(n): return n",
)

TABLE: list[tuple[tuple[str, ...], str]] = [
    (ADD, "assert f(1, 2) == 3"),
    (ADD, "assert 3 == f(1, 2), 'three'"),
    (ADD, "assert f(1, 2) != 4"),
    (ADD, "assert f(1, 2) < 4"),
    (ADD, "assert f(a=1, b=2) >= 3"),
    (ADD, "assert f(*[1, 2]) == 3"),
    (ADD, "assert f(**{'a': 1, 'b': 2}) == 3"),
    (ADD, "assert f(1, 2) in (3, 5)"),
    (ADD, "assert f(1, 2) not in [None]"),
    (ADD, "assert f(1, 2) is not None"),
    (ADD, "assert f(1, 2) is None"),
    (ADD, "assert 2 < f(1, 2) < 4"),
    (ADD, "assert 2 < f(1, 2) == 3"),
    (ADD, "assert f(1, 2) == 3 and f(2, 2) == 4"),
    (ADD, "assert f(1, 2) == 3 and f(2, 2) > 3"),
    (ADD, "assert f(1, 2) == 3 or f(2, 2) == 5"),
    (ADD, "assert not f(1, 2) == 4"),
    (ADD, "assert f(1, 2) == f(2, 1)"),
    (ADD, "assert f(f(1, 2), 3) == 6"),
    (ADD, "assert f(f(1, 1), f(1, 1)) == 4"),
    (ADD, "assert f(1, 2) + 1 == 4"),
    (ADD, "assert -f(1, 2) == -3"),
    (ADD, "assert f'{f(1, 2)}!' == '3!'"),
    (ADD, "assert str(f(1, 2)) == f'{1 + 2}'"),
    (ADD, "assert isinstance(f(1, 2), int)"),
    (ADD, "assert type(f(1, 2)) is int"),
    (ADD, "assert type(f(1, 2)) == int"),
    (ADD, "assert (f(1, 2) == 3) is True"),
    (ADD, "assert (r := f(1, 2)) == 3 and r > 2"),
    (ADD, "assert (3 if f(1, 2) else 4) == 3"),
    (ADD, "assert (lambda r: r == 3)(f(1, 2))"),
    (ADD, "assert all(f(a, b) == c for a, b, c in [(1, 2, 3), (0, 0, 0)])"),
    (ADD, "assert any(f(a, 1) == 3 for a in range(4))"),
    (ADD, "assert [f(i, 1) for i in range(3)] == [1, 2, 3]"),
    (ADD, "assert {i: f(i, 1) for i in (1, 2)} == {1: 2, 2: 3}"),
    (ADD, "assert sum(f(i, 1) for i in range(3)) == 6"),
    (ADD, "assert max([f(1, 2), f(2, 2)]) == 4"),
    (ADD, "assert list(map(f, [1, 2], [3, 4])) == [4, 6]"),
    (ADD, "from functools import reduce\nassert reduce(f, [1, 2, 3]) == 6"),
    (ADD, "import math\nassert f(math.floor(1.5), 2) == math.ceil(2.5)"),
    (ADD, "a = 1\nb = a + 1\nassert f(a, b) == 3"),
    (ADD, "a, b, want = 1, 2, 3\nassert f(a, b) == want"),
    (ADD, "case = {'in': (1, 2), 'out': 3}\nassert f(*case['in']) == case['out']"),
    (ADD, "cases = [((1, 2), 3)]\nassert f(cases[0][0][0], cases[0][0][1]) == cases[0][1]"),
    (ADD, "(a, b), want = (1, 2), 3\nassert f(a, b) == want"),
    (ADD, "r = f(1, 2)\nassert r == 3"),
    (ADD, "r = f(1, 2)\ns = r + 1\nassert s == 4"),
    (ADD, "r = f(1, 2)\nr += 1\nassert r == 4"),
    (ADD, "ok = f(1, 2) == 3\nassert ok"),
    (ADD, "ok = f(1, 2) == 3\nassert ok is True"),
    (ADD, "expected = f(0, 3)\nassert f(1, 2) == expected"),
    (ADD, "def ref(a, b):\n    return a + b\nassert f(1, 2) == ref(1, 2)"),
    (ADD, "twice = lambda x: f(x, x)\nassert twice(2) == 4"),
    (ADD, "def same(x, want):\n    return f(x, 1) == want\nassert same(1, 2)"),
    (ADD, "def run(x):\n    y = f(x, 1)\n    return y * 2\nassert run(1) == 4"),
    (ADD, "x = 1\nx = 2\nassert f(x, 1) == 3"),
    (ADD, "x = 1\nif x:\n    x = 5\nassert f(x, 1) == 6"),
    (ADD, "total = 0\nfor i in range(3):\n    total += i\nassert f(total, 1) == 4"),
    (ADD, "total = 0\nfor i in range(3):\n    total += f(i, 1)\nassert total == 6"),
    (ADD, "assert abs(f(1, 2) - 3) < 1"),
    (ADD, "assert abs(f(1, 2) - 4) < 1"),
    (ADD, "assert abs(f(1, 2) - 4) <= 1"),
    (ADD, "assert 1 > abs(4 - f(1, 2))"),
    (ADD, "assert f(0b11, 0x10) == 1_9"),
    (ADD, 'assert f("""a\nb""", "c") == "a\\nbc"'),
    (ADD, "assert (\n    f(1,\n      2)  # one and two\n    == 3\n)"),
    (ADD, "assert f('é', '→') == 'é→'"),
    (ADD, "assert f('\\ud800', 'x') == '\\ud800x'"),
    (ADD, "assert f(1, 2) == 3; "),
    (ADD, "if __name__ == '__main__':\n    pass\nassert f(1, 2) == 3"),
    (ADD, "try:\n    assert f(1, 2) == 3\nfinally:\n    pass"),
    (LIST, "assert f([3, 1, 2]) == [1, 2, 3]"),
    (LIST, "assert list(f([3, 1, 2])) == [1, 2, 3]"),
    (LIST, "assert sorted(f([3, 1, 2])) == [1, 2, 3]"),
    (LIST, "assert len(f([3, 1, 2])) == 3"),
    (LIST, "assert f([3, 1, 2])[0] == 1"),
    (LIST, "assert f([3, 1, 2])[-1] == max([3, 1, 2])"),
    (LIST, "assert f([3, 1, 2])[1:] == [2, 3]"),
    (LIST, "assert 2 in f([3, 1, 2])"),
    (LIST, "assert next(iter(f([3, 1]))) == 1"),
    (LIST, "assert set(f([3, 1, 3])) == {1, 3}"),
    (LIST, "a, *rest = f([3, 1, 2])\nassert a == 1"),
    (LIST, "a, b = f([3, 1])\nassert (a, b) == (1, 3)"),
    (LIST, "xs = [3, 1]\nf(xs)\nassert xs == [1, 3]"),
    (LIST, "xs = [3, 1]\nassert f(xs) is None or xs == [3, 1]"),
    (LIST, "xs = [3, 1]\nf(xs)\nassert len(xs) == 2 and xs[0] == 1"),
    (LIST, "xs = [3, 1]\nys = xs\nf(ys)\nassert xs == [1, 3]"),
    (LIST, "xs = [3, 1]\nr = f(xs)\nassert xs == [3, 1]"),
    (LIST, "xs = [3, 1]\nr = f(xs)\nassert r == [1, 3] and xs == [3, 1]"),
    (LIST, "xs = [3, 1]\nbefore = list(xs)\nr = f(xs)\nassert xs == before"),
    (LIST, "xs = [3, 1]\nr = f(xs)\nassert r is not xs"),
    (LIST, "xs = [3, 1]\nassert f(xs) is xs"),
    (LIST, "xs = [3, 1]\nxs.append(0)\nassert f(xs) == [0, 1, 3]"),
    (LIST, "xs = [3, 1]\nxs[0] = 9\nassert f(xs) == [1, 9]"),
    (LIST, "xs = [3, 1]\nys = xs\nys.append(0)\nassert f(xs) == [0, 1, 3]"),
    (LIST, "xs = [3, 1]\ndel xs[0]\nassert f(xs) == [1]"),
    (LIST, "xs = [3, 1, 2]\nn = xs.pop()\nassert f(xs) == [1, 3]"),
    (LIST, "import random\nrandom.seed(3)\nxs = [random.random() for _ in range(5)]\nassert f(xs) == sorted(xs)"),
    (LIST, "xs = [5, 4]\nr1 = f(xs)\nr2 = f(xs)\nassert r1 == r2"),
    (LIST, "import copy\nxs = [[2], [1]]\nys = copy.deepcopy(xs)\nassert f(xs) == sorted(ys)"),
    (LIST, "out = f([3, 1])\nout = list(out)\nout.append(9)\nassert out == [1, 3, 9]"),
    (FLOAT, "import math\nassert math.isclose(f(1), 0.3333333333)"),
    (FLOAT, "import math\nassert math.isclose(f(1), 0.33333, rel_tol=1e-3)"),
    (FLOAT, "from math import isclose\nassert isclose(0.33333, f(1), abs_tol=1e-4)"),
    (FLOAT, "assert abs(f(1) - 0.33333333) < 1e-6"),
    (FLOAT, "eps = 1e-6\nassert abs(f(1) - 0.33333333) < eps"),
    (FLOAT, "assert abs(1 / 3 - f(1)) <= 10 ** -9"),
    (FLOAT, "assert round(f(1), 3) == 0.333"),
    (FLOAT, "import pytest\nassert f(1) == pytest.approx(0.333333333)"),
    (FLOAT, "import pytest\nassert f(1) == pytest.approx(0.333, abs=1e-3)"),
    (FLOAT, "import pytest\nassert pytest.approx(0.3333, rel=1e-3) == f(1)"),
    (FLOAT, "from pytest import approx\nassert [f(1)] == approx([0.3333333333])"),
    (FLOAT, "import math\nassert not math.isnan(f(1))"),
    (FLOAT, "import math\nassert math.isclose(f(1) * 3, 1)"),
    (FLOAT, "import numpy as np\nassert np.isclose(f(1), 0.333333333)"),
    (FLOAT, "import numpy as np\nassert np.allclose([f(1)], [0.333333333], atol=1e-3)"),
    (TRUTH, "assert f(3)"),
    (TRUTH, "assert not f(1)"),
    (TRUTH, "assert f(3) == True"),
    (TRUTH, "assert f(3) is True"),
    (TRUTH, "assert f(1) is False"),
    (TRUTH, "assert bool(f(3))"),
    (TRUTH, "assert f(3) and not f(1)"),
    (TRUTH, "assert (not f(1)) and f(3) is True"),
    (TRUTH, "assert not (f(1) or f(2))"),
    (TRUTH, "assert all([f(3), f(4)])"),
    (TRUTH, "r = f(3)\nassert r"),
    (TRUTH, "assert f(3) != f(1)"),
    (TEXT, "assert f('ab') == 'AB'"),
    (TEXT, "assert f('ab').lower() == 'ab'"),
    (TEXT, "assert f('ab').startswith('A')"),
    (TEXT, "assert 'B' in f('ab')"),
    (TEXT, "assert f('ab')[0] == 'A'"),
    (TEXT, "assert ''.join(f('ab')) == 'AB'"),
    (TEXT, "assert f('a' 'b') == 'A' 'B'"),
    (TEXT, "assert f('\\n\\\\') == '\\n\\\\'"),
    (TEXT, "assert f(r'\\d') == r'\\D'"),
    (TEXT, "assert len(f('ab')) == 2 and f('ab').isupper()"),
    (TEXT, "import re\nassert re.match('[A-Z]+$', f('ab'))"),
    (TEXT, "from collections import Counter\nassert Counter(f('aab')) == Counter('AAB')"),
    (RAISE, "import pytest\nwith pytest.raises(ValueError):\n    f(-1)"),
    (RAISE, "import pytest\nwith pytest.raises((ValueError, KeyError)):\n    f(-1)"),
    (RAISE, "import pytest\nwith pytest.raises(ValueError, match='neg.*put'):\n    f(-1)"),
    (RAISE, "import pytest\nwith pytest.raises(ValueError) as info:\n    f(-1)\nassert 'negative' in str(info.value)"),
    (RAISE, "import pytest\nx = -1\nwith pytest.raises(Exception):\n    y = x\n    f(y)"),
    (RAISE, "try:\n    f(-1)\n    assert False, 'no error'\nexcept ValueError:\n    pass"),
    (RAISE, "try:\n    f(-1)\nexcept ValueError:\n    pass\nelse:\n    raise AssertionError('no error')"),
    (RAISE, "try:\n    f(-1)\nexcept ValueError as e:\n    assert str(e) == 'bad'\nelse:\n    assert False"),
    (RAISE, "try:\n    f(-1)\nexcept (KeyError, ValueError):\n    assert True\nelse:\n    assert False"),
    (RAISE, "try:\n    f(-1)\n    raised = False\nexcept ValueError:\n    raised = True\nassert raised"),
    (RAISE, "raised = False\ntry:\n    f(-1)\nexcept ValueError:\n    raised = True\nassert raised is True"),
    (OBJECT, "assert f(3).x == 3"),
    (OBJECT, "assert f(3).area() == 9"),
    (OBJECT, "assert f(3).area() > 8"),
    (OBJECT, "assert f(3).area() - 1 == 8 and f(2).x < 3"),
    (OBJECT, "p = f(3)\nassert p.x == 3"),
    (OBJECT, "p = f(3)\np.x = 4\nassert p.area() == 16"),
    (OBJECT, "p = f(3)\nassert p.x == 3 and p.area() == 9"),
    (OBJECT, "assert [f(i).x for i in (1, 2)] == [1, 2]"),
    (OBJECT, "assert type(f(3)).__name__ == 'P'"),
    (OBJECT, "assert hasattr(f(3), 'area')"),
    (OBJECT, "assert not hasattr(f(3), 'volume')"),
    (STACK, "s = f()\ns.push(1)\ns.push(2)\nassert s.pop() == 2"),
    (STACK, "s = f()\ns.push(1)\ns.push(2)\nx = s.pop()\nassert x == 2"),
    (STACK, "s = f()\nfor i in range(3):\n    s.push(i)\nassert len(s) == 3"),
    (STACK, "s = f()\nassert len(s) == 0"),
    (MAKER, "assert f(2)(3) == 6"),
    (MAKER, "g = f(2)\nassert g(3) == 6"),
    (MAKER, "g = f(2)\nassert g(3) == 6 and g(4) == 8"),
    (MAKER, "assert callable(f(2))"),
    (GENERATOR, "assert list(f(3)) == [0, 1, 2]"),
    (GENERATOR, "assert sum(f(3)) == 3"),
    (GENERATOR, "assert next(f(3)) == 0"),
    (GENERATOR, "g = f(3)\nnext(g)\nassert next(g) == 1"),
    (GENERATOR, "assert [x * 2 for x in f(3)] == [0, 2, 4]"),
    (GENERATOR, "total = 0\nfor x in f(3):\n    total += x\nassert total == 3"),
    (GENERATOR, "assert all(x < 3 for x in f(3))"),
    (GENERATOR, "g = f(3)\nx = next(g)\ny = next(g)\nassert y == 1"),
    (GENERATOR, "for x in f(3):\n    assert x < 2"),
    (GENERATOR, "for i, x in enumerate(f(3)):\n    if i:\n        assert x > 0"),
    (STACK, "s = f()\ns.push(1)\na = s.pop()\ns.push(2)\ns.push(3)\nb = s.pop()\nassert a + b == 4"),
]


@pytest.mark.parametrize(("programs", "source"), TABLE, ids=[source for _, source in TABLE])
def test_a_test_taken_apart_gives_the_verdict_it_gave_in_one_piece(programs: tuple[str, ...], source: str) -> None:
    (case,) = parse_tests(source, "f")
    assert case.malformed is None
    for program in programs:
        assert judged(case, program) == in_one_piece(source, program), program
        assert in_one_piece(case.source, program) == in_one_piece(source, program), program


@pytest.mark.parametrize(("programs", "source"), TABLE, ids=[source for _, source in TABLE])
def test_the_stored_source_is_read_back_to_the_same_case(programs: tuple[str, ...], source: str) -> None:
    (case,) = parse_tests(source, "f")
    assert parse_assertion(case.source, "f") == case


SEQUENCES: list[tuple[tuple[str, ...], str]] = [
    (LIST, "xs = [3, 1]\nassert f(xs) == [1, 3]\nassert xs == [3, 1]"),
    (LIST, "xs = [3, 1]\nassert list(f(xs)) == [1, 3] and xs == [3, 1]\nassert len(xs) == 2"),
    (STACK, "s = f()\ns.push(1)\ns.push(2)\nassert s.pop() == 2\nassert s.pop() == 1\nassert len(s) == 0"),
    (STACK, "s = f()\nassert s.push(1) is None\nassert s.push(2) is None\nassert s.pop() == 2"),
    (GENERATOR, "g = f(3)\nassert next(g) == 0\nassert next(g) == 1"),
    (ADD, "assert (r := f(1, 2)) == 3\nassert r > 2"),
    (ADD, "x = 1\nassert f(x, 1) == 2\nx = 5\nassert f(x, 1) == 6"),
]


@pytest.mark.parametrize(("programs", "source"), SEQUENCES, ids=[source for _, source in SEQUENCES])
def test_assertions_that_follow_each_other_pass_together_when_each_passes(
    programs: tuple[str, ...], source: str
) -> None:
    cases = parse_tests(source, "f")
    for program in programs:
        together = in_one_piece(source, program)
        assert all(judged(case, program) for case in cases) == together, program
        assert all(in_one_piece(case.source, program) for case in cases) == together, program
    assert [parse_assertion(case.source, "f") for case in cases] == list(cases)


APPENDS = ("def f(xs, k=0):\n    xs.append(k)\n    return len(xs)", "def f(xs, k=0):\n    return len(xs) + 1")


@pytest.mark.parametrize(
    "source",
    [
        "k = 2\nxs = [3, 1]\nassert f(xs, k) == 3 and xs == [3, 1, 2]",
        "xs = [3, 1]\nr = f(xs, 2)\nassert r == 3 and xs == [3, 1, 2]",
        "xs = [3, 1]\nf(xs, 2)\nr = f(xs, 5)\nassert r == 4",
        "xs = [3, 1]\nf(xs, 2)\nys = xs\nassert f([]) == 1 and ys == [3, 1, 2]",
        "xs = [3, 1]\nh = lambda k: f(xs, k)\nassert h(2) == 3 and xs == [3, 1, 2]",
        "xs = [3]\nys = [1]\nassert (f(xs, 2), f(ys)) == (2, 2) and xs == [3, 2]",
    ],
)
def test_a_result_and_an_argument_that_the_call_changed_are_seen_after_one_call(source: str) -> None:
    case = parse_tests(source, "f")[-1]
    for program in APPENDS:
        assert judged(case, program) == in_one_piece(source, program), program
        assert in_one_piece(case.source, program) == in_one_piece(source, program), program
    assert parse_assertion(case.source, "f") == case


NUMBERS = st.integers(-3, 4).map(str)
VARIABLES = st.sampled_from(["x", "y", "r", "s"])


def compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Larger expressions over numbers, in every way that an assertion combines results."""
    pair = st.tuples(inner, inner)
    return st.one_of(
        inner.map("f({})".format),
        inner.map("abs({})".format),
        inner.map("-({})".format),
        inner.map("(lambda k: k + 1)({})".format),
        inner.map("[{}, 1][0]".format),
        inner.map("int('%d' % {})".format),
        pair.map(lambda two: f"({two[0]} + {two[1]})"),
        pair.map(lambda two: f"f({two[0]}, b={two[1]})"),
        pair.map(lambda two: f"max({two[0]}, {two[1]})"),
        pair.map(lambda two: f"sum([{two[0]}, *[{two[1]}]])"),
        pair.map(lambda two: f"len([k for k in range(3) if k < {two[0]} or k == {two[1]}])"),
        pair.map(lambda two: f"sum(f(k, {two[0]}) for k in (0, {two[1]}))"),
    )


VALUES = st.recursive(NUMBERS | VARIABLES | NUMBERS.map("f({})".format), compound, max_leaves=6)
OPERATORS = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
COMPARISONS = st.one_of(
    st.tuples(VALUES, OPERATORS, VALUES).map(" ".join),
    st.tuples(VALUES, OPERATORS, VALUES, OPERATORS, VALUES).map(" ".join),
    st.tuples(VALUES, VALUES, VALUES).map(lambda three: f"{three[0]} in [{three[1]}, {three[2]}]"),
    st.tuples(VALUES, VALUES).map(lambda two: f"sorted([{two[0]}, {two[1]}]) == [{two[1]}, {two[0]}]"),
    VALUES,
)
CONDITIONS = st.recursive(
    COMPARISONS,
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}) and ({two[1]})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}) or ({two[1]})"),
        st.tuples(inner, inner).map(lambda two: f"all([{two[0]}, {two[1]}])"),
        st.tuples(inner, inner, inner).map(lambda three: f"({three[0]}) if ({three[1]}) else ({three[2]})"),
    ),
    max_leaves=3,
)
NUMERIC = (
    "def f(a, b=0): return a + b",
    "def f(a, b=0): return a * a - b",
    "def f(a, b=0): return 1",
    "def f(a, b=0): return a > b",
)


PLAIN = st.recursive(NUMBERS | st.sampled_from(["x", "y"]), compound, max_leaves=4)


@settings(max_examples=300, deadline=None)
@given(condition=CONDITIONS, first=PLAIN, second=PLAIN)
def test_any_assertion_over_numbers_keeps_its_verdict(condition: str, first: str, second: str) -> None:
    source = f"x = 2\ny = x + 1\nr = f({first}, x)\ns = f(y, b=f({second}))\nassert {condition}"
    case = parse_tests(source, "f")[-1]
    if case.malformed is not None:
        assert case.malformed == "the assertion does not depend on a call of f"
        return
    for program in NUMERIC:
        together = in_one_piece(source, program)
        assert judged(case, program) == together, program
        assert in_one_piece(case.source, program) == together, program
    assert parse_assertion(case.source, "f") == case


SCOPES = [
    "x = 2\ny = x + 1\nr = f(0, x)\ns = f(y, b=f(0))\n"
    "assert (f(abs(0)) == (lambda k: k + 1)(-(sum(f(k, 0) for k in (0, 1))))) and (0 == abs(0))",
    "k = 2\nr = f(k)\nassert (lambda k: k + r)(1) == 3",
    "k = 2\nr = f(k)\nassert [k + r for k in (1, 2)] == [3, 4]",
    "k = 2\nr = f(k)\nassert sum(k + j + r for k in (1, 2) for j in (k, 3)) == 18",
    "xs = [1, 2]\nassert [[f(x) for x in xs] for xs in ([7], [8])] == [[7], [8]]",
    "x = [[1], 2]\nassert [f(x) for x in x[0]] == [1]",
    "p = [1, 2]\nt = 0\nfor p in [[3, 4], [5, 6]]:\n    t += p[0]\nassert f(t) == 8",
    "xs = [0]\nwhile xs[0] < 5:\n    xs = [xs[0] + 1]\nassert f(xs[0]) == 5",
    "xs = [1]\ndef g():\n    return xs[0]\nxs = [2]\nassert f(g()) == 2",
    "xs = [1]\ng = lambda: xs[0]\nxs = [2]\nassert f(g()) == 2",
    "x = 1\np = [x, 2]\nx = 5\nassert f(p[0]) == 1",
    "x = 1\np = [x, 2]\nx = 5\na, b = p\nassert f(a) == 1",
    "k = 5\ng = lambda x: f(x) + k\nassert [g(k) for k in (1, 2)] == [6, 7]",
    "it = iter([1, 2, 3])\ng = lambda x: f(x) + x\nassert g(next(it)) == 2",
    "rows = [[1], [2]]\nfor row in rows:\n    row.append(5)\nassert f(len(rows[0]), rows[1][1]) == 7",
    "xs = [1]\nys = xs\nxs.append(2)\nxs = [5]\nassert f(ys[-1]) == 2",
    "xs = [1]\nys = [7]\nif len(xs) == 1:\n    ys = xs\nxs.append(4)\nassert f(ys[-1]) == 4",
    "x = 1\nz = 2\nif x > 1:\n    z = 5\nelse:\n    x = z\nassert f(x) == 2",
    "z = 1\nfor _ in (1,):\n    g = lambda y: y + z\nz = 4\nassert f(g(1)) == 5",
    "xs = [1]\nys = xs\nys = ys\nxs.append(6)\nassert f(ys[-1]) == 6",
    "x, y = 3, (x := 4)\nassert f(x, y) == 7",
    "xs = [1, 2]\nd = {'a': xs[-1], 'b': xs.pop()}\nassert f(d['a']) == 2 and f(0) == 0",
    "x = 1\np = [x, 2]\nx = x + 1\nassert f(p[0], x) == 3",
    "xs = [1, 2]\nassert f(xs.pop()) == 2 and xs == [1]",
    "t = (x := 5)\nassert f(x) == 5",
    "x = 3\ndef check(a, want):\n    x = 1\n    assert f(a + x) == want\ncheck(x, 4)",
    "a = 1\nb = 7\nfor x in [a, b]:\n    a = 5\n    y = x\nassert f(y) == 7",
    "a = 1\ndef check(x, y):\n    a = x + 1\n    assert f(a, y) == 3\ncheck(1, a)",
    "match {'a': 1, 'b': 2}:\n    case {'a': x, **rest}:\n        pass\nassert f(rest['b']) == 2",
]


@pytest.mark.parametrize("source", SCOPES)
def test_a_name_means_what_the_scope_around_it_says(source: str) -> None:
    case = parse_tests(source, "f")[-1]
    assert case.malformed is None
    for program in NUMERIC:
        assert judged(case, program) == in_one_piece(source, program), program
        assert in_one_piece(case.source, program) == in_one_piece(source, program), program
    assert parse_assertion(case.source, "f") == case


@pytest.mark.parametrize(
    "source",
    [
        "xs = [1, 2]\nassert (lambda xs: sum(f(k) for k in xs))([5]) == 5",
        "a = 3\nassert (a := 5) and f(a) == 5",
        "s = f(1)\nassert s.pop() == 2 and s.pop() == 1",
        "xs = [1]\nassert [f(xs) for _ in range(len('ab') + 0)] == [2, 3] and xs == [1, 0, 0]",
        "r = f(1)\nassert (r := r + 1) == 2 and r == 2",
        "assert (lambda f: f(-1))(abs) == 1",
        "a = 1\nb = 2\ndef check(a, b, want):\n    a += 0\n    b += 0\n    assert f(a, b) == want\ncheck(b, a, 3)",
        "a = 1\nb = 7\nfor x in [a, b]:\n    a = 5\n    assert f(x) == x",
        "a = 1\nfor x in [a, a + 1]:\n    a = 5\n    assert f(x) == x",
        "xs = [1]\nassert sum(f(k, xs[0]) for k in open('a')) == 2 and xs == [1]",
    ],
)
def test_what_cannot_be_told_apart_by_scopes_is_malformed_and_never_guessed(source: str) -> None:
    assert parse_tests(source, "f")[-1].malformed is not None
