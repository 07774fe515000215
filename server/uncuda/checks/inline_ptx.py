"""Finds kernels for Triton that contain PTX, the assembly language of NVIDIA's GPUs."""

from __future__ import annotations

import re

from ..facts.read import Facts

INLINE_PTX = "inline-ptx"
"""The id of the sentence about kernels for Triton that contain PTX."""
_CALL = "inline_asm_elementwise"
# an instruction of PTX, such as `mov.u32` and `ld.relaxed.sys.global.v4.f32`
_INSTRUCTION = re.compile(r"(?<![\w.])[a-z]\w*(?:\.[\w:]+)*\.(?:[bfsu](?:8|16|32|64|128)|bf16)(?:x\d)?(?![\w.])")
# an import from a module whose name has the word PTX or the name of the instructions for NVLink's multicast
_HELPERS = re.compile(r"^[ \t]*from[ \t]+[\w.]*(?:(?<![a-z])ptx(?![a-z])|multimem)\w*[ \t]+import\b", re.M)


def has_ptx(facts: Facts) -> bool:
    """Return whether a file has kernels that contain PTX, or imports functions for such kernels."""
    text = facts.text
    if facts.says("ptx") or facts.says("multimem"):
        facts.work.search(0, len(text))
        if any(not facts.layout.token_at(found.start()) for found in _HELPERS.finditer(text)):
            return True
    if not facts.says(_CALL):
        return False
    facts.work.search(0, len(text))
    return any(facts.layout.token_at(found.start()) not in ("", "#") for found in _INSTRUCTION.finditer(text))
