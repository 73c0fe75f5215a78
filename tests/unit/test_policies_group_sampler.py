"""Sampling: padding, batches, ends, and equality with `generate` and with the model's own forward pass."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import pytest

from a1kit.policies import Sampling

pytestmark = [
    pytest.mark.train,
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.skipif(
        find_spec("transformers") is None, reason="transformers is not installed: pip install 'a1kit[train]'"
    ),
]

PROMPTS = [[5, 6, 7], [9], [8, 8, 4, 30, 31, 12, 3], [9]]
END = frozenset({1})
PLENTY = 1e9


def sample(sampler: Any, prompts: Any = PROMPTS, n: int = 3, *, eos: frozenset[int] = END, **options: Any) -> Any:
    settings = Sampling(**{"max_new_tokens": 12, **options.pop("sampling", {})})
    return sampler.sample_ids(
        prompts, n, seed=options.pop("seed", 4), sampling=settings, eos_ids=eos, pad_id=0, **options
    )


def ids(written: Any) -> list[list[tuple[int, ...]]]:
    return [[completion.ids for completion in row] for row in written]


@pytest.fixture
def model(make_model: Callable[..., Any]) -> Any:
    return make_model()


def group_sampler(model: Any, memory: float = PLENTY) -> Any:
    from a1kit.policies.group_sampler import GroupSampler

    return GroupSampler(model, memory)


def test_logprobs_are_those_of_the_models_own_forward_pass_without_padding(model: Any) -> None:
    import torch

    for prompt, row in zip(PROMPTS, sample(group_sampler(model), sampling={"temperature": 0.7}), strict=True):
        for completion in row:
            with torch.no_grad():
                logits = model(torch.tensor([[*prompt, *completion.ids]])).logits[0, len(prompt) - 1 : -1] / 0.7
            expected = torch.log_softmax(logits, -1)[range(len(completion.ids)), list(completion.ids)]
            assert torch.tensor(completion.logprobs) == pytest.approx(expected, abs=1e-4)


def test_a_prompt_writes_the_same_alone_and_beside_longer_ones(model: Any) -> None:
    together = ids(sample(group_sampler(model)))
    for place, prompt in enumerate(PROMPTS):
        assert ids(sample(group_sampler(model), [prompt], first_prompt=place)) == [together[place]]


def test_completions_do_not_depend_on_how_many_fit_into_memory_or_are_asked_for(model: Any) -> None:
    expected = ids(sample(group_sampler(model), n=5))
    assert ids(sample(group_sampler(model, memory=1.0), n=5)) == expected
    assert ids(sample(group_sampler(model, memory=30_000), n=5)) == expected
    assert ids(sample(group_sampler(model), n=2)) == [row[:2] for row in expected]


def test_a_longer_limit_continues_the_same_texts(model: Any) -> None:
    short = ids(sample(group_sampler(model), eos=frozenset(), sampling={"max_new_tokens": 5}))
    long = ids(sample(group_sampler(model), eos=frozenset(), sampling={"max_new_tokens": 17}))
    assert [[text[:5] for text in row] for row in long] == short


def test_the_same_seed_repeats_and_another_does_not_and_equal_prompts_differ(model: Any) -> None:
    first = ids(sample(group_sampler(model)))
    assert ids(sample(group_sampler(model))) == first
    assert ids(sample(group_sampler(model), seed=5)) != first
    assert first[1] != first[3]  # PROMPTS[1] == PROMPTS[3]


@pytest.mark.parametrize("sampling", [{}, {"temperature": 0.0}, {"temperature": 0.8, "top_p": 0.7}], ids=str)
def test_generate_writes_the_same(model: Any, sampling: dict[str, float]) -> None:
    from a1kit.policies.group_sampler import GenerateSampler

    ours = sample(group_sampler(model), sampling=sampling)
    theirs = sample(GenerateSampler(model, PLENTY), sampling=sampling)
    assert ids(ours) == ids(theirs)
    for row, other in zip(ours, theirs, strict=True):
        for completion, same in zip(row, other, strict=True):
            assert completion.logprobs == pytest.approx(same.logprobs, abs=1e-4)
            assert completion.finished == same.finished


def test_greedy_tokens_are_those_of_plain_generate(model: Any) -> None:
    import torch

    prompt = torch.tensor([PROMPTS[2]])
    plain = model.generate(
        prompt, attention_mask=torch.ones_like(prompt), do_sample=False, max_new_tokens=12, eos_token_id=1
    )
    written = ids(sample(group_sampler(model), [PROMPTS[2]], 2, sampling={"temperature": 0.0}))
    assert written == [[tuple(plain[0, prompt.shape[1] :].tolist())] * 2]


def test_an_end_token_is_kept_ends_the_text_and_nothing_follows_it(model: Any) -> None:
    several = frozenset(range(1, 20))
    written = sample(group_sampler(model), n=8, eos=several, sampling={"max_new_tokens": 30})
    ended = [completion for row in written for completion in row if completion.finished]
    assert ended and all(completion.ids[-1] in several for completion in ended)
    assert all(not several & set(completion.ids[:-1]) for row in written for completion in row)
    cut = [completion for row in written for completion in row if not completion.finished]
    assert all(len(completion.ids) == 30 for completion in cut)


def test_a_row_that_stopped_leaves_the_batch_and_the_others_are_not_disturbed(model: Any) -> None:
    def two_large(written: Any) -> bool:
        return any(a > 40 and b > 40 for a, b in pairwise(written))

    free = ids(sample(group_sampler(model), n=8, eos=frozenset(), sampling={"max_new_tokens": 24}))
    asked = ids(sample(group_sampler(model), n=8, eos=frozenset(), sampling={"max_new_tokens": 24}, stopped=two_large))
    for row, other in zip(free, asked, strict=True):
        for text, same in zip(row, other, strict=True):
            assert two_large(text) or text == same
            end = next((i + 2 for i, pair in enumerate(pairwise(text)) if min(pair) > 40), len(text))
            assert text[:end] == same[:end]


def test_top_p_draws_only_from_the_likeliest_tokens() -> None:
    import torch

    from a1kit.policies.group_sampler import draw

    logits = torch.log(torch.tensor([[0.1, 0.5, 0.05, 0.35]])).repeat(1000, 1)
    u = torch.arange(1000) / 1000
    counts = torch.bincount(draw(logits, u, Sampling(top_p=0.8))[0], minlength=4)
    assert counts.tolist() == pytest.approx([0, 588, 0, 412], abs=2)
    counts = torch.bincount(draw(logits, u, Sampling())[0], minlength=4)
    assert counts.tolist() == pytest.approx([100, 500, 50, 350], abs=2)


def test_a_token_of_probability_zero_is_never_drawn() -> None:
    import torch

    from a1kit.policies.group_sampler import draw

    logits = torch.tensor([[float("-inf"), 0.0, float("-inf"), 0.0, float("-inf")]]).repeat(3, 1)
    u = torch.tensor([0.0, 0.5, 1 - 2.0**-24])
    assert draw(logits, u, Sampling())[0].tolist() == [1, 3, 3]


def test_a_sampler_without_a_bound_is_handed_few_prompts_at_a_time_and_writes_the_same(
    make_model: Callable[..., Any],
) -> None:
    from a1kit.policies.fast_sampler import FastSampler
    from a1kit.policies.group_sampler import Bounded

    model = make_model(1)
    whole = ids(sample(FastSampler(model)))
    assert ids(sample(Bounded(FastSampler(model), model.config, 1.0))) == whole
    assert ids(sample(Bounded(FastSampler(model), model.config, PLENTY))) == whole
