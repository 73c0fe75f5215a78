"""A sampler for very small models, where `generate` spends its time on everything but arithmetic.

One forward pass of a micro model over a few hundred rows takes milliseconds, and transformers' loop (cache objects,
logits processors, stopping criteria, attention dispatch) costs several times that a token. This one is the same
computation written down flat, for the Llama and Qwen2 architectures with a single key-value head.

* All heads of a row share keys and values, so the heads become rows of one matrix and attention is a batched product
  of (heads x width) by (width x length): no repetition of keys.
* A prompt is prefilled once for its n completions.
* Rows that have ended leave the batch every few tokens.
* A draw inverts the cumulative distribution (`cumsum`, then a binary search), which costs one pass over the logits.

It gives the same greedy tokens as `generate` and log-probabilities within 1e-4 of the model's own forward pass. It
reads the weights at every call, so it may be kept across updates. What it cannot do it refuses (`why_not`): other
architectures, several key-value heads, adapters, quantised or half-precision weights, devices other than the CPU.
Nothing bounds its memory: that is the caller's, who chooses how many prompts to pass at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from a1kit.errors import ConfigError
from a1kit.policies.protocol import Sampling
from a1kit.policies.sampling import Sampled, uniforms

MAX_WIDTH = 512
"""Hidden size up to which leaving `generate` pays; larger models spend their time in the products themselves."""

ARCHITECTURES = ("LlamaForCausalLM", "Qwen2ForCausalLM")

_COMPACT_EVERY = 4
_COMPACT_SHARE = 0.12
_MASKED = -1e30


def why_not(model: Any) -> str | None:
    """Why this sampler cannot run `model`; None when it can."""
    config = model.config
    if type(model).__name__ not in ARCHITECTURES:
        return f"{type(model).__name__} is not one of {', '.join(ARCHITECTURES)}"
    if config.num_key_value_heads != 1:
        return f"it has {config.num_key_value_heads} key-value heads, not 1"
    if config.hidden_size > MAX_WIDTH:
        return f"it is {config.hidden_size} wide, more than {MAX_WIDTH}"
    if config.hidden_act != "silu":
        return f"its activation is {config.hidden_act}, not silu"
    if any(kind != "full_attention" for kind in getattr(config, "layer_types", None) or ()):
        return "it uses sliding-window attention"
    if model.model.rotary_emb.rope_type != "default":
        return f"its rotary embedding is of type {model.model.rotary_emb.rope_type}, not default"
    first = model.model.layers[0]
    if any(linear.bias is not None for linear in (first.self_attn.o_proj, first.mlp.gate_proj, first.mlp.down_proj)):
        return "its output or feed-forward projections have biases"
    projection = first.self_attn.q_proj
    if type(projection) is not torch.nn.Linear:
        return f"its projections are {type(projection).__name__}, not plain linear layers"
    weight = projection.weight
    if weight.dtype != torch.float32 or weight.device.type != "cpu":
        return f"its weights are {weight.dtype} on {weight.device.type}, not float32 on the CPU"
    return None


@dataclass(frozen=True, slots=True)
class _Layer:
    """One layer's weights, projections that read the same input joined."""

    norm_in: Tensor
    qkv: Tensor
    qkv_bias: Tensor | None
    out: Tensor
    norm_mid: Tensor
    gate_up: Tensor
    down: Tensor


@dataclass(slots=True)
class _Rows:
    """The rows still decoding. Caches are (rows, length, head width) a layer; `row` is the number in the results."""

    row: Tensor
    token: Tensor
    shift: Tensor
    mask: Tensor
    keys: list[Tensor]
    values: list[Tensor]

    def keep(self, kept: Tensor, used: int) -> None:
        """Drop all rows but `kept`. Only the first `used` places of the caches hold anything."""
        self.row, self.token, self.shift = self.row[kept], self.token[kept], self.shift[kept]
        self.mask = self.mask[kept]
        for caches in (self.keys, self.values):
            for layer, cache in enumerate(caches):
                smaller = torch.empty(len(kept), *cache.shape[1:])
                smaller[:, :used] = cache[kept, :used]
                caches[layer] = smaller


class FastSampler:
    """`Sampler` (see `a1kit.policies.sampling`) for micro models."""

    def __init__(self, model: Any) -> None:
        reason = why_not(model)
        if reason is not None:
            raise ConfigError(f"the sampler `fast` cannot run this model: {reason}. Use sampler='group'.")
        self._model = model
        config = model.config
        self._heads = int(config.num_attention_heads)
        self._head_width = int(getattr(config, "head_dim", None) or config.hidden_size // self._heads)
        self._epsilon = float(config.rms_norm_eps)
        self._read_weights()

    def _read_weights(self) -> None:
        self._layers = []
        for layer in self._model.model.layers:
            attention, mlp = layer.self_attn, layer.mlp
            qkv = (attention.q_proj, attention.k_proj, attention.v_proj)
            biases = [projection.bias.detach() for projection in qkv if projection.bias is not None]
            joined = _Layer(
                norm_in=layer.input_layernorm.weight.detach(),
                qkv=torch.cat([projection.weight.detach() for projection in qkv]),
                qkv_bias=torch.cat(biases) if biases else None,
                out=attention.o_proj.weight.detach(),
                norm_mid=layer.post_attention_layernorm.weight.detach(),
                gate_up=torch.cat([mlp.gate_proj.weight.detach(), mlp.up_proj.weight.detach()]),
                down=mlp.down_proj.weight.detach(),
            )
            self._layers.append(joined)
        self._embedding = self._model.model.embed_tokens.weight.detach()
        self._norm_out = self._model.model.norm.weight.detach()
        self._head = self._model.lm_head.weight.detach()

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
        """n completions a prompt, in order; see `Sampler`."""
        if not prompts or n < 1:
            return [[] for _ in prompts]
        ends = torch.zeros(len(self._model.lm_head.weight), dtype=torch.bool)
        ends[sorted(eos_ids)] = True
        with torch.inference_mode():
            self._read_weights()
            longest = max(map(len, prompts))
            self._rotary_tables(longest + sampling.max_new_tokens)
            rows, logits = self._prefill(prompts, n, longest, sampling.max_new_tokens, pad_id)
            draws_RT = torch.from_numpy(uniforms(seed, first_prompt, len(prompts), n, sampling.max_new_tokens))
            ids_RT, logprobs_RT = self._continue(rows, logits, longest, draws_RT, sampling, ends, stopped)
        return _collect(ids_RT, logprobs_RT, len(prompts), n, ends)

    def _continue(
        self,
        rows: _Rows,
        logits: Tensor,
        longest: int,
        draws_RT: Tensor,
        sampling: Sampling,
        ends: Tensor,
        stopped: Callable[[Sequence[int]], bool] | None,
    ) -> tuple[Tensor, Tensor]:
        """Token by token, from the logits of the first; token numbers (-1 after the end) and log-probabilities."""
        ids_RT = torch.full(draws_RT.shape, -1)
        logprobs_RT = torch.zeros(draws_RT.shape)
        done = torch.zeros(len(rows.row), dtype=torch.bool)
        for step in range(draws_RT.shape[1]):
            token, logprob = _choose(logits, draws_RT[rows.row, step], sampling)
            ids_RT[rows.row, step] = torch.where(done, -1, token)
            logprobs_RT[rows.row, step] = logprob
            rows.token, done = token, done | ends[token]
            if step == draws_RT.shape[1] - 1:
                break
            if step % _COMPACT_EVERY == _COMPACT_EVERY - 1:
                if stopped is not None:
                    done = done | _which_stopped(ids_RT[rows.row, : step + 1], done, stopped)
                if bool(done.all()):
                    break
                if int(done.sum()) > _COMPACT_SHARE * len(done):
                    rows.keep((~done).nonzero()[:, 0], longest + step)
                    done = torch.zeros(len(rows.row), dtype=torch.bool)
            logits = self._decode(rows, longest + step)
        return ids_RT, logprobs_RT

    def _rotary_tables(self, length: int) -> None:
        positions = torch.arange(length)[None]
        cos, sin = self._model.model.rotary_emb(self._embedding[:1], positions)
        self._cos, self._sin = cos[0], sin[0]

    def _prefill(
        self, prompts: Sequence[Sequence[int]], n: int, longest: int, new: int, pad_id: int
    ) -> tuple[_Rows, Tensor]:
        """All prompts through the model once; their caches, room for `new` more, repeated n times."""
        ids_PT = torch.tensor([[pad_id] * (longest - len(prompt)) + list(prompt) for prompt in prompts])
        shift_P = torch.tensor([longest - len(prompt) for prompt in prompts])
        places = torch.arange(longest)
        hidden_from = (places[None, None, :] < shift_P[:, None, None]) | (places[None, None, :] > places[None, :, None])
        mask = torch.zeros(len(prompts), longest, longest).masked_fill_(hidden_from, _MASKED)
        mask = mask.repeat_interleave(self._heads, dim=1)
        positions_PT = (places - shift_P[:, None]).clamp(min=0)
        cos, sin = self._cos[positions_PT], self._sin[positions_PT]
        shape = (len(prompts), longest, self._head_width)
        keys, values = [], []
        x = self._embedding[ids_PT]
        for layer in self._layers:
            key, value = torch.empty(shape), torch.empty(shape)
            x = self._layer(x, layer, cos, sin, key, value, 0, mask)
            keys.append(key)
            values.append(value)
        logits = F.linear(self._norm(x[:, -1], self._norm_out), self._head)

        def widen(cache: Tensor) -> Tensor:
            wide = torch.empty(len(prompts) * n, longest + new, self._head_width)
            wide[:, :longest] = cache.repeat_interleave(n, dim=0)
            return wide

        shift_R = shift_P.repeat_interleave(n)
        mask_R = torch.zeros(len(shift_R), longest + new)
        mask_R.masked_fill_(torch.arange(longest + new) < shift_R[:, None], _MASKED)
        rows = _Rows(
            row=torch.arange(len(shift_R)),
            token=torch.zeros(len(shift_R), dtype=torch.long),
            shift=shift_R,
            mask=mask_R,
            keys=[widen(key) for key in keys],
            values=[widen(value) for value in values],
        )
        return rows, logits.repeat_interleave(n, dim=0)

    def _decode(self, rows: _Rows, place: int) -> Tensor:
        """One token a row, written at `place` of the caches; the logits of the next."""
        positions = place - rows.shift
        cos, sin = self._cos[positions][:, None], self._sin[positions][:, None]
        mask = rows.mask[:, None, : place + 1]
        x = self._embedding[rows.token][:, None]
        for layer, key, value in zip(self._layers, rows.keys, rows.values, strict=True):
            x = self._layer(x, layer, cos, sin, key, value, place, mask)
        return F.linear(self._norm(x[:, 0], self._norm_out), self._head)

    def _layer(
        self, x: Tensor, layer: _Layer, cos: Tensor, sin: Tensor, keys: Tensor, values: Tensor, place: int, mask: Tensor
    ) -> Tensor:
        """x (batch, places, width) through one layer; its keys and values are written to the caches from `place` on.
        `mask` broadcasts to (batch, places * heads, length)."""
        batch, places, _ = x.shape
        head, end = self._head_width, place + places
        queries_width = self._heads * head
        qkv = F.linear(self._norm(x, layer.norm_in), layer.qkv, layer.qkv_bias)
        queries = qkv[..., :queries_width].view(batch, places, self._heads, head)
        queries = _rotated(queries, cos[:, :, None], sin[:, :, None]).reshape(batch, places * self._heads, head)
        keys[:, place:end] = _rotated(qkv[..., queries_width : queries_width + head], cos, sin)
        values[:, place:end] = qkv[..., queries_width + head :]
        scores = torch.baddbmm(mask, queries, keys[:, :end].transpose(1, 2), alpha=head**-0.5)
        mixed = torch.bmm(scores.softmax(-1), values[:, :end])
        x = x + F.linear(mixed.reshape(batch, places, queries_width), layer.out)
        gate, up = F.linear(self._norm(x, layer.norm_mid), layer.gate_up).chunk(2, dim=-1)
        return x + F.linear(F.silu(gate) * up, layer.down)

    def _norm(self, x: Tensor, weight: Tensor) -> Tensor:
        return F.rms_norm(x, (x.shape[-1],), weight, self._epsilon)


def _rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sin


def _choose(logits: Tensor, draws: Tensor, sampling: Sampling) -> tuple[Tensor, Tensor]:
    """The next token of each row and its log-probability."""
    if sampling.temperature > 0 and sampling.temperature != 1:
        logits = logits / sampling.temperature
    logprobs = F.log_softmax(logits, dim=-1)
    if sampling.temperature == 0:
        token = logits.argmax(-1, keepdim=True)
    else:
        token = _inverted(logprobs.exp(), draws, sampling.top_p)
    return token[:, 0], logprobs.gather(1, token)[:, 0]


def _inverted(chances: Tensor, draws: Tensor, top_p: float) -> Tensor:
    """The token at which each row's cumulative distribution passes its draw; shape (rows, 1)."""
    if top_p < 1:
        ordered, order = chances.sort(dim=-1, descending=True)
        outside = ordered.cumsum(-1) - ordered >= top_p
        chances = chances.scatter(1, order, ordered.masked_fill(outside, 0.0))
    sums = chances.cumsum(-1)
    token = torch.searchsorted(sums, draws[:, None] * sums[:, -1:], right=True)
    return token.clamp_(max=chances.shape[1] - 1)


def _which_stopped(ids: Tensor, done: Tensor, stopped: Callable[[Sequence[int]], bool]) -> Tensor:
    found = [not ended and stopped(row) for row, ended in zip(ids.tolist(), done.tolist(), strict=True)]
    return torch.tensor(found)


def _collect(ids_RT: Tensor, logprobs_RT: Tensor, prompts: int, n: int, ends: Tensor) -> list[list[Sampled]]:
    """Rows of token numbers, -1 after the end, as completions by prompt."""
    lengths = (ids_RT >= 0).sum(-1).tolist()
    flat = []
    for ids, logprobs, length in zip(ids_RT.tolist(), logprobs_RT.tolist(), lengths, strict=True):
        finished = bool(length and ends[ids[length - 1]])
        flat.append(Sampled(tuple(ids[:length]), tuple(logprobs[:length]), finished))
    return [flat[prompt * n : (prompt + 1) * n] for prompt in range(prompts)]
