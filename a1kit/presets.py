"""Configurations by name: what `a1kit train --preset NAME` starts from.

`micro`, `micro-traps` and `classic-smollm2` run on a laptop without a GPU or a network; the `qwen2.5-coder` presets are
the paper's runs (§4.1) and want eight GPUs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from a1kit.config import (
    EvalConfig,
    GameConfig,
    JudgeConfig,
    ProblemsConfig,
    RoleConfig,
    RunConfig,
    TrainConfig,
    nearest,
)
from a1kit.errors import ConfigError


def _micro_role(model: str, learning_rate: float) -> RoleConfig:
    """A model of under a million parameters: it learns fast, and nothing holds it to its start."""
    return RoleConfig(
        model=model,
        max_new_tokens=64,
        sampler="fast",
        sample_memory_gb=1.0,
        schedule="constant",
        learning_rate=learning_rate,
        warmup_updates=0,
        weight_decay=0.0,
        kl=0.0,
        mini_batches=1,
        micro_batch_tokens=32_768,
    )


def _micro() -> RunConfig:
    """Two models of under a million parameters on two CPU cores: minutes."""
    return RunConfig(
        preset="micro",
        problems=ProblemsConfig(set="micro", max_prompt_tokens=256),
        game=GameConfig(questions=16, candidates=4, suites=12, tests=4, alpha=0.25, style="micro"),
        code=_micro_role("micro-code", 3e-4),
        tests=_micro_role("micro-test", 5e-4),
        judge=JudgeConfig(call_seconds=0.5, program_seconds=3.0),
        train=TrainConfig(steps=32, checkpoint_every=8),
        eval=EvalConfig(every=16, samples=8),
    )


def _micro_traps() -> RunConfig:
    """The traps world, in which the parts of the method can be told apart: both players start from one small model."""
    return RunConfig(
        preset="micro-traps",
        problems=ProblemsConfig(set="micro-traps", max_prompt_tokens=256, pool=48),
        game=GameConfig(questions=8, candidates=8, suites=6, tests=2, alpha=0.2, topvar_keep=2, style="micro"),
        code=_micro_role("micro-traps", 2e-4),
        tests=_micro_role("micro-traps", 1e-3),
        judge=JudgeConfig(call_seconds=0.5, program_seconds=3.0),
        train=TrainConfig(steps=120, checkpoint_every=30),
        eval=EvalConfig(every=30, samples=8, hidden=True, look_back=4),
    )


def _classic_smollm2() -> RunConfig:
    """A real pretrained model, offline and on a CPU: SmolLM2-135M for both roles on the classic problems."""
    role = RoleConfig(
        model="smollm2-135m",
        max_new_tokens=192,
        temperature=0.8,
        sample_memory_gb=1.5,
        learning_rate=1e-5,
        warmup_updates=0,
        kl=0.0,
        mini_batches=1,
        micro_batch_tokens=2048,
    )
    return RunConfig(
        preset="classic-smollm2",
        problems=ProblemsConfig(set="classic", max_prompt_tokens=768),
        game=GameConfig(questions=4, candidates=4, suites=4, tests=4, style="a1-primed"),
        code=role,
        tests=replace(role, max_new_tokens=160),
        train=TrainConfig(steps=20, checkpoint_every=1, keep_checkpoints=1),
        eval=EvalConfig(questions=4, samples=2, kill=False),
    )


def _paper(size: str) -> RunConfig:
    """The paper's run (§4.1): Qwen2.5-Coder for both roles on KodCode, 256 questions a step, 111 steps, 8 GPUs."""
    model = f"Qwen/Qwen2.5-Coder-{size}-Instruct"
    role = RoleConfig(model=model, dtype="bfloat16", gradient_checkpointing=True, sample_memory_gb=40.0)
    return RunConfig(
        preset=f"qwen2.5-coder-{size.lower()}",
        problems=ProblemsConfig(
            set="hub:KodCode/KodCode-V1", train="", held_out="", preset="kodcode", max_prompt_tokens=4096
        ),
        code=role,
        tests=role,
        judge=JudgeConfig(call_seconds=10.0, program_seconds=60.0),
        eval=EvalConfig(enabled=False),
    )


PRESETS: dict[str, Callable[[], RunConfig]] = {
    "micro": _micro,
    "micro-traps": _micro_traps,
    "classic-smollm2": _classic_smollm2,
    "qwen2.5-coder-1.5b": lambda: _paper("1.5B"),
    "qwen2.5-coder-3b": lambda: _paper("3B"),
    "qwen2.5-coder-7b": lambda: _paper("7B"),
}
"""Name -> what makes the config."""


def preset(name: str) -> RunConfig:
    """The configuration of that name."""
    if name not in PRESETS:
        raise ConfigError(f"there is no preset {name!r}{nearest(name, PRESETS)}; there are {', '.join(PRESETS)}.")
    return PRESETS[name]()
