"""Optional imports: tells whether the code runs on without the missing module, or raises an exception later."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import partial
from itertools import islice

from .. import lazy_re
from ..facts.read import Statement
from ..facts.scans import plain
from . import leaving
from .amp_c_guards import ASKS, DEVICE, Guard, guard_of, only_raises, protected
from .base import Context, Hit
from .branch_words import last_of
from .optional_needs import DENIES, OptionalNeeds
from .optional_uses import IMPORTED_AS, OptionalUses

LEFT_OUT = "left-out"
"""The id in rules/limits.tsv of the sentence that says that the program can go on without an optional module."""
NEEDED = "needed-later"
"""The id in rules/limits.tsv of the sentence about a module without which the file raises an exception later."""
UNTESTED = "used-untested"
"""The id in rules/limits.tsv of the sentence that says that the file uses an optionally imported name without asking
whether the import worked."""
_WORD = lazy_re.compile(r"[A-Za-z_]\w*")
_AND = lazy_re.compile(r"\band\b")
_ASKED = lazy_re.compile(r"\bis_([a-z]{2,6})_available\b")
_IMPORTED = lazy_re.compile(r"\bimport\b([^\n]*)")
_CALLED = lazy_re.compile(r"\b(is_\w+_available)\(\)")
# these short names are modules of their own, not abbreviations of a longer name
_MODULES = frozenset({"jax", "tf", "torch"})
_SKIPS = "importorskip("
_SKIPPED = lazy_re.compile(r"[\"'](\w+(?:\.\w+)*)[\"']")
_DOTTED = lazy_re.compile(r"\w+(?:\.\w+)*")
_APART = lazy_re.compile(r"[\W_]+")
# The words that a name may contain besides the library's name if it asks for the whole library: `has` in `has_apex`. A
# name with a word that is not in this set, such as `gemm` in `has_apex_gemm`, asks for a part of the library.
_ASKING = frozenset({"", "available", "has", "have", "installed", "is", "use", "with"})
# maximum number that is checked of each: the `if` statements above a block, the blocks around an offset, the lists that
# an `except` block fills, and the uses of a library
_MANY = 20
_SUPPRESSES = lazy_re.compile(r"\bsuppress\([^)\n]*\b(?:ImportError|ModuleNotFoundError|Exception)\b")


class Fallbacks:
    """Finds optional imports in one source file. Call `learn` for every import before calling `lowered`."""

    def __init__(self, context: Context) -> None:
        self._context, self._indents, self._text = context, context.facts.indents, context.text
        self._guards: dict[int, Guard | None] = {}
        self._flags: dict[str, set[str]] = {}
        self._siblings: dict[int, bool] = {}  # by the start of a `try`: whether it imports all names in `Guard.flags`
        self._needs, self._uses = OptionalNeeds(context), OptionalUses(context)

    def learn(self, module: str, statement: Statement) -> None:
        """Record the variables that tell whether the import of a module worked, such as `has_apex`."""
        guard = self._tried(statement)
        if guard is not None and not guard.raises:
            self._flags.setdefault(module, set()).update(guard.flags)

    def lowered(self, hit: Hit, module: str, tried: bool = True, of_part: bool = False) -> Hit:
        """Return the hit at an import or a use; its severity is "information" if the code runs on without the module.

        The severity is at most "warning" if the file raises an exception later because the module is missing, or uses
        the module without asking whether it is there. `tried`: whether the hit counts as optional if its statement is
        in a `try`. `of_part`: whether the target has the library of the module, but lacks the module. If the
        target has the library, a condition that asks for the library (`has_x()`) is true on the target and does not
        make the module optional; only a condition that asks for the module itself (`has_x_gemm()`) makes it optional.
        """
        rule, statement = hit.rule, hit.statement
        if statement is None or rule.severity == "information":
            return hit
        guard = self._tried(statement) if tried else None
        if guard is not None and not guard.raises:
            needed = any(self._needs.needs(flag, statement) for flag in guard.flags)
            if needed or any(self._needs.refuses(name, statement) for name in islice(sorted(guard.lists), _MANY)):
                return _needed(hit)
            used = self._uses.untested(hit, module, "try", guard) or self._unbound(hit, statement, guard)
        elif (asked := self._asked(module, statement, of_part)) is None:
            return hit
        elif any(map(self._needs.needs, _CALLED.findall(asked))):
            return _needed(hit)
        else:
            used = self._uses.untested(hit, module, "if", Guard(frozenset()))
        if not used:
            return hit._replace(severity="information", limits=(*hit.limits, LEFT_OUT))
        return _needed(hit, NEEDED if self._are_asked_for(module, used) else UNTESTED)

    def _tried(self, statement: Statement) -> Guard | None:
        """The `try` or `suppress` around a statement, inside the same function; computed once for each block."""
        own = self._indents.header_at(statement.start)
        above = self._indents.header_above(statement.start)
        key = statement.start if own.word == "try" or above is None else above.start
        if key not in self._guards:
            self._guards[key] = guard_of(self._context, statement, ("try",)) or self._suppressed(statement)
        return self._guards[key]

    def _suppressed(self, statement: Statement) -> Guard | None:
        for header in self._indents.headers(statement.start):
            if header.word in ("def", "class"):
                return None
            if header.word == "with" and _SUPPRESSES.search(self._text, header.start, header.end):
                return Guard(frozenset())
        return None

    def _asked(self, module: str, statement: Statement, of_part: bool) -> str | None:
        """Return what keeps a statement from running without the module: the condition of an enclosing `if`, or "" for
        an earlier statement, such as `pytest.importorskip("x")`. Return None if there is neither, or if the `else` of
        the `if` only raises an exception."""
        start = statement.start
        if self._is_skipped(module, start, of_part) or self._left_without(module, start, start, of_part):
            return ""
        for header in self._indents.headers(start):
            if header.word in ("def", "class"):
                return None
            if (condition := self._needs.granted(header)) and self._asks(module, condition, of_part):
                other = self._indents.clauses(header)[-1]
                return condition if other.word != "else" or not only_raises(self._context, other) else None
            if self._left_without(module, header.start, start, of_part):
                return ""
        return None

    def _is_skipped(self, module: str, offset: int, of_part: bool) -> bool:
        """Return whether `pytest.importorskip("x")` for the module is an earlier statement of the same block or of an
        enclosing one."""
        facts, root = self._context.facts, module.partition(".")[0]
        skips = facts.searches.find(("text", _SKIPS), plain(_SKIPS))
        for at in skips[: bisect_left(skips, offset)]:
            facts.work.compare()
            named = _SKIPPED.match(self._text, at + len(_SKIPS))
            if named is None or named[1].partition(".")[0] != root or (of_part and named[1] == root):
                continue
            if not facts.layout.token_at(at) and self._above(at, offset):
                return True
        return False

    def _left_without(self, module: str, block: int, offset: int, of_part: bool) -> bool:
        """Return whether `offset` is below an `if` that leaves the block if the module is missing: `if not
        is_x_available(): return`. `block`: an offset in the block that contains the `if`."""
        facts = self._context.facts
        if not facts.says("available"):
            return False
        for line in islice(self._indents.lines_above(block, "if"), _MANY):
            condition = self._text[line.start : line.end]
            if not DENIES.search(condition) or not self._is_enough(condition[len(line.word) :], offset):
                continue
            if self._asks(module, condition[len(line.word) :], of_part):
                last = last_of(line, facts)
                return leaving.leaves(last) and not leaving.raises(last)
        return False

    def _is_enough(self, condition: str, offset: int) -> bool:
        """Return whether the code at an offset does not run if the module is missing. If the condition has several
        parts, as in `if fast and not has_x(): return`, the code at the offset must be in blocks whose conditions
        contain the other parts (`fast`)."""
        if len(parts := _terms(condition)) == 1:
            return True
        headers = list(islice(self._indents.headers(offset), _MANY))
        self._context.facts.work.search(0, len(condition) * (1 + len(headers)))
        granted = {term for header in headers for term in _terms(self._needs.granted(header))}
        others = [part for part in parts if part not in granted]
        return len(others) == 1 and DENIES.search(others[0]) is not None

    def _above(self, at: int, offset: int) -> bool:
        """Return whether the statement at `at` runs before the one at `offset`, because it is earlier in the same block
        or in an enclosing one."""
        above = self._indents.header_above(at)
        return above is None or any(header == above for header in self._indents.headers(offset))

    def _asks(self, module: str, condition: str, of_part: bool) -> bool:
        self._context.facts.work.search(0, 4 * len(condition))
        if not self._flags.get(module, set()).isdisjoint(_WORD.findall(condition)):
            return True
        root, said = module.partition(".")[0].lower(), condition.lower()
        if root == "cuda" or not ASKS.search(condition):
            return False
        named = root if root in said else next(filter(partial(_is_short_for, root), _ASKED.findall(said)), "")
        if not named or DEVICE.search(said.replace(named, "")) is not None:
            return False
        words = (word.replace(named, "", 1) for word in _DOTTED.findall(said) if named in word)
        return not of_part or any(not _ASKING.issuperset(_APART.split(word)) for word in words)

    def _unbound(self, hit: Hit, tried: Statement, guard: Guard) -> Sequence[int]:
        """For a handler that binds some names of its `try` to None, but leaves the imported name of the hit unbound:
        return the offsets at which the file uses the unbound name without a condition on one of the
        names that are None."""
        block, imported = self._needs.block_of(tried), IMPORTED_AS.fullmatch(self._text, hit.start, hit.end)
        if imported is None or not guard.flags or guard.fallbacks or imported[1] in guard.flags:
            return ()
        if block.start not in self._siblings:
            text = self._text[block.start : block.stop]
            self._context.facts.work.search(0, 2 * len(text))
            self._context.facts.layout.reads(block.start, block.stop)
            names = {name for line in _IMPORTED.findall(text) for name in _WORD.findall(line)}
            self._siblings[block.start] = guard.flags <= names
        if not self._siblings[block.start]:
            return ()
        return [at for at in self._uses.raising(imported[1], block)[:_MANY] if not self._is_after(guard, at, block)]

    def _is_after(self, guard: Guard, at: int, block: range) -> bool:
        """Return whether the code at the offset `at` runs only after a condition that reads a variable of
        `guard.flags`."""
        statement = self._context.facts.peek(at)
        if statement is None or protected(self._context, statement, set(guard.flags)):
            return True
        return any(self._needs.is_behind(flag, at, block) for flag in guard.flags)

    def _are_asked_for(self, module: str, places: Sequence[int]) -> bool:
        """Return whether all code at these offsets is behind a setting with the module's name: `if
        self.use_liger_kernel:`."""
        return len(places) <= _MANY and all(self._is_asked_for(module.partition(".")[0], at) for at in places)

    def _is_asked_for(self, root: str, at: int) -> bool:
        conditions = map(self._needs.granted, islice(self._indents.headers(at), _MANY))
        return any(root in word for condition in conditions for word in _WORD.findall(condition))


def _terms(condition: str) -> list[str]:
    """The operands of `and` in a condition."""
    return [term.strip(" \t\n:") for term in _AND.split(condition)]


def _is_short_for(name: str, short: str) -> bool:
    """Return whether a word is a name with some letters left out: `bnb` for `bitsandbytes`."""
    letters = iter(name)
    return short not in _MODULES and short[0] == name[0] and all(letter in letters for letter in short)


def _needed(hit: Hit, limit: str = NEEDED) -> Hit:
    severity = "warning" if hit.rule.severity == "error" else hit.rule.severity
    return hit._replace(severity=severity, limits=(*hit.limits, limit))
