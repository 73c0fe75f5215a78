"""The small run that comes with the kit, several times over: what it gains on held-out questions, and in what time.

For each seed the preset `micro` is trained from the shipped warm-up, and beside it the same budget of steps against
*static* tests: the Code LLM alone, on tests that the warm-up's Test LLM wrote once. Gains are against the warm-up, on
the same held-out questions and wrong programs; seconds are wall time of the whole run with its evaluations.

    a1kit bench demo --seeds 5
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from a1kit.presets import preset
from a1kit.training.events import Event
from a1kit.training.setup import new_run
from a1kit.training.summary import Summary, summarise

VARIANTS: dict[str, dict[str, Any]] = {
    "co-evolution": {},
    "static tests": {"game.opponent": "static", "eval.kill": False},
}


def run(seeds: int = 5, *, steps: int | None = None, quick: bool = False) -> dict[str, Any]:
    """One row a seed and variant, and mean, standard deviation and range over the seeds."""
    seeds = 1 if quick else seeds
    changes: dict[str, Any] = {} if steps is None else {"train.steps": steps}
    rows = [_one(name, {**values, **changes}, seed) for name, values in VARIANTS.items() for seed in range(seeds)]
    return {"benchmark": "demo", "preset": "micro", "seeds": seeds, "runs": rows, "over seeds": _overall(rows)}


def _one(name: str, values: dict[str, Any], seed: int) -> dict[str, Any]:
    config = preset("micro").with_values({**values, "seed": seed})
    with tempfile.TemporaryDirectory(prefix="a1kit-demo-") as root:
        folder = Path(root) / "run"
        started = time.perf_counter()
        with new_run(config, folder, _silent) as runner:
            runner.run()
        seconds = time.perf_counter() - started
        return {"variant": name, "seed": seed, **_numbers(summarise(folder)), "seconds": round(seconds, 1)}


def _numbers(summary: Summary) -> dict[str, float]:
    found = {}
    for gain in summary.gains:
        if gain.name.startswith("avg@") or gain.name == "validity x kill":
            found[f"{gain.name} before"] = round(gain.before.mean, 4)
            found[f"{gain.name} after"] = round(gain.after.mean, 4)
            found[f"{gain.name} gain"] = round(gain.gain.mean, 4)
    return found


def _overall(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    overall = []
    for variant in VARIANTS:
        own = [row for row in rows if row["variant"] == variant]
        for name in own[0]:
            if name.endswith("gain") or name == "seconds":
                values = [row[name] for row in own]
                overall.append(
                    {
                        "variant": variant,
                        "quantity": name,
                        "mean": round(statistics.fmean(values), 4),
                        "sd": round(statistics.stdev(values), 4) if len(values) > 1 else "",
                        "lowest": min(values),
                        "highest": max(values),
                    }
                )
    return overall


def _silent(event: Event) -> None:
    """Nobody watches."""
