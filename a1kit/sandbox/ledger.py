"""What is known about one job while its children come and go.

A job is usually one child. When a child hangs or dies in a call, that call has its verdict and the calls that remain
are given to a fresh child, until all have one or the program's total time is spent. The ledger says what to send next,
takes in what a child sent (bytes it does not trust) with the zygote's report of how it ended (which it does), and makes
the `ProgramResult`. No input or output happens here.
"""

from __future__ import annotations

import marshal
import os
import signal
from dataclasses import dataclass, field, replace
from json import JSONDecoder

from a1kit.errors import InputError
from a1kit.sandbox import frames
from a1kit.sandbox.host import Report
from a1kit.sandbox.protocol import Job, Observation, ProgramResult, Status
from a1kit.sandbox.wire import WireError, read

MAX_JOB_BYTES = 64 << 20
_MAX_FAILURE_BYTES = 1 << 16
_MAX_FAILURE_BRACKETS = 1_000
_MAX_FORGED_FRAMES = 1_000
_LEAST_SECONDS = 0.002
_MEGABYTE = 1 << 20

_STATUS_OF_KIND = {
    frames.RAISED: Status.RAISED,
    frames.UNSUPPORTED: Status.UNSUPPORTED,
    frames.MEMORY: Status.MEMORY,
    frames.REFUSED: Status.REFUSED,
    frames.SYNTAX: Status.SYNTAX,
}
_decode_json = JSONDecoder().decode


class OutsideKill(Exception):
    """The child was killed by something that is neither the sandbox nor, as far as can be, the program."""


@dataclass(frozen=True, slots=True)
class Frame:
    kind: int
    cpu_seconds: float
    payload: bytes


@dataclass(slots=True)
class Ledger:
    """One job's account. `unanswered` are the calls (places in `job.calls`) that no child has answered yet."""

    job: Job
    signals_blocked: bool = True
    deaths: int = 0
    load: Frame | Observation | None = None
    answers: dict[int, Frame | Observation] = field(default_factory=dict)
    unanswered: list[int] = field(default_factory=list)
    finished: bool = False
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    peak_bytes: int = 0
    kept_bytes: int = 0
    events: dict[str, None] = field(default_factory=dict)
    output: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        self.unanswered = list(range(len(self.job.calls)))

    @property
    def room(self) -> int:
        """Bytes of frames that may still be kept."""
        return max(0, self.job.limits.output_bytes - self.kept_bytes)

    @property
    def room_for_frames(self) -> int:
        """Bytes that an honest child can send at most: what it is told it may keep, and a little for every frame."""
        return self.room + frames.SMALLEST_FAILURE * (len(self.unanswered) + 2)

    def order(self, number: int, length: int) -> bytes:
        """The next child's limits and the length of its job, for the zygote."""
        limits = self.job.limits
        return frames.ORDER.pack(
            number,
            length,
            limits.memory_mb * _MEGABYTE,
            limits.load_seconds,
            limits.call_seconds,
            max(_LEAST_SECONDS, limits.program_seconds - self.cpu_seconds),
            limits.wall_factor,
            max(_LEAST_SECONDS, limits.program_seconds * limits.wall_factor - self.wall_seconds),
            limits.capture_bytes > 0,
        )

    def payload(self) -> bytes:
        """The next child's job.

        Raises
        ------
        InputError
            The program and its calls are larger than `MAX_JOB_BYTES`.
        """
        calls = self.job.calls
        asked = [(calls[place].expression, calls[place].setup) for place in self.unanswered]
        data = marshal.dumps((self.job.program, asked, list(self.job.values), self.room))
        if len(data) > MAX_JOB_BYTES:
            raise InputError(
                f"A program with its calls is {len(data)} bytes; the sandbox takes at most {MAX_JOB_BYTES}. "
                "Give it fewer or smaller calls."
            )
        return data

    def take(self, report: Report, data: bytes, overflowed: bool) -> None:
        """Enter what one child sent and how it ended.

        Raises
        ------
        OutsideKill
            The kernel or someone else killed the child; nothing has been entered.
        """
        killed = report.reason == frames.END_ITSELF and os.WIFSIGNALED(report.wait_status)
        if killed and os.WTERMSIG(report.wait_status) == signal.SIGKILL and self.signals_blocked and not overflowed:
            raise OutsideKill(f"peak memory {report.peak_bytes // _MEGABYTE} MB")
        self.cpu_seconds += report.cpu_seconds
        self.wall_seconds += report.wall_seconds
        self.peak_bytes = max(self.peak_bytes, report.peak_bytes)
        asked = self.unanswered
        loaded = self.enter(data, asked)
        self.unanswered = [place for place in asked if place not in self.answers]
        if overflowed:
            self.events["output-cap"] = None
        if loaded is None:
            self.close_unloaded(self.ending(report, overflowed))
        elif loaded.kind != frames.VALUE:
            self.close_unloaded(self.failure(loaded))
        elif self.unanswered:
            ending = self.ending(report, overflowed)
            self.answers[self.unanswered.pop(0)] = ending
            if overflowed or report.reason == frames.END_PROGRAM_TIME:
                self.give_up(ending)
        self.conclude()

    def conclude(self) -> None:
        """Finish when every call is answered, or there is no time to answer more."""
        limits = self.job.limits
        spent = self.cpu_seconds >= limits.program_seconds - _LEAST_SECONDS
        spent = spent or self.wall_seconds >= limits.program_seconds * limits.wall_factor
        if self.unanswered and spent and not self.finished:
            detail = f"not reached in the program's {limits.program_seconds:g} s"
            self.give_up(Observation(Status.TIMEOUT, detail=detail))
        self.finished = self.finished or not self.unanswered

    def give_up(self, ending: Observation) -> None:
        for place in self.unanswered:
            self.answers[place] = ending
        self.unanswered = []
        self.finished = True

    def close_unloaded(self, ending: Observation) -> None:
        """A child did not load: the program's fate at first; later, when it had loaded before, its calls'."""
        if self.load is None:
            self.load = ending
            self.answers.clear()
            self.unanswered = []
            self.finished = True
        else:
            self.give_up(ending)

    def enter(self, data: bytes, asked: list[int]) -> Frame | None:
        """Sort a child's frames; the first one for a place counts. Returns the frame about loading, if any."""
        header = frames.FRAME
        loaded: Frame | None = None
        position = done = forged = 0
        while position + header.size <= len(data) and forged < _MAX_FORGED_FRAMES:
            length, place, kind, cpu = header.unpack_from(data, position)
            if position + header.size + length > len(data):
                break
            position += header.size
            frame = Frame(kind, cpu if 0.0 <= cpu < 1e6 else 0.0, data[position : position + length])
            position += length
            if place == frames.LOADED and loaded is None:
                loaded = frame
            elif place == frames.DONE and not done:
                done = 1
            elif loaded and 0 <= place < len(asked) and asked[place] not in self.answers:
                self.answers[asked[place]] = frame
                self.kept_bytes += len(frame.payload)
            else:
                forged += 1
                self.events["forged-frame"] = None
        if position < len(data):
            self.events["partial-frame"] = None
        if loaded is not None and self.load is None and loaded.kind == frames.VALUE:
            self.load = loaded
        return loaded

    def ending(self, report: Report, overflowed: bool) -> Observation:
        """Why the call in hand (or loading) has no answer."""
        limits, reason = self.job.limits, report.reason
        if overflowed:
            return Observation(Status.CRASHED, detail=f"sent more than {limits.output_bytes} bytes of results")
        if reason == frames.END_CALL_TIME:
            seconds = limits.load_seconds if self.load is None else limits.call_seconds
            return Observation(Status.TIMEOUT, detail=f"more than {seconds:g} s", cpu_seconds=seconds)
        if reason == frames.END_PROGRAM_TIME:
            return Observation(Status.TIMEOUT, detail=f"the program took more than {limits.program_seconds:g} s in all")
        if reason == frames.END_WALL:
            return Observation(Status.TIMEOUT, detail="it waited without working until the wall-clock limit")
        if reason == frames.END_CANCELLED:
            self.events["early-exit"] = None
            return Observation(Status.CRASHED, detail="it closed its result channel")
        if os.WIFSIGNALED(report.wait_status):
            number = os.WTERMSIG(report.wait_status)
            if number == signal.SIGXCPU:
                return Observation(Status.TIMEOUT, detail=f"the program took more than {limits.program_seconds:g} s")
            return Observation(Status.CRASHED, detail=f"killed by {_signal_name(number)}")
        code = os.WEXITSTATUS(report.wait_status)
        if code == frames.EXIT_MEMORY:
            return Observation(Status.MEMORY, detail=f"more than {limits.memory_mb} MB")
        self.events["early-exit"] = None
        return Observation(Status.CRASHED, detail=f"it ended its process (exit status {code})")

    def failure(self, frame: Frame) -> Observation:
        """A frame that reports a failure, as far as it makes sense."""
        status = _STATUS_OF_KIND.get(frame.kind)
        try:
            if len(frame.payload) > _MAX_FAILURE_BYTES or frame.payload.count(b"[") > _MAX_FAILURE_BRACKETS:
                raise ValueError("too large or too deep")
            name, bases, detail = _decode_json(frame.payload.decode("ascii"))
            sensible = status is not None and all(type(text) is str for text in (name, detail, *bases))
        except (ValueError, TypeError, RecursionError):
            sensible = False
        if status is None or not sensible:
            self.events["forged-frame"] = None
            return Observation(status or Status.CRASHED, detail="it sent a result that makes no sense")
        return Observation(status, None, name or None, tuple(bases), detail, frame.cpu_seconds)

    def observe(self, answer: Frame | Observation) -> Observation:
        """The observation of one call."""
        if isinstance(answer, Observation):
            return answer
        if answer.kind == frames.SYNTAX:
            return replace(self.failure(answer), status=Status.RAISED)
        if answer.kind != frames.VALUE:
            return self.failure(answer)
        try:
            return Observation(Status.OK, read(answer.payload), cpu_seconds=answer.cpu_seconds)
        except WireError as error:
            self.events["forged-frame"] = None
            return Observation(Status.UNSUPPORTED, detail=f"not a value: {error}", cpu_seconds=answer.cpu_seconds)

    def result(self) -> ProgramResult:
        """The finished account."""
        load = self.load
        if isinstance(load, Frame):
            load = Observation(Status.OK, cpu_seconds=load.cpu_seconds)
        assert load is not None and self.finished, "a ledger is closed before its result is taken"
        observations = tuple(self.observe(self.answers[place]) for place in sorted(self.answers))
        return ProgramResult(
            load=load,
            observations=observations,
            stdout=self.output.decode("utf-8", "replace"),
            cpu_seconds=self.cpu_seconds,
            wall_seconds=self.wall_seconds,
            peak_memory_mb=self.peak_bytes / _MEGABYTE,
            events=tuple(self.events),
        )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
