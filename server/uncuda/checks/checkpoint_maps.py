"""Dictionaries that map the devices of a checkpoint, `map_location={"cuda:0": "cuda:1"}`. The fix of a device string in
a `map_location` dictionary adds an entry for the target beside the entry for CUDA; a fix that cannot add an entry is
not safe."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import NamedTuple

from ..edits import REVIEW, SAFE, Edit, lowest
from ..facts.read import Statement
from ..facts.role_calls import last_word
from ..facts.roles import Role
from .base import At, Links
from .device_entries import doubled, is_literal, is_plain, key_of, moved, said, says_index
from .parameters import Parameters
from .string_flow import Flow

Use = tuple[Role, Statement]
_NAME = "map_location"
_LOADERS = {"torch.load": 1, "torch.jit.load": 1, "torch.hub.load_state_dict_from_url": 2,
            "torch.utils.model_zoo.load_url": 2}  # fmt: skip
_KEEP = frozenset({"str", "device"})  # functions whose calls a fix may copy: the copy has the same result
_HOPS = 3  # maximum number of assignments from name to name that are traced
_MANY = 20  # the largest number of dictionary entries that are checked for one variable


def is_map_location(role: Role) -> bool:
    """Whether a string is a key or value of `map_location={"cuda:0": "cuda:1"}`. The keys of a `map_location`
    dictionary name the device on which the checkpoint was saved."""
    outer = role.outer
    if role.kind not in ("key", "value") or outer is None:
        return False
    return outer.name.lower() == _NAME or (outer.callee in _LOADERS and outer.parameter == _LOADERS[outer.callee])


def is_sure(role: Role, made: ast.AST | None = None) -> bool:
    """Return whether the key of a dictionary entry is a literal, and whether key and value can be evaluated a second
    time without other effects. `made`: a call that the value may contain, because evaluating this call a second time
    has no effects."""
    key = key_of(role)
    return key is not None and is_literal(role) and is_plain(key, role.node, made=made)


class Beside(NamedTuple):
    """The edits of dictionary entries that must be applied together with the fix of a device string. `links`: keys;
    hits with a common key are fixed together. `allowed`: the safest class that the fix may have."""

    edits: tuple[Edit, ...] = ()
    links: Links = ()
    allowed: str = SAFE


class CheckpointMaps:
    """Finds dictionaries used as `map_location` in one source file."""

    def __init__(self, flow: Flow, parameters: Parameters) -> None:
        self._flow, self._context, self._parameters = flow, flow.context, parameters
        self._known: dict[tuple[str, int], list[Use]] = {}

    def beside(self, role: Role, statement: Statement, words: dict[str, str]) -> Beside:
        """Return the edits that belong to the fix of a device string: in the dictionary entry that contains the string,
        or in the entries that use the variable it is assigned to."""
        held = self._made(role, statement)
        made = role.call if held is not role else None
        if isinstance(outer := statement.digest.parents.get(held.node), ast.NamedExpr):
            around = self._flow.role_at(outer, statement.digest.span(outer)[0], statement)
            if is_map_location(around):
                return Beside(allowed=REVIEW)
        if (own := self._entry(held, statement, words, made)) is not None:
            return own
        facts = self._context.facts
        if not facts.says(_NAME) and not facts.says("torch.load("):
            return Beside()
        held, statement = self._parameters.of(held, statement) or (held, statement)
        found = [self._entry(use, where, words, use.call) for use, where in self._uses(held, statement, _HOPS)]
        kept = [one for one in found if one is not None]
        edits = tuple(dict.fromkeys(edit for one in kept for edit in one.edits))
        links = tuple(dict.fromkeys(link for one in kept for link in one.links))
        return Beside(edits, links, lowest(SAFE, *(one.allowed for one in kept)) or REVIEW)

    def _made(self, role: Role, statement: Statement) -> Role:
        """How the code uses a string (its role); if the string is in a call `torch.device("cuda")`, how the code uses
        the result of this call."""
        if role.kind != "argument" or role.callee != "torch.device" or role.call is None:
            return role
        return self._flow.role_at(role.call, statement.digest.span(role.call)[0], statement)

    def _entry(self, role: Role, statement: Statement, words: dict[str, str], made: ast.AST | None) -> Beside | None:
        """The edits for one dictionary entry; None if the entry does not map a device of a checkpoint."""
        if role.kind == "key":
            return Beside(allowed=REVIEW) if is_map_location(role) else None
        if role.kind == "assignment" and isinstance(role.subject, ast.Subscript):
            return self._stored(role, role.subject, statement, words, made)
        if role.kind != "value" or not (is_map_location(role) or says_index(role)):
            return None
        key = (("entries", At(statement.start), id(role.subject)),)
        if isinstance(role.subject, ast.DictComp):
            return Beside(tuple(doubled(role, statement, words)), key, REVIEW)
        edits = tuple(moved(role, statement, self._context, words))
        if is_map_location(role):
            return Beside(edits, key, SAFE if is_sure(role, made) else REVIEW)
        return Beside(edits, key, REVIEW if edits else SAFE)

    def _stored(
        self, role: Role, place: ast.Subscript, statement: Statement, words: dict[str, str], made: ast.AST | None
    ) -> Beside | None:
        """Return the edit for `map_location["cuda:0"] = "cuda:1"`, which stores the value under the target's key
        too."""
        text, digest = statement.digest.text, statement.digest
        named = last_word(place.value).lower() == _NAME
        whole, parent = text[slice(*digest.span(place))], digest.parents.get(role.node)
        new = said(whole, words)
        if not named and (new == whole or not re.search(r":[^\]]*\]\Z", whole)):
            return None
        if new == whole:
            literal = isinstance(place.slice, (ast.Constant, ast.JoinedStr))
            return Beside(allowed=SAFE if literal else REVIEW)
        if not isinstance(parent, ast.Assign) or len(parent.targets) > 1 or role.containers:
            return Beside(allowed=REVIEW)
        allowed = SAFE if named and is_plain(place, role.node, made=made) else REVIEW
        spelled = (new, new.replace("'", '"'), new.replace('"', "'"))
        if any(self._context.facts.says(one) for one in spelled):
            return Beside(allowed=allowed)
        layout, end = self._context.facts.layout, statement.start + digest.span(parent)[1]
        start = statement.start + digest.span(parent)[0]
        line = layout.line_start(start)
        indent = self._context.text[line:start]
        separator = "; " if indent.strip() or not line else layout.newline_at(line) + indent
        rest = said(text[digest.span(place)[1] : digest.span(parent)[1]], words)
        return Beside((Edit(end, end, f"{separator}{new}{rest}"),), (("entries", At(start), whole),), allowed)

    def _uses(self, role: Role, statement: Statement, hops: int) -> list[Use]:
        """The dictionary entries that use the variable to which a string is assigned."""
        if role.kind == "return" and role.name:
            return list(islice(self._ends(self._flow.calls(role.name, statement), hops), _MANY))
        place = self._place(role, statement) if role.kind in ("assignment", "default", "item") else None
        if place is None:
            return []
        if place not in self._known:
            self._known[place] = []
            uses = iter(()) if place[0].startswith(".") else self._flow.uses(*place)
            self._known[place] = list(islice(self._ends(chain(uses, self._named(*place)), hops), _MANY))
        return self._known[place]

    def _place(self, role: Role, statement: Statement) -> tuple[str, int] | None:
        """Return the variable to which a string is assigned, and the scope of this variable. For an option, an
        attribute or a field of a class, return its name with a leading dot, and -1, which means the whole file."""
        scope = self._context.facts.indents.scope_of(statement.start)
        of_class = role.kind == "assignment" and scope is not None and scope[1] == "class"
        if name := role.option or (role.name if of_class or isinstance(role.subject, ast.Attribute) else ""):
            return f".{name}", -1
        return self._flow.place(role, statement)

    def _named(self, spelled: str, scope: int) -> Iterator[Use]:
        """Yield the reads of an option or field such as `args.device`, or of the `.type` of a device."""
        is_field, wanted = spelled.startswith("."), spelled.lstrip(".").split(".")
        self._context.asked.add(wanted[-1])
        read = re.compile(rf"{re.escape(spelled)}(?!\w)")
        text = self._context.text
        found = self._flow.statements(read, 0, len(text), spelled) if is_field else self._flow.naming(spelled, scope)
        for statement in found:
            self._context.facts.work.compare(len(statement.digest.chains))
            for one in statement.digest.chains:
                words = [one.root, *one.parts]
                is_type = words[-1] == "type"
                held = words[:-1] if is_type else words
                if held[1:][-1:] == wanted if is_field else is_type and held == wanted:
                    yield self._flow.role_at(one.node, one.piece.start(one.node), statement), statement

    def _ends(self, uses: Iterator[Use], hops: int) -> Iterator[Use]:
        for found in uses:
            (use, where), held = found, found[0]
            if use.kind in ("argument", "default") and use.call is not None:
                held = self._flow.role_at(use.call, where.digest.span(use.call)[0], where)
                held.call = use.call if last_word(use.call.func) in _KEEP else None
            if held.kind in ("key", "value") or isinstance(held.subject, ast.Subscript):
                yield held, where
                continue
            if use.kind == "return":
                use.name = self._flow.function_of(where)
            elif use.kind == "argument":
                use, where = self._parameters.of(use, where) or (use, where)
            named = use.kind == "assignment" and isinstance(use.subject, (ast.Name, ast.Attribute))
            if hops and (named or use.kind in ("return", "default")):
                yield from self._uses(use, where, hops - 1)
