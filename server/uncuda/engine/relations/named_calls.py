"""Finds calls whose names say that they run only on CUDA, through NCCL or with NVIDIA's driver: `_ext.cuda_stitch(x)`
beside `_ext.cpu_stitch(x)`, `ProcessGroupNCCL()` of another package than torch, and `nvmlInit()`. No fix renames
them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from ... import lazy_re
from ...checks import Hit
from ...facts.names import from_imports, plain_imports
from ...facts.read import Facts
from ...facts.scans import matches, word_before
from .kernels import Place
from .parts import is_covered, spans_of

# a name that only begins or ends with the word; names of NCCL; and the first function of NVML, which a file may have
# from `from pynvml import *`
_PATTERNS = {word: lazy_re.compile(rf"{word}(?:\w+|(?<=\w{word}))[ \t]*\(") for word in ("cuda", "cpu")}
_OF_NVIDIA = ("NCCL", "Nccl", "nvmlInit")
_PATTERNS.update({word: lazy_re.compile(rf"{word}\w*[ \t]*\(") for word in _OF_NVIDIA})
# what a compiled module is called; a module such as `utils` may be written in Python, and be ported itself
_COMPILED = lazy_re.compile(r"(?:.*\.)?(?:_?C|_\w+|\w*(?:ext|extension|kernels?|native|pybind|wrap)\w*)")
_DEFINES = ("class ", "def ")
_MANY = 100  # maximum number of such calls of a file that are looked at


def named_calls(hits: Sequence[Hit], facts: Facts) -> Iterator[Place]:
    """Yield the calls of functions of modules that are named like compiled ones, if the functions are named for CUDA
    and the file calls their twins for the CPU; the calls of imported classes that are named for NCCL and are not
    torch's; and those that start NVML."""
    yield from islice(_with_twin(facts), _MANY)
    yield from islice(_of_nvidia(hits, facts), _MANY)


def _with_twin(facts: Facts) -> Iterator[Place]:
    found = [call for call in _calls("cuda", facts) if call[1]]
    twins = {(owner, name) for _, owner, name in _calls("cpu", facts)} if found else set()
    found = [call for call in found if (call[1], call[2].replace("cuda", "cpu")) in twins]
    modules = dict((*from_imports(facts.searches), *plain_imports(facts.searches))) if found else {}
    for at, owner, name in found:
        module = modules.get(owner, "torch")
        if (_COMPILED.fullmatch(owner) or _COMPILED.fullmatch(module)) and not f"{module}.".startswith("torch."):
            yield Place(at, f"{owner}.{name}")


def _of_nvidia(hits: Sequence[Hit], facts: Facts) -> Iterator[Place]:
    found = [call for word in _OF_NVIDIA if facts.says(word) for call in _calls(word, facts) if not call[1]]
    bound = dict(from_imports(facts.searches)) if found else {}
    spans = spans_of(hits) if found else []
    for at, _, name in found:
        others = name[:1].isupper() and not bound.get(name, "torch.").startswith("torch.")
        if not is_covered(at, spans) and (others or (name == "nvmlInit" and "*" in bound)):
            yield Place(at, name)


def _calls(word: str, facts: Facts) -> Iterator[tuple[int, str, str]]:
    """Yield the calls of names that contain a word: the offset of the word, the name before the dot ("" if there is
    none), and the called name."""
    text = facts.text
    for at in facts.searches.find(("called", word), matches(_PATTERNS[word], word)):
        start = at - len(word_before(text, at))
        dotted = text[start - 1 : start] == "."
        owner = word_before(text, start - 1) if dotted else ""
        if (owner or not dotted) and not text[max(0, start - 6) : start].endswith(_DEFINES):
            if not facts.layout.token_at(at):
                yield at, owner, text[start : text.find("(", at)].rstrip()
