"""Tests of fixes that are applied one after the other, in any order: if a fix alone would hide the finding of
another fix, both are one fix; all other fixes stay separate."""

from __future__ import annotations

import cProfile
import random

import pytest

from support.engines import engine_for
from uncuda.edits import apply_edits
from uncuda.engine import Engine, Finding
from uncuda.settings import Settings
from uncuda.source import Source

ENGINES = {target: engine_for(target, Settings(locale="en")) for target in ("npu", "musa")}
HEAD = "import torch\n\n"
TEXTS = {
    "two questions": "if d.type == 'cuda':\n    x.cuda()\nelif torch.cuda.is_available():\n    y.cuda()\n",
    "else": "if x.type() == 'torch.cuda.HalfTensor':\n    z = torch.cuda.HalfTensor(1)\nelse:\n"
    "    z = torch.cuda.FloatTensor(1)\n",
    "a flag and else": "if use_cuda:\n    x = torch.cuda.HalfTensor(1)\nelse:\n    x = torch.device('cuda:1')\n",
    "nested": "if a:\n    y()\nelif b and (not torch.cuda.is_available() or torch.cuda.device_count() < 2):\n"
    "    x.cuda()\nelse:\n    torch.cuda.synchronize()\n",
    "ruled out": "def f():\n    if not x.is_cuda:\n        y = torch.device('cuda')\n    else:\n"
    "        torch.cuda.synchronize()\n",
    "try": "try:\n    torch.cuda.empty_cache()\nexcept RuntimeError:\n    torch.cuda.synchronize()\n",
    "match": "match x.device.type:\n    case 'cuda':\n        torch.cuda.synchronize()\n    case _:\n"
    "        torch.cuda.empty_cache()\n",
    "early return": "def f(x):\n    if x.is_cuda:\n        return x.cuda()\n    for y in z:\n        y.cuda()\n"
    "    return torch.device('cuda')\n",
    "late return": "def f(x):\n    if use_cuda:\n        return x.cuda()\n    if torch.cuda.is_available():\n"
    "        return y.cuda()\n",
    "asked twice": "if x.is_cuda:\n    x.cuda()\nif x.is_cuda:\n    y.cuda()\n",
    "members": "class A:\n    CUDA = 'cuda'\n    GPU = 'cuda'\n\n\nx.to(A.CUDA)\nx.to(A.GPU)\n",
    "arms": "x = torch.cuda.memory_allocated() if torch.cuda.is_available() else torch.device('cuda')\n",
    "list": "x = [torch.cuda.device_count(), torch.cuda.current_device(), torch.device('cuda')]\n",
    "or": "x = (not y.is_cuda) or (torch.cuda.is_available() and not torch.cuda.is_current_stream_capturing())\n",
    "dictionary": "x = {torch.device('cuda'): torch.cuda.synchronize, torch.device('cuda:1'): y.cuda}\n",
    "an import in a branch": "if y:\n    from torch.amp import autocast\nelse:\n"
    "    from torch.cuda.amp import autocast\ntorch.cuda.synchronize()\n",
}


def one_at_a_time(made: Engine, text: str, chance: random.Random) -> str:
    while found := safe(made, text):
        text = apply_edits(text, chance.choice(found).fixes[0].edits)
    return text


def safe(made: Engine, text: str) -> list[Finding]:
    return [f for f in made.check(Source(text)).findings if f.fixes and f.fixes[0].applicability == "safe"]


@pytest.mark.parametrize("target", ENGINES)
@pytest.mark.parametrize("name", TEXTS)
def test_any_order_ends_where_all_at_once_ends(name: str, target: str) -> None:
    made, text = ENGINES[target], HEAD + TEXTS[name]
    due = made.fix(Source(text)).text
    assert "torch.cuda." not in due
    for seed in range(12):
        assert one_at_a_time(made, text, random.Random(seed)) == due


ALONE = {
    "the block of the only question": "if torch.cuda.is_available():\n    torch.cuda.synchronize()\nelse:\n    y()\n",
    "blocks of their own questions": "if x.is_cuda:\n    y()\n    torch.cuda.synchronize()\n"
    "elif torch.cuda.device_count():\n    torch.cuda.empty_cache()\n",
    "what follows a question that does not leave": "if x.is_cuda:\n    y()\ntorch.cuda.synchronize()\n",
    "what is guarded by its opposite": "def f():\n    if not torch.cuda.is_available():\n        return\n"
    "    torch.cuda.synchronize()\n",
    "entries of other dictionaries": "x = {'a': {'b': torch.cuda.synchronize}, 'c': {'d': torch.cuda.empty_cache}}\n",
}


@pytest.mark.parametrize("name", ALONE)
def test_a_fix_changes_no_more_than_it_must(name: str) -> None:
    text = HEAD + ALONE[name]
    last = max(safe(ENGINES["npu"], text), key=lambda finding: finding.span)
    assert [edit.text for edit in last.fixes[0].edits if "import" not in edit.text] == ["npu"]


def test_a_review_takes_along_what_is_safe_and_the_safe_does_not_wait() -> None:
    text = HEAD + "if x.device.type == 'cuda':\n    y()\nelif language == 'cuda':\n    z()\n"
    one, two = ENGINES["npu"].check(Source(text)).findings
    assert [fix.applicability for f in (one, two) for fix in f.fixes] == ["safe", "review"]
    assert set(one.fixes[0].edits) < set(two.fixes[0].edits)


def test_lines_that_are_alike_are_not_mixed_up() -> None:
    line = "x = [torch.cuda.device_count(), torch.cuda.current_device()]\n"
    for finding in safe(ENGINES["npu"], HEAD + line + "y()\n" + line):
        edits = [edit for edit in finding.fixes[0].edits if "import" not in edit.text]
        assert len(edits) == 2
        assert all(abs(edit.start - finding.span.start) < len(line) for edit in edits)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["x = [{}]\n", "device = ({})\n", "x = [{}]\ny = [{}, 'npu']\n", "ok = {{{}}}\n"])
def test_a_long_list_costs_as_much_as_it_is_long(text: str) -> None:
    def cost(members: int) -> int:
        source = Source(HEAD + text.format(*[", ".join(["'cuda'"] * members)] * 2))
        engine_for("npu").check(source)
        profile = cProfile.Profile()
        profile.runcall(engine_for("npu").check, source)
        return sum(entry.callcount for entry in profile.getstats())

    assert cost(800) < 2.5 * cost(400)
