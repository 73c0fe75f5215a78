"""The duel view: one candidate, all that attacked it, every verdict openable, both rewards with their numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from a1kit.errors import A1KitError
from a1kit.types import Duel
from a1kit_app import render
from a1kit_app.runs import NO_RUN, Shelf

NO_STEP = "This run has not finished a step yet. The page fills in when it does."

_CLICK = """
element.addEventListener('click', (event) => {
  const cell = event.target.closest('button[data-suite]');
  if (cell) trigger('click', {suite: Number(cell.dataset.suite), test: Number(cell.dataset.test)});
});
"""


@dataclass(frozen=True)
class Place:
    """What the page shows: a run, a step, a question of it, one of its candidates, and the test that is open."""

    run: str = ""
    step: int = -1
    question: str = ""
    candidate: int = 0
    test: tuple[int, int] | None = None


@dataclass(frozen=True)
class Parts:
    """The components of the view, in the order in which `show` fills them."""

    place: gr.State
    run: gr.Dropdown
    step: gr.Dropdown
    question: gr.Dropdown
    candidate: gr.Dropdown
    text: gr.HTML
    reference: gr.HTML
    code: gr.HTML
    grid: gr.HTML
    story: gr.HTML
    rewards: gr.HTML
    replay: gr.HTML
    rivals: gr.HTML
    before: gr.HTML

    def outputs(self) -> list[Any]:
        return [getattr(self, name) for name in self.__dataclass_fields__]


def build(shelf: Shelf) -> Parts:
    """Lay the view out inside the current Blocks and connect it."""
    place = gr.State(Place())
    with gr.Row():
        run = gr.Dropdown(label="run", choices=[], min_width=140)
        step = gr.Dropdown(label="step", choices=[], min_width=90)
        question = gr.Dropdown(label="question", choices=[], min_width=140)
        candidate = gr.Dropdown(label="candidate", choices=[], min_width=90)
    with gr.Row():
        moves = {
            (name, by): gr.Button(f"{'←' if by < 0 else '→'} {name}", size="sm", min_width=90)
            for name in ("step", "question", "candidate")
            for by in (-1, 1)
        }
    text = gr.HTML()
    with gr.Row():
        with gr.Column(min_width=320):
            gr.Markdown("### Candidate")
            code = gr.HTML()
            with gr.Accordion("Reference", open=False):
                reference = gr.HTML()
        with gr.Column(min_width=320):
            gr.Markdown("### Suites")
            grid = gr.HTML(js_on_load=_CLICK)
            story = gr.HTML()
    with gr.Accordion("Rewards, written out", open=True):
        rewards = gr.HTML()
    with gr.Accordion("Replayed tests", open=False):
        replay = gr.HTML()
    with gr.Accordion("The other candidates of this question, and what TopVar chose", open=False):
        rivals = gr.HTML()
    with gr.Accordion("What changed since this question was last asked", open=False):
        before = gr.HTML()
    parts = Parts(
        place, run, step, question, candidate, text, reference, code, grid, story, rewards, replay, rivals, before
    )

    def refresh(place: Place) -> list[Any]:
        return show(shelf, place)

    outputs = parts.outputs()
    run.input(lambda name: refresh(Place(run=name or "")), run, outputs, show_progress="minimal")
    step.input(
        lambda at, number: refresh(replace(at, step=int(number), candidate=0, test=None)), [place, step], outputs
    )
    question.input(
        lambda at, name: refresh(replace(at, question=name, candidate=0, test=None)), [place, question], outputs
    )
    candidate.input(
        lambda at, number: refresh(replace(at, candidate=int(number), test=None)), [place, candidate], outputs
    )
    for (name, by), button in moves.items():
        button.click(lambda at, name=name, by=by: refresh(moved(shelf, at, name, by)), place, outputs)
    grid.click(_opened(shelf), place, outputs)
    return parts


def _opened(shelf: Shelf) -> Any:
    def opened(place: Place, event: gr.EventData) -> list[Any]:
        data = event._data if isinstance(event._data, dict) else {}
        chosen = (int(data["suite"]), int(data["test"])) if {"suite", "test"} <= data.keys() else place.test
        return show(shelf, replace(place, test=chosen))

    return opened


def from_link(shelf: Shelf, query: dict[str, str]) -> Place:
    """The place that a link names; what it leaves out or gets wrong falls back to the newest."""

    def number(name: str, missing: int) -> int:
        value = query.get(name, "")
        return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else missing

    names = shelf.names()
    run = query.get("run", "")
    return Place(
        run=run if run in names else (names[0] if names else ""),
        step=number("step", -1),
        question=query.get("question", ""),
        candidate=number("candidate", 0),
    )


def moved(shelf: Shelf, place: Place, name: str, by: int) -> Place:
    """The neighbour of a place: next or previous step, question or candidate, stopping at the ends."""
    try:
        if name == "step":
            return replace(place, step=_neighbour(shelf.steps(place.run), place.step, by), test=None)
        duels = shelf.step(place.run, place.step).record.duels
    except A1KitError:
        return place
    if name == "question":
        return replace(place, question=_neighbour(_questions(duels), place.question, by), candidate=0, test=None)
    rivals = [duel for duel in duels if duel.question.id == place.question]
    return replace(place, candidate=min(max(place.candidate + by, 0), len(rivals) - 1), test=None)


def show(shelf: Shelf, place: Place) -> list[Any]:
    """Values for `Parts.outputs()`. Never raises for what a person or a vanished file can cause: it says so instead."""
    names = shelf.names()
    run = gr.update(choices=names, value=place.run or None)
    if not place.run:
        return _blank(place, run, NO_RUN)
    try:
        steps = shelf.steps(place.run)
        if not steps:
            return _blank(place, run, NO_STEP)
        place = replace(place, step=place.step if place.step in steps else steps[-1])
        record = shelf.step(place.run, place.step).record
        rules = shelf.rules(place.run)
    except A1KitError as error:
        return _blank(place, run, str(error))
    questions = _questions(record.duels)
    place = replace(place, question=place.question if place.question in questions else questions[0])
    rivals = [duel for duel in record.duels if duel.question.id == place.question]
    place = replace(place, candidate=min(max(place.candidate, 0), len(rivals) - 1))
    duel = rivals[place.candidate]
    chosen = {id(record.duels[index]) for index in record.selected}
    return [
        place,
        run,
        gr.update(choices=[str(step) for step in steps], value=str(place.step)),
        gr.update(choices=questions, value=place.question),
        gr.update(choices=[str(number) for number in range(len(rivals))], value=str(place.candidate)),
        render.question(duel.question),
        render.code(duel.question.reference, "the reference solution"),
        render.candidate(duel),
        render.verdict_grid(duel, place.test),
        _story(duel, place),
        render.rewards(duel, rules),
        render.replay_table(duel.history),
        render.rivals(rivals, place.candidate, [id(rival) in chosen for rival in rivals]),
        _before(shelf, place, duel, [step for step in steps if step < place.step]),
    ]


def _story(duel: Duel, place: Place) -> str:
    if place.test is None:
        return render.note(
            "Open a cell to see the test, what was predicted, what is true, and what the candidate gave."
        )
    suite, test = place.test
    if suite >= len(duel.suites) or test >= len(duel.suites[suite].tests):
        return render.note("This candidate has no such test.")
    return render.test_story(duel.suites[suite].tests[test])


def _before(shelf: Shelf, place: Place, duel: Duel, earlier: list[int]) -> str:
    """The difference to the same candidate's place at the last earlier step that asked this question."""
    for step in reversed(earlier[-60:]):
        for other in shelf.step(place.run, step).record.duels:
            if other.question.id == duel.question.id:
                return render.difference(other.code, duel.code, (f"step {step}", f"step {place.step}"))
    return render.note("This is the first time the run asked this question.")


def _blank(place: Place, run: Any, sentence: str) -> list[Any]:
    nothing = [gr.update(choices=[], value=None)] * 3
    return [place, run, *nothing, render.note(sentence), *[""] * 8]


def _questions(duels: tuple[Duel, ...]) -> list[str]:
    return list(dict.fromkeys(duel.question.id for duel in duels))


def _neighbour(values: list[Any], value: Any, by: int) -> Any:
    if value not in values:
        return values[-1] if values else value
    return values[min(max(values.index(value) + by, 0), len(values) - 1)]
