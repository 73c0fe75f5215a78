"""Honest programs lose nothing: every value arrives as plain Python computes it."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from a1kit.sandbox import Call, Job, Limits, LocalSandbox, Observation, ProgramResult, Status
from a1kit.sandbox.corpus import LegitimateProgram, legitimate

PATIENT = Limits(call_seconds=10.0, load_seconds=10.0, program_seconds=30.0)


@cache
def plain(program: str, expressions: tuple[str, ...]) -> list[str]:
    """Descriptions of the values, computed by an interpreter of its own without a sandbox."""
    found = subprocess.run(
        [sys.executable, "-P", str(Path(__file__).with_name("plain.py"))],
        input=json.dumps([program, expressions]),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={"PYTHONHASHSEED": "0", "PATH": "/usr/bin:/bin"},
    )
    answers: list[str] = json.loads(found.stdout)
    return answers


def rebuilt(result: ProgramResult) -> list[str]:
    """Descriptions of the values that the sources in a result build."""
    values = [seen.value for seen in result.observations if seen.value]
    imports = sorted({line for value in values for line in value.imports})
    return plain("\n".join(imports), tuple(value.source or "no source" for value in values))


def job(program: LegitimateProgram, hash_seed: int = 0) -> Job:
    return Job(program.source, tuple(map(Call, program.calls)), PATIENT, hash_seed=hash_seed)


def runnable() -> list[LegitimateProgram]:
    return [program for program in legitimate() if not program.unmet]


def every(box: LocalSandbox, hash_seed: int) -> list[Observation]:
    """Observations of all calls of all programs."""
    results = box.run_jobs([job(program, hash_seed) for program in runnable()])
    return [seen for result in results for seen in result.observations]


@pytest.mark.parametrize("program", [pytest.param(each, id=f"{each.name}: {each.sentence}") for each in legitimate()])
def test_an_honest_program_keeps_its_values(sandbox: LocalSandbox, program: LegitimateProgram) -> None:
    if program.unmet:
        pytest.skip(program.unmet)
    (result,) = sandbox.run_jobs([job(program)])
    assert result.load.status is Status.OK, result.load.detail
    endings = [(seen.status, seen.detail) for seen in result.observations]
    assert endings == [(Status.OK, "")] * len(program.calls)
    assert rebuilt(result) == plain(program.source, program.calls)


def test_the_order_of_sets_does_not_change_what_a_value_equals(sandbox: LocalSandbox) -> None:
    zero, one = ([seen.value and seen.value.canonical for seen in every(sandbox, seed)] for seed in (0, 1))
    assert zero == one


def test_values_that_differ_are_told_apart(sandbox: LocalSandbox) -> None:
    """Over all values of the corpus, equal strict texts and equal plain values are the same thing."""
    expected = [text for program in runnable() for text in plain(program.source, program.calls)]
    description_of: dict[str, str] = {}
    for seen, description in zip(every(sandbox, 0), expected, strict=True):
        assert seen.value is not None
        assert description_of.setdefault(seen.value.strict, description) == description


def test_the_corpus_is_large_enough() -> None:
    assert len(legitimate()) >= 60
    assert all(program.calls and program.sentence.endswith(".") for program in legitimate())
