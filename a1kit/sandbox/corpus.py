"""The programs that every sandbox is held to: hostile ones that must not win, legitimate ones that must not be hurt.

They ship as plain files, one property a file, so that tests, benchmarks, notebooks and the inspector all show the same
attacks:

    data/programs/hostile/*.py      what reinforcement learning, or malice, would try
    data/programs/legitimate/*.py   ordinary Python whose values have to arrive unharmed
    data/programs/references/*.py   the solutions that the attacked tests are about

A file opens with a sentence (its docstring: the property), then says what it is about, then comes the program:

    \"\"\"A result whose __eq__ is always true equals nothing that it is not.\"\"\"
    # kind: integrity
    # topic: equality
    # reference: total
    # call: total([1, 2, 3])
    # beats: exit-status, markers

    class Anything: ...

The sentence and the lines below it are *not* part of the program that runs, so a program that searches its own memory
does not find them. Keys of the head:

    kind       integrity    no call may ever count as right; `reference` says what would be
               containment  no trap of `a1kit.sandbox.traps` may go off at level `full`
               resource     each call ends as written after its arrow, and the calls after it are answered
               protocol     the child writes to the result descriptor itself; nothing of that may count
    topic      the row of the attack table it belongs to
    reference  a file of `references/`; its name is the entry point
    setup      a line that runs before each call (repeated)
    call       an expression, and after `->` the statuses it may end with, parted by `|` (repeated)
    repeat     how many times the calls are made in a row
    load       the statuses that loading may end with (default: any)
    beats      naive judges (`exit-status`, `markers`) that this program is known to fool
    harms      traps that it is known to spring where nothing contains it
    danger     `signal`: it aims at processes that are not its own. It is run with signal 0 first (`Traps.arm`)
    wait       seconds until harm would show
    requires   modules it imports that need not be installed
    python     the oldest Python it runs on
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec

from a1kit.sandbox.protocol import Status

_HEAD = re.compile(r'"""(?P<sentence>[^\n]+)"""\n(?P<fields>(?:# [a-z]+: ?[^\n]*\n)*)')
_KEYS = (
    *("kind", "topic", "reference", "setup", "call", "repeat", "load"),
    *("beats", "harms", "danger", "wait", "requires", "python"),
)


class Kind(StrEnum):
    """What a hostile program attacks."""

    INTEGRITY = "integrity"
    CONTAINMENT = "containment"
    RESOURCE = "resource"
    PROTOCOL = "protocol"


@dataclass(frozen=True, slots=True)
class CorpusCall:
    """One call of a corpus program; `ends` are the statuses it may end with (empty: any)."""

    expression: str
    ends: tuple[Status, ...] = ()


@dataclass(frozen=True, slots=True)
class HostileProgram:
    """A program that must not win. Fields as in the module's docstring; `reference` is source, "" if there is none."""

    name: str
    sentence: str
    kind: Kind
    topic: str
    source: str
    calls: tuple[CorpusCall, ...]
    reference: str = ""
    entry_point: str = "attack"
    setup: str = ""
    load: tuple[Status, ...] = ()
    beats: tuple[str, ...] = ()
    harms: tuple[str, ...] = ()
    dangerous: bool = False
    wait: float = 0.0
    requires: tuple[str, ...] = ()
    python: tuple[int, int] = (3, 11)

    @property
    def unmet(self) -> str:
        """Why this program cannot run here, or ""."""
        return _unmet(self.requires, self.python)


@dataclass(frozen=True, slots=True)
class LegitimateProgram:
    """An ordinary program; the values of `calls` must equal those of plain Python."""

    name: str
    sentence: str
    topic: str
    source: str
    calls: tuple[str, ...]
    requires: tuple[str, ...] = ()
    python: tuple[int, int] = (3, 11)

    @property
    def unmet(self) -> str:
        """Why this program cannot run here, or ""."""
        return _unmet(self.requires, self.python)


@cache
def hostile() -> tuple[HostileProgram, ...]:
    """Every hostile program, by kind, topic and name."""
    programs = [_hostile(_File.read(entry)) for entry in _python_files("hostile")]
    return tuple(sorted(programs, key=lambda program: (program.kind, program.topic, program.name)))


@cache
def legitimate() -> tuple[LegitimateProgram, ...]:
    """Every legitimate program, by topic and name."""
    programs = [_legitimate(_File.read(entry)) for entry in _python_files("legitimate")]
    return tuple(sorted(programs, key=lambda program: (program.topic, program.name)))


@cache
def reference(name: str) -> str:
    """Source of the reference solution `name`, whose entry point has the same name."""
    return (_folder("references") / f"{name}.py").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class _File:
    """A corpus file taken apart."""

    name: str
    sentence: str
    fields: dict[str, list[str]]
    source: str

    @classmethod
    def read(cls, entry: Traversable) -> _File:
        text = entry.read_text(encoding="utf-8")
        head = _HEAD.match(text)
        if head is None:
            raise ValueError(f"{entry.name} does not start with a one-line docstring and `# key: value` lines")
        fields: dict[str, list[str]] = {}
        for line in head["fields"].splitlines():
            key, _, value = line[2:].partition(":")
            if key not in _KEYS:
                raise ValueError(f"{entry.name} has the unknown key {key!r}; known are {', '.join(_KEYS)}")
            fields.setdefault(key, []).append(value.removeprefix(" "))
        source = text[head.end() :].lstrip("\n")
        return cls(entry.name.removesuffix(".py"), head["sentence"], fields, source)

    def one(self, key: str, default: str = "") -> str:
        return self.fields.get(key, [default])[0].strip()

    def several(self, key: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in self.one(key).split(",") if part.strip())

    @property
    def python(self) -> tuple[int, int]:
        major, _, minor = self.one("python", "3.11").partition(".")
        return int(major), int(minor)


def _hostile(file: _File) -> HostileProgram:
    name = file.one("reference")
    calls = tuple(_call(line) for line in file.fields.get("call", [])) * int(file.one("repeat", "1"))
    return HostileProgram(
        name=file.name,
        sentence=file.sentence,
        kind=Kind(file.one("kind")),
        topic=file.one("topic"),
        source=file.source,
        calls=calls,
        reference=reference(name) if name else "",
        entry_point=name or "attack",
        setup="\n".join(file.fields.get("setup", [])),
        load=_statuses(file.one("load")),
        beats=file.several("beats"),
        harms=file.several("harms"),
        dangerous=bool(file.one("danger")),
        wait=float(file.one("wait", "0")),
        requires=file.several("requires"),
        python=file.python,
    )


def _legitimate(file: _File) -> LegitimateProgram:
    return LegitimateProgram(
        name=file.name,
        sentence=file.sentence,
        topic=file.one("topic"),
        source=file.source,
        calls=tuple(line.strip() for line in file.fields.get("call", [])),
        requires=file.several("requires"),
        python=file.python,
    )


def _call(line: str) -> CorpusCall:
    expression, _, ends = line.partition(" -> ")
    return CorpusCall(expression.strip(), _statuses(ends))


def _statuses(text: str) -> tuple[Status, ...]:
    return tuple(Status(part.strip()) for part in text.split("|") if part.strip())


def _unmet(requires: tuple[str, ...], python: tuple[int, int]) -> str:
    if sys.version_info[:2] < python:
        return f"needs Python {python[0]}.{python[1]}"
    missing = [name for name in requires if find_spec(name) is None]
    return f"needs {', '.join(missing)}" if missing else ""


def _folder(name: str) -> Traversable:
    return files("a1kit_data") / "programs" / name


def _python_files(folder: str) -> Iterator[Traversable]:
    return (entry for entry in _folder(folder).iterdir() if entry.name.endswith(".py"))
