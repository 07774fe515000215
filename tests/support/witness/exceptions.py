"""Reports of the witness that were judged to be false: at most ten, each with a part of its text and the reason."""

from __future__ import annotations

from .record import Record

MOST = 10
# (path, a part of the report's text, why the place is right)
EXCEPTIONS: tuple[tuple[str, str, str], ...] = (
    (
        "torch_geometric/loader/prefetch.py",
        "self.device.type in ['cuda', 'xpu']",
        "Which accelerators have streams here is for a person; without one a batch is copied as to any other device.",
    ),
    (
        "diffusers/utils/testing_utils.py",
        "get_torch_cuda_device_capability",
        "It lies in a file for several accelerators, and decorates tests for one generation of CUDA's devices.",
    ),
    (
        "trl/generation/vllm_client.py",
        "torch.cuda.get_device_properties(device)",
        "The last of three arms, one for each accelerator; the word is that of the file's own example.",
    ),
    (
        "trl/models/activation_offloading.py",
        "torch.cuda.stream(stream)",
        "Behind a list of accelerators that stays: the target never comes here.",
    ),
)


def is_excepted(record: Record) -> bool:
    """Whether a report was judged to be false."""
    return any(record.path == path and quoted in record.saw for path, quoted, _ in EXCEPTIONS)
