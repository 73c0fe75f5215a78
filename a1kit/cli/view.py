"""`a1kit view`: open the inspector on the runs of this folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from a1kit.errors import MissingDependency
from a1kit.store.run_log import list_runs, read_manifest


def command(
    runs: Annotated[list[Path] | None, typer.Argument(help="Run folders to show besides those under --root.")] = None,
    root: Annotated[Path, typer.Option(help="Folder whose runs are offered.")] = Path("runs"),
    port: Annotated[int | None, typer.Option(help="Port; a free one unless given.", min=1, max=65535)] = None,
    host: Annotated[str, typer.Option(help="Address to serve on; others than loopback need --password.")] = "127.0.0.1",
    password: Annotated[
        str | None, typer.Option(help="Asked of visitors, whose user name is a1kit.", envvar="A1KIT_PASSWORD")
    ] = None,
) -> None:
    """Serve the inspector until interrupted."""
    for run in runs or ():
        read_manifest(run)
    try:
        from a1kit_app.main import launch
    except ModuleNotFoundError as error:
        if error.name not in ("gradio", "plotly"):
            raise
        raise MissingDependency(f"the inspector needs {error.name}: pip install 'a1kit[app]'") from error
    found = list_runs(root)
    if found:
        print(f"runs under {root}: {', '.join(path.name for path in found)}", flush=True)
    elif not runs:
        print(f"no run under {root} yet: the page offers a recorded one, and can start a training", flush=True)
    launch(root, runs or (), host=host, port=port, password=password)
