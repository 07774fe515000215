"""Tests that after random edits, saves, renames and new settings, the overview has the counts of `check` in a copy of
the files.

UNCUDA_SOAK_STEPS sets the number of steps, UNCUDA_SOAK_SEED the seed.
"""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path

import pytest

from cli.command import uncuda
from lsp.harness.viewing import VIEW, Seen
from lsp.harness.wandering import Wanderer
from uncuda.lsp.wire.uris import path_of

STEPS = int(os.environ.get("UNCUDA_SOAK_STEPS", "40"))
SEED = int(os.environ.get("UNCUDA_SOAK_SEED", "1"))
EACH, FROM_THE_VIEW = 10, 7
"""The number of steps between two comparisons, and between two actions in the view."""

pytestmark = pytest.mark.slow


def counted(walk: Wanderer, copy: Path) -> dict[str, dict[str, int]]:
    """Return the counts of `check --summary` by folder URI, with open files in their unsaved state."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(walk.root, copy)
    for uri, buffer in walk.client.buffers.open.items():
        path = copy / Path(path_of(uri) or "").relative_to(walk.root)
        path.write_text(buffer.text, encoding="utf-8")
    found = {}
    for folder in walk.folders:
        said = uncuda("check", "--output-format", "json", "--summary", str(copy / folder.name)).json
        found[folder.as_uri()] = {**said["summary"]["classes"], "accepted": said["accepted"]}
    return found


def shown(walk: Wanderer) -> dict[str, dict[str, int]]:
    """Return the counts of the overview by folder URI, after comparing them with the number of its finding nodes."""
    found = {}
    for folder in walk.folders:
        seen = Seen(walk.client, root=folder.as_uri())
        leaves = dict.fromkeys(seen.numbers, 0)
        for node in seen.findings:
            leaves[node["id"].partition("/")[0]] += 1
        found[folder.as_uri()] = seen.numbers if seen.numbers == leaves else {"torn": 1}
    return found


def act(walk: Wanderer, accepts: bool) -> None:
    """Run a random action on a random finding of the view; the server may refuse it if the finding has changed."""
    findings = Seen(walk.client).findings
    if findings:
        node = walk.chance.choice(findings)
        names = ("fix", "accept") if accepts else ("fix",)
        offered = [each for each in node["actions"] if each["name"] in names]
        if not offered:
            return
        one = walk.chance.choice(offered)
        walk.log.append(f"{one['name']} {node['id']}")
        more = {"reason": "kept"} if one["name"] == "accept" else {}
        walk.client.execute(one["command"], {**one["arguments"][0], **more})


def agree(walk: Wanderer, due: dict[str, dict[str, int]]) -> bool:
    return shown(walk) == due


@pytest.mark.parametrize("accepts", [False, True])
def test_a_walk(tmp_path: Path, accepts: bool) -> None:
    """Take a random walk of edits and compare the overview with `check`. In runs that accept findings, no file is
    renamed, deleted or created.

    After a rename, the order in which files are checked would decide which findings are accepted: if the file of a
    baseline entry is gone, the entry moves to the first checked copy of the file.
    """
    walk = Wanderer(tmp_path / "work", "workspace", SEED, VIEW)
    for step in (walk.switch, *((walk.rename, walk.delete, walk.create) if accepts else ())):
        walk.leave_out(step)
    # The run sets no `exclude`, because the server counts the findings of an excluded file while the file is open.
    walk.configurations = [text for text in walk.configurations if "exclude" not in text]
    try:
        for number in range(1, STEPS + 1):
            walk.step()
            if number % FROM_THE_VIEW == 0:
                act(walk, accepts)
            if number % EACH == 0:
                due = counted(walk, tmp_path / "copy")
                try:
                    walk.client.wait(partial(agree, walk, due), "agreement")
                except AssertionError:
                    raise AssertionError(f"{due}, shown {shown(walk)}, after {walk.log[-EACH * 4 :]}") from None
        assert walk.client.shutdown() == 0
        assert "Traceback" not in walk.client.stderr
    finally:
        if walk.client.process.poll() is None:
            walk.client.kill()
