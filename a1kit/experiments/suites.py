"""What is compared: settings by name, each a few changes to one configuration (Paper §4.3-4.5).

A suite is plain data. Every setting is run with the same seeds, and every seed has the same questions in the same
order, so settings can be compared pair by pair.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from a1kit.config import RunConfig, nearest
from a1kit.errors import ConfigError
from a1kit.presets import preset

FULL = "full"


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """One row of a table, there once (`SETTINGS`). `values` are changes to the base configuration.

    tester_of   the setting whose trained Test LLM (of the same seed) this one starts with; it is run after that one
    """

    name: str
    title: str
    values: Mapping[str, Any] = field(default_factory=dict)
    tester_of: str = ""


SETTINGS: dict[str, Setting] = {
    setting.name: setting
    for setting in (
        Setting(FULL, "Code-A1"),
        Setting("golden", "golden tests", {"game.opponent": "golden"}),
        Setting("self_play", "self-play", {"game.opponent": "self"}),
        Setting("mixed", "golden and adversarial tests", {"game.opponent": "mixed"}),
        Setting("static_tests", "static tests of the starting tester", {"game.opponent": "static"}),
        Setting(
            "static_trained",
            "static tests of the trained tester",
            {"game.opponent": "static"},
            tester_of=FULL,
        ),
        Setting("sft_tester", "supervised tester", {"game.opponent": "sft"}),
        Setting(
            "static_sft",
            "static tests of the supervised tester",
            {"game.opponent": "static"},
            tester_of="sft_tester",
        ),
        Setting("frozen_tester", "tester not trained", {"tests.frozen": True}),
        Setting("no_mistake_book", "no Mistake Book", {"game.mistake_book": False}),
        Setting("black_box", "code hidden", {"game.see_code": False}),
        Setting("no_prediction", "no predicted answers", {"game.predictions": False}),
        Setting("alpha_0", "alpha = 0", {"game.alpha": 0.0}),
        Setting("alpha_25", "alpha = 0.25", {"game.alpha": 0.25}),
        Setting("alpha_50", "alpha = 0.5", {"game.alpha": 0.5}),
        Setting("alpha_75", "alpha = 0.75", {"game.alpha": 0.75}),
        Setting("alpha_100", "alpha = 1", {"game.alpha": 1.0}),
        Setting("topvar_random", "suites of random candidates", {"game.topvar": "random"}),
        Setting("topvar_all", "suites of all candidates", {"game.topvar": "all"}),
        Setting("convention_paper", "rewards as in the paper's text", {"game.convention": "paper"}),
    )
}
"""Every setting there is, by name."""

_ALPHA = ("alpha_0", "alpha_25", "alpha_50", "alpha_75", "alpha_100")
_BASELINES = (
    FULL,
    "golden",
    "self_play",
    "sft_tester",
    "static_tests",
    "static_sft",
    "static_trained",
    "mixed",
    "frozen_tester",
)
_ABLATIONS = (FULL, "no_mistake_book", "black_box", "no_prediction", "topvar_random", "topvar_all", "convention_paper")

SUITES: dict[str, tuple[str, ...]] = {
    "band": (FULL,),
    "core": (FULL, "static_tests", "black_box", "no_mistake_book", "no_prediction", "frozen_tester"),
    "baselines": _BASELINES,
    "ablations": _ABLATIONS,
    "alpha": (FULL, *_ALPHA),
    "paper": (*_BASELINES, *_ABLATIONS[1:], *_ALPHA),
}
"""Suite -> names of its settings, the full method first."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Settings x seeds over one preset. `changes` apply to every setting (before its own)."""

    name: str
    preset: str
    settings: tuple[Setting, ...]
    seeds: tuple[int, ...]
    changes: Mapping[str, Any] = field(default_factory=dict)

    def config(self, setting: Setting, seed: int) -> RunConfig:
        """The configuration of one run; a wrong change is a ConfigError here, before anything is run."""
        return preset(self.preset).with_values({**self.changes, **setting.values, "seed": seed})

    def to_dict(self) -> dict[str, Any]:
        """Plain values: what the manifest of a grid keeps."""
        return {
            "suite": self.name,
            "preset": self.preset,
            "settings": [setting.name for setting in self.settings],
            "seeds": list(self.seeds),
            "changes": dict(self.changes),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Suite:
        settings = tuple(SETTINGS[name] for name in data["settings"])
        return cls(data["suite"], data["preset"], settings, tuple(data["seeds"]), dict(data["changes"]))


def suite(name: str, base: str, seeds: int, changes: Mapping[str, Any] | None = None) -> Suite:
    """The suite of that name over a preset, with seeds 0 to `seeds` - 1.

    Settings whose changes make the same configuration as an earlier one's (the alpha of the preset itself) are left
    out, and so is self-play where the preset's players are different models: one of them cannot play both roles.
    """
    if name not in SUITES:
        raise ConfigError(f"there is no suite {name!r}{nearest(name, SUITES)}; there are {', '.join(SUITES)}.")
    found = Suite(name, base, tuple(SETTINGS[one] for one in SUITES[name]), tuple(range(seeds)), dict(changes or {}))
    kept: dict[str, Setting] = {}
    for setting in found.settings:
        config = found.config(setting, 0)
        if setting.name == "self_play" and config.code.model != config.tests.model:
            continue
        key = config.to_yaml() + setting.tester_of
        kept.setdefault(key, setting)
    return Suite(found.name, found.preset, tuple(kept.values()), found.seeds, found.changes)
