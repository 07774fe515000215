"""The rule that CONTRIBUTING.md shows works as it stands there."""

import re
import shutil
import textwrap
from pathlib import Path

import pytest

from support.imports import ROOT
from uncuda.catalogue import Catalogue, folder, read_page
from uncuda.engine import Engine
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source


def shown_rule() -> tuple[str, str]:
    """The rule's name and its file's text."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    name = re.search(r"Write `rules/([\w-]+)\.md`", text)
    block = re.search(r"^ *````markdown\n(.*?)^ *````$", text, re.MULTILINE | re.DOTALL)
    assert name and block
    return name[1], textwrap.dedent(block[1])


@pytest.mark.parametrize("target", ["npu", "musa"])
def test_the_shown_rule_works(tmp_path: Path, target: str) -> None:
    name, text = shown_rule()
    rules = tmp_path / "rules"
    shutil.copytree(folder(), rules)
    (rules / f"{name}.md").write_text(text, encoding="utf-8")
    engine = Engine(Catalogue(rules), target, Settings(select=(name,)), Project())
    _, examples = read_page(rules / f"{name}.md")
    assert len(examples) == 2
    for example in examples:
        source = Source.decode(example.text.encode())
        flagged = [source.position(finding.span.start)[0] for finding in engine.check(source).findings]
        assert flagged == list(example.flagged)
        if example.after:
            assert engine.fix(source, review=True).text == example.after[target]
