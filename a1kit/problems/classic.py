"""`classic`: function-level problems as people write them, each with the mistakes people make.

Every problem is one Python file of `data/problems/classic/`, cut into cells by `# %%` lines, so that an editor
highlights it and a diff shows one line a change. The file is read, never imported:

    # Triplets that add up to zero               the title
    # topics: lists, sorting, duplicates

    # %% prompt
    def three_sum(nums): ...                     signature and description; the last function is the entry point
    # %% reference
    def three_sum(nums): ...                     the solution that is right by definition
    # %% golden
    assert three_sum([]) == []                   at least 8 assertions; set-up lines belong to the next assertion
    # %% bug: keeps repeated triplets            at least 3: plausible, wrong, and caught by the golden tests
    def three_sum(nums): ...
    # %% subtle bug: skips repeats on one side   at least 1: wrong too, but the golden tests do not notice
    # witness: three_sum([0, 0, 0, 0])           a call on which it differs from the reference
    #-        while lo < hi and nums[lo] == nums[lo - 1]:
    #+        if lo < hi and nums[lo] == nums[lo - 1]:

A buggy version is written out whole, or as an edit of the reference: the lines behind `#-` occur there exactly once
and are replaced by the lines behind `#+`; one cell may hold several such edits.

    question.meta["title"], question.meta["topics"]   a string, a tuple of strings
    question.meta["bugs"]                             a tuple of `Bug(name, source, caught, witness)`

A problem belongs to the split `held_out` when the hash of its name says so (about one in four), else to `train`, so
that adding a problem never moves another. What is not here: problems that need files, a clock, randomness or packages.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

from a1kit.errors import QuestionError
from a1kit.parsing.source import module_tree
from a1kit.problems.sets import ProblemSet
from a1kit.types import Question

__all__ = ["Bug", "load", "parse_problem"]


class Bug(NamedTuple):
    """A wrong version of a reference. `caught` says whether the golden tests notice; `witness` is a call on which it
    differs from the reference ("" for a bug that is caught: the failing golden test shows it)."""

    name: str
    source: str
    caught: bool
    witness: str


class _Cell(NamedTuple):
    header: str
    lines: tuple[str, ...]
    row: int

    @property
    def body(self) -> str:
        return "\n".join(self.lines).strip("\n") + "\n"


def load() -> ProblemSet:
    """All classic problems in the order of their names, with the splits `train` and `held_out`."""
    folder = files("a1kit_data") / "problems" / "classic"
    entries = sorted((entry for entry in folder.iterdir() if _is_problem(entry.name)), key=lambda entry: entry.name)
    questions = tuple(
        parse_problem(entry.name.removesuffix(".py"), entry.read_text(encoding="utf-8")) for entry in entries
    )
    splits: dict[str, list[str]] = {"train": [], "held_out": []}
    for question in questions:
        splits["held_out" if _is_held_out(question.entry_point) else "train"].append(question.id)
    return ProblemSet("classic", questions, {name: tuple(ids) for name, ids in splits.items()})


def parse_problem(name: str, text: str) -> Question:
    """The question in the text of one problem file; `name` is the file's name without `.py` and the entry point."""
    title, topics = _heading(name, text)
    parts: dict[str, str] = {}
    bugs: list[Bug] = []
    for cell in _cells(name, text):
        kind, _, rest = cell.header.partition(":")
        if kind in ("prompt", "reference", "golden") and not rest:
            parts[kind] = cell.body
        elif kind in ("bug", "subtle bug") and rest.strip():
            bugs.append(_bug(name, cell, parts.get("reference", ""), caught=kind == "bug"))
        else:
            remedy = "Cells are prompt, reference, golden, bug: NAME, subtle bug: NAME."
            raise _fault(name, cell.row, f"unknown cell {cell.header!r}", remedy)
    for kind in ("prompt", "reference", "golden"):
        if kind not in parts:
            raise _fault(name, 1, f"no cell {kind!r}", f"Add a line `# %% {kind}`.")
    return Question(
        id=f"classic/{name}",
        prompt=parts["prompt"],
        entry_point=name,
        reference=parts["reference"],
        golden=tuple(_assertions(parts["golden"])),
        meta={"title": title, "topics": topics, "bugs": tuple(bugs)},
    )


def _is_problem(name: str) -> bool:
    return name.endswith(".py") and not name.startswith("_")


def _is_held_out(entry_point: str) -> bool:
    return hashlib.sha256(entry_point.encode()).digest()[0] % 4 == 0


def _fault(name: str, row: int, reason: str, remedy: str) -> QuestionError:
    return QuestionError.at(f"problem file {name}.py, line {row}", "", reason, remedy)


def _heading(name: str, text: str) -> tuple[str, tuple[str, ...]]:
    lines = text.splitlines()
    if len(lines) < 2 or not lines[0].startswith("# ") or not lines[1].startswith("# topics:"):
        raise _fault(name, 1, "no heading", "The first two lines are `# Title` and `# topics: a, b`.")
    topics = lines[1].removeprefix("# topics:").split(",")
    return lines[0].removeprefix("# ").strip(), tuple(topic.strip() for topic in topics)


def _cells(name: str, text: str) -> Iterator[_Cell]:
    lines = text.splitlines()
    starts = [row for row, line in enumerate(lines) if line.startswith("# %% ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield _Cell(lines[start].removeprefix("# %% ").strip(), tuple(lines[start + 1 : end]), start + 1)


def _bug(name: str, cell: _Cell, reference: str, *, caught: bool) -> Bug:
    witness = "".join(line.removeprefix("# witness:").strip() for line in cell.lines if line.startswith("# witness:"))
    if not caught and not witness:
        remedy = "Add `# witness: CALL`, on which it differs from the reference."
        raise _fault(name, cell.row, "a subtle bug without a witness", remedy)
    if any(line.startswith(("#-", "#+")) for line in cell.lines):
        source = _edited(name, cell, reference)
    else:
        code = [line for line in cell.lines if not line.startswith("# witness:")]
        source = "\n".join(code).strip("\n") + "\n"
    return Bug(cell.header.partition(":")[2].strip(), source, caught, witness)


def _edited(name: str, cell: _Cell, reference: str) -> str:
    source = "\n" + reference
    for old, new in _edits(cell):
        found = source.count("\n" + old)
        if found != 1:
            reason = f"the lines {old!r} occur {found} times in the reference"
            raise _fault(name, cell.row, reason, "They must occur exactly once.")
        source = source.replace("\n" + old, "\n" + new)
    return source.removeprefix("\n")


def _edits(cell: _Cell) -> Iterator[tuple[str, str]]:
    """(old, new) for every run of `#-` lines with the `#+` lines after it, each as whole lines."""
    old: list[str] = []
    new: list[str] = []
    for line in (*cell.lines, "#-"):
        if line.startswith("#-") and (new or line == "#-"):
            if old:
                yield "".join(f"{text}\n" for text in old), "".join(f"{text}\n" for text in new)
            old, new = [], []
        if line.startswith("#-"):
            old.append(line.removeprefix("#-"))
        elif line.startswith("#+"):
            new.append(line.removeprefix("#+"))


def _assertions(cell: str) -> Iterator[str]:
    """Each assertion of the golden cell with the set-up lines before it."""
    lines = cell.splitlines()
    start = 0
    for statement in module_tree(cell).body:
        if isinstance(statement, ast.Assert):
            assert statement.end_lineno is not None
            yield "\n".join(lines[start : statement.end_lineno]).strip("\n")
            start = statement.end_lineno
