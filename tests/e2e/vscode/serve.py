"""VS Code in the browser, with the extension and a copy of examples/ open, until Ctrl+C. `make vscode` runs it.

python -m e2e.vscode.serve [--port PORT] [--locale zh-cn]
"""

import argparse
import shutil
import sys

from e2e.vscode.code_server import CodeServer
from e2e.vscode.install import CACHE
from support import node
from support.fetching import Missing
from support.imports import ROOT


def main() -> int:
    """Serve; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--locale", default="", choices=["", "zh-cn"])
    options = parser.parse_args()
    folder = CACHE / "by-hand"
    shutil.rmtree(folder, ignore_errors=True)
    workspace = shutil.copytree(ROOT / "examples", folder / "examples")
    settings = {"uncuda.interpreter": sys.executable, "security.workspace.trust.enabled": False}
    try:
        server = CodeServer(folder / "code-server", settings, options.locale, options.port)
        server.install(node.vsix())
    except Missing as error:
        print(error, file=sys.stderr)
        return 1
    with server.running():
        print(f"VS Code with {workspace.relative_to(ROOT)}: {server.address(workspace)}   (Ctrl+C ends it)", flush=True)
        try:
            server.wait()
        except KeyboardInterrupt:
            return 0
    print(server.log(), file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
