"""Tests that the model of the overview, updated file by file, equals a model that is built from scratch."""

from __future__ import annotations

from random import Random

import pytest

from uncuda.workspace import CLASSES, Totals
from uncuda.workspace.counts import Row
from uncuda.workspace.overview import (
    ACCEPTED,
    GROUPS,
    KINDS,
    PLACES,
    SEVERITIES,
    Branch,
    Extent,
    FileListing,
    Filter,
    Group,
    Listed,
    Overview,
    Tree,
)

RANDOM = Random(46)
PATHS = ["a.py", "src/b.py", "src/deep/c.py", "src/deep/d.py", "tests/test_e.py", "src/tests/f.py", "conftest.py"]


def listing(path: str) -> FileListing:
    """Return a listing of a file with 0 to 5 random findings."""
    chosen = RANDOM.choice
    findings = tuple(
        Listed(
            Row(chosen("xyz"), "", chosen(SEVERITIES), chosen(["npu", "musa"]), chosen(CLASSES)),
            "message",
            f"{number:024x}",
            Extent(number, 0, number, 1),
            accepted=RANDOM.random() < 0.2,
        )
        for number in range(RANDOM.randrange(6))
    )
    return FileListing(path, f"/p/{path}", f"file:///p/{path}", str(RANDOM.random()), findings)


def shape(tree: Tree) -> list[object]:
    """Return all nodes of a tree with their counts, in order."""

    def of(branch: Branch) -> list[object]:
        return [branch.id, [place.finding.print for place in branch.places], [of(one) for one in branch.below]]

    return [of(branch) for branch in tree.top]


@pytest.mark.parametrize("group", GROUPS)
def test_what_changes_file_by_file_is_what_is_made_anew(group: Group) -> None:
    kept, files = Overview(), dict[str, FileListing]()
    for _ in range(300):
        path = RANDOM.choice(PATHS)
        before = kept.version
        if RANDOM.random() < 0.2:
            gone = files.pop(path, None)
            assert kept.remove(f"file:///p/{path}") == bool(gone and gone.findings)
        else:
            said = listing(path) if RANDOM.random() < 0.8 else files.get(path, listing(path))
            other = files.get(path)
            changed = (said if said.findings else None) != (other if other and other.findings else None)
            assert kept.put(said) == changed
            assert (kept.version > before) == changed, "another number only if something is"
            files[path] = said
        fresh, totals = Overview(), Totals()
        for file in files.values():
            fresh.put(file)
            totals.add(file.left)
        assert kept.counts == fresh.counts == totals.counts
        assert kept.accepted == fresh.accepted
        shown = Filter.of(RANDOM.sample([*KINDS, *SEVERITIES, *PLACES], RANDOM.randrange(4)))
        assert shape(kept.tree(group, shown)) == shape(fresh.tree(group, shown))
        assert kept.tree(group, shown) is kept.tree(group, shown), "made once"


@pytest.mark.parametrize("group", GROUPS)
def test_each_level_has_all_of_it(group: Group) -> None:
    overview = Overview()
    for path in PATHS:
        overview.put(listing(path))
    tree = overview.tree(group)
    for branch in tree.top:
        assert {place.finding.kind for place in branch.places} == {branch.name}
        for middle in branch.below:
            assert sum(len(file.places) for file in middle.below) == len(middle.places)
            assert tree.branch(middle.id) is middle and middle.path == [branch, middle]
    assert sum(len(branch.places) for branch in tree.top) == overview.counts.total.count + overview.accepted.count
    assert tree.branch("safe/no-such") is None


def test_tests_come_last() -> None:
    overview = Overview()
    for path in PATHS:
        finding = Listed(Row("x", "", "error", "npu", "safe"), "", "0" * 24, Extent(0, 0, 0, 1))
        overview.put(FileListing(path, path, f"file:///{path}", "", (finding,) * (9 if "test" in path else 1)))
    (safe,) = overview.tree("folder").top
    assert [branch.tests for branch in safe.below] == sorted(branch.tests for branch in safe.below)
    assert {branch.tests for branch in safe.below} == {False, True}


def test_a_value_that_no_filter_has() -> None:
    with pytest.raises(ValueError, match="colour"):
        Filter.of(["safe", "colour"])
    assert Filter.of([ACCEPTED, "tests"]) == Filter(kinds=frozenset([ACCEPTED]), places=frozenset(["tests"]))
    assert not Filter.of([])
