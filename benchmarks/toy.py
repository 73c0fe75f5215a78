"""A world without models, for tests and load runs: three questions and two scripted players that learn a little.

A `ToyPolicy` holds a few numbers. What it writes is a function of them, the prompt and the seed; an update moves them
by what the groups say; saving and loading keeps them to the bit. So a run over a toy world goes through everything a
real one does, in milliseconds, and is as reproducible.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path

from a1kit.config import RunConfig
from a1kit.policies.protocol import Sampling
from a1kit.policies.scripted import prompt_text
from a1kit.problems import ProblemSet
from a1kit.sandbox import FakeSandbox
from a1kit.training.setup import Makers, Problems
from a1kit.types import Completion, Group, Prompt, Question, UpdateStats

_RIGHT = {
    "double": "x * 2",
    "successor": "x + 1",
    "absolute": "abs(x)",
    "negative": "-x",
    "square": "x * x",
    "same": "x",
}
_WRONG = ("x", "x + 2", "2", "x * 3 - 1", "1 // x", "x if x > 0 else 0")


def toy_problems() -> ProblemSet:
    """Six one-line functions, two of them held out."""
    questions = tuple(
        Question(
            f"toy/{name}",
            f"Return the {name} of x.",
            name,
            f"def {name}(x):\n    return {body}\n",
            tuple(f"assert {name}({x}) == {eval(body, {'abs': abs, 'x': x})}" for x in (-3, 0, 5)),
        )
        for name, body in _RIGHT.items()
    )
    names = [question.id for question in questions]
    return ProblemSet("toy", questions, {"train": tuple(names[:4]), "held_out": tuple(names[4:])})


def toy_config(**values: object) -> RunConfig:
    """A small run over the toy world; keyword `train__steps=4` sets `train.steps`."""
    sizes = {"game.questions": 2, "game.candidates": 3, "game.suites": 3, "game.tests": 3, "game.replay_limit": 4}
    rest = {"train.steps": 4, "train.checkpoint_every": 2, "eval.kill": False, "eval.samples": 2, "game.style": "micro"}
    changes = {name.replace("__", "."): value for name, value in values.items()}
    return RunConfig().with_values({**sizes, **rest, **changes})


def toy_makers() -> Makers:
    """The parts of a toy run."""
    problems = toy_problems()
    return Makers(
        lambda config: Problems(problems.split("train").questions, problems.split("held_out").questions, {}),
        lambda config, role: ToyPolicy(role),
        lambda config: FakeSandbox(),
    )


class ToyPolicy:
    """A player that writes programs, or suites when its prompt asks for tests."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.weights = [0.0] * 4
        self.updates = 0
        self.closed = False

    def count_tokens(self, prompt: Prompt) -> int:
        return len(prompt_text(prompt).encode())

    def sample(
        self, prompts: Sequence[Prompt], n: int, *, seed: int, sampling: Sampling = Sampling()
    ) -> list[tuple[Completion, ...]]:
        return [
            tuple(self._complete(prompt_text(prompt), f"{seed}/{place}/{i}") for i in range(n))
            for place, prompt in enumerate(prompts)
        ]

    def as_written(self, prompt: Prompt, text: str) -> Completion:
        return Completion(text, tuple(prompt_text(prompt).encode()), tuple(text.encode()))

    def update(self, groups: Sequence[Group]) -> UpdateStats:
        for group in groups:
            for completion, advantage in zip(group.completions, group.advantages, strict=True):
                slot = len(completion.text) % len(self.weights)
                self.weights[slot] += 0.1 * advantage / len(groups)
        self.updates += 1
        flat = sum(not any(group.advantages) for group in groups)
        return UpdateStats(loss=self.weights[0], groups=len(groups), groups_without_variance=flat)

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        state = {"weights": [weight.hex() for weight in self.weights], "updates": self.updates}
        (folder / "toy.json").write_text(json.dumps(state))

    def load(self, folder: Path) -> None:
        state = json.loads((folder / "toy.json").read_text())
        self.weights, self.updates = [float.fromhex(weight) for weight in state["weights"]], state["updates"]

    def close(self) -> None:
        self.closed = True

    def _complete(self, prompt: str, draw: str) -> Completion:
        state = ",".join(weight.hex() for weight in self.weights)
        digest = hashlib.blake2b(f"{self.name}|{state}|{prompt}|{draw}".encode(), digest_size=8).digest()
        source = random.Random(int.from_bytes(digest, "big"))
        name = next(name for name in _RIGHT if f"the {name} of" in prompt)
        text = self._suite(name, source) if prompt.endswith("<t>") else self._program(name, source)
        tokens = tuple(text.encode())
        return Completion(text, tuple(prompt.encode()), tokens, (-1.0,) * len(tokens))

    def _program(self, name: str, source: random.Random) -> str:
        if source.random() < 0.05:
            return f"def {name}(x) return x"
        skill = 0.3 + 0.1 * max(self.weights)
        return f"def {name}(x):\n    return {_RIGHT[name] if source.random() < skill else source.choice(_WRONG)}\n"

    def _suite(self, name: str, source: random.Random) -> str:
        lines = []
        for _ in range(3):
            x = source.randrange(-6, 7)
            answer = eval(_RIGHT[name], {"abs": abs, "x": x}) + (source.random() < 0.2)
            lines.append(f"assert {name}({x}) == {answer}")
        return "\n".join(lines) + "\n"
