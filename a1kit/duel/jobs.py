"""Jobs of any size: split before they are too large to send, and asked again one by one when they answer too much.

A child may send `Limits.output_bytes` in all. When it is stopped there, its remaining calls have no answer through no
fault of their own (they may even belong to another suite), so each of them is run by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from a1kit.sandbox.protocol import Call, Job, ProgramResult, Sandbox, Status

MAX_CALL_CHARACTERS = 8_000_000
"""Source of calls and set-up that one child is sent."""


def run_jobs(sandbox: Sandbox, jobs: Sequence[Job]) -> list[ProgramResult]:
    """`sandbox.run_jobs`, for jobs that may be too large for one child; one result a job, in order."""
    if not jobs:
        return []
    pieces = [_split(job) for job in jobs]
    results = iter(sandbox.run_jobs([piece for split in pieces for piece in split]))
    whole = [_joined([next(results) for _ in split]) for split in pieces]
    again: list[tuple[int, int]] = []
    for place, (job, result) in enumerate(zip(jobs, whole, strict=True)):
        if "output-cap" in result.events and len(job.calls) > 1:
            again += [(place, i) for i, one in enumerate(result.observations) if one.status is Status.CRASHED]
    if again:
        single = sandbox.run_jobs([replace(jobs[place], calls=(jobs[place].calls[i],)) for place, i in again])
        for (place, i), result in zip(again, single, strict=True):
            seen = list(whole[place].observations)
            seen[i] = result.observations[0] if result.observations else result.load
            whole[place] = replace(whole[place], observations=tuple(seen))
    return whole


def _split(job: Job) -> list[Job]:
    if sum(_size(call) for call in job.calls) <= MAX_CALL_CHARACTERS:
        return [job]
    parts: list[list[Call]] = [[]]
    room = MAX_CALL_CHARACTERS
    for call in job.calls:
        if parts[-1] and _size(call) > room:
            parts.append([])
            room = MAX_CALL_CHARACTERS
        parts[-1].append(call)
        room -= _size(call)
    return [replace(job, calls=tuple(part)) for part in parts]


def _size(call: Call) -> int:
    return len(call.expression) + len(call.setup)


def _joined(parts: Sequence[ProgramResult]) -> ProgramResult:
    """One result for all parts; it counts as loaded if every part did."""
    if len(parts) == 1:
        return parts[0]
    failed = next((part for part in parts if part.load.status is not Status.OK), None)
    if failed is not None:
        return failed
    return replace(
        parts[0],
        observations=tuple(one for part in parts for one in part.observations),
        cpu_seconds=sum(part.cpu_seconds for part in parts),
        events=tuple(sorted({event for part in parts for event in part.events})),
    )
