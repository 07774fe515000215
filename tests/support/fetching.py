"""What tests have fetched: from the Python index, npm, Maven Central, Debian."""

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from unittest import SkipTest

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


def fetched(name: str, code: int, output: str, errors: str = "") -> str:
    """What a command that fetches has printed, which ended with this code; raises as fetch() does."""
    if code:
        text = errors.strip() or output.strip()
        raise (Missing if unreachable(output + errors) else AssertionError)(f"{name} failed: {text[-2000:]}")
    return output


def unreachable(text: str) -> bool:
    """Whether a command says that it does not reach what it fetches."""
    return _UNREACHABLE.search(text) is not None
