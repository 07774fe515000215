"""All checks, by the name in a rule's `check =`; each check is one module of this package."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..catalogue import Rule, Target
from . import (
    accelerator_api,
    accelerator_member,
    amp_c,
    argument,
    environment,
    hard_coded,
    integer_device,
    jit_script,
    method,
    missing_import,
    missing_shim,
    module,
    name,
    string,
)
from .base import At, Check, Context, Hit

CHECKS: dict[str, Callable[[Sequence[Rule], Target], Check]] = {
    "name": name.Check,
    "method": method.Check,
    "string": string.Check,
    "argument": argument.Check,
    "module": module.Check,
    "environment": environment.Check,
    "missing-import": missing_import.Check,
    "accelerator-api": accelerator_api.Check,
    "accelerator-member": accelerator_member.Check,
    "missing-shim": missing_shim.Check,
    "jit-script": jit_script.Check,
    "amp-c": amp_c.Check,
    "integer-device": integer_device.Check,
    "hard-coded": hard_coded.Check,
}

__all__ = ["CHECKS", "At", "Check", "Context", "Hit"]
