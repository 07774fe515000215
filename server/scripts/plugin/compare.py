"""Compares two versions of a plugin, and a function of PyTorch with its counterpart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from scripts.plugin.known import Version


class Parameters(NamedTuple):
    """The parameters of a function by kind (positional, keyword), and whether it accepts any other arguments."""

    positional: list[str]
    keyword: list[str]
    takes_more: bool
    takes_others: bool

    @classmethod
    def of(cls, written: list[str]) -> Parameters:
        """Create the parameters from their form in the files of `names/`."""
        plain = [item.partition("=")[0] for item in written if item != "/"]
        star = next((at for at, item in enumerate(plain) if item.startswith("*")), len(plain))
        rest = [item for item in plain[star:] if not item.startswith("*")]
        more = any(item.startswith("*") and item.strip("*") and not item.startswith("**") for item in plain)
        return cls(plain[:star], rest, more, any(item.startswith("**") for item in plain))


class Fit(NamedTuple):
    """How the parameters of a counterpart differ from those of the original function: in names, and in positions."""

    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    positions: bool = False


def fit(original: list[str] | None, counterpart: list[str] | None) -> Fit:
    """Return the differences between two signatures that can affect a call; there are none if either signature is
    unknown."""
    if original is None or counterpart is None:
        return Fit()
    one, two = Parameters.of(original), Parameters.of(counterpart)
    first, second = [*one.positional, *one.keyword], [*two.positional, *two.keyword]
    missing = () if two.takes_more or two.takes_others else tuple(name for name in first if name not in second)
    extra = tuple(name for name in second if name not in first)
    common = [name for name in one.positional if name in two.positional]
    moved = any(one.positional.index(name) != two.positional.index(name) for name in common)
    return Fit(missing, extra, moved and not two.takes_more)


def differences(old: Version, new: Version) -> list[str]:
    """Return the names that a newer version added, removed or changed, one per line, as users write them."""
    lines = []
    shown = {real: alias for alias, real in {**old.aliases, **new.aliases}.items() if alias.startswith("torch.")}
    before, after = _every(old, shown), _every(new, shown)
    for name in sorted(before.keys() | after.keys()):
        real = old.within(name) or new.within(name)
        if name not in before:
            if old.has(real) is False:
                lines.append(f"{name}: new in {new.version}{_signature(after[name])}")
        elif name not in after:
            if new.has(real) is False:
                lines.append(f"{name}: gone in {new.version}")
        elif (was := _signature(before[name])) != (now := _signature(after[name])) and (
            (was and now) or not new.unread
        ):
            lines.append(f"{name}: {was or 'unknown parameters'} became {now or 'unknown parameters'} in {new.version}")
    return [*lines, *_given(old, new)]


def _every(version: Version, shown: dict[str, str]) -> dict[str, Any]:
    """Return every public name with its parameters and members, as far as they are known."""
    found: dict[str, Any] = {}
    for module, names in version.modules.items():
        place = shown.get(module, module)
        for name, shape in names.items():
            found[f"{place}.{name}"] = shape
            for member in (shape.get("members") or ()) if isinstance(shape, dict) else ():
                found[f"{place}.{name}.{member}"] = None
    return found | {f"{version.package}._C.{name}": None for name in version.native if name.startswith("_")}


def _signature(shape: Any) -> str:
    parameters = shape.get("parameters") if isinstance(shape, dict) else shape
    return "" if parameters is None else f"({', '.join(parameters)})"


def _given(old: Version, new: Version) -> Iterator[str]:
    """Yield the attributes of torch that only one of the two versions sets, either when the plugin is imported or when
    a module such as transfer_to_npu is imported."""
    places = {"": (old.sets, new.sets)}
    for module in sorted(old.on_request.keys() | new.on_request.keys()):
        places[f" by {module}"] = (old.on_request.get(module, {}), new.on_request.get(module, {}))
    for how, (before, after) in places.items():
        for owner in sorted(before.keys() | after.keys()):
            gone, come = set(before.get(owner, ())), set(after.get(owner, ()))
            yield from (f"{owner}.{name}: set{how} since {new.version}" for name in sorted(come - gone))
            yield from (f"{owner}.{name}: no longer set{how} in {new.version}" for name in sorted(gone - come))
