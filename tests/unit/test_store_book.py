"""The Mistake Book's update rule, its history, and what it says when it cannot work."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from a1kit.errors import RunError
from a1kit.store.book import Book, Change
from a1kit.types import Completion, Duel, JudgedTest, Load, Outcome, Question, State, Suite, TestCase, Verdict

FAILED, PASSED = Outcome.WRONG, Outcome.PASSED


def judged(source: str, outcome: Outcome | None) -> JudgedTest:
    state = State.VALID if outcome else State.MALFORMED
    return JudgedTest(TestCase(source, source), state, source, verdict=Verdict(outcome) if outcome else None)


def duel(
    question: str,
    *suites: Iterable[tuple[str, Outcome | None]],
    history: Iterable[tuple[str, Outcome]] = (),
    load: Load = Load.OK,
) -> Duel:
    return Duel(
        Question(question, "", "f", ""),
        Completion(""),
        "",
        load,
        suites=tuple(Suite(Completion(""), tuple(judged(*test) for test in suite)) for suite in suites),
        history=tuple(judged(*test) for test in history),
    )


def counters(book: Book) -> dict[tuple[str, str], int]:
    return {(mistake.question, mistake.source): mistake.counter for mistake in book.mistakes()}


def test_a_failed_new_test_enters_with_a_counter_of_one_and_a_passed_or_dropped_one_does_not() -> None:
    book = Book()
    changes = book.record(1, [duel("q", [("a", FAILED), ("b", PASSED), ("c", None)])])
    assert counters(book) == {("q", "a"): 1}
    assert (changes.added, changes.removed, changes.size) == (1, 0, 1)


def test_each_candidate_that_fails_adds_one_however_many_of_its_suites_hold_the_test() -> None:
    book = Book()
    book.record(1, [duel("q", [("a", FAILED)], [("a", Outcome.TIMEOUT)]), duel("q", [("a", FAILED)])])
    assert counters(book) == {("q", "a"): 2}


def test_each_candidate_that_passes_the_replay_takes_one_off_and_at_zero_the_test_leaves() -> None:
    book = Book()
    book.record(1, [duel("q", [("a", FAILED)]) for _ in range(3)])
    book.record(2, [duel("q", history=[("a", PASSED)]), duel("q", history=[("a", FAILED)])])
    assert counters(book) == {("q", "a"): 2}
    changes = book.record(3, [duel("q", history=[("a", PASSED)]) for _ in range(3)])
    assert counters(book) == {}
    assert [event.change for event in changes.events] == [Change.PASSED, Change.MASTERED]


def test_decrements_come_before_increments_so_a_mastered_test_can_enter_again_in_the_same_step() -> None:
    book = Book()
    book.record(1, [duel("q", [("a", FAILED)])])
    changes = book.record(2, [duel("q", [("a", FAILED)]), duel("q", history=[("a", PASSED)])])
    assert counters(book) == {("q", "a"): 1}
    assert (changes.added, changes.removed) == (1, 1)
    assert [(event.change, event.candidate) for event in changes.events] == [(Change.MASTERED, 1), (Change.ENTERED, 0)]


def test_a_candidate_that_does_not_load_changes_nothing_but_keeps_its_place() -> None:
    book = Book()
    book.record(1, [duel("q", [("a", FAILED)])])
    broken = duel("q", [("b", FAILED)], history=[("a", PASSED)], load=Load.SYNTAX)
    changes = book.record(2, [broken, duel("q", [("c", FAILED)])])
    assert counters(book) == {("q", "a"): 1, ("q", "c"): 1}
    assert [event.candidate for event in changes.events] == [1]


def test_questions_do_not_share_tests() -> None:
    book = Book()
    book.record(1, [duel("q", [("a", FAILED)]), duel("r", [("a", FAILED)])])
    book.record(2, [duel("q", history=[("a", PASSED)])])
    assert counters(book) == {("r", "a"): 1}


def test_recall_gives_the_most_failed_first_then_the_oldest_then_by_text() -> None:
    book = Book()
    book.record(1, [duel("q", [("old", FAILED)])])
    book.record(2, [duel("q", [("z", FAILED), ("m", FAILED), ("top", FAILED)]), duel("q", [("top", FAILED)])])
    assert book.recall("q", 8) == ("top", "old", "m", "z")
    assert book.recall("q", 2) == ("top", "old")
    assert book.recall("q", 0) == ()
    assert book.recall("unknown") == ()


def test_a_test_that_enters_again_is_young_again() -> None:
    book = Book()
    book.record(1, [duel("q", [("a", FAILED), ("b", FAILED)])])
    book.record(2, [duel("q", history=[("a", PASSED)])])
    book.record(3, [duel("q", [("a", FAILED)])])
    assert book.recall("q") == ("b", "a")


def test_recording_a_step_twice_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mistakes.duckdb"
    duels = [duel("q", [("a", FAILED)])]
    with Book(path) as book:
        first = book.record(1, duels)
        assert book.record(1, duels) == first
    with Book(path) as book:
        assert book.record(1, duels) == first
        assert counters(book) == {("q", "a"): 1}


def test_two_runs_may_share_one_book_one_after_the_other(tmp_path: Path) -> None:
    path = tmp_path / "mistakes.duckdb"
    with Book(path, run="first") as book:
        book.record(1, [duel("q", [("a", FAILED)])])
    with Book(path, run="second") as book:
        book.record(1, [duel("q", [("a", FAILED)])])
        assert counters(book) == {("q", "a"): 2}
        book.rewind(0)
        assert counters(book) == {("q", "a"): 1}


def test_the_book_survives_a_restart_with_order_and_lives(tmp_path: Path) -> None:
    path = tmp_path / "mistakes.duckdb"
    with Book(path) as book:
        _play(book, range(1, 8), random.Random(3))
        before, recall, after = book.mistakes(), book.recall("q0", 5), _play(book, [8], random.Random(8))
    with Book(path) as book:
        book.rewind(7)
        assert book.mistakes() == before
        assert book.recall("q0", 5) == recall
        assert _play(book, [8], random.Random(8)) == after


def test_the_state_after_any_step_can_be_computed_and_events_tell_every_change() -> None:
    book = Book()
    source = random.Random(0)
    states, replayed = {}, {}
    for step in range(1, 15):
        _play(book, [step], source)
        states[step] = book.mistakes()
        for event in book.events(step):
            replayed[event.question, event.source] = event.counter
        assert {test: counter for test, counter in replayed.items() if counter} == counters(book)
    for step, state in states.items():
        assert book.after(step) == state
    assert book.after(0) == []


def test_rewinding_is_as_if_the_later_steps_had_never_been() -> None:
    book, other = Book(), Book()
    _play(book, range(1, 10), random.Random(5))
    book.rewind(4)
    _play(other, range(1, 5), random.Random(5))
    assert book.mistakes() == other.mistakes()
    again, straight = _play(book, range(5, 9), random.Random(9)), _play(other, range(5, 9), random.Random(9))
    assert again == straight


def test_a_lost_book_is_made_again_from_the_events_of_its_steps() -> None:
    book, made = Book(), Book()
    _play(book, range(1, 10), random.Random(2))
    for step in range(1, 10):
        made.restore(step, book.events(step))
    assert made.mistakes() == book.mistakes()
    assert made.recall("q1") == book.recall("q1")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(
            st.tuples(st.sampled_from("qr"), st.sets(st.sampled_from("abc")), st.sets(st.sampled_from("abc"))),
            max_size=5,
        ),
        max_size=5,
    )
)
def test_the_counters_follow_the_formula(steps: list[list[tuple[str, set[str], set[str]]]]) -> None:
    book = Book()
    expected: dict[tuple[str, str], int] = {}
    for step, candidates in enumerate(steps, 1):
        book.record(
            step,
            [
                duel(q, [(t, FAILED) for t in failed], history=[(t, PASSED) for t in passed])
                for q, passed, failed in candidates
            ],
        )
        for question in "qr":
            for test in "abc":
                passes = sum(q == question and test in passed for q, passed, _ in candidates)
                failures = sum(q == question and test in failed for q, _, failed in candidates)
                key = (question, test)
                expected[key] = max(0, expected.get(key, 0) - passes) + failures
    assert counters(book) == {key: counter for key, counter in expected.items() if counter}


ODD = (
    "assert f('\ud800') == 1",
    "a\0b",
    "line\r\nbreak\n",
    "quote '\" \\ back",
    "\ufdd0d800",
    "é漢\U0001f600",
    "9" * 5000,
)


def test_sources_come_back_byte_for_byte_after_a_restart(tmp_path: Path) -> None:
    with Book(tmp_path / "b.duckdb") as book:
        book.record(1, [duel("q\udfff", [(source, FAILED) for source in ODD])])
        events = book.events(1)
    with Book(tmp_path / "b.duckdb") as book:
        assert set(book.recall("q\udfff", 99)) == set(ODD)
        assert book.events(1) == events
        assert {mistake.source for mistake in book.after(1)} == set(ODD)


def test_a_book_of_version_0_is_migrated_with_its_counters_and_its_order(tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    with duckdb.connect(str(path)) as old:
        old.execute("CREATE TABLE mistakes (question VARCHAR, source VARCHAR, counter INTEGER, entered INTEGER)")
        old.execute(
            "INSERT INTO mistakes VALUES ('q', 'young', 2, 9), ('q', 'old', 2, 3), ('q', 'top', 5, 9), ('r', 'x', 1, 4)"
        )
    with Book(path) as book:
        assert counters(book) == {("q", "young"): 2, ("q", "old"): 2, ("q", "top"): 5, ("r", "x"): 1}
        assert book.recall("q") == ("top", "old", "young")
        book.record(10, [duel("q", history=[("young", PASSED)]), duel("q", history=[("young", PASSED)])])
        assert book.recall("q") == ("top", "old")
    with Book(path) as book:  # migrated once, not again
        assert book.recall("q") == ("top", "old")
        book.rewind(0)
        assert book.recall("q") == ("top", "old", "young")


def test_a_book_of_a_newer_version_is_refused_with_both_versions(tmp_path: Path) -> None:
    path = tmp_path / "new.duckdb"
    Book(path).close()
    with duckdb.connect(str(path)) as newer:
        newer.execute("UPDATE schema_version SET version = 99")
    with pytest.raises(RunError, match=r"schema version 99.*up to 1.*Update a1kit"):
        Book(path)


def test_a_file_that_is_no_book_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"not a database at all" * 500)
    with pytest.raises(RunError, match="is not a Mistake Book"):
        Book(tmp_path / "text")
    with duckdb.connect(str(tmp_path / "other.duckdb")) as other:
        other.execute("CREATE TABLE sales (amount INTEGER)")
    with pytest.raises(RunError, match=r"not a Mistake Book.*sales"):
        Book(tmp_path / "other.duckdb")


def test_a_book_that_another_process_holds_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "held.duckdb"
    program = f"import duckdb; c = duckdb.connect({str(path)!r}); print('open', flush=True); input()"
    holder = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "open\n"
        with pytest.raises(RunError, match=r"open in another process.*a1kit export"):
            Book(path)
    finally:
        holder.communicate("\n", timeout=30)


def _play(book: Book, steps: Sequence[int] | range, source: random.Random) -> list[int]:
    """Random steps over three questions, replaying what the book recalls; the sizes after each."""
    sizes = []
    for step in steps:
        duels = []
        for question in ("q0", "q1", "q2"):
            recalled = book.recall(question, 4)
            for _ in range(3):
                history = [(test, source.choice([PASSED, FAILED])) for test in recalled]
                new = [(f"t{source.randrange(12)}", source.choice([PASSED, FAILED])) for _ in range(4)]
                duels.append(duel(question, new, history=history))
        sizes.append(book.record(step, duels).size)
    return sizes
