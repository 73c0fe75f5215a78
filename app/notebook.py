"""The inspector inside a notebook: `a1kit.view(run)`.

    import a1kit
    a1kit.view("runs/micro-0")          # inline; again in another cell: the same server, the same port

One server a kernel and folder of runs; a run that it does not show yet is added to it. The frame points where the
browser can reach the kernel:

* Colab: through its own port forwarding.
* JupyterHub: under `<service prefix>proxy/<port>/`, when `jupyter-server-proxy` is installed.
* else: `http://127.0.0.1:<port>/`, which needs kernel and browser on one machine (or the port forwarded; the line below
  the frame says which).

Where no server can start (no gradio, no port, a hub without a proxy), the cell shows the run itself as plain HTML: its
curves as numbers and its latest duel. Not handled: a remote Jupyter server without a hub; pass `proxy="/proxy"` (or
whatever its path is) there.
"""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from a1kit.errors import A1KitError, InputError, MissingDependency
from a1kit.store.rows import read_step
from a1kit.store.run_log import list_runs, read_manifest, read_metrics, step_files
from a1kit_app import render

if TYPE_CHECKING:
    from a1kit_app.main import Server

_servers: dict[Path, Server] = {}
_starting = threading.Lock()


@dataclass(frozen=True)
class Frame:
    """What a cell shows: the inspector in a frame, and its address below."""

    source: str
    height: int
    address: str

    def _repr_html_(self) -> str:
        source, address = render.escape(self.source, 2000), render.escape(self.address, 2000)
        return (
            f'<iframe src="{source}" width="100%" height="{self.height}" style="border:1px solid #8884" '
            f'title="a1kit inspector"></iframe><p><a href="{source}" target="_blank" rel="noopener">{address}</a></p>'
        )


@dataclass(frozen=True)
class Still:
    """What a cell shows where no server can start: the run as it is now."""

    reason: str
    body: str

    def _repr_html_(self) -> str:
        style = (Path(__file__).with_name("style.css")).read_text(encoding="utf-8")
        reason = render.note(f"No live inspector here: {self.reason}", "bad")
        return f"<style>{style}</style>{reason}{self.body}"


def view(
    run: str | Path | None = None, *, root: str | Path = "runs", height: int = 800, proxy: str | None = None
) -> Any:
    """Show a run (or all runs of `root`) inline.

    run      a run folder; None shows the newest of `root`
    proxy    path under which the notebook's server shows ports of this machine, as in "/proxy"

    Raises `InputError` for a `run` that is none.
    """
    folder = None if run is None else Path(run)
    if folder is not None:
        read_manifest(folder)
    root = (folder.parent if folder is not None else Path(root)).resolve()
    try:
        prefix = _prefix(proxy)
        server = _server(root, prefix)
        name = "" if folder is None else server.shelf.add(folder)
    except A1KitError as error:
        return Still(str(error), still(folder or _newest(root)))
    query = f"?{urlencode({'run': name})}" if name else ""
    if "google.colab" in sys.modules:
        return _in_colab(server.port, query, height)
    source = f"{prefix}/{server.port}/{query}" if prefix else f"{server.address.rstrip('/')}/{query}"
    return Frame(source, height, source)


def close() -> None:
    """End every server that `view` started in this kernel."""
    with _starting:
        for server in _servers.values():
            server.page.close()
        _servers.clear()


def _server(root: Path, prefix: str | None) -> Server:
    """The one server for this folder of runs."""
    with _starting:
        if root not in _servers:
            for package in ("gradio", "plotly"):
                if find_spec(package) is None:
                    raise MissingDependency(f"the inspector needs {package}: pip install 'a1kit[app]'")
            from a1kit_app.main import free_port, serve

            port = free_port()
            _servers[root] = serve(root, port=port, root_path=f"{prefix}/{port}" if prefix else None)
        return _servers[root]


def _prefix(proxy: str | None) -> str | None:
    """The path before a port number, where a proxy is between browser and kernel."""
    if proxy is not None:
        return proxy.rstrip("/")
    hub = os.environ.get("JUPYTERHUB_SERVICE_PREFIX")
    if hub is None:
        return None
    if find_spec("jupyter_server_proxy") is None:
        raise InputError("a hub shows pages of its notebooks only with jupyter-server-proxy; install it beside a1kit.")
    return f"{hub.rstrip('/')}/proxy"


def _in_colab(port: int, query: str, height: int) -> None:
    from google.colab import output  # type: ignore[import-not-found, unused-ignore]

    output.serve_kernel_port_as_iframe(port, path=f"/{query}", height=height)


def _newest(root: Path) -> Path | None:
    return next(iter(list_runs(root)), None)


def still(folder: Path | None) -> str:
    """A run as plain HTML: numbers of its first and last step, and its latest first duel."""
    if folder is None:
        return render.note("There is no run here yet. Start one with: a1kit train --preset micro")
    rows = [row for row in read_metrics(folder) if "code/reward" in row]
    if not rows:
        return render.note("This run has not finished a step yet. Show the cell again later.")
    first, last = rows[0], rows[-1]
    names = ("code/reward", "tests/reward", "tests/validity", "tests/kill_rate", "book/size")
    facts = [(name, f"{first[name]:.3g} → {last[name]:.3g}") for name in names if name in first and name in last]
    duel = read_step(step_files(folder)[-1]).record.duels[0]
    return (
        render.tiles([("run", folder.name), ("steps", str(last["step"])), *facts])
        + render.question(duel.question)
        + render.candidate(duel)
        + render.verdict_grid(duel)
    )
