"""SQL from a browser, answered by a process of its own.

    with Console() as console:
        console.ask(Path("runs/demo"), "SELECT question, avg(reward) FROM duels GROUP BY ALL")

`RunView` cannot write, attach, load extensions, change settings or read other files. What a query can still do is take
memory without limit inside one function call (`repeat`, `list_resize`), which DuckDB neither counts nor interrupts, and
crash the process through table functions that take pointers (`arrow_scan`). So the query runs in a child, and there

1. only the functions in FROM that are listed here are let through (found in DuckDB's own syntax tree of the query);
2. it runs in `RunView.query`: one SELECT, a transaction that cannot write, limits of rows and seconds;
3. the child has a limit of memory, cannot write a file of any size, and is killed when it does not answer in time.

The child is kept for the next query and ends by itself after `IDLE` seconds without one. Cells longer than `CELL`
characters are cut. Not handled: fairness between many people; queries of one console wait for each other.
"""

from __future__ import annotations

import json
import os
import resource
import select
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from a1kit.errors import InputError, RunError
from a1kit.store.queries import Result, RunView

ROWS = 200
CELL = 2_000
SECONDS = 5.0
MEMORY = 1 << 30
"""Bytes of address space that a child may take besides what it has when it starts."""
IDLE = 120.0
GRACE = 3.0
"""Seconds that a child gets to answer after its query was interrupted."""
STARTING = 60.0
"""Seconds that a new child gets to start, on however busy a machine."""

TABLE_FUNCTIONS = frozenset({"book_at", "range", "generate_series", "unnest", "json_each", "json_tree", "summary"})
_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})

EXAMPLES = {
    "Questions by reward": (
        "SELECT question, round(avg(reward), 3) AS reward, count(*) AS candidates\n"
        "FROM duels GROUP BY ALL ORDER BY reward"
    ),
    "Tests that most candidates failed": (
        "SELECT question, source, failures, passes, state FROM book\nORDER BY failures DESC LIMIT 20"
    ),
    "The book after step 10": "SELECT * FROM book_at(10) WHERE state = 'alive' ORDER BY counter DESC",
    "What became of generated tests": (
        "SELECT state, outcome, count(*) AS tests FROM tests\nGROUP BY ALL ORDER BY tests DESC"
    ),
    "Programs that do not load": "SELECT step, question, candidate, load, detail FROM duels WHERE load <> 'ok'",
    "The columns of a view": "DESCRIBE duels",
}
"""Queries to start from, by what they tell."""

TOO_LARGE = "the query needed more memory than it may have and was stopped; ask for less at once."
_READ_ONLY = "only one SELECT at a time can be run here: the run is read-only."


class Console:
    """Asks a child process. Safe to use from several threads; one query runs at a time."""

    def __init__(self, *, seconds: float = SECONDS, rows: int = ROWS, memory: int = MEMORY) -> None:
        self.seconds = seconds
        self.rows = rows
        self.memory = memory
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._folder: Path | None = None

    def ask(self, folder: Path, sql: str) -> Result:
        """The rows of one SELECT over the run in `folder`, at most `rows`.

        Raises `InputError` in plain words for SQL that is wrong, not allowed, too slow or too large.
        """
        with self._lock:
            child = self._ready(folder)
            question = json.dumps({"sql": sql, "rows": self.rows, "seconds": self.seconds}).encode() + b"\n"
            answer = _exchange(child, question, self.seconds + GRACE)
            if answer is None:
                raise InputError(_too_slow(self.seconds) if self._stop() is None else TOO_LARGE)
        if "error" in answer:
            raise InputError(answer["error"])
        return Result(tuple(answer["columns"]), [tuple(row) for row in answer["rows"]], answer["cut"])

    def close(self) -> None:
        with self._lock:
            self._stop()

    def _ready(self, folder: Path) -> subprocess.Popen[bytes]:
        """A child for this run: the one there is, or a new one that has said that it is ready."""
        if self._child is not None and self._child.poll() is None and self._folder == folder:
            return self._child
        self._stop()
        self._child = subprocess.Popen(
            [sys.executable, "-m", __name__, str(folder), str(self.memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._folder = folder
        answer = _exchange(self._child, b"", STARTING)
        if answer is None or "error" in answer:
            self._stop()
            raise InputError(answer["error"] if answer else "the reader of the run did not start; try again.")
        return self._child

    def _stop(self) -> int | None:
        """End the child; its exit status if it had ended by itself, None if it had to be killed (or there is none)."""
        child, self._child = self._child, None
        if child is None:
            return None
        status = child.poll()
        if status is None:
            child.kill()
            child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                pipe.close()
        return status

    def __enter__(self) -> Console:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _too_slow(seconds: float) -> str:
    return f"the query took more than {seconds:g} s and was stopped; narrow it, say with `WHERE step = …`."


def _exchange(child: subprocess.Popen[bytes], question: bytes, seconds: float) -> dict[str, Any] | None:
    """Send a line, wait for a line; None when the child is gone or does not answer in time."""
    assert child.stdin is not None and child.stdout is not None
    try:
        child.stdin.write(question)
        child.stdin.flush()
    except BrokenPipeError:
        child.wait()
        return None
    line = b""
    deadline = time.monotonic() + seconds
    while not line.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([child.stdout], [], [], left)[0]:
            return None
        piece = os.read(child.stdout.fileno(), 1 << 16)
        if not piece:
            child.wait()
            return None
        line += piece
    answer: dict[str, Any] = json.loads(line)
    return answer


# -- inside the child --------------------------------------------------------------------------------------------------


def refuse(tree: Any) -> None:
    """Raise `InputError` for a part of a syntax tree that may not run: a changing statement, or an unlisted function
    in FROM."""
    if isinstance(tree, dict):
        kind = tree.get("type")
        if isinstance(kind, str) and kind.endswith("_NODE") and kind not in _NODES:
            raise InputError(_READ_ONLY)
        if kind == "TABLE_FUNCTION":
            name = str(tree.get("function", {}).get("function_name", "?"))
            if name.lower() not in TABLE_FUNCTIONS:
                raise InputError(f"the function {name} cannot be used in FROM here; the views are: {_VIEWS}.")
        for value in tree.values():
            refuse(value)
    elif isinstance(tree, list):
        for value in tree:
            refuse(value)


_VIEWS = "steps, questions, duels, suites, tests, verdicts, book_events, book, book_at(step)"


def _answer(view: RunView, question: dict[str, Any]) -> dict[str, Any]:
    try:
        sql = question["sql"].strip().rstrip(";")
        if not sql:
            raise InputError("there is no query; write one, or choose an example.")
        _check(view, sql)
        view.refresh()
        result = view.query(sql, limit=question["rows"], seconds=question["seconds"])
    except (InputError, RunError) as error:
        return {"error": TOO_LARGE if "Out of Memory" in str(error) else str(error)}
    except MemoryError:
        return {"error": TOO_LARGE}
    except RecursionError:
        return {"error": "this SQL is nested too deeply."}
    rows = [[_cell(value) for value in row] for row in result.rows]
    return {"columns": result.columns, "rows": rows, "cut": result.cut}


def _check(view: RunView, sql: str) -> None:
    ((tree,),) = view.query("SELECT json_serialize_sql(?)", [sql]).rows
    parsed = json.loads(tree)
    if parsed["error"]:
        message = str(parsed.get("error_message", ""))
        raise InputError(_READ_ONLY if message.startswith("Only SELECT") else f"this SQL cannot be read: {message}")
    refuse(parsed)


def _cell(value: Any) -> str | int | float | bool | None:
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    text = str(value)
    return text if len(text) <= CELL else f"{text[:CELL]} … {len(text) - CELL:,} more characters"


def _serve(folder: Path, memory: int) -> None:
    """Answer queries from standard input until it closes or nothing was asked for `IDLE` seconds."""
    try:
        view = RunView(folder, memory="256MB")
    except RunError as error:
        _say({"error": str(error)})
        return
    _limit(memory)
    _say({"ready": True})
    while select.select([sys.stdin], [], [], IDLE)[0]:
        line = sys.stdin.buffer.readline()
        if not line:
            return
        _say(_answer(view, json.loads(line)))


def _limit(memory: int) -> None:
    """Bound the address space (where the system says how much is in use) and forbid writing to files."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sizes = Path("/proc/self/statm")
    if sizes.exists():
        used = int(sizes.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))


def _say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), int(sys.argv[2]))
