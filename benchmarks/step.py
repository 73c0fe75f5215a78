"""One training step by phase: how much of it is not the models' time.

Trains a preset for a few steps without evaluation and reports the median seconds of each phase. Sampling (`write`,
`attack`) and updating (`learn_code`, `learn_tests`) are the models'; judging, the book, scoring and writing the step to
disk are the kit's.

    a1kit bench step              # micro; with --quick fewer steps
    python -m a1kit_bench.step classic-smollm2
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from a1kit.presets import preset
from a1kit.training.events import Event, StepDone
from a1kit.training.setup import new_run

MODEL_PHASES = ("write", "attack", "learn_code", "learn_tests")


def run(name: str = "micro", *, steps: int = 10, quick: bool = False) -> dict[str, Any]:
    """Median seconds by phase, without the first step (it warms up caches), and the share that is not the models'."""
    steps = 4 if quick else steps
    config = preset(name).with_values(
        {"train.steps": steps, "eval.enabled": False, "train.checkpoint_every": max(2, steps // 2)}
    )
    watch = Watch()
    with tempfile.TemporaryDirectory(prefix="a1kit-step-") as folder:
        with new_run(config, Path(folder) / "run", watch) as runner:
            watch.begin()
            runner.run()
    return {"benchmark": "step", "preset": name, "steps": steps, **watch.report()}


class Watch:
    """Collects the phases of each step, and the wall time between one step's end and the next's."""

    def __init__(self) -> None:
        self._steps: list[dict[str, float]] = []
        self._last = 0.0

    def begin(self) -> None:
        self._last = time.perf_counter()

    def __call__(self, event: Event) -> None:
        if isinstance(event, StepDone):
            now = time.perf_counter()
            phases = dict(event.played.seconds)
            phases["write to disk"] = now - self._last - sum(phases.values())
            self._steps.append(phases)
            self._last = now

    def report(self) -> dict[str, Any]:
        """The medians; time on disk includes a checkpoint where there was one."""
        warm = self._steps[1:] or self._steps
        medians = {name: statistics.median(step[name] for step in warm) for name in warm[0]}
        total = statistics.median(sum(step.values()) for step in warm)
        shares = [1 - sum(step[name] for name in MODEL_PHASES) / sum(step.values()) for step in warm]
        rows = [
            {"phase": name, "seconds": round(seconds, 4), "share": round(seconds / total, 4)}
            for name, seconds in medians.items()
        ]
        return {
            "seconds_a_step": round(total, 3),
            "share_not_models": round(statistics.median(shares), 4),
            "phases": rows,
        }


if __name__ == "__main__":
    print(json.dumps(run(*sys.argv[1:2]), indent=1))
