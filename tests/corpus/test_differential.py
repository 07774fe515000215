"""Tests that uncuda, which parses single statements, gives exactly the findings of a slow reference implementation that
parses whole files with `ast`, on every file of large packages."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pytest

from corpus.common import PACKAGES, TARGETS, engine, key, sources
from support.oracle import parse_whole, read_whole
from uncuda.facts.read import read
from uncuda.source import Source, SourceError

pytestmark = [pytest.mark.corpus, pytest.mark.slow]


class Compared(NamedTuple):
    """What the comparison of a package's files for one target found. `differ`: the files in which
    uncuda and the reference implementation have different findings, or in which uncuda skipped a statement."""

    files: int
    findings: int
    differ: list[str]


@lru_cache
def compared(folder: Path) -> dict[str, Compared]:
    """Compare uncuda with the reference implementation on every file of a package, for each target. The reference
    implementation parses each file once for all targets."""
    by_path = {target: {source.path: source for source in sources(folder, target)} for target in TARGETS}
    results = {target: Compared(0, 0, []) for target in TARGETS}
    for path in sorted({path for found in by_path.values() for path in found}):
        of = {target: found[path] for target, found in by_path.items() if path in found}
        text = next(iter(of.values())).text
        try:
            parsed = parse_whole(text)
        except SyntaxError:
            continue
        for target, source in of.items():
            made, before = engine(target), results[target]
            words = made.ruleset(shim=False).words
            oracle = made.report(read_whole(text, words, parsed), source.path)
            islands = made.report(read(text, words), source.path)
            same = not islands.skipped and list(map(key, islands.findings)) == list(map(key, oracle.findings))
            files, findings = before.files + 1, before.findings + len(oracle.findings)
            results[target] = Compared(files, findings, before.differ if same else [*before.differ, path])
    return results


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("package", [*PACKAGES, "yolov5"])
def test_islands_equal_the_oracle(package: str, target: str, corpus: Callable[[str], Path]) -> None:
    files, findings, differ = compared(corpus(package))[target]
    print(f"\n{package} for {target}: {files} files, {findings} findings, {len(differ)} files differ")
    assert not differ
    assert files and findings


@pytest.mark.parametrize("package", ["timm", "fairseq"])
def test_files_left_out_have_no_finding(package: str, corpus: Callable[[str], Path]) -> None:
    """If uncuda does not parse a file, because the search of the file's bytes finds no word of a rule, a check that
    parses the whole file with `ast` has no findings in it. Only rules with the key `gate` may have findings there,
    because this key limits the words for which a file is parsed."""
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
