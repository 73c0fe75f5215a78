"""`a1kit resume RUN`: go on with a run from its newest checkpoint, as if it had never been interrupted.

`--steps` makes a run longer (or shorter) than it was started with.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from a1kit.config import RunConfig
from a1kit.errors import InputError
from a1kit.store.run_log import checkpoint_steps, read_manifest


def command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    steps: Annotated[int | None, typer.Option("--steps", "-n", min=1, help="Train up to this step.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines instead of the view for people.")] = False,
) -> None:
    """Go on with a run from its newest checkpoint."""
    from a1kit.cli.live import follow
    from a1kit.training.setup import old_run

    config = RunConfig.from_dict(read_manifest(run)["config"])
    if steps is not None:
        config = config.with_values({"train.steps": steps})
    done = max(checkpoint_steps(run), default=0)
    if done >= config.train.steps:
        raise InputError(
            f"{run} is finished: it has trained {done} of {config.train.steps} steps. "
            f"`a1kit resume {run} --steps {done * 2}` trains on, `a1kit view {run}` opens it."
        )
    with follow(config, run, as_json) as listen:
        with old_run(run, listen, steps=steps) as runner:
            runner.run()
