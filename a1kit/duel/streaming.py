"""Work through a stream with several threads: results in order, each as soon as it and all before it are ready.

The stream may block (a pipe that somebody types into): results of what has been read do not wait for what has not.
At most `window` items are in flight, so memory is bounded whatever the length of the stream.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Queue
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_order(items: Iterable[T], work: Callable[[T], R], *, threads: int, window: int | None = None) -> Iterator[R]:
    """`work(item)` for every item, in the order of the items.

    An exception of `work`, or of `items`, is raised at its place in the order; nothing is started after it. When the
    iterator is closed early, work that has not begun is cancelled.
    """
    pool = ThreadPoolExecutor(threads, thread_name_prefix="judge")
    ready: Queue[Future[R] | BaseException | None] = Queue(window or 2 * threads)
    stop = threading.Event()

    def feed() -> None:
        end: BaseException | None = None
        try:
            for item in items:
                if stop.is_set():
                    return
                ready.put(pool.submit(work, item))
        except BaseException as error:  # handed over to the consumer, who raises it
            end = error
        ready.put(end)

    feeder = threading.Thread(target=feed, name="judge-feeder", daemon=True)
    feeder.start()
    try:
        while (one := ready.get()) is not None:
            if isinstance(one, BaseException):
                raise one
            yield one.result()
    finally:
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)
        while not ready.empty():  # lets a feeder that waits for room see `stop`
            ready.get_nowait()
