"""Lines in and lines out, for commands that stream: bounded, unbuffered where it matters, never half a line.

Reading goes through the raw descriptor, so that a thread that waits for input can be left behind at exit. Writing puts
one whole line at a time; if the disk fills in the middle of one, what was written of it is taken back.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from a1kit.errors import InfrastructureError, InputError

MAX_LINE = 16 << 20
"""Bytes of the longest line that is read."""

_CHUNK = 1 << 18


def open_lines(source: Path | None) -> int:
    """A descriptor to read from: the file, or standard input for None. Raises `InputError` when it cannot be read."""
    if source is None:
        return os.dup(sys.stdin.fileno())
    try:
        descriptor = os.open(source, os.O_RDONLY)
    except OSError as error:
        raise InputError(
            f"cannot read {str(source)!r}: {error.strerror}; give a readable file, or - for input"
        ) from None
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError(f"{str(source)!r} is a folder; give a file of JSON lines")
    return descriptor


def read_lines(descriptor: int) -> Iterator[bytes | InputError]:
    """Lines that hold something, without their ends; an `InputError` in the place of a line over `MAX_LINE`.

    Memory stays below two lines' worth, however long a line is: the rest of one that is too long is read and dropped.
    """
    pending = bytearray()
    dropped = 0
    while chunk := os.read(descriptor, _CHUNK):
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            yield from _line(pending + part, dropped)
            pending.clear()
            dropped = 0
        pending += rest
        if len(pending) > MAX_LINE:
            dropped += len(pending)
            pending.clear()
    yield from _line(pending, dropped)


def _line(line: bytearray, dropped: int) -> Iterator[bytes | InputError]:
    if dropped or len(line) > MAX_LINE:
        size = (dropped + len(line)) / 1e6
        yield InputError(f"the line is {size:.1f} MB long, at most {MAX_LINE / 1e6:.1f} MB are read; split the record")
    elif line.strip():
        yield bytes(line)


class LineWriter:
    """Writes lines to standard output, or to a file that appears under its name only when everything is in it.

    Use as a context manager: leaving it normally puts the file in place; leaving it by an exception removes it.
    """

    def __init__(self, target: Path | None) -> None:
        self._final: Path | None = None
        self._aside: Path | None = None
        if target is None:
            sys.stdout.flush()
            self._descriptor = os.dup(sys.stdout.fileno())
            return
        try:
            special = target.exists() and not target.is_file()
            path = target if special else target.with_name(f".{target.name}.{os.getpid()}.partial")
            self._descriptor = os.open(path, os.O_WRONLY | (0 if special else os.O_CREAT | os.O_TRUNC), 0o666)
        except OSError as error:
            raise InputError(
                f"cannot write {str(target)!r}: {error.strerror}; name a file in a writable folder"
            ) from None
        if not special:
            self._final, self._aside = target, path

    def write(self, line: bytes) -> None:
        """Write one line, or none of it. Raises `InfrastructureError` when the disk is full or fails."""
        written = 0
        try:
            while written < len(line):
                written += os.write(self._descriptor, line[written:])
        except BrokenPipeError:
            raise
        except OSError as error:
            self._take_back(written)
            raise InfrastructureError(
                f"cannot write the results: {error.strerror}; make room or write elsewhere"
            ) from None

    def _take_back(self, written: int) -> None:
        info = os.fstat(self._descriptor)
        if written and stat.S_ISREG(info.st_mode):
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, info.st_size - written)

    def __enter__(self) -> LineWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            os.close(self._descriptor)
            if self._aside is not None and self._final is not None and kind is None:
                os.replace(self._aside, self._final)
        except OSError as failure:
            raise InfrastructureError(
                f"cannot write the results: {failure.strerror}; make room or write elsewhere"
            ) from None
        finally:
            if self._aside is not None:
                self._aside.unlink(missing_ok=True)
