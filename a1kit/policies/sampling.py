"""What every sampler of token numbers agrees on: its interface, its random numbers, and where a completion ends.

**Random numbers.** Token t of sample j of prompt p is drawn by inverting the cumulative distribution at

    u[p, j, t] = the t-th number of the SplitMix64 generator whose seed is mixed from (seed, p, j)

so a draw depends on those four numbers alone: not on the batch it was computed in, not on n, not on the length limit,
not on which other samples ended earlier. (Logits still depend on the batch in their last bit, and a draw within that
bit of a boundary may fall on the other side. Runs that must repeat bit for bit keep their batches the same, which a
policy does: its batches are a function of the prompts and the configuration, never of the memory that is free.)

**The end.** A completion ends with an end token, which is kept in `ids` (the policy chose it and learns from it) and
out of the text; or with the token that completes a stop string, kept likewise, the text ending before the string; or
it is cut by the length limit, and then is not `finished`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from a1kit.policies.protocol import Sampling

_MASK = 2**64 - 1
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True, slots=True)
class Sampled:
    """One completion in token numbers. `logprobs[t]` is ln p(ids[t]) under the softmax at the sampler's temperature
    over the whole vocabulary (before `top_p` cuts it; at temperature 1 when sampling is greedy)."""

    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    finished: bool


class Sampler(Protocol):
    """Continues prompts given as token numbers.

    `stopped(ids)` (None: there are no stop strings) says whether the completion so far ends in a stop string. A sampler
    may ask it late and run on: the caller cuts with `StopStrings.cut`.
    """

    def sample_ids(
        self,
        prompts: Sequence[Sequence[int]],
        n: int,
        *,
        seed: int,
        sampling: Sampling,
        eos_ids: frozenset[int],
        pad_id: int,
        stopped: Callable[[Sequence[int]], bool] | None = None,
        first_prompt: int = 0,
    ) -> list[list[Sampled]]:
        """n completions a prompt, in order. `first_prompt` is the p of the first prompt, so that a caller who splits a
        batch gets the same draws."""
        ...


def uniforms(seed: int, first_prompt: int, prompts: int, n: int, width: int) -> npt.NDArray[np.float32]:
    """u[p, j, t] in [0, 1) for `prompts` prompts from `first_prompt` on, j < n, t < width.

    Shape (prompts * n, width), the samples of a prompt side by side. Multiples of 2**-24, so never 1.
    """
    with np.errstate(over="ignore"):
        seed_P = _mix(_mix(np.array([seed & _MASK], np.uint64)) + _range(first_prompt, prompts))
        seed_R = _mix(seed_P[:, None] + _range(0, n)).reshape(-1)
        bits_RT = _mix(seed_R[:, None] + _GAMMA * _range(0, width))
    return ((bits_RT >> np.uint64(40)).astype(np.float32)) * np.float32(2.0**-24)


def _range(first: int, count: int) -> npt.NDArray[np.uint64]:
    return np.arange(first, first + count).astype(np.uint64)


def _mix(bits: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """One step of SplitMix64: every input bit moves every output bit."""
    mixed = bits + _GAMMA
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _MIX_1
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _MIX_2
    return mixed ^ (mixed >> np.uint64(31))


class StopStrings:
    """Finds stop strings in token numbers by decoding, so that a string is found however it was split into tokens."""

    def __init__(self, decode: Callable[[Sequence[int]], str], stop: Sequence[str]) -> None:
        self._decode = decode
        self._stop = tuple(text for text in stop if text)
        self._tail = max((len(text) for text in self._stop), default=0) + 8

    def __bool__(self) -> bool:
        return bool(self._stop)

    def stopped(self, ids: Sequence[int]) -> bool:
        """Whether a stop string is complete within the last few tokens (a token adds at least a character, but for the
        special ones)."""
        return self._found(self._decode(ids[-self._tail :]))

    def cut(self, sampled: Sampled) -> Sampled:
        """The completion up to the token that completes the first stop string; unchanged without one."""
        if not self._found(self._decode(sampled.ids)):
            return sampled
        low, high = 1, len(sampled.ids)
        while low < high:
            middle = (low + high) // 2
            if self._found(self._decode(sampled.ids[:middle])):
                high = middle
            else:
                low = middle + 1
        return Sampled(sampled.ids[:low], sampled.logprobs[:low], True)

    def before(self, text: str) -> str:
        """The text before the first stop string."""
        ends = [at for at in (text.find(stop) for stop in self._stop) if at >= 0]
        return text[: min(ends)] if ends else text

    def _found(self, text: str) -> bool:
        return any(stop in text for stop in self._stop)
