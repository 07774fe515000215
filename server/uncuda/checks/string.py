"""`check = "string"`: finds strings whose role proves or suggests that they name a device or a backend."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from .. import lazy_re
from ..catalogue import Rule, Target
from ..edits import REVIEW, SAFE, Edit, Fix, lowest
from ..facts.digest import Text
from ..facts.read import Statement
from ..facts.roles import Role
from ..messages.fixes import titled
from .base import Context, Hit, cap
from .checkpoint_maps import Beside, CheckpointMaps
from .device_map import entry, is_looked_up, kept, needs_plugin
from .given_away import GivenAway
from .hit import SEARCHED, At, Links
from .questions import Questions
from .replaced import Replaced
from .string_evidence import compared, complete, holds_truth, is_alternative, is_conditional
from .string_flow import TESTS, Flow
from .string_members import MemberIndex
from .string_patterns import has_expression, is_expression, searched
from .string_sources import Sources
from .string_uses import Uses

_LONGEST = 200
INDEXLESS = "indexless-device"
"""The feature that every function takes a device without an index."""
_FIELD = lazy_re.compile(r"\{[^{}]*\}|%(?:\(\w+\))?[-#0 +]*\d*[diouxs]")


class _Prepared(NamedTuple):
    rule: Rule
    matches: re.Pattern[str]
    words: re.Pattern[str]
    new: dict[str, str]


class Check:
    """All rules of this check; their patterns are tried in the order of the rules' ids."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules = [self._prepare(rule) for rule in rules]
        self._called = [(_called(rule), rule) for rule in rules if rule.get("commands")]
        said = {word for rule in rules for word in rule.get("words") or rule.get("anchors", ())}
        self._worth = re.compile("|".join(map(re.escape, sorted(said))) or r"(?!)").search

    def _prepare(self, rule: Rule) -> _Prepared:
        words = {old: self.target.fill(new) for old, new in rule.get("words", {}).items()}
        pattern = "|".join(re.escape(old) for old in sorted(words, key=len, reverse=True)) or r"(?!)"
        boundary = re.compile(rf"(?<![A-Za-z0-9])(?:{pattern})(?![A-Za-z])")
        lists = {key: value for key, value in rule.parameters.items() if isinstance(value, tuple)}
        filled = {key: tuple(map(self.target.fill, value)) for key, value in lists.items()}
        rule = replace(rule, parameters={**rule.parameters, **filled})
        return _Prepared(rule, re.compile(rule.get("pattern"), re.S), boundary, words)

    def run(self, context: Context) -> Iterator[Hit]:
        """Yield a hit for each string literal that a rule of this check covers."""
        flow, parameters = Flow(context), context.parameters
        uses = Uses(
            flow,
            MemberIndex(flow),
            parameters,
            Questions(flow, self.target),
            GivenAway(flow),
            CheckpointMaps(flow, parameters),
            Replaced(flow),
            Sources(flow, parameters),
        )
        for statement in context.statements:
            yield from self._commands(context, statement)
            for text in statement.digest.texts:
                if len(text.value) >= _LONGEST or not self._worth(text.value):
                    continue
                for prepared in self._rules:
                    if _matches(prepared, text, context, statement):
                        hit = self._hit(prepared, text, uses, statement)
                        if hit is not None:
                            yield hit
                            break

    def _commands(self, context: Context, statement: Statement) -> Iterator[Hit]:
        """Yield hits at shell commands in notebook cells; `workspace/magics.py` has turned these commands into
        expressions."""
        for pattern, rule in self._called:
            if match := pattern.fullmatch(context.text, statement.start, statement.end):
                start, end = match.span("name")
                yield Hit(rule, start, end, {"old": match["name"], "new": ""}, statement=statement)

    def _hit(self, prepared: _Prepared, text: Text, uses: Uses, statement: Statement) -> Hit | None:
        rule, flow, context = prepared.rule, uses.flow, uses.flow.context
        role = complete(flow.role(text, statement), statement, flow)
        expressed = is_expression(rule, text, statement.digest)
        role = searched(role) if expressed else role
        if rule.get("roles") and role.kind not in rule.get("roles"):
            return None
        if not rule.fix and role.kind == "value" and _is_expected(text.node, statement):
            return None
        severity = ""
        if rule.get("alternatives"):
            if is_alternative(rule, text.node, statement):
                return None
            severity = "information" if is_conditional(rule, text.node, statement) else ""
        passed = uses.passed(rule, role, text, statement)
        applicability = alone = uses.weigh(rule, role, text, statement, passed)
        question = uses.question(rule, role, text, statement, applicability)
        if question is not None:
            applicability = SAFE
        if applicability == SAFE and role.callee and uses.replaced.has(role.callee):
            applicability = REVIEW
        if applicability is not None and context.shim:
            truth = compared(rule, role) or holds_truth(rule, role, statement, flow)
            applicability = _under_shim(rule, role, applicability, truth)
        if applicability is not None and prepared.new and _joined(text, context, statement):
            applicability = REVIEW if applicability == SAFE else None
        if applicability is None or (expressed and applicability == REVIEW and text.value in prepared.new):
            return None  # `re.match("cuda", name)` may look for anything
        start, end = (statement.start + offset for offset in text.piece.span(text.node))
        edits, new = self._edits(prepared, text, context, statement)
        if rule.get("entry"):
            added = entry(role, statement, context, prepared.new)
            edits = [added] if added else []
            if applicability == SAFE and not is_looked_up(role, statement, flow):
                applicability = REVIEW
        elif role.cut and len(new) != len(text.value):
            length = _length(text, statement)  # the 4 in `x[:4] == "cuda"` becomes the length of the new word
            edits = [Edit(*length, str(len(new))), *edits] if length else []
        beside = self._beside(prepared, uses, *(passed or (role, statement)))
        indexless = self._lacks_index(rule, role, text.value)
        allowed = cap(rule, lowest(applicability, beside.allowed, REVIEW if indexless else SAFE))
        edits += beside.edits
        fixes: tuple[Fix, ...] = ()
        links = (*beside.links, *(flow.links(role, statement) if prepared.new else ()))
        links += flow.links(*passed) if prepared.new and passed else ()
        by_hand = False
        if edits and allowed is not None:
            title = titled("add entry" if rule.get("entry") else "replace", f'"{new}"')
            plain = rule.get("entry") and not needs_plugin(edits[0], self.target)
            fixes = (Fix(title, allowed, (*edits, *(() if plain else context.requires(rule, start)))),)
            words = {old: (new, *filter(None, (self.target.vendor,))) for old, new in prepared.new.items()}
            by_hand = bool(links) and uses.is_ported(words, *(passed or (role, statement)))
        return Hit(
            rule,
            start,
            end,
            {"old": text.value, "new": new},
            fixes,
            links,
            limits=(*context.feature_limits(rule), *indexless),
            severity=severity,
            statement=statement,
            node=text.node,
            keeps=kept(role, statement) if rule.get("entry") else (0, 0),
            receiver=_receiver(rule, role, text, context, statement),
            question=(question.at, alone != SAFE) if question is not None and question.at is not None else None,
            by_hand=by_hand,
            sources=(*uses.sources.of(role, statement), *_beside_expression(rule, role, statement)) if fixes else (),
            makes=flow.made(role, statement) if fixes else (),
        )

    def _lacks_index(self, rule: Rule, role: Role, device: str) -> tuple[str, ...]:
        """Return the id of the sentence that says that a function takes a device only with an index, if a string
        without one is its argument; otherwise ()."""
        if role.callee not in rule.get("indexed-calls", ()) or ":" in device or self.target.has(INDEXLESS):
            return ()
        return (str(self.target.features[INDEXLESS]),)

    def _beside(self, prepared: _Prepared, uses: Uses, role: Role, statement: Statement) -> Beside:
        """Return the edits that change a `map_location` dictionary together with a device string."""
        is_device = self.target.words["device"] in prepared.new.values() and not prepared.rule.get("entry")
        return uses.maps.beside(role, statement, prepared.new) if is_device else Beside()

    def _edits(self, prepared: _Prepared, text: Text, context: Context, statement: Statement) -> tuple[list[Edit], str]:
        edits: list[Edit] = []
        for token in text.tokens:
            start = statement.start + token.start
            body = context.text[start : statement.start + token.end]
            limit = token.fields[0][0] - 1 - token.start if token.fields else len(body)
            for match in prepared.words.finditer(body, 0, limit):
                edits.append(Edit(start + match.start(), start + match.end(), prepared.new[match[0]]))
            if token.fields:
                break
        return edits, prepared.words.sub(lambda match: prepared.new[match[0]], text.value)


def _called(rule: Rule) -> re.Pattern[str]:
    """Return a pattern for a statement that runs one of the rule's shell commands: `nvidia-smi`, `!nvidia-smi` or
    `out = !nvidia-smi`, with `~` in place of IPython's `!`."""
    names = "|".join(map(re.escape, rule.get("commands")))
    return re.compile(rf"(?:(?:[\w.,* \t\[\]]+=[ \t]*)?~[ \t]*)?(?P<name>{names})\s*")


def _length(text: Text, statement: Statement) -> tuple[int, int] | None:
    """Return the span of the number in a comparison with a slice, such as `x[:4] == "cuda"`, if the number is the
    length of the string."""
    parent = statement.digest.parents.get(text.node)
    if not isinstance(parent, ast.Compare) or len(parent.ops) != 1:
        return None
    other = parent.comparators[0] if parent.left is text.node else parent.left
    cut = other.slice if isinstance(other, ast.Subscript) else None
    if not isinstance(cut, ast.Slice) or cut.lower is not None or cut.step is not None:
        return None
    if not isinstance(cut.upper, ast.Constant) or cut.upper.value != len(text.value):
        return None
    start, end = text.piece.span(cut.upper)
    return statement.start + start, statement.start + end


def _beside_expression(rule: Rule, role: Role, statement: Statement) -> Links:
    """Return the key in `Hit.sources` that the comparisons of a statement share if one of its strings is a regular
    expression for devices."""
    return ((SEARCHED, At(statement.start)),) if role.kind in TESTS and has_expression(rule, statement.digest) else ()


def _receiver(rule: Rule, role: Role, text: Text, context: Context, statement: Statement) -> int | None:
    """Return the offset of the method's name, if a string is an argument of a method whose class is unknown; otherwise
    None."""
    function = role.call.func if role.kind == "argument" and role.call is not None else None
    if not isinstance(function, ast.Attribute) or role.callee.startswith("torch") or rule.get("anywhere"):
        return None
    if role.method not in rule.get("methods", ()):
        return None
    start = statement.start + text.piece.end(function) - len(function.attr)
    return start if context.text.startswith(function.attr, start) else None


def _is_expected(node: ast.AST, statement: Statement) -> bool:
    """Return whether a string is inside an assertion but not inside a call: `assert calls == [{"url": "tcp://…"}]`."""
    around = list(statement.digest.ancestors(node))
    return any(isinstance(outer, ast.Assert) for outer in around) and not any(isinstance(o, ast.Call) for o in around)


def _matches(prepared: _Prepared, text: Text, context: Context, statement: Statement) -> bool:
    """Return whether the rule's pattern matches a string; of an f-string or template, the pattern is matched against
    the text before the first field."""
    value = text.value
    if is_expression(prepared.rule, text, statement.digest):
        return True
    if prepared.matches.fullmatch(value):
        return not text.formatted or (bool(value) and not (prepared.new and _head(text, context, statement)[1]))
    if text.formatted or not ("{" in value or "%" in value):
        return False
    head, rest = _head(text, context, statement)
    return bool(head) and not (rest and prepared.new) and bool(prepared.matches.fullmatch(head))


def _head(text: Text, context: Context, statement: Statement) -> tuple[str, str]:
    """Return the text of an f-string or template before its first field, and the rest of the text with the fields left
    out."""
    if not text.formatted:
        field = _FIELD.search(text.value)
        if field is None or not _templated(text, statement):
            return "", ""
        return text.value[: field.start()], text.value[field.end() :]
    rest, first = "", next(index for index, token in enumerate(text.tokens) if token.fields)
    for token in text.tokens[first:]:
        position = token.fields[0][0] - 1 if token.fields else token.start
        for start, end in sorted(token.fields):
            rest += context.text[statement.start + position : statement.start + start - 1]
            position = context.text.find("}", statement.start + end) + 1 - statement.start
        rest += context.text[statement.start + position : statement.start + token.end]
    return text.value, rest


def _joined(text: Text, context: Context, statement: Statement) -> bool:
    """Return whether a field directly follows the word, so that the resulting string may be any word:
    `f"cuda{version}"`."""
    head, _ = _head(text, context, statement)
    return head[-1:].isalnum()


def _under_shim(rule: Rule, role: Role, applicability: str, truth: bool) -> str | None:
    """Return the fix class of a device string in a program that uses a shim (a runtime patch that translates CUDA's
    names); None if the rule does not report the string in a program with a shim. The shim translates strings that are
    passed to torch, but not strings that the program compares with a device.

    `truth`: whether the string is compared with a value that torch itself reports at run time.
    """
    if rule.shim == "silent":
        return None
    roles = rule.get("shim-roles", ())
    if roles and role.kind not in roles and not (truth and "compared" in roles):
        return None
    if roles and not truth:
        return REVIEW
    return lowest(applicability, rule.get("shim-fix", SAFE))


def _templated(text: Text, statement: Statement) -> bool:
    """Whether the string is a template, formatted by `.format(…)` or `%`."""
    parent = statement.digest.parents.get(text.node)
    if isinstance(parent, ast.Attribute):
        return parent.attr == "format"
    return isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mod) and parent.left is text.node
