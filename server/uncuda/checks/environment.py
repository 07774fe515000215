"""`check = "environment"`: an environment variable of CUDA or NCCL that is read, set or passed on."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from .. import lazy_re
from ..catalogue import Row, Rule, Target
from ..edits import REVIEW, SAFE, Edit, Fix
from ..facts.read import Statement
from ..facts.role_calls import KEEPS, last_word, spelled
from ..facts.roles import Role
from ..facts.scans import plain
from ..messages.fixes import titled
from .base import Context, Hit, cap
from .environment_copies import Environments, is_one_of
from .environment_values import ascends, given_value, shared
from .hit import VARIABLE
from .string_evidence import is_prose, named

RAISES = "raises-unset"
"""The id in rules/limits.tsv of the sentence about code that raises KeyError if the target's variable is not set."""
NVIDIA_CARDS = "nvidia-cards"
"""The id in rules/limits.tsv of the sentence "it runs only where nvidia-smi lists certain cards of NVIDIA …"."""
OTHER_FRAMEWORK = "other-framework"
"""The id in rules/limits.tsv of the sentence "this file uses another framework than PyTorch"."""
NVIDIA_QUERIES = "nvidia-queries"
"""The id in rules/limits.tsv of the sentence "the code around it asks a tool of NVIDIA's driver for the devices"."""
NVIDIA_TOOLS = "nvidia-tools"
"""The id in rules/limits.tsv of the sentence "this file names a tool of NVIDIA's driver …"."""
# Matches the closing quote of a variable's name, but not in `x["NAME"]` unless a value is assigned: `x["NAME"] = …`.
_UNLESS_READ = lazy_re.compile(r"[\"'](?![ \t]*\](?![ \t]*=[^=]))")
_SETTING = lazy_re.compile(r"(?:(?:env|export) +)?([A-Z][A-Z0-9_]*)=(?P<value>\S*)[^\n]*\Z")
_NAME = lazy_re.compile(r"[A-Z][A-Z0-9_]*\Z")
_SILENT_KINDS = frozenset({"statement", "other", "receiver", "concatenation"})
_KEYWORD = lazy_re.compile(r"[(,\s](?:CUDA|NCCL|TORCH|PYTORCH|NVIDIA|CUDNN|CUBLAS)_[A-Z0-9_]+[ \t]*=(?!=)")
# Matches variables by which build scripts find and link a library; the library itself does not read them.
_BUILD = lazy_re.compile(r".*_(?:HOME|(?:INCLUDE|LIB|LIBRARY|ROOT)(?:_DIRS?)?|LIBRARIES|LIBS|PATH|STATIC)")
_TORCH = "torch"
_STEMS = ("CUD", "NCCL", "NVIDIA_VIS", "CUBLAS_")
_ASKING = frozenset({"get", "getenv", "__contains__"})
_MAPPERS = frozenset({"dict", "update", "setdefault", "env", "environ"})
_OF_DICTIONARIES = frozenset({"__contains__", "get", "pop", "setdefault"})
_SETTERS = _ASKING | _OF_DICTIONARIES | {"delenv", "putenv", "setenv", "unsetenv"}


class _Place(NamedTuple):
    """A piece of code that names an environment variable. `span`: the span of the AST node `node`, counted from the
    start of its statement; `at`: the offset of the variable's name in the text; `value`: the value assigned to the
    variable; `asked`: whether the code reads the variable or asks whether it exists; `tested`: whether the code only
    asks whether it exists; `raises`: whether the code raises KeyError if the variable is not set; `label`: whether the
    code may only mention the variable, for example in a list."""

    node: ast.AST
    span: tuple[int, int]
    at: int
    name: str
    value: ast.AST | str | None
    asked: bool = False
    tested: bool = False
    raises: bool = False
    label: bool = False


class Check:
    """The rules about environment variables: the status of a variable in the target's table decides which rule reports
    it."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._by_status = {status: rule for rule in rules for status in rule.status}
        self._patterns = [row for name, row in target.environment.items() if "*" in name]

    def _row(self, name: str) -> Row | None:
        row = self.target.environment.get(name)
        if row is not None:
            return row
        if _BUILD.fullmatch(name):
            return None
        return next((row for row in self._patterns if fnmatchcase(name, row.name)), None)

    def run(self, context: Context) -> Iterator[Hit]:
        """Yield hits at names of environment variables, at `NAME=value` in command lines, and at keyword arguments that
        become environment variables."""
        keywords = any(stem in context.facts.present for stem in _STEMS)
        environments = Environments(context)
        for statement in context.statements:
            for text in statement.digest.texts:
                match = _SETTING.match(text.value) or (None if text.formatted else _NAME.match(text.value))
                group = 1 if match and match.lastindex else 0
                rule = self._rule(match[group]) if match else None
                if match is None or rule is None:
                    continue
                role = context.role(text, statement)
                if group and role.kind in ("comparison", "membership"):
                    continue  # `"NAME=value" in text` searches a string: no environment variable has `=` in its name
                said = is_prose(role) or role.kind in ("statement", "other")
                applicability = REVIEW if group and not said else _class(role, rule, statement, environments)
                if applicability is not None:
                    at = statement.start + text.tokens[0].start + match.start(group)
                    value = match["value"] if group else given_value(statement, text.node)
                    text_searched = applicability == REVIEW and _is_in_text(role, rule)
                    asked, tested = (not group and not text_searched and asks(role) for asks in (_asks, _tests))
                    raises = asked and role.kind == "subscript" and not _is_set(context, statement, match[group])
                    span = text.piece.span(text.node)
                    label = not group and (text_searched or _is_label(role))
                    place = _Place(text.node, span, at, match[group], value, asked, tested, raises, label)
                    is_set = not group and not asked
                    if not rule.get("below-import") or (
                        is_set and _is_own(role, rule) and _is_below_torch(context, statement)
                    ):
                        yield self._hit(context, statement, rule, place, applicability)
            if keywords:
                yield from self._keywords(context, statement, environments)

    def _rule(self, name: str) -> Rule | None:
        row = self._row(name)
        return self._by_status.get(row.status) if row is not None else None

    def _keywords(self, context: Context, statement: Statement, environments: Environments) -> Iterator[Hit]:
        """Yield hits at keyword arguments that become environment variables: `dict(os.environ,
        CUDA_VISIBLE_DEVICES="0")`."""
        if not _KEYWORD.search(context.text, statement.start, statement.end):
            return
        for node in dict.fromkeys(statement.digest.parents):
            if not isinstance(node, ast.keyword) or not node.arg or not (rule := self._rule(node.arg)):
                continue
            call = statement.digest.parents.get(node)
            if isinstance(call, ast.Call) and last_word(call.func) in _MAPPERS:
                span = statement.digest.span(node)
                function = call.func
                updated = function.value if isinstance(function, ast.Attribute) and function.attr == "update" else call
                applicability = SAFE if environments.holds(updated, statement, rule.get("mappings", ())) else REVIEW
                own = is_one_of(spelled(updated), rule.get("mappings", ()))
                place = _Place(node, span, statement.start + span[0], node.arg, node.value)
                if not rule.get("below-import") or (own and _is_below_torch(context, statement)):
                    yield self._hit(context, statement, rule, place, applicability)

    def _means_other(self, limits: Sequence[str], rule: Rule, value: ast.AST | str | None) -> bool:
        """Return whether renaming an environment variable is not enough for the target. If the code assigns `value` to
        the variable: whether this value means something else on the target. If the code only reads the variable
        (`value` is None): whether the variable's values have another format on the target. See `value-limits`,
        `ascending-limits` and `format-limits` in docs/rule-keys.md."""
        if value is None:
            return not set(limits).isdisjoint(rule.get("format-limits", ()))
        differs = not set(limits).isdisjoint(rule.get("value-limits", ()))
        disordered = not set(limits).isdisjoint(rule.get("ascending-limits", ()))
        return disordered or (differs and not shared(value, rule.get("values", ())))

    def _limits(self, row: Row, rule: Rule, value: ast.AST | str | None) -> tuple[str, ...]:
        """Return the limits of a variable's row that concern code which assigns `value` to the variable, or reads the
        variable if `value` is None."""
        if value is not None and not ascends(value):
            return row.limits
        return tuple(limit for limit in row.limits if limit not in rule.get("ascending-limits", ()))

    def _hit(self, context: Context, statement: Statement, rule: Rule, place: _Place, applicability: str) -> Hit:
        row = self._row(place.name)
        assert row is not None
        start, end = (statement.start + offset for offset in place.span)
        words = {"old": place.name, "new": row.replacement, "subject": place.name}
        fixes: tuple[Fix, ...] = ()
        if reason := _stays(rule, place.name, context, statement):
            return Hit(rule, start, end, words, limits=(reason,), severity="information", statement=statement)
        limits = self._limits(row, rule, place.value)
        allowed = cap(rule, applicability)
        if not place.tested and self._means_other(limits, rule, place.value):
            allowed = None
        if row.replacement and allowed and context.text.startswith(place.name, place.at):
            edit = Edit(place.at, place.at + len(place.name), row.replacement)
            fixes = (Fix(titled("replace", f"`{row.replacement}`"), allowed, (edit,)),)
        # a variable is renamed in all code that reads it or asks whether it exists, or nowhere
        key = ((VARIABLE, place.name),)
        links, sources = (key if asked else () for asked in (place.asked, fixes and not place.label))
        limits = (*limits, RAISES) if place.raises and fixes and not context.portable else limits
        return Hit(rule, start, end, words, fixes, links, limits, statement=statement, node=place.node, sources=sources)


def _class(role: Role, rule: Rule, statement: Statement, environments: Environments) -> str | None:
    """Return the fix class by the role of the string: safe if the code accesses `os.environ` or a copy of it, review if
    the string only looks like the name of a variable, None if the string is text for people."""
    if role.kind in _SILENT_KINDS or is_prose(role):
        return None
    if environments.holds(_holder(role), statement, rule.get("mappings", ())):
        return SAFE
    call = role.call
    if role.kind == "argument" and call is not None:
        return SAFE if is_one_of(spelled(call.func), rule.get("calls", ())) and role.parameter in (0, "key") else REVIEW
    if role.kind == "subscript":
        stored = isinstance(role.subject, ast.Subscript) and isinstance(role.subject.ctx, ast.Store)
        return REVIEW if stored or named(role.name, rule.get("names", ())) else None
    return REVIEW


def _holder(role: Role) -> ast.AST | None:
    """Return the dictionary whose key a string is: `env` for `env["NAME"]`, `env.get("NAME")` and `env.update({"NAME":
    …})`, the dictionary itself for `{**os.environ, "NAME": …}`."""
    if role.kind == "subscript" and isinstance(role.subject, ast.Subscript):
        return role.subject.value
    if role.kind == "membership":
        return _mapping(role.subject)
    outer = role.outer if role.kind == "key" else role
    function = outer.call.func if outer is not None and outer.call is not None else None
    if isinstance(function, ast.Attribute) and outer is not None and outer.parameter == 0:
        if function.attr == "update" if outer is not role else function.attr in _OF_DICTIONARIES:
            return function.value
    return role.subject if outer is not role else None


def _is_own(role: Role, rule: Rule) -> bool:
    """Return whether the code at a variable's name changes the environment of its own process: `os.environ[NAME] = x`,
    `os.putenv(NAME, x)`."""
    if is_one_of(spelled(_holder(role)), rule.get("mappings", ())):
        return True
    call = role.call if role.kind == "argument" else None
    return call is not None and is_one_of(spelled(call.func), rule.get("calls", ()))


def _is_below_torch(context: Context, statement: Statement) -> bool:
    """Return whether torch has been imported when a statement runs: the file imports torch outside of all blocks, above
    the statement, or anywhere if the statement is in a function."""
    context.asked.add(_TORCH)
    first = context.first_torch_import
    if first is None:
        return False
    inside = any(header.word == "def" for header in context.facts.indents.headers(statement.start))
    return inside or first.start < statement.start


def _is_in_text(role: Role, rule: Rule) -> bool:
    """Whether code looks for a variable's name in something that is not named for the environment: `NAME in line`."""
    return role.kind == "membership" and not named(role.name, rule.get("names", ()))


def _is_label(role: Role) -> bool:
    """Whether code that contains a variable's name may neither read nor set the variable: the name is in a list, or an
    argument of a function that is not about variables."""
    if role.kind == "argument" and role.call is not None:
        return last_word(role.call.func) not in _SETTERS
    return bool(role.containers)


def _tests(role: Role) -> bool:
    """Whether the code only asks whether a variable exists."""
    called = role.kind == "argument" and role.call is not None and last_word(role.call.func) == "__contains__"
    return called or role.kind == "membership"


def _asks(role: Role) -> bool:
    """Whether the code reads a variable or asks whether it exists, instead of setting it."""
    if role.kind == "argument" and role.call is not None:
        return last_word(role.call.func) in _ASKING
    stored = isinstance(role.subject, ast.Subscript) and not isinstance(role.subject.ctx, ast.Load)
    return role.kind == "membership" or (role.kind == "subscript" and not stored)


def _is_set(context: Context, statement: Statement, name: str) -> bool:
    """Return whether the code may make sure that a variable is set before a statement reads it. The result is True if
    the statement is in a `try`, or if the file, up to the end of the statement, sets the variable or asks whether it
    exists."""
    context.asked.add(name)
    text, places = context.text, context.facts.places(name, 0, statement.end)
    context.facts.work.compare(len(places))
    if any(text[at - 1 : at] in ("'", '"') and _UNLESS_READ.match(text, at + len(name)) for at in places):
        return True
    return any(header.word == "try" for header in context.facts.indents.headers(statement.start))


def _stays(rule: Rule, name: str, context: Context, statement: Statement) -> str:
    """Return the id of the sentence that says why a variable keeps its name: only NVIDIA's GPUs run the statement, or
    PyTorch does not read the variable. Return "" if there is no such reason."""
    if _is_of_another_framework(rule, context):
        return OTHER_FRAMEWORK
    if any(map(context.facts.says, rule.get("nvidia-words", ()))):
        return NVIDIA_TOOLS
    if any(_is_beside(tool, context, statement) for tool in rule.get("nvidia-queries", ())):
        return NVIDIA_QUERIES
    if any(map(context.facts.says, rule.get("nvidia-choosers", {}).get(name, ()))):
        return NVIDIA_QUERIES
    return NVIDIA_CARDS if any(_is_for_cards(test, context, statement) for test in rule.get("card-tests", ())) else ""


def _is_beside(name: str, context: Context, statement: Statement) -> bool:
    """Return whether the class or function at module level that contains a statement also contains a name."""
    facts = context.facts
    if not facts.says(name):
        return False
    blocks = [one for one in facts.indents.headers(statement.start) if one.word in ("def", "class")]
    places = facts.searches.find(("text", name), plain(name)) if blocks else ()
    facts.work.compare(len(places))
    start, end = (blocks[-1].start, facts.indents.extent(blocks[-1].start)) if blocks else (0, 0)
    return any(start <= at < end and facts.layout.token_at(at) != "#" for at in places)


def _is_of_another_framework(rule: Rule, context: Context) -> bool:
    """Return whether the file imports one of the rule's `frameworks`, and nothing that is named after torch."""
    named = [name for name in rule.get("frameworks", ()) if context.facts.says(name)]
    context.asked.update([*named, _TORCH] if named else ())  # an edit of a line with these words may change the imports
    if context.imported_roots.isdisjoint(named):
        return False
    return not any(_TORCH in root for root in context.imported_roots)


def _is_for_cards(name: str, context: Context, statement: Statement) -> bool:
    """Return whether a statement is in the block of `if not NAME():`. NAME is the function `name`, which returns False
    only on a machine with certain models of NVIDIA's GPUs."""
    facts = context.facts
    if not facts.says(name):
        return False
    for header in facts.indents.headers(statement.start):
        if header.word in ("if", "elif") and name in facts.text[header.start : header.end]:
            test = facts.peek(header.start)
            nodes = test.digest.piece.nodes if test is not None else ()
            if any(isinstance(one, ast.If) and _denies(one.test, name) for one in nodes):
                return True
    return False


def _denies(condition: ast.expr, name: str) -> bool:
    """Return whether a condition is true only if the function of this name returns False."""
    if isinstance(condition, ast.BoolOp) and isinstance(condition.op, ast.And):
        return any(_denies(value, name) for value in condition.values)
    if not isinstance(condition, ast.UnaryOp) or not isinstance(condition.op, ast.Not):
        return False
    asked = condition.operand
    return isinstance(asked, ast.Call) and last_word(asked.func) == name and not (asked.args or asked.keywords)


def _mapping(node: ast.AST | None) -> ast.AST | None:
    """The mapping whose keys an expression lists: `os.environ` for `os.environ.keys()` and for `list(os.environ)`."""
    while isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr == "keys" and not node.args:
            node = function.value
        elif isinstance(function, ast.Name) and function.id in KEEPS | {"dict"} and len(node.args) == 1:
            node = node.args[0]
        else:
            break
    return node
