"""What a model is asked, and how the program is found in what it writes. Numbers of two modes do not compare.

    a1-paper            a conversation that asks for a ```python block; the data file's own wording where it brings one
                        (that of the Code-A1 authors), else `a1kit.prompts`; the program is found by `a1kit.parsing`
    a1-primed           the kit's own wording with the answer begun, for small models
    evalplus-official   the protocol of `evalplus.codegen` and `evalplus.sanitize`: a chat model gets its instruction
                        and the beginning of an answer to go on with, a model without a chat template the bare prompt
    micro               the marks that the micro models were trained on, which know nothing else

The two sentences of evalplus' protocol are given to the letter, for without them the mode would not be official; a test
compares them with the package. Its sanitizer is called from the package, which must be installed for this mode.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from a1kit.errors import InputError, MissingDependency
from a1kit.parsing import parse_code
from a1kit.prompts import PromptStyle, code_prompt
from a1kit.types import Prompt, Question


class Mode(StrEnum):
    """Prompt and extraction."""

    A1_PAPER = "a1-paper"
    PRIMED = "a1-primed"
    EVALPLUS = "evalplus-official"
    MICRO = "micro"


@dataclass(frozen=True, slots=True)
class Ask:
    """One question as a model is asked it.

    stop    strings that end a completion
    prefix  what stands in front of the completion when the program is looked for: the prompt, for a model that goes on
            with it instead of answering
    """

    prompt: Prompt
    stop: tuple[str, ...] = ()
    prefix: str = ""


INSTRUCTION = (
    "Please provide a self-contained Python script that solves the following problem in a markdown code block:"
)
RESPONSE = (
    "Below is a Python script with a self-contained function that solves the problem and passes corresponding tests:"
)
"""Of evalplus' `run_codegen`."""

_CUT = "-a1kit-cuts-the-prompt-here-"


def ask(question: Question, mode: Mode, tokenizer: Any = None) -> Ask:
    """The prompt of `question`. `tokenizer` (transformers') renders evalplus' chats; without one they stay messages."""
    if mode is Mode.MICRO:
        return Ask(code_prompt(question, PromptStyle.MICRO))
    if mode is Mode.PRIMED:
        return Ask(code_prompt(question, PromptStyle.PRIMED))
    if mode is Mode.A1_PAPER:
        own = _messages(question.meta.get("prompt"))
        return Ask(own if own is not None else code_prompt(question))
    return _evalplus_ask(question, tokenizer)


def extract(text: str, question: Question, mode: Mode, prefix: str = "") -> str:
    """The program in a completion; "" when there is none. Raises MissingDependency without evalplus in its mode."""
    if mode is not Mode.EVALPLUS:
        return parse_code(text, question.entry_point).code
    sanitize = _evalplus("sanitize").sanitize
    return str(sanitize(prefix + text, entrypoint=question.entry_point))


def _messages(value: Any) -> Prompt | None:
    """The conversation a data file brings, if it is one."""
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        return None
    for message in value:
        if not isinstance(message, Mapping) or not {"role", "content"} <= set(message):
            return None
    return tuple({"role": str(message["role"]), "content": str(message["content"])} for message in value)


def _evalplus_ask(question: Question, tokenizer: Any) -> Ask:
    utility = _evalplus("provider.utility")
    task = _task(question).strip() + "\n"
    stop = tuple(utility.EOS)
    if tokenizer is not None and tokenizer.chat_template is None:
        family = "mbpp" if _is_mbpp(question) else "humaneval"
        return Ask(task, (*stop, *utility.extra_eos_for_direct_completion(family)), task)
    asked = f"{INSTRUCTION}\n```\n{task.strip()}\n```\n"
    if tokenizer is None:
        return Ask(({"role": "user", "content": asked},), (*stop, "\n```\n"))
    begun = f"{RESPONSE}\n```python\n{_CUT}\n```\n"
    turns = [{"role": "user", "content": asked}, {"role": "assistant", "content": begun}]
    rendered = str(tokenizer.apply_chat_template(turns, tokenize=False))
    return Ask(rendered.split(_CUT)[0], (*stop, "\n```\n"))


def _task(question: Question) -> str:
    """The prompt as evalplus' own data has it: for MBPP+ a text in triple quotes with the first assertion."""
    description = question.meta.get("description")
    if question.meta.get("data_source") == "mbppplus" and isinstance(description, str):
        return f'"""\n{description.strip()}\n"""\n'
    if _is_mbpp(question) and question.golden and "def " not in question.prompt:
        return f'"""\n{question.prompt.strip()}\n{question.golden[0].splitlines()[-1]}\n"""\n'
    return question.prompt


def _is_mbpp(question: Question) -> bool:
    return question.id.lower().startswith("mbpp/")


def _evalplus(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f"evalplus.{module}")
    except ImportError as error:
        raise MissingDependency(
            f"the mode {Mode.EVALPLUS.value!r} needs the package evalplus ({error}): pip install evalplus"
        ) from None


def mode_of(name: str) -> Mode:
    """The mode of that name."""
    try:
        return Mode(name)
    except ValueError:
        raise InputError(f"no mode {name!r}; there are: {', '.join(Mode)}.") from None
