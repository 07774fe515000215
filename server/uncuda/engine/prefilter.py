"""Anchors of rules: a rule finds nothing in a text that contains none of these words. Most files are not parsed,
because a quick search in their bytes finds none of the words that rules look for (the anchors).

Searching 72 MB of sources for one word takes about 0.01 s of CPU time, and 0.04 s without the `strstr` of glibc, so
rules share words: the search for "cuda" also finds `torch.backends.cuda.matmul`, for which no other word is searched.
Names of PyTorch are searched only in files that contain `torch`. If a rule has the key `gate`, which lists some of its
anchors, a file is read for this rule only if it contains one of the listed words. No file is read for a rule whose
`gate` is an empty list, unless the user selects the rule by name. A rule may also have the key `gate-patterns`, a list
of regular expressions: a file without the words in `gate` is still read for this rule if it contains `torch` and a line
that one of the expressions matches. Two regular expressions find the import lines of all libraries, because there are
many.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .. import lazy_re
from ..byte_search import contains, contains_any
from ..catalogue import Rule, Target
from ..facts.model import Facts
from ..facts.scans import matches

_COMMENT = "uncuda:"  # suppression comments begin with this text
_DOTTED = frozenset({"name", "argument", "jit-script"})


class Prefilter:
    """The anchors of the active rules: words without which a text has no finding. `anchors`: a statement that
    contains one of these words is parsed."""

    def __init__(self, rules: Iterable[Rule], target: Target, selected: frozenset[str] = frozenset()) -> None:
        anywhere: set[str] = set()
        with_torch: set[str] = set()
        inside: set[str] = set()
        ordered = sorted(rules, key=lambda rule: (not _opens(rule, selected), rule.name))
        for rule in ordered:
            words = _own_anchors(rule)
            gate = words if _opens(rule, selected) else rule.get("gate")
            bucket = with_torch if _needs_torch(rule) else anywhere
            bucket.update(target.fill(word) for word in gate)
            if not _found_by_imports(rule):
                inside.update(target.fill(word) for word in words)
        for rule in ordered:
            opens = _opens(rule, selected)
            bucket = inside if not opens else with_torch if _needs_torch(rule) else anywhere
            for name in _dotted_names(rule):
                parts = name.split(".")[1:] or [name]
                reach = anywhere | with_torch if opens else inside
                if not any(_covered(part, reach) for part in parts):
                    bucket.add(parts[-1])
                    inside.add(parts[-1])
        first = _minimal(anywhere)
        second = [anchor for anchor in _minimal(with_torch) if not _covered(anchor, first)]
        self.anchors = tuple(_minimal(inside))
        uses = [word for rule in ordered for word in (*_own_anchors(rule), *_dotted_names(rule))]
        first.sort(key=lambda anchor: -sum(anchor in word for word in uses))  # words that many rules use come first
        self._first, self._second = tuple(first), tuple(second)
        self._anywhere = tuple(anchor.encode() for anchor in first)
        self._comment = b"" if _covered(_COMMENT, first) else _COMMENT.encode()
        self._with_torch = tuple(anchor.encode() for anchor in second)
        closed = (rule for rule in ordered if not _opens(rule, selected))
        own = (pattern for rule in closed for pattern in rule.get("gate-patterns", ()))
        lines = [*own, *_library_imports(ordered, target)]
        self._lines = [lazy_re.compile(pattern) for pattern in lines]
        self._line_bytes = [lazy_re.compile(pattern.encode()) for pattern in lines]

    def open_for(self, data: bytes) -> bool:
        """Whether a file with these bytes can have a finding or a suppression comment."""
        if contains_any(data, self._anywhere) or (self._comment and contains(data, self._comment)):
            return True
        if contains(data, b"torch"):
            return contains_any(data, self._with_torch) or any(pattern.search(data) for pattern in self._line_bytes)
        return False

    def open_in(self, facts: Facts) -> bool:
        """Return the same as `open_for`, but for the text of `facts`; searches that were already made in this text are
        reused."""

        if any(map(facts.says, self._first)):
            return True
        if "torch" not in facts.searches.text:
            return False
        return any(map(facts.says, self._second)) or any(facts.searches.find(p, matches(p)) for p in self._lines)


def _library_imports(rules: Iterable[Rule], target: Target) -> list[str]:
    """Return patterns for lines that import a library, for all libraries that rules without the key `anchors` report.
    For a rule with the key `anchors`, files are searched for the words that `anchors` lists. The patterns begin with
    literal text, which makes them fast."""
    mine = [rule for rule in rules if rule.check == "module" and not rule.get("anchors")]
    roots = {re.escape(name.partition(".")[0]) for rule in mine for name in target.libraries(rule)}
    if not roots:
        return []
    either = "|".join(sorted(roots))
    return [rf"from[ \t]+(?:{either})\b", rf"import[ \t](?:[^\n#]{{0,120}},)?[ \t]*(?:{either})\b"]


def _found_by_imports(rule: Rule) -> bool:
    """Whether a rule looks only for top-level modules. For this rule, the engine need not search for words to
    choose the statements that it parses: it always parses imports, and statements with a name that an import binds."""
    if rule.check in _DOTTED:
        return all("." not in name for name in (*rule.get("names", ()), *rule.get("calls", ())))
    return rule.check in ("module", "amp-c")


def _opens(rule: Rule, selected: frozenset[str]) -> bool:
    return rule.get("gate") is None or rule.name in selected


def _dotted_names(rule: Rule) -> tuple[str, ...]:
    """Return the dotted names of a rule whose parts serve as its anchors (words without which the rule finds nothing);
    () if the rule declares its anchors."""
    if rule.check not in _DOTTED or rule.get("anchors"):
        return ()
    return (*rule.get("names", ()), *rule.get("results", ()), *rule.get("calls", ()))


def _own_anchors(rule: Rule) -> Iterable[str]:
    """The anchors of a rule (words without which the rule finds nothing): those in its key `anchors` or, if it has no
    such key, those in another key, such as `methods`."""
    if explicit := rule.get("anchors"):
        return tuple(explicit)
    if rule.check == "method":
        return tuple(rule.get("methods"))
    if rule.check == "string":
        return tuple(rule.get("words", {}))
    if rule.check == "amp-c":
        return (str(rule.get("module")),)
    return ()


def _needs_torch(rule: Rule) -> bool:
    """Whether a rule can report code only in a text that contains `torch`."""
    names = (*rule.get("names", ()), *rule.get("calls", ())) if rule.check in _DOTTED else ()
    return rule.get("with-torch") is True or (bool(names) and all(name.startswith("torch.") for name in names))


def _covered(word: str, anchors: Iterable[str]) -> bool:
    return any(anchor in word for anchor in anchors)


def _minimal(anchors: set[str]) -> list[str]:
    """The anchors (words without which a rule finds nothing), except those that contain a shorter anchor."""
    return [a for a in sorted(anchors) if not any(b != a and b in a for b in anchors)]
