"""Tests with Emacs itself and eglot, with the configuration on the page docs/editors/emacs.md."""

from pathlib import Path

import pytest

from editors.install import debian
from editors.session import blocks, check, play

SCRIPT = Path(__file__).with_name("emacs.el")
SETUP = "(package-initialize)"

pytestmark = [pytest.mark.slow, pytest.mark.network]


def test_eglot(tmp_path: Path) -> None:
    binary = debian("emacs", "emacs-nox", "elpa-eglot")
    init = tmp_path / "init.el"
    (configuration,) = blocks("emacs.md", "elisp")
    init.write_text(f"{SETUP}\n{configuration}", encoding="utf-8")
    report = play([str(binary), "--batch", "--no-init-file", "--load", str(init), "--load", str(SCRIPT)], tmp_path)
    for item in report["marked"]:  # eglot shows "uncuda [rule]: message"
        item[0] = item[0].partition("[")[2].partition("]")[0]
    check(report)
    assert "other.py" in report["asked"]
