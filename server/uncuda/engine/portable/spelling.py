"""How a text calls the functions of the helper, and the imports that this takes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ...catalogue.words import HELPER_NAMES
from ...edits import REVIEW, SAFE, Edit
from ...facts.read import Facts
from ...project import Helper
from .placement import Gap, above, below, early_place, place_of

_ROOT = re.compile(r"[A-Za-z_]\w*")
_NAME = re.compile(r"[A-Za-z_]\w*")
_ALIASES = ("accelerator", "accelerator_helper", "uncuda_accelerator")
_PARAMETERS = re.compile(r"(?:async[ \t]+)?def\b|lambda\b")


class Import(NamedTuple):
    """An import of the helper that stands at the head of the text: `names`: what it binds, by what it stands for, and
    where the list of them is; `alias`: what the module is called."""

    alias: str
    names: Mapping[str, str]
    start: int
    end: int


class Spelling:
    """Answers for one text. `names`: what is written in the place of some of the functions."""

    def __init__(self, facts: Facts, path: str, helper: Helper, names: Mapping[str, str]) -> None:
        self._facts, self._path, self.helper, self._names = facts, path, helper, names
        self._known: dict[str, str] = {}

    def has(self, name: str) -> bool:
        """Whether there is such a function."""
        return name in self._names or self.helper.has(name)

    def call(self, name: str, argument: str = "") -> str:
        """The expression that asks a function of the helper; "" where it cannot be given the argument."""
        written = self._written(name)
        if not argument:
            return written
        return f"{written[:-1]}{argument})" if written.endswith("()") else ""

    def needed(self, edits: Iterable[Edit]) -> frozenset[str]:
        """The functions that some edits call."""
        texts = [edit.text for edit in edits]
        return frozenset(
            name for name in HELPER_NAMES if name in self._known and any(self._calls(name, text) for text in texts)
        )

    def first_use(self, edits: Iterable[Edit]) -> int:
        """Where the first of some edits stands that calls a function."""
        return min((edit.start for edit in edits if self.needed([edit])), default=len(self._facts.text))

    def _calls(self, name: str, text: str) -> bool:
        return re.search(rf"(?<![\w.]){re.escape(self._known[name].removesuffix(')'))}", text) is not None

    def _written(self, name: str) -> str:
        if name not in self._known:
            expression = self._names.get(name, f"{name}()")
            root = _root(expression)
            if local := self._bound(root):
                self._known[name] = local + expression[len(root) :]
            else:
                prefix = f"{self.alias}." if self._is_taken(root) else ""
                self._known[name] = prefix + expression
        return self._known[name]

    def _bound(self, root: str) -> str:
        """What the text calls a function that it imports from the helper."""
        return next((one.names[root] for one in self.imports if root in one.names), "")

    @cached_property
    def alias(self) -> str:
        """What the module of the helper is called, where a name of its own would meet another one."""
        known = next((one.alias for one in self.imports if one.alias), "")
        return known or next(alias for alias in (*_ALIASES, "_" + _ALIASES[-1]) if not self._is_taken(alias))

    def _is_taken(self, name: str) -> bool:
        """Whether the text uses a name for something else: the keyword of a call is no use."""
        text, layout = self._facts.text, self._facts.layout
        self._facts.work.search(0, len(text))
        for match in re.finditer(rf"(?<![\w.]){name}(?!\w)", text):
            if layout.token_at(match.start()):
                continue
            if not re.compile(r"\s*=(?!=)").match(text, match.end()):
                return True
            before = text[: match.start()].rstrip()[-1:]
            start, end = layout.logical_line(match.start())
            if before not in ("(", ",") or _PARAMETERS.search(text, start, end):
                return True
        return False

    @cached_property
    def imports(self) -> list[Import]:
        """The imports of the helper that the text has, at the head of its lines."""
        return list(self._imports())

    def _imports(self) -> Iterator[Import]:
        module, text, layout = re.escape(self.helper.module), self._facts.text, self._facts.layout
        plain = rf"^import[ \t]+{module}(?:[ \t]+as[ \t]+(\w+))?[ \t]*(?:#.*)?$"
        for match in re.finditer(plain, text, re.M):
            if not layout.token_at(match.start()):
                yield Import(match[1] or self.helper.module, {}, match.start(), match.end())
        for match in re.finditer(rf"^from[ \t]+{module}[ \t]+import[ \t]+(\([^()]*\)|[^\n#;(]*)", text, re.M):
            if not layout.token_at(match.start()):
                names = [one.split() for one in match[1].strip("() \t\r\n").split(",") if one.strip()]
                yield Import("", {one[0]: one[-1] for one in names}, match.start(1), match.end(1))

    @cached_property
    def _place(self) -> Gap:
        """Where a new import of the helper goes."""
        return place_of(self._facts, self._path, self.helper)

    def is_late_for(self, at: int) -> bool:
        """Whether the text imports the helper below a place that asks it."""
        return bool(self.imports) and at < min(one.start for one in self.imports)

    def allowed_at(self, at: int) -> str:
        """The best class of a fix at a place, by the import that it needs."""
        if self.imports:
            return SAFE
        return REVIEW if at < self._place.at else self._place.allowed

    def import_edits(self, edits: Sequence[Edit]) -> list[Edit]:
        """The edits that import what some edits call, as far as the text does not."""
        lines, extended = self._lines_for(self.needed(edits))
        if not lines:
            return extended
        module = next((one for one in self.imports if one.alias), None)
        known = next((one for one in self.imports if one.names), None)
        if known is not None:  # the module comes before its names, whichever was first
            return [*extended, *above(self._facts, known.start).insert(lines)]
        if module is not None:
            return [*extended, *below(self._facts, module.end).insert(lines)]
        first = self.first_use(edits)
        early = first < self._place.at
        place = early_place(self._facts, first, self._place) if early else self._place
        return place.insert(lines)

    def _lines_for(self, names: Iterable[str]) -> tuple[list[str], list[Edit]]:
        """New lines, and an edit of one that is there, which import what the functions are called by."""
        fresh: set[str] = set()
        whole = False
        for name in names:
            root = _root(self._names.get(name, f"{name}()"))
            if self._written(name).startswith(f"{self.alias}."):
                whole = True
            elif not self._bound(root):
                fresh.add(root)
        edits, lines = [], []
        known = next((one for one in self.imports if one.names), None)
        if whole and not any(one.alias for one in self.imports):
            lines.append(f"import {self.helper.module} as {self.alias}")
        if fresh and known is not None:
            edits.append(self._extended(known, fresh))
        elif fresh:
            lines.append(f"from {self.helper.module} import {', '.join(sorted(fresh))}")
        return lines, edits

    def _extended(self, known: Import, fresh: set[str]) -> Edit:
        """The list of an import with more names, in order if it was; else they come last."""
        text = self._facts.text[known.start : known.end]
        spelled = [name if name == local else f"{name} as {local}" for name, local in known.names.items()]
        if "\n" in text or "#" in text:
            last = [match.end() for match in _NAME.finditer(text)][-1]
            return Edit(known.start + last, known.start + last, "".join(f", {name}" for name in sorted(fresh)))
        names = sorted({*spelled, *fresh}) if spelled == sorted(spelled) else [*spelled, *sorted(fresh)]
        listed = ", ".join(names)
        return Edit(known.start, known.end, f"({listed})" if text.startswith("(") else listed + _blank(text))


def _root(expression: str) -> str:
    found = _ROOT.match(expression)
    assert found is not None
    return found[0]


def _blank(text: str) -> str:
    return text[len(text.rstrip()) :]
