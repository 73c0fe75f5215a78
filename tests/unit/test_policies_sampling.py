"""The random numbers of sampling, and where a completion ends."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy")

from a1kit.policies.sampling import Sampled, StopStrings, uniforms  # noqa: E402


def test_a_draw_depends_on_seed_prompt_sample_and_token_alone() -> None:
    whole = uniforms(seed=3, first_prompt=0, prompts=5, n=4, width=9)
    part = uniforms(seed=3, first_prompt=2, prompts=1, n=2, width=6)
    assert (part == whole[2 * 4 : 2 * 4 + 2, :6]).all()


@pytest.mark.parametrize("other", [{"seed": 4}, {"first_prompt": 1}])
def test_another_seed_or_prompt_draws_other_numbers(other: dict[str, int]) -> None:
    same = {"seed": 3, "first_prompt": 0, "prompts": 1, "n": 2, "width": 8}
    assert not (uniforms(**same) == uniforms(**{**same, **other})).any()


def test_draws_are_uniform_below_one_and_unrelated() -> None:
    draws = uniforms(seed=0, first_prompt=0, prompts=200, n=10, width=50)
    assert draws.dtype == np.float32 and draws.min() >= 0 and draws.max() < 1
    counts = np.histogram(draws, bins=20, range=(0, 1))[0]
    assert abs(counts / counts.mean() - 1).max() < 0.05
    for shifted in (
        np.corrcoef(draws[1:].ravel(), draws[:-1].ravel()),
        np.corrcoef(draws[:, 1:].ravel(), draws[:, :-1].ravel()),
    ):
        assert abs(shifted[0, 1]) < 0.02


def test_negative_and_huge_seeds_are_seeds() -> None:
    assert uniforms(-1, 0, 1, 1, 2).shape == uniforms(2**70, 0, 1, 1, 2).shape == (1, 2)


def letters(ids: object) -> str:
    return "".join(chr(i) for i in ids)  # type: ignore[attr-defined]


def sampled(text: str) -> Sampled:
    return Sampled(tuple(map(ord, text)), (-1.0,) * len(text), False)


def test_a_completion_is_cut_with_the_token_that_completes_a_stop_string() -> None:
    stop = StopStrings(letters, ("\n\n", "END"))
    cut = stop.cut(sampled("ab\n\ncdEND"))
    assert (letters(cut.ids), len(cut.logprobs), cut.finished) == ("ab\n\n", 4, True)
    assert stop.before("ab\n\ncd") == "ab"


def test_without_a_stop_string_a_completion_stays_as_it_is() -> None:
    text = sampled("ab\ncd")
    assert StopStrings(letters, ("\n\n",)).cut(text) == text


def test_the_end_is_looked_for_in_the_last_tokens() -> None:
    stop = StopStrings(letters, ("END",))
    assert stop.stopped([ord(c) for c in "x" * 50 + "END"])
    assert not stop.stopped([ord(c) for c in "END" + "x" * 50])


def test_no_stop_string_means_no_scan() -> None:
    assert not StopStrings(letters, ("",))
