"""Test generation: rounds, fates of mutants, the published arithmetic, equivalent mutants."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import pytest

from a1kit.duel import Judge
from a1kit.evaluation.mutation import Case, Equivalents, Fate, MutantResult, equivalents, play_mutants
from a1kit.evaluation.probes import probe_calls
from a1kit.evaluation.rounds import (
    RoundsReport,
    RoundTest,
    TaskResult,
    given_writer,
    judge_tests,
    model_writer,
    mul,
    play_rounds,
    usable,
)
from a1kit.mutants import Mutant, mutants
from a1kit.policies import ScriptedPolicy
from a1kit.policies.scripted import prompt_text
from a1kit.prompts import PromptStyle
from a1kit.sandbox import LocalSandbox
from a1kit.types import Prompt, Question

CLAMP = Question(
    "clamp",
    "Keep x between 0 and 9.",
    "clamp",
    "def clamp(x):\n    while x > 9:\n        x -= 1\n    if x < 0:\n        return 0\n    return x\n",
)
GOOD = ("assert clamp(12) == 9", "assert clamp(-3) == 0", "assert clamp(5) == 5")

PUBLISHED = [
    (16.29, 22.30, 3.63), (23.39, 28.91, 6.76), (27.05, 26.41, 7.14),
    (20.93, 42.55, 8.91), (29.64, 50.92, 15.09), (30.86, 49.56, 15.29),
    (28.73, 51.25, 14.72), (35.13, 55.57, 19.52), (37.15, 53.14, 19.74),
]  # fmt: skip
"""pass@5, mut@5 and Mul of Paper table 2: 1.5B, 3B, 7B; base, self-play, Code-A1."""


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with LocalSandbox(allow_limits_only=True) as sandbox:
        yield Judge(sandbox, call_seconds=0.3, program_seconds=1.0)


@pytest.mark.parametrize(("passed", "killed", "published"), PUBLISHED)
def test_mul_is_that_of_every_published_row(passed: float, killed: float, published: float) -> None:
    # The published factors are rounded to 0.005 each, which is what may be missing.
    assert mul(passed, killed) == pytest.approx(published, abs=0.005 + 0.005 * (passed + killed) / 100)


def mutant(number: int = 0) -> Mutant:
    return Mutant("core/NumberReplacer", number, (1, 0), (1, 1), "")


def task(name: str, passed: str, *results: tuple[int | None, int | None]) -> TaskResult:
    tests = tuple(RoundTest(f"assert f({i})", mark == "+") for i, mark in enumerate(passed))
    return TaskResult(name, tests, tuple(MutantResult(mutant(i), *one) for i, one in enumerate(results)))


def test_the_scores_are_those_of_a_hand_worked_example() -> None:
    report = RoundsReport(
        (
            task("a", "++", (0, 0), (1, 1), (None, None), (0, None)),  # killed, killed at 2, alive, timed out
            task("b", "+-", (0, 0), (None, None)),  # counts in mut@1 only
            task("c", "-+"),
        ),
        rounds=2,
    )
    assert report.pass_at(1).mean == pytest.approx(200 / 3)
    assert report.pass_at(2).mean == pytest.approx(100 * (2 + 1 + 1) / (3 * 2))
    assert report.mut_at(1).mean == pytest.approx(100 * (1 - (2 / 4 + 1 / 2) / 2))
    assert report.mut_at(1).n == 2 and report.mut_at(2).n == 1
    assert report.mut_at(2).mean == pytest.approx(75)
    assert report.mut_at(2, strict=True).mean == pytest.approx(50)
    assert report.timeouts_at(2).mean == pytest.approx(25)
    assert report.mul_at(2).mean == pytest.approx(mul(report.pass_at(2).mean, report.mut_at(2).mean))


def test_without_a_task_whose_tests_all_pass_there_is_no_mut_and_mul_is_zero() -> None:
    report = RoundsReport((task("a", "-"), task("b", "-")), rounds=1)
    assert math.isnan(report.mut_at(1).mean) and report.mut_at(1).n == 0
    assert report.mul_at(1).mean == 0.0


def test_more_tests_than_there_were_rounds_cannot_be_asked_about() -> None:
    with pytest.raises(ValueError, match="k is 6; there were 5 rounds"):
        RoundsReport((), rounds=5).pass_at(6)


def test_a_timeout_is_a_fate_of_its_own_until_a_later_test_really_kills() -> None:
    late = MutantResult(mutant(), first=0, wrong=2)
    assert [late.fate(k) for k in (1, 2, 3)] == [Fate.TIMEOUT, Fate.TIMEOUT, Fate.KILLED]
    assert MutantResult(mutant(), 1, 1).fate(1) is Fate.SURVIVED
    assert MutantResult(mutant(), 0, 0, loads=False).fate(1) is Fate.UNLOADABLE
    assert [fate for fate in Fate if not fate.counts_as_killed] == [Fate.SURVIVED]


def test_the_fates_of_real_mutants_are_told_apart(judge: Judge) -> None:
    made = mutants(CLAMP.reference)
    (results,) = play_mutants(judge, [Case(CLAMP, GOOD, made)])
    fates = {(one.mutant.operator.removeprefix("core/"), one.mutant.occurrence): one.fate(3) for one in results}
    assert len(results) == len(made)
    assert fates["ReplaceComparisonOperator_Gt_GtE", 0] is Fate.KILLED  # clamp(12) is 8
    assert fates["ReplaceComparisonOperator_Lt_LtE", 0] is Fate.SURVIVED  # 0 is 0 either way
    assert Fate.TIMEOUT in fates.values()  # x -= 0 never ends


def test_mutants_of_a_case_without_tests_survive_and_are_not_run(judge: Judge) -> None:
    (results,) = play_mutants(judge, [Case(CLAMP, (), mutants(CLAMP.reference)[:5])])
    assert [one.fate(1) for one in results] == [Fate.SURVIVED] * 5


def test_equivalent_mutants_are_bracketed_and_killable_ones_found(judge: Judge) -> None:
    made = mutants(CLAMP.reference)
    (results,) = play_mutants(judge, [Case(CLAMP, GOOD[2:], made)])
    alive = [one.mutant for one in results if one.first is None]
    found = equivalents(judge, CLAMP, alive, probe_calls(["clamp(5)", "clamp(12)", "clamp(-3)"], "clamp", 40))
    assert found.survivors == len(alive) > 10
    assert found.least <= found.estimate <= found.most and found.most >= 1
    assert found.most < len(alive) / 2  # most survivors of one easy test are no equivalents
    assert found.probes > 10


def test_without_probes_only_what_compiles_to_the_same_code_is_certain(judge: Judge) -> None:
    folded = [one for one in mutants("def f(x):\n    return x + 2 * 2\n") if one.same]
    found = equivalents(judge, Question("q", "", "f", "def f(x):\n    return x + 2 * 2\n"), folded, [])
    assert found == Equivalents(len(folded), len(folded), len(folded), float(len(folded)), 0)


def test_probes_are_new_calls_of_the_same_shape_and_in_a_fixed_order() -> None:
    calls = probe_calls(["f([3, 1], 'ab', n=2)", "f([], '', n=0)"], "f", 30)
    assert calls[:2] == ("f([3, 1], 'ab', n=2)", "f([], '', n=0)")
    assert "f([], 'ab', n=2)" in calls and "f([3, 1], '', n=2)" in calls and "f([3, 1], 'ab', n=3)" in calls
    assert len(calls) == len(set(calls)) == 30
    assert calls == probe_calls(["f([3, 1], 'ab', n=2)", "f([], '', n=0)"], "f", 30)


def test_what_is_no_call_of_literals_gives_itself_and_nothing_else() -> None:
    assert probe_calls(["f(g(1))", "h(1)", "f(", "f(x)"], "f", 9) == ("f(g(1))", "h(1)", "f(", "f(x)")


def test_a_round_takes_the_first_assertion_and_says_why_one_does_not_pass(judge: Judge) -> None:
    texts = ["assert clamp(12) == 9\nassert clamp(3) == 4", "assert clamp(1) == 2", "no test at all", "assert clamp(q)"]
    (tests,) = play_rounds(judge, [CLAMP], given_writer({"clamp": texts}), 5)
    assert [test.passed for test in tests] == [True, False, False, False, False]
    assert tests[0].source == "assert clamp(12) == 9"
    assert tests[1].detail == "the function gives 1"
    assert tests[2].detail == tests[4].detail == "the completion holds no test"
    assert tests[3].detail.startswith("malformed")


def test_each_round_is_shown_the_tests_of_the_rounds_before(judge: Judge) -> None:
    shown: list[str] = []

    def script(prompt: Prompt, sample: int, seed: int) -> str:
        shown.append(prompt_text(prompt))
        return GOOD[len(shown) - 1]

    write = model_writer(ScriptedPolicy(script), style=PromptStyle.A1)
    (tests,) = play_rounds(judge, [CLAMP], write, 3)
    assert [test.source for test in tests] == list(GOOD)
    assert GOOD[0] not in shown[0] and GOOD[0] in shown[1] and GOOD[0] in shown[2] and GOOD[1] in shown[2]
    assert all("while x > 9" in text for text in shown)


def test_a_black_box_writer_does_not_show_the_function(judge: Judge) -> None:
    shown: list[str] = []

    def script(prompt: Prompt, sample: int, seed: int) -> str:
        shown.append(prompt_text(prompt))
        return GOOD[0]

    play_rounds(judge, [CLAMP], model_writer(ScriptedPolicy(script), black_box=True), 1)
    assert "while" not in shown[0] and CLAMP.prompt in shown[0]


def test_mutants_are_played_with_the_tests_before_the_first_that_fails(judge: Judge) -> None:
    tests = [(RoundTest(GOOD[0], True), RoundTest("assert clamp(1) == 2", False), RoundTest(GOOD[1], True))]
    (result,) = judge_tests(judge, [CLAMP], tests, probes=0)
    assert result.fates(1) is not None and result.fates(2) is None
    assert {one.first for one in result.mutants} == {0, None}
    (nothing,) = judge_tests(judge, [CLAMP], [(RoundTest("", False),)])
    assert nothing.mutants == ()


def test_a_result_survives_being_written_and_read(judge: Judge) -> None:
    (result,) = judge_tests(judge, [CLAMP], [tuple(RoundTest(source, True) for source in GOOD)], probes=20)
    again = TaskResult.from_record(json.loads(json.dumps(result.to_record())))
    first, second = RoundsReport((result,), 3), RoundsReport((again,), 3)
    for k in (1, 2, 3):
        assert first.mut_at(k) == second.mut_at(k) and first.timeouts_at(k) == second.timeouts_at(k)
    assert again.equivalents is not None and again.tests == result.tests
    kept = first.mut_without_equivalents().mean
    assert first.mut_at(3).mean <= kept <= 100


def test_a_function_that_does_not_load_is_named_with_its_reason(judge: Judge) -> None:
    broken = Question("broken", "?", "f", "import nowhere\ndef f(x): return x\n")
    good, bad = usable(judge, [CLAMP, broken])
    assert good == [CLAMP]
    assert list(bad) == ["broken"] and "nowhere" in bad["broken"]
