"""Source files that the checked code compiles into extensions of PyTorch."""

from __future__ import annotations

import ast
from collections.abc import Collection

from ..facts.read import Facts
from ..facts.role_calls import last_word
from ..facts.scans import plain
from .name_calls import call_of

_PATHS = frozenset({"join", "joinpath", "str", "Path"})
_INLINE = "load_inline"
# words of C++ code and compiler options that use CUDA: `#include <ATen/cuda/CUDAContext.h>`, `-lcudart`
_HEADERS = (
    "cuda_runtime",
    "cuda_fp16",
    "cuda_bf16",
    "cuda.h",
    "/cuda",
    "lcuda",
    "cublas",
    "cudnn",
    "cufft",
    "cusparse",
)


def only_compile(facts: Facts, names: Collection[str], endings: tuple[str, ...]) -> bool:
    """Whether the file uses the functions `names` only to compile source files with one of these endings."""
    calls = [call_of(reference) for reference in facts.references if reference.dotted in names]
    inline = bool(calls) and not any(map(facts.says, _HEADERS))
    return bool(calls) and all(call is not None and _compiles(call, endings, inline) for call in calls)


def says_one_of(facts: Facts, words: Collection[str]) -> bool:
    """Return whether a file contains one of these words anywhere, even in a file name such as `"ops.cu"`."""
    return any(facts.searches.find(("text", word), plain(word)) for word in words)


def _compiles(call: ast.Call, endings: tuple[str, ...], inline: bool) -> bool:
    """Return whether a call compiles only files whose names end with one of `endings`. `inline`: whether to return True
    for a call of `load_inline` that passes C++ code (`cpp_sources`) and no CUDA code (`cuda_sources`)."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if None in given or "with_cuda" in given:
        return False
    if last_word(call.func) == _INLINE:
        return inline and "cpp_sources" in given and "cuda_sources" not in given and len(call.args) < 2
    sources = given.get("sources", call.args[1] if len(call.args) > 1 else None)
    files = sources.elts if isinstance(sources, (ast.List, ast.Tuple)) else [sources]
    return bool(files) and all(_end(file).endswith(endings) for file in files)


def _end(file: ast.expr | None) -> str:
    """Return the literal at the end of a path: `f"{root}/ops.cpp"`, `os.path.join(root, "ops.cpp")`; "" if there is
    none."""
    while not isinstance(file, ast.Constant):
        if isinstance(file, ast.JoinedStr) and file.values:
            file = file.values[-1]
        elif isinstance(file, ast.BinOp) and isinstance(file.op, (ast.Add, ast.Div)):
            file = file.right
        elif isinstance(file, ast.Call) and file.args and last_word(file.func) in _PATHS:
            file = file.args[-1]
        else:
            return ""
    return file.value if isinstance(file.value, str) else ""
