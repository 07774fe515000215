"""`check = "module"`: imports of third-party modules that need CUDA, according to the target's table of modules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ..catalogue import CUDA_OR_CPU, Rule, Target
from ..facts.bindings import Binding
from ..facts.read import Facts, Statement
from ..facts.scans import uses
from .base import Context, Hit
from .fallbacks import NEEDED, Fallbacks
from .hit import ANOTHER_WAY
from .inline_assembly import INLINE_ASSEMBLY, has_assembly
from .library_version import OLDER_REFUSED, VERSION_ONLY, asks_only, refuses_older, tells_version
from .module_parts import Parts

ASKED_ONLY = "asked-only"
"""The id in rules/limits.tsv of the sentence about a library that the file imports only to find out whether it is
available."""
TRIED = "tried-elsewhere"
"""The id in rules/limits.tsv of the sentence about an import in a file that is itself imported only in a `try`."""
_TRITON = "triton"
# maximum number of uses of a part of a library (`flashinfer.comm`) for which conditions around the use are searched
_MANY = 20
_THERE = ("adapted", "upstream")  # the statuses of libraries that exist for the target
_GRAVITY = ("error", "warning", "information")


class Check:
    """Reports imports and uses of the modules in the target's tables. A rule with the key `pattern` also reports
    modules that are in no table, but have a matching name."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules = {name: rule for rule in rules for name in target.libraries(rule)}
        self._parts = Parts(self._rules)
        self._called = [(re.compile(rule.get("pattern")), rule) for rule in rules if rule.get("pattern")]
        self.names = frozenset(name for name, rule in self._rules.items() if rule.get("uses"))
        lost = (name for name, rule in self._rules.items() if rule.severity != "information")
        self.libraries = frozenset(name for name in lost if target.modules[name].kind == "cuda")
        self.roots = {name.partition(".")[0] for name in self._rules}
        self.roots.update(*(rule.get("anchors", ()) for _, rule in self._called))

    def _module(self, dotted: str) -> str:
        """The longest prefix of a dotted name that is in the target's table; "" if no rule reports that module."""
        while dotted and dotted not in self.target.modules:
            dotted = dotted.rpartition(".")[0]
        return dotted if dotted in self._rules else ""

    def run(self, context: Context) -> Iterator[Hit]:
        """Yield hits at imports, and at uses of modules whose rule also reports uses."""
        fallbacks = Fallbacks(context)
        imported = list(self._imports(context)) if context.line is None else []
        for hit, module, _ in imported:
            if hit.statement is not None:
                fallbacks.learn(module, hit.statement)
        lowered = [_tried(self._lowered(fallbacks, context, *found), context) for found in imported]
        yield from map(self._advised, _first(lowered))
        for reference in context.references if self.names else ():
            module = self._module(reference.dotted)
            if module in self.names:
                rule = self._rules[module]
                start, end = (reference.statement.start + at for at in reference.chain.piece.span(reference.chain.node))
                node = reference.chain.node
                hit = self._hit(rule, module, reference.dotted, (start, end), reference.statement, context.facts, node)
                yield fallbacks.lowered(hit, module)

    def _imports(self, context: Context) -> Iterator[tuple[Hit, str, Sequence[int]]]:
        """Yield (hit, imported module, offsets) for every import that a rule covers, in source order.

        The offsets are those of the uses of the module as an attribute, such as `flashinfer.comm` after `import
        flashinfer`.
        """
        torch = context.facts.mentions("torch")
        seen: set[tuple[int, str]] = set()
        for binding, statement in sorted(context.facts.imports(), key=lambda found: found[1].start):
            alias = binding.alias
            dotted = alias.name if alias is not None and binding.kind == "import" else binding.dotted
            module, rule = self._of_import(dotted)
            if alias is None or rule is None or not (torch or not rule.get("with-torch")):
                continue
            if context.project.owns(dotted, context.path) or context.typing_only(statement):
                continue
            start, end = (statement.start + offset for offset in statement.digest.piece.span(alias))
            used = self._parts.used(binding.dotted, binding.name, statement.start, context)
            for part in (*([module] if used.whole else ()), *used.parts):
                if (statement.start, part) not in seen:
                    seen.add((statement.start, part))
                    hit = self._hit(self._rules.get(part, rule), part, part, (start, end), statement, context.facts)
                    yield self._asked(hit, binding, context), part, used.parts.get(part, ())

    def _lowered(self, fallbacks: Fallbacks, context: Context, hit: Hit, module: str, uses: Sequence[int]) -> Hit:
        """Return the hit at an import. Conditions and `try` statements around the import may lower the severity of the
        hit, as may conditions around uses of a part of the library as an attribute (`flashinfer.comm`).

        If the target has a build of the library that lacks only the part that the file uses, importing the library
        works, so an `except` for a failed import never runs.
        """
        row = self.target.modules.get(module.partition(".")[0])
        of_part = "." in module and row is not None and row.status in _THERE
        lowered = fallbacks.lowered(hit, module, tried=not (of_part and uses), of_part=of_part)
        for at in uses[:_MANY] if lowered is hit else ():
            use = context.facts.peek(at)
            lowered = hit if use is None else fallbacks.lowered(hit._replace(statement=use), module, of_part=of_part)
            if not lowered.severity:
                return hit
        return lowered._replace(statement=hit.statement)

    def _advised(self, hit: Hit) -> Hit:
        """Return the hit at an import; advice is added if the code needs the library, or a part of it, and the target's
        table has no sentence that says what to do."""
        part = "." in hit.subject and hit.rule.get("status") == ("unknown",)
        part = part and self.target.modules[hit.subject].kind != CUDA_OR_CPU
        told = NEEDED in hit.limits or (hit.limits and not part)
        if hit.rule.get("uses") or _gravity(hit) == len(_GRAVITY) - 1 or told:
            return hit
        return hit._replace(limits=(*hit.limits, ANOTHER_WAY))

    def _asked(self, hit: Hit, binding: Binding, context: Context) -> Hit:
        """Return the hit at an import; its severity is "information" if the file only asks whether the library is
        available, and at most "warning" if a function returns the library's version and nothing else uses the library.

        The rule's `probes` are attributes of the library that tell whether it is available.
        """
        probes, alias = hit.rule.get("probes", ()), binding.alias
        own, lost = hit.statement, hit.rule.severity != "information"
        asks_version = lost and own is not None and tells_version(own, context.facts)
        if alias is None or not (probes or asks_version):
            return hit
        name = alias.asname or alias.name
        text, layout = context.text, context.facts.layout
        # the key of this search must not have the form (name, flag): if an edit changes the matches of a search with
        # such a key, the old hits are kept
        places = context.facts.searches.find(("asked", name), uses(name, True))
        context.facts.work.compare(len(places))
        places = [at for at in places if own is None or not own.start <= at < own.end]
        places = [at for at in places if not layout.token_at(at)]  # matches in strings and comments do not count
        if asks_version and asks_only(text, [at + len(name) for at in places]):
            severity = "warning" if hit.rule.severity == "error" else hit.severity
            limits = hit.limits if "replaced" in hit.rule.get("status") else ()
            return hit._replace(severity=severity, limits=(*limits, VERSION_ONLY))
        taken = [re.match(r"[ \t]*\.[ \t]*(\w+)", text[at + len(name) : at + len(name) + 40]) for at in places]
        if not taken or not all(match is not None and match[1] in probes for match in taken):
            return hit
        return hit._replace(severity="information", limits=(ASKED_ONLY,))

    def _of_import(self, dotted: str) -> tuple[str, Rule | None]:
        """Return the module that a rule reports (the imported module or one of its parents), and this rule. The rule is
        None if no rule reports the import."""
        if module := self._module(dotted):
            return module, self._rules[module]
        root = dotted.partition(".")[0]
        if root in self.target.modules:
            return "", None
        return root, next((rule for pattern, rule in self._called if pattern.fullmatch(root)), None)

    def _hit(
        self,
        rule: Rule,
        module: str,
        name: str,
        span: tuple[int, int],
        statement: Statement,
        facts: Facts,
        node: ast.AST | None = None,
    ) -> Hit:
        row = self.target.modules.get(module)
        limits = row.limits if row is not None else ()
        if module == _TRITON and has_assembly(facts):
            limits = (*limits, INLINE_ASSEMBLY)
        if row is not None and row.status in _THERE and refuses_older(module, statement, facts):
            limits = (*limits, OLDER_REFUSED)
        return Hit(rule, *span, {"name": name, "subject": module}, limits=limits, statement=statement, node=node)


def _tried(hit: Hit, context: Context) -> Hit:
    """Return the hit at a module-level import; its severity is "information" if another file imports this file only in
    a `try`."""
    statement, facts = hit.statement, context.facts
    if statement is None or hit.severity or hit.rule.severity == "information":
        return hit
    names = context.project.tries(context.path)
    if not names or facts.layout.line_start(statement.start) != statement.start:
        return hit
    facts.work.search(0, len(names) * len(context.text))
    if not any(re.search(rf"^(?:class|def) {re.escape(name)}\b", context.text, re.M) for name in names):
        return hit
    return hit._replace(severity="information", limits=(*hit.limits, TRIED))


def _first(hits: Sequence[Hit]) -> Iterator[Hit]:
    """Yield all hits of each rule that reports the uses of a library, not only its imports; of every other rule, only
    one hit for each library: the first hit with the highest severity."""
    kept: dict[str, Hit] = {}
    for hit in hits:
        before = kept.get(hit.subject)
        if before is None or _gravity(hit) < _gravity(before):
            kept[hit.subject] = hit
    return (hit for hit in hits if hit.rule.get("uses") or kept[hit.subject] is hit)


def _gravity(hit: Hit) -> int:
    return _GRAVITY.index(hit.severity or hit.rule.severity)
