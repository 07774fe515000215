"""Tests that a rule which raises an exception only loses its own findings, and that the error is reported."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from uncuda.catalogue import load
from uncuda.checks import Context, Hit, string
from uncuda.engine import Engine
from uncuda.settings import Settings
from uncuda.source import Source

TEXT = "import torch\nx.cuda()\ntorch.device('cuda')\ntorch.distributed.init_process_group('nccl')\n"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> str:
    """A rule with the check `string`, patched to raise an exception whenever it is called."""
    run = string.Check.run

    def fail(self: string.Check, context: Context) -> Iterator[Hit]:
        for hit in run(self, context):
            if hit.rule.name == "device-string":
                raise RuntimeError("broken on purpose")
            yield hit

    monkeypatch.setattr(string.Check, "run", fail)
    return "device-string"


def rules(engine: Engine) -> list[str]:
    return [finding.rule for finding in engine.check(Source(TEXT, "some/file.py")).findings]


def test_without_a_guard_the_error_is_raised(broken: str) -> None:
    with pytest.raises(RuntimeError, match="broken on purpose"):
        rules(Engine(load(), "npu", Settings()))


def test_only_the_rule_is_lost(broken: str) -> None:
    told: list[tuple[str, str, str]] = []
    engine = Engine(load(), "npu", Settings())
    engine.guard = lambda rule, path, error: told.append((rule, path, str(error)))
    assert rules(engine) == ["cuda-method", "nccl-backend"]
    assert told == [(broken, "some/file.py", "broken on purpose")]


def test_a_message_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    engine = Engine(load(), "npu", Settings())
    engine.guard = lambda rule, path, error: told.append(rule)
    made = engine._messages.of

    def of(hit: Hit) -> str:
        return made(hit) if hit.rule.name != "cuda-method" else "{nothing}".format_map({})

    monkeypatch.setattr(engine._messages, "of", of)
    assert rules(engine) == ["device-string", "nccl-backend"]
    assert told == ["cuda-method"]
