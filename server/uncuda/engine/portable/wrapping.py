"""Breaks lines that fixes made longer than all other lines of the file; a line is broken at its brackets, as formatters
do."""

from __future__ import annotations

import ast
import io
import token as kinds
import tokenize
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ... import lazy_re
from ...edits import Edit
from ...facts.layout import Layout

_USUAL = (88, 100, 120)
_UNBROKEN = lazy_re.compile(r"#|([\"'])(?:(?!\1).){30,}\1")
"""Matches a comment or a long string; `_longest` ignores lines that contain one of them."""
_STEP = "    "
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_STRING_START, _STRING_END = getattr(kinds, "FSTRING_START", -1), getattr(kinds, "FSTRING_END", -1)
_NOTHING = frozenset({kinds.NEWLINE, kinds.NL, kinds.INDENT, kinds.DEDENT, kinds.ENDMARKER})
_LOOSE = frozenset({"and", "or", "not", "if", "else", "in", "is", "lambda", "for"})
_OPERATORS = lazy_re.compile(r"[-+*/%@&|^<>]=?|[<>=!]=|<<|>>|\*\*|//")
_HEADS = frozenset({"if", "elif", "while", "return"})
_HEADER = lazy_re.compile(r"(?:if|elif|while|for|with|def|class|async|else|try|except|finally|match|case)\b")


class _Token(NamedTuple):
    """A token of a logical line. `depth`: the number of brackets around the token (brackets are not around themselves);
    `opener`: the index of the innermost bracket around the token in the statement's tokens, or -1."""

    text: str
    row: int
    start: int
    end: int
    depth: int
    opener: int


def wrapped(before: str, text: str, most: int = 0) -> list[Edit]:
    """Return the edits that break lines of `text` that are too long and not in `before`. `most`: the maximum length of
    a line; 0 for the smallest usual line length that the code of `before` does not exceed."""
    known = before.splitlines()
    most = most or _longest(before)
    if all(len(line) <= most for line in text.splitlines()):
        return []
    old, layout = set(known), Layout(text)
    edits, at = [], 0
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        if len(bare) > most and bare not in old and not layout.string_around(at):
            statement = _Statement.around(layout, at)
            if statement is not None and (broken := statement.broken(at, bare, most)):
                edits.append(Edit(at, at + len(bare), layout.newline_at(at).join(broken)))
        at += len(line)
    return edits


def _longest(text: str) -> int:
    """Return the line length of a file: the smallest usual one that its code does not exceed."""
    layout, at, longest = Layout(text), 0, 0
    for line in text.splitlines(keepends=True):
        length = len(line.rstrip("\r\n"))
        in_string = layout.string_around(at) or layout.string_around(at + length)
        if length > longest and not _UNBROKEN.search(line) and not in_string:
            longest = length
        at += len(line)
    return next((one for one in _USUAL if one >= longest), longest)


class _Statement:
    """One logical line: its start, text and tokens."""

    def __init__(self, start: int, text: str, tokens: Sequence[_Token]) -> None:
        self._start, self._text, self._tokens = start, text, tokens

    @classmethod
    def around(cls, layout: Layout, at: int) -> _Statement | None:
        """Return the logical line at an offset; None if it contains a comment or cannot be tokenized."""
        start, end = layout.logical_line(at)
        text = layout.text[start:end]
        tokens = _tokens(text)
        return None if tokens is None else cls(start, text, tokens)

    def broken(self, at: int, line: str, most: int) -> list[str]:
        """Return the lines that replace one line of the statement; empty if the line is not broken."""
        row = self._text.count("\n", 0, at - self._start) + 1
        here = [one for one in self._tokens if one.row == row]
        if not here or any("\n" in one.text for one in here):
            return []
        alone = row == 1 and self._tokens[-1].row == 1
        parted = _parted(here, line) if alone else []
        for lines in (self._listed(here, line), self._in_brackets(here, line, most, alone), *parted):
            if lines and max(map(len, lines)) <= most and self._means_the_same(at, line, lines):
                return lines
        return []

    def _listed(self, here: Sequence[_Token], line: str) -> list[str]:
        """If a line contains everything between two brackets, but not the brackets themselves, return one line for each
        item; otherwise an empty list."""
        first, last = here[0], here[-1]
        if first.opener < 0 or last.opener != first.opener or first.text in _PAIRS.values():
            return []
        opener = self._tokens[first.opener]
        place = self._tokens.index(last)
        before = self._tokens[self._tokens.index(first) - 1]
        after = self._tokens[place + 1] if place + 1 < len(self._tokens) else None
        if before != opener or after is None or after.text != _PAIRS[opener.text]:
            return []
        return _items(here, line, opener)

    def _in_brackets(self, here: Sequence[_Token], line: str, most: int, alone: bool) -> list[str]:
        """Return the lines into which a line is broken at its last brackets. The content of the brackets gets one line;
        if it is too long for one line, each item in the brackets gets one."""
        last = next((one for one in reversed(here) if one.text not in (":", ",")), here[-1])
        if last.text not in _PAIRS.values():
            return []
        opener = self._opener_of(last)
        if opener is None or opener.row != last.row or opener.end == last.start:
            return []
        if alone and _is_loose(_expression(here)):
            return []
        indent = line[: len(line) - len(line.lstrip())]
        inner = line[opener.end : last.start].strip()
        lines = [line[: opener.end], f"{indent}{_STEP}{inner}", indent + line[last.start :]]
        if len(lines[1]) <= most:
            return lines
        inside = [one for one in here if opener.end <= one.start and one.end <= last.start]
        items = _items(inside, line, opener)
        return [lines[0], *(f"{indent}{_STEP}{item.strip()}" for item in items), lines[2]] if items else []

    def _opener_of(self, closer: _Token) -> _Token | None:
        before = self._tokens[: self._tokens.index(closer)]
        return next((one for one in reversed(before) if one.text in _PAIRS and one.depth == closer.depth), None)

    def _means_the_same(self, at: int, line: str, lines: Sequence[str]) -> bool:
        """Return whether the statement has the same syntax tree after one of its lines is replaced by these lines."""
        place = at - self._start
        after = self._text[:place] + "\n".join(lines) + self._text[place + len(line) :]
        tree = _tree(self._text)
        return tree is not None and tree == _tree(after)


def _parted(here: Sequence[_Token], line: str) -> list[list[str]]:
    """Return all ways to enclose a line's condition or value in brackets: on one line, or on several lines that begin
    with operators such as `or`."""
    expression = _expression(here)
    if not expression:
        return []
    indent = line[: len(line) - len(line.lstrip())]
    start, end = expression[0].start, expression[-1].end
    found = []
    for words in ((), ("or",), ("and", "or"), ("if", "else")):
        cuts = [one.start for one in expression if one.text in words and not one.depth]
        parts = [line[a:b].strip() for a, b in zip([start, *cuts], [*cuts, end], strict=True)]
        inner = [f"{indent}{_STEP}{part}" for part in parts]
        found.append([f"{line[:start]}(", *inner, f"{indent}){line[end:]}"])
    return found


def _expression(here: Sequence[_Token]) -> Sequence[_Token]:
    """Return the tokens of the condition in a header, or of an assigned or returned value; empty for other lines."""
    if here[0].text in _HEADS:
        return here[1:-1] if here[-1].text == ":" else here[1:]
    signs = [at for at, one in enumerate(here) if one.text == "=" and one.depth == 0]
    return here[signs[-1] + 1 :] if signs and not _HEADER.match(here[0].text) else ()


def _is_loose(expression: Sequence[_Token]) -> bool:
    """Return whether an expression has operators outside of brackets; such an expression is broken at these operators,
    not inside brackets."""
    return any(one.depth == 0 and (one.text in _LOOSE or _OPERATORS.fullmatch(one.text)) for one in expression)


def _items(tokens: Sequence[_Token], line: str, opener: _Token) -> list[str]:
    """Return a line for each item between two brackets, with its comma; an empty list if there is only one item."""
    depth = opener.depth + 1
    commas = [one for one in tokens if one.text == "," and one.depth == depth]
    if not tokens or not commas or (len(commas) == 1 and commas[0] is tokens[-1]):
        return []
    indent = line[: len(line) - len(line.lstrip())]
    starts = [tokens[0].start, *(one.end for one in commas)]
    ends = [*(one.start for one in commas), tokens[-1].end]
    items = [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    return [f"{indent}{item}," for item in items if item]


def _tokens(statement: str) -> list[_Token] | None:
    """Return the tokens of a statement; None if it contains a comment or cannot be tokenized."""
    found: list[_Token] = []
    openers: list[int] = []
    strings = 0
    try:
        for one in tokenize.generate_tokens(io.StringIO(statement).readline):
            if one.type == tokenize.COMMENT:
                return None
            strings += (one.type == _STRING_START) - (one.type == _STRING_END)
            if one.type in _NOTHING:
                continue
            is_bracket = one.type == tokenize.OP and not strings
            if is_bracket and one.string in _PAIRS.values():
                openers.pop()
            opener = openers[-1] if openers else -1
            found.append(_Token(one.string, one.start[0], one.start[1], one.end[1], len(openers), opener))
            if one.start[0] != one.end[0]:
                found[-1] = found[-1]._replace(text=found[-1].text + "\n")
            if is_bracket and one.string in _PAIRS:
                openers.append(len(found) - 1)
    except (tokenize.TokenError, SyntaxError, IndexError):
        return None
    return found


def _tree(statement: str) -> str | None:
    """Return what `ast.dump` writes for a statement; a block header is parsed with the body `pass`. None is returned
    for a statement that cannot be parsed."""
    for text in _completed(statement.strip()):
        try:
            return ast.dump(ast.parse(text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _completed(statement: str) -> Iterator[str]:
    yield statement
    if statement.endswith(":"):
        yield f"{statement} pass"
        if statement.startswith("elif"):
            yield f"{statement[2:]} pass"
    yield f"async def f():\n {statement}"
    yield f"def f():\n {statement}"
