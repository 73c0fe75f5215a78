"""A run's metrics in trackio, TensorBoard or Weights & Biases, for those who have one: accelerate's trackers."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from a1kit.errors import MissingDependency
from a1kit.training.events import Ended, Evaluated, Event, StepDone

_PACKAGES = {"trackio": "trackio", "tensorboard": "tensorboard", "wandb": "wandb"}


class Tracker:
    """A listener that sends every step's metrics to a tracker.

    It starts with the first thing to log, when the models are loaded and have settled on a device. Raises
    `MissingDependency` at once when the tracker's package is not installed.
    """

    def __init__(self, kind: str, folder: Path, config: Mapping[str, Any]) -> None:
        if find_spec(_PACKAGES[kind]) is None:
            raise MissingDependency(f"reporting to {kind} needs its package: pip install {_PACKAGES[kind]}")
        self._kind, self._folder, self._config = kind, folder, config
        self._tracker: Any = None

    def __call__(self, event: Event) -> None:
        if isinstance(event, StepDone):
            self._log(event.metrics, event.played.step)
        elif isinstance(event, Evaluated) and event.step == 0:
            self._log(event.metrics, 0)
        elif isinstance(event, Ended):
            self.close()

    def close(self) -> None:
        if self._tracker is not None:
            self._tracker.finish()
            self._tracker = None

    def _log(self, metrics: Mapping[str, float], step: int) -> None:
        if self._tracker is None:
            self._tracker = self._start()
        self._tracker.log(dict(metrics), step=step)

    def _start(self) -> Any:
        from accelerate import PartialState
        from accelerate.tracking import LOGGER_TYPE_TO_CLASS

        PartialState()
        kind = LOGGER_TYPE_TO_CLASS[self._kind]
        options = {"logging_dir": str(self._folder)} if kind.requires_logging_directory else {}
        tracker = kind(f"a1kit-{self._folder.name}", **options)
        tracker.start()
        tracker.store_init_configuration(_flat(self._config))
        return tracker


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, bool | int | float | str]:
    flat: dict[str, bool | int | float | str] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value if isinstance(value, bool | int | float | str) else str(value)
    return flat
