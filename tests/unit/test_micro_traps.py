"""The traps world: its questions, its programs, its faults, and the course of its model."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from a1kit.parsing import parse_tests
from a1kit.problems import load
from a1kit.problems import micro_traps as world
from a1kit.problems.worlds import fault_names, faults_of, wrong_programs

TASK = world.Task("between", (10, 25), (23, 60))


def test_a_question_says_its_rule_and_its_exceptions() -> None:
    assert world.describe(TASK) == (
        "Return True if x is from 10 to 25, otherwise False. Except f(23) == False. Except f(60) == True."
    )
    assert [x for x in world.DOMAIN if TASK.answer(x)] == [*range(10, 23), 24, 25, 60]


@pytest.mark.parametrize(
    ("kind", "bounds", "right"),
    [
        ("at_least", (40,), lambda x: x >= 40),
        ("below", (40,), lambda x: x < 40),
        ("between", (20, 40), lambda x: 20 <= x <= 40),
        ("outside", (20, 40), lambda x: x < 20 or x >= 40),
    ],
)
def test_references_do_what_the_question_says(kind: Any, bounds: tuple[int, ...], right: Any) -> None:
    for long in (False, True):
        task = world.Task(kind, bounds, (7,))
        text = world.right_program(task, long=long).text()
        assert list(world.table(text)) == [bool(right(x)) != (x == 7) for x in world.DOMAIN]
        assert world.failures(task, text) == ()


def test_splits_have_their_sizes_and_share_no_rule() -> None:
    problems = load("micro-traps")
    assert {name: len(ids) for name, ids in problems.splits.items()} == world.SIZES
    rules = {name: {task.rule for task in tasks} for name, tasks in world.splits().items()}
    assert sum(map(len, rules.values())) == len(set().union(*rules.values())) == sum(world.SIZES.values())
    assert world.reserved() == rules["dev"] | rules["held_out"]


def test_golden_tests_are_all_inputs_with_the_references_answers() -> None:
    for question in load("micro-traps").questions[::40]:
        assert len(question.golden) == len(world.DOMAIN)
        exec(question.reference + "\n" + "\n".join(question.golden), {})


NONE = world.Weights(trap=0.0, threshold=0.0, operator=0.0, key=0.0, missing=0.0, harmless=0.0)
ALONE = {
    "guard": replace(NONE, trap=1.0, patches=0.0),
    "patch": replace(NONE, trap=1.0, patches=1.0),
    "threshold": replace(NONE, threshold=1.0),
    "operator": replace(NONE, operator=1.0),
    "key": replace(NONE, key=1.0),
    "missing": replace(NONE, missing=1.0),
}


@pytest.mark.parametrize("fault", world.FAULTS)
def test_each_fault_is_made_is_named_by_its_text_and_is_the_only_one(fault: str) -> None:
    rng = random.Random(3)
    wrong = 0
    for _ in range(200):
        program = world.draw_program(TASK, rng, ALONE[fault])
        wrong += bool(world.failures(TASK, program.text()))
        assert world.faults_of(world.to_question(TASK, "dev"), program.text()) == {fault}
    assert wrong > 180  # a shifted exception may fall where nothing changes


def test_authors_who_never_err_write_the_reference_and_harmless_traps_change_nothing() -> None:
    rng = random.Random(3)
    for _ in range(50):
        task = world.draw_task(rng)
        assert world.failures(task, world.draw_program(task, rng, NONE).text()) == ()
        harmless = world.draw_program(task, rng, replace(NONE, trap=1.0, harmless=1.0)).text()
        assert world.failures(task, harmless) == ()
        assert world.faults_of(world.to_question(task, "dev"), harmless)


def test_authors_err_as_often_as_their_weights_say() -> None:
    rng = random.Random(1)
    count, right, found = 4000, 0, Counter[str]()
    for _ in range(count):
        task = world.draw_task(rng)
        text = world.draw_program(task, rng).text()
        faults = world.faults_of(world.to_question(task, "dev"), text)
        assert faults is not None
        found.update(faults)
        right += not world.failures(task, text)
        assert faults or not world.failures(task, text)
    weights = world.AUTHORS
    assert found["patch"] / count == pytest.approx(weights.trap * weights.patches, abs=0.03)
    assert found["guard"] / count == pytest.approx(weights.trap * (1 - weights.patches), abs=0.03)
    assert found["operator"] / count == pytest.approx(weights.operator, abs=0.015)
    assert 0.2 < right / count < 0.4


@pytest.mark.parametrize(
    "code",
    [
        "",
        "def g(x):\n    return True",
        "def f(x):\n    y = 1\n    return y",
        "import os",
        "def f(x) return",
        "(" * 5000,
    ],
)
def test_programs_that_are_written_in_another_way_have_no_known_faults(code: str) -> None:
    question = world.to_question(TASK, "dev")
    assert world.faults_of(question, code) is None
    assert faults_of(question, code) == frozenset()


def test_the_kill_set_holds_different_wrong_programs_of_its_split_with_every_fault() -> None:
    for split in ("dev", "held_out"):
        tasks = {task.id: task for task in world.splits()[split]}
        buggy = world.kill_set(split)
        assert {part for one in buggy for part in one.bug.split("+")} == set(world.FAULTS)
        assert all(world.failures(tasks[one.question.id], one.code) for one in buggy)
        assert Counter(one.question.id for one in buggy) == dict.fromkeys(tasks, world.DRAWN)
        assert len({(one.question.id, one.code) for one in buggy}) == len(buggy)


def test_worlds_are_asked_by_the_questions_own_ids() -> None:
    traps, micro, classic = (load(name).questions[:3] for name in ("micro-traps", "micro", "classic"))
    assert fault_names(traps) == world.FAULTS
    assert fault_names(micro) == fault_names(classic) == ()
    for questions in (traps, classic):
        assert {one.question.id for one in wrong_programs(questions)} == {question.id for question in questions}
    held_out = load("micro").split("held_out").questions[:5]
    assert {one.question.id for one in wrong_programs(held_out)} <= {question.id for question in held_out}


# -- the course --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def course() -> Any:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from a1kit import warmup

    return warmup.course("micro-traps")


@pytest.fixture(scope="module")
def tokenizer(course: Any) -> Any:
    return course.tokenizer()


@pytest.mark.train
def test_numbers_and_phrases_are_single_tokens_and_every_text_survives(course: Any, tokenizer: Any) -> None:
    from a1kit.warmup.micro_traps import SuiteStyle, draw_suite

    for number in world.DOMAIN:
        assert len(tokenizer.encode(str(number))) == 1
    assert len(tokenizer.encode(course.before_answer)) == 1
    rng = random.Random(0)
    for _ in range(50):
        task = world.draw_task(rng)
        code = world.draw_program(task, rng).text()
        for text in (world.describe(task), code, draw_suite(task, code, rng, 4, SuiteStyle(0.5)), "x\n\n  é🙂<"):
            assert tokenizer.decode(tokenizer.encode(text)) == text
    assert len(tokenizer.encode(world.describe(TASK))) < 40


@pytest.mark.train
def test_suites_hold_different_tests_and_aimed_ones_kill() -> None:
    pytest.importorskip("transformers")
    from a1kit.warmup.micro_traps import SuiteStyle, draw_suite

    rng = random.Random(4)
    program = world.draw_program(TASK, rng, ALONE["patch"])
    wrong = world.failures(TASK, program.text())
    for _ in range(20):
        suite = draw_suite(TASK, program.text(), rng, 2, SuiteStyle(aimed=1.0))
        tests = parse_tests(suite, "f")
        assert len({test.key for test in tests}) == 2
        assert all(int(test.key.removeprefix("f(").removesuffix(")")) in wrong for test in tests)
        exec(world.right_program(TASK).text() + "\n" + suite, {})


@pytest.mark.train
def test_an_example_never_shows_a_reserved_rule_and_ends_programs_before_suites() -> None:
    pytest.importorskip("transformers")
    from a1kit.warmup.micro_traps import SuiteStyle, write_both

    reserved = {world.describe(world.Task(kind, bounds, ())) for kind, bounds in world.reserved()}
    rng = random.Random(5)
    hidden = 0
    for _ in range(400):
        prompt, target = write_both(rng, 2, 0.3, SuiteStyle(0.5))
        said = prompt.removeprefix("<q>").split(" Except")[0].partition("<c>")[0]
        assert said not in reserved
        if prompt.endswith("<c><t>"):
            hidden += 1
            assert target.startswith("assert f(")
        else:
            code, _, suite = target.partition("<t>")
            assert prompt.endswith("<c>") and code.startswith("def f(x):") and suite.startswith("assert f(")
    assert 80 < hidden < 160
