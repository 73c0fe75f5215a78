"""The warm-up of the micro models: two small transformers, from random weights to players worth watching.

The architecture is Llama from transformers: width 128, 4 layers, 4 heads over one key-value head, tied embeddings.
(Not Qwen2, whose `AutoTokenizer` puts its own rules for numbers in the place of any other tokenizer's.)
Both models are trained by plain supervised learning on examples that the micro world writes (`a1kit.warmup_examples`);
the loss is the cross-entropy of the completion alone, the answers of tests weighing more than the rest, since a suite
of wrong answers is worth nothing.

The Code LLM ends right about two times in five, because it imitates authors who are; the Test LLM writes well-formed
suites, seven in eight of whose answers are right, with inputs that are blander than they should be. That leaves
reinforcement learning something to do on both sides.

Two things make a warm-up of minutes enough on a CPU. Number tokens start from embeddings that say how large a number
is and what it leaves modulo small periods, so arithmetic need not be learnt digit by digit; and hidden matrices are
updated by orthogonalised momentum (Muon; Jordan et al. 2024), which needs far fewer steps here than AdamW.

A warm-up is a fixed number of optimizer steps from a seed: the same seed, thread count and library versions give the
same weights. What it reached is measured on held-out questions and written beside the weights (`provenance.json`).
"""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import queue
import random
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import metadata
from itertools import islice
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from a1kit.duel import Judge
from a1kit.errors import InfrastructureError
from a1kit.evaluation import Target, evaluate_code, evaluate_tests
from a1kit.policies import HFPolicy, PolicyConfig, Sampling
from a1kit.policies.models import quiet
from a1kit.problems import micro
from a1kit.prompts import PromptStyle
from a1kit.rewards import Rules
from a1kit.sandbox import LocalSandbox
from a1kit.warmup_examples import SUITE_SIZE, Example, ExampleWriter, SuiteStyle, number_tokens, train_tokenizer

Kind = Literal["code", "test"]


@dataclass(frozen=True, slots=True)
class Stage:
    """A stretch of the warm-up with examples of one make. `tests`, `hidden` and `style` matter to the Test LLM only."""

    steps: int
    batch: int = 32
    tests: int = 4
    hidden: float = 0.0
    style: SuiteStyle = field(default_factory=lambda: SuiteStyle(0.0, 0.0, 0.0, 0.0))


@dataclass(frozen=True, slots=True)
class Schedule:
    """One model's warm-up. The rates rise over `rise` steps, hold, and fall linearly to a hundredth over the last
    `fall` (a share of all steps)."""

    stages: tuple[Stage, ...]
    matrix_rate: float = 0.02
    other_rate: float = 0.004
    rise: int = 50
    fall: float = 0.5
    answer_weight: float = 1.0

    @property
    def steps(self) -> int:
        """Optimizer steps in all."""
        return sum(stage.steps for stage in self.stages)

    def scaled(self, share: float) -> Schedule:
        """The same warm-up with a share of the steps, for tests and trials."""
        stages = tuple(replace(stage, steps=max(1, round(stage.steps * share))) for stage in self.stages)
        return replace(self, stages=stages, rise=max(1, round(self.rise * share)))

    def rate(self, step: int) -> float:
        """The factor on both rates at a step, counted from 0."""
        left = (self.steps - step) / (self.fall * self.steps)
        return min(1.0, (step + 1) / self.rise) * max(0.01, min(1.0, left))


_LEARNING = SuiteStyle(edge=0.5, aimed=0.1, believing=0.0, slips=0.0)
_CARELESS = SuiteStyle(edge=0.15, aimed=0.03, believing=0.02, slips=0.01)

MAX_NEW_TOKENS = 64
"""Room for every program and every suite of the micro world."""

PROVENANCE = "provenance.json"

_README = """# {name}

One of the two micro models of a1kit: a Llama-architecture transformer of 0.85 M parameters that knows nothing but the
micro world (`a1kit.problems.micro`). Made from random weights by `{made_by}` in {steps} optimizer steps; weights in
half precision, licence as the project's. What it reached is in `provenance.json`. It is of no use for anything else.
"""

SCHEDULES: dict[Kind, Schedule] = {
    "code": Schedule((Stage(400),)),
    "test": Schedule(
        (
            Stage(650, tests=10, hidden=0.6, style=_LEARNING),
            Stage(150, tests=4, hidden=0.3, style=_CARELESS),
        ),
        answer_weight=3.0,
    ),
}


def new_model(tokenizer: PreTrainedTokenizerFast, seed: int) -> LlamaForCausalLM:
    """A micro model with random weights, but for what its number tokens know of their numbers."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=384,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=1,
        max_position_embeddings=512,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        initializer_range=0.04,
    )
    model = LlamaForCausalLM(config)
    _teach_numbers(model.model.embed_tokens.weight, number_tokens(tokenizer))
    return model


_NUMBER_SCALE = 0.056
_PERIODS = (2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 16.0, 26.0, 48.0, 90.0, 170.0, 400.0)


def _teach_numbers(weight: Tensor, numbers: dict[int, int]) -> None:
    """Overwrite the first columns of number tokens' embeddings with size, sign and waves of the number."""
    for token, number in numbers.items():
        waves = [
            wave
            for period in _PERIODS
            for wave in (math.cos(2 * math.pi * number / period), math.sin(2 * math.pi * number / period))
        ]
        size = math.copysign(math.log1p(abs(number)), number) / 2.5
        features = torch.tensor([*waves, size, number / 60, float(number > 0) - float(number < 0)])
        weight.data[token, : len(features)] = _NUMBER_SCALE * features


def orthogonalised(matrices: Tensor) -> Tensor:
    """Matrices (b, rows, columns) with their singular values pulled to about 1, by five Newton-Schulz steps of the
    quintic whose coefficients are Jordan's."""
    tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.transpose(1, 2) if tall else matrices
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(5):
        gram = x @ x.transpose(1, 2)
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=-4.7750, alpha=2.0315), x, beta=3.4445)
    return x.transpose(1, 2) if tall else x


class Optimizer:
    """Muon for the hidden matrices, AdamW for embeddings, norms and biases."""

    def __init__(self, model: LlamaForCausalLM, schedule: Schedule) -> None:
        self._schedule = schedule
        hidden: list[Tensor] = []
        others: list[Tensor] = []
        for name, weight in model.named_parameters():
            (hidden if weight.ndim == 2 and "embed" not in name else others).append(weight)
        shapes = sorted({tuple(weight.shape) for weight in hidden})
        self._stacks = [[weight for weight in hidden if tuple(weight.shape) == shape] for shape in shapes]
        self._momenta = [torch.zeros(len(stack), *stack[0].shape) for stack in self._stacks]
        self._adam = torch.optim.AdamW(others, lr=schedule.other_rate, betas=(0.9, 0.98), weight_decay=0.0)
        self._all = [*hidden, *others]

    def step(self, factor: float) -> None:
        """One update from the gradients in place, at `factor` times the schedule's rates; clears the gradients."""
        with torch.no_grad():
            self._step(factor)
        for weight in self._all:
            weight.grad = None

    def _step(self, factor: float) -> None:
        torch.nn.utils.clip_grad_norm_(self._all, 1.0)
        self._adam.param_groups[0]["lr"] = self._schedule.other_rate * factor
        self._adam.step()
        rate = self._schedule.matrix_rate * factor
        for stack, momentum in zip(self._stacks, self._momenta, strict=True):
            gradient = torch.stack([weight.grad for weight in stack])
            momentum.mul_(0.95).add_(gradient, alpha=0.05)
            change = orthogonalised(gradient.lerp(momentum, 0.95))
            stretch = math.sqrt(max(1.0, change.shape[1] / change.shape[2]))
            for weight, direction in zip(stack, change, strict=True):
                weight.mul_(1 - 0.01 * rate).add_(direction, alpha=-rate * stretch)


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a warm-up is: the smoothed loss a completion token, and the share of answers predicted right."""

    kind: Kind
    step: int
    steps: int
    loss: float
    answers_right: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Warm:
    """A finished warm-up."""

    model: LlamaForCausalLM
    tokenizer: PreTrainedTokenizerFast
    progress: Progress


def batches(examples: Iterator[Example], size: int, rng: random.Random) -> Iterator[list[Example]]:
    """Batches of examples of about equal length: eight batches are drawn, sorted by length, and shuffled."""
    while True:
        drawn = sorted(islice(examples, size * 8), key=lambda example: len(example.ids))
        together = [drawn[start : start + size] for start in range(0, len(drawn), size)]
        rng.shuffle(together)
        yield from together


class Trainer:
    """Trains one micro model on examples. `step` is one optimizer step."""

    def __init__(self, kind: Kind, tokenizer: PreTrainedTokenizerFast, schedule: Schedule, seed: int) -> None:
        self.kind, self.schedule = kind, schedule
        self.model = new_model(tokenizer, seed)
        self._rng = random.Random(seed * 2 + (kind == "test"))
        self._writer = ExampleWriter(tokenizer, self._rng)
        self._pad = tokenizer.pad_token_id
        (self._before_answer,) = tokenizer.encode("]) == ")
        self._optimizer = Optimizer(self.model, schedule)

    def run(self, report: Callable[[Progress], None], every: int = 100) -> None:
        """All stages."""
        started, step, loss, right = time.monotonic(), 0, math.nan, math.nan
        for stage in self.schedule.stages:
            examples = (
                self._writer.code()
                if self.kind == "code"
                else self._writer.tests(stage.tests, stage.hidden, stage.style)
            )
            for batch in islice(batches(examples, stage.batch, self._rng), stage.steps):
                now_loss, now_right = self.step(batch, self.schedule.rate(step))
                keep = 0.98 if step else 0.0
                loss = now_loss if not step else keep * loss + (1 - keep) * now_loss
                right = now_right if not step else keep * right + (1 - keep) * now_right
                step += 1
                if step % every == 0 or step == self.schedule.steps:
                    report(Progress(self.kind, step, self.schedule.steps, loss, right, time.monotonic() - started))

    def step(self, batch: Sequence[Example], factor: float) -> tuple[float, float]:
        """One optimizer step: the mean loss a completion token, and the share of answers that came first."""
        width = max(len(example.ids) for example in batch)
        ids_BT = torch.tensor([example.ids + [self._pad] * (width - len(example.ids)) for example in batch])
        places_T = torch.arange(1, width)
        starts_B1 = torch.tensor([[example.prompt_length] for example in batch])
        ends_B1 = torch.tensor([[len(example.ids)] for example in batch])
        counted_BT = (places_T >= starts_B1) & (places_T < ends_B1)
        # Right padding under a causal mask: what is counted never sees the padding.
        hidden_BTD = self.model.model(input_ids=ids_BT[:, :-1], use_cache=False).last_hidden_state
        logits_XV = self.model.lm_head(hidden_BTD[counted_BT])
        targets_X = ids_BT[:, 1:][counted_BT]
        losses_X = torch.nn.functional.cross_entropy(logits_XV, targets_X, reduction="none")
        answers_X = ids_BT[:, :-1][counted_BT] == self._before_answer
        weights_X = 1.0 + (self.schedule.answer_weight - 1.0) * answers_X
        ((losses_X * weights_X).sum() / len(losses_X)).backward()
        self._optimizer.step(factor)
        with torch.no_grad():
            hits = (logits_XV[answers_X].argmax(-1) == targets_X[answers_X]).float().mean()
        return float(losses_X.detach().mean()), float(hits.nan_to_num())


def warm_up(kind: Kind, seed: int, report: Callable[[Progress], None], schedule: Schedule | None = None) -> Warm:
    """One micro model, trained from random weights on the current process's threads."""
    torch.set_flush_denormal(True)
    tokenizer = train_tokenizer()
    trainer = Trainer(kind, tokenizer, schedule or SCHEDULES[kind], seed)
    last: list[Progress] = []

    def keep(progress: Progress) -> None:
        last[:] = [progress]
        report(progress)

    trainer.run(keep)
    return Warm(trainer.model, tokenizer, last[0])


def save(warm: Warm, folder: Path, seed: int) -> None:
    """Writes model (half precision, so that both fit in a few megabytes), tokenizer and provenance as a folder that
    `AutoModelForCausalLM` and `AutoTokenizer` load. The folder is written aside and renamed."""
    aside = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(aside, ignore_errors=True)
    warm.model.to(torch.float16).save_pretrained(aside)
    warm.tokenizer.save_pretrained(aside)
    facts = {
        "model": folder.name,
        "made_by": f"a1kit warmup micro --seed {seed}",
        "seed": seed,
        "steps": warm.progress.steps,
        "loss": round(warm.progress.loss, 4),
        "answers_right": round(warm.progress.answers_right, 4),
        "seconds": round(warm.progress.seconds, 1),
        "threads": torch.get_num_threads(),
        "versions": {name: metadata.version(name) for name in ("torch", "transformers", "tokenizers")},
    }
    (aside / PROVENANCE).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    (aside / "README.md").write_text(_README.format(name=folder.name, **facts), encoding="utf-8")
    for path in aside.iterdir():
        path.chmod(0o644)
    shutil.rmtree(folder, ignore_errors=True)
    aside.rename(folder)


def make_both(
    out: Path, seed: int, report: Callable[[Progress], None], schedules: Mapping[Kind, Schedule] = SCHEDULES
) -> None:
    """Both micro models into `out/micro-code` and `out/micro-test`, each in a process of its own on one thread.

    Raises InfrastructureError when one of the processes ends without having saved its model.
    """
    out.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")
    said: multiprocessing.Queue[Progress] = context.Queue()
    workers = {
        kind: context.Process(target=_work, args=(kind, seed, out / f"micro-{kind}", schedule, said), daemon=True)
        for kind, schedule in schedules.items()
    }
    try:
        for worker in workers.values():
            worker.start()
        running = True
        while running:
            # Asked before the queue is emptied: what a worker said before its end is then still heard.
            running = any(worker.is_alive() for worker in workers.values())
            for kind, worker in workers.items():
                if worker.exitcode:
                    raise InfrastructureError(
                        f"the warm-up of micro-{kind} ended with exit status {worker.exitcode}; its error is above"
                    )
            with suppress(queue.Empty):
                while True:
                    report(said.get(timeout=0.5))
    finally:
        for worker in workers.values():
            if worker.is_alive():
                worker.terminate()
                worker.join()


def _work(kind: Kind, seed: int, folder: Path, schedule: Schedule, said: multiprocessing.Queue[Progress]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it, and ends this process
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    quiet()
    torch.set_num_threads(1)
    save(warm_up(kind, seed, said.put, schedule), folder, seed)


def _leave_with_parent() -> None:
    """End this process when its parent has died, which may have been killed and so ended nobody."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class Band:
    """What a warm-up reaches, whatever its seed: a measurement outside of it says that something has changed."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


BANDS: dict[Kind, dict[str, Band]] = {
    "code": {"avg@8": Band(0.37, 0.48), "greedy": Band(0.36, 0.50)},
    "test": {"validity": Band(0.80, 0.93), "kill": Band(0.50, 0.68), "quality": Band(0.42, 0.60)},
}
"""On the 96 held-out questions and the kill set. Drawn around one warm-up (seed 0), with room for the chance of one
measurement: avg@8 of one and the same model was .38, .43 and .44 under three sampling seeds. How far warm-ups of
different seeds lie apart has not been measured, so a value just outside calls for a look, not for an alarm."""


def measure(folder: Path, seed: int = 0) -> dict[Kind, dict[str, float]]:
    """What the two models under `folder` reach on held-out questions: the numbers of `BANDS`.

    Raises InputError when a model is missing, SandboxUnavailable when nothing can be judged.
    """
    targets = [Target(buggy.question, buggy.code, buggy.bug) for buggy in micro.kill_set()]
    with LocalSandbox() as sandbox:
        judge = Judge(sandbox, Rules(k=SUITE_SIZE))
        sampling = Sampling(max_new_tokens=MAX_NEW_TOKENS)
        coder, tester = (HFPolicy(PolicyConfig(str(folder / f"micro-{kind}"), name=kind)) for kind in SCHEDULES)
        style = PromptStyle.MICRO
        code = evaluate_code(coder, judge, micro.held_out_questions(), seed=seed, sampling=sampling, style=style)
        suites = evaluate_tests(tester, judge, targets, suites=2, seed=seed, sampling=sampling, style=style)
    return {
        "code": {"avg@8": code.avg.mean, "greedy": code.greedy.mean},
        "test": {"validity": suites.validity.mean, "kill": suites.kill.mean, "quality": suites.quality.mean},
    }


def record(folder: Path, measured: dict[Kind, dict[str, float]]) -> None:
    """Writes what was measured into the provenance of both models."""
    for kind, numbers in measured.items():
        path = folder / f"micro-{kind}" / PROVENANCE
        facts = json.loads(path.read_text(encoding="utf-8"))
        facts["measured"] = {name: round(value, 4) for name, value in numbers.items()}
        path.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
