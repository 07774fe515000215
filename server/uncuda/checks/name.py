"""`check = "name"`: finds dotted names such as `torch.cuda.Event`, and their attributes; a fix edits each name where
the source spells it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..catalogue import Rule, Target
from ..edits import Edit, Fix, lowest
from ..facts.model import Name
from ..facts.scans import uses
from ..messages.fixes import titled
from ..source import Span
from .base import At, Context, Hit, Links
from .chosen_module import MODULE_LACKS, lacking
from .collectives import Collectives
from .host_values import HostValues
from .mocked import mock_hits
from .name_calls import (
    Asked,
    asked,
    call_classes,
    call_limits,
    call_of,
    keyword_edits,
    nearest_call,
    position_edits,
    sets,
)
from .name_imports import import_hits
from .name_literals import Literals
from .name_strings import class_of_replaced, replaced_links, string_hits
from .none_values import fails
from .on_host import is_off_device
from .one_switch import as_one
from .operands import Operands
from .results import Results
from .subject import subject
from .tested import excuse
from .verdicts import Judge, Verdict, Verdicts

Place = tuple[int, int]


class Check:
    """The rules about uses of dotted names, such as `torch.cuda.synchronize`."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.verdicts = Verdicts(rules, target)
        self.names = self.verdicts.names

    def run(self, context: Context) -> Iterator[Hit]:
        """Yield a hit for each reference, import or string that contains a dotted name which a rule reports."""
        judge, results, literals = self.verdicts.judge(context), Results(context), Literals(context)
        values = HostValues(context)
        spoken = [
            (reference, verdict)
            for reference in context.references
            if (verdict := self._verdict(reference, judge, results)) is not None and not verdict.covered(context.shim)
        ]
        spoken = as_one(spoken, context)
        operands = Operands(spoken, context)
        stuck = frozenset(
            reference.chain.root
            for reference, verdict in spoken
            if verdict.applicability is None and reference.chain.parts and _alias(reference, judge) is not None
        )
        if context.line is None:  # after an edit of one line, the hits at imports are reused
            yield from import_hits(context, _by_name(judge), stuck)
        yield from string_hits(context, _by_name(judge), stuck)
        yield from mock_hits(context, judge)
        for reference, verdict in spoken:
            rule = verdict.rule
            host = rule.get("on-device") and is_off_device(reference, context, values)
            if host and not _reduced(context, reference, rule):
                continue
            hit = _reference(context, reference, verdict, judge, stuck, results, literals)
            if hit is not None:
                yield operands.joined(hit, reference)

    def _verdict(self, reference: Name, judge: Judge, results: Results) -> Verdict | None:
        """Return what the rules say about a reference to a name. If the reference is called with an argument that a
        rule reports, return what this rule says. If the reference is called, and the file reads from the call's result
        only attributes that rules report, return what they say about the first of these attributes, sorted by name."""
        setting = self.verdicts.setting.get(reference.dotted)
        if setting is not None and setting.rule.name in self.verdicts.active and sets(reference, setting.rule):
            return setting
        members = self.verdicts.members.get(reference.dotted)
        if members and (taken := {read.field for read in results.reads(reference)}) and taken <= members.keys():
            verdict = members[min(taken)]
            return verdict if verdict.rule.name in self.verdicts.active else None
        return judge(reference.dotted)


def _by_name(judge: Judge) -> Judge:
    """Return the same as `judge`, but without a fix where the replacement is a call: an import or a string can only
    contain a name."""

    def verdict(dotted: str) -> Verdict | None:
        found = judge(dotted)
        return found._replace(applicability=None) if found is not None and found.is_call else found

    return verdict


def _alias(reference: Name, judge: Judge) -> Verdict | None:
    """Return what the rules say about the imported name behind an alias (`torch.cuda` for `tc` in `tc.synchronize()`);
    None if no fix would change the imported name."""
    hidden = reference.spans().count(None)
    verdict = judge(".".join(reference.dotted.split(".")[:hidden])) if hidden else None
    return verdict if verdict is not None and verdict.applicability is not None else None


def _reference(
    context: Context,
    reference: Name,
    verdict: Verdict,
    judge: Judge,
    stuck: frozenset[str],
    results: Results,
    literals: Literals,
) -> Hit | None:
    """Return the hit at a reference; None if the reference is spelled with an alias, and the fix of the alias's import
    also fixes the reference.

    `stuck`: aliases whose import cannot be fixed, because the target lacks one of the attributes that the file uses.
    """
    rule, new = verdict.rule, verdict.replacement
    if rule.get("called") and call_of(reference) is None and not _is_called_by_name(context, reference):
        return None
    if verdict.applicability is None and is_variable(context, reference):
        return None
    around = nearest_call(reference)
    reduced = _reduced(context, reference, rule)
    if not reduced and around in rule.get("silent-calls", ()):
        return None
    spans = reference.spans()
    hidden = spans.count(None)
    attribute = asked(reference, context.text)
    member = judge(f"{reference.dotted}.{attribute.name}") if attribute else None
    alias = _alias(reference, judge) if reference.chain.root not in stuck else None
    base = alias.replacement if alias is not None else ".".join(reference.dotted.split(".")[:hidden])
    limits, refused = call_limits(reference, verdict.row, verdict.limits, rule, context.target, results.keys)
    applicability, apart = _class(context, reference, verdict, results, judge) if not refused else (None, {})
    held, named = _patched(context, reference, attribute), list[Edit]()
    if applicability is not None and new.startswith('"'):
        sure, same = literals.of(reference, new)
        applicability, held = lowest(applicability, sure), (*held, *same)
    bound = _bound(reference)
    if around in rule.get("manual-calls", ()) or bound in stuck:
        applicability = None
    if attribute and member and member.applicability and new:
        new, _, last = member.replacement.rpartition(".")
        found, why = _class_of(context, reference, member, attribute)
        applicability, limits = lowest(applicability, found), (*limits, *why)
        named = [Edit(attribute.start, attribute.end, last)] if last != attribute.name else []
    elif attribute and member and not attribute.optional:
        applicability = None
    edits = _edits(reference.dotted, new, spans, hidden, base) if new else []
    placed = position_edits(reference, verdict.row, rule)
    if alias is not None and edits == [] and new and not placed and not named:
        # a variable with an unbound method is fixed where the method is assigned to it
        if applicability == alias.applicability or (rule.get("unbound") and is_variable(context, reference)):
            return None
    if edits is None:
        edits = _spelled_anew(context, reference, new, rule)
        alias = alias if edits is None else None
        stays = _alias(reference, judge) if edits is None and reference.chain.root in stuck else None
        if stays is not None and stays.rule is rule:
            return None
    start, end = _place(reference, spans)
    words, links = verdict.words(reference.dotted), (*_links(reference, rule), *held)
    tested = excuse(reference, context.facts) if applicability is None else ""
    limits = (*limits, *_of_words(context, rule), *apart, *filter(None, [tested]), *subject(context, reference, rule))
    fixes: tuple[Fix, ...] = ()
    if alias is not None or bound:
        links = (*links, ("alias", bound or reference.chain.root))
    if applicability is not None and edits is not None and (edits or alias is not None):
        imports = not edits and context.target.module_path(new) != new  # the plugin's module contains the new name
        edits += [*named, *placed, *keyword_edits(reference, verdict.row, context.target)]
        needed = () if imports else context.requires(rule, start, new)
        fixes = (Fix(titled("replace", f"`{words['replacement']}`"), applicability, (*edits, *needed)),)
    return Hit(
        rule,
        start,
        end,
        {**words, **apart, **reduced},
        fixes,
        links,
        (*limits, *reduced),
        severity="error" if reduced or (not tested and fails(reference, rule, context)) else tested and "information",
        statement=reference.statement,
        node=reference.chain.node,
        since=verdict.since,
        origin=_origin(context, reference) if hidden else None,
    )


def _is_of_object(context: Context, reference: Name, rule: Rule) -> bool:
    """Whether an unbound method is called with its object as the only argument: `map(f, xs)`, `f(x)`.

    The result is False for a call of `torch.Tensor.cuda` in a function that is itself named `cuda`: this function is a
    wrapper, which must be changed together with its calls.
    """
    parent = reference.statement.digest.parents.get(reference.chain.node)
    if reference.dotted not in rule.get("unbound") or not isinstance(parent, ast.Call):
        return False
    if any(isinstance(argument, ast.Starred) for argument in parent.args):
        return False
    if parent.func is not reference.chain.node:
        mapped = isinstance(parent.func, ast.Name) and parent.func.id == "map" and len(parent.args) == 2
        if not mapped or parent.args[0] is not reference.chain.node:
            return False
    elif len(parent.args) != 1 or any(keyword.arg != "non_blocking" for keyword in parent.keywords):
        return False
    scope = context.facts.indents.scope_of(reference.statement.start)
    return scope is None or f"def {reference.dotted.rpartition('.')[2]}(" not in context.text[scope[0] : scope[0] + 80]


def _of_words(context: Context, rule: Rule) -> Iterator[str]:
    """Yield ids of sentences in rules/limits.tsv about features that the target lacks. The rule's key `with-words` maps
    words to features; a feature counts only if the file contains its word."""
    for word, feature in rule.get("with-words", {}).items():
        if not context.target.has(feature) and context.facts.says(word):
            yield str(context.target.features[feature])


def _reduced(context: Context, reference: Name, rule: Rule) -> dict[str, str]:
    """If a collective receives a float64 tensor, return a dictionary with one entry: its key is the id (in
    rules/limits.tsv) of the sentence that says which dtypes the target's collectives accept, its value is the source of
    the collective's call. If no collective receives a float64 tensor, return an empty dictionary."""
    if not rule.get("collectives") or context.target.has("collective-float64"):
        return {}
    outer = reference.statement.digest.parents.get(reference.chain.node)
    call = reference.statement.digest.parents.get(outer) if isinstance(outer, ast.keyword) else outer
    found = Collectives(context, rule).taker(call, reference.statement)
    return {str(context.target.features["collective-float64"]): found} if found else {}


def _class(
    context: Context, reference: Name, verdict: Verdict, results: Results, judge: Judge
) -> tuple[str | None, dict[str, str]]:
    """Return the fix class of a reference: the class in `verdict`, or a less safe one if the reference's call or the
    uses of the call's result, or of a variable that may hold the module, require this. The second value is empty, or
    the reason why such a use requires a less safe class: {id of a sentence in `rules/limits.tsv`: source text of this
    use}."""
    if verdict.applicability is None or (verdict.is_call and not _is_read(reference)):
        return None, {}
    if read := lacking(context, reference, judge):
        return lowest(verdict.applicability, "review"), {MODULE_LACKS: read}
    apart = results.apart(reference, verdict.rule)
    taken = call_classes(reference, verdict.row, context.target, verdict.rule)
    unsure = apart is not None or bool(subject(context, reference, verdict.rule))
    unsure = unsure or (verdict.rule.get("unbound") and not _is_of_object(context, reference, verdict.rule))
    lowered = lowest(verdict.applicability, *taken, *(["review"] if unsure else []))
    return lowered, dict([apart]) if apart else {}


def _origin(context: Context, reference: Name) -> tuple[str, str, Span] | None:
    """Return the alias through which a reference was resolved: its name, the imported name, and the span of its
    binding."""
    name = reference.chain.root
    every = context.facts.names.bindings(name)
    context.facts.work.compare(len(every))
    bounds = [bound for bound in every if bound.dotted]
    above = [bound for bound in bounds if bound.statement < reference.statement.start]
    for bound in above[-1:] or bounds[:1]:
        statement = context.facts.statements.get(bound.statement)
        if statement is not None and bound.dotted:
            binding = bound.binding
            start, end = binding.offset, binding.offset + len(name)
            if binding.alias is not None:
                start, end = statement.digest.piece.span(binding.alias)
            return name, bound.dotted, Span(bound.statement + start, bound.statement + end)
    return None


def _is_read(reference: Name) -> bool:
    """Return whether the code reads a name that it spells out, and does not call it."""
    loads = isinstance(getattr(reference.chain.node, "ctx", None), ast.Load)
    return loads and call_of(reference) is None and None not in reference.spans()


def _bound(reference: Name) -> str:
    """The variable to which the reference is assigned, as in `cuda = torch.cuda`; "" if there is none."""
    parent = reference.statement.digest.parents.get(reference.chain.node)
    target = parent.targets[0] if isinstance(parent, ast.Assign) else None
    return target.id if isinstance(target, ast.Name) else ""


def _is_called_by_name(context: Context, reference: Name) -> bool:
    """Return whether the reference is assigned to a variable that is called: `f = torch.cudnn_convolution` and
    `f(x)`."""
    name, facts = _bound(reference), context.facts
    if not name:
        return False
    context.asked.add(name)
    places = facts.searches.find(("called", name), uses(name, True))
    facts.work.compare(len(places))
    return any(context.text.startswith("(", at + len(name)) and not facts.layout.token_at(at) for at in places)


def is_variable(context: Context, reference: Name) -> bool:
    """Return whether a reference is only a variable to which a dotted name was assigned, such as `f` after
    `f = torch.cuda.synchronize`."""
    bounds = context.facts.names.bindings(reference.chain.root)
    context.facts.work.compare(len(bounds) if not reference.chain.parts else 0)
    return not reference.chain.parts and any(bound.dotted and bound.binding.kind == "assign" for bound in bounds)


def _place(reference: Name, spans: list[Place | None]) -> Place:
    """Return the span of a reference. An import alias at its beginning, such as `c` in `c.synchronize`, is left out,
    except if the reference is only the alias."""
    spelled = [span for span in spans if span is not None] or [_alias_place(reference)]
    return spelled[0][0], spelled[-1][1]


def _class_of(
    context: Context, reference: Name, verdict: Verdict, attribute: Asked
) -> tuple[str | None, tuple[str, ...]]:
    """Return the safest class of a fix of an attribute, and the ids of sentences in `rules/limits.tsv` about it."""
    if not attribute.patched or verdict.applicability is None:
        return verdict.applicability, ()
    return class_of_replaced(f"{reference.dotted}.{attribute.name}", verdict, context)


def _patched(context: Context, reference: Name, attribute: Asked | None) -> Links:
    """Return the keys of `Hit.links` for a name that the code at this reference replaces by assignment or `setattr`."""
    node = reference.chain.node
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return (("patched", reference.dotted),)
    if attribute is None or not attribute.patched:
        return ()
    return replaced_links(f"{reference.dotted}.{attribute.name}", context, reference.statement)


def _links(reference: Name, rule: Rule) -> Links:
    """Return the keys for `Hit.links` that link a reference to the code that must change together with it. This code is
    a method that is called on the reference's result, and the hits of all rules with the same value of the key `group`.

    If the rule is about a missing feature and has no fix, the reference and the method share no key: `.cuda()` in
    `NAME(…).cuda()` is fixed independently of NAME.
    """
    statement, call = reference.statement, call_of(reference)
    links: Links = ()
    stays = rule.needs and not rule.fix
    if call is not None and not stays and isinstance(statement.digest.parents.get(call), ast.Attribute):
        links = (("call", At(statement.start), id(call)),)
    if group := rule.get("group"):
        links = (*links, ("group", group))
    return links


def _alias_place(reference: Name) -> Place:
    """The span of a reference that is spelled as an import alias alone, such as `sync` for `torch.cuda.synchronize`."""
    start, end = reference.chain.piece.span(reference.chain.node)
    return start + reference.statement.start, end + reference.statement.start


def _spelled_anew(context: Context, reference: Name, new: str, rule: Rule) -> list[Edit] | None:
    """Return the edit that replaces the whole reference by the new name, because the import alias in the reference
    cannot stay; None if the first part of the new name is not imported."""
    root, statement = new.partition(".")[0], reference.statement
    packages = [context.target.fill(template).partition(".")[0] for template in rule.imports]
    if root.isidentifier() and root not in packages:
        inside = statement.digest.scopes.get(reference.chain.node, -1)
        if context.facts.names.resolve(root, statement.start, inside) != root:
            return None
    segments = reference.chain.segments()
    return [Edit(segments[0][0] + statement.start, segments[-1][1] + statement.start, new)]


def _edits(old: str, new: str, spans: list[Place | None], hidden: int, hidden_new: str) -> list[Edit] | None:
    """Return the edits that turn the dotted name `old`, as the source spells it, into `new`. If an alias stands for a
    part of the name, and this part would have to change, return None."""
    prefix = hidden_new.split(".") if hidden_new else []
    wanted = new.split(".")
    if wanted[: len(prefix)] != prefix:
        return None
    old_parts, new_parts = old.split(".")[hidden:], wanted[len(prefix) :]
    places = [span for span in spans[hidden:] if span is not None]
    if old_parts == new_parts:
        return []
    if len(old_parts) == len(new_parts):
        return [Edit(*place, now) for was, now, place in zip(old_parts, new_parts, places) if was != now]
    if not new_parts or not old_parts:
        return None
    shorter = min(len(old_parts), len(new_parts))
    same = 0
    while same < shorter - 1 and old_parts[same] == new_parts[same]:
        same += 1
    tail = 0
    while tail < shorter - same - 1 and old_parts[-1 - tail] == new_parts[-1 - tail]:
        tail += 1
    last = len(old_parts) - tail - 1
    return [Edit(places[same][0], places[last][1], ".".join(new_parts[same : len(new_parts) - tail]))]
