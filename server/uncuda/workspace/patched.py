"""Finds the names that tests replace with mocks, as in `mock.patch("torch.cuda.Stream")`, `mock.patch("app.torch")`,
`monkeypatch.setattr(torch.cuda, "Stream", f)` or `monkeypatch.setattr(app.torch.cuda, "Stream", f)`, and that the code
under test, in other files, no longer calls after its safe fixes.

The name in the test then has a safe fix, too. Otherwise the test would replace a name that the code under test does
not call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from uncuda import lazy_re
from uncuda.byte_search import contains
from uncuda.edits import SAFE
from uncuda.engine import Engine, Finding
from uncuda.facts.layout import Layout
from uncuda.limits import LimitExceeded, Limits
from uncuda.module_names import agree, imported_from, module_at
from uncuda.source import Source, SourceError

from .calls import FROM, IMPORT, NAMED
from .files import FileProblem

Carried = frozenset[tuple[str, str, str]]
"""Tuples of a target, the path of a file of tests, and a string in this file, such as "torch.cuda.Stream". For a name
that is replaced by `setattr(torch.cuda, "Stream")` or a similar call, the string is the whole name, as the file spells
it: "dist.torch.cuda.Stream" for `setattr(dist.torch.cuda, "Stream")`. A string such as "app.dist.torch" is that of a
module which replaces torch."""

# the patterns begin with literal text, which is fast to search for
_SAYS, _IMPORTS = b"torch.cuda", b"import cuda"
_QUOTED = lazy_re.compile(rb"torch\.cuda(?:,\s*|(?:\.\w+)+)[\"']")
_PATCHED = [lazy_re.compile(word + rb"\(\s*[\"']((?:\w+\.)+\w+)[\"']") for word in (b"patch", b"attr")]
_PATCHED_OF = lazy_re.compile(rb"cuda,\s*[\"'](\w+)[\"']")
_PATCHING = lazy_re.compile(rb"(?:setattr|delattr|object)\(\s*((?:\w+\.)+(?=torch\.)|)(?:torch\.)?\Z")
_NAME = lazy_re.compile(r"(?P<owner>(?:\w+\.)*?)(?P<name>torch\.cuda(?:\.\w+)+)")
_WHOLE = lazy_re.compile(rb"patch\(\s*[\"'](?:\w+\.)+torch[\"']")
_MODULE = lazy_re.compile(r"(?P<owner>(?:\w+\.)+)(?P<name>torch)")
_CUDA = "torch.cuda"
_OF_MODULE = lazy_re.compile(r"(?<![\w.])torch\.cuda(?!\w)")
_FROM = lazy_re.compile(r"\bfrom[ \t]+torch[ \t]+import[ \t]+(\([^)]{0,4000}\)|[^\n]*)")
_BOUND = lazy_re.compile(r"(\w+)(?:[ \t]+as[ \t]+(\w+))?")
_AS = lazy_re.compile(r"\btorch\.cuda[ \t]+as[ \t]+(\w+)")
_STEPS = 3  # maximum number of files through which an imported object is followed
_ALIKE = 50  # if more files have the same name, an import of this name tells nothing
# maximum number of files that are checked because tests import them, and of names that are looked up for one test file
_MOST = 50


def patches(data: bytes) -> bool:
    """Return whether a file replaces a name of `torch.cuda` that a string in it names, or the module torch of another
    file."""
    if contains(data, b".cuda.") and contains(data, b"patch(") and _WHOLE.search(data):
        return True
    if not (_QUOTED.search(data) if contains(data, _SAYS) else contains(data, _IMPORTS)):
        return False
    return any(map(_NAME.fullmatch, _replaced(data)))


def _replaced(data: bytes) -> Iterator[str]:
    """Yield the strings that name what a file of tests replaces, and the whole names that `setattr(torch.cuda, NAME)`
    or a similar call replaces, as the file spells them (see `Carried`). A module of another library that is called
    `cuda` counts as one of torch: the check knows better, and does not look for its names."""
    for pattern in _PATCHED:
        yield from (match[1].decode("utf-8", "replace") for match in pattern.finditer(data))
    for match in _PATCHED_OF.finditer(data):
        if found := _PATCHING.search(data, max(0, match.start() - 100), match.start()):
            yield b"".join((found[1], b"torch.cuda.", match[1])).decode("utf-8", "replace")


def carried(engines: Mapping[str, Engine], tests: Iterable[str], read: Callable[[str, int], bytes]) -> Carried:
    """Return the names that files of tests replace, and that other files use only where a safe fix changes them.

    The other files are those that the file of tests imports, and those whose names it replaces. `engines`: the engine
    for each file of the project, by the file's path."""
    code = _Code(engines, read)
    known = [path for path in sorted(tests) if path in engines]
    return frozenset((engines[path].target.id, path, name) for path in known for name in code.carried_by(path))


class _Code:
    """The files of a project, which are read and checked when a file of tests imports them."""

    def __init__(self, engines: Mapping[str, Engine], read: Callable[[str, int], bytes]) -> None:
        self._engines, self._read = engines, read
        self._by_name: dict[str, list[str]] = {}
        for path in engines:
            if path.endswith(".py"):
                self._by_name.setdefault(module_at(path).rpartition(".")[2], []).append(path)
        self._texts: dict[str, Source | None] = {}
        self._imports: dict[str, dict[str, list[str]]] = {}
        self._layouts: dict[str, Layout] = {}
        self._safe: dict[str, frozenset[int]] = {}
        self._moved: dict[tuple[str, str, str], bool | None] = {}

    def carried_by(self, path: str) -> Iterator[str]:
        """Yield the strings in a file of tests whose names move with the code under test."""
        source, target = self._text(path), self._engines[path].target.id
        if source is None:
            return
        data = _bytes(source)
        strings = set(_replaced(data))
        names = {string: match for string in strings if (match := _NAME.fullmatch(string) or _MODULE.fullmatch(string))}
        modules = {string.rpartition(".")[0] for string in strings - names.keys()}
        imported = self._imported_by(path)
        owners = {string: _in_full(match["owner"].rstrip("."), imported) for string, match in names.items()}
        homes = self._homes(modules.union(*owners.values(), *imported.values())) - {path}
        for string, match in sorted(names.items())[:_MOST]:
            # in "pkg.a.torch.cuda.Stream", the test names the module of the code under test
            tested = self._homes(owners[string]) - {path} if match["owner"] else homes
            name = _CUDA if match["name"] == "torch" else match["name"]
            uses = [use for home in sorted(tested) if (use := self._moves(home, name, target)) is not None]
            if uses and all(uses):
                yield string

    def _homes(self, modules: Iterable[str]) -> set[str]:
        """Return the paths of the files that modules, or objects of modules, are in. If a file imports such an object
        from another file, the other file is included."""
        homes: set[str] = set()
        waiting = set(modules)
        for _ in range(_STEPS):
            further: set[str] = set()
            for dotted in waiting:
                module, _, name = dotted.rpartition(".")
                inside = self._files_of(module)
                homes.update(inside, self._files_of(dotted))
                further.update(*(self._imported_by(path).get(name, ()) for path in inside))
            waiting = further - waiting
        return homes

    def _files_of(self, module: str) -> list[str]:
        alike = self._by_name.get(module.rpartition(".")[2], []) if module else []
        return [path for path in alike if agree(module_at(path), module)] if len(alike) <= _ALIKE else []

    def _imported_by(self, path: str) -> Mapping[str, Sequence[str]]:
        """Return the dotted names of the modules and objects that a file imports, by the names that they have in the
        file."""
        if path not in self._imports:
            source = self._text(path)
            found = _imported(_bytes(source), path) if source is not None else ()
            self._imports[path] = {}
            for name, dotted in found:
                self._imports[path].setdefault(name, []).append(dotted)
        return self._imports[path]

    def _moves(self, path: str, name: str, target: str) -> bool | None:
        """Return whether a safe fix for a target changes each use of a name in a file; None if the file does not use
        the name."""
        key = path, name, target
        if key not in self._moved:
            self._moved[key] = self._look_for(*key)
        return self._moved[key]

    def _look_for(self, path: str, name: str, target: str) -> bool | None:
        source = self._text(path)
        if source is None or name.rpartition(".")[2] not in source.text:
            return None
        found = _uses(source.text, name)
        if found and path not in self._layouts:
            self._layouts[path] = Layout(source.text)
        places = [at for at in found if not self._layouts[path].token_at(at)]
        if not places:
            return None
        return self._engines[path].target.id == target and self._safe_places(path, source).issuperset(places)

    def _safe_places(self, path: str, source: Source) -> frozenset[int]:
        """Return the offsets of the findings in a file that have a safe fix; none if the file cannot be checked, or if
        too many files were checked before."""
        if path not in self._safe:
            findings: Sequence[Finding] = ()
            if len(self._safe) < _MOST:
                with suppress(Exception):  # the file is checked again later, and the failure is reported then
                    findings = self._engines[path].check(source).findings
            safe = (one for one in findings if one.fixes and one.fixes[0].applicability == SAFE)
            self._safe[path] = frozenset(one.span.start for one in safe)
        return self._safe[path]

    def _text(self, path: str) -> Source | None:
        if path not in self._texts:
            try:
                self._texts[path] = Source.decode(self._read(path, Limits.bytes), path)
            except (FileProblem, SourceError, LimitExceeded):
                self._texts[path] = None
        return self._texts[path]


def _uses(text: str, name: str) -> set[int]:
    """Return the offsets of the uses of a name of `torch.cuda`. If a use is spelled with a name that an import binds,
    as in `from torch import cuda`, return the offset in the import: fixes change the import and not the use. A name
    that is itself imported, `from torch.cuda import Stream`, is no use, because the test does not replace this name.
    For the name `torch.cuda`, return the offsets of all names below it, and of its own."""
    if name == _CUDA:
        return {match.start() for match in _OF_MODULE.finditer(text)}
    below = name.removeprefix(_CUDA)[1:]
    found: set[int] = set()
    bound: dict[str, list[int]] = {}
    for match in _FROM.finditer(text):
        for one in _BOUND.finditer(text, *match.span(1)):
            if one[1] == "cuda":
                bound.setdefault(one[2] or one[1], []).append(one.start())
    for match in _AS.finditer(text):
        bound.setdefault(match[1], []).append(match.start())
    owners: set[str] = set()
    for match in re.finditer(rf"(?<![\w.])(torch\.cuda|\w+)\.{re.escape(below)}(?!\w)", text):
        owners.add(match[1])
        if match[1] == _CUDA:
            found.add(match.start())
    return found.union(*(bound.get(owner, ()) for owner in owners))


def _in_full(module: str, imported: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the dotted names of a module that begins with a name which imports bind: `app.dist` for `dist` after
    `from app import dist`."""
    first, dot, rest = module.partition(".")
    return {dotted + dot + rest for dotted in imported.get(first, [first])}


def _bytes(source: Source) -> bytes:
    return b"\n" + source.text.encode("utf-8", "surrogatepass")


def _imported(data: bytes, path: str) -> Iterator[tuple[str, str]]:
    """Yield the names that the imports of a file bind, each with the dotted name of its module or object; for an import
    such as `import app.dist`, the dotted name twice. `data` begins with a line end."""
    for match in FROM.finditer(data):
        if _is_first(data, match.start()):
            module = imported_from(match[1].decode(), path)
            for one in NAMED.finditer(match[2]):
                yield (one[2] or one[1]).decode(), f"{module}.{one[1].decode()}"
    for match in IMPORT.finditer(data):
        if _is_first(data, match.start()):
            yield (match[2] or match[1]).decode(), match[1].decode()


def _is_first(data: bytes, at: int) -> bool:
    line = data.rfind(b"\n", max(0, at - 200), at)
    return line >= 0 and not data[line:at].strip()
