"""Files that are there whole or not at all, and the sentences for the ways a disk says no.

`write_whole` and `folder_whole` write aside (a hidden name in the same folder), flush to the disk, rename, and flush
the folder: after a crash a reader finds the old content or the new, never a part. A hidden leftover of a killed writer
is ignored by every reader here and removed by `sweep`.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from a1kit.errors import RunError

_ASIDE = ".tmp"


@contextmanager
def storage(path: Path) -> Iterator[None]:
    """Turn what the operating system says about `path` into a sentence that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise RunError(
                f"the disk is full: {path} could not be written. Everything written before it is safe; "
                "free some space and continue with `a1kit resume`."
            ) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise RunError(
                f"no permission to write {path}: the folder is read-only or belongs to somebody else. "
                "Choose another place with `--run DIR`."
            ) from error
        if error.errno == errno.ENOTDIR:
            raise RunError(f"{path} cannot be written: a part of the path is a file, not a folder.") from error
        raise


def make_folder(path: Path) -> Path:
    """The folder, made with its parents when it is not there."""
    with storage(path):
        path.mkdir(parents=True, exist_ok=True)
    return path


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable (a rename is, only after this)."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Make a file's content durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(path: Path, fill: Callable[[Path], None]) -> None:
    """Let `fill` write a file aside, then give it its name. On any failure the file of that name is as before."""
    aside = path.with_name(f".{path.name}{_ASIDE}")
    with storage(path):
        try:
            fill(aside)
            sync_file(aside)
            aside.replace(path)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def write_text_whole(path: Path, text: str) -> None:
    """`write_whole` for a text in UTF-8."""
    write_whole(path, lambda aside: _dump(aside, text))


def _dump(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))


def folder_whole(path: Path, fill: Callable[[Path], None]) -> None:
    """Let `fill` write into a folder aside, then give it its name. An older folder of that name is replaced."""
    aside = path.with_name(f".{path.name}{_ASIDE}")
    with storage(path):
        try:
            shutil.rmtree(aside, ignore_errors=True)
            aside.mkdir(parents=True)
            fill(aside)
            for folder, _, names in os.walk(aside, topdown=False):
                for name in names:
                    sync_file(Path(folder, name))
                sync_folder(Path(folder))
            remove_folder(path)
            aside.rename(path)
        except BaseException:
            shutil.rmtree(aside, ignore_errors=True)
            raise
        sync_folder(path.parent)


def remove_folder(path: Path) -> None:
    """Remove a folder so that no reader sees it half removed: rename it to a hidden name first."""
    if not path.exists():
        return
    doomed = path.with_name(f".{path.name}.old{_ASIDE}")
    shutil.rmtree(doomed, ignore_errors=True)
    path.rename(doomed)
    shutil.rmtree(doomed, ignore_errors=True)


def sweep(folder: Path) -> None:
    """Remove what a killed writer left aside in the folder."""
    for leftover in folder.glob(f".*{_ASIDE}"):
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)
