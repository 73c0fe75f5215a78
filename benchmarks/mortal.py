"""A toy run that dies where it is told to: what the kill tests start in child processes.

The run announces every point of every write and every phase; `Points` counts them, and at one of them the process kills
itself with SIGKILL, so that no clean-up of its own runs.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

from a1kit.store import run_log
from a1kit.training.events import Event, PhaseBegan, StepDone
from a1kit.training.setup import new_run, old_run
from a1kit_bench.toy import toy_config, toy_makers

SETTINGS: dict[str, object] = {"train__steps": 4, "train__checkpoint_every": 2, "eval__every": 2, "seed": 3}


class Points:
    """Counts the points of a run; at number `die_at` the process is killed. `trace` collects their names."""

    def __init__(self, die_at: int | None = None) -> None:
        self.die_at = die_at
        self.trace: list[str] = []

    def announce(self, point: str) -> None:
        self.trace.append(point)
        if self.die_at is not None and len(self.trace) > self.die_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def listen(self, event: Event) -> None:
        if isinstance(event, PhaseBegan):
            self.announce(f"phase {event.name}")
        elif isinstance(event, StepDone):
            self.announce("step done")


def go(folder: Path, points: Points) -> None:
    """Start the run, or go on with it; to the last step."""
    if (folder / run_log.CONFIG).exists():
        opened = old_run(folder, points.listen, makers=toy_makers(), announce=points.announce)
    else:
        opened = new_run(toy_config(**SETTINGS), folder, points.listen, makers=toy_makers(), announce=points.announce)
    with opened as runner:
        runner.run()


def child(folder: str, die_at: int | None) -> None:
    """What a child process does."""
    go(Path(folder), Points(die_at))
