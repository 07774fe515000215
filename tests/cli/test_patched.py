"""A name that a test replaces, as in `mock.patch("torch.cuda.Stream")`, changes together with the code under test in
other files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from cli.command import uncuda
from support.engines import engine_for
from uncuda.engine import Engine, Report
from uncuda.limits import LimitExceeded
from uncuda.source import Source
from uncuda.workspace.patched import carried, patches

TARGETS = ("npu", "musa")
NPU = engine_for("npu")
CODE = "import torch\n\n\ndef wrap():\n    return torch.cuda.Stream()\n"
TEST = 'from unittest.mock import patch\n{0}\n\n@patch("{1}")\ndef test(_):\n    pass\n'
STREAM = "torch.cuda.Stream"
OBJECTS = {
    "setattr": "def test(monkeypatch):\n    monkeypatch.setattr(torch.cuda, {0!r}, f)\n",
    "in lines": "def test(monkeypatch):\n    monkeypatch.setattr(\n        torch.cuda,\n        {0!r},\n    )\n",
    "raising": "def test(monkeypatch):\n    monkeypatch.setattr(torch.cuda, {0!r}, f, raising=False)\n",
    "delattr": "def test(monkeypatch):\n    monkeypatch.delattr(torch.cuda, {0!r})\n",
    "patch.object": "@patch.object(torch.cuda, {0!r}, return_value=2)\ndef test(_):\n    pass\n",
    "with": "def test():\n    with mock.patch.object(torch.cuda, {0!r}) as made:\n        wrap()\n",
}
HEAD = "import torch\nfrom unittest import mock\nfrom unittest.mock import patch\nfrom app.dist import wrap\n\n\n"
IMPORTS = {
    "a function": "from app.dist import wrap",
    "functions in brackets": "from app.dist import (\n    other,\n    wrap,\n)",
    "a module": "import app.dist",
    "a module by another name": "from app import dist as d",
    "in a function": "def f():\n    from app.dist import wrap",
    "another name that is replaced": '\n@patch("app.dist.helper")\ndef f(_): pass',
}


MODULES = {
    "from": ("from app import dist", "dist"),
    "as": ("from app import dist as d", "d"),
    "from a package": ("import app", "app.dist"),
    "a dotted module": ("import app.dist", "app.dist"),
    "a dotted module by another name": ("import app.dist as d", "d"),
    "from a file beside it": ("from ..app import dist", "dist"),
    "in a function": ("def made():\n    from app import dist\n", "dist"),
}
PICK = """\
import torch


def pick_device():
    if not torch.cuda.is_available():
        return torch.device("cpu")
    return torch.device("cuda", torch.cuda.current_device())
"""
PICKED = """\
import torch
from app import dist


def test(monkeypatch):
    monkeypatch.setattr(dist.torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(dist.torch.cuda, "current_device", lambda: 1)
    assert str(dist.pick_device()) == "cuda:1"
    assert dist.pick_device().type == "cuda"
    monkeypatch.setattr(dist.torch.cuda, "current_device", lambda: 0)
    assert dist.pick_device() == torch.device("cuda", 0)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(**files: str) -> None:
    for name, text in files.items():
        path = Path(*name.split("__", 1)).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def classes(target: str = "npu", *arguments: str) -> list[str]:
    """Return the class of the fix at the replaced name in the test file."""
    run = uncuda("check", "--isolated", "--target", target, "--output-format", "json", *arguments)
    found = json.loads(run.out)["findings"]
    return [first_of(one) for one in found if "test_a" in one["path"]]


def first_of(finding: dict[str, Any]) -> str:
    return str(finding["fixes"][0]["applicability"]) if finding["fixes"] else "manual"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("line", IMPORTS.values(), ids=IMPORTS)
def test_a_replaced_name_moves_with_the_code_under_test(project: Path, line: str, target: str) -> None:
    write(app__dist=CODE, tests__test_a=TEST.format(line, STREAM))
    assert classes(target) == ["safe"]
    uncuda("fix", "--isolated", "--target", target, "--quiet")
    assert f'@patch("torch.{target}.Stream")' in Path("tests/test_a.py").read_text()
    assert f"torch.{target}.Stream()" in Path("app/dist.py").read_text()
    assert classes(target) == []


@pytest.mark.parametrize(
    "code",
    [
        CODE.replace("    return", "    return  # uncuda: ignore[cuda-stream]\n    return").replace(
            "Stream()\n", "Stream()  # uncuda: ignore\n"
        ),
        CODE
        + "\n\ndef handle():\n    import cupy\n    return cupy.cuda.ExternalStream(torch.cuda.Stream().cuda_stream)\n",
        CODE.replace("Stream", "Event"),
        CODE.replace("import torch\n", "from torch.cuda import Stream\n").replace("torch.cuda.Stream()", "Stream()"),
    ],
    ids=["a comment keeps it", "one of two uses stays", "another name", "a name of its own"],
)
def test_a_replaced_name_waits_where_the_code_under_test_stays(project: Path, code: str) -> None:
    write(app__dist=code, tests__test_a=TEST.format(IMPORTS["a function"], STREAM))
    assert classes() == ["review"]


def test_a_replaced_name_waits_where_one_of_the_files_under_test_stays(project: Path) -> None:
    both = "from app.dist import wrap\nfrom app.other import name"
    other = "import torch\n\n\ndef name():\n    return torch.cuda.get_device_name(device=0)\n"
    write(app__dist=CODE.replace("Stream()", "get_device_name()"), app__other=other)
    write(tests__test_a=TEST.format(both, "torch.cuda.get_device_name"))
    assert classes() == ["review"]
    write(tests__test_a=TEST.format(IMPORTS["a function"], "torch.cuda.get_device_name"))
    assert classes() == ["safe"]


def test_the_test_may_name_the_module_of_the_code_under_test(project: Path) -> None:
    """Uses in the other files that it imports do not count then."""
    both = "from app.dist import wrap\nfrom app.other import name"
    other = "import torch\n\n\ndef name():\n    return torch.cuda.get_device_name(device=0)\n"
    write(app__dist=CODE.replace("Stream()", "get_device_name()"), app__other=other)
    for owner, class_ in (("app.dist", "safe"), ("app.other", "review"), ("app.gone", "review")):
        write(tests__test_a=TEST.format(both, f"{owner}.torch.cuda.get_device_name"))
        assert classes() == [class_]


IMPORTED = {
    "from torch import nn, cuda": "cuda.Stream()",
    "from torch import (\n    cuda as c,\n)": "c.Stream()",
    "import torch.cuda as tc": "tc.Stream()",
}


@pytest.mark.parametrize("line", IMPORTED)
def test_a_use_through_an_import_is_a_use(project: Path, line: str) -> None:
    other = f"{line}\n\n\ndef more():\n    return {IMPORTED[line]}\n"
    both = f"{IMPORTS['a function']}\nfrom app.other import more"
    write(app__dist=CODE, app__other=other, tests__test_a=TEST.format(both, STREAM))
    assert classes() == ["safe"]
    write(app__other=f"# uncuda: file-ignore\n{other}")
    assert classes() == ["review"]
    write(app__other=other.replace("Stream", "Event"))
    assert classes() == ["safe"]
    write(app__other=f"# uncuda: file-ignore\n{other.replace('Stream', 'Event')}")
    assert classes() == ["safe"]


def test_a_name_that_no_file_under_test_uses_waits(project: Path) -> None:
    write(app__dist=CODE, tests__test_a=TEST.format("import json", STREAM))
    assert classes() == ["review"]
    write(tests__test_a=TEST.format("from app.dist import wrap", "torch.cuda.empty_cache"))
    assert classes() == ["review"]


def test_a_comment_that_says_the_name_is_no_use(project: Path) -> None:
    code = CODE + '\n\ndef f():\n    """Call torch.cuda.Stream."""  # torch.cuda.Stream\n'
    write(app__dist=code, tests__test_a=TEST.format(IMPORTS["a function"], STREAM))
    assert classes() == ["safe"]


def test_a_name_is_replaced_through_the_module_under_test(project: Path) -> None:
    write(app__dist=CODE, tests__test_a=TEST.format("", f"app.dist.{STREAM}"))
    assert classes() == ["safe"]


def test_the_code_under_test_is_found_through_other_files(project: Path) -> None:
    write(app____init__="from .part import wrap\n", app__part="from app.dist import wrap\n", app__dist=CODE)
    write(tests__test_a=TEST.format("from app import wrap", STREAM))
    assert classes() == ["safe"]
    write(app__part="from app.dist import other\n")
    assert classes() == ["review"]


def test_a_test_whose_code_has_other_settings_waits(project: Path) -> None:
    write(app__dist=CODE, tests__test_a=TEST.format(IMPORTS["a function"], STREAM))
    Path("app/uncuda.toml").write_text('ignore = ["cuda-stream"]\n')
    run = uncuda("check", "--target", "npu", "--output-format", "json")
    assert [first_of(one) for one in json.loads(run.out)["findings"]] == ["review"]


def test_files_that_require_other_packages_are_under_test(project: Path) -> None:
    write(app__dist=CODE, tests__test_a=TEST.format(IMPORTS["a function"], STREAM))
    write(docs__conf="import torch\n\ntorch.cuda.synchronize()\n")
    for folder in ("docs", "tests"):
        Path(folder, "requirements.txt").write_text("requests==2.0\n")
    assert classes() == ["safe"]
    Path("docs/requirements.txt").write_text("torch==2.6.0\n")
    assert classes() == ["safe"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", OBJECTS.values(), ids=OBJECTS)
def test_an_attribute_that_is_replaced_moves_with_the_code_under_test(project: Path, form: str, target: str) -> None:
    write(app__dist=CODE, tests__test_a=HEAD + form.format("Stream"))
    assert classes(target) == ["safe"]
    uncuda("fix", "--isolated", "--target", target, "--quiet")
    assert f"(torch.{target}," in "".join(Path("tests/test_a.py").read_text().split()).replace("torch.cuda", "")
    assert f"torch.{target}.Stream()" in Path("app/dist.py").read_text()
    assert classes(target) == []


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", OBJECTS.values(), ids=OBJECTS)
def test_an_attribute_that_is_replaced_waits_where_the_code_under_test_stays(
    project: Path, form: str, target: str
) -> None:
    write(app__dist=CODE.replace("Stream()", "Stream()  # uncuda: ignore"), tests__test_a=HEAD + form.format("Stream"))
    assert classes(target) == ["review"]
    write(app__dist=CODE, tests__test_a=HEAD.replace("app.dist", "lightning") + form.format("Stream"))
    assert classes(target) == ["review"]
    before = Path("tests/test_a.py").read_text()
    uncuda("fix", "--isolated", "--target", target, "--quiet")
    assert Path("tests/test_a.py").read_text() == before
    write(tests__test_a=HEAD + form.format("no_such_name"))
    assert classes(target) == ["manual"]


def test_a_condition_under_test_keeps_an_attribute_that_is_replaced(project: Path) -> None:
    body = "    if torch.cuda.is_available():\n        run(['nvidia-smi'])\n"
    write(app__dist=f"import torch\n\n\ndef wrap():\n{body}", tests__test_a=HEAD)
    write(tests__test_a=HEAD + OBJECTS["setattr"].format("is_available"))
    assert classes() == ["review"]
    write(app__dist="import torch\n\n\ndef wrap():\n    return torch.cuda.is_available()\n")
    assert classes() == ["safe"]


def test_an_attribute_of_an_import_is_replaced_with_the_code_under_test(project: Path) -> None:
    form = HEAD.replace("import torch\n", "from torch import cuda\n") + OBJECTS["setattr"].replace("torch.cuda", "cuda")
    write(app__dist=CODE, tests__test_a=form.format("Stream"))
    assert classes() == ["safe"]
    write(app__dist=f"# uncuda: file-ignore\n{CODE}")
    assert classes() == ["review", "review"]


def test_an_attribute_that_the_test_file_uses_itself_changes(project: Path) -> None:
    write(tests__test_a=HEAD.replace("app.dist", "json") + CODE + OBJECTS["setattr"].format("Stream"))
    assert classes() == ["safe", "safe"]


def test_a_module_of_another_library_is_no_module_of_torch(project: Path) -> None:
    form = HEAD.replace("import torch\n", "from numba import cuda\n") + OBJECTS["setattr"].replace("torch.cuda", "cuda")
    write(app__dist=CODE, tests__test_a=form.format("Stream"))
    uncuda("fix", "--isolated", "--target", "npu", "--quiet")
    assert Path("tests/test_a.py").read_text() == form.format("Stream")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", OBJECTS.values(), ids=OBJECTS)
@pytest.mark.parametrize("imported", MODULES.values(), ids=MODULES)
def test_an_attribute_is_replaced_through_the_module_under_test(
    project: Path, imported: tuple[str, str], form: str, target: str
) -> None:
    head = HEAD.replace("from app.dist import wrap", imported[0])
    text = head + form.format("Stream").replace("torch.cuda", f"{imported[1]}.torch.cuda")
    write(app____init__="", app__dist=CODE, tests__test_a=text)
    assert classes(target) == ["safe"]
    write(app__dist=CODE.replace("Stream()", "Stream()  # uncuda: ignore"))
    assert classes(target) == ["review"]
    write(app__dist=CODE)
    uncuda("fix", "--isolated", "--target", target, "--quiet")
    done = Path("tests/test_a.py").read_text().replace(f"import torch_{target}\n", "")
    assert done == text.replace(f"{imported[1]}.torch.cuda", f"{imported[1]}.torch.{target}")
    assert f"torch.{target}.Stream()" in Path("app/dist.py").read_text()
    assert classes(target) == []


def test_only_the_module_through_which_an_attribute_is_replaced_is_under_test(project: Path) -> None:
    other = CODE.replace("Stream()", "Stream()  # uncuda: ignore")
    text = HEAD.replace("from app.dist import wrap", "from app import dist") + OBJECTS["setattr"].format("Stream")
    text = text.replace("(torch.cuda", "(dist.torch.cuda")
    write(app____init__="", app__dist=CODE, lib__dist=other, tests__test_a=text)
    assert classes() == ["safe"]
    write(tests__test_a=text.replace("from app", "from lib"))
    assert classes() == ["review"]
    write(tests__test_a=text.replace("from app import dist", "dist = load('app.dist')"))
    assert classes() == []
    write(tests__test_a=text.replace("(dist.torch.cuda", "(dist.cuda"))
    assert classes() == []


@pytest.mark.parametrize("target", TARGETS)
def test_a_test_that_replaces_attributes_moves_whole_or_stays(project: Path, target: str) -> None:
    write(app____init__="", app__dist=PICK, tests__test_a=PICKED)
    assert set(classes(target)) == {"safe"}
    uncuda("fix", "--isolated", "--target", target, "--quiet")
    done = Path("tests/test_a.py").read_text().replace(f"import torch_{target}\n", "")
    assert done == PICKED.replace("cuda", target)
    stays = PICK + "\n\ndef run():\n    if torch.cuda.is_available():\n        subprocess.run(['nvidia-smi'])\n"
    write(app__dist=stays, tests__test_a=PICKED)
    assert set(classes(target)) == {"review"}
    uncuda("fix", "--isolated", "--target", target, "--quiet")
    assert Path("tests/test_a.py").read_text() == PICKED


MOCK = """\
from unittest.mock import patch

import torch
from app.dist import wrap


@pytest.mark.skipif(not torch.cuda.is_available(), reason="")
@patch("app.dist.torch")
def test(mock):
    wrap()
    mock.cuda.Stream.assert_called_with()
"""


@pytest.mark.parametrize("target", TARGETS)
def test_a_mock_of_torch_moves_with_the_module_under_test(project: Path, target: str) -> None:
    write(app__dist=CODE + "\n\ndef other():\n    torch.cuda.synchronize()\n", tests__test_a=MOCK)
    assert classes(target) == ["safe", "safe"]
    uncuda("fix", "--isolated", "--target", target, "--quiet")
    text = Path("tests/test_a.py").read_text()
    assert f"mock.{target}.Stream.assert_called_with()" in text
    assert f"skipif(not torch.{target}.is_available()" in text
    assert classes(target) == []


@pytest.mark.parametrize(
    "code",
    [
        CODE.replace("Stream()", "Stream()  # uncuda: ignore"),
        CODE + "\n\ndef other():\n    return torch.cuda.get_device_name(device=0)\n",
        CODE.replace("import torch\n", "from torch.cuda import Stream\n").replace("torch.cuda.Stream()", "Stream()"),
        CODE.replace("torch.cuda", "torch.npu"),
    ],
    ids=["a comment keeps it", "another name stays", "a name of its own", "a name that moved before"],
)
def test_a_mock_of_torch_waits_where_the_module_under_test_stays(project: Path, code: str) -> None:
    """The mark of the test waits, too."""
    write(app__dist=code, tests__test_a=MOCK)
    assert classes() == ["review", "review"]
    before = Path("tests/test_a.py").read_text()
    uncuda("fix", "--isolated", "--target", "npu", "--quiet")
    assert Path("tests/test_a.py").read_text() == before


def test_code_that_cannot_be_read_stops_nothing(project: Path) -> None:
    write(app__dist=CODE, tests__test_a=TEST.format(IMPORTS["a function"], STREAM))
    Path("app/dist.py").write_bytes(b"# coding: no-such\n" + CODE.encode())
    assert classes() == ["review"]


@pytest.mark.parametrize("failure", [ValueError, LimitExceeded("bytes", 1)])
def test_code_that_cannot_be_checked_stops_nothing(failure: Exception) -> None:
    class Failing:
        target = NPU.target

        def check(self, source: Source) -> Report:
            raise failure

    engines = cast("dict[str, Engine]", {"app/dist.py": Failing(), "tests/test_a.py": NPU})
    texts = {"app/dist.py": CODE, "tests/test_a.py": TEST.format(IMPORTS["a function"], STREAM)}
    assert carried(engines, ["tests/test_a.py"], lambda path, most: texts[path].encode()) == frozenset()
    found = carried(dict.fromkeys(texts, NPU), ["tests/test_a.py"], lambda path, most: texts[path].encode())
    assert found == {("npu", "tests/test_a.py", STREAM)}


def test_worker_processes_find_the_same(project: Path) -> None:
    write(app__dist=CODE, tests__test_a=TEST.format(IMPORTS["a function"], STREAM))
    assert classes("npu", "--workers", "2") == classes("npu", "--workers", "1") == ["safe"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('@patch("torch.cuda.Stream")', True),
        ("mock.patch(\n    'torch.cuda.Stream'\n)", True),
        ('monkeypatch.setattr("app.torch.cuda.is_available", f)', True),
        ('patch("app.f"); torch.cuda.Stream()', False),
        ('getattr(torch.cuda, "Stream")', False),
        ('setattr(torch.cuda, "Stream", f)', True),
        ("m.delattr(torch.cuda, 'Stream')", True),
        ('mock.patch.object(\n    torch.cuda, "Stream"\n)', True),
        ('from torch import cuda\npatch.object(cuda, "Stream")', True),
        ('patch.object(cuda, "Stream")', False),
        ('patch.object(use_cuda, "Stream")', False),
        ("patch.object(torch.cuda, name)", False),
        ('setattr(dist.torch.cuda, "Stream", f)', True),
        ('mock.patch.object(\n    app.dist.torch.cuda,\n    "Stream"\n)', True),
        ('getattr(dist.torch.cuda, "Stream")', False),
        ('f(torch.cuda); setattr(app.cuda, "Stream", f)', False),
        ('patch.object(app, "f"); f(torch.cuda, "Stream")', False),
        ('show("torch.cuda.Stream")', False),
        ('patch("torch.cuda")', False),
        ('@patch("app.dist.torch")\ndef test(mock):\n    mock.cuda.Stream()', True),
        ('@patch("app.dist.torch")\ndef test(mock):\n    mock.ones(2)', False),
        ('@patch("app.dist.torches")\ndef test(mock):\n    mock.cuda.Stream()', False),
    ],
)
def test_files_that_replace_a_name_of_cuda_are_found(text: str, expected: bool) -> None:
    assert patches(text.encode()) is expected
