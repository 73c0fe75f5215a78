"""A policy that is any causal language model of transformers: it samples, and learns through TRL.

    policy = HFPolicy(PolicyConfig(model="smollm2-135m", name="code"))
    rows = policy.sample(prompts, n=8, seed=1)          # one tuple of 8 completions a prompt
    policy.update(groups)                               # one GRPO update
    policy.save(folder); policy.load(folder)            # goes on bit for bit

The updater (optimizer, reference, TRL itself) is made at the first update, save or load, so that a policy that only
writes costs one copy of its weights. It must be made from the starting policy, and is: nothing else changes weights.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a1kit.errors import InputError, RunError
from a1kit.policies import models
from a1kit.policies.config import PolicyConfig
from a1kit.policies.protocol import Sampling
from a1kit.policies.sampling import Sampled, Sampler, StopStrings
from a1kit.policies.update_plan import rows_of, without_variance
from a1kit.types import Completion, Group, Prompt, UpdateStats

if TYPE_CHECKING:
    from a1kit.policies.trl_update import PolicyUpdater

FORMAT = 1
"""Version of what `save` writes."""

_STATE = "policy.json"


class HFPolicy:
    """One language model of the game, see the module. `loaded` hands over a model that is in memory already.

    Raises InputError (or its kind MissingDependency) when the model cannot be found or loaded, ConfigError for a
    sampler the model does not fit.
    """

    def __init__(self, config: PolicyConfig, *, loaded: models.Loaded | None = None) -> None:
        self.name = config.name
        self.config = config
        self._loaded = loaded if loaded is not None else models.load(config)
        self._updater: PolicyUpdater | None = None
        self._updates = 0

    @property
    def model(self) -> Any:
        """The transformers model (with LoRA, from the first update on, peft's)."""
        if self._updater is None:
            return self._loaded.model
        return self._updater.accelerator.unwrap_model(self._updater.model)

    @property
    def tokenizer(self) -> Any:
        return self._loaded.tokenizer

    def count_tokens(self, prompt: Prompt) -> int:
        return len(models.encode(self.tokenizer, prompt))

    def sample(
        self, prompts: Sequence[Prompt], n: int, *, seed: int, sampling: Sampling = Sampling()
    ) -> list[tuple[Completion, ...]]:
        """n completions a prompt, in order, with the sampler's log-probs. The same seed gives the same completions.
        A conversation that ends with words of the assistant is gone on with; they open each completion's text.

        Raises InputError for a prompt that has no token, or leaves no room within the model's positions.
        """
        prompt_ids = [models.encode(self.tokenizer, prompt) for prompt in prompts]
        self._check_lengths(prompt_ids, sampling)
        stop = StopStrings(self._text, sampling.stop)
        with self._autocast():
            written = self._sampler().sample_ids(
                prompt_ids,
                n,
                seed=seed,
                sampling=sampling,
                eos_ids=self._loaded.eos_ids,
                pad_id=self._loaded.pad_id,
                stopped=stop.stopped if stop else None,
            )
        return [
            tuple(
                self._completion(models.answer_begun(prompt), ids, stop.cut(sampled) if stop else sampled, stop)
                for sampled in samples
            )
            for prompt, ids, samples in zip(prompts, prompt_ids, written, strict=True)
        ]

    def as_written(self, prompt: Prompt, text: str) -> Completion:
        """`text`, ended, in this model's tokens and without log-probs. What the prompt begins of it is not repeated;
        control tokens that are spelt in it stay text."""
        prompt_ids = models.encode(self.tokenizer, prompt)
        rest = text.removeprefix(models.answer_begun(prompt))
        ids = self.tokenizer(rest, add_special_tokens=False, split_special_tokens=True).input_ids
        return Completion(text, tuple(prompt_ids), (*ids, self.tokenizer.eos_token_id))

    def update(self, groups: Sequence[Group]) -> UpdateStats:
        """One GRPO update. Groups whose advantages are all zero are counted, not trained on; when there is nothing to
        learn from, weights, optimizer and schedule stay as they are. Raises InputError for text without tokens."""
        started = time.perf_counter()
        rows = rows_of(groups)
        stats = UpdateStats()
        if rows:
            stats = self._learner().update_rows(
                rows, mini_batches=self.config.mini_batches, micro_batch_tokens=self.config.micro_batch_tokens
            )
        self._updates += 1
        return dataclasses.replace(
            stats,
            groups=len(groups),
            groups_without_variance=sum(map(without_variance, groups)),
            seconds=time.perf_counter() - started,
        )

    def save(self, folder: Path) -> None:
        """Write everything `load` needs to go on bit for bit. The folder's `model/` is an ordinary transformers model
        (with LoRA: a peft adapter). Not atomic: write aside and rename."""
        learner = self._learner()
        learner.save(folder)
        if learner.accelerator.is_main_process:
            state = {"format": FORMAT, "model": self.config.model, "lora": self._lora_rank(), "updates": self._updates}
            (folder / _STATE).write_text(json.dumps(state))

    def load(self, folder: Path) -> None:
        """Go on from `save`. Raises RunError when the folder is damaged, of a newer version or of another kind of
        policy."""
        try:
            state = json.loads((folder / _STATE).read_text())
        except FileNotFoundError:
            raise RunError(f"{folder} holds no saved policy; it must contain {_STATE}") from None
        except json.JSONDecodeError as error:
            raise RunError(f"{folder / _STATE} is damaged: {error}") from error
        if state["format"] > FORMAT:
            raise RunError(f"{folder} is of format {state['format']}, newer than this a1kit's {FORMAT}; update a1kit")
        if state["lora"] != self._lora_rank():
            raise RunError(
                f"{folder} was saved with lora rank {state['lora']}, {self.name} is configured with {self._lora_rank()}"
            )
        self._learner().restore(folder)
        self._updates = state["updates"]

    def close(self) -> None:
        """Let go of the model and the optimizer; the policy cannot be used afterwards."""
        if self._updater is not None:
            self._updater.accelerator.free_memory()
        self._updater = None
        del self._loaded

    def _learner(self) -> PolicyUpdater:
        if self._updater is None:
            models.quiet()
            from a1kit.policies.trl_update import updater_for

            self._updater = updater_for(self.config, self._loaded.model, self.tokenizer)
        return self._updater

    def _sampler(self) -> Sampler:
        """Made for each call, which costs nothing and cannot hold weights that an update has left behind."""
        from a1kit.policies.group_sampler import Bounded, GenerateSampler, GroupSampler, can_repeat_cache

        model, bound = self.model, self.config.sample_memory_gb * 1e9
        match self.config.sampler:
            case "group":
                return GroupSampler(model, bound)
            case "generate":
                return GenerateSampler(model, bound)
        from a1kit.policies.fast_sampler import FastSampler, why_not

        if self.config.sampler == "fast" or why_not(model) is None:
            return Bounded(FastSampler(model), model.config, bound)
        return GroupSampler(model, bound) if can_repeat_cache(model.config) else GenerateSampler(model, bound)

    def _autocast(self) -> Any:
        if self.config.dtype == "float32":
            return nullcontext()
        import torch

        return torch.autocast(self.model.device.type, dtype=torch.bfloat16)

    def _check_lengths(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> None:
        room = getattr(self.model.config, "max_position_embeddings", None)
        for place, ids in enumerate(prompts):
            if not ids:
                raise InputError(f"prompt {place} of {self.name} is empty: there is nothing to continue")
            if room is not None and len(ids) + sampling.max_new_tokens > room:
                raise InputError(
                    f"prompt {place} of {self.name} has {len(ids)} tokens; with max_new_tokens = "
                    f"{sampling.max_new_tokens} that exceeds the model's {room} positions; filter long prompts"
                )

    def _completion(self, begun: str, prompt_ids: Sequence[int], sampled: Sampled, stop: StopStrings) -> Completion:
        return Completion(
            text=begun + stop.before(self._text(sampled.ids)),
            prompt_ids=tuple(prompt_ids),
            ids=sampled.ids,
            logprobs=sampled.logprobs,
            finished=sampled.finished,
        )

    def _text(self, ids: Sequence[int]) -> str:
        return str(self.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def _lora_rank(self) -> int | None:
        return self.config.lora.r if self.config.lora else None
