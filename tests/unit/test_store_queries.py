"""Reading a run with SQL: the views agree with the records, follow a running run, and cannot write or reach out."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from a1kit.errors import InputError, RunError
from a1kit.store import run_log
from a1kit.store.book import Book, Change
from a1kit.store.queries import RunView
from a1kit.store.run_log import BOOK, RunLog
from a1kit.store.segments import compact, segment_files
from a1kit.types import Duel, StepRecord
from a1kit_bench.synthetic import synthetic_step

_COLUMNS = {
    "steps": ("step metrics seconds"),
    "questions": ("step question prompt entry_point reference"),
    "duels": (
        "step question candidate code text load detail flags pass_hist pass_new reward "
        "advantage sigma selected prompt_tokens tokens finished mean_logprob"
    ),
    "suites": (
        "step question candidate suite text pass_new validity adversity reward advantage "
        "selected prompt_tokens tokens finished mean_logprob"
    ),
    "tests": (
        "step question candidate suite test state form call written source predicted oracle detail outcome got why"
    ),
    "verdicts": ("step question candidate suite test origin source predicted oracle outcome got why"),
    "book_events": ("step place question candidate source life change counter outcome"),
    "book": ("question source life state counter entered last_step mastered failures passes"),
}
COLUMNS = {view: columns.split() for view, columns in _COLUMNS.items()}
"""The documented columns: renaming one breaks notebooks and the inspector, so it takes a new schema version."""


class Written:
    """A run with synthetic steps and what went into it."""

    def __init__(self, folder: Path) -> None:
        self.log = RunLog.create(folder, {})
        self.book = Book(folder / BOOK)
        self.records: list[StepRecord] = []

    def add(self, steps: int) -> None:
        for _ in range(steps):
            record = synthetic_step(len(self.records) + 1, questions=2, pool=4, history=self.book.recall)
            self.log.write_step(record, self.book.record(record.step, record.duels).events)
            self.records.append(record)

    @property
    def duels(self) -> list[Duel]:
        return [duel for record in self.records for duel in record.duels]


@pytest.fixture
def run(tmp_path: Path) -> Written:
    written = Written(tmp_path / "run")
    written.add(4)
    return written


@pytest.mark.parametrize("view", COLUMNS)
def test_the_columns_of_a_view_are_the_documented_ones(run: Written, view: str) -> None:
    with RunView(run.log.folder) as reader:
        assert list(reader.query(f"SELECT * FROM {view} LIMIT 1").columns) == COLUMNS[view]


def test_duels_with_a_flag_are_found_the_newest_first(run: Written) -> None:
    last = run.records[-1]
    marked = replace(last.duels[0], flags=("constant-answer", "special-cases"))
    record = StepRecord(last.step + 1, (marked, *last.duels[1:]))
    run.log.write_step(record, ())
    with RunView(run.log.folder) as reader:
        (found,) = reader.flagged("special-cases")
        assert (found["step"], found["question"], found["candidate"]) == (record.step, marked.question.id, 0)
        assert reader.flagged("special-case") == []


def test_the_views_count_and_add_up_as_the_records_do(run: Written) -> None:
    duels = run.duels
    suites = [suite for duel in duels for suite in duel.suites]
    tests = [test for suite in suites for test in suite.tests]
    played = [test for test in tests if test.verdict] + [test for duel in duels for test in duel.history]
    with RunView(run.log.folder) as reader:
        assert reader.query("SELECT count(*), sum(reward) FROM duels").rows == [
            (len(duels), pytest.approx(sum(duel.reward for duel in duels)))
        ]
        assert reader.query("SELECT count(*), sum(validity) FROM suites").rows == [
            (len(suites), pytest.approx(sum(suite.validity for suite in suites)))
        ]
        assert reader.query("SELECT count(*) FROM tests").rows == [(len(tests),)]
        assert reader.query("SELECT count(*), count(*) FILTER (outcome = 'passed') FROM verdicts").rows == [
            (len(played), sum(test.passed for test in played))
        ]
        assert reader.query("SELECT metrics['code/reward'] FROM steps ORDER BY step").rows == [
            (record.metrics["code/reward"],) for record in run.records
        ]


def test_the_book_view_is_the_trainers_book_now_and_at_any_step(run: Written) -> None:
    with RunView(run.log.folder) as reader:
        alive = "SELECT question, source, counter, entered FROM {} WHERE state = 'alive' ORDER BY ALL"
        assert reader.query(alive.format("book")).rows == [tuple(mistake) for mistake in run.book.mistakes()]
        for step in range(5):
            rows = reader.query(alive.format("book_at(?)"), [step]).rows
            assert rows == [tuple(mistake) for mistake in run.book.after(step)]


def test_added_and_removed_tests_of_a_step_can_be_counted(run: Written) -> None:
    with RunView(run.log.folder) as reader:
        rows = reader.query(
            "SELECT step, count(*) FILTER (change = 'entered'), count(*) FILTER (change = 'mastered')"
            " FROM book_events GROUP BY step ORDER BY step"
        ).rows
    for step, added, removed in rows:
        changes = [event.change for event in run.book.events(step)]
        assert (added, removed) == (changes.count(Change.ENTERED), changes.count(Change.MASTERED))


def test_a_reader_sees_new_steps_while_the_trainer_writes_and_loses_none_to_compaction(
    run: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_log, "compact", partial(compact, span=6))
    with RunView(run.log.folder) as reader:
        assert not reader.refresh()
        for _ in range(5):
            run.add(4)
            assert reader.refresh()
            counts = reader.query("SELECT count(*), count(DISTINCT step), max(step) FROM steps").rows
            assert counts == [(len(run.records),) * 3]
    assert len(segment_files(run.log.folder / run_log.SEGMENTS)) == 4


def test_a_single_step_comes_from_its_own_file(run: Written) -> None:
    with RunView(run.log.folder) as reader:
        assert reader.step(3).record == run.records[2]
        assert reader.steps() == [1, 2, 3, 4]
        with pytest.raises(RunError, match="no step 9; it has 1 to 4"):
            reader.step(9)


def test_a_run_that_has_no_step_yet_can_be_opened_and_fills_in(tmp_path: Path) -> None:
    written = Written(tmp_path / "run")
    with RunView(tmp_path / "run") as reader:
        assert reader.query("SELECT * FROM duels").rows == []
        assert reader.query("SELECT * FROM book").rows == []
        written.add(1)
        assert reader.refresh()
        assert reader.query("SELECT count(*) FROM duels").rows == [(len(written.duels),)]


def test_more_rows_than_the_limit_are_cut_and_said_to_be(run: Written) -> None:
    with RunView(run.log.folder) as reader:
        result = reader.query("SELECT * FROM tests", limit=5)
        assert len(result.rows) == 5
        assert result.cut
        assert not reader.query("SELECT * FROM steps", limit=5).cut


@pytest.mark.parametrize(
    "sql",
    [
        "DROP VIEW duels",
        "CREATE TABLE t AS SELECT 1",
        "COPY (SELECT 1) TO '{folder}/steps/out.csv'",
        "ATTACH '{folder}/mistakes.duckdb' AS theirs",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SELECT 1; SELECT 2",
        "PRAGMA database_list; DROP VIEW duels",
        "DELETE FROM nothing",
        "",
    ],
)
def test_anything_but_one_select_is_refused(run: Written, sql: str) -> None:
    with RunView(run.log.folder) as reader:
        with pytest.raises(InputError, match="only one SELECT"):
            reader.query(sql.format(folder=run.log.folder))
        assert reader.query("SELECT count(*) FROM steps").rows == [(4,)]


@pytest.mark.parametrize(
    "source",
    [
        "read_text('/etc/hostname')",
        "read_csv('/etc/passwd')",
        "glob('/etc/*')",
        "read_json('{folder}/status.json')",
        "read_blob('{folder}/config.yaml')",
        "'/etc/passwd'",
    ],
)
def test_a_select_cannot_read_other_files(run: Written, source: str) -> None:
    with RunView(run.log.folder) as reader:
        with pytest.raises((InputError, RunError)):
            reader.query(f"SELECT * FROM {source.format(folder=run.log.folder)}")


def test_a_wrong_query_is_answered_in_words(run: Written) -> None:
    with RunView(run.log.folder) as reader:
        with pytest.raises(InputError, match="rewrd"):
            reader.query("SELECT rewrd FROM duels")
        with pytest.raises(InputError, match="cannot be read"):
            reader.query("SELEC 1")


def test_a_query_that_takes_too_long_is_stopped_and_the_reader_lives_on(run: Written) -> None:
    with RunView(run.log.folder) as reader:
        with pytest.raises(InputError, match="was stopped"):
            reader.query("SELECT count(*) FROM range(10000000000) a, range(1000000) b", seconds=0.3)
        assert reader.query("SELECT 1").rows == [(1,)]
