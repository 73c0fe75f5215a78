"""Workers: one at a time each runs one child of one zygote; callers take them in turn.

A worker keeps a zygote of each kind that has been needed, and replaces one that died. `Roster` hands workers to
threads in the order they asked, so that a thread with many jobs does not starve one with a single job.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Sequence

from a1kit.sandbox.host import Kind, ZygoteProcess


class Worker:
    """A place in the line with its zygotes."""

    def __init__(self, start: Callable[[Kind], ZygoteProcess]):
        self._start = start
        self._zygotes: dict[Kind, ZygoteProcess] = {}

    def warm(self, kind: Kind) -> ZygoteProcess:
        """The zygote of that kind, started if need be, perhaps not ready yet."""
        zygote = self._zygotes.get(kind)
        if zygote is None:
            zygote = self._zygotes[kind] = self._start(kind)
        return zygote

    def zygote(self, kind: Kind) -> ZygoteProcess:
        """The zygote of that kind, ready."""
        zygote = self.warm(kind)
        try:
            zygote.wait_ready()
        except BaseException:
            self.discard(zygote)
            raise
        return zygote

    @property
    def processes(self) -> tuple[int, ...]:
        """Process numbers of its zygotes."""
        return tuple(zygote.process.pid for zygote in list(self._zygotes.values()))

    def has(self, kind: Kind) -> bool:
        return kind in self._zygotes

    def discard(self, zygote: ZygoteProcess) -> None:
        """Kill a zygote that failed or is busy with something nobody wants; the next use starts another."""
        self._zygotes.pop(zygote.kind, None)
        zygote.kill()

    def close(self) -> None:
        while self._zygotes:
            self._zygotes.popitem()[1].close()


class Roster:
    """Hands out workers, first come first served."""

    def __init__(self, workers: Sequence[Worker]):
        self._lock = threading.Lock()
        self._free = list(workers)
        self._waiting: deque[_Ticket] = deque()

    def take(self, kind: Kind, wait: bool) -> Worker | None:
        """A free worker, preferably one that has a zygote of that kind. Without `wait`, None when there is none or
        when others are already waiting."""
        with self._lock:
            if self._free and not self._waiting:
                choice = next((worker for worker in reversed(self._free) if worker.has(kind)), self._free[-1])
                self._free.remove(choice)
                return choice
            if not wait:
                return None
            ticket = _Ticket()
            self._waiting.append(ticket)
        try:
            ticket.called.wait()
        except BaseException:
            self._leave(ticket)
            raise
        return ticket.worker

    def give(self, worker: Worker) -> None:
        """Return a worker; the one who has waited longest gets it."""
        with self._lock:
            if self._waiting:
                ticket = self._waiting.popleft()
                ticket.worker = worker
                ticket.called.set()
            else:
                self._free.append(worker)

    def _leave(self, ticket: _Ticket) -> None:
        """A waiter was interrupted: it gives up its place, or passes on what it had just been given."""
        with self._lock:
            with contextlib.suppress(ValueError):
                self._waiting.remove(ticket)
        if ticket.worker is not None:
            self.give(ticket.worker)


class _Ticket:
    def __init__(self) -> None:
        self.called = threading.Event()
        self.worker: Worker | None = None
