"""`a1kit warmup WORLD`: make the models of a micro world from a seed, measure them, compare with what to expect.

Takes minutes on two cores. The models are written to `--output` (by default where the built-in models `micro-code`,
`micro-test` and so on are read from); a model is replaced only by a finished one.
"""

from __future__ import annotations

import json
import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from a1kit.errors import InputError, MissingDependency

if TYPE_CHECKING:
    from a1kit.warmup import Progress


def command(
    world: Annotated[str, typer.Argument(help="Which world's models to make: `micro` or `micro-traps`.")] = "micro",
    seed: Annotated[int, typer.Option(help="The same seed makes the same models.")] = 0,
    out: Annotated[
        Path | None, typer.Option("--output", "--out", "-o", help="Folder to write the model folders to.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines: progress, then what was measured.")] = False,
) -> None:
    """Train the models of a micro world from random weights."""
    try:
        from a1kit import warmup
    except ModuleNotFoundError as error:
        raise MissingDependency(f"the warm-up needs the package {error.name!r}: pip install 'a1kit[train]'") from error
    course = warmup.course(world)
    folder = out if out is not None else Path(str(resources.files("a1kit_data").joinpath("models")))
    try:
        warmup.make(course, folder, seed, _say_json if as_json else _say)
        measured = warmup.measure(course, folder)
        warmup.record(course, folder, measured)
    except OSError as error:
        raise InputError(
            f"cannot write the models to {str(folder)!r}: {error}; give another folder with --output"
        ) from error
    rows = [
        {
            "model": course.model_name(kind),
            "measure": name,
            "value": round(value, 4),
            "band": [course.bands[kind][name].low, course.bands[kind][name].high],
            "inside": value in course.bands[kind][name],
        }
        for kind, numbers in measured.items()
        for name, value in numbers.items()
    ]
    if as_json:
        print(json.dumps({"event": "measured", "folder": str(folder), "rows": rows}))
        return
    for row in rows:
        note = "" if row["inside"] else "   OUTSIDE"
        print(f"{row['model']:<12} {row['measure']:<25} {row['value']:.3f}   expected {row['band']}{note}")
    print(f"written to {folder}")


def _say(progress: Progress) -> None:
    right = f", answers right {progress.answers_right:.0%}" if progress.kind != "code" else ""
    print(
        f"{progress.model}: step {progress.step} of {progress.steps}, "
        f"loss {progress.loss:.3f}{right}, {progress.seconds:.0f} s",
        flush=True,
    )


def _say_json(progress: Progress) -> None:
    facts = {"event": "progress", "model": progress.model, "step": progress.step, "steps": progress.steps}
    print(json.dumps(facts | {"loss": round(progress.loss, 4), "seconds": round(progress.seconds, 1)}))
    sys.stdout.flush()
