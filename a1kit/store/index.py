"""What a viewer asks of a whole run, kept in memory and brought up to date step by step.

    index = RunIndex(Path("runs/demo"))
    index.refresh()                                     # True when there was something new
    index.page(Choice(text="f(0", state="alive"), Order("counter"), start=0, count=25)

A query over the files of a long run costs hundreds of milliseconds, since every text has to be decoded to find the few
that are wanted. The index keeps what the Mistake Book's view needs: one row a life of a test with its texts, one row a
move of a counter without them, one row a question that was asked. A life begins with its move `entered`, which alone
carries texts, so nothing has to be grouped to find the lives; 2 million moves take some 100 MB.

The state of the book after a step is one row a life. It is made from the newest kept state before it and the moves
since then; states are kept every `PINNED` steps, for now, and for the step travelled to last. So going to any step
costs a pass over at most `PINNED` steps' moves, following a run a pass over the new ones, and a filter a scan of lives.

It reads step files and segments only, takes no lock of the run, and writes nothing. A run that was rolled back to a
checkpoint is noticed by its newest step having changed, and is read anew. One lock serves all threads: queries take
tens of milliseconds, and waiting is shorter than a second connection's memory is small.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from a1kit.errors import InputError, RunError
from a1kit.store.book import Change
from a1kit.store.export import ExportedTest, Solution, Solutions
from a1kit.store.queries import closed_database, literal
from a1kit.store.run_log import SEGMENTS, STEPS, stamp, step_path
from a1kit.store.segments import segment_files, segment_steps
from a1kit.store.text import pack, unpack
from a1kit.types import Outcome

PINNED = 256
"""Steps between kept states of the book."""

SETTLED = 1_000_000_000
"""Nanoseconds after which a folder's time tells whether it has changed since."""

FAILURES = tuple(outcome for outcome in Outcome if outcome is not Outcome.PASSED)


class Order(StrEnum):
    """What the tests of the book can be sorted by, the greatest first."""

    COUNTER = "counter"
    AGE = "age"
    RECENT = "recent"
    FAILURES = "failures"
    QUESTION = "question"
    TEST = "test"


_ORDERS = {
    Order.COUNTER: "counter DESC, failures DESC, life",
    Order.AGE: "age DESC, life",
    Order.RECENT: "last_step DESC, life DESC",
    Order.FAILURES: "failures DESC, life",
    Order.QUESTION: "question, counter DESC, life",
    Order.TEST: "source, life",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """Which tests of the book are meant.

    text      part of the test, in any case;  question  part of the question's name
    state     "alive", "mastered" or "" for both
    kinds     verdicts: tests that were failed in one of these ways; empty means any
    counter   least and greatest counter (None: no bound);  age  the same, in steps since the test entered
    step      the book as it was after that step; None means now
    """

    text: str = ""
    question: str = ""
    state: str = ""
    kinds: tuple[Outcome, ...] = ()
    counter: tuple[int | None, int | None] = (None, None)
    age: tuple[int | None, int | None] = (None, None)
    step: int | None = None


class BookTest(NamedTuple):
    """One life of a test. `age` counts steps up to its mastery, or up to the step that is looked at."""

    life: int
    question: str
    source: str
    state: str
    counter: int
    entered: int
    last_step: int
    mastered: int | None
    failures: int
    passes: int
    age: int
    kinds: tuple[Outcome, ...]


class Page(NamedTuple):
    """Some of the tests that were asked for; `total` counts all of them."""

    tests: tuple[BookTest, ...]
    total: int


class Move(NamedTuple):
    """One candidate moved the counter of a test. `outcome` is None in runs that did not record it."""

    step: int
    candidate: int
    change: Change
    counter: int
    outcome: Outcome | None


class Asked(NamedTuple):
    """How a question has gone: rates are means over candidates; `solved` is the share with every new test passed."""

    question: str
    times: int
    pass_new: float | None
    solved: float
    alive: int
    weight: int
    """Sum of the counters of its living tests."""


class HeatMap(NamedTuple):
    """Rows are questions, columns spans of steps (their first step), values 0 to 1 or None where it was not asked."""

    questions: tuple[str, ...]
    steps: tuple[int, ...]
    values: tuple[tuple[float | None, ...], ...]


class Totals(NamedTuple):
    """The size of the book after a step."""

    alive: int
    mastered: int
    questions: int


class RunIndex:
    """The index of one run. Safe to use from several threads."""

    def __init__(self, folder: Path, *, memory: str = "384MB", threads: int = 2) -> None:
        self.folder = folder.resolve()
        self.version = 0
        """Grows with every change of what queries answer."""
        self._lock = threading.RLock()
        self._database = closed_database(self.folder, memory=memory, threads=threads)
        self._last = -1
        self._stamp: tuple[int, ...] = ()
        self._steps_stamp: tuple[int, ...] = ()
        self._states: dict[int, str] = {}
        self._clear()

    # -- keeping up ----------------------------------------------------------------------------------------------

    def refresh(self) -> bool:
        """Read the steps that are new; True when there were some, or some are gone. Costs a few system calls if not."""
        with self._lock:
            steps = stamp(self.folder / STEPS)
            if steps and steps == self._steps_stamp:
                return False
            # A folder that changed a moment ago can change again without its time showing it.
            self._steps_stamp = steps if steps and time.time_ns() - steps[0] > SETTLED else ()
            changed = False
            if self._last >= 0 and stamp(step_path(self.folder, self._last)) != self._stamp:
                self._clear()
                changed = True
            files, newest = self._new_files()
            if newest <= self._last:
                return changed
            try:
                self._read(files, newest)
            except duckdb.IOException as error:
                raise RunError(f"a file of the run went away while it was read: {error}. Ask again.") from error
            pins = range(self._last // PINNED * PINNED + PINNED, newest + 1, PINNED)
            self._last, self._stamp = newest, stamp(step_path(self.folder, newest))
            for pin in pins:
                self._state(pin)
            self.version += 1
            return True

    def _new_files(self) -> tuple[list[str], int]:
        """The files that hold the steps after the last one read, and the newest of those steps."""
        newest = covered = self._last
        files = []
        for path in segment_files(self.folder / SEGMENTS):
            last = segment_steps(path)[1]
            if last > self._last:
                files.append(str(path))
                newest = covered = max(covered, last)
        for path in sorted((self.folder / STEPS).glob("*.parquet")):
            if path.stem.isdigit() and int(path.stem) > covered:
                files.append(str(path))
                newest = int(path.stem)
        return files, newest

    def _read(self, files: Sequence[str], newest: int) -> None:
        source = f"read_parquet({literal(files)}) WHERE step > {self._last} AND step <= {newest} AND kind ="
        self._database.begin()
        try:
            for table, select in _INSERTS.items():
                self._database.execute(f"INSERT INTO {table} {select.format(source=source)}")
        except duckdb.Error:
            self._database.rollback()
            raise
        self._database.commit()

    def _clear(self) -> None:
        for name in self._states.values():
            self._database.execute(f"DROP TABLE {name}")
        self._states.clear()
        self._database.execute(_TABLES)
        self._last, self._stamp = -1, ()
        self.version += 1

    # -- the book ------------------------------------------------------------------------------------------------

    def steps(self) -> tuple[int, int]:
        """The first and the last step there are; (0, 0) before the first."""
        first, last = self._one("SELECT min(step), max(step) FROM asked")
        return (0, 0) if last is None else (first, last)

    def totals(self, step: int | None = None) -> Totals:
        """How many tests live in the book and have been mastered, and how many questions have living ones."""
        with self._lock:
            return Totals(
                *self._one(
                    "SELECT count(*) FILTER (counter > 0), count(*) FILTER (counter = 0),"
                    f" count(DISTINCT question) FILTER (counter > 0) FROM {self._book(step)}"
                )
            )

    def page(self, choice: Choice, order: Order = Order.COUNTER, start: int = 0, count: int = 25) -> Page:
        """`count` of the chosen tests, from `start` on."""
        with self._lock:
            where, values = self._where(choice)
            (total,) = self._one(f"SELECT count(*) {where}", values)
            rows = self._all(f"SELECT {_TEST} {where} ORDER BY {_ORDERS[order]} LIMIT {count} OFFSET {start}", values)
        return Page(tuple(_test(row) for row in rows), total)

    def test(self, life: int, step: int | None = None) -> BookTest:
        """One test by the number of its life. Raises `InputError` when the book had no such test by then."""
        with self._lock:
            rows = self._all(f"SELECT {_TEST} FROM {self._book(step)} WHERE life = ?", [life])
        if not rows:
            raise InputError(f"the book has no test number {life}" + (f" at step {step}." if step else "."))
        return _test(rows[0])

    def lives(self, test: BookTest) -> list[tuple[int, int]]:
        """(life, step it began) of every life that the same test has had."""
        return self._all(
            "SELECT life, entered FROM lives WHERE question = ? AND source = ? ORDER BY entered, life",
            [pack(test.question), pack(test.source)],
        )

    def moves(self, life: int, step: int | None = None) -> tuple[Move, ...]:
        """The life line of a test, in order: who moved its counter, when and how."""
        rows = self._all(
            "SELECT step, candidate, change, counter, outcome FROM moves WHERE life = ? AND step <= ?"
            " ORDER BY step, place",
            [life, 2**31 - 1 if step is None else step],
        )
        return tuple(
            Move(at, candidate, Change(change), counter, Outcome(outcome) if outcome else None)
            for at, candidate, change, counter, outcome in rows
        )

    def chosen(self, choice: Choice, limit: int) -> tuple[list[ExportedTest], Solutions]:
        """Up to `limit` of the chosen tests, ready for `a1kit.store.export`, with their questions' solutions."""
        with self._lock:
            where, values = self._where(choice)
            rows = self._all(
                "SELECT question, source, if(counter > 0, 'alive', 'mastered'), counter, entered, last_step"
                f" {where} ORDER BY question, counter DESC, entered, source LIMIT {limit}",
                values,
            )
            tests = [ExportedTest(unpack(question), unpack(source), *rest) for question, source, *rest in rows]
            problems = self._all(
                f"SELECT question, entry_point, reference FROM problems WHERE question IN (SELECT question {where})",
                values,
            )
        return tests, {unpack(name): Solution(unpack(entry), unpack(code)) for name, entry, code in problems}

    # -- questions -----------------------------------------------------------------------------------------------

    def questions(self) -> list[str]:
        """The names of all questions that were asked, in order."""
        return sorted(unpack(name) for (name,) in self._all("SELECT question FROM problems"))

    def asked(self, question: str) -> list[int]:
        """The steps in which a question was asked."""
        rows = self._all("SELECT step FROM asked WHERE question = ? ORDER BY step", [pack(question)])
        return [step for (step,) in rows]

    def hardest(self, step: int | None = None, count: int = 20, question: str = "") -> list[Asked]:
        """The questions whose candidates passed the fewest new tests up to a step, the hardest first."""
        with self._lock:
            rows = self._all(
                "WITH book AS (SELECT question, count(*) AS alive, sum(counter)::BIGINT AS weight"
                f" FROM {self._book(step)} WHERE counter > 0 GROUP BY question)"
                " SELECT question, count(*), avg(pass_new), avg(solved), coalesce(any_value(alive), 0),"
                " coalesce(any_value(weight), 0) FROM asked LEFT JOIN book USING (question)"
                f" WHERE step <= ? AND contains(question, ?) GROUP BY question ORDER BY {_HARD} LIMIT {count}",
                [self._until(step), pack(question)],
            )
        return [Asked(unpack(name), *rest) for name, *rest in rows]

    def heat_map(self, step: int | None = None, *, rows: int = 30, columns: int = 40, question: str = "") -> HeatMap:
        """Pass rates on new tests, questions × steps: the `rows` hardest questions, the steps in `columns` spans."""
        with self._lock:
            first, last = self.steps()
            last = min(last, self._until(step))
            width = max(1, -(-(last - first + 1) // columns))
            cells = self._all(
                "WITH hard AS (SELECT question, row_number() OVER (ORDER BY " + _HARD + ") AS place FROM asked"
                f" WHERE step <= $1 AND contains(question, $2) GROUP BY question QUALIFY place <= {rows})"
                f" SELECT any_value(place), question, (step - {first}) // {width}, avg(pass_new)"
                " FROM asked JOIN hard USING (question) WHERE step <= $1 GROUP BY question, 3 ORDER BY 1, 3",
                [last, pack(question)],
            )
        names = dict.fromkeys(unpack(name) for _, name, _, _ in cells)
        spans = range((last - first) // width + 1) if cells else range(0)
        values: dict[tuple[str, int], float | None] = {(unpack(name), span): rate for _, name, span, rate in cells}
        return HeatMap(
            tuple(names),
            tuple(first + span * width for span in spans),
            tuple(tuple(values.get((name, span)) for span in spans) for name in names),
        )

    def close(self) -> None:
        with self._lock:
            self._database.close()

    # -- inside --------------------------------------------------------------------------------------------------

    def _until(self, step: int | None) -> int:
        return self._last if step is None else step

    def _state(self, step: int | None) -> str:
        """The table with the book as it was after a step."""
        until = min(self._until(step), self._last)
        if until not in self._states:
            before = max((kept for kept in self._states if kept < until), default=-1)
            name = f"state_{until + 1}"
            base = self._states.get(before, "no_state")
            self._database.execute(f"CREATE TABLE {name} AS {_STATE.format(base=base)}", [before, until])
            self._states[until] = name
            for old in [kept for kept in self._states if kept % PINNED and kept not in (until, self._last)]:
                self._database.execute(f"DROP TABLE {self._states.pop(old)}")
        return self._states[until]

    def _book(self, step: int | None) -> str:
        """FROM of a query over the tests of the book as it was after a step."""
        until = min(self._until(step), self._last)
        return (
            f"(SELECT *, if(counter = 0, last_step, {until}) - entered AS age FROM {self._state(step)}"
            " JOIN lives USING (life))"
        )

    def _where(self, choice: Choice) -> tuple[str, list[Any]]:
        """FROM and WHERE of a choice, and the values of its parameters."""
        tests: list[str] = []
        values: list[Any] = []
        if choice.text:
            tests.append("contains(lower(source), lower(?))")
            values.append(pack(choice.text))
        if choice.question:
            tests.append("contains(lower(question), lower(?))")
            values.append(pack(choice.question))
        if choice.state:
            tests.append("counter > 0" if choice.state == "alive" else "counter = 0")
        if choice.kinds:
            tests.append("kinds & ? > 0")
            values.append(sum(1 << FAILURES.index(kind) for kind in choice.kinds))
        for column, (least, greatest) in (("counter", choice.counter), ("age", choice.age)):
            for sign, bound in ((">=", least), ("<=", greatest)):
                if bound is not None:
                    tests.append(f"{column} {sign} ?")
                    values.append(bound)
        return f"FROM {self._book(choice.step)} WHERE {' AND '.join(tests) or 'true'}", values

    def _all(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._database.execute(sql, list(values)).fetchall()

    def _one(self, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...]:
        (row,) = self._all(sql, values)
        return row


_TABLES = """
CREATE OR REPLACE TABLE lives (life BIGINT, question VARCHAR, source VARCHAR, entered INTEGER);
CREATE OR REPLACE TABLE moves (life BIGINT, step INTEGER, place INTEGER, candidate INTEGER, counter INTEGER,
    change ENUM ('entered', 'failed', 'passed', 'mastered'), outcome {outcomes});
CREATE OR REPLACE TABLE asked (step INTEGER, question VARCHAR, pass_new DOUBLE, solved DOUBLE);
CREATE OR REPLACE TABLE problems (question VARCHAR, entry_point VARCHAR, reference VARCHAR);
CREATE OR REPLACE TABLE no_state (life BIGINT, counter INTEGER, last_step INTEGER, failures INTEGER, passes INTEGER,
    kinds INTEGER);
""".format(outcomes="ENUM (" + ", ".join(f"'{outcome.value}'" for outcome in Outcome) + ")")

_INSERTS = {
    "lives": "SELECT life, question, source, step FROM {source} 'event' AND change = 'entered'",
    "moves": "SELECT life, step, place, candidate, counter, change, TRY_CAST(outcome AS VARCHAR) FROM {source} 'event'",
    "asked": """SELECT step, question, avg(pass_new), avg((coalesce(pass_new, 0) = 1)::INTEGER) FROM {source} 'duel'
        GROUP BY step, question""",
    "problems": """SELECT question, any_value(entry_point), any_value(reference) FROM {source} 'question'
        AND question NOT IN (SELECT question FROM problems) GROUP BY question""",
}

_BITS = " ".join(f"WHEN '{outcome.value}' THEN {1 << place}" for place, outcome in enumerate(FAILURES))

_STATE = f"""
WITH since AS (
    SELECT life, arg_max(counter, step::BIGINT * 4294967296 + place) AS counter, max(step) AS last_step,
           count(*) FILTER (change <= 'failed') AS failures, count(*) FILTER (change > 'failed') AS passes,
           bit_or(CASE outcome {_BITS} ELSE 0 END) AS kinds
    FROM moves WHERE step > $1 AND step <= $2 GROUP BY life
)
SELECT life, coalesce(since.counter, base.counter) AS counter, coalesce(since.last_step, base.last_step) AS last_step,
       (coalesce(base.failures, 0) + coalesce(since.failures, 0))::INTEGER AS failures,
       (coalesce(base.passes, 0) + coalesce(since.passes, 0))::INTEGER AS passes,
       coalesce(base.kinds, 0) | coalesce(since.kinds, 0) AS kinds
FROM {{base}} AS base FULL JOIN since USING (life)
"""

_TEST = (
    "life, question, source, if(counter > 0, 'alive', 'mastered'), counter, entered, last_step,"
    " if(counter = 0, last_step, NULL), failures, passes, age, kinds"
)

_HARD = "avg(pass_new) NULLS LAST, question"


def _test(row: Sequence[Any]) -> BookTest:
    life, question, source, *rest, bits = row
    kinds = tuple(kind for place, kind in enumerate(FAILURES) if bits >> place & 1)
    return BookTest(life, unpack(question), unpack(source), *rest, kinds)  # type: ignore[call-arg]
