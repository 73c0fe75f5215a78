"""Rows of an update and the batches they are cut into."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a1kit.errors import ConfigError, InputError
from a1kit.policies.update_plan import Row, arrange, plan_batches, rows_of, without_variance
from a1kit.types import Completion, Group


def row(prompt: int, ids: int) -> Row:
    return Row((5,) * prompt, (6,) * ids, (-1.0,) * ids, 1.0)


def test_groups_without_variance_and_empty_completions_are_not_learned_from() -> None:
    full, empty = Completion("a", (1, 2), (3,), (-1.0,)), Completion("", (1, 2), (), ())
    flat = Group((full, full), (1.0, 1.0), (0.0, 0.0))
    assert without_variance(flat)
    rows = rows_of([flat, Group((full, empty), (1.0, 0.0), (0.7, -0.7))])
    assert [(r.prompt_ids, r.ids, r.advantage) for r in rows] == [((1, 2), (3,), 0.7)]


def test_text_that_no_policy_wrote_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="'def f'"):
        rows_of([Group((Completion("def f"), Completion("x")), (0.0, 1.0), (-1.0, 1.0))])


def test_unknown_logprobs_are_kept_apart_from_zeros() -> None:
    (first, _) = rows_of([Group((Completion("a", (1,), (2, 3)), Completion("b", (1,), (2,))), (0.0, 1.0), (-1.0, 1.0))])
    assert all(map(math.isnan, first.logprobs)) and len(first.logprobs) == 2


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=1, max_size=40),
    st.integers(1, 4),
    st.integers(1, 300),
    st.integers(1, 3),
)
def test_every_row_has_its_place_and_no_micro_batch_exceeds_its_bound(
    sizes: list[tuple[int, int]], mini_batches: int, tokens: int, world: int
) -> None:
    rows = [row(prompt, ids) for prompt, ids in sizes]
    plan = plan_batches(rows, mini_batches=mini_batches, micro_batch_tokens=tokens, world=world)
    arranged = arrange(rows, plan, world)
    assert len(arranged) == len(rows) + plan.padding == plan.rows_a_process * world
    assert sorted(map(len, rows)) == sorted(len(r) for r in arranged if r.counts)
    widest = max(p for p, _ in sizes) + max(i for _, i in sizes)
    assert plan.micro_rows == 1 or plan.micro_rows * widest <= tokens
    assert plan.padding < plan.mini_batches * plan.micro_batches * world + plan.mini_batches * world


def test_one_mini_batch_is_ordered_by_length_and_dealt_to_the_processes() -> None:
    rows = [row(1, length) for length in (1, 4, 2, 3)]
    plan = plan_batches(rows, mini_batches=1, micro_batch_tokens=100, world=2)
    assert [len(r.ids) for r in arrange(rows, plan, 2)] == [4, 2, 3, 1]


def test_several_mini_batches_keep_the_order_that_the_trainer_shuffles() -> None:
    rows = [row(1, length) for length in (1, 4, 2, 3)]
    assert arrange(rows, plan_batches(rows, mini_batches=2, micro_batch_tokens=100)) == rows


def test_a_loss_over_rows_refuses_padding_and_says_why() -> None:
    rows = [row(1, 1)] * 6
    assert plan_batches(rows, mini_batches=2, micro_batch_tokens=4, even=True).padding == 0
    with pytest.raises(ConfigError, match=r"7 rows do not divide into 2 mini-batches.*dapo"):
        plan_batches([*rows, row(1, 1)], mini_batches=2, micro_batch_tokens=4, even=True)
