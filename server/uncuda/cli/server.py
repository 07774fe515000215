"""The command `uncuda server`: the language server."""

from __future__ import annotations

import click

from .texts import say


@click.command(name="server", help=say("server"))
@click.option("--stdio", is_flag=True, help=say("stdio"))
@click.option(
    "--tcp",
    metavar="[HOST:]PORT",
    help=say("tcp"),
)
@click.option("--log-file", metavar="FILE", help=say("log-file"))
def command(stdio: bool, tcp: str | None, log_file: str | None) -> int:
    """Run the language server until the client ends it."""
    if stdio and tcp:
        raise click.UsageError(say("stdio with tcp"))
    from uncuda.lsp import serve

    return serve(tcp, log_file)
