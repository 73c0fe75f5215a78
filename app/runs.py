"""Which runs the app may show, and one cached reader of their step files.

A run is asked for by name and looked up among those that were found, so nothing that a browser sends is ever used as a
path. Steps are immutable once written, so a small cache keyed by the file's time and size is always right.
"""

from __future__ import annotations

import tempfile
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from a1kit.errors import InputError
from a1kit.rewards import Convention, Rules
from a1kit.store.console import Console
from a1kit.store.index import RunIndex
from a1kit.store.rows import StepFile, read_step, step_questions
from a1kit.store.run_log import list_runs, read_manifest, stamp, step_files, step_path

NO_RUN = "There is no run here yet. Start one with: a1kit train --preset micro"

CACHED_STEPS = 16
"""Questions of steps that are kept read."""

KEPT_INDEXES = 2
"""Runs whose index is kept; the one used longest ago goes."""


@dataclass
class Shelf:
    """The runs under `root`, and those that were named on the command line."""

    root: Path
    named: Sequence[Path] = ()
    console: Console = field(default_factory=Console)
    """Answers the SQL box."""
    _steps: OrderedDict[tuple[object, ...], StepFile] = field(default_factory=OrderedDict)
    _indexes: OrderedDict[Path, RunIndex] = field(default_factory=OrderedDict)
    _exports: tempfile.TemporaryDirectory[str] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def names(self) -> list[str]:
        """Names of the runs there are, newest first; those named on the command line before all others."""
        return list(self._found())

    def add(self, folder: Path) -> str:
        """Show another run, and its name here."""
        if folder.resolve() not in [path.resolve() for path in self.named]:
            self.named = (*self.named, folder)
        return folder.resolve().name

    def folder(self, name: str) -> Path:
        """The folder of a run by its name. Raises `InputError` for a name that is not on the shelf."""
        found = self._found()
        if name not in found:
            raise InputError(f"there is no run {name!r} here; there are: {', '.join(found) or 'none yet'}.")
        return found[name]

    def steps(self, name: str) -> list[int]:
        return [int(path.stem) for path in step_files(self.folder(name))]

    def questions(self, name: str, step: int) -> list[str]:
        """The questions of a step, in its order."""
        try:
            return step_questions(step_path(self.folder(name), step))
        except FileNotFoundError as error:
            raise InputError(f"run {name!r} has no step {step} any more.") from error

    def step(self, name: str, step: int, question: str | None = None) -> StepFile:
        """One step of a run, or one question of it, from its own file or the cache."""
        path = step_path(self.folder(name), step)
        try:
            key = (path, question, stamp(path))
            with self._lock:
                if key in self._steps:
                    self._steps.move_to_end(key)
                    return self._steps[key]
            read = read_step(path, question)
        except FileNotFoundError as error:
            raise InputError(f"run {name!r} has no step {step} any more.") from error
        with self._lock:
            self._steps[key] = read
            while len(self._steps) > CACHED_STEPS:
                self._steps.popitem(last=False)
        return read

    def index(self, name: str) -> RunIndex:
        """The index of a run, with the steps there are now."""
        folder = self.folder(name)
        with self._lock:
            index = self._indexes.pop(folder, None) or RunIndex(folder)
            self._indexes[folder] = index
            while len(self._indexes) > KEPT_INDEXES:
                self._indexes.popitem(last=False)  # another thread may still be reading it; it closes when let go
        index.refresh()
        return index

    def exports(self) -> Path:
        """A new folder for one exported file. All of them go when the program ends."""
        with self._lock:
            if self._exports is None:
                self._exports = tempfile.TemporaryDirectory(prefix="a1kit-export-", ignore_cleanup_errors=True)
        return Path(tempfile.mkdtemp(dir=self._exports.name))

    def rules(self, name: str) -> Rules:
        """The reward rules the run was trained with."""
        game = read_manifest(self.folder(name))["config"]["game"]
        return Rules(game["tests"], game["alpha"], Convention(game["convention"]), game["predictions"])

    def _found(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for path in [*self.named, *list_runs(self.root)]:
            found.setdefault(path.resolve().name, path)
        return found
