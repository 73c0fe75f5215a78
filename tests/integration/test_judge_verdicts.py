"""No wrong answer accepted, no right one lost: questions, candidates and suites with verdicts derived by hand.

Each row is one suite against one candidate, in the real sandbox. `expected` has one word a test: what became of it on
the reference (valid, corrected, raised, …) and, if it was played, how the candidate did.
"""

# ruff: noqa: E501  (rows of a table)

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from a1kit.duel import Judge, Pairing
from a1kit.rewards import Rules
from a1kit.sandbox import LocalSandbox
from a1kit.types import Completion, Duel, Load, Question


@dataclass(frozen=True)
class Row:
    name: str
    reference: str
    candidate: str
    suite: str
    expected: tuple[str, ...]
    load: Load = Load.OK


SQUARE = "def f(x):\n    return x * x\n"
SORT = "def f(xs):\n    return sorted(xs)\n"
DIVIDE = "def f(a, b):\n    return a / b\n"

ROWS = [
    # ── what counts as the same answer ──
    Row("2 is 2.0 is True + 1", SQUARE, "def f(x): return float(x * x)",
        "assert f(2) == 4\nassert f(1) == True\nassert f(3) == 9.0",
        ("valid passed", "valid passed", "valid passed")),
    Row("a tuple is not a list", SORT, "def f(xs): return tuple(sorted(xs))",
        "assert f([2, 1]) == [1, 2]\nassert f([]) == []\nassert sorted(f([2, 1])) == [1, 2]",
        ("valid wrong", "valid wrong", "repeated")),
    Row("a Counter is a dict and a frozenset a set",
        "def f(s):\n    return {c: s.count(c) for c in s} if s else set()",
        "from collections import Counter\ndef f(s):\n    return Counter(s) if s else frozenset()",
        "assert f('aab') == {'b': 1, 'a': 2}\nassert f('') == set()",
        ("valid passed", "valid passed")),
    Row("nan equals nan and -0.0 equals 0.0", "def f(x):\n    return float('nan') if x else 0.0",
        "def f(x):\n    return float('inf') - float('inf') if x else -0.0",
        "assert f(1) == float('nan')\nassert f(0) == 0",
        ("valid passed", "valid passed")),
    Row("`is True` wants a bool", "def f(x):\n    return x > 0", "def f(x):\n    return 1 if x > 0 else 0",
        "assert f(1) is True\nassert f(2) == True\nassert f(3)\nassert not f(0)",
        ("valid wrong", "valid passed", "valid passed", "valid passed")),
    Row("order of a dict and of a set does not matter, order of a list does",
        "def f(n):\n    return [{i: str(i) for i in range(n)}, set(range(n)), list(range(n))]",
        "def f(n):\n    d = {i: str(i) for i in reversed(range(n))}\n    return [d, set(d), sorted(d, reverse=n == 3)]",
        "assert f(2) == [{0: '0', 1: '1'}, {1, 0}, [0, 1]]\nassert f(3)[2] == [0, 1, 2]",
        ("valid passed", "valid wrong")),
    Row("big integers, bytes and text survive", "def f(n):\n    return (7 ** n, bytes([n]), chr(n + 0x4e00) + '\\udc80')",
        "def f(n):\n    return (7 ** n if n < 5000 else 7 ** n + 1, bytes([n]) if n < 256 else b'', chr(n + 0x4e00) + '\\udc80')",
        "assert f(200)[0] == 7 ** 200\nassert f(9) == (40353607, b'\\t', '\u4e09\\udc80')",
        ("valid passed", "valid passed")),
    Row("the order of a set may change: what looks past it is a test, what depends on it is not",
        "def f(s):\n    return list(set(s))", "def f(s):\n    return sorted(set(s)) if s != 'xyz' else ['x']",
        "assert f('abcdef') == ['a', 'b', 'c', 'd', 'e', 'f']\nassert sorted(f('cabb')) == ['a', 'b', 'c']\n"
        "assert set(f('xyz')) == {'x', 'y', 'z'}\nassert len(f('aabcd')) == 3\nassert f('hello')[0] == 'h'",
        ("unstable", "valid passed", "valid wrong", "corrected passed", "unstable")),
    # ── tolerance belongs to the test ──
    Row("a candidate within the test's tolerance passes, one outside fails", DIVIDE,
        "def f(a, b): return a / b * (1 + 1e-10) if b > 1 else a / b + 1e-3",
        "import math, pytest\n"
        "assert math.isclose(f(1, 3), 1 / 3)\nassert f(2, 3) == 2 / 3\n"
        "assert f(1, 7) == pytest.approx(0.142857, rel=1e-4)\nassert abs(f(1, 1) - 1) < 1e-6\nassert abs(f(2, 1) - 2) < 0.1",
        ("valid passed", "valid wrong", "valid passed", "valid wrong", "valid passed")),
    Row("the border of abs(a - b) < 1 is outside", SQUARE, "def f(x): return x * x + 1", "assert abs(f(3) - 9) < 1",
        ("valid wrong",)),
    # ── exceptions ──
    Row("a subclass of the expected exception counts, another exception or a value does not",
        "def f(d, k):\n    return d[k]", "def f(d, k):\n    if k == 'none':\n        return None\n    return d.get(k).real",
        "import pytest\n"
        "with pytest.raises(LookupError):\n    f({}, 'a')\n"
        "with pytest.raises(KeyError):\n    f({}, 'none')\n"
        "try:\n    f([1], 3)\n    assert False\nexcept IndexError:\n    pass",
        ("valid raised", "valid wrong", "valid raised")),
    Row("the right exception passes",
        "def f(d, k):\n    return d[k]", "def f(d, k):\n    if k not in d:\n        raise KeyError(k)\n    return d[k]",
        "import pytest\nwith pytest.raises(LookupError):\n    f({}, 'a')\nwith pytest.raises(TypeError):\n    f({}, 'b')",
        ("valid passed", "corrected passed")),
    # ── in place, opaque and lazy results ──
    Row("a change in place is observed", "def f(xs):\n    xs.sort()", "def f(xs):\n    return sorted(xs)",
        "xs = [2, 1]\nf(xs)\nassert xs == [1, 2]\n\nys = [1, 2]\nf(ys)\nassert ys == [1, 2]",
        ("valid wrong", "valid passed")),
    Row("a generator is as good as a list where the test makes a list of it", SORT, "def f(xs):\n    yield from sorted(xs)",
        "assert list(f([2, 1])) == [1, 2]\nassert f([3]) == [3]",
        ("valid passed", "valid wrong")),
    Row("an object is judged by what the test asks of it",
        "class P:\n    def __init__(self, x): self.x = x\n    def area(self): return self.x ** 2\ndef f(x): return P(x)",
        "class Q:\n    def __init__(self, x): self.x = x\n    def area(self): return self.x * 2\ndef f(x): return Q(x)",
        "assert f(2).area() == 4\nassert f(3).area() == 9\nassert f(4).x == 4\nassert f(5) == 5",
        ("valid passed", "valid wrong", "valid passed", "unsupported")),
    # ── tests that are wrong, odd or hostile ──
    Row("a wrong prediction is corrected and the corrected test is played", SQUARE, SQUARE,
        "assert f(3) == 6\nassert f(4) != 16\nassert not f(5)\nassert f(2) in (1, 2)",
        ("corrected passed", "corrected passed", "corrected passed", "corrected passed")),
    Row("what the reference cannot do is dropped", SQUARE, "def f(x): return 0",
        "assert f('a') == 0\nassert f([]) == []\nassert f(undefined) == 3\nassert True\nassert g(1) == 1\nassert f(2) == 4\nassert f( 2 ) == 4",
        ("raised", "raised", "malformed", "malformed", "malformed", "valid wrong", "repeated")),
    Row("a prediction that is no literal is evaluated away from the candidate", SQUARE, SQUARE,
        "assert f(3) == sum([4, 5])\nassert f(2) == int('4')\nassert f(4) == undefined_name\nassert f(5) == 1 / 0",
        ("valid passed", "valid passed", "malformed", "corrected passed")),
    Row("a condition that remembers cannot fail a right candidate", SQUARE, "def f(x): return x ** 2",
        "import builtins\n"
        "assert f(3) == 9 and not (hasattr(builtins, 'seen') or setattr(builtins, 'seen', 1))\n"
        "assert f(4) > 0",
        ("valid passed", "valid passed")),
    Row("chance in a test is found out", SQUARE, SQUARE,
        "import os\nassert f(3) == 9 + os.urandom(1)[0] * 0 + int.from_bytes(os.urandom(4), 'big') % 2 ** 30",
        ("unstable",)),
    Row("chance, hash order and memory in a reference are found out",
        "import os\ndef f(k):\n    return [os.urandom(4), list({'a', 'b', 'c', 'd', 'e'}), id(object())][k]",
        "def f(k):\n    return 1",
        "assert f(0) == 1\nassert f(1) == 1\n",
        ("unstable", "unstable")),
    Row("a reference that keeps count is found out", "n = 0\ndef f(x):\n    global n\n    n += 1\n    return n",
        "def f(x): return 1", "assert f(1) == 1\nassert f(2) == 2\nassert f(3) == 3",
        ("unstable", "valid wrong", "unstable")),
    Row("a test that asks what it is testing is refused", SQUARE, "def f(x):\n    y = x * x\n    return y",
        "assert f(3 if f.__code__.co_nlocals == 1 else 4) == 9\nassert f(len(str(f)) and 3) == 9\nassert f(3) == 9",
        ("malformed", "malformed", "valid passed")),
    Row("a set-up that leaves something behind spoils no other test",
        "from decimal import Decimal\ndef f(a, b):\n    return Decimal(a) / Decimal(b)\n",
        "from decimal import Decimal\ndef f(x, y):\n    return Decimal(x) / Decimal(y)\n",
        "from decimal import getcontext\ndef low(x):\n    getcontext().prec = 2\n    return x\n"
        "assert str(f(low(2), 3)) == '0.67'\nassert str(f(1, 3)) == '0.' + '3' * 28\nassert str(f(low(5), 3)) == '1.7'",
        ("valid passed", "valid passed", "valid passed")),
    Row("a reference that evaluates text is asked one call a child", "def f(s):\n    return eval(s)",
        "def f(s):\n    return sum(map(int, s.split('+')))",
        "assert f(\"__import__('builtins').__dict__.__setitem__('eval', lambda s: 0) or 1\") == 1\n"
        "assert f('1 + 2') == 3\nassert f(\"setattr(__import__('builtins'), 'eval', lambda s: 0) or 2\") == 2\nassert f('4+5') == 9",
        ("valid raised", "valid passed", "valid raised", "valid passed")),
    # ── candidates that cheat ──
    Row("an object that equals everything is no answer", SQUARE,
        "class Any(int):\n    __eq__ = lambda s, o: True\n    __ne__ = lambda s, o: False\n    __hash__ = lambda s: 0\n"
        "    __bool__ = lambda s: True\n    __lt__ = __gt__ = __le__ = __ge__ = __eq__\ndef f(x): return Any(7)",
        "assert f(2) == 4\nassert f(3) > 8\nassert f(4) in [16]\nassert f(5) == 25",
        ("valid wrong", "valid wrong", "valid wrong", "valid wrong")),
    Row("patched builtins change nothing outside the candidate", SQUARE,
        "import builtins, math\nbuiltins.len = lambda x: 0\nbuiltins.sorted = lambda x, **k: x\nbuiltins.abs = lambda x: 0\n"
        "math.isclose = lambda *a, **k: True\nAssertionError = BaseException\ndef f(x): return [x, 0]",
        "import math\nassert abs(f(2) - 4) < 1e-9\nassert math.isclose(f(3), 9)",
        ("valid wrong", "valid wrong")),
    Row("leaving the process is not passing", SQUARE,
        "import os, sys\ndef f(x):\n    if x > 2:\n        print('PASSED', flush=True)\n        os._exit(0)\n    sys.exit(0)",
        "assert f(2) == 4\nassert f(3) == 9\nassert f(1) == 1",
        ("valid raised", "valid crashed", "valid raised")),
    Row("leaving while loading is not loading", SQUARE, "import sys\ndef f(x): return x * x\nsys.exit(0)", "assert f(2) == 4",
        ("valid",), Load.RAISED),
    Row("an exception at import is not loading", SQUARE, "def f(x): return x * x\n1 / 0", "assert f(2) == 4",
        ("valid",), Load.RAISED),
    Row("a hang costs its own call only", SQUARE, "def f(x):\n    while x == 3: pass\n    return x * x",
        "assert f(2) == 4\nassert f(3) == 9\nassert f(4) == 16",
        ("valid passed", "valid timeout", "valid passed")),
    Row("a crash costs its own call only", SQUARE,
        "import os, signal\ndef f(x):\n    if x == 3: os.abort()\n    return x * x",
        "assert f(2) == 4\nassert f(3) == 9\nassert f(4) == 16",
        ("valid passed", "valid crashed", "valid passed")),
    Row("a candidate that changes its arguments harms nobody", SORT, "def f(xs):\n    out = []\n    while xs:\n"
        "        out.append(min(xs)); xs.remove(min(xs))\n    return out",
        "xs = [3, 1, 2]\nassert f(xs) == [1, 2, 3]\nassert f([3, 1, 2]) == [1, 2, 3]\nassert f([2]) == [2]",
        ("valid passed", "repeated", "valid passed")),
    Row("a name that is made at run time is found", SQUARE, "globals()['f'] = lambda x: x * x", "assert f(2) == 4",
        ("valid passed",)),
    Row("another name is not", SQUARE, "def square(x): return x * x", "assert f(2) == 4", ("valid",), Load.MISSING),
    Row("nor is no code", SQUARE, "I would rather not.", "assert f(2) == 4", ("valid",), Load.MISSING),
    Row("nor is broken code", SQUARE, "```python\ndef f(x) return x\n```", "assert f(2) == 4", ("valid",), Load.SYNTAX),
    Row("a method of class Solution is a function", "class Solution:\n    def f(self, x): return x * x",
        "class Solution:\n    def f(self, x): return x * x if x != 3 else 0",
        "assert f(2) == 4\nassert f(x=3) == 9\nassert f(3) == 9",
        ("valid passed", "valid wrong", "repeated")),
]  # fmt: skip


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with LocalSandbox(allow_limits_only=True) as sandbox:
        yield Judge(sandbox, Rules(k=4), call_seconds=0.5)


def judged(judge: Judge, row: Row) -> Duel:
    question = Question(row.name, "", "f", row.reference)
    (duel,) = judge.play([Pairing(question, Completion(row.candidate), (Completion(row.suite),))])
    return duel


def words(duel: Duel) -> tuple[str, ...]:
    return tuple(
        test.state.value if test.verdict is None else f"{test.state.value} {test.verdict.outcome.value}"
        for test in duel.suites[0].tests
    )


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_verdicts_are_the_ones_derived_by_hand(judge: Judge, row: Row) -> None:
    duel = judged(judge, row)
    shown = "\n".join(f"{test.source!r}: {test.detail} {test.verdict}" for test in duel.suites[0].tests)
    assert (duel.load, words(duel)) == (row.load, row.expected), f"{duel.load_detail}\n{shown}"


def test_all_rows_judged_in_one_batch_give_the_same_verdicts(judge: Judge) -> None:
    pairings = [
        Pairing(Question(row.name, "", "f", row.reference), Completion(row.candidate), (Completion(row.suite),))
        for row in ROWS
    ]
    assert [words(duel) for duel in judge.play(pairings)] == [row.expected for row in ROWS]


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_the_reference_itself_passes_every_test_that_is_kept(judge: Judge, row: Row) -> None:
    question = Question(row.name, "", "f", row.reference)
    (duel,) = judge.play([Pairing(question, Completion(row.reference), (Completion(row.suite),))])
    assert [test.source for test in duel.suites[0].kept if not test.passed] == []
