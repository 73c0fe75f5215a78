"""The Mistake Book at scale: what recall and record of one step cost as the book grows.

A step is 256 questions with 8 candidates each; every candidate replays 8 tests of the book (passes half of them) and
fails 8 new ones. The book is filled to 10,000, 100,000 and 1,000,000 living tests over 10,000 questions (fewer where
that leaves a question less than the 8 tests to replay: a step is the same work at every size), and the same kind of
step is timed on each: medians, wall time, this machine.

    a1kit bench book
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from a1kit.store.book import Book
from a1kit.types import Completion, Duel, JudgedTest, Load, Outcome, Question, State, Suite, TestCase, Verdict

QUESTIONS = 10_000
STEP_QUESTIONS = 256
CANDIDATES = 8
REPLAY = 8
NEW_FAILURES = 8
SIZES = (10_000, 100_000, 1_000_000)


def run(sizes: tuple[int, ...] = SIZES, steps: int = 9, seed: int = 0) -> dict[str, Any]:
    """One row a size: living tests, milliseconds of recall and record (medians), their sum, and the growth."""
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="a1kit-book-") as folder:
            rows.append(_measure(Path(folder) / "mistakes.duckdb", size, steps, random.Random(seed)))
    for row in rows:
        row["growth"] = round(row["total_ms"] / rows[0]["total_ms"], 2)
    return {
        "benchmark": "book",
        "step": {
            "questions": STEP_QUESTIONS,
            "candidates": CANDIDATES,
            "replayed": REPLAY,
            "new failures a candidate": NEW_FAILURES,
        },
        "rows": rows,
    }


def _measure(path: Path, size: int, steps: int, source: random.Random) -> dict[str, Any]:
    with Book(path) as book:
        started = time.perf_counter()
        for number, duels in enumerate(_filling(size)):
            book.record(number, duels)
        filled = time.perf_counter() - started
        recalls, records = [], []
        for number in range(steps + 1):
            questions = source.sample(range(_questions(size)), STEP_QUESTIONS)
            started = time.perf_counter()
            history = {question: book.recall(f"question-{question}", REPLAY) for question in questions}
            recalls.append(time.perf_counter() - started)
            duels = list(_step(number, history, source))
            started = time.perf_counter()
            book.record(1_000_000 + number, duels)
            records.append(time.perf_counter() - started)
        living = len(book)
        started = time.perf_counter()
    with Book(path):
        opened = time.perf_counter() - started
    recall, record = (1000 * statistics.median(times[1:]) for times in (recalls, records))
    return {
        "tests": size,
        "living after": living,
        "recall_ms": round(recall, 2),
        "record_ms": round(record, 2),
        "total_ms": round(recall + record, 2),
        "fill_s": round(filled, 1),
        "reopen_s": round(opened, 2),
        "file_mb": round(path.stat().st_size / 1e6, 1),
    }


def _filling(size: int) -> Iterator[list[Duel]]:
    """Steps that bring `size` tests into an empty book, spread evenly over the questions."""
    questions = _questions(size)
    each = size // questions
    for start in range(0, questions, 500):
        yield [
            _duel(question, (), [f"assert f({question}, {test}) == [{test}, {test + 1}]" for test in range(each)])
            for question in range(start, min(questions, start + 500))
        ]


def _questions(size: int) -> int:
    return min(QUESTIONS, size // REPLAY)


def _step(number: int, history: dict[int, tuple[str, ...]], source: random.Random) -> Iterator[Duel]:
    for question, recalled in history.items():
        for candidate in range(CANDIDATES):
            failed = [
                f"assert f({question}, {number}, {candidate}, {source.random()}) == [{test}]"
                for test in range(NEW_FAILURES)
            ]
            yield _duel(question, recalled, failed)


def _duel(question: int, recalled: tuple[str, ...], failed: list[str]) -> Duel:
    replay = tuple(_judged(text, Outcome.PASSED if place % 2 else Outcome.WRONG) for place, text in enumerate(recalled))
    suite = Suite(Completion(""), tuple(_judged(text, Outcome.WRONG) for text in failed))
    return Duel(
        Question(f"question-{question}", "", "f", ""), Completion(""), "", Load.OK, suites=(suite,), history=replay
    )


def _judged(text: str, outcome: Outcome) -> JudgedTest:
    return JudgedTest(TestCase(text, text), State.VALID, text, verdict=Verdict(outcome))
