"""A headless Chromium and the inspector it looks at.

Every page watches itself: an error in its scripts, or a request that leaves this machine, fails the test it belongs to.
Screenshots go to `build/screenshots`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("gradio", reason="needs the extra `app`")
sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright (extra `dev`)")

_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

TOY = """
import sys, time
from pathlib import Path
from a1kit.training.events import StepDone
from a1kit.training.setup import new_run
from a1kit_bench.toy import toy_config, toy_makers

def listen(event):
    if isinstance(event, StepDone):
        time.sleep(0.3)

with new_run(toy_config(train__steps=1000), Path(sys.argv[1]), listen, makers=toy_makers()) as runner:
    runner.run()
"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser's context; tests skip where there is none. Playwright keeps an event loop in this thread while it runs,
    so it ends with the module: tests that use asyncio come later."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("no Chromium here; on Debian and Ubuntu: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_OPTIONS))
        context = browser.new_context()  # one for all pages, so that they share what was fetched
        context.set_default_timeout(60_000)  # the machine may be busy with other tests
        yield context
        browser.close()


@pytest.fixture
def open_page(chromium: Any) -> Iterator[Callable[..., Any]]:
    """open_page(address, width=1280, dark=False) -> a page that has loaded."""
    pages, faults = [], []

    def open_(address: str, *, width: int = 1280, dark: bool = False) -> Any:
        page = chromium.new_page()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": 900})
        page.on("pageerror", lambda error: faults.append(f"script error: {error}"))
        page.on("request", lambda request: faults.extend(_leaves(request.url)))
        mark = "&" if "?" in address else "?"
        page.goto(address + (f"{mark}__theme=dark" if dark else ""))
        page.get_by_role("tab", name="Overview").wait_for()
        return page

    yield open_
    for page in pages:
        page.close()
    assert faults == []


def _leaves(url: str) -> list[str]:
    parts = urlsplit(url)
    here = parts.scheme in ("data", "blob", "about") or parts.hostname in ("127.0.0.1", "localhost")
    return [] if here else [f"a request to {url}"]


@pytest.fixture(scope="session")
def serve_runs() -> Iterator[Callable[[Path], Any]]:
    """serve_runs(root) -> the inspector on a folder of runs."""
    from a1kit_app.main import serve

    running = []

    def serve_(root: Path) -> Any:
        running.append(serve(root))
        return running[-1]

    yield serve_
    for server in running:
        server.page.close(verbose=False)


@pytest.fixture(scope="session")
def recorded(serve_runs: Callable[[Path], Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The inspector on a copy of the recorded run, named `demo`."""
    from a1kit_app.starting import demo_run

    root = tmp_path_factory.mktemp("recorded") / "runs"
    shutil.copytree(demo_run(), root / "demo")
    return serve_runs(root)


@pytest.fixture
def start_toy(tmp_path: Path) -> Iterator[Callable[[Path], subprocess.Popen[bytes]]]:
    """start_toy(folder) -> a trainer that plays a step of a world without models three times a second."""
    trainers = []

    def start(folder: Path) -> subprocess.Popen[bytes]:
        script = tmp_path / "toy_trainer.py"
        script.write_text(TOY)
        trainer = subprocess.Popen([sys.executable, str(script), str(folder)], stdin=subprocess.DEVNULL)
        trainers.append(trainer)
        wait_for(lambda: (folder / "steps" / "000001.parquet").exists(), 60)
        return trainer

    yield start
    for trainer in trainers:
        trainer.kill()
        trainer.wait()


def wait_for(ready: Callable[[], bool], seconds: float) -> None:
    """Wait until something is so; fail when it still is not after `seconds`."""
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            pytest.fail(f"waited {seconds:g} s in vain")
        time.sleep(0.1)
