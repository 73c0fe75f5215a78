"""A test's source survives every file it is written to, byte for byte, and is read back to the same test."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from a1kit.parsing import corrected, parse_assertion, parse_tests
from a1kit.types import Form, TestCase

EVERY_CHARACTER = st.characters(codec=None) | st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF)
TEXTS = st.text(EVERY_CHARACTER, max_size=12) | st.sampled_from(
    [
        "\\",
        "\\\\n",
        "'",
        '"',
        "'''",
        '"""',
        "\n",
        "\r\n",
        "\r",
        "\t",
        "\x00",
        "\ud800",
        "\udfff\ud800",
        "é",
        "日本",
        "🎉",
        "\u2028",
    ]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
    | st.binary(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=6,
)
FORMS = st.sampled_from(
    [
        "assert f({a}) == {b}",
        "assert {b} == f({a}), 'why'",
        "assert f({a}) != {b}",
        "assert f({a}) in [{b}]",
        "assert not f({a})",
        "assert sorted(f({a})) == {b}",
        "assert f({a}, {b}) is None",
        "assert f({a}) == {b} and f({b}) == {a}",
        "x = {a}\nwant = {b}\nassert f(x) == want",
        "x, want = {a}, {b}\nassert f(x) == want, f'{{x}}'",
        "x = [{a}]\nf(x)\nassert x == {b}",
        "r = f({a})\nassert r.x[0] == {b}",
        "r, s = f({a})\nassert s == {b}",
        "for x, want in [({a}, {b}), ({b}, {a})]:\n    assert f(x) == want",
        "def test_a():\n    x = {a}\n    assert f(x) == {b}",
        "with pytest.raises(ValueError, match='x'):\n    f({a})",
        "try:\n    f({a})\n    assert False\nexcept KeyError as e:\n    assert str(e) == {b}",
        "class T:\n    def test_a(self):\n        self.assertEqual(f({a}), {b}, 'why')",
        "assert abs(f({a}) - 0.5) < 1e-6\nassert len(f({a}, k={b})) > 3",
        "assert all(f(x) == y for x, y in [({a}, {b})])",
        "assert f(\n    {a},  # first\n    {b},\n) == (\n    {b}\n)",
    ]
)


def stored(case: TestCase, parameters: tuple[str, ...] | None = None) -> TestCase:
    return parse_assertion(case.source, "f", parameters=parameters)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(form=FORMS, a=VALUES, b=VALUES)
@example(form="assert f({a}) == {b}", a="\ud800\\'\"\n", b=7**6000)
def test_a_stored_test_is_read_back_to_the_same_test(form: str, a: object, b: object) -> None:
    cases = parse_tests(form.format(a=spelled(a), b=spelled(b)), "f", parameters=("a", "b"))
    assert cases
    for case in cases:
        assert case.malformed is None, case.malformed
        assert stored(case, ("a", "b")) == case


def spelled(value: object) -> str:
    """`repr`, with integers of any size."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 10_000:
        return decimal(value)
    return repr(value)


def decimal(value: int) -> str:
    """All decimal digits, without the interpreter's limit on their number."""
    digits = []
    while value:
        value, part = divmod(value, 10**4000)
        digits.append(str(part).zfill(4000))
    return "".join(reversed(digits)).lstrip("0") or "0"


@settings(max_examples=200, deadline=None)
@given(a=VALUES, b=VALUES)
def test_call_and_answer_keep_their_values(a: object, b: object) -> None:
    (case,) = parse_tests(f"assert f({spelled(a)}) == {spelled(b)}", "f")
    assert case.predicted is not None
    (call,) = case.calls
    seen = eval(call, {"f": lambda value: value})
    assert repr(seen) == repr(a)
    assert repr(eval(case.predicted)) == repr(b)


@settings(max_examples=100, deadline=None)
@given(a=VALUES, b=VALUES, answer=VALUES)
def test_an_answer_written_back_is_the_prediction_of_the_corrected_test(a: object, b: object, answer: object) -> None:
    (case,) = parse_tests(f"x = {spelled(a)}\nassert f(x) == {spelled(b)}, 'why'", "f")
    again = parse_assertion(corrected(case, [spelled(answer)]), "f")
    assert again.predicted is not None
    assert repr(eval(again.predicted)) == repr(answer)
    assert (again.key, again.calls, again.setup) == (case.key, case.calls, case.setup)


AWKWARD = {
    "newlines in triple quotes": "assert f('''a\nb\n\n  c''') == \"\"\"d\n\"\"\"",
    "backslashes": "assert f('\\\\', r'\\d\\n', b'\\x00\\xff') == '\\\\\\\\n'",
    "quotes": "assert f(\"it's\", 'say \"x\"', '''a\"b'c''') == '\\'\"'",
    "non-ASCII": "assert f('é', '日本語', '🎉', größe=1) == 'ß→\u2028'",
    "raw lone surrogates": "assert f('\ud800', '\udc80x') == '\udfff'",
    "escaped lone surrogates": "assert f('\\ud800') == '\\udfff'",
    "control characters": "assert f('\x01\x1b\x7f\x85') == '\x0b'",
    "5,000 digits": f"assert f({'7' * 5000}) == -{'9' * 5000}",
    "5,000 digits with underscores": f"assert f({'_'.join(['123'] * 1700)}) == 1",
    "5,000 digits in set-up and text": f"x = {'7' * 5000}  # {'1' * 5000}\nassert f(x, '{'3' * 5000}') == 1",
    "5,000 digits in a loop": f"for x in [{'7' * 5000}, {'8' * 5000}]:\n    assert f(x) == x + 1",
    "windows line ends": "x = [\r\n  1]\r\nassert f(x) == '''a\r\nb'''\r\n",
    "a form feed": "x = 1\n\x0cassert f(x) == '\x0c'",
    "comments": "x = [  # one\n    1,\n]\nassert f(x) == [  # two\n    2,\n]",
    "an f-string": "x = 'é'\nassert f(f'{x!r:>{5}}') == f\"{'a' + x}\"",
    "tabs": "assert f('\t') ==\t'a'",
}


@pytest.mark.parametrize("text", AWKWARD.values(), ids=AWKWARD.keys())
def test_awkward_source_survives_files_of_every_kind(text: str, tmp_path: Path) -> None:
    for case in parse_tests(text, "f"):
        assert case.malformed is None
        assert "\r" not in case.source
        (tmp_path / "case.txt").write_bytes(case.source.encode("utf-8"))
        assert (tmp_path / "case.txt").read_bytes().decode("utf-8") == case.source
        assert json.loads(json.dumps({"source": case.source}))["source"] == case.source
        assert json.loads(json.dumps({"source": case.source}, ensure_ascii=False))["source"] == case.source
        pq.write_table(pa.table({"source": [case.source]}), tmp_path / "case.parquet")
        assert pq.read_table(tmp_path / "case.parquet")["source"].to_pylist() == [case.source]
        assert stored(case) == case
        for statements in (case.source, case.setup, case.check_setup):
            compile(statements, "<part>", "exec")
        for expression in (case.check, case.predicted or "None", *case.calls):
            compile(expression, "<part>", "eval")


def test_a_number_of_five_thousand_digits_keeps_its_value() -> None:
    (case,) = parse_tests(f"assert f({'7' * 5000}) == -{'9' * 5000}", "f")
    argument = ast.parse(case.calls[0], mode="eval").body
    assert isinstance(argument, ast.Call)
    assert ast.literal_eval(argument.args[0]) == 7 * (10**5000 - 1) // 9
    assert case.predicted is not None
    assert ast.literal_eval(case.predicted) == -(10**5000 - 1)


def test_digits_inside_strings_and_names_are_left_alone() -> None:
    digits = "7" * 5000
    (case,) = parse_tests(f"assert f('{digits}', 'a{digits}', {digits}.5, 1e5) == 1  # {digits}", "f")
    seen = eval(case.calls[0], {"f": lambda *values: values})
    assert seen[:2] == (digits, "a" + digits)
    assert seen[3] == 1e5


def test_stored_tests_run_as_a_pytest_file(tmp_path: Path) -> None:
    text = (
        "xs = [3, '\ud800']\nassert f(xs) == xs\nassert f('''a\nb''') == 'a\\nb', 'why'\n"
        "with pytest.raises(TypeError):\n    f()\nfor x in (1, 'é'):\n    assert f(x) == x\n"
        f"assert f({'7' * 5000}) == {'7' * 5000}\nassert math.isclose(f(0.5), 0.5)"
    )
    cases = parse_tests(text, "f")
    assert [case.malformed for case in cases] == [None] * len(cases)
    bodies = [f"def test_{i}():\n    exec({case.source!r}, dict(f=f))\n" for i, case in enumerate(cases)]
    (tmp_path / "test_stored.py").write_text("def f(x):\n    return x\n\n\n" + "\n\n".join(bodies), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_stored.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert f"{len(cases)} passed" in done.stdout, done.stdout


def test_reading_a_stored_test_with_several_assertions_names_the_number() -> None:
    case = parse_assertion("assert f(1) == 2\nassert f(2) == 3", "f")
    assert case.malformed == "holds 2 assertions where one is expected"
    assert parse_assertion("x = 1", "f").malformed == "holds no assertion"


def test_one_line_and_many_lines_give_equal_cases_for_one_assertion() -> None:
    """The short way and the general analysis agree (the second text goes the long way)."""
    for text in (
        "assert f([1, {'a': (2,)}], k=-1) == {3, 4}",
        "assert 3 == f(1)",
        "assert f(1) == f(2)",
        "assert f(1)",
    ):
        (short,) = parse_tests(text, "f", parameters=("x", "k"))
        *_, long = parse_tests(f"unused = 1\n{text}", "f", parameters=("x", "k"))
        assert short == long
        assert short.form in Form
