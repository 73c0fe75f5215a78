"""Best-of-n: who wins, who ties, and what the curve says."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from a1kit.duel import Judge
from a1kit.evaluation.best_of import Selection, best_of_n, curve, select, write_suites
from a1kit.evaluation.ledger import Ledger
from a1kit.policies import ScriptedPolicy
from a1kit.prompts import PromptStyle
from a1kit.sandbox import LocalSandbox
from a1kit.types import Question

QUESTION = Question("q", "The absolute value.", "f", "def f(x): return abs(x)")
CODES = (
    "def f(x): return x",
    "def f(x): return abs(x)",
    "def g(x): return abs(x)",
    "def f(x): raise ValueError",
    "def f(x): return abs(x)",
    "def f(",
)
SUITES = (
    "assert f(1) == 1\nassert f(-2) == 2",
    "assert f(1) == 1\nassert f(-3) == -3",  # the second test is wrong, and counts as it is written
    "assert f(-2) == 2",
    "no test at all",
)


@pytest.fixture(scope="module")
def selection() -> Selection:
    right = [False, True, False, False, True, False]
    with LocalSandbox(workers=1) as box:
        (made,) = select(Judge(box), [QUESTION], [CODES], [right], [SUITES])
    return made


def test_a_candidate_passes_a_test_as_it_was_written_without_any_reference(selection: Selection) -> None:
    assert len(selection.tests) == 3
    assert selection.scores == (2, 2, 0, 0, 2, 0)
    assert selection.matrix[0] == (0.5, 1.0, 0.0, None)
    assert selection.matrix[1] == (1.0, 0.5, 1.0, None)
    assert selection.matrix[5] == (0.0, 0.0, 0.0, None)


def test_a_test_that_many_suites_hold_counts_once_and_ties_go_to_the_first_written(selection: Selection) -> None:
    # Counted by suites, candidate 1 would win with four passes; by distinct tests three candidates tie.
    assert selection.winner == 0
    assert selection.order == (0, 1, 4, 2, 3, 5)


@pytest.mark.parametrize("right", list(itertools.product([False, True], repeat=5)))
def test_the_curve_is_the_share_of_subsets_whose_best_is_right(right: tuple[bool, ...]) -> None:
    for n in range(1, 6):
        subsets = list(itertools.combinations(range(5), n))
        counted = sum(right[subset[0]] for subset in subsets) / len(subsets)
        assert best_of_n(right, n) == pytest.approx(counted, abs=1e-12)


def test_best_of_one_is_the_mean_and_best_of_all_is_the_winner(selection: Selection) -> None:
    first, *_, last = curve([selection])
    assert first.mean == pytest.approx(2 / 6)
    assert last.mean == 0.0


def test_a_number_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="1 <= n <= 2"):
        best_of_n([True, False], 3)


def test_the_figures_draw_the_matrix_and_the_curve(selection: Selection) -> None:
    pytest.importorskip("plotly")
    from a1kit.figures import best_of_curve, suite_matrix

    figure = suite_matrix(selection.matrix, selection.right, selection.winner, name="q")
    assert "candidate 1 wins and is wrong" in figure.layout.title.text.replace("<br>", " ")
    assert [list(row) for row in figure.data[0].z] == [list(row) for row in selection.matrix]
    assert figure.data[0].y[0] == "▶ 1 ✗"
    points = curve([selection])
    drawn = best_of_curve([p.mean for p in points], [p.low for p in points], [p.high for p in points], [1.0] * 6)
    assert list(drawn.data[0].y) == [p.mean for p in points]
    assert suite_matrix([], [], 0).data[0].z == ()


def test_suites_are_written_once_for_a_tester_and_again_for_another_number(tmp_path: Path) -> None:
    policy = ScriptedPolicy(lambda prompt, sample, seed: f"assert f({sample}) == {sample}")
    asked = [QUESTION, replace(QUESTION, id="r"), replace(QUESTION, id="s")]

    def written(count: int, policy: ScriptedPolicy) -> list[tuple[str, ...]]:
        with Ledger(tmp_path / "e.jsonl", {}) as ledger:
            return write_suites(policy, asked, ledger, tester="t", count=count, k=4, style=PromptStyle.A1, batch=2)

    first = written(2, policy)
    assert first == [("assert f(0) == 0", "assert f(1) == 1")] * 3
    other = ScriptedPolicy(["something else"])
    assert written(2, other) == first
    assert written(3, other) == [("something else",) * 3] * 3
