"""Following runs that are being written: start, follow, stop, kill, delete, and many viewers at once."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from a1kit.store.run_log import read_status

pytestmark = pytest.mark.browser

SECONDS = 60_000

TINY = {
    "problems.pool": 2,
    "game.questions": 1,
    "game.candidates": 2,
    "game.suites": 2,
    "game.tests": 2,
    "eval.enabled": "false",
    "train.threads": 1,
    "train.checkpoint_every": 1000,
}


@pytest.fixture
def start_micro() -> Iterator[Callable[[Path], subprocess.Popen[bytes]]]:
    """start_micro(folder) -> a micro training with very small steps, in a process group of its own."""
    trainers = []

    def start(folder: Path) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "a1kit", "train", "--preset", "micro", "--steps", "500", "--run", str(folder)]
        changes = [part for name, value in TINY.items() for part in ("--set", f"{name}={value}")]
        trainers.append(
            subprocess.Popen(
                [*command, *changes, "--json"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        )
        return trainers[-1]

    yield start
    for trainer in trainers:
        trainer.kill()
        trainer.wait()


@pytest.mark.train
def test_a_page_opened_before_the_run_exists_follows_a_micro_training_and_stops_it(
    serve_runs: Callable[[Path], Any], open_page: Callable[..., Any], tmp_path: Path, start_micro: Callable[..., Any]
) -> None:
    pytest.importorskip("trl", reason="needs the extra `train`")
    root = tmp_path / "runs"
    page = open_page(serve_runs(root).address)
    page.get_by_role("button", name="Start a micro training").wait_for(timeout=SECONDS)
    trainer = start_micro(root / "micro-0")
    page.get_by_role("button", name="Start a micro training").wait_for(state="hidden", timeout=SECONDS)
    state = page.locator(".a1-tile:visible", has_text="state")
    state.filter(has_text="running").wait_for(timeout=SECONDS)
    step = page.locator(".a1-tile:visible").filter(has_text=re.compile(r"^step"))
    steps = set()
    for _ in range(200):
        steps.add(int(step.inner_text().split()[1]))
        if len(steps) >= 4:
            break
        page.wait_for_timeout(250)
    assert len(steps) >= 4 and trainer.poll() is None
    page.get_by_role("button", name="Stop", exact=True).locator("visible=true").click()
    assert trainer.wait(60) == 0
    state.filter(has_text="stopped").wait_for(timeout=SECONDS)
    assert read_status(root / "micro-0")["state"] == "stopped"


@pytest.mark.train
def test_the_button_of_an_empty_page_starts_a_training_that_shows_itself_and_is_stopped(
    serve_runs: Callable[[Path], Any], open_page: Callable[..., Any], tmp_path: Path
) -> None:
    pytest.importorskip("trl", reason="needs the extra `train`")
    root = tmp_path / "runs"
    page = open_page(serve_runs(root).address)
    page.get_by_role("button", name="Start a micro training").click()
    state = page.locator(".a1-tile:visible", has_text="state")
    try:
        state.filter(has_text="running").wait_for(timeout=2 * SECONDS)
        page.get_by_role("button", name="Stop", exact=True).locator("visible=true").click()
        state.filter(has_text="stopped").wait_for(timeout=3 * SECONDS)
    finally:
        end_trainings(root)
    assert read_status(root / "micro-0")["state"] == "stopped"


def end_trainings(root: Path) -> None:
    """What was started from the page is a process of its own: ask it to stop, and end it if it does not."""
    for folder in root.glob("micro-*/"):
        status = read_status(folder)
        if status["state"] in ("running", "paused"):
            os.kill(int(status["pid"]), signal.SIGKILL)


def test_a_trainer_that_is_killed_is_shown_as_dead_and_its_steps_stay(
    serve_runs: Callable[[Path], Any], open_page: Callable[..., Any], tmp_path: Path, start_toy: Callable[..., Any]
) -> None:
    root = tmp_path / "runs"
    trainer = start_toy(root / "toy")
    page = open_page(serve_runs(root).address)
    state = page.locator(".a1-tile:visible", has_text="state")
    state.filter(has_text="running").wait_for(timeout=SECONDS)
    trainer.send_signal(signal.SIGKILL)
    trainer.wait()
    state.filter(has_text="dead").wait_for(timeout=SECONDS)
    page.get_by_role("tab", name="Duel", exact=True).click()
    page.locator(".a1-cell:visible").first.wait_for(timeout=SECONDS)


def test_a_run_deleted_under_the_viewer_leaves_a_page_that_still_works(
    serve_runs: Callable[[Path], Any], open_page: Callable[..., Any], tmp_path: Path, start_toy: Callable[..., Any]
) -> None:
    root = tmp_path / "runs"
    trainer = start_toy(root / "toy")
    page = open_page(serve_runs(root).address)
    page.locator(".a1-tile:visible", has_text="state").wait_for(timeout=SECONDS)
    page.get_by_role("tab", name="Duel", exact=True).click()
    page.locator(".a1-cell:visible").first.wait_for(timeout=SECONDS)
    trainer.kill()
    trainer.wait()
    shutil.rmtree(root / "toy")
    page.get_by_role("button", name="← step").click()
    page.locator(".a1-note:visible").filter(has_text="no run").first.wait_for(timeout=SECONDS)
    page.get_by_role("tab", name="Mistake Book", exact=True).click()
    page.wait_for_timeout(1000)
    page.get_by_role("tab", name="Overview", exact=True).click()
    page.get_by_role("button", name="Open the recorded run").click()
    page.locator(".a1-tile:visible", has_text="finished").first.wait_for(timeout=SECONDS)


def test_twenty_clients_at_once_are_all_answered(recorded: Any) -> None:
    config = httpx.get(f"{recorded.address}config", timeout=60).json()
    loads = [
        one["id"]
        for one in config["dependencies"]
        if one["backend_fn"] and not one["inputs"] and any(target[1] == "load" for target in one["targets"])
    ]

    def visit(number: int) -> list[str]:
        """What a browser does first: the page, its configuration, and everything the page loads."""
        with httpx.Client(base_url=recorded.address, timeout=120) as client:
            client.get("/").raise_for_status()
            session = f"client-{number}"
            for function in loads:
                body = {"data": [], "fn_index": function, "session_hash": session}
                client.post("/gradio_api/queue/join", json=body).raise_for_status()
            ended = []
            with client.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as stream:
                for line in stream.iter_lines():
                    message = json.loads(line.removeprefix("data:")) if line.startswith("data:") else {}
                    if message.get("msg") == "process_completed":
                        ended.append("done" if message["success"] else str(message["output"]))
                    if len(ended) == len(loads):
                        break
            return ended

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(visit, range(20)))
    assert answers == [["done"] * len(loads)] * 20
