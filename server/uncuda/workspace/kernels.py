"""Finds facts about kernels in a file: modules that it builds for CUDA, and functions that run or compile a kernel, run
a program of NVIDIA's driver, or ask for the compute capability."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

from uncuda.byte_search import contains_any

_WORDS = (b"cpp_extension", b"import triton")
_REPORTED = (b"get_device_capability", b"nvidia-smi")  # rules find them, so that each file with one is concerned
_TOP = 8000
_NEAR = 40  # maximum number of characters between a call and the name of the program that it runs
_FAR = 2000  # maximum number of characters between a decorator and its function
_JIT = "@triton.jit"
# Each regular expression below begins with a literal, which is fast to search, and is compiled when it is first used.
_BUILT = r"xtension\(\s*(?:name\s*=\s*)?(?:[\"']([\w.]+)[\"']|(\w+)\b)"
_ALIAS = r"\n[ \t]*([\w.]+)[ \t]*=[ \t]*\w*CUDAExtension\b"
_VALUE = r"\n[ \t]*(\w+)[ \t]*=[ \t]*[\"']([\w.]+)[\"']"
# Find the name in `NAME[` and `NAME.apply(`. These two patterns search the reversed text, where the literal `[` or `(`
# comes first.
_RUNS = (r"\[(\w+)", r"\(ylppa\.(\w+)")
_DEF = r"\bdef[ \t]+(\w+)"
_TOP_DEF = r"\n(?:def|(class))[ \t]+(\w+)"
_END = r"\n[^\s#)]"
_TEST = r"\bif\b[^\n]*"
_ASKS = r"is_cuda|is_available|device\.type|\bHAS_|_available\b|(?:triton|kernel|_C) is (?:not )?None"
_LOAD = r"load(?:_inline)?\("
_BY_NAME = r"cpp_extension[ \t]+import\b([^\n]*)"
_KEPT = r"^(\w+)[ \t]*=[ \t]*(?:[\w.]*\.)?$"
_SOURCE = r"\.cu[\"']"
_LISTED, _END_OF_LIST = r"\n(\w+)[ \t]*(?::[^\n=]*)?=[ \t]*[\[(]", r"\n\S"
_MADE = r"\n[ \t]*(\w+)[ \t]*(?::[^\n=]*)?=([^\n=]*)(?<!,)(?=\n|$)"
_DRIVER = r"nvidia-smi[\"']"
_QUOTED = r"[#\"']"
_PROSE = r"\"{3}[\s\S]*?\"{3}|'{3}[\s\S]*?'{3}|#[^\n]*"
_CAPABILITY = "torch.cuda.get_device_capability("
# before the program: a call that raises an exception if the program does not exist
_RUN = r"(?:call|run|Popen|check_output)\(\s*\[?\s*[\"']$"
# a function with one of these handles a missing program
_CAREFUL = ("try:", "shell=True", "which(", "is_available")
# before the question for the capability, or beside it: the function may ask whether there is a device of CUDA
_TRY = "try:"
_TESTS, _DEVICES = r"\b(?:if|and|or|not|assert)\b", r"(?i:cuda|gpu|device)"
_RETURNS = r"\n[ \t]+return[ \t]+\w"


class Told(NamedTuple):
    """The facts that one file shows, e.g. which of its functions run a kernel. For the fields without a docstring, see
    the fields of the same names in `Project`."""

    extensions: frozenset[str] = frozenset()
    kernels: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    tried: frozenset[str] = frozenset()
    idioms: frozenset[str] = frozenset()
    """Facts that only portable projects need: whether the file creates packed sequences, from which modules it imports
    `*` or `torch`, and what it compiles with TorchScript."""
    calls: frozenset[str] = frozenset()
    """Which functions of the file call which (`calls.py`)."""
    users: frozenset[str] = frozenset()
    """The file's module and a library that it imports, which takes tensors only on CUDA and on the CPU
    (`importers.py`)."""
    device_makers: frozenset[str] = frozenset()
    devices_given: frozenset[str] = frozenset()
    """The file's module and a library with devices of its own to which it gives a device (`given_devices.py`)."""
    wrapped: frozenset[str] = frozenset()
    """What functions with autograd functions call (`calls.wrapped`)."""
    wrapping: frozenset[str] = frozenset()
    """The path of the file, if it has autograd functions that were not read because they matter only in a project that
    compiles extensions for CUDA."""
    patching: frozenset[str] = frozenset()
    """The path of the file, if its tests replace names of `torch.cuda` (`patched.py`)."""
    askers: frozenset[str] = frozenset()
    selectors: frozenset[str] = frozenset()
    models_stay: frozenset[str] = frozenset()
    """Why the program's models stay as they are, as far as the file shows (`kept_flags.py`)."""


UNTOLD = Told()


def told(data: bytes, path: str, concerned: bool = True) -> Told:
    """The facts about kernels that a file's bytes and name show. `concerned`: whether rules may have findings in the
    file; otherwise only its beginning, with the imports, is searched."""
    says = contains_any(data if concerned else data[:_TOP], _WORDS)
    says = says or (concerned and contains_any(data, _REPORTED))
    if not says and "cuda" not in path:
        return UNTOLD
    name = module_of(path)
    sources = frozenset({name} if ("_cuda" in name or "cuda_" in name) and path.endswith(".py") else ())
    if not says:
        return Told(sources=sources)
    text = data.decode("utf-8", "replace")
    kernels = frozenset(f"{name}.{kernel}" for kernel in _kernels(text)) if name else frozenset()
    askers = frozenset(f"{name}.{asker}" for asker in _askers(text)) if name else frozenset()
    return Told(frozenset(_built(text)), kernels, sources, askers=askers)


def _built(text: str) -> Iterator[str]:
    """Yield the names of modules that a build file compiles with `CUDAExtension`, given as a string or by a
    variable."""
    found = list(re.finditer(_BUILT, text)) if "CUDAExtension" in text else []
    if not found:
        return  # the file imports `CUDAExtension` but builds nothing with it
    aliases = set(re.findall(_ALIAS, "\n" + text))
    values = dict(reversed(re.findall(_VALUE, "\n" + text)))
    for match in found:
        name, variable = match.groups()
        start = match.start()
        while start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_."):
            start -= 1
        builder = text[start : match.start()] + "xtension"
        if builder.endswith("CUDAExtension") or builder in aliases:
            if name := values.get(variable, name):
                yield name


def module_of(path: str) -> str:
    """The last segment of the file's module name; "" if it has none."""
    pure = PurePath(path)
    return pure.parent.name if pure.name == "__init__.py" else pure.stem


def _kernels(text: str) -> Iterator[str]:
    """Names of functions and classes that run a kernel or nvidia-smi, of variables that hold a compiled module or an
    object of such a class, and, with "()" appended, names of functions that return a compiled module."""
    starts = (match.start() for match in re.finditer(re.escape(_JIT), text))
    found = (re.compile(_DEF).search(text, start, start + _FAR) for start in starts)
    jitted = {match[1] for match in found if match is not None}
    yield from jitted
    loads = list(_loads(text))
    for at in loads:
        if kept := re.match(_KEPT, text[text.rfind("\n", 0, at) + 1 : at]):
            yield kept[1]
    sources: set[str] | None = None  # the variables of the module with paths of CUDA's sources
    keepers: set[str] = set()
    runs = _runs(text) if jitted else []
    named = (match.start() for match in re.finditer(_DRIVER, text))
    driven = [at for at in named if re.search(_RUN, text[max(0, at - _NEAR) : at])]
    for match in re.finditer(_TOP_DEF, "\n" + text) if jitted or loads or driven else ():
        start = match.end() - 1
        end = re.compile(_END).search(text, start)
        body = text[start : end.start() if end else len(text)]
        drives = bisect_left(driven, start) < bisect_left(driven, start + len(body))
        if drives and not match[1] and not any(word in body for word in _CAREFUL):
            yield match[2]
        within = loads[bisect_left(loads, start) : bisect_left(loads, start + len(body))]
        if within:
            if match[1]:  # a class that compiles and keeps a kernel
                sources = _lists_of_sources(text) if sources is None else sources
                given = (text[at : min(at + _FAR, start + len(body))] for at in within)
                if re.search(_SOURCE, body) or any(not sources.isdisjoint(re.findall(r"\w+", one)) for one in given):
                    yield match[2]
                    keepers.add(match[2])
            elif re.search(_RETURNS, body):
                yield f"{match[2]}()"
        elif not jitted.isdisjoint(name for _, name in _between(runs, start, start + len(body))):
            if not any(re.search(_ASKS, test[0]) for test in re.finditer(_TEST, body)):
                yield match[2]
                if match[1]:
                    jitted.add(match[2])  # this name is an autograd function whose `apply` runs the kernel
    for match in re.finditer(_MADE, text) if keepers else ():
        if not keepers.isdisjoint(re.findall(r"\b(\w+)\(", match[2])):
            yield match[1]  # a variable that holds such a class's object: `kernels = Namespace(Loader())`


def _askers(text: str) -> Iterator[str]:
    """Yield the names of functions that ask for the compute capability, and for nothing before."""
    places = (match.start() for match in re.finditer(re.escape(_CAPABILITY), text))
    asking = [at for at in places if not re.search(_QUOTED, text[text.rfind("\n", 0, at) + 1 : at])]
    for match in re.finditer(_TOP_DEF, "\n" + text) if asking else ():
        start = match.end() - 1
        end = re.compile(_END).search(text, start)
        at = bisect_left(asking, start)
        if not match[1] and at < len(asking) and asking[at] < (end.start() if end else len(text)):
            line = text.find("\n", asking[at])
            before = text[start : line if line >= 0 else len(text)].replace(_CAPABILITY, "")
            lines = re.sub(_PROSE, "", before).split("\n")
            if not any(_TRY in line or (re.search(_TESTS, line) and re.search(_DEVICES, line)) for line in lines):
                yield match[2]


def _lists_of_sources(text: str) -> set[str]:
    """Return the variables of the module that hold the paths of CUDA's sources: `SOURCES = ["a.cpp", "a.cu"]`."""
    found: set[str] = set()
    text = "\n" + text
    for match in re.finditer(_LISTED, text):
        end = re.compile(_END_OF_LIST).search(text, match.end())
        if re.search(_SOURCE, text[match.end() : end.start() if end else len(text)]):
            found.add(match[1])
    return found


def _runs(text: str) -> list[tuple[int, str]]:
    """Return (offset, name) of names that are subscripted or whose `apply` is called, in order: `add_kernel[grid](x)`,
    `Add.apply(x)`."""
    backwards, size = text[::-1], len(text)
    matches = (match for pattern in _RUNS for match in re.finditer(pattern, backwards))
    return sorted((size - match.end(), match[1][::-1]) for match in matches)


def _between(runs: list[tuple[int, str]], start: int, end: int) -> list[tuple[int, str]]:
    return runs[bisect_left(runs, (start, "")) : bisect_left(runs, (end, ""))]


def _loads(text: str) -> Iterator[int]:
    """Yield the offsets where code compiles an extension at run time."""
    if "cpp_extension" in text:
        by_name = any(re.search(r"\bload", match[1]) for match in re.finditer(_BY_NAME, text))
        for match in re.finditer(_LOAD, text):
            before = text[match.start() - 1 : match.start()]
            if text.endswith("cpp_extension.", 0, match.start()):
                yield match.start()
            elif by_name and before not in (".", "_") and not before.isalnum():
                yield match.start()
