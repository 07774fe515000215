"""Fetches packages for tests: from PyPI, npm, Maven Central and Debian."""

import base64
import hashlib
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from unittest import SkipTest

from support.locks import alone

# Error messages of apt, pip, npm and Maven which mean that the network or the server cannot be reached.
_UNREACHABLE = re.compile(
    r"Temporary failure (?:in name resolution|resolving)|Unable to (?:fetch|locate)|Failed to fetch"
    r"|No matching distribution|NewConnectionError|ConnectTimeoutError|ReadTimeoutError|ProxyError|Max retries exceeded"
    r"|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|\bE404\b"
    r"|Could not transfer artifact|Cannot access|Could not resolve dependencies|could not be resolved"
)


class Missing(SkipTest):
    """Raised if something that a test needs is not available; the message gives the reason, or a command to run. A test
    that raises this exception is skipped."""


def fetch(command: Sequence[str], folder: Path | None = None, environment: Mapping[str, str] | None = None) -> str:
    """Run a command that fetches something, and return its output. Raise Missing if the command cannot reach its
    server, and AssertionError if it fails otherwise."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return fetched(" ".join(command[:3]), done.returncode, done.stdout, done.stderr)


def npm_package(spec: str, sha512: str, folder: Path) -> None:
    """Unpack an npm package below `folder`/package without running any of it. Errors are raised as by fetch()."""
    if not shutil.which("npm"):
        raise Missing("npm is not there: sudo apt-get install --yes npm")
    fetch(["npm", "--loglevel=error", "pack", spec], folder)
    (archive,) = folder.glob("*.tgz")
    if base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode() != sha512:
        raise AssertionError(f"{spec} is not what it was")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    archive.unlink()


def made(cache: Path, name: str, wanted: str, make: Callable[[Path], None]) -> Path:
    """Return the folder `name` in a cache; call `make` to create it if it does not exist, or if `wanted` differs from
    the last time."""
    folder, stamp = cache / name, cache / name / "stamp"
    with alone(cache / f"{name}.lock"):
        if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            make(folder)
            stamp.write_text(wanted, encoding="utf-8")
    return folder


def fetched(name: str, code: int, output: str, errors: str = "") -> str:
    """Return the output of a fetching command that exited with `code`; raise errors as fetch() does."""
    if code:
        text = errors.strip() or output.strip()
        raise (Missing if unreachable(output + errors) else AssertionError)(f"{name} failed: {text[-2000:]}")
    return output


def unreachable(text: str) -> bool:
    """Return whether a command's output says that its server cannot be reached."""
    return _UNREACHABLE.search(text) is not None
