"""Reports of the witness that a person judged to be wrong: at most ten, each with a part of its text and the reason."""

from __future__ import annotations

from .record import Record

MOST = 10
# (path, a part of the report's text, why the code is correct)
EXCEPTIONS: tuple[tuple[str, str, str], ...] = (
    (
        "torch_geometric/loader/prefetch.py",
        "self.device.type in ['cuda', 'xpu']",
        "The list names accelerators with streams, and a person can add the target; other devices use no stream.",
    ),
    (
        "diffusers/utils/testing_utils.py",
        "get_torch_cuda_device_capability",
        "The function is in a file for several accelerators, and only decorates tests for one generation of CUDA GPUs.",
    ),
    (
        "trl/generation/vllm_client.py",
        "torch.cuda.get_device_properties(device)",
        "The call is in the last of three branches, one for each accelerator.",
    ),
    (
        "trl/models/activation_offloading.py",
        "torch.cuda.stream(stream)",
        "The call runs only for accelerators of a list that the fix does not change; the target never runs it.",
    ),
)


def is_excepted(record: Record) -> bool:
    """Return whether a person judged a report to be wrong."""
    return any(record.path == path and quoted in record.saw for path, quoted, _ in EXCEPTIONS)
