"""What a model is asked in each mode, and which program is found in its answer."""

from __future__ import annotations

from typing import Any

import pytest

from a1kit.errors import InputError
from a1kit.evaluation.modes import INSTRUCTION, RESPONSE, Mode, ask, extract, mode_of
from a1kit.policies.scripted import prompt_text
from a1kit.prompts import code_prompt
from a1kit.types import Question

STUB = 'def f(x):\n    """Twice x."""\n'
QUESTION = Question("HumanEval/0", STUB, "f", f"{STUB}    return 2 * x\n")
MBPP = Question(
    "MBPP/9", "def g(s):\n    ...", "g", "def g(s): return s",
    meta={"data_source": "mbppplus", "description": "Return s.\nassert g(1) == 1"},
)  # fmt: skip


class Tokenizer:
    """Renders a chat as `[role]content`, one turn after the other."""

    chat_template: str | None = "chat"

    def apply_chat_template(self, turns: list[dict[str, Any]], tokenize: bool) -> str:
        assert not tokenize
        return "".join(f"[{turn['role']}]{turn['content']}" for turn in turns)


class Plain(Tokenizer):
    chat_template = None


def test_the_conversation_of_the_data_file_is_used_where_there_is_one() -> None:
    own = [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]
    question = Question("q", "text", "f", "def f(): 1", meta={"prompt": own})
    assert ask(question, Mode.A1_PAPER).prompt == tuple(own)
    assert ask(QUESTION, Mode.A1_PAPER).prompt == code_prompt(QUESTION)


def test_a_primed_prompt_begins_the_answer_and_the_program_is_found_in_what_goes_on() -> None:
    prompt = ask(QUESTION, Mode.PRIMED).prompt
    assert not isinstance(prompt, str) and prompt[-1]["role"] == "assistant"
    begun = prompt[-1]["content"]
    assert begun == f"```python\ndef {QUESTION.entry_point}("
    code = extract(begun + "x):\n    return 2 * x\n```\nDone.", QUESTION, Mode.PRIMED)
    assert code.strip() == f"def {QUESTION.entry_point}(x):\n    return 2 * x"


def test_the_micro_mode_asks_with_marks() -> None:
    assert ask(QUESTION, Mode.MICRO).prompt == f"<q>{STUB}<c>"


def test_a_chat_model_gets_evalplus_instruction_and_the_beginning_of_an_answer() -> None:
    pytest.importorskip("evalplus")
    asked = ask(QUESTION, Mode.EVALPLUS, Tokenizer())
    assert asked.prompt == f"[user]{INSTRUCTION}\n```\n{STUB.strip()}\n```\n[assistant]{RESPONSE}\n```python\n"
    assert "\n```\n" in asked.stop
    assert asked.prefix == ""


def test_a_model_without_a_chat_template_goes_on_with_the_bare_prompt() -> None:
    pytest.importorskip("evalplus")
    asked = ask(QUESTION, Mode.EVALPLUS, Plain())
    assert asked.prompt == asked.prefix == STUB
    assert "\ndef " in asked.stop
    assert extract("    return 2 * x\n", QUESTION, Mode.EVALPLUS, asked.prefix).endswith("return 2 * x")


def test_mbpp_is_asked_by_its_text_and_first_assertion() -> None:
    pytest.importorskip("evalplus")
    assert '"""\nReturn s.\nassert g(1) == 1\n"""' in prompt_text(ask(MBPP, Mode.EVALPLUS).prompt)


def test_the_official_extraction_is_that_of_the_package() -> None:
    sanitize = pytest.importorskip("evalplus.sanitize").sanitize
    text = (
        "Sure.\n```python\nimport math\n\ndef other():\n    return 1\n\ndef f(x):\n    return 2 * x\n```\nprint(f(1))"
    )
    assert extract(text, QUESTION, Mode.EVALPLUS) == sanitize(text, entrypoint="f")
    assert "def f" in extract(text, QUESTION, Mode.A1_PAPER)


def test_an_unknown_mode_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match="there are: a1-paper, a1-primed, evalplus-official, micro"):
        mode_of("paper")
