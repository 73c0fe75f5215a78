"""The attack table: every attack on integrity that all systems can be put to, against every system.

A system has *contained* an attack when it did not take the wrong program for right; the other entries are `false PASS`,
`crash` (the judging process died) and `hang`. For the peers one false PASS of the whole program counts; for us one of
any single call would. Attacks on other processes are never run on the peers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from a1kit.errors import SandboxUnavailable
from a1kit.sandbox import LocalSandbox
from a1kit.sandbox.corpus import HostileProgram, Kind, hostile
from a1kit.sandbox.naive import NAIVE, Attack, Ruling
from a1kit.sandbox.traps import Traps
from a1kit.sandbox.trials import hold_hostile, try_program
from a1kit_bench.peers import PACKAGED, installed

_HANG_SECONDS = 60.0
_BY_DESIGN = {"nearly_the_number"}
"""Left out: evalplus compares floats within a tolerance on purpose."""

_TITLES = {"exit-status": "exit status", "markers": "Code-A1 markers"}


def attacks() -> list[tuple[HostileProgram, Attack]]:
    """Programs of the corpus that attack integrity and are tested with literal arguments only."""
    found = []
    for program in hostile():
        if program.kind is Kind.INTEGRITY and not program.unmet and program.name not in _BY_DESIGN:
            calls = tuple(call.expression for call in program.calls)
            attack = Attack(program.source, program.reference, program.entry_point, calls)
            if attack.inputs is not None:
                found.append((program, attack))
    return found


def attack_table(boxes: Sequence[LocalSandbox], every: int = 1) -> list[dict[str, Any]]:
    """One row an attack: its name, its topic, and each system's ruling. `every` takes each n-th attack only."""
    judges = _peers()
    rows: list[dict[str, Any]] = []
    with Traps() as traps:
        for program, attack in attacks()[::every]:
            row: dict[str, Any] = {"attack": program.name, "topic": program.topic}
            for box in boxes:
                row[f"a1kit, {box.level}"] = ours(box, program, traps)
            armed = Attack(traps.arm(attack.program), attack.reference, attack.entry_point, attack.calls)
            for title, judge in judges.items():
                row[title] = judge(armed)
            rows.append(row)
    return rows


def ours(box: LocalSandbox, program: HostileProgram, traps: Traps) -> Ruling:
    """The sandbox's ruling on one attack."""
    began = time.monotonic()
    try:
        trial = try_program(box, program, traps)
    except SandboxUnavailable:
        return Ruling.CRASH
    if trial.false_passes:
        return Ruling.FALSE_PASS
    return Ruling.HANG if time.monotonic() - began > _HANG_SECONDS else Ruling.CONTAINED


def summary(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Per system, how many attacks ended how."""
    systems = [name for name in (rows[0] if rows else {}) if name not in ("attack", "topic")]
    return [
        {"system": name, **{ruling: sum(row[name] == ruling for row in rows) for ruling in Ruling}} for name in systems
    ]


def condensed_row(row: Mapping[str, Any]) -> dict[str, str]:
    """A row of the table as `attack`, what became of it with us, and the other systems by ruling."""
    systems = {name: ruling for name, ruling in row.items() if name not in ("attack", "topic")}
    ours_at = {name: ruling for name, ruling in systems.items() if name.startswith("a1kit")}
    failures = [
        f"{name.removeprefix('a1kit, ')}: {ruling}" for name, ruling in ours_at.items() if ruling != "contained"
    ]
    found = {"attack": str(row["attack"]), "a1kit": "; ".join(failures) or "contained"}
    for ruling in (Ruling.FALSE_PASS, Ruling.CRASH, Ruling.HANG):
        found[ruling] = ", ".join(name for name, each in systems.items() if each == ruling and name not in ours_at)
    return found


def whole_corpus(box: LocalSandbox) -> dict[str, Any]:
    """Every hostile program of every kind at one level: how many ran, and which promises were broken."""
    faults = {}
    ran = 0
    with Traps() as traps:
        for program in hostile():
            if not program.unmet:
                ran += 1
                if found := hold_hostile(box, program, traps):
                    faults[program.name] = list(found)
    return {"system": f"a1kit, {box.level}", "programs": ran, "faults": len(faults), "which": faults}


def _peers() -> dict[str, Callable[[Attack], Ruling]]:
    judges = {name: judge for name, (module, judge) in PACKAGED.items() if installed(module)}
    return {**judges, **{_TITLES[name]: judge for name, judge in NAIVE.items()}}
