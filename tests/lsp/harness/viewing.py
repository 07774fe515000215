"""A client that shows the overview: it requests all nodes, as an editor with every node expanded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lsp.harness.client import Client
from lsp.harness.profiles import PROFILES
from lsp.harness.traffic import Json

VIEW = PROFILES["vscode"].having(experimental__uncudaOverview={"version": 1, "shows": ["view", "review", "report"]})


class Seen:
    """The data that a client gets from `uncuda/overview`: the first answer, and all nodes by their id."""

    def __init__(self, client: Client, **asked: Any) -> None:
        self._client, self._asked = client, asked
        self.top: Json = client.request("uncuda/overview", asked)
        self.nodes: dict[str, Json] = {}
        self.parents: dict[str, str] = {}
        self.pages = 0
        self._walk("", self.top)

    def _walk(self, parent: str, first: Json) -> None:
        for node in self._pages(parent, first):
            assert node["id"] not in self.nodes, "ids are unique"
            self.nodes[node["id"]] = node
            self.parents[node["id"]] = parent
            if not node["leaf"]:
                self._walk(node["id"], self._client.request("uncuda/overview", {**self._asked, "parent": node["id"]}))

    def _pages(self, parent: str, page: Json) -> Iterator[Json]:
        self.pages += 1
        yield from page["nodes"]
        while after := page.get("next"):
            asked = {**self._asked, "after": after} | ({"parent": parent} if parent else {})
            page = self._client.request("uncuda/overview", asked)
            self.pages += 1
            yield from page["nodes"]

    @property
    def findings(self) -> list[Json]:
        """The nodes that are findings."""
        return [node for node in self.nodes.values() if node["kind"] == "finding"]

    @property
    def numbers(self) -> dict[str, int]:
        """The number of findings of each class, and of accepted findings, in the first answer to `uncuda/overview`."""
        return {kind: self.top["counts"][kind] for kind in ("safe", "review", "manual", "accepted")}

    def of(self, kind: str) -> dict[str, int]:
        """Return the counts that the nodes of a kind show, by node id."""
        return {node["id"]: node["count"] for node in self.nodes.values() if node["kind"] == kind}

    def shape(self) -> dict[str, int]:
        """Return the counts that all nodes with children show, by node id."""
        return {node["id"]: node["count"] for node in self.nodes.values() if not node["leaf"]}

    def node(self, identifier: str) -> Json:
        """Return the only node whose id ends with `identifier`."""
        (found,) = [node for key, node in self.nodes.items() if key.endswith(identifier)]
        return found


def complete(client: Client, **asked: Any) -> Seen:
    """Wait until all files are checked, then request all nodes of the overview."""
    client.wait(lambda: client.request("uncuda/overview", {})["state"] == "complete", "all files checked")
    return Seen(client, **asked)


def action(node: Json, name: str) -> Json:
    """Return the action with this name that a node offers."""
    found: list[Json] = [each for each in node["actions"] if each["name"] == name]
    (one,) = found
    return one


def do(client: Client, node: Json, name: str, **more: str) -> Any:
    """Execute the command of an action of a node, with further arguments; return its result."""
    found = action(node, name)
    return client.execute(found["command"], {**found["arguments"][0], **more})
