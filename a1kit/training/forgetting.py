"""Forgetting: do the present programs of the Code LLM fail tests that its earlier ones failed, then passed?

At an evaluation, some candidates a training question are written anew and run against the tests that candidates of this
question have failed in the run so far. That is asked of every variant in the same way, whether or not it has a Mistake
Book, and nothing of it is rewarded or remembered.

    old failures passed   mean over questions of the pass rate on such tests
    mastered              a test that all of a question's candidates passed at an evaluation
    refailed              share of (test, candidate) pairs that fail now, of tests mastered at an earlier evaluation
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from a1kit.duel import Judge, Pairing
from a1kit.policies.protocol import Policy, Sampling
from a1kit.prompts import PromptStyle, code_prompt
from a1kit.store.queries import RunView
from a1kit.types import Load, Question

TESTS = 16
"""Tests a question at most: those failed most often, then the oldest."""

_FAILED = f"""
    SELECT question, source FROM (
        SELECT question, source, row_number() OVER (
            PARTITION BY question ORDER BY count(*) DESC, min(verdicts.step), source
        ) AS place
        FROM verdicts JOIN duels USING (step, question, candidate)
        WHERE origin = 'new' AND outcome <> 'passed' AND duels.load = '{Load.OK.value}'
        GROUP BY question, source
    ) WHERE place <= {TESTS} ORDER BY question, place
"""

Passes = Mapping[str, Mapping[str, int]]
"""Question -> test -> how many of its candidates passed it."""


def failed_so_far(folder: Path) -> dict[str, tuple[str, ...]]:
    """Question -> tests that some candidate of it failed, as far as the steps of the run are written down."""
    with RunView(folder) as run:
        rows = run.query(_FAILED, limit=1_000_000, seconds=600).rows
    found: dict[str, tuple[str, ...]] = {}
    for question, source in rows:
        found[question] = (*found.get(question, ()), source)
    return found


def look_back(
    folder: Path,
    code: Policy,
    judge: Judge,
    questions: Sequence[Question],
    *,
    candidates: int,
    seed: int,
    sampling: Sampling,
    style: PromptStyle,
) -> Passes:
    """How present candidates fare on the old failures of `questions`. One that does not load passes none."""
    failed = failed_so_far(folder)
    asked = [question for question in questions if question.id in failed]
    written = code.sample(
        [code_prompt(question, style) for question in asked], candidates, seed=seed, sampling=sampling
    )
    pairings = [
        Pairing(question, completion, (), failed[question.id])
        for question, group in zip(asked, written, strict=True)
        for completion in group
    ]
    passes: dict[str, dict[str, int]] = {question.id: dict.fromkeys(failed[question.id], 0) for question in asked}
    for duel in judge.play(pairings):
        for source, played in zip(failed[duel.question.id], duel.history, strict=duel.load is Load.OK):
            passes[duel.question.id][source] += played.passed
    return passes


def forgetting(passes: Passes, earlier: Iterable[Passes], candidates: int) -> dict[str, float]:
    """The two numbers of the metrics row; what does not exist yet is left out."""
    numbers: dict[str, float] = {}
    rates = [statistics.fmean(count / candidates for count in tests.values()) for tests in passes.values() if tests]
    if rates:
        numbers["eval/old_failures_passed"] = statistics.fmean(rates)
    mastered = {
        (question, source)
        for before in earlier
        for question, tests in before.items()
        for source, count in tests.items()
        if count == candidates
    }
    again = [passes[question][source] for question, source in mastered if source in passes.get(question, {})]
    if again:
        numbers["eval/refailed"] = statistics.fmean(1 - count / candidates for count in again)
    return numbers
