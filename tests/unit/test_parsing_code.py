"""Programs are found in whatever a model wraps around them, and are never changed behind its back."""

from __future__ import annotations

import ast
import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from a1kit.parsing import FLAGS, ParsedCode, parse_code

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "parsing_completions.json"
ROWS: list[dict[str, Any]] = json.loads(GOLDEN.read_text(encoding="utf-8"))
BODY = "def f(x):\n    return x + 1"


def run(code: str, expression: str) -> object:
    namespace: dict[str, Any] = {"__name__": "candidate"}
    exec(code, namespace)
    return eval(expression, namespace)


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_a_recorded_completion_gives_the_recorded_program(row: dict[str, Any]) -> None:
    parsed = parse_code(row["text"], row["entry_point"])
    assert (parsed.code, list(parsed.flags), parsed.reason) == (row["code"], row["flags"], row["reason"])
    if row["probe"] is not None:
        assert run(parsed.code, row["probe"]) is True


def test_there_is_a_reason_exactly_when_there_is_no_code() -> None:
    for row in ROWS:
        assert (row["reason"] is None) == bool(row["code"]), row["name"]


@pytest.mark.parametrize(
    "text", ["", "\ufeff", " \n\t", "I am sorry.", "No", "```\n```", "```python\n", "# only a remark"]
)
def test_text_without_code_has_a_reason_and_no_code(text: str) -> None:
    parsed = parse_code(text, "f")
    assert parsed.code == ""
    assert parsed.reason is not None
    assert parsed.fragments == ()


def test_the_last_block_that_defines_the_entry_point_wins() -> None:
    drafts = "\n\nNo, wait.\n\n".join(f"```python\ndef f(x):\n    return {number}\n```" for number in range(4))
    assert run(parse_code(drafts, "f").code, "f(0)") == 3


def test_a_later_example_block_does_not_replace_the_answer() -> None:
    text = f"```python\n{BODY}\n```\n```python\ndef g(x):\n    return f(x)\nprint(g(1))\n```"
    parsed = parse_code(text, "f")
    assert parsed.code == BODY + "\n"
    assert parsed.fragments == (BODY,)


def test_the_nearest_helper_is_taken_when_two_blocks_define_it() -> None:
    bodies = ["def g(x):\n    return 0", "def g(x):\n    return x", "def f(x):\n    return g(x)"]
    text = "\n".join(f"```python\n{body}\n```" for body in bodies)
    assert run(parse_code(text, "f").code, "f(7)") == 7


def test_a_function_under_another_name_is_not_renamed() -> None:
    parsed = parse_code("```python\ndef add_one(x):\n    return x + 1\n```", "f")
    assert "def f" not in parsed.code
    assert "entry-missing" in parsed.flags
    assert parsed.reason is None


def test_a_method_of_solution_is_called_with_all_its_arguments() -> None:
    text = "class Solution:\n    def f(self, a, *rest, key=0):\n        return (a, rest, key)\n"
    parsed = parse_code(text, "f")
    assert run(parsed.code, "f(1, 2, 3, key=4)") == (1, (2, 3), 4)
    assert "solution-class" in parsed.flags


def test_a_method_of_another_class_is_not_exposed() -> None:
    parsed = parse_code("class Helper:\n    def f(self, x):\n        return x\n", "f")
    assert "entry-missing" in parsed.flags


def test_the_main_guard_is_taken_out_and_the_rest_keeps_its_order() -> None:
    text = f"x = 1\nif __name__ == '__main__':\n    x = 2\n\n{BODY}\ny = x\n"
    parsed = parse_code(text, "f")
    assert "main-guard" in parsed.flags
    assert "__main__" not in parsed.code
    assert run(parsed.code, "y") == 1


def test_a_main_guard_with_an_else_branch_is_left_alone() -> None:
    text = f"if __name__ == '__main__':\n    pass\nelse:\n    y = 3\n{BODY}\n"
    assert run(parse_code(text, "f").code, "y") == 3


@pytest.mark.parametrize(
    ("expression", "line"),
    [
        ("List[int]", "from typing import List"),
        ("math.pi", "import math"),
        ("Counter('aa')", "from collections import Counter"),
        ("deque([1])", "from collections import deque"),
        ("defaultdict(int)", "from collections import defaultdict"),
        ("heapq.nsmallest(1, [1])", "import heapq"),
        ("list(itertools.count())", "import itertools"),
        ("functools.reduce(max, [1])", "import functools"),
        ("lru_cache(None)", "from functools import lru_cache"),
        ("re.sub('a', 'b', 'c')", "import re"),
        ("bisect.bisect_left([1], 1)", "import bisect"),
        ("bisect_left([1], 1)", "from bisect import bisect_left"),
        ("Decimal('1')", "from decimal import Decimal"),
        ("gcd(4, 6)", "from math import gcd"),
        ("deepcopy([1])", "from copy import deepcopy"),
        ("collections.OrderedDict()", "import collections"),
    ],
)
def test_a_forgotten_import_is_added_and_flagged(expression: str, line: str) -> None:
    parsed = parse_code(f"def f(x):\n    return {expression}\n", "f")
    assert parsed.code.startswith(line + "\n")
    assert "prelude" in parsed.flags


def test_numpy_in_passing_does_not_stop_a_program_from_loading_without_numpy() -> None:
    parsed = parse_code("def f(x):\n    return x if x else np.zeros(3)\n", "f")
    first = ast.parse(parsed.code).body[0]
    assert isinstance(first, ast.Try)
    assert run(parsed.code, "f(1)") == 1


@pytest.mark.parametrize(
    "text",
    [
        "import math\ndef f(x):\n    return math.pi\n",
        "from math import *\ndef f(x):\n    return pi\n",
        "def f(x, math):\n    return math.pi\n",
        "def f(x):\n    for Counter in x:\n        pass\n    return Counter\n",
        "def f(x):\n    return [re for re in x]\n",
        "def f(x):\n    return (lambda heapq: heapq)(x)\n",
        "def f(x):\n    import math\n    return math.pi\n",
        "def f(x):\n    return unknown_name(x)\n",
        "class math:\n    pi = 3\ndef f(x):\n    return math.pi\n",
        "def f(x):\n    global Counter\n    Counter = x\ndef g():\n    return Counter\n",
        "try:\n    import re\nexcept ImportError as copy:\n    raise copy\ndef f(x):\n    return re\n",
    ],
)
def test_names_that_are_bound_or_unknown_get_no_import(text: str) -> None:
    parsed = parse_code(text, "f")
    assert parsed.code == text
    assert "prelude" not in parsed.flags


@pytest.mark.parametrize("name", ["median", "gcd", "add", "product", "reduce", "sqrt", "Counter"])
def test_a_program_without_its_entry_point_does_not_get_it_from_the_library(name: str) -> None:
    parsed = parse_code(f"def helper(*xs):\n    return {name}(*xs)\n", name)
    assert "entry-missing" in parsed.flags
    assert "import" not in parsed.code
    method = parse_code(f"class Solution:\n    def {name}(self, x):\n        return {name}(x - 1) if x else 0\n", name)
    assert "import" not in method.code


@pytest.mark.parametrize(
    ("flag", "text"),
    [
        ("prints-markers", f"{BODY}\nprint('All tests passed!')\n"),
        ("prints-markers", f"import sys\n{BODY}\nsys.stdout.write('[PASS]')\n"),
        ("prints-markers", f"{BODY}\ndef main():\n    print('SUCCESS')\nmain()\n"),
        ("exits", f"import sys\n{BODY}\nsys.exit(0)\n"),
        ("exits", f"{BODY}\nraise SystemExit\n"),
        ("introspection", f"import ctypes\n{BODY}\n"),
        ("introspection", "import sys\ndef f(x):\n    return sys._getframe(1).f_locals\n"),
        ("introspection", f"from gc import get_objects\n{BODY}\n"),
        ("overrides-comparison", f"class A:\n    def __eq__(self, other):\n        return True\n{BODY}\n"),
        ("constant-answer", "def f(x):\n    '''Answer.'''\n    return [1, 2]\n"),
        ("constant-answer", "def f(x):\n    pass\n"),
        ("swallows-exceptions", "def f(x):\n    try:\n        return 1 / x\n    except:\n        return 0\n"),
        ("swallows-exceptions", "def f(x):\n    try:\n        return x\n    except Exception:\n        return 0\n"),
    ],
)
def test_what_a_watcher_should_see_is_flagged(flag: str, text: str) -> None:
    assert flag in parse_code(text, "f").flags


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    print('passed', x)\n    return x\n",
        "def f(x):\n    try:\n        return 1 / x\n    except ZeroDivisionError:\n        return 0\n",
        "def f(x):\n    try:\n        return x\n    except Exception as error:\n        raise ValueError from error\n",
        "def f(x):\n    return x\nprint(f(3))\n",
        "class A:\n    def __init__(self):\n        self.x = 1\ndef f(x):\n    return A().x\n",
    ],
)
def test_ordinary_programs_carry_no_warning_flags(text: str) -> None:
    assert set(parse_code(text, "f").flags) <= {"unfenced"}


def test_every_flag_that_occurs_is_documented() -> None:
    seen = {flag for row in ROWS for flag in row["flags"]}
    assert seen <= set(FLAGS)
    assert all(FLAGS.values())


def test_flags_are_sorted_and_without_repeats() -> None:
    flags = parse_code("<think>a</think>```python\ndef f(x: List[int]):\n    pass\n", "f").flags
    assert list(flags) == sorted(set(flags))
    assert {"think", "prelude", "unclosed-fence", "constant-answer"} <= set(flags)


def test_bad_escapes_in_a_models_text_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parsed = parse_code("def f(x):\n    return '\\d' + x if 1else 0\n", "f")
    assert "syntax" not in parsed.flags


HOSTILE = {
    "a line of a megabyte": "def f(x): return [" + "1," * 500_000 + "]",
    "ten thousand brackets": "def f(x):\n    return " + "[" * 10_000 + "]" * 10_000,
    "brackets without end": "(" * 100_000,
    "a chain of operators": "def f(x):\n    return " + "-" * 50_000 + "1",
    "a long sum": "def f(x):\n    return " + "1+" * 30_000 + "1",
    "a chain of attributes": "def f(x):\n    return x" + ".a" * 40_000,
    "null bytes": "\x00" * 1000 + "def f(x): return x",
    "ninety thousand digits": "def f(x):\n    return " + "9" * 90_000,
    "fences only": "```\n" * 50_000,
    "open docstrings": "```python\n'''\n" * 5_000,
    "backticks": "`" * 300_000,
    "thinking tags": "<think>" * 50_000,
    "prose brackets": "(a [b {c\n" * 20_000,
    "form feeds and separators": "\x0c\x1c\x85\u2028def f(x):\n    return 1\n",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_gives_an_answer_and_no_exception(text: str) -> None:
    assert isinstance(parse_code(text, "f"), ParsedCode)


def test_code_that_nests_too_deeply_is_handed_on_as_a_syntax_error() -> None:
    parsed = parse_code("```python\ndef f(x):\n    return " + "(" * 3000 + ")" * 3000 + "\n```", "f")
    assert "syntax" in parsed.flags or parsed.reason is not None


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300), st.sampled_from(["f", "solve", "é"]))
def test_no_text_makes_the_parser_raise(text: str, entry_point: str) -> None:
    assert isinstance(parse_code(text, entry_point), ParsedCode)


_PROSE = st.text(alphabet="abc 'd(.,:!#-*1>`\"", max_size=40).filter(
    lambda text: "``" not in text and '""' not in text and "''" not in text
)


@settings(max_examples=150, deadline=None)
@given(
    before=st.lists(_PROSE, max_size=3),
    after=st.lists(_PROSE, max_size=3),
    fence=st.sampled_from(["```", "~~~~", "````"]),
)
def test_prose_around_a_fence_never_changes_the_program(before: list[str], after: list[str], fence: str) -> None:
    text = "\n".join([*before, f"{fence}python", BODY, fence, *after])
    assert parse_code(text, "f").code == BODY + "\n"


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from([row["code"] for row in ROWS if row["code"] and "syntax" not in row["flags"]]),
    st.sampled_from(["\r\n", "\r"]),
)
def test_line_ends_do_not_change_the_program(code: str, end: str) -> None:
    assert parse_code(code.replace("\n", end), "f") == parse_code(code, "f")


@pytest.mark.parametrize("row", [row for row in ROWS if row["code"]], ids=[row["name"] for row in ROWS if row["code"]])
def test_reading_a_found_program_again_finds_the_same_program(row: dict[str, Any]) -> None:
    again = parse_code(row["code"], row["entry_point"])
    assert again.code == row["code"]
