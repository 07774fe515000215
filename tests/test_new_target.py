"""Tests of a target whose file declares only its names, without tables, versions or features."""

import ast
import shutil
from pathlib import Path

import pytest

from support.imports import ROOT
from uncuda.catalogue import Catalogue, CatalogueError, folder, read_page
from uncuda.engine import Engine
from uncuda.lsp.state.documents import Document
from uncuda.lsp.state.folders import Folders
from uncuda.lsp.wire.client import Client
from uncuda.lsp.wire.logs import logger
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source
from uncuda.workspace.discover import File
from uncuda.workspace.engines import Engines

DECLARATION = """\
title = "Cambricon MLU"
title-zh = "寒武纪 MLU"
homepage = "https://github.com/Cambricon/torch_mlu"

[words]
package = "torch_mlu"
module = "torch.mlu"
device = "mlu"
ccl = "cncl"
visible-devices = "MLU_VISIBLE_DEVICES"
"""
SUPPRESSION = "unused-suppression"
# Rules that report a name even if no table lists it: the new target has no tables, so these rules report more lines
# than their examples mark.
UNLISTED = {"cuda-api-missing"}


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    return Catalogue(with_target(tmp_path_factory.mktemp("catalogue"), DECLARATION))


def with_target(path: Path, declaration: str) -> Path:
    """Return a copy of the catalogue with one more target."""
    rules = path / "rules"
    shutil.copytree(folder(), rules)
    (rules / "targets" / "mlu.toml").write_text(declaration, encoding="utf-8")
    return rules


def fixed(catalogue: Catalogue, text: str, review: bool) -> str:
    result = Engine(catalogue, "mlu", Settings(), Project()).fix(Source(text), review=review)
    assert result.refused is None
    return result.text


def test_what_follows_from_other_words_is_derived(catalogue: Catalogue) -> None:
    words = catalogue.target("mlu").words
    derived = {name: word for name, word in words.items() if f"\n{name} = " not in DECLARATION}
    assert derived == {"DEVICE": "MLU", "CCL": "CNCL", "method": "mlu", "is-device": "is_mlu"}


@pytest.mark.slow
def test_pages_of_others_hold(catalogue: Catalogue) -> None:
    """For the new target, only marked lines of each example have findings, no fix is safe, and fixing repeatedly
    reaches a stable text."""
    wrong, found = [], 0
    for rule in catalogue.rules.values():
        assert rule.path is not None
        for example in read_page(rule.path)[1]:
            if example.only:
                continue
            said = dict(option.split(":", 1) for option in example.project)
            settings = Settings(
                select=(rule.name,),
                torch_version=said.get("torch"),
                strategy=said.get("strategy", "auto"),
                locale="en",
            )
            engine, source = Engine(catalogue, "mlu", settings, Project()), Source(example.text)
            report = engine.check(source)
            lines = {source.position(finding.span.start)[0] for finding in report.findings}
            found += len(lines)
            if (not lines <= set(example.flagged) and rule.name not in UNLISTED) or report.skipped:
                wrong.append(f"{rule.path}:{example.line}: {sorted(lines)}")
            assert not [found.message for found in report.findings if "{" in found.message.replace("{}", "")]
            if rule.name != SUPPRESSION:
                assert fixed(catalogue, example.text, review=False) == example.text
            after = fixed(catalogue, example.text, review=True)
            ast.parse(after)
            assert fixed(catalogue, after, review=True) == after
    assert not wrong
    assert found > 100


@pytest.mark.parametrize("program", sorted((ROOT / "examples").rglob("*.py")), ids=lambda path: path.name)
def test_no_file_is_ported_in_part(catalogue: Catalogue, program: Path) -> None:
    text = program.read_text(encoding="utf-8")
    engine = Engine(catalogue, "mlu", Settings(), Project())
    by_hand = [
        found for found in engine.check(Source(text)).findings if not found.fixes and found.severity != "information"
    ]
    assert not (by_hand and fixed(catalogue, text, review=True) != text)


def test_a_name_that_no_table_has_keeps_the_file(catalogue: Catalogue) -> None:
    text = 'import torch\n\nx = torch.zeros(1, device="cuda")\n'
    assert 'device="mlu"' in fixed(catalogue, text, review=True)
    half = text + "torch.cuda.synchronize()\n"
    assert fixed(catalogue, half, review=True) == half


@pytest.mark.parametrize(
    "line",
    ["import amp_C", "from numba import cuda, float32", "import flash_attn.layers as f", "from apex import optimizers"],
)
def test_a_library_of_cuda_of_which_nobody_knows_keeps_the_file(catalogue: Catalogue, line: str) -> None:
    text = f'import torch\n{line}\n\nx = torch.zeros(1, device="cuda")\n'
    assert fixed(catalogue, text, review=True) == text


@pytest.mark.parametrize("line", ["import numba", "import transformers", "from .amp_C import f", "# import amp_C"])
def test_what_runs_elsewhere_too_does_not(catalogue: Catalogue, line: str) -> None:
    text = f'import torch\n{line}\n\nx = torch.zeros(1, device="cuda")\n'
    assert 'device="mlu"' in fixed(catalogue, text, review=True)


def test_one_note_says_that_it_has_no_tables(catalogue: Catalogue, tmp_path: Path) -> None:
    settings, notes = Settings(target="mlu"), list[tuple[str, ...]]()
    files = [File(str(tmp_path / name), settings, given=True) for name in ("a.py", "b.py")]
    for file in files:
        Path(file.path).write_text("import torch\nx.cuda()\n")
    engines = Engines(catalogue, lambda key, *values: notes.append((key, *values)))
    for file in engines.worth(engines.survey(files)):
        engines.engine_for(file.settings)
    assert notes == [("no tables", "Cambricon MLU")]


def test_the_server_says_so_too(
    catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("uncuda.lsp.state.folders.load", lambda: catalogue)
    monkeypatch.setattr(logger, "propagate", True)
    folders = Folders(Client(), {"rootUri": tmp_path.as_uri()})
    folders.override = "mlu"
    for name in ("a.py", "b.py"):
        choice = folders.choice_of(Document((tmp_path / name).as_uri(), "python", None, "import torch\n", "utf-16"))
        assert choice.plugin("en").startswith("torch_mlu; Cambricon MLU has no table of APIs, so no fix is safe")
        assert "寒武纪 MLU 没有 API 数据表" in choice.plugin("zh")
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith("Cambricon MLU has no table of APIs")


@pytest.mark.parametrize("word", ["ccl", "visible-devices", "device"])
def test_an_empty_word_is_refused(tmp_path: Path, word: str) -> None:
    """An empty name in a target's file is refused, because it would match everywhere."""
    lines = [f'{word} = ""' if line.startswith(f"{word} = ") else line for line in DECLARATION.splitlines()]
    rules = with_target(tmp_path, "\n".join(lines) + "\n")
    with pytest.raises(
        CatalogueError, match=rf"mlu\.toml:{lines.index(f'{word} = {chr(34) * 2}') + 1}: {word} is empty"
    ):
        Catalogue(rules)


def test_without_a_word_the_rules_that_write_it_are_off(tmp_path: Path) -> None:
    lines = [line for line in DECLARATION.splitlines() if not line.startswith("ccl")]
    catalogue = Catalogue(with_target(tmp_path, "\n".join(lines) + "\n"))
    rules = {rule.name for rule in Engine(catalogue, "mlu", Settings(), Project()).ruleset(shim=False).rules}
    assert "backend-nccl" not in rules
    assert "device-string" in rules
    text = 'import torch.distributed as dist\n\ndist.init_process_group("nccl")\n'
    assert fixed(catalogue, text, review=True) == text
