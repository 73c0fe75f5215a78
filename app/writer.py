"""A Test LLM in a process of its own (`python -m a1kit_app.writer`), so that the inspector never imports torch.

    in   {"model": "micro-test" or a folder, "prompt": text or messages, "count": 4, "seed": 1, "max_new_tokens": 64}
    out  {"text": "assert f([]) == 0\\n…"}     one line a suite, as each is written

The model stays loaded until another is asked for. `model` comes from the inspector's own list of opponents, never from
a browser.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from a1kit.policies import PolicyConfig, Sampling
from a1kit.policies.protocol import Policy
from a1kit.types import Prompt
from a1kit_app.side_process import serve

SMALL = 1_000_000_000
"""Bytes for the sampler's caches."""


class Writer:
    """Answers requests with the model that is loaded."""

    def __init__(self) -> None:
        self._model = ""
        self._policy: Policy | None = None

    def answer(self, request: dict[str, Any]) -> Iterator[dict[str, str]]:
        """The suites of one request, each sampled by itself so that it can be shown at once."""
        policy = self._loaded(str(request["model"]))
        sampling = Sampling(max_new_tokens=int(request["max_new_tokens"]))
        for number in range(int(request["count"])):
            prompt = _prompt(request["prompt"])
            ((completion,),) = policy.sample([prompt], 1, seed=int(request["seed"]) + number, sampling=sampling)
            yield {"text": completion.text}

    def _loaded(self, model: str) -> Policy:
        if self._policy is None or model != self._model:
            import torch

            from a1kit.policies import HFPolicy

            torch.set_num_threads(1)  # the person's machine has other things to do, a training perhaps
            self._policy = None
            self._policy = HFPolicy(PolicyConfig(model, "tests", sample_memory_gb=SMALL / 1e9))
            self._model = model
        return self._policy


def _prompt(given: Any) -> Prompt:
    return given if isinstance(given, str) else tuple(given)


if __name__ == "__main__":
    serve(Writer().answer)
