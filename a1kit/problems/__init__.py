"""Problem sets: the questions a run trains on and an evaluation scores.

    load("classic")                                  a built-in set, see `problem_sets()`
    load("tasks.jsonl", columns={"prompt": "text"})  a file: JSONL, CSV, Parquet
    load("kodcode.parquet", preset="kodcode")        a file in a published format
    load("hub:KodCode/KodCode-V1", preset="kodcode") a data set of the Hugging Face Hub (package `datasets`)

Built-in sets are modules with a function `load() -> ProblemSet`, imported when first asked for; a new one is a line
in `_BUILT_IN`. Checks here are static (`a1kit.problems.validation`): that a reference really passes its golden tests
needs a sandbox, which this package may not import; `a1kit.duel` has that check.
"""

from __future__ import annotations

from importlib import import_module

from a1kit.errors import InputError
from a1kit.problems.sets import ProblemSet, Rejection

__all__ = ["ProblemSet", "Rejection", "load", "problem_sets"]

_BUILT_IN = {
    "classic": "a1kit.problems.classic",
    "micro": "a1kit.problems.micro",
    "micro-traps": "a1kit.problems.micro_traps",
}
"""Name of a built-in set → the module whose `load()` makes it."""


def problem_sets() -> tuple[str, ...]:
    """Names of the built-in sets."""
    return tuple(_BUILT_IN)


def load(name: str) -> ProblemSet:
    """The problem set of that name."""
    if name not in _BUILT_IN:
        raise InputError(f"no problem set {name!r}; the built-in ones are {', '.join(_BUILT_IN)}.")
    made = import_module(_BUILT_IN[name]).load()
    assert isinstance(made, ProblemSet)
    return made
