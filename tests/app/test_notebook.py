"""`a1kit.view` in a notebook."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("gradio", reason="needs the extra `app`")

import a1kit
from a1kit.errors import RunError
from a1kit_app import notebook
from a1kit_app.starting import demo_run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("one", "two"):
        shutil.copytree(demo_run(), tmp_path / "runs" / name)
    return tmp_path / "runs"


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("JUPYTERHUB_SERVICE_PREFIX", raising=False)
    yield
    notebook.close()


def test_a_second_cell_uses_the_same_server(root: Path) -> None:
    first: Any = a1kit.view(root / "one")
    second: Any = a1kit.view(root / "two")
    assert first.source.split("?")[0] == second.source.split("?")[0]
    assert first.source.endswith("?run=one") and second.source.endswith("?run=two")
    assert len(notebook._servers) == 1
    assert httpx.get(first.source, timeout=30).status_code == 200
    assert "<iframe" in first._repr_html_()


def test_behind_a_hub_the_frame_goes_through_its_proxy(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/ada/")
    monkeypatch.setattr(notebook, "find_spec", lambda name: object())
    frame: Any = a1kit.view(root / "one")
    (server,) = notebook._servers.values()
    assert frame.source == f"/user/ada/proxy/{server.port}/?run=one"
    page = httpx.get(server.address, headers={"Host": "hub.example"}, timeout=30)
    assert page.status_code == 200
    assert f"/user/ada/proxy/{server.port}" in page.text


def test_a_hub_without_a_proxy_gets_the_run_as_it_is_now(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/ada/")
    monkeypatch.setattr(notebook, "find_spec", lambda name: None)
    shown: Any = a1kit.view(root / "one")
    markup = shown._repr_html_()
    assert "jupyter-server-proxy" in markup and "a1-grid" in markup
    assert not notebook._servers


def test_without_gradio_the_cell_says_what_to_install(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "find_spec", lambda name: None)
    assert "a1kit[app]" in a1kit.view(root / "one")._repr_html_()


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="there is no run"):
        a1kit.view(tmp_path / "nothing")
