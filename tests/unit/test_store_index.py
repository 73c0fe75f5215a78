"""The index of a run answers as the Mistake Book itself and the SQL views do, at every step, and follows the run."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from a1kit.errors import InputError
from a1kit.store import index as index_module
from a1kit.store.book import Book, BookEvent, Change
from a1kit.store.index import Choice, Order, RunIndex
from a1kit.store.queries import RunView
from a1kit.store.run_log import BOOK, RunLog
from a1kit.types import Outcome
from a1kit_bench.synthetic import synthetic_step

STEPS = 6


class Written:
    """A run of synthetic steps, its book, and what happened in it."""

    def __init__(self, folder: Path) -> None:
        self.log = RunLog.create(folder, {})
        self.book = Book(folder / BOOK)
        self.events: list[tuple[int, BookEvent]] = []
        self.done = 0

    def add(self, steps: int, seed: int = 0) -> None:
        for _ in range(steps):
            self.done += 1
            record = synthetic_step(
                self.done, questions=2, suites=2, pool=4, calls=8, seed=seed, history=self.book.recall
            )
            events = self.book.record(record.step, record.duels).events
            self.log.write_step(record, events)
            self.events += [(record.step, event) for event in events]


@pytest.fixture
def run(tmp_path: Path) -> Written:
    written = Written(tmp_path / "run")
    written.add(STEPS)
    return written


@pytest.fixture
def index(run: Written) -> RunIndex:
    made = RunIndex(run.log.folder)
    assert made.refresh()
    return made


def living(index: RunIndex, step: int | None = None) -> list[tuple[str, str, int, int]]:
    page = index.page(Choice(state="alive", step=step), count=10_000)
    assert page.total == len(page.tests)
    return sorted((test.question, test.source, test.counter, test.entered) for test in page.tests)


@pytest.mark.parametrize("pinned", [1, 2, 3, 256])
def test_the_book_at_every_step_is_the_trainers_whatever_states_are_kept(
    run: Written, monkeypatch: pytest.MonkeyPatch, pinned: int
) -> None:
    monkeypatch.setattr(index_module, "PINNED", pinned)
    index = RunIndex(run.log.folder)
    index.refresh()
    for step in [*range(STEPS, 0, -1), *range(1, STEPS + 1)]:
        assert living(index, step) == [tuple(mistake) for mistake in run.book.after(step)]


def test_a_test_of_the_index_has_the_columns_of_the_book_view(run: Written, index: RunIndex) -> None:
    with RunView(run.log.folder) as view:
        rows = view.query(
            "SELECT life, question, source, state, counter, entered, last_step, mastered, failures, passes"
            " FROM book ORDER BY life",
            limit=10_000,
        ).rows
    tests = sorted(index.page(Choice(), count=10_000).tests)
    assert [test[:10] for test in tests] == rows
    assert {test.state for test in tests} == {"alive", "mastered"}


def test_the_life_line_of_every_test_is_what_the_book_did(run: Written, index: RunIndex) -> None:
    for test in index.page(Choice(), count=10_000).tests:
        told = [(move.step, move.candidate, move.change, move.counter) for move in index.moves(test.life)]
        done = [(step, e.candidate, e.change, e.counter) for step, e in run.events if e.life == test.life]
        assert told == done
        assert told[0][2] is Change.ENTERED


def test_a_move_says_with_which_verdict_it_was_made(index: RunIndex) -> None:
    moves = [move for test in index.page(Choice(), count=10_000).tests for move in index.moves(test.life)]
    for move in moves:
        passed = move.change in (Change.PASSED, Change.MASTERED)
        assert (move.outcome is Outcome.PASSED) == passed
        assert move.outcome is not None
    assert {Outcome.WRONG, Outcome.RAISED} <= {move.outcome for move in moves}


def test_every_filter_keeps_exactly_the_tests_that_fit(index: RunIndex) -> None:
    tests = index.page(Choice(), count=10_000).tests
    filters = {
        Choice(text="F1("): lambda test: "f1(" in test.source,
        Choice(text="%"): lambda test: "%" in test.source,
        Choice(question="0002"): lambda test: "0002" in test.question,
        Choice(state="mastered"): lambda test: test.counter == 0,
        Choice(kinds=(Outcome.RAISED,)): lambda test: Outcome.RAISED in test.kinds,
        Choice(kinds=(Outcome.RAISED, Outcome.TIMEOUT)): lambda test: Outcome.RAISED in test.kinds,
        Choice(counter=(2, 3)): lambda test: 2 <= test.counter <= 3,
        Choice(age=(1, None)): lambda test: test.age >= 1,
        Choice(age=(None, 2), state="alive"): lambda test: test.age <= 2 and test.counter,
    }
    for choice, fits in filters.items():
        page = index.page(choice, count=10_000)
        assert sorted(page.tests) == sorted(filter(fits, tests))
        assert page.total == len(page.tests)


@pytest.mark.parametrize(
    ("order", "key"),
    [
        (Order.COUNTER, lambda test: -test.counter),
        (Order.AGE, lambda test: -test.age),
        (Order.RECENT, lambda test: -test.last_step),
        (Order.FAILURES, lambda test: -test.failures),
        (Order.QUESTION, lambda test: test.question),
        (Order.TEST, lambda test: test.source),
    ],
)
def test_pages_in_any_order_hold_every_test_once(index: RunIndex, order: Order, key: object) -> None:
    total = index.page(Choice()).total
    pages = [index.page(Choice(), order, start, 7).tests for start in range(0, total, 7)]
    tests = [test for page in pages for test in page]
    assert len({test.life for test in tests}) == len(tests) == total
    assert tests == sorted(tests, key=key)  # type: ignore[arg-type]


def test_a_test_that_came_back_has_several_lives(run: Written, index: RunIndex) -> None:
    tests = index.page(Choice(), count=10_000).tests
    again = [test for test in tests if len(index.lives(test)) > 1]
    for test in again:
        same = [(other.life, other.entered) for other in tests if other[1:3] == test[1:3]]
        assert index.lives(test) == sorted(same, key=lambda life: (life[1], life[0]))
    assert again


def test_new_steps_are_read_once_and_nothing_new_is_cheap(run: Written, index: RunIndex) -> None:
    version = index.version
    assert not index.refresh()
    assert index.version == version
    run.add(2)
    assert index.refresh()
    assert index.version > version
    assert index.steps() == (1, STEPS + 2)
    assert living(index) == [tuple(mistake) for mistake in run.book.mistakes()]
    assert living(index, STEPS) == [tuple(mistake) for mistake in run.book.after(STEPS)]


def test_a_run_that_was_rolled_back_and_went_on_differently_is_read_anew(run: Written, index: RunIndex) -> None:
    run.log.rewind(3)
    run.book.rewind(3)
    run.done = 3
    run.add(3, seed=1)
    assert index.refresh()
    assert index.steps() == (1, STEPS)
    assert living(index) == [tuple(mistake) for mistake in run.book.mistakes()]


def test_an_index_opened_before_the_first_step_fills_in(tmp_path: Path) -> None:
    written = Written(tmp_path / "run")
    index = RunIndex(tmp_path / "run")
    assert not index.refresh()
    assert index.steps() == (0, 0)
    assert index.page(Choice()).tests == ()
    assert index.hardest() == []
    assert index.heat_map().questions == ()
    written.add(1)
    assert index.refresh()
    assert living(index) == [tuple(mistake) for mistake in written.book.mistakes()]


def test_the_hardest_questions_are_those_with_the_lowest_pass_rate(run: Written, index: RunIndex) -> None:
    asked = index.hardest()
    assert [one.pass_new for one in asked] == sorted(one.pass_new or 0 for one in asked)
    alive = run.book.mistakes()
    for one in asked:
        mine = [mistake.counter for mistake in alive if mistake.question == one.question]
        assert (one.alive, one.weight) == (len(mine), sum(mine))
        assert one.times == len(index.asked(one.question))


def test_the_heat_map_has_a_value_exactly_where_a_question_was_asked(index: RunIndex) -> None:
    heat = index.heat_map(columns=STEPS)
    assert heat.steps == tuple(range(1, STEPS + 1))
    assert list(heat.questions) == [one.question for one in index.hardest()]
    for question, values in zip(heat.questions, heat.values, strict=True):
        known = [step for step, value in zip(heat.steps, values, strict=True) if value is not None]
        assert known == index.asked(question)


def test_a_heat_map_of_few_columns_covers_all_steps(index: RunIndex) -> None:
    heat = index.heat_map(columns=2)
    assert heat.steps == (1, 4)
    assert all(len(values) == 2 for values in heat.values)


def test_a_test_that_is_not_there_is_an_input_error(index: RunIndex) -> None:
    with pytest.raises(InputError, match="no test number 999999"):
        index.test(999_999)


def test_many_threads_get_the_same_answers(run: Written, index: RunIndex) -> None:
    expected = {step: living(index, step) for step in range(1, STEPS + 1)}
    wrong: list[int] = []

    def ask(step: int) -> None:
        for _ in range(5):
            if living(index, step) != expected[step]:
                wrong.append(step)

    threads = [threading.Thread(target=ask, args=(step,)) for step in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
