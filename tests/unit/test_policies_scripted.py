"""The fake keeps the promises of the protocol that everything above it relies on."""

from __future__ import annotations

from pathlib import Path

import pytest

from a1kit.errors import RunError
from a1kit.policies import Policy, Sampling, ScriptedPolicy
from a1kit.types import Group


def test_a_scripted_policy_is_a_policy() -> None:
    assert isinstance(ScriptedPolicy(["a"]), Policy)


def test_canned_texts_are_dealt_round_and_round_and_the_seed_shifts_them() -> None:
    policy = ScriptedPolicy(["a", "b", "c"])
    texts = [[completion.text for completion in row] for row in policy.sample(["p", "q"], 2, seed=0)]
    assert texts == [["a", "b"], ["c", "a"]]
    assert policy.sample(["p"], 1, seed=1)[0][0].text == "b"


def test_a_function_sees_prompt_sample_and_seed() -> None:
    policy = ScriptedPolicy(lambda prompt, sample, seed: f"{prompt}/{sample}/{seed}")
    assert [completion.text for completion in policy.sample(["p"], 2, seed=7)[0]] == ["p/0/7", "p/1/7"]


def test_stop_strings_and_the_length_limit_end_a_completion() -> None:
    policy = ScriptedPolicy(["abcdef"])
    (stopped,) = policy.sample(["p"], 1, seed=0, sampling=Sampling(stop=("d",)))[0]
    assert (stopped.text, stopped.finished) == ("abc", True)
    (cut,) = policy.sample(["p"], 1, seed=0, sampling=Sampling(max_new_tokens=2))[0]
    assert (cut.text, cut.finished, len(cut.ids), len(cut.logprobs)) == ("ab", False, 2, 2)


def test_updates_are_recorded_and_groups_without_variance_counted() -> None:
    policy = ScriptedPolicy(["a", "b"])
    (pair,) = policy.sample(["p"], 2, seed=0)
    stats = policy.update([Group(pair, (0.0, 1.0), (-1.0, 1.0)), Group(pair, (1.0, 1.0), (0.0, 0.0))])
    assert (stats.groups, stats.groups_without_variance, stats.tokens) == (2, 1, 4)
    assert len(policy.updates[0]) == 2


def test_the_state_survives_save_and_load(tmp_path: Path) -> None:
    policy = ScriptedPolicy(["a"])
    policy.update([])
    policy.save(tmp_path / "p")
    other = ScriptedPolicy(["a"])
    other.load(tmp_path / "p")
    assert other.update_count == 1
    with pytest.raises(RunError, match="scripted"):
        other.load(tmp_path)
