"""Tests of the proposed plugin upgrade: the oldest later version with which findings without a fix get a fix or
disappear, provided that the newest version does the same. The proposal also says how many findings without a fix this
version would add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from uncuda.settings import Settings
from uncuda.source import Span
from uncuda.workspace import File
from uncuda.workspace.upgrades import Candidate, Plugin, Upgrade, upgrade

PLUGIN = Plugin("target", "plugin", "1", assumed=False)
A, B, C = Span(0, 1), Span(2, 3), Span(4, 5)
Left = Mapping[str, Mapping[str, frozenset[Span]]]
"""The findings without a fix, by plugin version and path; if a path is missing, the file could not be checked with that
version."""


def found(left: Left, *paths: str) -> tuple[Upgrade, list[tuple[str, int]]]:
    """Return the upgrade that is proposed for files, each of which has two findings without a fix, A and B. Return
    also the plugin versions that were tried, each with the number of files that were checked with it."""
    asked: list[tuple[str, int]] = []

    def by_hand(files: Sequence[File], version: str) -> list[tuple[str, frozenset[Span]]]:
        asked.append((version, len(files)))
        return [(file.path, left[version][file.path]) for file in files if file.path in left[version]]

    files = [Candidate(File(path, Settings(), True), {A: ("rule", "a"), B: ("rule", "b")}) for path in paths]
    return upgrade(PLUGIN, files, list(left), by_hand), asked


BOTH, ONE, NONE = frozenset({A, B}), frozenset({B}), frozenset[Span]()


def test_the_oldest_that_brings_something() -> None:
    left = {"2": {"x": BOTH, "y": BOTH}, "3": {"x": ONE, "y": BOTH | {C}}, "4": {"x": NONE, "y": BOTH}}
    made, asked = found(left, "x", "y")
    assert made == Upgrade(PLUGIN, 3, "3", ((("rule", "a"), 1),), lost=1)
    assert asked == [("4", 2), ("2", 1), ("3", 1), ("3", 2)]


def test_where_the_newest_brings_nothing_no_other_is_tried() -> None:
    made, asked = found({"2": {"x": NONE}, "3": {"x": BOTH}}, "x")
    assert made == Upgrade(PLUGIN, 2)
    assert asked == [("3", 1)]


def test_what_the_newest_has_lost_again_is_no_gain() -> None:
    made, _ = found({"2": {"x": frozenset({A})}, "3": {"x": NONE}, "4": {"x": ONE}}, "x")
    assert (made.version, made.gained) == ("3", ((("rule", "a"), 1),))


def test_a_file_that_could_not_be_checked_has_neither_gain_nor_loss() -> None:
    made, _ = found({"2": {"y": ONE}, "3": {"x": NONE, "y": ONE}}, "x", "y")
    assert (made.version, made.gained, made.lost) == ("2", ((("rule", "a"), 1),), 0)
    assert found({"2": {}}, "x")[0] == Upgrade(PLUGIN, 1)


def test_nothing_is_asked_without_files_or_versions() -> None:
    assert found({"2": {}}) == (Upgrade(PLUGIN, 1), [])
    assert found({}, "x") == (Upgrade(PLUGIN, 0), [])
