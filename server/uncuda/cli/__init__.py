"""The command line of uncuda. The module of a command, which imports the engine, is imported only when the command
runs."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

import uncuda

from .texts import complain, complain_lines, one_line, say

FINDINGS, ERROR, INTERRUPTED = 1, 2, 130

_COMMANDS = ("check", "fix", "report", "rule", "server")


class _Commands(click.Group):
    """A click group that lists uncuda's commands without importing their modules."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"uncuda.cli.{name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in _COMMANDS and not name.startswith("-"):
            from uncuda.settings import hint

            ctx.fail(say("unknown command", value=name, hint=hint(name, _COMMANDS)))
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(say("commands")):
            formatter.write_dl([(name, say(f"{name} in short")) for name in _COMMANDS])


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=say("about"),
)
@click.version_option(uncuda.__version__, "--version", "-V", prog_name="uncuda", message="%(prog)s %(version)s")
def group() -> None:
    """The click group that holds every command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 without findings, 1 with findings, 2 for an error, 130 if
    interrupted."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    gc.disable()  # nearly all objects created by the command line are trees without cycles
    atexit.register(gc.freeze)  # without this call, Python collects garbage when it exits
    _prepare_streams()
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The process that reads the output has ended; if stdout still led to it, Python would raise the same error
        # again at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINDINGS
    except OSError as error:
        return _surprise(error, verbose=False)
    return code


def _prepare_streams() -> None:
    """Make sure that printing cannot fail because of the terminal's encoding, or because there is no terminal."""
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _run(arguments: list[str]) -> int:
    try:
        code = group.main(arguments, prog_name="uncuda", standalone_mode=False)
    except click.ClickException as error:
        _show(error, bool(arguments))
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        complain("uncuda: " + say("interrupted"))
        return INTERRUPTED
    except click.exceptions.Exit as error:
        return error.exit_code
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 whatever it is, one clear line
        return _surprise(error, "--verbose" in arguments)
    return code if isinstance(code, int) else 0


def _show(error: click.ClickException, given: bool) -> None:
    """Print an error of click. `given`: whether there are command-line arguments, which the error may quote; without
    arguments, the help is printed, too."""
    if given:
        vars(error)["message"] = one_line(error.message)  # done before click removes text that looks like colour codes
    shown = io.StringIO()
    error.show(shown)
    complain_lines(shown.getvalue())


def _surprise(error: Exception, verbose: bool) -> int:
    from uncuda.catalogue import CatalogueError
    from uncuda.settings import SettingsError

    known = isinstance(error, (CatalogueError, SettingsError, OSError))
    if verbose and not known:
        import traceback

        complain_lines(traceback.format_exc())
    what = str(error) if known else say("internal error", what=f"{type(error).__name__}: {error}")
    if isinstance(error, OSError):
        what = ": ".join(filter(None, (error.filename, error.strerror)))
    complain(f"uncuda: {say('error')}: {what}")
    return ERROR
