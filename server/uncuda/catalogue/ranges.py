"""Versions of a package: a single one, or a range between two."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from uncuda import lazy_re

_RELEASE = lazy_re.compile(r"\d{1,9}(?:\.\d{1,9}){0,5}")
_PRE = lazy_re.compile(r"v*\d+(?:\.\d+)*[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview|dev)(?![a-z])", re.I)
_POST = lazy_re.compile(r"\.post(\d{1,9})")
_CLAUSE = lazy_re.compile(r"(>=|<=|>|<|)(.+)")


def numbers(version: str) -> tuple[int, ...]:
    """The release numbers: (2, 7, 1) for `2.7.1.post11`, (2, 6) for `2.6.0` and for `2.6`; post-releases are
    dropped."""
    found = _RELEASE.match(version.lstrip("v"))
    parts = [int(part) for part in found[0].split(".")] if found else []
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


def release(version: str) -> tuple[tuple[int, ...], int]:
    """Return the release numbers and the number of the post-release, by which a plugin's versions are sorted; a
    pre-release sorts below its release."""
    post = _POST.search(version)
    return numbers(version), int(post[1]) if post else point(version)[1]


def point(version: str) -> tuple[tuple[int, ...], int]:
    """Return the sort key of `release` without post-release numbers: the same for `2.7.1` and `2.7.1.post11`."""
    return numbers(version), -1 if _PRE.match(version) else 0


def minor(version: str) -> tuple[int, ...]:
    """The major and minor number: (2, 7) for `2.7.1`."""
    return (*numbers(version), 0, 0)[:2]


_FIRST: tuple[tuple[int, ...], int] = ((), 0)
_LAST = 10**9  # greater than the number of any post-release


class Versions(NamedTuple):
    """The versions from `low` to `high`; an empty string means that there is no limit. `above`, `below`: whether the
    limit itself is excluded.

    The methods `may`, `must` and `holds` ignore the numbers of post-releases: `2.9.0` and `2.9.0.post9` count as the
    same version.
    """

    low: str = ""
    high: str = ""
    above: bool = False
    below: bool = False

    @classmethod
    def of(cls, text: str) -> Versions:
        """Parse a range from the text that `str` returns for it: `2.6.0` is one version, `>=2.6,<2.8` a range, the
        empty text any version."""
        low = high = ""
        above = below = False
        for sign, version in (found.groups() for part in text.split(",") if (found := _CLAUSE.fullmatch(part.strip()))):
            if sign in ("", ">", ">="):
                low, above = version, sign == ">"
            if sign in ("", "<", "<="):
                high, below = version, sign == "<"
        return cls(low, high, above, below)

    def __str__(self) -> str:
        if self.exact:
            return self.exact
        ends = [f"{'>' if self.above else '>='}{self.low}"] if self.low else []
        return ",".join([*ends, f"{'<' if self.below else '<='}{self.high}"] if self.high else ends)

    @property
    def exact(self) -> str:
        """Return the version if the range contains a single one, otherwise an empty string."""
        return self.low if self.low == self.high else ""

    def may(self, sign: str, version: str) -> bool:
        """Whether at least one version of the range satisfies a comparison with `version`; `sign`: `<`, `<=`, `>`, `>=`
        or `==`."""
        return _MAY[sign](self, point(version))

    def must(self, sign: str, version: str) -> bool:
        """Whether all versions of the range satisfy a comparison with `version`."""
        return not any(self.may(opposite, version) for opposite in _OPPOSITES[sign])

    def holds(self, version: str) -> bool:
        """Whether a version is in the range."""
        return self.may("==", version)

    def within(self, other: Versions) -> Versions | None:
        """Return the versions that are in both ranges; None if no version is."""
        lows = [(release(one.low), one.above, one.low) for one in (self, other) if one.low]
        highs = [(release(one.high), not one.below, one.high) for one in (self, other) if one.high]
        lowest, above, low = max(lows, default=(_FIRST, False, ""))
        highest, closed, high = min(highs, default=(_FIRST, True, ""))
        if low and high and lowest == highest and not above and closed:
            return Versions(low, low)
        both = Versions(low, high, above, not closed)
        floor = (lowest[0], _LAST) if both._after else lowest  # `>2.9.0` contains no post-release of 2.9.0
        return both if not (low and high) or floor < highest else None

    def spanning(self, other: Versions) -> Versions:
        """The smallest range that includes both ranges."""
        low = min((release(one.low), one.above, one.low) for one in (self, other))
        high = max((release(one.high), not one.below, one.high) for one in (self, other))
        bottom = low if self.low and other.low else (_FIRST, False, "")
        top = high if self.high and other.high else (_FIRST, True, "")
        return Versions(bottom[2], top[2], bottom[1], not top[1])

    @property
    def _after(self) -> bool:
        """Whether post-releases of the lower limit are excluded, too, as in `>2.9.0`, which excludes `2.9.0.post1`."""
        return self.above and not _POST.search(self.low)

    @property
    def _before(self) -> bool:
        return self.below and not _POST.search(self.high)


_MAY: dict[str, Callable[[Versions, tuple[tuple[int, ...], int]], bool]] = {
    "<": lambda some, at: not some.low or point(some.low) < at,
    "<=": lambda some, at: not some.low or point(some.low) < at or (point(some.low) == at and not some._after),
    ">": lambda some, at: not some.high or point(some.high) > at,
    ">=": lambda some, at: not some.high or point(some.high) > at or (point(some.high) == at and not some._before),
    "==": lambda some, at: _MAY["<="](some, at) and _MAY[">="](some, at),
}
_OPPOSITES = {"<": (">=",), "<=": (">",), ">": ("<=",), ">=": ("<",), "==": ("<", ">")}
