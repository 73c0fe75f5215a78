"""Which rows an update learns from, and how they are cut into mini-batches and micro-batches. Plain Python.

An update makes `mini_batches` optimizer steps; each adds up the gradients of `micro_batches` forward passes of
`micro_rows` rows, on each of `world` processes:

    rows + padding = mini_batches * micro_batches * micro_rows * world

The padding is rows without a counting token. It changes nothing when token losses are averaged over tokens (`dapo`);
when they are averaged over rows first, rows must divide evenly instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from a1kit.errors import ConfigError, InputError
from a1kit.types import Group


@dataclass(frozen=True, slots=True)
class Row:
    """One sequence to learn from. `counts` is False for padding."""

    prompt_ids: tuple[int, ...]
    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    advantage: float
    counts: bool = True

    def __len__(self) -> int:
        return len(self.prompt_ids) + len(self.ids)


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes of one update, see the module."""

    mini_batches: int
    micro_batches: int
    micro_rows: int
    padding: int

    @property
    def rows_a_process(self) -> int:
        return self.mini_batches * self.micro_batches * self.micro_rows


def rows_of(groups: Sequence[Group]) -> list[Row]:
    """Rows of the groups whose advantages are not all zero. Empty completions hold no token to learn from.

    Raises InputError for a text without token numbers: no policy of ours wrote it.
    """
    rows = []
    for group in groups:
        if without_variance(group):
            continue
        for completion, advantage in zip(group.completions, group.advantages, strict=True):
            if completion.text and not (completion.ids and completion.prompt_ids):
                raise InputError(f"cannot learn from {completion.text[:40]!r}: it has no token numbers")
            if completion.ids:
                logprobs = completion.logprobs or (math.nan,) * len(completion.ids)
                rows.append(Row(completion.prompt_ids, completion.ids, logprobs, advantage))
    return rows


def without_variance(group: Group) -> bool:
    """Whether the group teaches nothing: every advantage is zero."""
    return not any(group.advantages)


def plan_batches(
    rows: Sequence[Row], *, mini_batches: int, micro_batch_tokens: int, world: int = 1, even: bool = False
) -> Plan:
    """Micro-batches as large as `micro_batch_tokens` padded tokens allow, and of equal size.

    There are never more mini-batches than rows. `even` forbids padding: raises ConfigError when the rows do not divide.
    """
    mini_batches = min(mini_batches, len(rows))
    share = math.ceil(len(rows) / (mini_batches * world))
    widest = max(len(row.prompt_ids) for row in rows) + max(len(row.ids) for row in rows)
    most = max(1, min(share, micro_batch_tokens // widest))
    if even:
        if share * mini_batches * world != len(rows):
            raise ConfigError(
                f"{len(rows)} rows do not divide into {mini_batches} mini-batches on {world} processes, and this loss "
                "averages over rows; use loss = dapo, or other sizes"
            )
        micro_rows = next(size for size in range(most, 0, -1) if share % size == 0)
    else:
        micro_rows = math.ceil(share / math.ceil(share / most))
    micro_batches = math.ceil(share / micro_rows)
    padding = mini_batches * micro_batches * micro_rows * world - len(rows)
    return Plan(mini_batches, micro_batches, micro_rows, padding)


def arrange(rows: Sequence[Row], plan: Plan, world: int = 1) -> list[Row]:
    """The rows with their padding, process after process.

    With one mini-batch the order is free: rows go by length, dealt round to the processes, so that passes without
    gradient (which do not shuffle) meet rows of similar length. With several, which rows share a mini-batch is the
    trainer's draw, and the order is left as it is.
    """
    filler = Row(rows[0].prompt_ids[-1:], rows[0].ids[-1:], (0.0,), 0.0, counts=False)
    padded = [*rows, *(filler,) * plan.padding]
    if plan.mini_batches > 1:
        return padded
    by_length = sorted(padded, key=len, reverse=True)
    return [row for process in range(world) for row in by_length[process::world]]
