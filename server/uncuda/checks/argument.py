"""`check = "argument"`: a call with an argument to replace or remove, or without an argument whose default means
CUDA."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from .. import lazy_re
from ..catalogue import Rule, Target
from ..edits import Edit, Fix
from ..facts.model import Name
from ..facts.scans import plain
from ..messages.fixes import titled
from .base import Context, Hit, cap

_AFTER = lazy_re.compile(r"[ \t]*,[ \t]*(?:(?:#[^\n]*)?\r?\n[ \t]*)?")
_MANY = 20  # maximum number of calls of a function that are searched for an argument
_BEFORE = lazy_re.compile(r"[ \t]*,\s*\Z")


class Check:
    """All rules of this check, by the dotted name of the called function."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules: dict[str, list[Rule]] = {}
        for rule in rules:
            for call in rule.get("calls"):
                self._rules.setdefault(call, []).append(rule)
        values = {value for rule in rules for value in rule.get("values", ()) if "." in value}
        self.names = frozenset(self._rules) | values

    def run(self, context: Context) -> Iterator[Hit]:
        """Yield a hit for each call that has the argument of a rule, or lacks it."""
        for reference in context.references:
            rules = self._rules.get(reference.dotted)
            if not rules:
                continue
            call = reference.statement.digest.parents.get(reference.chain.node)
            if isinstance(call, ast.Call) and call.func is reference.chain.node:
                for rule in rules:
                    hit = self._hit(context, reference, call, rule)
                    if hit is not None:
                        yield hit

    def _hit(self, context: Context, reference: Name, call: ast.Call, rule: Rule) -> Hit | None:
        piece, base = reference.chain.piece, reference.statement.start
        name = rule.get("argument")
        found = _find(call, name, rule.get("position"))
        words = {"name": reference.dotted, "argument": name, "new": self.target.fill(rule.get("add", ""))}
        limits = context.feature_limits(rule)
        if rule.get("add"):
            missing = _lacks_first(call) if rule.get("before") else found is None
            if not missing or any(k.arg is None for k in call.keywords) or _starred(call):
                return None
            start, end = (base + offset for offset in piece.span(reference.chain.node))
            if _is_fallback(context, start, end):
                return None
            beside = _beside(context, rule)
            words["new"] = f"{name}={beside}" if beside else words["new"]
            edit = _added(context, base + piece.end(call), call, words["new"], rule.get("position") == 0)
            if rule.get("before"):
                first = base + min(map(piece.start, (*call.args, *call.keywords)))
                edit = Edit(first, first, f"{words['new']}, ")
            added: tuple[Fix, ...] = ()
            if not set(limits) & set(rule.get("manual-limits", ())):
                added = self._fix(context, rule, titled("add", f"`{words['new']}`"), (edit,), start, bool(beside))
            return Hit(rule, start, end, words, added, limits=limits, statement=reference.statement, node=call)
        if found is None:
            return None
        node, value = found
        if rule.get("rename") and isinstance(value, ast.Constant) and not value.value:
            return None  # the argument is false, so the feature of CUDA is not used
        said = self._value(context, reference, value, rule)
        if said is None:
            return None
        start, end = base + piece.start(node), base + piece.end(node)
        fixes: tuple[Fix, ...] = ()
        if statements := rule.get("statements"):
            fixes = self._instead(context, reference, call, rule, statements.get(said, ""))
        elif rule.get("rename"):
            fixes = self._renamed(context, rule, reference, node, value)
        elif rule.fix:
            edit = removed(context, base + piece.start(call), start, end)
            fixes = self._fix(context, rule, titled("remove", f"`{name}`"), (edit,), start)
        words["old"] = said
        return Hit(rule, start, end, words, fixes, limits=limits, statement=reference.statement, node=value)

    def _value(self, context: Context, reference: Name, value: ast.expr, rule: Rule) -> str | None:
        """Return the value of the argument as text; None if the rule is about other values, or if the value already
        names the target."""
        statement, package = reference.statement, self.target.words.get("package")
        nodes = list(ast.walk(value))
        names = [context.resolve(node, statement) for node in nodes if isinstance(node, (ast.Name, ast.Attribute))]
        whole = str(value.value) if isinstance(value, ast.Constant) else context.resolve(value, statement) or ""
        if package and any(isinstance(node, ast.Name) and node.id == package for node in nodes):
            return None
        wanted = rule.get("values")
        if not wanted or whole in wanted:
            return whole
        constants = [node.value for node in nodes if isinstance(node, ast.Constant)]
        return "" if any(said in wanted for said in (*names, *constants)) else None

    def _instead(self, context: Context, reference: Name, call: ast.Call, rule: Rule, lines: str) -> tuple[Fix, ...]:
        """The fix that replaces a call with statements from the rule, if the call is a whole statement."""
        statement = reference.statement
        if not lines or not isinstance(statement.digest.parents.get(call), ast.Expr):
            return ()
        if context.facts.names.resolve("torch", statement.start) != "torch":
            return ()
        start, end = (statement.start + offset for offset in reference.chain.piece.span(call))
        line = context.facts.layout.line_start(start)
        indent = context.text[line:start]
        newline = context.facts.layout.newline_at(statement.end)
        separator = "; " if indent.strip() else newline + indent
        new = separator.join(self.target.fill(lines).split("\n"))
        title = titled("replace", f"`{new.split(separator)[0]}` …" if separator in new else f"`{new}`")
        return self._fix(context, rule, title, (Edit(start, end, new),), start)

    def _renamed(
        self, context: Context, rule: Rule, reference: Name, node: ast.AST, value: ast.expr
    ) -> tuple[Fix, ...]:
        """The fix that replaces a boolean keyword with the target's keyword, which takes a device name: `use_cuda=x`
        becomes `use_device="npu" if x else None`."""
        keyword, new = self.target.keywords.get(f"{reference.dotted}.{rule.get('argument')}", ("", ""))
        if (
            not keyword
            or not isinstance(node, ast.keyword)
            or isinstance(value, (ast.IfExp, ast.Lambda, ast.NamedExpr))
        ):
            return ()
        piece, base = reference.chain.piece, reference.statement.start
        start, end = (base + offset for offset in piece.span(value))
        said = f'{keyword}="{new}"'
        edits: tuple[Edit, ...] = (Edit(base + piece.start(node), end, said),)
        if not isinstance(value, ast.Constant):
            edits = (Edit(base + piece.start(node), start, f"{said} if "), Edit(end, end, " else None"))
        return self._fix(context, rule, titled("replace", f"`{said}`"), edits, start)

    def _fix(
        self,
        context: Context,
        rule: Rule,
        title: str,
        edits: tuple[Edit, ...],
        offset: int,
        copied: bool = False,
    ) -> tuple[Fix, ...]:
        """`copied`: whether the fix copies an expression of the file; such a fix needs review and adds no import."""
        unsure = copied or any(map(context.facts.says, rule.get("review-words", ())))
        applicability = cap(rule, "review" if unsure else "safe")
        needed = () if copied else context.requires(rule, offset)
        return (Fix(title, applicability, (*edits, *needed)),) if applicability else ()


def _beside(context: Context, rule: Rule) -> str:
    """Return the source of a value that the file passes to one of the functions in the rule's key `beside`, as the
    argument that the rule checks. The value must begin with a name that the file imports, as
    `get_accelerator().device_name()` does; if there is no such value, return ""."""
    facts, name = context.facts, rule.get("argument")
    for function in rule.get("beside", ()):
        called = f"{function.rpartition('.')[2]}("
        for at in facts.searches.find(("text", called), plain(called))[:_MANY]:
            statement = facts.peek(at) if not facts.layout.token_at(at) else None
            for call in statement.digest.parents.values() if statement is not None else ():
                if statement is None or not isinstance(call, ast.Call):
                    continue
                found = _find(call, name, rule.get("position"))
                root = _root(found[1]) if found is not None else ""
                if found is not None and root and context.resolve(call.func, statement) == function:
                    if context.foreign_name(root):
                        return ast.unparse(found[1])
    return ""


def _root(value: ast.expr) -> str:
    """The name at the beginning of an expression of attributes and calls without arguments; "" for others."""
    while isinstance(value, ast.Attribute) or (isinstance(value, ast.Call) and not (value.args or value.keywords)):
        value = value.value if isinstance(value, ast.Attribute) else value.func
    return value.id if isinstance(value, ast.Name) else ""


def _is_fallback(context: Context, start: int, end: int) -> bool:
    """Whether a call is in an `except` block whose `try` makes the same call with arguments."""
    text, indents = context.text, context.facts.indents
    for header in indents.headers(start):
        if header.word == "except":
            tried = indents.clauses(header)[0]
            context.facts.layout.reads(tried.end, indents.extent(tried.start))
            given = re.compile(re.escape(text[start:end]) + r"\([ \t]*[^\s)]")
            return given.search(text, tried.end, indents.extent(tried.start)) is not None
    return False


def _find(call: ast.Call, name: str, position: int | None) -> tuple[ast.AST, ast.expr] | None:
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword, keyword.value
    if position is not None and len(call.args) > position and not _starred(call):
        return call.args[position], call.args[position]
    return None


def _lacks_first(call: ast.Call) -> bool:
    """Return whether a call has a single argument, and it is not for the function's first parameter."""
    return len(call.args) + len(call.keywords) == 1


def _starred(call: ast.Call) -> bool:
    return any(isinstance(argument, ast.Starred) for argument in call.args)


def _added(context: Context, end: int, call: ast.Call, new: str, is_first: bool) -> Edit:
    """The edit that adds an argument to a call: positional if the argument comes first and the call has no arguments,
    else as the last keyword."""
    keyword, _, value = new.partition("=")
    if not call.args and not call.keywords:
        return Edit(end - 1, end - 1, (value or keyword) if is_first else new)
    before = context.text[: end - 1].rstrip()
    if not before.endswith(","):
        return Edit(len(before), len(before), f", {new}")
    gap = re.search(r"\r?\n[ \t]*(?=\S[^\n]*\Z)", before) if "\n" in context.text[len(before) : end] else None
    return Edit(len(before), len(before), f"{gap[0]}{new}," if gap else f" {new}")


def removed(context: Context, floor: int, start: int, end: int) -> Edit:
    """The edit that removes the argument at [start, end) together with its comma. `floor`: the start of the call; the
    comma before the argument is searched only after this offset."""
    text = context.text
    after = _AFTER.match(text, end)
    before = _BEFORE.search(text[floor:start])
    if after and text[after.end() : after.end() + 1] != ")":
        return Edit(start, after.end(), "")
    if before:
        return Edit(floor + before.start(), end, "")
    return Edit(start, after.end() if after else end, "")
