"""Notebook files: the joined text of their cells, and fixes written back into the JSON strings of the cells.

All bytes outside the strings of the cells are kept; a fix that would change other bytes is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from uncuda import lazy_re
from uncuda.catalogue import load
from uncuda.cells import Cell, Cells, Literal
from uncuda.edits import Change, Edit, apply_edits, in_cell
from uncuda.engine import Engine, Fixed, Selection
from uncuda.reading import NotUtf8Error, decode_utf8
from uncuda.source import Source, SourceError

SUFFIX = ".ipynb"
_BLANK = lazy_re.compile(r"[ \t\r\n]*")
_MARK = "\ufeff"
_FORMAT = 4
# Numbers and constants are read as text, because `_rewritten` compares notebooks, and NaN is not equal to itself.
_JSON = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)


class NotebookError(SourceError):
    """Raised if a notebook cannot be read or fixed; the message says why."""


class OtherLanguageError(NotebookError):
    """Raised for a notebook whose cells are not Python."""


def is_notebook(path: str) -> bool:
    """Whether a file name is that of a notebook."""
    return path.lower().endswith(SUFFIX)


def source_of(data: bytes, path: str, commands: Collection[str] | None = None) -> Source:
    """The source of a file, which for a notebook is the joined text of its cells; SourceError if it cannot be read.

    `commands`: the shell commands that rules look for; None: the shell commands that rules of the bundled catalogue
    look for.
    """
    if not is_notebook(path):
        return Source.decode(data, path)
    from .magics import plain  # imported here, because most runs read no notebook

    cells = _Reader(_decoded(data)).cells()
    known = frozenset(load().commands if commands is None else commands)
    texts = ["".join(literal.text for literal in cell.literals) for cell in cells]
    program = "\n".join(plain(text, known) for text in texts)
    return Source(program, path, bom=data.startswith(_MARK.encode()), cells=Cells(tuple(cells)))


def program_bytes(data: bytes, path: str) -> bytes:
    """Return the bytes of a file that uncuda searches: for a notebook, the joined text of its cells as UTF-8; for any
    other file, `data`."""
    return source_of(data, path).text.encode("utf-8", "surrogatepass") if is_notebook(path) else data


def file_text(data: bytes, source: Source) -> Source:
    """The text of the file from which a source was read; for a notebook, the text of its JSON."""
    return source if source.cells is None else Source(_decoded(data), source.path, bom=source.bom)


def file_changes(data: bytes, source: Source, changes: Iterable[Change]) -> list[Change]:
    """Return changes of `source` (for a notebook, the joined text of its cells) as changes of the file's text;
    NotebookError if a change cannot be written to the file."""
    if source.cells is None:
        return list(changes)
    writer = _Writer(source, _decoded(data))
    return [change._replace(edit=writer.edit(change.edit)) for change in changes]


def written(
    data: bytes, source: Source, fixed: Fixed, engine: Engine, selection: Selection | None = None
) -> tuple[Fixed, bytes]:
    """The result of fixing and the new bytes of the file. If the notebook cannot represent the fixes, they are refused
    and its file is not changed. `selection`: the findings to fix, as for `Engine.fix`."""
    if fixed.text == source.text:
        return fixed, data
    if source.cells is None:
        return fixed, source.encode(fixed.text)
    try:
        return _rewritten(data, source, fixed, engine, selection)
    except NotebookError as error:
        return Fixed(source.text, {}, fixed.first, str(error), before=source.text, first=fixed.first), data


def _rewritten(
    data: bytes, source: Source, fixed: Fixed, engine: Engine, selection: Selection | None
) -> tuple[Fixed, bytes]:
    text = _decoded(data)
    new = apply_edits(text, [change.edit for change in file_changes(data, source, fixed.changes)])
    result = (_MARK if source.bom else "").encode() + new.encode("utf-8")
    after = source_of(result, source.path, engine.catalogue.commands)
    if _apart(text) != _apart(new) or _wanted(source, fixed) != _texts(after):
        raise NotebookError("its fixes cannot be written into its cells")
    report = fixed.report
    if after.text != fixed.text:  # an edit moved a line to another cell
        if selection is not None:
            raise NotebookError("its fixes would move a line to another cell")
        report = engine.check(after, concerned=True)
    return replace(fixed, text=after.text, report=report), result


def _texts(source: Source) -> list[str]:
    assert source.cells is not None
    return ["".join(literal.text for literal in cell.literals) for cell in source.cells.every]


def _wanted(source: Source, fixed: Fixed) -> list[str]:
    """The new text of each cell."""
    assert source.cells is not None
    starts = source.cells.starts
    edits: dict[int, list[Edit]] = {}
    for change in fixed.changes:
        index, (start, end, text) = in_cell(change.edit, source.text, starts)
        edits.setdefault(index, []).append(Edit(start - starts[index], end - starts[index], text))
    return [apply_edits(text, edits.get(index, ())) for index, text in enumerate(_texts(source))]


def _apart(text: str) -> Any:
    """The contents of a notebook without the source of its cells."""
    found = _JSON.decode(text)
    for cell in found["cells"]:
        if _is_python(cell):
            cell["source"] = None
    return found


def _decoded(data: bytes) -> str:
    try:
        return decode_utf8(data)
    except NotUtf8Error as error:
        raise NotebookError(f"is a notebook that is not UTF-8 (line {error.line}: {error.message})") from None


class _Reader:
    """Scans the JSON of a notebook for the positions of strings in cells; all other values are parsed by the json
    module."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line, self._line_start, self._counted = 1, 0, 0

    def cells(self) -> list[Cell]:
        """The Python cells of the notebook. A blank file has no cells, as in Jupyter."""
        if not self._text.strip(" \t\r\n"):
            return []
        try:
            parts, top = self._notebook()
        except json.JSONDecodeError as error:
            raise NotebookError(f"is a notebook with invalid JSON (line {error.lineno}: {error.msg})") from None
        except RecursionError:
            raise NotebookError("is a notebook whose JSON is nested too deeply") from None
        _check(top)
        cells: list[Cell] = []
        start = 0
        for number, (cell, strings) in enumerate(parts, 1):
            if not _is_python(cell):
                continue
            literals, separator = self._literals(strings, start)
            cells.append(Cell(number, start, tuple(literals), separator))
            start += sum(len(literal.text) for literal in literals) + 1
        return cells

    def _notebook(self) -> tuple[list[tuple[dict[str, Any], list[int]]], dict[str, Any]]:
        """Return each cell with the start and end offsets of its source strings; and the notebook's JSON object."""
        cells: list[tuple[dict[str, Any], list[int]]] = []
        top: dict[str, Any] = {}
        at = self._blank(0)
        if self._text[at : at + 1] != "{":
            _, at = self._value(at)
            raise NotebookError("is a notebook that is no JSON object")

        def member(key: str, at: int) -> int:
            if key != "cells" or self._text[at : at + 1] != "[":
                top[key], end = self._value(at)
                return end
            cells.clear()  # if a key occurs twice, the last one counts
            top[key] = cells
            return self._each(at, lambda at: self._cell(at, cells))

        end = self._blank(self._members(at, member))
        if end < len(self._text):
            raise json.JSONDecodeError("Extra data", self._text, end)
        return cells, top

    def _cell(self, at: int, cells: list[tuple[dict[str, Any], list[int]]]) -> int:
        if self._text[at : at + 1] != "{":
            raise NotebookError(f"is a notebook whose cell {len(cells) + 1} is no JSON object")
        cell: dict[str, Any] = {}
        strings: list[int] = []

        def string(at: int) -> int:
            _, end = self._value(at)
            if self._text[at] != '"':
                raise NotebookError(f"is a notebook whose cell {len(cells) + 1} has a source that is no text")
            strings.extend((at, end))
            return end

        def member(key: str, at: int) -> int:
            if key != "source":
                cell[key], end = self._value(at)
                return end
            strings.clear()
            cell[key] = at
            if self._text[at : at + 1] == "[":
                cell["list"] = True
                return self._each(at, string)
            cell.pop("list", None)
            return string(at)

        end = self._members(at, member)
        if "source" not in cell:
            raise NotebookError(f"is a notebook whose cell {len(cells) + 1} has no source")
        if "list" in cell:
            strings.insert(0, cell["source"])  # the offset of the bracket that opens the list of strings
        cells.append((cell, strings))
        return end

    def _literals(self, strings: list[int], start: int) -> tuple[list[Literal], str]:
        listed = len(strings) % 2
        bracket, ends = strings[0], strings[listed:]
        literals = []
        for at, end in zip(ends[::2], ends[1::2], strict=True):
            line, column = self._position(at + 1)
            literals.append(Literal(self._text[at + 1 : end - 1], start, at + 1, line, column))
            start += len(literals[-1].text)
        separator = ""
        if listed and len(literals) > 1:
            separator = self._text[ends[1] - 1 : ends[2] + 1]
        elif listed and literals:
            blank = self._text[bracket + 1 : ends[0]] or self._text[bracket - 1].strip(":\r\n\t")
            separator = f'",{blank}"'
        return literals, separator

    def _position(self, at: int) -> tuple[int, int]:
        """(line, column) of an offset; offsets must be passed in order."""
        self._line += self._text.count("\n", self._counted, at)
        self._line_start = self._text.rfind("\n", self._counted, at) + 1 or self._line_start
        self._counted = at
        return self._line, at - self._line_start + 1

    def _members(self, at: int, member: Callable[[str, int], int]) -> int:
        """Scan a JSON object, and return the offset of its end."""

        def pair(at: int) -> int:
            key, end = self._value(at)
            end = self._blank(end)
            if self._text[at] != '"' or self._text[end : end + 1] != ":":
                raise json.JSONDecodeError("Expecting a key and ':'", self._text, end)
            return member(key, self._blank(end + 1))

        return self._each(at, pair, "}")

    def _each(self, at: int, item: Callable[[int], int], close: str = "]") -> int:
        """Scan the items of a JSON array or object that starts at `at`, and return the offset of its end."""
        at = self._blank(at + 1)
        if self._text[at : at + 1] == close:
            return at + 1
        while True:
            at = self._blank(item(at))
            if self._text[at : at + 1] == close:
                return at + 1
            if self._text[at : at + 1] != ",":
                raise json.JSONDecodeError(f"Expecting ',' or '{close}'", self._text, at)
            at = self._blank(at + 1)

    def _value(self, at: int) -> tuple[Any, int]:
        return _JSON.raw_decode(self._text, at)

    def _blank(self, at: int) -> int:
        found = _BLANK.match(self._text, at)
        assert found is not None
        return found.end()


def _check(top: Mapping[str, Any]) -> None:
    """Raise NotebookError if the notebook has a format whose cells cannot be read."""
    version = top.get("nbformat")
    if "worksheets" in top or (isinstance(version, str) and version.isdigit() and int(version[:9]) < _FORMAT):
        raise NotebookError(
            "is a notebook of a format before 4; `jupyter nbconvert --to notebook --inplace` makes it one of today"
        )
    if not isinstance(top.get("cells"), list):
        raise NotebookError("is a notebook without cells")
    language = _language(top.get("metadata"))
    if "python" not in language.lower():
        raise OtherLanguageError(f"is a notebook whose language is {language}, not Python")


def _language(metadata: Any) -> str:
    """The language of a notebook's cells, determined in the same way as in editors."""
    for place, key in (("language_info", "name"), ("kernelspec", "language")):
        said = metadata.get(place) if isinstance(metadata, dict) else None
        name = said.get(key) if isinstance(said, dict) else None
        if isinstance(name, str) and name:
            return name
    return "python"


def _is_python(cell: Mapping[str, Any]) -> bool:
    if cell.get("cell_type") != "code":
        return False
    metadata = cell.get("metadata")
    own = metadata.get("vscode") if isinstance(metadata, dict) else None
    language = own.get("languageId") if isinstance(own, dict) else None
    return not isinstance(language, str) or "python" in language.lower()


class _Writer:
    """Converts edits of the joined text of a notebook's cells to edits of the notebook file."""

    def __init__(self, source: Source, text: str) -> None:
        assert source.cells is not None
        self._cells, self._program, self._text = source.cells, source.text, text
        self._ascii = text.isascii()

    def edit(self, edit: Edit) -> Edit:
        """The edit of the file for an edit of the joined text; NotebookError if the file's JSON does not allow that
        edit."""
        index, (start, end, new) = in_cell(edit, self._program, self._cells.starts)
        cell = self._cells.every[index]
        last = cell.literals[-1] if cell.literals else None
        if last is None or end > last.start + len(last.text):
            raise NotebookError("a fix goes beyond the end of a cell")
        if self._program[start:end] != self._cells.original[start:end]:
            raise NotebookError("a fix would change a line that only IPython reads")
        first = self._cells.holding(start)
        local = start - first.start
        begin = first.at + first.offset(local)
        stop, rest = self._end(first, start, end, new)
        before = cell.separator if new and local == len(first.text) and first.text.endswith("\n") else ""
        return Edit(begin, stop, before + "".join(self._strings(new, cell.separator, rest)))

    def _end(self, first: Literal, start: int, end: int, new: str) -> tuple[int, bool]:
        """Return the end of an edit in the file, and whether the JSON string has more text after the edit."""
        whole_lines = start == first.start and (not new or new.endswith("\n"))
        after = self._cells.holding(end)
        if end > start and after.start == end and not whole_lines:
            # if `end` is between two JSON strings, use the end of the first string
            after = self._cells.holding(end, is_end=True)
        local = end - after.start
        return after.at + after.offset(local), local < len(after.text)

    def _strings(self, new: str, separator: str, rest: bool) -> Iterator[str]:
        """Return a text as JSON: if the source of the cell is a list, one string for each line."""
        lines = re.findall(r"[^\n]*\n|[^\n]+", new) if separator else [new]
        for number, line in enumerate(lines, 1):
            yield json.dumps(line, ensure_ascii=self._ascii or not _can_be_written(line))[1:-1]
            if line.endswith("\n") and (rest or number < len(lines)):
                yield separator


def _can_be_written(text: str) -> bool:
    """Whether a text can be written to a file; an unpaired surrogate cannot."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)
