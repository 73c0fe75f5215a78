"""What the inspector shows: escaped, readable, and with the numbers of the duel."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a1kit.rewards import Rules
from a1kit.types import (
    Completion,
    Duel,
    JudgedTest,
    Load,
    Outcome,
    Question,
    State,
    Suite,
    TestCase,
    Verdict,
)

render = pytest.importorskip("a1kit_app.render", reason="needs the extra `app`")

NASTY = "<script>alert(1)</script>\x1b[31mred\u202egnp.exe\x00 ${1+1} {{value}} `x` \"'&"


def judged(source: str, outcome: Outcome, got: str = "1") -> JudgedTest:
    return JudgedTest(TestCase(source, source), State.VALID, source, "2", "2", Verdict(outcome, got, "expected 2"))


def duel(text: str = "def f(x): return 1", history: tuple[JudgedTest, ...] = ()) -> Duel:
    tests = (judged("assert f(1) == 2", Outcome.WRONG), judged("assert f(0) == 1", Outcome.PASSED))
    return Duel(
        Question("q", "Add one.", "f", "def f(x): return x + 1"),
        Completion(text),
        text,
        Load.OK,
        suites=(Suite(Completion("…"), tests, 1.0, 0.5, 0.75),),
        history=history,
        pass_hist=1.0 if history else None,
        reward=0.5,
    )


def active(markup: str) -> list[str]:
    """Tags in the markup that a browser would act on."""
    return re.findall(r"<\s*(script|img|iframe|svg|a)\b", markup)


@pytest.mark.parametrize(
    "markup",
    [
        render.code(NASTY, NASTY),
        render.note(NASTY, "bad"),
        render.difference(NASTY, NASTY + "!", ("a", "b")),
        render.candidate(duel(NASTY)),
        render.question(Question("q", NASTY, NASTY, "")),
        render.test_story(judged(NASTY, Outcome.WRONG, NASTY)),
        render.replay_table([judged(NASTY, Outcome.RAISED, NASTY)]),
        render.tiles([(NASTY, NASTY)]),
    ],
)
def test_hostile_text_is_shown_as_text(markup: str) -> None:
    assert not active(markup)
    assert not set("\x1b\u202e\x00") & set(markup)
    assert "${" not in markup
    assert "{{" not in markup


def test_marks_that_reorder_text_are_named() -> None:
    assert render.visible("a\u202eb") == "a⟦RIGHT-TO-LEFT OVERRIDE⟧b"
    assert render.visible("\x1b[0m") == "⟦U+001B⟧[0m"


@given(st.text(max_size=300))
def test_any_text_leaves_no_markup_and_no_control_characters(text: str) -> None:
    shown = render.escape(text)
    assert not set(shown) & set("<>\"'{}$`")
    assert not [c for c in shown if ord(c) < 32 and c not in "\t\n"]


def test_a_megabyte_line_is_cut_and_counted() -> None:
    shown = render.visible("x" * 1_000_000)
    assert len(shown) < 1_000
    assert "980,000 more characters" in shown


def test_the_grid_names_every_test_for_a_screen_reader() -> None:
    markup = render.verdict_grid(duel())
    assert 'aria-label="suite 1, test 1: wrong answer (valid). assert f(1) == 2"' in markup
    assert 'aria-label="suite 1, test 2: passed (valid). assert f(0) == 1"' in markup


def test_the_formula_shows_the_numbers_of_the_duel() -> None:
    markup = render.rewards(duel(), Rules(k=2))
    assert "0.750 = 0.5 · validity 1.000 + 0.5 · adversity 0.500" in markup
    assert "Code LLM</b> 0.500" in markup


def test_a_candidate_that_does_not_load_says_why_all_is_zero() -> None:
    broken = Duel(Question("q", "", "f", ""), Completion("def"), "def", Load.SYNTAX, "invalid syntax (line 1)")
    assert "invalid syntax (line 1)" in render.rewards(broken, Rules(k=2))
