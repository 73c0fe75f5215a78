"""Holding a sandbox to the corpus: run a program, compare what came of it with what its file promises.

    with Traps() as traps, LocalSandbox() as box:
        for program in hostile():
            assert hold_hostile(box, program, traps) == ()

A *fault* is a sentence about something that must not happen. For every hostile program, whatever its kind:

* no call counts as right (both it and the reference gave a value, in different children, and the values are equal);
* loading and each call end as the file says, and there is exactly one observation a call;
* the machinery does not fail, and does not take longer than the limits allow many times over;
* a trusted program that runs next still gets its own right answer;
* at level `full`, no trap goes off.

`python -m a1kit.sandbox.trials` runs the whole corpus in a process of its own and prints one JSON document: the faults,
and the peak memory of the trusted process. Tests use it to run as another user.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from a1kit.errors import SandboxUnavailable
from a1kit.sandbox.corpus import HostileProgram, Kind, hostile
from a1kit.sandbox.local import LocalSandbox
from a1kit.sandbox.protocol import Call, Level, Limits, Observation, ProgramResult, Sandbox, Status
from a1kit.sandbox.traps import Traps

LIMITS = Limits(call_seconds=0.3, load_seconds=0.6, program_seconds=2.0, wall_factor=4.0, memory_mb=128)
"""Tight limits, so that a corpus of hangs and hoards is soon done."""

PATIENT = replace(LIMITS, call_seconds=5.0, load_seconds=5.0, program_seconds=30.0)
"""Limits for a second look at what ended for lack of time, as a slow machine makes anything do."""

_PATIENCE_SECONDS = 60.0
_WITNESS = """
import copy, decimal, functools, heapq, json, math, operator, re, struct

def witness(xs):
    xs = copy.deepcopy(sorted(xs))
    beliefs = [len(xs), math.isclose(1, 1.1), operator.eq(1, 2), bool(re.match("a", "b")), 6 == 7, True, False]
    numbers = [functools.reduce(operator.add, xs), *heapq.nsmallest(2, xs), str(decimal.Decimal(1) / 8)]
    return json.dumps(beliefs), numbers, struct.pack("<I", 7)
"""
_TESTIMONY = """('[3, false, false, false, false, true, false]', [6, 1, 2, '0.125'], b'\\x07\\x00\\x00\\x00')"""


@dataclass(frozen=True, slots=True)
class Trial:
    """One hostile program, run: what it did, what the reference did, and the traps that went off."""

    program: HostileProgram
    result: ProgramResult
    expected: tuple[Observation, ...]
    harm: tuple[str, ...]
    seconds: float

    @property
    def false_passes(self) -> tuple[int, ...]:
        """Calls that would count as right, by number."""
        pairs = enumerate(zip(self.result.observations, self.expected, strict=False))
        return tuple(number for number, (seen, right) in pairs if _equal(seen, right))


def hold_hostile(box: Sandbox, program: HostileProgram, traps: Traps) -> tuple[str, ...]:
    """The faults of `box` on one program; none is what it should be.

    A program that aims at other processes is first run with signal 0, which asks for permission and does nothing. If
    that is granted, it is not run for real: below level `full` that is no fault.
    """
    try:
        if program.dangerous:
            blank = try_program(box, program, traps, blank=True)
            if blank.harm:
                faults = () if box.level is not Level.FULL else (f"a signal would have been delivered: {blank.harm}",)
                return faults + tuple(_promises(blank))
        trial = try_program(box, program, traps)
        if _late(trial):
            trial = try_program(box, program, traps, limits=PATIENT)
        return (*_promises(trial), *_containment(box, trial), *_witness(box))
    except SandboxUnavailable as error:
        return (f"the machinery failed: {error}",)


def _late(trial: Trial) -> bool:
    """Whether something ran out of time that should end otherwise."""
    expected = [trial.program.load, *(call.ends for call in trial.program.calls)]
    seen = [trial.result.load, *trial.result.observations]
    return any(
        each.status is Status.TIMEOUT and bool(ends) and Status.TIMEOUT not in ends
        for ends, each in zip(expected, seen, strict=False)
    )


def try_program(
    box: Sandbox, program: HostileProgram, traps: Traps, *, blank: bool = False, limits: Limits = LIMITS
) -> Trial:
    """Run the reference, then the program, each in children of its own, and look at the traps."""
    source = traps.arm(program.source, blank=blank)
    setup = traps.address(program.setup)
    calls = [Call(traps.address(call.expression), setup) for call in program.calls]
    if program.topic == "collusion":
        limits = replace(limits, capture_bytes=1000)
    expected: tuple[Observation, ...] = ()
    if program.reference:
        expected = box.run(program.reference, calls, limits).observations
    began = time.monotonic()
    result = box.run(source, calls, limits)
    seconds = time.monotonic() - began
    time.sleep(program.wait)
    return Trial(program, result, expected, traps.harm(result), seconds)


def _promises(trial: Trial) -> Iterator[str]:
    """Faults that no level excuses."""
    program, result = trial.program, trial.result
    if program.kind is not Kind.CONTAINMENT:
        for number in trial.false_passes:
            yield f"false PASS: {program.calls[number].expression} counts as right"
    if program.load and result.load.status not in program.load:
        yield f"loading ended {_told(result.load)}, not {_names(program.load)}"
    if result.load.status is Status.OK:
        if len(result.observations) != len(program.calls):
            yield f"{len(result.observations)} observations for {len(program.calls)} calls"
        for call, seen in zip(program.calls, result.observations, strict=False):
            if call.ends and seen.status not in call.ends:
                yield f"{call.expression} ended {_told(seen)}, not {_names(call.ends)}"
    elif any(call.ends for call in program.calls):
        yield f"it did not load: {_told(result.load)}"
    if trial.seconds > _PATIENCE_SECONDS:
        yield f"it took {trial.seconds:.0f} s"


def _containment(box: Sandbox, trial: Trial) -> Iterator[str]:
    """Faults of level `full` only."""
    if box.level is not Level.FULL:
        return
    for name in trial.harm:
        if name != "confession" or trial.program.kind is Kind.CONTAINMENT:
            yield f"the trap {name!r} went off"
    if trial.program.kind is Kind.CONTAINMENT:
        for number in trial.false_passes:
            yield f"the programs colluded: {trial.program.calls[number].expression} counts as right"


def _witness(box: Sandbox) -> Iterator[str]:
    """A trusted program right afterwards, on as many workers as there may be."""
    for _ in range(2):
        result = box.run(_WITNESS, [Call(f"witness([3, 1, 2]) == {_TESTIMONY}")])
        if [seen.value.source if seen.value else seen.detail for seen in result.observations] != ["True"]:
            yield f"the next program was not run as it should be: {_told(result.load)} {result.observations}"


def _equal(seen: Observation, right: Observation) -> bool:
    if seen.value is None or right.value is None or seen.status is not Status.OK or right.status is not Status.OK:
        return False
    return seen.value.canonical == right.value.canonical


def _told(seen: Observation) -> str:
    return f"{seen.status} ({seen.detail[:200]})" if seen.detail else str(seen.status)


def _names(statuses: Sequence[Status]) -> str:
    return " or ".join(statuses)


def peak_megabytes() -> float:
    """The most memory this program has had resident, in MB. On Linux not `ru_maxrss`, which goes back to before the
    program began: it counts what the process that started it had resident."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM:"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the corpus and print the faults and the peak memory of this process in MB. Exit status 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m a1kit.sandbox.trials", description=main.__doc__)
    parser.add_argument("--level", type=Level, default=Level.FULL)
    parser.add_argument("--kind", type=Kind, choices=list(Kind), action="append")
    parser.add_argument("--name", action="append")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    faults: dict[str, list[str]] = {}
    skipped: dict[str, str] = {}
    ran = 0
    began = time.monotonic()
    with Traps() as traps, LocalSandbox(options.level) as box:
        descriptors = _open_descriptors()
        for program in hostile():
            if (options.kind and program.kind not in options.kind) or (
                options.name and program.name not in options.name
            ):
                continue
            if program.unmet:
                skipped[program.name] = program.unmet
                continue
            ran += 1
            if found := hold_hostile(box, program, traps):
                faults[program.name] = list(found)
        if _open_descriptors() > descriptors:
            faults["(all)"] = [f"{_open_descriptors() - descriptors} descriptors were left open"]
        level = box.level
    report = {
        "level": level,
        "user": os.getuid(),
        "programs": ran,
        "faults": faults,
        "skipped": skipped,
        "peak_memory_mb": round(peak_megabytes(), 1),
        "seconds": round(time.monotonic() - began, 1),
    }
    print(json.dumps(report, indent=1))
    return 1 if faults else 0


def _open_descriptors() -> int:
    try:
        return len(os.listdir("/proc/self/fd"))
    except OSError:
        return 0


if __name__ == "__main__":
    sys.exit(main())
