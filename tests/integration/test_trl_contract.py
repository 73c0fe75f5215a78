"""One update through the adapter changes the weights as a plain GRPOTrainer does on the same completions and rewards.

Both sides get the same rows. The plain side computes everything itself, advantages included, through its public
`train()`; the adapter's side is set up from a `PolicyConfig`, so the translation of every field is tested along. Bound:
1e-6 on every weight, after one and after three updates (they are 7e-9 with SGD). The negative controls change one
setting at a time and move weights by more than 5e-4, so an adapter that lost one of them would be noticed.

AdamW divides by the gradient's size, so a gradient that is nearly zero turns rounding into a step. The adapter scores
completion tokens only, cuts padding and sorts rows, which rounds differently; its epsilon is therefore 1e-5 here. Where
none of these makes a difference the weights are equal bit for bit at AdamW's own epsilon.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from a1kit.policies import LoraOptions, PolicyConfig
from a1kit.policies.update_plan import rows_of
from a1kit.selection import advantages
from a1kit.types import Completion, Group

pytestmark = [
    pytest.mark.train,
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("trl") is None, reason="trl is not installed: pip install 'a1kit[train]'"),
]

VOCABULARY, GROUP, SEED = 256, 4, 7
LORA = LoraOptions(r=4, alpha=8)


@dataclass(frozen=True)
class Case:
    """What both sides are given."""

    updates: int = 1
    mini_batches: int = 1
    groups: int = 2
    micro_rows: int = 4
    kl: float = 0.04
    clip_low: float = 0.2
    clip_high: float = 0.28
    loss: str = "dapo"
    learning_rate: float = 1e-3
    schedule: str = "linear"
    max_grad_norm: float = 1.0
    weight_decay: float = 0.01
    temperature: float = 1.0
    adam_beta2: float = 0.999
    adam_epsilon: float = 1e-5
    optim: str = "adamw_torch"
    lora: bool = False
    even: bool = False

    def policy(self) -> PolicyConfig:
        return PolicyConfig(
            model="in memory",
            mini_batches=self.mini_batches,
            total_updates=self.updates,
            warmup_updates=0,
            kl=self.kl,
            clip_low=self.clip_low,
            clip_high=self.clip_high,
            loss=self.loss,  # type: ignore[arg-type]
            learning_rate=self.learning_rate,
            schedule=self.schedule,  # type: ignore[arg-type]
            max_grad_norm=self.max_grad_norm,
            weight_decay=self.weight_decay,
            temperature=self.temperature,
            adam_beta2=self.adam_beta2,
            lora=LORA if self.lora else None,
            seed=SEED,
            device="cpu",
        )


def step_groups(step: int, case: Case) -> list[Group]:
    """Trajectories nobody sampled: random tokens and rewards. `even` rows are equally long."""
    draw = random.Random(1000 + step)

    def tokens(least: int, most: int) -> tuple[int, ...]:
        length = most if case.even else draw.randint(least, most)
        return tuple(draw.randrange(3, VOCABULARY) for _ in range(length))

    groups = []
    for _ in range(case.groups):
        prompt = tokens(6, 14)
        written = [tokens(4, 20) for _ in range(GROUP)]
        rewards = tuple(draw.random() for _ in range(GROUP))
        completions = tuple(Completion("x", prompt, ids, (0.0,) * len(ids)) for ids in written)
        ours = _rounded_as_trl_does(rewards) if case.even else advantages(rewards)
        groups.append(Group(completions, rewards, ours))
    return groups


def _rounded_as_trl_does(rewards: tuple[float, ...]) -> tuple[float, ...]:
    """The same advantages computed in single precision, for a comparison bit for bit."""
    import torch
    from trl.trainer.utils import nanstd

    reward_G = torch.tensor(rewards)
    return tuple(((reward_G - torch.nanmean(reward_G)) / (nanstd(reward_G) + 1e-4)).tolist())


def tokenizer() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel({f"w{i}": i for i in range(VOCABULARY)}, unk_token="w2"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=words, pad_token="w0", eos_token="w1", unk_token="w2")


def save_model(folder: Path) -> str:
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    torch.manual_seed(0)
    shape = Qwen2Config(
        vocab_size=VOCABULARY,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=128,
        tie_word_embeddings=True,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
    )
    Qwen2ForCausalLM(shape).save_pretrained(folder)
    return str(folder)


def load_model(folder: str) -> Any:
    import torch
    from transformers import Qwen2ForCausalLM

    return Qwen2ForCausalLM.from_pretrained(folder, dtype=torch.float32)


def weights(model: Any) -> dict[str, Any]:
    return {name: value.detach().clone() for name, value in model.named_parameters()}


def distance(a: dict[str, Any], b: dict[str, Any]) -> float:
    assert a.keys() == b.keys()
    return float(max((a[name] - b[name]).abs().max() for name in a))


def plain(case: Case, folder: str, scratch: str) -> dict[str, Any]:
    """Weights after `GRPOTrainer.train()` with a rollout function that replays the rows."""
    from datasets import Dataset
    from peft import LoraConfig
    from trl import GRPOConfig, GRPOTrainer

    steps = iter([step_groups(step, case) for step in range(case.updates)])
    world = int(os.environ.get("WORLD_SIZE", "1"))
    micro_batches = case.groups * GROUP // case.micro_rows // world

    def replay(prompts: list[Any], trainer: Any) -> dict[str, list[Any]]:
        rows = [(group, i) for group in next(steps) for i in range(GROUP)]
        first = trainer.accelerator.process_index * len(prompts)
        rows = rows[first : first + len(prompts)]
        return {
            "prompt_ids": [list(group.completions[i].prompt_ids) for group, i in rows],
            "completion_ids": [list(group.completions[i].ids) for group, i in rows],
            "logprobs": [list(group.completions[i].logprobs) for group, i in rows],
            "replayed": [group.rewards[i] for group, i in rows],
        }

    def reward(completions: list[Any], replayed: list[float] | None = None, **_: Any) -> list[float]:
        return list(replayed or ())

    arguments = GRPOConfig(
        output_dir=scratch,
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        learning_rate=case.learning_rate,
        lr_scheduler_type=case.schedule,
        warmup_steps=0,
        max_steps=case.updates * case.mini_batches,
        loss_type=case.loss,
        epsilon=case.clip_low,
        epsilon_high=case.clip_high,
        beta=case.kl,
        use_bias_correction_kl=False,
        num_generations=GROUP,
        per_device_train_batch_size=case.micro_rows,
        steps_per_generation=micro_batches,
        gradient_accumulation_steps=micro_batches // case.mini_batches,
        max_completion_length=32,
        max_grad_norm=case.max_grad_norm,
        weight_decay=case.weight_decay,
        temperature=case.temperature,
        optim=case.optim,
        adam_beta2=case.adam_beta2,
        adam_epsilon=case.adam_epsilon,
        seed=SEED,
        shuffle_dataset=False,
        report_to="none",
        save_strategy="no",
        disable_tqdm=True,
        logging_steps=1000,
    )
    adapters = LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", task_type="CAUSAL_LM") if case.lora else None
    trainer = GRPOTrainer(
        model=load_model(folder),
        reward_funcs=reward,
        args=arguments,
        train_dataset=Dataset.from_dict({"prompt": ["x"] * (case.groups * GROUP * 8)}),
        processing_class=tokenizer(),
        rollout_func=replay,
        peft_config=adapters,
    )
    trainer.train()
    return weights(trainer.accelerator.unwrap_model(trainer.model))


def updater(case: Case, folder: str, scratch: str) -> Any:
    from a1kit.policies.trl_update import PolicyUpdater, lora_config, trainer_arguments

    arguments = trainer_arguments(case.policy(), scratch)
    arguments.optim, arguments.adam_epsilon = case.optim, case.adam_epsilon
    return PolicyUpdater(load_model(folder), tokenizer(), arguments, lora_config(case.policy()))


def learn(learner: Any, case: Case, steps: range) -> None:
    for step in steps:
        rows = rows_of(step_groups(step, case))
        widest = max(len(row.prompt_ids) for row in rows) + max(len(row.ids) for row in rows)
        learner.update_rows(rows, mini_batches=case.mini_batches, micro_batch_tokens=case.micro_rows * widest)


def adapted(case: Case, folder: str, scratch: str) -> dict[str, Any]:
    """Weights after updates through the adapter."""
    import torch

    learner = updater(case, folder, scratch)
    # The data loader of `train()` draws one number before the first shuffle, which decides the mini-batches.
    with learner._own_random_state():
        torch.empty((), dtype=torch.int64).random_()
    learn(learner, case, range(case.updates))
    return weights(learner.accelerator.unwrap_model(learner.model))


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Any:
    import torch

    from a1kit.policies.models import quiet

    quiet()
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_model(tmp_path_factory.mktemp("tiny"))


CASES = {
    "as configured": Case(),
    "three updates": Case(updates=3),
    "no KL": Case(kl=0.0, updates=3),
    "two mini-batches": Case(mini_batches=2),
    "two mini-batches, three updates": Case(mini_batches=2, updates=3),
    "asymmetric clip that bites": Case(mini_batches=2, clip_low=1e-3, clip_high=2e-3, updates=3),
    "LoRA": Case(lora=True),
    "LoRA, three updates, two mini-batches": Case(lora=True, updates=3, mini_batches=2),
    "means over rows": Case(loss="grpo", updates=3),
    "another temperature": Case(temperature=0.7, updates=3),
    "no clipping of the norm, cosine": Case(max_grad_norm=0.0, schedule="cosine", updates=3),
    "SGD": Case(optim="sgd", learning_rate=0.1, updates=3),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_weights_equal_those_of_a_plain_trainer(case: Case, tiny: str, tmp_path: Path) -> None:
    expected = plain(case, tiny, str(tmp_path))
    assert distance(expected, adapted(case, tiny, str(tmp_path))) < (1e-6 if case.optim != "sgd" else 5e-8)


@pytest.mark.parametrize("mini_batches", [1, 2])
def test_where_nothing_is_left_out_or_sorted_the_weights_are_equal_bit_for_bit(
    mini_batches: int, tiny: str, tmp_path: Path
) -> None:
    from a1kit.policies.trl_update import lean_head

    case = Case(even=True, adam_epsilon=1e-8, updates=3, mini_batches=mini_batches)
    with lean_head():
        expected = plain(case, tiny, str(tmp_path))
    assert distance(expected, adapted(case, tiny, str(tmp_path))) == 0.0


def test_masked_rows_that_fill_the_last_micro_batch_change_nothing(tiny: str, tmp_path: Path) -> None:
    case = Case(groups=5, optim="sgd", learning_rate=0.1, updates=2)
    expected = plain(case, tiny, str(tmp_path))
    filled = replace(case, micro_rows=7)  # 20 rows in three micro-batches of 7
    assert distance(expected, adapted(filled, tiny, str(tmp_path))) < 5e-8


CLIPPED = Case(mini_batches=2, updates=3, clip_low=0.01, clip_high=0.02)
CHANGES: dict[str, tuple[Case, dict[str, Any]]] = {
    "the lower clip": (CLIPPED, {"clip_low": 0.002}),
    "the upper clip": (CLIPPED, {"clip_high": 0.004}),
    "the KL coefficient": (Case(updates=3), {"kl": 0.5}),
    "how losses are averaged": (Case(updates=3), {"loss": "grpo"}),
    "the schedule": (Case(updates=3), {"schedule": "constant"}),
    "the gradient's norm": (Case(updates=3, optim="sgd", learning_rate=0.1), {"max_grad_norm": 0.1}),
    "the temperature": (Case(updates=3), {"temperature": 0.7}),
    "the number of mini-batches": (Case(updates=3), {"mini_batches": 2}),
    "the learning rate": (Case(updates=3), {"learning_rate": 2e-3}),
    "the weight decay": (Case(updates=3), {"weight_decay": 6.0}),
}


@pytest.mark.parametrize(("case", "change"), CHANGES.values(), ids=CHANGES)
def test_a_changed_setting_moves_the_weights_and_would_be_noticed(
    case: Case, change: dict[str, Any], tiny: str, tmp_path: Path
) -> None:
    before = adapted(case, tiny, str(tmp_path))
    assert distance(before, adapted(replace(case, **change), tiny, str(tmp_path))) > 5e-4


@pytest.mark.parametrize("lora", [False, True], ids=["full", "LoRA"])
def test_two_updates_saved_and_two_more_equal_four_bit_for_bit(lora: bool, tiny: str, tmp_path: Path) -> None:
    import torch

    case = Case(updates=4, mini_batches=2, lora=lora)
    whole = updater(case, tiny, str(tmp_path))
    learn(whole, case, range(4))
    first = updater(case, tiny, str(tmp_path))
    learn(first, case, range(2))
    first.save(tmp_path / "saved")
    torch.manual_seed(99)
    second = updater(case, tiny, str(tmp_path))
    second.restore(tmp_path / "saved")
    learn(second, case, range(2, 4))
    assert distance(weights(whole.model), weights(second.model)) == 0.0
    assert distance(weights(first.model), weights(second.model)) > 1e-4


def test_two_policies_in_one_process_do_not_disturb_each_other(tiny: str, tmp_path: Path) -> None:
    import torch

    case, other_case = Case(updates=2, mini_batches=2), Case(updates=2, mini_batches=2, groups=3, lora=True)
    alone = updater(case, tiny, str(tmp_path))
    learn(alone, case, range(2))
    together, other = updater(case, tiny, str(tmp_path)), updater(other_case, tiny, str(tmp_path))
    for step in range(2):
        learn(other, other_case, range(step, step + 1))
        torch.rand(3)
        learn(together, case, range(step, step + 1))
    assert distance(weights(alone.model), weights(together.model)) == 0.0


def test_an_update_leaves_the_random_numbers_of_the_process_alone(tiny: str, tmp_path: Path) -> None:
    import torch

    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    learn(updater(Case(), tiny, str(tmp_path)), Case(), range(1))
    assert torch.rand(1) == expected


def test_two_processes_equal_two_processes_of_a_plain_trainer(tiny: str, tmp_path: Path) -> None:
    """This file, run by torchrun, compares inside each of two gloo processes."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", __file__]
    quiet = {"ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1", "TRL_EXPERIMENTAL_SILENCE": "1"}
    done = subprocess.run(
        [*command, tiny, str(tmp_path)], env={**os.environ, **quiet}, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    report = json.loads((tmp_path / "distances.json").read_text())
    assert report["processes"] == 2
    assert max(report["distances"].values()) < 1e-6, report
    assert report["moved"] > 1e-4, report


PARALLEL_CASES = {
    "AdamW": Case(groups=4, updates=3),
    "two mini-batches": Case(groups=4, updates=3, mini_batches=2),
    "SGD": Case(groups=4, updates=3, optim="sgd", learning_rate=0.1),
}


def _compare_in_this_process(folder: str, scratch: str) -> None:
    import torch

    torch.set_num_threads(1)
    distances = {}
    for name, case in PARALLEL_CASES.items():
        expected = plain(case, folder, scratch)
        distances[name] = distance(expected, adapted(case, folder, scratch))
    start = weights(load_model(folder))
    if torch.distributed.get_rank() == 0:
        report = {
            "processes": torch.distributed.get_world_size(),
            "distances": distances,
            "moved": distance(start, expected),
        }
        (Path(scratch) / "distances.json").write_text(json.dumps(report))
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    _compare_in_this_process(*sys.argv[1:])
