"""Tests of the explanation of the API at an offset of a text, and of its counterpart on the target."""

from __future__ import annotations

import pytest

from support.engines import engine_for
from uncuda.engine import Engine
from uncuda.engine.explain import Counterpart, Explanation, explain
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source

MARK = "<>"


def engine(target: str = "npu", project: Project | None = None, **settings: object) -> Engine:
    return engine_for(target, Settings(locale="en", **settings), project)  # type: ignore[arg-type]


def at(marked: str, made: Engine | None = None) -> tuple[str, Explanation] | None:
    """Return (the text of the explained span, the explanation) at the marked offset of a text."""
    made = made or engine()
    offset, text = marked.index(MARK), marked.replace(MARK, "")
    found = explain(made, Source(text), made.check(Source(text)).findings, offset)
    return None if found is None else (text[found.span.start : found.span.end], found)


def counterpart(marked: str, made: Engine | None = None) -> Counterpart:
    found = at(marked, made)
    assert found is not None
    assert found[1].counterpart is not None
    return found[1].counterpart


@pytest.mark.parametrize(
    ("text", "span", "name"),
    [
        ("import torch\ntorch.cuda.syn<>chronize()\n", "torch.cuda.synchronize", "torch.cuda.synchronize"),
        ("import torch\n<>torch.cuda.synchronize()\n", "torch.cuda.synchronize", "torch.cuda.synchronize"),
        ("import torch\ntorch.cuda.synchronize<>()\n", "torch.cuda.synchronize", "torch.cuda.synchronize"),
        ("import torch as th\nth.cu<>da.synchronize()\n", "cuda.synchronize", "torch.cuda.synchronize"),
        ("import torch.cuda as tc\ntc.sync<>hronize()\n", "synchronize", "torch.cuda.synchronize"),
        ("import torch.cu<>da as tc\n", "torch.cuda", "torch.cuda"),
        ("from torch import cu<>da\n", "cuda", "torch.cuda"),
        ("from torch.cu<>da import synchronize\n", "torch.cuda", "torch.cuda"),
        ("from torch.cuda import (\n  synchro<>nize as wait,\n)\n", "synchronize as wait", "torch.cuda.synchronize"),
        ("from torch.cuda import synchronize as wait\nwa<>it()\n", "wait", "torch.cuda.synchronize"),
        ("import torch\ncuda = torch.cuda\ncuda.emp<>ty_cache()\n", "empty_cache", "torch.cuda.empty_cache"),
        (
            "import torch\nx = f'{torch.cuda.device_c<>ount()} é'\n",
            "torch.cuda.device_count",
            "torch.cuda.device_count",
        ),
        ("é = '𝛼'; import torch\nf(é, torch.cuda.in<>it)\n", "torch.cuda.init", "torch.cuda.init"),
        ("import torch\r\ntorch.cuda.in<>it\r\n", "torch.cuda.init", "torch.cuda.init"),
    ],
)
def test_names(text: str, span: str, name: str) -> None:
    found = at(text)
    assert found is not None
    assert found[0] == span
    assert found[1].counterpart is not None
    assert found[1].counterpart.name == name


@pytest.mark.parametrize(
    "text",
    [
        "imp<>ort torch\n",
        "import torch\nx = <>1\ntorch.cuda.init()\n",
        "from numba import cuda\ncu<>da.synchronize()\n",
        "import torch\nprint('torch.cu<>da')\n",
        "import torch\n# torch.cu<>da.init\n",
        "def torch(cuda):\n    return cu<>da\n",
        "torch.cu<>da.init()\n",
        "<>",
        "import torch\ntorch.nn.Lin<>ear\n",
    ],
)
def test_nothing_to_say(text: str) -> None:
    assert at(text) is None


def test_a_name_in_a_branch_that_is_served_already() -> None:
    text = (
        "import torch\n"
        "if torch.npu.is_available():\n    torch.npu.synchronize()\n"
        "elif x:\n    torch.cuda.synch<>ronize()\n"
    )
    found = at(text)
    assert found is not None
    assert not found[1].findings
    assert found[1].counterpart is not None
    assert found[1].counterpart.replacement == "torch.npu.synchronize"
    assert [rule.name for rule in found[1].rules] == ["cuda-api"]


def test_what_a_finding_says_comes_with_its_name() -> None:
    found = at("import torch\nx = torch.device(f'cuda:{torch.cuda.current_<>device()}')\n")
    assert found is not None
    assert [finding.rule for finding in found[1].findings] == ["cuda-api", "device-string"]
    assert [rule.name for rule in found[1].rules] == ["cuda-api", "device-string"]


def test_a_finding_without_a_name() -> None:
    found = at("import torch\nx.to('cu<>da')\n")
    assert found is not None
    assert found[0] == "'cuda'"
    assert found[1].counterpart is None
    assert [rule.name for rule in found[1].rules] == ["device-string"]


def test_what_the_tables_say() -> None:
    made = counterpart("import torch\ntorch.cuda.synchron<>ize\n")
    assert (made.status, made.replacement, made.applicability) == ("supported", "torch.npu.synchronize", "safe")
    assert (made.present, made.since) == (True, "2.1.0.post17")
    late = counterpart("import torch\ntorch.cuda.ExternalStre<>am\n")
    assert (late.present, late.since) == (True, "2.7.1.post11")
    old = counterpart("import torch\ntorch.cuda.ExternalStre<>am\n", engine(target_version="2.1.0"))
    assert (old.present, old.since) == (False, "2.7.1.post11")
    other = counterpart("import torch\ntorch.cuda.synchron<>ize\n", engine("musa"))
    assert (other.replacement, other.since) == ("torch.musa.synchronize", "2.0.0")
    limited = counterpart("import torch\ntorch.cuda.current_st<>ream\n")
    assert limited.limits == ("stream-initialises-device",)
    missing = counterpart("import torch\ntorch.cuda.list_gpu_pro<>cesses\n")
    assert (missing.status, missing.replacement, missing.applicability, missing.since) == ("missing", "", None, "")
    unknown = counterpart("import torch\ntorch.cuda.no_such_na<>me\n")
    assert (unknown.status, unknown.replacement, unknown.since) == ("unlisted", "", "")


def test_what_stands_below_a_name_is_left_out() -> None:
    found = at("import torch\ntorch.cuda.Stream.no_such<>_thing\n")
    assert found is not None
    assert found[0] == "torch.cuda.Stream"
    assert found[1].counterpart is not None
    assert found[1].counterpart.replacement == "torch.npu.Stream"


def test_parameters_that_the_counterpart_lacks() -> None:
    rows = [row for row in engine().target.rows.values() if row.missing and row.kind == "function" and row.replacement]
    assert rows
    made = counterpart(f"import torch\n{rows[0].name}<>()\n")
    assert made.missing == rows[0].missing


def test_names_of_rules_that_are_switched_off() -> None:
    found = at("import torch\ntorch.cuda.in<>it()\n", engine(select=("nccl-backend",)))
    assert found is not None
    assert not found[1].findings
    assert found[1].counterpart is not None
    assert found[1].counterpart.replacement == "torch.npu.init"


def test_the_runtime_patch_takes_care_of_it() -> None:
    shim = engine(project=Project(shims=frozenset({"npu"})))
    assert counterpart("import torch\ntorch.cuda.in<>it()\n", shim).patched
    assert not counterpart("import torch\ntorch.cuda.in<>it()\n").patched
    assert counterpart(
        "import torch\nfrom torch_npu.contrib import transfer_to_npu\ntorch.cuda.in<>it()\n",
    ).patched


@pytest.mark.parametrize(
    ("text", "span", "silenced", "rules"),
    [
        ("x = 1  # uncuda: ig<>nore[cuda-api, is-cuda]\n", None, ("cuda-api", "is-cuda"), ["cuda-api", "is-cuda"]),
        ("x = 1  # uncuda: ignore[cuda-api, is-c<>uda]\n", "is-cuda", ("is-cuda",), ["is-cuda"]),
        ("# uncuda: file-ignore[cu<>da-api]\n", "cuda-api", ("cuda-api",), ["cuda-api"]),
        ("x = 1  # uncuda: ign<>ore\n", "# uncuda: ignore", (), ["unused-suppression"]),
        ("x = 1  # uncuda: ignore[no-su<>ch]\n", "no-such", ("no-such",), []),
    ],
)
def test_suppression_comments(text: str, span: str | None, silenced: tuple[str, ...], rules: list[str]) -> None:
    found = at(text)
    assert found is not None
    assert found[0] == (span or text[text.index("#") :].replace(MARK, "").strip())
    assert found[1].silenced == silenced
    assert [rule.name for rule in found[1].rules] == rules


def test_what_looks_like_a_comment_in_a_string_is_none() -> None:
    assert at("x = '# uncuda: ig<>nore[cuda-api]'\n") is None


def test_a_broken_text_is_explained_as_far_as_it_is_read() -> None:
    assert counterpart("import torch\nx = (\ntorch.cuda.syn<>chronize()\n").replacement == "torch.npu.synchronize"


def test_the_text_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made, source = engine(), Source("import torch\ntorch.cuda.init()\n")
    findings = made.check(source).findings
    monkeypatch.setattr("uncuda.engine.read", lambda *_: pytest.fail("read again"))
    assert explain(made, source, findings, 20) is not None
