"""A recorded duel, told step by step for the front of a room: write, attack, validate, play, score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from a1kit.errors import A1KitError
from a1kit.types import Duel
from a1kit_app import render, render_play
from a1kit_app.runs import NO_RUN, Shelf


@dataclass(frozen=True)
class Scene:
    """Which duel is told, and how far."""

    run: str = ""
    step: int = -1
    question: str = ""
    candidate: int = 0
    stage: int = 0


def build(shelf: Shelf) -> tuple[gr.State, list[Any]]:
    """Lay the view out inside the current Blocks and connect it; the scene and what `show` fills."""
    scene = gr.State(Scene())
    with gr.Row():
        run = gr.Dropdown(label="run", choices=[], min_width=140)
        step = gr.Dropdown(label="step", choices=[], min_width=90)
        question = gr.Dropdown(label="question", choices=[], min_width=160)
        candidate = gr.Dropdown(label="candidate", choices=[], min_width=90)
    with gr.Row():
        back = gr.Button("Stage back", min_width=100)
        forward = gr.Button("Next stage", variant="primary", min_width=100)
        another = gr.Button("Next duel", min_width=100)
    told = gr.HTML(render.note(NO_RUN))
    outputs = [scene, run, step, question, candidate, told]
    quiet = {"show_progress": "hidden"}

    run.input(lambda at, name: show(shelf, Scene(run=name or "")), [scene, run], outputs, **quiet)
    step.input(lambda at, number: show(shelf, Scene(run=at.run, step=int(number))), [scene, step], outputs, **quiet)
    question.input(lambda at, name: show(shelf, Scene(at.run, at.step, name)), [scene, question], outputs, **quiet)
    candidate.input(
        lambda at, number: show(shelf, replace(at, candidate=int(number), stage=0)),
        [scene, candidate],
        outputs,
        **quiet,
    )
    back.click(lambda at: show(shelf, replace(at, stage=at.stage - 1)), scene, outputs, **quiet)
    forward.click(lambda at: show(shelf, replace(at, stage=at.stage + 1)), scene, outputs, **quiet)
    another.click(lambda at: show(shelf, next_duel(shelf, at)), scene, outputs, **quiet)
    return scene, outputs


def show(shelf: Shelf, at: Scene) -> list[Any]:
    """Values for what `build` returned. What is not there falls back to the newest; errors are told in place."""
    names = shelf.names()
    if at.run not in names:
        at = Scene(run=names[0] if names else "")
    runs = gr.update(choices=names, value=at.run or None)
    if not names:
        return _blank(at, runs, NO_RUN)
    try:
        steps = shelf.steps(at.run)
        if not steps:
            return _blank(at, runs, "This run has not finished a step yet. Come back when it has.")
        at = replace(at, step=at.step if at.step in steps else steps[-1])
        questions = shelf.questions(at.run, at.step)
        if at.question not in questions:
            at = replace(at, question=_telling(shelf, at, questions))
        rivals = _rivals(shelf, at, at.question)
        rules = shelf.rules(at.run)
    except A1KitError as error:
        return _blank(at, runs, str(error))
    at = replace(
        at,
        candidate=min(max(at.candidate, 0), len(rivals) - 1),
        stage=min(max(at.stage, 0), len(render_play.STAGES) - 1),
    )
    return [
        at,
        runs,
        gr.update(choices=[str(number) for number in steps], value=str(at.step)),
        gr.update(choices=questions, value=at.question),
        gr.update(choices=[str(number) for number in range(len(rivals))], value=str(at.candidate)),
        render_play.stage(rivals[at.candidate], at.stage, rules),
    ]


def next_duel(shelf: Shelf, at: Scene) -> Scene:
    """The first stage of the next candidate, question or step."""
    try:
        questions = shelf.questions(at.run, at.step)
        steps = shelf.steps(at.run)
        if at.question in questions:
            if at.candidate + 1 < len(_rivals(shelf, at, at.question)):
                return Scene(at.run, at.step, at.question, at.candidate + 1)
            questions = questions[questions.index(at.question) + 1 :]
        if questions:
            return Scene(at.run, at.step, questions[0])
        later = [step for step in steps if step > at.step]
        step = later[0] if later else steps[0]
        return Scene(at.run, step, shelf.questions(at.run, step)[0])
    except A1KitError:
        return at


SEARCHED = 8
"""Questions of a step that are read to find one worth telling; a step may have hundreds."""


def _telling(shelf: Shelf, at: Scene, questions: Sequence[str]) -> str:
    """The question, of the first few, whose duels have most to tell: tests that failed beside tests that passed."""

    def mixed(duel: Duel) -> int:
        tests = [test.passed for suite in duel.suites for test in suite.kept]
        return min(sum(tests), len(tests) - sum(tests))

    return max(questions[:SEARCHED], key=lambda name: max(map(mixed, _rivals(shelf, at, name))))


def _rivals(shelf: Shelf, at: Scene, question: str) -> tuple[Duel, ...]:
    """The duels of one question, read alone."""
    return shelf.step(at.run, at.step, question).record.duels


def _blank(at: Scene, runs: Any, sentence: str) -> list[Any]:
    return [at, runs, *[gr.update(choices=[], value=None)] * 3, render.note(sentence)]
