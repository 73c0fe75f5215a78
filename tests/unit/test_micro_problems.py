"""The micro world: its size, its split, its bugs, and that everything about it is the same every time."""

from __future__ import annotations

import hashlib
import random
from collections import Counter

import pytest

from a1kit.problems import load, micro


def test_the_family_has_336_different_questions_asked_in_336_different_ways() -> None:
    questions = load("micro").questions
    assert len(questions) == 8 * 6 * 7 == 336
    assert len({question.id for question in questions}) == 336
    assert len({question.prompt for question in questions}) == 336


def test_the_split_is_240_to_96_disjoint_and_always_the_same() -> None:
    problems = load("micro")
    train, held_out = set(problems.splits["train"]), set(problems.splits["held_out"])
    assert (len(train), len(held_out)) == (240, 96)
    assert not train & held_out
    digest = hashlib.sha256("\n".join(sorted(held_out)).encode()).hexdigest()[:16]
    assert digest == "cb1a34a495a54c03"


def test_held_out_compositions_are_made_of_parts_that_training_shows() -> None:
    train, held_out = micro.split()
    for part in ("filter", "map", "reduction"):
        shown = Counter(getattr(recipe, part).name for recipe in train)
        assert {getattr(recipe, part).name for recipe in held_out} <= set(shown)
        assert min(shown.values()) >= 20


def test_the_split_of_a_question_is_in_its_meta() -> None:
    problems = load("micro")
    for name, ids in problems.splits.items():
        assert {problems[identity].meta["split"] for identity in ids[:5]} == {name}


def test_a_question_that_can_meet_an_empty_selection_says_what_to_return() -> None:
    for recipe in micro.recipes():
        says = f"If there are none, return {recipe.default}." in micro.describe(recipe)
        assert says == recipe.reduction.needs_default
        reference = micro.program(recipe)
        if recipe.reduction.needs_default:
            assert micro.evaluate(reference, ()) == recipe.default
    defaults = Counter(recipe.default for recipe in micro.recipes() if recipe.reduction.needs_default)
    assert set(defaults) == {0, -1}
    assert min(defaults.values()) > 80


def test_every_golden_test_passes_on_its_reference() -> None:
    for question in load("micro").questions[::7]:
        namespace: dict[str, object] = {}
        exec(question.reference, namespace)
        assert len(question.golden) == 24
        for test in question.golden:
            exec(test, namespace)


def test_the_comprehension_and_the_loop_are_the_same_program() -> None:
    for recipe in micro.recipes()[::5]:
        for xs in micro.GOLDEN_INPUTS:
            assert micro.evaluate(micro.program(recipe, loop=True), xs) == micro.evaluate(micro.program(recipe), xs)


@pytest.mark.parametrize(
    ("question", "choice", "xs", "right", "wrong"),
    [
        ("micro/positive-same-sum", micro.Choice(filter=1), (0, 0), 0, 0),
        ("micro/positive-same-distinct", micro.Choice(filter=1), (0, 2), 1, 2),
        ("micro/all-same-largest", micro.Choice(reduction=1), (), None, None),
        ("micro/all-square-spread", micro.Choice(map=1), (1, 3), 8, 4),
    ],
)
def test_a_bug_changes_what_it_says_it_changes(
    question: str, choice: micro.Choice, xs: tuple[int, ...], right: int | None, wrong: int | None
) -> None:
    (recipe,) = (recipe for recipe in micro.recipes() if recipe.id == question)
    expected = recipe.default if right is None else right
    assert micro.evaluate(micro.program(recipe), xs) == expected
    assert micro.evaluate(micro.program(recipe, choice), xs) == wrong


def test_the_weights_of_a_part_add_up_and_its_first_variant_is_right() -> None:
    for part in (*micro.FILTERS, *micro.MAPS, *micro.REDUCTIONS):
        assert sum(variant.weight for variant in part.variants) == pytest.approx(1.0)
        assert part.variants[0].name == "right"


def test_for_six_parts_the_likeliest_single_text_is_wrong() -> None:
    parts = (*micro.FILTERS, *micro.MAPS, *micro.REDUCTIONS)
    wrong = [part.name for part in parts if max(part.variants, key=lambda v: v.weight) is not part.variants[0]]
    assert wrong == ["positive", "at_most_3", "absolute", "largest", "distinct", "last"]


def test_drawn_programs_are_right_two_times_in_five() -> None:
    rng = random.Random(0)
    train, held_out = micro.split()
    for recipes in (train, held_out):
        drawn = [(recipe, micro.draw_program(recipe, rng)) for recipe in recipes for _ in range(20)]
        right = sum(not micro.is_exposed(recipe, code) for recipe, code in drawn) / len(drawn)
        assert 0.36 < right < 0.48


def test_every_program_of_the_kill_set_fails_a_golden_test_and_is_about_a_held_out_question() -> None:
    held_out = {question.id for question in micro.held_out_questions()}
    assert len(micro.kill_set()) == 339
    for buggy in micro.kill_set():
        assert buggy.question.id in held_out
        shown = [micro.evaluate(buggy.code, xs) for xs in micro.GOLDEN_INPUTS]
        right = [micro.evaluate(buggy.question.reference, xs) for xs in micro.GOLDEN_INPUTS]
        assert shown != right


def test_the_kill_set_leaves_out_bugs_that_change_nothing() -> None:
    recipe = next(r for r in micro.recipes() if r.id == "micro/positive-absolute-sum")
    hidden = {name for name, code in micro.single_bugs(recipe) if not micro.is_exposed(recipe, code)}
    assert hidden == {"filter:positive:keeps-zero", "map:absolute:keeps-sign"}


def test_the_same_seed_draws_the_same_programs() -> None:
    recipe = micro.recipes()[0]
    first, second = (
        [micro.draw_program(recipe, rng) for _ in range(20)] for rng in (random.Random(3), random.Random(3))
    )
    assert first == second
