"""Finds values that are passed to a CUDA library, in calls that a fix of the value would break:
`cuda.CUstream(torch.cuda.current_stream().cuda_stream)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ...catalogue import Catalogue, Target
from ...checks import Context, Hit
from ...checks.base import is_listed
from ...checks.string_flow import Flow
from ...checks.unpacking import item_target, target_of
from ...facts.names import from_imports, plain_imports
from ...facts.read import Facts, Statement
from ...facts.role_calls import chain_of, parameter_of
from ...project import Project
from .together import call_given, spine_of

LIMIT, KIT_LIMIT = "handed-to-cuda", "kit-handed-to-cuda"
_KIT = frozenset(
    {"CUDAGraph", "Event", "ExternalStream", "Stream", "StreamContext", "current_stream", "default_stream", "graph",
     "is_current_stream_capturing", "stream"}
)  # fmt: skip
_LOST = frozenset({"unsupported", "replaced"})

Held = dict[str, list[int]]
"""Maps the name of a variable to the indices of the hits whose value is assigned to the variable."""


def without_handed(hits: Sequence[Hit], context: Context) -> Sequence[Hit]:
    """Return the hits; if a hit's value is passed to a library that does not run on the target, its fixes are removed
    and the reason is added.

    A value also counts as passed to a library if it is first assigned to a local variable, and the variable is passed.
    If a stream, event or graph is passed to a library that does not run on the target, the fixes of all other streams,
    events and graphs in the same function need review, because all of them must be of the same device.
    """
    libraries = _Libraries(context)
    if not hits or not libraries.local:
        return hits
    handed: set[int] = set()
    held: Held = {}
    for index, hit in enumerate(hits):
        if hit.node is None or hit.statement is None or hit.rule.check not in ("name", "method"):
            continue
        if libraries.handed(hit.node, hit.statement):
            handed.add(index)
        elif name := _given_to(hit.node, hit.statement):
            held.setdefault(name, []).append(index)
    if held:
        context.asked.update(held)
        handed.update(_through_names(hits, held, libraries, context))
    if not handed:
        return hits
    links = {key for index in handed for key in hits[index].links if key[0] == "call"}
    scopes = {_scope(hits[index], context) for index in handed if _is_of_kit(hits[index])}
    found = []
    for index, hit in enumerate(hits):
        if index in handed or not links.isdisjoint(hit.links):
            found.append(hit._replace(fixes=(), limits=(*hit.limits, LIMIT)))
        elif scopes and hit.fixes and _is_of_kit(hit) and _scope(hit, context) in scopes:
            found.append(hit.for_review(KIT_LIMIT))
        else:
            found.append(hit)
    return found


def imports_unknown(facts: Facts, path: str, catalogue: Catalogue, target: Target, project: Project) -> bool:
    """Return whether a text imports a library that needs CUDA according to the tables of other targets, and is missing
    in this target's table."""
    known = catalogue.bound_to_cuda - target.modules.keys()
    imported = (*plain_imports(facts.searches), *from_imports(facts.searches))
    return any(is_listed(dotted, known) and not project.owns(dotted, path) for _, dotted in imported)


def _is_of_kit(hit: Hit) -> bool:
    """Return whether a hit is at a stream, event or graph; these objects only work together if they belong to the same
    device."""
    return hit.rule.check == "name" and hit.words.get("name", "").rpartition(".")[2] in _KIT


def _scope(hit: Hit, context: Context) -> tuple[int, str] | None:
    """The function or class that contains a hit; None at module level."""
    return context.facts.indents.scope_of(hit.statement.start) if hit.statement is not None else None


class _Libraries:
    """The libraries for CUDA that a file imports and that do not run on the target. `local`: for each local name, the
    dotted name of the imported object."""

    def __init__(self, context: Context) -> None:
        self._work = context.facts.work
        self._modules = {name for name, row in context.target.modules.items() if row.status in _LOST}
        roots = {module.partition(".")[0] for module in self._modules}
        self.local = {
            name: dotted
            for name, dotted in context.imported.items()
            if dotted.partition(".")[0] in roots and (dotted in roots or self._holds(dotted))
        }

    def _holds(self, dotted: str) -> bool:
        while dotted and dotted not in self._modules:
            dotted = dotted.rpartition(".")[0]
        return bool(dotted)

    def handed(self, node: ast.AST, statement: Statement) -> bool:
        """Whether the expression at `node` is an argument of a call of a library for CUDA."""
        call = call_given(node, statement, self._work)
        base, parts = chain_of(call.func if call is not None else None)
        if not isinstance(base, ast.Name) or base.id not in self.local:
            return False
        return self._holds(".".join([self.local[base.id], *parts]))


def _through_names(hits: Sequence[Hit], held: Held, libraries: _Libraries, context: Context) -> Iterator[int]:
    indents, work = context.facts.indents, context.facts.work
    for statement in context.facts.statements.values():
        work.compare(1 + len(statement.digest.chains) // 8)
        for chain in statement.digest.chains:
            found = held.get(chain.root)
            if found and libraries.handed(chain.node, statement):
                work.compare(len(found))
                scope = indents.scope_of(statement.start)
                for index in found:
                    home = hits[index].statement
                    if home is not None and _home(home, context) == scope:
                        yield index
    flow = Flow(context)
    for name, found in held.items():
        for index in found:
            if _is_of_kit(hits[index]) and (home := hits[index].statement) is not None:
                scope = _home(home, context)
                if any(_passes(name, use, libraries) for use in flow.naming(name, scope[0] if scope else -1)):
                    yield index


def _home(statement: Statement, context: Context) -> tuple[int, str] | None:
    """The scope of the variables to which a statement assigns values. If the statement is the `def` line of a function,
    whose default values it assigns to parameters, this function is the scope."""
    line = context.facts.indents.header_at(statement.start)
    return (line.start, "def") if line.word == "def" else context.facts.indents.scope_of(statement.start)


def _passes(name: str, statement: Statement, libraries: _Libraries) -> bool:
    """Whether a statement passes a variable to a library for CUDA."""
    return any(chain.root == name and libraries.handed(chain.node, statement) for chain in statement.digest.chains)


def _given_to(node: ast.AST, statement: Statement) -> str:
    """Return the variable, or the parameter, to which the value of an expression is assigned; "" if there is none."""
    top = [node, *spine_of(node, statement)][-1]
    parent = statement.digest.parents.get(top)
    if isinstance(parent, ast.arguments):
        parameter = parameter_of(parent, top)
        return parameter.arg if parameter is not None else ""
    if isinstance(parent, ast.Tuple):
        target = item_target(target_of(statement.digest.parents.get(parent), parent), parent, top)
        return target.id if isinstance(target, ast.Name) else ""
    if isinstance(parent, ast.IfExp) and top is not parent.test:
        top, parent = parent, statement.digest.parents.get(parent)
    target = target_of(parent, top)
    return target.id if isinstance(target, ast.Name) else ""
