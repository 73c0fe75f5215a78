"""Errands: a program with its calls, in as many children as it needs.

Most calls of a program share one child. Some need one of their own: calls that might spoil others
(`a1kit.duel.manners`), and calls whose child was stopped because it had sent too much, for which they are not to blame.
A job that would be too large to send is split.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from a1kit.sandbox.protocol import Call, Job, Observation, ProgramResult, Sandbox, Status

MAX_CALL_CHARACTERS = 8_000_000
"""Source of calls and set-up that one child is sent."""


@dataclass(frozen=True, slots=True)
class Errand:
    """A job, and those of its calls that must be alone in their child."""

    job: Job
    alone: Collection[Call] = ()


def run_errands(sandbox: Sandbox, errands: Sequence[Errand]) -> list[ProgramResult]:
    """One result an errand, in order, each with one observation a call (none when the program did not load)."""
    if not errands:
        return []
    shares = [_shares(errand) for errand in errands]
    pieces = [
        replace(errand.job, calls=tuple(errand.job.calls[i] for i in share)) if len(parts) > 1 else errand.job
        for errand, parts in zip(errands, shares, strict=True)
        for share in parts
    ]
    results = iter(sandbox.run_jobs(pieces))
    whole = [_joined([(share, next(results)) for share in parts]) for parts in shares]
    again = [
        (place, i)
        for place, result in enumerate(whole)
        if "output-cap" in result.events and len(result.observations) > 1
        for i, one in enumerate(result.observations)
        if one.status is Status.CRASHED
    ]
    if again:
        single = sandbox.run_jobs(
            [replace(errands[place].job, calls=(errands[place].job.calls[i],)) for place, i in again]
        )
        for (place, i), result in zip(again, single, strict=True):
            seen = list(whole[place].observations)
            seen[i] = _only(result)
            whole[place] = replace(whole[place], observations=tuple(seen))
    return whole


def _shares(errand: Errand) -> list[list[int]]:
    """Which calls (by place) go into which child; always at least one child."""
    calls, alone = errand.job.calls, errand.alone
    if not alone and sum(map(_size, calls)) <= MAX_CALL_CHARACTERS:
        return [list(range(len(calls)))]
    shares: list[list[int]] = [[]]
    apart: list[list[int]] = []
    room = MAX_CALL_CHARACTERS
    for place, call in enumerate(calls):
        if call in alone:
            apart.append([place])
            continue
        if shares[-1] and _size(call) > room:
            shares.append([])
            room = MAX_CALL_CHARACTERS
        shares[-1].append(place)
        room -= _size(call)
    if not shares[-1] and apart:
        shares.pop()
    return shares + apart


def _size(call: Call) -> int:
    return len(call.expression) + len(call.setup)


def _joined(parts: Sequence[tuple[list[int], ProgramResult]]) -> ProgramResult:
    """One result for all children of an errand. The first one tells whether the program loads."""
    first = parts[0][1]
    if len(parts) == 1 or first.load.status is not Status.OK:
        return first
    seen: dict[int, Observation] = {}
    for share, result in parts:
        seen.update(zip(share, result.observations or [result.load] * len(share), strict=True))
    return replace(
        first,
        observations=tuple(seen[place] for place in sorted(seen)),
        cpu_seconds=sum(result.cpu_seconds for _, result in parts),
        events=tuple(sorted({event for _, result in parts for event in result.events})),
    )


def _only(result: ProgramResult) -> Observation:
    return result.observations[0] if result.observations else result.load
