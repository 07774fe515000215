"""Reports conditions that ask for the target while the code behind them uses CUDA, and the reverse."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from .index import DEPTH
from .module import FUNCTION, Function, Module
from .project import Project
from .record import Record, record
from .regions import BLOCKS, Regions, Site, leaves, sites, skipped
from .words import CAPABILITY, CUDA_PACKAGE, LOADERS, UNSERVED, only_cuda

_CUDA_SOURCE = re.compile(r"\.cuh?$|cuda", re.IGNORECASE)


class Questions:
    """Compares, in all files of a project, the device for which a condition asks with the device that its guarded code
    uses."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._reached: dict[tuple[ast.AST, bool], str] = {}

    def records(self) -> Iterator[Record]:
        """Report ported guards around CUDA code, and CUDA guards around ported code."""
        for module in self.project.modules:
            seen: set[tuple[str, ast.AST]] = set()
            for site in sites(self.project, module):
                for kind, test, why in self._judge(module, site):
                    if (kind, test) not in seen:
                        seen.add((kind, test))
                        yield record(module, test, kind, f"{getattr(site.node, 'lineno', 0)}: {why}")

    def _judge(self, module: Module, site: Site) -> Iterator[tuple[str, ast.AST, str]]:
        ported = [guard for guard in site.guards if guard.question.ported and guard.question.yes]
        stayed = [guard for guard in site.guards if guard.question.stayed and guard.question.yes]
        if ported and not skipped(site.guards):
            if left := self._left(module, site.node, depth=0):
                yield "question", ported[-1].test, left
        if stayed and not any(guard.question.target for guard in site.guards):
            if made := self._ported(module, site.node):
                yield "stayed question", stayed[-1].test, made

    def _left(self, module: Module, node: ast.AST, depth: int) -> str:
        """Return the CUDA code in an expression or statement, or in the function that it calls; empty if there is
        none."""
        word = module.words.get(node)
        if word and word.stayed and self._runs(module, node):
            return word.text
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            if (dotted := module.resolve(node)) and self._foreign(module, node, dotted):
                return dotted
        if not isinstance(node, ast.Call) or self._tried(module, node):
            return ""
        if self._loaded(module, node.func):
            return f"{module.source(node.func)}, a compiled CUDA module"
        found = self.project.callee(module, node) if depth < DEPTH else None
        return self._reach(*found, depth + 1) if found else ""

    def _foreign(self, module: Module, node: ast.AST, dotted: str) -> bool:
        """Return whether code calls or passes on a function of a CUDA-only module, even if the module is not
        imported."""
        parent = module.parents.get(node)
        if not only_cuda(dotted, module.target) or not isinstance(parent, ast.Call) or self.project.is_own(dotted):
            return False
        if parent.func is not node and not dotted.rpartition(".")[2].islower():
            return False
        return not self._tried(module, node) and not self._asked_for(module, node)

    def _asked_for(self, module: Module, node: ast.AST) -> bool:
        """Return whether the node is in an `if` whose condition contains a name that a `try` statement sets, such as
        `HAS_APEX` beside an optional import, or below such an `if` that leaves the block."""
        tried = {
            name.id
            for item in ast.walk(module.tree)
            if isinstance(item, ast.Try) and item.handlers
            for name in ast.walk(item)
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
        }
        child, above = node, module.parents.get(node)
        while above is not None:
            asked = [above.test] if isinstance(above, ast.If | ast.IfExp) else []
            blocks = (block for name in BLOCKS if isinstance(block := getattr(above, name, None), list))
            block = next((block for block in blocks if child in block), [child])
            before = block[: block.index(child)]
            asked += [item.test for item in before if isinstance(item, ast.If) and leaves(item.body)]
            if any(isinstance(name, ast.Name) and name.id in tried for test in asked for name in ast.walk(test)):
                return True
            child, above = above, module.parents.get(above)
        return False

    def _runs(self, module: Module, node: ast.AST) -> bool:
        """Return whether the expression `node`, which names a device, uses the device or passes its name on. Return
        False for an import in a `try`, a dictionary key and a comparison."""
        word = module.words[node]
        if word.family in ("api", "method", "import"):
            return not self._tried(module, node)
        parent = module.parents.get(node)
        while isinstance(parent, ast.JoinedStr | ast.BinOp | ast.IfExp | ast.Tuple | ast.List):
            parent = module.parents.get(parent)
        if isinstance(parent, ast.keyword):
            return parent.arg in ("device", "device_type", "map_location", "backend", "accelerator")
        if isinstance(parent, ast.Call):
            name = parent.func.attr if isinstance(parent.func, ast.Attribute) else getattr(parent.func, "id", "")
            return name in ("to", "device", "autocast", "init_process_group", "append") or (
                module.resolve(parent.func).startswith("torch.") and word.family in ("device", "ccl")
            )
        if isinstance(parent, ast.Assign | ast.AnnAssign):
            target = parent.targets[0] if isinstance(parent, ast.Assign) else parent.target
            name = getattr(target, "id", getattr(target, "attr", "")).lower()
            return any(part in name for part in ("device", "backend", "dev", "location"))
        return isinstance(parent, ast.Return)

    def _tried(self, module: Module, node: ast.AST) -> bool:
        """Return whether the code around a node catches an error that the node raises."""
        child, above = node, module.parents.get(node)
        while above is not None and not isinstance(above, FUNCTION):
            if isinstance(above, ast.Try) and child in above.body and above.handlers:
                return True
            child, above = above, module.parents.get(above)
        return False

    def _reach(self, module: Module, function: Function, depth: int) -> str:
        """Return the CUDA code that a function always runs, even on the target; empty if there is none."""
        if (function, True) in self._reached:
            return self._reached[function, True]
        self._reached[function, True] = ""
        if any("triton" in module.resolve(getattr(item, "func", item)) for item in function.decorator_list):
            self._reached[function, True] = f"{function.name}, a Triton kernel"
        for site in Regions(self.project, module).sites(function):
            if skipped(site.guards):
                continue
            if left := self._left(module, site.node, depth):
                self._reached[function, True] = f"{function.name} in {module.path}: {left}"
                break
        return self._reached[function, True]

    def _loaded(self, module: Module, node: ast.AST) -> bool:
        """Return whether a called function belongs to a module that `load` compiled, or that the project's setup.py
        builds for CUDA."""
        while isinstance(node, ast.Attribute):
            if module.resolve(node).startswith(tuple(self._built)) and self._built:
                return True
            node = node.value
        if isinstance(node, ast.Name) and module.resolve(node).startswith(tuple(self._built)) and self._built:
            return True
        if not isinstance(node, ast.Name | ast.Call):
            return False
        key = self.project.key(module, node)
        return any(self._loads(home, value) for home, value in self.project.sources(key)) if key else False

    def _loads(self, module: Module, node: ast.AST) -> bool:
        """Return whether a value is a module that a call of `load` compiles for CUDA, unless the target never runs this
        call."""
        if not isinstance(node, ast.Call) or not module.resolve(node.func).endswith(LOADERS):
            return False
        texts = [str(item.value) for item in ast.walk(node) if isinstance(item, ast.Constant)]
        if any(text.endswith((".cpp", ".cc")) for text in texts) and not any(_CUDA_SOURCE.search(t) for t in texts):
            return False
        statement = module.statement(node)
        return not any(site.node is statement and skipped(site.guards) for site in sites(self.project, module))

    @cached_property
    def _built(self) -> set[str]:
        """The names of the extension modules that a `CUDAExtension` in the tree builds."""
        found = set()
        for module in self.project.modules:
            for node in module.parents:
                if isinstance(node, ast.Call) and module.resolve(node.func).endswith(".CUDAExtension"):
                    names = [*node.args[:1], *(item.value for item in node.keywords if item.arg == "name")]
                    found |= {str(name.value) for name in names if isinstance(name, ast.Constant)}
        return found

    def _ported(self, module: Module, node: ast.AST) -> str:
        """Return the target's name that the fix wrote at a node, or ""; a function that the node calls is not searched,
        because other code may call it, too."""
        word = module.words.get(node)
        return word.text if word and word.ported else ""

    @staticmethod
    def _reads_capability(module: Module, node: ast.AST) -> bool:
        """Return whether code reads the compute capability of a GPU: `torch.cuda.get_device_properties(0).major`."""
        call = module.parents.get(node)
        parent = module.parents.get(call) if isinstance(call, ast.Call) and call.func is node else None
        return isinstance(parent, ast.Attribute) and parent.attr in CAPABILITY

    @cached_property
    def over_cuda(self) -> set[ast.AST]:
        """Return the conditions that still ask for CUDA and guard code that needs CUDA, so that they should stay
        unchanged."""
        return {
            guard.test
            for module in self.project.modules
            for site in sites(self.project, module)
            for guard in site.guards
            if guard.question.stayed and guard.question.yes and self._needs_cuda(module, site.node)
        }

    def _needs_cuda(self, module: Module, node: ast.AST) -> bool:
        """Return whether code needs CUDA because the target has no counterpart. Code that has a counterpart does not
        count: the fix may only have missed it."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and CUDA_PACKAGE.fullmatch(node.value):
            return True
        word = module.words.get(node)
        if word and word.text.rpartition(".")[2] not in UNSERVED and not self._reads_capability(module, node):
            return False
        return bool(self._left(module, node, depth=0))
