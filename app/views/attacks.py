"""The hostile corpus, live: each attack against a judge as people write them every day, and against ours.

One row an attack. A click on its name shows its source and runs it; the button runs all of a kind, and rows fill in as
they are done. Both judges run in a process of their own (`a1kit_app.arena`), never in the server.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import gradio as gr

from a1kit.errors import A1KitError
from a1kit.sandbox.corpus import HostileProgram, Kind, hostile
from a1kit_app import render, render_play
from a1kit_app.playroom import CONCURRENCY, Playroom

KINDS = {
    "integrity: seem right": Kind.INTEGRITY,
    "containment: break out": Kind.CONTAINMENT,
    "resource: hang, hoard": Kind.RESOURCE,
    "protocol: forge answers": Kind.PROTOCOL,
}
JUDGES = {
    "reads PASS markers": "markers",
    "reads the exit status": "exit-status",
}

SECONDS = 60.0
"""Longest wait for one attack."""

_EACH = 0.4
"""Seconds between two pictures of a table that is filling in."""

_CLICK = """
element.addEventListener('click', (event) => {
  const row = event.target.closest('button[data-attack]');
  if (row) trigger('click', {attack: row.dataset.attack});
});
"""

Results = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Board:
    """What one page has seen: results by judge and attack, and the attack that is open."""

    results: Mapping[str, Results] = field(default_factory=dict)
    chosen: str | None = None


def build(room: Playroom) -> None:
    """Lay the view out inside the current Blocks and connect it."""
    board = gr.State(Board())
    gr.Markdown(
        "A policy that is rewarded for passing finds every hole in its judge. Here are programs that try, run now, on "
        "this machine. The naive judge contains nothing, so it is only given attacks on what it says."
    )
    with gr.Row():
        kind = gr.Dropdown(list(KINDS), value=next(iter(KINDS)), label="attacks", min_width=220)
        judge = gr.Dropdown(list(JUDGES), value=next(iter(JUDGES)), label="naive judge", min_width=220)
        run = gr.Button("Run all", variant="primary", min_width=100)
        stop = gr.Button("Stop", min_width=80)
    tally = gr.HTML(render.tiles(render_play.attack_facts({}, len(_programs(Kind.INTEGRITY)))))
    with gr.Row():
        with gr.Column(scale=3, min_width=320):
            table = gr.HTML(render_play.attack_table(_programs(Kind.INTEGRITY), {}), js_on_load=_CLICK)
        with gr.Column(scale=2, min_width=320):
            source = gr.HTML(render.note("Open an attack to see its source and to run it."))
    outputs = [board, tally, table, source]

    def show(at: Board, kind_words: str, judge_words: str) -> list[Any]:
        return _shown(at, kind_words, judge_words)

    def one(
        at: Board, kind_words: str, judge_words: str, request: gr.Request, event: gr.EventData
    ) -> Iterator[list[Any]]:
        data = event._data if isinstance(event._data, dict) else {}
        name = str(data.get("attack", ""))
        if name in {program.name for program in hostile()}:
            yield from _run(room, Board(at.results, name), kind_words, judge_words, [name], request)
        else:
            yield _shown(at, kind_words, judge_words)

    def everything(at: Board, kind_words: str, judge_words: str, request: gr.Request) -> Iterator[list[Any]]:
        names = [program.name for program in _programs(KINDS[kind_words])]
        yield from _run(room, at, kind_words, judge_words, names, request)

    inputs = [board, kind, judge]
    kind.input(show, inputs, outputs, show_progress="hidden")
    judge.input(show, inputs, outputs, show_progress="hidden")
    going = run.click(everything, inputs, outputs, show_progress="minimal", show_progress_on=tally, **CONCURRENCY)
    opened = table.click(one, inputs, outputs, show_progress="minimal", show_progress_on=source, **CONCURRENCY)
    stop.click(None, None, None, cancels=[going, opened])


def _run(
    room: Playroom, at: Board, kind_words: str, judge_words: str, names: list[str], request: gr.Request
) -> Iterator[list[Any]]:
    """The page as the attacks are done, one after the other."""
    judge = JUDGES[judge_words]
    yield _shown(at, kind_words, judge_words)
    drawn = time.monotonic()
    try:
        with room.admit(request):
            for answer in room.arena.ask({"names": names, "judge": judge}, seconds=SECONDS):
                found = {**at.results.get(judge, {}), str(answer["name"]): answer}
                at = Board({**at.results, judge: found}, at.chosen)
                if time.monotonic() - drawn > _EACH:
                    drawn = time.monotonic()
                    yield _shown(at, kind_words, judge_words)
    except A1KitError as error:
        yield [*_shown(at, kind_words, judge_words)[:-1], render.note(str(error), "bad")]
        return
    yield _shown(at, kind_words, judge_words)


def _shown(at: Board, kind_words: str, judge_words: str) -> list[Any]:
    programs = _programs(KINDS[kind_words])
    names = {program.name for program in programs}
    results = {name: row for name, row in at.results.get(JUDGES[judge_words], {}).items() if name in names}
    chosen = next((program for program in programs if program.name == at.chosen), None)
    source = (
        render_play.attack_source(chosen) if chosen else render.note("Open an attack to see its source and to run it.")
    )
    return [
        at,
        render.tiles(render_play.attack_facts(results, len(programs))),
        render_play.attack_table(programs, results, at.chosen),
        source,
    ]


def _programs(kind: Kind) -> list[HostileProgram]:
    return [program for program in hostile() if program.kind is kind]
