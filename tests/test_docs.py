"""Tests of the documents: their commands run, their settings are valid, their links lead to existing files and
headings."""

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import jsonschema
import pytest

from support.engines import engine_for
from support.imports import ROOT
from uncuda.catalogue import load
from uncuda.catalogue.rules import parse_toml
from uncuda.engine import Engine, Finding
from uncuda.settings import Settings, Vocabulary, settings_of
from uncuda.source import Source

_GLOBS = ("README*.md", "docs/**/*.md", "vscode-extension/README.md", "pycharm-plugin/README.md")
DOCUMENTS = sorted(path.relative_to(ROOT).as_posix() for pattern in _GLOBS for path in ROOT.glob(pattern))
CATALOGUE = load()
_FENCE = re.compile(r"^( *)```([\w-]*)[^\n]*\n(.*?)^\1```[ \t]*$", re.M | re.S)
_LINK = re.compile(r"(?<!`)!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^(#+) (.+)$", re.M)
# Commands that readers run once and that tests must not run; only the files that these commands name are checked.
_NOT_RUN = {"make": r"make ([a-z-]+)", "pip": r"pip install '?\.(?:\[([a-z]+)\])?'?"}


class Block(NamedTuple):
    """One fenced block of a document; `line` is the number of its first line."""

    document: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.document}:{self.line}"


def blocks(*languages: str) -> list[Block]:
    """The fenced code blocks in these languages in all documents."""
    found = []
    for document in DOCUMENTS:
        text = (ROOT / document).read_text(encoding="utf-8")
        for match in _FENCE.finditer(text):
            if match[2] in languages:
                line = text.count("\n", 0, match.start(3)) + 1
                found.append(Block(document, line, match[2], match[3]))
    return found


def prose(document: str) -> str:
    """Return a document's text without its fenced blocks."""
    return _FENCE.sub("", (ROOT / document).read_text(encoding="utf-8"))


def test_only_languages_that_are_checked() -> None:
    text = {match[2] for document in DOCUMENTS for match in _FENCE.finditer((ROOT / document).read_text("utf-8"))}
    editors = {"lua", "elisp"}  # tests/editors runs the code blocks in docs/editors
    assert text <= {"console", "yaml", "toml", "json", "python", "text"} | editors


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder with the files that the documented commands use, and a command `uncuda` in `bin`."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    command = tmp_path / "bin" / "uncuda"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m uncuda "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return tmp_path


def run(command: str, folder: Path) -> str:
    """Run a documented command in a shell and return its output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**kept, "PATH": path, "PYTHONPATH": str(ROOT / "server"), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, check=False, stdin=subprocess.DEVNULL
    )
    said = (done.stdout + done.stderr).decode()
    assert done.returncode in (0, 1), f"{command}\n{said}"
    assert "Traceback" not in said
    return said


def shown(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands of a console block, each with the output that is shown below it."""
    command, output = "", list[str]()
    for line in block.text.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, output
            command, output = line[2:], []
        else:
            output.append(line)
    assert command, block
    yield command, output


@pytest.mark.slow
@pytest.mark.parametrize("block", blocks("console"), ids=str)
def test_commands_say_what_is_shown(block: Block, checkout: Path) -> None:
    for command, output in shown(block):
        if pattern := _NOT_RUN.get(command.split()[0]):
            match = re.fullmatch(pattern, command)
            assert match, command
            check_name(command.split()[0], match[1])
            continue
        assert command.startswith("uncuda "), command
        said = run(command, checkout)
        if output:
            assert matches(output, said.splitlines()), f"{command} says:\n{said}"


def check_name(word: str, name: str | None) -> None:
    """Check that `name` is a target of the Makefile if `word` is "make", otherwise an extra of the package."""
    if word == "make":
        assert re.search(rf"^{name}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M), name
    elif name:
        assert f"\n{name} = [" in (ROOT / "pyproject.toml").read_text(encoding="utf-8"), name


def matches(expected: list[str], actual: list[str]) -> bool:
    """Return whether the actual lines equal the documented ones; `…` stands for the rest of a line."""
    while actual and not actual[-1]:
        actual = actual[:-1]
    if len(expected) != len(actual):
        return False
    parts = [".*".join(map(re.escape, line.split("…"))) for line in expected]
    return all(re.fullmatch(part, line) for part, line in zip(parts, actual, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("block", blocks("yaml"), ids=str)
def test_commands_of_ci_run(block: Block, checkout: Path) -> None:
    commands = re.findall(r"^- run: (uncuda .*)$", block.text, re.M)
    assert commands or block.document.startswith("docs/ci/")  # tests/ci runs the other commands
    for command in commands:
        run(command, checkout)
        file = command.partition("> ")[2]
        if file:
            json.loads((checkout / file).read_text(encoding="utf-8"))


@pytest.mark.parametrize("block", blocks("toml"), ids=str)
def test_settings_are_valid(block: Block) -> None:
    table: dict[str, Any] = parse_toml(block.text, str(block))
    if "tool" in table:
        table = table["tool"]["uncuda"]
    schema = json.loads((ROOT / "docs" / "uncuda.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(table, schema)
    table.pop("extend", None)
    settings_of(table, str(ROOT), Vocabulary(tuple(CATALOGUE.declarations), tuple(CATALOGUE.rules)))


@pytest.mark.parametrize("block", blocks("json"), ids=str)
def test_json_is_valid(block: Block) -> None:
    value = json.loads(block.text)
    if "findings" in value:
        jsonschema.validate(value, json.loads((ROOT / "docs" / "findings.schema.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_python_parses_and_suppressions_work(block: Block) -> None:
    ast.parse(block.text)
    if "# uncuda:" in block.text:
        bare = re.sub(r" *# uncuda:.*", "", block.text)
        assert not findings(block.text)
        assert {line for line, _ in findings(bare)} == {
            number for number, line in enumerate(block.text.splitlines(), 1) if "# uncuda:" in line
        }


def engine(target: str) -> Engine:
    return engine_for(target, Settings(locale="en"))


def findings(text: str, target: str = "npu") -> list[tuple[int, Finding]]:
    """Return the findings in a text with their line numbers."""
    source = Source(text)
    return [(source.position(finding.span.start)[0], finding) for finding in engine(target).check(source).findings]


def anchors(path: Path) -> set[str]:
    """The anchors of a document's headings, as GitHub makes them."""
    text = _FENCE.sub("", path.read_text(encoding="utf-8"))
    slugs = (re.sub(r"[^\w\- ]", "", match[2].lower()).replace(" ", "-") for match in _HEADING.finditer(text))
    return set(slugs)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    wrong = []
    for match in _LINK.finditer(prose(document)):
        link = unquote(match[1])
        if link.startswith(("https://", "http://")):
            continue
        name, _, anchor = link.partition("#")
        path = (ROOT / document).parent / name if name else ROOT / document
        if not path.exists() or (anchor and anchor not in anchors(path)):
            wrong.append(link)
    assert not wrong


def test_decisions_are_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (folder / "README.md").read_text(encoding="utf-8"))
    files = sorted(path.name for path in folder.glob("0*.md"))
    assert listed == files
    assert [name[:4] for name in files] == [f"{number:04}" for number in range(1, len(files) + 1)]
    for name in files:
        assert _HEADING.findall((folder / name).read_text(encoding="utf-8"))[1:] == [
            ("##", "Context"),
            ("##", "Decision"),
            ("##", "Consequences"),
        ], name


def test_both_readmes_have_the_same_parts() -> None:
    parts = []
    for name in ("README.md", "README.zh-CN.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        commands = re.findall(r"^(?:\$|- run:) (.*)$", text, re.M)
        parts.append(
            (
                [match[1] for match in _HEADING.finditer(_FENCE.sub("", text))],
                [command.replace(" --locale zh", "") for command in commands],
                [match[3] for match in _FENCE.finditer(text) if match[2] in ("toml", "python")],
                [line.count("|") for line in text.splitlines() if line.startswith("|")],
            )
        )
    assert parts[0] == parts[1]


def test_documents_name_modules_and_tests_that_exist() -> None:
    wrong = []
    for document in DOCUMENTS:
        for name in re.findall(r"`((?:server|tests|rules|docs|examples)/[\w./-]+)`", prose(document)):
            # rules/NAME.md stands for the file of any rule
            if not (re.search("[A-Z]{2}", name) or (ROOT / name).exists()):
                wrong.append(f"{document}: {name}")
        for name in re.findall(r"`((?:facts|checks|engine|settings|workspace|report|cli)/\w+\.py)`", prose(document)):
            if not (ROOT / "server" / "uncuda" / name).exists():
                wrong.append(f"{document}: {name}")
    assert not wrong


class Row(NamedTuple):
    """One row of the table of guides; `rules` holds the rules in its last cell."""

    section: str
    before: str
    after: str
    said: str

    @property
    def rules(self) -> list[str]:
        return [name for name in re.findall(r"`([a-z][\w-]*)`", self.said) if "-" in name or name in CATALOGUE.rules]

    @property
    def applicability(self) -> str:
        match = re.search(r"`, (safe|review)$", self.said)
        return match[1] if match else ""

    def __str__(self) -> str:
        return self.before or self.said[:30]


def guide_rows() -> list[Row]:
    """Every row of docs/guides.md."""
    section, rows = "", []
    for line in (ROOT / "docs" / "guides.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line[3:]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0] not in ("topic", "what the tool does"):
            before, after = (cell.strip("`") if re.fullmatch(r"`[^`]+`", cell) else "" for cell in ["", *cells][-3:-1])
            rows.append(Row(section, before, after, cells[-1]))
    return rows


@pytest.mark.parametrize("row", [row for row in guide_rows() if row.before and row.after], ids=str)
def test_guides_rows_are_fixed(row: Row) -> None:
    target = "musa" if row.section.startswith("Moore") else "npu"
    imports = "import argparse\nimport os\nimport torch\n"
    if "patch" in row.section:
        imports += f"{CATALOGUE.target(target).words['patch-import']}\n"
    text = f"{imports}import torch.distributed as dist\n\nparser = argparse.ArgumentParser()\n{row.before}\n"
    source = Source(text)
    made = engine(target)
    assert row.after in made.fix(source, review=True).text
    if row.applicability:
        classes = {f.rule: f.fixes[0].applicability for f in made.check(source).findings if f.fixes}
        assert classes.get(row.rules[0]) == row.applicability


def test_guides_name_rules_that_exist() -> None:
    known = CATALOGUE.rules.keys() | {"torch_npu_run", "target-version", "torch-version", "missing-shim"}
    wrong = [name for row in guide_rows() for name in row.rules if name not in known]
    assert not wrong
    assert all(row.said for row in guide_rows())
    assert len(guide_rows()) > 40
