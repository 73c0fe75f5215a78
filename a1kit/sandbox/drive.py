"""Running jobs on workers: one poll loop in the thread that asked.

A *flight* is one child on its way: a job's next child, its worker, its socket, what it has sent so far. A *drive* is
one call of `run_jobs`: it keeps as many flights in the air as it gets workers, enters what comes back into the ledgers,
and replaces zygotes that fail. Bytes from children are bounded while they arrive and read only after a child has ended.
"""

from __future__ import annotations

import select
import socket
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence

from a1kit.errors import SandboxUnavailable
from a1kit.sandbox import frames
from a1kit.sandbox.host import Hello, Kind, Report, ZygoteDied, ZygoteProcess
from a1kit.sandbox.ledger import Ledger, OutsideKill
from a1kit.sandbox.protocol import Job, ProgramResult
from a1kit.sandbox.workers import Roster, Worker

_SILENCE_SECONDS = 15.0
"""A zygote with a job sends a heartbeat every second; after this long without one it is stuck."""

_QUIET_SECONDS = 0.003
"""How long a child may run before its frames are read while it runs: most have ended by then, at one wake-up each."""

_POLL_SECONDS = 0.2
_CHUNK = 1 << 16


class Flight:
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


class Drive:
    """One call of `run_jobs`: ledgers to finish, flights in the air."""

    def __init__(
        self,
        roster: Roster,
        jobs: Sequence[tuple[Job, Kind]],
        layers: Collection[str],
        stopped: Callable[[], bool],
    ):
        """`layers`: those every child must be under. `stopped`: whether the sandbox is closed or the task cancelled."""
        self.roster, self.layers, self.stopped = roster, layers, stopped
        self.ledgers = [Ledger(job, "seccomp" in layers) for job, _ in jobs]
        self.kinds = [kind for _, kind in jobs]
        self.checked = time.monotonic()
        self.waiting = deque(range(len(self.ledgers)))
        self.places = {id(ledger): place for place, ledger in enumerate(self.ledgers)}
        self.done: list[ProgramResult | None] = [None] * len(self.ledgers)
        self.flights: dict[int, Flight] = {}
        """By the descriptor of the zygote's control socket."""
        self.owners: dict[int, Flight] = {}
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
            worker = self.roster.take(kind, wait=not self.flights)
            if worker is None:
                return
            self.waiting.popleft()
            try:
                self.fly(ledger, worker, kind)
            except BaseException:
                self.roster.give(worker)
                raise

    def fly(self, ledger: Ledger, worker: Worker, kind: Kind) -> None:
        """Send a job's next child off. A zygote that takes no order counts as dead."""
        if self.stopped():
            raise SandboxUnavailable("The sandbox was closed while jobs were running.")
        while True:
            zygote = worker.zygote(kind)
            self.check_layers(zygote.wait_ready())
            try:
                flight = Flight(ledger, worker, zygote, zygote.next_number())
            except ZygoteDied as error:
                worker.discard(zygote)
                self.count_death(ledger, str(error))
                continue
            self.flights[flight.control] = self.owners[flight.control] = flight
            self.poller.register(flight.control, select.POLLIN)
            if flight.unsent:
                self.watch(flight)
            return

    def check_layers(self, hello: Hello) -> None:
        """A zygote started later must be as locked up as the first."""
        if set(hello.active) != set(self.layers):
            raise SandboxUnavailable(
                f"The sandbox's helper processes disagree about isolation: first {sorted(self.layers)}, "
                f"now {sorted(hello.active)} ({hello.missing}). Restart the run."
            )

    def watch(self, flight: Flight) -> None:
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
        if self.stopped():
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

    def serve(self, flight: Flight, descriptor: int) -> None:
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

    def hear(self, flight: Flight) -> None:
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

    def arrive(self, flight: Flight, report: Report) -> None:
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

    def mourn(self, flight: Flight, why: str) -> None:
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

    def land(self, flight: Flight, discard: bool = False) -> None:
        """Take a flight out of the air and give its worker back (without its zygote, if that is to be discarded)."""
        del self.flights[flight.control]
        try:
            self.ignore(flight.control, *flight.descriptors)
            flight.close()
            if discard:
                flight.worker.discard(flight.zygote)
        finally:
            self.roster.give(flight.worker)
