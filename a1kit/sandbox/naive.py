"""Judges as people write them every day, re-created to be attacked: nobody should use them.

* `by_exit_status`: reference, candidate and assertions run in one interpreter; the program passes if it ends with
  status 0.
* `by_markers`: the protocol of the released Code-A1 judge as its paper's code describes it: reference, candidate and
  tests share one interpreter, a line is printed for each test, and the judge reads the lines.

Each judgement runs in a process group of its own with a time limit and is killed with it, since an attack on these
judges is an attack on the process that calls them. Nothing else contains it: a program judged here can do to your files
and processes what you can. So only attacks on *integrity* may be run here (`attack_of`), never those that aim at other
processes, at files or at the network.
"""

from __future__ import annotations

import ast
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from a1kit.sandbox.corpus import HostileProgram, Kind

_MEMORY = 4 << 30
# As much as evalplus asks for itself: its guard fails under a lower limit


class Ruling(StrEnum):
    """What a judge made of a wrong program."""

    CONTAINED = "contained"
    FALSE_PASS = "false PASS"
    CRASH = "crash"
    HANG = "hang"


@dataclass(frozen=True, slots=True)
class Attack:
    """A wrong program, the reference it is measured against, and the calls it is tested with."""

    program: str
    reference: str
    entry_point: str
    calls: tuple[str, ...]

    @property
    def inputs(self) -> list[list[Any]] | None:
        """The literal arguments of each call, or None where a call is not just the entry point with literals."""
        rows = []
        for call in self.calls:
            tree = ast.parse(call, mode="eval").body
            if not (isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and not tree.keywords):
                return None
            if tree.func.id != self.entry_point:
                return None
            try:
                rows.append([_literal(argument) for argument in tree.args])
            except ValueError:
                return None
        return rows

    @property
    def expected(self) -> list[Any]:
        """The reference's answers, computed here: references are part of the corpus and trusted."""
        names: dict[str, Any] = {}
        exec(self.reference, names)
        return [eval(call, dict(names)) for call in self.calls]


def attack_of(program: HostileProgram, source: str) -> Attack | None:
    """The program (as armed `source`) as an attack on a judge; None where only a sandbox may run it."""
    if program.kind is not Kind.INTEGRITY or program.dangerous or program.unmet:
        return None
    return Attack(source, program.reference, program.entry_point, tuple(call.expression for call in program.calls))


def by_exit_status(attack: Attack, seconds: float = 5.0) -> Ruling:
    """One interpreter for everything; status 0 is a pass."""
    end = run_script(_EXIT_STATUS, attack, seconds, {"reference": attack.reference})
    return ruling_of(end, end.status == 0)


def by_markers(attack: Attack, seconds: float = 5.0) -> Ruling:
    """One interpreter for everything; a printed marker is a pass of its test."""
    end = run_script(_MARKERS, attack, seconds, {"reference": attack.reference})
    passed = any(f"##TEST {number} PASS##" in end.output for number in range(len(attack.calls)))
    return ruling_of(end, passed)


NAIVE: Mapping[str, Callable[..., Ruling]] = {"exit-status": by_exit_status, "markers": by_markers}
"""The judges re-created here, by the name that the corpus uses."""


@dataclass(frozen=True, slots=True)
class End:
    """How a throwaway process ended: exit status (negative: signal), None when it was killed for its time."""

    status: int | None
    output: str
    errors: str


def throw_away(
    command: Sequence[str],
    seconds: float,
    folder: Path,
    environment: Mapping[str, str] | None = None,
) -> End:
    """Run a command in a process group and session of its own, which is killed as a whole when it ends or is late.

    Output goes through files, so that a process that was left behind cannot hold the caller up.
    """
    with open(folder / "stdout", "w+b") as output, open(folder / "stderr", "w+b") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            cwd=folder,
            env=None if environment is None else dict(environment),
            start_new_session=True,
            preexec_fn=_limit,
        )
        status: int | None
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _end_group(process)
        return End(status, _tail(output), _tail(errors))


def run_script(script: str, attack: Attack, seconds: float, extra: Mapping[str, str]) -> End:
    """Run a judge written as a script in a process of its own: it finds the attack, and `extra`, in `job`."""
    with tempfile.TemporaryDirectory(prefix="a1kit-naive-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        job = {
            "candidate": attack.program,
            "entry_point": attack.entry_point,
            "calls": attack.calls,
            "inputs": repr(attack.inputs),
            **extra,
        }
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        (folder / "judge.py").write_text(_COMMON + script, encoding="utf-8")
        return throw_away([sys.executable, "-I", str(folder / "judge.py"), str(folder / "job.json")], seconds, folder)


def ruling_of(end: End, passed: bool) -> Ruling:
    """What a judge made of a wrong program, from how its process ended and whether it said pass."""
    if passed:
        return Ruling.FALSE_PASS
    if end.status is None:
        return Ruling.HANG
    return Ruling.CRASH if end.status < 0 else Ruling.CONTAINED


def _literal(node: ast.expr) -> Any:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return ast.literal_eval(node.left) ** ast.literal_eval(node.right)
    if isinstance(node, ast.List):
        return [_literal(element) for element in node.elts]
    return ast.literal_eval(node)


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _end_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()


def _tail(file: Any) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - (1 << 20)))
    return bytes(file.read()).decode(errors="replace")


_COMMON = """
import json
import sys

with open(sys.argv[1]) as file:
    job = json.load(file)
"""

_EXIT_STATUS = """
def judge(job):
    oracle, candidate = {}, {}
    exec(job["reference"], oracle)
    exec(job["candidate"], candidate)
    entry_point, inputs = job["entry_point"], eval(job["inputs"])
    for number, call in enumerate(job["calls"]):
        if inputs is None:
            expected, got = eval(call, oracle), eval(call, candidate)
        else:
            expected = oracle[entry_point](*inputs[number])
            got = candidate[entry_point](*inputs[number])
        assert got == expected


judge(job)
"""

_MARKERS = """
def judge(job):
    oracle, candidate = {}, {}
    exec(job["reference"], oracle)
    exec(job["candidate"], candidate)
    for number, call in enumerate(job["calls"]):
        try:
            expected = eval(call, oracle)
            got = eval(call, candidate)
            if got == expected:
                print(f"##TEST {number} PASS##")
            else:
                print(f"##TEST {number} FAIL##")
        except Exception:
            print(f"##TEST {number} ERROR##")


judge(job)
"""
