"""The lines of files that changed since the merge base of a revision and HEAD, including uncommitted changes."""

# Paths are strings here, as in discover.py.
# ruff: noqa: PTH100, PTH120
from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from hashlib import sha1, sha256

from uncuda import lazy_re
from uncuda.source import Source, Span

from .git import GitError, ask, line_of, root_of, try_asking

_BREAK = lazy_re.compile(rb"\r\n|\r|\n")
_LINK, _SUBMODULE = b"120000", b"160000"
_MOST = 400_000  # maximum number of pairs of lines that are compared one by one
_SHA1 = 40  # length of a SHA-1 hash in hexadecimal digits

Lines = list[tuple[int, int]]
"""The first and the last of consecutive lines, counted from 1."""


@dataclass
class _Tree:
    """A work tree, and the commit that its files are compared with. `base`: a commit; "" if there is no commit, so that
    all lines are new."""

    root: str
    base: str
    modes: dict[bytes, bytes] = field(default_factory=dict)  # maps each file to its mode in the index
    # maps the current name of each file to its blob in the base commit
    blobs: dict[bytes, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.base:
            return
        for entry in ask(self.root, "ls-files", "--stage", "-z").split(b"\0")[:-1]:
            what, _, path = entry.partition(b"\t")
            mode, blob, stage = what.split(b" ")
            self.modes[path] = mode
            if stage == b"0":
                self.blobs[path] = blob
        options = ("--cached", "--raw", "--no-abbrev", "-M", "-z", "--ignore-submodules=all", "--no-relative")
        parts = iter(ask(self.root, "diff-index", *options, self.base, "--").split(b"\0")[:-1])
        for what in parts:
            _, _, blob, _, status = what.split(b" ")
            path = next(parts)
            if status[:1] in (b"R", b"C"):
                path = next(parts)
            if status[:1] in (b"M", b"T", b"R"):
                self.blobs[path] = blob
            else:
                self.blobs.pop(path, None)

    def submodule(self, path: str) -> str:
        """Return the commit of a submodule in the base commit; "" if the submodule did not exist."""
        if not self.base:
            return ""
        found = ask(self.root, "ls-tree", "-z", self.base, "--", _name(path, self.root))
        mode, _, rest = found.partition(b" ")
        return rest.split(b" ")[1].split(b"\t")[0].decode() if mode == _SUBMODULE else ""


class ChangedLines:
    """The lines of files that changed since the merge base of `revision` and HEAD.

    The revision is resolved in the repository of the current folder; for a file outside of that repository, in the
    repository that contains the file. Files in a submodule are compared with the submodule's commit at the merge base.
    """

    def __init__(self, revision: str) -> None:
        self._revision = revision
        self._trees: dict[str, _Tree] = {}
        self._here = root_of(os.path.abspath(os.curdir))

    def open(self, path: str) -> None:
        """Check that a file can be compared with the revision; raise GitError if it cannot."""
        self._tree(os.path.dirname(os.path.abspath(path)))

    def of(self, path: str, data: bytes) -> Lines | None:
        """The changed lines of a file with these bytes; None if all lines are new."""
        full = os.path.abspath(path)
        tree = self._tree(os.path.dirname(full))
        name = _name(full, tree.root)
        if tree.modes.get(name) == _LINK and os.path.realpath(full) != full:
            return self.of(os.path.realpath(full), data)
        blob = tree.blobs.get(name)
        if blob is None:
            return None
        if blob.decode() == _blob_name(data, len(blob)):
            return []
        code, before, _ = try_asking(tree.root, "cat-file", "blob", blob)
        if code:
            raise GitError("git lacks object", tree.root, blob.decode())
        return list(changed_lines(before, data))

    def _tree(self, folder: str) -> _Tree:
        root = root_of(folder)
        if root is None:
            raise GitError("git no repository", folder)
        if root not in self._trees:
            self._trees[root] = self._made(root)
        return self._trees[root]

    def _made(self, root: str) -> _Tree:
        here = self._here
        if here is None or root == here or not root.startswith(here.rstrip(os.sep) + os.sep):
            return _Tree(root, _merge_base(root, self._revision))
        commit = self._tree(os.path.dirname(root)).submodule(root)
        if commit and try_asking(root, "cat-file", "-e", commit + "^{commit}")[0]:
            raise GitError("git submodule", root, commit)
        return _Tree(root, commit)


def parts_of(source: Source, lines: Lines) -> tuple[Span, ...]:
    """Return the spans of a text that are on the given lines of its file."""
    if source.cells is None:
        starts = [*source.line_starts, len(source.text)]
        last = len(starts) - 1
        return tuple(Span(starts[min(first, last) - 1], starts[min(end, last)]) for first, end in lines)
    ends = [end for _, end in lines]
    parts = []
    for literal in source.cells.literals:
        at = bisect_left(ends, literal.line)
        if at < len(lines) and lines[at][0] <= literal.line:
            parts.append(Span(literal.start, literal.start + len(literal.text)))
    return tuple(parts)


def changed_lines(before: bytes, after: bytes) -> Iterator[tuple[int, int]]:
    """(first, last) of each range of consecutive lines in `after` that are not in `before`, ignoring line ends."""
    old, new = _BREAK.split(before), _BREAK.split(after)
    anchors = [(-1, -1), *_anchors(old, new), (len(old), len(new))]
    for (old_start, new_start), (old_end, new_end) in zip(anchors, anchors[1:], strict=False):
        yield from _between(old, new, (old_start + 1, old_end), (new_start + 1, new_end))


def _anchors(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]]:
    """Pair the lines that occur exactly once in each version; return the longest sequence of pairs that is in the order
    of both versions."""
    places = _once(old)
    pairs = [(places[line], at) for line, at in _once(new).items() if line in places]
    # item n: the smallest index in `old` at which a sequence of n + 1 pairs can end, if the pairs are in the order of
    # both versions
    ends: list[int] = []
    chain: list[tuple[tuple[int, int], int]] = []  # each pair, and the index in `chain` of the previous pair (-1: none)
    last: list[int] = []
    for pair in pairs:
        length = bisect_left(ends, pair[0])
        chain.append((pair, last[length - 1] if length else -1))
        ends[length : length + 1] = [pair[0]]
        last[length : length + 1] = [len(chain) - 1]
    found: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        pair, at = chain[at]
        found.append(pair)
    return found[::-1]


def _once(lines: Sequence[bytes]) -> dict[bytes, int]:
    numbers = Counter(lines)
    return {line: at for at, line in enumerate(lines) if numbers[line] == 1}


def _between(
    old: Sequence[bytes], new: Sequence[bytes], old_part: tuple[int, int], new_part: tuple[int, int]
) -> Iterator[tuple[int, int]]:
    """Yield the changed lines in `new_part`, a range of `new` between two lines that both versions contain; `old_part`:
    the lines of `old` between the same two lines."""
    (first, end), (start, stop) = old_part, new_part
    while first < end and start < stop and old[first] == new[start]:
        first, start = first + 1, start + 1
    while first < end and start < stop and old[end - 1] == new[stop - 1]:
        end, stop = end - 1, stop - 1
    if start == stop:
        return
    if first == end or (end - first) * (stop - start) > _MOST:
        yield start + 1, stop
        return
    matcher = SequenceMatcher(None, old[first:end], new[start:stop])
    for kind, _, _, begin, finish in matcher.get_opcodes():
        if kind in ("insert", "replace"):
            yield start + begin + 1, start + finish


def _merge_base(root: str, revision: str) -> str:
    """The merge base of a revision and HEAD."""
    is_shallow = line_of(ask(root, "rev-parse", "--is-shallow-repository")) == b"true"
    commits = []
    for name in (revision, "HEAD"):
        code, out, _ = (1, b"", b"") if name.startswith("-") or "\0" in name else _commit(root, name)
        if code:
            raise GitError("git unknown in shallow" if is_shallow else "git unknown", name)
        commits.append(line_of(out).decode())
    code, out, _ = try_asking(root, "merge-base", *commits)
    if code:
        raise GitError("git shallow" if is_shallow else "git unrelated", revision)
    return out.split(b"\n")[0].strip().decode()


def _commit(root: str, name: str) -> tuple[int, bytes, bytes]:
    return try_asking(root, "rev-parse", "--verify", "--quiet", name + "^{commit}")


def _name(path: str, root: str) -> bytes:
    """The name that git uses for a file."""
    return os.fsencode(os.path.relpath(path, root).replace(os.sep, "/"))


def _blob_name(data: bytes, digits: int) -> str:
    """Return the object name that git gives a file with these bytes."""
    whole = b"blob %d\0%b" % (len(data), data)
    return sha1(whole, usedforsecurity=False).hexdigest() if digits == _SHA1 else sha256(whole).hexdigest()
