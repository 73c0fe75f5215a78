"""What a sandbox is: programs and calls go in, values come out. Verdicts are made elsewhere.

    with LocalSandbox() as box:
        result = box.run("def f(x): return x + 1", [Call("f(1)"), Call("f('a')")])
        result.observations[0].value.source   # "2"
        result.observations[1].detail         # "TypeError: ..."

A backend promises (`tests/conformance` holds every backend to it):

* the program's child never receives anything but the program, the set-up and the calls;
* `observations` has exactly one entry a call, in order; what is missing is never `OK`;
* failure of the machinery raises `SandboxUnavailable`; it is never an observation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable


class Level(StrEnum):
    """How much the kernel contains. Verdict integrity and time limits hold at every level."""

    FULL = "full"
    PARTIAL = "partial"
    LIMITS_ONLY = "limits-only"


class Status(StrEnum):
    """What became of loading a program, or of one call."""

    OK = "ok"
    SYNTAX = "syntax"
    RAISED = "raised"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASHED = "crashed"
    REFUSED = "refused"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class Call:
    """An expression to evaluate in the program's namespace, after `setup` has run in a copy of it."""

    expression: str
    setup: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one program. Seconds of CPU by the child's clock; `wall_factor` times that is the wall backstop."""

    call_seconds: float = 1.0
    load_seconds: float = 3.0
    program_seconds: float = 10.0
    wall_factor: float = 3.0
    memory_mb: int = 512
    output_bytes: int = 4 << 20
    capture_bytes: int = 0
    """How much of stdout and stderr to keep (0: none)."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value that crossed the wire. `canonical` decides equality (Python's `==`, except nan equals nan), `strict` the
    same with types; `source` is a Python expression that rebuilds it, None when there is none. `wire` is the encoded
    tree, never decoded into Python objects in the trusted process."""

    canonical: str
    strict: str
    wire: bytes
    source: str | None
    imports: tuple[str, ...] = ()
    """Statements `source` needs, e.g. `from decimal import Decimal`."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What one call gave. `value` only with `OK`; `exception` is the type's name, `bases` those of its MRO."""

    status: Status
    value: Value | None = None
    exception: str | None = None
    bases: tuple[str, ...] = ()
    detail: str = ""
    cpu_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """What a program did: whether it loaded, and one observation a call (all empty when it did not load)."""

    load: Observation
    observations: tuple[Observation, ...] = ()
    stdout: str = ""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    peak_memory_mb: float = 0.0
    events: tuple[str, ...] = field(default=())
    """What the host noticed: "forged-frame", "output-cap", "early-exit", ..."""


@dataclass(frozen=True, slots=True)
class Job:
    """One program with its calls. `values` are wire values bound to `_0 … _n` before the program runs (used to check
    assertions over observed values; never for a candidate)."""

    program: str
    calls: tuple[Call, ...] = ()
    limits: Limits = Limits()
    values: tuple[bytes, ...] = ()
    hash_seed: int = 0
    """PYTHONHASHSEED of the child: backends offer at least the seeds 0 and 1."""


@runtime_checkable
class Sandbox(Protocol):
    """A judge's hands. Safe to use from many threads; `close` (or leaving `with`) ends every process it started."""

    @property
    def level(self) -> Level: ...

    def run(self, program: str, calls: Sequence[Call] = (), limits: Limits = Limits()) -> ProgramResult:
        """Run one program and its calls."""
        ...

    def run_jobs(self, jobs: Sequence[Job]) -> list[ProgramResult]:
        """Run many, in parallel over the zygotes; results in order."""
        ...

    async def arun_jobs(self, jobs: Sequence[Job]) -> list[ProgramResult]:
        """`run_jobs` for asyncio callers."""
        ...

    def close(self) -> None: ...
