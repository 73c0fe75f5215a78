"""How much memory a policy needs, from the shape of its model and the sizes of a step: arithmetic, no torch.

Training holds, for P parameters of which T are trained (all, or the adapters):

    weights 4 P (or 2 P: adapters over bfloat16) + gradients 4 T + AdamW 8 T + reference 4 P (full training with KL)

On top comes the larger of what an update and what sampling need while they run: an update keeps the activations of one
micro-batch and a few tiles of logits, sampling the KV-cache and a few copies of the next token's logits. The constants
for activations were fitted to peaks measured with SmolLM2-135M and the micro models on a CPU; the estimate is meant to
be right to about a quarter, for planning. It leaves out Python, libraries (about 0.7 GB) and what an allocator wastes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from a1kit.policies.config import PolicyConfig

_LOGIT_TILE = 32_768
"""Vocabulary entries TRL's head scores at a time."""

_FLOATS_HIDDEN, _FLOATS_FFN = 11, 4
"""Activations kept a token and a layer: so many times the hidden width, so many times the width of the MLP."""


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The numbers of a decoder-only transformer that memory depends on."""

    layers: int
    hidden: int
    ffn: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    tied: bool = True

    @property
    def parameters(self) -> int:
        """Weights of embeddings, attention, gated MLP and norms (biases are left out: a thousandth)."""
        attention = self.hidden * self.head_dim * (2 * self.heads + 2 * self.kv_heads)
        layer = attention + 3 * self.hidden * self.ffn + 2 * self.hidden
        return self.layers * layer + self.vocab * self.hidden * (1 if self.tied else 2) + self.hidden

    @property
    def kv_floats(self) -> int:
        """Numbers a token adds to the KV-cache."""
        return 2 * self.layers * self.kv_heads * self.head_dim


KNOWN_SHAPES: Mapping[str, ModelShape] = {
    "smollm2-135m": ModelShape(30, 576, 1536, 9, 3, 64, 49_152),
    "Qwen/Qwen2.5-Coder-1.5B-Instruct": ModelShape(28, 1536, 8960, 12, 2, 128, 151_936),
    "Qwen/Qwen2.5-Coder-3B-Instruct": ModelShape(36, 2048, 11_008, 16, 2, 128, 151_936),
    "Qwen/Qwen2.5-Coder-7B-Instruct": ModelShape(28, 3584, 18_944, 28, 4, 128, 152_064, tied=False),
}
"""Shapes of models that are named in presets, so that a plan needs no download."""


def shape_of(config: Any) -> ModelShape:
    """The shape a transformers configuration describes (an object with attributes, or the mapping of `config.json`)."""

    def get(name: str, default: Any = None) -> Any:
        return config.get(name, default) if isinstance(config, Mapping) else getattr(config, name, default)

    hidden, heads = int(get("hidden_size")), int(get("num_attention_heads"))
    return ModelShape(
        layers=int(get("num_hidden_layers")),
        hidden=hidden,
        ffn=int(get("intermediate_size") or 4 * hidden),
        heads=heads,
        kv_heads=int(get("num_key_value_heads") or heads),
        head_dim=int(get("head_dim") or hidden // heads),
        vocab=int(get("vocab_size")),
        tied=bool(get("tie_word_embeddings", True)),
    )


def find_shape(model: str) -> ModelShape | None:
    """The shape of a model by the name a PolicyConfig gives it, as far as it is known without loading or asking a hub:
    a name of KNOWN_SHAPES, or a folder with a `config.json`. None otherwise."""
    if model in KNOWN_SHAPES:
        return KNOWN_SHAPES[model]
    folder = Path(model).expanduser()
    from a1kit.policies.models import MICRO_MODELS, micro_folder

    if model in MICRO_MODELS:
        folder = micro_folder(model)
    file = folder / "config.json"
    return shape_of(json.loads(file.read_text())) if file.is_file() else None


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """Bytes. `peak` is what one policy holds at its worst moment: its state, and the larger of update and sampling."""

    weights: int
    gradients: int
    optimizer: int
    reference: int
    activations: int
    update_logits: int
    kv_cache: int
    sample_logits: int

    @property
    def state(self) -> int:
        """What stays between steps (gradients do not)."""
        return self.weights + self.optimizer + self.reference

    @property
    def peak(self) -> int:
        updating = self.gradients + self.activations + self.update_logits
        return self.state + max(updating, self.kv_cache + self.sample_logits)


def estimate(shape: ModelShape, config: PolicyConfig, *, longest_row: int, rows_sampled: int) -> MemoryEstimate:
    """What `config` needs for a model of this shape when the longest prompt and completion are `longest_row` tokens
    together and `rows_sampled` completions are asked for at once (decoded in as many batches as the bound demands)."""
    total = shape.parameters
    trained = lora_parameters(shape, config.lora.r) if config.lora else total
    compute = 2 if config.dtype == "bfloat16" else 4
    weights = total * (compute if config.lora else 4) + (4 * trained if config.lora else 0)
    tokens = max(longest_row, min(config.micro_batch_tokens, rows_sampled * longest_row))
    a_layer = compute * tokens * (_FLOATS_HIDDEN * shape.hidden + _FLOATS_FFN * shape.ffn)
    kept = shape.layers * compute * tokens * shape.hidden + a_layer
    logits = 4 * tokens * min(shape.vocab, _LOGIT_TILE) * 3
    row_kv = longest_row * shape.kv_floats * compute
    row_logits = 4 * 4 * shape.vocab
    together = max(1, min(rows_sampled, int(config.sample_memory_gb * 1e9 // (row_kv + row_logits))))
    return MemoryEstimate(
        weights=weights,
        gradients=4 * trained,
        optimizer=8 * trained,
        reference=4 * total if config.kl and not config.lora else 0,
        activations=kept if config.gradient_checkpointing else shape.layers * a_layer,
        update_logits=logits,
        kv_cache=together * row_kv,
        sample_logits=together * row_logits,
    )


def lora_parameters(shape: ModelShape, rank: int) -> int:
    """Adapter weights on every linear layer but the head."""
    queries, keys = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    ends = 2 * (shape.hidden + queries) + 2 * (shape.hidden + keys) + 3 * (shape.hidden + shape.ffn)
    return shape.layers * rank * ends
