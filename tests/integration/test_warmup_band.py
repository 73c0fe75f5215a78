"""The shipped micro models are what their provenance says, fresh ones are much like them, and the warm-up's machinery
works."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from importlib import resources
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from a1kit import warmup
from a1kit.errors import InfrastructureError
from a1kit.warmup_examples import SuiteStyle

pytestmark = [pytest.mark.train, pytest.mark.slow]

MODELS = Path(str(resources.files("a1kit_data").joinpath("models")))
HONEST = SuiteStyle(edge=0.3, aimed=0.2, believing=0.0, slips=0.0)


@pytest.fixture(scope="module")
def measured() -> dict[warmup.Kind, dict[str, float]]:
    return warmup.measure(MODELS)


@pytest.mark.parametrize("kind", ["code", "test"])
def test_the_shipped_models_lie_in_the_band_on_held_out_questions(
    measured: dict[warmup.Kind, dict[str, float]], kind: warmup.Kind
) -> None:
    assert set(measured[kind]) == set(warmup.BANDS[kind])
    for name, value in measured[kind].items():
        assert value in warmup.BANDS[kind][name], f"{name} is {value}"


@pytest.mark.parametrize("kind", ["code", "test"])
def test_the_shipped_models_measure_what_their_provenance_says(
    measured: dict[warmup.Kind, dict[str, float]], kind: warmup.Kind
) -> None:
    facts = json.loads((MODELS / f"micro-{kind}" / warmup.PROVENANCE).read_text(encoding="utf-8"))
    assert facts["steps"] == warmup.SCHEDULES[kind].steps
    for name, value in measured[kind].items():
        # The same seed: only the last bits of another processor's arithmetic can make a draw differ.
        assert value == pytest.approx(facts["measured"][name], abs=0.03)


def test_both_models_weigh_at_most_eight_megabytes() -> None:
    files = [path for kind in warmup.SCHEDULES for path in (MODELS / f"micro-{kind}").iterdir()]
    assert sum(path.stat().st_size for path in files) <= 8_000_000


@pytest.mark.fresh
def test_a_fresh_warm_up_from_another_seed_lands_in_the_band(tmp_path: Path) -> None:
    warmup.make_both(tmp_path, seed=1, report=lambda progress: None)
    measured = warmup.measure(tmp_path)
    outside = {
        f"{kind} {name}": value
        for kind, values in measured.items()
        for name, value in values.items()
        if value not in warmup.BANDS[kind][name]
    }
    assert outside == {}


def test_a_warm_up_process_that_dies_is_an_infrastructure_failure(tmp_path: Path) -> None:
    (tmp_path / ".micro-code.new").write_text("a file where a folder must go")
    (tmp_path / "micro-test").write_text("and another")
    with pytest.raises(InfrastructureError, match=r"micro-(code|test) ended with exit status"):
        warmup.make_both(tmp_path, 0, lambda progress: None, {kind: tiny() for kind in warmup.SCHEDULES})


def test_both_models_are_made_side_by_side(tmp_path: Path) -> None:
    said: list[warmup.Progress] = []
    warmup.make_both(tmp_path, 0, said.append, {kind: tiny() for kind in warmup.SCHEDULES})
    assert {progress.kind for progress in said} == {"code", "test"}
    assert {path.name for path in tmp_path.iterdir()} == {"micro-code", "micro-test"}


def test_a_warm_up_that_is_killed_leaves_no_process_behind(tmp_path: Path) -> None:
    program = f"""
import multiprocessing, threading, time
from pathlib import Path
from a1kit import warmup
from a1kit.warmup_examples import SuiteStyle

def tell() -> None:
    while len(multiprocessing.active_children()) < 2:
        time.sleep(0.05)
    print(*(child.pid for child in multiprocessing.active_children()), flush=True)

if __name__ == "__main__":
    style = SuiteStyle(edge=0.3, aimed=0.2, believing=0.0, slips=0.0)
    long = warmup.Schedule((warmup.Stage(100_000, batch=2, tests=1, style=style),))
    threading.Thread(target=tell, daemon=True).start()
    warmup.make_both(Path({str(tmp_path)!r}), 0, lambda progress: None, dict.fromkeys(warmup.SCHEDULES, long))
"""
    script = tmp_path / "script.py"
    script.write_text(program)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = [int(pid) for pid in parent.stdout.readline().split()]
        time.sleep(3.0)  # they are still importing, or already at work
        parent.kill()
    assert len(workers) == 2
    deadline = time.monotonic() + 300
    while any(map(is_alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(is_alive, workers))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path(f"/proc/{pid}/stat").exists() or Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"


def tiny() -> warmup.Schedule:
    return warmup.Schedule((warmup.Stage(2, batch=2, tests=1, style=HONEST),))
