"""What a Test LLM writes becomes test cases: every form, every way of writing a suite, and what cannot be a test."""

from __future__ import annotations

import math
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from a1kit.parsing import corrected, given_names, parse_assertion, parse_tests, signature
from a1kit.types import Form, TestCase


def one(source: str, entry_point: str = "f", parameters: tuple[str, ...] | None = None) -> TestCase:
    (case,) = parse_tests(source, entry_point, parameters=parameters)
    assert case.malformed is None, case.malformed
    return case


def reason(source: str, entry_point: str = "f") -> str:
    (case,) = parse_tests(source, entry_point)
    assert case.malformed is not None
    return case.malformed


def calls(text: str) -> list[tuple[str, ...]]:
    return [case.calls for case in parse_tests(text, "f")]


# ── equality ──


def test_an_equality_has_a_call_a_prediction_and_a_slot() -> None:
    case = one("assert f([1, 2], k=3) == {'a': 1}, 'message'")
    assert case.form is Form.EQUAL
    assert case.calls == ("f([1, 2], k=3)",)
    assert case.predicted == "{'a': 1}"
    assert case.check == "_0 == {'a': 1}"
    assert case.answer_exprs == ("_0",)
    assert case.template == ("assert f([1, 2], k=3) == ", ", 'message'")
    assert case.source == "assert f([1, 2], k=3) == {'a': 1}, 'message'"
    assert (case.setup, case.check_setup, case.opaque_calls, case.strict) == ("", "", (), False)


def test_reversed_sides_predict_the_left_one() -> None:
    case = one("assert [1] == f(2)")
    assert (case.form, case.predicted, case.template) == (Form.EQUAL, "[1]", ("assert ", " == f(2)"))


@pytest.mark.parametrize(("answer", "strict"), [("None", False), ("True", True), ("False", True)])
def test_is_with_a_singleton_is_an_equality_and_strict_for_truth_values(answer: str, strict: bool) -> None:
    case = one(f"assert f(1) is {answer}")
    assert (case.form, case.predicted, case.strict) == (Form.EQUAL, answer, strict)
    assert corrected(case, ["5"]) == "assert f(1) == 5"


def test_equality_with_true_is_not_strict() -> None:
    assert one("assert f(1) == True").strict is False


def test_brackets_around_an_answer_stay_in_the_template() -> None:
    case = one("assert f(1) == (2 if True else 3)")
    assert case.predicted == "2 if True else 3"
    assert corrected(case, ["-1"]) == "assert f(1) == (-1)"


def test_an_answer_over_several_lines_is_predicted_as_one_expression() -> None:
    case = one("assert f(\n    1,  # one\n) == [\n    '''x\ny''',\n]")
    assert case.calls == ("f(1)",)
    assert case.predicted == "['x\\ny']"
    assert case.source.count("\n") == 5


# ── closeness ──


@pytest.mark.parametrize(
    ("source", "predicted", "rel_tol", "abs_tol"),
    [
        ("import math\nassert math.isclose(f(1), 0.5)", "0.5", 1e-9, 0.0),
        ("import math\nassert math.isclose(f(1), 0.5, rel_tol=1e-3, abs_tol=0.25)", "0.5", 1e-3, 0.25),
        ("from math import isclose\nassert isclose(0.5, f(1))", "0.5", 1e-9, 0.0),
        ("assert math.isclose(f(1), 0.5)", "0.5", 1e-9, 0.0),
        ("assert abs(f(1) - 0.5) <= 1e-6", "0.5", 0.0, 1e-6),
        ("assert abs(f(1) - 0.5) < 1e-6", "0.5", 0.0, math.nextafter(1e-6, 0)),
        ("assert abs(0.5 - f(1)) < 1e-6", "0.5", 0.0, math.nextafter(1e-6, 0)),
        ("assert 1e-6 > abs(f(1) - 0.5)", "0.5", 0.0, math.nextafter(1e-6, 0)),
        ("assert 0.25 >= abs(f(1) - (-0.5))", "-0.5", 0.0, 0.25),
        ("assert abs(f(1) - 0.5) < 10 ** -6", "0.5", 0.0, math.nextafter(10**-6, 0)),
        ("EPS = 1e-3\nassert abs(f(1) - 0.5) <= EPS", "0.5", 0.0, 1e-3),
        ("import pytest\nassert f(1) == pytest.approx(0.5)", "0.5", 1e-6, 1e-12),
        ("import pytest\nassert f(1) == pytest.approx(0.5, rel=0.01)", "0.5", 0.01, 1e-12),
        ("import pytest\nassert f(1) == pytest.approx(0.5, abs=0.01)", "0.5", 0.0, 0.01),
        ("from pytest import approx\nassert approx(0.5, 0.01, 0.02) == f(1)", "0.5", 0.01, 0.02),
        ("import pytest\nassert f(1) == pytest.approx([0.5, 1.5])", "[0.5, 1.5]", 1e-6, 1e-12),
    ],
)
def test_a_comparison_of_floats_carries_its_own_tolerance(
    source: str, predicted: str, rel_tol: float, abs_tol: float
) -> None:
    case = one(source)
    assert (case.form, case.predicted) == (Form.CLOSE, predicted)
    assert (case.rel_tol, case.abs_tol) == (rel_tol, abs_tol)
    assert case.check == ""
    assert parse_assertion(corrected(case, ["7.25"]), "f").predicted == "7.25"


def test_the_judges_side_of_a_closeness_test_needs_no_pytest() -> None:
    case = one("import pytest\nwant = 0.5\nassert f(1) == pytest.approx(want)")
    assert case.check_setup == "want = 0.5"


@pytest.mark.parametrize(
    "source",
    [
        "assert abs(f(1) - f(2)) < 0.1",
        "assert abs(f(1) - 0.5) < tolerance()\ndef tolerance():\n    return 1",
        "assert round(f(1), 2) == 0.5",
        "assert abs(f(1)[0] - 0.5) < 1e-6",
        "import numpy as np\nassert np.isclose(f(1), 0.5)",
        "import math\nassert math.isclose(f(1) * 2, 1.0)",
        "assert not abs(f(1) - 0.5) < 1e-6",
        "assert abs(f(1) - 0.5) < 0",
        "assert abs(f(1) - 0.5) > 1",
    ],
)
def test_a_comparison_of_more_than_one_plain_float_is_checked_as_written(source: str) -> None:
    (case,) = parse_tests(source, "f")
    if case.malformed is None:
        assert case.form is Form.CHECK
    else:
        assert "not defined" in case.malformed


def test_numpy_comparisons_have_a_slot_for_the_answer() -> None:
    case = one("import numpy as np\nassert np.allclose(f(1), [0.5], atol=1e-3)")
    assert (case.form, case.predicted, case.answer_exprs) == (Form.CHECK, "[0.5]", ("_0",))
    assert corrected(case, ["[1.5]"]).endswith("assert np.allclose(f(1), [1.5], atol=1e-3)")


# ── exceptions ──

RAISING = {
    "pytest.raises": "import pytest\nwith pytest.raises(ValueError):\n    f(-1)",
    "raises, imported": "from pytest import raises\nwith raises(ValueError):\n    f(-1)",
    "pytest not imported": "with pytest.raises(ValueError):\n    f(-1)",
    "as a function": "import pytest\npytest.raises(ValueError, f, -1)",
    "as a function of a lambda": "import pytest\npytest.raises(ValueError, lambda: f(-1))",
    "assertRaises": "class T:\n    def test_a(self):\n        with self.assertRaises(ValueError):\n            f(-1)",
    "assertRaises called": "class T:\n    def test_a(self):\n        self.assertRaises(ValueError, f, -1)",
    "try, assert False": "try:\n    f(-1)\n    assert False\nexcept ValueError:\n    pass",
    "try, raise": "try:\n    f(-1)\n    raise AssertionError('no error')\nexcept ValueError:\n    assert True",
    "try, else": "try:\n    f(-1)\nexcept ValueError:\n    pass\nelse:\n    assert False",
    "try, fail": "try:\n    f(-1)\n    pytest.fail('no error')\nexcept ValueError:\n    pass",
    "flag": "raised = False\ntry:\n    f(-1)\nexcept ValueError:\n    raised = True\nassert raised",
}


@pytest.mark.parametrize("source", RAISING.values(), ids=RAISING.keys())
def test_an_expected_exception_is_known_by_its_name(source: str) -> None:
    case = one(source)
    assert (case.form, case.calls, case.exceptions) == (Form.RAISES, ("f(-1)",), ("ValueError",))
    assert (case.predicted, case.check, case.key) == ("ValueError", "", "f(-1)")


def test_another_exception_of_the_oracle_takes_the_place_of_the_name() -> None:
    case = one("import pytest\nwith pytest.raises(ValueError, match='x'):\n    f(-1)")
    again = parse_assertion(corrected(case, exception="KeyError"), "f")
    assert (again.exceptions, again.check) == (("KeyError",), "")


def test_a_value_of_the_oracle_turns_an_expected_exception_into_an_equality() -> None:
    case = one("import pytest\nxs = [1]\nwith pytest.raises(ValueError):\n    f(xs)")
    assert corrected(case, ["3"]) == "xs = [1]\nassert f(xs) == 3"


def test_several_exceptions_and_dotted_names_are_listed() -> None:
    case = one("import json\nwith pytest.raises((KeyError, json.JSONDecodeError)):\n    f('')")
    assert case.exceptions == ("KeyError", "JSONDecodeError")


@pytest.mark.parametrize(
    ("source", "check"),
    [
        ("with pytest.raises(ValueError, match='neg'):\n    f(-1)", "re.search('neg', _0)"),
        ("with pytest.raises(ValueError) as e:\n    f(-1)\nassert 'neg' in str(e.value)", "'neg' in _0"),
        ("with pytest.raises(ValueError) as e:\n    f(-1)\nassert e.value.args[0] == 'neg'", "_0 == 'neg'"),
        ("with pytest.raises(ValueError) as e:\n    f(-1)\nassert e.match('neg')", "re.search('neg', _0)"),
        (
            "try:\n    f(-1)\nexcept ValueError as e:\n    assert str(e) == 'neg'\nelse:\n    assert False",
            "_0 == 'neg'",
        ),
    ],
)
def test_a_condition_on_the_message_is_a_check_over_it(source: str, check: str) -> None:
    case = one(source)
    assert (case.form, case.check) == (Form.RAISES, check)


def test_statements_before_the_call_inside_the_block_are_set_up() -> None:
    case = one("with pytest.raises(ValueError):\n    xs = [1]\n    ys = xs + [2]\n    f(ys)")
    assert (case.setup, case.calls) == ("xs = [1]\nys = xs + [2]", ("f(ys)",))


def test_what_is_done_with_the_result_belongs_to_the_call_that_should_raise() -> None:
    assert one("with pytest.raises(ValueError):\n    list(f(-1))").calls == ("list(f(-1))",)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("try:\n    f(1)\nexcept ValueError:\n    pass", "whether or not"),
        ("try:\n    f(1)\n    assert False\nexcept Exception:\n    pass", "cannot fail"),
        ("try:\n    f(1)\n    assert False\nexcept:\n    pass", "cannot fail"),
        ("with pytest.raises(ValueError):\n    g(1)", "nothing inside calls f"),
        ("with pytest.raises(ValueError) as e:\n    f(1)\nassert e.value.code == 3", "more of the exception"),
    ],
)
def test_an_expectation_that_cannot_fail_or_be_read_is_malformed(source: str, why: str) -> None:
    assert why in reason(source)


# ── everything else is checked over observed values ──


@pytest.mark.parametrize(
    ("source", "check", "predicted"),
    [
        ("assert f(1) != 2", "_0 != 2", None),
        ("assert f(1) < 2", "_0 < 2", None),
        ("assert 2 in f(1)", "2 in _0", None),
        ("assert f(1) not in (1, 2)", "_0 not in (1, 2)", None),
        ("assert f(1) is not None", "_0 is not None", None),
        ("assert not f(1)", "not _0", "False"),
        ("assert f(1)", "_0", "True"),
        ("assert 1 < f(1) < 3", "1 < _0 < 3", None),
        ("assert 1 < f(1) and f(2) == 3", "1 < _0 and _1 == 3", None),
        ("assert f(1) == 2 and f(2) == 3", "_0 == 2 and _1 == 3", None),
        ("assert f(1) or f(2)", "_0 or _1", None),
        ("assert f(1)[0] == 2", "_0[0] == 2", "2"),
        ("assert f(1).real == 2", "_0.real == 2", "2"),
        ("assert sorted(f(1)) == [2]", "sorted(_0) == [2]", "[2]"),
        ("assert len(f(1)) == 2", "len(_0) == 2", "2"),
        ("assert set(f(1)) == {2}", "set(_0) == {2}", "{2}"),
        ("assert isinstance(f(1), int)", "isinstance(_0, int)", "True"),
        ("assert f(1) == f(2)", "_0 == _1", None),
        ("assert f(f(1)) + f(2) == 3", "_0 + _1 == 3", "3"),
        ("assert f'{f(1)}' == '2'", "f'{_0}' == '2'", "'2'"),
        ("assert all(f(x) == y for x, y in [(1, 2), (3, 4)])", "all([_0 == 2, _1 == 4])", "True"),
        ("assert [f(x) for x in range(2)] == [1, 2]", "[_0, _1] == [1, 2]", "[1, 2]"),
    ],
)
def test_the_check_holds_the_assertion_with_observed_values_in_the_calls_places(
    source: str, check: str, predicted: str | None
) -> None:
    case = one(source)
    assert (case.form, case.check, case.predicted) == (Form.CHECK, check, predicted)


def test_nested_calls_of_the_entry_point_are_one_call() -> None:
    case = one("assert f(f(1), f(2)) == 3")
    assert case.calls == ("f(f(1), f(2))",)


@pytest.mark.parametrize(
    ("source", "answers", "expected"),
    [
        ("assert sorted(f(1)) == [2]", ["[3]"], "assert sorted(f(1)) == [3]"),
        ("assert f(1) == 2 and f(2) == 3", ["7", "8"], "assert f(1) == 7 and f(2) == 8"),
        ("assert f(1) < 2", ["7"], "assert f(1) == 7"),
        ("assert 2 in f(1)", ["[3]"], "assert f(1) == [3]"),
        ("assert len(f(1)) > 2", ["1"], "assert len(f(1)) == 1"),
        ("assert f(1) == f(2)", ["7", "8"], "assert f(1) == 7 and f(2) == 8"),
        ("assert f(1) > 0 and f(1) < 9", ["7"], "assert f(1) == 7"),
        ("assert 1 < f(1) + 1 < 3", ["7"], "assert f(1) == 7"),
        ("xs = [1]\nassert f(xs) != 3", ["7"], "xs = [1]\nassert f(xs) == 7"),
        ("r = f(1)\nassert r > 3", ["7"], "r = f(1)\nassert f(1) == 7"),
    ],
)
def test_the_oracles_answers_are_written_back_into_the_form(source: str, answers: list[str], expected: str) -> None:
    case = one(source)
    assert len(case.answer_exprs) == len(answers)
    assert corrected(case, answers) == expected
    assert parse_assertion(expected, "f").malformed is None


@pytest.mark.parametrize(
    ("source", "negation"),
    [
        ("assert f(1)", "assert not f(1)"),
        ("assert not f(1)", "assert f(1)"),
        ("assert not f(1), 'm'", "assert f(1), 'm'"),
        ("assert (f(1)), 'm'", "assert (not f(1)), 'm'"),
        ("assert isinstance(f(1), int)", "assert not isinstance(f(1), int)"),
        ("x = 1\nassert f(x)", "x = 1\nassert not f(x)"),
        ("r = f(1)\nassert not r", "r = f(1)\nassert r"),
    ],
)
def test_a_test_of_truth_is_corrected_by_its_negation(source: str, negation: str) -> None:
    case = one(source)
    assert case.negation == negation
    assert corrected(case) == negation
    assert parse_assertion(negation, "f").negation == case.source


def test_imports_that_an_answer_needs_go_first() -> None:
    case = one("assert f(1) == 2")
    text = corrected(case, ["Decimal('1')"], imports=["from decimal import Decimal"])
    assert text == "from decimal import Decimal\nassert f(1) == Decimal('1')"


def test_a_wrong_number_of_answers_is_refused_with_the_test() -> None:
    with pytest.raises(ValueError, match=r"2 answers for 1 slots of 'assert f\(1\) == 2'"):
        corrected(one("assert f(1) == 2"), ["1", "2"])


# ── objects and other values that cannot cross ──


@pytest.mark.parametrize(
    ("source", "opaque", "check"),
    [
        ("assert f(1).area() == 2", "f(1).area()", "_0 == 2"),
        ("assert f(1).x.y[0] == 2", "f(1).x.y[0]", "_0 == 2"),
        ("assert f(1)(2) == 3", "f(1)(2)", "_0 == 3"),
        ("assert list(f(1)) == [2]", "list(f(1))", "_0 == [2]"),
        ("assert ''.join(f(1)) == 'a'", "''.join(f(1))", "_0 == 'a'"),
        ("assert next(f(1)) == 2", "next(f(1))", "_0 == 2"),
        ("assert f(1).name.startswith('a')", "f(1).name.startswith('a')", "_0"),
        ("assert type(f(1)).__name__ == 'A'", "type(f(1)).__name__", "_0 == 'A'"),
        ("import json\nassert json.loads(f(1)) == [2]", "json.loads(f(1))", "_0 == [2]"),
    ],
)
def test_what_is_applied_to_a_result_can_be_observed_instead_of_it(source: str, opaque: str, check: str) -> None:
    case = one(source)
    assert (case.opaque_calls, case.opaque_check) == ((opaque,), check)
    assert len(case.opaque_answer_exprs) == len(case.answer_exprs)


@pytest.mark.parametrize(
    "source",
    [
        "import math\nassert math.isclose(f(1)[0], 314159)",
        "assert f(1).__eq__(314159)",
        "assert max(f(1), 314159) == 314159",
        "want = 314159\nassert f(1).equals(want)",
        "assert [314159] + f(1) == [314159, 1]",
        "import operator\nassert operator.eq(f(1), 314159)",
    ],
)
def test_an_answer_never_goes_along_with_what_is_applied_to_the_result(source: str) -> None:
    case = one(source)
    assert not any("314159" in text or "want" in text for text in (case.setup, *case.calls, *case.opaque_calls))


# ── set-up ──


def test_only_the_statements_that_the_call_needs_go_to_the_child() -> None:
    case = one("import math\nunused = 5\nk = 2\nxs = [k, 3]\nwant = [3, 2]\nassert f(xs) == want")
    assert case.setup == "k = 2\nxs = [k, 3]"
    assert case.check_setup == "want = [3, 2]"
    assert case.source == "k = 2\nxs = [k, 3]\nwant = [3, 2]\nassert f(xs) == want"


ANSWERS = [
    "want = 314159\nassert f(1) == want",
    "x, want = 1, 314159\nassert f(x) == want",
    "(a, b), want = (1, 2), 314159\nassert f(a, b) == want",
    "case = {'in': 1, 'out': 314159}\nassert f(case['in']) == case['out']",
    "case = (1, 314159)\nx, want = case\nassert f(x) == want",
    "cases = [(1, 314159)]\nfor x, want in cases:\n    assert f(x) == want",
    "cases = [{'in': [1], 'out': 314159}]\nfor case in cases:\n    got = f(*case['in'])\n    assert got == case['out']",
    "for case in [{'in': 1, 'out': {'deep': [314159]}}]:\n    assert f(case['in']) == case['out']['deep'][0]",
    "inputs, outputs = [1], [314159]\nfor i in range(len(inputs)):\n    assert f(inputs[i]) == outputs[i]",
    "table = {1: 314159}\nfor x, want in table.items():\n    assert f(x) == want",
    "def check(x, want):\n    assert f(x) == want\ncheck(1, 314159)",
    "def check(x, want):\n    result = f(x)\n    assert result == want\ncheck(want=314159, x=1)",
    "ok = lambda x, want: f(x) == want\nassert ok(1, 314159)",
    "def ok(x, want):\n    '''Compare.'''\n    return f(x) == want\nassert ok(1, want=314159)",
    "assert all(f(x) == want for x, want in [(1, 314159)])",
    "assert [f(x) for x in (1,)] == [314159]",
    "assert f(1) in {314159}",
    "assert {'a': f(1)} == {'a': 314159}",
    "class T:\n    want = 314159\n    def test_a(self):\n        self.assertEqual(f(1), self.want)",
    "class T:\n    def setup(self):\n        self.x, self.want = 1, 314159\n    def test_a(self):\n"
    "        assert f(self.x) == self.want",
    "@pytest.mark.parametrize('x, want', [(1, 314159)])\ndef test_a(x, want):\n    assert f(x) == want",
    "@pytest.fixture\ndef want():\n    return 314159\ndef test_a(want):\n    assert f(1) == want",
    "xs = [3, 1]\nf(xs)\nassert xs == [314159]",
    "def expected():\n    return 314159\nassert f(1) == expected()",
    "obj = object()\nassert f(1) is obj or f(1) == 314159",
    "assert f(1) == 314159 if True else f(2)",
    "assert (lambda got: got == 314159)(f(1))",
    "message = 'should be 314159'\nassert f(1) == 314159, message",
    "want = [314159]\nassert f(1) is want",
]


@pytest.mark.parametrize("source", ANSWERS)
def test_the_expected_answer_never_reaches_the_childs_side(source: str) -> None:
    case = one(source)
    sent = "\n".join([case.setup, *case.calls, *case.opaque_calls])
    assert "314159" not in sent
    assert "want" not in sent
    assert "314159" in case.source


@pytest.mark.parametrize(
    "source",
    [
        "def make():\n    return 1, 2\nx, want = make()\nassert f(x) == want",
        "def make():\n    return [1, 2]\ndata = make()\nassert f(data[0]) == data[1]",
        "def check(x, want):\n    got = f(x)\n    return got == want\nassert check(1, 2)",
        "def check(x, want):\n    got = f(x)\n    return got == want\nassert check(1, 2) == True",
        "case = {'in': 1, 'out': 2}\ndef run():\n    x = case['in']\n    return f(x) * len(case)\n"
        "assert run() == case['out']",
    ],
)
def test_a_test_whose_answer_cannot_be_kept_apart_is_malformed(source: str) -> None:
    case = parse_tests(source, "f")[-1]
    assert case.malformed is not None or "'out': 2" not in case.setup


def test_in_place_changes_are_observed_after_the_call() -> None:
    case = one("xs = [3, 1]\nf(xs)\nassert xs == [1, 3]")
    assert (case.setup, case.calls, case.predicted) == ("xs = [3, 1]\nf(xs)", ("xs",), "[1, 3]")
    assert case.key != one("assert f([3, 1]) == 1").key


def test_an_in_place_change_has_one_key_whatever_the_variable_is_called() -> None:
    first = one("xs = [3, 1]\nf(xs)\nassert xs == [1, 3]")
    second = one("data = [3,1]\nf(data)\nassert data == [9]")
    assert first.key == second.key


def test_results_with_names_are_put_in_their_place() -> None:
    first, second = parse_tests("r = f(3)\nassert r == 4\nassert r.x == 1", "f")
    assert (first.form, first.calls, first.setup) == (Form.EQUAL, ("f(3)",), "")
    assert (second.calls, second.check) == (("f(3)",), "_0.x == 1")
    assert first.source == "r = f(3)\nassert r == 4"


def test_helpers_and_imports_that_the_call_needs_go_along() -> None:
    case = one("from collections import deque\ndef make(n):\n    return deque(range(n))\nassert f(make(3)) == 3")
    assert case.setup == "from collections import deque\ndef make(n):\n    return deque(range(n))"
    assert case.check_setup == ""


def test_forgotten_imports_of_well_known_names_are_added_where_they_are_needed() -> None:
    case = one("assert f(math.pi) == Counter('a')")
    assert case.setup == "import math"
    assert case.check_setup == "from collections import Counter"
    assert case.source == "from collections import Counter\nimport math\nassert f(math.pi) == Counter('a')"


def test_variables_named_like_builtins_are_variables() -> None:
    case = one("input = [1]\nlist = 3\nassert f(input) == list")
    assert (case.setup, case.check_setup) == ("input = [1]", "list = 3")


def test_a_seed_is_set_on_the_childs_side_although_no_name_asks_for_it() -> None:
    assert one("import random\nrandom.seed(1)\nassert f(3) == 4").setup == "import random\nrandom.seed(1)"


# ── suites as people write them ──


def test_loops_over_literals_become_one_test_each() -> None:
    text = (
        "for a, b in [(1, 2), (3, 4)]:\n    assert f(a) == b\n"
        "for i, x in enumerate([5, 6]):\n    assert f(x) == i\n"
        "for x, y in zip([7], [8]):\n    assert f(x) == y\n"
        "for x in range(9, 11):\n    assert f(x)\n"
        "for k in {'a': 1}:\n    assert f(k)\n"
        "for a in (1, 2):\n    for b in 'xy':\n        assert f(a, b)\n"
    )
    assert calls(text) == [
        ("f(1)",), ("f(3)",), ("f(5)",), ("f(6)",), ("f(7)",), ("f(9)",), ("f(10)",), ("f('a')",),
        ("f(1, 'x')",), ("f(1, 'y')",), ("f(2, 'x')",), ("f(2, 'y')",),
    ]  # fmt: skip


def test_a_loop_that_changes_its_variable_keeps_it_as_set_up() -> None:
    cases = parse_tests("for xs in ([1], [2]):\n    xs.append(0)\n    assert f(xs) == 3", "f")
    assert [case.setup for case in cases] == ["xs = [1]\nxs.append(0)", "xs = [2]\nxs.append(0)"]


def test_a_loop_over_a_result_is_one_test_about_all_of_it() -> None:
    case = one("for x in f(3):\n    assert x > 0")
    assert (case.calls, case.check) == (("f(3)",), "all((x > 0 for x in _0))")


def test_functions_classes_and_guards_are_opened() -> None:
    text = (
        "def test_a():\n    x = 1\n    assert f(x) == 2\n"
        "class TestB:\n    def test_b(self):\n        assert f(2) == 3\n"
        "async def test_c():\n    assert f(3) == 4\n"
        "if __name__ == '__main__':\n    test_a()\n    assert f(4) == 5\n"
    )
    assert calls(text) == [("f(x)",), ("f(2)",), ("f(3)",), ("f(4)",)]


def test_a_test_function_sees_helpers_that_are_defined_below_it() -> None:
    case = one("def test_a():\n    assert f(make()) == 1\ndef make():\n    return 3")
    assert case.setup == "def make():\n    return 3"


def test_parameter_lists_become_one_test_a_row() -> None:
    text = (
        "@pytest.mark.parametrize('a', [1, 2])\n"
        "@pytest.mark.parametrize(('b', 'c'), [(3, 4), pytest.param(5, 6, id='x')])\n"
        "def test_a(a, b, c):\n    assert f(a, b) == c\n"
    )
    assert calls(text) == [("f(1, 3)",), ("f(1, 5)",), ("f(2, 3)",), ("f(2, 5)",)]


@pytest.mark.parametrize(
    ("method", "source"),
    [
        ("assertEqual(f(1), 2, 'm')", "assert f(1) == 2"),
        ("assertNotEqual(f(1), 2)", "assert f(1) != 2"),
        ("assertTrue(f(1))", "assert f(1)"),
        ("assertFalse(f(1), msg='m')", "assert not f(1)"),
        ("assertIs(f(1), None)", "assert f(1) is None"),
        ("assertIsNone(f(1))", "assert f(1) is None"),
        ("assertIsNotNone(f(1))", "assert f(1) is not None"),
        ("assertIn(2, f(1))", "assert 2 in f(1)"),
        ("assertNotIn(2, f(1))", "assert 2 not in f(1)"),
        ("assertGreater(f(1), 2)", "assert f(1) > 2"),
        ("assertLessEqual(f(1), 2)", "assert f(1) <= 2"),
        ("assertIsInstance(f(1), int)", "assert isinstance(f(1), int)"),
        ("assertListEqual(f(1), [2])", "assert f(1) == [2]"),
        ("assertDictEqual(f(1), {})", "assert f(1) == {}"),
        ("assertCountEqual(f(1), [2])", "assert sorted(f(1), key=repr) == sorted([2], key=repr)"),
        ("assertAlmostEqual(f(1), 0.5)", "assert abs(f(1) - 0.5) <= 5e-08"),
        ("assertAlmostEqual(f(1), 0.5, places=2)", "assert abs(f(1) - 0.5) <= 0.005"),
        ("assertAlmostEqual(f(1), 0.5, delta=0.1)", "assert abs(f(1) - 0.5) <= 0.1"),
        ("assertRegex(f(1), 'a+')", "import re\nassert re.search('a+', f(1))"),
    ],
)
def test_unittest_methods_are_assertions(method: str, source: str) -> None:
    case = one(f"class T(unittest.TestCase):\n    def test_a(self):\n        self.{method}\n")
    assert case.source == source


def test_several_assertions_on_one_line_are_several_tests() -> None:
    text = "assert f(1) == 2; assert f(2) == 3; x = 3; assert f(x) == 4"
    assert calls(text) == [("f(1)",), ("f(2)",), ("f(x)",)]


@pytest.mark.parametrize(
    "text",
    [
        "```python\nassert f(1) == 2\n```",
        "Here is one:\n```py\nassert f(1) == 2\n```\nDone.",
        "~~~\nassert f(1) == 2\n~~~",
        "```python\nassert f(1) == 2\n",
        "<think>assert f(9) == 9</think>\nassert f(1) == 2",
        "assert f(1) == 2<|im_end|>",
        "\ufeffassert f(1) == 2\r\n",
        "  assert f(1) == 2",
        "1. assert f(1) == 2",
        "- `assert f(1) == 2`",
        "* **Base case**: `assert f(1) == 2`",
        "> assert f(1) == 2",
        ">>> assert f(1) == 2",
        "Test 1: assert f(1) == 2",
        "The function's (odd) result:\nassert f(1) == 2\nIsn't it",
        "assert f(1) == 2  # the base case",
        "from solution import f\nassert f(1) == 2",
        "import solution\nassert solution.f(1) == 2",
        "from solution import Solution\ns = Solution()\nassert s.f(1) == 2",
        "assert Solution().f(1) == 2",
        "candidate = f\nassert candidate(1) == 2",
        "def check(candidate):\n    assert candidate(1) == 2\n\ncheck(f)",
        "def check(candidate):\n    assert candidate(1) == 2\n",
        "try:\n    assert f(1) == 2\n    print('ok')\nexcept AssertionError:\n    print('not ok')",
        "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n"
        "        with self.subTest(i=1):\n            self.assertEqual(f(1), 2)\n"
        "if __name__ == '__main__':\n    unittest.main()",
    ],
)
def test_one_assertion_is_found_in_whatever_stands_around_it(text: str) -> None:
    case = one(text)
    assert (case.source, case.key, case.predicted) == ("assert f(1) == 2", "f(1)", "2")


def test_a_broken_statement_costs_only_itself() -> None:
    text = "assert f(1) == 2\nassert f(2 == 3\nassert f(3) = 4\nassert f(4) == 5\nand so on (etc.\nassert f([5, 6"
    cases = parse_tests(text, "f")
    assert [case.malformed is None for case in cases] == [True, False, False, True, False]
    assert all("syntax error" in case.malformed for case in cases if case.malformed)


def test_the_number_of_tests_can_be_limited() -> None:
    text = "\n".join(f"assert f({i}) == {i}" for i in range(20))
    assert len(parse_tests(text, "f", limit=5)) == 5
    assert len(parse_tests("x = 1\n" + text, "f", limit=5)) == 5
    assert parse_tests(text, "f", limit=0) == ()


def test_a_refusal_holds_no_tests() -> None:
    assert parse_tests("I'm sorry, I can't write tests for that.", "f") == ()
    assert parse_tests("", "f") == ()


@pytest.mark.parametrize(
    ("entry_point", "text"),
    [
        ("median", "```python\nassert abs(median([1, 2]) - 1.5) < 1e-6\n```"),
        ("gcd", "import math\nassert gcd(2, 4) == math.gcd(2, 4)"),
        ("add", "with pytest.raises(TypeError):\n    x = 1\n    add(x)"),
        ("product", "xs = [1, 2]\nassert product(xs) == 2"),
        ("reduce", "def test_a():\n    r = reduce([1])\n    assert r == 1"),
        ("sqrt", "class T(unittest.TestCase):\n    def test_a(self):\n        self.assertAlmostEqual(sqrt(4), 2)"),
        ("Counter", "c = Counter()\nc.push(1)\nassert c.total() == 1"),
        ("count", "for x in (1,):\n    assert sorted(count(x)) == [1] and math.inf > 1"),
    ],
)
def test_an_entry_point_named_like_a_library_function_is_never_imported(entry_point: str, text: str) -> None:
    (case,) = parse_tests(text, entry_point)
    assert case.malformed is None
    sources = (case.source, case.setup, case.check_setup, *(case.template or ()), *(case.value_template or ()))
    assert not any(f"import {entry_point}" in source for source in sources)
    assert parse_assertion(case.source, entry_point) == case


SQUARE = """class Square:
    def __init__(self, side):
        self.side = side


LIMIT = 9


def area(s):
    return s.side ** 2
"""


def test_names_that_the_programs_define_are_known_beside_a_call() -> None:
    known = frozenset(("Square", "Counter"))
    case, counted = parse_tests("assert area(Square(3)) == 9\ns = Counter()\nassert area(s) == 1", "area", known=known)
    assert (case.malformed, case.setup, case.calls) == (None, "", ("area(Square(3))",))
    assert (counted.malformed, counted.setup) == (None, "s = Counter()")
    assert parse_assertion(case.source, "area", known=known) == case
    (imported,) = parse_tests("from shapes import Square\nassert area(Square(3)) == 9", "area", known=known)
    assert imported == case


def test_a_known_name_that_the_test_defines_itself_is_the_tests_own() -> None:
    (case,) = parse_tests(
        "class Square:\n    side = 3\nassert area(Square()) == 9", "area", known=frozenset(("Square",))
    )
    assert case.setup == "class Square:\n    side = 3"


def test_an_expected_answer_made_with_a_known_name_has_no_place_to_be_made() -> None:
    (case,) = parse_tests("assert grow(1) == Square(2)", "grow", known=frozenset(("Square",)))
    assert "only the programs define" in (case.malformed or "")


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("class Square:\n    side: int\n\ndef area(s: Square) -> int:", {"Square"}),
        ("Write `area` for a class called Square.", {"Square"}),
        ("def area(shapes: list[Square]) -> int: ...", {"Square"}),
        ("area(Square(3)) == 9", {"Square"}),
        ("Use `LIMIT`.", {"LIMIT"}),
        ("LIMIT = 9", {"LIMIT"}),
        ("The area of a square. Square it.", set()),
        ("# class Square:\n#     side: int\ndef area(s: Square) -> int:", set()),
        ("no more than LIMIT", set()),
    ],
)
def test_a_name_of_the_reference_is_given_when_the_question_names_it_as_code(text: str, given: set[str]) -> None:
    assert given_names(text, SQUARE, "area") == given
    assert given_names(text, "def area(s):\n    return s.side ** 2", "area") == frozenset()


# ── what cannot be a test ──


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("assert True", "does not depend on a call of f"),
        ("assert g(1) == 2", "does not depend on a call of f"),
        ("assert 1 + 1 == 2", "does not depend on a call of f"),
        ("assert 'f(1) == 2'", "does not depend on a call of f"),
        ("x = 1\nassert x == 1", "does not depend on a call of f"),
        ("assert f(unknown) == 1", "the name unknown is not defined"),
        ("assert f(1) == unknown", "the name unknown is not defined"),
        ("assert callable(f)", "without calling it"),
        ("assert f.__name__ == 'f'", "without calling it"),
        ("assert f", "without calling it"),
        ("assert (f(1) == 2, 'message')", "tuple"),
        ("def f(x):\n    return 1\nassert f(1) == 1", "defines f itself"),
        ("f = lambda x: 1\nassert f(1) == 1", "defines f itself"),
        ("from math import floor as f\nassert f(1) == 1", "defines f itself"),
        ("f(1) == 2", "asserts nothing"),
        ("while True:\n    assert f(1) == 2", "`while`"),
        ("x = 3\nif x:\n    assert f(1) == 2", "`if`"),
        ("with open('a') as a:\n    assert f(a) == 2", "`with`"),
        ("import os\nfor x in os.listdir():\n    assert f(x) == 2", "not a literal"),
        ("assert all(f(x) for x in open('a'))", "not a literal"),
        ("for x in range(1000):\n    assert f(x)", "not a literal"),
        ("def test_a(x):\n    assert f(x) == 1", "nothing gives a value to x"),
        ("assert f(1) ==", "syntax error"),
        ("assert f(_0) == 1", "reserved"),
        ("self.assertFoo(f(1), 2)", "not known"),
    ],
)
def test_what_cannot_be_a_test_says_why(source: str, why: str) -> None:
    assert why in reason(source)


def test_a_malformed_case_keeps_its_text_and_nothing_else() -> None:
    (case,) = parse_tests("assert g(1) == 2", "f")
    assert case == TestCase(source="assert g(1) == 2", key="assert g(1) == 2", malformed=case.malformed)


def test_bad_escapes_in_a_models_text_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert one("assert f('\\d') == 1").calls == ("f('\\d')",)
        assert one("assert (1if f(1)else 2) == 1").malformed is None


# ── signature ──


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(a, b=1, *rest, c, **more): pass", ("a", "b")),
        ("def f(a, /, b): pass", ("a", "b")),
        ("async def f(a): pass", ("a",)),
        ("class Solution:\n    def f(self, xs, k): pass", ("xs", "k")),
        ("def f(): pass\ndef f(x): pass", ("x",)),
        ("def g(x): pass", None),
        ("def f(", None),
    ],
)
def test_the_signature_lists_positional_parameters(source: str, expected: tuple[str, ...] | None) -> None:
    assert signature(source, "f") == expected


# ── keys ──

SAME = [
    ["f([1, 2], 'a')", "f( [1,2], \"a\" )", "f([1, 2,], 'a',)", "f([0x1, 2], 'a')", "f(xs=[1, 2], k='a')",
     "f(k='a', xs=[1, 2])", "f([1, 2], k='a')", "f(*[[1, 2], 'a'])", "f(**{'k': 'a', 'xs': [1, 2]})",
     "f([1] + [2], 'a')", "f(list((1, 2)), 'a')", "f([1, 1 + 1], 'a')",
     "f((([1, 2])), 'a')", "f(list(range(1, 3)), 'a')"],
    ["f(1000)", "f(1_000)", "f(0x3e8)", "f(0o1750)", "f(10 ** 3)", "f(+1000)"],
    ["f(-1)", "f(- 1)", "f(1 - 2)", "f(-0x1)"],
    ["f({1, 2})", "f({2, 1})", "f({2, 1, 2})", "f(set([1, 2]))"],
    ["f('ab')", 'f("ab")', "f('a' 'b')", "f('''ab''')", "f('a' + 'b')", "f('\\x61b')", "f(f'ab')"],
    ["f([])", "f(list())", "f([ ])"],
    ["f({})", "f(dict())"],
    ["f({'a': 1})", "f(dict(a=1))", "f({\"a\":1})"],
    ["f([0, 0, 0])", "f([0] * 3)", "f(3 * [0])"],
    ["f('aaa')", "f('a' * 3)"],
    ["f(float('inf'))", "f(math.inf)", "f(1e999)"],
    ["f(lambda x: x + 1)", "f(lambda y: y+1)"],
    ["f((1,))", "f(tuple([1]))", "f((1,) * 1)"],
    ["f(1.5)", "f(15e-1)", "f(1.50)"],
]  # fmt: skip


@pytest.mark.parametrize("spellings", SAME, ids=[group[0] for group in SAME])
def test_a_call_has_one_key_however_it_is_spelt(spellings: list[str]) -> None:
    keys = {one(f"assert {spelling} == 1", parameters=("xs", "k")).key for spelling in spellings}
    assert len(keys) == 1


def test_literal_set_up_is_part_of_the_call() -> None:
    plain = one("assert f([1, [2]], 3) == 1").key
    assert one("xs = [1, [2]]\nassert f(xs, 3) == 1").key == plain
    assert one("y = [2]\nk = 3\nxs = [1, y]\nassert f(xs, k) == 9").key == plain
    assert one("r = f([1, [2]], 3)\nassert r != 1").key == plain
    assert one("for xs in [[1, [2]]]:\n    assert f(xs, 3)").key == plain
    assert one("def test_a():\n    xs, k = [1, [2]], 3\n    assert f(xs, k)").key == plain


DIFFERENT = [
    "f(1)", "f(1.0)", "f(True)", "f('1')", "f(b'1')", "f([1])", "f((1,))", "f({1})", "f({1: 1})", "f(1, 1)", "f(None)",
    "f(0.0)", "f(-0.0)", "f(0)", "f({1: 2, 3: 4})", "f({3: 4, 1: 2})", "f(other=1)", "f([1, 2])", "f([2, 1])", "f()",
    "f([[1]])", "f('inf')", "f(float('inf'))", "f(1j)", "f(...)", "f('[1]')", "f(lambda: 1)", "f(lambda x: 1)",
    "f(int)",    "f('1', '1')", "f('1, 1')", "f(\"1', '1\")",
]  # fmt: skip


def test_different_calls_have_different_keys() -> None:
    keys = {call: one(f"assert {call} == 1", parameters=("xs",)).key for call in DIFFERENT}
    assert len(set(keys.values())) == len(DIFFERENT)


@pytest.mark.parametrize(
    ("entry_point", "sources"),
    [
        ("f", ["assert f([1, 2, 3][1:]) == 1", "assert f([1, 2, 3][:1]) == 1", "assert f([1, 2, 3][::1]) == 1"]),
        ("f", ["from math import floor as g\nassert f(g(4)) == 1", "from math import sqrt as g\nassert f(g(4)) == 1"]),
        ("f", ["x = 2\nassert f([x for x in (1, 5)]) == 1", "x = 2\nassert f([x for y in (1, 5)]) == 1"]),
        ("f", ["x = 2\nassert f(lambda *x: x) == 1", "x = 2\nassert f(lambda *y: x) == 1"]),
        ("f", ["assert f(lambda x, y: lambda y, x: x) == 1", "assert f(lambda x, y: lambda y, x: y) == 1"]),
        ("f", ["assert f(lambda list: list()) == 1", "assert f(lambda list: []) == 1"]),
        ("f", [f"def g():\n    return k\nk = {k}\nassert f(g()) == 1" for k in (1, 2)]),
        ("f", [f"k = {k}\ng = lambda: k\nk += 1\nassert f(g()) == 1" for k in (1, 2)]),
        ("f", [f"x = 2\ndef g({name}):\n    return x\nassert f(g(3)) == 1" for name in ("x", "y")]),
        ("Stack", ["assert Stack().push(5).top() == 5", "assert Stack().push(5).push(6).top() == 6"]),
        ("Stack", [f"x = {x}\nassert Stack().push(x).top() == 5" for x in (5, 6)]),
        ("Stack", ["s = Stack()\ns.push(5)\n" + last for last in ("assert s.top() == 5", "assert s.size() == 1")]),
        ("Stack", [f"with pytest.raises(IndexError):\n    Stack().{name}()" for name in ("pop", "top")]),
        ("Point", ["assert Point(1, 2).x == 1", "assert Point(1, 2).y == 2", "assert str(Point(1, 2)) == '(1, 2)'"]),
        ("Grid", ["assert Grid(2)[0][0] == 1", "assert Grid(2)[0][1] == 1", "assert len(Grid(2)) == 1"]),
        ("Trie", ["assert Trie(['a']).get('a')", "assert not Trie(['a']).get('b')"]),
        ("make", ["assert make(3).area() == 9", "assert make(3).height() == 3"]),
        ("make", ["assert make().push(1).push(2).pop() == 2", "assert make().push(1).pop() == 1"]),
    ],
    ids=repr,
)  # fmt: skip
def test_calls_that_differ_have_different_keys(entry_point: str, sources: list[str]) -> None:
    keys = [one(source, entry_point).key for source in sources]
    assert len(set(keys)) == len(sources)


@pytest.mark.parametrize(
    ("entry_point", "sources"),
    [
        ("f", ["assert f(1)[0] == 1", "assert f(1)[1] == 2", "assert len(f(1)) == 2", "assert f(1).count(3) == 1"]),
        ("f", ["assert f(1).lower() == 'a'", "assert f(1).real == 1", "assert f(1).left.value == 2"]),
        ("f", ["from math import gcd as g\nassert f(g(4, 2)) == 1", "import math\nassert f(math.gcd(4, 2)) == 1",
               "assert f(gcd(4, 2)) == 1"]),
        ("f", ["assert f([k + 1 for k in xs]) == 1".replace("xs", "[1]"), "assert f([j+1 for j in [1]]) == 1"]),
        ("Stack", ["assert Stack().push(5).top() == 5", "s = Stack()\nassert s.push( 5 ).top() != 6",
                   "x = 5\nassert 4 < Stack().push(x).top()"]),
    ],
    ids=repr,
)  # fmt: skip
def test_one_call_spelt_otherwise_is_repeated(entry_point: str, sources: list[str]) -> None:
    assert len({one(source, entry_point).key for source in sources}) == 1


def test_the_key_ignores_the_answer_and_the_form() -> None:
    forms = ["assert f(1) == 2", "assert f(1) == 3", "assert 4 == f(1)", "assert f(1) > 0", "assert not f(1), 'x'"]
    assert len({one(form).key for form in forms}) == 1


def test_without_parameters_a_keyword_is_not_a_position() -> None:
    assert one("assert f(xs=1) == 1").key != one("assert f(1) == 1").key


@settings(max_examples=100, deadline=None)
@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5) | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
))  # fmt: skip
def test_spacing_line_breaks_and_set_up_never_change_a_key(value: object) -> None:
    text = repr(value)
    plain = one(f"assert f({text}, 1) == 2")
    assert one(f"assert f(\n    {text}\n  ,   1 ,) ==   2").key == plain.key
    assert one(f"value = {text}\nassert f(value, 1) != 3").key == plain.key
    assert one(f"assert f(1, {text}) == 2").key != plain.key or text == "1"


# ── hostile text ──


def nested(loops: int, innermost: str) -> str:
    return "".join("    " * depth + f"for x{depth} in range(200):\n" for depth in range(loops)) + innermost


def doubling(first: str, step: str, last: str) -> str:
    """Sixty lines, each of which uses the line before it twice."""
    return f"x0 = {first}\n" + "".join(f"x{i} = " + step.format(f"x{i - 1}") + "\n" for i in range(1, 60)) + last


HOSTILE = {
    "a line of a megabyte": "assert f(" + "1," * 500_000 + ") == 1",
    "a line of a hundred kilobytes": "assert f([" + "1, " * 33_000 + "]) == 1",
    "ten thousand brackets": "assert f(" + "[" * 10_000 + "]" * 10_000 + ") == 1",
    "brackets without end": "assert f([\n" * 5_000,
    "quotes without end": "assert f('''\n" * 5_000,
    "a chain of signs": "assert f(" + "-" * 50_000 + "1) == 1",
    "a long sum": "assert f(" + "1+" * 20_000 + "1) == 1",
    "a chain of attributes": "assert f(1)" + ".a" * 900 + " == 1",
    "null bytes": "assert f('\x00') == 1",
    "ninety thousand digits": "assert f(" + "9" * 90_000 + ") == 1",
    "a tower of powers": "assert f(9**9**9**9) == 1",
    "a giant repetition": "assert f('a' * 10**9) == [0] * 10**9",
    "a giant range": "for i in range(10**12):\n    assert f(i) == i",
    "nested loops": nested(8, " " * 32 + "assert f(x0) == x7"),
    "nested loops over nothing": nested(6, " " * 24 + "for y in []:\n" + " " * 28 + "assert f(y)"),
    "a comprehension of millions": "assert all(f(a, b, c) for a in range(200) for b in range(200) for c in range(200))",
    "doubling results": doubling("f(1)", "{0} + {0}", "assert x59 == 3"),
    "doubling literals": doubling("[1]", "[{0}, {0}]", "assert f(x59) == 3"),
    "doubling elements": doubling("[[1], [1]]", "[[{0}[0], {0}[0]], 1]", "assert f(x59[0]) == 3"),
    "helpers that call each other": "a = lambda x: b(f(x))\nb = lambda x: a(x)\nassert a(1) == 2",
    "a checker that calls itself": "def check(x):\n    assert f(x) == 1\n    check(x)\ncheck(1)",
    "many set-up statements": "".join(f"x{i} = {i}\n" for i in range(2000)) + "assert f(x1999) == 1",
    "many assertions": "".join(f"assert f({i}) == {i}\n" for i in range(15_000)),
    "many list marks": "* " * 100_000 + "assert f(1) == 2",
    "odd line separators": "assert f(1) == 2\x0cassert f(2) == 3\u2028assert f(3) == 4\x85\x1c",
    "surrogates": "assert f('\ud800') == \ud801",
}  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_gives_few_cases_and_no_exception(text: str) -> None:
    cases = parse_tests(text, "f")
    assert len(cases) <= 1000
    for case in cases[:5]:
        case.source.encode()
        assert case.malformed is None or case.malformed


def test_a_huge_text_is_named_too_large() -> None:
    assert "too large" in reason("assert f(1) == 1\n" * 100_000)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_no_text_makes_the_parser_raise(text: str) -> None:
    for written in (text, f"assert f({text}) == 1", f"assert f(1) == {text}", f"```\n{text}\nassert f(1) == 2"):
        assert isinstance(parse_tests(written, "f"), tuple)
        assert isinstance(parse_assertion(written, "f"), TestCase)


_FRAGMENTS = st.sampled_from(
    [
        *(
            "assert",
            "f",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            "==",
            "1",
            "'a'",
            ",",
            ":",
            "\n",
            "for",
            "x",
            "in",
            "lambda",
            "not",
        ),
        *("and", "with", "try", "except", "def", "test_a", "class", "self", ".", "if", "else", "*", "\n    ", "@"),
        *("pytest.raises(E)", "f(1)", "xs", " = ", " == 2"),
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_FRAGMENTS, max_size=30))
def test_no_jumble_of_test_code_makes_the_parser_raise(pieces: list[str]) -> None:
    for joined in (" ".join(pieces), "".join(pieces)):
        for case in parse_tests(joined, "f"):
            if case.malformed is None:
                assert parse_assertion(case.source, "f") == case
