"""Hostile programs do not win: no false pass and no hang at any level, no harm at level full.

The rule of a verdict: reference and program run in different children, and a call passes only if both gave a value and
the two are equal. What a program may end with is written in its file (`data/programs/hostile`).

That the corpus is not made of straw is tested too: judges that share an interpreter with the program are fooled by it,
and the traps go off where nothing contains it.
"""

from __future__ import annotations

import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import a1kit
from a1kit.sandbox import Call, Level, LocalSandbox, Status
from a1kit.sandbox.corpus import HostileProgram, Kind, hostile
from a1kit.sandbox.naive import NAIVE, Attack, Ruling, throw_away
from a1kit.sandbox.traps import VARIABLE, Traps
from a1kit.sandbox.trials import hold_hostile

PEAK_MEMORY_MB = 300


def programs(*kinds: Kind) -> list[Any]:
    return [pytest.param(each, id=f"{each.name}: {each.sentence}") for each in hostile() if each.kind in kinds]


@pytest.fixture(scope="module")
def traps() -> Iterator[Traps]:
    with Traps() as set_traps:
        yield set_traps


@pytest.mark.parametrize("program", programs(*Kind))
def test_a_hostile_program_does_not_win(traps: Traps, sandbox: LocalSandbox, program: HostileProgram) -> None:
    if program.unmet:
        pytest.skip(program.unmet)
    assert hold_hostile(sandbox, program, traps) == (), program.sentence


def test_programs_leave_no_descriptors_behind(traps: Traps, sandbox: LocalSandbox) -> None:
    attacks = [each for each in hostile() if each.kind is Kind.PROTOCOL and not each.unmet]
    hold_hostile(sandbox, attacks[0], traps)
    before = sorted(os.listdir("/proc/self/fd"))
    for program in attacks[:8]:
        hold_hostile(sandbox, program, traps)
    assert sorted(os.listdir("/proc/self/fd")) == before


@pytest.mark.slow
@pytest.mark.parametrize("level", [Level.FULL, Level.LIMITS_ONLY])
def test_whatever_children_send_the_trusted_process_stays_small(level: Level) -> None:
    kinds = [f"--kind={kind}" for kind in (Kind.PROTOCOL, Kind.RESOURCE)]
    command = [sys.executable, "-m", "a1kit.sandbox.trials", f"--level={level}", *kinds]
    found = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if "SandboxUnavailable" in found.stderr:
        pytest.skip(found.stderr.strip().splitlines()[-1])
    report = json.loads(found.stdout)
    assert report["faults"] == {}
    assert report["programs"] >= 60
    assert report["peak_memory_mb"] < PEAK_MEMORY_MB


@pytest.mark.slow
def test_an_ordinary_user_is_protected_as_root_is() -> None:
    """The whole corpus at level full as the user `nobody`, from a copy that `nobody` can read."""
    if os.getuid() != 0:
        pytest.skip("these tests already run as an ordinary user")
    user = pwd.getpwnam("nobody")
    with tempfile.TemporaryDirectory(prefix="a1kit-copy-") as name:
        folder = Path(name)
        copy_package(folder)
        interpreter = interpreter_for(user.pw_uid, folder)
        if interpreter is None:
            pytest.skip("the user nobody can run no Python 3.11-3.13 of this machine")
        found = subprocess.run(
            [interpreter, "-P", "-m", "a1kit.sandbox.trials", "--level=full"],
            capture_output=True,
            text=True,
            timeout=1800,
            cwd="/",
            user=user.pw_uid,
            group=user.pw_gid,
            extra_groups=[],
            env={"PYTHONPATH": name, "PATH": "/usr/bin:/bin", VARIABLE: "a token from the start"},
        )
    if "SandboxUnavailable" in found.stderr:
        pytest.skip(found.stderr.strip().splitlines()[-1])
    assert found.stdout, found.stderr[-2000:]
    report = json.loads(found.stdout)
    assert (report["user"], report["level"]) == (user.pw_uid, "full")
    assert report["faults"] == {}
    assert report["programs"] >= len(hostile()) - 5
    assert report["peak_memory_mb"] < PEAK_MEMORY_MB


def copy_package(folder: Path) -> None:
    """The package and its programs, readable for everybody, where `a1kit` and `a1kit_data` can be imported."""
    package = Path(a1kit.__file__).parent
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(package, folder / "a1kit", ignore=ignore)
    import a1kit_data

    data = Path(a1kit_data.__file__).parent
    (folder / "a1kit_data").mkdir()
    shutil.copy(data / "__init__.py", folder / "a1kit_data")
    shutil.copytree(data / "programs", folder / "a1kit_data" / "programs", ignore=ignore)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


def interpreter_for(uid: int, folder: Path) -> str | None:
    """The first Python that this user can run the package with."""
    versions = [shutil.which(f"python3.{minor}", path="/usr/bin:/usr/local/bin") for minor in (11, 12, 13)]
    for path in [sys.executable, os.path.realpath(sys.executable), *versions]:
        if path is None:
            continue
        try:
            tried = subprocess.run(
                [path, "-P", "-c", "import a1kit.sandbox.trials"],
                capture_output=True,
                cwd="/",
                user=uid,
                extra_groups=[],
                env={"PYTHONPATH": str(folder)},
            )
        except PermissionError:
            continue
        if tried.returncode == 0:
            return path
    return None


NAMED = [each for each in hostile() if each.beats]


@pytest.mark.parametrize("program", [pytest.param(each, id=each.name) for each in NAMED])
def test_a_judge_in_the_same_interpreter_is_fooled(traps: Traps, program: HostileProgram) -> None:
    if program.unmet:
        pytest.skip(program.unmet)
    calls = tuple(call.expression for call in program.calls)
    attack = Attack(traps.arm(program.source), program.reference, program.entry_point, calls)
    rulings = {name: NAIVE[name](attack) for name in program.beats}
    assert rulings == dict.fromkeys(program.beats, Ruling.FALSE_PASS)


def test_most_attacks_on_integrity_fool_such_a_judge() -> None:
    attacks = [each for each in hostile() if each.kind is Kind.INTEGRITY]
    assert len([each for each in attacks if each.beats]) > len(attacks) / 2


def test_the_naive_judges_pass_what_is_right_and_fail_what_is_plainly_wrong() -> None:
    right = "def total(xs):\n    return sum(xs)\n"
    wrong = "def total(xs):\n    return 0\n"
    for judge in NAIVE.values():
        assert judge(Attack(right, right, "total", ("total([1, 2])",))) is Ruling.FALSE_PASS
        assert judge(Attack(wrong, right, "total", ("total([1, 2])",))) is Ruling.CONTAINED


HARMFUL = [each for each in hostile() if each.harms]


@pytest.mark.parametrize("program", [pytest.param(each, id=each.name) for each in HARMFUL])
def test_a_trap_goes_off_where_nothing_contains_the_program(
    traps: Traps, tmp_path: Path, program: HostileProgram
) -> None:
    if program.unmet:
        pytest.skip(program.unmet)
    script = traps.arm(program.source) + "\nprint(repr(attack()))\n"
    environment = {**os.environ, VARIABLE: traps.token}
    end = throw_away([sys.executable, "-I", "-c", script], 10.0, tmp_path, environment)
    time.sleep(program.wait)
    harm = traps.harm_in([end.output])
    if not harm and any(word in end.errors for word in ("PermissionError", "Operation not permitted")):
        pytest.skip(f"this machine itself forbids it: {end.errors.strip().splitlines()[-1]}")
    assert set(program.harms) <= set(harm), end.errors[-500:]


def test_a_harmless_program_springs_no_trap(traps: Traps, sandbox: LocalSandbox) -> None:
    source = traps.arm("def attack():\n    return 'nothing'\n")
    result = sandbox.run(source)
    assert result.load.status is Status.OK
    assert traps.harm(result) == ()


def test_frames_as_the_corpus_forges_them_are_what_the_sandbox_reads(sandbox: LocalSandbox) -> None:
    """Else the forgeries of the corpus would be refused for their layout alone. A child may say of itself what it
    likes: that is not a false pass, and saying the right thing is being right."""
    program = """
import os, struct
def attack():
    os.write(3, struct.pack("<IiBf", 1, 0, 0, 0.0) + b"6" + struct.pack("<IiBf", 0, -2, 0, 0.0))
    os._exit(0)
"""
    result = sandbox.run(program, [Call("attack()")])
    assert [seen.value.source if seen.value else seen for seen in result.observations] == ["6"]


def test_the_corpus_covers_what_it_should() -> None:
    assert len(hostile()) >= 250
    assert all(each.calls and each.sentence.endswith(".") for each in hostile())
    assert {each.kind for each in hostile()} == set(Kind)
    assert {name for each in hostile() for name in each.beats} == set(NAIVE)
    assert {name for each in hostile() for name in each.harms} == {
        "canary",
        "confession",
        "keepsake",
        "listener",
        "secret",
        "victim",
    }
    for kind in (Kind.INTEGRITY, Kind.PROTOCOL):
        assert all(each.reference for each in hostile() if each.kind is kind)
