"""What an evaluation has done so far, in a file that survives kill -9: completions first, verdicts after them.

One JSON object a line, the first with the settings. A line is written whole and synced before the work goes on; a last
line that a crash cut short is dropped when the file is opened again. Completions are worth more than verdicts (a model
wrote them), so those of a batch are put down before they are judged, and are judged again rather than written again.

    {"kind": "settings", "format": 1, ...}
    {"kind": "references", "failed": {"id": "wrong: ..."}}
    {"kind": "written", "batch": 0, "seconds": 3.1, "texts": {"id": [{"text": "...", "tokens": 80, "finished": true}]}}
    {"kind": "judged", "batch": 0, "verdicts": {"id": [{"outcome": "passed", "detail": ""}]}}
    {"kind": "suites", "tester": "micro-test", "count": 16, "batch": 0, "texts": {"id": ["assert ..."]}}

Suites of best-of-n are not part of the settings: a tester may be brought to an evaluation that is finished.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from a1kit.errors import InputError

FORMAT = 1


class Ledger:
    """The file of one evaluation. Use as a context manager; None for `path` keeps everything in memory.

    Raises InputError when the file belongs to other settings, is in use, is no ledger, or cannot be written.
    """

    def __init__(self, path: Path | None, settings: Mapping[str, Any]) -> None:
        self.path = path
        self.references: dict[str, str] | None = None
        self.written: dict[int, Mapping[str, Any]] = {}
        self.judged: dict[int, Mapping[str, Any]] = {}
        self.suites: dict[tuple[str, int, int], Mapping[str, list[str]]] = {}
        """By tester, suites a question, and batch: question id -> texts."""
        self._descriptor: int | None = None
        settings = json.loads(json.dumps({"kind": "settings", "format": FORMAT, **settings}))
        if path is not None:
            self._open(path, settings)

    @property
    def resumed(self) -> bool:
        """Whether something was done before."""
        return bool(self.written)

    def put(self, record: Mapping[str, Any]) -> None:
        """Add a record: on the disk when this returns."""
        if self._descriptor is not None:
            line = json.dumps(record, ensure_ascii=True).encode() + b"\n"
            try:
                _write_all(self._descriptor, line)
                os.fsync(self._descriptor)
            except OSError as error:
                raise InputError(
                    f"cannot write to {str(self.path)!r}: {error.strerror}; make room and start the command again: "
                    "it goes on from here"
                ) from error
        self._take(record)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self, path: Path, settings: Mapping[str, Any]) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"{str(path)!r} is in use by another a1kit eval; wait for it or name another --output"
            ) from None
        except OSError as error:
            raise InputError(
                f"cannot write {str(path)!r}: {error.strerror}; name a file in a writable folder"
            ) from None
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            os.ftruncate(self._descriptor, len(whole))
        lines = whole.splitlines()
        if not lines:
            self.put(settings)
            return
        for number, line in enumerate(lines, 1):
            record = _record(path, number, line)
            if number == 1:
                _compare(path, record, settings)
            self._take(record)

    def _take(self, record: Mapping[str, Any]) -> None:
        match record["kind"]:
            case "references":
                self.references = dict(record["failed"])
            case "written":
                self.written[record["batch"]] = record
            case "judged":
                self.judged[record["batch"]] = record
            case "suites":
                self.suites[record["tester"], record["count"], record["batch"]] = record["texts"]


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _record(path: Path, number: int, line: bytes) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict) or "kind" not in record:
        raise InputError(f"{str(path)!r}, line {number}: not a record of an evaluation; name another --output")
    return record


def _compare(path: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """The file must be that of the same evaluation, or its numbers would be of no one thing."""
    different = [name for name in {**found, **wanted} if found.get(name) != wanted.get(name)]
    if different:
        name = different[0]
        raise InputError(
            f"{str(path)!r} is of an evaluation with {name} = {found.get(name)!r}, and this one has "
            f"{wanted.get(name)!r}; use the same settings, or name another file with --output"
        )
