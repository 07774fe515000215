"""Tests of whole pieces of code, before and after portable fixes."""

from __future__ import annotations

import pytest

from support.portable import ported

EXAMPLES = {
    "choosing a device": (
        'device = "cuda" if torch.cuda.is_available() else "cpu"\n',
        "device = device_type()\n",
    ),
    "a device with an index": (
        'loc = "cuda:{}".format(args.gpu)\nmodel.to(loc)\n',
        'loc = "{}:{}".format(accelerator_type(), args.gpu)\nmodel.to(loc)\n',
    ),
    "moving a batch": (
        (
            "images = images.cuda(non_blocking=True)\n"
            'local_rank = int(os.environ["LOCAL_RANK"])\n'
            "target = target.cuda(local_rank, non_blocking=True)\n"
        ),
        (
            "images = images.to(accelerator_type(), non_blocking=True)\n"
            'local_rank = int(os.environ["LOCAL_RANK"])\n'
            "target = target.to(device(local_rank), non_blocking=True)\n"
        ),
    ),
    "availability and seeds": (
        "if torch.cuda.is_available():\n    torch.cuda.manual_seed_all(seed)\n",
        "if device_module().is_available():\n    device_module().manual_seed_all(seed)\n",
    ),
    "mixed precision": (
        "scaler = torch.cuda.amp.GradScaler(enabled=amp)\nwith torch.cuda.amp.autocast(amp):\n    pred = model(imgs)\n",
        (
            "scaler = device_module().amp.GradScaler(enabled=amp)\n"
            "with device_module().amp.autocast(amp):\n    pred = model(imgs)\n"
        ),
    ),
    "distributed, with its fallback": (
        (
            'dist.init_process_group(backend="nccl" if dist.is_nccl_available() else "gloo")\n'
            'assert dist.get_backend() in ["gloo", "nccl"]\n'
        ),
        (
            'dist.init_process_group(backend=backend() if dist.is_backend_available(backend()) else "gloo")\n'
            'assert dist.get_backend() in ["gloo", backend()]\n'
        ),
    ),
    "memory, keyword kept": (
        "peak = torch.cuda.max_memory_allocated(device=where) / 2**20\ntorch.cuda.reset_peak_memory_stats()\n",
        (
            "peak = device_module().max_memory_allocated(device=where) / 2**20\n"
            "device_module().reset_peak_memory_stats()\n"
        ),
    ),
    "streams and events": (
        "s = torch.cuda.Stream()\nwith torch.cuda.stream(s):\n    start = torch.cuda.Event(enable_timing=True)\n",
        (
            "s = device_module().Stream()\nwith device_module().stream(s):\n"
            "    start = device_module().Event(enable_timing=True)\n"
        ),
    ),
    "asking where something is": (
        'if where.type == "cuda" and x.is_cuda:\n    torch.cuda.synchronize(where)\n',
        (
            "if where.type == accelerator_type() and x.device.type == accelerator_type():\n"
            "    device_module().synchronize(where)\n"
        ),
    ),
    "loading a checkpoint": (
        'state = torch.load(path, map_location=f"cuda:{rank}")\n',
        'state = torch.load(path, map_location=f"{accelerator_type()}:{rank}")\n',
    ),
    "visible devices": (
        'os.environ["CUDA_VISIBLE_DEVICES"] = "-1" if cpu else where\n',
        'os.environ[visible_devices()] = "-1" if cpu else where\n',
    ),
    "what cannot be portable": (
        "major, _ = torch.cuda.get_device_capability()\nuse_bf16 = major >= 8\n",
        "major, _ = torch.cuda.get_device_capability()\nuse_bf16 = major >= 8\n",
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str) -> None:
    before, after = EXAMPLES[name]
    head = "import os\n\nimport torch\nimport torch.distributed as dist\n"
    used = "torch.manual_seed(1)\n"
    fixed = ported(f"{head}\n{before}{used}", review=name == "visible devices")
    assert fixed.endswith(f"\n\n{after}{used}")
    assert fixed.startswith(head)
    assert ("from pkg.device import" in fixed) is (before != after)


def test_one_at_a_time_in_any_order_ends_where_all_at_once_end() -> None:
    """Each portable fix adds the import that it needs, or extends the import that an earlier fix added."""
    import random

    from support.portable import portable_engine
    from uncuda.edits import apply_edits
    from uncuda.source import Source

    code = "".join(before for name, (before, _) in EXAMPLES.items() if name != "what cannot be portable")
    text = f"import os\n\nimport torch\nimport torch.distributed as dist\n\n{code}"
    whole = ported(text)
    for seed in range(6):
        left, chance = text, random.Random(seed)
        for _ in range(60):
            report = portable_engine().check(Source(left))
            fixes = [one.fixes[0] for one in report.findings if one.fixes and one.fixes[0].applicability == "safe"]
            if not fixes:
                break
            left = apply_edits(left, chance.choice(fixes).edits)
        assert left == whole
