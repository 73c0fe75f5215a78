"""What a policy is made of and how it learns: one frozen record, the paper's numbers as its defaults (Paper §4.1).

The record is plain data, so that a run's configuration can hold it, print it, and estimate memory from it without
importing torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from a1kit.errors import ConfigError

SamplerName = Literal["auto", "fast", "group", "generate"]
"""`fast` a1kit's sampler for micro models; `group` prefills a prompt once for its n samples; `generate` is
transformers' own; `auto` is the first of them that fits the model."""

Schedule = Literal["cosine", "linear", "constant"]
LossType = Literal["dapo", "grpo"]
DType = Literal["float32", "bfloat16"]


@dataclass(frozen=True, slots=True)
class LoraOptions:
    """Low-rank adapters instead of full fine-tuning. No `target_modules` means every linear layer but the head."""

    r: int = 16
    alpha: int = 32
    dropout: float = 0.0
    target_modules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PolicyConfig:
    """One policy.

    model               folder, hub name, `.gguf` file, or a built-in name: `micro-code`, `micro-test`, `smollm2-135m`
    name                the role it plays, used in messages and folder names
    gguf_file           file name inside `model` when that is a folder or hub repository that holds a GGUF
    lora                None trains every weight
    learning_rate, schedule, warmup_updates, total_updates
                        AdamW's rate: a linear rise over `warmup_updates` (whose first update has rate 0 and changes
                        nothing), then the schedule down to 0 at `total_updates`, where it stays
    clip_low, clip_high the ratio stays in [1 - clip_low, 1 + clip_high] (decoupled clipping)
    kl                  coefficient of the divergence from the starting policy; 0 keeps no reference model
    mini_batches        optimizer steps an update
    micro_batch_tokens  padded tokens (prompt + completion) of one forward pass of the update
    temperature         of the samples that updates learn from; pass the same to `Sampling` when you sample them
    loss                how token losses are averaged: `dapo` over the tokens of the batch (the paper's), `grpo` within
                        a row first and then over rows (which must then divide evenly into mini-batches)
    sample_memory_gb    bound on KV-cache and logits while sampling; decides how many rows decode together
    seed                of the update's shuffling and of LoRA's initial weights
    """

    model: str
    name: str = "policy"
    gguf_file: str | None = None
    lora: LoraOptions | None = None
    learning_rate: float = 1e-6
    schedule: Schedule = "cosine"
    warmup_updates: int = 10
    total_updates: int = 111
    weight_decay: float = 0.1
    adam_beta1: float = 0.9
    adam_beta2: float = 0.999
    clip_low: float = 0.20
    clip_high: float = 0.28
    kl: float = 0.001
    mini_batches: int = 1
    micro_batch_tokens: int = 16_384
    max_grad_norm: float = 1.0
    temperature: float = 1.0
    loss: LossType = "dapo"
    dtype: DType = "float32"
    device: str = "auto"
    gradient_checkpointing: bool = False
    sampler: SamplerName = "auto"
    sample_memory_gb: float = 2.0
    seed: int = 0

    def __post_init__(self) -> None:
        at_least = {
            "learning_rate": 0.0,
            "warmup_updates": 0,
            "total_updates": 1,
            "weight_decay": 0.0,
            "clip_low": 0.0,
            "clip_high": 0.0,
            "kl": 0.0,
            "mini_batches": 1,
            "micro_batch_tokens": 1,
            "max_grad_norm": 0.0,
        }
        for field, least in at_least.items():
            if getattr(self, field) < least:
                raise ConfigError(f"{self.name}.{field} is {getattr(self, field)}; it must be at least {least}")
        for field in ("sample_memory_gb", "temperature"):
            if getattr(self, field) <= 0:
                raise ConfigError(f"{self.name}.{field} is {getattr(self, field)}; it must be above 0")
        if not self.model:
            raise ConfigError(f"{self.name}.model is empty; name a folder, a hub model or a built-in")
