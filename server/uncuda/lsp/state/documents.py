"""The documents that are open in the client, and the texts that the engine analyses: single documents, or all cells of
a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from uncuda.edits import Edit
from uncuda.source import Span

from ..wire.positions import Encoding, Lines
from ..wire.uris import path_of

if TYPE_CHECKING:  # child processes import this module too, and do not need this import, which takes 0.3 s
    from lsprotocol.types import Location, Position, Range


class Program(ABC):
    """A text that the engine analyses as a whole: a document, or the cells of a notebook.

    All offsets are offsets in `text`; `path` is "" if the document has no file.
    """

    uri: str
    path: str
    version: int | None
    edit: tuple[str, Edit] | None = None
    """(previous text, edit) if the last change of the text was a single edit, otherwise None."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The text that the engine analyses."""

    @property
    @abstractmethod
    def documents(self) -> Sequence[Document]:
        """Return the documents of which the text consists: one, or the cells of a notebook."""

    @abstractmethod
    def offset(self, uri: str, position: Position) -> int:
        """Return the offset of a position in one of the documents; raise KeyError for a document that does not belong
        to this text."""

    @abstractmethod
    def place(self, offset: int) -> tuple[Document, int]:
        """Return the document (or notebook cell) that contains an offset, and the offset within it."""

    @abstractmethod
    def split(self, edits: Iterable[Edit]) -> dict[str, list[Edit]]:
        """Return the edits grouped by the URI of their document, with offsets within that document."""

    def locate(self, span: Span | tuple[int, int]) -> tuple[str, Range]:
        """Return the URI and range of a span; if the span covers several cells, its range ends with the first cell."""
        document, start = self.place(span[0])
        return document.uri, document.lines.range((start, start + max(0, span[1] - span[0])))

    def location(self, span: Span | tuple[int, int]) -> Location:
        """Return the protocol's Location of a span."""
        from lsprotocol.types import Location

        return Location(*self.locate(span))


class Document(Program):
    """One open document. The object in `lines` is immutable; an edit replaces it."""

    def __init__(self, uri: str, language_id: str, version: int | None, text: str, encoding: Encoding) -> None:
        self.uri, self.language_id, self.version = uri, language_id, version
        self.path = path_of(uri) or ""
        self.lines = Lines(text, encoding)
        self.notebook: Program | None = None

    @property
    def text(self) -> str:
        return self.lines.text

    @property
    def documents(self) -> Sequence[Document]:
        return (self,)

    @property
    def is_python(self) -> bool:
        """Return whether the client or the file name says that the document is Python."""
        return "python" in self.language_id.lower() or self.path.lower().endswith((".py", ".pyi", ".pyw"))

    def offset(self, uri: str, position: Position) -> int:
        if uri != self.uri:
            raise KeyError(uri)
        return self.lines.offset(position)

    def place(self, offset: int) -> tuple[Document, int]:
        return self, offset

    def split(self, edits: Iterable[Edit]) -> dict[str, list[Edit]]:
        return {self.uri: list(edits)}

    def apply(self, changes: Iterable[Mapping[str, Any]]) -> None:
        """Apply the client's changes, `{range?, text}`, in order. If one of the changes is malformed, none is applied,
        and KeyError or TypeError is raised."""
        lines, edit, before, made = self.lines, None, self.text, 0
        for change in changes:
            made += 1
            place, text = change.get("range"), change["text"]
            if not isinstance(text, str):
                raise TypeError("a change has a text")
            if place is None:
                lines, edit = Lines(text, lines.encoding), None
                continue
            first, last = place["start"], place["end"]
            start = lines.offset_at(first["line"], first["character"])
            end = lines.offset_at(last["line"], last["character"])
            edit = Edit(min(start, end), max(start, end), text)
            lines = lines.replaced(*edit)
        self.lines = lines
        self.edit = (before, edit) if edit is not None and made == 1 else None


class Documents:
    """The open documents by URI. Changes of a document that is not open are ignored."""

    def __init__(self, encoding: Encoding = "utf-16") -> None:
        self.encoding: Encoding = encoding
        self._open: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._open.values()))

    def __len__(self) -> int:
        return len(self._open)

    def get(self, uri: str) -> Document | None:
        """The open document with this URI; None if it is not open."""
        return self._open.get(uri)

    def program(self, uri: str) -> Program | None:
        """Return the analysed text that contains the document with this URI: the document alone, or all cells of its
        notebook."""
        document = self._open.get(uri)
        return document.notebook or document if document else None

    def programs(self) -> list[Program]:
        """Return all analysed texts: each open document outside of notebooks, and each open notebook once."""
        return list({id(program): program for program in (d.notebook or d for d in self)}.values())

    def by_path(self, path: str) -> Document | None:
        """The open document of a file."""
        return next((document for document in self._open.values() if document.path == path), None)

    def open(self, item: Any) -> Document:
        """Open a document from a TextDocumentItem in unparsed JSON; raise KeyError or TypeError if it is malformed."""
        uri, text = item["uri"], item["text"]
        if not isinstance(uri, str) or not isinstance(text, str):
            raise TypeError("a document has a URI and a text")
        language, version = item.get("languageId"), item.get("version")
        document = Document(
            uri,
            language if isinstance(language, str) else "",
            version if isinstance(version, int) else None,
            text,
            self.encoding,
        )
        self._open[uri] = document
        return document

    def change(self, identifier: Mapping[str, Any], changes: Iterable[Mapping[str, Any]]) -> Document | None:
        """Apply changes to an open document and return it; None if it is not open. Raises the same exceptions as
        `Document.apply`."""
        document = self._open.get(identifier["uri"])
        if document is not None:
            document.apply(changes)
            version = identifier.get("version")
            document.version = version if isinstance(version, int) else document.version
        return document

    def close(self, uri: str) -> Document | None:
        """Close a document."""
        return self._open.pop(uri, None)
