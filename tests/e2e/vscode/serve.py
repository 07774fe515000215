"""Runs VS Code in the browser, with the extension and a copy of examples/ open, until Ctrl+C. The command `make
vscode` runs this module.

python -m e2e.vscode.serve [--port PORT] [--locale zh-cn]
"""

import argparse
import shutil
import signal
import socket
import sys
from pathlib import Path

from e2e.vscode.code_server import CodeServer
from e2e.vscode.install import CACHE
from support import node
from support.fetching import Missing
from support.imports import ROOT

SETTINGS = {"uncuda.interpreter": sys.executable, "security.workspace.trust.enabled": False}


def main() -> int:
    """Run VS Code until it is interrupted; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--locale", default="", choices=["", "zh-cn"])
    options = parser.parse_args()
    if _is_taken(options.port):
        print(f'Port {options.port} is in use; choose another: make vscode VSCODE_ARGS="--port PORT"', file=sys.stderr)
        return 1
    try:
        server, workspace = ready(CACHE / "by-hand", node.vsix(), options.locale, options.port)
    except Missing as error:
        print(error, file=sys.stderr)
        return 1
    for ending in (signal.SIGTERM, signal.SIGHUP):  # closing the terminal also ends VS Code
        signal.signal(ending, signal.default_int_handler)
    with server.running():
        print(f"VS Code with {workspace.relative_to(ROOT)}: {server.address(workspace)}   (Ctrl+C ends it)", flush=True)
        try:
            server.wait()
        except KeyboardInterrupt:
            return 0
    print(server.log(), file=sys.stderr)
    return 1


def ready(folder: Path, vsix: Path, locale: str = "", port: int = 0) -> tuple[CodeServer, Path]:
    """Return a code-server with the extension, and a new copy of examples/ for it to open; `folder` is created
    again."""
    shutil.rmtree(folder, ignore_errors=True)
    workspace = shutil.copytree(ROOT / "examples", folder / "examples")
    server = CodeServer(folder / "code-server", SETTINGS, locale, port)
    server.install(vsix)
    return server, workspace


def _is_taken(port: int) -> bool:
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0


if __name__ == "__main__":
    sys.exit(main())
