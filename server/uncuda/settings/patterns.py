""".gitignore patterns whose matching takes time linear in the lengths of pattern and path, even if somebody wrote the
patterns to be slow.

pathspec translates patterns to regular expressions that backtrack: a star gives characters back whenever the text after
it does not match. The part of a pattern between two stars always matches the same number of characters, so its
leftmost match leaves the most characters for the rest of the pattern, and no other match has to be tried. This module
rewrites the regular expressions so that only the leftmost match of a part between two stars is tried.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from uncuda import lazy_re

MOST_PATTERNS = 5_000
"""The maximum number of patterns in one file or list; reading one pattern takes a tenth of a millisecond."""
LONGEST_PATTERN = 4_096
"""The maximum number of characters of a pattern; no system has longer paths."""
_LONGEST_SHOWN = 80

# The texts that pathspec writes for stars when it translates a pattern of .gitignore into a regular expression. `_STAR`
# cannot be confused with a bracket expression of the user's pattern, because a bracket expression contains no slash.
_STAR = "[^/]*"
_LEADING_FOLDERS = "^(?:.+/)?"
_FOLDERS = "(?:/.+)?"
_BRACKET = lazy_re.compile(r"\\.|\[\^/\]|(?P<bracket>\[\^?\]?[^\]]*\])", re.DOTALL)
_BELOW = "ps_d"
"""The name of pathspec's group for the slash that follows a folder named by a pattern."""


class PatternError(ValueError):
    """Raised if patterns cannot be used. `line`: the number of the invalid pattern, from 1; None if there are too many
    patterns."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class _Pattern(NamedTuple):
    include: bool
    regex: re.Pattern[str]


class Patterns:
    """The patterns of a file or list; the last pattern that matches a path decides whether the path counts as
    matched."""

    def __init__(self, patterns: Iterable[_Pattern]) -> None:
        self._latest_first = [(pattern.include, pattern.regex.search) for pattern in patterns][::-1]

    def decide(self, path: str) -> bool | None:
        """Return True if a pattern matches the path, False if the last match is a pattern that begins with `!`, None if
        none matches.

        `path`: relative to the folder of the patterns, with slashes (on Windows also backslashes); the path of a folder
        ends with a slash. A pattern that matches the path itself overrides a pattern that matches a folder above it.
        """
        if os.sep != "/":
            path = path.replace(os.sep, "/")
        path = path.removeprefix("/")
        through_folder: bool | None = None
        for include, search in self._latest_first:
            match = search(path)
            if match is None:
                continue
            if match.lastgroup != _BELOW:
                return include
            if through_folder is None:
                through_folder = include
        return through_folder


def read_patterns(lines: Iterable[str]) -> tuple[Patterns, list[PatternError]]:
    """Return the patterns of a .gitignore file, and the errors of its invalid patterns, which match nothing.

    Raises PatternError if there are more than MOST_PATTERNS.
    """
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    if len(numbered) > MOST_PATTERNS:
        raise PatternError(f"more than {MOST_PATTERNS:,} patterns", None)
    patterns, problems = [], []
    for number, line in numbered:
        try:
            if pattern := _compile(line, number):
                patterns.append(pattern)
        except PatternError as error:
            problems.append(error)
    return Patterns(patterns), problems


def check_pattern(line: str) -> None:
    """Raise PatternError if a pattern is invalid."""
    _compile(line, 1)


@lru_cache(maxsize=512)
def pattern_set(patterns: tuple[str, ...]) -> Patterns:
    """Return anchored patterns, ready to match absolute paths; a folder's path must end with a slash."""
    return read_patterns(patterns)[0]


@lru_cache(maxsize=64)
def pattern_sets(patterns: tuple[str, ...]) -> tuple[Patterns, ...]:
    """Return a tuple with one pattern set for each pattern."""
    return tuple(read_patterns([pattern])[0] for pattern in patterns)


def _compile(line: str, number: int) -> _Pattern | None:
    """Return the compiled pattern; None for a line that contains no pattern."""
    if len(line) > LONGEST_PATTERN:
        raise PatternError(f"a pattern longer than {LONGEST_PATTERN:,} characters", number)
    from pathspec import GitIgnoreSpec

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `[[:digit:]]` causes a FutureWarning about set operations
            (pattern,) = GitIgnoreSpec.from_lines([line]).patterns
    except re.error as error:
        raise PatternError(f"invalid pattern `{_shown(line)}`: {error.msg}", number) from None
    except ValueError:
        ends = len(line) - len(line.rstrip("\\"))
        why = ": nothing follows the backslash" if ends % 2 else ""
        raise PatternError(f"invalid pattern `{_shown(line)}`{why}", number) from None
    if pattern.include is None or pattern.regex is None:
        return None
    expression = str(pattern.regex.pattern)
    settled = _settle(expression)
    return _Pattern(pattern.include, pattern.regex if settled == expression else re.compile(settled))


def _shown(line: str) -> str:
    return line if len(line) <= _LONGEST_SHOWN else line[:_LONGEST_SHOWN] + "…"


def _settle(expression: str) -> str:
    """Return pathspec's regular expression, rewritten so that each star except the last takes its shortest match, and
    no longer match of this star is tried later."""
    if expression.count(_STAR) > 1:
        expression = _settle_stars(expression)
    if _FOLDERS in expression and expression.count(_FOLDERS) + expression.startswith(_LEADING_FOLDERS) > 1:
        expression = _settle_folders(expression)
    return _BRACKET.sub(_bracket, expression)


def _bracket(match: re.Match[str]) -> str:
    """Return a bracket expression that matches no slash, even if it is negated (`[^a]`) or is a range that includes the
    slash."""
    bracket = match["bracket"]
    return "(?!/)" + bracket if bracket and ("-" in bracket or bracket.startswith("[^")) else match[0]


def _settle_stars(expression: str) -> str:
    """Rewrite the stars within one segment of a path: `*a*b` matches the first `a`, then anything up to a `b` that ends
    the segment."""
    first, *pieces, last = expression.split(_STAR)
    settled = first
    for number, piece in enumerate(pieces):
        if "/" in piece.replace("[^/]", ""):  # a new segment begins, so the star ends the previous segment
            settled += _STAR + piece
        elif piece:
            settled += _first(f"s{number}", "[^/]*?" + piece)
    return settled + _STAR + last


def _settle_folders(expression: str) -> str:
    """Rewrite a pattern with several `**`, such as `**/a/**/b`: what is between two `**` matches only the first folders
    of a path that it can match."""
    first, *groups, last = expression.removeprefix(_LEADING_FOLDERS).split(_FOLDERS)
    if expression.startswith(_LEADING_FOLDERS):
        settled = "^" + _first("f", f"(?:[^/]+/)*?{first}(?=/)")
    else:
        settled = first
    for number, group in enumerate(groups):
        settled += _first(f"f{number}", f"(?:/[^/]+)*?{group}(?=/)")
    return settled + _FOLDERS + last


def _first(name: str, expression: str) -> str:
    """Return an expression whose first match is kept: an atomic group, written as a lookahead for Python before
    3.11."""
    return f"(?=(?P<{name}>{expression}))(?P={name})"
