"""Decides whether device strings mean torch's devices in a file that does not import torch itself, and finds imports by
name, `torch = pytest.importorskip("torch")`."""

from __future__ import annotations

import ast
from pathlib import PurePath
from sys import stdlib_module_names

from ..facts.names import LATE, imported_name, is_late_torch
from ..facts.read import Facts, Statement
from ..facts.scans import line_starts, plain

# Packages that have no devices of their own, or that use torch's devices. Any other library may mean a device of its
# own by "cuda".
_KNOWN = stdlib_module_names | {
    "Bio", "PIL", "SimpleITK", "absl", "accelerate", "aiohttp", "albumentations", "argh", "ase", "attr", "beartype",
    "boto3", "botocore", "bs4", "click", "clip", "configargparse", "datasets", "dateutil", "deepspeed", "detectron2",
    "diffusers", "dotenv", "e3nn", "editdistance", "einops", "evaluate", "fairscale", "fastapi", "filelock", "fire",
    "flask", "ftfy", "fvcore", "geopandas", "gradio", "gym", "gymnasium", "h5py", "httpx", "huggingface_hub", "hydra",
    "ignite", "imageio", "inflect", "iopath", "jaxtyping", "jieba", "jinja2", "jiwer", "joblib", "jsonargparse",
    "jsonlines", "kornia", "librosa", "lightning", "lightning_fabric", "lightning_utilities", "loguru", "lxml",
    "matplotlib", "mmaction", "mmcv", "mmdet", "mmengine", "mmpose", "mmpretrain", "mmseg", "monai", "mpmath",
    "networkx", "nibabel", "nltk", "numpy", "omegaconf", "open_clip", "openai", "openpyxl", "orjson", "packaging",
    "pandas", "parameterized", "peft", "phonemizer", "plotly", "prettytable", "psutil", "pycocotools", "pydantic",
    "pydub", "pyloudnorm", "pyparsing", "pypinyin", "pytest", "pytorch3d", "pytorch_lightning", "pytz", "pyworld",
    "rasterio", "rdkit", "regex", "requests", "resampy", "rich", "rouge_score", "ruamel", "sacrebleu", "safetensors",
    "scipy", "seaborn", "segmentation_models_pytorch", "sentence_transformers", "sentencepiece", "setuptools",
    "shapely", "simplejson", "six", "skimage", "sklearn", "soundfile", "statsmodels", "streamlit", "sympy", "tabulate",
    "tensorboard", "tensorboardX", "termcolor", "tifffile", "timm", "tokenizers", "toml", "tomli", "tomlkit", "torch",
    "torch_geometric", "torchaudio", "torchdata", "torchmetrics", "torchtext", "torchvision", "tqdm", "transformers",
    "trimesh", "trl", "typeguard", "typer", "typing_extensions", "tyro", "ujson", "unidecode", "uvicorn", "wandb",
    "webdataset", "xarray", "yaml", "zarr",
}  # fmt: skip
# Packages that have devices of their own only where one of these words names them.
_PARTLY = {
    "cv2": ("cv2.cuda", "cv2.dnn", "DNN_", "nvenc", "cuvid"),
    "dask": ("cudf", "cupy", "dask_cuda", "rapids"),
}
_ASKS = "torch.cuda."
_SKIPS = "importorskip("
_MANY, _FAR = 50, 200  # maximum number of imports by name that are read in one file; of characters up to the name
_BY_NAME = (_SKIPS, "import_module(", "__import__(")


def first_import(facts: Facts, path: str, others: frozenset[str]) -> Statement | None:
    """Return the first import of a file if all its imports are of the standard library, its own package and packages in
    _KNOWN; otherwise None. A file that asks `torch.cuda`, but gets `torch` in a way which is not understood, has none
    either: its strings would change without its questions.

    `path` is the file's path; its folder names count as names of the file's own package, except those in `others`, the
    libraries with devices of their own: a folder `xgboost` may hold what uses this library.
    """
    asks = facts.searches.find(("text", _ASKS), plain(_ASKS)) if facts.says(_ASKS) else ()
    if any(facts.says(name) for name in _BY_NAME) or any(not facts.layout.token_at(at) for at in asks):
        return None
    partly = (name for name, words in _PARTLY.items() if not any(map(facts.says, words)))
    own = _KNOWN.union(PurePath(path).parts[:-1], partly) - others
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
    pytest.importorskip("torch")`; for torch, also those with another function that imports it late."""
    found = facts.searches.find(("text", _SKIPS), plain(_SKIPS)) if facts.says(_SKIPS) else ()
    named = [at for at in found if facts.text[at : at + _FAR].partition("(")[2].lstrip()[1:].startswith(module)]
    named += facts.searches.find(("late", LATE), line_starts(LATE, "torch")) if module == "torch" else []
    statements = (facts.peek(at) for at in sorted(named)[:_MANY] if not facts.layout.token_at(at))
    return [
        statement
        for statement in statements
        if statement is not None
        and (
            any(imported_name(one.value) == module for one in statement.digest.bindings)
            or (module == "torch" and is_late_torch(statement.digest.piece.nodes))
        )
    ]


def _roots(node: ast.Import | ast.ImportFrom) -> list[str]:
    """The top-level packages that an import statement names; empty for a relative import."""
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    return [] if node.level else [(node.module or "").partition(".")[0]]
