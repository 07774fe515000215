"""Names of `torch.accelerator` that PyTorch and the plugins have in all configured versions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property

from ...catalogue import Api, Catalogue, Parameter, Target, before

_MODULE = "torch.accelerator"


class Accelerators:
    """Finds functions of `torch.accelerator` that can replace functions of `torch.cuda` for all targets of a project.
    If the project states no version, the newest version of the plugin in the catalogue is used, with the PyTorch
    version of the same number."""

    def __init__(self, catalogue: Catalogue, targets: Sequence[Target]) -> None:
        self._catalogue, self._targets = catalogue, targets

    def name_for(self, cuda: str, call: ast.AST | None) -> str:
        """Return the function of `torch.accelerator` that can replace a call of the function `cuda` of
        `torch.cuda`; "" if a target lacks this function, if `call` is no call, or if the function does not accept
        the call's arguments."""
        api = self._served.get(cuda)
        if api is None or not isinstance(call, ast.Call) or call.keywords:
            return ""
        plain = not any(isinstance(argument, ast.Starred) for argument in call.args)
        fits = any(_takes(signature, len(call.args)) for signature in api.signatures)
        return api.name if plain and fits else ""

    @cached_property
    def _served(self) -> dict[str, Api]:
        """Functions of `torch.accelerator` that work on all targets, by the name of the equivalent function of
        `torch.cuda`."""
        tables = [self._catalogue.accelerator(target.id).apis for target in self._targets]
        found: dict[str, Api] = {}
        for name, api in tables[0].items() if tables else ():
            same = [table.get(name) for table in tables]
            pairs = zip(same, self._targets, strict=True)
            if _replaces(api) and all(one is not None and _is_served(one, target) for one, target in pairs):
                found[api.cuda] = max(found.get(api.cuda, api), api, key=lambda one: one.name)
        return found


def _replaces(api: Api) -> bool:
    """Return whether an API is a function of `torch.accelerator` with the same result as its equivalent in
    `torch.cuda`."""
    return api.kind == "function" and bool(api.cuda) and not api.returns and api.name.rpartition(".")[0] == _MODULE


def _takes(signature: Sequence[Parameter], count: int) -> bool:
    """Return whether a function can be called with `count` positional arguments."""
    placed = [one for one in signature if one.place != "*"]
    return sum(not one.optional for one in placed) <= count <= len(placed)


def _is_served(api: Api, target: Target) -> bool:
    """Return whether the versions of a target's PyTorch and plugin have an API of `torch.accelerator`."""
    plugin = target.stated or target.version
    torch = target.torch or plugin
    return bool(api.since and api.served) and not (before(torch, api.since) or before(plugin, api.served))
