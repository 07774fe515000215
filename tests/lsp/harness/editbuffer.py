"""Documents as an editor keeps them: open ones in memory with a version, closed ones on disk."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from lsp.harness.text import apply_text_edits, positions_of

_BOM = "\ufeff"


class NotApplied(Exception):
    """Raised if no client could apply a workspace edit; the message says why."""


@dataclass
class Buffer:
    """An open document."""

    uri: str
    language_id: str
    version: int
    text: str

    def change(self, changes: list[dict[str, Any]], encoding: str) -> None:
        """Apply the content changes of a didChange, one after the other."""
        for change in changes:
            if "range" in change:
                positions = positions_of(self.text, encoding)
                start, end = (positions.clamped(change["range"][name]) for name in ("start", "end"))
                self.text = self.text[:start] + change["text"] + self.text[end:]
            else:
                self.text = change["text"]


def path_of(uri: str) -> Path:
    """The path of a file URI."""
    parts = urlsplit(uri)
    assert parts.scheme == "file", uri
    return Path(unquote(parts.path))


def read_file(path: Path) -> tuple[str, str]:
    """Return a file's byte order mark, and its text with unchanged line ends; the file must be UTF-8."""
    text = path.read_bytes().decode("utf-8")
    return (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)


class Buffers:
    """The open documents, and edits to them and to files. `changed`: a function that sets the text of an open
    document."""

    def __init__(self, encoding: str, changed: Callable[[Buffer, str], None]) -> None:
        self.encoding = encoding
        self.open: dict[str, Buffer] = {}
        self._changed = changed
        self._undo: list[dict[str, str]] = []

    def text(self, uri: str) -> str:
        """The text of a document, open or not."""
        return self.open[uri].text if uri in self.open else read_file(path_of(uri))[1]

    def apply(self, edit: dict[str, Any]) -> list[str]:
        """Apply a WorkspaceEdit as a whole, or raise NotApplied and apply nothing of it; return the URIs of the changed
        documents."""
        texts = self._edited(edit)
        self._undo.append({uri: self.text(uri) for uri in texts if uri in self.open or path_of(uri).exists()})
        self._put(texts)
        return list(texts)

    def undo(self) -> None:
        """Undo the last workspace edit in all its documents."""
        self._put(self._undo.pop())

    def replace(self, uri: str, text: str) -> None:
        """Set the text of a document: of an open one in memory, of a closed one on disk."""
        self._put({uri: text})

    def _edited(self, edit: dict[str, Any]) -> dict[str, str]:
        texts: dict[str, str] = {}
        made: set[str] = set()
        for uri, edits in (edit.get("changes") or {}).items():
            texts[uri] = self._after(uri, edits)
        for part in edit.get("documentChanges") or []:
            if part.get("kind") == "create":
                made |= self._made(part)
                continue
            if "kind" in part:
                raise NotApplied(f"a file operation: {part}")
            uri, version = part["textDocument"]["uri"], part["textDocument"].get("version")
            current = self.open[uri].version if uri in self.open else None
            if version != current:
                raise NotApplied(f"{uri}: for version {version}, which is {current}")
            if uri in texts:
                raise NotApplied(f"{uri}: edited twice")
            texts[uri] = (
                apply_text_edits("", part["edits"], self.encoding) if uri in made else self._after(uri, part["edits"])
            )
        return texts

    def _made(self, part: dict[str, Any]) -> set[str]:
        """Create the file that an operation creates, unless it exists; return its URI."""
        uri = part["uri"]
        if uri not in self.open and not path_of(uri).exists():
            return {uri}
        if not part.get("options", {}).get("ignoreIfExists"):
            raise NotApplied(f"{uri} is there")
        return set()

    def _after(self, uri: str, edits: list[dict[str, Any]]) -> str:
        try:
            return apply_text_edits(self.text(uri), edits, self.encoding)
        except (ValueError, OSError) as error:
            raise NotApplied(f"{uri}: {error}") from error

    def _put(self, texts: dict[str, str]) -> None:
        for uri, text in texts.items():
            if uri in self.open:
                self._changed(self.open[uri], text)
            else:
                path = path_of(uri)
                mark = read_file(path)[0] if path.exists() else ""
                path.write_bytes((mark + text).encode("utf-8"))
