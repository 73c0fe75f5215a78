"""The Mistake Book: the tests that candidates failed and have not mastered yet (Paper §3.3).

    for a step s, a question, and a test of it with counter c (0: not in the book):
        p = how many of the question's candidates passed it when it was replayed
        f = how many of them failed it as a new test
        c' = max(0, c - p) + f          decrements come before increments

A test *enters* when its counter leaves 0, is *mastered* when a pass takes the counter to 0, and may enter again later:
a new *life* of the same test. A candidate moves one counter by at most one in each direction, however many of its
suites hold the test. Candidates that did not load change nothing. Two tests are the same when their played source is.

On disk (`mistakes.duckdb`, the trainer's own): `lives`, one row each time a test enters; `events`, one row each time a
candidate moves a counter; `recorded`, one row a step. Rows are only ever appended, so the state after any step can be
computed, and going back to a checkpoint is deleting what came later. The live counters are also kept in memory, by
question: a recall reads no disk, and what a step costs does not depend on how many tests the book holds.

Not handled: two writers at once (DuckDB refuses the second; the message says so).
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from itertools import compress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import duckdb
import pyarrow as pa

from a1kit.errors import RunError
from a1kit.store.text import pack, unpack
from a1kit.types import Duel, Load, Outcome

SCHEMA = 1
"""Version of the tables this module writes. A book of an older version is migrated when it is opened."""


class Change(StrEnum):
    """What one candidate did to one test's counter."""

    ENTERED = "entered"
    FAILED = "failed"
    PASSED = "passed"
    MASTERED = "mastered"


_ENTERED, _FAILED, _PASSED, _MASTERED = Change.ENTERED, Change.FAILED, Change.PASSED, Change.MASTERED
_CHANGES = {change: place for place, change in enumerate(Change)}

_make = tuple.__new__
"""Makes a NamedTuple of a tuple, in a third of the time its class takes: a step makes tens of thousands."""


class BookEvent(NamedTuple):
    """One move of one counter. `candidate` is the candidate's place among its question's; `counter` the value after."""

    question: str
    source: str
    life: int
    candidate: int
    change: Change
    counter: int


class Mistake(NamedTuple):
    """One test of the book: `entered` is the step in which its present life began."""

    question: str
    source: str
    counter: int
    entered: int


class BookChanges(NamedTuple):
    """What one step did to the book. `added` counts lives begun, `removed` tests mastered (Paper Figure 4)."""

    events: tuple[BookEvent, ...]
    added: int
    removed: int
    size: int


class _Alive(NamedTuple):
    counter: int
    life: int
    order: int
    """Place in the order of entering: the number of the step's record, so tests of one step tie."""
    entered: int


class _Applied(NamedTuple):
    """`changed` is what becomes of the tests that moved, by question and source; None for the mastered."""

    events: tuple[BookEvent, ...]
    changed: dict[str, dict[str, _Alive | None]]
    next_life: int


class Book:
    """The Mistake Book of one run, opened for writing.

    path   the database file, made when it is not there; `None` keeps the book in memory
    run    a name: steps are recorded once per (run, step), so several runs may share one book one after the other

    Raises `RunError` when the file is locked by another process, is not a book, or is of a newer version.
    """

    def __init__(self, path: Path | None = None, *, run: str = "run") -> None:
        self.run = run
        self.path = path
        self._database = _connect(path)
        _migrate(self._database, path)
        self._alive: dict[str, dict[str, _Alive]] = {}
        self._size = 0
        self._next_life = 0
        self._next_order = 0
        self._steps: set[int] = set()
        self._load()

    # -- reading -------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """How many tests are alive."""
        return self._size

    def has(self, step: int) -> bool:
        """Whether `step` of this run is recorded."""
        return step in self._steps

    def recall(self, question: str, limit: int = 8) -> tuple[str, ...]:
        """Up to `limit` sources of the question: highest counter first, then the oldest, then by source text."""
        alive = self._alive.get(question)
        if not alive or limit <= 0:
            return ()
        ranked = sorted(alive.items(), key=lambda item: (-item[1].counter, item[1].order, item[0]))
        return tuple(source for source, _ in ranked[:limit])

    def mistakes(self) -> list[Mistake]:
        """Every living test, by question and source."""
        return sorted(
            Mistake(question, source, alive.counter, alive.entered)
            for question, tests in self._alive.items()
            for source, alive in tests.items()
        )

    def after(self, step: int) -> list[Mistake]:
        """The living tests as they were after `step` of this run, by question and source."""
        rows = self._database.execute(
            f"{_STATE} SELECT question, source, counter, entered FROM state",
            [self._position(step)],
        ).fetchall()
        return sorted(Mistake(unpack(question), unpack(source), *rest) for question, source, *rest in rows)

    def events(self, step: int) -> tuple[BookEvent, ...]:
        """What `step` of this run did, in the order it was done."""
        rows = self._database.execute(
            "SELECT l.question, l.source, e.life, e.candidate, e.change, e.counter"
            " FROM events e JOIN lives l USING (life)"
            " JOIN recorded r ON r.position = e.position WHERE r.run = ? AND r.step = ? ORDER BY e.place",
            [pack(self.run), step],
        ).fetchall()
        return tuple(
            BookEvent(unpack(question), unpack(source), life, candidate, Change(change), counter)
            for question, source, life, candidate, change, counter in rows
        )

    # -- writing -------------------------------------------------------------------------------------------------

    def record(self, step: int, duels: Sequence[Duel]) -> BookChanges:
        """Apply the update rule for a step's duels and remember it; recording the same step again changes nothing.

        Duels of one question are its candidates, in order.
        """
        if step in self._steps:
            events = self.events(step)
            return _changes(events, self._size)
        with _no_collections():
            applied = self._apply(step, duels)
            self._write(self._next_order, step, applied.events)
        for question, changed in applied.changed.items():
            tests = self._alive.setdefault(question, {})
            before = len(tests)
            for source, alive in changed.items():
                if alive is None:
                    tests.pop(source, None)
                else:
                    tests[source] = alive
            self._size += len(tests) - before
        self._next_order += 1
        self._next_life = applied.next_life
        self._steps.add(step)
        return _changes(applied.events, self._size)

    def restore(self, step: int, events: Sequence[BookEvent]) -> None:
        """Take over a step's events as the step's file has them: how a lost book is made again."""
        if step in self._steps:
            return
        self._write(self._next_order, step, tuple(events))
        self._load()

    def rewind(self, step: int) -> None:
        """Forget what this run recorded after `step` (0 forgets all of it): going back to a checkpoint."""
        later = self._position(step) + 1
        self._database.begin()
        for table in ("events", "lives", "recorded"):
            self._database.execute(f"DELETE FROM {table} WHERE position >= ?", [later])
        self._database.commit()
        self._load()

    def flush(self) -> None:
        """Fold the write-ahead log into the database file."""
        self._database.execute("CHECKPOINT")

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Book:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- inside --------------------------------------------------------------------------------------------------

    def _apply(self, step: int, duels: Sequence[Duel]) -> _Applied:
        """The events of a step and what becomes of the tests they move; changes nothing itself, and looks at no other
        test of the book."""
        events: list[BookEvent] = []
        changed: dict[str, dict[str, _Alive | None]] = {}
        nothing: dict[str, _Alive] = {}
        moves = _moves(duels)
        for question, candidate, passed, _ in moves:
            moved, known = changed.setdefault(question, {}), self._alive.get(question, nothing)
            for source in passed:
                alive = moved[source] if source in moved else known.get(source)
                if alive is None:
                    continue  # mastered by an earlier candidate of this step
                counter, life, order, entered = alive
                counter -= 1
                moved[source] = _make(_Alive, (counter, life, order, entered)) if counter else None
                change = _PASSED if counter else _MASTERED
                events.append(_make(BookEvent, (question, source, life, candidate, change, counter)))
        next_life, now = self._next_life, self._next_order
        for question, candidate, _, failed in moves:
            moved, known = changed[question], self._alive.get(question, nothing)
            for source in failed:
                alive = moved[source] if source in moved else known.get(source)
                if alive is None:
                    moved[source] = _make(_Alive, (1, next_life, now, step))
                    events.append(_make(BookEvent, (question, source, next_life, candidate, _ENTERED, 1)))
                    next_life += 1
                else:
                    counter, life, order, entered = alive
                    counter += 1
                    moved[source] = _make(_Alive, (counter, life, order, entered))
                    events.append(_make(BookEvent, (question, source, life, candidate, _FAILED, counter)))
        return _Applied(tuple(events), changed, next_life)

    def _write(self, position: int, step: int, events: tuple[BookEvent, ...]) -> None:
        questions, sources, lives, candidates, changes, counters = zip(*events, strict=True) if events else ((),) * 6
        entered = [change is _ENTERED for change in changes]
        born = pa.table(
            {
                "life": pa.array(compress(lives, entered), pa.int64()),
                "question": pa.array([pack(question) for question in compress(questions, entered)], pa.string()),
                "source": pa.array([pack(source) for source in compress(sources, entered)], pa.string()),
            }
        )
        names = pa.array([str(change) for change in _CHANGES], pa.string())
        moved = pa.table(
            {
                "place": pa.array(range(len(events)), pa.int32()),
                "life": pa.array(lives, pa.int64()),
                "candidate": pa.array(candidates, pa.int32()),
                "change": pa.DictionaryArray.from_arrays(
                    pa.array([_CHANGES[change] for change in changes], pa.int32()), names
                ),
                "counter": pa.array(counters, pa.int32()),
            }
        )
        database = self._database
        database.register("new_lives", born)
        database.register("new_events", moved)
        database.begin()
        try:
            database.execute("INSERT INTO recorded VALUES (?, ?, ?)", [position, pack(self.run), step])
            database.execute("INSERT INTO lives SELECT life, ?, ?, question, source FROM new_lives", [position, step])
            database.execute(
                "INSERT INTO events SELECT ?, place, life, candidate, change, counter FROM new_events", [position]
            )
            database.commit()
        except duckdb.Error as error:
            raise RunError(
                f"the Mistake Book could not be written ({_first_line(error)}). Nothing of step {step} was recorded; "
                "free some space if the disk is full, then continue with `a1kit resume`."
            ) from error
        finally:
            database.unregister("new_lives")
            database.unregister("new_events")

    def _position(self, step: int) -> int:
        """The number of the last record of this run up to `step`, or the one before its first record."""
        row = self._database.execute(
            "SELECT max(position) FILTER (step <= $1), min(position) - 1 FROM recorded WHERE run = $2",
            [step, pack(self.run)],
        ).fetchone()
        assert row is not None
        last, before = row
        if last is not None:
            return int(last)
        return int(before) if before is not None else self._next_order - 1

    def _load(self) -> None:
        """Read the live counters into memory."""
        database = self._database
        row = database.execute(
            "SELECT (SELECT coalesce(max(life) + 1, 0) FROM lives),"
            " (SELECT coalesce(max(position) + 1, 0) FROM recorded)"
        ).fetchone()
        assert row is not None
        self._next_life, self._next_order = row
        rows = database.execute("SELECT step FROM recorded WHERE run = ?", [pack(self.run)]).fetchall()
        self._steps = {step for (step,) in rows}
        self._alive = {}
        self._size = 0
        cursor = database.execute(
            f"{_STATE} SELECT question, source, counter, life, position, entered FROM state ORDER BY life",
            [self._next_order],
        )
        while rows := cursor.fetchmany(50_000):
            for question, source, counter, life, position, entered in rows:
                tests = self._alive.setdefault(unpack(question), {})
                tests[unpack(source)] = _Alive(counter, life, position, entered)
            self._size += len(rows)


_STATE = """
WITH latest AS (
    SELECT life, arg_max(counter, position * 4294967296 + place) AS counter
    FROM events WHERE position <= ? GROUP BY life
), state AS (
    SELECT l.question, l.source, latest.counter, l.life, l.position, l.step AS entered
    FROM latest JOIN lives l USING (life) WHERE latest.counter > 0
)
"""


class _Moves(NamedTuple):
    question: str
    candidate: int
    passed: tuple[str, ...]
    failed: tuple[str, ...]


def _moves(duels: Iterable[Duel]) -> list[_Moves]:
    """What each loaded candidate passed of the book and failed of its new tests, every test once."""
    places: Counter[str] = Counter()
    moves = []
    won = Outcome.PASSED
    for duel in duels:
        question = duel.question.id
        candidate = places[question]
        places[question] += 1
        if duel.load is not Load.OK:
            continue
        passed = dict.fromkeys([test.source for test in duel.history if test.passed])
        failed: dict[str, None] = {}
        for suite in duel.suites:
            for test in suite.tests:
                verdict = test.verdict
                if verdict is not None and verdict.outcome is not won:
                    failed[test.source] = None
        moves.append(_Moves(question, candidate, tuple(passed), tuple(failed)))
    return moves


@contextmanager
def _no_collections() -> Iterator[None]:
    """Python's collector of cycles rests: there are none here, and it would go through all living tests to find out."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _changes(events: tuple[BookEvent, ...], size: int) -> BookChanges:
    kinds = Counter([event.change for event in events])
    return BookChanges(events, kinds[Change.ENTERED], kinds[Change.MASTERED], size)


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


# -- the database file -------------------------------------------------------------------------------------------------

_TABLES = """
CREATE TABLE lives (life BIGINT, position BIGINT, step INTEGER, question VARCHAR, source VARCHAR);
CREATE TABLE events (position BIGINT, place INTEGER, life BIGINT, candidate INTEGER, change VARCHAR, counter INTEGER);
CREATE TABLE recorded (position BIGINT, run VARCHAR, step INTEGER);
CREATE TABLE schema_version (version INTEGER);
INSERT INTO schema_version VALUES (1);
"""


def _connect(path: Path | None) -> duckdb.DuckDBPyConnection:
    try:
        database = duckdb.connect(":memory:" if path is None else str(path))
    except duckdb.IOException as error:
        raise RunError(_why_closed(path, error)) from error
    database.execute("SET threads = 1")  # the trainer's threads belong to the models
    return database


def _why_closed(path: Path | None, error: Exception) -> str:
    message = _first_line(error)
    if "lock" in message.lower():
        return (
            f"the Mistake Book {path} is open in another process ({message}). Only one trainer may write it; "
            "to read it while a run goes on, use `a1kit export RUN` or the views of a1kit.store.queries."
        )
    if "not a valid DuckDB" in message:
        return f"{path} is not a Mistake Book: {message}. Move the file away, then `a1kit resume` writes it again."
    return f"the Mistake Book {path} cannot be opened: {message}"


def _migrate(database: duckdb.DuckDBPyConnection, path: Path | None) -> None:
    tables = {name for (name,) in database.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if "schema_version" in tables:
        row = database.execute("SELECT version FROM schema_version").fetchone()
        version = row[0] if row else 0
        if version > SCHEMA:
            raise RunError(
                f"the Mistake Book {path} has schema version {version}; this a1kit reads up to {SCHEMA}. "
                "Update a1kit, or work with the version that wrote it."
            )
        return
    if "mistakes" in tables:
        _from_version_0(database)
    elif not tables:
        with_transaction(database, _TABLES)
    else:
        names = ", ".join(sorted(tables))
        raise RunError(f"{path} is a DuckDB file, but not a Mistake Book (it has the tables {names}).")


def _from_version_0(database: duckdb.DuckDBPyConnection) -> None:
    """Version 0 kept only the living: `mistakes(question, source, counter, entered)`. Each becomes a life whose one
    event puts the counter where it stands; lives begin in the order of `entered`."""
    with_transaction(
        database,
        f"""{_TABLES}
        CREATE TEMP TABLE born AS
            SELECT row_number() OVER (ORDER BY entered, question, source) - 1 AS life,
                   dense_rank() OVER (ORDER BY entered) - 1 AS position, * FROM mistakes;
        INSERT INTO lives SELECT life, position, entered, question, source FROM born;
        INSERT INTO events SELECT position, row_number() OVER (PARTITION BY position ORDER BY life) - 1, life, 0,
            'entered', counter FROM born;
        INSERT INTO recorded SELECT DISTINCT position, 'before version 1', entered FROM born;
        DROP TABLE born;
        DROP TABLE mistakes;
        """,
    )


def with_transaction(database: duckdb.DuckDBPyConnection, statements: str) -> None:
    """Run the statements, all or none."""
    database.begin()
    try:
        database.execute(statements)
    except duckdb.Error:
        database.rollback()
        raise
    database.commit()
