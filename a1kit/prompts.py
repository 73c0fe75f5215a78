"""The words put before the models: one prompt for the Code LLM, a family of prompts for the Test LLM (Paper §3.2).

| | Code LLM | Test LLM |
|---|---|---|
| white-box | question | question, candidate, how many tests |
| black-box (`code=None`) | | question, how many tests |
| `calls_only` ("no predicted answer") | | asks for bare calls; the oracle fills in every answer |
| `earlier` (test generation, one a round) | | shows the tests of the rounds before |

Two styles. `a1` is a conversation in plain English for instruction-tuned models; its wording is ours, its content the
paper's. `micro` is what the micro models are trained on, three marks and nothing else:

    <q>{question}<c>             -> code            <q>{question}<c>{code}<t>   -> tests (black-box: no code)

Questions and candidates are quoted, never trusted: a fence inside one is enclosed by a longer fence, and a mark of the
micro style inside one is split by a space, so neither can end its own quotation. (Control tokens of a chat template are
neutralised where text becomes tokens, in `a1kit.policies`.) Not handled: a question that *asks* the model to ignore the
instructions; the judge does not care what a completion says, only what its tests do.
"""

# ruff: noqa: PT028  (test_prompt is no test)

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from a1kit.types import Message, Prompt, Question


class PromptStyle(StrEnum):
    """How prompts are worded."""

    A1 = "a1"
    PRIMED = "a1-primed"
    """As `a1`, with the answer begun. Pretrained models of a few hundred million parameters seldom keep to a form that
    is only described; begun, they go on with it."""
    MICRO = "micro"


_CODE_SYSTEM = "You write Python functions that are correct on every input, edge cases included."
_TEST_SYSTEM = "You write tests that break Python functions. A test of yours is right, short and aimed at a weak spot."


def code_prompt(question: Question, style: PromptStyle = PromptStyle.A1) -> Prompt:
    """Asks for a candidate solution of `question`."""
    if style is PromptStyle.MICRO:
        return f"<q>{_unmarked(question.prompt)}<c>"
    request = (
        f"Solve this task with a Python function named `{question.entry_point}`.\n\n"
        f"{quoted(question.prompt)}\n\n"
        "Think about empty, smallest, largest, repeated and negative inputs before you write. Answer with one complete "
        "```python block that holds the function and everything it needs: imports, helpers, no example calls, no "
        "tests, nothing printed."
    )
    begun = f"```python\ndef {question.entry_point}(" if style is PromptStyle.PRIMED else ""
    return _conversation(_CODE_SYSTEM, request, begun)


def test_prompt(
    question: Question,
    code: str | None,
    k: int,
    style: PromptStyle = PromptStyle.A1,
    *,
    calls_only: bool = False,
    earlier: Sequence[str] = (),
) -> Prompt:
    """Asks for `k` tests of `question`, aimed at the candidate `code`; `code=None` is the black-box prompt.

    `calls_only` and `earlier` change nothing in the micro style, whose models know one prompt only.
    """
    if style is PromptStyle.MICRO:
        return f"<q>{_unmarked(question.prompt)}<c>{_unmarked(code or '')}<t>"
    parts = [f"The task, to be solved by a Python function named `{question.entry_point}`:", quoted(question.prompt)]
    if code is not None:
        parts += ["A candidate solution, which may be wrong:", quoted(code, "python")]
    if earlier:
        parts += ["Tests that exist already; do not repeat their inputs:", quoted("\n".join(earlier), "python")]
    parts.append(_test_request(question.entry_point, k, calls_only, sighted=code is not None))
    statement = "" if calls_only else "assert "
    begun = f"```python\n{statement}{question.entry_point}(" if style is PromptStyle.PRIMED else ""
    return _conversation(_TEST_SYSTEM, "\n\n".join(parts), begun)


# pytest collects functions by name, and this one is imported into test modules.
test_prompt.__test__ = False  # type: ignore[attr-defined]


def quoted(text: str, language: str = "") -> str:
    """`text` in a Markdown fence longer than any run of backticks it contains."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.strip(chr(10))}\n{fence}"


def _test_request(entry_point: str, k: int, calls_only: bool, *, sighted: bool) -> str:
    many = "one test" if k == 1 else f"exactly {k} tests, each with a different input"
    aim = (
        "Read the candidate, find inputs on which it would go wrong, and write"
        if sighted
        else "Think of inputs on which a hasty solution would go wrong, and write"
    )
    if calls_only:
        form = f"`{entry_point}(<arguments>)`, a bare call without the answer"
    else:
        form = f"`assert {entry_point}(<arguments>) == <answer>`, where the answer is what a *correct* solution returns"
    return (
        f"{aim} {many}. Every test is one line of the form {form}. Arguments are written out as literals. "
        "Answer with one ```python block that holds the tests and nothing else."
    )


def _conversation(system: str, request: str, begun: str) -> tuple[Message, ...]:
    asked: tuple[Message, ...] = ({"role": "system", "content": system}, {"role": "user", "content": request})
    return (*asked, {"role": "assistant", "content": begun}) if begun else asked


def _unmarked(text: str) -> str:
    """`a<c>d` becomes `a< c>d`: the same Python, and no longer a mark."""
    return re.sub(r"<(?=[qct]>)", "< ", text)
