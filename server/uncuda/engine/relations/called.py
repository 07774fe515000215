"""Finds functions and constants that are used only in given spans of a file; their code runs only if code in these
spans runs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterator, Sequence

from ... import lazy_re
from ...facts.read import Facts
from ...facts.scans import plain, uses

Stretch = tuple[int, int]
Answer = Generator[int, "bool | None", bool]
"""A generator that returns whether the code at one offset runs only if code in the given spans runs. If the answer
depends on other code, the generator yields the offset of the other code, and its caller sends the answer for this
offset."""

_DEFINED = lazy_re.compile(
    r"(?:(?:async[ \t]+)?def[ \t]+(?P<def>[A-Za-z_]\w*)|(?P<constant>[A-Z_]\w*)[ \t]*(?::[^=\n]+)?=(?!=))"
)
_PLAIN = lazy_re.compile(r"@(?:contextlib\.)?contextmanager\b|@(?:functools\.)?(?:lru_)?cache\b")
"""Decorators that only wrap a function and register it nowhere, so that only its callers run it."""
_TESTS = lazy_re.compile(r"(?:.*[/\\])?test_\w*\.py|.*_test\.py")
_TEST = "test"
_CALL, _METHOD = "self.cuda(", "def cuda("
_QUOTES = "\"'"  # a name after the opening quote of a string counts as a use: `globals()["_run"]`
_MANY = 60  # maximum number of uses of a name that are checked


class OwnMethods:
    """Finds the methods `cuda` that code calls on its own object, `self.cuda()`. Where such a call does not run, the
    object stays on the CPU, with all that its method would move."""

    def __init__(self, facts: Facts) -> None:
        self._indents = facts.indents
        self._calls = facts.searches.find(("text", _CALL), plain(_CALL)) if facts.says(_CALL) else ()
        self._methods: dict[int, int] = {}  # the offset of the method's header, by that of its class
        for at in facts.searches.find(("text", _METHOD), plain(_METHOD)) if self._calls else ():
            scope = None if facts.layout.token_at(at) else self._indents.scope_of(at)
            if scope is not None and scope[1] == "class":
                self._methods[scope[0]] = self._indents.header_at(at).start

    def called_in(self, stretch: Stretch) -> Iterator[Stretch]:
        """Yield the spans of the methods that code in a span calls."""
        first, last = (bisect_left(self._calls, at) for at in stretch) if self._methods else (0, 0)
        for call in self._calls[first:last]:
            scope = self._indents.scope_of(call)
            while scope is not None and scope[1] != "class":
                scope = self._indents.scope_of(scope[0])
            if scope is not None and scope[0] in self._methods:
                method = self._methods[scope[0]]
                yield method, self._indents.extent(method)


class Called:
    """Finds the code of a file that runs only if code in given spans runs: the spans themselves, and functions and
    constants that are used only in these spans.

    Only module-level functions and constants that other files do not use are considered: names that begin with an
    underscore, and in test modules all names except those of tests.
    """

    def __init__(self, stretches: Sequence[Stretch], facts: Facts, path: str) -> None:
        self._starts, self._ends = _united(stretches)
        self._facts = facts
        self._tests = _TESTS.fullmatch(path) is not None
        self._known: dict[int, bool] = {}
        """The key is the start offset of a function or constant; the value tells whether only code in the spans
        `stretches` uses this function or constant."""

    def holds(self, at: int) -> bool:
        """Return whether the offset `at` is in one of the spans `stretches` that `__init__` received, or in a function
        or constant that is used only in these spans."""
        # functions that call each other in a long chain would exceed Python's recursion limit, so the generators that
        # wait for an answer are kept in a list
        waiting, answer = [self._held(at)], None
        while waiting:
            try:
                asked = waiting[-1].send(answer)
            except StopIteration as stop:
                waiting.pop()
                answer = stop.value
            else:
                waiting.append(self._held(asked))
                answer = None
        return bool(answer)

    def _held(self, at: int) -> Answer:
        """Compute the result of `holds` for the offset `at`. This is a generator: if the result depends on other code,
        it yields the offset of that code, and `holds` sends the result for that offset."""
        self._facts.work.compare()
        number = bisect_right(self._starts, at) - 1
        if number >= 0 and at < self._ends[number]:
            return True
        headers = list(self._facts.indents.headers(at))
        start = (headers[-1] if headers else self._facts.indents.header_at(at)).start
        if start not in self._known:
            # functions that use each other in a cycle count as used outside of the spans `stretches`, because the
            # preliminary result False ends the cycle
            self._known[start] = False
            self._known[start] = yield from self._is_called(start)
        return self._known[start]

    def _is_called(self, start: int) -> Answer:
        """Return whether the function or constant that starts at this offset is used only in the given spans, or in
        code that is itself used only there."""
        facts = self._facts
        match = _DEFINED.match(facts.text, start)
        name = (match["def"] or match["constant"]) if match is not None else ""
        if match is None or not (self._tests or name.startswith("_")) or name.startswith(_TEST):
            return False
        end = facts.indents.extent(start) if match["def"] else facts.layout.logical_line(start)[1]
        places = [at for at in facts.searches.find(("apart", name), uses(name, True)) if not start <= at < end]
        if not 0 < len(places) <= _MANY or not self._is_plain(start):
            return False
        used = False
        for at in places:
            if (yield at):
                used = True
            elif not self._is_prose(at):
                return False
        return used

    def _is_prose(self, at: int) -> bool:
        """Return whether the name at an offset is in a comment, or in a string but not directly after the opening
        quote."""
        return bool(self._facts.layout.token_at(at)) and self._facts.text[at - 1] not in _QUOTES

    def _is_plain(self, start: int) -> bool:
        """Return whether no decorator registers the function, so that only its callers run it."""
        return all(_PLAIN.match(self._facts.text, line.start) for line in self._facts.indents.decorators(start))


def _united(stretches: Sequence[Stretch]) -> tuple[list[int], list[int]]:
    """Return the starts and the ends of the spans, sorted; spans that overlap are united."""
    starts, ends = list[int](), list[int]()
    for start, end in sorted(stretches):
        if ends and start <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        elif start < end:
            starts.append(start)
            ends.append(end)
    return starts, ends
