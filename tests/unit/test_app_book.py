"""The Mistake Book and the duels of the inspector: escaped, filled from the run, steady when it moves or goes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from a1kit.errors import InputError
from a1kit.presets import preset
from a1kit.store.book import Book, Change
from a1kit.store.export import Format, read_export
from a1kit.store.index import Asked, BookTest, Choice, Move, Page, Totals
from a1kit.store.queries import Result
from a1kit.store.run_log import BOOK, RunLog, read_status
from a1kit.types import Outcome
from a1kit_bench.synthetic import synthetic_step

pytest.importorskip("gradio", reason="needs the extra `app`")

from a1kit import figures
from a1kit_app import render, render_book
from a1kit_app.runs import Shelf
from a1kit_app.views import book, duel, overview, replay

STEPS = 4
NASTY = "<script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31mred\u202egnp.exe\x00 ${1+1} {{value}} `x` \"'&"
TAGS = ("table", "thead", "tbody", "tr", "th", "td", "button", "span", "div", "p", "pre", "code", "a", "b", "ul", "li")
LONG = "x" * 1_000_000


def hostile(text: str = NASTY) -> BookTest:
    return BookTest(7, text, text, "alive", 2, 1, 3, None, 3, 1, 4, (Outcome.RAISED,))


@pytest.mark.parametrize(
    "markup",
    [
        render_book.table(Page((hostile(),), 1), 7),
        render_book.life(hostile(), [Move(1, 0, Change.ENTERED, 1, None)], [(7, 1), (3, 0)], NASTY),
        render_book.hardest([Asked(NASTY, 1, 0.5, 0.0, 1, 1)]),
        render_book.result(Result((NASTY,), [(NASTY,), (None,), (1.5,)], False), 10),
        render_book.totals(Totals(1, 2, 3), 4, 5),
        render.legend(synthetic_step(1).duels[0]),
    ],
)
def test_hostile_text_is_shown_as_text(markup: str) -> None:
    tags = set(re.findall(r"<\s*/?\s*([a-zA-Z]+)", markup))
    assert tags <= {*TAGS}
    assert not re.search(r"<[^>]*\son\w+=", markup)
    assert not set("\x1b\u202e\x00") & set(markup)
    assert "${" not in markup
    assert "{{" not in markup


def test_a_link_leads_to_this_page_whatever_a_question_is_called() -> None:
    address = render_book.link("a/../b", 3, "javascript:alert('1')&x=<y>", 1)
    assert (
        address
        == "?run=a%2F..%2Fb&amp;step=3&amp;question=javascript%3Aalert%28%271%27%29%26x%3D%3Cy%3E&amp;candidate=1"
    )


def test_a_megabyte_line_is_cut_in_the_table_and_when_opened() -> None:
    assert len(render_book.table(Page((hostile(LONG),), 1), None)) < 3_000
    assert len(render_book.life(hostile(LONG), [], [(7, 1)], "run")) < 3_000
    assert len(render_book.result(Result(("a",), [(LONG,)], False), 10)) < 2_000


def test_a_long_life_line_shows_its_two_ends_and_says_what_is_left_out() -> None:
    moves = [Move(step, 0, Change.FAILED, step, Outcome.WRONG) for step in range(1, 1001)]
    markup = render_book.life(hostile("f"), moves, [(7, 1)], "run")
    assert "900 moves in the middle are left out" in markup
    assert markup.count("<tr>") == 101


class Written:
    """A folder of runs with one run of synthetic steps."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.log = RunLog.create(root / "first", preset("micro").to_dict())
        self.book = Book(root / "first" / BOOK)
        self.done = 0
        self.add(STEPS)

    def add(self, steps: int) -> None:
        for _ in range(steps):
            self.done += 1
            record = synthetic_step(self.done, questions=2, pool=3, calls=12, history=self.book.recall)
            self.log.write_step(record, self.book.record(self.done, record.duels).events)


@pytest.fixture
def run(tmp_path: Path) -> Written:
    return Written(tmp_path / "runs")


@pytest.fixture
def shelf(run: Written) -> Shelf:
    return Shelf(run.root)


def filled(shelf: Shelf) -> book.Place:
    place = book.show(shelf, book.Place(), False, book.Asked())[0]
    assert isinstance(place, book.Place)
    return place


NOW = book.Asked(step=STEPS)


def test_the_view_opens_on_the_newest_run_and_shows_its_living_tests(run: Written, shelf: Shelf) -> None:
    place, table, pager, chosen, slider, sums, *_ = book.show(shelf, book.Place(), False, book.Asked())
    assert (place.run, place.last) == ("first", STEPS)
    assert chosen["value"] == "first"
    assert slider["maximum"] == STEPS
    assert f"of {len(run.book):,}" in pager
    assert f"<b>{len(run.book):,}</b>" in sums
    assert table.count("data-life") == min(25, len(run.book))


def test_filters_combine_and_their_absence_is_explained(shelf: Shelf) -> None:
    place = filled(shelf)
    _, table, pager = book.listed(shelf, place, book.Asked(step=STEPS, text="nothing like this"))
    assert "No test of the book fits" in table
    assert "no tests" in pager
    _, table, _ = book.listed(shelf, place, book.Asked(step=STEPS, state="mastered", kinds=["wrong"]))
    assert "a1-is-mastered" in table
    assert "a1-is-alive" not in table


def test_turning_pages_stops_at_the_last(shelf: Shelf) -> None:
    place, _, pager = book.listed(shelf, book.Place("first", start=10_000, last=STEPS), book.Asked(step=STEPS))
    total = int(pager.split(" of ")[1].split("<")[0])
    assert place.start == (total - 1) // 25 * 25


def test_the_book_of_the_past_is_the_book_it_was(run: Written, shelf: Shelf) -> None:
    place = filled(shelf)
    _, _, pager, _, _, sums, *_ = book.show(shelf, place, False, book.Asked(step=2), moving=True)
    assert f"of {len(run.book.after(2))}<" in pager
    assert "of the past" in sums


def test_an_open_test_shows_its_life_with_links_to_its_duels(run: Written, shelf: Shelf) -> None:
    index = shelf.index("first")
    test = max(index.page(Choice(), count=1000).tests, key=lambda test: test.failures)
    markup, figure = book.life(shelf, book.Place("first", life=test.life, last=STEPS), False, NOW)
    for move in index.moves(test.life):
        assert f"step={move.step}&amp;question=" in markup
    assert figure["value"].data[0].y[-1] == test.counter


def test_following_sends_nothing_until_a_step_is_done_and_then_the_new_book(run: Written, shelf: Shelf) -> None:
    place = filled(shelf)
    assert all(update == book.gr.skip() for update in book.follow(shelf, place, False, NOW))
    run.add(1)
    later, _, pager, *_ = book.follow(shelf, place, False, NOW)
    assert (later.last, later.version > place.version) == (STEPS + 1, True)
    assert f"of {len(run.book):,}" in pager


def test_a_look_at_the_past_stays_where_it_is_when_the_run_goes_on(run: Written, shelf: Shelf) -> None:
    place = filled(shelf)
    run.add(1)
    later, table, _, _, slider, *_ = book.follow(shelf, place, False, book.Asked(step=2))
    assert later.last == STEPS + 1
    assert table == book.gr.skip()
    assert slider["maximum"] == STEPS + 1
    assert "value" not in slider


def test_a_run_deleted_while_it_is_viewed_is_said_to_be_gone(run: Written, shelf: Shelf) -> None:
    place = filled(shelf)
    shutil.rmtree(run.root / "first")
    gone = book.follow(shelf, place, False, NOW)
    assert "there is no run" in gone[1]
    assert "There is no run" in str(duel.show(shelf, duel.Place("", 1))[5])
    assert "there is no run" in duel.show(shelf, duel.Place("first", 1))[5]


@pytest.mark.parametrize("format_", Format)
def test_the_export_holds_the_tests_that_fit_the_filters(run: Written, shelf: Shelf, format_: Format) -> None:
    asked = book.Asked(step=STEPS, question="0001", least=2)
    wanted = [
        mistake.source
        for mistake in run.book.mistakes()
        if "0001" in mistake.question and mistake.counter >= 2
    ]  # fmt: skip
    path, sentence = book.write(shelf, filled(shelf), asked, format_)
    assert wanted
    assert f"{len(wanted)} tests" in sentence
    if format_ is not Format.PYTEST:
        assert sorted(test.source for test in read_export(path, format_)) == sorted(wanted)
        return
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)],
        capture_output=True, text=True, check=False, cwd=path.parent,
    )  # fmt: skip
    assert f"{len(wanted)} passed" in done.stdout, done.stdout


def test_exported_files_go_when_the_shelf_does(shelf: Shelf) -> None:
    path, _ = book.write(shelf, filled(shelf), NOW, Format.CSV)
    other, _ = book.write(shelf, filled(shelf), NOW, Format.CSV)
    assert path != other
    assert path.is_file()
    del shelf.__dict__["_exports"]
    assert not path.exists()


def test_a_query_comes_back_as_a_table_and_a_mistake_as_a_sentence(shelf: Shelf) -> None:
    try:
        assert f">{STEPS}</td>" in book.query(shelf, "first", "SELECT max(step) FROM steps")
        assert "only one SELECT" in book.query(shelf, "first", "DROP VIEW steps")
        assert "there is no run" in book.query(shelf, "../first", "SELECT 1")
    finally:
        shelf.console.close()


def test_a_link_opens_the_place_it_names_and_the_place_makes_the_same_link(shelf: Shelf) -> None:
    question = shelf.questions("first", 2)[1]
    linked = {"run": "first", "step": "2", "question": question, "candidate": "3"}
    place = duel.show(shelf, duel.from_link(shelf, linked))[0]
    assert (place.run, place.step, place.question, place.candidate) == ("first", 2, question, 3)
    assert (
        duel.replace(place, moved=True).address()
        == f"run=first&step=2&question=synthetic%2F{question[-4:]}&candidate=3"
    )
    assert place.address() == ""


@pytest.mark.parametrize("name", ["../first", "/etc", "first/../../x", "first\x00", ""])
def test_a_link_cannot_name_a_folder(shelf: Shelf, name: str) -> None:
    assert duel.from_link(shelf, {"run": name}).run == "first"
    with pytest.raises(InputError):
        shelf.folder(name)


def test_one_question_of_a_step_reads_as_in_the_whole_step(run: Written, shelf: Shelf) -> None:
    whole = shelf.step("first", 3).record
    assert shelf.questions("first", 3) == list(dict.fromkeys(duel.question.id for duel in whole.duels))
    for question in shelf.questions("first", 3):
        part = shelf.step("first", 3, question).record
        places = [place for place, duel in enumerate(whole.duels) if duel.question.id == question]
        assert part.duels == tuple(whole.duels[place] for place in places)
        assert [places[place] for place in part.selected] == [place for place in whole.selected if place in places]


def test_keys_walk_to_the_ends_and_stop(shelf: Shelf) -> None:
    place = duel.show(shelf, duel.Place("first"))[0]
    assert place.step == STEPS
    assert duel.moved(shelf, place, "step", 1).step == STEPS
    assert duel.moved(shelf, place, "step", -1).step == STEPS - 1
    assert duel.moved(shelf, place, "candidate", -1).candidate == 0
    assert duel.moved(shelf, place, "candidate", 1).candidate == 1
    assert duel.moved(shelf, place, "question", 1).question == shelf.questions("first", STEPS)[1]


def test_a_program_is_compared_with_the_step_before_that_asked_its_question(shelf: Shelf) -> None:
    question = next(
        name for name in shelf.questions("first", STEPS) if len(shelf.index("first").asked(name)) > 1
    )  # fmt: skip
    place = duel.show(shelf, duel.Place("first", STEPS, question))[0]
    steps, candidates, markup = duel.offer(shelf, place)
    earlier = [step for step in shelf.index("first").asked(question) if step < STEPS]
    assert steps["value"] == str(earlier[-1])
    assert len(candidates["choices"]) == 4
    assert f"step {earlier[-1]}, candidate 0" in markup or "the same" in markup
    assert "step 4, candidate 1 (reward" in duel.difference(shelf, place, str(STEPS), "1")


def test_following_duels_goes_to_a_new_step_only(run: Written, shelf: Shelf) -> None:
    place = duel.show(shelf, duel.Place("first"))[0]
    assert all(update == duel.gr.skip() for update in duel.follow(shelf, place))
    run.add(1)
    assert duel.follow(shelf, place)[0].step == STEPS + 1


def test_the_overview_sends_figures_when_metrics_change_and_tiles_when_the_status_does(
    run: Written, shelf: Shelf
) -> None:
    seen, _, _, *drawn = overview.show(shelf, "first")
    assert len(drawn) == len(overview.FIGURES)
    skip = overview.gr.skip()
    assert overview.show(shelf, "first", seen) == [skip] * (3 + len(drawn))
    run.log.write_status(state="running", step=STEPS, steps=9, seconds_left=3700.0)
    run.log.write_phase(STEPS + 1, "judge")
    later, _, tiles, *unchanged = overview.show(shelf, "first", seen)
    assert unchanged == [skip] * len(drawn)
    assert read_status(run.log.folder)["phase"] == "judge"
    assert f"step {STEPS + 1}: judge" in tiles
    assert "1:01:40" in tiles
    run.add(1)
    rested = overview.replace(later, cost=0.0)
    assert overview.show(shelf, "first", rested)[3] != skip
    costly = overview.replace(later, cost=1000.0)
    assert overview.show(shelf, "first", costly)[3] == skip


def test_the_overview_says_that_a_trainer_died_which_wrote_nothing_more(run: Written, shelf: Shelf) -> None:
    run.log.write_status(state="running", step=STEPS, steps=9)
    seen, _, tiles, *_ = overview.show(shelf, "first")
    assert ">running<" in tiles
    run.log.close()  # its lock goes with the process; no file changes
    after = overview.show(shelf, "first", seen)
    assert ">dead<" in after[2]
    assert overview.show(shelf, "first", after[0])[2] == overview.gr.skip()


def test_runs_are_compared_by_a_metric_and_a_missing_one_is_left_out(shelf: Shelf) -> None:
    figure = overview.compare(shelf, ["first", "gone"], "code/reward")
    assert [trace.name for trace in figure.data] == ["first"]
    assert len(figure.data[0].x) == STEPS


def test_questions_whose_labels_look_alike_have_rows_of_their_own() -> None:
    names = ["a" * 40 + "x" * 30, "b" * 40 + "x" * 30]
    trace = figures.heat_map(names, [1, 5], [[0.1, None], [None, 0.9]]).data[0]
    assert len(set(trace.y)) == 2
    assert [row[0] for row in trace.customdata] == names


def test_a_long_run_is_thinned_to_means_that_keep_the_last_step() -> None:
    rows = [{"step": step, "code/reward": float(step)} for step in range(1, 2001)]
    thin = figures.thinned(rows)
    assert len(thin) <= 240
    assert thin[-1]["step"] == 2000
    assert thin[0] == {"step": 9, "code/reward": 5.0}
    assert figures.thinned(rows[:5]) == rows[:5]


def test_watching_duels_goes_through_every_candidate_of_a_step_and_on_to_the_next(shelf: Shelf) -> None:
    scene = replay.show(shelf, replay.Scene("first", 1, shelf.questions("first", 1)[0]))[0]
    seen = []
    while scene.step == 1:
        seen.append((scene.question, scene.candidate))
        scene = replay.show(shelf, replay.next_duel(shelf, scene))[0]
    duels = shelf.step("first", 1).record.duels
    assert len(seen) == len(set(seen)) == len(duels)
    assert [name for name, _ in seen] == [duel.question.id for duel in duels]
    assert scene.step == 2 and scene.stage == 0
    last = replay.Scene("first", STEPS, shelf.questions("first", STEPS)[-1], 99)
    assert replay.next_duel(shelf, last).step == 1


def test_a_duel_to_watch_that_is_not_there_falls_back_to_one_that_is(shelf: Shelf) -> None:
    scene = replay.show(shelf, replay.Scene("first", 999, "no such question", 50))[0]
    assert scene.step == STEPS and scene.question in shelf.questions("first", STEPS)
    assert replay.next_duel(shelf, replay.Scene("gone", 1)) == replay.Scene("gone", 1)
