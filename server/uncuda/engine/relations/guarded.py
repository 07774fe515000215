"""Finds conditions that ask for CUDA and must stay unchanged, because the code that they guard runs only on CUDA."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from ... import lazy_re
from ...checks import Hit, leaving
from ...checks.branches import Branches
from ...edits import SAFE
from ...facts.read import Statement
from ...facts.role_calls import last_word
from ...facts.scopes import Header
from .flags import CONDITIONS
from .kernels import Kernels, Libraries, Place, Word
from .looked_up import dictionaries, lookups
from .marks import MODULE
from .named_calls import named_calls
from .numbers import counts_left
from .parts import asking_parts, in_test
from .questions import COUNT, Questions
from .raising import constants_left, gpus_left, imports_left, raising, unsupported, words_left

_MOST = 64  # maximum number of names that are traced in one text
_NEAR = 200  # maximum number of characters of blank lines and indentation below such an assert
_CLOSE = 8  # maximum number of conditions, in asserts that follow one another, that stay for the same code
_CONDITIONAL = (ast.If, ast.While)
_APPLY = ".apply"
_IMPORT_FAILS = lazy_re.compile(r"ImportError|ModuleNotFoundError")
_SUPPRESS = lazy_re.compile(r"\bsuppress\(")
_NAME = lazy_re.compile(r"[A-Za-z_]\w*")
_TRIED = lazy_re.compile(r"^[ \t]*(\w+)[ \t]*=[ \t]*(?:True|False|None)\b", re.M)


Block = tuple[int, int]  # (offset of the block's header, -1 for the module; indentation of its lines)
# indices of hits that ask for CUDA, each with a flag: whether the branch for other devices only raises an exception
Answers = tuple[tuple[int, bool], ...]


class Held(NamedTuple):
    """A condition that stays unchanged (`question`: its index in the list of hits), and the reason: the code that needs
    CUDA."""

    question: int
    name: str
    """The name of the code that needs CUDA, as the file spells it."""
    raises: bool = False
    """Whether the branch for other devices only raises an exception, so that a person must write a branch for the
    target."""
    left: bool = False
    """Whether the code that needs CUDA is a call without a safe fix, instead of a kernel."""
    hit: Hit | None = None
    """If the code that needs CUDA is a call without a safe fix, and the condition guards this call directly: the hit at
    the call."""


def over_cuda(
    hits: Sequence[Hit],
    classes: Sequence[str | None],
    questions: Questions,
    branches: Branches,
    libraries: Libraries,
) -> Iterator[Held]:
    """Yield the conditions that guard code which runs only on CUDA. A condition is yielded once for each place that
    needs CUDA in the code that it guards. If a condition asks for the device and for a number of devices, as in `"cuda"
    in str(device) and device_count() > 1`, only the number is yielded, because the number alone keeps the code from
    running."""
    unfollowed = list(questions.unfollowed())
    if not unfollowed and not questions.may_guard() and not libraries.may_choose(branches.says):
        return
    kernels = Kernels(branches.facts, hits, libraries)
    kernels.places += map(_place_of, raising(hits, classes))
    kernels.places += map(_place_of, counts_left(hits, branches))
    kernels.places += named_calls(hits, branches.facts)
    left = (*words_left(hits, branches.facts), *gpus_left(branches.facts))
    kernels.places += [Place(at, word, True) for at, word in left]
    names = dict.fromkeys(constants_left(hits, classes, branches.facts))
    kernels.words += [Word(*name, left=True, value=True) for name in names]
    kernels.words += [kernels.word(name, at)._replace(left=True) for at, name in imports_left(hits, classes)]
    if kernels.words or kernels.places:
        name = kernels.words[0].text if kernels.words else kernels.places[0].name
        yield from (Held(index, name, left=True) for index in unfollowed)
        found = list(_Search(kernels, questions, branches).run())
        before = before_counts(hits, (held.question for held in found if questions.counts(held.question)))
        yield from (held for held in found if not held.left or held.question not in before)


def _place_of(hit: Hit) -> Place:
    """Return the place of a hit that no safe fix changes."""
    return Place(hit.start, hit.words.get("name", ""), True, hit)


def over_lookups(
    hits: Sequence[Hit], questions: Questions, branches: Branches, libraries: Libraries
) -> Iterator[tuple[Held, int]]:
    """Yield the conditions that guard lookups in a dictionary without an entry for the target, each with the index of
    the hit that reports the dictionary."""
    found = dictionaries(hits)
    if not found or not questions.may_guard():
        return
    names = Kernels(branches.facts, hits, libraries, only=())
    for index in found:
        places = [Place(at, name) for at, name in lookups(hits[index], branches.facts, names)]
        kernels = Kernels(branches.facts, hits, libraries, only=places)
        yield from ((held, index) for held in _Search(kernels, questions, branches).run())


def over_several(
    hits: Sequence[Hit],
    classes: Sequence[str | None],
    questions: Questions,
    branches: Branches,
    libraries: Libraries,
) -> Iterator[Held]:
    """Yield the conditions that ask for the number of CUDA devices and guard a call that needs several devices and has
    no safe fix, such as `DataParallel(model)`."""
    places = [*map(_place_of, unsupported(hits, classes))]
    if places and questions.may_guard():
        kernels = Kernels(branches.facts, hits, libraries, only=places)
        for held in _Search(kernels, questions, branches).run():
            if questions.counts(held.question):
                yield held


def over_strings(
    hits: Sequence[Hit], classes: Sequence[str | None], questions: Questions, branches: Branches
) -> Iterator[int]:
    """Yield the indices of comparisons with a device string that changes together with values of this file, and that
    guard a device string without a safe fix: below `solver_of("cuda")`, `if device == "cuda": return create("cuda")`.
    Such a comparison is no question, because the file itself says which value it finds."""
    left = sorted(hit.start for hit in raising(hits, classes) if hit.rule.check == "string")
    taken = {index for asked in questions.tests.values() for index in asked} if left else set[int]()
    branches.work.compare(len(hits))
    for index, hit in enumerate(hits) if left else ():
        if hit.rule.check != "string" or classes[index] != SAFE or index in taken or hit.statement is None:
            continue
        header = branches.indents.header_at(hit.statement.start)
        if header.word in ("if", "elif") and in_test(hit.node, hit.statement):
            at = bisect_left(left, header.end)
            if at < len(left) and left[at] < branches.indents.extent(header.start):
                if branches.asks_cuda(header.start, header.end) > 0:
                    yield index


def before_counts(hits: Sequence[Hit], asked: Iterable[int]) -> set[int]:
    """Return the indices of device strings with which a statement compares a variable before one of the hits `asked`,
    given by their indices, asks for the number of devices: `"cuda" in str(device) and device_count() > 1`. The
    condition must be false without devices, so not with `or` and not with `device_count() < 2`. Such a string changes
    with the other strings of the variable, also if the number stays."""
    counts = (hits[index] for index in asked if hits[index].words.get("name") == COUNT)
    ends = {hit.statement.start: hit.start for hit in counts if hit.statement is not None and _is_needed(hit)}
    linked = ((index, hit) for index, hit in enumerate(hits) if ends and hit.rule.check == "string" and hit.links)
    return {index for index, hit in linked if hit.statement and hit.start < ends.get(hit.statement.start, 0)}


def _is_needed(count: Hit) -> bool:
    """Return whether a condition is false if a number of devices in it is 0: the number, or a comparison which it
    cannot pass, is an operand of the `and` that is the whole condition."""
    inner = count.node
    for outer in count.statement.digest.ancestors(inner) if count.statement is not None and inner is not None else ():
        if isinstance(outer, ast.Compare):
            number, op = outer.comparators[0], outer.ops[0]
            least = {ast.Gt: 0, ast.GtE: 1, ast.Eq: 1}.get(type(op))
            value = number.value if isinstance(number, ast.Constant) else None
            if inner is not outer.left or len(outer.ops) > 1 or least is None or not isinstance(value, int):
                return False
            if value < least:
                return False
        elif isinstance(outer, ast.BoolOp):
            if not isinstance(outer.op, ast.And):
                return False
        elif isinstance(outer, ast.stmt):
            return True
        elif not (isinstance(outer, ast.Call) and outer.func is inner):
            return False
        inner = outer
    return False


def over_words(
    words: Sequence[tuple[str, int]],
    hits: Sequence[Hit],
    questions: Questions,
    branches: Branches,
    libraries: Libraries,
) -> Iterator[Held]:
    """Yield the conditions that ask for CUDA and guard calls of the names in `words`. `words` holds each name with the
    offset of its import."""
    if not words or not questions.may_guard():
        return
    kernels = Kernels(branches.facts, hits, libraries, only=())
    kernels.words = [kernels.word(text, at)._replace(left=True, called=True) for text, at in words]
    yield from _Search(kernels, questions, branches).run()


class _Search:
    def __init__(self, kernels: Kernels, questions: Questions, branches: Branches) -> None:
        self._kernels, self._questions = kernels, questions
        self._facts, self._text = branches.facts, branches.text
        self._indents, self._work = branches.indents, branches.work
        self._seen: set[Word] = set()
        self._values = 0  # number of names in `_seen` that hold a value, not a function; a value leads to no other name
        self._waiting: list[Word] = []
        self._marked: set[tuple[int, bool]] = set()  # see `_marks_around`
        self._led: dict[tuple[int, bool, bool], Answers] = {}
        self._first: dict[tuple[int, ast.BoolOp], tuple[int, list[int]]] = {}  # see `_asked_before`

    def run(self) -> Iterator[Held]:
        for word in self._kernels.words:
            self._follow(word)
        for place in self._kernels.places:
            yield from self._place(place)
        yield from self._required()
        while self._waiting:
            word = self._waiting.pop()
            for place in self._kernels.uses(word):
                if word.gives:
                    self._given(place)
                elif place.name.endswith(_APPLY):
                    self._bound(place)
                if word.chooses:
                    yield from self._answers_given(place)
                yield from self._place(place)

    def _follow(self, word: Word) -> None:
        if word not in self._seen and (word.value or len(self._seen) < _MOST + self._values):
            self._seen.add(word)
            self._values += word.value
            self._waiting.append(word)

    def _given(self, place: Place) -> None:
        """If the code at this place is a call that returns a compiled module, trace the names that hold the module."""
        statement = self._facts.peek(place.at)
        node = _node_at(place.at, statement) if statement is not None else None
        call = statement.digest.parents.get(node) if statement is not None and node is not None else None
        if statement is not None and isinstance(call, ast.Call) and call.func is node:
            for word in self._kernels.holders(call, statement):
                self._follow(word)

    def _answers_given(self, place: Place) -> Iterator[Held]:
        """Yield the conditions whose result the call at this place receives: `Upscaler(half=use_cuda)`."""
        statement = self._facts.peek(place.at)
        node = _node_at(place.at, statement) if statement is not None else None
        call = statement.digest.parents.get(node) if statement is not None and node is not None else None
        if statement is not None and isinstance(call, ast.Call) and call.func is node:
            yield from (_held(place, index) for index in self._questions.within(call, statement))

    def _bound(self, place: Place) -> None:
        """If a statement assigns the `apply` of an autograd function, as in `fast = Fast.apply`, trace the names to
        which it is assigned."""
        statement = self._facts.peek(place.at)
        node = _node_at(place.at, statement) if statement is not None else None
        if statement is None or node is None:
            return
        if isinstance(statement.digest.parents.get(node), (ast.Assign, ast.AnnAssign)):
            for word in self._kernels.holders(node, statement):
                self._follow(word._replace(left=place.left))

    @cached_property
    def _available(self) -> set[str]:
        """The names that tell whether a compiled module is available: the name of the module, and variables that are
        assigned in the `try` that imports it."""
        names = {
            word.text.partition(".")[0] for word in self._kernels.words if not word.text.startswith(("self", "cls"))
        }
        for place in self._kernels.places:
            for header in self._indents.headers(place.at) if place.hit is None else ():
                if header.word == "try":
                    end = self._indents.extent(self._indents.clauses(header)[-1].start)
                    self._facts.layout.reads(header.start, end)
                    names.update(_TRIED.findall(self._text, header.start, end))
        return names

    def _required(self) -> Iterator[Held]:
        """Yield the conditions that raise an exception on CUDA if a compiled module is missing: `if device.type ==
        "cuda" and cupy is None: raise`."""
        names = "|".join(map(re.escape, sorted(self._available))) if self._kernels.words else ""
        if not names:
            return
        missing = re.compile(rf"\bnot[ \t]+(?:{names})\b(?!\()|\b(?:{names})[ \t]+is[ \t]+None\b")
        for start in self._questions.conditions:
            header = self._indents.header_at(start)
            self._work.search(start, header.end)
            match = missing.search(self._text, start, header.end) if header.word in ("if", "elif") else None
            if match is not None and not self._facts.layout.token_at(match.start()) and self._questions.raises(header):
                yield from (Held(index, match[0]) for index in self._questions.of(header))

    def _place(self, place: Place) -> Iterator[Held]:
        """Yield the conditions that guard a place whose code runs only on CUDA. If no condition guards the place, the
        callers of the function that contains the place are searched."""
        line = self._indents.header_at(place.at)
        if place.hit is None and not self._may_ask(line):
            yield from self._climb(line, place)
            return
        statement = place.hit.statement if place.hit is not None else self._facts.peek(place.at)
        if statement is None:
            return
        node = place.hit.node if place.hit is not None else _node_at(place.at, statement)
        yield from (_held(place, index) for index in self._counted(line, node, statement))
        later = None
        if node is not None:
            found, later = self._in_expression(node, statement)
            if found:
                yield from (_held(place, index) for index in found)
                return
            if later is not None:
                for word in self._kernels.holders(later, statement):
                    self._follow(word._replace(left=place.left))
        if line.word in CONDITIONS and node is not None and not in_test(node, statement, _CONDITIONAL):
            if questions := self._questions.of(line):
                raises = self._else_raises(line)
                yield from (_held(place, index, raises) for index in questions)
                return
        yield from self._climb(line, place, later is not None)

    def _may_ask(self, line: Header) -> bool:
        """Whether a statement must be parsed to find conditions that guard parts of its expressions."""
        if line.start in self._questions.inside or self._questions.of(line):
            return True
        self._work.search(line.start, line.end)
        return self._text.find("lambda", line.start, line.end) >= 0

    def _in_expression(self, node: ast.AST, statement: Statement) -> tuple[list[int], ast.Lambda | None]:
        """Return the conditions that guard a node within its expression; also the lambda that contains the node, if the
        lambda runs later. A lambda that is passed to a call is assumed to run at once."""
        inner, later = node, None
        for outer in statement.digest.ancestors(node):
            self._work.compare()
            if isinstance(outer, ast.Lambda):
                given = isinstance(statement.digest.parents.get(outer), (ast.Call, ast.keyword))
                later = later if given else outer
            if found := self._asked_before(outer, inner, statement):
                return found, later
            if isinstance(outer, (ast.ListComp, ast.SetComp, ast.GeneratorExp)) and inner is outer.elt:
                filters = [test for generator in outer.generators for test in generator.ifs]
                if found := [index for test in filters for index in self._questions.within(test, statement)]:
                    return found, later
            inner = outer
        return [], later

    def _asked_before(self, outer: ast.AST, inner: ast.AST, statement: Statement) -> list[int]:
        """Return the hits that ask for CUDA and guard `inner`, a part of the expression `outer`; [] if there are none.
        For a conditional expression, return the hits in its condition; for `a and b` or `a or b`, return the hits in
        the first operand that asks for CUDA."""
        if not isinstance(outer, ast.BoolOp):
            return self._first_asked(outer, inner, statement)[1]
        key = statement.start, outer
        if key not in self._first:
            self._first[key] = self._first_asked(outer, outer.values[-1], statement)
        start, found = self._first[key]
        return found if start < statement.digest.span(inner)[0] else []

    def _first_asked(self, outer: ast.AST, last: ast.AST, statement: Statement) -> tuple[int, list[int]]:
        for part in asking_parts(outer, last, lambda node: self._questions.denies(node, statement)):
            self._work.compare(2)
            if found := self._questions.within(part, statement):
                return statement.digest.span(part)[0], found
        return 0, []

    def _climb(self, line: Header, place: Place, later: bool = False) -> Iterator[Held]:
        """Yield the nearest conditions around `place` that ask for CUDA. If the branch for other devices only raises an
        exception, for each condition found, also search for conditions around the calls of the function that contains
        `place`."""
        for index, raises in self._around(line, place, later):
            yield _held(place, index, raises)

    def _around(self, line: Header, place: Place, later: bool) -> Answers:
        """Return the conditions that `_climb` yields, each with a flag that tells whether the branch for other devices
        only raises an exception. The result is cached for each block.

        If the branches of a condition define a function for CUDA and one that works without CUDA, the condition guards
        the first function wherever it is called.
        """
        passed: list[tuple[int, bool, bool]] = []
        found: Answers = ()
        if line.word == "@" and (beside := self._marking(self._questions.decorated(line))):
            return beside
        while not (found := self._with_callers(self._above(line), place, later)):
            header = self._indents.header_above(line.start)
            key = (header.start if header is not None else MODULE, place.left, later)
            if key in self._led:
                found = self._led[key]
                break
            passed.append(key)
            if header is None:
                found = self._marking(MODULE) if later else ()
                break
            if self._handled(header, later) or (found := self._with_callers(self._asking(header), place, later)):
                break
            if header.word == "def" and not later:
                self._follow_around(line.start, place)
                later = True
            line = header
        if any(self._questions.skips(index) for index, _ in found):
            found = tuple(dict.fromkeys((*found, *self._marks_around(line.start, place.left))))
        self._led.update(dict.fromkeys(passed, found))
        return found

    def _with_callers(self, found: Answers, place: Place, later: bool) -> Answers:
        """Return `found`, the conditions around `place`. If `later` is True, leave out conditions whose branch for
        devices other than CUDA only raises an exception. If `later` is False, and the branch of every condition in
        `found` for devices other than CUDA only raises an exception, also search for conditions around the calls of the
        function that contains `place`. `later`: whether the conditions in `found` are outside of the function or lambda
        that contains `place`."""
        if later:
            return tuple(answer for answer in found if not answer[1])
        if found and all(raises for _, raises in found):
            self._follow_around(place.at, place)
        return found

    def _follow_around(self, at: int, place: Place) -> None:
        for word in self._kernels.function_around(at):
            self._follow(word._replace(left=place.left))

    def _handled(self, header: Header, later: bool) -> bool:
        """Return whether the search for conditions around a piece of code ends at this block: it ends at a block that
        handles a missing module, such as a `try` with an `except`, and at a class, whose methods are called from
        outside."""
        text, start, end = self._text, header.start, header.end
        if later and header.word not in CONDITIONS:
            return False
        if header.word == "try":
            handlers = [clause for clause in self._indents.clauses(header) if clause.word == "except"]
            # only the handlers of failed imports are read: reading more makes edits in them slow
            failed = (one for one in handlers if _IMPORT_FAILS.search(text, one.start, one.end))
            return len([one for one in failed if self._questions.raises(one)]) < len(handlers)
        if header.word == "with":
            return bool(_SUPPRESS.search(text, start, end))
        if header.word in CONDITIONS and not self._questions.of(header):
            return not self._available.isdisjoint(_NAME.findall(text, start, end)) and not self._else_raises(header)
        return header.word == "class"

    def _above(self, line: Header) -> Answers:
        """Find the last statement above a line, in the same block, that leaves the block on devices other than CUDA,
        such as `if not torch.cuda.is_available(): return`, with the asserts directly above it: `assert x.is_cuda` above
        `assert y.is_cuda`. Return the hits in their conditions that ask for CUDA, each with a flag that tells whether
        the statement leaves the block by an exception."""
        if not self._leaving:
            return ()
        block = self._block(line)
        leaving = self._leaving.get(block, ())
        at = bisect_left(leaving, (line.start, ()))
        return leaving[at - 1][1] if at else ()

    @cached_property
    def _leaving(self) -> dict[Block, list[tuple[int, Answers]]]:
        """Maps each block to the statements that leave it on devices other than CUDA, such as `if not
        torch.cuda.is_available(): return`. The statements are sorted; each is given as its start and the hits in its
        condition that ask for CUDA; those of the asserts directly above are included."""
        found: dict[Block, list[tuple[int, Answers]]] = {}
        for start in self._questions.conditions:
            header = self._indents.header_at(start)
            questions = self._questions.of(header)
            if header.word == "assert" and self._questions.polarity(header, questions) > 0:
                answers = tuple((index, True) for index in questions)
            elif header.word == "if" and self._questions.excludes(header, questions) and self._questions.leaves(header):
                raises = self._questions.raises(header)
                answers = tuple((index, raises) for index in questions)
            else:
                continue
            above = found.setdefault(self._block(header), [])
            if above and self._follows_assert(start, above[-1][0]):
                answers = tuple(dict.fromkeys((*answers, *above[-1][1])))[:_CLOSE]
            above.append((start, answers))
        return found

    def _follows_assert(self, start: int, above: int) -> bool:
        """Return whether the statement at `above` is an assert, with only blank lines between it and `start`."""
        line = self._indents.header_at(above)
        return line.word == "assert" and start - line.end <= _NEAR and not self._text[line.end : start].strip()

    def _block(self, line: Header) -> Block:
        """The block that contains a line."""
        above = self._indents.header_above(line.start)
        return above.start if above is not None else -1, line.indent

    def _asking(self, header: Header) -> Answers:
        """Return the conditions that ask for CUDA and decide whether a block runs, each with a flag that tells whether
        the branch for devices other than CUDA only raises an exception."""
        found = self._marking(header.start)
        if header.word not in CONDITIONS and header.word != "else":
            return found
        clauses = self._indents.clauses(header)
        for clause in clauses:
            if clause.start > header.start or clause.word not in CONDITIONS:
                continue
            asked = self._questions.of(clause)
            if not asked:
                continue
            if clause is header or clause.start == header.start:
                if self._questions.polarity(clause, asked) > 0:
                    raises = self._else_raises(clause)
                    found += tuple((index, raises) for index in asked)
            elif self._questions.excludes(clause, asked):
                raises = self._questions.raises(clause)
                found += tuple((index, raises) for index in asked)
        return found

    def _counted(self, line: Header, node: ast.AST | None, statement: Statement) -> Iterator[int]:
        """Yield the hits that ask for the number of CUDA devices in `for i in range(device_count())`, directly or
        through a variable, around a node of a statement in `line`: on other devices, such a loop never runs."""
        loops = (self._facts.peek(header.start) for header in self._loops(line))
        values = [(getattr(one.digest.piece.nodes[0], "iter", None), one) for one in loops if one is not None]
        for outer in statement.digest.ancestors(node) if node is not None else ():
            self._work.compare()
            values += [(one.iter, statement) for one in getattr(outer, "generators", ())]
        for value, where in values:
            if isinstance(value, ast.Call) and last_word(value.func) == "range":
                yield from (index for index in self._questions.within(value, where) if self._questions.counts(index))

    def _loops(self, line: Header) -> Iterator[Header]:
        """Yield the headers of the loops around a line, in the same function."""
        around = takewhile(lambda header: header.word not in ("def", "class"), self._indents.headers(line.start))
        return (header for header in around if header.word == "for")

    def _marking(self, block: int) -> Answers:
        """Return the conditions that ask for CUDA in the skip marks (such as `@pytest.mark.skipif`) of a function or
        class, or of the whole file."""
        return tuple((index, False) for index in self._questions.marks.get(block, ()))

    def _marks_around(self, at: int, left: bool) -> Iterator[tuple[int, bool]]:
        """Yield the conditions in the skip marks of all functions and classes around an offset, and of the file. All
        calls with the same `left` (see `Place.left`) together yield each condition only once."""
        if self._questions.marks:
            for block in (*(header.start for header in self._indents.headers(at)), MODULE):
                if (block, left) not in self._marked:
                    self._marked.add((block, left))
                    yield from self._marking(block)

    def _else_raises(self, header: Header) -> bool:
        """Return whether the code that runs instead of a block only raises an exception."""
        clauses = self._indents.clauses(header)
        others = [clause for clause in clauses if clause.start > header.start]
        if others:
            return all(self._questions.raises(clause) for clause in others)
        if header.word != "if" or not self._questions.leaves(header):
            return False
        start, end = self._questions.below(header)
        self._facts.layout.reads(start, end)
        return leaving.raises(self._text[start:end].lstrip())


def _held(place: Place, question: int, raises: bool = False) -> Held:
    return Held(question, place.name, raises, place.left, place.hit)


def _node_at(at: int, statement: Statement) -> ast.AST | None:
    """Return the node of the dotted name or string at an offset."""
    found = statement.digest
    said = [(chain.piece, chain.node) for chain in found.chains] + [(text.piece, text.node) for text in found.texts]
    for piece, node in said:
        start, end = piece.span(node)
        if start <= at - statement.start < end:
            return node
    return None
