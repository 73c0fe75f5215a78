"""`a1kit train`: two models against each other, from a preset or a configuration file.

    a1kit train --preset micro
    a1kit train --preset micro --steps 8 --seed 3 --set game.alpha=0.25 --set game.mistake_book=false
    a1kit train --preset qwen2.5-coder-7b --dry-run

On a terminal it shows the run as it goes; elsewhere it prints a line a step, with `--json` a JSON line an event. The
first Ctrl-C finishes the step and saves, the second stops at once; `a1kit resume RUN` goes on either way.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from a1kit.config import RunConfig
from a1kit.errors import ConfigError, InputError
from a1kit.presets import PRESETS, preset
from a1kit.store.run_log import CONFIG

RUNS = Path("runs")


def command(
    preset_name: Annotated[
        str | None, typer.Option("--preset", "-p", metavar="NAME", help=f"One of: {', '.join(PRESETS)}.")
    ] = None,
    config_file: Annotated[
        Path | None, typer.Option("--config", "-c", metavar="FILE", help="A configuration (YAML) instead of a preset.")
    ] = None,
    steps: Annotated[int | None, typer.Option("--steps", "-n", help="How many steps.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", "-s", help="What all chance comes from.")] = None,
    run: Annotated[
        Path | None, typer.Option("--run", "-r", metavar="DIR", help="The run folder. [default: runs/PRESET-SEED]")
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FIELD=VALUE", help="Any field of the configuration; repeatable."),
    ] = None,
    report_to: Annotated[
        str | None, typer.Option("--report-to", metavar="NAME", help="trackio, tensorboard or wandb.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done, load no model, write nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines instead of the view for people.")] = False,
) -> None:
    """Train a Code LLM and a Test LLM against each other."""
    config = _config(preset_name, config_file, _changes(steps, seed, report_to, changes or []))
    if dry_run:
        _show_plan(config, as_json)
        return
    from a1kit.cli.live import follow
    from a1kit.training.bands import with_band
    from a1kit.training.setup import new_run

    folder = run or free_folder(RUNS, f"{config.preset or 'run'}-{config.seed}")
    with follow(config, folder, as_json) as listen:
        with new_run(config, folder, with_band(config, listen)) as runner:
            runner.run()


def free_folder(root: Path, name: str) -> Path:
    """`root/name`, or `root/name.2`, `.3` … when that is taken."""
    folder, number = root / name, 1
    while folder.exists():
        number += 1
        folder = root / f"{name}.{number}"
    return folder


def _changes(steps: int | None, seed: int | None, report_to: str | None, pairs: list[str]) -> dict[str, Any]:
    """The fields that options change; options of their own win over `--set`."""
    own = {"train.steps": steps, "seed": seed, "report_to": report_to}
    return fields_of(pairs) | {name: value for name, value in own.items() if value is not None}


def fields_of(pairs: list[str]) -> dict[str, Any]:
    """The values of `--set FIELD=VALUE`, as text."""
    values: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ConfigError(f"--set {pair!r} is not FIELD=VALUE, as in --set train.steps=8.")
        values[name.strip()] = value.strip()
    return values


def _config(name: str | None, file: Path | None, changes: dict[str, Any]) -> RunConfig:
    if name and file:
        raise ConfigError("--preset and --config both say what to start from; give one of them.")
    if file is None:
        if name is None:
            raise ConfigError(f"say what to train with --preset NAME ({', '.join(PRESETS)}) or --config FILE.")
        return preset(name).with_values(changes)
    try:
        text = (file / CONFIG if file.is_dir() else file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the configuration {file} cannot be read: {error}") from error
    return _inner(text).with_values(changes)


def _inner(text: str) -> RunConfig:
    """A configuration, or the one inside a run's manifest: another run's config.yaml starts the same run again."""
    import yaml

    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError:
        return RunConfig.from_yaml(text)
    if isinstance(data, dict) and "schema" in data and isinstance(data.get("config"), dict):
        return RunConfig.from_dict(data["config"])
    return RunConfig.from_yaml(text)


def _show_plan(config: RunConfig, as_json: bool) -> None:
    from a1kit.cli.live import print_plan
    from a1kit.training.plan import plan
    from a1kit.training.setup import find_problems

    made = plan(config, find_problems(config))
    if as_json:
        print(json.dumps(made.to_dict(), indent=2))
    else:
        print_plan(made)
