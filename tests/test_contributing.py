"""Tests that the steps in CONTRIBUTING.md work exactly as they are written."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import pytest

from scripts import scaffold
from support.imports import ROOT
from uncuda.catalogue import Catalogue, folder, read_page
from uncuda.engine import Engine
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source


def shown_rule() -> tuple[str, str]:
    """Return the name and file text of the rule that CONTRIBUTING.md shows."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    name = re.search(r"`make rule ([\w-]+)` creates", text)
    block = re.search(r"^ *````markdown\n(.*?)^ *````$", text, re.MULTILINE | re.DOTALL)
    assert name and block
    return name[1], textwrap.dedent(block[1])


@pytest.mark.parametrize("target", ["npu", "musa"])
def test_the_shown_rule_works(tmp_path: Path, target: str) -> None:
    name, text = shown_rule()
    rules = tmp_path / "rules"
    shutil.copytree(folder(), rules)
    (rules / f"{name}.md").write_text(text, encoding="utf-8")
    engine = Engine(Catalogue(rules), target, Settings(select=(name,)), Project())
    _, examples = read_page(rules / f"{name}.md")
    assert len(examples) == 2
    for example in examples:
        source = Source.decode(example.text.encode())
        flagged = [source.position(finding.span.start)[0] for finding in engine.check(source).findings]
        assert flagged == list(example.flagged)
        if example.after:
            assert engine.fix(source, review=True).text == example.after[target]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a fresh clone of the checkout, with an environment that uses the clone's uncuda and the packages that are
    installed already."""
    path = tmp_path_factory.mktemp("fresh") / "uncuda"
    path.mkdir()
    listed = git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, path / name)
    git(path, "init", "-q")
    git(path, "add", "-A")
    git(path, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "start")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", path / ".venv"], check=True)
    packages = next((path / ".venv").rglob("site-packages"))
    (packages / "ours.pth").write_text(f"{path / 'server'}\n{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    command = path / ".venv" / "bin" / "uncuda"
    command.write_text(f"#!{path / '.venv/bin/python'}\nfrom uncuda.__main__ import main\nmain()\n", encoding="utf-8")
    command.chmod(0o755)
    stamp = subprocess.run(
        [path / "server/scripts/setup", "dev", "--wanted"], capture_output=True, text=True, check=True
    ).stdout
    (path / ".venv" / "stamp").write_text(stamp, encoding="utf-8")
    return path


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout


def section(title: str) -> str:
    return (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]


def give(clone: Path, command: str) -> str:
    """Run a command as a reader of CONTRIBUTING.md would, and return its output."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "PYTHON", "VENV"))}
    result = subprocess.run(
        shlex.split(command), cwd=clone, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout + result.stderr


def changed(clone: Path) -> set[str]:
    return {line[3:] for line in git(clone, "status", "--porcelain", "-uall").splitlines()}


@pytest.mark.slow
def test_the_path_of_a_rule(clone: Path) -> None:
    text = section("Add a rule in 5 minutes")
    name, page = shown_rule()
    give(clone, "make demo")
    assert "there already" not in give(clone, f"make rule {name}")
    assert changed(clone) == {f"rules/{name}.md"}
    test = re.search(r"^2\. `([^`]+)`", text, re.MULTILINE)
    (clone / "rules" / f"{name}.md").write_text(page, encoding="utf-8")
    assert test and " passed" in give(clone, test[1])
    give(clone, "make generate")
    said = re.search(r"Commit (.*?)\.\n", text, re.DOTALL)
    assert said and changed(clone) == set(re.findall(r"`([^`]+)`", said[1]))
    git(clone, "stash", "-uq")


@pytest.mark.slow
def test_the_path_of_an_accelerator(clone: Path) -> None:
    text = section("Add an accelerator tonight").replace("ID", "mlu")
    give(clone, "make target mlu")
    assert changed(clone) == {"rules/targets/mlu.toml"}
    test = re.search(r"^4\. `([^`]+)`", text, re.MULTILINE)
    show = re.search(r"^5\. `([^`]+)`", text, re.MULTILINE)
    assert test and " passed" in give(clone, f"{test[1].replace('-k mlu', '-k')} 'mlu and device'")
    assert show and "it is `mlu`" in give(clone, f"sh -c '{show[1]}; test $? -le 1'")
    (clone / "one.py").write_text("import torch\n\nx = torch.ones(2).to('cuda')\n")
    fix = re.search(r"need review:\s+`([^`]+)`", text)
    assert fix and "+x = torch.ones(2).to('mlu')" in give(
        clone, f"sh -c '{' '.join(fix[1].split()).replace('FILE', 'one.py')}; test $? -le 1'"
    )
    (clone / "one.py").unlink()
    give(clone, "make generate")
    assert {"rules/targets/mlu.toml", "README.md", "README.zh-CN.md"} <= changed(clone)
    git(clone, "stash", "-uq")


@pytest.mark.parametrize(
    "kind, name", [("rule", "device-string"), ("target", "npu"), ("rule", "Wrong"), ("target", "")]
)
def test_what_is_taken_or_no_name_is_not_begun(kind: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert scaffold.main([kind, name]) == 2
    assert ("there already" in capsys.readouterr().err) == (name in ("device-string", "npu"))


def test_what_is_begun_loads(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    shutil.copytree(folder(), rules)
    (rules / "begun.md").write_text(scaffold.rule("begun"), encoding="utf-8")
    (rules / "targets" / "mlu.toml").write_text(scaffold.target("mlu"), encoding="utf-8")
    catalogue = Catalogue(rules)
    assert catalogue.target("mlu").words["device"] == "mlu"
    assert len(read_page(rules / "begun.md")[1]) == 2
