"""Work side by side in threads, for what waits much: results in order, the first error raised.

Unlike a thread pool's, these threads never hold up who waits for them: an interrupt (Ctrl-C) goes through at once, and
what still runs then ends by itself, at the latest when the sandbox it uses is closed or the process ends.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

_LOOK_UP_SECONDS = 0.1
"""A waiting thread notices signals this often, whichever thread the system delivered them to."""

Part = TypeVar("Part")
Result = TypeVar("Result")


def side_by_side(work: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
    """`work` of every part, each in its own thread (a single part in the caller's). All parts end before an error of
    one is raised; of several errors, that of the first part."""
    if len(parts) <= 1:
        return [work(part) for part in parts]
    done: queue.SimpleQueue[tuple[int, Result | None, BaseException | None]] = queue.SimpleQueue()

    def lane(place: int, part: Part) -> None:
        try:
            done.put((place, work(part), None))
        except BaseException as error:
            done.put((place, None, error))

    for place, part in enumerate(parts):
        threading.Thread(target=lane, args=(place, part), name=f"a1kit-lane-{place}", daemon=True).start()
    results: dict[int, Result] = {}
    errors: dict[int, BaseException] = {}
    while len(results) + len(errors) < len(parts):
        try:
            place, result, error = done.get(timeout=_LOOK_UP_SECONDS)
        except queue.Empty:
            continue
        if error is not None:
            errors[place] = error
        else:
            results[place] = result  # type: ignore[assignment]
    if errors:
        raise errors[min(errors)]
    return [results[place] for place in range(len(parts))]
