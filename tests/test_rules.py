"""Tests that every example of every rule is right, for every target to which it applies. A new rule needs no change in
this file."""

from __future__ import annotations

import ast
import random
from copy import copy
from pathlib import Path
from typing import Any

import pytest

from support.engines import engine_for
from uncuda.catalogue import Example, Rule, load, read_chinese, read_page
from uncuda.engine import Engine
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source

CATALOGUE = load()


def _cases() -> list[Any]:
    cases = []
    for rule in CATALOGUE.rules.values():
        assert isinstance(rule.path, Path)
        for example in read_page(rule.path)[1]:
            for target in CATALOGUE.declarations:
                if not example.only or target in example.only:
                    cases.append(pytest.param(rule, example, target, id=f"{rule.name}:{example.line}-{target}"))
    return cases


def _applies(rule: Rule, example: Example, target: str) -> bool:
    return bool(example.only) or not (rule.needs and _target(target, example).has(rule.needs))


def _options(example: Example) -> dict[str, str]:
    return dict(option.split(":", 1) for option in example.project)


def _target(target: str, example: Example):  # type: ignore[no-untyped-def]
    options = _options(example)
    return CATALOGUE.target(target, options.get("version"), options.get("torch"))


def _engine(example: Example, target: str, select: tuple[str, ...] = ()) -> Engine:
    options = _options(example)
    settings = Settings(
        select=select,
        target_version=options.get("version"),
        torch_version=options.get("torch"),
        strategy=options.get("strategy", "auto"),
        locale="en",
    )
    return engine_for(target, settings, Project())


def _shuffled(engine: Engine, seed: str) -> Engine:
    """Return the engine with the checks in another order; the rules are copied, because engines share them."""
    sets = {shim: copy(engine.ruleset(shim)) for shim in (False, True)}
    for ruleset in sets.values():
        ruleset.checks = random.Random(seed).sample(ruleset.checks, len(ruleset.checks))
    engine._sets = sets
    return engine


@pytest.mark.parametrize("rule, example, target", _cases())
def test_example(rule: Rule, example: Example, target: str) -> None:
    source = Source(example.text)
    engine = _engine(example, target, (rule.name,))
    report = engine.check(source)
    found = sorted({source.position(finding.span.start)[0] for finding in report.findings})
    due = list(example.flagged) if _applies(rule, example, target) else []
    assert not report.skipped
    if not _target(target, example).has_tables:  # the target has no tables yet for the APIs in the example
        assert set(found) <= set(due) or "unlisted" in rule.status, f"{rule.path}:{example.line}"
    else:
        assert found == due, f"{rule.path}:{example.line}"
    if example.flagged and due:
        for finding in report.findings:
            # the import is in a `try`, or the package is chosen beside the one for the CPU
            left_out = (rule.check == "module" or rule.get("alternatives")) and finding.severity == "information"
            assert finding.severity == rule.severity or left_out
            assert "{" not in finding.message.replace("{}", "")
    fixed = engine.fix(source, review=True)
    assert fixed.refused is None, fixed.refused
    if target in example.after and due:
        assert fixed.text == example.after[target], f"{rule.path}:{example.line}"
    elif due and rule.fix is None:
        assert fixed.text == source.text
    ast.parse(fixed.text)
    again = engine.fix(Source(fixed.text), review=True)
    assert again.text == fixed.text


@pytest.mark.parametrize("rule, example, target", _cases())
def test_rules_agree(rule: Rule, example: Example, target: str) -> None:
    """With all rules active, the fixed text parses, needs no further fixes, and does not depend on the order of the
    rules."""
    fixed = _engine(example, target).fix(Source(example.text), review=True)
    assert fixed.refused is None
    ast.parse(fixed.text)
    assert _engine(example, target).fix(Source(fixed.text), review=True).text == fixed.text
    shuffled = _shuffled(_engine(example, target), rule.name)
    assert shuffled.fix(Source(example.text), review=True).text == fixed.text


@pytest.mark.parametrize("rule", CATALOGUE.rules.values(), ids=lambda rule: rule.name)
def test_page(rule: Rule) -> None:
    """Every page exists in both languages and has prose, an example and, if the rule has a fix, the example's
    result."""
    assert rule.path is not None
    prose, examples = read_page(rule.path)
    assert prose
    if rule.fix:
        assert any(example.after for example in examples), f"{rule.path}: no example shows the fix"
    for text in (rule.message_zh, read_chinese(rule.path)):
        assert any("\u4e00" <= char <= "\u9fff" for char in text)
    assert rule.title_zh
    for template in (rule.message, rule.message_zh):
        assert template.count("{target}") <= 1
