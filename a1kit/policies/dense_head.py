"""Log-probs and entropies of given tokens on a CPU, keeping the probabilities for the backward pass.

    log p = z[target] - log sum exp z       entropy = log sum exp z - sum p z       z = hidden W^T * scale / temperature

TRL's own function scores tiles of the vocabulary and computes each tile again in the backward pass, which is right
where memory is scarce and the vocabulary large. With a micro model, or a micro-batch of a small one, all probabilities
fit into a few tens of megabytes, and computing them once, in place, takes a tenth off the whole update. Larger
problems, half precision, other devices and capped logits go to TRL's function.

The entropy is for reporting: no gradient flows through it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

MOST_BYTES = 256 * 2**20
"""Size of the probabilities up to which they are kept."""


def fits(hidden: torch.Tensor, weight: torch.Tensor, softcap: float | None, outputs: Sequence[str]) -> bool:
    """Whether the head of this many tokens is computed here."""
    return (
        hidden.device.type == "cpu"
        and hidden.dtype == weight.dtype == torch.float32
        and not torch.is_autocast_enabled("cpu")
        and softcap is None
        and set(outputs) <= {"log_probs", "entropy"}
        and 4 * hidden.shape[0] * weight.shape[0] <= MOST_BYTES
    )


class DenseLogProbs(torch.autograd.Function):  # type: ignore[misc]
    """hidden (tokens, width), weight (vocabulary, width), bias (vocabulary) or None, targets (tokens)
    -> log-probs (tokens), entropies (tokens) or None, and three values TRL may ask its own function for."""

    @staticmethod
    def forward(
        ctx: Any,
        hidden: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor | None,
        targets: torch.Tensor,
        temperature: float,
        logit_scale: float,
        outputs: Sequence[str],
    ) -> tuple[torch.Tensor, torch.Tensor | None, None, None, None]:
        factor = logit_scale / temperature
        z_NV = hidden @ weight.t()
        if bias is not None:
            z_NV += bias
        if factor != 1:
            z_NV *= factor
        z_NV -= z_NV.amax(dim=1, keepdim=True)
        target_z_N1 = z_NV.gather(1, targets[:, None])
        with_entropy = "entropy" in outputs
        exp_NV = z_NV.exp() if with_entropy else z_NV.exp_()
        total_N1 = exp_NV.sum(dim=1, keepdim=True)
        log_total_N1 = total_N1.log()
        entropy = None
        if with_entropy:
            entropy = log_total_N1[:, 0] - torch.linalg.vecdot(exp_NV, z_NV) / total_N1[:, 0]
            ctx.mark_non_differentiable(entropy)
        ctx.factor = factor
        ctx.save_for_backward(hidden, weight, targets, exp_NV, total_N1)
        return (target_z_N1 - log_total_N1)[:, 0], entropy, None, None, None

    @staticmethod
    def backward(ctx: Any, grad_N: torch.Tensor, *_: Any) -> tuple[torch.Tensor | None, ...]:
        """The probabilities are overwritten: a graph can be gone through once only."""
        hidden, weight, targets, exp_NV, total_N1 = ctx.saved_tensors
        scaled_N1 = (grad_N * ctx.factor)[:, None]
        grad_NV = exp_NV.mul_(-scaled_N1 / total_N1).scatter_add_(1, targets[:, None], scaled_N1)
        wants_hidden, wants_weight, wants_bias = ctx.needs_input_grad[:3]
        return (
            grad_NV @ weight if wants_hidden else None,
            grad_NV.t() @ hidden if wants_weight else None,
            grad_NV.sum(dim=0) if wants_bias else None,
            None,
            None,
            None,
            None,
        )
