"""Closed files that the editor would not read as what they are: columns of their edits would be others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .jobs import FileChange

if TYPE_CHECKING:
    from .server import UncudaServer

_SETTING = "files.encoding"  # VS Code's, and that of editors made of it; others know none of that name
_RIGHT = frozenset({"", "utf8", "utf8bom"})


async def misread(server: UncudaServer, files: Iterable[FileChange]) -> dict[str, str]:
    """The URIs of closed files in UTF-8 that the editor's settings say are in another encoding, and in which."""
    doubtful = [file.uri for file in files if file.otherwise]
    if not doubtful or not server.client.configuration:
        return {}
    params = types.ConfigurationParams([types.ConfigurationItem(uri, _SETTING) for uri in doubtful])
    try:
        values = await server.workspace_configuration_async(params)
    except JsonRpcException:
        return {}
    if not isinstance(values, (list, tuple)) or len(values) != len(doubtful):
        return {}
    return {
        uri: value
        for uri, value in zip(doubtful, values)
        if isinstance(value, str) and value.lower().replace("-", "") not in _RIGHT
    }
