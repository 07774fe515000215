"""Reads the package versions that a text requires: requirements, `pyproject.toml`, lock files, conda files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache, reduce
from typing import Any

from uncuda import lazy_re
from uncuda.catalogue import Versions

Pins = Mapping[str, Versions]
"""Maps the normalised name of a package to its required versions, or to `Versions()` if the text names no versions."""

_LONGEST_EXTRAS = _LONGEST_VERSIONS = 200
_MOST = 1000
"""The maximum number of requirements that are read from one list."""
# Each regular expression below can match a text in only one way, so that no untrusted file makes the search slow.
_SEPARATORS = lazy_re.compile(r"[-_.]+")
_SPACES = lazy_re.compile(r"[ \t]*")
_OPENING = lazy_re.compile(r"""[ \t]*["']?[ \t(]*""")
_VERSIONS = lazy_re.compile(r"""[<>=!~^]=?=?[ \t]*v?\d[^\n"';#)\\]*|\d[\w.*+]*(?=["'])""")
_PART = lazy_re.compile(r"(===?|~=|<=|>=|!=|[<>=~^]|)[ \t]*v?(\d{1,9}(?:\.\d{1,9}){0,5})(\.\*)?([._-]?post\d{1,9})?")
_LOCKED = lazy_re.compile(r'\nname = "([\w.-]{1,100})"\r?\nversion = "([^"\n]{1,100})"')
_WHEEL = lazy_re.compile(
    r"(?<![\w.-])([A-Za-z0-9][\w.]{0,100})-(\d{1,9}(?:\.\d{1,9}){0,5}(?:\.post\d{1,9})?)(?!\.?\d)[\w.+%!-]{1,200}\.whl"
)
"""The file name of a wheel: package and version."""
_LINK = lazy_re.compile(r"""[ \t]*@[ \t]*([^\s"',;]{1,1000})""")
_NEXT_PART = lazy_re.compile(r",|[ \t]+(?=[<>=!~^])")
_GOES_ON = lazy_re.compile(r"\\\r?\n")


def normal(name: str) -> str:
    """A package name in the normalised form of the package index: `torch-npu` for `torch_npu`."""
    return _SEPARATORS.sub("-", name).lower()


def of_lines(text: str, packages: Collection[str], bare: bool = True) -> Pins:
    """The versions of packages that the lines of a text require; the text may be a requirements file. `bare`: whether
    to include names without a version, and file names of wheels that have no `torch @ ` before them."""
    said: dict[str, list[Versions]] = {}
    named = _names(frozenset(packages))
    for line in _GOES_ON.sub(" ", text).split("\n"):
        comment = line.find("#")
        end, place = comment if comment >= 0 else len(line), 0
        for wheel in _WHEEL.finditer(line, 0, end) if bare and ".whl" in line else ():
            if normal(wheel[1]) in packages:
                said.setdefault(normal(wheel[1]), []).append(Versions(wheel[2], wheel[2]))
        while name := named.search(line, place, end):
            found, place = _after_name(line, name.end())
            found = found or _of_link(line, place, name[0])
            versions = versions_of(found) if found else Versions()
            if versions is not None and (found or (bare and not _is_channel(name[0]))):
                said.setdefault(_own(name[0]), []).append(versions)
    return _together(said)


def of_pyproject(document: Mapping[str, Any], packages: Collection[str]) -> Pins:
    """The versions that a `pyproject.toml` requires: the requirements of the project, else the requirements of its
    extras, groups or build system."""
    project, tool = _table(document, "project"), _table(document, "tool")
    poetry, pdm, uv = (_table(tool, name) for name in ("poetry", "pdm", "uv"))
    groups = [_table(group, "dependencies") for group in _tables(_table(poetry, "group"))]
    needed = [
        *_listed(project.get("dependencies")),
        *(one for table in (_table(poetry, "dependencies"), _table(uv, "sources")) for one in _poetry(table)),
    ]
    more = [
        *(one for lists in (_table(project, "optional-dependencies"), _table(document, "dependency-groups"),
                            _table(pdm, "dev-dependencies")) for each in lists.values() for one in _listed(each)),
        *(one for table in (_table(poetry, "dev-dependencies"), *groups) for one in _poetry(table)),
        *(one for key in ("dev-dependencies", "constraint-dependencies") for one in _listed(uv.get(key))),
        *_listed(_table(document, "build-system").get("requires")),
    ]  # fmt: skip
    first, others = (_of_requirements(some, packages) for some in (needed, more))
    return {name: first[name] if first.get(name, Versions()) != Versions() else others.get(name, Versions())
            for name in {**first, **others}}  # fmt: skip


def of_lock(text: str, packages: Collection[str]) -> Pins:
    """The versions in a lock file of uv, Poetry or PDM, or in a `pylock.toml`; all possible versions if the lock file
    has forks."""
    said: dict[str, list[Versions]] = {}
    for name, version in (found.groups() for found in _LOCKED.finditer(text)):
        if normal(name) in packages and (versions := versions_of(version)):
            said.setdefault(normal(name), []).append(versions)
    return _together(said)


def versions_of(text: str) -> Versions | None:
    """The versions allowed by `>=2.4,<2.7`, `~=2.6.0`, `==2.6.*`, conda's `=2.6` or Poetry's `^2.6`; None if the text
    is empty or allows no version.

    `!=` is ignored: `>=2.4,!=2.5` allows 2.5, too.
    """
    ways = [_all_of(way) for way in text[:_LONGEST_VERSIONS].split("|") if way.strip()]
    possible = [way for way in ways if way is not None]
    return reduce(Versions.spanning, possible) if possible else None


def _all_of(text: str) -> Versions | None:
    found: Versions | None = Versions()
    for part in _NEXT_PART.split(text):
        clause = _PART.match(part.strip())
        found = found.within(_of_clause(clause)) if clause and found is not None else found
    return found


def _of_clause(clause: re.Match[str]) -> Versions:
    sign, release, any_more = clause[1], clause[2], clause[3]
    version = release + (clause[4] or "")
    parts = [int(part) for part in release.split(".")]
    if any_more or (sign == "=" and len(parts) < 3):
        return Versions() if sign == "!=" else _up_to(version, parts)
    if sign in ("", "=", "==", "==="):
        return Versions(version, version)
    if sign in ("<", "<="):
        return Versions(high=version, below=sign == "<")
    if sign in (">", ">="):
        return Versions(version, above=sign == ">")
    if sign == "~=":
        return _up_to(version, parts[:-1]) if len(parts) > 1 else Versions(version)
    if sign == "~":
        return _up_to(version, parts[:2])
    if sign == "^":
        return _up_to(version, parts[: next((at for at, part in enumerate(parts) if part), len(parts) - 1) + 1])
    return Versions()


def _up_to(version: str, parts: list[int]) -> Versions:
    """Return the versions that are at least `version` and less than `parts` with 1 added to its last number: if `parts`
    is [2, 6], less than 2.7."""
    return Versions(version, ".".join(map(str, [*parts[:-1], parts[-1] + 1])), below=True)


def _together(said: Mapping[str, list[Versions]]) -> Pins:
    """The versions that several lines together require of each package: the intersection, or, if that is empty, the
    union."""
    return {name: reduce(_both, versions) for name, versions in said.items() if versions}


def _both(one: Versions, other: Versions) -> Versions:
    return one.within(other) or one.spanning(other)


def _either(packages: frozenset[str]) -> str:
    return "|".join(re.escape(name).replace(r"\-", "[-_.]") for name in sorted(packages, key=len, reverse=True))


@lru_cache(maxsize=8)
def _names(packages: frozenset[str]) -> re.Pattern[str]:
    either = _either(packages)
    return re.compile(rf"(?<![\w.-])(?:py(?=torch(?![\w-])))?(?:{either})(?![\w-]|\.\w)", re.IGNORECASE)


def _own(name: str) -> str:
    """The package's name on the package index: `torch` for conda's `pytorch`."""
    return normal(name).removeprefix("py")


def _is_channel(name: str) -> bool:
    """Whether a name may be that of a conda channel: `- pytorch`."""
    return normal(name) != _own(name)


def _after_name(line: str, place: int) -> tuple[str, int]:
    """The versions after a package name, as in `[extras] = "(>=1,<2)"`, and the offset where they end."""
    place = _end(_SPACES, line, place)
    if line.startswith("[", place):
        extras = line.find("]", place, place + _LONGEST_EXTRAS) + 1
        if not extras:
            return "", place
        place = _end(_SPACES, line, extras)
    found = _VERSIONS.match(line, _end(_OPENING, line, place))
    if found is None and line.startswith("=", place):
        found = _VERSIONS.match(line, _end(_OPENING, line, place + 1))
    return (found[0], found.end()) if found else ("", place)


def _of_link(line: str, place: int, package: str) -> str:
    """The version of a package's own wheel in a link: `torch @ https://…/torch-2.8.0+cu128-….whl`; "" if there is
    none."""
    link = _LINK.match(line, place)
    return _of_wheel(link[1], package) if link else ""


def _of_wheel(link: str, package: str) -> str:
    wheel = _WHEEL.search(link)
    return "==" + wheel[2] if wheel and normal(wheel[1]) == _own(package) else ""


def _end(pattern: re.Pattern[str], line: str, place: int) -> int:
    match = pattern.match(line, place)
    return match.end() if match else place


def _of_requirements(requirements: Iterable[tuple[str, str]], packages: Collection[str]) -> Pins:
    said: dict[str, list[Versions]] = {}
    for name, versions in requirements:
        found = versions_of(versions) if versions else Versions()
        if normal(name) in packages and found is not None:
            said.setdefault(normal(name), []).append(found)
    return _together(said)


_REQUIREMENT = lazy_re.compile(r"[ \t]*([A-Za-z0-9][\w.-]{0,100})")


def _listed(value: object) -> Iterator[tuple[str, str]]:
    """(name, versions) for each requirement in a list."""
    for item in value[:_MOST] if isinstance(value, list) else ():
        if isinstance(item, str) and (name := _REQUIREMENT.match(item)):
            versions, place = _after_name(item, name.end())
            yield name[1], versions or _of_link(item, place, name[1])


def _poetry(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(name, versions) for a table of Poetry or uv: `torch = "^2.6"`, `torch = {version = "2.6.0", …}`, `{url =
    "….whl"}`, or a list of these."""
    for name, value in table.items():
        for item in value[:_MOST] if isinstance(value, list) else [value]:
            told = item if isinstance(item, dict) else {"version": item}
            links = [_of_wheel(link, name) for key in ("url", "path") if isinstance(link := told.get(key), str)]
            versions = told.get("version")
            yield name, versions if isinstance(versions, str) else "".join(links[:1])


def _table(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = document.get(name)
    return found if isinstance(found, dict) else {}


def _tables(table: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return (value for value in table.values() if isinstance(value, dict))
