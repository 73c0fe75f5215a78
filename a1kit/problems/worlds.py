"""What the micro worlds know of their questions beyond what a question says: wrong programs, and kinds of faults.

A world is asked by the first part of a question's id (`micro/…`, `micro-traps/…`); questions of other sets have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from a1kit.types import Question


@dataclass(frozen=True, slots=True)
class Buggy:
    """A program with one wrong part that the golden tests expose; `bug` names it: `filter:positive:keeps-zero`."""

    question: Question
    bug: str
    code: str


def wrong_programs(questions: Sequence[Question]) -> Iterator[Buggy]:
    """Programs known to be wrong for these questions: those a problem set brings along in `meta["bugs"]`, and those the
    micro worlds make."""
    for question in questions:
        for bug in question.meta.get("bugs", ()):
            yield Buggy(question, bug.name, bug.source)
    ids = {question.id for question in questions}
    if any(_world(question) == "micro" for question in questions):
        from a1kit.problems import micro

        yield from (buggy for buggy in micro.kill_set() if buggy.question.id in ids)
    splits = {question.meta["split"] for question in questions if _world(question) == "micro-traps"}
    for split in sorted(splits):
        from a1kit.problems import micro_traps

        yield from (buggy for buggy in micro_traps.kill_set(split) if buggy.question.id in ids)


def fault_names(questions: Sequence[Question]) -> tuple[str, ...]:
    """The kinds of faults that `faults_of` tells apart for these questions; none outside the traps world."""
    if any(_world(question) == "micro-traps" for question in questions):
        from a1kit.problems import micro_traps

        return micro_traps.FAULTS
    return ()


def faults_of(question: Question, code: str) -> frozenset[str]:
    """The faults a program for this question shows in its text; empty when its world does not say."""
    if _world(question) != "micro-traps":
        return frozenset()
    from a1kit.problems import micro_traps

    return micro_traps.faults_of(question, code) or frozenset()


def _world(question: Question) -> str:
    return question.id.partition("/")[0]
