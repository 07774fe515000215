"""Finds functions that use a device of the program's own list of devices, such as `Device.cuda` or `DeviceType.CUDA`.
No fix adds a device to the list."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from ... import lazy_re
from ...checks import Context
from ...facts.scans import matches

OWN_MEMBER = "own-device-member"
"""The id in rules/limits.tsv of the sentence "the function also uses a device of the program's own list"."""
_WORD = "Device"
_MANY = 100  # maximum number of lists of devices in one file
_MEMBER = lazy_re.compile(r"\b(\w*Device\w*)\.(?:CUDA|cuda)\b(?![ \t]*\()")


class OwnMembers:
    """Tells which code of one text is in a function that uses CUDA's device of the program's own list, if the text does
    not use the target's device of the list. A list of torch's, such as `torch.profiler.ProfilerActivity`, does not
    count."""

    def __init__(self, context: Context) -> None:
        self._context, self._facts = context, context.facts

    def holds(self, at: int) -> bool:
        """Return whether an offset is in such a function."""
        if not self._starts:
            return False
        self._facts.work.compare()
        return not self._starts.isdisjoint(line.start for line in self._facts.indents.headers(at) if line.word == "def")

    @cached_property
    def _starts(self) -> frozenset[int]:
        """The starts of the headers of the innermost functions around the uses of the device."""
        return frozenset(self._found()) if self._facts.says(_WORD) else frozenset()

    def _found(self) -> Iterator[int]:
        facts, known = self._facts, dict[str, bool]()
        for at in facts.searches.find(("own-member", ""), matches(_MEMBER, _WORD)):
            match = _MEMBER.match(facts.text, at)
            if match is None or facts.layout.token_at(at):
                continue
            name = match[1]
            if name not in known:
                known[name] = len(known) < _MANY and self._is_own(name)
            if not known[name]:
                continue
            around = next((line.start for line in facts.indents.headers(at) if line.word == "def"), None)
            if around is not None:
                yield around

    def _is_own(self, name: str) -> bool:
        """Return whether a class is the program's, and has no device of the target as far as the text shows."""
        device = self._context.target.words["device"]
        if any(self._facts.says(f"{name}.{member}") for member in (device, device.upper())):
            return False
        return bool(self._context.foreign_name(name)) or any(self._facts.says(f"class {name}{end}") for end in "(:")
