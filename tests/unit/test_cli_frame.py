"""The command line's frame: names, exit statuses, one sentence an error."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer

from a1kit import cli
from a1kit.errors import InputError, SandboxUnavailable


def a1kit(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "a1kit", *arguments], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("name", list(cli.COMMANDS))
def test_every_listed_command_has_a_module_with_a_function_named_command(name: str) -> None:
    assert callable(cli.module_of(name).command)


def test_help_lists_every_command() -> None:
    listing = a1kit("--help").stdout
    assert all(f"  {name} " in listing for name in cli.COMMANDS)


def test_an_unknown_command_is_a_usage_error() -> None:
    answer = a1kit("trian")
    assert answer.returncode == 2
    assert "trian" in answer.stderr


def test_version_is_printed() -> None:
    from a1kit import __version__

    assert a1kit("--version").stdout == f"a1kit {__version__}\n"


@pytest.mark.parametrize(
    ("error", "status"),
    [(InputError("row 3 has no reference"), 1), (SandboxUnavailable("no zygote"), 3), (KeyboardInterrupt(), 130)],
)
def test_expected_errors_end_with_one_sentence_and_the_documented_status(
    error: BaseException, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def command() -> None:
        raise error

    with pytest.raises(typer.Exit) as left:
        cli.guarded(command)()
    assert left.value.exit_code == status
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"a1kit: {str(error) or 'interrupted'}"]


def test_unexpected_errors_keep_their_traceback() -> None:
    def command() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cli.guarded(command)()
