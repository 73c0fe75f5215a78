"""Who may use the sandbox now: so many at once and so many a minute for each client, so that nobody takes it all.

    turnstile = Turnstile(at_once=1, a_minute=20)
    with turnstile.through(client):
        ...

A client is a browser page (its session) or an address; the caller says which. A page's name is chosen by the browser,
so a limit for pages is fairness among honest people; a limit for addresses bounds the others.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from a1kit.errors import InputError


class Busy(InputError):
    """This client has to wait; the message says how long."""


class Turnstile:
    """Counts who is inside and who came in the last minute. Memory is bounded: whoever has gone is forgotten."""

    def __init__(self, *, at_once: int, a_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._at_once, self._a_minute, self._clock = at_once, a_minute, clock
        self._inside: dict[str, int] = defaultdict(int)
        self._came: dict[str, deque[float]] = defaultdict(deque)
        self._lock = threading.Lock()

    @contextmanager
    def through(self, client: str) -> Iterator[None]:
        """Inside for as long as the `with` lasts. Raises `Busy` when the client is over a limit."""
        self._enter(client)
        try:
            yield
        finally:
            with self._lock:
                self._inside[client] -= 1
                if not self._inside[client]:
                    del self._inside[client]

    def _enter(self, client: str) -> None:
        with self._lock:
            now = self._clock()
            self._forget(now)
            if self._inside.get(client, 0) >= self._at_once:
                raise Busy("What you asked for before is still going on; wait until it is done.")
            if len(self._came.get(client, ())) >= self._a_minute:
                wait = 60.0 - (now - self._came[client][0])
                raise Busy(f"That was {self._a_minute} in a minute, as many as one may; go on in {wait:.0f} s.")
            self._inside[client] += 1
            self._came[client].append(now)

    def _forget(self, now: float) -> None:
        for client, times in list(self._came.items()):
            while times and now - times[0] >= 60.0:
                times.popleft()
            if not times:
                del self._came[client]
