"""Read a run with SQL while the trainer writes it: an in-memory DuckDB over the step files, one view per noun.

    with RunView(Path("runs/demo")) as run:
        run.query("SELECT question, avg(reward) FROM duels GROUP BY ALL ORDER BY 2")
        run.step(42).record.duels[0]           # one step comes from its own file

Views (columns: `docs/data-schema.md`): `steps`, `questions`, `duels`, `suites`, `tests`, `verdicts`, `book_events`,
`book`, and the macro `book_at(step)`. They read the files there were at the last `refresh`; nothing here ever opens the
trainer's database, takes a lock or writes a file.

The connection is closed to the rest of the machine: it reads the run's own step files, loads no extension, and `query`
accepts one SELECT at a time, in a transaction that cannot write, within a limit of rows and seconds. That is enough for
SQL of one's own; SQL from elsewhere can still take memory or crash the process, and belongs in `a1kit.store.console`.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import duckdb

from a1kit.errors import InputError, RunError
from a1kit.store.rows import TABLE_SCHEMA, StepFile, read_step
from a1kit.store.run_log import SEGMENTS, STEPS, read_manifest, step_files, step_path
from a1kit.store.segments import segment_files, segment_steps
from a1kit.store.text import unpack

_VIEWS = {
    "steps": "SELECT step, metrics, seconds FROM rows WHERE kind = 'step'",
    "questions": "SELECT step, question, prompt, entry_point, reference FROM rows WHERE kind = 'question'",
    "duels": """SELECT step, question, candidate, code, text, load, detail, flags, pass_hist, pass_new, reward,
        advantage, sigma, selected, prompt_tokens, tokens, finished, mean_logprob FROM rows WHERE kind = 'duel'""",
    "suites": """SELECT step, question, candidate, suite, text, pass_new, validity, adversity, reward, advantage,
        selected, prompt_tokens, tokens, finished, mean_logprob FROM rows WHERE kind = 'suite'""",
    "tests": """SELECT step, question, candidate, suite, test, state, form, call, written, source, predicted, oracle,
        detail, outcome, got, why FROM rows WHERE kind = 'test' AND suite IS NOT NULL""",
    "verdicts": """SELECT step, question, candidate, suite, test, if(suite IS NULL, 'replay', 'new') AS origin, source,
        predicted, oracle, outcome, got, why FROM rows WHERE kind = 'test' AND outcome IS NOT NULL""",
    "book_events": """SELECT step, place, question, candidate, source, life, change, counter, outcome
        FROM rows WHERE kind = 'event'""",
}

_BOOK = """
    SELECT question, source, life,
           if(arg_max(counter, {order}) > 0, 'alive', 'mastered') AS state,
           arg_max(counter, {order}) AS counter,
           min(step) AS entered,
           max(step) AS last_step,
           max(step) FILTER (change = 'mastered') AS mastered,
           count(*) FILTER (change IN ('entered', 'failed')) AS failures,
           count(*) FILTER (change IN ('passed', 'mastered')) AS passes
    FROM book_events {where} GROUP BY question, source, life
"""
_ORDER = "step * 4294967296 + place"


class Result(NamedTuple):
    """Rows of a query. `cut` says that there were more than the limit."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    cut: bool


def closed_database(folder: Path, *, memory: str, threads: int) -> duckdb.DuckDBPyConnection:
    """An in-memory DuckDB that can read the step files of the run in `folder`, and nothing else of the machine."""
    # One file more than is there now may appear any time, so folders are allowed, not files.
    allowed = [str(folder.resolve() / name) for name in (STEPS, SEGMENTS)]
    database = duckdb.connect(":memory:", config={"threads": threads, "memory_limit": memory})
    database.execute(f"SET allowed_directories = {literal(allowed)}")
    database.execute("SET temp_directory = ''")
    database.execute("SET autoinstall_known_extensions = false")
    database.execute("SET autoload_known_extensions = false")
    database.execute("SET python_enable_replacements = false")  # a table name is not a Python variable's
    database.execute("SET enable_external_access = false")
    database.execute("SET lock_configuration = true")
    return database


class RunView:
    """A reader of one run. Safe to use from one thread at a time; make one a thread."""

    def __init__(self, folder: Path, *, memory: str = "512MB", threads: int = 2) -> None:
        read_manifest(folder)
        self.folder = folder.resolve()
        self._files: tuple[str, ...] | None = None
        self._database = closed_database(self.folder, memory=memory, threads=threads)
        self._database.register("no_rows", TABLE_SCHEMA.empty_table())
        self._database.execute("CREATE TABLE nothing AS SELECT * FROM no_rows")
        self._database.unregister("no_rows")
        self.refresh()

    def refresh(self) -> bool:
        """Look for new steps; True when there are some (or some are gone)."""
        files = tuple(str(path) for path in _row_files(self.folder))
        if files == self._files:
            return False
        self._files = files
        source = f"read_parquet({literal(files)})" if files else "nothing"
        self._database.execute(f"CREATE OR REPLACE VIEW rows AS FROM {source}")
        for name, select in _VIEWS.items():
            self._database.execute(f"CREATE OR REPLACE VIEW {name} AS {select}")
        self._database.execute(f"CREATE OR REPLACE VIEW book AS {_BOOK.format(order=_ORDER, where='')}")
        until = _BOOK.format(order=_ORDER, where="WHERE step <= until")
        self._database.execute(f"CREATE OR REPLACE MACRO book_at(until) AS TABLE {until}")
        return True

    def query(self, sql: str, parameters: Sequence[Any] = (), *, limit: int = 1000, seconds: float = 10.0) -> Result:
        """Run one SELECT. At most `limit` rows come back; after `seconds` it is stopped.

        Raises `InputError` in plain words for anything that is not one SELECT, is wrong, or takes too long.
        """
        try:
            statements = self._database.extract_statements(sql)
        except duckdb.Error as error:
            raise InputError(f"this SQL cannot be read: {error}") from error
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise InputError("only one SELECT at a time can be run here: the run is read-only.")
        timer = threading.Timer(seconds, self._database.interrupt)
        timer.daemon = True
        timer.start()
        # A SELECT may hold an INSERT or a DELETE in its WITH part, hence the transaction that cannot write.
        self._database.execute("BEGIN TRANSACTION READ ONLY")
        try:
            cursor = self._database.execute(statements[0], list(parameters))
            columns = tuple(column[0] for column in cursor.description or ())
            rows = cursor.fetchmany(limit + 1)
        except duckdb.InterruptException as error:
            raise InputError(
                f"the query took more than {seconds:g} s and was stopped; narrow it, say with `WHERE step = …`."
            ) from error
        except duckdb.IOException as error:
            raise RunError(f"a file of the run went away while it was read: {error}. Ask again.") from error
        except duckdb.Error as error:
            raise InputError(f"this query does not work: {error}") from error
        finally:
            timer.cancel()
            self._database.rollback()
        return Result(columns, [tuple(map(_readable, row)) for row in rows[:limit]], len(rows) > limit)

    def records(self, sql: str, parameters: Sequence[Any] = (), *, limit: int = 1000) -> list[dict[str, Any]]:
        """`query` with each row as a dictionary."""
        result = self.query(sql, parameters, limit=limit)
        return [dict(zip(result.columns, row, strict=True)) for row in result.rows]

    def flagged(self, flag: str, *, limit: int = 20) -> list[dict[str, Any]]:
        """Where a flag was raised, the newest first: step, question, candidate and reward of the duels."""
        sql = "SELECT step, question, candidate, reward FROM duels WHERE list_contains(flags, ?) ORDER BY ALL DESC"
        return self.records(sql, [flag], limit=limit)

    def steps(self) -> list[int]:
        """The steps that are on disk, in order. Looks at the folder, not at the last `refresh`."""
        return [int(path.stem) for path in step_files(self.folder)]

    def step(self, step: int) -> StepFile:
        """One step from its own file, as records."""
        path = step_path(self.folder, step)
        try:
            return read_step(path)
        except FileNotFoundError as error:
            raise RunError(f"{self.folder.name} has no step {step}; it has {_span(self.steps())}.") from error

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> RunView:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _row_files(folder: Path) -> list[Path]:
    """Segments, and the step files that no segment holds. A step is never in the list twice."""
    segments = segment_files(folder / SEGMENTS)
    spans = [segment_steps(path) for path in segments]
    covered = max((last for _, last in spans), default=-1)
    return [*segments, *(path for path in step_files(folder) if int(path.stem) > covered)]


def _span(steps: list[int]) -> str:
    return f"{steps[0]} to {steps[-1]}" if steps else "none yet"


def literal(paths: Sequence[str]) -> str:
    """A list of paths as SQL."""
    quoted = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    return f"[{quoted}]"


def _readable(value: Any) -> Any:
    return unpack(value) if isinstance(value, str) else value
