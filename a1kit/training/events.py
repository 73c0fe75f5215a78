"""What a run tells whoever listens: the terminal, a notebook, a tracker, a test that kills it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from a1kit.training.step import Played


@dataclass(frozen=True, slots=True)
class Started:
    """The run begins, or goes on after `step`."""

    folder: Path
    step: int
    steps: int


@dataclass(frozen=True, slots=True)
class PhaseBegan:
    """A phase of a step, or `evaluate`, `save`."""

    step: int
    name: str


@dataclass(frozen=True, slots=True)
class StepDone:
    """A step is finished and on disk. `seconds_left` estimates the rest of the run."""

    played: Played
    metrics: Mapping[str, float]
    steps: int
    seconds_left: float


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The models were measured on held-out questions after `step`."""

    step: int
    metrics: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Saved:
    """A checkpoint is on disk."""

    step: int
    path: Path


@dataclass(frozen=True, slots=True)
class Paused:
    """The run waits for the file `control/pause` to go away (`paused`), or goes on."""

    step: int
    paused: bool


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence for a person."""

    text: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The run is over: `finished`, or `stopped` before its last step on request."""

    step: int
    state: str


Event = Started | PhaseBegan | StepDone | Evaluated | Saved | Paused | Note | Ended
Listener = Callable[[Event], None]
"""Called from the trainer's thread; what it raises ends the run, so it should not."""
