"""The inspector: assembles the views and serves them.

    launch(Path("runs"))                  # on a free loopback port
    launch(Path("runs"), host="0.0.0.0", password="…")

Reads run folders only (`a1kit.store`); takes no lock, opens no database of a trainer, and writes nothing but requests
in a run's `control/`. Nothing is fetched from or sent to anywhere: no fonts, no analytics, no share link.

A bind that other machines can reach is refused without a password.
"""

from __future__ import annotations

import hmac
import ipaddress
import os
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import gradio as gr

from a1kit.errors import InputError
from a1kit_app.runs import Shelf
from a1kit_app.views import duel, overview

STYLE = Path(__file__).with_name("style.css")

FONT = ("system-ui", "sans-serif")
MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")

_IS_DARK = "() => document.body.classList.contains('dark')"

_KEYS = """
<script>
document.addEventListener('keydown', (event) => {
  const typing = event.target.closest('input, textarea, [contenteditable], [role=listbox]');
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const names = {h: '← step', l: '→ step', k: '← question', j: '→ question', u: '← candidate', i: '→ candidate'};
  const wanted = names[event.key];
  if (!wanted) return;
  const shown = [...document.querySelectorAll('button')].filter((b) => b.offsetParent);
  const button = shown.find((b) => b.textContent.trim() === wanted);
  if (button) { event.preventDefault(); button.click(); }
});
</script>
"""


def theme() -> gr.Theme:
    """Local fonts only; the rest is Gradio's default look."""
    return gr.themes.Default(font=FONT, font_mono=MONO, primary_hue="blue")


def build(shelf: Shelf) -> gr.Blocks:
    """The whole page."""
    with gr.Blocks(title="a1kit inspector", analytics_enabled=False, fill_width=True) as page:
        gr.Markdown("# a1kit inspector")
        with gr.Tabs():
            with gr.Tab("Overview"):
                charts = overview.build(shelf)
            with gr.Tab("Duel"):
                fights = duel.build(shelf)
                gr.Markdown("Keys: `h` `l` step, `j` `k` question, `u` `i` candidate.")
        page.load(None, None, charts.dark, js=_IS_DARK).then(
            lambda is_dark: overview.show(shelf, None, dark=is_dark), charts.dark, charts.outputs()
        )

        def opened(query: gr.Request) -> list[Any]:
            return duel.show(shelf, duel.from_link(shelf, dict(query.query_params)))

        page.load(opened, None, fights.outputs())
    return page


def launch(
    root: Path,
    runs: Sequence[Path] = (),
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    password: str | None = None,
    block: bool = True,
) -> str:
    """Serve the inspector and return its address.

    root       folder whose runs are offered;  runs: further run folders
    port       None takes a free one
    password   asked of every visitor (user name: a1kit); needed when `host` is not a loopback address
    block      wait until interrupted; otherwise the server runs in a background thread

    Raises `InputError` for a host that others can reach without a password.
    """
    if not _is_loopback(host) and not password:
        raise InputError(
            f"--host {host} lets other machines open this page, and it shows model-written code and controls training. "
            "Set --password, or leave --host away to serve this machine only."
        )
    if port is not None and _is_taken(host, port):
        raise InputError(f"port {port} on {host} is taken by another program; leave --port away to use a free one.")
    page = build(Shelf(root, tuple(runs)))
    _, address, _ = page.queue(default_concurrency_limit=4, max_size=64).launch(
        server_name=host,
        server_port=port,
        auth=_checker(password) if password else None,
        theme=theme(),
        css_paths=[STYLE],
        head=_KEYS,
        footer_links=[],
        quiet=True,
        max_file_size="2mb",
        prevent_thread_lock=True,
        ssr_mode=False,
        show_error=True,
    )
    if block:
        print(f"a1kit inspector: {address}   (Ctrl-C ends it)", flush=True)
        page.block_thread()
    return str(address)


def _checker(password: str) -> Any:
    def right(user: str, given: str) -> bool:
        return user == "a1kit" and hmac.compare_digest(given.encode(), password.encode())

    return right


def _is_taken(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return True
    return False


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
