"""Experiments over a toy world: suites, the grid with its interruptions, statistics, claims and the report."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from a1kit.errors import ConfigError, InputError
from a1kit.experiments import claims, grid, results, suites
from a1kit.experiments.claims import Claim, Finding
from a1kit.experiments.results import compare, spread
from a1kit.experiments.suites import FULL, SETTINGS, SUITES, Suite
from a1kit.store.run_log import checkpoint_steps, read_status
from a1kit.training.setup import new_run
from a1kit_bench.toy import toy_config, toy_makers

# -- suites ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("base", ["micro", "micro-traps", "qwen2.5-coder-1.5b"])
def test_every_setting_of_every_suite_is_a_configuration_of_its_own(name: str, base: str) -> None:
    suite = suites.suite(name, base, 2)
    configs = [(suite.config(setting, 0).to_yaml(), setting.tester_of) for setting in suite.settings]
    assert len(set(configs)) == len(configs) >= (1 if name == "band" else 4)
    assert suite.settings[0].name == FULL
    assert [suite.config(suite.settings[-1], seed).seed for seed in suite.seeds] == [0, 1]
    assert Suite.from_dict(json.loads(json.dumps(suite.to_dict()))) == suite


def test_self_play_is_left_out_where_the_players_are_different_models() -> None:
    def names(base: str) -> set[str]:
        return {setting.name for setting in suites.suite("baselines", base, 1).settings}

    assert names("micro-traps") - names("micro") == {"self_play"}


def test_a_setting_that_equals_the_preset_is_not_run_twice() -> None:
    names = [setting.name for setting in suites.suite("alpha", "micro", 1).settings]
    assert names == [FULL, "alpha_0", "alpha_50", "alpha_75", "alpha_100"]  # the preset's own alpha is 0.25


def test_an_unknown_suite_is_answered_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r"no suite 'ablation'.*ablations"):
        suites.suite("ablation", "micro", 1)


# -- the grid, with real processes and runs that are made beforehand ---------------------------------------------------


def toy_run(folder: Path, **values: object) -> None:
    with new_run(toy_config(eval__every=2, **values), folder, lambda event: None, makers=toy_makers()) as runner:
        runner.run()


def toy_grid(folder: Path, settings: Mapping[str, Mapping[str, object]], seeds: int = 3) -> None:
    """A grid whose runs are all finished."""
    suite = Suite("toy", "micro", tuple(SETTINGS[name] for name in settings), tuple(range(seeds)))
    grid.start(suite, folder)
    for cell in grid.cells_of(suite, folder):
        toy_run(cell.folder, seed=cell.seed, **settings[cell.setting.name])


SMALL = {
    "problems.pool": 2,
    "game.questions": 1,
    "game.candidates": 2,
    "game.suites": 2,
    "game.tests": 2,
    "eval.questions": 2,
    "eval.samples": 1,
    "eval.kill": "false",
    "train.steps": 2,
    "train.checkpoint_every": 1,
}


@pytest.mark.train
@pytest.mark.slow
def test_a_grid_runs_to_its_end_is_not_run_again_and_takes_testers_from_each_other(tmp_path: Path) -> None:
    pytest.importorskip("trl", reason="needs the extra `train`")
    settings = tuple(SETTINGS[name] for name in (FULL, "static_trained"))
    suite = Suite("small", "micro", settings, (0,), SMALL)
    heard: list[grid.Progress] = []
    assert grid.run(suite, tmp_path / "grid", jobs=2, listen=heard.append) == ()
    assert heard[-1].finished == 2
    config = (tmp_path / "grid" / "static_trained" / "seed-0" / "config.yaml").read_text()
    assert str(tmp_path / "grid" / FULL / "seed-0" / "checkpoints") in config
    before = (tmp_path / "grid" / FULL / "seed-0" / "metrics.jsonl").read_bytes()
    assert grid.run(suite, tmp_path / "grid", jobs=2, listen=heard.append) == ()
    assert (tmp_path / "grid" / FULL / "seed-0" / "metrics.jsonl").read_bytes() == before


@pytest.mark.train
@pytest.mark.slow
def test_a_grid_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    pytest.importorskip("trl", reason="needs the extra `train`")
    folder = tmp_path / "grid"
    changes = [word for name, value in (SMALL | {"train.steps": 6}).items() for word in ("--set", f"{name}={value}")]
    command = [sys.executable, "-m", "a1kit", "experiment", "alpha", "--preset", "micro", "--seeds", "1"]
    command += ["--out", str(folder), "--jobs", "2", *changes]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    first = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, env=environment)
    wait_until(lambda: any((folder / FULL / "seed-0" / "checkpoints").glob("0*")), 120)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    # Its runs have sessions of their own and may still be at work: the next grid waits for those.
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment, timeout=500
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "report.md").is_file()
    assert all(cell.state() == "finished" for cell in grid.cells_of(grid.open_grid(folder), folder))


@pytest.mark.train
@pytest.mark.slow
def test_a_grid_that_is_told_to_end_lets_its_runs_save_first(tmp_path: Path) -> None:
    pytest.importorskip("trl", reason="needs the extra `train`")
    folder = tmp_path / "grid"
    changes = [word for name, value in (SMALL | {"train.steps": 500}).items() for word in ("--set", f"{name}={value}")]
    command = [sys.executable, "-m", "a1kit", "experiment", "band", "--preset", "micro", "--seeds", "2", "--jobs", "2"]
    process = subprocess.Popen(
        [*command, "--output", str(folder), *changes],
        stdin=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    runs = [folder / FULL / f"seed-{seed}" for seed in (0, 1)]
    wait_until(lambda: all(any((run / "steps").glob("0*")) for run in runs), 120)
    process.send_signal(signal.SIGTERM)
    assert process.wait(120) == 130
    assert [read_status(run)["state"] for run in runs] == ["stopped", "stopped"]
    assert all(checkpoint_steps(run) for run in runs)


def wait_until(ready: object, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not ready():  # type: ignore[operator]
        assert time.monotonic() < end, f"waited {seconds:g} s in vain"
        time.sleep(0.2)


def test_a_run_that_fails_is_reported_and_the_others_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = Suite("small", "micro", (SETTINGS[FULL], SETTINGS["static_trained"]), (0,), SMALL)
    monkeypatch.setattr(grid._Crew, "_arguments", lambda self, cell: ["train", "--preset", "no-such-preset"])
    failed = grid.run(suite, tmp_path / "grid", jobs=2, listen=lambda progress: None)
    assert {cell.setting.name for cell in failed} == {FULL, "static_trained"}
    assert "no-such-preset" in grid.why_failed(next(cell for cell in failed if cell.setting.name == FULL))
    assert "needs the tester of full" in grid.why_failed(next(c for c in failed if c.setting.name != FULL))


def test_a_folder_with_something_else_in_it_is_refused(tmp_path: Path) -> None:
    suite = Suite("small", "micro", (SETTINGS[FULL],), (0,))
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="not empty and holds no experiment"):
        grid.start(suite, tmp_path)
    grid.start(suite, tmp_path / "new")
    with pytest.raises(InputError, match=r"holds runs of micro.*not of micro-traps"):
        grid.start(Suite("small", "micro-traps", suite.settings, (0,)), tmp_path / "new")
    grid.start(Suite("small", "micro", (SETTINGS["golden"],), (0, 1)), tmp_path / "new")
    assert [setting.name for setting in grid.open_grid(tmp_path / "new").settings] == [FULL, "golden"]
    (tmp_path / "new" / "suite.json").write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        grid.open_grid(tmp_path / "new")


# -- statistics --------------------------------------------------------------------------------------------------------


def test_intervals_and_paired_tests_are_students() -> None:
    pytest.importorskip("scipy", reason="needs the extra `eval`")
    found = spread({0: 1.0, 1: 2.0, 2: 3.0})
    assert found.mean == 2.0
    assert found.high - found.mean == pytest.approx(4.302653 / math.sqrt(3), rel=1e-6)  # t of 2 degrees, sd 1
    paired = compare({0: 1.0, 1: 2.0, 2: 4.0, 9: 5.0}, {0: 0.0, 1: 1.5, 2: 3.0})
    assert paired is not None
    assert paired.difference.mean == pytest.approx(2.5 / 3)
    assert paired.p == pytest.approx(0.0377, abs=1e-4)  # t = 5 with 2 degrees of freedom
    assert paired.detectable == pytest.approx((4.302653 + 1.060660) / 6, rel=1e-4)
    assert compare({0: 1.0}, {0: 0.0}) is None
    assert math.isnan(spread({0: 1.0}).low)


@pytest.mark.parametrize(
    ("differences", "finding"),
    [
        ({0: 0.10, 1: 0.12, 2: 0.11}, Finding.REPRODUCED),
        ({0: 0.00, 1: 0.001, 2: -0.001}, Finding.NOT_REPRODUCED),
        ({0: -0.10, 1: -0.12, 2: -0.11}, Finding.NOT_REPRODUCED),
        ({0: 0.2, 1: -0.1, 2: 0.1}, Finding.UNDECIDED),
        ({0: 0.2}, Finding.NOT_MEASURED),
        ({0: 0.0, 1: 0.0}, Finding.NOT_REPRODUCED),
    ],
)
def test_claims_are_answered_by_where_their_interval_lies(differences: dict[int, float], finding: Finding) -> None:
    pytest.importorskip("scipy", reason="needs the extra `eval`")
    zeros = dict.fromkeys(differences, 0.0)
    claim = Claim("X", "a sentence", "a measure", lambda _: compare(differences, zeros), 0.02)
    assert claims.answer(claim, None).finding is finding  # type: ignore[arg-type]


# -- results and report ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def toy_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("scipy", reason="needs the extra `eval`")
    folder = tmp_path_factory.mktemp("grid") / "toy"
    toy_grid(
        folder, {FULL: {}, "no_mistake_book": {"game__mistake_book": False}, "golden": {"game__opponent": "golden"}}
    )
    return folder


def test_a_run_is_read_at_three_quarters_and_at_its_end(toy_folder: Path) -> None:
    found = results.read(toy_folder)
    assert not found.missing and len(found.runs) == 9
    run = found.of(FULL)[0]
    rows = {row["step"]: row for row in run.rows}
    assert set(run.readings) == {4}  # 4 steps, evaluated at 2 and 4: 3 lies as near to both, and the later one counts
    assert run.values["eval/avg"] == rows[4]["eval/avg"]
    assert run.start["eval/avg"] == rows[0]["eval/avg"]
    assert run.values["code/reward"] == rows[4]["code/reward"]


def test_a_run_that_is_missing_is_said_and_not_counted(toy_folder: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(toy_folder, tmp_path / "grid")
    shutil.rmtree(tmp_path / "grid" / "golden" / "seed-1")
    found = results.read(tmp_path / "grid")
    assert [cell.name for cell in found.missing] == ["golden/seed-1"]
    assert set(found.values("golden", "eval/avg")) == {0, 2}
    from a1kit.experiments import report

    assert "**Missing: 1 run**: golden/seed-1" in report.to_markdown(report.compose(found), {})


def test_the_report_has_every_number_and_escapes_what_it_quotes(toy_folder: Path) -> None:
    from a1kit.experiments import report

    text, page = report.write(toy_folder, command="a1kit experiment <toy>", also=toy_folder / "docs" / "findings.md")
    second = (toy_folder / "docs" / "findings.md").read_text()
    assert second == text.read_text().replace("](figures/", "](findings-figures/")
    assert all((toy_folder / "docs" / name).is_file() for name in re.findall(r"\]\((findings-figures/[^)]+)\)", second))
    found = results.read(toy_folder)
    markdown, html = text.read_text(), page.read_text()
    for setting in (FULL, "golden", "no_mistake_book"):
        value = found.spread(setting, "eval/avg")
        assert value is not None
        assert f"{value.mean:.3f} ±" in markdown and f"{value.mean:.3f} ±" in html
    for one in claims.answers(found):
        assert one.claim.sentence in markdown
    assert "a1kit experiment &lt;toy&gt;" in html and "<toy>" not in html
    assert html.count("<figure>") >= 3 and "https://cdn" not in html.split("<script")[0]
    numbers = json.loads((toy_folder / "numbers.json").read_text())
    assert len(numbers["runs"]) == 9 and len(numbers["claims"]) == len(claims.CLAIMS)
    assert {row["setting"] for row in numbers["runs"]} == {FULL, "golden", "no_mistake_book"}


def test_nothing_finished_is_a_sentence(tmp_path: Path) -> None:
    grid.start(Suite("small", "micro", (SETTINGS[FULL],), (0,)), tmp_path / "grid")
    with pytest.raises(InputError, match="no finished run yet"):
        results.read(tmp_path / "grid")
    with pytest.raises(InputError, match="holds no experiment"):
        results.read(tmp_path)


def test_runs_that_differ_in_their_seed_alone_are_one_row_named_by_what_else_differs(toy_folder: Path) -> None:
    from a1kit.experiments import comparison

    folders = [toy_folder / name / f"seed-{seed}" for name in (FULL, "no_mistake_book") for seed in (0, 1)]
    found = comparison.results_of(folders)
    assert [setting.title for setting in found.settings] == ["first", "game.mistake_book=False"]
    assert set(found.values("game.mistake_book=False", "eval/avg")) == {0, 1}
    with pytest.raises(InputError, match="named twice"):
        comparison.check([folders[0], folders[0]])
    with pytest.raises(InputError, match="name the runs"):
        comparison.check([])


def test_compare_writes_tables_figures_and_numbers(toy_folder: Path, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from a1kit.cli import app

    folders = [str(toy_folder / name / "seed-0") for name in (FULL, "golden")]
    done = CliRunner().invoke(app, ["compare", *folders, "--out", str(tmp_path / "out"), "--json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert [run["row"] for run in said["runs"]] == ["first", "game.opponent=golden"]
    assert "game.opponent=golden" in (tmp_path / "out" / "report.md").read_text()
    shown = CliRunner().invoke(app, ["compare", *folders, "--out", str(tmp_path / "out")])
    assert "held-out code right" in shown.stdout
    missing = CliRunner().invoke(app, ["compare", str(tmp_path / "none")])
    assert missing.exit_code != 0


def test_a_comparison_of_unfinished_runs_needs_a_step(tmp_path: Path) -> None:
    from a1kit.experiments import comparison

    with new_run(toy_config(), tmp_path / "run", lambda event: None, makers=toy_makers()):
        pass
    with pytest.raises(InputError, match="no finished step"):
        comparison.results_of([tmp_path / "run"])


def test_a_band_holds_what_the_next_run_should_reach_and_says_when_it_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("scipy", reason="needs the extra `eval`")
    from a1kit.presets import preset
    from a1kit.training import bands
    from a1kit.training.events import Evaluated, Event, Note

    toy_grid(tmp_path / "grid", {FULL: {}}, seeds=10)
    band = results.band_of(results.read(tmp_path / "grid"))
    assert set(band.points) == {0, 2, 4} and band.seeds == 10
    values = [run.rows[-1]["eval/avg"] for run in results.read(tmp_path / "grid").of(FULL)]
    low, high = band.points[4]["eval/avg"]
    assert low < min(values) and max(values) < high

    (tmp_path / "bands").mkdir()
    (tmp_path / "bands" / "micro.json").write_text(json.dumps({**band.to_dict(), "preset": "micro"}))
    monkeypatch.setattr(bands.resources, "files", lambda package: tmp_path)
    heard: list[Event] = []
    config = preset("micro").with_values({"seed": 5, "train.threads": 1})
    listen = bands.with_band(config, heard.append)
    listen(Evaluated(4, {"eval/avg": (low + high) / 2}))
    assert len(heard) == 1
    listen(Evaluated(4, {"eval/avg": high + 0.1, "eval/validity": 0.5}))
    assert [type(event) for event in heard] == [Evaluated, Evaluated, Note]
    assert "eval/avg" in str(heard[-1]) and "10 recorded runs" in str(heard[-1])
    other = config.with_values({"game.alpha": 0.5})
    assert bands.with_band(other, heard.append) == heard.append


def test_a_band_of_few_runs_is_refused(toy_folder: Path) -> None:
    with pytest.raises(InputError, match="needs 10 runs, there are 3"):
        results.band_of(results.read(toy_folder))


def test_forgetting_and_faults_are_drawn_from_evaluated_rows_alone() -> None:
    from a1kit import figures

    rows = [
        {"step": 0, "eval/fault/guard": 0.4, "eval/fault/patch": 0.2},
        {"step": 10, "code/reward": 0.5},
        {"step": 20, "eval/fault/guard": 0.1, "eval/old_failures_passed": 0.9, "eval/refailed": 0.05},
        {"step": 40, "eval/fault/guard": 0.1, "eval/old_failures_passed": 0.8, "eval/refailed": 0.25},
    ]
    drawn = figures.faults(rows)
    assert [(trace.name, list(trace.x)) for trace in drawn.data] == [("guard", [0, 20, 40]), ("patch", [0])]
    assert "'guard' fell from 0.40 to 0.10" in drawn.layout.title.text.replace("<br>", " ")
    drawn = figures.forgetting(rows)
    assert [list(trace.y) for trace in drawn.data] == [[0.9, 0.8], [0.05, 0.25]]
    assert "rose from 0.05 to 0.25" in drawn.layout.title.text.replace("<br>", " ")
    assert len(figures.faults([]).data) == 0
