"""Our samplers against transformers' `generate`, token for token.

    a1kit bench sample             micro and SmolLM2-135M, a few minutes on two cores
    a1kit bench sample --quick     fewer rounds, the micro models only

Both write n completions of each prompt to the full length (nothing ends early, so both decode the same number of
tokens), at temperature 1 over the whole vocabulary. `generate` is called as one calls it: with each prompt repeated n
times. They take turns, and the medians of the rounds are compared.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from a1kit.policies import PolicyConfig, Sampling, models


@dataclass(frozen=True, slots=True)
class Load:
    """What is sampled: `prompts` of `length` tokens, n completions of `new` tokens each."""

    model: str
    sampler: str
    prompts: int
    n: int
    length: int
    new: int
    rounds: int


LOADS = (
    Load("micro-code", "fast", 16, 4, 26, 40, 5),
    Load("micro-test", "fast", 64, 4, 64, 40, 5),
    Load("micro-test", "fast", 64, 16, 64, 40, 3),
    Load("micro-code", "group", 16, 4, 26, 40, 5),
    Load("smollm2-135m", "group", 1, 8, 160, 48, 3),
    Load("smollm2-135m", "group", 2, 16, 160, 48, 3),
)


def run(quick: bool = False) -> dict[str, Any]:
    """Median seconds and tokens a second of both, and how many times faster ours is."""
    import torch

    loads = [load for load in LOADS if load.model.startswith("micro")] if quick else LOADS
    rows = [_measure(load, 2 if quick else load.rounds) for load in loads]
    return {"benchmark": "sample", "threads": torch.get_num_threads(), "samplers": rows}


def _measure(load: Load, rounds: int) -> dict[str, Any]:
    loaded = models.load(PolicyConfig(model=load.model, device="cpu"))
    draw = random.Random(0)
    prompts = [[draw.randrange(10, 500) for _ in range(load.length)] for _ in range(load.prompts)]
    ours, theirs = _ours(load, loaded, prompts), _generate(load, loaded, prompts)
    ours(), theirs()  # warm-up
    seconds: dict[str, list[float]] = {"ours": [], "generate": []}
    for _ in range(rounds):
        seconds["ours"].append(_timed(ours))
        seconds["generate"].append(_timed(theirs))
    median = {name: statistics.median(times) for name, times in seconds.items()}
    tokens = load.prompts * load.n * load.new
    return {
        "model": load.model,
        "sampler": load.sampler,
        "prompts": load.prompts,
        "n": load.n,
        "new tokens": load.new,
        "ours s": round(median["ours"], 3),
        "generate s": round(median["generate"], 3),
        "ours tokens/s": round(tokens / median["ours"]),
        "generate tokens/s": round(tokens / median["generate"]),
        "times faster": round(median["generate"] / median["ours"], 2),
    }


def _ours(load: Load, loaded: models.Loaded, prompts: list[list[int]]) -> Callable[[], object]:
    from a1kit.policies.fast_sampler import FastSampler
    from a1kit.policies.group_sampler import GroupSampler

    sampler: Any = FastSampler(loaded.model) if load.sampler == "fast" else GroupSampler(loaded.model, 2e9)
    settings = Sampling(max_new_tokens=load.new)
    never: frozenset[int] = frozenset()
    return lambda: sampler.sample_ids(prompts, load.n, seed=0, sampling=settings, eos_ids=never, pad_id=loaded.pad_id)


def _generate(load: Load, loaded: models.Loaded, prompts: list[list[int]]) -> Callable[[], object]:
    import torch

    ids = torch.tensor([prompt for prompt in prompts for _ in range(load.n)])

    def call() -> object:
        with torch.no_grad():
            return loaded.model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                do_sample=True,
                top_k=0,
                min_new_tokens=load.new,
                max_new_tokens=load.new,
                pad_token_id=loaded.pad_id,
            )

    return call


def _timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started
