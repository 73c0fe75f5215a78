"""The overview: what a run is doing and how it has gone, live, with the controls of its trainer.

The page polls the times of the metrics file and the status; figures are made again only when the metrics changed, the
tiles also when the status did. Curves of a long run are means over spans of steps, so that they cost the same to send.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from a1kit import figures
from a1kit.errors import A1KitError
from a1kit.store.run_log import METRICS, STATUS, is_alive, read_metrics, read_status, request, stamp, withdraw
from a1kit_app import render
from a1kit_app.runs import NO_RUN, Shelf

POLL_SECONDS = 2.5

FIGURES: tuple[Callable[..., Any], ...] = (
    figures.rewards,
    figures.pass_rates,
    figures.book_flow,
    figures.suite_quality,
    figures.learning,
    figures.health,
    figures.hacks,
    figures.time_split,
)

FLAT = (
    "A group without variance is a set of answers to one question that all got the same reward: every advantage in it "
    "is 0, so it teaches nothing. Many of them mean that the questions are too easy or too hard for the model."
)

COMPARED = (
    "eval/avg", "eval/quality", "code/reward", "tests/reward", "code/pass_new", "code/pass_hist", "tests/validity",
    "tests/adversity", "tests/kill_rate", "book/size", "code/flat_groups", "code/entropy", "seconds",
    "eval/validity", "eval/kill_rate", "eval/kill_rate_hidden", "eval/old_failures_passed", "eval/refailed",
)  # fmt: skip
"""Metrics that runs can be compared by."""

SETTLED = {"finished": "It has finished.", "stopped": "It has stopped.", "failed": "It has failed.", "dead": "It died."}

Version = tuple[Any, ...]

SHARE = 0.02
"""Of a core that following a run may take: figures that cost a lot are made again less often."""


@dataclass(frozen=True)
class Seen:
    """What the page shows: a version, when its figures were made (monotonic seconds) and what they took."""

    version: Version = ()
    made: float = 0.0
    cost: float = 0.0

    def resting(self, now: float) -> bool:
        """Whether making the figures again now would take more than the share."""
        return now < self.made + self.cost / SHARE


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
    version = gr.State(Seen())
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
    gr.HTML(render.note(FLAT))
    with gr.Accordion("Compare runs", open=False) as comparing:
        _comparison(shelf, comparing, dark)
    timer = gr.Timer(POLL_SECONDS)
    parts = Parts(version, dark, run, tiles, plots, timer)

    def changed(name: str | None, seen: Seen, is_dark: bool) -> list[Any]:
        return show(shelf, name, seen, is_dark)

    run.input(lambda name, is_dark: show(shelf, name, Seen(), is_dark), [run, dark], parts.outputs())
    timer.tick(changed, [run, version, dark], parts.outputs(), show_progress="hidden")
    for button, what in ((pause, "pause"), (save, "save"), (stop, "stop")):
        button.click(lambda name, what=what: _ask(shelf, name, what), run)
    resume.click(lambda name: _ask(shelf, name, "pause", back=True), run)
    return parts


def _comparison(shelf: Shelf, comparing: gr.Accordion, dark: gr.Checkbox) -> None:
    """Several runs in one figure."""
    with gr.Row():
        runs = gr.Dropdown(label="runs", choices=[], multiselect=True, max_choices=8, min_width=240)
        metric = gr.Dropdown(list(COMPARED), value=COMPARED[2], label="metric", min_width=160)
    plot = gr.Plot(show_label=False)

    def offered(chosen: list[str] | None) -> Any:
        names = shelf.names()
        return gr.update(choices=names, value=[name for name in chosen or names[:2] if name in names])

    def drawn(chosen: list[str] | None, name: str, is_dark: bool) -> Any:
        return compare(shelf, chosen or [], name, is_dark)

    inputs = [runs, metric, dark]
    comparing.expand(offered, runs, runs, show_progress="hidden").then(drawn, inputs, plot, show_progress="minimal")
    for part in (runs, metric):
        part.input(drawn, inputs, plot, show_progress="minimal")


def compare(shelf: Shelf, names: Sequence[str], metric: str, dark: bool = False) -> Any:
    """The figure of one metric over several runs; a run that went away is left out."""
    rows = {}
    for name in names:
        try:
            rows[name] = figures.thinned(read_metrics(shelf.folder(name)))
        except (A1KitError, OSError):
            continue
    return figures.overlay(rows, metric, dark=dark)


def show(shelf: Shelf, name: str | None, seen: Seen = Seen(), dark: bool = False) -> list[Any]:
    """Values for `Parts.outputs()`; nothing is sent again that has not changed since `seen`."""
    names = shelf.names()
    if name not in names:
        name = names[0] if names else None
    nothing = [gr.skip()] * len(FIGURES)
    try:
        version = _version(shelf, name, names)
        if version == seen.version:
            return [gr.skip()] * 3 + nothing
        choices = gr.update(choices=names, value=name)
        if name is None:
            return [Seen(version), choices, render.note(NO_RUN), *[None] * len(FIGURES)]
        folder = shelf.folder(name)
        rows = read_metrics(folder)
        tiles = render.tiles(_tiles(rows, read_status(folder)))
    except (A1KitError, OSError, ValueError) as error:
        return [Seen(), gr.update(choices=names, value=name), render.note(str(error), "bad"), *[None] * len(FIGURES)]
    started = time.monotonic()
    if version[:-2] == seen.version[:-2] and (version[-2] == seen.version[-2] or seen.resting(started)):
        return [replace(seen, version=(*seen.version[:-1], version[-1])), gr.skip(), tiles, *nothing]
    steps = figures.thinned([row for row in rows if "code/reward" in row])
    drawn = [draw(steps, dark=dark) for draw in FIGURES]
    return [Seen(version, started, time.monotonic() - started), choices, tiles, *drawn]


def _version(shelf: Shelf, name: str | None, names: Sequence[str]) -> Version:
    """Cheap to compute, and different whenever the page would be; the last two entries are of metrics and status.

    A trainer that is killed writes nothing more: only its lock says that it is gone.
    """
    if name is None:
        return ("", *names, (), ())
    folder = shelf.folder(name)
    return (name, *names, stamp(folder / METRICS), (stamp(folder / STATUS), is_alive(folder)))


def _tiles(rows: Sequence[dict[str, Any]], status: dict[str, Any]) -> list[tuple[str, str]]:
    state = str(status.get("state", "new"))
    tiles = [("state", state)]
    last = rows[-1] if rows else {}
    if rows:
        of = f" of {status['steps']}" if status.get("steps") else ""
        tiles.append(("step", f"{last['step']}{of}"))
    if state == "running" and status.get("phase"):
        tiles.append(("now playing", f"step {status['playing']}: {str(status['phase']).replace('_', ' ')}"))
    if state == "running" and status.get("seconds_left") is not None:
        tiles.append(("time left", _clock(float(status["seconds_left"]))))
    if status.get("message"):
        tiles.append(("it said", str(status["message"])[:200]))
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
    return tiles


def _clock(seconds: float) -> str:
    """Hours, minutes and seconds, as long as there are any."""
    minutes, rest = divmod(round(max(0.0, seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _ask(shelf: Shelf, name: str | None, what: str, *, back: bool = False) -> None:
    """Ask the run's trainer for something, or take `pause` back. Says so when nobody is there to do it."""
    if not name:
        gr.Warning("There is no run to control.")
        return
    try:
        folder = shelf.folder(name)
        state = str(read_status(folder)["state"])
        if state in SETTLED:
            gr.Warning(f"Nobody trains this run. {SETTLED[state]} Go on with it: a1kit resume {name}")
            return
        withdraw(folder, what) if back else request(folder, what)
    except (A1KitError, OSError, ValueError) as error:
        raise gr.Error(str(error)) from error
    gr.Info("The trainer goes on." if back else f"Asked the trainer to {what} after the current step.")
