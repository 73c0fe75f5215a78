"""Advantages inside a group, and the suites that TopVar keeps."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a1kit.selection import ADVANTAGE_EPS, TopVar, advantages, is_flat, population_std, select

rewards = st.lists(st.floats(0, 1), min_size=2, max_size=16)


def test_advantages_worked_by_hand() -> None:
    # mean 1/2; sample std of 0, 1/2, 1 is 1/2
    low, middle, high = advantages([0.0, 0.5, 1.0])
    assert (low, middle, high) == pytest.approx((-0.5 / (0.5 + 1e-4), 0.0, 0.5 / (0.5 + 1e-4)))


@given(rewards)
def test_advantages_sum_to_zero_and_keep_the_order_of_the_rewards(group: list[float]) -> None:
    result = advantages(group)
    assert math.fsum(result) == pytest.approx(0.0, abs=1e-6)
    for i, first in enumerate(group):
        for j, second in enumerate(group):
            assert first > second or result[i] <= result[j] or is_flat(group)


@given(rewards)
def test_advantages_divide_by_the_sample_standard_deviation(group: list[float]) -> None:
    if is_flat(group):
        return
    scale = statistics.stdev(group) + ADVANTAGE_EPS
    mean = statistics.fmean(group)
    assert advantages(group) == pytest.approx([(reward - mean) / scale for reward in group], abs=1e-9)


@pytest.mark.parametrize("group", [[], [0.7], [0.3] * 8, [0.1 + 0.2, 0.3, 0.3]])
def test_a_group_without_variance_teaches_exactly_nothing(group: list[float]) -> None:
    assert is_flat(group)
    assert advantages(group) == (0.0,) * len(group)


def test_topvar_keeps_the_candidate_whose_suites_differ_most() -> None:
    picked = select([[0.5, 0.5], [0.0, 1.0], [0.2, 0.4]])
    assert picked.chosen == (1,)
    assert picked.sigmas == pytest.approx((0.0, 0.5, 0.1))
    assert picked.flat == 0


def test_topvar_gives_ties_to_the_lower_index_even_when_rounding_differs() -> None:
    assert select([[0.0, 0.0], [0.1, 0.4], [0.4, 0.1], [0.4 - 0.3, 0.1 + 0.3]]).chosen == (1,)
    assert select([[0.1, 0.2], [0.2, 0.1], [0.1, 0.2]], keep=2).chosen == (0, 1)


def test_chosen_groups_without_variance_are_counted() -> None:
    picked = select([[0.5, 0.5], [0.1, 0.1]], keep=2)
    assert picked.chosen == (0, 1) and picked.flat == 2
    assert select([[0.5, 0.5], [0.0, 0.1]], how=TopVar.ALL).flat == 1


def test_all_keeps_everyone_and_random_is_reproducible_and_varies_with_the_seed() -> None:
    group = [[0.0, 1.0]] * 8
    assert select(group, how=TopVar.ALL).chosen == tuple(range(8))
    picks = [select(group, keep=1, how=TopVar.RANDOM, seed=seed).chosen for seed in range(20)]
    assert picks == [select(group, keep=1, how=TopVar.RANDOM, seed=seed).chosen for seed in range(20)]
    assert len(set(picks)) > 1


def test_a_candidate_without_suites_is_chosen_last() -> None:
    assert select([[], [0.5, 0.5]]).chosen == (1,)
    assert select([[], [0.5, 0.5]], how=TopVar.RANDOM).chosen == (1,)
    assert select([[], []], keep=1).chosen == (0,)


def test_asking_for_more_candidates_than_there_are_gives_all() -> None:
    for how in TopVar:
        assert select([[0.1, 0.2], [0.3, 0.4]], keep=5, how=how).chosen == (0, 1)


@given(st.lists(rewards, min_size=1, max_size=8), st.integers(1, 8))
def test_no_candidate_left_out_has_more_variance_than_one_kept(groups: list[list[float]], keep: int) -> None:
    picked = select(groups, keep=keep)
    assert len(picked.chosen) == min(keep, len(groups))
    kept = min(picked.sigmas[m] for m in picked.chosen)
    assert all(picked.sigmas[m] <= kept + 1e-9 for m in range(len(groups)) if m not in picked.chosen)


@given(rewards)
def test_population_std_agrees_with_the_standard_library(group: list[float]) -> None:
    assert population_std(group) == pytest.approx(statistics.pstdev(group), abs=1e-9)
