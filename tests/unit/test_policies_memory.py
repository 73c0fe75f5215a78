"""Memory estimates: parameter counts are exact, and the parts behave as they must."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from a1kit.policies import LoraOptions, PolicyConfig
from a1kit.policies.memory import KNOWN_SHAPES, estimate, find_shape, lora_parameters

FULL = PolicyConfig(model="smollm2-135m", kl=0.001, micro_batch_tokens=4096)
SHAPE = KNOWN_SHAPES["smollm2-135m"]


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        ("smollm2-135m", 134_515_008),
        ("Qwen/Qwen2.5-Coder-1.5B-Instruct", 1_543_714_304),
        ("Qwen/Qwen2.5-Coder-3B-Instruct", 3_085_938_688),
        ("Qwen/Qwen2.5-Coder-7B-Instruct", 7_615_616_512),
    ],
)
def test_known_models_have_as_many_parameters_as_their_makers_say(model: str, parameters: int) -> None:
    assert KNOWN_SHAPES[model].parameters == pytest.approx(parameters, rel=1e-3)


def test_a_reference_costs_the_weights_once_more_and_lora_needs_none() -> None:
    with_kl = estimate(SHAPE, FULL, longest_row=512, rows_sampled=8)
    assert with_kl.reference == with_kl.weights == 4 * SHAPE.parameters
    assert estimate(SHAPE, replace(FULL, kl=0.0), longest_row=512, rows_sampled=8).reference == 0
    adapters = estimate(SHAPE, replace(FULL, lora=LoraOptions(r=8)), longest_row=512, rows_sampled=8)
    assert adapters.reference == 0
    assert adapters.optimizer == 8 * lora_parameters(SHAPE, 8) < with_kl.optimizer / 50


def test_checkpointing_and_smaller_micro_batches_save_activations() -> None:
    plain = estimate(SHAPE, FULL, longest_row=512, rows_sampled=8).activations
    assert (
        estimate(SHAPE, replace(FULL, gradient_checkpointing=True), longest_row=512, rows_sampled=8).activations
        < plain / 5
    )
    assert (
        estimate(SHAPE, replace(FULL, micro_batch_tokens=512), longest_row=512, rows_sampled=8).activations == plain / 8
    )


def test_sampling_stays_within_its_bound() -> None:
    bounded = estimate(SHAPE, replace(FULL, sample_memory_gb=0.5), longest_row=1024, rows_sampled=10_000)
    assert 0.4e9 < bounded.kv_cache + bounded.sample_logits <= 0.5e9


def test_the_peak_is_the_state_and_the_worse_of_update_and_sampling() -> None:
    parts = estimate(SHAPE, FULL, longest_row=512, rows_sampled=8)
    updating = parts.gradients + parts.activations + parts.update_logits
    assert parts.peak == parts.state + max(updating, parts.kv_cache + parts.sample_logits)


def test_a_folder_tells_its_shape_and_an_unknown_name_none(tmp_path: Path) -> None:
    config = {
        "hidden_size": 8,
        "num_attention_heads": 2,
        "num_hidden_layers": 1,
        "vocab_size": 10,
        "intermediate_size": 16,
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    shape = find_shape(str(tmp_path))
    assert shape is not None and (shape.kv_heads, shape.head_dim) == (2, 4)
    assert find_shape("someone/some-model") is None
