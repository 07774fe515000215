"""Decides whether device strings mean torch's devices in a file that does not import torch itself, and finds imports by
name, `torch = pytest.importorskip("torch")`."""

from __future__ import annotations

import ast
from pathlib import PurePath
from sys import stdlib_module_names

from ..facts.names import imported_name
from ..facts.read import Facts, Statement
from ..facts.scans import plain

# Packages that have no devices of their own, or that use torch's devices. Any other library may mean a device of its
# own by "cuda".
_KNOWN = stdlib_module_names | {
    "PIL", "absl", "accelerate", "ase", "attr", "click", "configargparse", "datasets", "e3nn", "einops", "evaluate",
    "fire", "gym", "gymnasium", "h5py", "huggingface_hub", "hydra", "imageio", "joblib", "jsonargparse", "librosa",
    "lightning", "loguru", "matplotlib", "mmaction", "mmcv", "mmdet", "mmengine", "mmpose", "mmpretrain", "mmseg",
    "networkx", "nltk", "numpy", "omegaconf", "packaging", "pandas", "parameterized", "peft", "prettytable",
    "psutil", "pydantic", "pytest", "pytorch_lightning", "regex", "requests", "rich", "safetensors", "scipy",
    "seaborn", "sentencepiece", "setuptools", "skimage", "sklearn", "soundfile", "tabulate", "tensorboard",
    "tensorboardX", "termcolor", "timm", "tokenizers", "torch", "torchaudio", "torchmetrics", "torchvision", "tqdm",
    "transformers", "typing_extensions", "wandb", "yaml",
}  # fmt: skip
_SKIPS = "importorskip("
_MANY, _FAR = 50, 200  # maximum number of imports by name that are read in one file; of characters up to the name
_BY_NAME = (_SKIPS, "import_module(", "__import__(")


def first_import(facts: Facts, path: str, others: frozenset[str]) -> Statement | None:
    """Return the first import of a file if all its imports are of the standard library, its own package and packages in
    _KNOWN; otherwise None.

    `path` is the file's path; its folder names count as names of the file's own package, except those in `others`, the
    libraries with devices of their own: a folder `xgboost` may hold what uses this library.
    """
    if any(facts.says(name) for name in _BY_NAME):
        return None
    own = _KNOWN.union(PurePath(path).parts[:-1]) - others
    found: list[Statement] = []
    for at in facts.searches.find(("text", "import "), plain("import ")):
        statement = None if facts.layout.token_at(at) else facts.peek(at)
        nodes = statement.digest.piece.nodes if statement is not None else ()
        facts.work.compare(1 + len(nodes))
        imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
        if not all(root in own for node in imports for root in _roots(node)):
            return None
        if statement is not None and imports and facts.layout.line_start(statement.start) == statement.start:
            found.append(statement)
    return next((one for one in found if "__future__" not in facts.text[one.start : one.end]), next(iter(found), None))


def imports_by_name(module: str, facts: Facts) -> list[Statement]:
    """Return the first statements of a file that import a module by its name for a test, and bind it: `torch =
    pytest.importorskip("torch")`."""
    found = facts.searches.find(("text", _SKIPS), plain(_SKIPS)) if facts.says(_SKIPS) else ()
    named = [at for at in found if facts.text[at : at + _FAR].partition("(")[2].lstrip()[1:].startswith(module)]
    statements = (facts.peek(at) for at in named[:_MANY] if not facts.layout.token_at(at))
    return [
        statement
        for statement in statements
        if statement is not None and any(imported_name(one.value) == module for one in statement.digest.bindings)
    ]


def _roots(node: ast.Import | ast.ImportFrom) -> list[str]:
    """The top-level packages that an import statement names; empty for a relative import."""
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    return [] if node.level else [(node.module or "").partition(".")[0]]
