"""Mutants judged in the sandbox, beside cosmic-ray itself: do the verdicts agree, and how much faster is it?

    a1kit bench mutants           # 1,000 mutants or more; cosmic-ray needs some ten minutes for its half
    a1kit bench mutants --quick   # one small problem

Both get the same programs (references of the classic problems) and the same few tests, so that some mutants survive.
cosmic-ray runs as its manual says: `cosmic-ray init`, `cosmic-ray exec`, its local distributor, one start of pytest a
mutant, with all that makes pytest quick: it stops at the first failure and loads no plugins. A verdict is killed or
survived; where the two differ, the mutant is listed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from a1kit.duel import Judge
from a1kit.errors import InfrastructureError
from a1kit.evaluation.mutation import Case, Fate, play_mutants
from a1kit.mutants import mutants
from a1kit.problems import load
from a1kit.sandbox import LocalSandbox
from a1kit.types import Question

WANTED, QUICK = 1000, 40
"""Mutants at least."""

TESTS = 3
"""Golden tests of each problem that are used: few, so that some mutants survive."""

TIMEOUT = 5.0
"""Wall seconds that cosmic-ray gives pytest for one mutant."""

Name = tuple[str, str, int]
"""Question, operator, occurrence: what a mutant is called on both sides."""


@dataclass(frozen=True, slots=True)
class Side:
    """What one of the two found: the fate of each mutant, and the seconds it took."""

    fates: Mapping[Name, Fate]
    seconds: float


def run(quick: bool = False, wanted: int | None = None) -> dict[str, Any]:
    """The report: one row a judge, agreement, ratio of times, and the mutants about which they differ."""
    questions = _questions(wanted or (QUICK if quick else WANTED), smallest=quick)
    ours, theirs = by_sandbox(questions), by_cosmic_ray(questions)
    return compared(ours, theirs, len(questions))


def compared(ours: Side, theirs: Side, questions: int) -> dict[str, Any]:
    """The report of two sides."""
    shared = ours.fates.keys() & theirs.fates.keys()
    differ = sorted(name for name in shared if ours.fates[name].counts_as_killed != theirs.fates[name].counts_as_killed)
    hung = sum(fate is Fate.TIMEOUT for fate in theirs.fates.values())
    return {
        "judges": [_row("a1kit", ours), _row("cosmic-ray", theirs)],
        "comparison": {
            "questions": questions,
            "mutants in both": len(shared),
            "mutants in one only": len(ours.fates.keys() ^ theirs.fates.keys()),
            "same verdict": len(shared) - len(differ),
            "agreement": round(1 - len(differ) / max(1, len(shared)), 5),
            "times as fast": round(theirs.seconds / ours.seconds, 1),
            "times as fast, cosmic-ray's time-outs not counted": round(
                (theirs.seconds - hung * TIMEOUT) / ours.seconds, 1
            ),
        },
        "differing verdicts": [
            f"{question} {operator} {occurrence}: a1kit {ours.fates[question, operator, occurrence]}, "
            f"cosmic-ray {theirs.fates[question, operator, occurrence]}"
            for question, operator, occurrence in differ
        ],
    }


def by_sandbox(questions: Sequence[Question]) -> Side:
    """All mutants of the questions in the sandbox, from the references to the verdicts."""
    with LocalSandbox() as sandbox:
        judge = Judge(sandbox, program_seconds=3.0)
        started = time.perf_counter()
        cases = [Case(question, question.golden[:TESTS], mutants(question.reference)) for question in questions]
        results = play_mutants(judge, cases)
        seconds = time.perf_counter() - started
    fates = {
        (case.question.id, one.mutant.operator, one.mutant.occurrence): one.fate(TESTS)
        for case, row in zip(cases, results, strict=True)
        for one in row
    }
    return Side(fates, seconds)


def by_cosmic_ray(questions: Sequence[Question]) -> Side:
    """All mutants of the questions by cosmic-ray's own commands, a session a question."""
    fates: dict[Name, Fate] = {}
    seconds = 0.0
    for question in questions:
        with tempfile.TemporaryDirectory(prefix="a1kit-mutants-") as name:
            folder = Path(name)
            write_project(folder, question)
            started = time.perf_counter()
            for words in (("init", "config.toml", "work.sqlite"), ("exec", "config.toml", "work.sqlite")):
                _cosmic_ray(folder, *words)
            seconds += time.perf_counter() - started
            fates.update(_dumped(question.id, _cosmic_ray(folder, "dump", "work.sqlite")))
    return Side(fates, seconds)


def write_project(folder: Path, question: Question) -> None:
    """The module, its tests and cosmic-ray's configuration."""
    (folder / "program.py").write_text(question.reference, encoding="utf-8")
    tests = [
        f"def test_{number}():\n{textwrap.indent(source, '    ')}\n"
        for number, source in enumerate(question.golden[:TESTS])
    ]
    text = "\n\n".join([f"from program import {question.entry_point}\n", *tests])
    (folder / "test_program.py").write_text(text, encoding="utf-8")
    command = f"{sys.executable} -m pytest -x -q -p no:cacheprovider test_program.py"
    settings = [
        "[cosmic-ray]",
        'module-path = "program.py"',
        f"timeout = {TIMEOUT}",
        "excluded-modules = []",
        f"test-command = {json.dumps(command)}",
        "[cosmic-ray.distributor]",
        'name = "local"',
    ]
    (folder / "config.toml").write_text("\n".join(settings) + "\n", encoding="utf-8")


def _cosmic_ray(folder: Path, *words: str) -> str:
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from cosmic_ray.cli import main; sys.exit(main())", *words],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise InfrastructureError(f"cosmic-ray {words[0]} failed: {done.stderr.strip()[-500:]}")
    return done.stdout


def _dumped(question: str, text: str) -> Iterable[tuple[Name, Fate]]:
    """Names and fates from `cosmic-ray dump`: JSON lines, a pair of mutation and result each."""
    for line in text.splitlines():
        item, result = json.loads(line)
        (mutation,) = item["mutations"]
        if result is None:
            raise InfrastructureError(f"cosmic-ray left {mutation['operator_name']} of {question} without a result")
        fate = Fate.SURVIVED if result["test_outcome"] == "survived" else Fate.KILLED
        if result["output"] == "timeout":
            fate = Fate.TIMEOUT
        yield (question, mutation["operator_name"], mutation["occurrence"]), fate


def _questions(wanted: int, *, smallest: bool) -> list[Question]:
    """Classic problems until there are enough mutants: the smallest ones, or in the order of their names."""
    everything = list(load("classic"))
    if smallest:
        everything.sort(key=lambda question: len(question.reference))
    chosen, count = [], 0
    for question in everything:
        if count >= wanted:
            break
        chosen.append(question)
        count += len(mutants(question.reference))
    return chosen


def _row(name: str, side: Side) -> dict[str, Any]:
    fates = list(side.fates.values())
    return {
        "judge": name,
        "mutants": len(fates),
        "killed": sum(fate.counts_as_killed for fate in fates),
        "of these only timed out": fates.count(Fate.TIMEOUT),
        "survived": fates.count(Fate.SURVIVED),
        "seconds": round(side.seconds, 2),
        "ms a mutant": round(1000 * side.seconds / max(1, len(fates)), 2),
    }
