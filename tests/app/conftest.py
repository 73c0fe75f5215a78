"""A server over the recorded run, for tests that speak HTTP to it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("gradio", reason="needs the extra `app`")


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one run in it: a copy of the recorded one."""
    from a1kit_app.starting import demo_run

    root = tmp_path_factory.mktemp("inspected") / "runs"
    shutil.copytree(demo_run(), root / "demo")
    (root.parent / "secret.txt").write_text("not for the page")
    return root


@pytest.fixture(scope="session")
def server(runs: Path) -> Iterator[Any]:
    """The inspector on `runs`."""
    from a1kit_app.main import serve

    running = serve(runs)
    yield running
    running.page.close(verbose=False)
