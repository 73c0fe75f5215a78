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
from a1kit.warmup.micro import write_code

pytestmark = [pytest.mark.train, pytest.mark.slow]

MODELS = Path(str(resources.files("a1kit_data").joinpath("models")))
COURSES = list(warmup.COURSES.values())
MICRO = warmup.course("micro")


Measured = dict[warmup.Kind, dict[str, float]]


@pytest.fixture(scope="module", params=COURSES, ids=lambda course: course.name)
def shipped(request: pytest.FixtureRequest) -> tuple[warmup.Course, Measured]:
    """A course and what its shipped models measure."""
    return request.param, warmup.measure(request.param, MODELS)


def test_the_shipped_models_lie_in_the_band(shipped: tuple[warmup.Course, Measured]) -> None:
    assert outside(*shipped) == {}


def test_the_shipped_models_measure_what_their_provenance_says(shipped: tuple[warmup.Course, Measured]) -> None:
    course, measured = shipped
    for kind, numbers in measured.items():
        facts = json.loads((MODELS / course.model_name(kind) / warmup.PROVENANCE).read_text(encoding="utf-8"))
        assert facts["steps"] == course.schedules[kind].steps
        for name, value in numbers.items():
            # The same seed: only the last bits of another processor's arithmetic can make a draw differ.
            assert value == pytest.approx(facts["measured"][name], abs=0.03)


@pytest.mark.parametrize(("course", "most"), zip(COURSES, (8_000_000, 4_000_000), strict=True))
def test_the_models_of_a_world_are_small_files(course: warmup.Course, most: int) -> None:
    files = [path for kind in course.schedules for path in (MODELS / course.model_name(kind)).iterdir()]
    assert sum(path.stat().st_size for path in files) <= most


@pytest.mark.fresh
@pytest.mark.parametrize("course", COURSES, ids=lambda course: course.name)
def test_a_fresh_warm_up_from_another_seed_lands_in_the_band(tmp_path: Path, course: warmup.Course) -> None:
    warmup.make(course, tmp_path, seed=1, report=lambda progress: None)
    assert outside(course, warmup.measure(course, tmp_path)) == {}


def outside(course: warmup.Course, measured: Measured) -> dict[str, float]:
    """What was measured that the course does not expect."""
    assert {kind: set(numbers) for kind, numbers in measured.items()} == {
        kind: set(bands) for kind, bands in course.bands.items()
    }
    return {
        f"{kind} {name}": value
        for kind, values in measured.items()
        for name, value in values.items()
        if value not in course.bands[kind][name]
    }


def test_a_warm_up_process_that_dies_is_an_infrastructure_failure(tmp_path: Path) -> None:
    (tmp_path / ".micro-code.new").write_text("a file where a folder must go")
    (tmp_path / "micro-test").write_text("and another")
    with pytest.raises(InfrastructureError, match=r"micro-(code|test) ended with exit status"):
        warmup.make(MICRO, tmp_path, 0, lambda progress: None, dict.fromkeys(MICRO.schedules, tiny()))


def test_both_models_are_made_side_by_side(tmp_path: Path) -> None:
    said: list[warmup.Progress] = []
    warmup.make(MICRO, tmp_path, 0, said.append, dict.fromkeys(MICRO.schedules, tiny()))
    assert {progress.kind for progress in said} == {"code", "test"}
    assert {path.name for path in tmp_path.iterdir()} == {"micro-code", "micro-test"}


def test_a_warm_up_that_is_killed_leaves_no_process_behind(tmp_path: Path) -> None:
    program = f"""
import multiprocessing, threading, time
from pathlib import Path
from a1kit import warmup
from a1kit.warmup.micro import write_code

def tell() -> None:
    while len(multiprocessing.active_children()) < 2:
        time.sleep(0.05)
    print(*(child.pid for child in multiprocessing.active_children()), flush=True)

if __name__ == "__main__":
    long = warmup.Schedule((warmup.Stage(100_000, write_code, batch=2),))
    course = warmup.course("micro")
    threading.Thread(target=tell, daemon=True).start()
    warmup.make(course, Path({str(tmp_path)!r}), 0, lambda progress: None, dict.fromkeys(course.schedules, long))
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
    return warmup.Schedule((warmup.Stage(2, write_code, batch=2),))
