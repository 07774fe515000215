"""Tests that findings are counted per file, and that the counts of files can be added and subtracted."""

from __future__ import annotations

from random import Random

import pytest

from uncuda.edits import Fix
from uncuda.engine import Finding
from uncuda.source import Span
from uncuda.workspace import CLASSES, Counts, FileCounts, Tally, Totals, fix_class

RANDOM = Random(20)


def finding(rule: str = "cuda-api", subject: str = "torch.cuda.x", kind: str = "safe", target: str = "npu") -> Finding:
    fixes = () if kind == "manual" else (Fix("", kind, ()),)
    return Finding(rule, RANDOM.choice(["error", "warning"]), "", Span(0, 1), fixes, target, subject=subject)


def some(path: str, number: int) -> FileCounts:
    chosen = RANDOM.choice
    return FileCounts.of(path, [finding(chosen("abc"), chosen(["", "x", "y"]), chosen(CLASSES)) for _ in range(number)])


def counts(*files: FileCounts) -> Counts:
    totals = Totals()
    for file in files:
        totals.add(file)
    return totals.counts


def folders(*paths: str) -> dict[tuple[str, bool], int]:
    found = counts(*(FileCounts.of(path, [finding()]) for path in paths)).folders()
    return {(one.folder, one.tests): one.tally.count for one in found}


def test_by_rule_decision_file_and_target() -> None:
    one = FileCounts.of("a.py", [finding(), finding(kind="manual"), finding("nccl-backend", "", "review")])
    other = FileCounts.of("b.py", [finding(target="musa")])
    found = counts(one, other)
    assert found.total == Tally(2, 1, 1, files=2)
    assert found.rules == {"cuda-api": Tally(2, 0, 1, files=2), "nccl-backend": Tally(0, 1, 0, files=1)}
    assert found.decisions["cuda-api", "torch.cuda.x"] == Tally(2, 0, 1, files=2)
    assert found.files == {"a.py": Tally(1, 1, 1, files=1), "b.py": Tally(1, files=1)}
    assert {target: tally.count for target, tally in found.targets.items()} == {"npu": 3, "musa": 1}
    assert sum(found.severities.values()) == found.total.count == 4
    assert [rule for rule, _ in found.by_rule] == ["cuda-api", "nccl-backend"]


def test_what_goes_leaves_what_the_others_have() -> None:
    files = [some(f"f{number}.py", RANDOM.randrange(30)) for number in range(60)]
    totals = Totals()
    for file in files:
        totals.add(file)
    RANDOM.shuffle(files)
    for number, file in enumerate(files, 1):
        totals.subtract(file)
        assert totals.counts == counts(*files[number:])
    assert totals.counts == Counts({}, {}, {}, {})


def test_a_file_that_changed_is_subtracted_and_added() -> None:
    before, after = some("a.py", 20), some("a.py", 7)
    totals = Totals()
    totals.add(before)
    totals.subtract(before)
    totals.add(after)
    assert totals.counts == counts(after)


def test_what_was_counted_before_stays_as_it_was() -> None:
    totals = Totals()
    totals.add(FileCounts.of("a.py", [finding()]))
    before = totals.counts
    totals.add(FileCounts.of("b.py", [finding()]))
    assert (before.total.count, len(before.files)) == (1, 1)


def test_a_file_without_findings_is_none_that_has_some() -> None:
    assert counts(FileCounts.of("a.py", [])).total == Tally()


@pytest.mark.parametrize("kind", CLASSES)
def test_class(kind: str) -> None:
    assert fix_class(finding(kind=kind)) == kind
    assert Tally.of([(kind, 3)]).by_class == dict.fromkeys(CLASSES, 0) | {kind: 3}


class TestFolders:
    def test_a_folder_with_most_is_told_apart(self) -> None:
        found = folders("p/a/x.py", "p/a/y.py", "p/b/x.py", "p/x.py", "q/x.py")
        assert found == {("p/a", False): 2, ("p/b", False): 1, ("p", False): 1, ("q", False): 1}

    def test_one_of_several_is_not(self) -> None:
        assert folders("p/a/x.py", "p/b/x.py", "q/c/x.py", "q/d/x.py") == {("p", False): 2, ("q", False): 2}

    def test_files_of_no_folder(self) -> None:
        assert folders("x.py") == {(".", False): 1}

    @pytest.mark.parametrize(
        "path", ["tests/x.py", "p/test/deep/x.py", "p/test_x.py", "p/x_test.py", "p/conftest.py", "tests/x.ipynb"]
    )
    def test_tests_stand_apart(self, path: str) -> None:
        found = counts(FileCounts.of(path, [finding()]), FileCounts.of("p/x.py", [finding()])).folders()
        assert [one.tests for one in found].count(True) == 1

    @pytest.mark.parametrize("path", ["testing/x.py", "p/latest/x.py", "p/contest.py", "p/testx.py"])
    def test_what_only_sounds_like_them(self, path: str) -> None:
        assert [one.tests for one in counts(FileCounts.of(path, [finding()])).folders()] == [False]

    def test_the_users_own_folders_say_nothing(self) -> None:
        found = folders("/x/tests/p/a/x.py", "/x/tests/p/b/x.py", "/x/tests/p/tests/x.py")
        assert found == {
            ("/x/tests/p/a", False): 1,
            ("/x/tests/p/b", False): 1,
            ("/x/tests/p/tests", True): 1,
        }

    def test_every_finding_is_in_one(self) -> None:
        files = [some("/".join(RANDOM.choices("abc", k=RANDOM.randrange(1, 6))) + f"{n}.py", 3) for n in range(300)]
        found = counts(*files).folders()
        assert sum(one.tally.count for one in found) == 900
        assert sum(one.tally.files for one in found) == 300

    def test_folders_as_deep_as_a_path_can_be(self) -> None:
        assert sum(folders("a/" * 2_000 + "x.py", "b/x.py").values()) == 2
