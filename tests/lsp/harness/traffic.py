"""The recorded messages of a session."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]
Source = Literal["client", "server"]


@dataclass(frozen=True)
class Record:
    """One recorded message. `deliberate`: whether the message is wrong on purpose; `disk`: the texts of the closed
    files to which the message refers, at the time of the message."""

    source: Source
    message: Any
    deliberate: bool = False
    disk: Mapping[str, str] = field(default_factory=dict)

    @property
    def method(self) -> str | None:
        """The method of a request or notification; None for a reply."""
        return self.message.get("method") if isinstance(self.message, dict) else None

    @property
    def params(self) -> Any:
        """The parameters; an empty object if there are none."""
        return self.message.get("params") or {}


class Traffic(list[Record]):
    """All messages of a session in the order in which the client sent and received them."""

    def sent(self, method: str) -> list[Any]:
        """The parameters of every message of this method that the client sent."""
        return [record.params for record in self if record.source == "client" and record.method == method]

    def received(self, method: str) -> list[Any]:
        """The parameters of every message of this method that the server sent."""
        return [record.params for record in self if record.source == "server" and record.method == method]

    def lines(self, longest: int = 2000) -> Iterator[str]:
        """The messages, one per line, to read when a test fails."""
        for record in self:
            arrow = "-->" if record.source == "client" else "<--"
            yield f"{arrow} {json.dumps(record.message, ensure_ascii=False)[:longest]}"


def documents_in(value: Any) -> Iterator[str]:
    """Every URI in a message."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name == "uri" and isinstance(part, str):
                yield part
            elif name == "changes" and isinstance(part, dict):
                yield from part
            else:
                yield from documents_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from documents_in(part)
