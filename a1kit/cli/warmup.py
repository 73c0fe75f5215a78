"""`a1kit warmup micro`: make the two micro models from a seed, measure them, and compare with what to expect.

Takes about ten minutes on two cores. The models are written to `--out` (by default where the built-in models
`micro-code` and `micro-test` are read from); a model is replaced only by a finished one.
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
    world: Annotated[str, typer.Argument(help="Which world's models to make; `micro` is the only one.")] = "micro",
    seed: Annotated[int, typer.Option(help="The same seed makes the same models.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder to write micro-code and micro-test to.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines: progress, then what was measured.")] = False,
) -> None:
    """Train the micro models from random weights."""
    if world != "micro":
        raise InputError(f"there is no warm-up for {world!r}; the only world with one is `micro`.")
    try:
        from a1kit import warmup
    except ModuleNotFoundError as error:
        raise MissingDependency(f"the warm-up needs the package {error.name!r}: pip install 'a1kit[train]'") from error
    folder = out if out is not None else Path(str(resources.files("a1kit_data").joinpath("models")))
    try:
        warmup.make_both(folder, seed, _say_json if as_json else _say)
        measured = warmup.measure(folder)
        warmup.record(folder, measured)
    except OSError as error:
        raise InputError(
            f"cannot write the models to {str(folder)!r}: {error}; give another folder with --out"
        ) from error
    rows = [
        {
            "model": f"micro-{kind}",
            "measure": name,
            "value": round(value, 4),
            "band": [warmup.BANDS[kind][name].low, warmup.BANDS[kind][name].high],
            "inside": value in warmup.BANDS[kind][name],
        }
        for kind, numbers in measured.items()
        for name, value in numbers.items()
    ]
    if as_json:
        print(json.dumps({"event": "measured", "folder": str(folder), "rows": rows}))
        return
    for row in rows:
        note = "" if row["inside"] else "   OUTSIDE"
        print(f"{row['model']:<11} {row['measure']:<9} {row['value']:.3f}   expected {row['band']}{note}")
    print(f"written to {folder}")


def _say(progress: Progress) -> None:
    right = f", answers right {progress.answers_right:.0%}" if progress.kind == "test" else ""
    print(
        f"micro-{progress.kind}: step {progress.step} of {progress.steps}, "
        f"loss {progress.loss:.3f}{right}, {progress.seconds:.0f} s",
        flush=True,
    )


def _say_json(progress: Progress) -> None:
    facts = {"event": "progress", "model": f"micro-{progress.kind}", "step": progress.step, "steps": progress.steps}
    print(json.dumps(facts | {"loss": round(progress.loss, 4), "seconds": round(progress.seconds, 1)}))
    sys.stdout.flush()
