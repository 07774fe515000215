"""Reports groups of APIs that only work together, such as those of CUDA graphs, of which the fix ported only a part."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from .module import Module, Word
from .project import Project
from .record import Record, record
from .regions import sites, skipped
from .words import CUDA, NPU, words

GRAPHS = {"CUDAGraph", "NPUGraph", "MUSAGraph", "graph", "graph_pool_handle", "make_graphed_callables"}
# A group of APIs ("kit"), and whether all uses in a file, or only those in a function, must be for the same device.
KITS: tuple[tuple[frozenset[str], bool], ...] = (
    (frozenset(GRAPHS), True),
    (frozenset({"autocast", "GradScaler"}), True),
    (frozenset({"custom_fwd", "custom_bwd"}), True),
    (frozenset({"get_rng_state", "set_rng_state"}), True),
    (frozenset({"get_rng_state_all", "set_rng_state_all"}), True),
    (frozenset({"range_push", "range_pop"}), True),
    (frozenset({"cudaProfilerStart", "cudaProfilerStop"}), True),
    (frozenset({"MemPool", "use_mem_pool"}), True),
    (frozenset({"_record_memory_history", "_dump_snapshot", "_snapshot"}), True),
    (frozenset({"Stream", "stream", "current_stream", "set_stream", "default_stream", "StreamContext"}), False),
    (frozenset({"Event"}), False),
)
PROFILER = {"profile", "ProfilerActivity", "schedule", "tensorboard_trace_handler"}
MADE = {"Stream", "Event", "CUDAGraph", "NPUGraph", "MUSAGraph", "graph_pool_handle", "MemPool", "ExternalStream"} | {
    *("current_stream", "default_stream", "GradScaler", "pool"),
}


class Part(NamedTuple):
    """One use of an API, which may be in one of the groups `KITS`. `target`: whether the API is the target's, not
    CUDA's; `moved`: whether the fix wrote this use."""

    name: str
    node: ast.AST
    target: bool
    moved: bool


def records(project: Project) -> Iterator[Record]:
    """Report the groups of APIs that a fix ported only in part, in the files that changed."""
    for module in project.modules:
        if not module.change.any:
            continue
        parts = [*_parts(project, module), *_members(project, module)]
        for names, whole in KITS:
            groups: dict[ast.AST | None, list[Part]] = {}
            for part in parts:
                if part.name in names:
                    groups.setdefault(None if whole else module.function(part.node), []).append(part)
            for group in groups.values():
                yield from _split(module, group)
        for word in module.words.values():
            tail = ".".join(word.text.split(".")[-2:])
            cuda = words(CUDA).last
            if word.ported and (cuda.fullmatch(tail) or cuda.fullmatch(tail.rpartition(".")[2])):
                yield record(module, word.node, "kit", f"{word.text} is CUDA's in the target's module")
        yield from _profiler(module)
        yield from _imports(project, module)
        for node in list(module.parents):
            if isinstance(node, ast.Call):
                yield from _handed(project, module, node)


def _split(module: Module, group: list[Part]) -> Iterator[Record]:
    ported = next((part for part in group if part.target and part.moved), None)
    stayed = next((part for part in group if not part.target and not part.moved), None)
    if ported and stayed:
        yield record(module, stayed.node, "kit", module.source(ported.node))


def _parts(project: Project, module: Module) -> Iterator[Part]:
    for site in sites(project, module):
        node = site.node
        word = module.words.get(node)
        if word and word.family == "api" and not (skipped(site.guards) and word.stayed):
            yield Part(word.text.rpartition(".")[2], node, word.target, word.moved)
        elif isinstance(node, ast.Call):
            name = module.resolve(node.func).rpartition(".")[2]
            texts = [*node.args[:1], *(item.value for item in node.keywords if item.arg in ("device_type", "device"))]
            for text in texts if name in ("autocast", "GradScaler") else ():
                own = module.words.get(text)
                if own and own.family == "device" and not (skipped(site.guards) and own.stayed):
                    yield Part(name, node, own.target, own.moved)


def _members(project: Project, module: Module) -> Iterator[Part]:
    """Yield each imported API of a group in `KITS` whose uses in a file must all be for the same device; imports inside
    an `if` are included."""
    whole = {name for names, together in KITS if together for name in names}
    guards = {site.node: site.guards for site in sites(project, module)}
    for found in (item for several in module.bindings.values() for item in several):
        name = found.dotted.rpartition(".")[2]
        side = module.side(found.dotted)
        if side is None or name not in whole or not isinstance(found.node, ast.ImportFrom):
            continue
        if side or found.moved or not skipped(guards.get(found.node, ())):
            yield Part(name, found.node, side, found.moved)


def _profiler(module: Module) -> Iterator[Record]:
    """Report a profiler and its activities unless all are torch's or all are the plugin's."""
    ours: list[ast.AST] = []
    torchs: list[ast.AST] = []
    activity: list[Word] = []
    for node in module.parents:
        if not isinstance(node, ast.Attribute | ast.Name) or isinstance(module.parents[node], ast.Attribute):
            continue
        dotted = module.resolve(node)
        if not any(part in PROFILER for part in dotted.split(".")):
            continue
        word = module.words.get(node)
        if dotted.startswith("torch_npu.profiler") and word and word.moved:
            ours.append(node)
        elif dotted.startswith("torch.profiler"):
            torchs.append(node)
        if dotted.endswith((".CUDA", ".NPU", ".MUSA")) and word:
            activity.append(word)
    stayed, moved = [w for w in activity if w.stayed], [w for w in activity if w.ported]
    if stayed and (ours or moved):
        yield record(module, stayed[0].node, "kit", module.source((ours or [moved[0].node])[0]))
    elif module.target is NPU and torchs and ours:
        yield record(module, torchs[0], "kit", module.source(ours[0]))
    keys = [word for word in module.words.values() if word.family == "other" and word.text.endswith("time_total")]
    for word in keys:
        if word.stayed and (ours or moved):
            yield record(module, word.node, "kit", "profiler")
        elif word.ported and not ours and not moved and stayed:
            yield record(module, word.node, "kit", "profiler")


def _imports(project: Project, module: Module) -> Iterator[Record]:
    """Report a name that one import takes from the target and another from CUDA, without a condition between them that
    asks for the device."""
    guards = {site.node: site.guards for site in sites(project, module)}
    for name, found in module.bindings.items():
        places = [item for item in found if isinstance(item.node, ast.ImportFrom)]
        stayed = [item for item in places if item.dotted.startswith("torch.cuda") and not item.moved]
        ported = [item for item in places if item.moved]
        if stayed and ported and not any(guards.get(item.node) for item in stayed):
            yield record(module, stayed[0].node, "kit", f"{name} from {ported[0].dotted}")


def _handed(project: Project, module: Module, call: ast.Call) -> Iterator[Record]:
    """Yield a report if a stream, event, graph or pool of CUDA is passed to an API of the target, or one of the target
    to an API of CUDA."""
    sides: list[Word] = []
    func = call.func
    callee = module.words.get(func)
    values = [*call.args, *(item.value for item in call.keywords)]
    if callee and callee.family == "api":
        sides.append(callee)
    elif isinstance(func, ast.Attribute):
        sides += _made(project, module, func.value)
    if not sides:
        return
    for value in values:
        for word in _made(project, module, value):
            for own in sides:
                if (own.ported and word.stayed) or (own.stayed and word.ported):
                    yield record(module, call, "kit", f"{own.text}, {word.text}")
                    return


def _made(project: Project, module: Module, node: ast.AST) -> list[Word]:
    """Return the call whose result a name holds: `torch.cuda.Stream` for `s = torch.cuda.Stream()`."""
    found = []
    if isinstance(node, ast.Call):
        word = module.words.get(node.func)
        if not word and isinstance(node.func, ast.Attribute) and node.func.attr == "pool":
            return _made(project, module, node.func.value)
        return [word] if word and word.text.rpartition(".")[2] in MADE else []
    key = project.key(module, node)
    for home, value in project.sources(key) if key else ():
        if isinstance(value, ast.Call) and (word := home.words.get(value.func)):
            if word.text.rpartition(".")[2] in MADE:
                found.append(word)
    return found
