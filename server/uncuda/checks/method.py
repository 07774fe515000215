"""`check = "method"`: a method or attribute such as `.cuda()` on an object that may be a tensor or a module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from .. import lazy_re
from ..catalogue import Rule, Target
from ..edits import REVIEW, SAFE, Edit, Fix, lowest
from ..facts.digest import Text
from ..facts.model import Statement
from ..facts.piece import Piece
from ..facts.role_calls import last_word, spelled
from ..facts.scans import plain, whole_word
from ..messages.fixes import titled
from ..project import FIELD
from .base import At, Context, Hit, cap
from .collectives import Collectives
from .given_device import bound_kind, is_asked, is_index, names_device, of_module, says_number
from .host_values import HostValues
from .instances import may_be_own
from .on_host import is_cast_on_host
from .scripted import scripted
from .unpacking import target_of

# Nodes of which a comparison can be a part without parentheses.
_ALONE = (ast.If, ast.While, ast.IfExp, ast.BoolOp, ast.Assert, ast.Assign, ast.Return)
_EMPTY = lazy_re.compile(r"\s*\(\s*\)")
_NAMED = lazy_re.compile(r"(?<![\w.])(\w+)\Z")
_ASSIGNED = lazy_re.compile(r"[ \t]*(:[^=\n]+)?=(?!=)")
_LOADS = "load_from_checkpoint"  # a method of a LightningModule


class Check:
    """All rules of this check, by the name of the method that each reports."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules: dict[str, list[Rule]] = {}
        for rule in rules:
            for method in rule.get("methods"):
                self._rules.setdefault(method, []).append(rule)
        self.names = frozenset(name for rule in rules for name in rule.get("receivers", ()))

    def run(self, context: Context) -> Iterator[Hit]:
        """Yield hits at uses of the rules' methods on objects that are not known to be a module or class of another
        library."""
        resolved = {id(reference.chain.node) for reference in context.references}
        values = HostValues(context)
        for statement in context.statements:
            digest = statement.digest
            for chain in digest.chains:
                if chain.parts and id(chain.node) not in resolved:
                    yield from self._chain(context, statement, chain.node, chain.piece, values)
            for member in digest.members:
                if member.name in self._rules:
                    yield from self._attribute(context, statement, member.node, member.piece.end(member.node), values)
            for text in digest.texts:
                if text.value in self._rules and not context.portable:
                    yield from self._read(context, statement, text)

    def _chain(
        self, context: Context, statement: Statement, node: ast.expr, piece: Piece, values: HostValues
    ) -> Iterator[Hit]:
        """Yield hits at every attribute of a dotted expression that resolves to no known name: `self.x.is_cuda.y`."""
        while isinstance(node, ast.Attribute):
            if node.attr in self._rules:
                if context.resolve(node.value, statement) is not None and not isinstance(node.value, ast.Call):
                    return
                yield from self._attribute(context, statement, node, piece.end(node), values)
            node = node.value

    def _attribute(
        self, context: Context, statement: Statement, node: ast.Attribute, end: int, values: HostValues
    ) -> Iterator[Hit]:
        parent = statement.digest.parents.get(node)
        call = parent if isinstance(parent, ast.Call) and parent.func is node else None
        for rule in self._rules[node.attr]:
            if context.shim and rule.shim == "silent":
                continue
            if bool(rule.get("call")) != (call is not None) or not isinstance(node.ctx, ast.Load):
                continue
            if _foreign(context, statement, node) or (rule.get("with-torch") and not context.imports_root("torch")):
                continue
            if rule.get("on-device") and is_cast_on_host(call, statement, values):
                continue
            if _own(context, node) if call is None else not (rule.get("replace") or _fits(call, rule)):
                continue
            yield self._hit(context, statement, node, call, rule, statement.start + end)

    def _read(self, context: Context, statement: Statement, text: Text) -> Iterator[Hit]:
        """Yield a hit at an attribute that `getattr` reads, False by default: `getattr(x, "is_cuda", False)`."""
        call = statement.digest.parents.get(text.node)
        if not isinstance(call, ast.Call) or last_word(call.func) != "getattr" or len(call.args) != 3:
            return
        is_read = call.args[1] is text.node and isinstance(call.args[2], ast.Constant) and call.args[2].value is False
        first, last = (statement.start + offset for offset in text.piece.span(text.node))
        start = context.text.find(text.value, first, last)
        node = ast.Attribute(value=call.args[0], attr=text.value, ctx=ast.Load())
        for rule in self._rules[text.value] if is_read and start >= 0 else ():
            if rule.get("call") or not rule.get("replace") or (context.shim and rule.shim == "silent"):
                continue
            if _foreign(context, statement, node) or _own(context, node):
                continue
            new, end = self.target.fill(rule.get("replace")), start + len(text.value)
            applicability = lowest(cap(rule, SAFE), _certainty(context, statement, node, None, rule)) or REVIEW
            if context.lacks_plugin(rule, start) or scripted(context.facts, statement.start):
                applicability = REVIEW
            limits = context.feature_limits(rule)
            if lacking := _lacking(context, node, rule):
                applicability, limits = REVIEW, (*limits, lacking)
            edits = (Edit(start, end, new), *context.requires(rule, start))
            fixes = (Fix(titled("replace", f'"{new}"'), applicability, edits),)
            words = {"old": text.value, "new": new, "subject": f".{text.value}"}
            yield Hit(rule, start, end, words, fixes, limits=limits, statement=statement, node=call)

    def _hit(
        self, context: Context, statement: Statement, node: ast.Attribute, call: ast.Call | None, rule: Rule, end: int
    ) -> Hit:
        start = end - len(node.attr)
        new, lacking = self.target.fill(rule.get("replace", "")), tuple(rule.get("not-from", ()))
        edits: tuple[Edit, ...] = (Edit(start, end, new),)
        links = (("call", At(statement.start), id(node.value)),) if isinstance(node.value, ast.Call) else ()
        limits = context.feature_limits(rule)
        fixes: tuple[Fix, ...] = ()
        applicability = cap(rule, "safe" if new else None)
        if limit := _lacking(context, node, rule):
            new, edits = self._for_all(context, call, rule, start, end)
            limits, applicability = (limits, applicability) if edits else ((limit,), None)
            lacking = ()
        elif rule.get("for-all") and _tracks_device(context, statement, node, call):
            new, edits = self._for_all(context, call, rule, start, end)
            lacking = ()
        elif call is not None and rule.get("with-device") and names_device(call):
            new = self.target.fill(rule.get("with-device"))
            edits, lacking = (Edit(start, end, new),), ()
        elif call is not None and not self.target.has("module-device") and (given := of_module(node, call)) is not None:
            new, edits, sure = self._to(context, statement, rule, Edit(start, end, new), given)
            limits = limits if sure else (*limits, str(self.target.features["module-device"]))
            applicability = applicability if sure else cap(rule, REVIEW)
        if applicability is not None and scripted(context.facts, statement.start):
            new, edits = self._scripted(context, statement.digest.parents.get(node), call, rule, Edit(start, end, ""))
            applicability, lacking = (REVIEW, ()) if edits else (None, lacking)
        if applicability is not None:
            applicability = lowest(applicability, _certainty(context, statement, node, call, rule)) or REVIEW
            if applicability == SAFE and context.lacks_plugin(rule, start):
                applicability = REVIEW
            if lacked := self._lacked(statement, call, rule):
                applicability, limits = REVIEW, (*limits, lacked)
            fixes = (Fix(titled("replace", f"`.{new}`"), applicability, (*edits, *context.requires(rule, start))),)
        named = (new or self.target.fill(rule.get("replace", ""))).partition("(")[0]
        words = {"old": node.attr, "new": named, "subject": f".{node.attr}"}
        severity = ""
        if not self.target.has("collective-float64") and (taker := Collectives(context, rule).taker(call, statement)):
            limit, severity = str(self.target.features["collective-float64"]), "error"
            limits, words = (*limits, limit), {**words, limit: taker}
        return Hit(
            rule,
            start,
            end,
            words,
            fixes,
            links,
            limits,
            severity,
            statement=statement,
            node=node,
            receiver=start,
            lacking=lacking,
        )

    def _lacked(self, statement: Statement, call: ast.Call | None, rule: Rule) -> str:
        """Return the id of the sentence that says why the target lacks what the method called on the result needs, as
        in `x.cuda().to_dense()`; "" if it lacks nothing."""
        outer = statement.digest.parents.get(call) if call is not None else None
        feature = rule.get("then-needs", {}).get(outer.attr, "") if isinstance(outer, ast.Attribute) else ""
        return str(self.target.features.get(feature, "")) if feature and not self.target.has(feature) else ""

    def _scripted(
        self, context: Context, parent: ast.AST | None, call: ast.Call | None, rule: Rule, word: Edit
    ) -> tuple[str, tuple[Edit, ...]]:
        """Return the replacement that TorchScript's compiler accepts, and the edits that write it; no edits if the call
        cannot be rewritten."""
        new = self.target.fill(rule.get("scripted", ""))
        if call is not None:
            empty = _EMPTY.match(context.text, word.end)
            return (new, (Edit(word.start, empty.end(), new),)) if new and empty else ("", ())
        alone = isinstance(parent, _ALONE) or (isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not))
        return (new, (Edit(word.start, word.end, new),)) if new and alone else ("", ())

    def _to(
        self, context: Context, statement: Statement, rule: Rule, word: Edit, given: ast.expr
    ) -> tuple[str, tuple[Edit, ...], bool]:
        """For a target whose `module.npu()` accepts only some devices: return the new method, the edits that write it,
        and whether the fixed code certainly has the same meaning."""
        new = self.target.fill(rule.get("with-device", ""))
        if is_index(given):
            device = self.target.words["device"]
            first, last = (statement.start + offset for offset in statement.digest.span(given))
            named = Edit(first, last, f'"{device}:{context.text[first:last]}"')
            return new, (Edit(word.start, word.end, new), named), True
        kind = bound_kind(context, given.id) if isinstance(given, ast.Name) else ""
        if kind == "number" or says_number(given):
            return word.text, (word,), True
        sure = kind == "device" or is_asked(context.facts, statement.start, given)
        return new, (Edit(word.start, word.end, new),), sure

    def _for_all(
        self, context: Context, call: ast.Call | None, rule: Rule, start: int, end: int
    ) -> tuple[str, tuple[Edit, ...]]:
        """Return the code for objects that may lack the method on the target, such as `.to("npu")` (the rule's key
        `for-all`), and the edits that write this code; empty if the code cannot take the arguments of the call."""
        new, _, argument = self.target.fill(rule.get("for-all", "")).rstrip(")").partition("(")
        if call is None or not new:
            return new, (Edit(start, end, new),) if new else ()
        if names_device(call):
            return new, (Edit(start, end, new),)
        if call.args or any(keyword.arg in (None, "device") for keyword in call.keywords):
            return "", ()
        at = context.text.index("(", end) + 1
        return new, (Edit(start, end, new), Edit(at, at, argument + (", " if call.keywords else "")))


def _tracks_device(context: Context, statement: Statement, node: ast.Attribute, call: ast.Call | None) -> bool:
    """Return whether a call without arguments, such as `model.cuda()`, moves an object in place, and the file reads the
    attribute `device` of this object; in a file that loads modules with Lightning, the result may also be assigned:
    `model = model.eval().cuda()`.

    The class of an object with an attribute `device`, for example a LightningModule, sets `device` in its own methods
    `cuda` and `to`. The plugin's method, such as `npu`, moves the object without setting `device`.
    """
    if call is None or call.args or call.keywords:
        return False
    outer = statement.digest.parents.get(call)
    if isinstance(outer, ast.Expr):
        return isinstance(node.value, ast.Name) and context.facts.says(f"{node.value.id}.device")
    name = spelled(target_of(outer, call)) if context.facts.says(_LOADS) else ""
    word = f"{name}.device"
    return bool(name) and bool(context.facts.searches.find(("whole", word), whole_word(word)))


def _lacking(context: Context, node: ast.Attribute, rule: Rule) -> str:
    """Return the id of the sentence that says why the object lacks the method on the target, if the object is the
    result of a call that the rule lists; otherwise ""."""
    for name, limit in rule.get("not-from", {}).items():
        if not context.facts.says(name):
            continue
        if last_word(node.value) == name + "()":
            return str(limit)
        if receiver := spelled(node.value):
            context.asked.add(last_word(node.value))
            context.facts.work.search(0, len(context.text))
            pattern = rf"^[ \t]*{re.escape(receiver)}[ \t]*=[ \t]*[\w.]*\b{re.escape(name)}\("
            if re.search(pattern, context.text, re.M):
                return str(limit)
    return ""


def _certainty(context: Context, statement: Statement, node: ast.Attribute, call: ast.Call | None, rule: Rule) -> str:
    """Return the fix class: safe if the method is certainly torch's, otherwise review."""
    known = rule.get("receivers")
    if known:
        receiver = node.value
        if not isinstance(receiver, ast.Call) or context.resolve(receiver.func, statement) not in known:
            return REVIEW
    fits = call is None or _fits(call, rule)
    by_itself = call is None and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
    # in a file that assigns the attribute to an object of its own, `current().is_cuda` may be that object's
    given = node.value.func if call is None and isinstance(node.value, ast.Call) else None
    if (isinstance(given, ast.Name) and not context.resolve(given, statement)) or (
        call is None and _is_faked(context, node.attr)
    ):
        by_itself = by_itself or bool(_setters(context, node.attr) - {"self", "cls"})
    by_itself = by_itself or (call is None and _is_field(context, node.attr))
    by_itself = by_itself or (call is None and _fills_field(context, statement, node))
    sure = context.has_torch and fits and not by_itself and not may_be_own(context, statement, node)
    return SAFE if sure else REVIEW


def _fills_field(context: Context, statement: Statement, node: ast.Attribute) -> bool:
    """Return whether the value of an attribute becomes a field of the same name of a class of the project: `Info(3,
    x.is_cuda)`, `Info(is_cuda=x.is_cuda)`."""
    classes = {owner.name for owner in context.owners if owner.kind == FIELD and owner.method == node.attr}
    outer = statement.digest.parents.get(node)
    keyword = outer.arg if isinstance(outer, ast.keyword) else None
    call = statement.digest.parents.get(outer) if isinstance(outer, ast.keyword) else outer
    if not classes or not isinstance(call, ast.Call) or node is call.func:
        return False
    return keyword == node.attr or last_word(call.func) in classes


def _is_faked(context: Context, attribute: str) -> bool:
    """Return whether the file gives objects a constant as this attribute: `tensor.is_cuda = True`."""
    facts = context.facts
    words = [word for word in (f".{attribute} = True", f".{attribute} = False") if facts.says(word)]
    places = (at for word in words for at in facts.searches.find(("text", word), plain(word)))
    return any(not facts.layout.token_at(at) for at in places)


def _is_field(context: Context, attribute: str) -> bool:
    """Return whether a class of the file has this attribute as a field: `is_cuda: bool` in a dataclass."""
    facts, written = context.facts, f"{attribute}: bool"
    places = facts.searches.find(("text", written), plain(written)) if facts.says(written) else ()
    for at in places:
        start = facts.layout.line_start(at)
        facts.layout.reads(start, at)
        if start < at and not facts.layout.token_at(at) and not facts.text[start:at].strip():
            return True
    return False


def _own(context: Context, node: ast.Attribute) -> bool:
    """Return whether the file assigns this attribute to a variable of the same name; the variable then holds no
    tensor."""
    return isinstance(node.value, ast.Name) and node.value.id in _setters(context, node.attr)


def _setters(context: Context, attribute: str) -> frozenset[str]:
    """Return the variables to whose attribute the file assigns a value."""
    if attribute not in context.setters:
        written, text = f".{attribute}", context.text
        places = context.facts.searches.find(("text", written), plain(written))
        context.facts.work.compare(len(places))
        layout = context.facts.layout  # in `f"{x.is_cuda = }"`, the `=` is no assignment
        context.setters[attribute] = frozenset(
            name for at in places if not layout.token_at(at) and (name := _assigned_to(text, at, at + len(written)))
        )
    return context.setters[attribute]


def _assigned_to(text: str, dot: int, end: int) -> str:
    """Return the variable to whose attribute a line assigns a value: `x` for `x.is_cuda = True` and for `x.is_cuda:
    bool = True`, "" for `if x.is_cuda: y = z`. `dot`, `end`: the span of the attribute with the dot before it."""
    match, start = _ASSIGNED.match(text, end), text.rfind("\n", 0, dot) + 1
    named = _NAMED.search(text, start, dot) if match is not None else None
    if match is None or named is None or (match[1] and text[start : named.start()].strip()):
        return ""
    return named[1]


def _fits(call: ast.Call, rule: Rule) -> bool:
    """Whether all arguments of the call are accepted by torch's method."""
    allowed = rule.get("arguments", ())
    if len(call.args) > len(allowed) or any(isinstance(argument, ast.Starred) for argument in call.args):
        return False
    return all(keyword.arg in allowed for keyword in call.keywords)


def _foreign(context: Context, statement: Statement, node: ast.Attribute) -> bool:
    """Whether the object is certainly not a tensor or module, but an imported module or a literal."""
    value = node.value
    if isinstance(value, ast.Constant):
        return True
    root: ast.AST = value
    while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
        root = root.func if isinstance(root, ast.Call) else root.value
    if isinstance(root, ast.Name) and isinstance(value, (ast.Name, ast.Attribute)):
        return bool(context.foreign_module(root.id)) and context.means_import(root.id, statement.start)
    return False
