"""One GRPO update of ours, beside a plain TRL step and beside the arithmetic alone, on the same sequences and tokens.

    a1kit bench update             micro and SmolLM2-135M, about ten minutes on two cores
    a1kit bench update --quick     fewer rounds

Three contenders learn from the same rows with the same micro-batches, without KL:

* `ours`: `PolicyUpdater.update_rows`
* `trl`: a step of `GRPOTrainer.train()` that replays the rows (from the end of one step to the end of the next)
* `bare`: forward, log-softmax of the completion tokens, backward, gradient norm, AdamW; nothing else

They take turns inside one process (the other two run in a callback between TRL's steps) and are compared round by
round. Rows are equally long, so that nobody saves anything by leaving padding out; in the last line they are not, and
ours does.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from a1kit.policies import PolicyConfig, models
from a1kit.policies.update_plan import Row

GROUP = 8


@dataclass(frozen=True, slots=True)
class Load:
    """Work of one update. Lengths are (least, most) tokens."""

    model: str
    rows: int
    prompt: tuple[int, int]
    completion: tuple[int, int]
    micro_rows: int
    rounds: int


LOADS = {
    "micro": Load("micro-code", 64, (26, 26), (36, 36), 64, 20),
    "smollm2-135m": Load("smollm2-135m", 8, (160, 160), (96, 96), 4, 4),
    "micro, uneven rows": Load("micro-code", 64, (20, 32), (12, 60), 16, 20),
}


def run(quick: bool = False) -> dict[str, Any]:
    """Median milliseconds an update, and ours relative to the other two."""
    import torch

    rows = []
    for name, load in LOADS.items():
        rows.append({"work": name, **_measure(replace(load, rounds=3) if quick else load)})
    return {"benchmark": "update", "threads": torch.get_num_threads(), "updates": rows}


def _measure(load: Load) -> dict[str, Any]:
    times = _rounds(load)
    median = {name: statistics.median(seconds) for name, seconds in times.items()}
    return {
        "rows": load.rows,
        "rounds": load.rounds,
        **{f"{name} ms": round(1000 * seconds, 1) for name, seconds in median.items()},
        "ours / trl": _ratio(times, "trl"),
        "ours / bare": _ratio(times, "bare"),
    }


def _ratio(times: dict[str, list[float]], other: str) -> float:
    """Median over the rounds of the ratio within a round, which what else the machine does disturbs least."""
    return round(statistics.median(a / b for a, b in zip(times["ours"], times[other], strict=True)), 3)


def _rounds(load: Load) -> dict[str, list[float]]:
    """Seconds of each contender in each round; the first round warms up and is left out."""
    from a1kit.policies.trl_update import updater_for

    config = PolicyConfig(
        model=load.model, kl=0.0, warmup_updates=0, total_updates=load.rounds + 1, device="cpu", schedule="constant"
    )
    rows = _rows(load)
    widest = load.prompt[1] + load.completion[1]
    ours = models.load(config)
    updater = updater_for(config, ours.model, ours.tokenizer)
    bare = _Bare(models.load(config).model, rows, load.micro_rows)
    times: dict[str, list[float]] = {"ours": [], "trl": [], "bare": []}

    def others() -> None:
        tokens = load.micro_rows * widest
        times["ours"].append(_timed(lambda: updater.update_rows(rows, mini_batches=1, micro_batch_tokens=tokens)))
        times["bare"].append(_timed(bare.step))

    times["trl"] = _plain_steps(load, rows, models.load(config), others)
    return {name: seconds[1:] for name, seconds in times.items()}


def _timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def _rows(load: Load) -> list[Row]:
    """Random tokens: what is learned does not matter for what it costs."""
    draw = random.Random(0)

    def tokens(length: tuple[int, int]) -> tuple[int, ...]:
        return tuple(draw.randrange(10, 500) for _ in range(draw.randint(*length)))

    rows = []
    for first in range(0, load.rows, GROUP):
        prompt = tokens(load.prompt)
        for i in range(min(GROUP, load.rows - first)):
            ids = tokens(load.completion)
            rows.append(Row(prompt, ids, (-1.0,) * len(ids), 1.0 if i % 2 else -1.0))
    return rows


def _plain_steps(load: Load, rows: Sequence[Row], loaded: models.Loaded, between: Callable[[], None]) -> list[float]:
    """Seconds of each step of a plain trainer; `between` runs after each."""
    from datasets import Dataset
    from transformers import TrainerCallback
    from transformers.trainer_callback import PrinterCallback
    from trl import GRPOTrainer

    from a1kit.policies.trl_update import trainer_arguments

    seconds: list[float] = []

    class Clock(TrainerCallback):  # type: ignore[misc]
        started = 0.0

        def on_step_begin(self, *_: Any, **__: Any) -> None:
            Clock.started = time.perf_counter()

        def on_step_end(self, *_: Any, **__: Any) -> None:
            seconds.append(time.perf_counter() - Clock.started)
            between()

    def replay(prompts: list[Any], trainer: Any) -> dict[str, list[Any]]:
        return {
            "prompt_ids": [list(row.prompt_ids) for row in rows],
            "completion_ids": [list(row.ids) for row in rows],
            "logprobs": [list(row.logprobs) for row in rows],
            "reward": [row.advantage for row in rows],
        }

    def reward(completions: list[Any], reward: Sequence[float] = (), **_: Any) -> list[float]:
        return list(reward)

    config = PolicyConfig(
        model=load.model, kl=0.0, warmup_updates=0, total_updates=load.rounds + 1, device="cpu", schedule="constant"
    )
    micro_batches = load.rows // load.micro_rows
    with tempfile.TemporaryDirectory(prefix="a1kit-") as scratch:
        arguments = trainer_arguments(config, scratch)
        arguments.logging_steps = 10**6
        arguments.per_device_train_batch_size = load.micro_rows
        arguments.gradient_accumulation_steps = arguments.steps_per_generation = micro_batches
        arguments.generation_batch_size = load.rows
        arguments.num_generations = GROUP
        trainer = GRPOTrainer(
            model=loaded.model,
            reward_funcs=reward,
            args=arguments,
            train_dataset=Dataset.from_dict({"prompt": ["x"] * (load.rows * (load.rounds + 2))}),
            processing_class=loaded.tokenizer,
            rollout_func=replay,
            callbacks=[Clock()],
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()
    return seconds


class _Bare:
    """The arithmetic of an update on rows padded as TRL pads them."""

    def __init__(self, model: Any, rows: Sequence[Row], micro_rows: int) -> None:
        import torch

        self._model = model.train()
        self._optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6, weight_decay=0.1)
        self._batches = [_padded(rows, rows[i : i + micro_rows]) for i in range(0, len(rows), micro_rows)]
        self._tokens = sum(len(row.ids) for row in rows)

    def step(self) -> None:
        import torch

        for ids, mask, counts, advantages in self._batches:
            width = counts.shape[1]
            logits = self._model(input_ids=ids, attention_mask=mask, logits_to_keep=width + 1).logits[:, :-1]
            logprobs = torch.log_softmax(logits, -1).gather(2, ids[:, -width:, None])[..., 0]
            (-(logprobs * advantages[:, None] * counts).sum() / self._tokens).backward()
        torch.nn.utils.clip_grad_norm_(self._model.parameters(), 1.0)
        self._optimizer.step()
        self._optimizer.zero_grad()


def _padded(all_rows: Sequence[Row], rows: Sequence[Row]) -> tuple[Any, Any, Any, Any]:
    """Token numbers, attention mask, which completion tokens count, advantages."""
    import torch

    left = max(len(row.prompt_ids) for row in all_rows)
    right = max(len(row.ids) for row in all_rows)
    ids = torch.zeros(len(rows), left + right, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for i, row in enumerate(rows):
        span = slice(left - len(row.prompt_ids), left + len(row.ids))
        ids[i, span] = torch.tensor([*row.prompt_ids, *row.ids])
        mask[i, span] = 1
    return ids, mask, mask[:, left:].float(), torch.tensor([row.advantage for row in rows])
