"""Tests that the user's diagnostics are always up to date, after any sequence of opening, changing, saving, closing,
moving and new settings.

UNCUDA_SOAK_STEPS=10000 UNCUDA_SOAK_SEED=1 make the test do more random steps with another seed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lsp.harness.traffic import Json
from lsp.harness.wandering import KINDS, Editor, Wanderer

STEPS = int(os.environ.get("UNCUDA_SOAK_STEPS", "100"))
SEED = int(os.environ.get("UNCUDA_SOAK_SEED", "1"))
EACH, FRESH = 50, 2
"""The number of steps between two comparisons; every FRESH-th comparison starts a new server."""

pytestmark = pytest.mark.slow


def compare(walk: Wanderer, due: dict[str, list[Json]]) -> None:
    """Check that a newly started server reports the same diagnostics as the running one."""
    fresh = walk.again()
    try:
        fresh.wait(lambda: fresh.findings() == due, f"the same from a fresh server; {walk.log[-1]}")
    finally:
        fresh.kill()


@pytest.mark.parametrize("kind", KINDS)
def test_a_walk(tmp_path: Path, kind: str) -> None:
    walk = Wanderer(tmp_path, kind, SEED)
    try:
        for number in range(1, STEPS + 1):
            walk.step()
            if number % EACH == 0:
                walk.log.append(f"--- rest after {number} steps, seed {SEED}")
                due = walk.rest()
                if number // EACH % FRESH == 0:
                    compare(walk, due)
        assert walk.client.shutdown() == 0
        assert "Traceback" not in walk.client.stderr
    finally:
        if walk.client.process.poll() is None:
            walk.client.kill()


def test_fix_all_taken_back_and_saved(tmp_path: Path) -> None:
    """VS Code saves the fixed documents and closes them; an undo opens them again in tabs, and Save All closes these
    tabs."""
    text = "import torch\ntorch.cuda.synchronize()\n"
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text(text)
    (tmp_path / "uncuda.toml").write_text('target = "npu"\n')
    editor = Editor("workspace", [tmp_path], True)
    try:
        uris = [(tmp_path / name).as_uri() for name in ("a.py", "b.py", "c.py")]
        editor.wait(lambda: sorted(editor.findings()) == uris, "the findings of closed files")
        found = editor.findings()
        editor.execute("uncuda.fixAllInWorkspace")
        editor.wait(lambda: not editor.findings(), "no findings")
        for uri in uris:
            editor.save(uri)
            editor.close(uri)
        for uri in uris:
            editor.open(uri)
            editor.type(uri, text)
            editor.show(uri)
        editor.wait(lambda: editor.findings() == found, "the findings of the text that is back")
        for uri in uris:
            editor.save(uri)
            editor.close(uri)
        editor.settle()
        editor.wait(lambda: editor.findings() == found, "the same of the files")
        assert editor.pulls_of
        editor.wait(editor.pulls_of.is_idle, "the last answers")
        assert editor.findings() == found
    finally:
        editor.kill()
