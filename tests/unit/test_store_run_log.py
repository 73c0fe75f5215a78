"""The run folder: what is written whole or not at all, who may write, and what it says when it cannot."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from a1kit.errors import RunError
from a1kit.store import run_log
from a1kit.store.book import Book
from a1kit.store.files import folder_whole, write_text_whole
from a1kit.store.rows import SCHEMA, read_step
from a1kit.store.run_log import RunLog
from a1kit.store.segments import compact, segment_files
from a1kit_bench.synthetic import synthetic_step

CONFIG = {"seed": 1}


def filled(folder: Path, steps: int) -> RunLog:
    """A run with that many steps, the book recorded in step."""
    log = RunLog.create(folder, CONFIG)
    with Book(folder / run_log.BOOK) as book:
        for step in range(1, steps + 1):
            record = synthetic_step(step, questions=2, history=book.recall)
            log.write_step(record, book.record(step, record.duels).events)
    return log


def test_a_step_file_gives_back_the_duels_the_selection_and_the_book_events(tmp_path: Path) -> None:
    log = RunLog.create(tmp_path / "run", CONFIG)
    with Book() as book:
        record = synthetic_step(7, questions=3)
        events = book.record(7, record.duels).events
    log.write_step(record, events)
    back = read_step(run_log.step_path(log.folder, 7))
    assert back.record == record
    assert back.events == events
    assert len(events) > 0


def test_the_manifest_says_what_is_needed_to_start_again(tmp_path: Path) -> None:
    with RunLog.create(tmp_path / "run", CONFIG) as log:
        manifest = log.manifest
    assert manifest["config"] == CONFIG
    assert manifest["schema"] == SCHEMA
    assert {"python", "duckdb"} <= set(manifest["versions"])
    assert "cores" in manifest["host"]


def test_metrics_are_one_row_a_step_and_a_half_written_last_line_is_left_out(tmp_path: Path) -> None:
    with filled(tmp_path / "run", 3):
        with (tmp_path / "run" / run_log.METRICS).open("a") as file:
            file.write('{"step": 4, "code/rew')
    assert [row["step"] for row in run_log.read_metrics(tmp_path / "run")] == [1, 2, 3]


def test_two_trainers_cannot_write_one_run_and_the_second_is_told_who_does(tmp_path: Path) -> None:
    with RunLog.create(tmp_path / "run", CONFIG):
        assert run_log.is_alive(tmp_path / "run")
        with pytest.raises(RunError, match=rf"being trained by process {os.getpid()}.*control/stop"):
            RunLog.open(tmp_path / "run")
    assert not run_log.is_alive(tmp_path / "run")
    RunLog.open(tmp_path / "run").close()


def test_somebody_who_asks_whether_a_run_is_alive_does_not_keep_a_trainer_out(tmp_path: Path) -> None:
    RunLog.create(tmp_path / "run", CONFIG).close()
    with (tmp_path / "run" / run_log.LOCK).open() as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        threading.Timer(0.2, fcntl.flock, (file, fcntl.LOCK_UN)).start()
        RunLog.open(tmp_path / "run").close()


def test_a_trainer_that_was_killed_leaves_no_lock_behind_and_is_seen_as_dead(tmp_path: Path) -> None:
    program = f"""
import os, signal
from pathlib import Path
from a1kit.store.run_log import RunLog
log = RunLog.create(Path({str(tmp_path / "run")!r}), {{}})
log.write_status(state="running", step=3)
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", program], check=False, timeout=60)
    assert run_log.read_status(tmp_path / "run")["state"] == "dead"
    RunLog.open(tmp_path / "run").close()


def test_a_run_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    RunLog.create(tmp_path / "run", CONFIG).close()
    path = tmp_path / "run" / run_log.CONFIG
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), "schema": SCHEMA + 1}))
    with pytest.raises(RunError, match=rf"run schema {SCHEMA + 1}.*up to {SCHEMA}.*Update a1kit"):
        RunLog.open(tmp_path / "run")


@pytest.mark.parametrize(
    ("content", "sentence"), [("{", "damaged"), ("just text", "lacks `schema` or `config`"), ("seed: 1", "lacks")]
)
def test_a_damaged_manifest_is_named(tmp_path: Path, content: str, sentence: str) -> None:
    (tmp_path / run_log.CONFIG).write_text(content)
    with pytest.raises(RunError, match=sentence):
        RunLog.open(tmp_path)


def test_what_is_no_run_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no run at"):
        RunLog.open(tmp_path / "absent")
    with pytest.raises(RunError, match=r"it has no config\.yaml"):
        RunLog.open(tmp_path)
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(RunError, match="not empty and holds no run"):
        RunLog.create(tmp_path, CONFIG)


def test_a_second_run_in_the_same_folder_is_refused_with_the_command_to_go_on(tmp_path: Path) -> None:
    RunLog.create(tmp_path / "run", CONFIG).close()
    with pytest.raises(RunError, match=r"already holds a run.*a1kit resume"):
        RunLog.create(tmp_path / "run", CONFIG)


@pytest.mark.parametrize(
    ("number", "sentence"),
    [(errno.ENOSPC, "disk is full"), (errno.EACCES, "read-only or belongs"), (errno.EROFS, "read-only or belongs")],
)
def test_a_disk_that_says_no_keeps_the_old_file_and_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, sentence: str
) -> None:
    path = tmp_path / "status"
    write_text_whole(path, "old")

    def refuse(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("os.fsync", refuse)
    with pytest.raises(RunError, match=sentence):
        write_text_whole(path, "new")
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["status"]


@pytest.fixture
def folder_of_an_ordinary_user() -> Iterator[Path]:
    """An empty folder; the test acts as its owner, even where the tests run as root, whom no permission stops."""
    nobody = 65534
    with tempfile.TemporaryDirectory() as name:
        if os.geteuid() != 0:
            yield Path(name)
            return
        os.chown(name, nobody, nobody)
        os.seteuid(nobody)
        try:
            yield Path(name)
        finally:
            os.seteuid(0)


def test_a_read_only_folder_is_refused_before_anything_is_written(folder_of_an_ordinary_user: Path) -> None:
    folder_of_an_ordinary_user.chmod(0o500)
    with pytest.raises(RunError, match="read-only"):
        RunLog.create(folder_of_an_ordinary_user / "run", CONFIG)
    assert list(folder_of_an_ordinary_user.iterdir()) == []
    folder_of_an_ordinary_user.chmod(0o700)


def test_a_path_through_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="is a file, not a folder"):
        RunLog.create(tmp_path / "file" / "run", CONFIG)


def test_a_checkpoint_that_fails_half_way_leaves_the_older_one_alone(tmp_path: Path) -> None:
    log = RunLog.create(tmp_path / "run", CONFIG)
    log.save_checkpoint(1, lambda aside: write(aside / "model", "one"), {"book": 1}, keep=2)

    def fail(aside: Path) -> None:
        write(aside / "model", "two")
        raise OSError(errno.ENOSPC, "no space")

    with pytest.raises(RunError, match="disk is full"):
        log.save_checkpoint(2, fail, {"book": 2}, keep=2)
    assert run_log.checkpoint_steps(log.folder) == [1]
    assert run_log.read_checkpoint(log.folder, 1)["book"] == 1
    assert [path.name for path in (log.folder / "checkpoints").iterdir()] == ["000001"]


def test_only_the_newest_checkpoints_are_kept(tmp_path: Path) -> None:
    log = RunLog.create(tmp_path / "run", CONFIG)
    for step in (2, 4, 6, 8):
        log.save_checkpoint(step, lambda aside: write(aside / "model", "x"), {}, keep=2)
    assert run_log.checkpoint_steps(log.folder) == [6, 8]


def test_a_damaged_checkpoint_is_named_before_it_is_used(tmp_path: Path) -> None:
    log = RunLog.create(tmp_path / "run", CONFIG)
    path = log.save_checkpoint(3, lambda aside: write(aside / "model", "weights"), {}, keep=1)
    write(path / "model", "wei")
    with pytest.raises(RunError, match="damaged: model is missing or cut"):
        run_log.read_checkpoint(log.folder, 3)


def test_leftovers_of_a_killed_writer_are_swept_when_the_run_is_opened(tmp_path: Path) -> None:
    RunLog.create(tmp_path / "run", CONFIG).close()
    (tmp_path / "run" / "steps" / ".000001.parquet.tmp").touch()
    (tmp_path / "run" / "checkpoints" / ".000001.tmp" / "code").mkdir(parents=True)
    RunLog.open(tmp_path / "run").close()
    assert list((tmp_path / "run" / "steps").iterdir()) == []
    assert list((tmp_path / "run" / "checkpoints").iterdir()) == []


def test_rewinding_removes_later_steps_metrics_and_checkpoints(tmp_path: Path) -> None:
    log = filled(tmp_path / "run", 6)
    for step in (2, 4, 6):
        log.save_checkpoint(step, lambda aside: None, {}, keep=9)
    log.rewind(4)
    assert [int(path.stem) for path in run_log.step_files(log.folder)] == [1, 2, 3, 4]
    assert [row["step"] for row in run_log.read_metrics(log.folder)] == [1, 2, 3, 4]
    assert run_log.checkpoint_steps(log.folder) == [2, 4]


def test_the_book_is_opened_as_it_was_at_the_checkpoint_and_made_again_when_it_is_lost(tmp_path: Path) -> None:
    log = filled(tmp_path / "run", 6)
    with Book(log.folder / run_log.BOOK) as book:
        expected = book.after(4)
    log.rewind(4)
    with log.open_book(4) as book:
        assert book.mistakes() == expected
    (log.folder / run_log.BOOK).unlink()
    with log.open_book(4) as book:
        assert book.mistakes() == expected


def test_finished_steps_are_compacted_as_the_run_goes_and_a_rewind_drops_the_segment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_log, "compact", partial(compact, span=8))
    log = filled(tmp_path / "run", 9)
    segments = log.folder / run_log.SEGMENTS
    assert [path.name for path in segment_files(segments)] == ["000001-000008.parquet"]
    log.rewind(7)
    assert segment_files(segments) == []


def test_requests_are_seen_until_they_are_answered(tmp_path: Path) -> None:
    log = RunLog.create(tmp_path / "run", CONFIG)
    assert not log.requested("stop")
    run_log.request(log.folder, "stop")
    assert log.requested("stop")
    log.answered("stop")
    assert not log.requested("stop")
    with pytest.raises(RunError, match="pause, stop, save"):
        run_log.request(log.folder, "explode")


def test_runs_are_listed_newest_first_and_other_folders_are_not(tmp_path: Path) -> None:
    for number, name in enumerate(("old", "new")):
        RunLog.create(tmp_path / name, CONFIG).close()
        os.utime(tmp_path / name / run_log.CONFIG, (number, number))
    (tmp_path / "notes").mkdir()
    assert [path.name for path in run_log.list_runs(tmp_path)] == ["new", "old"]
    assert run_log.list_runs(tmp_path / "absent") == []


def test_a_folder_is_replaced_whole(tmp_path: Path) -> None:
    folder_whole(tmp_path / "f", lambda aside: write(aside / "a", "1"))
    folder_whole(tmp_path / "f", lambda aside: write(aside / "b", "2"))
    assert [path.name for path in (tmp_path / "f").iterdir()] == ["b"]


def test_the_status_is_json_that_a_viewer_can_read(tmp_path: Path) -> None:
    with RunLog.create(tmp_path / "run", CONFIG) as log:
        log.write_status(state="running", step=2, steps=9)
        status: dict[str, Any] = json.loads((log.folder / run_log.STATUS).read_text())
        assert (status["state"], status["step"], status["pid"]) == ("running", 2, os.getpid())
        assert run_log.read_status(log.folder)["state"] == "running"


def write(path: Path, text: str) -> None:
    path.write_text(text)
