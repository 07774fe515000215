"""Names of `torch.accelerator` that PyTorch and the plugins have in all configured versions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property

from ...catalogue import Api, Catalogue, Parameter, Target, before

_MODULE = "torch.accelerator"


class Accelerators:
    """Answers for the targets of a project. Where a version is not said, the newest that is known of the plugin holds,
    and PyTorch of its number."""

    def __init__(self, catalogue: Catalogue, targets: Sequence[Target]) -> None:
        self._catalogue, self._targets = catalogue, targets

    def name_for(self, cuda: str, call: ast.AST | None) -> str:
        """What is called in the place of a function of `torch.cuda`; "" if that is not served everywhere, is no call,
        or gives arguments by name or more of them than it takes."""
        api = self._served.get(cuda)
        if api is None or not isinstance(call, ast.Call) or call.keywords:
            return ""
        plain = not any(isinstance(argument, ast.Starred) for argument in call.args)
        fits = any(_takes(signature, len(call.args)) for signature in api.signatures)
        return api.name if plain and fits else ""

    @cached_property
    def _served(self) -> dict[str, Api]:
        """The functions by the name of `torch.cuda` that does the same."""
        tables = [self._catalogue.accelerator(target.id).apis for target in self._targets]
        found: dict[str, Api] = {}
        for name, api in tables[0].items() if tables else ():
            same = [table.get(name) for table in tables]
            pairs = zip(same, self._targets, strict=True)
            if _replaces(api) and all(one is not None and _is_served(one, target) for one, target in pairs):
                found[api.cuda] = max(found.get(api.cuda, api), api, key=lambda one: one.name)
        return found


def _replaces(api: Api) -> bool:
    """Whether a name is a function that returns what that of `torch.cuda` does."""
    return api.kind == "function" and bool(api.cuda) and not api.returns and api.name.rpartition(".")[0] == _MODULE


def _takes(signature: Sequence[Parameter], count: int) -> bool:
    """Whether a function takes so many arguments by position."""
    placed = [one for one in signature if one.place != "*"]
    return sum(not one.optional for one in placed) <= count <= len(placed)


def _is_served(api: Api, target: Target) -> bool:
    """Whether a name is known to work with a target."""
    plugin = target.stated or target.version
    torch = target.torch or plugin
    return bool(api.since and api.served) and not (before(torch, api.since) or before(plugin, api.served))
