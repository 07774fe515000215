"""`check = "missing-shim"`: the strategy is to use the target's shim, but a script does not import the shim."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from .. import lazy_re
from ..catalogue import Rule, Target
from ..edits import Edit, Fix
from ..facts.layout import Layout
from ..facts.read import Facts
from ..messages.fixes import titled
from ..project import Project
from .base import Context, Hit, cap

_ENTRY = lazy_re.compile(r"^if[ \t]+__name__[ \t]*==[ \t]*[\"']__main__[\"']", re.M)
# Statements that occur at module level in scripts, but not in modules that other files import.
_STARTED = lazy_re.compile(
    r"^(?:(?P<call>\w+)\(|(?:\w+[ \t]*=[ \t]*)?[\w.]+\.parse_(?:known_)?args\(|asyncio\.run\("
    r"|\w[\w., \t]*=[^\n#=]*\.cuda\(|[\w.]+\.cuda\(|(?P<loop>for|while)\b)",
    re.M,
)
_TRAINS = lazy_re.compile(r"\.(?:backward|step|cuda|eval|zero_grad)\(|\bcuda\b")
_MANY = 200  # maximum number of module-level lines that are checked
_BUILDS = ("setuptools", "distutils")
_BY_NAME = lazy_re.compile(r"^[ \t]*from[ \t]+os[ \t]+import\b[^\n]*\benviron\b(?:[ \t]+as[ \t]+(\w+))?", re.M)
_LOADS_TORCH = lazy_re.compile(r"^(?:from[ \t]+torch\w*[ \t.]|import[ \t][^\n#;]*?\btorch)", re.M)
_FAR = 2000  # maximum length of the argument of `os.environ.update` that is checked


class Check:
    """The rules about the missing import of the shim."""

    of_whole_text = True

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules = list(rules)

    def run(self, context: Context) -> Iterator[Hit]:
        """Yield one hit, at the first import of torch in a script."""
        if not context.shim or is_patched(context):
            return
        top = [s for s in context.torch_imports() if context.facts.layout.line_start(s.start) == s.start]
        if not top or not _is_started(context):
            return
        first = top[0]
        new = self.target.words["patch-import"]
        newline = context.facts.layout.newline_at(first.end)
        end = first.start + len(context.text[first.start : first.end].rstrip())
        for rule in self._rules:
            fixes: tuple[Fix, ...] = ()
            if applicability := cap(rule, "safe"):
                fixes = (
                    Fix(titled("add", f"`{new}`"), applicability, (Edit(first.start, first.start, new + newline),)),
                )
            yield Hit(rule, first.start, end, {"new": new}, fixes, statement=first)


def _is_started(context: Context) -> bool:
    """Return whether the file is a script: it contains the condition `__name__ == "__main__"`, or does its work at
    module level."""
    text, facts = context.text, context.facts
    facts.work.search(0, 2 * len(text))
    if _ENTRY.search(text):
        return True
    if any(context.imports_root(root) or context.binds(root) for root in _BUILDS) or facts.says("setup("):
        return False
    for match in islice(_STARTED.finditer(text), _MANY):
        if facts.layout.string_around(match.start()):
            continue
        if match["loop"]:
            end = facts.indents.extent(match.start())
            facts.work.search(match.start(), end)
            if _TRAINS.search(text, match.start(), end):
                return True
        elif not match["call"] or re.search(rf"^(?:async[ \t]+)?def[ \t]+{match['call']}\(", text, re.M):
            return True
    return False


def switched_on(text: str, variable: str, layout: Layout) -> Iterator[int]:
    """Yield the offsets at which the file, before it imports torch, sets to "1" the environment variable that makes the
    plugin import the shim, i.e. the runtime patch that maps CUDA names to the target's.

    Only assignments to `os.environ` count: the plugin reads `os.environ`, and `os.putenv` does not change it.
    """
    if not variable or variable not in text:
        return
    name, one = re.escape(variable), r"[\"']1[\"'](?!\s*[\"'])"
    quoted = rf"(?P<{{0}}>[\"']{name}[\"'])"
    by_name = _BY_NAME.search(text)
    environ = rf"(?:os\.environ|{by_name[1] or 'environ'})" if by_name else r"os\.environ"
    item, given, key = map(quoted.format, ("item", "given", "key"))
    pattern = (
        rf"(?<![\w.]){environ}(?:\[\s*{item}\s*\]\s*=|\.setdefault\(\s*{given}\s*,"
        rf"|(?:\.update\(|\s*\|=)\s*(?:dict\(\s*)?\{{?"
        rf"(?:[^(){{}}]|\([^()]{{0,{_FAR}}}\)|\{{[^{{}}]{{0,{_FAR}}}\}}){{0,{_FAR}}}?"
        rf"(?:{key}\s*:|\b(?P<word>{name})\s*=))\s*{one}"
    )
    loaded = next((m.start() for m in _LOADS_TORCH.finditer(text) if not layout.string_around(m.start())), len(text))
    for match in re.finditer(pattern, text):
        at = match.start(match.lastgroup or 0)
        if match.start() < loaded and not layout.token_at(match.start()) and not layout.is_comment(at):
            yield at


def patching(target: Target) -> tuple[str, ...]:
    """Return words; every file that activates the shim contains at least one of them."""
    last = target.words.get("patch", "").rpartition(".")[2]
    return tuple(filter(None, (last, target.words.get("patch-variable", ""))))


def patches(text: str, target: Target, read: Callable[[], Facts]) -> bool:
    """Whether a file imports the shim, or sets the environment variable that activates the shim. `read`: a function
    that parses the file and returns its `Facts`."""
    if not any(word in text for word in patching(target)):
        return False
    facts = read()
    if _is_switched_on(facts, target):
        return True
    return any(binding.dotted == target.words.get("patch", "") for binding, _ in facts.imports())


def _is_switched_on(facts: Facts, target: Target) -> bool:
    return any(True for _ in switched_on(facts.text, target.words.get("patch-variable", ""), facts.layout))


def is_projects(project: Project, target: Target) -> bool:
    """Whether a file of the project imports the shim, or sets an environment variable that activates the shim in this
    version of the plugin."""
    return target.id in project.shims or (target.id in project.switched and bool(target.words.get("patch-variable")))


def is_patched(context: Context) -> bool:
    """Whether the shim is active: a file of the project imports the shim or sets the environment variable that
    activates it. For a target without a shim, the function returns True.

    An import of the plugin alone, which a fix may have added, does not activate the shim.
    """
    patch = context.target.words.get("patch", "")
    return (
        not patch
        or is_projects(context.project, context.target)
        or _is_switched_on(context.facts, context.target)
        or any(
            binding.dotted == patch
            or binding.dotted.startswith(f"{patch}.")
            or patch in context.text[statement.start : statement.end]
            for binding, statement in context.facts.imports()
        )
    )
