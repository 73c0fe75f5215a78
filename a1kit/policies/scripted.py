"""A policy that says what it is told: the fake with which everything above the policies is tested.

It keeps the promises of the protocol (the same seed gives the same completions, `save` and `load` restore the state)
and learns nothing: its updates are recorded in `updates`, for a test to look at.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from a1kit.errors import RunError
from a1kit.policies.protocol import Sampling
from a1kit.types import Completion, Group, Prompt, UpdateStats

Script = Callable[[Prompt, int, int], str]
"""(prompt, index of the sample within its prompt, seed) -> text."""

_STATE = "scripted.json"


def prompt_text(prompt: Prompt) -> str:
    """The words of a prompt: itself, or its messages' contents one after the other."""
    return prompt if isinstance(prompt, str) else "\n".join(message["content"] for message in prompt)


class ScriptedPolicy:
    """Answers from `script`: a function, or texts that are dealt round and round (sample i of prompt p gets text
    p * n + i, shifted by the seed). Tokens are the text's UTF-8 bytes; every log-probability is -1.

    Raises nothing of its own; `load` raises RunError when the folder holds no scripted policy.
    """

    def __init__(self, script: Script | Sequence[str], *, name: str = "scripted") -> None:
        self.name = name
        self.updates: list[tuple[Group, ...]] = []
        self.update_count = 0
        self.closed = False
        self._script = script

    def count_tokens(self, prompt: Prompt) -> int:
        return len(prompt_text(prompt).encode())

    def sample(
        self, prompts: Sequence[Prompt], n: int, *, seed: int, sampling: Sampling = Sampling()
    ) -> list[tuple[Completion, ...]]:
        return [
            tuple(self._complete(prompt, self._text(prompt, place * n + i, i, seed), sampling) for i in range(n))
            for place, prompt in enumerate(prompts)
        ]

    def as_written(self, prompt: Prompt, text: str) -> Completion:
        return Completion(text, tuple(prompt_text(prompt).encode()), tuple(text.encode()))

    def update(self, groups: Sequence[Group]) -> UpdateStats:
        self.updates.append(tuple(groups))
        self.update_count += 1
        flat = [group for group in groups if not any(group.advantages)]
        tokens = sum(len(completion.ids) for group in groups for completion in group.completions)
        return UpdateStats(tokens=tokens, groups=len(groups), groups_without_variance=len(flat))

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _STATE).write_text(json.dumps({"name": self.name, "update_count": self.update_count}))

    def load(self, folder: Path) -> None:
        try:
            state = json.loads((folder / _STATE).read_text())
        except FileNotFoundError:
            raise RunError(f"{folder} holds no scripted policy; it must contain {_STATE}") from None
        self.update_count = state["update_count"]

    def close(self) -> None:
        self.closed = True

    def _text(self, prompt: Prompt, place: int, sample: int, seed: int) -> str:
        if callable(self._script):
            return self._script(prompt, sample, seed)
        return self._script[(place + seed) % len(self._script)]

    def _complete(self, prompt: Prompt, text: str, sampling: Sampling) -> Completion:
        ends = [at for at in (text.find(stop) for stop in sampling.stop) if at >= 0]
        whole = text[: min(ends)] if ends else text
        tokens = whole.encode()
        kept = tokens[: sampling.max_new_tokens]
        return Completion(
            text=kept.decode(errors="ignore"),
            prompt_ids=tuple(prompt_text(prompt).encode()),
            ids=tuple(kept),
            logprobs=(-1.0,) * len(kept),
            finished=len(kept) == len(tokens),
        )
