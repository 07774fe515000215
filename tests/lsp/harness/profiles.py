"""The `initialize` parameters of real clients, captured once, each in a file of `captured/`."""

import copy
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "captured"


@dataclass(frozen=True)
class Profile:
    """A client as the server sees it. `parameters`: the parameters of `initialize`, without folders; `ids`: creates
    request ids (number or string)."""

    name: str
    parameters: dict[str, Any]
    ids: str = "number"
    sends_folders: bool = True

    @property
    def capabilities(self) -> dict[str, Any]:
        """The client's capabilities."""
        capabilities: dict[str, Any] = self.parameters["capabilities"]
        return capabilities

    def can(self, path: str) -> Any:
        """Return the capability at a path such as `workspace.workspaceEdit.documentChanges`; None if it is absent."""
        return lookup(self.capabilities, path)

    def having(self, **capabilities: Any) -> "Profile":
        """Return this profile with other capabilities; in their names `__` stands for the dots of a path, and the value
        None removes a capability."""
        parameters = copy.deepcopy(self.parameters)
        for path, value in capabilities.items():
            *outer, last = path.split("__")
            part = parameters["capabilities"]
            for name in outer:
                part = part.setdefault(name, {})
            if value is None:
                part.pop(last, None)
            else:
                part[last] = value
        return replace(self, parameters=parameters)

    def speaking(self, locale: str) -> "Profile":
        """Return this profile with another locale."""
        return replace(self, parameters={**self.parameters, "locale": locale})

    def counting(self, encoding: str) -> "Profile":
        """Return this profile with only one position encoding."""
        return self.having(general__positionEncodings=[encoding])

    def initialize(self, folders: list[Path], options: Any = None) -> dict[str, Any]:
        """The parameters of `initialize` for these folders; `options`: other initializationOptions."""
        parameters = copy.deepcopy(self.parameters)
        root = folders[0] if folders else None
        parameters |= {
            "processId": None,
            "rootPath": str(root) if root else None,
            "rootUri": root.as_uri() if root else None,
            "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name} for folder in folders],
        }
        if not self.sends_folders or not folders:
            parameters["workspaceFolders"] = None
        if options is not None:
            parameters["initializationOptions"] = options
        return parameters


def lookup(value: Any, path: str) -> Any:
    """The value at a dotted path in nested objects; None if it is absent."""
    for name in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def _read(path: Path) -> Profile:
    captured = json.loads(path.read_text(encoding="utf-8"))
    parameters = {k: v for k, v in captured.items() if k not in ("about", "ids", "workspaceFolders")}
    return Profile(path.stem, parameters, captured["ids"], captured["workspaceFolders"])


PROFILES = {path.stem: _read(path) for path in sorted(FOLDER.glob("*.json"))}
