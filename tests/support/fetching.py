"""What tests have fetched: from the Python index, npm, Maven Central, Debian."""

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

# What apt, pip, npm and Maven say where the network, or what they ask there, is not reached.
_UNREACHABLE = re.compile(
    r"Temporary failure (?:in name resolution|resolving)|Unable to (?:fetch|locate)|Failed to fetch"
    r"|No matching distribution|NewConnectionError|ConnectTimeoutError|ReadTimeoutError|ProxyError|Max retries exceeded"
    r"|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|\bE404\b"
    r"|Could not transfer artifact|Cannot access|Could not resolve dependencies|could not be resolved"
)


class Missing(SkipTest):
    """What a test needs cannot be had here; the message says why, or what to run. A test that raises it is skipped."""


def fetch(command: Sequence[str], folder: Path | None = None, environment: Mapping[str, str] | None = None) -> str:
    """Run a command that fetches; gives what it prints. Raises Missing if nothing is reached, else AssertionError."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return fetched(" ".join(command[:3]), done.returncode, done.stdout, done.stderr)


def npm_package(spec: str, sha512: str, folder: Path) -> None:
    """Unpack a package of npm below `folder`/package; nothing of it is run. Raises as fetch() does."""
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
    """A folder of a cache, made anew when what is wanted of it changes."""
    folder, stamp = cache / name, cache / name / "stamp"
    with alone(cache / f"{name}.lock"):
        if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            make(folder)
            stamp.write_text(wanted, encoding="utf-8")
    return folder


def fetched(name: str, code: int, output: str, errors: str = "") -> str:
    """What a command that fetches has printed, which ended with this code; raises as fetch() does."""
    if code:
        text = errors.strip() or output.strip()
        raise (Missing if unreachable(output + errors) else AssertionError)(f"{name} failed: {text[-2000:]}")
    return output


def unreachable(text: str) -> bool:
    """Whether a command says that it does not reach what it fetches."""
    return _UNREACHABLE.search(text) is not None
