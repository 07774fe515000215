"""The command line, the server and its child processes choose the same target for a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from uncuda.catalogue import load
from uncuda.lsp.state.folders import Folders
from uncuda.lsp.state.scan import Reader
from uncuda.lsp.wire.client import Client
from uncuda.settings import Configuration, Vocabulary
from uncuda.workspace import Engines, UndecidedTarget, discover

CUDA = {"a.py": "import torch\ntorch.cuda.synchronize()\n"}
BOTH = {"b.py": "import torch_npu\n", "c.py": "import torch_musa\n"}
Choice = tuple[str, tuple[str, ...]]
CASES: dict[str, tuple[dict[str, str], Choice]] = {
    "nothing": ({}, ("npu", ())),
    "a setting": ({"uncuda.toml": 'target = "musa"\n'}, ("musa", ())),
    "a setting and both plugins": ({"uncuda.toml": 'target = "musa"\n', **BOTH}, ("musa", ())),
    "a plugin": ({"b.py": "import torch_musa\n"}, ("musa", ())),
    "both plugins": (BOTH, ("npu", ("musa", "npu"))),
    "both plugins, one of which is asked for": (
        {"requirements.txt": "torch_musa==2.7.1\n", **BOTH},
        ("npu", ("musa", "npu")),
    ),
    "a plugin, and another that is asked for": (
        {"requirements.txt": "torch_musa==2.7.1\n", "b.py": "import torch_npu\n"},
        ("npu", ()),
    ),
    "what is asked for": ({"requirements.txt": "torch_musa==2.7.1\n"}, ("musa", ())),
    "a constant in a file without a finding": ({"config.py": 'DEVICE = "musa"\n'}, ("musa", ())),
    "a constant beside CUDA": ({"config.py": 'DEVICE = "musa"\nOTHER = "cuda"\n'}, ("musa", ())),
    "constants that disagree": ({"config.py": 'DEVICE = "musa"\nOTHER = "npu"\n'}, ("npu", ())),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Choice:
    files, choice = CASES[request.param]
    for name, text in {**CUDA, **files}.items():
        (tmp_path / name).write_text(text)
    return choice


def test_of_the_command_line(case: Choice, tmp_path: Path) -> None:
    catalogue = load()
    configuration = Configuration(Vocabulary(tuple(catalogue.declarations), tuple(catalogue.rules)))
    engines = Engines(catalogue)
    files = engines.survey(discover([str(tmp_path)], configuration.settings_for).files).files
    target, among = case
    if among:
        with pytest.raises(UndecidedTarget) as error:
            engines.engine_for(files[0].settings)
        assert error.value.targets == among
    else:
        assert {engines.engine_for(file.settings).target.id for file in files} == {target}


def test_of_the_server(case: Choice, tmp_path: Path) -> None:
    folders = Folders(Client(), {"rootUri": tmp_path.as_uri()})
    (folder,) = folders.all
    reader = Reader(folders.catalogue)
    folder.project = reader.project({str(path): reader.file(str(path)) for path in tmp_path.glob("*.py")})
    engine, _, chosen = folders.engine_at(str(tmp_path), folder, folder.project)
    assert (engine.target.id, chosen.among) == case


def test_of_a_text_alone(tmp_path: Path) -> None:
    engines = Engines(load())
    path = tmp_path / "a.py"
    path.write_text('import torch\nDEVICE = "musa"\ntorch.cuda.synchronize()\n')
    (file,) = discover([str(path)], Configuration(Vocabulary((), ())).settings_for).files
    engines.alone(file, path.read_bytes())
    assert engines.engine_for(file.settings).target.id == "musa"
