"""What there is to look at when there is no run yet: the recorded demo, and a training that the page starts.

A training started here is a process of its own with a session of its own: it goes on when the server ends, and is
paused and stopped through its run folder like any other.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

from a1kit.errors import InputError, MissingDependency

PRESET = "micro"


def demo_run() -> Path:
    """The recorded run that comes along (`data/recorded/README.md`)."""
    return Path(str(resources.files("a1kit_data").joinpath("recorded", "demo")))


class Starter:
    """Starts micro trainings in `root`, one at a time. `options` are further options of `a1kit train`."""

    def __init__(self, root: Path, options: tuple[str, ...] = ()) -> None:
        self._root, self._options = root, options
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._log: Path | None = None

    def start(self) -> Path:
        """Start a training; its run folder, which appears within seconds.

        Raises `InputError` while one is going on, `MissingDependency` where nothing can be trained."""
        if find_spec("torch") is None or find_spec("trl") is None:
            raise MissingDependency("training needs torch and trl: pip install 'a1kit[train]'")
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                raise InputError("A training that was started here is still going on; stop it first.")
            self._root.mkdir(parents=True, exist_ok=True)
            folder = self._free_folder()
            self._log = self._root / f"{folder.name}.log"
            command = [sys.executable, "-m", "a1kit", "train", "--preset", PRESET, "--run", str(folder), *self._options]
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
                )
            return folder

    def failure(self) -> str | None:
        """What the training that was started last said when it failed; None if it did not."""
        with self._lock:
            if self._process is None or self._log is None or not self._process.poll():
                return None
            lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            return f"The training ended: {lines[-1][:500] if lines else 'it said nothing'} (all of it: {self._log})"

    def _free_folder(self) -> Path:
        folder, number = self._root / f"{PRESET}-0", 1
        while folder.exists() or folder.with_name(f"{folder.name}.log").exists():
            number += 1
            folder = self._root / f"{PRESET}-0.{number}"
        return folder
