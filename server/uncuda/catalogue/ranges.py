"""Versions of a package: one of them, or all that lie between two."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_RELEASE = re.compile(r"\d{1,9}(?:\.\d{1,9}){0,5}")
_PRE = re.compile(r"v*\d+(?:\.\d+)*[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview|dev)(?![a-z])", re.I)
_POST = re.compile(r"\.post(\d{1,9})")
_CLAUSE = re.compile(r"(>=|<=|>|<|)(.+)")


def numbers(version: str) -> tuple[int, ...]:
    """`2.7.1.post11` as (2, 7, 1), `2.6.0` and `2.6` as (2, 6): versions compare without their post-release."""
    found = _RELEASE.match(version.lstrip("v"))
    parts = [int(part) for part in found[0].split(".")] if found else []
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


def release(version: str) -> tuple[tuple[int, ...], int]:
    """The same with the number of its post-release, by which the versions of a plugin are in order; a pre-release is
    below its release."""
    post = _POST.search(version)
    return numbers(version), int(post[1]) if post else point(version)[1]


def point(version: str) -> tuple[tuple[int, ...], int]:
    """The same, but for post-releases, which count as their release."""
    return numbers(version), -1 if _PRE.match(version) else 0


def minor(version: str) -> tuple[int, ...]:
    """`2.7.1` as (2, 7)."""
    return (*numbers(version), 0, 0)[:2]


_FIRST: tuple[tuple[int, ...], int] = ((), 0)
_LAST = 10**9  # above the number of every post-release


@dataclass(frozen=True)
class Versions:
    """Versions from `low` to `high`; an end that is empty is open. `above`, `below`: that end itself is left out.

    What is asked of them knows no post-releases: below `2.9.0.post9` lies a 2.9.0.
    """

    low: str = ""
    high: str = ""
    above: bool = False
    below: bool = False

    @classmethod
    def of(cls, text: str) -> Versions:
        """What `str` of one gives: `2.6.0` is one version, `>=2.6,<2.8` a range, the empty text any version."""
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
        """The version, if it is just one; else empty."""
        return self.low if self.low == self.high else ""

    def may(self, sign: str, version: str) -> bool:
        """Whether what `sign` (`<`, `<=`, `>`, `>=`, `==`) asks holds for any of these versions."""
        return _MAY[sign](self, point(version))

    def must(self, sign: str, version: str) -> bool:
        """Whether it holds for all of them."""
        return not any(self.may(opposite, version) for opposite in _OPPOSITES[sign])

    def holds(self, version: str) -> bool:
        """Whether a version is one of these."""
        return self.may("==", version)

    def within(self, other: Versions) -> Versions | None:
        """The versions that are also of another range; None where there are none."""
        lows = [(release(one.low), one.above, one.low) for one in (self, other) if one.low]
        highs = [(release(one.high), not one.below, one.high) for one in (self, other) if one.high]
        lowest, above, low = max(lows, default=(_FIRST, False, ""))
        highest, closed, high = min(highs, default=(_FIRST, True, ""))
        if low and high and lowest == highest and not above and closed:
            return Versions(low, low)
        both = Versions(low, high, above, not closed)
        floor = (lowest[0], _LAST) if both._after else lowest  # above 2.9.0 lies no post-release of it
        return both if not (low and high) or floor < highest else None

    def spanning(self, other: Versions) -> Versions:
        """The range that holds the versions of both."""
        low = min((release(one.low), one.above, one.low) for one in (self, other))
        high = max((release(one.high), not one.below, one.high) for one in (self, other))
        bottom = low if self.low and other.low else (_FIRST, False, "")
        top = high if self.high and other.high else (_FIRST, True, "")
        return Versions(bottom[2], top[2], bottom[1], not top[1])

    @property
    def _after(self) -> bool:
        """Whether no release of the lower end's number is one of these."""
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
