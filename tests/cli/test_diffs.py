"""Tests of the diffs of large files, which are compared in parts (decision 0066)."""

from __future__ import annotations

import random
import subprocess
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from uncuda.report import diff
from uncuda.report.diff import lines_before, unified_diff


def _changed(lines: list[bytes], rng: random.Random) -> list[bytes]:
    """Return the lines after a few lines were removed, added, replaced and moved."""
    found = list(lines)
    for _ in range(rng.randrange(1, 8)):
        at = rng.randrange(len(found)) if found else 0
        kind = rng.choice(("add", "remove", "replace", "move"))
        taken = found.pop(at) if found and kind != "add" else b"new\n"
        if kind != "remove":
            place = rng.randrange(len(found) + 1) if kind == "move" else at
            found.insert(place, b"changed %d\n" % at if kind == "replace" else taken)
    return found


@pytest.mark.parametrize("most", [0, 1000])
def test_the_diffs_of_random_texts_apply(most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diff, "_MANY", most)
    rng, wanted, patch = random.Random(66), dict[str, bytes](), b""
    for number in range(300):
        old = [rng.choice((b"\n", b"x = %d\n" % rng.randrange(40), b"y\n")) for _ in range(rng.randrange(1, 60))]
        new = [*_changed(old, rng), b"end\n"]
        (tmp_path / f"f{number}").write_bytes(b"".join(old))
        wanted[f"f{number}"] = b"".join(new)
        patch += b"".join(unified_diff(f"f{number}", b"".join(old), b"".join(new)))
    subprocess.run(["git", "apply", "-"], input=patch, cwd=tmp_path, check=True)
    assert {name: (tmp_path / name).read_bytes() for name in wanted} == wanted


@pytest.mark.parametrize("most", [0, 1000])
def test_a_line_is_found_in_the_text_before(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diff, "_MANY", most)
    before = "".join(f"x{number}\n" for number in range(50))
    after = "new\n" + before.replace("x20\n", "x20 = 1\n").replace("x30\n", "")
    line_before = lines_before(before, after)
    assert [line_before(line) for line in (1, 2, 21, 22, 23, 31, 32, 50)] == [1, 1, 20, 21, 22, 30, 32, 50]


def test_many_changes_take_time_in_proportion(monkeypatch: pytest.MonkeyPatch) -> None:
    steps, find = 0, SequenceMatcher.find_longest_match

    def counted(self: SequenceMatcher[bytes], alo: int, ahi: int, blo: int, bhi: int) -> object:
        nonlocal steps
        steps += ahi - alo
        return find(self, alo, ahi, blo, bhi)

    monkeypatch.setattr(SequenceMatcher, "find_longest_match", counted)

    def cost(changes: int) -> int:
        nonlocal steps
        steps = 0
        old = b"".join(b"import m%d\nm%d = f()\nm%d.cuda()\n" % (n, n, n) for n in range(changes))
        assert sum(line[:1] == b"+" for line in unified_diff("a.py", old, old.replace(b"cuda", b"npu"))) == changes + 1
        return steps

    assert cost(1600) < 5 * cost(400)
