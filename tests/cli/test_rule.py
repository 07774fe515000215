"""Tests of `uncuda rule`: the pages of the rules."""

import json

from cli.command import uncuda


def test_list() -> None:
    run = uncuda("rule")
    assert run.code == 0
    names = [line.split()[0] for line in run.out.splitlines()]
    assert names == sorted(names)
    assert "unused-suppression" in names


def test_page() -> None:
    run = uncuda("rule", "unused-suppression")
    assert run.out.startswith("# ")
    assert "`unused-suppression` · warning · fix: safe" in run.out
    assert "```python" in run.out
    assert "```toml" not in run.out


def test_all() -> None:
    run = uncuda("rule", "--all")
    assert all(f"\n`{line.split()[0]}` · " in run.out for line in uncuda("rule").out.splitlines())


def test_json() -> None:
    page = json.loads(uncuda("rule", "unused-suppression", "--output-format", "json").out)
    assert page["name"] == "unused-suppression"
    assert set(page["message"]) == {"en", "zh"}
    assert all(page["chinese"].values())
    assert any(example["flagged"] for example in page["examples"])
    pages = json.loads(uncuda("rule", "--all", "--output-format", "json").out)
    assert page in pages


def test_language() -> None:
    english, chinese = (uncuda("rule", "cuda-memory", "--locale", locale).out for locale in ("en", "zh"))
    assert english.startswith("# Memory of CUDA devices\n") and "中文" not in english
    assert chinese.startswith("# CUDA 设备的内存\n") and "中文" not in chinese
    assert "缓存分配器" in chinese.partition("The caching allocator")[0]
    assert "CUDA 设备的内存" in uncuda("rule", "--locale", "zh").out


def test_unknown() -> None:
    run = uncuda("rule", "unused-supression")
    assert run.code == 2
    assert "unknown rule `unused-supression` (did you mean 'unused-suppression'?)" in run.err
    assert uncuda("rule", "unused-suppression", "--all").code == 2
    assert "did you mean 'json'" in uncuda("rule", "--output-format", "jsn").err
