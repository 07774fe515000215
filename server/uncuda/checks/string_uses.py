"""Weighs the evidence that a string is a device: how the code uses the string, which parameter receives it, and whether
a condition around it asks for an available device."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from .. import lazy_re
from ..catalogue import Rule
from ..edits import REVIEW, SAFE
from ..facts.changes import Scan, Worded
from ..facts.digest import Text
from ..facts.read import Statement
from ..facts.role_calls import last_word
from ..facts.roles import Role, is_expected
from ..facts.scans import plain
from .checkpoint_maps import CheckpointMaps
from .given_away import GivenAway
from .parameters import Parameters, Passed
from .questions import Question, Questions, as_numbered, is_held, words_around
from .replaced import Replaced
from .string_evidence import ACCELERATORS, is_said, is_silent, named, names_file, weigh
from .string_flow import TESTS, Flow
from .string_members import MemberIndex
from .string_sources import Sources

_PARTS = frozenset({"subscript", "concatenation", "receiver", "other"})
# a string with the word; the group matches if the string begins with it, or names what is replaced
_CUDA = lazy_re.compile(r"""["'](?:((?:torch\.)?cuda)|[^"'\n]*?cuda)""")
_QUOTES = frozenset("\"'")
_OPENED = lazy_re.compile(r"(?:[,({=]|(?<![\w\])])\[)$")
_ENTRY = lazy_re.compile(r"[^\"'\n]*[\"'][ \t]*,")


def _in_assertion(match: re.Match[str], text: str) -> bool:
    return "assert" in text[text.rfind("\n", 0, match.start()) + 1 : match.start()]


def _is_kept(role: Role) -> bool:
    """Whether a string is stored, returned or added to a list, instead of passed to a function, which may be that of a
    library with devices of its own."""
    return is_held(role) and (role.call is None or isinstance(role.call.func, ast.Attribute))


def _handed_on(role: Role, statement: Statement) -> Iterator[Role]:
    """Yield the role of the variable of a comprehension in each call that has it as an argument: `x` in `next(x for x
    in ("cuda", "cpu") if is_usable(x))`. `role`: the role of a string in the list over which the comprehension goes."""
    loop = statement.digest.parents.get(role.subject) if role.subject is not None else None
    holder = statement.digest.parents.get(loop) if isinstance(loop, ast.comprehension) else None
    name = role.subject.id if isinstance(role.subject, ast.Name) else ""
    calls = (node for node in (ast.walk(holder) if holder is not None else ()) if isinstance(node, ast.Call))
    for call in calls if name else ():
        for position, given in enumerate(call.args):
            if isinstance(given, ast.Name) and given.id == name:
                yield Role("argument", given, call, method=last_word(call.func), parameter=position)


@lru_cache(maxsize=64)
def _listed(word: str) -> Scan:
    """Return a function that finds the strings that begin with a word and may be entries of a list, of a call or of an
    enumeration."""

    def scan(text: str, start: int, end: int) -> Iterator[int]:
        for at in plain(word)(text, start, end):
            if text[at - 1 : at] in _QUOTES:
                before = text[text.rfind("\n", 0, at) + 1 : at - 1].rstrip(" \t")
                if _OPENED.search(before, max(0, len(before) - 2)) or (not before and _ENTRY.match(text, at)):
                    yield at

    return Worded(word, scan)


@dataclass(frozen=True, slots=True)
class Uses:
    """Classifies the uses of strings in one source file."""

    flow: Flow
    members: MemberIndex
    parameters: Parameters
    questions: Questions
    away: GivenAway
    maps: CheckpointMaps
    replaced: Replaced
    sources: Sources
    held: dict[tuple[str, str, int], Question | None] = field(default_factory=dict)
    given: dict[int, tuple[int, ...]] = field(default_factory=dict)  # a cache for `_given_in`, by function

    def passed(self, rule: Rule, role: Role, text: Text, statement: Statement) -> Passed | None:
        """Return the parameter, of a function in this file, that receives a string. None if no function of this file
        receives the string, or if the rule ignores strings that are used as `role` says, and the parameter's uses do
        not prove that the string is a device."""
        passed = self.parameters.of(role, statement)
        if passed is None or not is_silent(rule, role, self.flow):
            return passed
        meant = text.value in self.members.of(*passed).compared or self._weigh(rule, *passed) == SAFE
        return passed if meant else None

    def weigh(self, rule: Rule, role: Role, text: Text, statement: Statement, passed: Passed | None) -> str | None:
        """The fix class of a string; it follows from how the code uses the string (`role`), and from the parameter that
        receives the string (`passed`)."""
        if passed is None:
            applicability = self._weigh(rule, role, statement)
            if applicability == REVIEW and role.kind == "item" and self._is_handed_on(rule, role, statement):
                return SAFE
        else:
            applicability = self._weigh(rule, *passed)
            if applicability == REVIEW and self._weigh(rule, role, statement) == SAFE:
                return SAFE
        if applicability == SAFE and is_expected(role, statement.digest) and not self._is_given(statement):
            return REVIEW
        chosen = applicability is None and (
            self._is_chosen(rule, role, text, statement) or self._is_part(rule, role, text, statement)
        )
        return REVIEW if chosen else applicability

    def _is_given(self, statement: Statement) -> bool:
        """Return whether the function around an assertion also gives the device that it expects: another line has a
        string that begins with the word, and no string has the word elsewhere, as `"--device cuda"` does."""
        scope = self.flow.context.facts.indents.scope_of(statement.start)
        if scope is None:
            return False
        if scope[0] not in self.given:
            self.given[scope[0]] = tuple(self._given_in(scope[0]))
        return any(not statement.start <= at < statement.end for at in self.given[scope[0]])

    def _given_in(self, function: int) -> Iterator[int]:
        """Yield the offsets of the strings in a function, outside of assertions, that begin with the word; none if
        another string has it elsewhere."""
        facts, start, end = self.flow.context.facts, function, self.flow.context.facts.indents.extent(function)
        facts.work.search(start, end)
        facts.layout.reads(start, end)
        found = list(_CUDA.finditer(facts.text, start, end))
        if all(match[1] for match in found):
            yield from (match.start() for match in found if not _in_assertion(match, facts.text))

    def _is_handed_on(self, rule: Rule, role: Role, statement: Statement) -> bool:
        """Return whether a loop or comprehension passes its variable, which holds the strings of a list with the names
        of other devices, to a function of this file whose parameter is a device: `for name in ["cuda", "cpu"]:
        get_device(name)`."""
        first, known = next(iter(statement.digest.piece.nodes), None), rule.get("suggesting-items", ())
        listed = bool(role.items) and all(item in known for item in role.items)
        for use in _handed_on(role, statement) if listed else ():
            passed = self.parameters.of(use, statement)
            if passed is not None and self._weigh(rule, *passed) == SAFE:
                return True
        loops = isinstance(first, (ast.For, ast.AsyncFor)) and role.subject is first.target
        place = self.flow.place(role, statement) if listed and loops else None
        for use, where in self.flow.uses(*place) if place is not None else ():
            passed = self.parameters.of(use, where)
            if passed is not None and self._weigh(rule, *passed) == SAFE:
                return True
        return False

    def question(
        self, rule: Rule, role: Role, text: Text, statement: Statement, applicability: str | None
    ) -> Question | None:
        """The condition on which the device string is used, such as `torch.cuda.is_available()`, or the number of
        devices of a loop that makes the string. If other evidence proves that the string is a device (`applicability`
        is SAFE), only a condition in the same expression is returned, and none in a line above."""
        if not rule.get("questions"):
            return None
        if (counted := self._counted(rule, role, text, statement)) is not None:
            return counted
        if text.formatted or self.away.has(rule, role):
            return None
        if applicability == REVIEW and (replaced := self.questions.replaced(rule, role, statement)) is not None:
            return replaced
        if role.kind in TESTS:
            return self._holds(rule, role, statement) if applicability == REVIEW else None
        if not is_held(role) or is_silent(rule, role, self.flow):
            return None
        found = self.questions.in_expression(rule, text.node, statement)
        if applicability == SAFE:
            return found
        found = found or self.questions.above(rule, statement)
        if found is None or not self._is_beside(rule, role, text, statement):
            return None
        foreign = self.flow.reaches(f"{rule.name}=", role, statement, lambda use: self._is_foreign(rule, use))
        return None if foreign else found

    def _counted(self, rule: Rule, role: Role, text: Text, statement: Statement) -> Question | None:
        """Return the number of devices of a loop that makes the string, unless the string goes to a function or to a
        library with devices of its own."""
        numbered, context = as_numbered(text, statement), self.flow.context
        if numbered is None or not _is_kept(role) or is_silent(rule, role, self.flow) or self.away.has(rule, role):
            return None
        if not context.imported_roots.isdisjoint(context.catalogue.with_own_devices):
            return None
        return self.questions.counted(rule, role, numbered, statement)

    def _is_chosen(self, rule: Rule, role: Role, text: Text, statement: Statement) -> bool:
        """Return whether a condition in the same expression must find an available device before a list that contains
        the string is passed on: `expand([("cuda", 1)] if torch.cuda.is_available() else [])`. The condition must not
        change alone, whatever the string means."""
        if not rule.get("questions") or text.formatted or not role.containers or role.kind not in ("argument", "item"):
            return False
        if is_silent(rule, role, self.flow) or not set(role.items).isdisjoint(rule.get("implementations", ())):
            return False
        return self.questions.in_expression(rule, text.node, statement) is not None

    def _is_part(self, rule: Rule, role: Role, text: Text, statement: Statement) -> bool:
        """Return whether a condition that must find an available device chooses the string as a key, as a part of a
        longer string, or as the name of a file: `TABLES["cuda" if torch.cuda.is_available() else "cpu"]`. The condition
        must not change alone, whatever the string means, unless the text is only shown to people."""
        if not rule.get("questions") or text.formatted or (role.kind not in _PARTS and not names_file(role)):
            return False
        if not isinstance(statement.digest.parents.get(text.node), ast.IfExp) or is_said(text.node, statement):
            return False
        return self.questions.in_expression(rule, text.node, statement) is not None

    def is_ported(self, words: Mapping[str, Sequence[str]], role: Role, statement: Statement) -> bool:
        """Return whether a person has ported the code around the variable that holds a string: the variable is also
        compared with a word of the target, or the choices of its option, field or annotation list such a word beside
        CUDA's. `words`: CUDA's words, each with the target's device and vendor."""
        return any(
            self.flow.asks_for(new, role, statement)
            or (self._may_choose(new) and self._is_choice(old, new, role, statement))
            for old, every in words.items()
            for new in every
        )

    def _may_choose(self, word: str) -> bool:
        """Return whether the text has a list or an enumeration with a string that begins with a word."""
        return self.flow.quotes(word) and self.flow.context.facts.searches.has(("choice", word), _listed(word))

    def _is_choice(self, old: str, new: str, role: Role, statement: Statement) -> bool:
        fields = (name for kind, name, *_ in self.sources.of(role, statement) if kind == "field")
        every = (self.members.of(role, statement), *map(self.members.named, map(str, fields)))
        return any(members.serve_both(old, new) for members in every)

    def _is_foreign(self, rule: Rule, use: Role) -> bool:
        """Return whether a value is passed to another library by a keyword whose name is no name for devices:
        `Fabric(accelerator=kind)`."""
        if use.kind != "argument" or use.call is None or not isinstance(use.parameter, str):
            return False
        says = named(use.parameter, (*rule.get("names", ()), *rule.get("parameters", ())))
        return not says and bool(self.flow.module_of(use.call.func))

    def _is_beside(self, rule: Rule, role: Role, text: Text, statement: Statement) -> bool:
        """Return whether all other strings in the same list are names of devices, such as "cpu". If the list has no
        other strings, return whether its name contains `device`."""
        words, outer = words_around(text, statement)
        holder = role
        if role.kind == "argument" and role.call is not None and isinstance(role.call.func, ast.Attribute):
            receiver = role.call.func.value
            holder = Role("assignment", outer, name=last_word(receiver), subject=receiver)
        if holder.kind == "assignment":
            members = self.members.of(holder, statement)
            words |= {word for word in members.listed | members.compared if not re.fullmatch(rule.get("pattern"), word)}
        known = frozenset(rule.get("suggesting-items", ())) - ACCELERATORS
        is_named = holder.kind == "assignment" and named(holder.name, ("*device*",))
        return words <= known and (bool(words) or is_named)

    def _holds(self, rule: Rule, role: Role, statement: Statement) -> Question | None:
        """For a string that is compared with a variable: return the condition on which the variable gets a device
        string, such as `torch.cuda.is_available()`."""
        place = self.flow.place(role, statement)
        if place is None:
            return None
        key = (rule.name, *place)
        if key not in self.held:
            found = self.flow.naming(*place)
            given = (self._given(rule, role.name, text, one) for one in found for text in one.digest.texts)
            self.held[key] = next(filter(None, given), None)
        return self.held[key]

    def _given(self, rule: Rule, name: str, text: Text, statement: Statement) -> Question | None:
        """Return the condition, such as `torch.cuda.is_available()`, on which a statement assigns a device string to a
        variable."""
        role = self.flow.role(text, statement)
        if role.kind != "assignment" or role.name != name or not re.fullmatch(rule.get("pattern"), text.value):
            return None
        return self.question(rule, role, text, statement, self._weigh(rule, role, statement))

    def _weigh(self, rule: Rule, role: Role, statement: Statement) -> str | None:
        applicability = weigh(rule, role, statement, self.flow, self.members)
        return REVIEW if applicability == SAFE and self.away.has(rule, role) else applicability
