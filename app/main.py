"""The inspector: assembles the views and serves them.

    launch(Path("runs"))                  # on a free loopback port
    launch(Path("runs"), host="0.0.0.0", password="…")

Reads run folders only (`a1kit.store`); takes no lock, opens no database of a trainer, and writes nothing but requests
in a run's `control/`. Nothing is fetched from or sent to anywhere: no fonts, no analytics, no share link.

A bind that other machines can reach is refused without a password. On a loopback address only requests to this
machine's own names are answered, so that no page of another site can speak to the server through a visitor's browser.
"""

from __future__ import annotations

import hmac
import ipaddress
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import gradio as gr
import httpx
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from a1kit.errors import InputError
from a1kit_app.playroom import Playroom
from a1kit_app.runs import Shelf
from a1kit_app.starting import Starter
from a1kit_app.views import attacks, book, duel, overview, play, start

USER = "a1kit"
"""The one name under which visitors log in."""

LARGEST_UPLOAD = "2mb"

LONGEST_QUEUE = 1024
"""Events that may wait. A page that opens asks for about ten at once, and a workshop opens twenty pages together."""

# A page of another site may make its own name point here (DNS rebinding) and would then speak to us as its own server.
_LOOPBACK = ["localhost", "127.0.0.1", "::1", "[::1]", "["]

STYLE = Path(__file__).with_name("style.css")

FONT = ("system-ui", "sans-serif")
MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")

_IS_DARK = "() => document.body.classList.contains('dark')"

# A link to a duel opens the duels.
_OPEN_DUEL = """() => {
  if (!new URLSearchParams(window.location.search).has('question')) return;
  const tabs = [...document.querySelectorAll('button[role=tab]')];
  tabs.find((tab) => tab.textContent.trim() === 'Duel')?.click();
}"""

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
    """Local fonts only, and buttons dark enough for their white words; the rest is Gradio's default look."""
    look = gr.themes.Default(font=FONT, font_mono=MONO, primary_hue="blue")
    return look.set(
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_dark="*primary_700",
        button_primary_background_fill_hover="*primary_800",
        button_primary_background_fill_hover_dark="*primary_800",
        button_cancel_background_fill="#b42318",
        button_cancel_background_fill_dark="#b42318",
        button_cancel_background_fill_hover="#8f1c13",
        button_cancel_background_fill_hover_dark="#8f1c13",
    )


def build(shelf: Shelf, room: Playroom, starter: Starter) -> gr.Blocks:
    """The whole page."""
    with gr.Blocks(title="a1kit inspector", analytics_enabled=False, fill_width=True) as page:
        gr.Markdown("# a1kit inspector")
        first = start.build(shelf, starter)
        with gr.Tabs() as tabs:
            with gr.Tab("Overview", id="overview"):
                charts = overview.build(shelf)
            with gr.Tab("Duel", id="duel"):
                fights = duel.build(shelf)
                gr.Markdown("Keys: `h` `l` step, `j` `k` question, `u` `i` candidate.")
            with gr.Tab("Mistake Book", id="book") as mistakes:
                tests = book.build(shelf, charts.dark)
            with gr.Tab("Play") as playing:
                play.build(shelf, room, page, playing)
            with gr.Tab("Attacks"):
                attacks.build(room)
        page.load(None, None, charts.dark, js=_IS_DARK).then(
            lambda is_dark: overview.show(shelf, None, dark=is_dark), charts.dark, charts.outputs()
        )

        def opened(query: gr.Request) -> list[Any]:
            asked = dict(query.query_params)
            if asked.get("run") and asked["run"] not in shelf.names():
                gr.Warning("The run of this link is not here; this is the newest one.")
            return duel.show(shelf, duel.from_link(shelf, asked))

        page.load(opened, None, fights.outputs())
        page.load(None, None, None, js=_OPEN_DUEL)
        # A view that nobody sees does not poll.
        tabs.select(_polling, None, [charts.timer, tests.timer], show_progress="hidden")
        mistakes.select(
            lambda place, is_dark, *values: book.follow(shelf, place, is_dark, book.Asked(*values)),
            tests.inputs(), tests.outputs(), show_progress="minimal",
        )  # fmt: skip
        first.demo.click(lambda: start.open_demo(shelf), None, None).then(
            lambda is_dark: overview.show(shelf, None, dark=is_dark), charts.dark, charts.outputs()
        ).then(opened, None, fights.outputs()).then(
            lambda: start.look(shelf, starter), None, first.outputs(), show_progress="hidden"
        )
    return page


def _polling(event: gr.SelectData) -> list[Any]:
    return [gr.update(active=event.value == name) for name in ("Overview", "Mistake Book")]


@dataclass(frozen=True)
class Server:
    """A running inspector: where it answers, and the shelf it shows."""

    address: str
    port: int
    shelf: Shelf
    page: gr.Blocks


def launch(
    root: Path,
    runs: Sequence[Path] = (),
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    password: str | None = None,
) -> None:
    """Serve the inspector until interrupted; see `serve`."""
    server = serve(root, runs, host=host, port=port, password=password)
    print(f"a1kit inspector: {server.address}   (Ctrl-C ends it)", flush=True)
    if not _is_loopback(host):
        print(f"Others can reach it; they log in as {USER} with the password that was set.", flush=True)
    server.page.block_thread()


def serve(
    root: Path,
    runs: Sequence[Path] = (),
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    password: str | None = None,
    root_path: str | None = None,
) -> Server:
    """Serve the inspector from threads of this process.

    root       folder whose runs are offered;  runs: further run folders
    port       None takes a free one
    password   asked of every visitor (user name: a1kit); needed when `host` is not a loopback address
    root_path  path under which a proxy shows the page (`/user/ada/proxy/7860`)

    Raises `InputError` for a host that others can reach without a password, and when no port can be had.
    """
    if not _is_loopback(host) and not password:
        raise InputError(
            f"--host {host} lets other machines open this page, and it shows model-written code and controls training. "
            "Set --password, or leave --host away to serve this machine only."
        )
    if port is not None and _is_taken(host, port):
        raise InputError(f"port {port} on {host} is taken by another program; leave --port away to use a free one.")
    shelf = Shelf(root, tuple(runs))
    page = build(shelf, Playroom(shelf), Starter(root))
    # A proxy may pass its own name on; without one, only names of this machine are ours.
    own_names = [*_LOOPBACK, host] if _is_loopback(host) and root_path is None else ["*"]
    try:
        page.queue(default_concurrency_limit=4, max_size=LONGEST_QUEUE).launch(
            share=False,  # unless told so, gradio opens a public tunnel on hosted notebooks
            server_name=host,
            server_port=port,
            auth=_checker(password) if password else None,
            theme=theme(),
            css_paths=[STYLE],
            head=_KEYS,
            footer_links=[],
            quiet=True,
            max_file_size=LARGEST_UPLOAD,
            root_path=root_path,
            prevent_thread_lock=True,
            ssr_mode=False,
            show_error=True,
            app_kwargs={"middleware": [Middleware(TrustedHostMiddleware, allowed_hosts=own_names)]},
        )
    except OSError as error:
        raise InputError(f"no page can be served on {host}: {error}") from error
    except ValueError as error:
        # gradio gives its own page three seconds to answer; on a busy machine that is not enough
        if not _answers(page):
            raise InputError(f"the page on {host} does not answer: {error}") from error
    return Server(str(page.local_url), int(page.server_port), shelf, page)


def _answers(page: gr.Blocks, seconds: float = 60.0) -> bool:
    """Whether the server that `launch` started answers to this machine."""
    address = getattr(page, "local_url", None)
    if not address:
        return False
    try:
        return httpx.head(address, timeout=seconds, trust_env=False).status_code < 500
    except httpx.HTTPError:
        return False


def _checker(password: str) -> Any:
    def right(user: str, given: str) -> bool:
        return user == USER and hmac.compare_digest(_bytes(given), _bytes(password))

    return right


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def free_port(host: str = "127.0.0.1") -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


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
