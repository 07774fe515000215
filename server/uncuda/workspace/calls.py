"""Finds which functions of a file call which other functions, names of `torch.cuda` and CUDA libraries.

`followed.py` follows these calls through the files of a project.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from uncuda import lazy_re
from uncuda.byte_search import contains
from uncuda.module_names import imported_from, is_test, module_at
from uncuda.project import MARK

_QUOTED = (
    rb'(?<=")(?:""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:"{3})?|[^"\\\n]*(?:\\.[^"\\\n]*)*"?)|'
    rb"(?<=')(?:''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*(?:'{3})?|[^'\\\n]*(?:\\.[^'\\\n]*)*'?)"
)
# a comment or a string; group 1 is the text of an f-string, which may contain calls
_TEXT = lazy_re.compile(rb"[\"'#](?:(?<=#)[^\n]*|(?:(?<=[fF].)|(?<=[fF][rR].))(%b)|%b)" % (_QUOTED, _QUOTED), re.DOTALL)
# the header of a class or function, or the start of another line at column 0
_PIECE = lazy_re.compile(rb"\n(?:(?=([ \t]{0,12}))\1(?:(class)|(?:async +)?def)[ ]+(\w+)([^\n]*)|(?=[^\s)\]}]))")
FROM = lazy_re.compile(rb"from[ ]+([.\w]+)[ ]+import[ ]+(\([^)]{0,4000}\)|[^\n]*)")
IMPORT = lazy_re.compile(rb"import[ ]+([A-Za-z_][\w.]*)(?:[ ]+as[ ]+(\w+))?[ \t]*(?=[\n\r]|\Z)")
NAMED = lazy_re.compile(rb"(\w+)(?:[ ]+as[ ]+(\w+))?")
_WORD = lazy_re.compile(rb"\w+")
# namespaces of operators that PyTorch has for every device
_TORCHS = rb"(?:aten|prims|_c10d_functional|c10d_functional|c10d|higher_order|inductor|quantized)\."
_OF_CUDA = lazy_re.compile(rb"torch\.(?:cuda(?:\.\w+)+|ops\.(?!%b)\w+\.\w+)" % _TORCHS)
_ARGUMENTS = lazy_re.compile(rb"\(([^()\n]{1,200})\)")
_KEYWORD = lazy_re.compile(rb"(\w+)[ ]*=")
_ASKS = lazy_re.compile(rb"if [^\n]{0,200}?(?:is_cuda|is_available|device_count|device\.type|_available\b)")
_ASKING = (b"is_cuda", b"_available", b"device_count", b"device.type")  # one of them is in each match of _ASKS
_ASKED = b"is_available("
_SKIPS = lazy_re.compile(rb"skip(?:if|If|unless|Unless|Test|[ ]*\()")
_LOADS = lazy_re.compile(rb"load(?:_inline)?[ ]*\(")
_MARKED = lazy_re.compile(rb"@(\w+)(?:\([^\n]{0,200}\))?[ \t]*(?=\r?\n)")
_GIVES_MARK = lazy_re.compile(rb"return [\w.]{0,40}skip(?:if|If|Unless)\(")
_MADE = lazy_re.compile(rb"\n(\w+)[ ]*=[^\n=]*skip")
_WRAPPED = lazy_re.compile(rb"\((\w+)\)\(")
_KEPT = lazy_re.compile(rb"=[ ]*((?:\w+\.)*[A-Z]\w*)[ \t]*(?=\r?\n|\Z)")
_CHOSEN = lazy_re.compile(rb"=\s*(?:\(\s*)?([A-Z]\w*) if \b[^\n]{0,200}? else ([A-Z]\w*)")
_APPLY = ".apply"
_APPLIED = lazy_re.compile(rb"\n(\w+)[ ]*=[ ]*(\w+)\.apply(?!\w)")
# a variable of the module that holds what an imported function loads: `ext = ext_loader.load_ext("_ext", names)`
_LOADED = lazy_re.compile(rb"\n(\w+)[ ]*=[ ]*((?:\w+\.)*load\w*)\(")
_FUNCTION = b"Function):"
_TESTED = lazy_re.compile(rb" is[ ]+(?:not[ ]+)?None\b")  # begins with a literal, which is fast to search for
_BEFORE = lazy_re.compile(rb"(\w+)[ ]*\Z")
_AUTOGRAD = lazy_re.compile(rb"\((?:[\w.]+\.)?Function\):")
_CHAIN = 2  # how many calls inside the file are followed from a function to an autograd function
_MOST = 64  # maximum number of names that a function may call and is still followed
_RUN = (b"forward", b"apply", b"__call__")  # methods of an autograd function that its users call
_OF_FILE = lazy_re.compile(rb"\npytestmark[ ]*=([^\n]*)")
_OF_FILE_FOR_CUDA = lazy_re.compile(rb"\npytestmark[ ]*=[^\n]*(?:\n[ \t][^\n]*){0,9}?torch\.cuda\.")
_PLACING = (b"cuda", b"device")  # words of code that puts data on a device
# methods of a class that are assumed to be called if the class is used
_LIVING = (b"__init__", b"forward", b"__call__", b"apply")
_OWNERS = frozenset({b"self", b"cls"})
_SEPARATE = bytes(at if (chr(at).isalnum() and at < 128) or chr(at) in "_.(" else 32 for at in range(256))
_OTHERS = sys.stdlib_module_names | {"torch", "numpy", "pytest"}
_TEST = lazy_re.compile(r"(?:^|[/\\])test_\w*\.py\Z")

Calls = frozenset[str]
"""What one file calls: strings "CALLER\\nCALLEE\\n…", with dotted names. A caller is the file's module, a function,
class or method of the file, or a skip mark that the file imports (with MARK before its name); the "callees" of a skip
mark are the functions, classes and methods that it marks. If the caller is "", the other names are the skip marks that
the file imports (with MARK before each), the skip marks that the file defines (with "=" before each) and, if the file
skips any tests, all names that it imports."""


def calls(data: bytes, path: str, libraries: Collection[str], concerned: bool = True, followed: bool = False) -> Calls:
    """Return the calls in the source of a file. `libraries`: the root names of libraries, such as `cutlass`, that rules
    or tables know. `concerned`: whether rules may have findings in the file. `followed`: whether calls of tests lead to
    the file; if not, the file is only read if it may skip tests or ask for CUDA in tests."""
    if not path.endswith(".py") or "\n" in path:
        return frozenset()
    if not followed and not (concerned and _may_skip(data, "test" in path)):
        return frozenset()
    found = _File(data, path, libraries).calls()
    return frozenset("\n".join([caller, *sorted(callees)]) for caller, callees in found.items() if callees)


def may_wrap(data: bytes, path: str) -> bool:
    """Return whether a file has autograd functions, which may call code that is compiled for CUDA."""
    return (
        path.endswith(".py") and "\n" not in path and contains(data, _FUNCTION) and _AUTOGRAD.search(data) is not None
    )


def wrapped(data: bytes, path: str) -> frozenset[str]:
    """Return the functions and classes of a file with autograd functions that call other modules and do not ask for
    the device, with what they call: strings "NAME\\nCALLEE\\n…" of dotted names. Only the build of the project shows
    which of the callees are compiled for CUDA (`followed.wrappers`)."""
    found = _File(data, path, ()).wrapped()
    return frozenset("\n".join([name, *sorted(callees)]) for name, callees in found.items() if callees)


def _may_skip(data: bytes, is_test: bool) -> bool:
    """Return whether a file may skip tests, or ask for CUDA in tests. `is_test`: whether its path contains "test"."""
    if is_test and contains(data, b"cuda"):
        return True
    return contains(data, b"skip") and (is_test or _SKIPS.search(data) is not None)


def has_tests(paths: Iterable[str]) -> bool:
    """Return whether a project has files `test_*.py`; in other projects, calls are not followed."""
    return any(map(_TEST.search, paths))


@dataclass
class _Piece:
    """A function, class or method of a file. `owner`: the dotted name of the class that a method or class is in."""

    caller: str
    owner: str
    name: bytes
    indent: int
    bases: bytes | None
    start: int
    end: int


class _File:
    def __init__(self, data: bytes, path: str, libraries: Collection[str]) -> None:
        self._libraries = libraries
        self._data = b" ".join(filter(None, _TEXT.split(b"\n" + data)))  # the source without comments and strings
        self._path, self._module = path, module_at(path)
        self._package = path.endswith("__init__.py")
        self._names: dict[bytes, str] = {}
        """Maps each name that the file imports or defines to its dotted name."""
        self._needed: set[str] = set()  # the libraries that the file needs when it is imported
        self._loads = contains(data, b"cpp_extension")
        self._found: dict[str, set[str]] = {"": set()}
        self._starts: list[int] = []  # the positions of the headers of functions, classes and methods
        self._callers: list[str] = []  # their dotted names; for a nested function, that of the outer function

    def calls(self) -> dict[str, set[str]]:
        """Return the callees of each caller."""
        self._read_imports()
        imported, found = dict(self._names), self._found
        pieces = self._pieces()
        self._name_applied()
        self._read_pieces(pieces)
        if "test" in self._path and _OF_FILE_FOR_CUDA.search(self._data):
            self._lead_to_mark(pieces)
        skips = b"skip" in self._data
        if (skips and _SKIPS.search(self._data)) or (_ASKED in self._data and is_test(self._path)):
            called = {callee for callees in found.values() for callee in callees}
            found[""].update(callee for callee in called if not callee.startswith(self._module))
            found[""].update(imported.values())
        if self._package:
            for name, dotted in imported.items():
                self._called(f"{self._module}.{name.decode()}").add(dotted)
        if self._needed:
            self._called(self._module).update(self._needed)
        for mark, skipped in self._marks(imported) if "test" in self._path else ():
            found[""].add(mark)
            self._called(mark).add(skipped)
        made = _MADE.finditer(self._data) if skips else ()
        found[""].update(f"={self._module}.{match[1].decode()}" for match in made)
        return found

    def wrapped(self) -> dict[str, set[str]]:
        """Return the callees in other modules of each function and class that asks for no device, those of the
        functions and classes of this file that it calls included."""
        self._read_imports()
        pieces = self._pieces()
        self._name_applied()
        for variable, function in _LOADED.findall(self._data) if b"load" in self._data else ():
            if loaded := self._dotted(function, ""):
                self._names[variable] = loaded
        for piece in pieces:
            body = self._data[piece.start : piece.end]
            if piece.bases is None and (not piece.owner or piece.name in _RUN) and not self._asks(body):
                self._called(piece.owner or piece.caller).update(self._names_in(body))
        own = self._found
        found = {caller: {name for name in called if name not in own} for caller, called in own.items()}
        for _ in range(_CHAIN):
            for caller, called in own.items():
                for name in called & own.keys():
                    if len(found[caller]) <= _MOST >= len(found[name]):
                        found[caller] |= found[name]
        return found

    def _lead_to_mark(self, pieces: Iterable[_Piece]) -> None:
        """Let each function of the file that puts data on a device lead to all that the mark of the whole file,
        `pytestmark`, skips. While this mark stays, such a function stays, and so must the tests of other files that
        call it."""
        every = f"{self._module}.pytestmark"
        self._called(every).update(piece.caller for piece in pieces if not piece.owner)
        for piece in pieces:
            body = self._data[piece.start : piece.end]
            if any(word in body for word in _PLACING):
                self._called(piece.caller).add(every)

    def _asks(self, body: bytes) -> bool:
        """Return whether a piece of the source asks for the device, or whether a module was imported: `if ext is None:
        return x`."""
        if any(word in body for word in _ASKING) and _ASKS.search(body) is not None:
            return True
        tests = _TESTED.finditer(body) if b" is " in body else ()
        before = (_BEFORE.search(body, max(0, test.start() - 80), test.start()) for test in tests)
        return any(match is not None and match[1] in self._names for match in before)

    def _name_applied(self) -> None:
        """Add the variables that hold the method `apply` of an autograd function: `add = Add.apply`."""
        for alias, function in _APPLIED.findall(self._data) if b".apply" in self._data else ():
            if known := self._names.get(function):
                self._names[alias] = f"{self._module}.{alias.decode()}"
                self._called(self._names[alias]).add(known)

    def _names_in(self, body: bytes) -> Iterator[str]:
        """Yield the dotted names of what a piece of the source calls."""
        for part in body.translate(_SEPARATE).split(b"(")[:-1]:
            word = part[part.rfind(b" ") + 1 :]
            dotted = self._dotted(word, "") if b"." in word else self._names.get(word, "")
            if dotted:
                yield dotted.removesuffix(_APPLY)

    def _called(self, caller: str) -> set[str]:
        """Return the set of callees of a caller; the methods of this class add callees to the set."""
        return self._found.setdefault(caller, set())

    def _read_imports(self) -> None:
        for match in FROM.finditer(self._data):
            module = match[1].decode()
            if module.partition(".")[0] not in _OTHERS and self._is_first(match.start()):
                module = imported_from(module, self._path)
                self._need(match.start(), module)
                for one in NAMED.finditer(match[2]):
                    self._names[one[2] or one[1]] = f"{module}.{one[1].decode()}"
        for match in IMPORT.finditer(self._data):
            dotted = match[1].decode()
            root = dotted.partition(".")[0]
            if root not in _OTHERS and self._is_first(match.start()):
                self._names[match[2] or root.encode()] = dotted if match[2] else root
                self._need(match.start(), dotted)

    def _is_first(self, at: int) -> bool:
        """Return whether a word is the first of its line, and at most 200 characters from the line's start."""
        line = self._data.rfind(b"\n", max(0, at - 200), at)
        return line >= 0 and not self._data[line:at].strip()

    def _need(self, at: int, module: str) -> None:
        """Record a library that the file imports at module level."""
        if module.partition(".")[0] in self._libraries and self._data[at - 1 : at] == b"\n":
            self._needed.add(module)

    def _marks(self, imported: Mapping[bytes, str]) -> Iterator[tuple[str, str]]:
        """Yield pairs of names: an imported name that is used as a decorator or in `pytestmark`, with MARK before it;
        and a function or class of this file that is decorated with it, or the name MODULE.pytestmark, which stands for
        all functions and classes of this file."""
        for match in _MARKED.finditer(self._data):
            below = bisect_left(self._starts, match.end())
            if (dotted := imported.get(match[1])) and below < len(self._starts) and self._is_first(match.start()):
                yield MARK + dotted, self._callers[below]
        words = {word for match in _OF_FILE.finditer(self._data) for word in _WORD.findall(match[1])}
        if used := words & imported.keys():
            every = f"{self._module}.pytestmark"
            self._called(every).update(own for word, own in self._names.items() if word not in imported)
            yield from ((MARK + imported[word], every) for word in used)

    def _pieces(self) -> list[_Piece]:
        """Return the functions, classes and methods of the file. A function contains its nested functions; it ends at
        the next header, or at the next line at column 0 that is not inside brackets."""
        pieces: list[_Piece] = []
        around: list[_Piece] = []  # the classes and the function that the current line may be in
        data, counted, depth = self._data, 0, 0
        for match in _PIECE.finditer(data):
            at, (blank, is_class, name, rest) = match.start(), match.groups()
            if name is None:
                if around:
                    depth, counted = depth + _opened(data[counted:at]), at
                    if depth <= 0:
                        pieces[-1].end = at
                        around = []
                continue
            indent = len(blank)
            while around and around[-1].indent >= indent:
                around.pop()
            self._starts.append(at)
            if around and around[-1].bases is None:
                self._callers.append(around[-1].caller)
                continue
            if pieces:
                pieces[-1].end = min(pieces[-1].end, at)
            owner = around[-1].caller if around else ""
            caller = f"{owner or self._module}.{name.decode()}"
            if not owner and (not indent or name not in self._names):
                self._names[name] = caller
            self._callers.append(caller)
            piece = _Piece(caller, owner, name, indent, rest if is_class else None, match.end(3), len(data))
            pieces.append(piece)
            around.append(piece)
            counted, depth = at, 0
        return pieces

    def _read_pieces(self, pieces: list[_Piece]) -> None:
        """Find the callees of each function, class and method of the file."""
        data, names = self._data, self._names
        known, tests, skips = names.keys(), "test" in self._path, b"skip" in data
        needs = self._loads or b"torch.cuda" in data or b"torch.ops." in data
        for piece in pieces:
            owner, called = piece.owner, self._called(piece.caller)
            if piece.bases is not None:
                called.update(names[base] for base in _WORD.findall(piece.bases) if base in names)
            if owner and (piece.bases is not None or piece.name in _LIVING or piece.name.startswith(b"test")):
                self._called(owner).add(piece.caller)
            if self._needed:
                called.add(self._module)
            body = data[piece.start : piece.end]
            parts = [part[part.rfind(b" ") + 1 :] for part in body.translate(_SEPARATE).split(b"(")]
            words = set(parts)
            called.update([names[word] for word in words & known])
            if owner and b"cls" in words:
                called.add(owner)
            owner = owner if piece.bases is None else piece.caller
            called.update([dotted for word in words if b"." in word and (dotted := self._dotted(word, owner))])
            if b".apply" in body:  # `Function.apply(x)` runs the class `Function`; a module may have a function `apply`
                called.update([dotted[: -len(_APPLY)] for dotted in called if dotted.endswith(_APPLY)])
            if b")(" in body:  # `wrap(function)(x)`
                called.update([names[word] for word in _WRAPPED.findall(body) if word in names])
            for kept in _KEPT.findall(body) if tests else ():  # `self.layer = layers.Layer`
                called.add(self._dotted(kept, "") if b"." in kept else names.get(kept, ""))
            if b" else " in body:  # `layer = Fast if fast else Layer`
                called.update(names[word] for pair in _CHOSEN.findall(body) for word in pair if word in names)
            if b")." in body:  # `Layer(…).run()`
                results = [(of, word) for of, word in zip(parts, parts[1:]) if word[:1] == b"." and of in names]
                called.update([names[of] + word.decode() for of, word in results])
            called.discard("")
            if skips and not piece.owner and piece.bases is None and _GIVES_MARK.search(body):
                self._found[""].add(f"={piece.caller}")
            if (needs or b"import " in body) and (only := [*self._only_cudas(body)]) and not _ASKS.search(body):
                called.update(only)

    def _dotted(self, word: bytes, owner: str) -> str:
        """Return the dotted name for `word`, such as `ops.fast` or `self.run`, if its root is imported, defined in the
        file, or `self` or `cls` of the class `owner`; otherwise ""."""
        root, _, rest = word.partition(b".")
        if root in self._names:
            return f"{self._names[root]}.{rest.decode()}"
        return f"{owner}.{rest.decode()}" if owner and root in _OWNERS and b"." not in rest else ""

    def _only_cudas(self, body: bytes) -> Iterator[str]:
        """Yield the uses of CUDA in a piece of the source: names of `torch.cuda`, with the keywords of their call in
        parentheses, operators of `torch.ops`, and libraries that the piece imports."""
        for match in _OF_CUDA.finditer(body):
            given = _ARGUMENTS.match(body, match.end())
            keywords = ",".join(sorted(word.decode() for word in _KEYWORD.findall(given[1]))) if given else ""
            yield match[0].decode() + (f"({keywords})" if keywords else "")
        if self._loads and _LOADS.search(body):
            yield "torch.utils.cpp_extension.load"
        for pattern in (FROM, IMPORT) if b"import " in body else ():
            for match in pattern.finditer(body):
                module = match[1].decode()
                before = body[max(0, match.start() - 200) : match.start()].rstrip()
                if module.partition(".")[0] in self._libraries and not before.endswith(b"try:"):
                    yield module


def _opened(code: bytes) -> int:
    """Return how many more brackets a piece of code opens than it closes."""
    return sum(map(code.count, (b"(", b"[", b"{"))) - sum(map(code.count, (b")", b"]", b"}")))
