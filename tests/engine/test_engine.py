"""Tests of the engine: findings that are fixed together, suppression, refused fixes, the shim, and fixing a text until
nothing changes any more."""

from __future__ import annotations

import itertools

import pytest

from support.engines import engine_for
from uncuda.catalogue import load, read_page
from uncuda.engine import Engine, Finding
from uncuda.engine.refusal import refusal
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source


def engine(target: str = "npu", project: Project | None = None, **settings: str) -> Engine:
    return engine_for(target, Settings(locale="en", **settings), project)  # type: ignore[arg-type]


def findings(text: str, made: Engine | None = None) -> list[Finding]:
    return list((made or engine()).check(Source(text)).findings)


def fixed(text: str, review: bool = False, made: Engine | None = None) -> str:
    return (made or engine()).fix(Source(text), review).text


def test_conditions_of_one_chain_change_together() -> None:
    text = "import torch\nif torch.cuda.is_available():\n    a()\nelif torch.cuda.device_count():\n    b()\n"
    one, two = findings(text)
    assert one.fixes[0].edits == two.fixes[0].edits


def test_what_is_safe_in_a_condition_does_not_wait_for_a_review() -> None:
    text = (
        "import torch.distributed as dist\n"
        "if dist.get_backend() == 'nccl':\n    a()\nelif language == 'cuda':\n    b()\n"
    )
    assert [f.fixes[0].applicability for f in findings(text)] == ["safe", "review"]
    after = fixed(text)
    assert "get_backend() == 'hccl'" in after
    assert [f.fixes[0].applicability for f in findings(after)] == ["review"]


def test_an_ignored_line_keeps_what_is_linked_to_it() -> None:
    text = (
        "import torch\n"
        "if torch.cuda.is_available():  # uncuda: ignore[cuda-api]\n    a()\n"
        "elif torch.cuda.device_count():\n    b()\n"
    )
    (left,) = findings(text)
    assert not left.fixes
    assert fixed(text) == text


def test_a_file_that_does_not_parse_is_left_alone_and_keeps_its_findings() -> None:
    text = "import torch\ntorch.cuda.synchronize()\nx = (\n"
    result = engine().fix(Source(text))
    assert result.text == text
    assert result.refused is not None
    assert "does not parse" in result.refused
    assert [f.rule for f in result.report.findings] == ["cuda-api"]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_and_layout_are_kept(newline: str) -> None:
    lines = ["import os, torch  # first", "", "x = 1 ;y=2", "torch . cuda.synchronize( )  # é", "\f", "z = 3"]
    text = newline.join(lines)
    due = text.replace("torch . cuda", "torch . npu").replace("# first", f"# first{newline}import torch_npu")
    assert fixed(text) == due


def test_the_plugin_goes_where_torch_is_imported() -> None:
    text = "def f():\n    import torch\n    return torch.cuda.is_available()\n"
    assert fixed(text) == "def f():\n    import torch\n    import torch_npu\n    return torch.npu.is_available()\n"
    text = "try:\n    import torch\nexcept ImportError:\n    torch = None\nx = torch.cuda.is_available()\n"
    assert "    torch = None\nelse:\n    import torch_npu\nx" in fixed(text)
    text = "from __future__ import annotations\nimport torch.nn as nn\nimport torch\ntorch.cuda.synchronize()\n"
    assert "import torch.nn as nn\nimport torch_npu\nimport torch\n" in fixed(text)
    text = "if TYPE_CHECKING:\n    import torch\nimport torch\ntorch.cuda.synchronize()\n"
    assert fixed(text).endswith("import torch\nimport torch_npu\ntorch.npu.synchronize()\n")


def test_under_the_shim_only_what_it_cannot_do_is_found() -> None:
    text = "import torch\ntorch.cuda.synchronize()\ntorch.cuda.list_gpu_processes()\n"
    shim = engine(project=Project(shims=frozenset({"npu"})))
    assert [f.rule for f in findings(text, shim)] == ["cuda-api-missing"]
    assert len(findings(text)) == 2
    with_import = "import torch\nfrom torch_npu.contrib import transfer_to_npu\n" + text
    assert [f.rule for f in findings(with_import)] == ["cuda-api-missing"]


def test_a_version_without_the_name_lowers_the_fix() -> None:
    text = "import torch\ntorch.cuda.host_memory_stats()\n"
    (old,) = findings(text, engine(target_version="2.1.0"))
    (new,) = findings(text)
    assert old.fixes[0].applicability == "review"
    assert "since torch_npu" in old.message
    assert new.fixes[0].applicability == "safe"


def test_chinese_messages() -> None:
    (found,) = engine_for("musa", Settings(locale="zh")).check(Source("import torch\ntorch.cuda.init\n")).findings
    assert "摩尔线程" in found.message


def test_findings_do_not_depend_on_what_was_checked_before() -> None:
    made = engine()
    text = "import torch\ntorch.cuda.synchronize()\n"
    first = findings(text, made)
    findings("from numba import cuda\n" + text, made)
    assert findings(text, made) == first


@pytest.mark.slow
def test_every_fix_has_a_chinese_title() -> None:
    catalogue, titles = load(), set()
    for strategy, target in itertools.product(("rewrite", "shim"), catalogue.declarations):
        made = Engine(catalogue, target, Settings(locale="zh", strategy=strategy))
        for rule in catalogue.rules.values():
            assert rule.path is not None
            for example in read_page(rule.path)[1]:
                titles |= {f.title for found in findings(example.text, made) for f in found.fixes}
    assert len(titles) > 50
    assert not [title for title in titles if not any("\u4e00" <= character <= "\u9fff" for character in title)]


@pytest.mark.parametrize(
    ("before", "after", "refused"),
    [
        ('f"{a}"', 'f"{"b"}"', True),
        ("f'''{f'{a}'}'''", "f'''{f'{'b'}'}'''", True),
        ("x = 'f'\ny = f'''{a}'''  # don't", "x = 'f'\ny = f'''{'b'}'''  # don't", False),
        ('f"{c["a"]}"', """f"{c["a"]}{'b'}\"""", False),
        ("f'{a:{a}}'", """f'{a:{"b"}}'""", False),
    ],
)
def test_no_fix_makes_a_text_that_only_a_newer_python_reads(before: str, after: str, refused: bool) -> None:
    pytest.importorskip("libcst", reason="newer syntax is read through libcst")
    assert bool(refusal(before, after)) is refused
