"""The Mistake Book as HTML: its tests as a table, the life line of one, the hardest questions, the rows of a query.

Escaped with the same care as everything in `a1kit_app.render`, which has the rules. Links are addresses on this page
(`?run=…&step=…`), made of numbers and percent-encoded names.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from a1kit.store.book import Change
from a1kit.store.index import Asked, BookTest, Move, Page, Totals
from a1kit.store.queries import Result
from a1kit_app.render import MARKS, code, escape, note, tiles

LONGEST_TEST = 160
"""Characters of a test in a row of the table; opening it shows all."""

CHANGES = {
    Change.ENTERED: ("+", "entered the book: the first candidate failed it"),
    Change.FAILED: ("✗", "failed it as a new test: one more"),
    Change.PASSED: ("✓", "passed it when it was replayed: one less"),
    Change.MASTERED: ("★", "passed it, and the count reached 0: mastered"),
}

_NOTHING = "No test of the book fits these filters."
_EMPTY = "The Mistake Book is empty up to this step: no candidate has failed a test yet."


def totals(sums: Totals, step: int, last: int) -> str:
    """The size of the book after a step."""
    when = "now" if step >= last else "of the past"
    return tiles(
        [
            (f"step ({when})", f"{step:,} of {last:,}"),
            ("tests alive", f"{sums.alive:,}"),
            ("tests mastered", f"{sums.mastered:,}"),
            ("questions with living tests", f"{sums.questions:,}"),
        ]
    )


def table(page: Page, opened: int | None, *, empty_book: bool = False) -> str:
    """The tests of a page, one a row; the test itself is the button that opens it (`data-life`)."""
    if not page.tests:
        return note(_EMPTY if empty_book else _NOTHING)
    head = _heads("test", "question", "count", "age", "state", "entered", "failed", "passed", "failed by")
    body = "".join(_row(test, test.life == opened) for test in page.tests)
    return _region("tests of the Mistake Book", f"<table class='a1-table a1-book'>{head}<tbody>{body}</tbody></table>")


def _row(test: BookTest, opened: bool) -> str:
    numbers = (test.entered, test.failures, test.passes)
    return (
        f"<tr{' class=a1-opened' if opened else ''}>"
        f'<td><button type="button" class="a1-test" data-life="{test.life}" aria-expanded="{str(opened).lower()}" '
        f'title="open the life of this test">{escape(_line(test.source), LONGEST_TEST)}</button></td>'
        f"<td data-name='question'>{escape(test.question, 200)}</td>"
        f"<td class='a1-number' data-name='count'>{test.counter:,}</td>"
        f"<td class='a1-number' data-name='age'>{test.age:,}</td>"
        f"<td data-name='state'><span class='a1-state a1-is-{test.state}'>{test.state}</span></td>"
        + "".join(f"<td class='a1-number a1-wide'>{number:,}</td>" for number in numbers)
        + f"<td class='a1-wide'>{_kinds(test)}</td></tr>"
    )


def _line(source: str) -> str:
    """A test as one line: what comes after the first line is hinted at."""
    first, _, rest = source.strip().partition("\n")
    return f"{first} ⏎ …" if rest else first


def _kinds(test: BookTest) -> str:
    if not test.kinds:
        return "<span class='a1-quiet'>not recorded</span>"
    return ", ".join(f"<span title='{MARKS[kind][1]}'>{MARKS[kind][0]} {kind.value}</span>" for kind in test.kinds)


def pager(start: int, count: int, total: int) -> str:
    """Which tests the table shows."""
    if not total:
        return "<p class='a1-quiet' role='status'>no tests</p>"
    last = min(start + count, total)
    return f"<p class='a1-quiet' role='status'>tests {start + 1:,} to {last:,} of {total:,}</p>"


def life(test: BookTest, moves: Sequence[Move], lives: Sequence[tuple[int, int]], run: str) -> str:
    """The life line of a test: how it entered, who moved its count, how it left; each move a link to its duel."""
    told = f"Entered at step {test.entered}, failed {_times(test.failures)}, passed {_times(test.passes)}. "
    if test.mastered is not None:
        told += f"Mastered at step {test.mastered}, after {test.age} steps."
    else:
        told += f"Still alive after {test.age} steps, count {test.counter}."
    places = [number for number, _ in lives]
    if len(places) > 1:
        others = ", ".join(str(step) for number, step in lives if number != test.life)
        told += f" This is life {places.index(test.life) + 1} of {len(places)}: it also entered at step {others}."
    shown = moves if len(moves) <= LONGEST_LIFE else [*moves[: LONGEST_LIFE // 2], *moves[-LONGEST_LIFE // 2 :]]
    rows = "".join(_move(move, test.question, run) for move in shown)
    left_out = (
        f"<p class='a1-quiet'>{len(moves) - len(shown):,} moves in the middle are left out.</p>"
        if shown != moves
        else ""
    )
    head = _heads("step", "candidate", "what happened", "verdict", "count after")
    return (
        f"{code(test.source, 'the opened test')}<p>{escape(test.question, 200)}. {escape(told)}</p>{left_out}"
        + _region("life line", f"<table class='a1-table'>{head}<tbody>{rows}</tbody></table>", tall=False)
    )


LONGEST_LIFE = 100
"""Moves of a life line that are listed; of a longer one the first and the last."""


def _move(move: Move, question: str, run: str) -> str:
    sign, words = CHANGES[move.change]
    verdict = " ".join(MARKS[move.outcome]) if move.outcome else "not recorded"
    address = link(run, move.step, question, move.candidate)
    return (
        f"<tr><td class='a1-number'>{move.step}</td>"
        f"<td class='a1-together'><a href='{address}'>candidate {move.candidate}</a></td>"
        f"<td>{sign} {words}</td><td>{escape(verdict)}</td><td class='a1-number'>{move.counter}</td></tr>"
    )


def link(run: str, step: int, question: str, candidate: int) -> str:
    """The address on this page of one duel."""
    return (
        f"?run={quote(run, safe='')}&amp;step={step}&amp;question={quote(question, safe='')}&amp;candidate={candidate}"
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def hardest(asked: Sequence[Asked]) -> str:
    """Questions by how few of their new tests candidates pass."""
    if not asked:
        return note("No question fits, or none has been asked up to this step.")
    rows = "".join(
        f"<tr><th scope='row'>{escape(one.question, 200)}</th>"
        f"<td class='a1-number'>{'–' if one.pass_new is None else f'{one.pass_new:.0%}'}</td>"
        f"<td class='a1-number'>{one.solved:.0%}</td><td class='a1-number'>{one.alive:,}</td>"
        f"<td class='a1-number'>{one.weight:,}</td><td class='a1-number'>{one.times:,}</td></tr>"
        for one in asked
    )
    head = _heads("question", "new tests passed", "candidates with all passed", "alive", "sum of counts", "asked")
    return _region("hardest questions", f"<table class='a1-table'>{head}<tbody>{rows}</tbody></table>")


def result(answer: Result, limit: int) -> str:
    """The rows of a query."""
    if not answer.columns:
        return note("The query has no columns.")
    rows = "".join(
        "<tr>" + "".join(f"<td{_number(value)}>{_cell(value)}</td>" for value in row) + "</tr>" for row in answer.rows
    )
    more = f"the first {limit} rows; there are more" if answer.cut else f"{len(answer.rows)} rows"
    return f"<p class='a1-quiet' role='status'>{more}</p>" + _region(
        "rows of the query", f"<table class='a1-table'>{_heads(*answer.columns)}<tbody>{rows}</tbody></table>"
    )


def _number(value: object) -> str:
    return " class='a1-number'" if isinstance(value, (int, float)) and not isinstance(value, bool) else ""


def _cell(value: object) -> str:
    if value is None:
        return "<span class='a1-quiet'>null</span>"
    if isinstance(value, float):
        return f"{value:.6g}"
    return escape(str(value), 500)


def _heads(*names: str) -> str:
    wide = {"entered", "failed", "passed", "failed by"}
    cells = "".join(
        f"<th scope='col'{' class=a1-wide' if name in wide else ''}>{escape(name, 80)}</th>" for name in names
    )
    return f"<thead><tr>{cells}</tr></thead>"


def _region(label: str, body: str, *, tall: bool = True) -> str:
    """A part that scrolls by itself, sideways and (unless `tall`) down."""
    classes = "a1-scroll" if tall else "a1-scroll a1-tall"
    return f'<div class="{classes}" tabindex="0" role="region" aria-label="{label}">{body}</div>'
