"""SQL from a browser: it answers, explains what is wrong, and cannot write, reach out, take the machine or stay."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from a1kit.errors import InputError
from a1kit.store.book import Book
from a1kit.store.console import CELL, EXAMPLES, Console
from a1kit.store.run_log import BOOK, RunLog
from a1kit_bench.synthetic import synthetic_step

STEPS = 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("console") / "run"
    log, book = RunLog.create(path, {}), Book(path / BOOK)
    for step in range(1, STEPS + 1):
        record = synthetic_step(step, history=book.recall)
        log.write_step(record, book.record(step, record.duels).events)
    return path


@pytest.fixture(scope="module")
def console() -> Iterator[Console]:
    with Console(seconds=2.0, rows=50) as made:
        yield made


def answers(console: Console, folder: Path) -> bool:
    return console.ask(folder, "SELECT count(*) FROM steps").rows == [(STEPS,)]


@pytest.mark.parametrize("sql", EXAMPLES.values(), ids=EXAMPLES)
def test_every_example_runs(console: Console, folder: Path, sql: str) -> None:
    assert console.ask(folder, sql).columns


@pytest.mark.parametrize(
    "sql",
    [
        "DROP VIEW duels",
        "CREATE TABLE t AS SELECT 1",
        "INSERT INTO nothing (step) VALUES (1)",
        "WITH x AS (INSERT INTO nothing (step) VALUES (1) RETURNING step) SELECT * FROM x",
        "SELECT (WITH x AS (DELETE FROM nothing RETURNING step) SELECT count(*) FROM x)",
        "WITH x AS (UPDATE nothing SET step = 1 RETURNING step) SELECT * FROM x",
        "COPY (SELECT 1) TO '{folder}/out.csv'",
        "EXPORT DATABASE '{folder}/out'",
        "ATTACH '{folder}/mistakes.duckdb' AS theirs",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET memory_limit = '100GB'",
        "RESET memory_limit",
        "PRAGMA database_list",
        "CALL enable_logging()",
        "CHECKPOINT",
        "USE temp",
        "BEGIN TRANSACTION",
        "SELECT 1; SELECT 2",
        "EXPLAIN ANALYZE SELECT 1",
    ],
)
def test_only_one_select_that_changes_nothing_is_run(console: Console, folder: Path, sql: str) -> None:
    before = sorted(path for path in folder.rglob("*"))
    with pytest.raises(InputError, match="only one SELECT"):
        console.ask(folder, sql.format(folder=folder))
    assert sorted(path for path in folder.rglob("*")) == before
    assert answers(console, folder)


@pytest.mark.parametrize(
    "source",
    [
        "read_text('/etc/passwd')",
        "read_csv('/etc/passwd')",
        "read_blob('{folder}/config.yaml')",
        "read_parquet('{folder}/steps/*.parquet')",
        "parquet_metadata('{folder}/steps/000001.parquet')",
        "sniff_csv('/etc/passwd')",
        "glob('/etc/*')",
        "'/etc/passwd'",
        "'{folder}/status.json'",
        "'https://example.org/x.parquet'",
        "duckdb_settings()",
        "duckdb_secrets()",
        "enable_logging()",
        "enable_profiling()",
        "system.main.duckdb_settings()",
        "query('SELECT * FROM duckdb_settings()')",
        "query_table('duels')",
        "json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
        "arrow_scan(1234567, 1234567, 1234567)",
        "pandas_scan(1234567)",
        "python_map_function((SELECT 1))",
        "(SELECT max(x) FROM (SELECT * FROM ARROW_SCAN(1, 2, 3)) AS t(x))",
        "folder",
        "sys",
    ],
)
def test_a_select_reads_the_views_and_nothing_else(console: Console, folder: Path, source: str) -> None:
    with pytest.raises(InputError):
        console.ask(folder, f"SELECT * FROM {source.format(folder=folder)}")
    assert answers(console, folder)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT length(repeat('x', 3000000000))",
        "SELECT len(range(1000000000))",
        "SELECT list_resize([1], 1000000000)",
        "SELECT x FROM range(1000000000) AS t(x) ORDER BY hash(x)",
        "SELECT list(x) FROM range(1000000000) AS t(x)",
    ],
)
def test_a_query_that_wants_much_memory_is_stopped_in_plain_words(console: Console, folder: Path, sql: str) -> None:
    with pytest.raises(InputError, match=r"more memory than it may have|took more than"):
        console.ask(folder, sql)
    assert answers(console, folder)


def test_a_query_without_end_is_stopped_and_the_next_one_is_answered(console: Console, folder: Path) -> None:
    with pytest.raises(InputError, match=r"took more than 2 s and was stopped; narrow it"):
        console.ask(folder, "SELECT count(*) FROM range(10000000000) AS a, range(1000000) AS b")
    assert answers(console, folder)


def test_a_child_that_does_not_react_is_killed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Console(seconds=0.2) as console:
        assert answers(console, folder)
        child = console._child
        assert child is not None
        # As if a function inside the database neither ended nor could be interrupted.
        monkeypatch.setattr("a1kit.store.console.GRACE", 0.3)
        subprocess.run(["kill", "-STOP", str(child.pid)], check=True)
        with pytest.raises(InputError, match="was stopped"):
            console.ask(folder, "SELECT 1")
        assert child.poll() is not None
    with Console() as console:
        assert answers(console, folder)


def test_a_child_that_died_is_replaced(console: Console, folder: Path) -> None:
    assert answers(console, folder)
    assert console._child is not None
    console._child.kill()
    console._child.wait()
    assert answers(console, folder)


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("", "there is no query"),
        (" ; ", "there is no query"),
        ("selec 1", "cannot be read"),
        ("SELECT rewrd FROM duels", "rewrd"),
        ("SELECT * FROM nowhere", "nowhere"),
        ("SELECT 'a' + 1 FROM duels", "does not work"),
        ("SELECT " + "(" * 3000 + "1" + ")" * 3000, ""),
    ],
)
def test_what_is_wrong_is_said_in_words(console: Console, folder: Path, sql: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        console.ask(folder, sql)
    assert words in str(caught.value)
    assert "Traceback" not in str(caught.value)
    assert answers(console, folder)


def test_rows_and_cells_are_cut_and_said_to_be(console: Console, folder: Path) -> None:
    result = console.ask(folder, "SELECT repeat('y', 10000) FROM tests")
    assert len(result.rows) == 50
    assert result.cut
    assert result.rows[0][0].startswith("y" * CELL + " … 8,000 more")


def test_values_that_json_has_no_word_for_come_as_text(console: Console, folder: Path) -> None:
    ((nan, infinite, list_, none, true),) = console.ask(
        folder, "SELECT 'nan'::DOUBLE, '-inf'::DOUBLE, [1, 2], NULL, true"
    ).rows
    assert (nan, infinite, list_, none, true) == ("nan", "-inf", "[1, 2]", None, True)


def test_a_run_that_is_not_there_is_named(console: Console, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no run at"):
        console.ask(tmp_path / "nothing", "SELECT 1")


def test_closing_ends_the_child(folder: Path) -> None:
    console = Console()
    answers(console, folder)
    child = console._child
    assert child is not None
    console.close()
    assert child.poll() is not None
