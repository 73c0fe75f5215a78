"""Records in, records out: the exact fields, and a sentence for everything that can be wrong with a record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from a1kit.duel.judging import Judge
from a1kit.duel.records import Defaults, dump, judge_record, load, read_record
from a1kit.errors import InputError, SandboxUnavailable
from a1kit.rewards import Convention, Rules
from a1kit.sandbox import FakeSandbox

GOOD: dict[str, Any] = {
    "id": "a",
    "entry_point": "f",
    "reference": "def f(x): return x * x",
    "candidate": "def f(x): return x + x",
    "suites": ["assert f(2) == 4\nassert f(3) == 6"],
    "history": ["assert f(3) == 9", "assert f(3) == 8"],
    "options": {"k": 2, "alpha": 0.5, "convention": "release", "call_seconds": 1.0},
}


def judged(record: object) -> dict[str, Any]:
    return judge_record(record, Judge(FakeSandbox()), Defaults())  # type: ignore[arg-type]


def changed(**fields: object) -> dict[str, Any]:
    return {**GOOD, **fields}


def test_a_result_has_exactly_the_documented_fields() -> None:
    assert judged(GOOD) == {
        "id": "a",
        "candidate": {"status": "ok", "detail": "", "code": "def f(x): return x + x\n"},
        "suites": [
            {
                "tests": [
                    {
                        "source": "assert f(2) == 4", "state": "valid", "predicted": "4", "oracle": "4",
                        "verdict": "passed", "got": "4", "detail": "",
                    },
                    {
                        "source": "assert f(3) == 9", "state": "corrected", "predicted": "6", "oracle": "9",
                        "verdict": "wrong", "got": "6", "detail": "expected 9",
                    },
                ],
                "validity": 0.5,
                "adversity": 0.25,
                "reward": 0.375,
            }
        ],
        "history": [
            {"source": "assert f(3) == 9", "verdict": "wrong"},
            {
                "source": "assert f(3) == 8", "verdict": None,
                "detail": "the reference no longer agrees with this test: it gives 9",
            },
        ],
        "pass_hist": 0.0,
        "reward": 0.25,
        "flags": ["history-dropped", "unfenced"],
    }  # fmt: skip


def test_without_history_the_pass_rate_is_null() -> None:
    record = {name: GOOD[name] for name in ("id", "entry_point", "reference", "candidate", "suites")}
    result = judged(record)
    assert result["history"] == [] and result["pass_hist"] is None


def test_a_candidate_that_does_not_load_has_null_verdicts_and_no_reward() -> None:
    result = judged(changed(candidate="def f(x) return x"))
    assert result["candidate"]["status"] == "syntax" and result["candidate"]["detail"]
    assert [test["verdict"] for test in result["suites"][0]["tests"]] == [None, None]
    assert (result["reward"], result["suites"][0]["reward"]) == (0.0, 0.0)


def test_options_of_a_record_win_over_the_defaults_and_missing_ones_come_from_there() -> None:
    defaults = Defaults(Rules(5, 0.25, Convention.PAPER), 2.0)
    _, rules, seconds = read_record(changed(options={"k": 3}), defaults)
    assert (rules, seconds) == (Rules(3, 0.25, Convention.PAPER), 2.0)
    _, rules, seconds = read_record(changed(options={"alpha": 1, "convention": "release", "call_seconds": 3}), defaults)
    assert (rules, seconds) == (Rules(5, 1.0, Convention.RELEASE), 3.0)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "a JSON object .* an array"),
        ("text", "a JSON object .* the string 'text'"),
        (None, "a JSON object .* null"),
        ({}, "'id' is missing"),
        *[({k: v for k, v in GOOD.items() if k != name}, f"'{name}' is missing") for name in list(GOOD)[:5]],
        (changed(id=None), "'id' is null"),
        (changed(id=True), "'id' is true"),
        (changed(id=1.5), "'id' is the number 1.5"),
        (changed(entry_point=3), "'entry_point' is the number 3; give a string"),
        (changed(entry_point="def"), "'entry_point' is 'def'; give the name"),
        (changed(entry_point="f(x)"), r"'entry_point' is 'f\(x\)'; give the name"),
        (changed(reference=None), "'reference' is null; give a string"),
        (changed(candidate=["def f"]), "'candidate' is an array; give a string"),
        (changed(suites="assert f(1) == 1"), "'suites' is the string .*; give an array of strings"),
        (changed(suites=[["assert"]]), "'suites' is an array with something else than strings"),
        (changed(suites=["x"] * 10_001), "'suites' has 10,001 entries; at most"),
        (changed(history={"a": 1}), "'history' is an object; give an array of strings"),
        (changed(refrence="x"), "field 'refrence' is unknown; did you mean 'reference'"),
        (changed(extra=1), "field 'extra' is unknown; known are id, entry_point"),
        (changed(options=[]), "'options' is an array; give an object"),
        (changed(options={"kay": 1}), "option 'kay' is unknown"),
        (changed(options={"k": "8"}), "option 'k' is the string '8'; give the whole number"),
        (changed(options={"k": 0}), "k is 0"),
        (changed(options={"k": True}), "option 'k' is true"),
        (changed(options={"alpha": 2}), "alpha is 2.0"),
        (changed(options={"alpha": "half"}), "option 'alpha' is the string 'half'; give a number"),
        (changed(options={"alpha": float("nan")}), "option 'alpha' is the number nan"),
        (changed(options={"convention": "papers"}), "convention is 'papers'; use 'paper' or 'release'"),
        (changed(options={"call_seconds": 0}), "call_seconds is 0.0: use a number above 0"),
        (changed(options={"call_seconds": 1e9}), "call_seconds is 1000000000.0"),
        (changed(reference=""), "reference holds no program"),
        (changed(reference="def g(x): return x"), "reference does not define 'f'"),
        (changed(reference="1 / 0\ndef f(x): return x"), "reference does not load .*ZeroDivisionError"),
        (changed(reference="def f(x): return (", suites=[]), "reference"),
    ],
)
def test_bad_input_is_answered_with_what_is_wrong_and_how_to_mend_it(record: object, message: str) -> None:
    result = judged(record)
    assert set(result) == {"id", "error"}
    with pytest.raises(InputError, match=message):
        raise InputError(result["error"])
    expected = record.get("id") if isinstance(record, Mapping) else None
    assert result["id"] == expected or not isinstance(expected, str | int)


def test_a_broken_sandbox_is_no_error_record() -> None:
    with pytest.raises(SandboxUnavailable):
        judge_record(GOOD, Judge(FakeSandbox(broken=True)), Defaults())


class TestLines:
    @pytest.mark.parametrize(
        ("line", "message"),
        [
            (b"{", "not JSON .* at character 1"),
            (b"nope", "not JSON"),
            (b'{"id": "\xff"}', "not UTF-8 .byte 0xff at position 8."),
            ("{}".encode("utf-16"), "byte 0xff at position 0; it looks like UTF-16"),
            (b"\x1f\x8b\x08\x00", "byte 0x8b at position 1; it looks like a gzip file"),
            (b'{"id": "a", "suites": [], "id": "b"}', "field 'id' is given twice"),
            (b'{"id": "a", "options": {"k": 1, "k": 2}}', "field 'k' is given twice"),
            (b"[1]", "a line is a JSON object"),
            (b"null", "this is null"),
            (b"[" * 100_000, "cannot be read as JSON|not JSON"),
            (b'{"id": ' + b"9" * 10_000 + b"}", "cannot be read as JSON"),
        ],
    )
    def test_a_line_that_is_no_record_says_why(self, line: bytes, message: str) -> None:
        error = load(line)
        assert isinstance(error, InputError)
        with pytest.raises(InputError, match=message):
            raise error
        assert judged(error) == {"id": None, "error": str(error)}

    def test_a_byte_order_mark_is_no_obstacle(self) -> None:
        assert load(b'\xef\xbb\xbf{"id": 1}') == {"id": 1}

    def test_every_result_is_one_line_of_utf8_that_reads_back(self) -> None:
        result = {"id": "\u4e09\n", "code": "lone \ud800 and \u2028"}
        line = dump(result)
        assert line.count(b"\n") == 1 and line.endswith(b"\n")
        assert json.loads(line.decode()) == result
        assert "三".encode() in dump({"id": "三"})
