"""The overview: what a run is doing and how it has gone, live, with the controls of its trainer.

The page polls the size of the metrics file and the status; figures are made again only when one of them changed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from a1kit import figures
from a1kit.errors import A1KitError
from a1kit.store.run_log import METRICS, STATUS, read_metrics, read_status, request, withdraw
from a1kit_app import render
from a1kit_app.runs import NO_RUN, Shelf

POLL_SECONDS = 2.5

FIGURES: tuple[Callable[..., Any], ...] = (
    figures.rewards,
    figures.pass_rates,
    figures.book_flow,
    figures.suite_quality,
    figures.learning,
    figures.time_split,
)

Version = tuple[Any, ...]


@dataclass(frozen=True)
class Parts:
    """The components of the view. `dark` holds whether the browser shows the page dark; only the browser knows."""

    version: gr.State
    dark: gr.Checkbox
    run: gr.Dropdown
    tiles: gr.HTML
    plots: tuple[gr.Plot, ...]
    timer: gr.Timer

    def outputs(self) -> list[Any]:
        """The components that `show` fills, in its order."""
        return [self.version, self.run, self.tiles, *self.plots]


def build(shelf: Shelf) -> Parts:
    """Lay the view out inside the current Blocks and connect it."""
    version = gr.State(())
    dark = gr.Checkbox(visible="hidden")
    with gr.Row():
        run = gr.Dropdown(label="run", choices=[], min_width=160)
        with gr.Row():
            pause = gr.Button("Pause", size="sm", min_width=80)
            resume = gr.Button("Go on", size="sm", min_width=80)
            save = gr.Button("Save", size="sm", min_width=80)
            stop = gr.Button("Stop", size="sm", min_width=80, variant="stop")
    tiles = gr.HTML()
    with gr.Row():
        plots = tuple(gr.Plot(show_label=False, min_width=340) for _ in FIGURES)
    timer = gr.Timer(POLL_SECONDS)
    parts = Parts(version, dark, run, tiles, plots, timer)

    def changed(name: str | None, seen: Version, is_dark: bool) -> list[Any]:
        return show(shelf, name, seen, is_dark)

    run.input(lambda name, is_dark: show(shelf, name, (), is_dark), [run, dark], parts.outputs())
    timer.tick(changed, [run, version, dark], parts.outputs(), show_progress="hidden")
    for button, what in ((pause, "pause"), (save, "save"), (stop, "stop")):
        button.click(lambda name, what=what: _ask(shelf, name, what), run)
    resume.click(lambda name: _ask(shelf, name, "pause", back=True), run)
    return parts


def show(shelf: Shelf, name: str | None, seen: Version = (), dark: bool = False) -> list[Any]:
    """Values for `Parts.outputs()`; nothing is sent again when the run has not changed since `seen`."""
    names = shelf.names()
    if name not in names:
        name = names[0] if names else None
    version = _version(shelf, name, names)
    if version == seen:
        return [gr.skip()] * (3 + len(FIGURES))
    choices = gr.update(choices=names, value=name)
    if name is None:
        return [version, choices, render.note(NO_RUN), *[None] * len(FIGURES)]
    try:
        folder = shelf.folder(name)
        rows = read_metrics(folder)
        status = read_status(folder)
    except (A1KitError, OSError) as error:
        return [version, choices, render.note(str(error), "bad"), *[None] * len(FIGURES)]
    steps = [row for row in rows if "code/reward" in row]
    return [version, choices, render.tiles(_tiles(rows, status)), *[draw(steps, dark=dark) for draw in FIGURES]]


def _version(shelf: Shelf, name: str | None, names: Sequence[str]) -> Version:
    """Cheap to compute, and different whenever the page would be."""
    if name is None:
        return ("", *names)
    folder = shelf.folder(name)
    return (name, *names, _stamp(folder / METRICS), _stamp(folder / STATUS))


def _stamp(path: Path) -> tuple[int, int]:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return (0, 0)
    return (stat.st_mtime_ns, stat.st_size)


def _tiles(rows: Sequence[dict[str, Any]], status: dict[str, Any]) -> list[tuple[str, str]]:
    tiles = [("state", str(status.get("state", "new")))]
    last = rows[-1] if rows else {}
    if rows:
        of = f" of {status['steps']}" if status.get("steps") else ""
        tiles.append(("step", f"{last['step']}{of}"))
    evaluated = [row for row in rows if "eval/avg" in row]
    if evaluated:
        first, newest = evaluated[0]["eval/avg"], evaluated[-1]["eval/avg"]
        tiles.append(("held-out code right", f"{first:.1%} → {newest:.1%}"))
    for key, words in (
        ("tests/validity", "validity"),
        ("tests/kill_rate", "suites that find a fault"),
        ("book/size", "tests in the book"),
        ("code/flat_groups", "groups without variance"),
    ):
        if key in last:
            tiles.append((words, f"{last[key]:,.0f}" if key == "book/size" else f"{last[key]:.0%}"))
    if status.get("state") == "running" and status.get("seconds_left") is not None:
        tiles.append(("time left", time.strftime("%M:%S", time.gmtime(float(status["seconds_left"])))))
    return tiles


def _ask(shelf: Shelf, name: str | None, what: str, *, back: bool = False) -> None:
    """Ask the run's trainer for something, or take `pause` back."""
    if not name:
        gr.Warning("There is no run to control.")
        return
    try:
        folder = shelf.folder(name)
        withdraw(folder, what) if back else request(folder, what)
    except A1KitError as error:
        raise gr.Error(str(error)) from error
    gr.Info("The trainer goes on." if back else f"Asked the trainer to {what} after the current step.")
