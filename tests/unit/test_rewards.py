"""Both rewards: recorded values, equations worked by hand, and what no policy can do to raise its reward."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a1kit.errors import ConfigError
from a1kit.rewards import Convention, Rules, SuiteCounts, code_reward, suite_score

PAPER, RELEASE = Convention.PAPER, Convention.RELEASE


def counts(valid: int, corrected: int = 0, dropped: int = 0, failed: str = "") -> SuiteCounts:
    """`failed` is a string of x (failed) and . (passed), one a kept test."""
    return SuiteCounts(valid, corrected, dropped, tuple(mark == "x" for mark in failed))


def test_the_release_convention_gives_all_recorded_values(shared_data: Path) -> None:
    cases = json.loads((shared_data / "reward_cases.json").read_text())["cases"]
    assert len(cases) == 200
    for case in cases:
        wrong = case["retained_with_wrong_prediction"]
        suite = SuiteCounts(case["retained"] - wrong, wrong, case["dropped"], tuple(map(bool, case["failed_in_order"])))
        pass_hist = case["hist_passed"] / case["hist_total"] if case["hist_total"] else None
        rules = Rules(case["K"], case["alpha"], RELEASE)
        score = suite_score(suite, rules, pass_hist=pass_hist, loads=case["code_loads"])
        code = code_reward([suite], rules, pass_hist=pass_hist, loads=case["code_loads"])
        assert score.reward == pytest.approx(case["reward_test"], abs=1e-9), case
        assert code == pytest.approx(case["reward_code"], abs=1e-9), case


class TestEquation2:
    """R_C, the Code LLM's reward."""

    def test_without_history_it_is_the_mean_pass_rate_of_the_suites(self) -> None:
        # suite 1: 1 of 4 passed, suite 2: 3 of 4 passed -> (1/4 + 3/4) / 2
        suites = [counts(4, failed="xxx."), counts(4, failed="x...")]
        for convention in Convention:
            assert code_reward(suites, Rules(4, 0.5, convention)) == pytest.approx(0.5)

    def test_with_history_it_is_halfway_between_old_and_new(self) -> None:
        # pass_hist 3/4, mean pass_new 1/2 -> (3/4 + 1/2) / 2
        suites = [counts(4, failed="xxx."), counts(4, failed="x...")]
        for convention in Convention:
            assert code_reward(suites, Rules(4, 0.5, convention), pass_hist=0.75) == pytest.approx(0.625)

    def test_a_suite_without_kept_tests_counts_as_the_history_or_as_nothing(self) -> None:
        empty, full = counts(0, dropped=4), counts(4, failed="....")
        assert code_reward([empty, full], Rules(4)) == pytest.approx(0.5)  # (0 + 1) / 2
        assert code_reward([empty, full], Rules(4), pass_hist=0.5) == pytest.approx(0.625)  # (1/2 + 3/4) / 2
        paper = Rules(4, 0.5, PAPER)
        assert code_reward([empty, full], paper, pass_hist=0.5) == pytest.approx(0.5)  # (1/2 + (0 + 1)/2) / 2

    def test_all_tests_of_a_long_suite_count_in_the_release_convention(self) -> None:
        assert code_reward([counts(4, failed="..xx")], Rules(2)) == pytest.approx(0.5)

    def test_without_suites_the_history_decides(self) -> None:
        assert code_reward([], Rules(), pass_hist=0.25) == 0.25
        assert code_reward([], Rules()) == 0.0


class TestEquations3And4:
    """R_T, the Test LLM's reward."""

    def test_paper_without_history(self) -> None:
        # K 5: 3 valid, 1 corrected, 1 dropped; the candidate fails 1 of the 4 kept
        score = suite_score(counts(3, 1, 1, "x..."), Rules(5, 0.5, PAPER))
        assert (score.validity, score.adversity) == pytest.approx((3 / 5, 1 / 4))
        assert score.reward == pytest.approx(0.5 * 0.6 + 0.5 * 0.25)

    def test_paper_with_history(self) -> None:
        # adversity (pass_hist - pass_new + 1) / 2 = (1/2 - 3/4 + 1) / 2
        score = suite_score(counts(3, 1, 1, "x..."), Rules(5, 0.25, PAPER), pass_hist=0.5)
        assert score.adversity == pytest.approx(0.375)
        assert score.reward == pytest.approx(0.25 * 0.6 + 0.75 * 0.375)

    def test_release_without_history(self) -> None:
        # validity min(4/5, 1 - 2/5); adversity 1/5
        score = suite_score(counts(3, 1, 1, "x..."), Rules(5, 0.5, RELEASE))
        assert (score.validity, score.adversity) == pytest.approx((0.6, 0.2))
        assert score.reward == pytest.approx(0.4)

    def test_release_with_history(self) -> None:
        # fail_new 1/5, fail_hist 1/2 -> (1/5 - 1/2 + 1) / 2
        assert suite_score(counts(3, 1, 1, "x..."), Rules(5), pass_hist=0.5).adversity == pytest.approx(0.35)

    def test_release_cuts_a_long_suite_to_k_twice(self) -> None:
        # K 2, four kept tests: min(4/2, 1 - 0) -> 1; failures among the first two kept: 1 of 2
        score = suite_score(counts(4, failed=".xxx"), Rules(2, 0.5, RELEASE))
        assert (score.validity, score.adversity) == pytest.approx((1.0, 0.5))

    def test_a_suite_without_kept_tests_has_no_adversity_whatever_the_history(self) -> None:
        for convention in Convention:
            score = suite_score(counts(0, dropped=4), Rules(4, 0.5, convention), pass_hist=1.0)
            assert (score.validity, score.adversity, score.reward) == (0.0, 0.0, 0.0)

    def test_alpha_0_is_adversity_alone_and_alpha_1_validity_alone(self) -> None:
        suite = counts(3, 1, 1, "x...")
        zero, one = suite_score(suite, Rules(5, 0.0)), suite_score(suite, Rules(5, 1.0))
        assert zero.reward == zero.adversity and one.reward == one.validity and zero.validity == one.validity

    def test_one_killer_test_among_rubbish_wins_by_the_papers_formula_and_not_by_the_release_one(self) -> None:
        # Paper convention: spoiling the tests the candidate would pass costs 3/4 * alpha and gains 3/4 * (1 - alpha).
        honest, spoiled = counts(4, failed="x..."), counts(1, dropped=3, failed="x")
        paper, release = Rules(4, 0.4, PAPER), Rules(4, 0.4, RELEASE)
        assert suite_score(spoiled, paper).reward > suite_score(honest, paper).reward
        assert suite_score(spoiled, release).reward < suite_score(honest, release).reward


def test_a_candidate_that_does_not_load_earns_nothing_and_neither_does_its_attacker() -> None:
    for convention in Convention:
        rules = Rules(4, 0.5, convention)
        assert code_reward([counts(4, failed="....")], rules, pass_hist=1.0, loads=False) == 0.0
        assert suite_score(counts(4, failed="xxxx"), rules, loads=False).reward == 0.0


@pytest.mark.parametrize(("k", "alpha"), [(0, 0.5), (-1, 0.5), (8, -0.1), (8, 1.1), (8, float("nan"))])
def test_numbers_that_mean_nothing_are_refused(k: int, alpha: float) -> None:
    with pytest.raises(ConfigError, match=str(k) if k < 1 else "alpha"):
        Rules(k, alpha)


def test_counts_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(ValueError, match="add up"):
        SuiteCounts(3, 1, 0, (True,))
    with pytest.raises(ValueError, match="first k = 2"):
        suite_score(counts(3, failed="..."), Rules(2, 0.5, PAPER))


# What holds for every suite: `suites(k)` writes at most k tests, as the prompt asks for.


@st.composite
def suites(draw: st.DrawFn, k: int = 8) -> SuiteCounts:
    kept = draw(st.integers(0, k))
    corrected = draw(st.integers(0, kept))
    failed = tuple(draw(st.lists(st.booleans(), min_size=kept, max_size=kept)))
    return SuiteCounts(kept - corrected, corrected, draw(st.integers(0, k - kept)), failed)


conventions = st.sampled_from(Convention)
alphas = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
histories = st.none() | st.floats(0, 1)
EPS = 1e-12


@given(suites(), conventions, alphas, histories)
def test_every_component_lies_between_0_and_1(
    suite: SuiteCounts, convention: Convention, alpha: float, pass_hist: float | None
) -> None:
    rules = Rules(8, alpha, convention)
    score = suite_score(suite, rules, pass_hist=pass_hist)
    code = code_reward([suite, suite], rules, pass_hist=pass_hist)
    for number in (score.validity, score.adversity, score.reward, code):
        assert -EPS <= number <= 1 + EPS


@given(suites(), conventions, alphas, histories, st.data())
def test_failing_one_more_test_never_helps_the_code_and_never_hurts_the_suite(
    suite: SuiteCounts, convention: Convention, alpha: float, pass_hist: float | None, data: st.DataObject
) -> None:
    if not suite.failed:
        return
    index = data.draw(st.integers(0, suite.kept - 1))
    worse = SuiteCounts(
        suite.valid, suite.corrected, suite.dropped, (*suite.failed[:index], True, *suite.failed[index + 1 :])
    )
    rules = Rules(8, alpha, convention)
    assert code_reward([worse], rules, pass_hist=pass_hist) <= code_reward([suite], rules, pass_hist=pass_hist) + EPS
    before, after = (suite_score(counted, rules, pass_hist=pass_hist).reward for counted in (suite, worse))
    assert after >= before - EPS


@given(suites(k=7), alphas, histories, st.sampled_from([8, 7, 4]))
def test_repeating_a_test_never_raises_the_suites_reward(
    suite: SuiteCounts, alpha: float, pass_hist: float | None, k: int
) -> None:
    repeated = SuiteCounts(suite.valid, suite.corrected, suite.dropped + 1, suite.failed)
    rules = Rules(k, alpha, RELEASE)
    before, after = (suite_score(counted, rules, pass_hist=pass_hist).reward for counted in (suite, repeated))
    assert after <= before + EPS


@given(suites(), alphas, histories, st.data())
def test_spoiling_a_kept_test_never_raises_the_suites_reward(
    suite: SuiteCounts, alpha: float, pass_hist: float | None, data: st.DataObject
) -> None:
    if not suite.failed:
        return
    index = data.draw(st.integers(0, suite.kept - 1))
    from_valid = data.draw(st.booleans()) if suite.valid and suite.corrected else bool(suite.valid)
    spoiled = SuiteCounts(
        suite.valid - from_valid,
        suite.corrected - (not from_valid),
        suite.dropped + 1,
        suite.failed[:index] + suite.failed[index + 1 :],
    )
    rules = Rules(8, alpha, RELEASE)
    before, after = (suite_score(counted, rules, pass_hist=pass_hist).reward for counted in (suite, spoiled))
    assert after <= before + EPS


@given(suites(), conventions, alphas, histories)
def test_a_wrong_prediction_never_raises_the_suites_reward(
    suite: SuiteCounts, convention: Convention, alpha: float, pass_hist: float | None
) -> None:
    if not suite.valid:
        return
    wrong = SuiteCounts(suite.valid - 1, suite.corrected + 1, suite.dropped, suite.failed)
    rules = Rules(8, alpha, convention)
    before, after = (suite_score(counted, rules, pass_hist=pass_hist).reward for counted in (suite, wrong))
    assert after <= before + EPS


@given(st.lists(suites(), max_size=4), conventions, alphas, histories)
def test_failing_to_load_never_raises_any_reward(
    group: list[SuiteCounts], convention: Convention, alpha: float, pass_hist: float | None
) -> None:
    rules = Rules(8, alpha, convention)
    loaded = code_reward(group, rules, pass_hist=pass_hist)
    assert code_reward(group, rules, pass_hist=pass_hist, loads=False) <= loaded
    for suite in group:
        loaded = suite_score(suite, rules, pass_hist=pass_hist).reward
        assert suite_score(suite, rules, pass_hist=pass_hist, loads=False).reward <= loaded


@given(suites(), conventions, alphas, st.floats(0, 1), st.floats(0, 1))
def test_remembering_more_of_the_past_never_lowers_a_reward(
    suite: SuiteCounts, convention: Convention, alpha: float, first: float, second: float
) -> None:
    low, high = sorted((first, second))
    rules = Rules(8, alpha, convention)
    assert code_reward([suite], rules, pass_hist=low) <= code_reward([suite], rules, pass_hist=high) + EPS
    scores = [suite_score(suite, rules, pass_hist=pass_hist) for pass_hist in (low, high)]
    assert scores[0].adversity <= scores[1].adversity + EPS
