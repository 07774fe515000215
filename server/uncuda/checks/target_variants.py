"""Finds code that a file contains twice, for CUDA and for the target, with names that differ only in the device."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice

from .. import lazy_re
from ..catalogue import Target
from ..facts.layout import without_comments
from ..facts.read import Facts
from ..facts.scans import whole_word
from ..facts.scopes import Header

BEGINNING = "beginning"
"""The first part of the key of each search for definitions and assignments of the target's variant of a name (`is_npu`
for `is_cuda`). An edit changes what `_begins` returns only if the edited line defines or assigns the variant."""
_WORD = lazy_re.compile(r"cuda|CUDA|Cuda|nccl|NCCL|gpu|GPU")
_PRESENT = lazy_re.compile(r"hasattr\(\w+,[ \t]*[\"']\w+[\"']\)[ \t]+and[ \t]+")  # `hasattr(torch, "npu") and`
_DEFINED = lazy_re.compile(r"(?:async[ \t]+)?(def|class)[ \t]+(\w+)")
_ASSIGNED = lazy_re.compile(r"([\w.]*\w)[ \t]*(?::[^=\n]+)?=(?!=)")
_UNSET = lazy_re.compile(r"if[ \t]+(?:not[ \t]+(\w[\w.]*)|(\w[\w.]*)[ \t]+is[ \t]+None)[ \t]*:")


def words_for(device: str, ccl: str) -> dict[str, str]:
    """Return the target's word for each word of CUDA: `device` for "cuda", `ccl` for "nccl", also in upper case."""
    words = {"cuda": device, "CUDA": device.upper(), "Cuda": device.capitalize(), "gpu": device}
    return words | {"GPU": device.upper(), "nccl": ccl, "NCCL": ccl.upper()}


def said_for(words: Mapping[str, str], text: str) -> str:
    """Return the text with "cuda", "nccl" and "gpu" replaced by the target's names for them in `words`."""
    return _WORD.sub(lambda match: words[match[0]], text)


def condition_of(text: str, header: Header) -> str:
    """The condition of an `if` or `elif` with its colon, but without a part that asks for the device's module by
    `hasattr`."""
    condition = without_comments(text[header.start : header.end])
    condition = condition.strip().removeprefix("el").removeprefix("if").strip()
    return _PRESENT.sub("", condition) if "hasattr" in condition else condition


class TargetVariants:
    """Tells whether the file also contains the target's variant of a line for CUDA, with a name or condition that
    differs only in the device."""

    def __init__(self, facts: Facts, target: Target) -> None:
        self._text, self._indents, self._work = facts.text, facts.indents, facts.work
        self._reads = facts.layout.reads
        self._says, self._mentions, self._find = facts.says, facts.mentions, facts.searches.find
        device = target.words.get("device", "")
        self._words = words_for(device, target.words.get("ccl", ""))
        self._device = re.compile(rf"\b{re.escape(device)}\b")

    def defined(self, header: Header) -> bool:
        """Whether the file also defines the target's variant of a function or class: `is_npu_available` for
        `is_cuda_available`."""
        match = _DEFINED.match(self._text, header.start)
        if match is None or not (twin := self._twin(match[2])):
            return False
        return self._begins(twin, rf"[ \t]*(?:async[ \t]+)?{match[1]}[ \t]+{re.escape(twin)}\b")

    def assigned(self, own: Header) -> bool:
        """Whether the file also assigns the target's variant of a variable: `self.is_npu` for `self.is_cuda`."""
        match = _ASSIGNED.match(self._text, own.start)
        twin = self._twin(match[1]) if match else ""
        return bool(twin) and self._begins(twin, rf"[ \t]*{re.escape(twin)}[ \t]*(?::[^=\n]+)?=(?!=)")

    def asked(self, header: Header) -> bool:
        """Return whether the `if` directly above or below has the same condition, with the target's names in place of
        CUDA's. A person must have written the `if` with the target's names: a fix that wrote it would also have
        replaced CUDA's names in the `if` at `header`."""
        twin = self._twin(self._text[header.start : header.end].strip())
        if not twin:
            return False
        end = self._indents.block_end_of(header.start)
        above = islice(self._indents.lines_above(header.start), 1)
        below = islice(self._indents.lines_at(self._indents.extent(header.start), end, header.indent), 1)
        return any(self._text[line.start : line.end].strip() == twin for line in (*above, *below))

    def answered(self, header: Header, others: list[Header]) -> bool:
        """Return whether another clause of the if/elif chain has the same condition, with the target's names in place
        of CUDA's. A person must have written the clause for the target, because fixes never add clauses."""
        twin = self._twin(condition_of(self._text, header))
        return bool(twin) and any(condition_of(self._text, other) == twin for other in others)

    def tried(self, header: Header) -> bool:
        """Return whether `if kind is None:` follows an earlier `if kind is None:` whose block may set `kind` to the
        target."""
        match = _UNSET.match(self._text, header.start)
        if match is None:
            return False
        name = re.escape(match[1] or match[2])
        condition = match[0].strip()
        for line in self._indents.lines_above(header.start, "if"):
            if self._text[line.start : line.end].strip() == condition:
                body = self._text[line.end : self._indents.extent(line.start)]
                self._reads(line.end, line.end + len(body))
                self._work.search(0, 16 * len(body))
                for value in re.findall(rf"^[ \t]*{name}[ \t]*=(?!=)([^\n#]*)", body, re.M):
                    if self._device.search(value):
                        return True
        return False

    def _twin(self, words: str) -> str:
        """Return a name or condition with CUDA's words replaced by the target's: `is_npu` for `is_cuda`. Return "" if
        `words` contains none of CUDA's words, or if the result, such as `is_npu`, does not occur in the file."""
        twin = said_for(self._words, words)
        if twin == words:
            return ""
        lines = twin.split("\n")
        # the file contains `words`, and so the lines that `words` and `twin` share; only the other lines of `twin` are
        # searched for
        fresh = {line for line, old in zip(lines, words.split("\n")) if line != old}
        says = self._mentions if len(lines) == 1 else self._says
        # `says` finds only ASCII text; other text is searched for with `twin in self._text` below
        held = all(map(says, fresh)) if twin.isascii() else True
        return twin if held and ((len(lines) == 1 and twin.isascii()) or twin in self._text) else ""

    def _begins(self, word: str, pattern: str) -> bool:
        """Return whether a line that contains a word begins with a match of a pattern."""
        begins, text = re.compile(pattern), self._text
        places = self._find((BEGINNING, word), whole_word(word)) if word.isascii() else ()
        self._work.compare(len(places))
        return any(begins.match(text, text.rfind("\n", 0, at) + 1) for at in places)
