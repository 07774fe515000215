"""Tests with Neovim itself, with the configuration on the page docs/editors/neovim.md."""

from pathlib import Path
from typing import Any

import pytest

from editors.install import debian, neovim
from editors.session import blocks, check, play

SCRIPT = Path(__file__).with_name("neovim.lua")

pytestmark = [pytest.mark.slow, pytest.mark.network]


def session(binary: Path, configuration: str, folder: Path) -> Any:
    """Run the session in Neovim with a configuration and with the commands of docs/editors/neovim.md."""
    init = folder / "init.lua"
    init.write_text(f"{configuration}\n{blocks('neovim.md', 'lua')[2]}", encoding="utf-8")
    return play([str(binary), "--headless", "-u", str(init), "-i", "NONE", "-n", "-c", f"luafile {SCRIPT}"], folder)


def test_new(tmp_path: Path) -> None:
    binary = neovim()
    report = session(binary, blocks("neovim.md", "lua")[0], tmp_path)
    check(report)
    assert (report["version"], report["encoding"]) == ("0.11", "utf-8")


def test_debian(tmp_path: Path) -> None:
    binary = debian("nvim", "neovim")
    report = session(binary, blocks("neovim.md", "lua")[1], tmp_path)
    check(report)
    assert report["encoding"] == "utf-16"
