"""The prompts say what they must, and nothing quoted in them can end its own quotation."""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a1kit import prompts
from a1kit.prompts import PromptStyle, code_prompt, quoted
from a1kit.types import Prompt, Question

QUESTION = Question("q", "Return the sum of xs.", "total", "def total(xs):\n    return sum(xs)")
CODE = "def total(xs):\n    return len(xs)"


def said(prompt: Prompt) -> str:
    return prompt if isinstance(prompt, str) else "\n".join(message["content"] for message in prompt)


def test_the_code_prompt_holds_the_question_and_the_name_of_the_function() -> None:
    text = said(code_prompt(QUESTION))
    assert QUESTION.prompt in text and "`total`" in text


def test_the_white_box_prompt_holds_question_candidate_and_number_of_tests() -> None:
    text = said(prompts.test_prompt(QUESTION, CODE, 5))
    assert QUESTION.prompt in text and CODE in text and "exactly 5 tests" in text and "assert total(" in text


def test_the_black_box_prompt_hides_the_candidate() -> None:
    text = said(prompts.test_prompt(QUESTION, None, 5))
    assert CODE not in text and "candidate" not in text.lower()


def test_the_prompt_for_bare_calls_asks_for_no_answer() -> None:
    text = said(prompts.test_prompt(QUESTION, CODE, 5, calls_only=True))
    assert "assert" not in text and "`total(<arguments>)`" in text


def test_the_primed_style_says_the_same_and_begins_the_answer() -> None:
    primed = PromptStyle.PRIMED
    for plain, begun, words in (
        (code_prompt(QUESTION), code_prompt(QUESTION, primed), "```python\ndef total("),
        (
            prompts.test_prompt(QUESTION, CODE, 5),
            prompts.test_prompt(QUESTION, CODE, 5, primed),
            "```python\nassert total(",
        ),
        (
            prompts.test_prompt(QUESTION, CODE, 5, calls_only=True),
            prompts.test_prompt(QUESTION, CODE, 5, primed, calls_only=True),
            "```python\ntotal(",
        ),
    ):
        assert begun == (*plain, {"role": "assistant", "content": words})


def test_earlier_tests_are_shown() -> None:
    assert "assert total([1]) == 1" in said(prompts.test_prompt(QUESTION, CODE, 1, earlier=["assert total([1]) == 1"]))


def test_the_reference_is_never_shown() -> None:
    for prompt in (code_prompt(QUESTION), prompts.test_prompt(QUESTION, CODE, 3)):
        assert "sum(xs)" not in said(prompt)


def test_the_micro_style_is_three_marks_and_hides_the_code_when_black_box() -> None:
    assert code_prompt(QUESTION, PromptStyle.MICRO) == "<q>Return the sum of xs.<c>"
    assert prompts.test_prompt(QUESTION, CODE, 4, PromptStyle.MICRO) == f"<q>Return the sum of xs.<c>{CODE}<t>"
    assert prompts.test_prompt(QUESTION, None, 4, PromptStyle.MICRO) == "<q>Return the sum of xs.<c><t>"


def test_a_mark_inside_micro_code_is_split_without_changing_the_program() -> None:
    code = "def total(xs):\n    return 1<c>2 or 3<t>4"
    prompt = prompts.test_prompt(QUESTION, code, 4, PromptStyle.MICRO)
    assert isinstance(prompt, str)
    assert re.findall("<[qct]>", prompt) == ["<q>", "<c>", "<t>"]
    shown = prompt.split("<c>")[1].removesuffix("<t>")
    assert ast.dump(ast.parse(shown)) == ast.dump(ast.parse(code))


@given(st.text(alphabet="`~a\n ", max_size=40))
def test_whatever_is_quoted_cannot_close_its_own_fence(text: str) -> None:
    lines = quoted(text, "python").split("\n")
    fence = lines[0].removesuffix("python")
    assert lines[-1] == fence
    assert all(fence not in line for line in lines[1:-1])


@pytest.mark.parametrize("code", ["", "```", "x = '''\n```python\n'''"])
def test_a_candidate_with_fences_stays_whole_in_the_prompt(code: str) -> None:
    text = said(prompts.test_prompt(QUESTION, code, 3))
    assert quoted(code, "python") in text
