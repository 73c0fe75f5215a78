"""The configuration: round trips, overrides as a command line gives them, and refusals that say what would do."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a1kit.config import RunConfig, field_names
from a1kit.errors import ConfigError
from a1kit.presets import PRESETS, preset


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_survives_the_way_through_yaml(name: str) -> None:
    config = preset(name)
    assert config.preset == name
    assert RunConfig.from_yaml(config.to_yaml()) == config


def test_the_papers_presets_have_the_papers_numbers() -> None:
    config = preset("qwen2.5-coder-7b")
    game, code = config.game, config.code
    assert (game.questions, game.candidates, game.suites, game.alpha, game.replay_limit) == (256, 8, 8, 0.5, 8)
    assert game.kept_candidates == 1
    assert (code.learning_rate, code.warmup_updates, code.schedule, code.weight_decay) == (1e-6, 10, "cosine", 0.1)
    assert (code.clip_low, code.clip_high, code.kl, code.max_grad_norm, code.mini_batches) == (0.2, 0.28, 0.001, 1.0, 2)
    assert (config.train.steps, code.temperature) == (111, 1.0)
    assert config.code.model == config.tests.model == "Qwen/Qwen2.5-Coder-7B-Instruct"


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("train.steps", "8", 8),
        ("train.steps", "1_000", 1000),
        ("game.alpha", "0.25", 0.25),
        ("game.mistake_book", "false", False),
        ("game.see_code", "off", False),
        ("game.topvar", "random", "random"),
        ("code.learning_rate", "3e-4", 3e-4),
        ("code.stop", "</code>, END", ("</code>", "END")),
        ("problems.columns", "prompt=text,id=task_id", {"prompt": "text", "id": "task_id"}),
        ("seed", "7", 7),
    ],
)
def test_text_of_a_command_line_becomes_the_fields_type(field: str, text: str, value: object) -> None:
    config = preset("micro").with_values({field: text})
    here: object = config
    for part in field.split("."):
        here = getattr(here, part)
    assert here == value
    assert RunConfig.from_yaml(config.to_yaml()) == config


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"train.stepz": "8"}, r"no field 'train\.stepz' \(did you mean 'train\.steps'\?\)"),
        ({"nothing": "8"}, r"no field 'nothing'"),
        ({"train.steps.more": "8"}, r"no field 'train\.steps'"),
        ({"train": "8"}, "train is a section with fields, not '8'"),
        ({"train.steps": "eight"}, "train.steps is 'eight'; it is a whole number"),
        ({"train.steps": "1.5"}, "it is a whole number"),
        ({"train.steps": "0"}, "train.steps is 0; it must be at least 1"),
        ({"game.alpha": "1.5"}, "game.alpha is 1.5.*use 0 to 1"),
        ({"game.alpha": "nan"}, "it is a number"),
        ({"game.mistake_book": "maybe"}, "use true or false"),
        ({"game.topvar": "best"}, "use one of top, random, all"),
        ({"game.convention": "mine"}, "use one of release, paper"),
        ({"game.candidates": "1"}, "one alone teaches nothing"),
        ({"game.suites": "1"}, "use at least 2, or tests.frozen=true"),
        ({"game.topvar_keep": "9"}, "keep at most those"),
        ({"problems.pool": "96", "game.questions": "97"}, "problems.pool leaves 96"),
        ({"code.temperature": "0"}, "code.frozen=true"),
        ({"tests.top_p": "0"}, "above 0 and at most 1"),
        ({"problems.held_out": "train"}, "not held out"),
        ({"report_to": "email"}, "trackio, tensorboard, wandb"),
        ({"tests.kl": "-1"}, "at least 0"),
    ],
)
def test_what_cannot_work_is_refused_with_the_field_and_what_would_do(changes: dict[str, str], sentence: str) -> None:
    with pytest.raises(ConfigError, match=f"(?i){sentence}"):
        preset("micro").with_values(changes)


def test_an_unknown_preset_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match="did you mean 'micro'"):
        preset("mikro")


def test_a_frozen_model_may_be_greedy_and_alone() -> None:
    config = preset("micro").with_values({"tests.frozen": "true", "tests.temperature": "0", "game.suites": "1"})
    assert config.game.kept_candidates == 4


@pytest.mark.parametrize("text", ["- a\n- b", "{", "train: 5", "game: {alpah: 1}", "seed: [1]"])
def test_yaml_that_is_no_configuration_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        RunConfig.from_yaml(text)


def test_every_field_can_be_set_by_its_dotted_name() -> None:
    config = preset("micro")
    plain = config.to_dict()
    for name in field_names():
        section, _, key = name.partition(".")
        value = plain[section][key] if key else plain[section]
        assert config.with_values({name: value}) == config


@given(st.text(max_size=12), st.text(max_size=12))
def test_no_override_ends_in_anything_but_a_config_or_a_config_error(name: str, value: str) -> None:
    with suppress(ConfigError):
        assert isinstance(preset("micro").with_values({name: value}), RunConfig)
