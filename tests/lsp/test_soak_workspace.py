"""What the user sees never falls behind, whatever is opened, changed, saved, closed, moved and configured.

UNCUDA_SOAK_STEPS=10000 UNCUDA_SOAK_SEED=1: a longer walk, another one.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lsp.wandering import KINDS, Wanderer

STEPS = int(os.environ.get("UNCUDA_SOAK_STEPS", "200"))
SEED = int(os.environ.get("UNCUDA_SOAK_SEED", "1"))
EACH, FRESH = 50, 4
"""Steps between two rests, and rests from one comparison with a fresh server to the next."""

pytestmark = pytest.mark.slow


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
                    fresh = walk.again()
                    try:
                        fresh.wait(lambda: fresh.findings() == due, f"the same from a fresh server after {number} steps")
                    finally:
                        fresh.kill()
        assert walk.client.shutdown() == 0
        assert "Traceback" not in walk.client.stderr
    finally:
        if walk.client.process.poll() is None:
            walk.client.kill()
