"""Finds conditions that ask for CUDA and choose a library, or an algorithm of one, by its name: `if x.is_cuda:
implementation = "warp"`; and conditions that choose the project's own package for CUDA or CUTLASS: `from .cuda import
Linear`."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import PurePath

from ... import lazy_re
from ...checks import Hit
from ...checks.branches import Branches
from ...facts.layout import Layout
from ...facts.role_calls import last_word
from ...facts.scans import matches
from ...module_names import is_test
from .guarded import over_words
from .kernels import Libraries
from .parts import is_covered, spans_of
from .questions import Questions

_DRIVERS = frozenset({"gesvda", "gesvdj"})
"""The names of algorithms that only cuSOLVER has; `torch.linalg.svd(driver=…)` takes them for tensors on CUDA only."""
_PACKAGES = frozenset({"cuda", "cutlass"})
"""The names of packages in which a project keeps its code for CUDA."""
_OF_DEVICES = frozenset({"name", "string", "method"})
_RESULT = lazy_re.compile(r"\)\.cuda\.\w")
_TF32 = lazy_re.compile(r"""(?:["']tf32["']\]?[ \t]*[:=]|(?<=[(,][ \t])tf32=|(?<=[(,])tf32=)[ \t]*True\b""")
_TRITON, _MANY = "triton", 50  # _MANY: the maximum number of operands of an `and` that are read
_FOREIGN = frozenset({"cupy", "jax", "lightning", "numba", "pytorch_lightning", "torch", "triton", "tvm"})
"""Libraries with a module of such a name; a test imports the project by its full name."""
_IMPORTS = (
    lazy_re.compile(r"from[ \t]+[.\w]*\b(?:cuda|cutlass)\b[.\w]*[ \t]+import\b"),
    lazy_re.compile(r"import[ \t]+(?:[\w., \t]*[., \t])?(?:cuda|cutlass)\b"),
)
_SHOWS = lazy_re.compile(r"[ \t]*(?:print|warn|\w*log\w*\.\w+|warnings\.\w+)\(")


def over_named(hits: Sequence[Hit], questions: Questions, branches: Branches, libraries: Libraries) -> Iterator[int]:
    """Yield the indices of conditions that guard a string which is the name of a library that takes no tensors of the
    target (`Libraries.named`), or of an algorithm of cuSOLVER. The target's table says so of these libraries. Also
    yield those that guard an import from a module of the project that is called `cuda` or `cutlass`, or is in such a
    package, and those that guard uses of the imported names; in a file of tests, also of names that are imported
    without a condition. Also yield those that guard `_torch().cuda.synchronize()`, or that turn on TF32 for
    transformers' `TrainingArguments`, which refuses it without CUDA: `arguments["tf32"] = True`."""
    if not questions.may_guard():
        return
    imports = set(_imports(branches))
    places = sorted({*_named(branches, libraries.named), *imports, *_unread(hits, branches), *_refused(branches)})
    chosen = imports.copy() if is_test(branches.path) else set[int]()
    for index in questions if places else ():
        for start, end in questions.regions(index):
            branches.work.compare(1 + len(places).bit_length())
            at = bisect_left(places, start)
            if at < len(places) and places[at] < end:
                chosen.update(imports.intersection(places[at : bisect_left(places, end)]) if imports else ())
                yield index
                break
    statements = (branches.facts.peek(at) for at in sorted(chosen))
    words = [(one.name, found.start) for found in statements if found is not None for one in found.digest.bindings]
    for held in over_words(words, hits, questions, branches, libraries) if words else ():
        yield held.question


def beside_triton(hits: Sequence[Hit], questions: Questions) -> Iterator[int]:
    """Yield the indices of questions for CUDA that an `and` or `or` joins with a question whether Triton is there:
    `TRITON_AVAILABLE and q.is_cuda`. The answer chooses kernels, perhaps in another file."""
    for index in questions:
        hit = hits[index]
        parents = hit.statement.digest.parents if hit.statement is not None else {}
        outer = hit.parent
        while isinstance(outer, (ast.Call, ast.Compare, ast.UnaryOp)):
            outer = parents.get(outer)
        values = outer.values[:_MANY] if isinstance(outer, ast.BoolOp) else ()
        plain = (value.operand if isinstance(value, ast.UnaryOp) else value for value in values)
        if any(_TRITON in last_word(value).lower() for value in plain):
            yield index


def beside_own(hits: Sequence[Hit], questions: Questions, branches: Branches) -> Iterator[int]:
    """Yield the indices of the hits at names, device strings and methods, if a condition that asks for CUDA chooses the
    project's code for CUDA for the whole file: `if torch.cuda.is_available(): from .cuda import norm`. On the target
    the file uses the other code, perhaps for the CPU."""
    imports = [at for at in _imports(branches) if branches.indents.scope_start(at) < 0] if questions.may_guard() else []
    regions = (region for index in (questions if imports else ()) for region in questions.regions(index))
    if any(start <= at < end for start, end in regions for at in imports):
        yield from (index for index, hit in enumerate(hits) if hit.rule.check in _OF_DEVICES and hit.is_safe)


def _named(branches: Branches, names: frozenset[str]) -> Iterator[int]:
    layout = branches.facts.layout
    found = branches.facts.searches.find(("named", names), matches(_pattern(names))) if names else ()
    for at in found:
        if _begins(at, layout) and not _is_shown(at, branches):
            yield at


def _unread(hits: Sequence[Hit], branches: Branches) -> Iterator[int]:
    """Yield the offsets of calls of `torch.cuda` on the result of a function that no rule understands:
    `_torch().cuda.synchronize()`."""
    facts = branches.facts
    found = facts.searches.find(("unread", _RESULT), matches(_RESULT, ".cuda.")) if branches.says(").cuda.") else ()
    spans = spans_of(hits) if found else []
    for at in found:
        if not facts.layout.token_at(at) and not is_covered(at, spans):
            yield at


def _refused(branches: Branches) -> Iterator[int]:
    """Yield the offsets at which a dictionary gets the key "tf32", or a call the keyword, with the value True."""
    facts = branches.facts
    found = facts.searches.find(("refused", _TF32), matches(_TF32, "tf32")) if branches.says("tf32") else ()
    yield from (at for at in found if _begins(at, facts.layout))


def _begins(at: int, layout: Layout) -> bool:
    """Return whether a string literal, or code, begins at an offset: it is inside of no string and no comment."""
    return at > 0 and not layout.token_at(at - 1) and layout.token_at(at) != "#"


def _imports(branches: Branches) -> Iterator[int]:
    """Yield the starts of statements that import from the project's packages for CUDA."""
    facts = branches.facts
    for pattern in _IMPORTS if branches.says("import") else ():
        for at in facts.searches.find(("imports", pattern), matches(pattern, "import")):
            statement = None if facts.layout.token_at(at) else facts.peek(at)
            nodes = statement.digest.piece.nodes if statement is not None else ()
            facts.work.compare(1 + len(nodes))
            if statement is not None and any(_is_of_package(node, branches.path) for node in nodes):
                yield statement.start


def _is_of_package(node: ast.AST, path: str) -> bool:
    """Return whether a statement imports a package of the project for CUDA, or something from it."""
    if isinstance(node, ast.ImportFrom):
        names = [f"{node.module or ''}.{alias.name}" for alias in node.names]
        own = bool(node.level)
    else:
        names, own = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [], False
    for parts in (name.split(".") for name in names):
        known = own or parts[0] in PurePath(path).parts[:-1] or (is_test(path) and parts[0] not in _FOREIGN)
        if known and not _PACKAGES.isdisjoint(parts if own else parts[1:]):
            return True
    return False


def _is_shown(at: int, branches: Branches) -> bool:
    """Return whether a string is in a message, such as that of a `raise`."""
    line = branches.indents.header_at(at)
    branches.work.search(line.start, line.end)
    return line.word in ("raise", "assert") or _SHOWS.match(branches.text, line.start, line.end) is not None


@cache
def _pattern(names: frozenset[str]) -> re.Pattern[str]:
    """Return a pattern for a string literal that is one of the names, or one of _DRIVERS."""
    return re.compile(rf"""(?<![\w"'\\])(["'])(?:{"|".join(sorted(map(re.escape, names | _DRIVERS)))})\1""")
