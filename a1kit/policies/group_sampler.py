"""Two samplers for any causal language model of transformers: one that prefills a prompt once, and `generate`.

`GroupSampler` runs each distinct prompt through the model once, repeats its KV-cache for the n samples, and drops rows
that have ended from the batch as it goes. `GenerateSampler` leaves the loop to transformers, for models whose cache
cannot be repeated. Both draw through the same uniforms (`a1kit.policies.sampling`), so both write the same completions.

Prompts are padded on the left; a row's positions count from its first real token. Prompts that decode together are
those of similar length, as many as the memory bound allows: an estimate of the KV-cache and of the logits (several
copies of which are alive while a token is drawn).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers.cache_utils import DynamicCache, DynamicLayer

from a1kit.policies.memory import shape_of
from a1kit.policies.protocol import Sampling
from a1kit.policies.sampling import Sampled, Sampler, uniforms

_LOGITS_COPIES = 4
_CHECK_EVERY = 4
_COMPACT_BELOW = 0.8

Stopped = Callable[[Sequence[int]], bool]


@dataclass(frozen=True, slots=True)
class _Row:
    """One completion to write: its prompt's place in the caller's list and its place among that prompt's samples."""

    prompt: int
    sample: int


class GroupSampler:
    """See the module. `memory_bytes` bounds what decoding adds to the model's weights."""

    def __init__(self, model: Any, memory_bytes: float) -> None:
        self._model = model
        self._memory_bytes = memory_bytes

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def sample_ids(
        self,
        prompts: Sequence[Sequence[int]],
        n: int,
        *,
        seed: int,
        sampling: Sampling,
        eos_ids: frozenset[int],
        pad_id: int,
        stopped: Stopped | None = None,
        first_prompt: int = 0,
    ) -> list[list[Sampled]]:
        """See `a1kit.policies.sampling.Sampler`."""
        done: dict[_Row, Sampled] = {}
        for rows in _batches(self._model.config, prompts, n, sampling.max_new_tokens, self._memory_bytes):
            draws_RT = _draws(rows, n, seed, sampling.max_new_tokens, first_prompt)
            batch = _Batch(self._model, prompts, rows, draws_RT, sampling, eos_ids, pad_id)
            done.update(zip(rows, batch.run(stopped), strict=True))
        return [[done[_Row(p, j)] for j in range(n)] for p in range(len(prompts))]


class GenerateSampler:
    """transformers' `generate`, made to draw with our uniforms by a logits processor that leaves it one choice."""

    def __init__(self, model: Any, memory_bytes: float) -> None:
        self._model = model
        self._memory_bytes = memory_bytes

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def sample_ids(
        self,
        prompts: Sequence[Sequence[int]],
        n: int,
        *,
        seed: int,
        sampling: Sampling,
        eos_ids: frozenset[int],
        pad_id: int,
        stopped: Stopped | None = None,
        first_prompt: int = 0,
    ) -> list[list[Sampled]]:
        """See `a1kit.policies.sampling.Sampler`."""
        from transformers import GenerationConfig

        settings = GenerationConfig(
            max_new_tokens=sampling.max_new_tokens,
            do_sample=False,
            eos_token_id=sorted(eos_ids) or None,
            pad_token_id=pad_id,
            disable_compile=True,
        )
        done: dict[_Row, Sampled] = {}
        for rows in _batches(self._model.config, prompts, n, sampling.max_new_tokens, self._memory_bytes):
            ids_RP, mask_RP = _pad_left([prompts[row.prompt] for row in rows], pad_id, self._model.device)
            chooser = _Chooser(_draws(rows, n, seed, sampling.max_new_tokens, first_prompt).to(ids_RP.device), sampling)
            width = ids_RP.shape[1]
            written_RT = self._model.generate(
                input_ids=ids_RP,
                attention_mask=mask_RP,
                generation_config=settings,
                logits_processor=[chooser],
                stopping_criteria=[_Stopper(stopped, width)] if stopped else None,
            )[:, width:].tolist()
            logprobs_RT = torch.stack(chooser.logprobs, dim=1).tolist()
            for row, ids, logprobs in zip(rows, written_RT, logprobs_RT, strict=True):
                done[row] = _ended(ids, logprobs, eos_ids)
        return [[done[_Row(p, j)] for j in range(n)] for p in range(len(prompts))]


class Bounded:
    """Hands a sampler that knows no bound as many prompts at a time as `memory_bytes` allows."""

    def __init__(self, sampler: Sampler, config: Any, memory_bytes: float) -> None:
        self._sampler = sampler
        self._config = config
        self._memory_bytes = memory_bytes

    def sample_ids(
        self,
        prompts: Sequence[Sequence[int]],
        n: int,
        *,
        seed: int,
        sampling: Sampling,
        eos_ids: frozenset[int],
        pad_id: int,
        stopped: Stopped | None = None,
        first_prompt: int = 0,
    ) -> list[list[Sampled]]:
        """See `a1kit.policies.sampling.Sampler`."""
        longest = max(map(len, prompts), default=0) + sampling.max_new_tokens
        at_once = max(1, int(self._memory_bytes // (n * _row_bytes(self._config, longest))))
        written: list[list[Sampled]] = []
        for start in range(0, len(prompts), at_once):
            written += self._sampler.sample_ids(
                prompts[start : start + at_once],
                n,
                seed=seed,
                sampling=sampling,
                eos_ids=eos_ids,
                pad_id=pad_id,
                stopped=stopped,
                first_prompt=first_prompt + start,
            )
        return written


def draw(logits_RV: torch.Tensor, u_R: torch.Tensor, sampling: Sampling) -> tuple[torch.Tensor, torch.Tensor]:
    """One token a row by inverting the cumulative distribution at u, and its log-probability (see `Sampled`).

    Temperature 0 takes the likeliest token. With `top_p` < 1 the draw is from the smallest set of tokens, likeliest
    first, that holds at least that probability.
    """
    logits_RV = logits_RV.float()
    if sampling.temperature > 0 and sampling.temperature != 1:
        logits_RV = logits_RV / sampling.temperature
    total_R1 = torch.logsumexp(logits_RV, dim=-1, keepdim=True)
    if sampling.temperature == 0:
        token_R1 = logits_RV.argmax(dim=-1, keepdim=True)
    else:
        probability_RV = torch.exp(logits_RV - total_R1)
        if sampling.top_p < 1:
            sorted_RV, order_RV = probability_RV.sort(dim=-1, descending=True, stable=True)
            before_RV = sorted_RV.cumsum(dim=-1) - sorted_RV
            token_R1 = order_RV.gather(1, _invert(sorted_RV.masked_fill(before_RV >= sampling.top_p, 0.0), u_R))
        else:
            token_R1 = _invert(probability_RV, u_R)
    return token_R1[:, 0], (logits_RV.gather(1, token_R1) - total_R1)[:, 0]


def _invert(weight_RV: torch.Tensor, u_R: torch.Tensor) -> torch.Tensor:
    """First index whose cumulative weight exceeds u times the whole; u < 1, so an index of weight 0 is never taken."""
    cumulative_RV = weight_RV.cumsum(dim=-1)
    target_R1 = u_R[:, None] * cumulative_RV[:, -1:]
    return torch.searchsorted(cumulative_RV, target_R1, right=True).clamp_(max=weight_RV.shape[1] - 1)


class _Batch:
    """The decoding of one batch. Tensors are indexed by live row; `_live` says which row of the batch that is."""

    def __init__(
        self,
        model: Any,
        prompts: Sequence[Sequence[int]],
        rows: Sequence[_Row],
        draws_RT: torch.Tensor,
        sampling: Sampling,
        eos_ids: frozenset[int],
        pad_id: int,
    ) -> None:
        self._model, self._sampling, self._eos_ids = model, sampling, eos_ids
        self._limit = sampling.max_new_tokens
        device = model.device
        self._live = torch.arange(len(rows), device=device)
        self._draws_RT = draws_RT.to(device)
        self._eos = torch.tensor(sorted(eos_ids), dtype=torch.long, device=device)
        self._ids_RT = torch.full((len(rows), self._limit), pad_id, dtype=torch.long, device=device)
        self._logprobs_RT = torch.zeros((len(rows), self._limit), dtype=torch.float32, device=device)
        self._written = 0
        self._cache, self._cache_argument = _empty_cache(model.config, self._limit), _cache_argument(model)
        self._prefill([tuple(prompts[row.prompt]) for row in rows], pad_id)

    def run(self, stopped: Stopped | None) -> list[Sampled]:
        """Decode until every row has ended or the limit is reached."""
        ended_R = torch.zeros(len(self._live), dtype=torch.bool, device=self._live.device)
        while True:
            token_R, logprob_R = draw(self._logits_RV, self._draws_RT[self._live, self._written], self._sampling)
            self._ids_RT[self._live, self._written] = token_R
            self._logprobs_RT[self._live, self._written] = logprob_R
            self._written += 1
            ended_R |= torch.isin(token_R, self._eos)
            if self._written == self._limit:
                break
            if self._written % _CHECK_EVERY == 0:
                if stopped is not None:
                    ended_R |= self._stopped_rows(ended_R, stopped)
                share = 1 - float(ended_R.float().mean())
                if share == 0:
                    break
                if share < _COMPACT_BELOW:
                    (keep,) = torch.nonzero(~ended_R, as_tuple=True)
                    token_R, ended_R = token_R[keep], ended_R[keep]
                    self._compact(keep)
            self._advance(token_R)
        ids_RT = self._ids_RT[:, : self._written].tolist()
        logprobs_RT = self._logprobs_RT[:, : self._written].tolist()
        return [_ended(i, lp, self._eos_ids) for i, lp in zip(ids_RT, logprobs_RT, strict=True)]

    def _prefill(self, prompts: Sequence[tuple[int, ...]], pad_id: int) -> None:
        """Each distinct prompt once; then cache and logits are repeated for the rows that continue it."""
        distinct = list(dict.fromkeys(prompts))
        place = {prompt: i for i, prompt in enumerate(distinct)}
        ids_PL, mask_PL = _pad_left(distinct, pad_id, self._model.device)
        padded = bool((mask_PL == 0).any())
        position_PL = (mask_PL.cumsum(dim=-1) - 1).clamp(min=0)
        logits_PV = self._forward(ids_PL, mask_PL if padded else None, position_PL)
        source_R = torch.tensor([place[prompt] for prompt in prompts], device=self._model.device)
        self._cache.batch_select_indices(source_R)
        self._logits_RV = logits_PV[source_R]
        self._position_R1 = position_PL[source_R, -1:]
        self._mask_RL = mask_PL[source_R] if padded else None

    def _advance(self, token_R: torch.Tensor) -> None:
        self._position_R1 = self._position_R1 + 1
        if self._mask_RL is not None:
            self._mask_RL = torch.cat([self._mask_RL, self._mask_RL.new_ones((len(token_R), 1))], dim=1)
        self._logits_RV = self._forward(token_R[:, None], self._mask_RL, self._position_R1)

    def _forward(self, ids: torch.Tensor, mask: torch.Tensor | None, position: torch.Tensor) -> torch.Tensor:
        """Logits of the last column: (rows, vocabulary). The cache grows by the columns of `ids`."""
        output = self._model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=position,
            use_cache=True,
            logits_to_keep=1,
            **{self._cache_argument: self._cache},
        )
        logits: torch.Tensor = output.logits[:, -1]
        return logits

    def _compact(self, keep: torch.Tensor) -> None:
        """Go on with these rows only."""
        self._live = self._live[keep]
        self._position_R1 = self._position_R1[keep]
        self._cache.batch_select_indices(keep)
        if self._mask_RL is not None:
            self._mask_RL = self._mask_RL[keep]

    def _stopped_rows(self, ended_R: torch.Tensor, stopped: Stopped) -> torch.Tensor:
        written = self._ids_RT[self._live, : self._written].tolist()
        found = [not over and stopped(ids) for over, ids in zip(ended_R.tolist(), written, strict=True)]
        return torch.tensor(found, device=ended_R.device)


def can_repeat_cache(config: Any) -> bool:
    """Whether the cache of such a model can be repeated and thinned out (a recurrent state's, for one, cannot)."""
    return all(hasattr(layer, "batch_select_indices") for layer in DynamicCache(config=config).layers)


def _empty_cache(config: Any, room: int) -> DynamicCache:
    """A cache whose ordinary layers keep `room` places free behind the prompt."""
    cache = DynamicCache(config=config)
    cache.layers = [_RoomyLayer(room) if type(layer) is DynamicLayer else layer for layer in cache.layers]
    return cache


class _RoomyLayer(DynamicLayer):  # type: ignore[misc]
    """A layer's keys and values in a buffer with room to grow. transformers' own copies the whole cache for every
    token, which took a third of the time of decoding 32 rows of SmolLM2 on a CPU."""

    keys: torch.Tensor
    values: torch.Tensor
    _buffers: tuple[torch.Tensor, torch.Tensor]

    def __init__(self, room: int) -> None:
        super().__init__()
        self._room = room
        self._capacity = 0

    def update(self, key_states: Any, value_states: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        if not self.is_initialized:
            super().update(key_states, value_states, *args, **kwargs)
            return self.keys, self.values
        start, end = self.keys.shape[-2], self.keys.shape[-2] + key_states.shape[-2]
        for buffer, states in zip(self._buffers, (key_states, value_states), strict=True):
            buffer[:, :, start:end] = states
        self._show(end)
        return self.keys, self.values

    def batch_select_indices(self, indices: torch.Tensor) -> None:
        """Rows `indices`, in a new buffer. Called once after the prompt and whenever rows leave."""
        used = self.keys.shape[-2]
        self._capacity = self._capacity or used + self._room
        self._buffers = (self._selected(self.keys, indices), self._selected(self.values, indices))
        self._show(used)

    def _selected(self, old: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
        _rows, heads, used, width = old.shape
        buffer = old.new_empty((len(indices), heads, self._capacity, width))
        torch.index_select(old, 0, indices, out=buffer[:, :, :used])
        return buffer

    def _show(self, used: int) -> None:
        self.keys, self.values = (buffer[:, :, :used] for buffer in self._buffers)


def _cache_argument(model: Any) -> str:
    """The name under which the model's forward takes the cache: it changes in transformers 5.24."""
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    return "cache" if "cache" in inspect.signature(type(base).forward).parameters else "past_key_values"


class _Chooser:
    """A logits processor that draws, remembers the log-probability, and leaves only the drawn token possible."""

    def __init__(self, draws_RT: torch.Tensor, sampling: Sampling) -> None:
        self.logprobs: list[torch.Tensor] = []
        self._draws_RT = draws_RT
        self._sampling = sampling

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        token_R, logprob_R = draw(scores, self._draws_RT[:, len(self.logprobs)], self._sampling)
        self.logprobs.append(logprob_R)
        return torch.full_like(scores, float("-inf")).scatter_(1, token_R[:, None], 0.0)


class _Stopper:
    """A stopping criterion: which rows hold a stop string behind their prompt."""

    def __init__(self, stopped: Stopped, prompt_width: int) -> None:
        self._stopped = stopped
        self._prompt_width = prompt_width

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        found = [self._stopped(ids) for ids in input_ids[:, self._prompt_width :].tolist()]
        return torch.tensor(found, device=input_ids.device)


def _batches(
    config: Any, prompts: Sequence[Sequence[int]], n: int, max_new_tokens: int, memory_bytes: float
) -> Iterator[list[_Row]]:
    """Rows that decode together, longest prompts first: a function of the arguments alone."""
    order = sorted(range(len(prompts)), key=lambda p: (-len(prompts[p]), tuple(prompts[p]), p))
    batch: list[_Row] = []
    row_bytes = 0.0
    for row in (_Row(p, j) for p in order for j in range(n)):
        if not batch:
            row_bytes = _row_bytes(config, len(prompts[row.prompt]) + max_new_tokens)
        batch.append(row)
        if (len(batch) + 1) * row_bytes > memory_bytes:
            yield batch
            batch = []
    if batch:
        yield batch


def _row_bytes(config: Any, length: int) -> float:
    """What one row of this length holds while it decodes: its KV-cache and some copies of its logits."""
    shape = shape_of(config.get_text_config())
    return 4 * (length * shape.kv_floats + _LOGITS_COPIES * shape.vocab)


def _draws(rows: Sequence[_Row], n: int, seed: int, width: int, first_prompt: int) -> torch.Tensor:
    """u[row, t] of every row of a batch."""
    by_prompt = {row.prompt: uniforms(seed, first_prompt + row.prompt, 1, n, width) for row in rows}
    return torch.stack([torch.from_numpy(by_prompt[row.prompt][row.sample]) for row in rows])


def _pad_left(prompts: Sequence[Sequence[int]], pad_id: int, device: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Token numbers and attention mask, each (prompts, longest)."""
    width = max(map(len, prompts))
    ids = [[pad_id] * (width - len(prompt)) + list(prompt) for prompt in prompts]
    mask = [[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts]
    return torch.tensor(ids, device=device), torch.tensor(mask, device=device)


def _ended(ids: Sequence[int], logprobs: Sequence[float], eos_ids: frozenset[int]) -> Sampled:
    """The row up to and with its first end token."""
    end = next((i + 1 for i, token in enumerate(ids) if token in eos_ids), None)
    return Sampled(tuple(ids[:end]), tuple(logprobs[:end]), end is not None)
