"""What a run would do, before it does it: sizes, longest sequences, memory. Nothing is loaded and nothing is written.

Lengths are bounds from the configuration, not measurements: a prompt of the Test LLM holds a question and, unless the
game is black-box, a candidate. Memory is arithmetic over the shape of the model (`a1kit.policies.memory`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from a1kit.config import RunConfig
from a1kit.policies.memory import MemoryEstimate, estimate, find_shape
from a1kit.training.setup import Problems, policy_config, wants_tester


@dataclass(frozen=True, slots=True)
class RolePlan:
    """One model's part. `longest` counts prompt and completion tokens, `memory` is None for a model whose shape is not
    known without loading it."""

    model: str
    parameters: int | None
    samples: int
    update_samples: int
    longest: int
    memory: MemoryEstimate | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would do."""

    config: RunConfig
    questions: int
    held_out: int
    left_out: dict[str, int]
    code: RolePlan
    tests: RolePlan | None
    tests_judged: int

    @property
    def steps_an_epoch(self) -> int:
        return self.questions // self.config.game.questions

    @property
    def epochs(self) -> float:
        return self.config.train.steps / max(1, self.steps_an_epoch)

    @property
    def evaluations(self) -> int:
        """How often the held-out questions are asked."""
        config = self.config
        if not config.eval.enabled or not self.held_out:
            return 0
        every = config.eval.every
        return 1 + math.ceil(config.train.steps / every) if every else 2

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for `--json`."""
        return {
            "config": self.config.to_dict(),
            "questions": self.questions,
            "held_out": self.held_out,
            "left_out": dict(self.left_out),
            "steps": self.config.train.steps,
            "steps_an_epoch": self.steps_an_epoch,
            "epochs": round(self.epochs, 2),
            "evaluations": self.evaluations,
            "tests_judged_a_step": self.tests_judged,
            "code": _role_dict(self.code),
            "tests": _role_dict(self.tests) if self.tests else None,
        }


def plan(config: RunConfig, problems: Problems) -> Plan:
    """The plan of a run on these problems."""
    game = config.game
    candidates = game.questions * game.candidates
    suites = _suites(config)
    taught = (
        suites
        if game.topvar == "all" or game.opponent == "sft"
        else game.questions * game.kept_candidates * game.suites
    )
    prompt = config.problems.max_prompt_tokens
    shown = config.code.max_new_tokens if game.see_code else 0
    tests = None
    if wants_tester(config) and game.opponent != "self":
        frozen = config.tests.frozen or not game.teaches_tester
        longest = prompt + shown + config.tests.max_new_tokens
        tests = _role(config, "tests", suites, 0 if frozen else taught, longest)
    written = candidates + (suites if game.opponent == "self" else 0)
    longest = prompt + max(config.code.max_new_tokens, config.tests.max_new_tokens if written > candidates else 0)
    code = _role(config, "code", written, 0 if config.code.frozen or game.opponent == "sft" else written, longest)
    return Plan(
        config,
        len(problems.train),
        len(problems.held_out),
        dict(problems.left_out),
        code,
        tests,
        (suites * game.candidates if game.opponent == "self" else suites) * game.tests
        + candidates * (game.replay_limit if game.mistake_book else 0),
    )


def _suites(config: RunConfig) -> int:
    """Suites written a step."""
    game = config.game
    if game.opponent == "self":
        return game.questions * game.suites
    if game.opponent == "sft":
        return game.questions * game.candidates
    return game.questions * game.candidates * game.suites if game.attacked else 0


def _role(config: RunConfig, role: str, samples: int, update_samples: int, longest: int) -> RolePlan:
    settings = policy_config(config, role)
    shape = find_shape(settings.model)
    memory = estimate(shape, settings, longest_row=longest, rows_sampled=max(1, samples)) if shape else None
    return RolePlan(settings.model, shape.parameters if shape else None, samples, update_samples, longest, memory)


def _role_dict(role: RolePlan) -> dict[str, Any]:
    return {
        "model": role.model,
        "parameters": role.parameters,
        "samples_a_step": role.samples,
        "samples_an_update": role.update_samples,
        "longest_sequence": role.longest,
        "peak_memory_bytes": role.memory.peak if role.memory else None,
    }
