"""`check = "accelerator-api"`: names of `torch.accelerator` that PyTorch or the target's plugin lacks, and wrong
calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property

from ..catalogue import Accelerator, Api, Rule, Target, before, beyond
from ..edits import REVIEW, Edit, Fix, apply_edits
from ..facts.model import Name, Statement
from ..messages.fixes import titled
from .accelerator_calls import Misuse, edits_for, misuse, taken_apart
from .accelerator_guards import FAILING, MISSING, MISUSED, Guards
from .accelerator_ways import Devices, Place, Spot, Way, fixes_for, way_for
from .base import Context, Hit
from .name import is_variable
from .name_calls import asked, call_of

_HOW = {"absent": MISSING, "older": MISSING, "unserved": FAILING, "never": FAILING}
_MODULE = "torch.accelerator"


class Check:
    """The rules about names of `torch.accelerator`, and about related classes and functions such as `torch.Stream`."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules = list(rules)
        self.names = frozenset(name for rule in rules for name in rule.get("names"))

    def run(self, context: Context) -> Iterator[Hit]:
        """Yield a hit for each import, use or call of a name of `torch.accelerator` that does not work with the
        target."""
        table = context.catalogue.accelerator(self.target.id)
        for rule in self._rules:
            look = _Look(context, rule, table, self.target)
            named = (one for one in context.references if one.dotted.startswith(table.roots))
            spoken = [(reference, api) for reference in named if (api := look.api(reference.dotted))]
            if not spoken and (context.line is not None or not context.imports_root("torch")):
                continue
            own = set(_defined(context))
            if context.line is None:
                yield from look.imports(own)
            for reference, api in spoken:
                if api.name not in own:
                    yield from look.at(reference, api)


def _defined(context: Context) -> Iterator[str]:
    """Names that this source file itself defines on `torch.accelerator`, by assignment or after a condition with
    `hasattr`."""
    for reference in context.facts.references:
        if isinstance(getattr(reference.chain.node, "ctx", None), (ast.Store, ast.Del)) and reference.chain.parts:
            yield reference.dotted
        elif (attribute := asked(reference, context.text)) is not None and attribute.patched:
            yield f"{reference.dotted}.{attribute.name}"


class _Look:
    """Applies one rule to one source file."""

    def __init__(self, context: Context, rule: Rule, table: Accelerator, target: Target) -> None:
        self._context, self._rule, self._table, self._target = context, rule, table, target
        # A PyTorch version that is newer than the table of `torch.accelerator` may have added a name; for such a
        # version, no name is reported as absent.
        self._known = not (target.torch and beyond(target.torch, table.newest))

    @cached_property
    def _guards(self) -> Guards:
        return Guards(self._context)

    @cached_property
    def _devices(self) -> Devices:
        return Devices(self._context)

    def api(self, dotted: str) -> Api | None:
        """Return the entry for a dotted name, or for its closest parent that has an entry, in the table of
        `torch.accelerator`; None if the rule does not report this name."""
        apis, name = self._table.apis, dotted
        while name and name not in apis:
            name = name.rpartition(".")[0]
        api = apis.get(name)
        if api is None or api.kind == "import" or (self._context.shim and api.shimmed):
            return None
        if api.kind == "module" and name != dotted:
            part = dotted[len(name) + 1 :].partition(".")[0]
            if part.startswith("_"):
                return None
            cuda = f"torch.cuda.{part}"
            api = api._replace(name=f"{name}.{part}", kind="absent", since="", cuda=cuda, served="", never="")
        return api

    def imports(self, own: set[str]) -> Iterator[Hit]:
        """Hits at imports of names that PyTorch does not have."""
        for binding, statement in self._context.facts.imports():
            node, alias = binding.statement, binding.alias
            if node is None or alias is None or binding.kind == "star":
                continue
            api = self.api(alias.name if isinstance(node, ast.Import) else binding.dotted)
            if api is None or api.name in own or (api.beside and api.kind == "class"):
                continue
            case = self._missing(api)
            if case and not self._silent(case, api, statement, node):
                start, end = (statement.start + offset for offset in statement.digest.piece.span(alias))
                yield self._hit(Spot(case, api, (start, end), statement, alias, self._way(api)))

    def at(self, reference: Name, api: Api) -> Iterator[Hit]:
        """Yield the hit at one reference; nothing if the name exists and its call is valid."""
        call = call_of(reference) if reference.dotted == api.name else None
        if (api.beside and call is None) or (is_variable(self._context, reference) and call is None):
            return
        place = _place(reference, api)
        statement, node = reference.statement, reference.chain.node
        case = self._missing(api) if place is not None or api.beside else ""
        if not case and api.kind != "module" and not is_variable(self._context, reference):
            case = self._unserved(api)
        spot = Spot(case, api, place or _whole(reference), statement, node, Way(case))
        if case:
            if not self._silent(case, api, statement, node):
                spot = spot._replace(way=self._way(api))
                fixed = self._rule.fix and reference.dotted == api.name
                row = self._at_stated.row(api.cuda) if api.cuda else None
                fixes = fixes_for(self._devices, self._rule, reference, spot, row) if fixed else ()
                yield self._hit(spot, tuple(fixes))
        elif call is not None and self._known:
            found = misuse(call, api, self._target.torch, lambda part: self._context.resolve(part, statement))
            if found is None and api.returns and taken_apart(self._context, statement, call):
                found = Misuse("returns", api.returns)
            if found is not None and not self._guards.silence(statement, call, api.name, MISUSED):
                yield self._misused(found, spot, reference, call)

    def _way(self, api: Api) -> Way:
        return way_for(api, self._table, self._at_stated)

    @cached_property
    def _at_stated(self) -> Target:
        """Return the target with the version of its plugin that settings or requirements state. If they state only
        PyTorch's version, the plugin's version is assumed to be the same."""
        target = self._target
        if target.stated in ("", target.version):
            return target
        return self._context.catalogue.target(target.id, target.stated, target.torch)

    def _missing(self, api: Api) -> str:
        """Return "absent" or "older" for a name that PyTorch does not have in the stated version; "" if PyTorch has it,
        or if that is unknown."""
        if api.kind == "absent":
            return "absent" if self._known else ""
        torch = self._target.torch
        return "older" if torch and api.since and before(torch, api.since) else ""

    def _unserved(self, api: Api) -> str:
        """Return "never" for a name that no examined version of the plugin implements, "unserved" for a name that only
        later versions of the plugin than the project's implement, otherwise ""."""
        stated = self._target.stated
        if api.never and not (stated and beyond(stated, api.never)):
            return "never"
        return "unserved" if stated and api.served and before(stated, api.served) else ""

    def _silent(self, case: str, api: Api, statement: Statement, node: ast.AST) -> bool:
        module = self._table.apis.get(_MODULE)
        enough = case == "older" and module is not None and api.since == module.since
        return self._guards.silence(statement, node, api.name, _HOW[case], enough)

    def _misused(self, found: Misuse, spot: Spot, reference: Name, call: ast.Call) -> Hit:
        piece, base, text = reference.chain.piece, reference.statement.start, self._context.text
        edits = edits_for(found, call, piece, base, text) if self._rule.fix else []
        fixes: tuple[Fix, ...] = ()
        if edits:
            start, end = base + piece.start(call), base + piece.end(call)
            here = [Edit(edit.start - start, edit.end - start, edit.text) for edit in edits]
            fixes = (Fix(titled("replace", f"`{apply_edits(text[start:end], here)}`"), REVIEW, tuple(edits)),)
        return self._hit(spot._replace(case=found.case, way=Way(found.case)), fixes, found)

    def _hit(self, spot: Spot, fixes: tuple[Fix, ...] = (), found: Misuse | None = None) -> Hit:
        target, api, way = self._target, spot.api, spot.way
        given, since = (found.given, found.since or api.since) if found is not None else ("", api.since)
        words = {
            "name": api.name, "since": since, "torch": target.torch, "newest": self._table.newest, "given": given,
            "version": target.stated or target.version, "served": api.served or api.never, "instead": api.instead,
            "own": way.own, "member": way.member, "cuda": api.cuda,
        }  # fmt: skip
        said = dict(words)
        for key, sentences in (("why", self._rule.get("cases")[spot.case]), ("way", self._rule.get("ways")[way.kind])):
            said[key] = target.fill(sentences[0], **words)
            said[f"{key}-zh"] = target.fill(sentences[1], **{**words, "target": target.title_zh})
        return Hit(self._rule, *spot.place, said, fixes, statement=spot.statement, node=spot.node)


def _place(reference: Name, api: Api) -> Place | None:
    """Return the source span of a name of `torch.accelerator`, including an import alias at its beginning; None if an
    alias stands for the whole name."""
    spans = reference.spans()[: api.name.count(".") + 1]
    if not spans or spans[-1] is None:
        return None
    shown = [span for span in spans if span is not None]
    start = _whole(reference)[0]
    return min(start, shown[0][0]), shown[-1][1]


def _whole(reference: Name) -> Place:
    """The span of a whole dotted reference in the source."""
    base, segments = reference.statement.start, reference.chain.segments()
    return base + segments[0][0], base + segments[-1][1]
