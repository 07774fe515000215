"""Whatever is opened, changed, saved, closed, moved and configured, the overview has what `check` counts in a copy.

UNCUDA_SOAK_STEPS=1000 UNCUDA_SOAK_SEED=1: a longer walk, another one.
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
"""Steps from one comparison to the next, and from one thing done in the view to the next."""

pytestmark = pytest.mark.slow


def counted(walk: Wanderer, copy: Path) -> dict[str, dict[str, int]]:
    """What `check --summary` counts in each folder, with the text of what is open instead of the disk's."""
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
    """What the view shows of each folder, counted at its leaves, too."""
    found = {}
    for folder in walk.folders:
        seen = Seen(walk.client, root=folder.as_uri())
        leaves = dict.fromkeys(seen.numbers, 0)
        for node in seen.findings:
            leaves[node["id"].partition("/")[0]] += 1
        found[folder.as_uri()] = seen.numbers if seen.numbers == leaves else {"torn": 1}
    return found


def act(walk: Wanderer, accepts: bool) -> None:
    """Do what some finding of the view offers; what is stale is refused."""
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
    """Where findings are accepted, files stay: which of several copies a line of the baseline means once its own file
    has gone depends on which of them was looked at first."""
    walk = Wanderer(tmp_path / "work", "workspace", SEED, VIEW)
    for step in (walk.switch, *((walk.rename, walk.delete, walk.create) if accepts else ())):
        walk.leave_out(step)
    # What an excluded file says counts for the server as long as it is open.
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
