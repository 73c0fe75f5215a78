"""Which calls may share a child, which are alone in one, and which look into the program and are refused."""

# ruff: noqa: E501  (rows of tables)

from __future__ import annotations

import pytest

from a1kit.duel.docket import Docket, Pairing
from a1kit.duel.manners import Manners, evaluates_text, manners
from a1kit.rewards import Rules
from a1kit.types import Completion, JudgedTest, Question, State

PLAIN, ALONE, PRYING = Manners.PLAIN, Manners.ALONE, Manners.PRYING


@pytest.mark.parametrize(
    "call",
    [
        "f(1)", "f()", "f([1, -2.5, 'a b', None], {'k': (True,)})", "f('it\\'s')", "f(f(2))", "f(x=3, *[1])", "f([0] * 100)",
        "f(range(5))", "f(float('inf'))", "f([i * i for i in range(3)])", "sorted(f([3, 1]))", "f('a b'.split())",
        "f(1 if 2 > 1 else 3)", "list(map(f, [1, 2]))", "sorted([2, 1], key=f)", "f(set('abc'))", "f(f'{1}')", "f(-1)[0]",
    ],
)  # fmt: skip
def test_calls_of_literals_share_a_child(call: str) -> None:
    assert manners([call], "", "f") is PLAIN


def test_literal_variables_change_nothing() -> None:
    assert manners(["f(xs, n)"], "xs = [3, 1]\nxs[0] = 5\nn = len(xs)", "f") is PLAIN
    assert manners(["xs"], "xs = [3, 1]\nf(xs)", "f") is PLAIN


@pytest.mark.parametrize(
    ("call", "setup"),
    [
        ("f(helper(3))", "def helper(n):\n    return [n] * n"),
        ("f(N(3))", "class N:\n    def __init__(self, v):\n        self.v = v"),
        ("f(lambda x: x + 1)", ""),
        ("f(math.inf)", "import math"),
        ("f(deque([1]))", "from collections import deque"),
        ("f(np.array([1]))", "import numpy as np"),
        ("f(sys.maxsize)", "import sys"),
        ("f(os.path.join('a', 'b'))", "import os"),
        ("f(x).area()", "x = 1"),
        ("f(unknown)", ""),
        ("reduce(f, [1, 2])", "from functools import reduce"),
        ("f(low(1))", "from decimal import getcontext\ndef low(x):\n    getcontext().prec = 2\n    return x"),
        ("f(1", ""),
    ],
)
def test_other_calls_are_alone_in_their_child(call: str, setup: str) -> None:
    assert manners([call], setup, "f") is ALONE


@pytest.mark.parametrize(
    ("call", "setup"),
    [
        ("f(f.__code__.co_argcount)", ""),
        ("f(f.cache_info())", ""),
        ("f(str(f))", ""),
        ("f([f])", ""),
        ("f(g(f))", "def g(h):\n    return 1"),
        ("f(g)", "g = f"),
        ("f('{0.__code__}'.format(f))", ""),
        ("f(().__class__.__mro__)", ""),
        ("f(globals())", ""),
        ("f(eval('1'))", ""),
        ("f(open('/etc/passwd'))", ""),
        ("f(__import__('os'))", ""),
        ("f(__builtins__)", ""),
        ("f(getattr(1, 'real'))", ""),
        ("f(id(1))", ""),
        ("f(gc.get_objects())", "import gc"),
        ("f(os.getpid())", "import os"),
        ("f(sys.modules)", "import sys"),
        ("f(frame())", "from sys import _getframe as frame"),
        ("f(m.modules)", "import sys as m"),
        ("f(abc.sys.modules)", "import collections.abc as abc"),
        ("f(attrgetter('__code__')(1))", "from operator import attrgetter"),
        ("f(1)", "import math\nmath.floor = lambda x: 0"),
        ("f(1)", "def spoil():\n    import math\n    math.floor = None"),
        ("f(1)", "from unittest import mock"),
        ("f(1)", "from os import *"),
        ("f(1)", "import ctypes"),
    ],
)
def test_calls_that_look_into_the_program_are_refused(call: str, setup: str) -> None:
    assert manners([call], setup, "f") is PRYING


@pytest.mark.parametrize("program", ["eval(s)", "exec (s)", "import pickle", "compile(s, '', 'exec')", "__import__(s)"])
def test_programs_that_run_text_are_known(program: str) -> None:
    assert evaluates_text(f"def f(s):\n    return {program}" if "import p" not in program else program)


@pytest.mark.parametrize(
    "program", ["re.compile(s)", "ast.literal_eval(s)", "json.loads(s)", "evaluate(s)", "self.eval(s)"]
)
def test_programs_that_only_sound_like_it_are_not_suspected(program: str) -> None:
    assert not evaluates_text(f"def f(s):\n    return {program}")


def test_a_prying_test_is_malformed_with_a_reason_and_a_lonely_one_is_noted() -> None:
    suite = "assert f(f.__name__) == 1\nassert f(1) == 1\nassert f(lambda: 1) == 2"
    code = "def f(x): return x"
    docket = Docket([Pairing(Question("q", "", "f", code), Completion(code), (Completion(suite),))], Rules())
    (bench,) = docket.benches.values()
    (tests,) = bench.suites.values()
    assert isinstance(tests[0], JudgedTest)
    assert tests[0].state is State.MALFORMED and "looks into the program" in tests[0].detail
    assert [call.expression for call in bench.alone] == ["f(lambda: 1)"]
