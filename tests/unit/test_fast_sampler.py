"""The fast sampler: equal to `generate` where both are deterministic, and faithful to the model where it draws."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from a1kit.errors import ConfigError  # noqa: E402
from a1kit.policies.fast_sampler import FastSampler, why_not  # noqa: E402
from a1kit.policies.protocol import Sampling  # noqa: E402
from a1kit.policies.sampling import Sampled  # noqa: E402

pytestmark = pytest.mark.train

PAD, EOS, VOCABULARY = 0, 1, 60


def tiny(architecture: str, **changes: Any) -> Any:
    """A random model whose greedy continuations have some variety and end now and then."""
    torch.manual_seed(7)
    options = {
        "vocab_size": VOCABULARY,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 1,
        "max_position_embeddings": 128,
        "tie_word_embeddings": True,
        "bos_token_id": None,
        "eos_token_id": EOS,
        "pad_token_id": PAD,
        "initializer_range": 0.3,
    }
    config = getattr(transformers, f"{architecture}Config")(**options | changes)
    model = getattr(transformers, f"{architecture}ForCausalLM")(config).eval()
    with torch.no_grad():
        for layer in model.model.layers:
            for projection in (layer.self_attn.q_proj, layer.self_attn.k_proj, layer.self_attn.v_proj):
                if projection.bias is not None:
                    projection.bias.normal_(0, 0.3)
    return model


def some_prompts(count: int = 7) -> list[list[int]]:
    rng = random.Random(0)
    return [[rng.randrange(2, VOCABULARY) for _ in range(rng.randint(1, 12))] for _ in range(count)]


def sample(
    model: Any, prompts: list[list[int]], n: int, *, seed: int = 0, first_prompt: int = 0, **sampling: Any
) -> list[list[Sampled]]:
    settings = Sampling(**{"max_new_tokens": 24} | sampling)
    return FastSampler(model).sample_ids(
        prompts, n, seed=seed, sampling=settings, eos_ids=frozenset([EOS]), pad_id=PAD, first_prompt=first_prompt
    )


@pytest.fixture(scope="module", params=["Llama", "Qwen2"])
def model(request: pytest.FixtureRequest) -> Any:
    return tiny(request.param)


def test_greedy_tokens_are_those_of_generate(model: Any) -> None:
    prompts = some_prompts()
    ours = sample(model, prompts, 1, temperature=0.0)
    for prompt, (sampled,) in zip(prompts, ours, strict=True):
        whole = model.generate(torch.tensor([prompt]), do_sample=False, max_new_tokens=24)
        assert sampled.ids == tuple(whole[0, len(prompt) :].tolist())
        assert sampled.finished == (sampled.ids[-1] == EOS)
    assert len({sampled.ids for (sampled,) in ours}) > 3
    assert any(sampled.finished for (sampled,) in ours)


@pytest.mark.parametrize("temperature", [1.0, 0.6])
def test_logprobs_are_those_of_the_models_own_forward_pass(model: Any, temperature: float) -> None:
    prompts = some_prompts()
    for prompt, group in zip(prompts, sample(model, prompts, 5, temperature=temperature), strict=True):
        for sampled in group:
            with torch.no_grad():
                logits = model(torch.tensor([[*prompt, *sampled.ids]])).logits[0, len(prompt) - 1 : -1]
            chosen = torch.tensor(sampled.ids)[:, None]
            expected = (logits / temperature).log_softmax(-1).gather(1, chosen)[:, 0]
            assert torch.allclose(torch.tensor(sampled.logprobs), expected, atol=1e-4)


def test_nothing_follows_the_end_token(model: Any) -> None:
    flat = [sampled for group in sample(model, some_prompts(), 8) for sampled in group]
    assert any(sampled.finished for sampled in flat)
    for sampled in flat:
        assert EOS not in sampled.ids[:-1]
        assert len(sampled.ids) == len(sampled.logprobs)
        assert sampled.finished or len(sampled.ids) == 24


def test_the_same_seed_gives_the_same_completions_and_another_seed_others(model: Any) -> None:
    prompts = some_prompts()
    assert sample(model, prompts, 4, seed=3) == sample(model, prompts, 4, seed=3)
    assert sample(model, prompts, 4, seed=3) != sample(model, prompts, 4, seed=4)


def test_a_batch_split_in_two_gives_the_same_draws(model: Any) -> None:
    prompts = some_prompts()
    whole = sample(model, prompts, 4)
    parts = sample(model, prompts[:3], 4) + sample(model, prompts[3:], 4, first_prompt=3)
    assert [[s.ids for s in group] for group in whole] == [[s.ids for s in group] for group in parts]


def test_the_samples_of_a_prompt_differ(model: Any) -> None:
    (group,) = sample(model, some_prompts(1), 12)
    assert len({sampled.ids for sampled in group}) > 6


def test_draws_follow_the_models_distribution(model: Any) -> None:
    prompt = some_prompts(1)[0]
    with torch.no_grad():
        chances = model(torch.tensor([prompt])).logits[0, -1].softmax(-1)
    drawn = Counter(s.ids[0] for s in sample(model, [prompt], 20_000, max_new_tokens=1)[0])
    shares = torch.tensor([drawn[token] / 20_000 for token in range(VOCABULARY)])
    assert float((shares - chances).abs().max()) < 0.015


def test_top_p_draws_only_from_the_smallest_set_that_reaches_p(model: Any) -> None:
    prompt = some_prompts(1)[0]
    with torch.no_grad():
        chances = model(torch.tensor([prompt])).logits[0, -1].softmax(-1)
    ordered, order = chances.sort(descending=True)
    inside = set(order[: int((ordered.cumsum(0) < 0.5).sum()) + 1].tolist())
    drawn = {s.ids[0] for s in sample(model, [prompt], 2000, max_new_tokens=1, top_p=0.5)[0]}
    assert drawn <= inside < set(range(VOCABULARY))
    assert len(inside) > 1 or drawn == inside


def test_an_update_of_the_weights_is_seen_by_the_next_call() -> None:
    model = tiny("Llama")
    sampler = FastSampler(model)
    settings = Sampling(max_new_tokens=8, temperature=0.0)

    def greedy() -> list[list[Sampled]]:
        return sampler.sample_ids(some_prompts(), 1, seed=0, sampling=settings, eos_ids=frozenset([EOS]), pad_id=PAD)

    before = greedy()
    with torch.no_grad():
        model.model.layers[0].self_attn.v_proj.weight.mul_(-1)
    assert greedy() != before


def test_a_stop_test_ends_the_batch_early_and_leaves_the_cut_to_the_caller(model: Any) -> None:
    seen: list[int] = []

    def stopped(ids: Any) -> bool:
        seen.append(len(ids))
        return len(ids) >= 3

    groups = FastSampler(model).sample_ids(
        some_prompts(),
        2,
        seed=0,
        sampling=Sampling(max_new_tokens=24),
        eos_ids=frozenset(),
        pad_id=PAD,
        stopped=stopped,
    )
    assert seen
    assert {len(sampled.ids) for group in groups for sampled in group} == {4}


def test_no_prompts_and_no_samples_are_answered_with_nothing(model: Any) -> None:
    assert sample(model, [], 3) == []
    assert sample(model, [[5]], 0) == [[]]


@pytest.mark.parametrize(
    ("architecture", "changes", "reason"),
    [
        ("Llama", {"num_key_value_heads": 2}, "2 key-value heads"),
        ("Llama", {"hidden_size": 1024, "num_attention_heads": 8}, "1024 wide"),
        ("Llama", {"hidden_act": "gelu"}, "activation is gelu"),
        ("Llama", {"attention_bias": True}, "have biases"),
        ("Llama", {"rope_scaling": {"rope_type": "linear", "factor": 2.0}}, "of type linear"),
        ("Mistral", {}, "MistralForCausalLM is not one of"),
    ],
)
def test_a_model_it_cannot_run_is_refused_with_the_reason(
    architecture: str, changes: dict[str, Any], reason: str
) -> None:
    model = tiny(architecture, **changes)
    assert reason in (why_not(model) or "")
    with pytest.raises(ConfigError, match=reason):
        FastSampler(model)


def test_half_precision_weights_are_refused() -> None:
    assert "bfloat16" in (why_not(tiny("Llama").to(torch.bfloat16)) or "")
