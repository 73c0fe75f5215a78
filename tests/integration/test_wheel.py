"""The built wheel is the product: it must work in an empty environment, away from the checkout."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


def run(command: list[str | Path], **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600, **options)  # type: ignore[call-overload, no-any-return]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    # Build from a copy of what git would ship, so that stray build folders cannot leak into the wheel.
    source = out / "source"
    tracked = run(["git", "-C", REPOSITORY, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]).stdout
    for name in filter(None, tracked.split("\0")):
        if (REPOSITORY / name).is_file():
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((REPOSITORY / name).read_bytes())
    built = run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, source])
    assert built.returncode == 0, built.stderr
    (path,) = out.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of a new environment that holds the wheel and its core dependencies only."""
    home = tmp_path_factory.mktemp("installed")
    assert run([sys.executable, "-m", "venv", home / "venv"]).returncode == 0
    python = home / "venv" / "bin" / "python"
    pip = run(
        [python, "-m", "pip", "install", "--quiet", "--constraint", REPOSITORY / "constraints.txt", wheel], cwd=home
    )
    assert pip.returncode == 0, pip.stderr
    return python.parent


def test_the_wheel_carries_the_library_the_app_the_benchmarks_and_the_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for part in (
        "a1kit/types.py",
        "a1kit/py.typed",
        "a1kit_app/__init__.py",
        "a1kit_bench/sandbox.py",
        "a1kit_data/duels/demo.jsonl",
        "a1kit_data/programs/hostile/",
    ):
        assert any(name.startswith(part) for name in names), part
    assert not [name for name in names if name.startswith(("tests/", "notebooks/", ".venv/"))]
    assert not [name for name in names if "__pycache__" in name]


def test_the_installed_command_judges_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    duel = {
        "id": "one",
        "entry_point": "f",
        "reference": "def f(x):\n    return x + 1",
        "candidate": "```python\ndef f(x):\n    return x + 1 if x < 9 else 0\n```",
        "suites": ["assert f(1) == 2\nassert f(9) == 10\nassert f(2) == 4"],
    }
    answer = run([installed / "a1kit", "judge"], input=json.dumps(duel) + "\n", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    (line,) = answer.stdout.splitlines()
    tests = json.loads(line)["suites"][0]["tests"]
    assert [test["state"] for test in tests] == ["valid", "valid", "corrected"]
    assert [test["verdict"] for test in tests] == ["passed", "wrong", "passed"]


def test_the_installed_doctor_reports_without_the_optional_packages(installed: Path, tmp_path: Path) -> None:
    answer = run([installed / "a1kit", "doctor", "--json"], cwd=tmp_path)
    report = json.loads(answer.stdout)
    torch = next(item for item in report["findings"] if item["name"] == "torch")
    assert torch["health"] == "note"
    assert "a1kit[train]" in torch["advice"]


def test_every_command_shows_its_help_without_the_optional_packages(installed: Path, tmp_path: Path) -> None:
    listing = run([installed / "a1kit", "--help"], cwd=tmp_path).stdout
    commands = [line.split()[0] for line in listing.split("Commands:")[1].splitlines() if line[2:3].strip()]
    assert commands
    for name in commands:
        answer = run([installed / "a1kit", name, "--help"], cwd=tmp_path)
        assert answer.returncode == 0, answer.stderr


def test_importing_a1kit_imports_no_heavy_package() -> None:
    code = "import sys, a1kit; print([n for n in ('torch', 'transformers', 'duckdb', 'pyarrow') if n in sys.modules])"
    assert run([sys.executable, "-c", code]).stdout.strip() == "[]"
