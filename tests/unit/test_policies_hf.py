"""HFPolicy: it writes, learns, is saved and goes on."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from a1kit.errors import ConfigError, InputError, RunError
from a1kit.policies import HFPolicy, LoraOptions, Policy, PolicyConfig, Sampling, models
from a1kit.selection import advantages
from a1kit.types import Completion, Group

pytestmark = [
    pytest.mark.train,
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.skipif(find_spec("trl") is None, reason="trl is not installed: pip install 'a1kit[train]'"),
]

PROMPTS = ["w5 w6 w7", "w9", "w8 w8 w4 w30"]
SHORT = Sampling(max_new_tokens=10)
BASE = PolicyConfig(
    model="in memory", name="code", learning_rate=1e-2, warmup_updates=0, total_updates=8, device="cpu", kl=0.01
)
LORA = dataclasses.replace(BASE, lora=LoraOptions(r=2, alpha=4))


@pytest.fixture
def make_policy(make_model: Callable[..., Any], make_words: Callable[..., Any]) -> Callable[..., HFPolicy]:
    def make(config: PolicyConfig = BASE, kv_heads: int = 2) -> HFPolicy:
        return HFPolicy(config, loaded=models.assemble(make_model(kv_heads), make_words(), config))

    return make


def write(policy: HFPolicy, seed: int = 0, n: int = 4, sampling: Sampling = SHORT) -> list[tuple[Completion, ...]]:
    return policy.sample(PROMPTS, n, seed=seed, sampling=sampling)


def judged(rows: Sequence[tuple[Completion, ...]]) -> list[Group]:
    """Rewards that anything can earn: the share of even tokens."""
    groups = []
    for row in rows:
        rewards = tuple(sum(token % 2 == 0 for token in c.ids) / len(c.ids) for c in row)
        groups.append(Group(row, rewards, advantages(rewards)))
    return groups


def weights(policy: HFPolicy) -> dict[str, Any]:
    return {name: value.detach().clone() for name, value in policy.model.named_parameters()}


def step(policy: HFPolicy, seed: int) -> list[tuple[Completion, ...]]:
    rows = write(policy, seed)
    policy.update(judged(rows))
    return rows


def test_an_hf_policy_is_a_policy(make_policy: Callable[..., HFPolicy]) -> None:
    assert isinstance(make_policy(), Policy)


def test_completions_carry_text_and_tokens_and_the_same_seed_repeats_them(make_policy: Callable[..., HFPolicy]) -> None:
    policy = make_policy()
    rows = write(policy)
    assert [len(row) for row in rows] == [4, 4, 4]
    assert rows[0][0].prompt_ids == (5, 6, 7) and policy.count_tokens(PROMPTS[0]) == 3
    for completion in (c for row in rows for c in row):
        spoken = [f"w{token}" for token in completion.ids if token > 2]
        assert completion.text.replace(" ", "") == "".join(spoken)
        assert len(completion.logprobs) == len(completion.ids) > 0
    assert write(policy) == rows != write(policy, seed=1)


def test_an_answer_that_was_begun_opens_the_text_and_is_no_token_of_it(make_policy: Callable[..., HFPolicy]) -> None:
    policy = make_policy()
    prompt = ({"role": "user", "content": "w5"}, {"role": "assistant", "content": "w6 w7"})
    (row,) = policy.sample([prompt], 3, seed=0, sampling=SHORT)
    for completion in row:
        assert completion.prompt_ids == (5, 6, 7)
        assert completion.text.startswith("w6 w7")
        spoken = [f"w{token}" for token in completion.ids if token > 2]
        assert completion.text.removeprefix("w6 w7").replace(" ", "") == "".join(spoken)


@pytest.mark.parametrize("sampler", ["fast", "group", "generate"])
def test_every_sampler_writes_the_same(make_policy: Callable[..., HFPolicy], sampler: str) -> None:
    auto = make_policy(kv_heads=1)
    other = make_policy(dataclasses.replace(BASE, sampler=sampler), kv_heads=1)
    assert [[c.ids for c in row] for row in write(auto)] == [[c.ids for c in row] for row in write(other)]


def test_the_fast_sampler_says_why_a_model_does_not_fit(make_policy: Callable[..., HFPolicy]) -> None:
    with pytest.raises(ConfigError, match="2 key-value heads"):
        write(make_policy(dataclasses.replace(BASE, sampler="fast")))


@pytest.mark.parametrize("sampler", ["fast", "group", "generate"])
def test_stop_strings_end_a_completion_and_stay_out_of_its_text(
    make_policy: Callable[..., HFPolicy], sampler: str
) -> None:
    policy = make_policy(dataclasses.replace(BASE, sampler=sampler), kv_heads=1)
    free = write(policy, n=6, sampling=Sampling(max_new_tokens=30))
    stop = ("w4", "w2w3")
    found = 0
    for row, stopped_row in zip(free, write(policy, n=6, sampling=Sampling(max_new_tokens=30, stop=stop)), strict=True):
        for completion, stopped in zip(row, stopped_row, strict=True):
            assert completion.ids[: len(stopped.ids)] == stopped.ids and len(stopped.logprobs) == len(stopped.ids)
            assert not any(text in stopped.text for text in stop)
            if any(text in completion.text for text in stop):
                found += 1
                assert stopped.finished and completion.text.startswith(stopped.text)
            else:
                assert stopped == completion
    assert found


def test_an_empty_prompt_and_one_without_room_are_refused_by_place(make_policy: Callable[..., HFPolicy]) -> None:
    policy = make_policy()
    with pytest.raises(InputError, match="prompt 1 of code is empty"):
        policy.sample(["w5", ""], 1, seed=0, sampling=SHORT)
    with pytest.raises(InputError, match=r"prompt 0 of code has 90 tokens.*96 positions"):
        policy.sample(["w5 " * 90], 1, seed=0, sampling=SHORT)


@pytest.mark.parametrize(
    "config",
    [BASE, dataclasses.replace(BASE, kl=0.0), dataclasses.replace(BASE, mini_batches=2)],
    ids=["KL", "no KL", "two mini-batches"],
)
def test_every_weight_changes_in_an_update_and_the_update_reports(
    make_policy: Callable[..., HFPolicy], config: PolicyConfig
) -> None:
    policy = make_policy(config)
    before = weights(policy)
    groups = judged(write(policy))
    stats = policy.update(groups)
    after = weights(policy)
    assert all((before[name] != after[name]).any() for name in before)
    assert stats.tokens == sum(len(c.ids) for group in groups for c in group.completions)
    assert stats.groups == 3 and stats.groups_without_variance == 0
    assert stats.grad_norm > 0 and stats.learning_rate == 1e-2 and stats.entropy > 0 and stats.seconds > 0
    assert stats.logprob_gap < 1e-4


def test_an_update_raises_the_probability_of_what_was_rewarded(make_policy: Callable[..., HFPolicy]) -> None:
    policy = make_policy(dataclasses.replace(BASE, schedule="constant", total_updates=40))

    def reward() -> float:
        groups = judged(write(policy, seed=1000, n=32))
        return sum(sum(group.rewards) for group in groups) / (3 * 32)

    start = reward()
    for seed in range(12):
        policy.update(judged(write(policy, seed, n=8)))
    assert reward() > start + 0.15


def test_an_update_on_given_texts_is_a_step_of_supervised_learning(make_policy: Callable[..., HFPolicy]) -> None:
    torch = pytest.importorskip("torch")
    config = dataclasses.replace(BASE, kl=0.0, schedule="constant", max_grad_norm=0.0, mini_batches=1, weight_decay=0.0)
    policy, plain = make_policy(config), make_policy(config)
    given = [policy.as_written(prompt, text) for prompt, text in zip(PROMPTS, ("w4 w5", "w9", "w6 w6 w7"), strict=True)]
    assert all(c.ids[-1] == policy.tokenizer.eos_token_id and c.logprobs == () for c in given)
    stats = policy.update([Group((c,), (1.0,), (1.0,)) for c in given])
    assert stats.groups_without_variance == 0 and stats.tokens == sum(len(c.ids) for c in given)

    optimizer = torch.optim.AdamW(
        plain.model.parameters(), lr=config.learning_rate, weight_decay=0.0, betas=(0.9, 0.999)
    )
    losses = []
    for completion in given:
        ids = torch.tensor([completion.prompt_ids + completion.ids])
        logits = plain.model(input_ids=ids).logits[0, len(completion.prompt_ids) - 1 : -1]
        losses.append(torch.nn.functional.cross_entropy(logits, torch.tensor(completion.ids), reduction="sum"))
    (sum(losses) / stats.tokens).backward()
    optimizer.step()
    for name, value in weights(plain).items():
        assert torch.allclose(value, weights(policy)[name], atol=2e-5), name


def test_lora_trains_adapters_alone_and_the_sampler_sees_them(make_policy: Callable[..., HFPolicy]) -> None:
    policy = make_policy(LORA)
    base = weights(policy)
    first = write(policy)
    stats = policy.update(judged(first))
    policy.update(judged(first))
    after = weights(policy)
    adapters = [name for name in after if "lora_" in name]
    assert adapters and stats.grad_norm > 0
    for name, value in base.items():
        kept = next(after[other] for other in after if other.replace(".base_layer", "").endswith(name))
        assert (value == kept).all()
    assert [[c.logprobs for c in row] for row in write(policy)] != [[c.logprobs for c in row] for row in first]


def test_a_sampler_at_another_temperature_than_the_update_shows_in_the_gap(
    make_policy: Callable[..., HFPolicy],
) -> None:
    policy = make_policy()
    rows = write(policy, sampling=Sampling(max_new_tokens=10, temperature=0.5))
    assert policy.update(judged(rows)).logprob_gap > 0.1


def test_groups_without_variance_are_counted_and_change_nothing(make_policy: Callable[..., HFPolicy]) -> None:
    policy = make_policy()
    (row, *_) = write(policy)
    before = weights(policy)
    stats = policy.update([Group(row, (1.0,) * 4, (0.0,) * 4)])
    assert (stats.groups, stats.groups_without_variance, stats.tokens) == (1, 1, 0)
    assert all((before[name] == value).all() for name, value in weights(policy).items())


def test_an_empty_completion_is_passed_over(make_policy: Callable[..., HFPolicy]) -> None:
    policy = make_policy()
    (row, *_) = write(policy)
    empty = Completion("", row[0].prompt_ids)
    stats = policy.update([Group((*row[:3], empty), (1.0, 0.5, 0.2, 0.0), (1.0, 0.2, -0.2, -1.0))])
    assert stats.tokens == sum(len(c.ids) for c in row[:3])


@pytest.mark.parametrize("config", [BASE, LORA], ids=["full", "LoRA"])
def test_two_steps_saved_and_two_more_equal_four_with_all_they_write(
    make_policy: Callable[..., HFPolicy], config: PolicyConfig, tmp_path: Path
) -> None:
    config = dataclasses.replace(config, mini_batches=2)
    whole = make_policy(config)
    written = [step(whole, seed) for seed in range(4)]
    first = make_policy(config)
    for seed in range(2):
        step(first, seed)
    first.save(tmp_path / "two")
    second = make_policy(config)
    second.load(tmp_path / "two")
    assert [step(second, seed) for seed in (2, 3)] == written[2:]
    assert all((weights(whole)[name] == value).all() for name, value in weights(second).items())


def test_the_reference_stays_the_starting_policy_after_a_load(
    make_policy: Callable[..., HFPolicy], tmp_path: Path
) -> None:
    policy = make_policy()
    rows = write(policy)
    policy.update(judged(rows))
    policy.save(tmp_path / "one")
    again = make_policy()
    again.load(tmp_path / "one")
    assert again.update(judged(write(again))).kl > 1e-3  # against itself it would be 0


def test_a_saved_policy_is_an_ordinary_model_folder(make_policy: Callable[..., HFPolicy], tmp_path: Path) -> None:
    policy = make_policy()
    step(policy, 0)
    policy.save(tmp_path / "one")
    opened = HFPolicy(PolicyConfig(model=str(tmp_path / "one" / "model"), device="cpu"))
    assert write(opened, 5) == write(policy, 5)


def test_what_cannot_be_loaded_is_named(
    make_policy: Callable[..., HFPolicy], make_model: Callable[..., Any], make_words: Callable[..., Any], tmp_path: Path
) -> None:
    policy = make_policy()
    with pytest.raises(RunError, match=r"must contain policy\.json"):
        policy.load(tmp_path)
    policy.save(tmp_path / "p")
    with pytest.raises(RunError, match="saved with lora rank None, code is configured with 2"):
        make_policy(LORA).load(tmp_path / "p")
    with pytest.raises(RunError, match="other weights"):
        make_policy(kv_heads=1).load(tmp_path / "p")
    state = tmp_path / "p" / "policy.json"
    state.write_text(json.dumps({**json.loads(state.read_text()), "format": 99}))
    with pytest.raises(RunError, match="format 99, newer"):
        policy.load(tmp_path / "p")
    state.write_text("{")
    with pytest.raises(RunError, match="damaged"):
        policy.load(tmp_path / "p")


def test_an_incomplete_checkpoint_says_what_it_lacks(make_policy: Callable[..., HFPolicy], tmp_path: Path) -> None:
    policy = make_policy()
    policy.save(tmp_path / "p")
    (tmp_path / "p" / "optimizer.pt").unlink()
    with pytest.raises(RunError, match=r"lacks optimizer\.pt"):
        policy.load(tmp_path / "p")


def test_a_wrong_number_in_the_configuration_names_the_field() -> None:
    with pytest.raises(ConfigError, match=r"code\.clip_low is -1"):
        dataclasses.replace(BASE, clip_low=-1.0)
    with pytest.raises(ConfigError, match=r"code\.temperature is 0"):
        dataclasses.replace(BASE, temperature=0.0)


def test_nothing_is_left_on_disk_by_making_an_updater(
    make_policy: Callable[..., HFPolicy], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    step(make_policy(), 0)
    assert list(tmp_path.iterdir()) == []


BF16 = """
import dataclasses, sys
import torch
from a1kit.errors import ConfigError
from a1kit.policies import HFPolicy, LoraOptions, PolicyConfig, Sampling
from a1kit.types import Group

folder, adapters = sys.argv[1], LoraOptions(r=2) if sys.argv[2] == "lora" else None
config = PolicyConfig(
    folder, dtype="bfloat16", lora=adapters, device="cpu", warmup_updates=0, learning_rate=1e-4, kl=0.01
)
policy = HFPolicy(config)
kept = {name: value.clone() for name, value in policy.model.named_parameters()}
(row,) = policy.sample(["w5 w6"], 4, seed=0, sampling=Sampling(max_new_tokens=8))
for _ in range(2):
    stats = policy.update([Group(row, (1.0, 0.0, 1.0, 0.0), (1.0, -1.0, 1.0, -1.0))])
assert stats.grad_norm > 0
trained = [value for value in policy.model.parameters() if value.requires_grad]
assert {value.dtype for value in trained} == {torch.float32}, "a rate of 1e-4 is lost in bfloat16 weights"
if adapters is None:
    assert all((kept[name] != value).any() for name, value in policy.model.named_parameters())
try:
    HFPolicy(dataclasses.replace(config, name="tests", dtype="float32")).update([])
    other = HFPolicy(dataclasses.replace(config, name="tests", dtype="float32"))
    other.update([Group(row, (1.0, 0.0, 1.0, 0.0), (1.0, -1.0, 1.0, -1.0))])
except ConfigError as error:
    assert "tests.dtype is float32" in str(error), error
else:
    raise AssertionError("two precisions in one process were accepted")
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["full", "lora"])
def test_bfloat16_keeps_trained_weights_in_float32_and_is_one_for_all_of_a_process(
    make_policy: Callable[..., HFPolicy], tmp_path: Path, kind: str
) -> None:
    policy = make_policy()
    policy.model.save_pretrained(tmp_path)
    policy.tokenizer.save_pretrained(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", BF16, str(tmp_path), kind], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stderr == "", done.stderr
