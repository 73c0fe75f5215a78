"""Odd but honest completions: what models write besides a clean fence, and the one right reading of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from a1kit.parsing import parse_assertion, parse_code, parse_tests

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "parsing_odd.json").read_text(encoding="utf-8"))


def named(rows: list[dict[str, Any]]) -> Any:
    return pytest.mark.parametrize("row", rows, ids=[row["name"] for row in rows])


@named(GOLDEN["code"])
def test_an_odd_completion_gives_a_program_that_computes_the_right_value(row: dict[str, Any]) -> None:
    parsed = parse_code(row["text"], row["entry_point"])
    assert parsed.reason is None
    if row["value"] == "SYNTAX":
        assert "syntax" in parsed.flags
        return
    namespace: dict[str, Any] = {}
    exec(compile(parsed.code, "<program>", "exec", dont_inherit=True), namespace)
    assert namespace[row["entry_point"]](*row["arguments"]) == row["value"]


@named(GOLDEN["tests"])
def test_an_odd_completion_gives_its_assertions_and_nothing_else(row: dict[str, Any]) -> None:
    cases = parse_tests(row["text"], "f")
    assert [None if case.malformed else list(case.calls) for case in cases] == row["calls"]
    assert [None if case.malformed else case.predicted for case in cases] == row["asserted"]
    for case in cases:
        if case.malformed is None:
            assert parse_assertion(case.source, "f") == case


@pytest.mark.parametrize(
    "line", ["text = a.split('<|endoftext|>')", "x = '```'", "# the fence is ```", "'''\n~~~\n'''", "x = '\u00a0'"]
)
def test_marks_inside_a_program_are_part_of_it(line: str) -> None:
    text = f"Here:\n```python\ndef f(a):\n    return a\n\n\n{line}\n```\n"
    assert line in parse_code(text, "f").code


def test_a_solution_shown_in_a_fence_of_its_own_is_no_part_of_the_tests() -> None:
    shown = "```python\ndef f(x):\n    return x + 1\n```\n```python\nassert f(1) == 2\n```"
    (case,) = parse_tests(shown, "f")
    assert (case.malformed, case.setup) == (None, "")
    (mixed,) = parse_tests("```python\ndef f(x):\n    return x + 1\nassert f(1) == 2\n```", "f")
    assert "defines f itself" in (mixed.malformed or "")
