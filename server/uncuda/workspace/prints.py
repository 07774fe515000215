"""Computes fingerprints ("prints"): hashes that identify findings despite changes to other lines, formatting, or the
file's name.

A fingerprint ("print") is made from the rule, the surrounding function or class, and the tokens of the statement. The
first digits of a fingerprint identify the function or class; if the file no longer contains it, the code was moved or
removed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from keyword import kwlist
from typing import NamedTuple

from uncuda import lazy_re
from uncuda.engine import Finding
from uncuda.facts.changes import Searches
from uncuda.facts.layout import Layout
from uncuda.facts.model import Facts
from uncuda.facts.scopes import IndentScopes
from uncuda.limits import UNLIMITED, Work
from uncuda.source import Span

_SCOPE, _REST = 8, 16  # numbers of hexadecimal digits of the two parts of a fingerprint
PRINT = lazy_re.compile(rf"[0-9a-f]{{{_SCOPE + _REST}}}(?::[1-9]\d{{0,5}})?")
_TOKEN = lazy_re.compile(
    r"""(?P<blank>[ \t\f\r\n]+|\\\r?\n|\\\r|\#[^\r\n]*)
    |(?P<string>[A-Za-z]{0,2}(?:\"\"\"[^\\"]*(?:(?:\\.|"(?!""))[^\\"]*)*\"\"\"|'''[^\\']*(?:(?:\\.|'(?!''))[^\\']*)*'''
        |"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'))
    |(?P<number>0[xX]\w*|\.?[0-9](?:[eE][+-]|[\w.])*)
    |(?P<name>\w+)
    |(?P<sign>.)""",
    re.DOTALL | re.VERBOSE,
)
_NAMED = lazy_re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
_NAMED_LINE = lazy_re.compile(rf"^[ \t\f]*(?={_NAMED.pattern})", re.MULTILINE)
_BELOW = lazy_re.compile(r"(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))*[ \t\f]*")
_POINT = lazy_re.compile(r"([0-9])\.(?![0-9])")  # formatters write digits on both sides of the decimal point
_OPEN, _CLOSE = "([{", ")]}"
_KEYWORDS = frozenset(kwlist)
_BLOCKS = frozenset(
    {*("async", "class", "def", "elif", "else", "except"), *("finally", "for", "if", "try", "while", "with")}
)


class Printed(NamedTuple):
    """The fingerprint of a finding, and the span of its statement."""

    print: str
    statement: Span


class _Part(NamedTuple):
    """A simple statement, or the header of a compound statement. `name`: the name of the function or class that starts
    on this line, if any."""

    start: int
    end: int
    text: str
    name: str = ""


class Prints:
    """Computes the fingerprints of findings in one text. `facts`: the `Facts` of the text, such as its lines and
    scopes, if they are known already; otherwise they are computed."""

    def __init__(self, text: str, facts: Facts | None = None) -> None:
        self._text = text
        if facts is not None:
            # the work for fingerprints must not count towards the limits of the next analysis
            facts.work = Work(UNLIMITED)
        self._layout = facts.layout if facts is not None else Layout(text)
        self._scopes = facts.indents if facts is not None else IndentScopes(self._layout, Searches(text))
        self._parts: dict[int, list[_Part]] = {}
        self._names: dict[int, str] = {}
        self._decorated: dict[int, str] = {}

    def of(self, findings: Iterable[Finding]) -> list[Printed]:
        """Return the fingerprints of sorted findings; equal fingerprints are numbered from 2."""
        seen: dict[str, int] = {}
        known: dict[tuple[str, int], str] = {}
        found = []
        for finding in findings:
            part, scope = self._place(finding.span.start)
            made = known.get((finding.rule, part.start))
            if made is None:  # cached, because a statement may have many findings
                made = _digits(scope)[:_SCOPE] + _digits(f"{finding.rule}\0{scope}\0{part.text}")[:_REST]
                known[finding.rule, part.start] = made
            number = seen[made] = seen.get(made, 0) + 1
            found.append(Printed(made if number == 1 else f"{made}:{number}", Span(part.start, part.end)))
        return found

    def scopes(self) -> set[str]:
        """Return the digits that identify the functions and classes of the text: fingerprints of findings inside of
        them begin with these digits."""
        found = set()
        for match in _NAMED_LINE.finditer(self._text):
            if self._layout.string_around(match.start()) is None:
                found.add(_digits(self._inside(match.end()))[:_SCOPE])
        return found

    def _place(self, offset: int) -> tuple[_Part, str]:
        """Return the statement at an offset, and the qualified name of the function or class that contains it.

        The header and the decorators of a function belong to that function.
        """
        start, end = self._layout.logical_line(offset)
        parts = self._parts.get(start)
        if parts is None:
            parts = self._parts[start] = list(_statements(self._text, start, end)) or [_Part(start, end, "")]
        part = parts[max(0, bisect_right(parts, offset, key=lambda part: part.start) - 1)]
        scope = self._around(start)
        name = self._below(start) if part.text.startswith("@") else part.name
        return part, f"{scope}.{name}" if scope and name else scope or name

    def _around(self, start: int) -> str:
        """The qualified name of the function or class around a line; "" if there is none."""
        header = self._scopes.scope_of(start)
        return self._inside(header[0]) if header is not None else ""

    def _below(self, decorator: int) -> str:
        """The name of the function or class below a decorator; "" if there is none."""
        chain: list[int] = []
        at, name = decorator, ""
        while at not in self._decorated:
            chain.append(at)
            _, end = self._layout.logical_line(at)
            below = _BELOW.match(self._text, end)
            at = below.end() if below else end
            if not self._text.startswith("@", at):
                named = _NAMED.match(self._text, at)
                name = named[1] if named else ""
                break
        else:
            name = self._decorated[at]
        self._decorated.update(dict.fromkeys(chain, name))
        return name

    def _inside(self, header: int) -> str:
        """The qualified name of the function or class with this header."""
        chain: list[int] = []
        at: int | None = header
        while at is not None and at not in self._names:
            chain.append(at)
            above = self._scopes.scope_of(at)
            at = above[0] if above is not None else None
        name = "" if at is None else self._names[at]
        for one in reversed(chain):
            match = _NAMED.match(self._text, one)
            own = match[1] if match else ""
            name = self._names[one] = f"{name}.{own}" if name else own
        return name


def numbered(print_: str) -> tuple[str, int]:
    """Split a fingerprint into its digits and its number; the number is 1 for the first of several equal findings."""
    plain, _, number = print_.partition(":")
    return plain, int(number or 1)


def scope_of(print_: str) -> str:
    """The digits of a fingerprint that identify the function or class; "" outside of functions and classes."""
    return "" if print_.startswith(_OUTSIDE) else print_[:_SCOPE]


def _digits(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_OUTSIDE = _digits("")[:_SCOPE]


def _statements(text: str, start: int, end: int) -> Iterator[_Part]:
    """The statements of a logical line as formatters separate them: each simple statement, and each header without its
    body."""
    parts: list[tuple[int, int, str]] = []
    depth, lambdas, name, header = 0, 0, "", False
    for match in _TOKEN.finditer(text, start, end):
        if match.lastgroup == "blank":
            continue
        word = _word(match)
        if not parts:
            header = word in _BLOCKS and not name
        depth += (word in _OPEN) - (word in _CLOSE)
        lambdas += word == "lambda" and not depth
        if not depth and word == ":" and lambdas:
            lambdas -= 1
        elif not depth and word == ":" and header:
            named = _NAMED.match(text, parts[0][0])
            name = named[1] if named else name
            yield _part(parts, name)
            parts, header = [], False
            continue
        elif not depth and word == ";":
            if parts:
                yield _part(parts, name)
            parts = []
            continue
        parts.append((*match.span(), word))
    if parts:
        yield _part(parts, name)


def _part(tokens: Sequence[tuple[int, int, str]], name: str) -> _Part:
    return _Part(tokens[0][0], tokens[-1][1], "\0".join(_plain([word for _, _, word in tokens])), name)


def _word(match: re.Match[str]) -> str:
    """Return a string or number in a form that formatters such as Black do not change (quotes, capitals); any other
    token as it is."""
    word = match[0]
    if match.lastgroup == "string":
        quote = min(at for at in (word.find('"'), word.find("'")) if at >= 0)
        prefix, body = word[:quote].lower().replace("u", ""), word[quote:]
        if "f" in prefix:  # formatters also change code in f-strings
            body = "".join(body.split())
        return prefix + body.replace("\\'", "'").replace('\\"', '"').replace("'", '"')
    return (
        _POINT.sub(r"\g<1>.0", f"0{word}" if word[0] == "." else word).lower() if match.lastgroup == "number" else word
    )


def _plain(tokens: Sequence[str]) -> Iterator[str]:
    """The tokens without grouping parentheses and without trailing commas."""
    grouping: list[bool] = []
    before = ""
    for word, after in zip(tokens, [*tokens[1:], ""], strict=True):
        if word in _OPEN:
            calls = before[-1:].isalnum() or before[-1:] in ("_", *_CLOSE, '"')
            grouping.append(word == "(" and (not calls or before in _KEYWORDS))
            keep = not grouping[-1]
        elif word in _CLOSE:
            keep = not (grouping and grouping.pop())
        else:
            keep = not (word == "," and after and after in _CLOSE)
        if keep:
            yield word
        before = word
