"""The micro world: 336 small questions whose compositions a model of under a million parameters can learn.

A question is a filter, a map and a reduction over a list of integers, asked in English:

    Write f(xs): take the even numbers in xs, double each one and return the largest. If there are none, return -1.

8 filters x 6 maps x 7 reductions make 336 questions. 240 are for training (warm-up and reinforcement learning), 96
are held out; the split is fixed. Every filter, map and reduction occurs in training, the held-out *compositions* do
not, so doing better on them is generalisation.

Each part has one right text and a few wrong ones with weights; the warm-up of the Code LLM imitates programs drawn
with these weights. For six parts (`positive`, `at_most_3`, `absolute`, `largest`, `distinct`, `last`) the most likely
single text is a wrong one. Without that, greedy decoding would be right from the start, and reinforcement learning
would only have to sharpen what the model already prefers.

Everything here is pure and seeded. Programs are built from this module's own texts; `evaluate` runs such texts in
this process and must never be given anything a model wrote.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from a1kit.problems.sets import ProblemSet
from a1kit.problems.worlds import Buggy
from a1kit.types import Question

ENTRY_POINT = "f"
TRAIN_SIZE = 240
SPLIT_SEED = 0
LOOP_SHARE = 0.35
"""Share of drawn programs that filter with a `for` loop instead of a comprehension."""

GOLDEN_INPUTS: tuple[tuple[int, ...], ...] = (
    (),
    (0,),
    (3,),
    (-3,),
    (4, 1, 7),
    (5, 5, 2),
    (-2, -6, -1),
    (0, 3, -3, 6),
    (8, -8, 8),
    (3, 0, 9),
    (-5, -5, 0),
    (2, 3, 3, 1),
    (-3, 6, -8, 4),
    (9, 2),
    (2, 9),
    (-7, 3),
    (7, 9, -1, -1),
    (0, 0),
    (1, 2, 3, 4),
    (-8, 8, 2),
    (-9, -2),
    (6, -6, 6),
    (9, 3, 0, -2),
    (-6, -1),
)
"""Inputs of the golden tests: empty, single, boundaries (0 and 3), repeats, all negative, order both ways."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to write a part. `text` is a condition, an expression, or the end of the function."""

    name: str
    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class Part:
    """A filter, map or reduction: its English phrase and its variants, the right one first."""

    name: str
    phrase: str
    variants: tuple[Variant, ...]
    needs_default: bool = False


def _part(name: str, phrase: str, *variants: tuple[str, str, float], needs_default: bool = False) -> Part:
    return Part(name, phrase, tuple(Variant(*variant) for variant in variants), needs_default)


FILTERS: tuple[Part, ...] = (
    _part("all", "numbers", ("right", "", 0.95), ("drops-zero", "x != 0", 0.05)),
    _part("even", "even numbers", ("right", "x % 2 == 0", 0.88), ("drops-negative", "x > 0 and x % 2 == 0", 0.12)),
    _part("odd", "odd numbers", ("right", "x % 2 == 1", 0.88), ("drops-negative", "x > 0 and x % 2 == 1", 0.12)),
    _part("positive", "positive numbers", ("right", "x > 0", 0.36), ("keeps-zero", "x >= 0", 0.64)),
    _part("negative", "negative numbers", ("right", "x < 0", 0.85), ("keeps-zero", "x <= 0", 0.15)),
    _part("above_3", "numbers greater than 3", ("right", "x > 3", 0.88), ("keeps-3", "x >= 3", 0.12)),
    _part("at_most_3", "numbers that are at most 3", ("right", "x <= 3", 0.36), ("drops-3", "x < 3", 0.64)),
    _part("not_negative", "numbers that are not negative", ("right", "x >= 0", 0.88), ("drops-zero", "x > 0", 0.12)),
)

MAPS: tuple[Part, ...] = (
    _part("same", "", ("right", "x", 0.92), ("absolute", "abs(x)", 0.08)),
    _part("double", "double each one", ("right", "x * 2", 0.92), ("squares", "x * x", 0.08)),
    _part("square", "square each one", ("right", "x * x", 0.92), ("doubles", "x * 2", 0.08)),
    _part("absolute", "take absolute values", ("right", "abs(x)", 0.40), ("keeps-sign", "x", 0.60)),
    _part("add_1", "add 1 to each one", ("right", "x + 1", 0.92), ("adds-nothing", "x", 0.08)),
    _part("negate", "negate each one", ("right", "-x", 0.92), ("keeps-sign", "x", 0.08)),
)

_GUARD = "    if not ys:\n        return {default}\n"


def _ends(expression: str) -> str:
    return f"    return {expression}"


def _from_zero(sign: str) -> str:
    return f"    r = 0\n    for y in ys:\n        if y {sign} r:\n            r = y\n    return r"


REDUCTIONS: tuple[Part, ...] = (
    _part(
        "sum",
        "the sum",
        ("right", _ends("sum(ys)"), 0.82),
        ("distinct-only", _ends("sum(set(ys))"), 0.10),
        ("skips-first", _ends("sum(ys[1:])"), 0.08),
    ),
    _part(
        "largest",
        "the largest",
        ("right", _GUARD + _ends("max(ys)"), 0.36),
        ("no-guard", _ends("max(ys)"), 0.49),
        ("starts-at-zero", _from_zero(">"), 0.15),
        needs_default=True,
    ),
    _part(
        "smallest",
        "the smallest",
        ("right", _GUARD + _ends("min(ys)"), 0.72),
        ("no-guard", _ends("min(ys)"), 0.14),
        ("starts-at-zero", _from_zero("<"), 0.14),
        needs_default=True,
    ),
    _part(
        "distinct",
        "how many different values there are",
        ("right", _ends("len(set(ys))"), 0.36),
        ("counts-repeats", _ends("len(ys)"), 0.64),
    ),
    _part(
        "first",
        "the first one",
        ("right", _GUARD + _ends("ys[0]"), 0.75),
        ("no-guard", _ends("ys[0]"), 0.13),
        ("takes-last", _GUARD + _ends("ys[-1]"), 0.12),
        needs_default=True,
    ),
    _part(
        "last",
        "the last one",
        ("right", _GUARD + _ends("ys[-1]"), 0.36),
        ("no-guard", _ends("ys[-1]"), 0.54),
        ("takes-first", _GUARD + _ends("ys[0]"), 0.10),
        needs_default=True,
    ),
    _part(
        "spread",
        "the largest minus the smallest",
        ("right", _GUARD + _ends("max(ys) - min(ys)"), 0.75),
        ("no-guard", _ends("max(ys) - min(ys)"), 0.15),
        ("last-minus-first", _GUARD + _ends("ys[-1] - ys[0]"), 0.10),
        needs_default=True,
    ),
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """One composition. `default` is what an empty selection gives, where the reduction needs that to be said."""

    filter: Part
    map: Part
    reduction: Part
    default: int

    @property
    def id(self) -> str:
        return f"micro/{self.filter.name}-{self.map.name}-{self.reduction.name}"


@dataclass(frozen=True, slots=True)
class Choice:
    """Which variant of each part a program uses; 0 is the right one."""

    filter: int = 0
    map: int = 0
    reduction: int = 0


RIGHT = Choice()


@cache
def recipes() -> tuple[Recipe, ...]:
    """All 336 compositions, in a fixed order. Defaults alternate between 0 and -1 so that they cannot be guessed."""
    found = []
    for index, (selection, change, reduction) in enumerate(itertools.product(FILTERS, MAPS, REDUCTIONS)):
        default = -((index * 7 + index // 7 * 3) % 2) if reduction.needs_default else 0
        found.append(Recipe(selection, change, reduction, default))
    return tuple(found)


@cache
def split() -> tuple[tuple[Recipe, ...], tuple[Recipe, ...]]:
    """The fixed split: 240 compositions for training, 96 held out."""
    shuffled = list(recipes())
    random.Random(SPLIT_SEED).shuffle(shuffled)
    return tuple(shuffled[:TRAIN_SIZE]), tuple(shuffled[TRAIN_SIZE:])


def describe(recipe: Recipe) -> str:
    """The question in English."""
    change = f", {recipe.map.phrase}" if recipe.map.phrase else ""
    text = f"Write f(xs): take the {recipe.filter.phrase} in xs{change} and return {recipe.reduction.phrase}."
    if recipe.reduction.needs_default:
        text += f" If there are none, return {recipe.default}."
    return text


def program(recipe: Recipe, choice: Choice = RIGHT, *, loop: bool = False) -> str:
    """The source of `f` with the chosen variants, as a comprehension or as a loop; no line end after the last line."""
    condition = recipe.filter.variants[choice.filter].text
    value = recipe.map.variants[choice.map].text
    end = recipe.reduction.variants[choice.reduction].text.format(default=recipe.default)
    if not loop:
        test = f" if {condition}" if condition else ""
        return f"def f(xs):\n    ys = [{value} for x in xs{test}]\n{end}"
    head = "def f(xs):\n    ys = []\n    for x in xs:\n"
    if condition:
        return f"{head}        if {condition}:\n            ys.append({value})\n{end}"
    return f"{head}        ys.append({value})\n{end}"


def draw_program(recipe: Recipe, rng: random.Random) -> str:
    """A program as the micro world's people write it: each part drawn by its weights, so often wrong."""
    picks = [
        rng.choices(range(len(part.variants)), [variant.weight for variant in part.variants])[0]
        for part in (recipe.filter, recipe.map, recipe.reduction)
    ]
    return program(recipe, Choice(*picks), loop=rng.random() < LOOP_SHARE)


@cache
def _compiled(code: str) -> Callable[[list[int]], Any]:
    namespace: dict[str, Any] = {}
    exec(compile(code, "<micro>", "exec"), namespace)
    function: Callable[[list[int]], Any] = namespace[ENTRY_POINT]
    return function


@cache
def evaluate(code: str, xs: tuple[int, ...]) -> int | None:
    """What a program of this module's own making returns for `xs`; None when it raises.

    Only for texts that `program` built: this runs in the current process.
    """
    try:
        return int(_compiled(code)(list(xs)))
    except (ValueError, IndexError):
        return None


def is_exposed(recipe: Recipe, code: str) -> bool:
    """Whether the golden inputs tell `code` from the reference."""
    reference = program(recipe)
    return any(evaluate(code, xs) != evaluate(reference, xs) for xs in GOLDEN_INPUTS)


def to_question(recipe: Recipe) -> Question:
    """The recipe as a question with its reference and its 24 golden tests."""
    reference = program(recipe)
    golden = tuple(f"assert f({list(xs)}) == {evaluate(reference, xs)}" for xs in GOLDEN_INPUTS)
    meta = {
        "set": "micro",
        "split": "train" if recipe in set(split()[0]) else "held_out",
        "filter": recipe.filter.name,
        "map": recipe.map.name,
        "reduction": recipe.reduction.name,
        "default": recipe.default,
    }
    return Question(recipe.id, describe(recipe), ENTRY_POINT, reference, golden, meta)


@cache
def train_questions() -> tuple[Question, ...]:
    """The 240 questions of warm-up and reinforcement learning."""
    return tuple(to_question(recipe) for recipe in split()[0])


@cache
def held_out_questions() -> tuple[Question, ...]:
    """The 96 questions whose compositions no training ever sees."""
    return tuple(to_question(recipe) for recipe in split()[1])


def load() -> ProblemSet:
    """All 336 questions, with the splits `train` and `held_out`."""
    train, held_out = train_questions(), held_out_questions()
    splits = {"train": tuple(q.id for q in train), "held_out": tuple(q.id for q in held_out)}
    return ProblemSet("micro", train + held_out, splits)


def single_bugs(recipe: Recipe) -> list[tuple[str, str]]:
    """(name, source) of every program with exactly one wrong part, exposed by the golden inputs or not."""
    parts: Sequence[tuple[str, Part]] = (
        ("filter", recipe.filter),
        ("map", recipe.map),
        ("reduction", recipe.reduction),
    )
    found = []
    for slot, part in parts:
        for index, variant in enumerate(part.variants[1:], start=1):
            choice = Choice(**{slot: index})
            found.append((f"{slot}:{part.name}:{variant.name}", program(recipe, choice)))
    return found


@cache
def kill_set() -> tuple[Buggy, ...]:
    """Buggy programs on held-out questions: what the Test LLM's kill rate is measured on."""
    return tuple(
        Buggy(question, bug, code)
        for recipe, question in zip(split()[1], held_out_questions(), strict=True)
        for bug, code in single_bugs(recipe)
        if is_exposed(recipe, code)
    )
