"""Evaluation: the estimators against hand-worked numbers, both measurements on scripted models."""

from __future__ import annotations

import itertools
import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a1kit.duel import Judge
from a1kit.errors import InputError
from a1kit.evaluation import (
    Estimate,
    SuiteReport,
    Target,
    difference,
    estimate,
    evaluate_code,
    evaluate_tests,
    pass_at_k,
)
from a1kit.policies import Sampling, ScriptedPolicy
from a1kit.policies.scripted import prompt_text
from a1kit.prompts import PromptStyle
from a1kit.rewards import Rules
from a1kit.sandbox import FakeSandbox
from a1kit.types import Prompt, Question

DOUBLE = Question("double", "Double x.", "f", "def f(x): return 2 * x", ("assert f(2) == 4", "assert f(3) == 6"))
NEGATE = Question("negate", "Negate x.", "f", "def f(x): return -x", ("assert f(0) == 0", "assert f(3) == -3"))
RIGHT, SQUARE = "def f(x): return x + x", "def f(x): return x * x"
BUGGY = Target(DOUBLE, SQUARE, "squares")


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [(1, 1, 1, 1.0), (4, 0, 2, 0.0), (4, 1, 1, 0.25), (4, 2, 2, 1 - 1 / 6), (5, 3, 3, 1.0), (10, 3, 2, 1 - 21 / 45)],
)
def test_pass_at_k_is_the_formula(n: int, c: int, k: int, expected: float) -> None:
    assert pass_at_k(n, c, k) == pytest.approx(expected)


@given(st.integers(1, 7), st.data())
def test_pass_at_k_is_the_share_of_k_subsets_that_hold_a_right_sample(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    subsets = list(itertools.combinations([True] * c + [False] * (n - c), k))
    assert pass_at_k(n, c, k) == pytest.approx(statistics.fmean(any(subset) for subset in subsets))


@pytest.mark.parametrize(("n", "c", "k"), [(4, 5, 1), (4, -1, 1), (4, 2, 0), (4, 2, 5)])
def test_pass_at_k_refuses_what_has_no_meaning(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match=f"n={n}, c={c}, k={k}"):
        pass_at_k(n, c, k)


def test_an_estimate_has_its_mean_inside_an_interval_of_the_right_width() -> None:
    values = [0.0] * 50 + [1.0] * 50
    found = estimate(values)
    assert found.mean == 0.5
    assert found.n == 100
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.05, abs=0.03)
    assert found == estimate(values)
    assert str(Estimate(0.5, 0.25, 0.75, 9)) == "0.500 [0.250, 0.750]"


def test_an_estimate_of_nothing_is_nan() -> None:
    assert math.isnan(estimate([]).mean)


def test_a_difference_over_the_same_units_is_narrower_than_the_numbers_it_compares() -> None:
    before = [i % 10 / 10 for i in range(60)]
    after = [value + 0.1 for value in before]
    gain = difference(before, after)
    assert (gain.mean, gain.low, gain.high) == (pytest.approx(0.1),) * 3
    assert estimate(before).high - estimate(before).low > 0.1


def test_avg_counts_candidates_that_pass_every_golden_test() -> None:
    sandbox = FakeSandbox()
    # f(2) == 4 holds for a square too: only the second golden test tells.
    policy = ScriptedPolicy(lambda prompt, sample, seed: (RIGHT, SQUARE, "no code here", RIGHT)[sample % 4])
    report = evaluate_code(policy, Judge(sandbox), [DOUBLE, NEGATE], n=4)
    assert report.passes == (2, 0)
    assert report.avg.mean == pytest.approx(0.25)
    assert report.greedy_passes == (True, False)
    assert report.greedy.mean == 0.5
    assert report.pass_at(4).mean == 0.5
    assert report.pass_at(1).mean == pytest.approx(report.avg.mean)


def test_greedy_candidates_are_sampled_at_temperature_zero_and_can_be_left_out() -> None:
    asked: list[Sampling] = []

    class Watched(ScriptedPolicy):
        def sample(self, prompts, n, *, seed, sampling=Sampling()):  # type: ignore[no-untyped-def]
            asked.append(sampling)
            return super().sample(prompts, n, seed=seed, sampling=sampling)

    judge = Judge(FakeSandbox())
    settings = Sampling(temperature=0.7, top_p=0.9, max_new_tokens=50)
    evaluate_code(Watched([RIGHT]), judge, [DOUBLE], n=2, sampling=settings)
    assert asked == [settings, Sampling(0.0, 1.0, 50)]
    report = evaluate_code(Watched([RIGHT]), judge, [DOUBLE], n=2, greedy=False)
    assert math.isnan(report.greedy.mean)


def test_identical_programs_are_run_once() -> None:
    sandbox = FakeSandbox()
    evaluate_code(ScriptedPolicy([RIGHT]), Judge(sandbox), [DOUBLE], n=50)
    assert sum(RIGHT in job.program for job in sandbox.jobs) == 1


def test_a_question_without_golden_tests_cannot_be_scored() -> None:
    bare = Question("bare", "?", "f", "def f(x): return x")
    with pytest.raises(InputError, match="'bare' has no golden tests"):
        evaluate_code(ScriptedPolicy([RIGHT]), Judge(FakeSandbox()), [bare])


def suites(*texts: str) -> ScriptedPolicy:
    return ScriptedPolicy(lambda prompt, sample, seed: texts[sample % len(texts)])


def test_validity_and_kill_rate_are_means_over_the_suites_of_each_target() -> None:
    harmless = "assert f(2) == 4\nassert f(0) == 0"
    killer = "assert f(3) == 6\nassert f(5) == 11"
    report = evaluate_tests(suites(harmless, killer), Judge(FakeSandbox(), Rules(k=2)), [BUGGY], suites=2)
    assert report.validities == (pytest.approx(0.75),)
    assert report.kills == (0.5,)
    assert report.quality.mean == pytest.approx(0.375)


def test_a_corrected_test_can_kill_and_a_dropped_one_cannot() -> None:
    judge = Judge(FakeSandbox(), Rules(k=1))
    corrected = evaluate_tests(suites("assert f(5) == 999"), judge, [BUGGY])
    assert (corrected.validities, corrected.kills) == ((0.0,), (1.0,))
    dropped = evaluate_tests(suites("assert f(undefined) == 1"), judge, [BUGGY])
    assert (dropped.validities, dropped.kills) == ((0.0,), (0.0,))


def test_the_test_model_sees_the_program_unless_it_is_black_box() -> None:
    seen: list[str] = []

    def write(prompt: Prompt, sample: int, seed: int) -> str:
        seen.append(prompt_text(prompt))
        return "assert f(3) == 6"

    judge = Judge(FakeSandbox(), Rules(k=1))
    for black_box in (False, True):
        evaluate_tests(ScriptedPolicy(write), judge, [BUGGY], style=PromptStyle.MICRO, black_box=black_box)
    assert seen == [f"<q>Double x.<c>{SQUARE}<t>", "<q>Double x.<c><t>"]


def test_kill_rates_are_grouped_by_label() -> None:
    targets = (BUGGY, Target(NEGATE, "def f(x): return x", "keeps"), Target(DOUBLE, "def f(x): return 7", "squares"))
    report = SuiteReport(targets, (1.0, 1.0, 1.0), (0.0, 1.0, 1.0))
    assert {label: found.mean for label, found in report.kill_by_label().items()} == {"keeps": 1.0, "squares": 0.5}


def test_a_gain_in_quality_is_measured_on_the_same_targets_only() -> None:
    targets = (BUGGY,) * 4
    before = SuiteReport(targets, (0.5,) * 4, (0.0, 0.0, 1.0, 1.0))
    after = SuiteReport(targets, (1.0,) * 4, (0.0, 1.0, 1.0, 1.0))
    gain = after.quality_gain(before)
    assert gain.mean == pytest.approx(0.75 - 0.25)
    assert gain.low <= gain.mean <= gain.high
    with pytest.raises(InputError, match="different targets"):
        after.quality_gain(SuiteReport(targets[:2], (1.0,) * 2, (0.0,) * 2))
