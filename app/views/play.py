"""Play: write a program and let a Test LLM attack it, write the tests yourself, or watch a recorded duel step by step.

Whatever is typed here runs in the sandbox only, in turn and within limits (`a1kit_app.playroom`). Tests appear suite by
suite as they are judged. Nothing is stored: a page's score goes when the page does.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import gradio as gr

from a1kit import problems
from a1kit.errors import A1KitError, InputError
from a1kit.problems import ProblemSet
from a1kit.problems.worlds import wrong_programs
from a1kit.types import Duel, Question
from a1kit_app import game, render
from a1kit_app.opponents import RECORDED, SHIPPED, opponent, opponents
from a1kit_app.playroom import (
    CONCURRENCY,
    LONGEST_NAME,
    LONGEST_QUESTION,
    RULES,
    K,
    Playroom,
    checked_program,
    pasted_question,
)
from a1kit_app.runs import Shelf
from a1kit_app.views import replay

SETS = {"micro": "micro", "classic": "classic", "my own": ""}
MOST_SUITES = 8

_OPEN = "Open a cell to see the test, what was predicted, what is true, and what the program gave."
_CLICK = """
element.addEventListener('click', (event) => {
  const cell = event.target.closest('button[data-suite]');
  if (cell) trigger('click', {suite: Number(cell.dataset.suite), test: Number(cell.dataset.test)});
});
"""


@dataclass(frozen=True)
class Asked:
    """The components that say which question is played."""

    group: gr.Dropdown
    question: gr.Dropdown
    text: gr.Textbox
    name: gr.Textbox
    reference: gr.Code

    def inputs(self) -> list[Any]:
        return [self.group, self.question, self.text, self.name, self.reference]


@dataclass(frozen=True)
class Table:
    """The components that show a round: the duel behind them, what was said, the verdicts, the score."""

    duel: gr.State
    said: gr.HTML
    grid: gr.HTML
    story: gr.HTML
    score: gr.State
    tiles: gr.HTML
    formula: gr.HTML

    def outputs(self) -> list[Any]:
        return [self.duel, self.said, self.grid, self.story, self.score, self.tiles, self.formula]


def build(shelf: Shelf, room: Playroom, page: gr.Blocks, tab: gr.Tab) -> None:
    """Lay the view out inside the current Blocks and connect it. Lists of questions are made when the page is there;
    opponents and runs are looked for again whenever the tab is opened."""
    with gr.Tabs():
        with gr.Tab("Face the tester"):
            _write_code(shelf, room, page, tab)
        with gr.Tab("Break a program"):
            _write_tests(shelf, room, page, tab)
        with gr.Tab("Watch a duel"):
            scene, outputs = replay.build(shelf)
            tab.select(lambda at: replay.show(shelf, at), scene, outputs, show_progress="hidden")


# -- the two games -----------------------------------------------------------------------------------------------------


def _write_code(shelf: Shelf, room: Playroom, page: gr.Blocks, tab: gr.Tab) -> None:
    asked, text = _pick()
    with gr.Row():
        with gr.Column(min_width=320):
            code = gr.Code(language="python", label="your program", lines=12, max_lines=30)
            rival, count = _rival()
            go = gr.Button("Let it attack", variant="primary")
        with gr.Column(min_width=320):
            table = _table("Write a program that answers the question, then let the tester attack it.")
    _connect(asked, text, code)

    def attack(
        group: str, name: str, own: str, entry: str, reference: str, program: str, key: str, suites: float,
        score: game.Score, request: gr.Request,
    ) -> Iterator[list[Any]]:  # fmt: skip
        try:
            with room.admit(request):
                question = _question(group, name, own, entry, reference)
                checked_program(program, "your program")
                yield _waiting(
                    score, "The tester reads your program. A model is loaded first, which takes some seconds …"
                )
                duel = None
                for duel, number in _attacked(shelf, room, question, program, key, int(suites)):
                    yield _shown(duel, f"Suite {number} is judged …", score)
                if duel is None:
                    yield _waiting(score, "The tester wrote nothing. Ask again.")
                    return
                golden = room.golden(question, program) if question.golden else None
                won = game.held(duel)
                survived = sum(test.passed for test in game.played(duel.suites))
                yield _shown(duel, game.attack_sentence(duel, golden), score.after(won, survived), won)
        except A1KitError as error:
            yield _failed(score, error)

    go.click(
        attack,
        [*asked.inputs(), code, rival, count, table.score],
        table.outputs(),
        show_progress="minimal",
        show_progress_on=table.said,
        **CONCURRENCY,
    )
    page.load(lambda: _choices(next(iter(SETS))), None, [asked.question, text, code], show_progress="hidden")
    _keep_rivals(shelf, rival, page, tab)


def _write_tests(shelf: Shelf, room: Playroom, page: gr.Blocks, tab: gr.Tab) -> None:
    asked, text = _pick()
    with gr.Row():
        with gr.Column(min_width=320):
            wrong = gr.Dropdown([], label="program to break", min_width=160)
            code = gr.Code(language="python", label="the program under attack", lines=6, max_lines=20)
            tests = gr.Code(
                language="python", label=f"your tests, {K} of them (assert f(…) == …)", lines=6, max_lines=20
            )
            rival, count = _rival()
            go = gr.Button("Judge my tests against the tester's", variant="primary")
        with gr.Column(min_width=320):
            table = _table(f"Write {K} tests that are right and that this program fails. Suite 1 is yours.")
    _connect(asked, text, None, wrong, code)
    wrong.input(lambda name, number: _wrong_code(name, number), [asked.question, wrong], code, show_progress="hidden")

    def judge(
        group: str, name: str, own: str, entry: str, reference: str, program: str, suite: str, key: str, suites: float,
        score: game.Score, request: gr.Request,
    ) -> Iterator[list[Any]]:  # fmt: skip
        try:
            with room.admit(request):
                question = _question(group, name, own, entry, reference)
                checked_program(program, "the program under attack")
                checked_program(suite, "your suite")
                duel = room.duel(question, program, [suite])
                yield _shown(duel, game.break_sentence(duel), score)
                for duel, _ in _attacked(shelf, room, question, program, key, int(suites), (suite,)):
                    yield _shown(duel, game.break_sentence(duel), score)
                won = game.broke(duel)
                yield _shown(duel, game.break_sentence(duel), score.after(won), won)
        except A1KitError as error:
            yield _failed(score, error)

    go.click(
        judge,
        [*asked.inputs(), code, tests, rival, count, table.score],
        table.outputs(),
        show_progress="minimal",
        show_progress_on=table.said,
        **CONCURRENCY,
    )
    parts = [asked.question, text, wrong, code]
    page.load(lambda: _choices(next(iter(SETS)), programs=True), None, parts, show_progress="hidden")
    _keep_rivals(shelf, rival, page, tab)


def _keep_rivals(shelf: Shelf, rival: gr.Dropdown, page: gr.Blocks, tab: gr.Tab) -> None:
    page.load(lambda: _rivals(shelf, None), None, rival, show_progress="hidden")
    tab.select(lambda key: _rivals(shelf, key), rival, rival, show_progress="hidden")


def _attacked(
    shelf: Shelf, room: Playroom, question: Question, program: str, key: str, count: int, before: tuple[str, ...] = ()
) -> Iterator[tuple[Duel, int]]:
    """The duel after each suite of the opponent, and how many there are."""
    suites = list(before)
    one = opponent(shelf, key)
    seed = time.time_ns() % (1 << 31)
    count = min(max(count, 1), MOST_SUITES)
    for text in room.corner.suites(one, question, program, k=K, count=count, seed=seed):
        suites.append(text)
        yield room.duel(question, program, suites), len(suites) - len(before)


# -- components --------------------------------------------------------------------------------------------------------


def _pick() -> tuple[Asked, gr.HTML]:
    """Choose or paste a question."""
    with gr.Row():
        group = gr.Dropdown(list(SETS), value=next(iter(SETS)), label="questions", min_width=200)
        question = gr.Dropdown([], label="question", min_width=240, filterable=True)
    text = gr.HTML()
    with gr.Group(visible=False) as own:
        pasted = gr.Textbox(label="the question", lines=3, max_length=LONGEST_QUESTION)
        name = gr.Textbox(label="name of the function", max_length=LONGEST_NAME)
        reference = gr.Code(language="python", label="a solution that is right (the judge asks it)", lines=4)
    group.input(lambda words: gr.update(visible=not SETS.get(words)), group, own, show_progress="hidden")
    return Asked(group, question, pasted, name, reference), text


def _rival() -> tuple[gr.Dropdown, gr.Slider]:
    with gr.Row():
        rival = gr.Dropdown([], label="opponent", min_width=220)
        count = gr.Slider(1, MOST_SUITES, value=4, step=1, label="suites", min_width=140)
    return rival, count


def _table(invitation: str) -> Table:
    duel = gr.State(None)
    score = gr.State(game.Score())
    said = gr.HTML(render.note(invitation))
    grid = gr.HTML(js_on_load=_CLICK)
    story = gr.HTML()
    tiles = gr.HTML(render.tiles(game.Score().facts()))
    with gr.Accordion("Rewards, written out", open=False):
        formula = gr.HTML(render.note("Both rewards of the round, as the formula with its numbers, once it is played."))
    table = Table(duel, said, grid, story, score, tiles, formula)

    def opened(shown: Duel | None, event: gr.EventData) -> list[Any]:
        data = event._data if isinstance(event._data, dict) else {}
        if shown is None or not {"suite", "test"} <= data.keys():
            return [gr.skip(), gr.skip()]
        suite, test = int(data["suite"]), int(data["test"])
        if not (0 <= suite < len(shown.suites) and 0 <= test < len(shown.suites[suite].tests)):
            return [gr.skip(), gr.skip()]
        story_of = render.test_story(shown.suites[suite].tests[test])
        return [render.verdict_grid(shown, (suite, test)), story_of]

    grid.click(opened, duel, [grid, story], show_progress="hidden")
    return table


def _connect(
    asked: Asked,
    text: gr.HTML,
    code: gr.Code | None,
    wrong: gr.Dropdown | None = None,
    victim: gr.Code | None = None,
) -> None:
    """Another set or question shows its text, and a program to start from or to break."""
    if wrong is None or victim is None:
        outputs, chosen = [text, code], lambda name: _question_parts(name)
        listed = lambda words: _choices(words)  # noqa: E731
    else:
        outputs, chosen = [text, wrong, victim], lambda name: _question_parts(name, programs=True)
        listed = lambda words: _choices(words, programs=True)  # noqa: E731
    asked.group.input(listed, asked.group, [asked.question, *outputs], show_progress="hidden")
    asked.question.input(chosen, asked.question, outputs, show_progress="hidden")


# -- what they show ----------------------------------------------------------------------------------------------------


def _waiting(score: game.Score, sentence: str) -> list[Any]:
    return [None, render.note(sentence), "", "", score, gr.skip(), ""]


def _failed(score: game.Score, error: A1KitError) -> list[Any]:
    return [gr.skip(), render.note(str(error), "bad"), gr.skip(), gr.skip(), score, gr.skip(), gr.skip()]


def _shown(duel: Duel, sentence: str, score: game.Score, won: bool | None = None) -> list[Any]:
    kind = {True: "good", False: "bad", None: "info"}[won]
    return [
        duel,
        render.note(sentence, kind),
        render.verdict_grid(duel),
        render.note(_OPEN),
        score,
        render.tiles(score.facts()),
        render.rewards(duel, RULES),
    ]


def _rivals(shelf: Shelf, chosen: str | None) -> Any:
    """The list of opponents; unless one is chosen, the shipped Test LLM where it can run."""
    there = {one.key: one.label for one in opponents(shelf)}
    chosen = chosen if chosen in there else SHIPPED if SHIPPED in there else RECORDED
    return gr.update(choices=[(label, key) for key, label in there.items()], value=chosen)


def _choices(words: str, *, programs: bool = False) -> list[Any]:
    """The questions of a set, the first one chosen, and its parts."""
    name = SETS.get(words)
    if not name:
        parts = [gr.update(choices=[], value=None), ""] if programs else [""]
        return [gr.update(choices=[], value=None, visible=False), render.note(_OWN), *parts]
    ids = [question.id for question in _problems(name)]
    return [gr.update(choices=ids, value=ids[0], visible=True), *_question_parts(ids[0], programs=programs)]


_OWN = "Paste a question with a solution that is right: the judge asks it what is true."


def _question_parts(identity: str, *, programs: bool = False) -> list[Any]:
    question = _known(identity)
    shown = render.question(question)
    if not programs:
        return [shown, _stub(question)]
    wrong = _wrong(identity)
    return [shown, gr.update(choices=[f"program {n + 1}" for n in range(len(wrong))], value="program 1"), wrong[0]]


def _wrong_code(identity: str, choice: str) -> str:
    number = choice.removeprefix("program ")
    wrong = _wrong(identity)
    return wrong[int(number) - 1] if number.isdigit() and 0 < int(number) <= len(wrong) else wrong[0]


@cache
def _problems(name: str) -> ProblemSet:
    """Questions that nobody trains on, where the set has such."""
    found = problems.load(name)
    return found.split("held_out") if name == "micro" else found


def _known(identity: str) -> Question:
    """A question by its id. What a browser sends is only ever looked up, never used as a path."""
    name = identity.partition("/")[0]
    found = {question.id: question for question in _problems(name)} if name and name in SETS.values() else {}
    if identity not in found:
        raise InputError(f"there is no question {identity[:LONGEST_NAME]!r}; choose one from the list.")
    return found[identity]


@cache
def _wrong(identity: str) -> tuple[str, ...]:
    """Wrong programs for a question, without their names, which would tell what is wrong."""
    return tuple(buggy.code for buggy in wrong_programs([_known(identity)])) or (_known(identity).reference,)


def _stub(question: Question) -> str:
    """The first line of a program, to start from."""
    line = next(
        (line for line in question.reference.splitlines() if line.startswith(f"def {question.entry_point}(")), ""
    )
    return f"{line or f'def {question.entry_point}():'}\n    "


def _question(group: str, identity: str, own: str, entry: str, reference: str) -> Question:
    """The question that is played. Raises `InputError` for one that cannot be."""
    if SETS.get(group):
        if not identity:
            raise InputError("no question is chosen; choose one from the list.")
        return _known(identity)
    return pasted_question(own, entry, reference)
