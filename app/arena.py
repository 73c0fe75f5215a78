"""The hostile corpus against a naive judge and ours, in a process of its own (`python -m a1kit_app.arena`).

    in   {"names": ["prints_pass_markers", …], "judge": "markers"}
    out  {"name": "prints_pass_markers", "naive": "false PASS", "ours": "contained", "story": "2 calls: wrong value",
          "naive_seconds": 0.1, "ours_seconds": 0.02}      one line an attack, as each is done

The naive judge (`a1kit.sandbox.naive`) contains nothing, so it only ever gets attacks on integrity: programs that
want to look right, not those that aim at files, processes or the network. `naive` is null for the others. Ours gets
everything at level `full`; where a layer is missing, only what it holds without that layer. Programs that send signals
are sent with signal 0, which asks for permission and does nothing.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

from a1kit.errors import InputError, SandboxUnavailable
from a1kit.sandbox import Level, LocalSandbox, Status
from a1kit.sandbox.corpus import HostileProgram, Kind, hostile
from a1kit.sandbox.naive import NAIVE, Ruling, attack_of
from a1kit.sandbox.traps import Traps
from a1kit.sandbox.trials import Trial, try_program
from a1kit_app.side_process import serve

NAIVE_SECONDS = 3.0
NOT_RUN = "not run"

_HELD_WITHOUT_LAYERS = (Kind.INTEGRITY, Kind.PROTOCOL)


def answer(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One line an attack. Raises `InputError` for a judge or a program there is not, or without a sandbox."""
    wanted = list(request["names"])
    programs = {program.name: program for program in hostile()}
    if request["judge"] not in NAIVE or not set(wanted) <= programs.keys():
        raise InputError(f"there is no judge {request['judge']!r}, or no attack of one of the names asked for.")
    try:
        with Traps() as traps, LocalSandbox(workers=1) as box:
            for name in wanted:
                yield {
                    "name": name,
                    **_naive(programs[name], str(request["judge"]), traps),
                    **_ours(box, programs[name], traps),
                }
    except SandboxUnavailable as error:
        raise InputError(str(error)) from error


def _naive(program: HostileProgram, judge: str, traps: Traps) -> dict[str, Any]:
    attack = attack_of(program, traps.arm(program.source))
    if attack is None:
        return {"naive": None, "naive_seconds": 0.0}
    began = time.monotonic()
    ruling = NAIVE[judge](attack, NAIVE_SECONDS)
    return {"naive": str(ruling), "naive_seconds": time.monotonic() - began}


def _ours(box: LocalSandbox, program: HostileProgram, traps: Traps) -> dict[str, Any]:
    if program.unmet:
        return {"ours": NOT_RUN, "story": program.unmet, "ours_seconds": 0.0}
    if box.level is not Level.FULL and program.kind not in _HELD_WITHOUT_LAYERS:
        missing = ", ".join(box.missing)
        return {"ours": NOT_RUN, "story": f"this machine lacks {missing}, which contains it", "ours_seconds": 0.0}
    trial = try_program(box, program, traps, blank=program.dangerous)
    return {"ours": _ruling(box, trial), "story": _story(trial), "ours_seconds": trial.seconds}


def _ruling(box: LocalSandbox, trial: Trial) -> str:
    if trial.false_passes and trial.program.kind is not Kind.CONTAINMENT:
        return str(Ruling.FALSE_PASS)
    harm = [name for name in trial.harm if name != "confession" or trial.program.kind is Kind.CONTAINMENT]
    if harm and box.level is Level.FULL:
        return f"harm: {', '.join(harm)}"
    return str(Ruling.CONTAINED)


def _story(trial: Trial) -> str:
    """What the sandbox saw, in a few words."""
    if trial.result.load.status is not Status.OK:
        return f"does not load: {trial.result.load.status}" + _because(trial.result.load.detail)
    seen = Counter(
        "gave a wrong value" if one.status is Status.OK else f"{one.status}{_because(one.detail)}"
        for one in trial.result.observations
    )
    words = [what if count == 1 else f"{count} × {what}" for what, count in seen.items()]
    return "; ".join([*words, *(f"noticed: {event}" for event in trial.result.events)]) or "nothing happened"


def _because(detail: str) -> str:
    return f" ({detail[:160]})" if detail else ""


if __name__ == "__main__":
    serve(answer)
