"""The names and device strings of an accelerator that a target's declaration (`rules/targets/ID.toml`) may contain, by
keys such as `package` and `device`. For each key, the table `WORDS` says what its value stands for, whether every
target must declare it, and from which other key a missing value is made: `DEVICE` from `device`.

If a target has no value for a key, the rules whose fixes write this value are switched off for the target.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .model import IN_BRACES, Rule, nearest


class Word(NamedTuple):
    """A word, such as `device`, that a target's declaration (`rules/targets/ID.toml`) may contain. `derived`: the
    template from which the word's value is made if a declaration does not contain the word; `required`: whether every
    target must have the word."""

    name: str
    about: str
    required: bool = False
    derived: str = ""


WORDS: tuple[Word, ...] = (
    Word("package", "import torch_ID", required=True),
    Word("module", "torch.cuda.synchronize -> torch.ID.synchronize", required=True),
    Word("module-import", "how that module is imported: from torch.cuda import ... -> from torch_ID.ID import ..."),
    Word("amp-import", "how torch.cuda.amp is imported"),
    Word("device", 'torch.device("ID")', required=True),
    Word("DEVICE", "the same in capitals", derived="{device}"),
    Word("method", "x.cuda() -> x.ID()", derived="{device}"),
    Word("is-device", "x.is_cuda -> x.is_ID", derived="is_{device}"),
    Word("ccl", 'the collective library: init_process_group(backend="nccl") -> backend="IDccl"'),
    Word("CCL", "the same in capitals", derived="{ccl}"),
    Word("is-ccl-available", "torch.distributed.is_nccl_available -> is_IDccl_available"),
    Word("process-group", "torch.distributed.ProcessGroupNCCL -> ProcessGroupIDCCL"),
    Word("visible-devices", "the environment variable in the place of CUDA_VISIBLE_DEVICES"),
    Word("extension", "torch.utils.cpp_extension.CUDAExtension -> the plugin's class"),
    Word("extension-module", "the module that has it"),
    Word("build-extension", "what builds it, if torch's own BuildExtension does not"),
    Word("patch", "the runtime patch that maps CUDA's names: the module that is imported for it"),
    Word("patch-import", "the statement that imports it"),
    Word("patch-variable", "an environment variable that makes the plugin import it"),
    Word("profiler", "the module in the place of torch.profiler"),
    Word("activity", "torch.profiler.ProfilerActivity.CUDA -> the plugin's"),
    Word("smi", "the command in the place of nvidia-smi"),
    Word("graphs", 'torch.compile(backend="cudagraphs") -> the plugin\'s'),
    Word("stream-attribute", "Stream.cuda_stream -> Stream.ID_stream"),
    Word("event-attribute", "Event.cuda_event -> Event.ID_event"),
    Word("dispatch-key", "of torch.library and TORCH_LIBRARY_IMPL: PrivateUse1"),
    Word("execution-provider", "CUDAExecutionProvider of ONNX Runtime -> the vendor's"),
)
HELPER_NAMES = ("accelerator_type", "device_type", "device_module", "device", "backend", "visible_devices")
"""The functions that the helper module of a portable project contains; rules name them in braces."""
NAMES = tuple(word.name for word in WORDS)
# for each check: words that its fixes write, although its rules do not contain these words in braces
_OF_CHECK = {"missing-shim": ("patch", "patch-import")}


def problem(words: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the first error in `words`, the names and device strings in a target's declaration (`package`, `device`
    …), as a pair: the key that is wrong, and a sentence that says what to do. None if there is no error."""
    for name, said in words.items():
        if name not in NAMES:
            return name, f"unknown word {name!r}{nearest(name, NAMES)}"
        if not isinstance(said, str):
            return name, f"{name} must be a string"
        if not said.strip():
            return (
                name,
                f"{name} is empty: if there is no such thing, leave the line out; rules that write it are off then",
            )
    missing = next((word for word in WORDS if word.required and word.name not in words), None)
    return ("words", f"the word {missing.name!r} is missing: {missing.about}") if missing else None


def complete(words: Mapping[str, str]) -> dict[str, str]:
    """Return the words of a target's declaration, such as `device`, plus those whose values are made from them, such as
    `DEVICE`."""
    found = dict(words)
    for word in WORDS:
        source = IN_BRACES.search(word.derived)
        if word.name not in found and source and source[1] in found:
            text = word.derived.format_map(found)
            found[word.name] = text.upper() if word.name.isupper() else text
    return found


def lacking(rule: Rule, words: Mapping[str, str]) -> list[str]:
    """Return the words of `WORDS`, such as `smi`, that a rule uses but the target's declaration does not contain."""
    due = {*rule.filled.intersection(NAMES), *_OF_CHECK.get(rule.check, ())}
    return sorted(due.difference(words))
