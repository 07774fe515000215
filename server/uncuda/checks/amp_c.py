"""`check = "amp-c"`: imports and uses of `amp_C`, a compiled module of apex that exists for CUDA only."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from ..catalogue import Rule, Target
from ..edits import REVIEW, SAFE, Edit, Fix
from ..facts.bindings import Binding
from ..facts.read import Name, Statement
from ..messages.fixes import titled
from .amp_c_calls import Applier, stand_in
from .amp_c_guards import Guard, guard_of, guarded, protected
from .argument import removed
from .base import Context, Hit, Links, cap
from .import_edits import import_edit

GUARD_RAISES = "guard-raises"
"""The id in rules/limits.tsv of the sentence about an import of `amp_C` with a guard, such as a `try`, that does
nothing but raise an exception if `amp_C` is missing."""
_STAND_IN = titled("stand-in", "`torch._foreach_*`")


@dataclass
class _Import:
    """A name bound by an import of `amp_C`, with the guard around the import and all uses of the name."""

    binding: Binding
    statement: Statement
    guard: Guard | None
    uses: list[Name] = field(default_factory=list)
    edits: list[tuple[Edit, ...]] = field(default_factory=list)

    @property
    def replaceable(self) -> bool:
        """Whether every use of the name can be replaced, so that the import can be removed."""
        return bool(self.uses) and all(self.edits)


class Check:
    """The rules about `amp_C`, by the code that each is about: an import, a guarded import or a use."""

    of_whole_text = True

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._parts = {rule.get("part"): rule for rule in rules}
        self._applier = next((rule.get("applier") for rule in rules if rule.get("applier")), "")
        self._limits = (target.features[rules[0].needs],) if rules[0].needs in target.features else ()
        self.names = frozenset(rule.get("module") for rule in rules)
        self._roots = {name.partition(".")[0] for name in self.names}

    def run(self, context: Context) -> Iterator[Hit]:
        """Yield hits at imports of amp_C, then at uses of it that no guard protects."""
        if not any(context.imports_root(name) for name in self._roots):
            return
        imports = self._imports(context)
        guards = [found.guard for found in imports if found.guard]
        work = context.facts.work
        flags = {flag for guard in guards for flag in guard.flags} | {i.binding.name for i in imports if i.guard}
        for found in imports:
            part = "guarded" if found.guard and not found.guard.raises else "import"
            if rule := self._parts.get(part):
                yield self._import(context, found, rule)
            rule = self._parts.get("use")
            if rule is None or (found.guard and found.binding.name in found.guard.fallbacks):
                continue
            for use, edits in zip(found.uses, found.edits, strict=True):
                work.compare(4)
                if use.dotted not in self.names and not (flags and protected(context, use.statement, flags)):
                    yield self._use(context, found, use, edits, rule)

    def _imports(self, context: Context) -> list[_Import]:
        found = [
            _Import(binding, statement, guard_of(context, statement))
            for binding, statement in list(context.facts.imports())
            if binding.dotted.partition(".")[0] in self.names
        ]
        indents, applier = context.facts.indents, Applier(self._applier, context.facts)
        named: dict[tuple[str, int], _Import] = {}
        for each in found:
            scope = indents.scope_of(each.statement.start)
            named.setdefault((each.binding.name, scope[0] if scope else -1), each)
        for use in context.facts.references:
            if use.dotted.partition(".")[0] not in self.names:
                continue
            scope = indents.scope_of(use.statement.start)
            while scope is not None and (use.chain.root, scope[0]) not in named:
                scope = indents.scope_of(scope[0])
            holder = named.get((use.chain.root, scope[0] if scope else -1))
            if holder is not None:
                holder.uses.append(use)
                holder.edits.append(stand_in(use, applier))
        return found

    def _import(self, context: Context, found: _Import, rule: Rule) -> Hit:
        binding, statement = found.binding, found.statement
        assert binding.alias is not None
        start, end = (statement.start + offset for offset in statement.digest.piece.span(binding.alias))
        hit = partial(Hit, rule, start, end, {"name": binding.dotted}, statement=statement)
        if rule.get("part") != "import":
            return hit()
        hit = partial(hit, limits=self._limits)
        if found.guard is not None:
            return hit(limits=(*self._limits, GUARD_RAISES))
        node = binding.statement
        assert isinstance(node, (ast.Import, ast.ImportFrom))
        if not found.uses and (allowed := cap(rule, SAFE)) and binding.kind != "star":
            title = titled("remove import", f"`{binding.name}`")
            return hit(fixes=(Fix(title, allowed, _removal(context, statement, node, start, end)),))
        if found.replaceable and "use" in self._parts:
            fix = Fix(_STAND_IN, REVIEW, _removal(context, statement, node, start, end))
            return hit(fixes=(fix,), links=(("stand-ins", binding.name),))
        if guard := guarded(context, statement, node):
            return hit(fixes=(Fix(titled("guard import", f"`{binding.name}`"), REVIEW, guard),))
        return hit()

    def _use(self, context: Context, found: _Import, use: Name, edits: tuple[Edit, ...], rule: Rule) -> Hit:
        base, piece = use.statement.start, use.chain.piece
        start, end = (base + offset for offset in piece.span(use.chain.node))
        words = {"name": use.dotted}
        fixes: tuple[Fix, ...] = ()
        links: Links = ()
        allowed = cap(rule, REVIEW)
        if edits and allowed:
            fixes = (Fix(_STAND_IN, allowed, (*edits, *_torch(context, found.statement))),)
            if found.guard is None and found.replaceable and "import" in self._parts:
                links = (("stand-ins", found.binding.name),)
        return Hit(rule, start, end, words, fixes, links, self._limits, statement=use.statement, node=use.chain.node)


def _torch(context: Context, statement: Statement) -> tuple[Edit, ...]:
    """Return the edit that imports torch, which a replacement needs; empty if the file imports torch already."""
    for binding, _ in context.facts.imports():
        if binding.name == "torch" and binding.kind == "import" and binding.dotted.partition(".")[0] == "torch":
            return ()
    return (import_edit(context.facts, "torch", statement, before=True),)


def _removal(
    context: Context, statement: Statement, node: ast.Import | ast.ImportFrom, start: int, end: int
) -> tuple[Edit, ...]:
    if len(node.names) > 1:
        return (removed(context, statement.start, start, end),)
    line = context.facts.layout.line_start(statement.start)
    alone = len(statement.digest.piece.nodes) == 1 and not context.text[line : statement.start].strip()
    if not alone:
        return _replaced(statement, node)
    indents = context.facts.indents
    above = indents.header_above(statement.start)
    if above is not None:
        context.facts.layout.reads(above.end, indents.extent(above.start))
    if above is not None and not context.text[above.end : line].strip():
        rest = context.text[statement.end : indents.extent(above.start)]
        if not rest.strip():
            return _replaced(statement, node)
    return (Edit(line, statement.end, ""),)


def _replaced(statement: Statement, node: ast.Import | ast.ImportFrom) -> tuple[Edit, ...]:
    start, end = (statement.start + offset for offset in statement.digest.piece.span(node))
    return (Edit(start, end, "pass"),)
