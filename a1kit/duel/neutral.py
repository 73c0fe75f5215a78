"""Model-written expressions that belong to no program: predicted answers that are no literals, and CHECK conditions.

They run in children of their own that never hold a candidate or a reference; they see observed *values* only, bound to
`_0, _1, …`. Requests of one `group` (one suite, or one replayed test) share a child, requests of different groups never
do: a hostile test may spoil its own suite and no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from a1kit.duel.errands import Errand, run_errands
from a1kit.sandbox.protocol import Call, Job, Limits, Observation, Sandbox

MAX_VALUE_BYTES = 4 << 20
"""Bytes of values that one child is given; more are split over several."""

MAX_CALLS = 64


@dataclass(frozen=True, slots=True)
class Request:
    """Evaluate `expression` over `values` (wire bytes, bound to `_0 …`) after `setup`, in a child of `group`."""

    group: str
    expression: str
    setup: str = ""
    values: tuple[bytes, ...] = ()


Answers = dict[Request, tuple[Observation, ...]]
"""What every request gave, one observation a hash seed."""


def evaluate(
    sandbox: Sandbox, requests: Iterable[Request], limits: Limits, *, hash_seeds: Sequence[int] = (0,)
) -> Answers:
    """Evaluate every distinct request once a hash seed."""
    batches = _batches(dict.fromkeys(requests))
    answers = _run(sandbox, batches, limits, hash_seeds)
    # Values that cannot even be bound spoil a whole child: each of its requests gets one of its own.
    alone = [(request,) for batch in batches if batch[0] not in answers for request in batch]
    if alone:
        answers |= _run(sandbox, alone, limits, hash_seeds)
    return answers


def _run(
    sandbox: Sandbox, batches: Sequence[tuple[Request, ...]], limits: Limits, hash_seeds: Sequence[int]
) -> Answers:
    """Answers of the batches whose children could be set up; of a batch of one in any case."""
    if not batches:
        return {}
    results = iter(
        run_errands(sandbox, [Errand(_job(batch, limits, seed)) for batch in batches for seed in hash_seeds])
    )
    answers: Answers = {}
    for batch in batches:
        runs = [next(results) for _ in hash_seeds]
        if len(batch) == 1:
            answers[batch[0]] = tuple(run.observations[0] if run.observations else run.load for run in runs)
        elif all(run.observations for run in runs):
            answers.update(zip(batch, zip(*(run.observations for run in runs), strict=True), strict=True))
    return answers


def _batches(requests: Iterable[Request]) -> list[tuple[Request, ...]]:
    open_: dict[str, list[Request]] = {}
    sizes: dict[str, int] = {}
    full: list[tuple[Request, ...]] = []
    for request in requests:
        batch = open_.setdefault(request.group, [])
        size = sum(map(len, request.values))
        if batch and (sizes[request.group] + size > MAX_VALUE_BYTES or len(batch) >= MAX_CALLS):
            full.append(tuple(batch))
            batch = open_[request.group] = []
            sizes[request.group] = 0
        batch.append(request)
        sizes[request.group] = sizes.get(request.group, 0) + size
    return full + [tuple(batch) for batch in open_.values()]


def _job(batch: Sequence[Request], limits: Limits, hash_seed: int) -> Job:
    """Values of all requests side by side; each call first gives its own their names back."""
    values: list[bytes] = []
    calls: list[Call] = []
    for request in batch:
        setup = request.setup
        if values and request.values:
            names = ", ".join(f"_{i}" for i in range(len(request.values)))
            there = ", ".join(f"_{i}" for i in range(len(values), len(values) + len(request.values)))
            setup = f"{names} = {there}\n{setup}"
        values += request.values
        calls.append(Call(request.expression, setup))
    return Job("", tuple(calls), limits, tuple(values), hash_seed)
