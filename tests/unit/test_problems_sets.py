"""A problem set keeps its promises: other ids, splits that do not overlap, nothing left out silently."""

from __future__ import annotations

import subprocess
import sys

import pytest

from a1kit.errors import InputError
from a1kit.problems import ProblemSet, Rejection, load, problem_sets
from a1kit.types import Question


def question(identity: str, prompt: str = "double x") -> Question:
    return Question(identity, prompt, "f", "def f(x): return 2 * x")


def numbered(count: int) -> ProblemSet:
    return ProblemSet("numbers", tuple(question(f"q{i}") for i in range(count)))


def test_two_questions_with_one_id_are_refused() -> None:
    with pytest.raises(InputError, match="the id 'a' is used twice"):
        ProblemSet("s", (question("a"), question("a")))


@pytest.mark.parametrize(
    ("splits", "reason"),
    [
        ({"train": ("b",)}, "'b', which is no question"),
        ({"train": ("a",), "test": ("a",)}, "in the splits 'train' and 'test'"),
    ],
)
def test_splits_that_overlap_or_name_strangers_are_refused(splits: dict[str, tuple[str, ...]], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        ProblemSet("s", (question("a"),), splits)


def test_a_split_is_a_set_of_its_own_in_the_same_order() -> None:
    whole = ProblemSet("s", (question("a"), question("b"), question("c")), {"train": ("c", "a")})
    assert whole.split("train").ids == ("a", "c")
    with pytest.raises(InputError, match="no split 'dev'; there is: 'train'"):
        whole.split("dev")


def test_a_division_never_moves_a_question_when_others_are_added() -> None:
    small, large = numbered(200).divided(0.25), numbered(400).divided(0.25)
    assert set(small.splits["held_out"]) == set(large.splits["held_out"]) & set(small.ids)
    assert 60 <= len(large.splits["held_out"]) <= 140
    with pytest.raises(InputError, match="a share between 0 and 1"):
        small.divided(1.0)


def test_what_is_left_out_shrinks_the_splits_and_is_counted() -> None:
    whole = numbered(10).divided(0.3)
    left = whole.without((q, Rejection("odd") if int(q.id[1:]) % 2 else None) for q in whole)
    assert left.counts == {"odd": 5} and len(left) == 5
    assert sorted(left.splits["train"] + left.splits["held_out"]) == sorted(left.ids)


def test_prompts_that_are_too_long_are_counted_and_never_cut() -> None:
    whole = load("classic")
    short = load("classic", max_prompt_tokens=60, count_tokens=lambda text: len(text.split()))
    assert 0 < len(short) < len(whole)
    assert short.counts == {"prompt too long": len(whole) - len(short)}
    assert all(q.prompt == whole[q.id].prompt for q in short)
    assert "at most 60 are allowed" in short.rejected[0].detail


def test_a_limit_of_tokens_without_a_counter_is_refused() -> None:
    with pytest.raises(InputError, match="count_tokens"):
        load("classic", max_prompt_tokens=10)


def test_the_built_in_sets_load_by_name_and_by_split() -> None:
    assert {"classic", "micro", "humaneval"} <= set(problem_sets())
    assert load("micro", split="held_out").ids == load("micro").split("held_out").ids


def test_an_unknown_name_is_answered_with_the_names_there_are() -> None:
    with pytest.raises(InputError, match=r"Built-in sets: classic.*Did you mean 'classic'\?"):
        load("clasic")
    with pytest.raises(InputError, match="written hub:owner/name"):
        load("owner/name")


def test_options_for_files_are_refused_for_built_in_sets() -> None:
    with pytest.raises(InputError, match="columns is for files"):
        load("classic", columns={"prompt": "q"})


def test_importing_the_package_imports_no_reader() -> None:
    code = "import sys, a1kit.problems; print(sorted({'pyarrow', 'datasets', 'torch', 'numpy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
