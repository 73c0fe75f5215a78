"""Kill -9 at any moment, resume, and the run ends with the same bits as one that was left alone.

The run announces every point of every write; a child process kills itself at one of them, at random ones, or is killed
by the clock. A fork server keeps the imports, so a child costs little.
"""

from __future__ import annotations

import multiprocessing
import random
import signal
import time
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Any

import pytest

from a1kit.errors import RunError
from a1kit.store import run_log
from a1kit.store.book import Book
from a1kit.store.queries import RunView
from a1kit_bench.mortal import Points, child, go


@pytest.fixture(scope="module")
def server() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["a1kit_bench.mortal", "pyarrow.dataset"])
    return context


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> tuple[tuple[Any, ...], list[str]]:
    """What a run left alone comes to, and its points in order."""
    folder = tmp_path_factory.mktemp("untouched") / "run"
    points = Points()
    go(folder, points)
    return contents(folder), points.trace


def start(server: ForkServerContext, folder: Path, die_at: int | None = None) -> ForkServerProcess:
    process = server.Process(target=child, args=(str(folder), die_at))
    process.start()
    return process


def killed_and_resumed(server: ForkServerContext, folder: Path, die_at: int) -> None:
    first = start(server, folder, die_at)
    first.join(120)
    assert first.exitcode == -signal.SIGKILL
    second = start(server, folder)
    second.join(120)
    assert second.exitcode == 0


NAMED = (
    "step.begin",
    "step.written",
    "step.metrics",
    "checkpoint.begin",
    "checkpoint.filled",
    "checkpoint.described",
    "checkpoint.named",
    "checkpoint.swept",
    "phase remember",
    "phase learn_tests",
)


@pytest.mark.parametrize("point", NAMED)
def test_a_kill_at_a_named_point_of_the_last_half_changes_nothing(
    server: ForkServerContext, untouched: tuple[tuple[Any, ...], list[str]], tmp_path: Path, point: str
) -> None:
    expected, trace = untouched
    last = max(place for place, name in enumerate(trace) if name == point)
    killed_and_resumed(server, tmp_path / "run", last)
    assert contents(tmp_path / "run") == expected


@pytest.mark.parametrize("seed", range(5))
def test_a_kill_at_a_random_point_changes_nothing(
    server: ForkServerContext, untouched: tuple[tuple[Any, ...], list[str]], tmp_path: Path, seed: int
) -> None:
    expected, trace = untouched
    killed_and_resumed(server, tmp_path / "run", random.Random(seed).randrange(len(trace)))
    assert contents(tmp_path / "run") == expected


def test_kills_by_the_clock_again_and_again_change_nothing(
    server: ForkServerContext, untouched: tuple[tuple[Any, ...], list[str]], tmp_path: Path
) -> None:
    expected, _ = untouched
    source = random.Random(7)
    for _ in range(5):
        process = start(server, tmp_path / "run")
        wait_for(process, tmp_path / "run" / run_log.CONFIG)
        time.sleep(source.uniform(0.0, 0.4))
        process.kill()
        process.join(60)
    last = start(server, tmp_path / "run")
    last.join(120)
    assert last.exitcode == 0
    assert contents(tmp_path / "run") == expected


def test_a_run_killed_while_its_folder_is_made_can_be_started_again(server: ForkServerContext, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / run_log.LOCK).touch()
    (folder / ".config.yaml.tmp").touch()
    (folder / "steps").mkdir()
    go(folder, Points())
    assert run_log.read_status(folder)["state"] == "finished"


def test_a_damaged_newest_checkpoint_is_named_and_the_older_one_takes_over(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    go(folder, Points())
    state = run_log.checkpoint_path(folder, 4) / "code" / "toy.json"
    state.write_bytes(state.read_bytes()[:-5])
    with pytest.raises(RunError, match=r"000004 is damaged: code/toy\.json is missing or cut"):
        go(folder, Points())
    for path in sorted((folder / "checkpoints" / "000004").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (folder / "checkpoints" / "000004").rmdir()
    go(folder, Points())
    assert run_log.read_status(folder)["state"] == "finished"


def wait_for(process: ForkServerProcess, path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists() and process.is_alive():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def contents(folder: Path) -> tuple[Any, ...]:
    """All that a run came to, without its times: duels, events, metrics, models, the book."""
    with RunView(folder) as view:
        files = [view.step(step) for step in view.steps()]
        events = view.query("SELECT * FROM book_events ORDER BY step, place", limit=100_000).rows
    duels = [(file.record.step, file.record.duels, file.record.selected, file.events) for file in files]
    metrics = [
        {name: value for name, value in row.items() if "seconds" not in name and name != "time"}
        for row in run_log.read_metrics(folder)
    ]
    last = run_log.checkpoint_path(folder, run_log.checkpoint_steps(folder)[-1])
    models = {str(path.relative_to(last)): path.read_bytes() for path in sorted(last.rglob("toy.json"))}
    evaluations = [path.read_text() for path in sorted((folder / "evaluations").iterdir())]
    with Book(folder / run_log.BOOK) as book:
        return duels, events, metrics, models, evaluations, book.mistakes(), [book.events(s) for s in range(1, 5)]
