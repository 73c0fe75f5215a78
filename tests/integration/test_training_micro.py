"""The run with real models: the micro preset cut small, through torch, transformers, TRL and the local sandbox."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from a1kit.config import RunConfig
from a1kit.presets import preset
from a1kit.store import run_log
from a1kit.store.queries import RunView
from a1kit.training.events import Event, StepDone
from a1kit.training.setup import new_run, old_run

pytestmark = [pytest.mark.train, pytest.mark.slow]

SIZES: dict[str, Any] = {
    "game.questions": 2,
    "game.candidates": 3,
    "game.suites": 3,
    "problems.pool": 4,
    "train.steps": 4,
    "train.checkpoint_every": 2,
    "train.threads": 1,
    "eval.questions": 2,
    "eval.samples": 2,
    "eval.kill": False,
    "eval.every": 0,
    "judge.workers": 1,
}

DYING = """
import os, signal, sys
from pathlib import Path
from a1kit.config import RunConfig
from a1kit.training.setup import new_run
seen = []
def announce(point):
    seen.append(point)
    if seen.count("step.written") == 3:
        os.kill(os.getpid(), signal.SIGKILL)
with new_run(RunConfig.from_yaml(sys.stdin.read()), Path(sys.argv[1]), lambda event: None, announce=announce) as runner:
    runner.run()
"""


def small_config() -> RunConfig:
    return preset("micro").with_values(SIZES)


def trained(folder: Path) -> list[Event]:
    heard: list[Event] = []
    opened = old_run(folder, heard.append) if folder.exists() else new_run(small_config(), folder, heard.append)
    with opened as runner:
        runner.run()
    return heard


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Event]]:
    """A run of four steps that nobody disturbed."""
    folder = tmp_path_factory.mktemp("straight") / "run"
    return folder, trained(folder)


def test_both_models_write_are_judged_and_learn(straight: tuple[Path, list[Event]]) -> None:
    import torch
    from safetensors.torch import load_file

    folder, heard = straight
    steps = [event for event in heard if isinstance(event, StepDone)]
    duels = [duel for event in steps for duel in event.played.duels]
    assert len(duels) == 4 * 2 * 3
    assert any(0 < duel.reward <= 1 for duel in duels)
    assert any(test.verdict for duel in duels for suite in duel.suites for test in suite.tests)
    early, late = (run_log.checkpoint_path(folder, step) for step in (2, 4))
    for role in ("code", "tests"):
        files = [path.relative_to(early) for path in (early / role).rglob("*.safetensors")]
        assert files
        moved = [
            not torch.equal(first, second)
            for file in files
            for first, second in zip(load_file(early / file).values(), load_file(late / file).values(), strict=True)
        ]
        assert all(moved), role


def test_a_real_run_killed_in_step_three_and_resumed_ends_with_the_same_bits(
    straight: tuple[Path, list[Event]], tmp_path: Path
) -> None:
    command = [sys.executable, "-c", DYING, str(tmp_path / "run")]
    done = subprocess.run(
        command, input=small_config().to_yaml(), capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert run_log.checkpoint_steps(tmp_path / "run") == [2]
    trained(tmp_path / "run")
    assert duels_of(tmp_path / "run") == duels_of(straight[0])
    assert weights_of(tmp_path / "run") == weights_of(straight[0])


def duels_of(folder: Path) -> list[Any]:
    with RunView(folder) as view:
        files = [view.step(step) for step in view.steps()]
    return [(file.record.step, file.record.duels, file.record.selected, file.events) for file in files]


def weights_of(folder: Path) -> dict[str, bytes]:
    path = run_log.checkpoint_path(folder, 4)
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*.safetensors"))}
