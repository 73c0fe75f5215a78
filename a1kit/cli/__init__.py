"""The command line: `a1kit COMMAND`. Each command is a module of this package with a function `command`.

A command's module is imported when it is run (or when its `--help` is asked for), so that `a1kit --help` and
`a1kit doctor` answer at once and need none of the heavy packages.

Exit status: 0 done · 1 some input was bad (named) · 2 usage · 3 infrastructure · 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click
import typer
from typer.core import TyperGroup
from typer.main import get_command

from a1kit.errors import InfrastructureError, InputError

EXIT_INPUT, EXIT_INFRASTRUCTURE, EXIT_INTERRUPTED = 1, 3, 130

COMMANDS = {
    "judge": "Judge candidates and test suites: JSON lines in, verdicts and rewards out.",
    "doctor": "Show what this machine has: Python, packages, memory, sandbox layers, browser.",
    "bench": "Measure the claims of the README on this machine.",
}
"""Name -> one line of help. The module is `a1kit.cli.NAME`, the function `command`."""


class LazyGroup(TyperGroup):
    """Lists every command without importing any, and imports the one that is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"a1kit.cli.{cmd_name}")
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        app.command(name=cmd_name, help=COMMANDS[cmd_name])(module.command)
        command = get_command(app)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


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
    """Run the command line and exit with the documented status. This is a process boundary: expected errors become
    one sentence on standard error, unexpected ones keep their traceback."""
    try:
        status = app(args=arguments, prog_name="a1kit", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        status = EXIT_INTERRUPTED
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except InputError as error:
        _say(str(error))
        status = EXIT_INPUT
    except InfrastructureError as error:
        _say(str(error))
        status = EXIT_INFRASTRUCTURE
    except BrokenPipeError:
        # The reader went away (`a1kit judge … | head`): not our failure, and nothing more can be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except KeyboardInterrupt:
        _say("interrupted")
        status = EXIT_INTERRUPTED
    sys.exit(status if isinstance(status, int) else 0)


def _say(message: str) -> None:
    print(f"a1kit: {message}", file=sys.stderr, flush=True)
