"""The first thing to see where there is no run: a recorded one to open, and a button that starts one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from a1kit.errors import A1KitError
from a1kit_app import render
from a1kit_app.runs import Shelf
from a1kit_app.starting import Starter, demo_run

POLL_SECONDS = 3.0

_EMPTY = (
    "There is no run in this folder yet. Open the recorded one to look around, or start a training of the two micro "
    "models: it runs on this machine's processor for some minutes and shows itself here step by step."
)
_STARTING = "A training is starting in a process of its own. This page fills in when its first step is done."


@dataclass(frozen=True)
class Parts:
    """The components of the view, and the buttons after which the other views must look again."""

    box: gr.Column
    said: gr.HTML
    demo: gr.Button
    train: gr.Button

    def outputs(self) -> list[Any]:
        return [self.box, self.said]


def build(shelf: Shelf, starter: Starter) -> Parts:
    """Lay the view out inside the current Blocks and connect it."""
    empty = not shelf.names()
    with gr.Column(visible=empty) as box:
        said = gr.HTML(render.note(_EMPTY))
        with gr.Row():
            demo = gr.Button("Open the recorded run", variant="primary", min_width=160)
            train = gr.Button("Start a micro training", min_width=160)
    parts = Parts(box, said, demo, train)

    def begin() -> list[Any]:
        try:
            starter.start()
        except A1KitError as error:
            return [gr.skip(), render.note(str(error), "bad")]
        return [gr.skip(), render.note(_STARTING)]

    train.click(begin, None, parts.outputs(), concurrency_limit=1)
    gr.Timer(POLL_SECONDS).tick(lambda: look(shelf, starter), None, parts.outputs(), show_progress="hidden")
    return parts


def open_demo(shelf: Shelf) -> None:
    """Put the recorded run on the shelf."""
    shelf.add(demo_run())


def look(shelf: Shelf, starter: Starter) -> list[Any]:
    """Values for `Parts.outputs()`: gone once there is a run, with a word when a training could not start."""
    if shelf.names():
        return [gr.update(visible=False), gr.skip()]
    failure = starter.failure()
    return [gr.update(visible=True), render.note(failure, "bad") if failure else gr.skip()]
