"""The Mistake Book view: every test that candidates failed, found, sorted, opened, exported; and SQL over the run.

All of it is read from the run's index (`a1kit.store.index`): a filter, a page or a sort sends one table, made on the
server. The book can be looked at as it was after any step. At the newest step the view follows the run: it polls the
index's version and sends again only what a new step changed; the opened test, the page and the zoom stay.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gradio as gr

from a1kit import figures
from a1kit.errors import A1KitError
from a1kit.store.console import EXAMPLES, ROWS, SECONDS
from a1kit.store.export import Format, export
from a1kit.store.index import FAILURES, Choice, Order, RunIndex
from a1kit.types import Outcome
from a1kit_app import render, render_book
from a1kit_app.runs import NO_RUN, Shelf

POLL_SECONDS = 2.5
PAGE_SIZES = (25, 50, 100)
LONGEST_EXPORT = 100_000
"""Tests of one export."""

ENDINGS = {Format.PYTEST: "py", Format.JSONL: "jsonl", Format.CSV: "csv", Format.PARQUET: "parquet"}
ORDERS = {
    "count, highest first": Order.COUNTER,
    "age, oldest first": Order.AGE,
    "last moved first": Order.RECENT,
    "failures, most first": Order.FAILURES,
    "question": Order.QUESTION,
    "test": Order.TEST,
}
KINDS = [(render.MARKS[kind][1], kind.value) for kind in FAILURES]

_CLICK = """
element.addEventListener('click', (event) => {
  const row = event.target.closest('button[data-life]');
  if (row) trigger('click', {life: Number(row.dataset.life)});
});
"""


@dataclass(frozen=True)
class Place:
    """What the view shows: a run at a version of its index, the first row of the table, the test that is open."""

    run: str = ""
    version: int = 0
    start: int = 0
    life: int | None = None
    last: int = 0
    """The newest step when the view was filled; a step slider that stands there means now."""


@dataclass(frozen=True)
class Filters:
    """The controls of the view."""

    step: gr.Slider
    text: gr.Textbox
    question: gr.Textbox
    state: gr.Dropdown
    kinds: gr.Dropdown
    least: gr.Number
    greatest: gr.Number
    youngest: gr.Number
    oldest: gr.Number
    order: gr.Dropdown
    size: gr.Dropdown

    def inputs(self) -> list[Any]:
        return [getattr(self, name) for name in self.__dataclass_fields__]


@dataclass(frozen=True)
class Asked:
    """The values of the controls, in the order of `Filters`."""

    step: float = 0
    text: str = ""
    question: str = ""
    state: str = "alive"
    kinds: list[str] | None = None
    least: float | None = None
    greatest: float | None = None
    youngest: float | None = None
    oldest: float | None = None
    order: str = "count, highest first"
    size: str = str(PAGE_SIZES[0])

    def at(self, place: Place) -> int | None:
        """The step one travelled to; None at the newest."""
        return None if self.step >= place.last else int(self.step)

    def choice(self, place: Place) -> Choice:
        return Choice(
            text=self.text or "",
            question=self.question or "",
            state="" if self.state == "all" else self.state,
            kinds=tuple(Outcome(kind) for kind in self.kinds or ()),
            counter=(_whole(self.least), _whole(self.greatest)),
            age=(_whole(self.youngest), _whole(self.oldest)),
            step=self.at(place),
        )

    def page_size(self) -> int:
        return int(self.size) if self.size in map(str, PAGE_SIZES) else PAGE_SIZES[0]


@dataclass(frozen=True)
class Parts:
    """The components that `show` fills, in its order, then those that are filled on their own."""

    place: gr.State
    run: gr.Dropdown
    step: gr.Slider
    totals: gr.HTML
    table: gr.HTML
    pager: gr.HTML
    life: gr.HTML
    line: gr.Plot
    heat: gr.Plot
    hardest: gr.HTML
    timer: gr.Timer
    filters: Filters
    dark: gr.Checkbox

    def outputs(self) -> list[Any]:
        return [*self.listed(), self.run, self.step, self.totals, *self.opened(), self.heat, self.hardest]

    def listed(self) -> list[Any]:
        """What a filter, a sort or a page changes."""
        return [self.place, self.table, self.pager]

    def opened(self) -> list[Any]:
        return [self.life, self.line]

    def inputs(self) -> list[Any]:
        return [self.place, self.dark, *self.filters.inputs()]


def build(shelf: Shelf, dark: gr.Checkbox) -> Parts:
    """Lay the view out inside the current Blocks and connect it. `dark` says whether the page is dark."""
    place = gr.State(Place())
    with gr.Row():
        run = gr.Dropdown(label="run", choices=[], min_width=160)
        step = gr.Slider(0, 1, 1, step=1, label="the book as it was after step", min_width=240)
    totals = gr.HTML(elem_id="a1-book-totals")
    filters = _filters(step)
    table = gr.HTML(render.note("Reading the book…"), js_on_load=_CLICK, elem_id="a1-book-table")
    with gr.Row():
        back = gr.Button("← page", size="sm", min_width=90)
        pager = gr.HTML(min_width=200, elem_id="a1-book-pager")
        forth = gr.Button("→ page", size="sm", min_width=90)
    with gr.Row():
        with gr.Column(min_width=320):
            life = gr.HTML(elem_id="a1-book-life")
        with gr.Column(min_width=320):
            line = gr.Plot(show_label=False, visible=False)
    with gr.Accordion("Questions: the hardest, and how they went over steps", open=False):
        heat = gr.Plot(show_label=False)
        hardest = gr.HTML()
    timer = gr.Timer(POLL_SECONDS, active=False)
    parts = Parts(place, run, step, totals, table, pager, life, line, heat, hardest, timer, filters, dark)
    _connect(shelf, parts, back, forth)
    with gr.Accordion("Export the tests that fit the filters", open=False):
        _exporter(shelf, parts)
    with gr.Accordion("Ask with SQL", open=False):
        _sql_box(shelf, run)
    return parts


def _filters(step: gr.Slider) -> Filters:
    with gr.Row():
        text = gr.Textbox(label="test contains", min_width=160, max_lines=1, max_length=500)
        question = gr.Textbox(label="question contains", min_width=160, max_lines=1, max_length=500)
        state = gr.Dropdown(["alive", "mastered", "all"], value="alive", label="state", min_width=100)
        kinds = gr.Dropdown(KINDS, multiselect=True, label="kind of failure", min_width=180)
        order = gr.Dropdown(list(ORDERS), value=next(iter(ORDERS)), label="sort by", min_width=160)
    with gr.Accordion("More filters: count, age, rows a page", open=False), gr.Row():
        least, greatest, youngest, oldest = (
            gr.Number(label=label, value=None, minimum=0, precision=0, min_width=110)
            for label in ("count at least", "count at most", "age at least", "age at most")
        )
        size = gr.Dropdown([str(size) for size in PAGE_SIZES], value=str(PAGE_SIZES[0]), label="rows", min_width=90)
    return Filters(step, text, question, state, kinds, least, greatest, youngest, oldest, order, size)


def _connect(shelf: Shelf, parts: Parts, back: gr.Button, forth: gr.Button) -> None:
    inputs, quiet = parts.inputs(), {"show_progress": "hidden"}

    def chosen(name: str | None, place: Place, is_dark: bool, *values: Any) -> list[Any]:
        return show(shelf, Place(run=name or ""), is_dark, Asked(*values))

    parts.run.input(chosen, [parts.run, *inputs], parts.outputs(), show_progress="minimal")

    def travelled(place: Place, is_dark: bool, *values: Any) -> list[Any]:
        return show(shelf, replace(place, start=0), is_dark, Asked(*values), moving=True)

    parts.step.release(travelled, inputs, parts.outputs(), **quiet)
    parts.timer.tick(
        lambda place, is_dark, *values: follow(shelf, place, is_dark, Asked(*values)), inputs, parts.outputs(), **quiet
    )

    def turned(by: int) -> Callable[..., list[Any]]:
        def turn(place: Place, is_dark: bool, *values: Any) -> list[Any]:
            asked = Asked(*values)
            return listed(shelf, replace(place, start=max(0, place.start + by * asked.page_size())), asked)

        return turn

    back.click(turned(-1), inputs, parts.listed(), **quiet)
    forth.click(turned(1), inputs, parts.listed(), **quiet)

    def filtered(place: Place, is_dark: bool, *values: Any) -> list[Any]:
        return listed(shelf, replace(place, start=0), Asked(*values))

    for part in parts.filters.inputs()[1:]:
        part.change(filtered, inputs, parts.listed(), trigger_mode="always_last", **quiet)
    parts.filters.question.change(
        lambda place, is_dark, *values: questions(shelf, place, is_dark, Asked(*values)),
        inputs, [parts.heat, parts.hardest], trigger_mode="always_last", **quiet,
    )  # fmt: skip

    def opened(event: gr.EventData, place: Place, is_dark: bool, *values: Any) -> list[Any]:
        data = event._data if isinstance(event._data, dict) else {}
        number = data.get("life")
        place = replace(place, life=int(number) if isinstance(number, (int, float)) else place.life)
        asked = Asked(*values)
        return [*listed(shelf, place, asked), *life(shelf, place, is_dark, asked)]

    parts.table.click(opened, inputs, [*parts.listed(), *parts.opened()], **quiet)


# -- what is shown -----------------------------------------------------------------------------------------------------


def show(shelf: Shelf, place: Place, dark: bool, asked: Asked, *, moving: bool = False) -> list[Any]:
    """Values for `Parts.outputs()`. What a person or a vanished run can cause is said there and never raised.

    moving   the step slider was moved: it stays where it is, otherwise it goes to the newest step
    """
    names = shelf.names()
    if place.run not in names:
        place = Place(run=names[0] if names else "")
    run = gr.update(choices=names, value=place.run or None)
    if not place.run:
        return _blank(place, run, NO_RUN)
    try:
        index = shelf.index(place.run)
        first, last = index.steps()
        if not last:
            return _blank(replace(place, version=index.version), run, "This run has not finished a step yet.")
        place = replace(place, version=index.version, last=last)
        asked = asked if moving else replace(asked, step=last)
        slider = gr.skip() if moving else gr.update(minimum=min(first, last - 1), maximum=last, value=last)
        sums = render_book.totals(index.totals(asked.at(place)), int(min(asked.step, last)), last)
        return [
            *listed(shelf, place, asked), run, slider, sums, *life(shelf, place, dark, asked),
            *questions(shelf, place, dark, asked),
        ]  # fmt: skip
    except A1KitError as error:
        return _blank(place, run, str(error))


def follow(shelf: Shelf, place: Place, dark: bool, asked: Asked) -> list[Any]:
    """`show` when the run has moved on since; nothing otherwise. A look at the past only learns that there is more."""
    nothing = [gr.skip()] * 10
    if not place.run:
        return show(shelf, place, dark, asked)
    try:
        index = shelf.index(place.run)
    except A1KitError as error:
        return _blank(Place(), gr.update(choices=shelf.names(), value=None), str(error))
    if index.version == place.version:
        return nothing
    if asked.at(place) is None:
        return show(shelf, place, dark, asked)
    place = replace(place, version=index.version, last=index.steps()[1])
    return [place, *nothing[:3], gr.update(maximum=place.last), *nothing[:5]]


def listed(shelf: Shelf, place: Place, asked: Asked) -> list[Any]:
    """Values for `Parts.listed()`: the table as the filters have it; nothing before a run is chosen."""
    if not place.run:
        return [gr.skip()] * 3
    try:
        index = shelf.index(place.run)
        choice, order, size = asked.choice(place), ORDERS.get(asked.order, Order.COUNTER), asked.page_size()
        page = index.page(choice, order, place.start, size)
        if place.start and not page.tests:
            place = replace(place, start=max(0, (page.total - 1) // size * size))
            page = index.page(choice, order, place.start, size)
        empty = not page.total and choice == Choice(state="alive", step=choice.step)
    except A1KitError as error:
        return [place, render.note(str(error), "bad"), ""]
    table = render_book.table(page, place.life, empty_book=empty)
    return [place, table, render_book.pager(place.start, size, page.total)]


def life(shelf: Shelf, place: Place, dark: bool, asked: Asked) -> list[Any]:
    """Values for `Parts.opened()`: the life line of the open test."""
    if place.life is None:
        hint = "Open a test to see its life: when it entered, who failed and who passed it, whether it was mastered."
        return [render.note(hint), gr.update(visible=False)]
    try:
        index, step = shelf.index(place.run), asked.at(place)
        test, moves = index.test(place.life, step), index.moves(place.life, step)
        lives = index.lives(test)
    except A1KitError as error:
        return [render.note(str(error)), gr.update(visible=False)]
    figure = figures.life_line([(move.step, move.counter) for move in moves], dark=dark)
    return [render_book.life(test, moves, lives, place.run), gr.update(value=figure, visible=True)]


def questions(shelf: Shelf, place: Place, dark: bool, asked: Asked) -> list[Any]:
    """The heat map and the table of the hardest questions."""
    if not place.run:
        return [None, ""]
    try:
        index, step = shelf.index(place.run), asked.at(place)
        heat = index.heat_map(step, question=asked.question or "")
        hardest = index.hardest(step, question=asked.question or "")
    except A1KitError as error:
        return [None, render.note(str(error), "bad")]
    return [figures.heat_map(*heat, dark=dark), render_book.hardest(hardest)]


def _blank(place: Place, run: Any, sentence: str) -> list[Any]:
    return [place, render.note(sentence), "", run, gr.skip(), "", "", gr.update(visible=False), None, ""]


def _whole(value: float | None) -> int | None:
    return None if value is None else int(min(max(value, 0), 2**31 - 1))


# -- export and SQL ----------------------------------------------------------------------------------------------------


def _exporter(shelf: Shelf, parts: Parts) -> None:
    with gr.Row():
        format_ = gr.Dropdown([entry.value for entry in Format], value=Format.PYTEST.value, label="as", min_width=120)
        make = gr.Button("Make the file", min_width=120)
    file = gr.File(label="the exported tests", visible=False)
    note = gr.HTML()

    def made(chosen: str, place: Place, is_dark: bool, *values: Any) -> list[Any]:
        try:
            path, sentence = write(shelf, place, Asked(*values), Format(chosen))
        except (A1KitError, ValueError) as error:
            return [gr.update(visible=False), render.note(str(error), "bad")]
        return [gr.update(value=str(path), visible=True), render.note(sentence)]

    make.click(made, [format_, *parts.inputs()], [file, note], show_progress="minimal")


def write(shelf: Shelf, place: Place, asked: Asked, format_: Format) -> tuple[Path, str]:
    """Write the chosen tests to a new temporary file; the file, and a sentence about it."""
    index: RunIndex = shelf.index(place.run)
    tests, solutions = index.chosen(asked.choice(place), LONGEST_EXPORT + 1)
    cut = len(tests) > LONGEST_EXPORT
    tests = tests[:LONGEST_EXPORT]
    stem = "".join(letter if letter.isalnum() else "_" for letter in place.run) or "book"
    path = shelf.exports() / f"{'test_' if format_ is Format.PYTEST else ''}{stem}.{ENDINGS[format_]}"
    export(tests, path, format_, solutions)
    how = f" Run it with: pytest {path.name}" if format_ is Format.PYTEST else ""
    most = f" These are the first {LONGEST_EXPORT:,}; narrow the filters for the others." if cut else ""
    return path, f"{len(tests):,} tests.{most}{how}"


def _sql_box(shelf: Shelf, run: gr.Dropdown) -> None:
    gr.Markdown(
        "One `SELECT` over the run's step files: views `steps`, `questions`, `duels`, `suites`, `tests`, `verdicts`, "
        f"`book_events`, `book` and `book_at(step)`. Read-only; at most {ROWS} rows and {SECONDS:g} seconds."
    )
    example = gr.Dropdown(list(EXAMPLES), value=None, label="start from an example")
    sql = gr.Code(
        value=next(iter(EXAMPLES.values())), language="sql", label="query", lines=4, max_lines=12, interactive=True
    )
    ask = gr.Button("Ask", min_width=90)
    answer = gr.HTML()
    example.input(lambda name: EXAMPLES.get(name, ""), example, sql, show_progress="hidden")
    ask.click(lambda name, text: query(shelf, name, text), [run, sql], answer, show_progress="minimal")


def query(shelf: Shelf, name: str | None, sql: str | None) -> str:
    """The rows of a query, or what is wrong with it, as HTML."""
    if not name:
        return render.note(NO_RUN)
    try:
        return render_book.result(shelf.console.ask(shelf.folder(name), sql or ""), ROWS)
    except A1KitError as error:
        return render.note(str(error), "bad")
