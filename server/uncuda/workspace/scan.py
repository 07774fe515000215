"""What the files of a project say together: which plugins and shims they import, what they define themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from uncuda.facts.layout import Layout
from uncuda.project import Project
from uncuda.source import Source, SourceError

from .discover import File, Problem
from .files import FileProblem, read_file

_METHOD = re.compile(r"^[ \t]+(?:async[ \t]+)?def[ \t]+(?P<name>cuda|is_cuda)\(", re.MULTILINE)
_METHOD_BYTES = re.compile(rb"def[ \t]+(?:is_)?cuda\(")
_IMPORT = re.compile(
    r"(?:^|[;:])[ \t]*(?P<word>from[ \t]+(?P<origin>[\w.]+)[ \t]+import\b[ \t]*(?P<names>\([^)]*\)|[^\r\n#;]*)"
    r"|import[ \t]+(?P<modules>[^\r\n#;]*))",
    re.MULTILINE,
)


Read = Callable[[str], bytes]


@dataclass
class Survey:
    """What a first look at every file gave: the project, the files that can be read, and the others.

    `silent` are the paths of files that `concerns` had no use for.
    """

    project: Project
    files: list[File]
    silent: set[str]
    problems: list[Problem]


@dataclass(frozen=True)
class Words:
    """The modules that tell what a project uses: target id -> the plugin's package, and the shim's module."""

    packages: Mapping[str, str]
    shims: Mapping[str, str]


def read_text(path: str) -> bytes:
    """The bytes of a file that Python could read; FileProblem or SourceError if it could not."""
    data = read_file(path)
    if b"\0" in data or not (data.isascii() or _is_utf8(data)):
        Source.decode(data, path)
    return data


def survey(
    files: Iterable[File], words: Words, concerns: Callable[[File, bytes], bool], read: Read = read_text
) -> Survey:
    """Read every file once: is it text, what does it tell of the project, and is it worth another look?"""
    scanner = Scanner(words)
    readable: list[File] = []
    silent: set[str] = set()
    problems: list[Problem] = []
    for file in files:
        try:
            data = read(file.path)
        except (FileProblem, SourceError) as error:
            problems.append(Problem(file.path, str(error)))
            continue
        readable.append(file)
        found = concerns(file, data)
        scanner.add(data, found)
        if not found:
            silent.add(file.path)
    return Survey(scanner.project(), readable, silent, problems)


class Scanner:
    """Gathers a Project from the bytes of files, one after the other."""

    def __init__(self, words: Words) -> None:
        self._words = words
        modules = {*words.packages.values(), *words.shims.values()} - {""}
        self._packages = {module.partition(".")[0] for module in modules}
        # No more than a literal alternation: with any other pattern this search would take as long as all the rest.
        either = "|".join(sorted(map(re.escape, self._packages)))
        self._package = re.compile(either.encode())
        self._package_name = re.compile(either)
        self._modules: set[str] = set()
        self._methods: set[str] = set()

    def add(self, data: bytes, concerned: bool = True) -> None:
        """Take in one file; `concerned`: whether rules may find something in it, and so a word of theirs is there."""
        imports = self._package.search(data) is not None
        methods = concerned and b"cuda(" in data and _METHOD_BYTES.search(data) is not None
        if not imports and not methods:
            return
        text = data.decode("utf-8", "replace")
        layout = Layout(text)
        for match in _METHOD.finditer(text) if methods else ():
            if not layout.token_at(match.start("name")):
                self._methods.add(match["name"])
        for match in self._imports(text) if imports else ():
            modules = self._of_interest(match) - self._modules
            if modules and not layout.token_at(match.start("word")):
                self._modules |= modules

    def _imports(self, text: str) -> Iterator[re.Match[str]]:
        """The imports on the lines that name a package: most lines do not, and reading them all takes long."""
        done = 0
        for hit in self._package_name.finditer(text):
            start = max(done, text.rfind("\n", 0, hit.start()) + 1)
            if start <= hit.start() and "import" in text[start : hit.start()] + text[hit.end() : hit.end() + 200]:
                match = _IMPORT.search(text, start)
                if match and match.start() < hit.start():
                    done = match.end()
                    yield match

    def _of_interest(self, match: re.Match[str]) -> set[str]:
        origin = match["origin"]
        if origin is None:
            modules = set(_first_words(match["modules"]))
        else:
            modules = {origin, *(f"{origin}.{name}" for name in _first_words(match["names"].strip("()")))}
        return {module for module in modules if module.partition(".")[0] in self._packages}

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
