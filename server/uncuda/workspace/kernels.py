"""What a file tells others of kernels: modules that it builds for CUDA, functions that run one or compile one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

_WORDS = (b"cpp_extension", b"import triton")
_TOP = 8000
_BUILT = re.compile(r"\b(CUDA|Cpp)Extension\(\s*(?:name\s*=\s*)?[\"']([\w.]+)[\"']")
_JITTED = re.compile(r"^[ \t]*@triton\.jit\b.{0,2000}?\bdef[ \t]+(\w+)", re.M | re.S)
_DEF = re.compile(r"^def[ \t]+(\w+)", re.M)
_END = re.compile(r"^[^\s#)]", re.M)
_ASKS = re.compile(r"is_cuda|is_available|device\.type|is None|is not None|\bHAS_|_available\b")
_LOADS = re.compile(r"cpp_extension\.load(?:_inline)?\(")
_LOADS_BY_NAME = re.compile(r"cpp_extension\.load(?:_inline)?\(|(?<![\w.])load(?:_inline)?\(")
_BY_NAME = re.compile(r"cpp_extension[ \t]+import\b[^\n]*\bload")
_KEPT = re.compile(r"^(\w+)[ \t]*=[ \t]*(?:[\w.]*\.)?$")
_RETURNS = re.compile(r"^[ \t]+return[ \t]+\w", re.M)


class Told(NamedTuple):
    """As the fields of `Project` of these names."""

    extensions: frozenset[str] = frozenset()
    kernels: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()


UNTOLD = Told()


def told(data: bytes, path: str, concerned: bool = True) -> Told:
    """What the bytes of a file, and its name, say of kernels; `concerned`: whether rules may find something in it.

    Of other files only the top, where imports stand, is searched.
    """
    says = any(word in data if concerned else data.find(word, 0, _TOP) >= 0 for word in _WORDS)
    if not says and "_cuda" not in path:
        return UNTOLD
    name = module_of(path)
    sources = frozenset({name} if "_cuda" in name and path.endswith(".py") else ())
    if not says:
        return Told(sources=sources)
    text = data.decode("utf-8", "replace")
    built: dict[str, set[str]] = {"CUDA": set(), "Cpp": set()}
    for match in _BUILT.finditer(text):
        built[match[1]].add(match[2])
    kernels = frozenset(f"{name}.{kernel}" for kernel in _kernels(text)) if name else frozenset()
    return Told(frozenset(built["CUDA"] - built["Cpp"]), kernels, sources)


def module_of(path: str) -> str:
    """The last name of the module that a file is; "" if it has none."""
    pure = PurePath(path)
    return pure.parent.name if pure.name == "__init__.py" else pure.stem


def _kernels(text: str) -> Iterator[str]:
    """Names that run a kernel, and with "()" those that give a compiled module."""
    jitted = set(_JITTED.findall(text))
    yield from jitted
    runs = re.compile(rf"\b(?:{'|'.join(sorted(jitted))})\[") if jitted else None
    loads = _LOADS_BY_NAME if _BY_NAME.search(text) else _LOADS
    if runs is None and not loads.search(text):
        return
    for match in loads.finditer(text):
        if kept := _KEPT.match(text[text.rfind("\n", 0, match.start()) + 1 : match.start()]):
            yield kept[1]
    for match in _DEF.finditer(text):
        end = _END.search(text, match.end())
        body = text[match.end() : end.start() if end else len(text)]
        if loads.search(body) and _RETURNS.search(body):
            yield f"{match[1]}()"
        elif runs is not None and runs.search(body) and not _ASKS.search(body):
            yield match[1]
