"""Reading the corpus, and the traps."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from a1kit.sandbox import Status, corpus
from a1kit.sandbox.corpus import CorpusCall, Kind, _File, hostile, legitimate, reference
from a1kit.sandbox.traps import VARIABLE, Traps
from a1kit.sandbox.trials import peak_megabytes


@pytest.fixture
def traps() -> Iterator[Traps]:
    with Traps() as set_traps:
        yield set_traps


def test_a_program_is_read_without_its_head() -> None:
    program = next(each for each in hostile() if each.name == "loops_forever")
    assert program.kind is Kind.RESOURCE
    assert program.sentence == "A call that never ends is ended, and the calls after it are answered."
    assert program.calls == (CorpusCall("attack(1)", (Status.TIMEOUT,)), CorpusCall("attack(0)", (Status.OK,)))
    assert program.source.startswith("def attack(n):")
    assert "kind:" not in program.source and program.sentence not in program.source


def test_a_reference_names_the_entry_point_and_is_not_in_the_program() -> None:
    program = next(each for each in hostile() if each.name == "calls_the_reference_in_a_frame")
    assert program.entry_point == "cipher"
    assert program.reference == reference("cipher")
    assert "oracle-phrase" in program.reference and "oracle-phrase" not in program.source


def test_no_program_that_looks_for_the_phrase_contains_it() -> None:
    for program in hostile():
        if program.topic == "looking for the answer":
            assert "oracle-phrase" not in program.source


def test_names_are_unique_over_both_kinds() -> None:
    names = [program.name for program in (*hostile(), *legitimate())]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "does not start with a one-line docstring"),
        ('"""A sentence."""\n# colour: red\n\nx = 1\n', "unknown key 'colour'"),
    ],
)
def test_a_malformed_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "odd.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message) as raised:
        _File.read(path)
    assert "odd.py" in str(raised.value)


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert corpus._unmet((), (3, 11)) == ""
    assert corpus._unmet(("json", "no_such_module"), (3, 11)) == "needs no_such_module"
    assert corpus._unmet((), (9, 0)) == "needs Python 9.0"


def test_untouched_traps_show_no_harm(traps: Traps) -> None:
    traps.arm("")
    assert traps.harm_in(["nothing to see"]) == ()


def test_each_trap_shows_its_harm_once(traps: Traps) -> None:
    def address(name: str) -> str:
        return traps.address(f"@{name}@")

    traps.arm("")
    Path(address("CANARY")).touch()
    assert traps.harm_in([]) == ("canary",)
    traps.arm("")
    Path(address("KEEPSAKE")).chmod(0o600)
    assert traps.harm_in([]) == ("keepsake",)
    traps.arm("")
    with socket.create_connection(("127.0.0.1", int(address("TCP_PORT")))):
        assert traps.harm_in([]) == ("listener",)
    traps.arm("")
    os.kill(int(address("VICTIM")), signal.SIGSTOP)
    os.waitid(os.P_PID, int(address("VICTIM")), os.WSTOPPED | os.WNOWAIT)
    assert traps.harm_in([]) == ("victim",)
    traps.arm("")
    secret = Path(address("SECRET_FILE")).read_text()
    assert traps.harm_in([f"I read {secret}"]) == ("secret",)
    assert traps.harm_in(["I have escaped"]) == ("confession",)
    traps.arm("")
    assert traps.harm_in([]) == ()


def test_closing_takes_everything_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with Traps() as traps:
        folder, victim = traps.folder, int(traps.address("@VICTIM@"))
        assert os.environ[VARIABLE] == traps.token
    assert VARIABLE not in os.environ and not folder.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(victim, 0)


def test_a_signal_is_blank_only_when_asked_for(traps: Traps) -> None:
    assert traps.arm("@SIGNAL@", blank=True) == "0"
    assert traps.arm("@SIGNAL@") == "9"
    assert traps.arm("@UNKNOWN@ @x@") == "@UNKNOWN@ @x@"


def test_the_peak_memory_of_a_program_leaves_out_that_of_whoever_started_it() -> None:
    ballast = bytearray(300 << 20)
    code = "from a1kit.sandbox.trials import peak_megabytes\nprint(peak_megabytes())"
    peak = float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
    assert 5 < peak < 200
    assert peak_megabytes() > len(ballast) >> 20
