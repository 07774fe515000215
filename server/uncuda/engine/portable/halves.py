"""Finds fixes that would port only a part of the code that belongs together, such as a fixed `is_available()` that
guards code which still runs only on CUDA."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from ... import lazy_re
from ...checks.base import Context
from ...checks.hit import Hit
from ...facts.scopes import Header
from ..relations.kernels import Libraries
from .extensions import imports_extension
from .forms import CUDAS, HALF, SEEN, STREAMS, STYLE

_ASKING = frozenset({"is_available", "device_count", "is_cuda", "is_nccl_available"})
_COUNTING = frozenset({"device_count", "current_device", "get_device_name", "get_device_properties"})
_DEVICES = frozenset({"cuda", "cpu", "mps", "meta", "nccl", "gloo", "mpi", ""})
_CUDAS = lazy_re.compile(r"cuda(?::.*)?")
_OF_CUDA = lazy_re.compile(r"cuda|nvshmem|nvidia|tensorrt|cutlass|cudnn", re.IGNORECASE)
_VENDOR = lazy_re.compile(r"gpu|cuda|nvidia|tensorrt|Provider", re.IGNORECASE)
_QUOTED = lazy_re.compile(r"([\"'])((?:(?!\1)[^\\\n]|\\.)*)\1")
_CALLED = lazy_re.compile(r"(?<!def )(?<![\w.])(?P<dotted>(?:\w+\.)*)(?P<name>\w*cuda\w*)[ \t]*\(")
_CUDAS_NAME = lazy_re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+\w*(?:cuda|nvidia|nccl)", re.IGNORECASE)
_EXTENSION = lazy_re.compile(
    r"(?<![\w.])(?P<name>\w*_cuda)\.\w+[ \t]*\(|\bimport[ \t]+(?:tensorrt|pycuda|cupy|pynvml|numba|\w*_cuda)\b"
    r"|\bfrom[ \t]+(?:tensorrt|pycuda|cupy|pynvml|numba)\b|(?<![\w.])(?:_C|_ext|ext_module|\w+_ext)\.\w+[ \t]*\("
)
"""Matches a call of a CUDA extension, recognised by its name, and an import of a library that runs only on CUDA."""
_LOADED = lazy_re.compile(r"import|load|builder", re.IGNORECASE)
"""Matches words which show that the value of a name is a compiled extension."""
_ACCELERATOR = lazy_re.compile(r"\btorch\.accelerator\b|\bfrom[ \t]+torch[ \t]+import\b[^\n]*\baccelerator\b")
_LIBRARIES = lazy_re.compile(
    r"^(?: {4})?(?:from|import)[ \t]+(?:pynvml|py3nvml|pydcgm|dcgm_\w+|nvshmem|cupy|pycuda|tensorrt|cuda"
    r"|torch\.distributed\._symmetric_memory)\b",
    re.M,
)
"""Imports of libraries for NVIDIA's devices, at the top of a file or in a `try` there."""
_RAISED = lazy_re.compile(r"^[ \t]*raise\b", re.M)
_ONLY = lazy_re.compile(r"[\"'][^\n]*\b(?:CUDA|NVIDIA|cuda)\b(?!:\d)")
_MADE_FOR = lazy_re.compile(
    r"(?<![a-z])(?:fused|apex|flash|triton|tensorrt|trt|cudnn|cutlass|nvml|dali)(?![a-z])", re.IGNORECASE
)
"""Words in the names of functions, classes and modules that run only on CUDA, or whose names differ on other
accelerators."""
_BUILDS = ("CUDA_HOME", "CUDAPluggableAllocator", "CUDAExtension", "load_inline")
_PARALLEL = lazy_re.compile(r"(?<!Distributed)\bDataParallel\b")
_STREAMS = lazy_re.compile(r"\btorch\.(?:Stream|Event)\b")
_SET = lazy_re.compile(r"(?:\w+\.)*(\w+)(?:[ \t]*:[^=\n]+)?[ \t]*=(?!=)[^\n]*")


def says_accelerator(context: Context) -> bool:
    """Return whether a text uses `torch.accelerator`; if it does, fixes use it, too."""
    layout = context.facts.layout
    return any(not layout.token_at(match.start()) for match in _ACCELERATOR.finditer(context.text))


class Halves:
    """Finds the fixes of one text that would port only a part of its code. `hits`: all hits in the text; `ported`: the
    same hits with portable fixes; `libraries`: tells which modules are compiled for CUDA."""

    def __init__(
        self, context: Context, hits: Sequence[Hit], ported: Sequence[Hit | None], libraries: Libraries
    ) -> None:
        self._context, self._libraries = context, libraries
        self._words = {id(hit.node) for hit in ported if hit is not None and hit.fixes and hit.node is not None}
        self._known: dict[int, bool] = {}
        self._hits = hits
        streams = [hit for hit in ported if hit is not None and hit.rule.name == "cuda-stream"]
        left = [hit for hit in streams if not hit.is_safe]
        self._mixed = set(map(self._function_of, left))
        stays = [hit for hit in ported if hit is not None and not hit.fixes and hit.rule.check == "name"]
        self._half = {at for hit in stays if (at := self._function_of(hit)) >= 0}
        self._hides = any(hit.rule.check == "environment" and "VISIBLE" in hit.words.get("old", "") for hit in hits)

    def reason(self, hit: Hit) -> str:
        """Return the id of the sentence that says why the fix of a hit would port only a part of code that belongs
        together; "" if it would not."""
        if self._is_nvidias or self._is_cudas(hit):
            return CUDAS
        if self._says_accelerator:
            return STYLE
        if self._hides and hit.rule.check != "environment":
            return SEEN
        if hit.rule.name == "cuda-stream" and (self._function_of(hit) in self._mixed or self._says_streams):
            return STREAMS
        return HALF if self._is_half(hit) else ""

    def _is_half(self, hit: Hit) -> bool:
        """Return whether a hit is one of these: a condition that asks for CUDA and guards code which stays on CUDA;
        code behind a condition that still asks for CUDA; or a use of a function such as `device_count`, if another name
        in the same Python function stays on CUDA."""
        if self._subject(hit) in _COUNTING and self._function_of(hit) in self._half:
            return True
        if self._kept is not None and self._is_behind(hit, self._kept):
            return True  # until the fix of the condition is reviewed, the code behind the condition runs only on CUDA
        if not self._asks(hit):
            return False
        return self._in_expression(hit) or self._chooses_vendors(hit) or self._in_block(hit) or self._by_name(hit)

    def refuses_others(self, hit: Hit) -> bool:
        """Return whether a hit is in an `assert` or the condition of an `if` that raises an error if the device is not
        CUDA. The error's message must name CUDA or NVIDIA."""
        if hit.statement is None or not self._asks(hit):
            return False
        text, indents = self._context.text, self._context.facts.indents
        header = indents.header_at(hit.statement.start)
        if header.word == "assert":
            return _ONLY.search(text, hit.statement.start, hit.statement.end) is not None
        if header.word not in ("if", "elif"):
            return False
        bodies = ((one.end, indents.extent(one.start)) for one in indents.clauses(header))
        self._context.facts.work.search(header.start, indents.extent(header.start))
        return any(
            (raised := _RAISED.search(text, *body)) and _ONLY.search(text, raised.end(), body[1]) for body in bodies
        )

    @cached_property
    def _says_accelerator(self) -> bool:
        return says_accelerator(self._context)

    @cached_property
    def _is_nvidias(self) -> bool:
        """Whether the file is only for CUDA: its name or the name of a folder says so, or the file builds an extension
        for CUDA, uses an allocator for CUDA, or imports a library for NVIDIA's devices."""
        if any(map(_OF_CUDA.search, self._names_in_package)):
            return True
        return any(map(self._context.facts.says, _BUILDS)) or _LIBRARIES.search(self._context.text) is not None

    @property
    def _names_in_package(self) -> Sequence[str]:
        """Return the name of the file, and the names of its folders inside the package."""
        path, helper = self._context.path.replace("\\", "/"), self._context.project.helper
        folder = helper.package_of(path) if helper is not None else ""
        return path.removeprefix(folder + "/").split("/") if folder else [posixpath.basename(path)]

    @cached_property
    def _says_streams(self) -> bool:
        return _STREAMS.search(self._context.text) is not None

    def _function_of(self, hit: Hit) -> int:
        headers = self._context.facts.indents.headers(hit.start)
        return next((header.start for header in headers if header.word in ("def", "async")), -1)

    @cached_property
    def _kept(self) -> re.Pattern[str] | None:
        """A pattern for conditions that read a variable such as `fast` in `fast = torch.cuda.is_available()`, if the
        fix of the assignment needs review; None if there is no such variable."""
        text = self._context.text
        asked = (hit for hit in self._hits if hit.fixes and hit.statement and self._asks(hit) and self._by_name(hit))
        names = {match[1] for hit in asked if hit.statement and (match := _SET.match(text, hit.statement.start))}
        return re.compile(rf"\b(?:if|elif|while)\b[^\n]*\b(?:{'|'.join(sorted(names))})\b") if names else None

    def _is_behind(self, hit: Hit, tests: re.Pattern[str]) -> bool:
        """Return whether a hit is in a condition that the pattern `tests` matches, or in a block that such a condition
        controls."""
        text, indents = self._context.text, self._context.facts.indents
        if hit.statement is not None and tests.search(text, hit.statement.start, hit.statement.end):
            return True
        headers = [header for header in indents.headers(hit.start) if header.word in ("if", "elif", "else", "while")]
        clauses = (
            one for header in headers for one in (indents.clauses(header) if header.word == "else" else [header])
        )
        return any(tests.search(text, one.start, one.end) for one in clauses)

    def _is_cudas(self, hit: Hit) -> bool:
        """Return whether a hit is in a function or class with "cuda", "nvidia" or "nccl" in its name, or in a function
        that calls a CUDA extension."""
        if hit.statement is None:
            return False
        for header in self._context.facts.indents.headers(hit.statement.start):
            known = self._known.get(header.start)
            if known is None:
                known = self._known[header.start] = self._is_for_cuda(header)
            if known:
                return True
        return False

    def _is_for_cuda(self, header: Header) -> bool:
        text = self._context.text
        end = self._context.facts.indents.extent(header.start)
        self._context.facts.work.search(header.start, end)
        if header.word in ("def", "async", "class") and _CUDAS_NAME.match(text, header.start):
            return True
        if header.word == "class":
            return False
        found = _EXTENSION.finditer(text, header.start, end)
        return any(not match["name"] or self._is_extension(match["name"]) for match in found)

    def _is_extension(self, name: str) -> bool:
        """Return whether a name such as `fused_cuda` is a module; it is not if the file assigns another value to it, or
        if it is a parameter, as in `done_cuda.item()`."""
        self._context.facts.work.search(0, len(self._context.text))
        made = re.compile(rf"(?<![\w.]){name}[ \t]*(?::[^=\n]+)?=(?!=)([^\n]*)|\bdef[^\n]*[(, ]{name}[ \t]*[,:=)]")
        values = [match[1] or "" for match in made.finditer(self._context.text)]
        return not values or any(map(_LOADED.search, values))

    def _subject(self, hit: Hit) -> str:
        """Return the last part of the dotted name, or the attribute, that a hit reports."""
        return (hit.words.get("name") or hit.words.get("old", "")).rpartition(".")[2]

    def _asks(self, hit: Hit) -> bool:
        """Return whether a hit asks for a device: `is_available()`, `x.is_cuda` or a comparison with a device
        string."""
        if hit.rule.check in ("name", "method"):
            return self._subject(hit) in _ASKING
        around = hit.parent
        return isinstance(around, ast.Compare)

    def _chooses_vendors(self, hit: Hit) -> bool:
        """Return whether the condition of a hit also contains a name of code that runs only on CUDA: `fused_adam and
        is_available()`."""
        if hit.statement is None or hit.node is None:
            return False
        around = [one for one in hit.statement.digest.ancestors(hit.node) if isinstance(one, ast.BoolOp)]
        return any(_MADE_FOR.search(ast.unparse(value)) for one in around for value in one.values)

    def _in_expression(self, hit: Hit) -> bool:
        """Return whether a hit is the condition of a conditional expression, one of whose alternatives stays
        unchanged."""
        for outer, inner in self._around(hit):
            if isinstance(outer, ast.IfExp) and inner is outer.test:
                if any(map(self._stays, (outer.body, outer.orelse))):
                    return True
        return False

    def _around(self, hit: Hit) -> Iterator[tuple[ast.AST, ast.AST]]:
        if hit.statement is None or hit.node is None:
            return
        inner = hit.node
        for outer in hit.statement.digest.ancestors(inner):
            yield outer, inner
            inner = outer

    def _stays(self, arm: ast.AST) -> bool:
        """Return whether an alternative of a conditional expression contains a string that names no device, a string
        "cuda" that no fix changes, or a call of a function for CUDA."""
        for node in ast.walk(arm):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if _CUDAS.fullmatch(node.value) and id(node) not in self._words:
                    return True
                if not self._is_device(node.value):
                    return True
        return isinstance(arm, ast.Call) and self._calls_cudas(ast.unparse(arm))

    def _in_block(self, hit: Hit) -> bool:
        """Return whether a hit is in the condition of an `if` or `while` whose block contains code that runs only on
        CUDA."""
        if hit.statement is None:
            return False
        header = self._context.facts.indents.header_at(hit.statement.start)
        if header.word not in ("if", "elif", "while"):
            return False
        return any(self._keeps(clause) for clause in self._context.facts.indents.clauses(header))

    def _keeps(self, header: Header) -> bool:
        """Return whether a clause contains a string that names a vendor, `DataParallel`, a call of a function with CUDA
        in its name, or an import of a file that needs an extension for CUDA."""
        end = self._context.facts.indents.extent(header.start)
        self._context.facts.work.search(header.start, end)
        body = self._context.text[header.start : end]
        if _PARALLEL.search(body) or self._calls_cudas(body):
            return True
        if imports_extension(self._context, header.end, end, self._libraries):
            return True
        return any(self._is_vendors(match[2]) for match in _QUOTED.finditer(body))

    def _calls_cudas(self, text: str) -> bool:
        """Return whether a text calls a function that has "cuda" in its name and that the file does not define."""
        for match in _CALLED.finditer(text):
            if match["name"] in ("cuda", "is_cuda") or match["dotted"].startswith("torch."):
                continue
            if not self._context.facts.says(f"def {match['name']}("):
                return True
        return False

    def _by_name(self, hit: Hit) -> bool:
        """Return whether the result of a condition is assigned to a variable, and code that runs only on CUDA depends
        on this variable elsewhere."""
        if hit.statement is None:
            return False
        text, start = self._context.text, hit.statement.start
        match = _SET.match(text, start)
        return match is not None and any(self._decides(line) for line in self._lines_of(match[1]))

    def _decides(self, line: tuple[int, int]) -> bool:
        """Return whether a line begins an `if` or `while` with code in one of its branches that runs only on CUDA; or
        contains a conditional expression (`a if x else b`), and a call of a function with CUDA in its name or a string
        that names a vendor's product."""
        header = self._context.facts.indents.header_at(line[0])
        if header.word in ("if", "elif", "while") and any(
            self._keeps(clause) for clause in self._context.facts.indents.clauses(header)
        ):
            return True
        said = self._context.text[slice(*line)]
        if not re.search(r"\bif\b.*\belse\b", said, re.DOTALL):
            return False
        return self._calls_cudas(said) or any(self._is_vendors(match[2]) for match in _QUOTED.finditer(said))

    def _lines_of(self, name: str) -> Iterator[tuple[int, int]]:
        """Yield the logical lines in which an `if` reads the variable with this name."""
        text, layout = self._context.text, self._context.facts.layout
        self._context.facts.work.search(0, len(text))
        pattern = re.compile(rf"\bif[ \t]+(?:[\w. \t]*[ \t.])?{re.escape(name)}\b")
        for match in pattern.finditer(text):
            if layout.token_at(match.start()) != "#":
                yield layout.logical_line(match.start())

    def _is_vendors(self, word: str) -> bool:
        """Return whether a string names a vendor's product, such as "onnxruntime-gpu"; names of devices and sentences
        do not count."""
        return _VENDOR.search(word) is not None and not self._is_device(word) and " " not in word

    def _is_device(self, word: str) -> bool:
        """Return whether a string is the name of a device or of a backend of torch.distributed."""
        return word.partition(":")[0] in self._devices

    @cached_property
    def _devices(self) -> frozenset[str]:
        targets = [declared["words"] for declared in self._context.catalogue.declarations.values()]
        return _DEVICES | {str(words.get(key, "")) for words in targets for key in ("device", "ccl")}
