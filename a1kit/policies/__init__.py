"""Policies: language models that write and learn. Importing this package imports no torch.

`ScriptedPolicy` is the fake, `HFPolicy` any causal language model of transformers, updated by TRL's GRPOTrainer.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from a1kit.policies.config import LoraOptions, PolicyConfig
from a1kit.policies.protocol import Policy, Sampling
from a1kit.policies.scripted import ScriptedPolicy

if TYPE_CHECKING:
    from a1kit.policies.hf import HFPolicy

__all__ = ["HFPolicy", "LoraOptions", "Policy", "PolicyConfig", "Sampling", "ScriptedPolicy"]


def __getattr__(name: str) -> Any:
    if name == "HFPolicy":
        return import_module("a1kit.policies.hf").HFPolicy
    raise AttributeError(f"module 'a1kit.policies' has no attribute {name!r}")
