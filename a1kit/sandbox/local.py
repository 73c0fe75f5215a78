"""The local backend: zygotes on this machine, one worker a core.

    trusted process ── LocalSandbox ── worker × cores ── zygote(s) ── one child a program

The thread that calls `run_jobs` drives the workers itself with one poll loop, so there are no threads to leak, an
interrupt arrives where the caller is, and several threads (or asyncio tasks) share the workers fairly. A zygote that
dies is replaced and its job run again, once; a second death is `SandboxUnavailable`, never an observation.

What a job goes through: `drive` (sockets and zygotes), `ledger` (what a child said), `wire` (what a value is).
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import weakref
from collections.abc import Sequence
from functools import partial
from typing import Any

from a1kit.errors import SandboxUnavailable
from a1kit.sandbox.drive import Drive
from a1kit.sandbox.host import Hello, Kind, ZygoteProcess
from a1kit.sandbox.isolation import LAYERS, PR_SET_DUMPABLE
from a1kit.sandbox.protocol import Call, Job, Level, Limits, ProgramResult
from a1kit.sandbox.workers import Roster, Worker

_LAYERS_OF_LEVEL = {
    Level.FULL: LAYERS,
    Level.PARTIAL: ("privileges", "seccomp", "rlimits"),
    Level.LIMITS_ONLY: ("privileges", "rlimits"),
}
_REQUIRED = {Level.FULL: ("seccomp", "landlock"), Level.PARTIAL: ("seccomp",), Level.LIMITS_ONLY: ()}


def level_of(active: Sequence[str]) -> Level:
    """The level that a set of active layers amounts to. Namespaces are a bonus, not a condition."""
    found = [layer for layer in ("seccomp", "landlock") if layer in active]
    return (Level.LIMITS_ONLY, Level.PARTIAL, Level.FULL)[len(found)]


class LocalSandbox:
    """Runs programs on this machine.

    Parameters
    ----------
    level
        None: the best this machine offers. `FULL`: refuse to start without Landlock and seccomp. `PARTIAL`: seccomp
        only, `LIMITS_ONLY`: neither; both hold for tests of what such machines would do.
    workers
        How many children run at once; None: one a core this process may use.
    allow_limits_only
        Accept a machine where nothing keeps programs from files and the network. Needed only with `level=None`.
    preload
        Third-party packages programs may import. Those a program mentions are ready when it starts; all others are
        closed to it at level full, because data sets with their answers are installed as packages too.
    ahead
        Have each worker's next child wait while one runs: sooner answers for more work in all. None: where there are
        more cores than workers.

    Raises
    ------
    SandboxUnavailable
        A layer that `level` needs is missing, or helper processes cannot start.
    """

    def __init__(
        self,
        level: Level | None = None,
        *,
        workers: int | None = None,
        allow_limits_only: bool = False,
        preload: Sequence[str] = ("numpy",),
        ahead: bool | None = None,
    ):
        self._owner = os.getpid()
        self._preload = tuple(name for name in preload if _installed(name))
        workers = workers or _cores()
        layers = _LAYERS_OF_LEVEL[level or Level.FULL]
        ahead = workers < _cores() if ahead is None else ahead
        start = partial(ZygoteProcess, layers=layers, preload=self._preload, ahead=ahead)
        self._workers = [Worker(start) for _ in range(workers)]
        self._roster = Roster(self._workers)
        self._closed = threading.Event()
        self._hello: Hello | None = None
        self._finalizer = weakref.finalize(self, _close_all, self._workers, self._owner, self._closed)
        try:
            for worker in self._workers:
                worker.warm(Kind())
            self._hello = self._workers[0].zygote(Kind()).wait_ready()
            self._check(level, allow_limits_only)
        except BaseException:
            self.close()
            raise

    def _check(self, level: Level | None, allow_limits_only: bool) -> None:
        assert self._hello is not None
        best, missing = level_of(self._hello.active), self._hello.missing
        for layer in _REQUIRED[level] if level is not None else ():
            if layer not in self._hello.active:
                raise SandboxUnavailable(
                    f"The sandbox was asked for level {level}, but the layer {layer} is missing: {missing.get(layer)}. "
                    f"This machine offers {best}; ask for that (level=None takes the best) or mend the layer. "
                    "`a1kit doctor` lists them all."
                )
        if "seccomp" not in self._hello.active and os.geteuid() == 0 and "user" not in self._hello.details:
            raise SandboxUnavailable(
                "Without seccomp a program of root may signal every process of this machine, so it must run as another "
                f"user, and that is not allowed here ({missing.get('privileges')}). Run as an ordinary user."
            )
        if level is None and best is Level.LIMITS_ONLY and not allow_limits_only:
            raise SandboxUnavailable(
                "Nothing on this machine keeps a program from files and the network "
                f"(seccomp: {missing.get('seccomp')}; landlock: {missing.get('landlock')}). Verdicts and time limits "
                "would still hold. Pass allow_limits_only=True to accept that, or use a machine (on Windows: WSL2) "
                "with Linux 5.13 or newer."
            )
        if level is Level.LIMITS_ONLY or best is not Level.FULL:
            _hide_memory()

    @property
    def level(self) -> Level:
        assert self._hello is not None
        return level_of(self._hello.active)

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers every child is under."""
        assert self._hello is not None
        return self._hello.active

    @property
    def missing(self) -> dict[str, str]:
        """Why each other layer is not there."""
        assert self._hello is not None
        return dict(self._hello.missing)

    @property
    def workers(self) -> int:
        return len(self._workers)

    @property
    def processes(self) -> tuple[int, ...]:
        """Process numbers of the helper processes that run now."""
        return tuple(pid for worker in self._workers for pid in worker.processes)

    def run(self, program: str, calls: Sequence[Call] = (), limits: Limits = Limits()) -> ProgramResult:
        """Run one program and its calls."""
        return self.run_jobs([Job(program, tuple(calls), limits)])[0]

    def run_jobs(self, jobs: Sequence[Job]) -> list[ProgramResult]:
        """Run many, in parallel over the workers; results in order.

        Raises
        ------
        SandboxUnavailable
            The sandbox is closed, or its machinery failed twice on one job.
        InputError
            A job is too large to send.
        """
        return self._drive(jobs, threading.Event())

    async def arun_jobs(self, jobs: Sequence[Job]) -> list[ProgramResult]:
        """`run_jobs` for asyncio callers. Cancelling the task ends its children."""
        import asyncio  # costs as much as everything else here together

        cancelled = threading.Event()
        try:
            return await asyncio.to_thread(self._drive, jobs, cancelled)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    def _drive(self, jobs: Sequence[Job], cancelled: threading.Event) -> list[ProgramResult]:
        if self._closed.is_set():
            raise SandboxUnavailable("This sandbox is closed; make a new LocalSandbox.")
        if os.getpid() != self._owner:
            raise SandboxUnavailable("This sandbox belongs to the process that made it; make one in this process too.")
        prepared = [(job, self.kind_of(job)) for job in jobs]

        def stopped() -> bool:
            return self._closed.is_set() or cancelled.is_set()

        return Drive(self._roster, prepared, self.layers, stopped).results()

    def kind_of(self, job: Job) -> Kind:
        """The zygote a job needs: packages are ready in it when the program mentions them."""
        text = [job.program, *(part for call in job.calls for part in (call.setup, call.expression))]
        return Kind(job.hash_seed, tuple(name for name in self._preload if any(name in part for part in text)))

    def close(self) -> None:
        """End every process this sandbox started. Safe to call twice."""
        self._finalizer()

    def __enter__(self) -> LocalSandbox:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _close_all(workers: list[Worker], owner: int, closed: threading.Event) -> None:
    closed.set()
    if os.getpid() == owner:
        for worker in workers:
            worker.close()


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _installed(package: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(package) is not None


def _hide_memory() -> None:
    """Without Landlock a program could read this process's memory, answers included, as the same user; Linux lets
    nobody do that to a process that is not dumpable (which also means no core dumps of this process)."""
    if sys.platform.startswith("linux"):
        libc: Any = ctypes.CDLL(None)
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
