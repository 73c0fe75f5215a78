"""A course: everything the warm-up of one world's models consists of, as plain data.

A world (`a1kit.problems.micro`, `.micro_traps`) has one in this package: tokenizer, size of the models, authors of the
examples, schedules, and what to expect of the result. All else is shared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from transformers import PreTrainedTokenizerFast

from a1kit.problems.worlds import Buggy
from a1kit.types import Question
from a1kit.warmup.examples import Author

Kind = Literal["code", "test", "both"]
"""What a model is to play; `both` is one model that both players start from."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stretch of the warm-up with examples of one author."""

    steps: int
    author: Author
    batch: int = 32


@dataclass(frozen=True, slots=True)
class Schedule:
    """One model's warm-up. The rates rise over `rise` steps, hold, and fall linearly to a hundredth over the last
    `fall` (a share of all steps). The loss of an answer's token weighs `answer_weight` times that of another."""

    stages: tuple[Stage, ...]
    matrix_rate: float = 0.02
    other_rate: float = 0.004
    rise: int = 50
    fall: float = 0.5
    answer_weight: float = 1.0

    @property
    def steps(self) -> int:
        """Optimizer steps in all."""
        return sum(stage.steps for stage in self.stages)

    def scaled(self, share: float) -> Schedule:
        """The same warm-up with a share of the steps, for tests and trials."""
        stages = tuple(replace(stage, steps=max(1, round(stage.steps * share))) for stage in self.stages)
        return replace(self, stages=stages, rise=max(1, round(self.rise * share)))

    def rate(self, step: int) -> float:
        """The factor on both rates at a step, counted from 0."""
        left = (self.steps - step) / (self.fall * self.steps)
        return min(1.0, (step + 1) / self.rise) * max(0.01, min(1.0, left))


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a model: Llama's architecture, one key-value head, tied embeddings."""

    width: int = 128
    layers: int = 4
    heads: int = 4
    inner: int = 384


@dataclass(frozen=True, slots=True)
class Band:
    """What a warm-up reaches, whatever its seed: a measurement outside of it says that something has changed."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Course:
    """The warm-up of one world.

    tokenizer       makes the tokenizer, the same every time
    number_features what the embedding of a number begins with before training: its size, waves along the line
    before_answer   the token that stands before the answer of a test
    suite_size      tests of a suite; a model this small cannot follow a number in its prompt
    max_new_tokens  room for every program and every suite of the world
    questions       what the finished models are measured on;  targets  wrong programs for them
    bands           what to expect of the measurements
    """

    name: str
    tokenizer: Callable[[], PreTrainedTokenizerFast]
    shape: Shape
    schedules: Mapping[Kind, Schedule]
    number_features: Callable[[int], Sequence[float]]
    before_answer: str
    suite_size: int
    max_new_tokens: int
    questions: Callable[[], Sequence[Question]]
    targets: Callable[[], Sequence[Buggy]]
    bands: Mapping[Kind, Mapping[str, Band]]

    def model_name(self, kind: Kind) -> str:
        """`micro-code`: the folder of the model, and its name in a configuration."""
        return self.name if kind == "both" else f"{self.name}-{kind}"
