"""Is my curve normal? The range in which runs of a preset lie, from recorded runs, and a word when one leaves it.

A band is a file `bands/PRESET.json` of the kit's data, made from the runs of

    a1kit experiment band --preset micro --seeds 10

For each evaluated step and measure it has the interval in which the next run lies with 99 % probability if it is like
the recorded ones (a prediction interval: mean ± t s sqrt(1 + 1/n)). A run is compared with it only when its
configuration is the preset's in everything that can change a result. Three measures at three steps over a hundred
healthy runs leave their band a few times, so a warning calls for a look.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from a1kit.config import RunConfig
from a1kit.presets import PRESETS, preset
from a1kit.training.events import Evaluated, Event, Listener, Note

MEASURES = ("eval/avg", "eval/validity", "eval/kill_rate")
_INDIFFERENT = ("train.threads", "train.checkpoint_every", "train.keep_checkpoints", "judge.workers", "judge.level")


@dataclass(frozen=True, slots=True)
class Band:
    """What runs of a preset reach: step -> measure -> bounds. `seeds` runs were recorded."""

    preset: str
    seeds: int
    points: Mapping[int, Mapping[str, tuple[float, float]]]

    def outside(self, step: int, metrics: Mapping[str, float]) -> dict[str, tuple[float, tuple[float, float]]]:
        """Measure -> its value and the bounds it lies outside of."""
        bounds = self.points.get(step, {})
        return {
            name: (metrics[name], (low, high))
            for name, (low, high) in bounds.items()
            if name in metrics and not low <= metrics[name] <= high
        }

    def to_dict(self) -> dict[str, object]:
        points = {str(step): {name: list(pair) for name, pair in row.items()} for step, row in self.points.items()}
        return {"preset": self.preset, "seeds": self.seeds, "points": points}


def find_band(config: RunConfig) -> Band | None:
    """The band that a run of this configuration can be held against."""
    if config.preset not in PRESETS or _settled(config) != _settled(preset(config.preset)):
        return None
    path = resources.files("a1kit_data").joinpath("bands", f"{config.preset}.json")
    if not path.is_file():
        return None
    data = json.loads(path.read_text(encoding="utf-8"))
    points = {
        int(step): {name: (float(low), float(high)) for name, (low, high) in row.items()}
        for step, row in data["points"].items()
    }
    return Band(data["preset"], int(data["seeds"]), points)


def _settled(config: RunConfig) -> RunConfig:
    """The configuration with everything that cannot change a result at its default."""
    default = RunConfig().to_dict()
    values = {name: default[name.partition(".")[0]][name.partition(".")[2]] for name in _INDIFFERENT}
    return config.with_values({**values, "seed": 0, "report_to": ""})


def with_band(config: RunConfig, listen: Listener) -> Listener:
    """The listener, told in a note when an evaluation lies outside the band of the run's preset."""
    band = find_band(config)
    if band is None:
        return listen

    def heard(event: Event) -> None:
        listen(event)
        if isinstance(event, Evaluated):
            for name, (value, (low, high)) in band.outside(event.step, event.metrics).items():
                listen(
                    Note(
                        f"{name} is {value:.3f} after step {event.step}; {band.seeds} recorded runs of the preset "
                        f"{band.preset!r} say {low:.3f} to {high:.3f}. Is something different here?"
                    )
                )

    return heard
