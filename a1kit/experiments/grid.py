"""Runs a suite: one process a run, several side by side, and whatever stops it can be taken up again.

    <folder>/suite.json                   what is run
    <folder>/<setting>/seed-0/            an ordinary run folder
    <folder>/<setting>/seed-0.log         what its process said

A run that is finished stays as it is; one that was cut short goes on from its checkpoint; one that never got that far
begins again; one whose process outlived a grid that was killed is waited for. A run that fails is noted with the last
line it said, the others go on, and starting the grid again tries it once more.

Each run has a core of its own (`train.threads` and `judge.workers` are 1), which for small models makes two runs side
by side nearly twice as fast as one after the other; weights do not depend on what runs beside.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from a1kit.errors import InputError
from a1kit.experiments.suites import Setting, Suite
from a1kit.store.files import make_folder, write_text_whole
from a1kit.store.run_log import checkpoint_path, checkpoint_steps, is_alive, read_metrics, read_status

MANIFEST = "suite.json"
ONE_CORE = {"train.threads": 1, "judge.workers": 1}
POLL_SECONDS = 0.5
STOP_SECONDS = 60.0
"""How long runs may take to finish their step when the grid is interrupted."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One run of a grid."""

    setting: Setting
    seed: int
    folder: Path

    @property
    def name(self) -> str:
        return f"{self.setting.name}/seed-{self.seed}"

    @property
    def log(self) -> Path:
        return self.folder.with_suffix(".log")

    def state(self) -> str:
        """`new`, `running`, `finished`, `stopped`, `failed` or `dead` (see the run's status)."""
        return str(read_status(self.folder).get("state", "new"))

    def step(self) -> int:
        rows = read_metrics(self.folder)
        return int(rows[-1]["step"]) if rows else 0


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a grid is. `seconds_left` is a guess from the runs so far, None before the first has finished."""

    cells: tuple[Cell, ...]
    states: tuple[str, ...]
    running: tuple[Cell, ...]
    seconds: float
    seconds_left: float | None

    @property
    def finished(self) -> int:
        return self.states.count("finished")


def cells_of(suite: Suite, folder: Path) -> tuple[Cell, ...]:
    """All runs of the suite, seed by seed, so that a grid that is stopped early has whole seeds."""
    return tuple(
        Cell(setting, seed, folder / setting.name / f"seed-{seed}")
        for seed in suite.seeds
        for setting in suite.settings
    )


def open_grid(folder: Path) -> Suite:
    """The suite that a grid's folder was started with."""
    try:
        return Suite.from_dict(json.loads((folder / MANIFEST).read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise InputError(f"{folder} holds no experiment: it has no {MANIFEST}.") from None
    except (ValueError, KeyError) as error:
        raise InputError(f"{folder / MANIFEST} cannot be read ({error}). Was it made by a newer a1kit?") from error


def start(suite: Suite, folder: Path) -> None:
    """Make the folder, or see that what is there is the same suite (more seeds and settings are welcome)."""
    for setting in suite.settings:
        suite.config(setting, suite.seeds[0])
    if (folder / MANIFEST).exists():
        before = open_grid(folder)
        if (before.preset, dict(before.changes)) != (suite.preset, dict(suite.changes)):
            raise InputError(
                f"{folder} holds runs of {before.preset} with {dict(before.changes)}, not of {suite.preset} with "
                f"{dict(suite.changes)}. Choose another folder with --output."
            )
        settings = dict.fromkeys((*before.settings, *suite.settings))
        seeds = sorted({*before.seeds, *suite.seeds})
        suite = Suite(suite.name, suite.preset, tuple(settings), tuple(seeds), suite.changes)
    elif folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder} is not empty and holds no experiment. Choose another folder with --output.")
    make_folder(folder)
    write_text_whole(folder / MANIFEST, json.dumps(suite.to_dict(), indent=1))


def run(suite: Suite, folder: Path, *, jobs: int, listen: Callable[[Progress], None]) -> tuple[Cell, ...]:
    """Run what is not finished, `jobs` at a time; the cells that failed.

    An interrupt (Ctrl-C, SIGTERM) asks all runs to save and stop, waits for them, and is raised again.
    """
    start(suite, folder)
    cells = cells_of(suite, folder)
    crew = _Crew(suite, cells)
    listen(crew.progress())
    try:
        with _terminable():
            while crew.go_on(jobs):
                time.sleep(POLL_SECONDS)
                listen(crew.progress())
    except BaseException:
        crew.stop()
        raise
    listen(crew.progress())
    return tuple(crew.failed)


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM is an interrupt, where Python allows it (in the main thread)."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class _Crew:
    """The processes of a grid."""

    def __init__(self, suite: Suite, cells: Sequence[Cell]) -> None:
        self._suite = suite
        self._cells = tuple(cells)
        self._waiting = [cell for cell in cells if cell.state() != "finished"]
        self._running: dict[Cell, tuple[subprocess.Popen[bytes], IO[bytes], float]] = {}
        self._took: list[float] = []
        self._started = time.monotonic()
        self.failed: list[Cell] = []

    def go_on(self, jobs: int) -> bool:
        """Collect what has ended, start what may start; whether anything is left to wait for."""
        for cell, (process, log, begun) in list(self._running.items()):
            if process.poll() is not None:
                del self._running[cell]
                log.close()
                if process.returncode == 0 and cell.state() == "finished":
                    self._took.append(time.monotonic() - begun)
                else:
                    self.failed.append(cell)
        adopted = [cell for cell in self._waiting if is_alive(cell.folder)]
        while len(self._running) + len(adopted) < jobs and (following := self._next()) is not None:
            self._start(following)
        return bool(self._running or self._waiting)

    def _next(self) -> Cell | None:
        """The next cell whose tester is there. A cell whose tester failed fails too. A cell that a process of an
        earlier, killed grid still trains is left to it."""
        for cell in list(self._waiting):
            if is_alive(cell.folder):
                continue
            if cell.state() == "finished":
                self._waiting.remove(cell)
                continue
            source = self._source(cell)
            if source is None or source.state() == "finished":
                self._waiting.remove(cell)
                return cell
            if source in self.failed or source not in (*self._waiting, *self._running):
                self._waiting.remove(cell)
                self.failed.append(cell)
        return None

    def _source(self, cell: Cell) -> Cell | None:
        """The cell whose trained tester this one needs."""
        if not cell.setting.tester_of:
            return None
        name, seed = cell.setting.tester_of, cell.seed
        found = [other for other in self._cells if other.setting.name == name and other.seed == seed]
        if not found:
            raise InputError(f"{cell.setting.name} needs the tester of {name}, which is no part of this experiment.")
        return found[0]

    def _start(self, cell: Cell) -> None:
        make_folder(cell.folder.parent)
        log = cell.log.open("ab")
        process = subprocess.Popen(
            [sys.executable, "-m", "a1kit", *self._arguments(cell)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"},
        )
        self._running[cell] = (process, log, time.monotonic())

    def _arguments(self, cell: Cell) -> list[str]:
        if checkpoint_steps(cell.folder):
            return ["resume", str(cell.folder), "--json"]
        shutil.rmtree(cell.folder, ignore_errors=True)
        values: dict[str, Any] = dict(ONE_CORE)
        source = self._source(cell)
        if source is not None:
            step = max(checkpoint_steps(source.folder))
            values["tests.model"] = str((checkpoint_path(source.folder, step) / "tests" / "model").resolve())
        config = self._suite.config(cell.setting, cell.seed).with_values(values)
        recipe = cell.folder.with_suffix(".yaml")
        write_text_whole(recipe, config.to_yaml())
        return ["train", "--config", str(recipe), "--run", str(cell.folder), "--json"]

    def stop(self) -> None:
        """Ask every run to finish its step and save; after a while, end them."""
        for process, _, _ in self._running.values():
            _signal(process, signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        for process, log, _ in self._running.values():
            with suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
                process.wait(max(0.1, deadline - time.monotonic()))
            _signal(process, signal.SIGKILL)
            process.wait()
            log.close()

    def progress(self) -> Progress:
        states = tuple("failed" if cell in self.failed else cell.state() for cell in self._cells)
        seconds = time.monotonic() - self._started
        done, left = len(self._took), len(self._waiting) + len(self._running)
        guess = seconds / done * left if done else None
        return Progress(self._cells, states, tuple(self._running), seconds, guess)


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def why_failed(cell: Cell) -> str:
    """The last thing a failed run said."""
    try:
        lines = cell.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        return f"it was not started: it needs the tester of {cell.setting.tester_of}"
    return lines[-1][:500] if lines else "it said nothing"


def finished(folder: Path) -> Iterator[Cell]:
    """The finished runs of a grid."""
    suite = open_grid(folder)
    return (cell for cell in cells_of(suite, folder) if cell.state() == "finished")
