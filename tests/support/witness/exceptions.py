"""Places that look half and are right: at most ten, each with its words and the reason."""

from __future__ import annotations

from .record import Record

MOST = 10
# (path, a part of what the witness saw, why it is right)
EXCEPTIONS: tuple[tuple[str, str, str], ...] = (
    (
        "torch_geometric/loader/prefetch.py",
        "self.device.type in ['cuda', 'xpu']",
        "A list of the accelerators whose modules the class uses: whether the target's is one more is for a person. "
        "Without it batches are copied without a stream, as they are to any other device.",
    ),
    (
        "diffusers/utils/testing_utils.py",
        "get_torch_cuda_device_capability",
        "The function lies in a file for several accelerators, in which questions about CUDA stay; its only caller is a "
        "decorator of tests that ask for one generation of CUDA's devices.",
    ),
    (
        "trl/generation/vllm_client.py",
        "torch.cuda.get_device_properties(device)",
        "The last of three arms, one for each accelerator that the client knows; the word comes from the example that "
        "runs the file itself.",
    ),
    (
        "trl/models/activation_offloading.py",
        "torch.cuda.stream(stream)",
        "Behind a list of accelerators that stays, so the target never comes here; the streams of the other methods are "
        "made for whatever device there is.",
    ),
)


def is_excepted(record: Record) -> bool:
    """Whether a place was judged to be right."""
    return any(record.path == path and quoted in record.saw for path, quoted, _ in EXCEPTIONS)
