"""Tests that uncuda, which parses single statements, gives exactly the findings of a slow reference implementation that
parses whole files with `ast`, on every file of large packages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from corpus.common import PACKAGES, TARGETS, engine, key, sources
from support.oracle import read_whole
from uncuda.facts.read import read
from uncuda.source import Source, SourceError

pytestmark = [pytest.mark.corpus, pytest.mark.slow]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("package", [*PACKAGES, "yolov5"])
def test_islands_equal_the_oracle(package: str, target: str, corpus: Callable[[str], Path]) -> None:
    made = engine(target)
    ruleset = made.ruleset(shim=False)
    compared = findings = 0
    for source in sources(corpus(package), target):
        try:
            whole = read_whole(source.text, ruleset.words)
        except SyntaxError:
            continue
        islands = made.report(read(source.text, ruleset.words), source.path)
        oracle = made.report(whole, source.path)
        assert [key(f) for f in islands.findings] == [key(f) for f in oracle.findings], source.path
        assert not islands.skipped, source.path
        compared += 1
        findings += len(oracle.findings)
    print(f"\n{package} for {target}: {compared} files, {findings} findings, no difference")
    assert compared and findings


@pytest.mark.parametrize("package", ["timm", "fairseq"])
def test_files_left_out_have_no_finding(package: str, corpus: Callable[[str], Path]) -> None:
    """The byte search excludes no file in which a check with whole-file `ast` has findings, apart from findings of
    rules that declare the words for which a file is read (`gate`)."""
    made = engine("npu")
    left_out = 0
    for path in sorted(corpus(package).rglob("*.py")):
        data = path.read_bytes()
        if made.concerns(data):
            continue
        try:
            source = Source.decode(data, str(path))
            whole = read_whole(source.text, made.ruleset(shim=False).words)
        except (SourceError, SyntaxError):
            continue
        findings = made.report(whole, source.path).findings
        assert all(made.catalogue.rules[finding.rule].get("gate") is not None for finding in findings), path
        left_out += 1
    assert left_out
