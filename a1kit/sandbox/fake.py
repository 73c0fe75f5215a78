"""A sandbox for tests: it answers from a script, or evaluates *trusted* programs right here.

    FakeSandbox({("def f(x): return x", "f(1)"): value_of(1)})     # a table: the value, or a whole Observation
    FakeSandbox(lambda job, call: Observation(Status.TIMEOUT))      # a function
    FakeSandbox()                                                   # runs the test's own programs in this process

Nothing is isolated and no limit is enforced, so nothing model-written may ever come here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from a1kit.errors import SandboxUnavailable
from a1kit.sandbox import codec, wire
from a1kit.sandbox.protocol import Call, Job, Level, Limits, Observation, ProgramResult, Status, Value

Script = Mapping[tuple[str, str], Observation | Value] | Callable[[Job, Call], Observation]


def value_of(thing: object) -> Value:
    """The `Value` a child would have sent for `thing`. Only for values this process made itself.

    Raises
    ------
    a1kit.sandbox.codec.Unsupported
        The value has no encoding.
    """
    return wire.read(codec.dumps(thing))


class FakeSandbox:
    """A `Sandbox` whose answers the test decides. `jobs` lists all that was asked, for assertions.

    `loads` maps a program to what loading it gives (default: it loads). `broken` makes every run raise
    `SandboxUnavailable`, as a real one whose machinery fails.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        loads: Mapping[str, Observation] | None = None,
        level: Level = Level.FULL,
        broken: bool = False,
    ):
        self.jobs: list[Job] = []
        self.broken = broken
        self.closed = False
        self._script, self._loads, self._level = script, dict(loads or {}), level

    @property
    def level(self) -> Level:
        return self._level

    def run(self, program: str, calls: Sequence[Call] = (), limits: Limits = Limits()) -> ProgramResult:
        return self.run_jobs([Job(program, tuple(calls), limits)])[0]

    def run_jobs(self, jobs: Sequence[Job]) -> list[ProgramResult]:
        if self.broken or self.closed:
            raise SandboxUnavailable("This fake sandbox was told to be broken, or is closed.")
        return [self._result(job) for job in jobs]

    async def arun_jobs(self, jobs: Sequence[Job]) -> list[ProgramResult]:
        return self.run_jobs(jobs)

    def close(self) -> None:
        self.closed = True

    def __enter__(self) -> FakeSandbox:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _result(self, job: Job) -> ProgramResult:
        self.jobs.append(job)
        load = self._loads.get(job.program, Observation(Status.OK))
        names: dict[str, Any] = {"__name__": "program"}
        if self._script is None and load.status is Status.OK:
            load = _load(job, names)
        if load.status is not Status.OK:
            return ProgramResult(load)
        return ProgramResult(load, tuple(self._answer(job, call, names) for call in job.calls))

    def _answer(self, job: Job, call: Call, names: dict[str, Any]) -> Observation:
        if self._script is None:
            return _evaluate(call, dict(names))
        if callable(self._script):
            return self._script(job, call)
        answer = self._script[job.program, call.expression]
        return Observation(Status.OK, answer) if isinstance(answer, Value) else answer


def _load(job: Job, names: dict[str, Any]) -> Observation:
    names.update({f"_{place}": codec.loads(value) for place, value in enumerate(job.values)})
    try:
        code = compile(job.program, "<program>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return _raised(error, Status.SYNTAX)
    try:
        exec(code, names)
    except Exception as error:
        return _raised(error)
    return Observation(Status.OK)


def _evaluate(call: Call, names: dict[str, Any]) -> Observation:
    try:
        exec(call.setup, names)
        return Observation(Status.OK, value_of(eval(call.expression, names)))
    except codec.Unsupported as error:
        return Observation(Status.UNSUPPORTED, detail=str(error))
    except Exception as error:
        return _raised(error)


def _raised(error: Exception, status: Status = Status.RAISED) -> Observation:
    kind = type(error)
    return Observation(
        status, None, kind.__name__, tuple(base.__name__ for base in kind.__mro__), f"{kind.__name__}: {error}"
    )
