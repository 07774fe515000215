"""Traces the value of a variable through one file, and finds the strings that one variable may hold."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Hashable, Iterator
from itertools import islice

from .. import lazy_re
from ..facts.changes import FAR
from ..facts.digest import Text
from ..facts.read import Statement
from ..facts.role_calls import FIXTURES, ROWS, SPELLED, chain_of, compared_too, last_word
from ..facts.roles import Role, role_at, role_of, unwrapped
from ..facts.scopes import FUNCTION
from .base import At, Context, Links
from .parameters import is_fixture

Proof = Callable[[Role], bool]
_MANY = 60
_MATCHING, _FLAGS = frozenset({"fullmatch", "match"}), 3  # `re.match(pattern, text, flags)` has this many arguments
_DIVIDING = frozenset({"partition", "rpartition", "rsplit", "split"})
_NOTHING = "nullcontext"  # of contextlib
_PARTS = ("args", "keywords", "values", "comparators")
_WIDE = (ast.Call, ast.BoolOp, ast.Compare)  # to find the role of a string, all children of these nodes are read
TESTS = frozenset({"comparison", "membership", "case"})
LINKED = TESTS | {"assignment", "default", "item"}
# Local variables with such a name are taken for the same device in all functions of a file: the name says which device.
_OF_FILE = lazy_re.compile(r"[a-z]\w*_device(?:_type)?")
_OUTER = lazy_re.compile(r"^[ \t]*(?:global|nonlocal)\b([^\n]*)", re.M)
_PLAIN = tuple((method,) for method in SPELLED)


class Flow:
    """Traces variables through one source file and caches every result."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._imported = context.imported
        self._hops = 0  # how many variables the present trace has passed through
        self._known: dict[tuple[str, str, int], bool] = {}
        self._asked: dict[tuple[str, str, int], bool] = {}
        self._scopes = context.scopes
        self._fixtures: dict[str, bool] = {}
        self._takers: dict[tuple[str, int], Links] = {}
        self._divisions: dict[tuple[str, int], tuple[int, ast.expr] | None] = {}

    def resolve(self, node: ast.AST, statement: Statement) -> str | None:
        """The dotted name to which an expression resolves, also if no rule covers this name."""
        if (found := self.context.resolve(node, statement)) is not None:
            return found
        base, parts = chain_of(node)
        if not isinstance(base, ast.Name) or self.context.facts.names.bindings(base.id):
            return None
        root = self._imported.get(base.id)
        call = statement.digest.parents.get(node)
        if root is None and isinstance(call, ast.Call) and call.func is base:
            return self._function_in(base, statement)
        return ".".join([root, *parts]) if root else None

    def _function_in(self, name: ast.Name, statement: Statement) -> str | None:
        """Return the dotted name of the function of torch that a local variable holds, as in `scope = autocast if fast
        else nullcontext`; None if the variable may hold another function."""
        scope = self.scope(name.id, statement.start, Role("comparison", name))
        if scope < 0:
            return None
        self.context.asked.add(name.id)
        text, end = self.context.text, self.context.facts.indents.extent(scope)
        self.context.facts.work.search(scope, end)
        if any(text.find(f"{word} {name.id}", scope, end) >= 0 for word in ("def", "class")):
            return None
        bindings = [(one, where) for where in self.naming(name.id, scope) for one in where.digest.bindings]
        found = set[str | None]()
        for binding, where in bindings:
            if binding.name == name.id:
                value = binding.value
                values = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
                found.update(self._imported_as(one, where) for one in values if last_word(one) != _NOTHING)
        (function,) = found if len(found) == 1 else (None,)
        return function if function is not None and function.startswith("torch.") else None

    def _imported_as(self, node: ast.AST | None, statement: Statement) -> str | None:
        base, parts = chain_of(node)
        if node is None or not isinstance(base, ast.Name):
            return None
        root = self._imported.get(base.id)
        return self.context.resolve(node, statement) or (".".join([root, *parts]) if root else None)

    def module_of(self, node: ast.AST) -> str:
        """Return the dotted name of the import with which an expression begins, such as "numpy" for `np.float32`; "" if
        the expression begins with no imported name, or with a name imported from torch."""
        base, _ = chain_of(node)
        return self.context.foreign_name(base.id) if isinstance(base, ast.Name) else ""

    def role(self, text: Text, statement: Statement) -> Role:
        """Return how the code uses a string literal: as an argument, in a comparison, as a default (see `Role`)."""
        self._count(text.node, statement)
        return role_of(text, statement.digest, lambda node: self.resolve(node, statement))

    def role_at(self, node: ast.AST, start: int, statement: Statement) -> Role:
        self._count(node, statement)
        return role_at(node, start, statement.digest, lambda inner: self.resolve(inner, statement))

    def _count(self, node: ast.AST, statement: Statement) -> None:
        """Count as work the nodes that are read to find the role of a string."""
        steps = 0
        for outer in statement.digest.ancestors(node):
            steps += 1
            if isinstance(outer, _WIDE):
                steps += sum(len(getattr(outer, name, ())) for name in _PARTS)
        self.context.facts.work.compare(1 + steps // 8)

    def reaches(self, rule: str, role: Role, statement: Statement, proves: Proof) -> bool:
        """Return whether `proves` returns True for another use of a string. If the string is assigned to a variable or
        compared with one, its other uses are the uses of this variable; if a function returns the string, they are the
        uses of the function's result."""
        if role.call is not None and role.kind == "default":
            role = self.role_at(role.call, statement.digest.span(role.call)[0], statement)
            if proves(role):
                return True
        called = f"{role.name}(" if role.kind == "return" and not role.containers else ""
        spelled = called or _spelled(role)
        if not spelled:
            return False
        scope = -1 if called or "." in spelled else self.scope(spelled, statement.start, role)
        key = (rule, spelled, scope)
        self.context.asked.add(spelled)
        if key not in self._known:
            if self._hops >= self.context.facts.work.limits.depth:
                return False  # too many variables lie between the string and this use, so the use proves nothing
            self._known[key] = False  # False if the value of the variable depends on the variable itself
            self._hops += 1
            uses = [*(self.calls(role.name, statement) if called else self.uses(spelled, scope))]
            leads = any(proves(use) or self._leads(rule, use, where, proves) for use, where in uses)
            self._hops -= 1
            self._known[key] = leads and not any(self._is_looked_up(use) for use, _ in uses)
        return self._known[key]

    def asks_for(self, word: str, role: Role, statement: Statement) -> bool:
        """Return whether the variable that holds a string is also compared with `word`, or gets it or another string by
        a condition: `backend = "nccl" if on_gpu else "hccl"`. This shows that a person has ported the code around the
        variable.

        A fix changes all strings with a common key in `Hit.links` at once. If a fix had written `word`, it would also
        have replaced the string that still names CUDA, so a person wrote `word`.
        """
        spelled = _spelled(role)
        if not spelled or not self.quotes(word):
            return False
        self.context.asked.add(spelled)
        scope = -1 if "." in spelled else self.scope(spelled, statement.start, role)
        key = (word, spelled, scope)
        if key not in self._asked:
            tests = (use for use, _ in self.uses(spelled, scope) if use.kind in ("comparison", "membership"))
            self._asked[key] = any(_says(use.subject, word) for use in tests) or any(
                _chooses(one, spelled, word) for one in self.naming(spelled, scope)
            )
        return self._asked[key]

    def quotes(self, word: str) -> bool:
        """Return whether a string in the text may begin with a word. `"npu"` is rare, but many texts have the letters
        `npu`, as a part of `input`."""
        return any(self.context.facts.says(quote + word) for quote in "\"'")

    def _is_looked_up(self, use: Role) -> bool:
        """Return whether a value is used as a key of a table that another file defines, `REGISTRY.get(flag)`; this
        table may have no entry for the target."""
        function = use.call.func if use.call is not None else None
        if use.method != "get" or use.parameter != 0 or not isinstance(function, ast.Attribute):
            return False
        table = function.value.id if isinstance(function.value, ast.Name) else ""
        self.context.facts.work.search(0, 16 * len(self.context.text))
        return table.isupper() and not re.search(rf"^{table}[ \t]*[:=]", self.context.text, re.M)

    def _leads(self, rule: str, use: Role, statement: Statement, proves: Proof) -> bool:
        """Return whether code assigns or returns a value, and `proves` accepts a later use of the value."""
        if use.kind == "return":
            use.name = self.function_of(statement)
        elif use.kind != "assignment" and (use.kind != "item" or use.subject is None):
            return False
        return proves(use) or self.reaches(rule, use, statement, proves)

    def function_of(self, statement: Statement) -> str:
        """The name of the function that contains a statement; "" at module level."""
        scope = self.context.facts.indents.scope_of(statement.start)
        match = FUNCTION.match(self.context.text, scope[0]) if scope else None
        return match[1] if match else ""

    def calls(self, name: str, statement: Statement) -> Iterator[tuple[Role, Statement]]:
        """Yield, for each call of a function in this file, the role of the call (how the code uses its result) and its
        statement; for a method, only for calls on `self` or `cls`."""
        self.context.asked.add(name)
        indents = self.context.facts.indents
        scope = indents.scope_of(statement.start)
        holder = indents.scope_of(scope[0]) if scope else None
        method = holder is not None and holder[1] == "class"
        pattern = re.compile(rf"{re.escape(name)}(?<!def )(?<![\w]{re.escape(name)})[ \t]*\(")
        for found in self.statements(pattern, 0, len(self.context.text), name):
            digest = found.digest
            self.context.facts.work.compare(len(digest.chains))
            for chain in digest.chains:
                called = (
                    chain.root in ("self", "cls") and chain.parts == (name,)
                    if method
                    else (chain.root == name and not chain.parts)
                )
                call = digest.parents.get(chain.node)
                if called and isinstance(call, ast.Call) and call.func is chain.node:
                    yield self.role_at(call, chain.piece.start(call), found), found

    def scope(self, name: str, offset: int, role: Role) -> int:
        """The offset of the function in which `name`, at `offset`, is a local variable; -1 if the variable belongs to
        the module or a class."""
        if role.kind == "default" and role.subject is None and role.call is None:
            return offset
        indents = self.context.facts.indents
        found = indents.scope_of(offset)
        while found is not None:
            if found[1] == "def" and self._binds(name, found[0]):
                return found[0]
            found = indents.scope_of(found[0])
        return -1

    def _binds(self, name: str, header: int) -> bool:
        key = (name, header)
        if key not in self._scopes:
            self.context.facts.work.search(header, header + 16 * (self.context.facts.indents.extent(header) - header))
            text = self.context.text[header : self.context.facts.indents.extent(header)]
            word = re.escape(name)
            parameters = text[: text.find("\n", text.find(")")) if ")" in text else len(text)]
            assigned = rf"^[ \t]*(?:[\w.]+[ \t]*,[ \t]*)*{word}[ \t]*(?:[:,][^=\n]*)?=(?!=)"
            pattern = rf"{assigned}|\bfor\b[^:\n]*\b{word}\b[^:\n]*\bin\b"
            binds = bool(re.search(rf"[(,*\s]{word}[ \t]*[,:=)\n]", parameters) or re.search(pattern, text, re.M))
            self._scopes[key] = binds and not _declares(name, text)
        return self._scopes[key]

    def uses(self, spelled: str, scope: int) -> Iterator[tuple[Role, Statement]]:
        """Yield, for each use of a variable and each value assigned to it, how the code uses it (a Role), and the
        statement."""
        root, _, attribute = spelled.partition(".")
        for statement in self.naming(spelled, scope):
            for role in self._roles(root, (attribute,) if attribute else (), statement):
                yield role, statement

    def place(self, role: Role, statement: Statement) -> tuple[str, int] | None:
        """Return the name of the variable to which a string is assigned, or with which it is compared, and the
        variable's scope (see `scope`). The name is spelled as in the code, such as `self.device`."""
        spelled = _spelled(role)
        if not spelled:
            return None
        self.context.asked.add(spelled)
        return spelled, -1 if "." in spelled else self.scope(spelled, statement.start, role)

    def naming(self, spelled: str, scope: int) -> tuple[Statement, ...]:
        """The statements in a scope that contain a name."""
        known = self.context.naming.get((spelled, scope))
        if known is None:
            end = self.context.facts.indents.extent(scope) if scope >= 0 else len(self.context.text)
            word = re.escape(spelled)  # the word comes first in the pattern, because a plain word is found fast
            pattern = re.compile(rf"{word}(?<![\w.]{word})(?![\w(])")
            known = tuple(self.statements(pattern, max(scope, 0), end, spelled))
            self.context.naming[spelled, scope] = known
        else:
            self.context.facts.work.compare(1 + len(known))
        return known

    def statements(
        self,
        pattern: re.Pattern[str],
        start: int,
        end: int,
        word: str = "",
        counts: Callable[[re.Match[str]], bool] = lambda _: True,
    ) -> Iterator[Statement]:
        """Yield the statements that contain a match of a pattern, if `counts` returns True for this match. `word`: the
        text with which every match begins, if it is always the same."""
        seen: set[int] = set()
        done = start
        for match in islice(self._matches(pattern, start, end, word), _MANY):
            self.context.facts.work.search(done, match.start())
            done = match.start()
            statement = self.context.facts.peek(match.start()) if counts(match) else None
            if statement is not None and statement.start not in seen:
                seen.add(statement.start)
                yield statement

    def _matches(self, pattern: re.Pattern[str], start: int, end: int, word: str) -> Iterator[re.Match[str]]:
        text = self.context.text
        if not word.isascii() or not word or end - start < FAR:
            yield from pattern.finditer(text, start, end)
            return
        for at in self.context.facts.places(word, start, end):
            if (match := pattern.match(text, at, end)) is not None:
                yield match

    def _roles(self, root: str, parts: tuple[str, ...], statement: Statement) -> Iterator[Role]:
        digest, looked_up = statement.digest, (*parts, "index")
        self.context.facts.work.compare(len(digest.chains) + len(digest.texts) + len(digest.bindings))
        for chain in digest.chains:
            if chain.root == root and chain.parts == parts:
                yield self.role_at(chain.node, chain.piece.start(chain.node), statement)
            elif chain.root == root and chain.parts == looked_up and isinstance(chain.node, ast.Attribute):
                yield self.role_at(chain.node.value, chain.piece.start(chain.node), statement)
            elif chain.root == root and chain.parts[:-1] == parts and chain.parts[-1:] in _PLAIN:
                call = digest.parents.get(chain.node)  # `kind.lower() in ["cuda"]` asks for the variable
                use = self.role_at(call, chain.piece.start(chain.node), statement) if call is not None else None
                if use is not None and use.kind in TESTS:
                    yield use
        for text in digest.texts:
            if text.formatted and not text.value and self._opens(".".join((root, *parts)), text, statement):
                yield self.role(text, statement)
        for binding in digest.bindings:
            if binding.name == root and not parts and binding.value is not None:
                core, _ = unwrapped(self.divided(binding.value, statement))
                yield Role("comparison", core, name=last_word(core), subject=core)

    def divided(self, value: ast.expr, statement: Statement) -> ast.expr:
        """Return the call that divides a string, for the first item of the variable that holds the result:
        `device.split(":")` for `parts[0]` after `parts = device.split(":")` in the same function. For the first group
        of a match, `match[1]` after `match = re.match(pattern, device)`, return the string that is matched. Otherwise
        return the value itself."""
        name, number = _item(value)
        if not name:
            return value
        scope = self.context.facts.indents.scope_start(statement.start)
        if (name, scope) not in self._divisions:
            self._divisions[name, scope] = self._division(name, scope)
        found = self._divisions[name, scope]
        return found[1] if found is not None and found[0] == number else value

    def _division(self, name: str, scope: int) -> tuple[int, ast.expr] | None:
        """Return the number of the first part, and the call that divides a string or the string that is matched, if it
        is the only value of a variable; otherwise None."""
        self.context.asked.add(name)
        every = self.naming(name, scope)
        bindings = [one for where in every for one in where.digest.bindings if one.name == name]
        found = bindings[0].value if len(bindings) == 1 and scope >= 0 else None
        if isinstance(found, ast.Call) and last_word(found.func) in _MATCHING and found.args:
            return 1, found.args[-1] if len(found.args) < _FLAGS else found.args[1]
        changed = any(f"{name}." in where.digest.piece.text for where in every)  # `parts.insert(0, kind)`
        return (0, found) if found is not None and _divides(found) and not changed else None

    def _opens(self, spelled: str, text: Text, statement: Statement) -> bool:
        """Whether the first field of an f-string is this variable: `f"{name}:{index}"`."""
        start, end = min((field for token in text.tokens for field in token.fields), default=(0, 0))
        return self.context.text[statement.start + start : statement.start + end].strip() == spelled

    def links(self, role: Role, statement: Statement) -> Links:
        """Return the keys for `Hit.links` that a string shares with all strings that must change together with it.

        Strings of the same local variable share a key only within one function, unless its name says which device it
        is, such as `worker_device`; strings of the same attribute, option or field share a key in the whole file. A
        string that a function returns also shares a key with the strings with which the function's result is compared,
        and with the strings of each variable to which the result is assigned.
        """
        if role.kind == "return" and role.name:
            taken = (key for use, where in self.calls(role.name, statement) for key in self.links(use, where))
            return (("call", role.name), *taken)
        if _item(role.subject)[0] and isinstance(role.subject, (ast.Call, ast.Subscript)):
            if self.divided(role.subject, statement) is not role.subject:
                return tuple(self._parts(role.subject, statement))
        if isinstance(role.subject, ast.Call) and role.kind in ("comparison", "membership"):
            name = role.name.removesuffix("()")
            return (("call", name),) if self.context.facts.says(f"def {name}(") else ()
        if role.kind not in LINKED or role.name in ("", "type") or role.name.endswith("()"):
            return ()
        if role.option or isinstance(role.subject, (ast.Attribute, ast.Subscript)):
            return (field_key(role.option or (FIXTURES if _spelled(role) == FIXTURES else role.name)),)
        if role.call is not None and role.kind in ("default", "item") and role.subject is None:
            return (field_key(role.name),)
        found = self.context.facts.indents.scope_of(statement.start)
        if role.kind == "assignment" and found is not None and found[1] == "class":
            return (field_key(role.name),)
        if role.subject is not None or role.kind == "default":
            scope = self.scope(role.name, statement.start, role)
            if role.name not in self._fixtures:
                self._fixtures[role.name] = is_fixture(role.name, self.context.facts, self.context.asked)
            given = (field_key(FIXTURES),) if scope >= 0 and self._fixtures[role.name] else ()
            every = (role.name, *compared_too(statement.digest.parents.get(role.node)))
            fields = (field_key(one) for one in every if _OF_FILE.fullmatch(one))
            rows = self._columns(role, scope) if role.column >= 0 else ()
            return (
                *(("name", one, At(scope)) for one in every),
                *fields,
                *self._handed(role.name, scope),
                *given,
                *rows,
            )
        return ()

    def _columns(self, role: Role, scope: int) -> Iterator[tuple[Hashable, ...]]:
        """Yield the keys for `Hit.links` of the variables that loops over a list of rows give the role's column:
        `device` in `for name, device in scenarios`."""
        for found in self.naming(role.name, scope):
            for node in found.digest.piece.nodes:
                loops = isinstance(node, (ast.For, ast.AsyncFor)) and last_word(node.iter) == role.name
                targets = node.target if loops and isinstance(node, (ast.For, ast.AsyncFor)) else None
                if isinstance(targets, ROWS) and role.column < len(targets.elts):
                    target = targets.elts[role.column]
                    if isinstance(target, ast.Name):
                        yield "name", target.id, At(self.scope(target.id, found.start, role))

    def _parts(self, part: ast.Call | ast.Subscript, statement: Statement) -> Iterator[tuple[Hashable, ...]]:
        """Yield the keys for `Hit.links` of the variables to which the first part of a divided string is assigned,
        `kind` for `parts[0]` beside `kind = parts[0]`, and of what is divided."""
        name, number = _item(part)
        scope = self.context.facts.indents.scope_start(statement.start)
        yield "name", name, At(scope)
        core, _ = unwrapped(self.divided(part, statement))
        yield from self.links(Role("comparison", core, name=last_word(core), subject=core), statement)
        for where in self.naming(name, scope):
            for binding in where.digest.bindings:
                if binding.value is not None and _item(binding.value) == (name, number):
                    yield "name", binding.name, At(scope)

    def made(self, role: Role, statement: Statement) -> Links:
        """Return the keys for `Hit.links` of the variable or attribute that holds the device which a call makes from a
        string: `self.device = torch.device("cuda", rank)`."""
        if role.call is None or role.method != "device" or role.parameter not in (0, "type"):
            return ()
        holder = self.role_at(role.call, statement.digest.span(role.call)[0], statement)
        return self.links(holder, statement) if holder.kind == "assignment" else ()

    def _handed(self, name: str, scope: int) -> Links:
        """Return the attributes to which a variable is assigned unchanged, as in `self.kind = kind`: each attribute as
        a key for `Hit.links`."""
        if (name, scope) not in self._takers:
            text, first = self.context.text, max(scope, 0)
            end = self.context.facts.indents.extent(scope) if scope >= 0 else len(text)
            self.context.asked.add(name)
            self.context.facts.work.search(first, end)
            if not re.compile(rf"=[ \t]*{re.escape(name)}(?!\w)").search(text, first, end):
                self._takers[name, scope] = ()
                return ()
            taken = (use for use, _ in self.uses(name, scope) if use.kind == "assignment" and not use.containers)
            fields = (use.name for use in taken if isinstance(use.subject, ast.Attribute) and use.name != "type")
            self._takers[name, scope] = tuple(map(field_key, dict.fromkeys(fields)))
        return self._takers[name, scope]


def _item(value: ast.AST | None) -> tuple[str, int]:
    """Return the variable and the number of its item: ("parts", 0) for `parts[0]`, ("match", 1) for `match.group(1)`;
    ("", 0) for other expressions."""
    holder, index = (value.value, value.slice) if isinstance(value, ast.Subscript) else (None, None)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "group":
        holder, index = value.func.value, value.args[0] if len(value.args) == 1 else None
    number = index.value if isinstance(index, ast.Constant) else None
    return (holder.id, number) if isinstance(holder, ast.Name) and type(number) is int else ("", 0)


def _divides(node: ast.expr) -> bool:
    """Return whether an expression divides a string at colons: `device.split(":")`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return False
    return node.func.attr in _DIVIDING and isinstance(node.args[0], ast.Constant) and node.args[0].value == ":"


def _says(node: ast.AST | None, word: str) -> bool:
    """Return whether a string, or a string in a list, is the word, alone or with an index: `"xpu"`, `"xpu:0"`."""
    nodes = node.elts if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else [node]
    values = (one.value for one in nodes if isinstance(one, ast.Constant))
    return any(isinstance(value, str) and value.partition(":")[0] == word for value in values)


def _chooses(statement: Statement, spelled: str, word: str) -> bool:
    """Return whether a statement assigns the word or another string to a variable, by a condition."""
    node = statement.digest.piece.nodes[0]
    if not isinstance(node, (ast.Assign, ast.AnnAssign)) or not isinstance(node.value, ast.IfExp):
        return False
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    arms = node.value.body, node.value.orelse
    both = all(isinstance(arm, ast.Constant) and isinstance(arm.value, str) for arm in arms)
    return both and any(_says(arm, word) for arm in arms) and any(ast.unparse(one) == spelled for one in targets)


def field_key(name: str) -> tuple[Hashable, ...]:
    """Return the key for `Hit.links` of an attribute, option or field. `self._device` usually holds what the property
    `device` returns, so that both have the same key."""
    return "field", name.lstrip("_") or name


def _spelled(role: Role) -> str:
    """Return the variable that a string is assigned to or compared with, as the file spells it: `name` or `self.name`.
    If the string is the default of a parameter, return the parameter's name."""
    subject = role.subject
    if subject is None:
        return role.name if role.kind == "default" and role.call is None else ""
    if isinstance(subject, ast.Name):
        return subject.id
    if isinstance(subject, ast.Attribute) and isinstance(subject.value, ast.Name):
        return f"{subject.value.id}.{subject.attr}"
    return ""


def _declares(name: str, text: str) -> bool:
    """Whether a function declares a name `global` or `nonlocal`."""
    if "global" not in text and "nonlocal" not in text:
        return False
    return any(name in re.findall(r"\w+", match[1]) for match in _OUTER.finditer(text))
