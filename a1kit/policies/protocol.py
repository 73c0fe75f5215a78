"""What a policy is: it writes, and it learns. Real models and the scripted fake of the tests share the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from a1kit.types import Completion, Group, Prompt, UpdateStats


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to sample. `temperature` 0 is greedy. `stop` strings end a completion and are kept out of its text.
    `max_new_tokens` counts completion tokens. The update must use the sampler's temperature."""

    temperature: float = 1.0
    top_p: float = 1.0
    max_new_tokens: int = 256
    stop: tuple[str, ...] = ()


@runtime_checkable
class Policy(Protocol):
    """One language model of the game."""

    name: str

    def count_tokens(self, prompt: Prompt) -> int:
        """Length of the rendered prompt in tokens."""
        ...

    def sample(
        self, prompts: Sequence[Prompt], n: int, *, seed: int, sampling: Sampling = Sampling()
    ) -> list[tuple[Completion, ...]]:
        """n completions a prompt, in order. The same seed gives the same completions."""
        ...

    def as_written(self, prompt: Prompt, text: str) -> Completion:
        """`text` as if the policy had written it after `prompt` and ended, without log-probs. An update on it with the
        advantage 1 raises its log-likelihood: supervised learning."""
        ...

    def update(self, groups: Sequence[Group]) -> UpdateStats:
        """One GRPO update on the groups. Groups whose advantages are all zero are counted, not trained on."""
        ...

    def save(self, folder: Path) -> None:
        """Write model, optimizer, scheduler and random state, all that `load` needs to go on bit for bit."""
        ...

    def load(self, folder: Path) -> None: ...

    def close(self) -> None: ...
