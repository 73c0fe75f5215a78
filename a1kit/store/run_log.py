"""A run on disk: the folder that one trainer writes and that anybody may read while it does.

    runs/<name>/
      config.yaml            what started it: schema, config, versions, git state, host
      steps/000042.parquet   one file a step (`a1kit.store.rows`)
      segments/              the same rows again, many steps a file: what queries over a whole run read
      metrics.jsonl          one row a step; row 0 is the evaluation of the starting models
      status.json            what the trainer is doing now, for whoever watches
      mistakes.duckdb        the Mistake Book, the trainer's own
      checkpoints/000040/    all that continuing needs, there whole or not at all
      control/               a file `pause`, `stop` or `save` asks the trainer for it
      lock                   held by the trainer while it lives

The order inside a step is: book, step file, metrics row, and at a checkpoint the checkpoint folder last. A run is
resumed from its newest checkpoint and everything later is rolled back to it (`rewind`), so a kill at any moment loses
at most the steps since then and never mixes two histories.

The lock is the operating system's (`flock`): it goes when the process does, however it dies, so no lock is ever stale;
the file names the process for the message. Not handled: file systems without `flock`.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

import yaml

from a1kit.errors import RunError
from a1kit.store.book import Book, BookEvent
from a1kit.store.files import (
    folder_whole,
    make_folder,
    remove_folder,
    storage,
    sweep,
    write_text_whole,
    write_whole,
)
from a1kit.store.rows import SCHEMA, read_step, step_tables, write_tables
from a1kit.store.segments import compact, drop_segments
from a1kit.types import StepRecord

STEPS, SEGMENTS, CHECKPOINTS, CONTROL = "steps", "segments", "checkpoints", "control"
CONFIG, METRICS, STATUS, BOOK, LOCK = "config.yaml", "metrics.jsonl", "status.json", "mistakes.duckdb", "lock"
REQUESTS = ("pause", "stop", "save")

_LOCK_SECONDS = 1.0
"""For so long a trainer asks for the lock of a run before it believes that another trainer has it."""

Announce = Callable[[str], None]
"""Called with the name of each point of a write; the kill tests die there."""


def silent(point: str) -> None:
    """The listener of a run that nobody listens to."""


class RunLog:
    """The trainer's hand on a run folder: made with `create` or `open`, closed with `close` or by leaving `with`."""

    def __init__(self, folder: Path, lock: TextIO, announce: Announce = silent) -> None:
        self.folder = folder
        self._lock = lock
        self._announce = announce
        self._metrics: TextIO | None = None
        self._status: dict[str, Any] = {"state": "running"}

    @classmethod
    def create(cls, folder: Path, config: Mapping[str, Any], *, announce: Announce = silent) -> RunLog:
        """Start a new run in `folder`, which must not hold one yet.

        config   plain values (`RunConfig.to_dict`)
        """
        if (folder / CONFIG).exists():
            raise RunError(
                f"{folder} already holds a run. Continue it with `a1kit resume {folder}`, or choose another --run."
            )
        if folder.is_dir() and not _only_begun(folder):
            raise RunError(f"{folder} is not empty and holds no run. Choose another --run.")
        make_folder(folder)
        log = cls(folder, _lock(folder), announce)
        for name in (STEPS, SEGMENTS, CHECKPOINTS, CONTROL):
            make_folder(folder / name)
        log._write_manifest({"schema": SCHEMA, "created": _now(), "config": dict(config), **surroundings()})
        return log

    @classmethod
    def open(cls, folder: Path, *, announce: Announce = silent) -> RunLog:
        """Take over a run that exists, to go on with it."""
        read_manifest(folder)
        log = cls(folder, _lock(folder), announce)
        for name in (STEPS, SEGMENTS, CHECKPOINTS, CONTROL):
            make_folder(folder / name)
            sweep(folder / name)
        sweep(folder)
        return log

    @property
    def manifest(self) -> dict[str, Any]:
        return read_manifest(self.folder)

    def rewrite_config(self, config: Mapping[str, Any]) -> None:
        """Replace the config part of the manifest (a run that was made longer)."""
        self._write_manifest({**self.manifest, "config": dict(config)})

    def _write_manifest(self, manifest: Mapping[str, Any]) -> None:
        text = yaml.safe_dump(dict(manifest), sort_keys=False, allow_unicode=True)
        write_text_whole(self.folder / CONFIG, text)

    # -- steps ---------------------------------------------------------------------------------------------------

    def write_step(self, record: StepRecord, events: Sequence[BookEvent] = ()) -> None:
        """Write the step's file, then its row of metrics."""
        self._announce("step.begin")
        write_whole(step_path(self.folder, record.step), lambda aside: write_tables(aside, step_tables(record, events)))
        self._announce("step.written")
        seconds = {f"seconds/{phase}": value for phase, value in record.timings.items()}
        self.write_metrics(record.step, {**record.metrics, **seconds})
        self._announce("step.metrics")
        compact(self.folder / STEPS, self.folder / SEGMENTS)

    def write_metrics(self, step: int, values: Mapping[str, float]) -> None:
        """Append one row to `metrics.jsonl`."""
        with storage(self.folder / METRICS):
            if self._metrics is None:
                self._metrics = (self.folder / METRICS).open("a", encoding="utf-8")
            self._metrics.write(json.dumps({"step": step, "time": time.time(), **values}) + "\n")
            self._metrics.flush()

    def write_status(self, **values: Any) -> None:
        """Say what the trainer is doing: `state` is running, paused, finished, stopped or failed."""
        self._status = values
        aside = self.folder / f".{STATUS}.tmp"
        with storage(self.folder / STATUS):
            aside.write_text(json.dumps({"pid": os.getpid(), "updated": time.time(), **values}), encoding="utf-8")
            aside.replace(self.folder / STATUS)

    def write_phase(self, step: int, phase: str) -> None:
        """Add to the status which phase of which step is going on, until the next status is written."""
        self.write_status(**{**self._status, "playing": step, "phase": phase})

    # -- checkpoints ---------------------------------------------------------------------------------------------

    def save_checkpoint(self, step: int, fill: Callable[[Path], None], state: Mapping[str, Any], *, keep: int) -> Path:
        """Write `checkpoints/<step>`: what `fill` puts there and `state.json`; then drop all but the newest `keep`."""
        path = checkpoint_path(self.folder, step)
        with storage(self.folder / METRICS):
            if self._metrics is not None:
                os.fsync(self._metrics.fileno())

        def write(aside: Path) -> None:
            self._announce("checkpoint.begin")
            fill(aside)
            self._announce("checkpoint.filled")
            files = sorted(file for file in aside.rglob("*") if file.is_file())
            sizes = {str(file.relative_to(aside)): file.stat().st_size for file in files}
            text = json.dumps({"schema": SCHEMA, "step": step, "files": sizes, **state}, indent=1)
            (aside / "state.json").write_text(text, encoding="utf-8")
            self._announce("checkpoint.described")

        folder_whole(path, write)
        self._announce("checkpoint.named")
        for old in checkpoint_steps(self.folder)[:-keep]:
            remove_folder(checkpoint_path(self.folder, old))
        self._announce("checkpoint.swept")
        return path

    def rewind(self, step: int) -> None:
        """Remove every trace of steps after `step` but the book's (see `open_book`)."""
        self._close_metrics()
        for path in step_files(self.folder):
            if int(path.stem) > step:
                path.unlink()
        drop_segments(self.folder / SEGMENTS, step)
        for later in checkpoint_steps(self.folder):
            if later > step:
                remove_folder(checkpoint_path(self.folder, later))
        kept = [row for row in read_metrics(self.folder) if row["step"] <= step]
        write_text_whole(self.folder / METRICS, "".join(json.dumps(row) + "\n" for row in kept))

    def open_book(self, step: int) -> Book:
        """The run's Mistake Book as it was after `step`. A missing file is made again from the step files."""
        book = Book(self.folder / BOOK)
        book.rewind(step)
        for path in step_files(self.folder):
            if int(path.stem) <= step and not book.has(int(path.stem)):
                book.restore(int(path.stem), read_step(path).events)
        return book

    # -- control -------------------------------------------------------------------------------------------------

    def requested(self, what: str) -> bool:
        """Whether `control/` asks for it."""
        return (self.folder / CONTROL / what).exists()

    def answered(self, what: str) -> None:
        """Take the request away: it was done."""
        (self.folder / CONTROL / what).unlink(missing_ok=True)

    def close(self) -> None:
        self._close_metrics()
        self._lock.close()

    def _close_metrics(self) -> None:
        if self._metrics is not None:
            self._metrics.close()
            self._metrics = None

    def __enter__(self) -> RunLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


# -- reading a run folder: safe while a trainer writes it --------------------------------------------------------------


def read_manifest(folder: Path) -> dict[str, Any]:
    """`config.yaml` of a run, after checking that this version of a1kit can read the run."""
    path = folder / CONFIG
    if not folder.exists():
        raise RunError(f"there is no run at {folder}. `a1kit train --run {folder}` starts one.")
    if not path.is_file():
        raise RunError(f"{folder} is not a run: it has no {CONFIG}.")
    try:
        manifest = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise RunError(f"{path} is damaged and cannot be read: {error}") from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("schema"), int) or "config" not in manifest:
        raise RunError(f"{path} is not the {CONFIG} of a run: it lacks `schema` or `config`.")
    if manifest["schema"] > SCHEMA:
        raise RunError(
            f"{folder} was written with run schema {manifest['schema']}; this a1kit reads up to {SCHEMA}. "
            "Update a1kit to open it."
        )
    return manifest


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """The rows of `metrics.jsonl`; a last line that is still being written is left out."""
    path = folder / METRICS
    if not path.exists():
        return []
    rows = []
    for line in path.read_bytes().split(b"\n")[:-1]:
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue  # cut by a kill in the middle of the write
    return rows


def read_status(folder: Path) -> dict[str, Any]:
    """What the trainer last said it was doing; `state` is `dead` when it said running or paused and is gone."""
    path = folder / STATUS
    if not path.exists():
        return {"state": "new"}
    status: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if status.get("state") in ("running", "paused") and not is_alive(folder):
        status["state"] = "dead"
    return status


def stamp(path: Path) -> tuple[int, ...]:
    """Differs when a file or folder was changed or replaced since; () when it is missing."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return ()
    return (stat.st_mtime_ns, stat.st_size, stat.st_ino)


def is_alive(folder: Path) -> bool:
    """Whether a trainer holds the run."""
    path = folder / LOCK
    if not path.exists():
        return False
    with path.open("r", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def request(folder: Path, what: str) -> None:
    """Ask the trainer of a run to `pause`, `stop` or `save`; withdrawing `pause` is removing the file."""
    if what not in REQUESTS:
        raise RunError(f"a run cannot be asked to {what!r}; it can be asked to {', '.join(REQUESTS)}.")
    make_folder(folder / CONTROL)
    with storage(folder / CONTROL / what):
        (folder / CONTROL / what).touch()


def withdraw(folder: Path, what: str) -> None:
    """Take a request back (`pause`: go on)."""
    (folder / CONTROL / what).unlink(missing_ok=True)


def step_path(folder: Path, step: int) -> Path:
    return folder / STEPS / f"{step:06d}.parquet"


def step_files(folder: Path) -> list[Path]:
    """The step files of a run, in order."""
    return sorted(path for path in (folder / STEPS).glob("*.parquet") if path.stem.isdigit())


def checkpoint_path(folder: Path, step: int) -> Path:
    return folder / CHECKPOINTS / f"{step:06d}"


def checkpoint_steps(folder: Path) -> list[int]:
    """The steps that have a checkpoint, ascending."""
    root = folder / CHECKPOINTS
    return sorted(int(path.name) for path in root.iterdir() if path.name.isdigit()) if root.is_dir() else []


def read_checkpoint(folder: Path, step: int) -> dict[str, Any]:
    """`state.json` of a checkpoint, after checking that each of its files is there in its size."""
    path = checkpoint_path(folder, step)
    try:
        state: dict[str, Any] = json.loads((path / "state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(
            f"checkpoint {path} is damaged: state.json cannot be read ({error}). Remove it to use an older one."
        ) from error
    for name, size in state["files"].items():
        file = path / name
        if not file.is_file() or file.stat().st_size != size:
            raise RunError(f"checkpoint {path} is damaged: {name} is missing or cut. Remove it to use an older one.")
    return state


def list_runs(root: Path) -> list[Path]:
    """The runs below a folder, newest first."""
    if not root.is_dir():
        return []
    found = [path for path in root.iterdir() if (path / CONFIG).is_file()]
    return sorted(found, key=lambda path: (path / CONFIG).stat().st_mtime, reverse=True)


# -- what surrounds a run ----------------------------------------------------------------------------------------------


def surroundings() -> dict[str, Any]:
    """Versions, git state and host: what somebody needs who wants the same numbers again."""
    from importlib.metadata import PackageNotFoundError, version

    versions = {"python": platform.python_version()}
    for package in ("a1kit", "torch", "transformers", "trl", "accelerate", "peft", "duckdb", "pyarrow"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    host = {"system": platform.platform(), "machine": platform.machine(), "cores": os.cpu_count()}
    return {"versions": versions, "git": _git_state(), "host": host}


def _git_state() -> dict[str, Any]:
    import subprocess

    def git(*arguments: str) -> str | None:
        command = ["git", "-C", str(Path(__file__).parent), *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    commit = git("rev-parse", "HEAD")
    if commit is None:
        return {}
    return {"commit": commit, "changed": bool(git("status", "--porcelain", "--untracked-files=no"))}


def _lock(folder: Path) -> TextIO:
    """Hold the run's lock for as long as the returned file is open."""
    with storage(folder / LOCK):
        file = (folder / LOCK).open("a+", encoding="utf-8")
    if not _locked(file):
        file.seek(0)
        holder = file.read().strip() or "another process"
        file.close()
        raise RunError(
            f"{folder} is being trained by {holder}. Stop it (`touch {folder / CONTROL / 'stop'}`), "
            "or choose another --run."
        )
    file.seek(0)
    file.truncate()
    file.write(f"process {os.getpid()} on {platform.node()} since {_now()}")
    file.flush()
    return file


def _locked(file: TextIO) -> bool:
    """Take the lock; whether it was to be had. Somebody who asks whether the run is alive holds it for a moment, so it
    is asked for more than once."""
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
        else:
            return True


def _only_begun(folder: Path) -> bool:
    """Whether there is nothing in a folder but what a trainer leaves that was killed before it wrote the manifest."""
    ours = {LOCK, STEPS, SEGMENTS, CHECKPOINTS, CONTROL}
    return all(
        (path.name in ours and (path.is_file() or not any(path.iterdir()))) or path.name == f".{CONFIG}.tmp"
        for path in folder.iterdir()
    )


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")
