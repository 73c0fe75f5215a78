"""A program of ours in a process of its own that is asked in lines of JSON and answers in lines of JSON.

    writer = SideProcess("a1kit_app.writer")
    for answer in writer.ask({"prompts": [...]}, seconds=60):
        ...

The inspector itself stays small and quick to start: a language model (torch) or the attack corpus with its naive judge
lives in such a process, which is started when it is first asked for, is ended when nobody asked for a while, and can be
killed without harm. An answer is any JSON object; the last of a request is `{"end": true}`, and `{"error": "…"}` is a
sentence for the person who asked.

A process ends by itself when the inspector does, however that dies: its standard input is closed then.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import IO, Any

from a1kit.errors import InfrastructureError, InputError

IDLE_SECONDS = 300.0
"""After so long without a question the process is ended, and its memory is free again."""

_GRACE_SECONDS = 2.0
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV", "OMP_NUM_THREADS", "HF_HOME")

Answer = Mapping[str, Any]


class SideProcess:
    """`python -m MODULE`, one request at a time. Safe to use from many threads: they wait for each other."""

    def __init__(self, module: str, *, idle_seconds: float = IDLE_SECONDS) -> None:
        self._module = module
        self._idle_seconds = idle_seconds
        self._turn = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._errors: IO[str] | None = None
        self._idle: threading.Timer | None = None

    @property
    def running(self) -> bool:
        """Whether the process is there now."""
        return self._process is not None and self._process.poll() is None

    def ask(self, request: Answer, *, seconds: float) -> Iterator[Answer]:
        """The answers to one request, as they come. Leaving the loop early ends the process.

        seconds   longest wait for one answer

        Raises `InputError` for what the process says about the request, `InfrastructureError` when it dies or is late.
        """
        with self._turn:
            self._rest()
            process = self._started()
            complete = False
            try:
                assert process.stdin is not None
                try:
                    process.stdin.write(json.dumps(request) + "\n")
                    process.stdin.flush()
                except OSError as error:
                    raise InfrastructureError(self._obituary()) from error
                while "end" not in (answer := self._answer(seconds)):
                    if "error" in answer:
                        complete = True
                        raise InputError(str(answer["error"]))
                    yield answer
                complete = True
            finally:
                if complete:
                    self._wait_for_more()
                else:
                    self._kill()

    def close(self) -> None:
        """End the process. Safe to call twice."""
        with self._turn:
            self._rest()
            self._kill()

    def _started(self) -> subprocess.Popen[str]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._kill()
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 (lives as long as the process)
        self._lines = queue.Queue()
        self._process = subprocess.Popen(
            [sys.executable, "-m", self._module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
            env={name: os.environ[name] for name in _PASSED_ON if name in os.environ} | {"HF_HUB_OFFLINE": "1"},
            start_new_session=True,
        )
        listener = threading.Thread(target=_listen, args=(self._process.stdout, self._lines), daemon=True)
        listener.start()
        return self._process

    def _answer(self, seconds: float) -> Answer:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise InfrastructureError(f"no answer came within {seconds:g} s, so it was given up; ask again.") from None
        if line is None:
            raise InfrastructureError(self._obituary())
        answer: Answer = json.loads(line)
        return answer

    def _obituary(self) -> str:
        last = ""
        if self._errors is not None:
            self._errors.seek(0)
            lines = self._errors.read()[-4000:].strip().splitlines()
            last = f": {lines[-1][:300]}" if lines else ""
        return f"the helper process {self._module} ended{last}. Ask again to start another."

    def _wait_for_more(self) -> None:
        self._idle = threading.Timer(self._idle_seconds, self.close)
        self._idle.daemon = True
        self._idle.start()

    def _rest(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _kill(self) -> None:
        if self._process is None:
            return
        _end(self._process)
        self._process = None
        if self._errors is not None:
            self._errors.close()
            self._errors = None


def _listen(stream: Iterable[str] | None, lines: queue.Queue[str | None]) -> None:
    for line in stream or ():
        lines.put(line)
    lines.put(None)


def _end(process: subprocess.Popen[str]) -> None:
    """Ask the process to go, and after a moment make it and its group."""
    if process.stdin is not None:
        with suppress(OSError):  # a line that it no longer took
            process.stdin.close()
    for number, patience in ((signal.SIGTERM, _GRACE_SECONDS), (signal.SIGKILL, None)):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        try:
            process.wait(patience)
            break
        except subprocess.TimeoutExpired:
            continue


def serve(answer: Callable[[dict[str, Any]], Iterable[Answer]]) -> None:
    """The other side: answer every line of standard input until it ends. What is printed meanwhile goes to standard
    error, so that no library can spoil the lines."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for line in sys.stdin:
        try:
            for one in answer(json.loads(line)):
                print(json.dumps(one), file=out, flush=True)
            print(json.dumps({"end": True}), file=out, flush=True)
        except InputError as error:
            print(json.dumps({"error": str(error)}), file=out, flush=True)
