"""Open notebooks: the Python cells of each notebook are analysed as one text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from uncuda.edits import Edit, in_cell
from uncuda.workspace.magics import plain

from ..wire.uris import path_of
from .documents import Document, Documents, Program

if TYPE_CHECKING:
    from lsprotocol.types import Position

    from ..wire.positions import Lines

_CODE = 2


@dataclass
class Cell:
    """A cell of a notebook. `kind` is 1 for markup and 2 for code."""

    kind: int
    document: Document

    @property
    def counts(self) -> bool:
        """Return whether the cell's text is part of the analysed text."""
        return self.kind == _CODE and self.document.is_python


class Notebook(Program):
    """The cells of a notebook in order; their texts are joined by line breaks that belong to no cell."""

    def __init__(
        self, uri: str, version: int | None, cells: list[Cell], commands: frozenset[str] = frozenset()
    ) -> None:
        """`commands`: the shell commands that rules look for."""
        self.uri, self.version = uri, version
        self._commands = commands
        self.path = path_of(uri) or ""
        self.cells = cells
        self._known: list[Lines] = []
        self._text = ""
        self._starts: list[int] = []

    @property
    def documents(self) -> Sequence[Document]:
        return [cell.document for cell in self.cells if cell.counts]

    @property
    def text(self) -> str:
        documents = self.documents
        lines = [document.lines for document in documents]
        if len(lines) != len(self._known) or any(a is not b for a, b in zip(lines, self._known)):
            self._known, self._starts, size = lines, [], 0
            for item in lines:
                self._starts.append(size)
                size += len(item.text) + 1
            self._text = "\n".join(plain(item.text, self._commands) for item in lines)
        return self._text

    def offset(self, uri: str, position: Position) -> int:
        assert self.text is not None  # reading `text` also computes `_starts`
        for start, document in zip(self._starts, self.documents):
            if document.uri == uri:
                return start + document.lines.offset(position)
        raise KeyError(uri)

    def place(self, offset: int) -> tuple[Document, int]:
        index, local = self._find(offset)
        return self.documents[index], local

    def _find(self, offset: int) -> tuple[int, int]:
        assert self.text is not None
        index = max(0, bisect_right(self._starts, offset) - 1)
        return index, min(offset - self._starts[index], len(self._known[index].text))

    def split(self, edits: Iterable[Edit]) -> dict[str, list[Edit]]:
        documents, program = self.documents, self.text
        found: dict[str, list[Edit]] = {}
        for edit in edits:
            index, (start, end, text) = in_cell(edit, program, self._starts)
            start, size = start - self._starts[index], len(self._known[index].text)
            end = min(end - self._starts[index], size)
            found.setdefault(documents[index].uri, []).append(Edit(min(start, size), end, text))
        return found


class Notebooks:
    """The open notebooks by URI. Methods that receive unparsed parameters raise KeyError or TypeError if these are
    malformed."""

    def __init__(self, documents: Documents, commands: Callable[[], frozenset[str]]) -> None:
        """`commands`: a function that returns the shell commands that rules look for."""
        self._documents, self._commands = documents, commands
        self._open: dict[str, Notebook] = {}

    def get(self, uri: str) -> Notebook | None:
        """The open notebook with this URI; None if there is none."""
        return self._open.get(uri)

    def open(self, params: Any) -> Notebook:
        """Open the notebook in the parameters of `notebookDocument/didOpen`."""
        item = params["notebookDocument"]
        notebook = Notebook(item["uri"], item.get("version"), [], self._commands())
        self._add(notebook, 0, 0, item["cells"], params["cellTextDocuments"])
        self._open[notebook.uri] = notebook
        return notebook

    def change(self, params: Any) -> tuple[Notebook, list[str]] | None:
        """Apply the parameters of `notebookDocument/didChange`; returns the notebook and the URIs of removed cells."""
        notebook = self._open.get(params["notebookDocument"]["uri"])
        if notebook is None:
            return None
        notebook.version = params["notebookDocument"].get("version")
        cells = params["change"].get("cells") or {}
        structure = cells.get("structure")
        gone: list[str] = []
        if structure:
            array = structure["array"]
            new = array.get("cells") or ()
            self._add(notebook, array["start"], array["deleteCount"], new, structure.get("didOpen") or ())
            gone = [item["uri"] for item in structure.get("didClose") or ()]
            for uri in gone:
                self._documents.close(uri)
        for item in cells.get("data") or ():
            for cell in notebook.cells:
                if cell.document.uri == item["document"]:
                    cell.kind = item["kind"]
        for content in cells.get("textContent") or ():
            self._documents.change(content["document"], content["changes"])
        return notebook, gone

    def close(self, uri: str) -> tuple[Notebook, list[str]] | None:
        """Close a notebook; returns it with the URIs of its cells."""
        notebook = self._open.pop(uri, None)
        if notebook is None:
            return None
        cells = [cell.document.uri for cell in notebook.cells]
        for cell in cells:
            self._documents.close(cell)
        return notebook, cells

    def _add(
        self, notebook: Notebook, start: int, removed: int, cells: Iterable[Mapping[str, Any]], texts: Iterable[Any]
    ) -> None:
        """Replace some cells of a notebook by others. A cell without a text in the notification was only moved, and
        keeps its text."""
        for item in texts:
            self._documents.open(item).notebook = notebook
        fresh = []
        for cell in cells:
            document = self._documents.get(cell["document"])
            if document is not None:
                document.notebook = notebook
                fresh.append(Cell(cell["kind"], document))
        notebook.cells[start : start + removed] = fresh
