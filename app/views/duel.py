"""The duel view: one candidate, all that attacked it, every verdict openable, both rewards with their numbers.

One question of one step is read at a time, from the step's own file. Where one goes the address of the page goes too,
so that it can be copied. *Follow live* shows each new step as it is written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from a1kit.errors import A1KitError
from a1kit.types import Duel
from a1kit_app import render
from a1kit_app.runs import NO_RUN, Shelf

NO_STEP = "This run has not finished a step yet. The page fills in when it does."

POLL_SECONDS = 2.5

_GOTO = """(address) => {
  if (!address) return;
  const here = new URL(window.location.href);
  new URLSearchParams(address).forEach((value, name) => here.searchParams.set(name, value));
  window.history.replaceState(null, '', here);
}"""

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
    listed: tuple[str, int] = ("", -1)
    """The run and the newest step that the page's list of steps has."""
    moved: bool = False
    """Whether a person went here: only then the address of the page follows."""

    def address(self) -> str:
        """The part of the page's address that leads here."""
        parts = {"run": self.run, "step": self.step, "question": self.question, "candidate": self.candidate}
        return urlencode(parts) if self.moved else ""


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
    legend: gr.HTML
    story: gr.HTML
    rewards: gr.HTML
    replay: gr.HTML
    rivals: gr.HTML
    address: gr.Textbox
    timer: gr.Timer

    def outputs(self) -> list[Any]:
        return [getattr(self, name) for name in self.__dataclass_fields__ if name != "timer"]


def build(shelf: Shelf) -> Parts:
    """Lay the view out inside the current Blocks and connect it."""
    place = gr.State(Place())
    with gr.Row():
        run = gr.Dropdown(label="run", choices=[], min_width=140)
        step = gr.Dropdown(label="step", choices=[], min_width=90)
        question = gr.Dropdown(label="question", choices=[], min_width=140)
        candidate = gr.Dropdown(label="candidate", choices=[], min_width=90)
        live = gr.Checkbox(label="follow live", min_width=110)
    with gr.Row():
        moves = {
            (name, by): gr.Button(f"{'←' if by < 0 else '→'} {name}", size="sm", min_width=90)
            for name in ("step", "question", "candidate")
            for by in (-1, 1)
        }
    with gr.Accordion("Question", open=True):
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
            legend = gr.HTML()
            story = gr.HTML(elem_id="a1-duel-story")
    with gr.Accordion("Rewards, written out", open=True):
        rewards = gr.HTML(elem_id="a1-duel-rewards")
    with gr.Accordion("Replayed tests", open=False):
        replay = gr.HTML()
    with gr.Accordion("The candidates of this question, and which of them TopVar chose", open=False):
        rivals = gr.HTML()
    address = gr.Textbox(visible="hidden")
    timer = gr.Timer(POLL_SECONDS, active=False)
    parts = Parts(
        place, run, step, question, candidate, text, reference, code, grid, legend, story, rewards, replay, rivals,
        address, timer,
    )  # fmt: skip
    with gr.Accordion("Compare: how did it learn this? what did another candidate do?", open=False) as comparing:
        _comparison(shelf, parts, comparing)
    _connect(shelf, parts, moves, live)
    return parts


def _connect(shelf: Shelf, parts: Parts, moves: dict[tuple[str, int], gr.Button], live: gr.Checkbox) -> None:
    place, outputs, quiet = parts.place, parts.outputs(), {"show_progress": "hidden"}

    def go(at: Place, **there: Any) -> list[Any]:
        return show(shelf, replace(at, **{"test": None, "moved": True, **there}))

    parts.run.input(lambda at, name: go(Place(run=name or "")), [place, parts.run], outputs, show_progress="minimal")
    parts.step.input(lambda at, number: go(at, step=int(number), candidate=0), [place, parts.step], outputs, **quiet)
    parts.question.input(lambda at, name: go(at, question=name, candidate=0), [place, parts.question], outputs, **quiet)
    parts.candidate.input(lambda at, number: go(at, candidate=int(number)), [place, parts.candidate], outputs, **quiet)
    for (name, by), button in moves.items():
        button.click(
            lambda at, name=name, by=by: show(shelf, replace(moved(shelf, at, name, by), moved=True)),
            place, outputs, **quiet,
        )  # fmt: skip
    parts.grid.click(_opened(shelf), place, [place, parts.grid, parts.story], **quiet)
    parts.address.change(None, parts.address, None, js=_GOTO)
    live.change(lambda on: gr.update(active=on), live, parts.timer, **quiet)
    parts.timer.tick(lambda at: follow(shelf, at), place, outputs, **quiet)


def follow(shelf: Shelf, place: Place) -> list[Any]:
    """`show` of the newest step, when it is another than the one shown."""
    try:
        steps = shelf.steps(place.run) if place.run else []
    except A1KitError:
        steps = []
    if place.run and (not steps or steps[-1] == place.step):
        return [gr.skip()] * (len(Parts.__dataclass_fields__) - 1)
    return show(shelf, replace(place, step=-1, test=None))


def _opened(shelf: Shelf) -> Any:
    def opened(place: Place, event: gr.EventData) -> list[Any]:
        data = event._data if isinstance(event._data, dict) else {}
        if not {"suite", "test"} <= data.keys():
            return [gr.skip()] * 3
        place = replace(place, test=(int(data["suite"]), int(data["test"])))
        try:
            duel = _rivals(shelf, place)[place.candidate]
        except (A1KitError, IndexError):
            return [place, gr.skip(), render.note("This step is not there any more.")]
        return [place, render.verdict_grid(duel, place.test), _story(duel, place)]

    return opened


def _rivals(shelf: Shelf, place: Place) -> tuple[Duel, ...]:
    """The candidates of the place's question."""
    return shelf.step(place.run, place.step, place.question).record.duels


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
    place = replace(place, test=None)
    try:
        if name == "step":
            return replace(place, step=_neighbour(shelf.steps(place.run), place.step, by))
        if name == "question":
            names = shelf.questions(place.run, place.step)
            return replace(place, question=_neighbour(names, place.question, by), candidate=0)
        last = len(_rivals(shelf, place)) - 1
    except A1KitError:
        return place
    return replace(place, candidate=min(max(place.candidate + by, 0), last))


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
        questions = shelf.questions(place.run, place.step)
        place = replace(place, question=place.question if place.question in questions else questions[0])
        record = shelf.step(place.run, place.step, place.question).record
        rules = shelf.rules(place.run)
    except A1KitError as error:
        return _blank(place, run, str(error))
    rivals = record.duels
    place = replace(place, candidate=min(max(place.candidate, 0), len(rivals) - 1))
    number = gr.update(value=str(place.step))
    if place.listed != (place.run, steps[-1]):
        place = replace(place, listed=(place.run, steps[-1]))
        number = gr.update(choices=[str(step) for step in steps], value=str(place.step))
    duel = rivals[place.candidate]
    return [
        place,
        run,
        number,
        gr.update(choices=questions, value=place.question),
        gr.update(choices=[str(number) for number in range(len(rivals))], value=str(place.candidate)),
        render.question(duel.question),
        render.code(duel.question.reference, "the reference solution"),
        render.candidate(duel),
        render.verdict_grid(duel, place.test),
        render.legend(duel),
        _story(duel, place),
        render.rewards(duel, rules),
        render.replay_table(duel.history),
        render.rivals(rivals, place.candidate, [index in record.selected for index in range(len(rivals))]),
        place.address(),
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


# -- comparing two programs --------------------------------------------------------------------------------------------


def _comparison(shelf: Shelf, parts: Parts, comparing: gr.Accordion) -> None:
    """Two choices, a step in which the question was asked and a candidate, and the difference to the one shown."""
    opened = gr.State(False)
    with gr.Row():
        step = gr.Dropdown(label="step", choices=[], min_width=90)
        candidate = gr.Dropdown(label="candidate", choices=[], min_width=90)
    diff = gr.HTML()
    outputs = [step, candidate, diff]

    def offered(place: Place, is_open: bool) -> list[Any]:
        return offer(shelf, place) if is_open else [gr.skip()] * 3

    comparing.expand(
        lambda place: [True, *offer(shelf, place)], parts.place, [opened, *outputs], show_progress="minimal"
    )
    comparing.collapse(lambda: False, None, opened, show_progress="hidden")
    parts.address.change(offered, [parts.place, opened], outputs, show_progress="hidden")
    for part in (step, candidate):
        part.input(
            lambda place, at, number: difference(shelf, place, at, number),
            [parts.place, step, candidate], diff, show_progress="hidden",
        )  # fmt: skip


def offer(shelf: Shelf, place: Place) -> list[Any]:
    """What the shown program can be compared with: it starts at the step before that asked this question, or at the
    next candidate when there was none."""
    if not place.run:
        return [gr.update(choices=[]), gr.update(choices=[]), render.note(NO_RUN)]
    try:
        asked = shelf.index(place.run).asked(place.question)
        count = len(_rivals(shelf, place))
    except A1KitError as error:
        return [gr.skip(), gr.skip(), render.note(str(error), "bad")]
    earlier = [step for step in asked if step < place.step]
    step = earlier[-1] if earlier else place.step
    candidate = place.candidate if earlier else (place.candidate + 1) % max(1, count)
    return [
        gr.update(choices=[str(step) for step in asked], value=str(step)),
        gr.update(choices=[str(number) for number in range(count)], value=str(candidate)),
        difference(shelf, place, str(step), str(candidate)),
    ]


def difference(shelf: Shelf, place: Place, step: str | None, candidate: str | None) -> str:
    """The difference from a candidate of the same question to the one shown, with both rewards."""
    if not step or not candidate:
        return render.note("Choose a step and a candidate to compare with.")
    try:
        shown = _rivals(shelf, place)[place.candidate]
        others = shelf.step(place.run, int(step), place.question).record.duels
    except (A1KitError, IndexError, ValueError):
        return render.note("This step is not there any more.")
    if not others:
        return render.note(f"Step {step} did not ask this question.")
    other = others[min(int(candidate), len(others) - 1)]
    names = (
        f"step {step}, candidate {candidate} (reward {other.reward:.3f})",
        f"step {place.step}, candidate {place.candidate} (reward {shown.reward:.3f})",
    )
    return render.difference(other.code, shown.code, names)


def _blank(place: Place, run: Any, sentence: str) -> list[Any]:
    nothing = [gr.update(choices=[], value=None)] * 3
    return [replace(place, listed=("", -1)), run, *nothing, render.note(sentence), *[""] * 9]


def _neighbour(values: list[Any], value: Any, by: int) -> Any:
    if value not in values:
        return values[-1] if values else value
    return values[min(max(values.index(value) + by, 0), len(values) - 1)]
