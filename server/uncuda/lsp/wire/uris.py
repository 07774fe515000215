"""Converts URIs of clients to paths and back: percent-encoding, Windows drives, UNC shares, undecodable bytes."""

from __future__ import annotations

import os
import re
from urllib.parse import quote_from_bytes, unquote_to_bytes

from uncuda import lazy_re

_WINDOWS = os.name == "nt"
_FILE = lazy_re.compile(r"file:(?://(?P<host>[^/?#]*))?(?P<path>/[^?#]*)", re.IGNORECASE)
_DRIVE = lazy_re.compile(r"/([A-Za-z]):(?=/|$)")
_KEPT = "/~!$&'()*+,;=@:"
# The maximum lengths of paths are those of Linux. macOS allows only shorter paths: opening a document whose path is too
# long for macOS fails without affecting other documents.
_LONGEST_PATH, _LONGEST_WINDOWS_PATH, _LONGEST_NAME = 4096, 32_767, 255


def path_of(uri: str, windows: bool = _WINDOWS) -> str | None:
    """The path of a `file:` URI in the form of the operating system.

    None for other URIs and for impossible paths: with NUL or an unpaired surrogate, too long, or (except on Windows)
    with the host of another machine.
    """
    match = _FILE.match(uri)
    if match is None:
        return None
    try:
        path = os.fsdecode(unquote_to_bytes(match["path"]))
    except UnicodeError:
        return None
    host = match["host"] or ""
    if host.lower() == "localhost":
        host = ""
    if not windows and (host or path.startswith("//")):
        return None
    if host:
        path = f"//{host}{path}"
    elif windows and (drive := _DRIVE.match(path)):
        path = f"{drive[1].lower()}:{path[drive.end() :] or '/'}"
    return (path.replace("/", "\\") if windows else path) if _can_be(path, windows) else None


def _can_be(path: str, windows: bool) -> bool:
    """Whether a file can have this path."""
    if "\0" in path:
        return False
    longest_path, longest_name = (_LONGEST_WINDOWS_PATH if windows else _LONGEST_PATH), _LONGEST_NAME
    if len(path) * 4 < longest_name:
        return True
    size = len if windows else (lambda text: len(os.fsencode(text)))
    return size(path) < longest_path and all(size(name) <= longest_name for name in path.split("/"))


def uri_of(path: str, windows: bool = _WINDOWS) -> str:
    """The `file:` URI of an absolute path."""
    if windows:
        path = path.replace("\\", "/")
        if not path.startswith("/"):
            path = "/" + path
    quoted = quote_from_bytes(os.fsencode(path), _KEPT)
    return f"file:{quoted}" if path.startswith("//") else f"file://{quoted}"
