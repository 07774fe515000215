"""`uncuda server`: the language server."""

from __future__ import annotations

import click

from .texts import say


@click.command(name="server", help=say("Run the language server.", "运行语言服务器。"))
@click.option(
    "--stdio", is_flag=True, help=say("Speak on standard input and output (default).", "使用标准输入输出通信（默认）。")
)
@click.option(
    "--tcp",
    metavar="[HOST:]PORT",
    help=say(
        "Wait for one client on a socket instead; without a host only this machine can connect.",
        "改为在套接字上等待一个客户端；未指定主机时仅限本机连接。",
    ),
)
@click.option("--log-file", metavar="FILE", help=say("Also write the log to this file.", "同时将日志写入该文件。"))
def command(stdio: bool, tcp: str | None, log_file: str | None) -> int:
    """Serve until the client leaves."""
    if stdio and tcp:
        raise click.UsageError(say("--stdio does not go together with --tcp", "--stdio 不能与 --tcp 同时使用"))
    from uncuda.lsp import serve

    return serve(tcp, log_file)
