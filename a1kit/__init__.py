"""a1kit: train a Code LLM and a Test LLM against each other (Code-A1, arXiv 2603.15611).

`import a1kit` is quick and imports no torch: names are loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_LAZY = {
    "judge": "a1kit.duel",
    "LocalSandbox": "a1kit.sandbox",
    "FakeSandbox": "a1kit.sandbox",
    "view": "a1kit_app.notebook",
}

__all__ = ["__version__", *sorted(_LAZY)]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'a1kit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
