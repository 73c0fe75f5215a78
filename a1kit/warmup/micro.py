"""The course of the micro world.

The Code LLM ends right about two times in five, because it imitates authors who are; the Test LLM writes well-formed
suites, seven in eight of whose answers are right, with inputs that are blander than they should be. That leaves
reinforcement learning something to do on both sides.

Only training questions are used; nothing here sees a held-out composition.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from functools import partial

from transformers import PreTrainedTokenizerFast

from a1kit.problems import micro
from a1kit.warmup.course import Band, Course, Schedule, Shape, Stage
from a1kit.warmup.examples import CODE, QUESTION, TESTS, train_tokenizer

SUITE_SIZE = 4
NUMBERS = range(-64, 251)
"""Integers that are one token each: every input and answer of the micro world but the rarest."""

_PIECES = (
    r"Write f\(xs\): "  # phrases of questions,
    r"|def f\(xs\):|\n    ys = \[| for x in xs|\n    if not ys:|\n +return "  # of programs,
    r"|\n?assert f\(\[|\]\) == "  # and of tests
    r"|\n *"  # a line end with its indentation
    r"|, "
    r"| [^A-Za-z0-9\s-]+ "  # an operator with its spaces
    r"|-?[0-9]+"  # a whole integer
    r"| ?[A-Za-z]+"
    r"| ?-"
    r"|[^A-Za-z0-9\s-]+"
    r"| "
)


@dataclass(frozen=True, slots=True)
class SuiteStyle:
    """How an imitated author picks inputs and answers. All shares are probabilities of a test.

    edge        the input is an edge case (empty, zero, repeats, negatives) and not a bland one (few small positives)
    aimed       the input is one on which the shown program is wrong
    believing   the answer is what the shown program returns
    slips       the answer is off by one
    """

    edge: float
    aimed: float
    believing: float
    slips: float


def bland_input(rng: random.Random) -> tuple[int, ...]:
    """One to three different small positive numbers: what comes to mind first."""
    return tuple(rng.sample(range(1, 8), rng.choice((1, 2, 2, 3, 3))))


def edge_input(rng: random.Random) -> tuple[int, ...]:
    """Empty, or up to three numbers of either sign, often with a zero, a repeat, or all negative."""
    kind = rng.random()
    if kind < 0.2:
        return ()
    xs = [rng.randint(-6, 6) for _ in range(rng.choice((1, 2, 2, 3, 3)))]
    if kind < 0.4:
        xs[rng.randrange(len(xs))] = 0
    elif kind < 0.6 and len(xs) > 1:
        xs[1] = xs[0]
    elif kind < 0.8:
        xs = [-abs(x) for x in xs]
    return tuple(xs)


def draw_suite(recipe: micro.Recipe, code: str, rng: random.Random, size: int, style: SuiteStyle) -> str:
    """`size` different assertions about `code`, one a line. `code` must come from `micro.program`."""
    reference = micro.program(recipe)
    inputs: list[tuple[int, ...]] = []
    while len(inputs) < size:
        xs = _aimed_input(reference, code, rng) if rng.random() < style.aimed else None
        if xs is None:
            xs = edge_input(rng) if rng.random() < style.edge else bland_input(rng)
        if xs not in inputs:
            inputs.append(xs)
    return "\n".join(f"assert f({list(xs)}) == {_answer(reference, code, xs, rng, style)}" for xs in inputs)


def _aimed_input(reference: str, code: str, rng: random.Random) -> tuple[int, ...] | None:
    for _ in range(12):
        xs = edge_input(rng)
        if micro.evaluate(code, xs) != micro.evaluate(reference, xs):
            return xs
    return None


def _answer(reference: str, code: str, xs: tuple[int, ...], rng: random.Random, style: SuiteStyle) -> int:
    right = micro.evaluate(reference, xs)
    assert right is not None, f"the reference of the micro world raises on {xs}"
    kind = rng.random()
    if kind < style.believing:
        shown = micro.evaluate(code, xs)
        return right if shown is None else shown
    if kind < style.believing + style.slips:
        return right + rng.choice((-1, 1))
    return right


def tokenizer(seed: int = 0) -> PreTrainedTokenizerFast:
    """The tokenizer of the micro world, in which integers and fixed phrases are single tokens."""
    rng = random.Random(seed)
    style = SuiteStyle(edge=0.5, aimed=0.0, believing=0.0, slips=0.0)
    corpus = []
    for recipe in micro.split()[0] * 8:
        code = micro.draw_program(recipe, rng)
        corpus += [micro.describe(recipe), code, draw_suite(recipe, code, rng, SUITE_SIZE, style)]
    corpus += [str(number) for number in NUMBERS] * 3
    return train_tokenizer(_PIECES, corpus)


def write_code(rng: random.Random) -> tuple[str, str]:
    """Question -> program."""
    recipe = rng.choice(micro.split()[0])
    return QUESTION + micro.describe(recipe) + CODE, micro.draw_program(recipe, rng)


def write_tests(rng: random.Random, size: int, hidden: float, style: SuiteStyle) -> tuple[str, str]:
    """Question and program -> suite; the program is left out in a share `hidden` of the examples."""
    recipe = rng.choice(micro.split()[0])
    program = micro.draw_program(recipe, rng)
    shown = "" if rng.random() < hidden else program
    prompt = QUESTION + micro.describe(recipe) + CODE + shown + TESTS
    return prompt, draw_suite(recipe, program, rng, size, style)


_NUMBER_SCALE = 0.056
_PERIODS = (2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 16.0, 26.0, 48.0, 90.0, 170.0, 400.0)


def number_features(number: int) -> list[float]:
    """Waves, size and sign of a number."""
    waves = [
        wave
        for period in _PERIODS
        for wave in (math.cos(2 * math.pi * number / period), math.sin(2 * math.pi * number / period))
    ]
    size = math.copysign(math.log1p(abs(number)), number) / 2.5
    features = [*waves, size, number / 60, float(number > 0) - float(number < 0)]
    return [_NUMBER_SCALE * feature for feature in features]


_LEARNING = SuiteStyle(edge=0.5, aimed=0.1, believing=0.0, slips=0.0)
_CARELESS = SuiteStyle(edge=0.15, aimed=0.03, believing=0.02, slips=0.01)

COURSE = Course(
    name="micro",
    tokenizer=tokenizer,
    shape=Shape(),
    schedules={
        "code": Schedule((Stage(400, write_code),)),
        "test": Schedule(
            (
                Stage(650, partial(write_tests, size=10, hidden=0.6, style=_LEARNING)),
                Stage(150, partial(write_tests, size=SUITE_SIZE, hidden=0.3, style=_CARELESS)),
            ),
            answer_weight=3.0,
        ),
    },
    number_features=number_features,
    before_answer="]) == ",
    suite_size=SUITE_SIZE,
    max_new_tokens=64,
    questions=micro.held_out_questions,
    targets=micro.kill_set,
    bands={
        "code": {"avg@8": Band(0.37, 0.48), "greedy": Band(0.36, 0.50)},
        "test": {"validity": Band(0.80, 0.93), "kill": Band(0.50, 0.68), "quality": Band(0.42, 0.60)},
    },
)
"""Bands are drawn around one warm-up (seed 0), with room for the chance of one measurement: avg@8 of one and the same
model was .38, .43 and .44 under three sampling seeds. How far warm-ups of different seeds lie apart has not been
measured, so a value just outside calls for a look, not for an alarm."""
