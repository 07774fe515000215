"""Reads the tables of `rules/tables/`: tab-separated, one row a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .model import CatalogueError, Row
from .ranges import Versions, minor, numbers, point, release


def read_rows(path: Path) -> dict[str, Row]:
    """The rows of a table by name; columns that the file lacks get default values."""
    rows = {}
    for cells in records(path):
        rows[cells["name"]] = Row(
            cells["name"],
            cells.get("kind", ""),
            cells["status"],
            cells.get("replacement", ""),
            cells.get("present", "1") != "0",
            cells.get("since", ""),
            _words(cells.get("missing")),
            _words(cells.get("extra")),
            cells.get("positions") == "1",
            _words(cells.get("limits")),
            cells.get("shim") == "1",
        )
    return rows


def read_keywords(path: Path) -> dict[str, tuple[str, str]]:
    """Return the keywords that have another name on the target: maps `torch.f.old` to the new keyword and the new
    value."""
    return {
        f"{cells['owner']}.{cells['word']}": (cells["replacement"], cells["value"])
        for cells in records(path)
        if cells["kind"] == "keyword" and cells["word"] != cells["replacement"]
    }


def _words(cell: str | None) -> tuple[str, ...]:
    return tuple(cell.split(",")) if cell else ()


def records(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a table as dicts by column; CatalogueError if a row has too few or too many cells."""
    lines = path.read_text(encoding="utf-8").split("\n")
    columns: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line or line.startswith("#"):
            continue
        cells = line.split("\t")
        if not columns:
            columns = ["name" if cell in ("name", "module", "id") else cell for cell in cells]
        elif len(cells) != len(columns):
            raise CatalogueError(f"{path}:{number}: {len(cells)} cells where {len(columns)} are due")
        else:
            yield dict(zip(columns, cells))


def read_texts(path: Path) -> dict[str, dict[str, str]]:
    """Read the sentences that say what a target lacks (`limits.tsv`): each id is mapped to {"en": …, "zh": …}."""
    return {cells["name"]: {"en": cells["en"], "zh": cells["zh"]} for cells in records(path)}


def same_version(version: str, known: str) -> bool:
    """Return whether `version` is the version of a table; a version without a post-release number equals any of its
    post-releases."""
    return version == known or (".post" not in version and point(version) == point(known))


def around(versions: Versions, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the known versions whose tables apply to a range of versions, the oldest first.

    All known versions in the range are included. If the range may contain a version between two known ones, the result
    includes both known versions: a version between them has at least the names that both have. A later post-release is
    assumed to have the names of the last known post-release of the same release.
    """
    ordered = sorted(known, key=release)
    if exact := versions.exact:
        same = [version for version in ordered if same_version(exact, version)]
        if same:
            return (next((version for version in same if release(version) == release(exact)), same[-1]),)
        own = [version for version in ordered if numbers(version) == numbers(exact)][-1:]
        if own and release(own[0]) < release(exact):
            return tuple(own)
        below = [version for version in ordered if release(version) <= release(exact)][-1:]
        return tuple(below + [version for version in ordered if release(version) > release(exact)][:1])
    found = [version for version in ordered if versions.holds(version)]
    lower = [version for version in ordered if version not in found and not versions.may("<=", version)]
    upper = [version for version in ordered if version not in found and not versions.may(">=", version)]
    before = lower[-1:] if not found or minor(versions.low or found[0]) < minor(found[0]) else []
    after = upper[:1] if not found or _reaches(versions, found[-1]) else []
    return tuple(before + found + after)


def _reaches(versions: Versions, last: str) -> bool:
    """Whether a range contains a later minor release than `last`, its last known version: `<2.13` contains 2.9 to 2.12
    after 2.8."""
    if not versions.high:
        return False
    (major, end), (same, known) = minor(versions.high), minor(last)
    if major != same:
        return True
    return end - known > (1 if versions.below and len(numbers(versions.high)) <= 2 else 0)


def combine(tables: list[dict[str, Row]]) -> dict[str, Row]:
    """Combine tables into rows that are true for all of them: an API is present, or replaced by the plugin's runtime
    patch (`shim`), only if all tables say so."""
    first, *rest = tables
    rows = dict(first)
    for table in rest:
        for name in rows.keys() | table.keys():
            a, b = rows.get(name), table.get(name)
            row = a or b
            assert row is not None
            present = a is not None and b is not None and a.present and b.present
            shim = a is not None and b is not None and a.shim and b.shim
            if (present, shim) != (row.present, row.shim):
                rows[name] = row._replace(present=present, shim=shim)
            elif a is None:
                rows[name] = row
    return rows
