"""How a model of a micro world learns before it plays: plain supervised learning on examples.

The architecture is Llama from transformers, with one key-value head and tied embeddings. (Not Qwen2, whose
`AutoTokenizer` puts its own rules for numbers in the place of any other tokenizer's.) The loss is the cross-entropy of
the completion alone, the answers of tests weighing more than the rest, since a suite of wrong answers is worth nothing.

Two things make a warm-up of minutes enough on a CPU. Number tokens start from embeddings that say how large a number
is and what it leaves modulo small periods, so arithmetic need not be learnt digit by digit; and hidden matrices are
updated by orthogonalised momentum (Muon; Jordan et al. 2024), which needs far fewer steps here than AdamW.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from a1kit.warmup.course import Course, Kind, Schedule
from a1kit.warmup.examples import TESTS, Example, ExampleWriter, number_tokens


def new_model(course: Course, tokenizer: PreTrainedTokenizerFast, seed: int) -> LlamaForCausalLM:
    """A model with random weights, but for what its number tokens know of their numbers."""
    torch.manual_seed(seed)
    shape = course.shape
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=shape.width,
        intermediate_size=shape.inner,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=1,
        max_position_embeddings=512,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        initializer_range=0.04,
    )
    model = LlamaForCausalLM(config)
    for token, number in number_tokens(tokenizer).items():
        features = torch.tensor(course.number_features(number))
        model.model.embed_tokens.weight.data[token, : len(features)] = features
    return model


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

    model: str
    kind: Kind
    step: int
    steps: int
    loss: float
    answers_right: float
    seconds: float


def batches(examples: Iterator[Example], size: int, rng: random.Random) -> Iterator[list[Example]]:
    """Batches of examples of about equal length: eight batches are drawn, sorted by length, and shuffled."""
    while True:
        drawn = sorted(islice(examples, size * 8), key=lambda example: len(example.ids))
        together = [drawn[start : start + size] for start in range(0, len(drawn), size)]
        rng.shuffle(together)
        yield from together


class Trainer:
    """Trains one model of a course on its examples. `step` is one optimizer step."""

    def __init__(
        self,
        course: Course,
        kind: Kind,
        tokenizer: PreTrainedTokenizerFast,
        seed: int,
        schedule: Schedule | None = None,
    ) -> None:
        self.name, self.kind, self.schedule = course.model_name(kind), kind, schedule or course.schedules[kind]
        self.model = new_model(course, tokenizer, seed)
        self._rng = random.Random(seed * 2 + (kind == "test"))
        self._writer = ExampleWriter(tokenizer, self._rng)
        self._pad, self._eos = tokenizer.pad_token_id, tokenizer.eos_token_id
        self._tests = tokenizer.convert_tokens_to_ids(TESTS)
        (self._before_answer,) = tokenizer.encode(course.before_answer)
        self._optimizer = Optimizer(self.model, self.schedule)

    def run(self, report: Callable[[Progress], None], every: int = 100) -> None:
        """All stages."""
        started, step, loss, right = time.monotonic(), 0, math.nan, math.nan
        for stage in self.schedule.stages:
            examples = self._writer.examples(stage.author)
            for batch in islice(batches(examples, stage.batch, self._rng), stage.steps):
                now_loss, now_right = self.step(batch, self.schedule.rate(step))
                keep = 0.98 if step else 0.0
                loss = now_loss if not step else keep * loss + (1 - keep) * now_loss
                right = now_right if not step else keep * right + (1 - keep) * now_right
                step += 1
                if step % every == 0 or step == self.schedule.steps:
                    seconds = time.monotonic() - started
                    report(Progress(self.name, self.kind, step, self.schedule.steps, loss, right, seconds))

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
        # A program that a suite follows in the same example ends with <eos> all the same.
        targets_X = ids_BT[:, 1:][counted_BT]
        targets_X = targets_X.masked_fill(targets_X == self._tests, self._eos)
        losses_X = torch.nn.functional.cross_entropy(logits_XV, targets_X, reduction="none")
        answers_X = ids_BT[:, :-1][counted_BT] == self._before_answer
        weights_X = 1.0 + (self.schedule.answer_weight - 1.0) * answers_X
        ((losses_X * weights_X).sum() / len(losses_X)).backward()
        self._optimizer.step(factor)
        with torch.no_grad():
            hits = (logits_XV[answers_X].argmax(-1) == targets_X[answers_X]).float().mean()
        return float(losses_X.detach().mean()), float(hits.nan_to_num())
