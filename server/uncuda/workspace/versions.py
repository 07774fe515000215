"""The versions of a target's plugin and of PyTorch for which files are checked, and the source that states them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, NamedTuple

from uncuda.catalogue import Catalogue, Versions, same_version
from uncuda.settings import Settings

from .pins import normal
from .requirements import TORCH, Holds


class Taken(NamedTuple):
    """The versions (`Versions` as text) that were chosen for a target's plugin, and the reason for the choice.

    `why` is "set" if the setting `target-version` states the plugin's version; "asked for" if the file at `path`
    requires this version; "goes with" if this version is made for the PyTorch version `torch`; "assumed" if nothing
    states a version. The PyTorch version is stated by the file at `path` or by the setting `torch-version`.
    """

    package: str
    versions: str
    why: Literal["set", "asked for", "goes with", "assumed"]
    path: str = ""
    torch: str = ""

    @property
    def note(self) -> tuple[str, tuple[str, ...]]:
        """(key, values) of the sentence that says why the versions were chosen."""
        if self.why == "goes with":
            near = Versions.of(self.versions).exact and not same_version(self.torch, self.versions)
            key = ("plugin near" if near else "plugin goes with") + ("" if self.path else " set")
            return key, (self.package, self.versions, self.torch, self.path)
        exact = Versions.of(self.versions).exact
        key = f"plugin {self.why}" if exact or self.why != "asked for" else "plugin range"
        return key, (self.package, self.versions, self.path)


def settled(settings: Settings, catalogue: Catalogue, target: str, holds: Holds) -> tuple[Settings, Taken]:
    """Return the settings with the versions of plugin and PyTorch that were chosen for a target, and the reason why the
    plugin's version was chosen.

    The plugin's version is that in the settings, otherwise that in the project's requirements, otherwise the version
    that is made for the project's PyTorch. If the project allows a range of PyTorch versions that contains
    the plugin's default version number, the plugin's default version is chosen.
    """
    package = catalogue.declarations[target]["words"].get("package", "")
    taken = _plugin(settings, catalogue, target, package, holds)
    version = None if taken.why == "assumed" else taken.versions
    follows = catalogue.follows_torch(target, Versions.of(taken.versions))
    return replace(settings, target_version=version, torch_version=_torch(settings, taken, holds, follows)), taken


def _plugin(settings: Settings, catalogue: Catalogue, target: str, package: str, holds: Holds) -> Taken:
    if settings.target_version:
        return Taken(package, settings.target_version, "set")
    asked = holds.get(normal(package))
    if asked and asked.versions != Versions():
        return Taken(package, str(asked.versions), "asked for", asked.path)
    default = catalogue.default_version(target)
    held = holds.get(TORCH)
    path = held.path if held and not settings.torch_version else ""
    torch = Versions.of(settings.torch_version or "") if settings.torch_version or not held else held.versions
    fits = torch == Versions() or (torch.holds(default) and not torch.exact)
    if not fits and (fit := catalogue.going_with(target, str(torch))):
        return Taken(package, fit, "goes with", path, str(torch))
    return Taken(package, default, "assumed")


def _torch(settings: Settings, taken: Taken, holds: Holds, follows: bool) -> str | None:
    """The versions of PyTorch for which files are checked; None if the versions of the plugin decide them.

    A project that is still to be ported requires the PyTorch version that it used with CUDA, often only as a lower
    bound. `follows`: whether the plugin's version numbers are those of PyTorch.
    """
    held = holds.get(TORCH)
    if settings.torch_version or held is None or held.versions == Versions():
        return settings.torch_version
    if follows and (taken.why in ("set", "asked for") or (taken.why == "assumed" and not held.versions.exact)):
        return None
    return str(held.versions)


def pinned_target(packages: Mapping[str, str], holds: Holds) -> tuple[str, str, str] | None:
    """The only target whose plugin a project requires: (id, package, file); None if it requires none or several.

    `packages`: the plugins of all targets. The nearest folder whose requirements name a plugin decides which target is
    returned.
    """
    asked = [target for target, package in packages.items() if package and normal(package) in holds]
    nearest = max((len(holds[normal(packages[target])].folder) for target in asked), default=0)
    asked = [target for target in asked if len(holds[normal(packages[target])].folder) == nearest]
    if len(asked) != 1:
        return None
    package = packages[asked[0]]
    return asked[0], package, holds[normal(package)].path
