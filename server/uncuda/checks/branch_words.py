"""Tells whether a piece of source names the target, and whether the author or one of uncuda's fixes wrote this name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from heapq import merge
from weakref import WeakMethod

from .. import lazy_re
from ..byte_search import contains
from ..catalogue import Target
from ..facts.changes import Scan
from ..facts.layout import Layout, without_comments
from ..facts.read import Facts
from ..facts.scopes import Header, IndentScopes
from . import leaving
from .target_variants import condition_of, said_for, words_for

_CUDA = lazy_re.compile(r"(?<![A-Za-z])(?:cuda|nccl|gpu)", re.I)
_COMPARED = lazy_re.compile(r"([\w.]+(?:\([\w.]*\))?)[ \t]*(?:==|in\b)")
_LISTED = lazy_re.compile(r"\bin[ \t]*[(\[{]([^()\[\]{}]*)[)\]}]")
_WIDEST = 200  # maximum number of bytes from the start of a line, or of a block, to the end of its first word
_CUDA_NAMES = ("cuda", "nccl", "gpu")
_OF_ALL = r"(?:(?:all|any)[ \t]*\([\s\[(]*)?"
_COMPARED_WITH = r"[\w.]+(?:(?:\[[^\[\]]*\]|\([^()]*\))[\w.]*)*(?:[ \t]*==[ \t]*|(?<=\.startswith)\([ \t]*)"
_SAID = lazy_re.compile(r"^[ \t]*(?:raise|print|warnings?\.|log\w*\.|logging\.|self\.log\w*\.)[^\n]*$", re.M)


def _named(words: tuple[str, ...]) -> Scan:
    """Return a function that searches a text for words that have no letter next to them, whatever their case. This
    function finds the same words as the pattern `BranchWords._serves`, but takes less time."""

    def scan(text: str, start: int, end: int) -> Iterator[int]:
        lowered = text[start:end].lower()
        return iter(sorted(start + at for word in words for at in _alone(lowered, word)))

    return scan


def _alone(text: str, word: str) -> Iterator[int]:
    """Yield the offsets of a word that has no lowercase letter directly before or after it."""
    at = text.find(word)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(word) : at + len(word) + 1]
        if not ("a" <= before <= "z" or "a" <= after <= "z"):
            yield at
        at = text.find(word, at + 1)


@lru_cache(maxsize=16)
def _asking(names: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Two patterns: one finds any of the device names, one finds a condition that excludes one of them: `!= "npu"`,
    `not all(device.type == "npu" for device in devices)`."""
    words = "|".join(map(re.escape, names))
    named = rf"[\w.\"']*(?<![A-Za-z])(?:{words})(?![A-Za-z])"
    negated = (
        rf"\bnot[ \t(]+{_OF_ALL}(?:{_COMPARED_WITH})?{named}|!=[ \t]*(?:(?:torch\.)?device\([ \t]*)?{named}"
        rf"|\bnot[ \t]+in[ \t]*[\[({{][^\])}}]*{named}"
        rf"|{named}[\w.]*[\"']?(?:\([^()]*\))?[ \t]*"
        r"(?:not[ \t]+in\b|!=(?![ \t]*(?:False|None|0|-1)\b)|(?:==|is)[ \t]*(?:False|None|0|-1)\b|<[ \t]*[01]\b)"
    )
    return re.compile(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])", re.I), re.compile(negated, re.I)


@lru_cache(maxsize=16)
def _twice_negated(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for negations of a name that itself denies one of the device names: `not args.no_cuda`."""
    words = "|".join(map(re.escape, names))
    return re.compile(rf"\bnot[ \t(]+[\w.]*(?<![A-Za-z])(?:disable|no|skip|without)_(?=(?:{words})(?![A-Za-z]))", re.I)


@lru_cache(maxsize=16)
def _written(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for the words that uncuda's fixes write."""
    ordered = sorted(filter(None, words), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, ordered))})(?!\w)")


@lru_cache(maxsize=1024)
def asks(condition: str, names: tuple[str, ...]) -> int:
    """Return what a condition asks for: 1 for a device in `names`, -1 for any device not in `names`, 0 for neither."""
    named, negated = _asking(names)
    if not named.search(condition):
        return 0
    return -1 if negated.search(_twice_negated(names).sub("", condition)) else 1


def names_of(target: Target) -> tuple[str, ...]:
    """The names that uncuda's fixes write for the target: its device, such as "npu", and its collective library."""
    return tuple(target.words[key] for key in ("device", "ccl") if target.words.get(key))


def _fixed(target: Target) -> re.Pattern[str]:
    """Return a pattern for all words that uncuda's fixes write for a target."""
    return _written(tuple(sorted(set(target.words.values()))))


class BranchWords:
    """Tells which parts of one source file name a target."""

    def __init__(self, facts: Facts, target: Target, touched: WeakMethod[Callable[[], bool]]) -> None:
        """`touched`: a method that returns True if the file has no safe fix left; an earlier run of uncuda may then
        have written names of the target."""
        self._names = names = names_of(target)
        self._serves, _ = _asking(names)
        self._written = _fixed(target)
        self._text, self._work = facts.text, facts.work
        lowered = tuple(name.lower() for name in names)
        self.named = facts.searches.find(("named", lowered), _named(lowered))
        self.any = bool(self.named)
        self._ask = touched
        self._touched: bool | None = None

    @property
    def certain(self) -> bool:
        """Whether all results so far are independent of words that uncuda's own fixes may have written."""
        return self._touched is None

    def polarity(self, start: int, end: int, alike: bool = False) -> int:
        """1 if a part of the source names the target, -1 if it names the target to exclude it, 0 otherwise.

        `alike`: whether a name of the target counts even if a fix of uncuda may have written the name. Callers set
        `alike` if the code around the part from `start` to `end` still names CUDA. A target's name beside a name of
        CUDA must have been written by a person, because a fix would have replaced the name of CUDA, too.
        """
        self._work.search(0, 1000 + 16 * (end - start))
        text = self._code(start, end)
        asked = self.asked(text)
        return asked if asked and (alike or self._by_hand(text)) else 0

    def asked(self, text: str) -> int:
        """Return 1 if a text names the target, -1 if it names the target to exclude it, 0 otherwise; names that a fix
        may have written count, too."""
        return asks(text, self._names)

    def asks_cuda(self, start: int, end: int) -> int:
        """Return 1 if a condition asks for CUDA, -1 if it asks whether the device is not CUDA, 0 otherwise."""
        self._work.search(0, 1000 + 16 * (end - start))
        return asks(self._code(start, end), _CUDA_NAMES)

    def serves(self, start: int, end: int) -> bool:
        """Return whether a block does more for the target than raise, print or log."""
        text = _SAID.sub("", self._code(start, end))
        return bool(self._serves.search(text)) and self._by_hand(text)

    def speaks_of_cuda(self, start: int, end: int) -> bool:
        """Whether a part of the source names CUDA, NCCL or a GPU."""
        return bool(_CUDA.search(self._text, start, end))

    def _code(self, start: int, end: int) -> str:
        return without_comments(self._text[start:end])

    def _by_hand(self, text: str) -> bool:
        """Return whether the author of the code, not a fix, wrote the target's name in a text: the text has words that
        fixes never write, or the file has a safe fix left to apply."""
        if self._serves.search(self._written.sub("", text)):
            return True
        if self._touched is None:
            # `ask` may call `_by_hand` itself; for that call, `_touched` is True, as for a file without safe fixes
            self._touched = True
            ask = self._ask()
            self._touched = ask is None or ask()
        return not self._touched


def arms_by_hand(layout: Layout, indents: IndentScopes, device: str, ccl: str, vendor: str) -> bool:
    """Return whether an if/elif chain has, beside the branch for CUDA, a branch for another device that uncuda's fixes
    cannot have written.

    A branch that uncuda's fixes cannot have written is recognised in three ways: its condition uses a name that fixes
    never write, such as `is_xpu_available()` or the name of the device's vendor; it differs from the condition of
    another branch only in the device; or it lists both devices, `kind in ("cuda", "xpu")`. `ccl`: the name of the
    device's collective library.
    """
    text, by_name = layout.text, f"{device}_available"
    words = words_for(device, ccl) | {"gpu": "gpu", "GPU": "GPU"}  # code for CUDA may ask for `cuda` and `gpu`
    done, seen = 0, set()
    for at in merge(_alone(text, device), _alone(text, vendor) if vendor else ()):
        line = indents.header_at(at) if at >= done else None
        if line is None or line.word not in ("if", "elif") or layout.token_at(at) == "#":
            continue
        done = line.end
        clauses = indents.clauses(line)
        if clauses[0].start in seen:
            continue
        seen.add(clauses[0].start)
        asked = {condition_of(text, clause): clause for clause in clauses if clause.word in ("if", "elif")}
        if any((twin := said_for(words, condition)) != condition and twin in asked for condition in asked):
            return True
        if any(_lists_both(condition, device) and not _says(text, clause) for condition, clause in asked.items()):
            return True
        if vendor and not _compared_with([vendor], asked).isdisjoint(_compared_with(["cuda", device], asked)):
            return True  # a person wrote this condition: uncuda's fixes never write a vendor's name
        if named := [clause for condition, clause in asked.items() if by_name in condition]:
            bodies = (without_comments(text[one.start : indents.extent(one.start)]) for one in clauses)
            cudas = [one for one, body in zip(clauses, bodies, strict=True) if _CUDA.search(body)]
            if any(one.start != clause.start for one in cudas for clause in named[:2]):
                return True
    return False


def _says(text: str, clause: Header) -> bool:
    """Return whether the block of a clause begins with a statement that raises, prints or logs; such a clause only
    checks a value."""
    body = text[clause.end : clause.end + _WIDEST].lstrip()
    return _SAID.match(body.partition("\n")[0]) is not None


def _lists_both(condition: str, device: str) -> bool:
    """Return whether a condition lists CUDA and a device: `x.device.type in ("cuda", "xpu")`."""
    listed = ({one.strip()[1:-1] for one in match[1].split(",")} for match in _LISTED.finditer(condition))
    return any({"cuda", device} <= words for words in listed)


def _compared_with(words: Iterable[str], conditions: Iterable[str]) -> set[str]:
    """Return the variables that are compared with one of `words`, written as a string, at the start of a condition:
    `kind` in `kind == "cuda"`."""
    quoted = [f"{quote}{word}{quote}" for word in words for quote in "\"'"]
    said = (condition for condition in conditions if any(one in condition for one in quoted))
    return {match[1] for condition in said if (match := _COMPARED.match(condition))}


def may_choose(data: bytes, device: bytes) -> bool:
    """Return whether the bytes of a file contain a device name in a line that begins with `if` or `elif`, or in a name
    such as `is_xpu_available`. This fast check does not find conditions that span several lines."""
    by_name, word = device + b"_available", _alone_in_bytes(device)
    match = word.search(data) if contains(data, device) else None
    while match is not None:
        at = match.start()
        if data.startswith(by_name, at):
            return True
        line = data.rfind(b"\n", 0, at) + 1
        if data[line : line + _WIDEST].lstrip().startswith((b"if", b"elif")):
            return True
        after = data.find(b"\n", at)
        match = word.search(data, after) if after >= 0 else None
    return False


@lru_cache(maxsize=16)
def _alone_in_bytes(word: bytes) -> re.Pattern[bytes]:
    """Return a pattern for a word with no letter next to it: it finds `npu`, but not in `input`. The pattern begins
    with the word and not with the lookbehind, because `re` searches many times as fast for a pattern that begins with
    literal text."""
    return re.compile(rb"%b(?![A-Za-z])(?<![A-Za-z]%b)" % (re.escape(word), re.escape(word)))


def asked_by_hand(facts: Facts, target: Target) -> bool:
    """Return whether an `if` or `elif` asks for the target in words that fixes never write: `elif
    is_xpu_available():`."""
    names = names_of(target)
    serves, _ = _asking(names)
    written = _fixed(target)
    lowered = tuple(name.lower() for name in names)
    done = 0
    for at in facts.searches.find(("named", lowered), _named(lowered)):
        facts.work.compare()
        if at < done:
            continue
        line = facts.indents.header_at(at)
        done = line.end
        if line.word not in ("if", "elif"):
            continue
        facts.work.search(line.start, line.start + 16 * (line.end - line.start))
        text = without_comments(facts.text[line.start : line.end])
        if serves.search(written.sub("", text)):
            return True
    return False


def leaves(header: Header, facts: Facts) -> bool:
    """Whether the block below a header ends with `return`, `raise`, `continue` or a similar statement."""
    return leaving.leaves(last_of(header, facts))


def last_of(header: Header, facts: Facts) -> str:
    """The first line of the last statement in the block below a header; "" if there is none."""
    text = facts.text
    end = facts.indents.extent(header.start)
    body = text[header.end : end].rstrip()
    if not body.strip():
        facts.layout.reads(header.end, end)
        inline = re.search(r":[ \t]*([^:\s][^\n]*)\Z", text[header.start : header.end].rstrip())
        return inline[1] if inline else ""
    first = facts.indents.header_at(header.end + len(body) - len(body.lstrip()))
    while first.word in ("#", "") and first.end < header.end + len(body):
        first = facts.indents.header_at(first.end)
    lines = list(facts.indents.lines_at(header.end, header.end + len(body), first.indent))
    return text[lines[-1].start : lines[-1].end] if lines else ""
