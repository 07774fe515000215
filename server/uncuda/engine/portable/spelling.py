"""How a text spells calls of the helper module's functions, and which imports these calls need."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ... import lazy_re
from ...catalogue.words import HELPER_NAMES
from ...edits import REVIEW, SAFE, Edit
from ...facts.read import Facts
from ...project import Helper, Project
from .placement import Gap, above, below, early_place, in_place_of, place_of
from .reach import reach_of
from .unused import UnusedTorch

_ROOT = lazy_re.compile(r"[A-Za-z_]\w*")
_NAME = lazy_re.compile(r"[A-Za-z_]\w*")
_ALIASES = ("accelerator", "accelerator_helper", "uncuda_accelerator")
_PRIVATE = ("_accelerators", "_accelerator_helper")  # `import *` does not import names that begin with an underscore
_PARAMETERS = lazy_re.compile(r"(?:async[ \t]+)?def\b|lambda\b")


class Import(NamedTuple):
    """An existing import of the helper module. `names`: the local name of each imported function; `start` and `end`:
    the offsets of the list of names; `alias`: the local name of the module."""

    alias: str
    names: Mapping[str, str]
    start: int
    end: int


class Spelling:
    """Spells calls of the helper module's functions for one text. `names` maps the name of a function of the helper
    module to the expression, from the project's settings, that is written instead of a call of the function."""

    def __init__(self, facts: Facts, path: str, project: Project, helper: Helper, names: Mapping[str, str]) -> None:
        self._facts, self._names = facts, names
        self._reach = reach_of(helper, path, facts.layout)
        self.helper = self._reach.helper
        self._is_taken_along = _is_taken_along(path, facts, project.starred)
        self._unused = UnusedTorch(facts, path, project.starred | project.torch_of, self.helper.own)
        self._known: dict[str, str] = {}
        only_alias = any(one.alias for one in self.imports) and not any(one.names for one in self.imports)
        self._prefixed = self._is_taken_along or only_alias

    def prefixes(self, edits: Iterable[Edit]) -> bool:
        """Return True if some calls in these edits begin with the local name of the helper module
        (`accelerator.device()`) and others do not (`device()`). If the result is True, all further calls are written
        with the local name of the helper module."""
        needed = self.needed(edits)
        if self._prefixed or len({*map(self._is_prefixed, needed)}) < 2:
            return False
        self._prefixed, self._known = True, {}
        return True

    def _is_prefixed(self, name: str) -> bool:
        return self._known[name].startswith(f"{self.alias}.")

    def has(self, name: str) -> bool:
        """Return whether the helper module has this function, or the project's settings have an expression for it."""
        return name in self._names or self.helper.has(name)

    def call(self, name: str, argument: str = "") -> str:
        """Return the expression that calls a function of the helper module with this argument, if one is given; "" if
        the expression cannot take an argument."""
        written = self._written(name)
        if not argument:
            return written
        return f"{written[:-1]}{argument})" if written.endswith("()") else ""

    def needed(self, edits: Iterable[Edit]) -> frozenset[str]:
        """Return the functions of the helper module that these edits call."""
        texts = [edit.text for edit in edits]
        return frozenset(
            name for name in HELPER_NAMES if name in self._known and any(self._calls(name, text) for text in texts)
        )

    def first_use(self, edits: Iterable[Edit]) -> int:
        """Return the offset of the first edit that calls a function of the helper module."""
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
                prefix = f"{self.alias}." if self._prefixed or self._is_taken(root) else ""
                self._known[name] = prefix + expression
        return self._known[name]

    def _bound(self, root: str) -> str:
        """Return the local name of a function that the text imports from the helper module; "" if the text does not
        import the function."""
        return next((one.names[root] for one in self.imports if root in one.names), "")

    @cached_property
    def alias(self) -> str:
        """The local name of the helper module. Calls use this name, for example, if the text has another object with
        the name of one of the helper module's functions."""
        known = next((one.alias for one in self.imports if one.alias), "")
        aliases = _PRIVATE if self._is_taken_along else (*_ALIASES, *_PRIVATE)
        return known or next(alias for alias in (*aliases, "_" + _ALIASES[-1]) if not self._is_taken(alias))

    def _is_taken(self, name: str) -> bool:
        """Return whether the text uses a name for another object; the keyword of an argument does not count."""
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
        """The existing imports of the helper module that begin at the start of a line."""
        return list(self._imports())

    def _imports(self) -> Iterator[Import]:
        text, layout = self._facts.text, self._facts.layout
        for module in dict.fromkeys(self._reach.spellings):
            for match in re.finditer(_plain(module), text, re.M):
                if not layout.token_at(match.start()):
                    yield Import(match["alias"] or match["name"], {}, match.start(), match.end())
            listed = rf"^from[ \t]+{re.escape(module)}[ \t]+import[ \t]+(\([^()]*\)|[^\n#;(]*)"
            for match in re.finditer(listed, text, re.M):
                if not layout.token_at(match.start()):
                    names = [one.split() for one in match[1].strip("() \t\r\n").split(",") if one.strip()]
                    yield Import("", {one[0]: one[-1] for one in names}, match.start(1), match.end(1))

    @cached_property
    def _place(self) -> Gap:
        """The position for a new import of the helper module."""
        return place_of(self._facts, self._reach)

    @cached_property
    def _plain_place(self) -> Gap:
        """The position for a new `import` of the helper module as a whole; isort puts such an import before `from`
        imports."""
        return place_of(self._facts, self._reach, is_plain=True)

    def is_late_for(self, at: int) -> bool:
        """Return whether the existing import of the helper module is below the offset `at`, at which a fix would call
        the helper module."""
        return bool(self.imports) and at < min(one.start for one in self.imports)

    def allowed_at(self, at: int) -> str:
        """Return the safest class that a fix at an offset may have; it depends on the import that the fix needs."""
        if self.imports:
            return SAFE
        return REVIEW if at < self._place.at else self._place.allowed

    def import_edits(self, edits: Sequence[Edit]) -> list[Edit]:
        """Return the edits that import the called functions if they are not imported already, and that remove `import
        torch` if its last use is gone."""
        lines, extended = self._lines_for(self.needed(edits))
        at = min((one.start for one in self.imports), default=self._place.at)
        gone = self._unused.edits(edits, at)
        if not lines:
            return [*extended, *gone]
        module = next((one for one in self.imports if one.alias), None)
        known = next((one for one in self.imports if one.names), None)
        if known is not None:  # the module is imported first, then its functions
            return [*extended, *above(self._facts, known.start).insert(lines), *gone]
        if module is not None:
            return [*extended, *below(self._facts, module.end).insert(lines), *gone]
        first = self.first_use(edits)
        early = first < self._place.at
        sorted_in = self._plain_place if all(line.startswith("import ") for line in lines) else self._place
        place = early_place(self._facts, first, self._place) if early else sorted_in
        if not gone:
            return place.insert(lines)
        return [*in_place_of(self._facts, gone[0], place, lines), *gone[1:]]

    def _lines_for(self, names: Iterable[str]) -> tuple[list[str], list[Edit]]:
        """Return new import lines, and edits of existing imports, for the functions that fixes call."""
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
            lines.append(_importing(self._reach.module, self.alias))
        if fresh and known is not None:
            edits.append(self._extended(known, fresh))
        elif fresh:
            lines.append(f"from {self._reach.module} import {', '.join(sorted(fresh))}")
        return lines, edits

    def _extended(self, known: Import, fresh: set[str]) -> Edit:
        """Return the edit that adds names to the list of an import: in sorted order if the list was sorted, otherwise
        at the end."""
        text = self._facts.text[known.start : known.end]
        spelled = [name if name == local else f"{name} as {local}" for name, local in known.names.items()]
        if "\n" in text or "#" in text:
            last = [match.end() for match in _NAME.finditer(text)][-1]
            return Edit(known.start + last, known.start + last, "".join(f", {name}" for name in sorted(fresh)))
        names = sorted({*spelled, *fresh}) if spelled == sorted(spelled) else [*spelled, *sorted(fresh)]
        listed = ", ".join(names)
        return Edit(known.start, known.end, f"({listed})" if text.startswith("(") else listed + _blank(text))


def _importing(module: str, alias: str) -> str:
    """Return the statement that imports a module under an alias; for a relative import, it begins with `from`."""
    if not module.startswith("."):
        return f"import {module} as {alias}"
    name = module.lstrip(".").rpartition(".")[2]
    above = module[: -len(name)]
    return f"from {above.rstrip('.') or above} import {name} as {alias}"


def _plain(module: str) -> str:
    """Return a pattern for an import of the module as a whole."""
    if not module.startswith("."):
        return rf"^import[ \t]+(?P<name>{re.escape(module)})(?:[ \t]+as[ \t]+(?P<alias>\w+))?[ \t]*(?:#.*)?$"
    head, _, name = _importing(module, "x").removesuffix(" as x").rpartition(" ")
    head = re.escape(head).replace(r"\ ", r"[ \t]+")
    return rf"^{head}[ \t]+(?P<name>{name})(?:[ \t]+as[ \t]+(?P<alias>\w+))?[ \t]*(?:#.*)?$"


def _is_taken_along(path: str, facts: Facts, starred: Collection[str]) -> bool:
    """Return whether another file imports all public names of this file with `*`; if this file has no `__all__`, these
    include imported names."""
    folder, _, name = path.replace("\\", "/").rpartition("/")
    module = folder.rpartition("/")[2] if name == "__init__.py" else name.removesuffix(".py")
    is_package = name == "__init__.py" and "__init__" in starred
    return (module in starred or is_package) and not facts.says("__all__")


def _root(expression: str) -> str:
    found = _ROOT.match(expression)
    assert found is not None
    return found[0]


def _blank(text: str) -> str:
    return text[len(text.rstrip()) :]
