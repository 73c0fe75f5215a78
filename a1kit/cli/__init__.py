"""The command line: `a1kit COMMAND`. Each command is a module of this package with a function `command`.

A command's module is imported when it is run (or when its `--help` is asked for), so that `a1kit --help` and
`a1kit doctor` answer at once and need none of the heavy packages.

Exit status: 0 done · 1 some input was bad (named) · 2 usage · 3 infrastructure · 130 interrupted.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from a1kit.errors import InfrastructureError, InputError

EXIT_INPUT, EXIT_INFRASTRUCTURE, EXIT_INTERRUPTED = 1, 3, 130

COMMANDS = {
    "train": "Train a Code LLM and a Test LLM against each other.",
    "resume": "Go on with a run from its newest checkpoint.",
    "export": "Export the tests of a Mistake Book: pytest, JSON lines, CSV, Parquet.",
    "judge": "Judge candidates and test suites: JSON lines in, verdicts and rewards out.",
    "eval": "Measure a Code LLM: avg@n, pass@k, best-of-n on a benchmark or your own questions.",
    "eval-tests": "Measure a Test LLM: one test a round, and the mutants that they kill.",
    "experiment": "Compare settings over several seeds, and report what reproduces.",
    "compare": "Any runs side by side: tables, differences, figures.",
    "warmup": "Make the models of a micro world from a seed (minutes).",
    "doctor": "Show what this machine has: Python, packages, memory, sandbox layers, browser.",
    "view": "Open the inspector on the runs of this folder.",
    "bench": "Measure the claims of the README on this machine.",
}
"""Name -> one line of help. The module is `a1kit.cli.NAME` (or that of `_MODULES`), the function `command`."""

_MODULES = {"eval": "evaluate", "eval-tests": "evaluate_tests"}
"""Commands whose names cannot be those of modules."""


def module_of(name: str) -> ModuleType:
    """The module of a listed command; importing it may take seconds."""
    return import_module(f"a1kit.cli.{_MODULES.get(name, name)}")


class LazyGroup(TyperGroup):
    """Lists every command without importing any, and imports the one that is asked for."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return list(COMMANDS)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        if cmd_name not in COMMANDS:
            return None
        module = module_of(cmd_name)
        command_app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
        command_app.command(name=cmd_name, help=COMMANDS[cmd_name])(guarded(module.command))
        command = get_command(command_app)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """The process boundary: expected errors become one sentence on standard error and the documented exit status;
    unexpected ones keep their traceback."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except InputError as error:
            _leave(EXIT_INPUT, str(error))
        except InfrastructureError as error:
            _leave(EXIT_INFRASTRUCTURE, str(error))
        except KeyboardInterrupt:
            _leave(EXIT_INTERRUPTED, "interrupted")
        except BrokenPipeError:
            # The reader went away (`a1kit judge … | head`): not a failure of ours, and nothing more can be said to it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None

    return run


def _leave(status: int, message: str) -> None:
    print(f"a1kit: {message}", file=sys.stderr, flush=True)
    raise typer.Exit(status) from None


def _version(value: bool) -> None:
    if value:
        from a1kit import __version__

        typer.echo(f"a1kit {__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=LazyGroup,
    name="a1kit",
    help="Train a Code LLM and a Test LLM against each other (Code-A1, arXiv 2603.15611).",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    pass


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with the documented status."""
    app(args=arguments, prog_name="a1kit")
