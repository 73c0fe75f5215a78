"""The local backend: zygotes on this machine, one worker a core.

    trusted process ── LocalSandbox ── worker × cores ── zygote(s) ── one child a program

The thread that calls `run_jobs` drives the workers itself with one poll loop, so there are no threads to leak, an
interrupt arrives where the caller is, and several threads (or asyncio tasks) share the workers fairly. A zygote that
dies is replaced and its job run again, once; a second death is `SandboxUnavailable`, never an observation.

Bytes from a child are bounded while they arrive and read only after it has ended (see `ledger` and `wire`).
"""

from __future__ import annotations

import ctypes
import os
import select
import socket
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any

from a1kit.errors import SandboxUnavailable
from a1kit.sandbox import frames
from a1kit.sandbox.host import Hello, Kind, Report, ZygoteDied, ZygoteProcess
from a1kit.sandbox.isolation import LAYERS, PR_SET_DUMPABLE
from a1kit.sandbox.ledger import Ledger, OutsideKill
from a1kit.sandbox.protocol import Call, Job, Level, Limits, ProgramResult
from a1kit.sandbox.workers import Roster, Worker

_SILENCE_SECONDS = 15.0
"""A zygote with a job sends a heartbeat every second; after this long without one it is stuck."""

_QUIET_SECONDS = 0.003
"""How long a child may run before its frames are read while it runs: most have ended by then, at one wake-up each."""

_POLL_SECONDS = 0.2
_CHUNK = 1 << 16

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
    ):
        self._owner = os.getpid()
        self._preload = tuple(name for name in preload if _installed(name))
        self._numbers = iter(range(1, 1 << 62)).__next__
        start = partial(ZygoteProcess, layers=_LAYERS_OF_LEVEL[level or Level.FULL], preload=self._preload)
        self._workers = [Worker(start) for _ in range(workers or _cores())]
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
        signals_blocked = "seccomp" in self.layers
        ledgers = [Ledger(job, signals_blocked) for job in jobs]
        return _Drive(self, ledgers, cancelled).results()

    def kind_of(self, job: Job) -> Kind:
        """The zygote a job needs: packages are ready in it when the program mentions them."""
        text = [job.program, *(part for call in job.calls for part in (call.setup, call.expression))]
        return Kind(job.hash_seed, tuple(name for name in self._preload if any(name in part for part in text)))

    def check_same_layers(self, hello: Hello) -> None:
        """A zygote started later must be as locked up as the first."""
        if self._hello is not None and set(hello.active) != set(self._hello.active):
            raise SandboxUnavailable(
                f"The sandbox's helper processes disagree about isolation: first {list(self._hello.active)}, "
                f"now {list(hello.active)} ({hello.missing}). Restart the run."
            )

    def close(self) -> None:
        """End every process this sandbox started. Safe to call twice."""
        self._finalizer()

    def __enter__(self) -> LocalSandbox:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class _Flight:
    """One child on its way: its worker, its socket, what it has sent so far."""

    def __init__(self, ledger: Ledger, worker: Worker, zygote: ZygoteProcess, number: int):
        self.ledger, self.worker, self.zygote, self.number = ledger, worker, zygote, number
        self.control = zygote.control.fileno()
        self.data = bytearray()
        self.overflowed = False
        self.watched = False
        payload = ledger.payload()
        self.unsent = memoryview(payload)
        self.room = ledger.room_for_frames
        self.output: socket.socket | None = None
        self.socket, theirs = socket.socketpair()
        handed = [theirs]
        try:
            self.socket.setblocking(False)
            if ledger.job.limits.capture_bytes:
                self.output, out = socket.socketpair()
                self.output.setblocking(False)
                handed.append(out)
            self.descriptors = tuple(end.fileno() for end in (self.socket, self.output) if end is not None)
            self.heard = time.monotonic()
            self.write()
            zygote.send(ledger.order(number, len(payload)), [end.fileno() for end in handed])
        except BaseException:
            self.close()
            raise
        finally:
            for end in handed:
                end.close()

    def write(self) -> None:
        """Send what the child's socket takes of its job."""
        try:
            while self.unsent:
                self.unsent = self.unsent[self.socket.send(self.unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            self.unsent = self.unsent[:0]

    def read(self) -> bool:
        """Take in what has arrived, up to the job's limit; whether nothing more will come.

        The line is closed on a child that sends more than the limit, which also makes its zygote end it.
        """
        while not self.overflowed:
            try:
                chunk = self.socket.recv(_CHUNK)
            except BlockingIOError:
                return False
            except OSError:
                return True
            if not chunk:
                return True
            if len(self.data) + len(chunk) > self.room:
                self.overflowed = True
                self.socket.close()
                self.data.clear()
            else:
                self.data += chunk
        return True

    def read_output(self) -> bool:
        """Take in captured output; beyond the limit it is read and dropped, so that a chatty child is not held up."""
        limit, kept = self.ledger.job.limits.capture_bytes, self.ledger.output
        assert self.output is not None
        while True:
            try:
                chunk = self.output.recv(_CHUNK)
            except BlockingIOError:
                return False
            except OSError:
                return True
            if not chunk:
                return True
            kept += chunk[: max(0, limit - len(kept))]

    def close(self) -> None:
        self.socket.close()
        if self.output is not None:
            self.output.close()


class _Drive:
    """One call of `run_jobs`: ledgers to finish, flights in the air."""

    def __init__(self, sandbox: LocalSandbox, ledgers: list[Ledger], cancelled: threading.Event):
        self.sandbox, self.cancelled = sandbox, cancelled
        self.ledgers = ledgers
        self.kinds = [sandbox.kind_of(ledger.job) for ledger in ledgers]
        self.checked = time.monotonic()
        self.waiting = deque(range(len(ledgers)))
        self.places = {id(ledger): place for place, ledger in enumerate(ledgers)}
        self.done: list[ProgramResult | None] = [None] * len(ledgers)
        self.flights: dict[int, _Flight] = {}
        """By the descriptor of the zygote's control socket."""
        self.owners: dict[int, _Flight] = {}
        """By every descriptor that is looked at."""
        self.poller = select.poll()

    def results(self) -> list[ProgramResult]:
        try:
            while self.waiting or self.flights:
                self.launch()
                self.listen()
        finally:
            self.abandon()
        return [result for result in self.done if result is not None]

    def abandon(self) -> None:
        """End what still flies. Not even a second interrupt may keep a worker from being given back."""
        try:
            while self.flights:
                self.land(next(iter(self.flights.values())), discard=True)
        finally:
            if self.flights:
                self.abandon()

    def launch(self) -> None:
        """Give free workers something to do; wait for one only when nothing is in the air."""
        while self.waiting:
            ledger = self.ledgers[self.waiting[0]]
            kind = self.kinds[self.waiting[0]]
            worker = self.sandbox._roster.take(kind, wait=not self.flights)
            if worker is None:
                return
            self.waiting.popleft()
            try:
                self.fly(ledger, worker, kind)
            except BaseException:
                self.sandbox._roster.give(worker)
                raise

    def fly(self, ledger: Ledger, worker: Worker, kind: Kind) -> None:
        """Send a job's next child off. A zygote that takes no order counts as dead."""
        if self.sandbox._closed.is_set():
            raise SandboxUnavailable("The sandbox was closed while jobs were running.")
        while True:
            zygote = worker.zygote(kind)
            self.sandbox.check_same_layers(zygote.wait_ready())
            try:
                flight = _Flight(ledger, worker, zygote, self.sandbox._numbers())
            except ZygoteDied as error:
                worker.discard(zygote)
                self.count_death(ledger, str(error))
                continue
            self.flights[flight.control] = self.owners[flight.control] = flight
            self.poller.register(flight.control, select.POLLIN)
            if flight.unsent:
                self.watch(flight)
            return

    def watch(self, flight: _Flight) -> None:
        """Look at a flight's own sockets too, not only at its zygote's report."""
        flight.watched = True
        for end in (flight.socket, flight.output):
            if end is not None:
                self.owners[end.fileno()] = flight
                writes = end is flight.socket and flight.unsent
                self.poller.register(end, select.POLLIN | (select.POLLOUT if writes else 0))

    def ignore(self, *descriptors: int) -> None:
        """Stop looking at these."""
        for descriptor in descriptors:
            if self.owners.pop(descriptor, None) is not None:
                self.poller.unregister(descriptor)

    def listen(self) -> None:
        """Wait for news and act on it."""
        if not self.flights:
            return
        young = [flight for flight in self.flights.values() if not flight.watched]
        ready = self.poller.poll(1000 * (_QUIET_SECONDS if young else _POLL_SECONDS))
        if self.cancelled.is_set() or self.sandbox._closed.is_set():
            raise SandboxUnavailable("The jobs were abandoned: the sandbox was closed or the task cancelled.")
        for descriptor, _ in ready:
            flight = self.owners.get(descriptor)
            if flight is None:
                continue
            if descriptor in self.flights:
                self.hear(flight)
            else:
                self.serve(flight, descriptor)
        if not ready or time.monotonic() - self.checked > _POLL_SECONDS:
            self.check()

    def check(self) -> None:
        """Now and then, and when nothing else happens: look at what flies long, and for zygotes fallen silent."""
        now = self.checked = time.monotonic()
        for flight in list(self.flights.values()):
            if not flight.watched:
                self.watch(flight)
            elif now - flight.heard > _SILENCE_SECONDS:
                self.mourn(flight, f"it has been silent for {_SILENCE_SECONDS:.0f} s")

    def serve(self, flight: _Flight, descriptor: int) -> None:
        """Move bytes of a long flight."""
        if flight.output is not None and descriptor == flight.output.fileno():
            if flight.read_output():
                self.ignore(descriptor)
            return
        had_unsent = bool(flight.unsent)
        if had_unsent:
            flight.write()
        if flight.read():
            self.ignore(descriptor)
        elif had_unsent and not flight.unsent:
            self.poller.modify(descriptor, select.POLLIN)

    def hear(self, flight: _Flight) -> None:
        """Reports of a zygote: the end of its child, or a heartbeat."""
        flight.heard = time.monotonic()
        try:
            for report in flight.zygote.reports():
                if report.number != flight.number:
                    raise ZygoteDied(f"it reports on job {report.number} instead of {flight.number}")
                if report.reason == frames.END_UNLOCKED:
                    raise ZygoteDied("a child could not be locked up")
                if report.reason != frames.HEARTBEAT:
                    self.arrive(flight, report)
                    return
        except ZygoteDied as error:
            self.mourn(flight, str(error))

    def arrive(self, flight: _Flight, report: Report) -> None:
        """A child has ended: enter its frames, start the next child, then read the values."""
        flight.read()
        if flight.output is not None:
            flight.read_output()
        ledger, place = flight.ledger, self.places[id(flight.ledger)]
        self.land(flight)
        try:
            ledger.take(report, bytes(flight.data), flight.overflowed)
        except OutsideKill as error:
            self.count_death(ledger, f"a child was killed from outside ({error}); is the machine out of memory?")
        if not ledger.finished:
            self.waiting.appendleft(place)
        self.launch()
        if ledger.finished:
            self.done[place] = ledger.result()

    def mourn(self, flight: _Flight, why: str) -> None:
        """A zygote failed: replace it and fly again, once."""
        self.land(flight, discard=True)
        self.count_death(flight.ledger, why)
        self.waiting.appendleft(self.places[id(flight.ledger)])

    def count_death(self, ledger: Ledger, why: str) -> None:
        ledger.deaths += 1
        if ledger.deaths > 1:
            raise SandboxUnavailable(
                f"The sandbox's helper process failed twice on one program: {why}. No verdict was made; "
                "check the machine's free memory and process limits, then `a1kit doctor`."
            )

    def land(self, flight: _Flight, discard: bool = False) -> None:
        """Take a flight out of the air and give its worker back (without its zygote, if that is to be discarded)."""
        del self.flights[flight.control]
        try:
            self.ignore(flight.control, *flight.descriptors)
            flight.close()
            if discard:
                flight.worker.discard(flight.zygote)
        finally:
            self.sandbox._roster.give(flight.worker)


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
