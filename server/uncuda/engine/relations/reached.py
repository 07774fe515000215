"""Finds skip marks and other conditions that skip pytest tests, if the skipped tests call functions of other files,
and these functions need what only CUDA has. Also finds conditions in tests that call such functions. The scan of the
project (`workspace/followed.py`) finds the functions that need CUDA."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ... import lazy_re
from ...checks import Hit
from ...checks.branches import Branches
from ...facts.scans import plain, uses
from ...module_names import agree, imported_from, is_test, module_at
from ...project import MARK
from .guarded import Held, over_words
from .kernels import Kernels, Libraries
from .marks import MODULE
from .parts import is_within
from .questions import Questions, Stretch, may_skip

_IMPORTS = "import "
_WHOLE = lazy_re.compile(r"[ \t]*(?:from|import)\b[^\\\"'(]*\Z")  # an import that certainly ends with its line
_WORDS = lazy_re.compile(r"\w+")
_FAR = 200  # maximum number of characters before the class in `self.layer = layers.Layer`
_KEPT = lazy_re.compile(r"(?:(?:self|cls)\.)?\w+[ \t]*=[ \t]*")


Imported = Sequence[tuple[str, str, int]]
"""The imports of a file whose names are in `Libraries.reached`: (full name, name in the file, offset of the import)."""


def imported_names(branches: Branches, libraries: Libraries) -> Imported:
    """Return the file's imports of names that need CUDA (`Libraries.reached`). Return () if the file has no tests that
    ask for CUDA and skips no pytest tests, and other files have no skip mark, such as `pytest.mark.skipif(…)`, that it
    could import."""
    if not libraries.reached or not (libraries.marks or _may_hold(branches)):
        return ()
    return tuple(_imported(branches, libraries))


def over_reached(
    imported: Imported, hits: Sequence[Hit], questions: Questions, branches: Branches, libraries: Libraries
) -> Iterator[Held]:
    """Yield the conditions that skip tests which call one of the `imported` functions, the conditions in such tests,
    and the conditions of skip marks that this file defines and that other files import for tests which call functions
    that need CUDA."""
    if not libraries.reached or not _may_hold(branches):
        return
    words = [(local, at) for known, local, at in imported if not known.startswith(MARK)]
    for held in over_words(words, hits, questions, branches, libraries):
        if questions.skips(held.question):
            yield held
    if words and is_test(branches.path):
        yield from _in_tests(words, hits, questions, branches, libraries)
        yield from _of_classes(words, questions, branches)
    own = module_at(branches.path)
    for known in libraries.marks if own else ():
        module, _, name = known.rpartition(".")
        if agree(own, module):
            yield from (Held(index, name, left=True) for index in questions.made_by(name))


def _may_hold(branches: Branches) -> bool:
    return may_skip(branches.says) or (is_test(branches.path) and branches.says("is_available"))


def _in_tests(
    words: Sequence[tuple[str, int]],
    hits: Sequence[Hit],
    questions: Questions,
    branches: Branches,
    libraries: Libraries,
) -> Iterator[Held]:
    """Yield the conditions in those functions of a file of tests that call one of `words`. A test which asks whether
    CUDA is available also runs without CUDA; if the condition were fixed, the test would call the function on the
    target's device: `for device in ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])`. What a test expects of a
    device, `assert device.type == "cuda"`, is no such condition."""
    kernels, asked = Kernels(branches.facts, hits, libraries, only=()), dict[int, list[int]]()
    for index in questions:
        if not _is_asserted(hits[index]) and next(questions.regions(index), None) is not None:
            asked.setdefault(_function(hits[index].start, branches), []).append(index)
    asked.pop(MODULE, None)
    found = dict.fromkeys(kernels.word(text, at) for text, at in words) if asked else ()
    for word in found:
        for place in kernels.uses(word._replace(left=True, called=True)):
            yield from (Held(index, word.text, left=True) for index in asked.pop(_function(place.at, branches), ()))


def _is_asserted(hit: Hit) -> bool:
    """Return whether a hit is a device string in an `assert`."""
    return (
        hit.rule.check == "string" and hit.statement is not None and is_within(hit.node, hit.statement, (ast.Assert,))
    )


def _of_classes(words: Sequence[tuple[str, int]], questions: Questions, branches: Branches) -> Iterator[Held]:
    """Yield the conditions that skip tests of a class which keeps one of `words` in an attribute, `self.layer =
    layers.Layer`; the methods of the class are assumed to call it."""
    marked = sorted(block for block in questions.marks if block != MODULE) if branches.says("class ") else []
    text, known = branches.text, set[int]()
    for word in dict.fromkeys(word for word, _ in words) if marked else ():
        for at in branches.facts.searches.find(("flag", word), uses(word, True)):
            line = branches.indents.header_at(at)
            branches.work.compare()
            if at - line.start > _FAR or _KEPT.fullmatch(text, line.start, at) is None:
                continue
            branches.work.search(at, line.end)
            if text[at + len(word) : line.end].strip():
                continue
            above = next((one.start for one in branches.indents.headers(at) if one.word == "class"), None)
            if above is not None and above not in known:
                known.add(above)
                for block in _between(marked, above, branches.indents.extent(above)):
                    yield from (Held(index, word, left=True) for index in questions.marks[block])


def _between(offsets: Sequence[int], start: int, end: int) -> Sequence[int]:
    return offsets[bisect_left(offsets, start) : bisect_left(offsets, end)]


def _function(at: int, branches: Branches) -> int:
    """Return the start of the outermost function around an offset; MODULE if there is none."""
    return next((line.start for line in reversed([*branches.indents.headers(at)]) if line.word == "def"), MODULE)


def behind_reached(imported: Imported, questions: Questions) -> Iterator[Stretch]:
    """Yield the spans of code in this file that an imported skip mark, such as `pytest.mark.skipif(…)`, skips. Only
    marks are considered whose condition no fix changes: `over_reached` yields it in the file that defines the mark."""
    for known, local, _ in imported:
        if known.startswith(MARK):
            yield from questions.marked_by(local)


def _imported(branches: Branches, libraries: Libraries) -> Iterator[tuple[str, str, int]]:
    facts, work, text = branches.facts, branches.work, branches.text
    for at in facts.searches.find(("text", _IMPORTS), plain(_IMPORTS)):
        start, end = facts.layout.line_start(at), facts.layout.line_break(at)
        work.search(start, end)
        if _WHOLE.match(text, start, end) and libraries.last_words.isdisjoint(_WORDS.findall(text, start, end)):
            facts.layout.reads_line(start)
            continue
        line = facts.indents.header_at(at)
        if line.word not in ("from", "import"):
            continue
        work.search(line.start, line.end)
        if libraries.last_words.isdisjoint(_WORDS.findall(branches.text, line.start, line.end)):
            continue
        statement = facts.peek(line.start)
        for binding in statement.digest.bindings if statement is not None else ():
            node, alias = binding.statement, binding.alias
            if alias is None or binding.kind not in ("import", "from"):
                continue
            dotted, local = alias.name, alias.asname or alias.name
            if isinstance(node, ast.ImportFrom):
                module = imported_from("." * node.level + (node.module or ""), branches.path)
                dotted = f"{module}.{alias.name}"
            for known in libraries.reached_below(dotted):
                yield known, local + known.removeprefix(MARK)[len(dotted) :], line.start
