"""What the files of a project say together: which plugins and shims they import, what they define themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from uncuda.facts.layout import Layout
from uncuda.project import Project
from uncuda.source import Source, SourceError

from .discover import File, Problem
from .files import FileProblem, read_file

_METHODS = ("cuda", "is_cuda")


@dataclass
class Survey:
    """What a first look at every file gave: the project, the files that can be read, and the others."""

    project: Project
    files: list[File] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class Words:
    """The modules that tell what a project uses: target id -> the plugin's package, and the shim's module."""

    packages: Mapping[str, str]
    shims: Mapping[str, str]


def survey(files: Iterable[File], words: Words) -> Survey:
    """Read every file once: is it text, and what does it tell of the project?"""
    scanner = Scanner(words)
    readable: list[File] = []
    problems: list[Problem] = []
    for file in files:
        try:
            scanner.add(read_text(file.path))
        except (FileProblem, SourceError) as error:
            problems.append(Problem(file.path, str(error)))
        else:
            readable.append(file)
    return Survey(scanner.project(), readable, problems)


def read_text(path: str) -> bytes:
    """The bytes of a file that Python could read; FileProblem or SourceError if it could not."""
    data = read_file(path)
    if b"\0" in data or not (data.isascii() or _is_utf8(data)):
        Source.decode(data, path)
    return data


class Scanner:
    """Gathers a Project from the bytes of files, one after the other."""

    def __init__(self, words: Words) -> None:
        self._words = words
        names = {*words.packages.values(), *(module.rpartition(".")[2] for module in words.shims.values())} - {""}
        either = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
        self._needle = re.compile(rf"\b(?:{either})\b|\bdef (?:{'|'.join(_METHODS)})\(".encode())
        self._imports = re.compile(
            r"^[ \t]*(?:from[ \t]+(?P<origin>[\w.]+)[ \t]+import[ \t]*(?P<names>\([^)]*\)|[^\r\n]*)"
            rf"|import[ \t]+(?P<modules>[^\r\n#]*))|^[ \t]+(?:async[ \t]+)?def[ \t]+(?P<method>{'|'.join(_METHODS)})\(",
            re.MULTILINE,
        )
        self._modules: set[str] = set()
        self._methods: set[str] = set()

    def add(self, data: bytes) -> None:
        """Take in one file."""
        if self._needle.search(data) is None:
            return
        text = data.decode("utf-8", "replace")
        layout = Layout(text)
        for match in self._imports.finditer(text):
            start = match.end() - len(match[0].lstrip())
            if layout.token_at(start):
                continue
            if match["method"]:
                self._methods.add(match["method"])
            elif match["origin"]:
                self._modules.add(match["origin"])
                self._modules.update(f"{match['origin']}.{name}" for name in _first_words(match["names"].strip("()")))
            else:
                self._modules.update(_first_words(match["modules"]))

    def project(self) -> Project:
        """What was gathered."""
        return Project(
            plugins=self._importing(self._words.packages),
            shims=self._importing(self._words.shims),
            methods=frozenset(self._methods),
        )

    def _importing(self, modules: Mapping[str, str]) -> frozenset[str]:
        return frozenset(
            target
            for target, module in modules.items()
            if module and any(name == module or name.startswith(module + ".") for name in self._modules)
        )


def _first_words(names: str) -> list[str]:
    return [words[0] for name in names.split(",") if (words := name.split())]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
