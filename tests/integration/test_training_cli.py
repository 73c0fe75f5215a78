"""`a1kit train`, `resume` and `export`, over the toy world: what they print, write, refuse, and return."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from a1kit.cli import live, main
from a1kit.store import run_log
from a1kit.training import setup
from a1kit.training.events import Ended, Evaluated, Note, PhaseBegan, Started, StepDone
from a1kit.training.setup import new_run
from a1kit.types import Completion, Duel, Load, Question
from a1kit_bench.toy import toy_config, toy_makers

pytestmark = pytest.mark.usefixtures("toy_world")


@pytest.fixture
def toy_world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The commands train the toy world, in an empty folder; `toy.yaml` is its configuration."""
    monkeypatch.setattr(setup, "real_makers", toy_makers)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toy.yaml").write_text(toy_config(train__steps=2).to_yaml())
    return tmp_path


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as exit_:
        main(list(arguments))
    assert isinstance(exit_.value.code, int)
    return exit_.value.code


def json_lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_training_prints_a_line_a_step_and_a_summary_with_the_command_that_opens_the_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("train", "--config", "toy.yaml", "--run", "mine") == 0
    printed = capsys.readouterr().out
    assert [line.split()[1] for line in printed.splitlines() if line.startswith("step ")] == ["1/2", "2/2"]
    assert re.search(r"avg@2 .*\[[-+]0\.\d+, [-+]0\.\d+\]", printed)
    assert "open it: a1kit view mine" in printed
    assert run_log.read_status(Path("mine"))["state"] == "finished"


def test_json_lines_tell_every_step_and_end_with_the_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("train", "--config", "toy.yaml", "--json") == 0
    events = json_lines(capsys.readouterr().out)
    assert [event["event"] for event in events] == [
        *("started", "evaluated", "step", "evaluated", "step", "saved", "ended", "summary"),
    ]
    assert {"code/reward", "tests/validity", "book/added"} <= set(events[2]["metrics"])
    assert events[-1]["gains"]["avg@2"]["gain"]["low"] <= events[-1]["gains"]["avg@2"]["gain"]["high"]


def test_runs_get_a_free_folder_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert run("train", "--config", "toy.yaml") == 0
    assert sorted(path.name for path in Path("runs").iterdir()) == ["run-0", "run-0.2"]


def test_options_and_set_change_fields_and_the_manifest_of_a_run_starts_it_again() -> None:
    assert run("train", "-c", "toy.yaml", "-n", "1", "-s", "5", "--set", "game.mistake_book=false", "-r", "a") == 0
    config = run_log.read_manifest(Path("a"))["config"]
    assert (config["train"]["steps"], config["seed"], config["game"]["mistake_book"]) == (1, 5, False)
    assert run("train", "--config", "a", "--run", "b") == 0
    assert run_log.read_manifest(Path("b"))["config"] == config


def test_a_dry_run_writes_nothing_and_says_what_would_be_done(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("train", "--preset", "micro", "--dry-run") == 0
    printed = capsys.readouterr().out
    assert "32 steps of 16 questions" in printed
    assert "96 held out" in printed
    assert run("train", "--preset", "micro", "--dry-run", "--json", "--set", "game.candidates=2") == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["code"]["samples_a_step"] == 32
    assert plan["tests"]["samples_a_step"] == 32 * plan["config"]["game"]["suites"]
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["train"], 1, "say what to train with --preset"),
        (["train", "--preset", "mikro"], 1, "did you mean 'micro'"),
        (["train", "--preset", "micro", "--set", "train.steps"], 1, "is not FIELD=VALUE"),
        (["train", "--preset", "micro", "--set", "train.stepz=1"], 1, "did you mean 'train.steps'"),
        (["train", "--preset", "micro", "--config", "toy.yaml"], 1, "give one of them"),
        (["train", "--config", "absent.yaml"], 1, "cannot be read"),
        (["train", "--preset", "micro", "--steps", "many"], 2, "valid integer"),
        (["train", "--config", "toy.yaml", "--report-to", "paper"], 1, "trackio, tensorboard, wandb"),
        (["resume", "absent"], 1, "no run at absent"),
        (["resume", "."], 1, "is not a run"),
        (["export", "absent"], 1, "no Mistake Book at absent"),
    ],
)
def test_bad_input_is_answered_with_a_sentence_and_its_status(
    capsys: pytest.CaptureFixture[str], arguments: list[str], status: int, sentence: str
) -> None:
    assert run(*arguments) == status
    assert sentence in " ".join(capsys.readouterr().err.split())


def test_a_finished_run_is_resumed_only_with_more_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("train", "--config", "toy.yaml", "--run", "r") == 0
    assert run("resume", "r") == 1
    assert "a1kit resume r --steps 4" in capsys.readouterr().err
    assert run("resume", "r", "--steps", "3") == 0
    assert "finished after step 3" in capsys.readouterr().out
    assert run_log.read_manifest(Path("r"))["config"]["train"]["steps"] == 3


def test_export_writes_every_format_and_says_where(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("train", "--config", "toy.yaml", "--run", "my-run") == 0
    for format_, name in (("pytest", "test_my_run.py"), ("jsonl", "my_run.jsonl"), ("csv", "my_run.csv")):
        assert run("export", "my-run", "--format", format_) == 0
        assert Path(name).stat().st_size > 100
    capsys.readouterr()
    assert run("export", "my-run/mistakes.duckdb", "-f", "parquet", "-o", "b.parquet", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["tests"] == len(Path("my_run.jsonl").read_text().splitlines())
    assert run("export", "my-run", "--question", "toy/nothing") == 1
    assert "no test of question 'toy/nothing'" in capsys.readouterr().err


def test_the_live_view_shows_rewards_the_book_and_a_duel(tmp_path: Path) -> None:
    config = toy_config(train__steps=3)
    console = Console(width=100, force_terminal=True, color_system=None, record=True)
    view = live.LiveView(config, tmp_path / "run", console)
    with view, new_run(config, tmp_path / "run", view, makers=toy_makers()) as runner:
        runner.run()
    with console.capture() as captured:
        console.print(view.render())
    picture = captured.get()
    for words in (
        "step 3 of 3",
        "Code LLM reward",
        "kill rate",
        "Mistake Book",
        "held out: avg@n",
        "candidate",
        "rewards",
    ):
        assert words in picture
    assert all(len(line) <= 100 for line in picture.splitlines())


def test_model_written_text_cannot_move_the_cursor() -> None:
    text = "x\x1b[2J\rfake\u202ereversed\x00"
    duel = Duel(Question("q", text, "f", ""), Completion(text), text, Load.OK)
    assert all(letter.isprintable() for line in live.duel_lines(duel) for letter in line)


def test_every_event_has_a_json_form_and_lines_only_for_what_matters(tmp_path: Path) -> None:
    heard: list[Any] = []
    with new_run(toy_config(train__steps=1), tmp_path / "run", heard.append, makers=toy_makers()) as runner:
        runner.run()
    heard.append(Note("a sentence"))
    assert all(json.dumps(live.event_dict(event)) for event in heard)
    spoken = {type(event) for event in heard if live.plain_line(event)}
    assert spoken == {Started, StepDone, Evaluated, Note, Ended}
    assert all(live.plain_line(event) is None for event in heard if isinstance(event, PhaseBegan))


@pytest.mark.parametrize(("seconds", "words"), [(5.4, "5 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")])
def test_durations_are_said_in_words(seconds: float, words: str) -> None:
    assert live.duration(seconds) == words


def test_reporting_to_a_tracker_that_is_not_installed_names_the_package(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("a1kit.training.trackers.find_spec", lambda name: None)
    assert run("train", "--config", "toy.yaml", "--report-to", "trackio") == 1
    assert "pip install trackio" in capsys.readouterr().err
    assert not Path("runs").exists()
