"""URIs of clients to paths, and back: percent signs, Windows drives, UNC shares, bytes that are no text."""

from __future__ import annotations

import os
import re
from urllib.parse import quote_from_bytes, unquote_to_bytes

_WINDOWS = os.name == "nt"
_FILE = re.compile(r"file:(?://(?P<host>[^/?#]*))?(?P<path>/[^?#]*)", re.IGNORECASE)
_DRIVE = re.compile(r"/([A-Za-z]):(?=/|$)")
_KEPT = "/~!$&'()*+,;=@:"


def path_of(uri: str, windows: bool = _WINDOWS) -> str | None:
    """The path of a `file:` URI in the form of the operating system; None for any other URI."""
    match = _FILE.match(uri)
    if match is None:
        return None
    path = os.fsdecode(unquote_to_bytes(match["path"]))
    host = match["host"] or ""
    if host.lower() == "localhost":
        host = ""
    if host:
        path = f"//{host}{path}"
    elif windows and (drive := _DRIVE.match(path)):
        path = f"{drive[1].lower()}:{path[drive.end() :] or '/'}"
    return path.replace("/", "\\") if windows else path


def uri_of(path: str, windows: bool = _WINDOWS) -> str:
    """The `file:` URI of an absolute path."""
    if windows:
        path = path.replace("\\", "/")
        if not path.startswith("/"):
            path = "/" + path
    quoted = quote_from_bytes(os.fsencode(path), _KEPT)
    return f"file:{quoted}" if path.startswith("//") else f"file://{quoted}"
