"""Problem sets: the questions a run trains on and an evaluation scores.

    load("classic")                                        a built-in set, see `problem_sets()`
    load("tasks.jsonl", columns={"prompt": "text"})        a file: JSON lines, JSON, CSV, Parquet
    load("shard.parquet", preset="kodcode")                a file in a published format, see `a1kit.problems.presets`
    load("hub:KodCode/KodCode-V1", preset="kodcode")       a data set of the Hugging Face Hub (package `datasets`)

Built-in sets are modules with a function `load() -> ProblemSet`, imported when first asked for; a new one is a line
in `_BUILT_IN`. Checks here are static (`a1kit.problems.validation`): that a reference really passes its golden tests
needs a sandbox, which this package may not import; `a1kit.duel` has that check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Literal

from a1kit.errors import InputError
from a1kit.problems.sets import ProblemSet, Rejection

__all__ = ["ProblemSet", "Rejection", "load", "problem_sets"]

_BUILT_IN = {
    "classic": "a1kit.problems.classic:load",
    "micro": "a1kit.problems.micro:load",
    "micro-traps": "a1kit.problems.micro_traps:load",
    "humaneval": "a1kit.problems.loaders:humaneval",
}
"""Name of a built-in set → the module and function that make it."""


def problem_sets() -> tuple[str, ...]:
    """Names of the built-in sets."""
    return tuple(_BUILT_IN)


def load(
    source: str | PathLike[str],
    *,
    split: str | None = None,
    preset: str | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
    on_error: Literal["raise", "skip"] = "raise",
    limit: int | None = None,
    max_prompt_tokens: int | None = None,
    count_tokens: Callable[[str], int] | None = None,
) -> ProblemSet:
    """The problem set of that name, file (`path`) or data set (`hub:owner/name`, `hub:owner/name/config`).

    split              the one split wanted; a data set of the Hub is read with "train" when none is given
    preset, columns    format of the rows, and column needed → column there is (`a1kit.problems.presets`)
    on_error           "skip" leaves rows at fault out and counts them
    limit              stop after so many questions
    max_prompt_tokens  leaves out, and counts, questions whose prompts have more tokens by `count_tokens`

    Raises `QuestionError` for a row at fault, `InputError` for everything else that is wrong with the arguments or
    the file, `MissingDependency` when a package is needed. `result.counts` says what was left out and why.
    """
    if (max_prompt_tokens is None) != (count_tokens is None):
        raise InputError(
            "max_prompt_tokens and count_tokens go together: pass both, for example "
            "count_tokens=lambda text: len(tokenizer(text).input_ids)."
        )
    name = str(source)
    if name in _BUILT_IN:
        _refuse_file_options(name, preset=preset, columns=columns, limit=limit)
        problems = _built_in(name, split)
    else:
        problems = _external(name, split, preset, columns, encoding, on_error, limit)
    if max_prompt_tokens is None or count_tokens is None:
        return problems
    from a1kit.problems.loaders import within

    return within(problems, max_prompt_tokens, count_tokens)


def _built_in(name: str, split: str | None) -> ProblemSet:
    module, _, function = _BUILT_IN[name].partition(":")
    made: ProblemSet = getattr(import_module(module), function)()
    return made if split is None else made.split(split)


def _refuse_file_options(name: str, **options: object) -> None:
    for option, value in options.items():
        if value is not None:
            raise InputError(f"{option} is for files and data sets; {name!r} is a built-in set. Leave {option} out.")


def _external(
    name: str,
    split: str | None,
    preset: str | None,
    columns: Mapping[str, str] | None,
    encoding: str,
    on_error: Literal["raise", "skip"],
    limit: int | None,
) -> ProblemSet:
    from a1kit.problems.loaders import Reading, read_file, read_hub

    reading = Reading(preset or "plain", dict(columns or {}), encoding, on_error, limit)
    if name.startswith("hub:"):
        return read_hub(name.removeprefix("hub:"), split or "train", reading)
    path = Path(name)
    if not path.exists() and not path.suffix:
        raise InputError(_unknown(name))
    if split is not None:
        raise InputError(f"split={split!r}: a file has no splits. Leave it out, or use load(...).divided(0.1).")
    return read_file(path, reading)


def _unknown(name: str) -> str:
    close = get_close_matches(name, _BUILT_IN, n=1)
    guess = f" Did you mean {close[0]!r}?" if close else ""
    data_set = f" A data set of the Hub is written hub:{name}." if name.count("/") == 1 else ""
    return f"no problem set and no file {name!r}. Built-in sets: {', '.join(_BUILT_IN)}.{guess}{data_set}"
