"""The dense head computes what TRL's tiled one computes, forward and backward."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

pytestmark = [
    pytest.mark.train,
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.skipif(find_spec("trl") is None, reason="trl is not installed: pip install 'a1kit[train]'"),
]

TOKENS, WIDTH, VOCABULARY = 11, 6, 40


def problem(with_bias: bool) -> tuple[Any, Any, Any, Any, Any]:
    """hidden, weight, bias, targets, and what the gradient of the log-probs is."""
    import torch

    draw = torch.Generator().manual_seed(0)
    hidden = torch.randn(TOKENS, WIDTH, generator=draw, requires_grad=True)
    weight = torch.randn(VOCABULARY, WIDTH, generator=draw, requires_grad=True)
    bias = torch.randn(VOCABULARY, generator=draw, requires_grad=True) if with_bias else None
    targets = torch.randint(0, VOCABULARY, (TOKENS,), generator=draw)
    return hidden, weight, bias, targets, torch.randn(TOKENS, generator=draw)


@pytest.mark.parametrize("with_bias", [False, True], ids=["no bias", "bias"])
@pytest.mark.parametrize(("temperature", "scale"), [(1.0, 1.0), (0.7, 1.5)], ids=["plain", "scaled"])
@pytest.mark.parametrize("outputs", [("log_probs",), ("log_probs", "entropy")], ids=["log-probs", "entropy too"])
def test_values_and_gradients_are_those_of_the_tiled_function(
    with_bias: bool, temperature: float, scale: float, outputs: tuple[str, ...]
) -> None:
    import torch
    from trl.kernels import ChunkedLogProbFunction

    from a1kit.policies.dense_head import DenseLogProbs

    hidden, weight, bias, targets, upstream = problem(with_bias)
    dense = DenseLogProbs.apply(hidden, weight, bias, targets, temperature, scale, outputs)
    (dense[0] * upstream).sum().backward()
    found = [value.grad.clone() for value in (hidden, weight, bias) if value is not None]

    hidden, weight, bias, targets, upstream = problem(with_bias)
    tiled = ChunkedLogProbFunction.apply(hidden, weight, bias, targets, temperature, 16, None, scale, outputs)
    (tiled[0] * upstream).sum().backward()
    expected = [value.grad for value in (hidden, weight, bias) if value is not None]

    torch.testing.assert_close(dense[0], tiled[0])
    assert (dense[1] is None) == (tiled[1] is None)
    if dense[1] is not None:
        torch.testing.assert_close(dense[1], tiled[1], atol=1e-5, rtol=1e-5)
        assert not dense[1].requires_grad
    for ours, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_large_half_precision_and_capped_problems_are_left_to_the_tiled_function(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import torch

    from a1kit.policies import dense_head

    hidden, weight = torch.randn(TOKENS, WIDTH), torch.randn(VOCABULARY, WIDTH)
    assert dense_head.fits(hidden, weight, None, ("log_probs", "entropy"))
    assert not dense_head.fits(hidden, weight, 30.0, ("log_probs",))
    assert not dense_head.fits(hidden, weight, None, ("log_probs", "is_top1"))
    assert not dense_head.fits(hidden.bfloat16(), weight.bfloat16(), None, ("log_probs",))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert not dense_head.fits(hidden, weight, None, ("log_probs",))
    monkeypatch.setattr(dense_head, "MOST_BYTES", 4 * TOKENS * VOCABULARY - 1)
    assert not dense_head.fits(hidden, weight, None, ("log_probs",))
