"""The course of the traps world.

One model learns to write programs and suites, and is what both players start from, as in the paper. As a coder it
imitates authors most of whose programs hold a trap. As a tester it can read a program, and that numbers in it are
worth a look, but not yet how much: with the code shown it finds a fault several times as often as with the code
hidden, and still misses most. Its first stage writes many tests an example, most of them aimed at the
faults of the program that is shown, which is where it learns to compare a program with a question; its later stages
write few, and aim less.

No rule of `dev` or `held_out` is seen here.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from functools import partial

from transformers import PreTrainedTokenizerFast

from a1kit.problems import micro_traps as world
from a1kit.warmup.course import Band, Course, Schedule, Shape, Stage
from a1kit.warmup.examples import CODE, QUESTION, TESTS, train_tokenizer

SUITE_SIZE = 2

_PIECES = (
    r"Return True if x is |, otherwise False\.| ?Except f\(|\n?assert f\(|\) == |def f\(x\):"
    r"|\n +if |\n +return "
    r"|[0-9]+"
    r"| ?[A-Za-z]+"
    r"| [^A-Za-z0-9\s]+ "
    r"|[^A-Za-z0-9\s]+"
    r"|\n *"
    r"| "
)


@dataclass(frozen=True, slots=True)
class SuiteStyle:
    """How an imitated author picks inputs and answers. All are probabilities of a test.

    aimed       the input is one on which the shown program is wrong
    named       the input is an exception of the question;  near  it is close to a bound;  otherwise it is any
    believing   the answer is what the shown program returns
    slips       the answer is the other one
    """

    aimed: float
    named: float = 0.1
    near: float = 0.2
    believing: float = 0.0
    slips: float = 0.0


def draw_suite(task: world.Task, code: str, rng: random.Random, size: int, style: SuiteStyle) -> str:
    """`size` different assertions about `code`, one a line. `code` must come from `world.draw_program`."""
    wrong = world.failures(task, code)
    inputs: list[int] = []
    while len(inputs) < size:
        x = _input(task, wrong, rng, style)
        if x not in inputs:
            inputs.append(x)
    return "\n".join(f"assert f({x}) == {_answer(task, code, x, rng, style)}" for x in inputs)


def _input(task: world.Task, wrong: tuple[int, ...], rng: random.Random, style: SuiteStyle) -> int:
    kind = rng.random()
    if kind < style.aimed:
        if wrong:
            return rng.choice(wrong)
    elif kind < style.aimed + style.named:
        if task.exceptions:
            return rng.choice(task.exceptions)
    elif kind < style.aimed + style.named + style.near:
        return rng.choice(task.bounds) + rng.randint(-4, 4)
    return rng.choice(world.DOMAIN)


def _answer(task: world.Task, code: str, x: int, rng: random.Random, style: SuiteStyle) -> bool:
    kind = rng.random()
    if kind < style.believing:
        return world.table(code)[x]
    return task.answer(x) != (kind < style.believing + style.slips)


def _any_task(rng: random.Random) -> world.Task:
    while True:
        task = world.draw_task(rng)
        if task.rule not in world.reserved():
            return task


def tokenizer(seed: int = 0) -> PreTrainedTokenizerFast:
    """The tokenizer of the traps world: a token a word, a number or a fixed phrase."""
    rng = random.Random(seed)
    corpus = [str(number) for number in world.DOMAIN] * 3
    for _ in range(2000):
        task = _any_task(rng)
        code = world.draw_program(task, rng).text()
        corpus += [world.describe(task), code, draw_suite(task, code, rng, 2, SuiteStyle(0.2))]
    return train_tokenizer(_PIECES, corpus)


def write_both(rng: random.Random, size: int, hidden: float, style: SuiteStyle) -> tuple[str, str]:
    """Question -> program -> suite in one text. In a share `hidden` of the examples the suite follows the question, and
    no program is written."""
    task = _any_task(rng)
    code = world.draw_program(task, rng).text()
    head = QUESTION + world.describe(task) + CODE
    if rng.random() < hidden:
        return head + TESTS, draw_suite(task, code, rng, size, replace(style, aimed=0.0, believing=0.0))
    return head, code + TESTS + draw_suite(task, code, rng, size, style)


_PERIODS = (100.0, 50.0, 25.0, 12.5, 10.0, 7.0, 5.0, 3.0)


def number_features(number: int) -> list[float]:
    """Where a number lies between 0 and 99, which is nearly all that matters here, and a few waves."""
    place = number / 50 - 1
    waves = [
        wave
        for period in _PERIODS
        for wave in (math.cos(2 * math.pi * number / period), math.sin(2 * math.pi * number / period))
    ]
    return [0.2 * place, 0.2 * math.copysign(math.sqrt(abs(place)), place), *(0.07 * wave for wave in waves)]


COURSE = Course(
    name="micro-traps",
    tokenizer=tokenizer,
    shape=Shape(width=96, layers=3, heads=4, inner=256),
    schedules={
        "both": Schedule(
            (
                Stage(6000, partial(write_both, size=3, hidden=0.2, style=SuiteStyle(0.85, 0.05, 0.05))),
                Stage(500, partial(write_both, size=SUITE_SIZE, hidden=0.3, style=SuiteStyle(0.3, slips=0.02))),
            ),
            answer_weight=5.0,
        ),
    },
    number_features=number_features,
    before_answer=") == ",
    suite_size=SUITE_SIZE,
    max_new_tokens=64,
    questions=partial(world.questions, "dev"),
    targets=partial(world.kill_set, "dev"),
    bands={
        "both": {
            "avg@8": Band(0.33, 0.50),
            "greedy": Band(0.15, 0.80),
            "validity": Band(0.75, 0.97),
            "kill": Band(0.12, 0.40),
            "kill, code hidden": Band(0.02, 0.12),
        }
    },
)
"""Bands are drawn around two warm-ups (seeds 0 and 1) with room for chance: a value just outside calls for a look.
Greedy programs are right in .50 and in .31 of the questions: whether the likeliest has a trap is a matter of a hair."""
