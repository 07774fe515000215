"""Code that replaces a name of `torch.accelerator` if PyTorch or the plugin lacks this name in the configured
version."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from ..catalogue import Accelerator, Api, Row, Rule, Target, before
from ..edits import REVIEW, Edit, Fix
from ..facts.model import Name, Statement
from ..messages.fixes import titled
from .base import Context, row_class
from .name_calls import call_of

_MODULE_OF = "torch.get_device_module"
_MANY = 60
_BOUND = r"(?m)^([ \t]*)(\w+)[ \t]*=[ \t]*(?:torch\.accelerator\.current_accelerator\([^\n#]*\)|{})[ \t]*(?:#[^\n]*)?$"
_REBOUND = (
    r"(?m)(?:^|;)[ \t]*(?:[\w.]+[ \t]*,[ \t]*)*{0}[ \t]*(?:[:,][^=\n]*)?(?:=(?!=)|[-+*/|&]=)|\b{0}[ \t]*:="
    r"|\b(?:for|as|import|global|nonlocal|del)\b[^\n:]{{0,1000}}\b{0}\b"
)
Place = tuple[int, int]


class Way(NamedTuple):
    """The code that replaces a name of `torch.accelerator`. `kind` selects the sentence that is added to the rule's
    message; `own` is the target's name for the API, such as `torch.npu.f`; `member` is the name `own` without its
    module, such as `f`."""

    kind: str
    own: str = ""
    member: str = ""


class Spot(NamedTuple):
    """A use of `torch.accelerator` that fails: the kind of failure, the table's entry for the name, the span, and the
    replacement."""

    case: str
    api: Api
    place: Place
    statement: Statement
    node: ast.AST
    way: Way


def way_for(api: Api, table: Accelerator, target: Target) -> Way:
    """Return the replacement that works in the configured versions of PyTorch and the plugin."""
    if api.kind == "module" or (api.beside and api.kind == "function"):
        return Way("newer")
    if api.returns:
        return Way("none")  # the target's function returns another type than the function of `torch.accelerator`
    row = target.row(api.cuda) if api.cuda else None
    own = row.replacement if row is not None and row_class(row, frozenset()) and row.present else ""
    module, member = target.words["module"] + ".", api.cuda.removeprefix("torch.cuda.")
    member = member if own == module + member else ""
    if works(api.instead, table, target):
        return Way("instead" if own else "alone", own, member)
    if member and works(_MODULE_OF, table, target):
        return Way("module", own, member)
    return Way("own" if own else "none", own)


def works(name: str, table: Accelerator, target: Target) -> bool:
    """Return whether PyTorch and the plugin have a name in the configured versions; True if `table` lacks the name."""
    api = table.apis.get(name)
    if not name or api is None:
        return bool(name)
    if target.torch and api.since and before(target.torch, api.since):
        return False
    return not api.never and not (api.served and before(target.stated or target.version, api.served))


class Devices:
    """Local variables of one source file that certainly hold the accelerator's device."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def in_reach(self, offset: int) -> str:
        """Return a variable that holds the device and can be used at `offset`; "" if none is certain."""
        text, indents = self.context.text, self.context.facts.indents
        for at, end, name in self._held:
            if at < offset < end and not any(
                _takes(text[one.start : one.end], name) for one in indents.headers(offset)
            ):
                return name
        return ""

    @cached_property
    def _held(self) -> list[tuple[int, int, str]]:
        """Variables that are bound exactly once, to the target's device, as in `device = torch.device("npu")`: (offset
        of the binding, end of the scope, name)."""
        context, text = self.context, self.context.text
        word = re.escape(context.target.words["device"])
        made = rf"torch\.device\([ \t]*[\"']{word}(?::\d+)?[\"'][ \t]*\)|[\"']{word}(?::\d+)?[\"']"
        context.facts.work.search(0, 2 * len(text))
        context.facts.layout.reads(0, len(text))
        found = []
        for match in islice(re.finditer(_BOUND.format(made), text), _MANY):
            end = self._scope_end(match.start(2))
            context.facts.work.search(0, 4 * len(text))
            if end and not context.binds(match[2]) and len(re.findall(_REBOUND.format(re.escape(match[2])), text)) == 1:
                context.asked.add(match[2])
                found.append((match.start(2), end, match[2]))
        return found

    def _scope_end(self, at: int) -> int:
        """Return the end of the scope of a name that is bound at `at`; 0 if the binding is conditional, binds an
        attribute, or is inside a comment."""
        indents = self.context.facts.indents
        above, scope = indents.header_above(at), indents.scope_of(at)
        if self.context.facts.layout.token_at(at) or (above.start if above else -1) != (scope[0] if scope else -1):
            return 0
        if scope is None:
            return len(self.context.text)
        return indents.extent(scope[0]) if scope[1] == "def" else 0


def fixes_for(devices: Devices, rule: Rule, reference: Name, spot: Spot, row: Row | None) -> Iterator[Fix]:
    """Yield the fixes, which all need review, best first: with another name of `torch`, with
    `torch.get_device_module()`, with a name of the plugin, such as `torch.npu.…`, which ties the code to the target."""
    context, api, way, place = devices.context, spot.api, spot.way, spot.place
    call, start = call_of(reference), reference.statement.start
    inside = reference.statement.digest.scopes.get(reference.chain.node, -1)
    if context.facts.names.resolve("torch", start, inside) != "torch":
        return
    if way.kind in ("instead", "alone") and _same_parent(api.name, api.instead) and (call is None or not call.keywords):
        yield Fix(titled("replace", f"`{api.instead}`"), REVIEW, (Edit(*place, api.instead),))
    if call is not None and not _keeps_arguments(call, api, row):
        return
    if way.member and (device := devices.in_reach(start)):
        new = f"{_MODULE_OF}({device}).{way.member}"
        yield Fix(titled("replace", f"`{new}`"), REVIEW, (Edit(*place, new),))
    if way.own and not context.shim:
        needed = context.requires(rule, place[0], way.own)
        yield Fix(titled("bind", f"`{way.own}`"), REVIEW, (Edit(*place, way.own), *needed))


def _same_parent(name: str, other: str) -> bool:
    return name.rpartition(".")[0] == other.rpartition(".")[0]


def _keeps_arguments(call: ast.Call, api: Api, row: Row | None) -> bool:
    """Whether the replacement accepts the call's arguments: all are positional, or no PyTorch version has the called
    name and the replacement has a parameter for each keyword."""
    if any(isinstance(one, ast.Starred) for one in call.args) or row is None:
        return False
    if api.kind != "absent":
        return not call.keywords
    return not (row.positions and call.args) and all(one.arg and one.arg not in row.missing for one in call.keywords)


def _takes(header: str, name: str) -> bool:
    """Whether a block header is that of a function with a parameter of this name."""
    return header.startswith(("def", "async")) and re.search(rf"\b{re.escape(name)}\b", header) is not None
