"""The verdict of the `name` rules on a dotted name: the rule, the replacement, and the fix class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..catalogue import Row, Rule, Target
from .base import Context, cap, row_class
from .sources import only_compile, says_one_of


class Verdict(NamedTuple):
    """What a rule says about a dotted name: its replacement, and the class of the fix. `replacement` is "" if the
    target has no counterpart."""

    rule: Rule
    replacement: str
    applicability: str | None
    row: Row | None
    limits: tuple[str, ...] = ()
    member: str = ""
    """The attribute of a call's result to which the verdict applies; "" if it applies to the name itself."""

    def words(self, dotted: str) -> dict[str, str]:
        """Return the values for a message: the name and its replacement, both without the attributes that follow them
        in the code."""
        if self.member:
            return {"name": f"{dotted}().{self.member}", "replacement": ""}
        tail = dotted[len(self.row.name) :] if self.row and dotted.startswith(self.row.name + ".") else ""
        return {"name": dotted.removesuffix(tail), "replacement": self.replacement.removesuffix(tail)}

    @property
    def is_call(self) -> bool:
        """Whether the replacement is a call, which can be written only where the name is read."""
        return "(" in self.replacement

    @property
    def at_imports(self) -> bool:
        """Whether an import of the name is reported; False if the rule reports only calls of the name, or only uses of
        the name for objects on the device."""
        return not self.rule.get("called") and not self.rule.get("on-device")

    @property
    def since(self) -> str:
        """The first plugin version that has the name; "" if the configured version has it."""
        return self.row.since if self.row and not self.row.present else ""

    def covered(self, shim: bool) -> bool:
        """Whether the target's shim is active and maps the name."""
        if not shim:
            return False
        if self.rule.shim == "table":
            return self.row is not None and self.row.shim
        return self.rule.shim == "silent"


Judge = Callable[[str], "Verdict | None"]


class Verdicts:
    """The `name` rules of one target, looked up by dotted name."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self.active = frozenset(rule.name for rule in rules)
        self.members: dict[str, dict[str, Verdict]] = {}
        """Maps the name of a function to the attributes of its result that a rule reports, each with its `Verdict`."""
        self.setting: dict[str, Verdict] = {}
        """Maps the name of a function to the `Verdict` on its calls with an argument (the rule's key `harmless`)."""
        self._known: dict[str, Verdict | None] = {}
        self._rules: dict[str, list[Rule]] = {}
        self._beginnings: list[str] = []
        self._add(rules)
        only_with = {name for rule in rules for name in rule.get("only-with", ())}
        self._only_with = [rule for rule in rules if rule.get("only-with")]
        self._compiling = [rule for rule in rules if rule.get("silent-sources")]
        self._with_words = [rule for rule in rules if rule.get("manual-words")]
        self._complete = False
        self.names = frozenset(self._rules) | frozenset(self.members) | frozenset(self.setting) | only_with

    def _add(self, rules: Iterable[Rule]) -> None:
        for rule in rules:
            if rule.get("harmless"):
                self.setting.update(dict.fromkeys(rule.get("names"), Verdict(rule, "", None, None)))
                continue
            for name in rule.get("names"):
                self._rules.setdefault(name, []).append(rule)
                if name.endswith("*"):
                    self._beginnings.append(name)
            for name, members in rule.get("results", {}).items():
                said = {member: Verdict(rule, "", None, None, member=member) for member in members}
                self.members.setdefault(name, {}).update(said)

    def judge(self, context: Context) -> Judge:
        """Return a function that returns, for a dotted name in one file, which rule reports it and how (`Verdict`).

        The returned function ignores a rule with the key `only-with`, a list of names, if the file contains none of
        these names. The returned function also ignores a rule with the key `silent-sources`, a list of file endings,
        if the file uses the names of this rule only to compile source files with these endings.
        The verdicts of a rule allow no fix if the file contains one of the words that the rule's key `manual-words`
        lists.
        """
        if not self._complete:
            self._add(rule for rule in context.catalogue.rules.values() if self._silent_owner(rule, context))
            self._complete = True
        said = _mentioned(context) if self._only_with or self._with_words else frozenset()
        absent = {rule.name for rule in self._only_with if said.isdisjoint(rule.get("only-with"))}
        for rule in self._compiling:
            if only_compile(context.facts, rule.get("names"), tuple(rule.get("silent-sources"))):
                absent.add(rule.name)
        asked = [rule for rule in self._with_words if not said.isdisjoint(rule.get("names"))]
        by_hand = {rule.name for rule in asked if says_one_of(context.facts, rule.get("manual-words"))}
        context.absent |= absent | {f"fix of {name}" for name in by_hand}
        if not absent and not by_hand:
            return self.of

        def judge(dotted: str) -> Verdict | None:
            verdict = self.of(dotted)
            if verdict is None or verdict.rule.name in absent:
                return None
            return verdict._replace(applicability=None) if verdict.rule.name in by_hand else verdict

        return judge

    def _silent_owner(self, rule: Rule, context: Context) -> bool:
        """Return whether `rule` belongs to the check `name` and the user switched the rule off. If True, a rule for
        the beginning of the same names, such as `torch.cuda`, does not report them, either."""
        if rule.check != "name" or rule.name in self.active:
            return False
        off = (rule.needs and self.target.has(rule.needs)) or (rule.when_imported and not context.shim)
        return not off

    def of(self, dotted: str) -> Verdict | None:
        """Return which rule reports a dotted name, and how (`Verdict`); None if no rule does. A rule counts only if it
        covers the name's status in the target's table, such as `present`. Of the rules that count, the one that lists
        the longest part of the name decides: a rule for `torch.cuda.amp` before one for `torch.cuda`."""
        if dotted not in self._known:
            self._known[dotted] = self._verdict(dotted)
        return self._known[dotted]

    def _verdict(self, dotted: str) -> Verdict | None:
        row, name = self._row(dotted), dotted
        status = row.status if row else "unlisted"
        while name:
            for rule in self._rules.get(name if name in self._rules else self._beginning(name), ()):
                if (not rule.status or status in rule.status) and not (rule.get("members-only") and name == dotted):
                    return self._judge(rule, dotted, name, row) if rule.name in self.active else None
            name = name.rpartition(".")[0]
        return None

    def _beginning(self, name: str) -> str:
        """The longest pattern such as `torch._C._cuda_*` that matches a name; "" if there is none."""
        return max((known for known in self._beginnings if name.startswith(known[:-1])), key=len, default="")

    def _row(self, dotted: str) -> Row | None:
        row = self.target.row(dotted)
        if row is None and dotted == "torch.cuda":
            return Row(dotted, "module", "present", self.target.words["module"], shim=True)
        return row

    def _judge(self, rule: Rule, dotted: str, name: str, row: Row | None) -> Verdict | None:
        limits = row.limits if row else ()
        feature = self.target.features.get(rule.needs, "yes")
        if feature not in ("yes", *limits):
            limits = (*limits, feature)
        new, known = self._replacement(rule, dotted, name, row)
        if new == dotted:
            return None
        if not known:
            new = new.removesuffix(dotted[len(name) :])
        if not new or not known or set(limits).intersection(rule.get("manual-limits", ())):
            return Verdict(rule, new, None, row, limits)
        review = frozenset(rule.get("review-limits", ())) | self.target.review_limits
        base = row_class(row, review) if rule.status else "safe"
        return Verdict(rule, new, cap(rule, base), row, limits)

    def _replacement(self, rule: Rule, dotted: str, name: str, row: Row | None) -> tuple[str, bool]:
        """The new name, and whether the target is known to have it."""
        if rule.status:
            return (row.replacement + dotted[len(row.name) :] if row and row.replacement else ""), True
        template = rule.get("replacements", {}).get(name, rule.get("replace", ""))
        new = self.target.fill(template, last=name.rpartition(".")[2])
        return (new + dotted[len(name) :] if new else ""), name == dotted or not rule.get("exact")


def _mentioned(context: Context) -> frozenset[str]:
    """Every dotted name that the file imports or refers to, with all its parents."""
    referred = {name.dotted for name in context.facts.references}
    return _with_parents(context.facts.import_names().every.union(referred))


@lru_cache(maxsize=16)
def _with_parents(names: frozenset[str]) -> frozenset[str]:
    said: set[str] = set()
    for dotted in names:
        part = dotted
        while part and part not in said:
            said.add(part)
            part = part.rpartition(".")[0]
    return frozenset(said)
