"""What the Play and Attacks views share on the server: one sandbox, the opponents' corner, the arena, and the limits.

Everything is made when it is first needed, so that a server where nobody plays costs nothing. Programs that a browser
sends run in `LocalSandbox` only; on a machine where nothing would contain them it does not start, and the page says so.
"""

from __future__ import annotations

import keyword
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import gradio as gr

from a1kit.duel import Judge, Pairing
from a1kit.errors import InputError
from a1kit.rewards import Rules
from a1kit.sandbox import LocalSandbox
from a1kit.types import Completion, Duel, Question
from a1kit_app.opponents import Corner
from a1kit_app.runs import Shelf
from a1kit_app.side_process import SideProcess
from a1kit_app.turnstile import Turnstile

K = 4
"""Tests that are asked for in a suite."""

RULES = Rules(k=K)

LONGEST_QUESTION = 4_000
LONGEST_PROGRAM = 20_000
LONGEST_NAME = 100

CONCURRENCY = {"concurrency_id": "sandbox", "concurrency_limit": 2}
"""How many of the page's events may use the sandbox at once; the others queue."""


class Playroom:
    """One a server. `close` ends its processes."""

    def __init__(self, shelf: Shelf) -> None:
        self.corner = Corner(shelf)
        self.arena = SideProcess("a1kit_app.arena", idle_seconds=30.0)
        self._pages = Turnstile(at_once=1, a_minute=20)
        self._addresses = Turnstile(at_once=40, a_minute=400)
        self._opening = threading.Lock()
        self._judge: Judge | None = None
        self._sandbox: LocalSandbox | None = None

    @contextmanager
    def admit(self, request: gr.Request) -> Iterator[None]:
        """Let the sender of a request use the sandbox. Raises `Busy` when it has to wait."""
        address = request.client.host if request.client else ""
        with self._addresses.through(address), self._pages.through(request.session_hash or address):
            yield

    def duel(self, question: Question, candidate: str, suites: Sequence[str]) -> Duel:
        """Judge one candidate against some suites. What was judged before is remembered, so that growing `suites` by
        one costs one."""
        pairing = Pairing(question, Completion(candidate), tuple(Completion(text) for text in suites))
        (duel,) = self._referee().judge([pairing])
        return duel

    def golden(self, question: Question, candidate: str) -> Duel:
        """The candidate against the question's own tests, as its history."""
        (duel,) = self._referee().play_golden([(question, Completion(candidate))])
        return duel

    def close(self) -> None:
        self.corner.close()
        self.arena.close()
        if self._sandbox is not None:
            self._sandbox.close()

    def _referee(self) -> Judge:
        with self._opening:
            if self._judge is None:
                self._sandbox = LocalSandbox()
                self._judge = Judge(self._sandbox, RULES, program_seconds=5.0, cache_mb=32)
            return self._judge


def checked_program(text: str | None, what: str) -> str:
    """A pasted program. Raises `InputError` when there is none or it is too long."""
    if not text or not text.strip():
        raise InputError(f"{what} is empty; write it first.")
    if len(text) > LONGEST_PROGRAM:
        raise InputError(f"{what} has {len(text):,} characters; at most {LONGEST_PROGRAM:,} are judged here.")
    return text


def pasted_question(text: str | None, name: str | None, reference: str | None) -> Question:
    """A question that somebody brought along. Raises `InputError` for what is missing, too long or no name."""
    if not text or not text.strip():
        raise InputError("the question is empty; paste its text first.")
    if len(text) > LONGEST_QUESTION:
        raise InputError(f"the question has {len(text):,} characters; at most {LONGEST_QUESTION:,} are taken here.")
    name = (name or "").strip()
    if not name.isidentifier() or keyword.iskeyword(name) or len(name) > LONGEST_NAME:
        raise InputError(f"the function's name is {name[:LONGEST_NAME]!r}; give one Python name, as in `median`.")
    return Question("pasted", text, name, checked_program(reference, "the reference solution"))
