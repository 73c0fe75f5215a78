"""One GRPO update on our trajectories and advantages, computed by TRL's GRPOTrainer (Paper §3.4).

    L = - 1/T  sum over tokens of  min( r A, clip(r, 1 - low, 1 + high) A )  +  kl * KL(policy || start),  r = p / p_old

with T the completion tokens of the batch. Old and reference log-probs, ratio, clipping, KL and aggregation are TRL's
code; ours is what surrounds them:

* `train()` is used for what it sets up (wrapping, optimizer, scheduler): its loop is replaced by `update_rows`, which
  feeds rows through the trainer's own `rollout_func`, calls its `training_step` and steps its optimizer.
* Rows are filled up to full micro-batches with masked ones, and rows of similar length share a micro-batch, whose
  common padding is cut off. Neither changes the loss.
* The head scores completion tokens only (TRL does so itself on a GPU; on a CPU it scores every position), and small
  problems densely.
* The reference is a copy of the model as it is handed over. TRL would load it again by name, which fails for a model
  without one and silently takes a checkpoint for the start when the policy was loaded from a checkpoint.
* Random numbers (the shuffling, LoRA's first weights, dropout) come from a state of the updater's own, so two policies
  in one process do not disturb each other, and a restored one goes on bit for bit.

A contract test (`tests/integration/test_trl_contract.py`) holds the weights against those of a plain GRPOTrainer, so a
release that moves the internals used here turns a test red instead of the science wrong.

Not handled: DeepSpeed and FSDP can update (accelerate wraps the model), but their sharded states are not what `save`
writes; it refuses.
"""

from __future__ import annotations

import copy
import math
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import torch
from accelerate.state import AcceleratorState
from accelerate.utils import DistributedType
from datasets import Dataset
from transformers.trainer_callback import PrinterCallback
from trl import GRPOConfig, GRPOTrainer
from trl.trainer import grpo_trainer as trl_module
from trl.trainer import utils as trl_utils

from a1kit.errors import ConfigError, RunError
from a1kit.policies.config import PolicyConfig
from a1kit.policies.dense_head import DenseLogProbs, fits
from a1kit.policies.models import device_of
from a1kit.policies.update_plan import Plan, Row, arrange, plan_batches
from a1kit.types import UpdateStats

_OPTIMIZER, _PROGRESS, _RANDOM = "optimizer.pt", "progress.pt", "random-{rank}.pt"


def trainer_arguments(config: PolicyConfig, scratch: str) -> GRPOConfig:
    """The configuration in TRL's words. Several of TRL's defaults differ from the paper and are set here one by one.

    `scratch` is a folder the trainer may create and leave empty.
    """
    renamed = "activation_checkpointing" in GRPOConfig.__dataclass_fields__  # in transformers 5.24
    checkpointing = "activation_checkpointing" if renamed else "gradient_checkpointing"
    return GRPOConfig(
        **{checkpointing: config.gradient_checkpointing},
        output_dir=scratch,
        use_cpu=device_of(config) == "cpu",
        bf16=config.dtype == "bfloat16",
        learning_rate=config.learning_rate,
        lr_scheduler_type="constant_with_warmup" if config.schedule == "constant" else config.schedule,
        warmup_steps=config.warmup_updates * config.mini_batches,
        max_steps=config.total_updates * config.mini_batches,
        weight_decay=config.weight_decay,
        adam_beta1=config.adam_beta1,
        adam_beta2=config.adam_beta2,
        max_grad_norm=config.max_grad_norm,
        loss_type=config.loss,
        epsilon=config.clip_low,
        epsilon_high=config.clip_high,
        beta=config.kl,
        use_bias_correction_kl=False,
        temperature=config.temperature,
        seed=config.seed,
        num_generations=2,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        steps_per_generation=1,
        shuffle_dataset=False,
        report_to="none",
        save_strategy="no",
        disable_tqdm=True,
    )


def lora_config(config: PolicyConfig) -> Any:
    """peft's configuration, or None for full fine-tuning."""
    if config.lora is None:
        return None
    from peft import LoraConfig

    return LoraConfig(
        r=config.lora.r,
        lora_alpha=config.lora.alpha,
        lora_dropout=config.lora.dropout,
        target_modules=list(config.lora.target_modules) or "all-linear",
        task_type="CAUSAL_LM",
    )


def updater_for(config: PolicyConfig, model: Any, tokenizer: Any) -> PolicyUpdater:
    """The updater of a policy whose `model` is still the starting policy.

    Raises ConfigError when another policy of this process computes in another precision, which accelerate fixes once
    for all.
    """
    fixed = AcceleratorState._shared_state.get("_mixed_precision")
    wanted = "bf16" if config.dtype == "bfloat16" else "no"
    if fixed not in (None, wanted):
        raise ConfigError(
            f"{config.name}.dtype is {config.dtype}, but an earlier policy of this process uses another; policies that "
            "learn in one process must share their dtype"
        )
    with tempfile.TemporaryDirectory(prefix="a1kit-") as scratch:
        return PolicyUpdater(model, tokenizer, trainer_arguments(config, scratch), lora_config(config))


class PolicyUpdater(GRPOTrainer):  # type: ignore[misc]
    """A GRPOTrainer that is handed its trajectories. `model` must be the starting policy: the reference is its copy."""

    def __init__(self, model: Any, tokenizer: Any, arguments: GRPOConfig, peft_config: Any = None) -> None:
        self._rows: Sequence[Row] = ()
        self._wrapped: Any = None
        self._watch: _GapWatch | None = None
        self._buffered_inputs: Any = None
        with _leaving_random_state(), _reference_copied_from(model):
            super().__init__(
                model=model,
                args=arguments,
                processing_class=tokenizer,
                train_dataset=Dataset.from_dict({"prompt": ["", ""]}),
                reward_funcs=_no_reward,
                rollout_func=self._replay,
                peft_config=peft_config,
            )
            self.remove_callback(PrinterCallback)
            self.num_generations = 1  # Groups are ours: what TRL makes of the rewards is overwritten.
            self.processing_class = _Unspoken()
            self.train()  # sets up only, see `_inner_training_loop`
            self._random = _torch_random_state()
        self.model.eval()

    # ---- the update ----

    def update_rows(self, rows: Sequence[Row], *, mini_batches: int, micro_batch_tokens: int) -> UpdateStats:
        """Learn once from `rows`, which are the same on every process: `mini_batches` optimizer steps.

        Fills the fields of UpdateStats that a trainer knows. Raises ConfigError when the loss averages over rows and
        they do not divide evenly.
        """
        world = self.accelerator.num_processes
        plan = plan_batches(
            rows,
            mini_batches=mini_batches,
            micro_batch_tokens=micro_batch_tokens,
            world=world,
            even=self.loss_type != "dapo",
        )
        self._rows = arrange(rows, plan, world)
        self.args.per_device_train_batch_size = plan.micro_rows
        self.args.steps_per_generation = plan.micro_batches * plan.mini_batches
        self.args.gradient_accumulation_steps = self.current_gradient_accumulation_steps = plan.micro_batches
        self._buffered_inputs, self._step = None, 0
        losses, norms, rate = [], [], float(self._get_learning_rate())
        watch = self._watch = _GapWatch()
        with self._own_random_state():
            for _ in range(plan.mini_batches):
                losses.append(self._accumulate(plan))
                norms.append(self._step_optimizer())
                self._watch = None  # From here on the policy is not the one that sampled.
        weights = [float(_loss_mask(inputs).sum()) for inputs in self._buffered_inputs]
        metrics = {name: _mean(values, weights) for name, values in self._metrics["train"].items()}
        self._metrics["train"].clear()
        self._rows, self._buffered_inputs = (), None
        self.model.eval()
        return UpdateStats(
            loss=float(self.accelerator.reduce(torch.stack(losses).mean(), reduction="mean")),
            grad_norm=float(torch.stack(norms).mean()),
            learning_rate=rate,
            kl=metrics.get("kl", 0.0),
            entropy=metrics.get("entropy", 0.0),
            clip_fraction=metrics.get("clip_ratio/region_mean", 0.0),
            logprob_gap=watch.mean(),
            tokens=sum(len(row.ids) for row in rows),
        )

    def _accumulate(self, plan: Plan) -> torch.Tensor:
        """Forward and backward of one mini-batch; its loss."""
        losses = []
        for i in range(plan.micro_batches):
            last = i + 1 == plan.micro_batches
            self.accelerator.gradient_state._set_sync_gradients(last)
            with nullcontext() if last else self.accelerator.no_sync(self._wrapped):
                # Distinct dictionaries, because TRL writes a row's extra fields into its own.
                rows = [{"prompt": ""} for _ in range(plan.rows_a_process)]
                losses.append(self.training_step(self._wrapped, rows, None))
        return torch.stack(losses).sum()

    def _step_optimizer(self) -> torch.Tensor:
        """One step of optimizer and schedule; the gradient's norm before clipping."""
        norm = self.accelerator.clip_grad_norm_(self._wrapped.parameters(), self.args.max_grad_norm or math.inf)
        self.optimizer.step()
        self.lr_scheduler.step()
        self._wrapped.zero_grad()
        self.state.global_step += 1
        return torch.as_tensor(norm)

    # ---- what TRL calls ----

    def _inner_training_loop(self, args: Any = None, trial: Any = None, **_: Any) -> None:
        """In place of the loop of `train()`: what comes before its first step."""
        self._init_training_state(args.max_steps, args.max_steps, 1, None, trial)
        self._wrapped, _loader = self._prepare_for_training(args.max_steps, None, None)
        self._wrapped.zero_grad()

    def _local(self, count: int) -> Sequence[Row]:
        first = self.accelerator.process_index * count
        return self._rows[first : first + count]

    def _replay(self, prompts: list[str], trainer: Any) -> dict[str, list[Any]]:
        """The rollout function: this process's share of the rows."""
        rows = self._local(len(prompts))
        return {
            "prompt_ids": [list(row.prompt_ids) for row in rows],
            "completion_ids": [list(row.ids) for row in rows],
            "logprobs": [list(row.logprobs) for row in rows],
            "env_mask": [[int(row.counts)] * len(row.ids) for row in rows],
        }

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        """TRL's, with our advantages."""
        scored: dict[str, Any] = super()._generate_and_score_completions(inputs)
        advantages = [row.advantage for row in self._local(len(inputs))]
        scored["advantages"] = torch.tensor(advantages, dtype=torch.float32, device=scored["advantages"].device)
        return scored

    def _prepare_inputs(self, generation_batch: Any) -> dict[str, Any]:
        """TRL's shuffled micro-batches; within a mini-batch, rows of similar length are brought together.

        (Not when the loss averages over rows within a micro-batch: there the partition matters in its last bits only,
        but nothing is gained that could not be had from `dapo`.)
        """
        fresh = self._buffered_inputs is None
        inputs: dict[str, Any] = super()._prepare_inputs(generation_batch)
        if fresh and self.loss_type == "dapo":
            self._buffered_inputs = _by_length(self._buffered_inputs, self.args.gradient_accumulation_steps)
            inputs = self._buffered_inputs[0]
        return inputs

    def _get_per_token_logps_and_entropies(
        self,
        model: Any,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        logits_to_keep: int,
        batch_size: int | None = None,
        **options: Any,
    ) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None]:
        """TRL's, a chunk of rows at a time, each without the columns that are padding in all of its rows."""
        chunks, auxiliary = [], []
        for start in range(0, len(input_ids), batch_size or len(input_ids)):
            rows = slice(start, start + (batch_size or len(input_ids)))
            left, right = _padding_columns(attention_mask[rows])
            kept = slice(left, input_ids.shape[1] - right)
            with lean_head():
                logprobs, entropies, aux = super()._get_per_token_logps_and_entropies(
                    model, input_ids[rows, kept], attention_mask[rows, kept], logits_to_keep - right, **options
                )
            chunks.append((_widen(logprobs, right), _widen(entropies, right)))
            auxiliary.append(aux)
        logprobs = torch.cat([chunk[0] for chunk in chunks])
        entropies = torch.cat([chunk[1] for chunk in chunks]) if chunks[0][1] is not None else None
        if self._watch is not None and torch.is_grad_enabled():
            self._watch.policy = logprobs.detach()
        return logprobs, entropies, None if auxiliary[0] is None else torch.stack(auxiliary).mean()

    def _compute_loss(self, model: Any, inputs: dict[str, Any]) -> torch.Tensor:
        loss: torch.Tensor = super()._compute_loss(model, inputs)
        if self._watch is not None:
            self._watch.compare(inputs["sampling_per_token_logps"], _loss_mask(inputs))
        return loss

    # ---- saving ----

    def save(self, folder: Path) -> None:
        """Write weights (`model/`, ready for `from_pretrained`; with LoRA the adapter), optimizer, schedule and random
        state. Every process must call it. Raises RunError for a sharded model.
        """
        self._refuse_shards()
        folder.mkdir(parents=True, exist_ok=True)
        if self.accelerator.is_main_process:
            self.accelerator.unwrap_model(self.model).save_pretrained(folder / "model")
            self._tokenizer.save_pretrained(folder / "model")
            torch.save(self.optimizer.state_dict(), folder / _OPTIMIZER)
            progress = {"scheduler": self.lr_scheduler.state_dict(), "global_step": self.state.global_step}
            torch.save(progress, folder / _PROGRESS)
        torch.save(self._random, folder / _RANDOM.format(rank=self.accelerator.process_index))
        self.accelerator.wait_for_everyone()

    def restore(self, folder: Path) -> None:
        """Go on from what `save` wrote; the reference stays the starting policy. Raises RunError when it cannot fit."""
        self._refuse_shards()
        rank = self.accelerator.process_index
        needed = [folder / "model", folder / _OPTIMIZER, folder / _PROGRESS, folder / _RANDOM.format(rank=rank)]
        missing = [path.name for path in needed if not path.exists()]
        if missing:
            raise RunError(f"{folder} is not a saved policy of this many processes; it lacks {', '.join(missing)}")
        device = self.accelerator.device
        _load_weights(self.accelerator.unwrap_model(self.model), folder / "model", str(device))
        self.optimizer.load_state_dict(torch.load(folder / _OPTIMIZER, map_location=device, weights_only=True))
        progress = torch.load(folder / _PROGRESS, weights_only=True)
        self.lr_scheduler.load_state_dict(progress["scheduler"])
        self.state.global_step = progress["global_step"]
        self._random = torch.load(folder / _RANDOM.format(rank=rank), weights_only=True)

    def _refuse_shards(self) -> None:
        if self.accelerator.distributed_type in (DistributedType.FSDP, DistributedType.DEEPSPEED):
            raise RunError(f"saving a policy sharded by {self.accelerator.distributed_type} is not supported")

    @contextmanager
    def _own_random_state(self) -> Iterator[None]:
        outer = _torch_random_state()
        _set_torch_random_state(self._random)
        try:
            yield
        finally:
            self._random = _torch_random_state()
            _set_torch_random_state(outer)


class _Unspoken:
    """Stands in for the tokenizer where TRL would decode every completion for a log that nobody reads."""

    def batch_decode(self, sequences: Sequence[Any], **_: Any) -> list[str]:
        return [""] * len(sequences)


class _GapWatch:
    """Mean |log p of the policy - log p of the sampler| over tokens: near 0, or sampler and trainer disagree."""

    def __init__(self) -> None:
        self.policy: torch.Tensor | None = None
        self._total, self._tokens = 0.0, 0.0

    def compare(self, sampler: torch.Tensor, mask: torch.Tensor) -> None:
        if self.policy is not None:
            known = mask.bool() & ~torch.isnan(sampler)
            self._total += float((self.policy - sampler)[known].abs().sum())
            self._tokens += float(known.sum())

    def mean(self) -> float:
        return self._total / self._tokens if self._tokens else 0.0


def _no_reward(completions: list[Any], **_: Any) -> list[float]:
    """TRL wants a reward function; the advantages are made already."""
    return [0.0] * len(completions)


def _loss_mask(inputs: dict[str, Any]) -> torch.Tensor:
    mask: torch.Tensor = inputs["completion_mask"] * inputs["tool_mask"]
    return mask


def _mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """Weighted by micro-batch where a metric has one value for each, else plain."""
    if len(values) != len(weights) or not sum(weights):
        return float(np.mean(values)) if values else 0.0
    return float(np.average(values, weights=weights))


def _by_length(micro_batches: list[dict[str, Any]], a_mini_batch: int) -> list[dict[str, Any]]:
    """The same mini-batches with their rows sorted by length, longest first, before they are cut again."""
    sorted_batches = []
    for first in range(0, len(micro_batches), a_mini_batch):
        together = micro_batches[first : first + a_mini_batch]
        lengths = torch.cat([batch["prompt_mask"].sum(1) + batch["completion_mask"].sum(1) for batch in together])
        orders = torch.argsort(lengths, descending=True, stable=True).chunk(a_mini_batch)
        whole = {
            name: torch.cat([batch[name] for batch in together]) if value.ndim else value
            for name, value in together[0].items()
        }
        sorted_batches += [
            {name: value[order] if value.ndim else value for name, value in whole.items()} for order in orders
        ]
    return sorted_batches


def _padding_columns(mask: torch.Tensor) -> tuple[int, int]:
    """How many columns on the left, and on the right, are padding in every row."""
    used = mask.any(dim=0).nonzero()[:, 0]
    return int(used[0]), mask.shape[1] - 1 - int(used[-1])


def _widen(values: torch.Tensor | None, right: int) -> torch.Tensor | None:
    return torch.nn.functional.pad(values, (0, right)) if values is not None and right else values


@contextmanager
def lean_head() -> Iterator[None]:
    """TRL's head scores labelled positions only (as it does itself where it may use Triton kernels), and small problems
    on a CPU are computed densely (`a1kit.policies.dense_head`)."""
    everywhere, tiled = trl_utils._use_triton, trl_utils._ChunkedLogProbFunction
    trl_utils._use_triton = lambda device: True
    trl_utils._ChunkedLogProbFunction = _Head(tiled)
    try:
        yield
    finally:
        trl_utils._use_triton, trl_utils._ChunkedLogProbFunction = everywhere, tiled


class _Head:
    """Takes the place of TRL's log-prob function: the dense one where it fits, else TRL's."""

    def __init__(self, tiled: Any) -> None:
        self._tiled = tiled

    def apply(
        self,
        hidden: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor | None,
        targets: torch.Tensor,
        temperature: float,
        tile: int,
        softcap: float | None,
        logit_scale: float,
        outputs: tuple[str, ...],
    ) -> Any:
        if fits(hidden, weight, softcap, outputs):
            return DenseLogProbs.apply(hidden, weight, bias, targets, temperature, logit_scale, outputs)
        return self._tiled.apply(hidden, weight, bias, targets, temperature, tile, softcap, logit_scale, outputs)


@contextmanager
def _reference_copied_from(model: Any) -> Iterator[None]:
    original = trl_module.create_model_from_path
    trl_module.create_model_from_path = lambda *_, **__: copy.deepcopy(model)
    try:
        yield
    finally:
        trl_module.create_model_from_path = original


@contextmanager
def _leaving_random_state() -> Iterator[None]:
    """Whatever seeds the process inside, outside goes on as if nothing had happened."""
    python, numpy, torch_state = random.getstate(), np.random.get_state(), _torch_random_state()
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)
        _set_torch_random_state(torch_state)


def _torch_random_state() -> list[torch.Tensor]:
    """The processor's state, then that of every GPU this process has used."""
    gpus = torch.cuda.get_rng_state_all() if torch.cuda.is_available() and torch.cuda.is_initialized() else []
    return [torch.get_rng_state(), *gpus]


def _set_torch_random_state(state: list[torch.Tensor]) -> None:
    torch.set_rng_state(state[0])
    if len(state) > 1:
        torch.cuda.set_rng_state_all(state[1:])


def _load_weights(model: Any, folder: Path, device: str) -> None:
    """Weights of `save` into `model`, or RunError when they are of another model."""
    from safetensors.torch import load_file

    adapter = folder / "adapter_model.safetensors"
    try:
        if hasattr(model, "peft_config"):
            from peft import set_peft_model_state_dict

            set_peft_model_state_dict(model, load_file(adapter, device=device))
            return
        weights: dict[str, torch.Tensor] = {}
        for file in sorted(folder.glob("model*.safetensors")):
            weights |= load_file(file, device=device)
        missing, unexpected = model.load_state_dict(weights, strict=False)
    except (FileNotFoundError, RuntimeError) as error:
        raise RunError(f"{folder} holds other weights than this policy has: {str(error).splitlines()[0]}") from error
    tied = set(getattr(model, "_tied_weights_keys", None) or ())
    if unexpected or set(missing) - tied:
        wrong = [*unexpected, *sorted(set(missing) - tied)]
        raise RunError(f"{folder} holds other weights than this policy has: {', '.join(wrong[:3])} do not match")
