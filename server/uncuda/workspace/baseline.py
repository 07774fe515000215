"""The file of accepted findings beside a configuration file: `uncuda-baseline.jsonl`.

The first line contains the format and counts, and every other line contains one finding. The baseline can be merged
with git's `merge=union`, because the order and repetition of lines do not matter.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from uncuda.printable import printable_json
from uncuda.reading import NotUtf8Error, decode_utf8, read_bytes
from uncuda.settings import shown

from .counts import CLASSES
from .files import FileProblem, create_atomically, write_atomically
from .prints import PRINT

FORMAT = 1
_LARGEST = 100_000_000
_MARKS = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


class BaselineError(Exception):
    """Raised if a baseline is unusable. `key` is the key of the sentence that says why the baseline is unusable; `line`
    counts from 1, or is 0 for the whole file."""

    def __init__(self, file: str, line: int, key: str, value: object = "") -> None:
        self.place = shown(Path(file)) + (f":{line}" if line else "")
        self.key, self.value = key, value
        super().__init__(f"{self.place}: {key} {value}")


class Key(NamedTuple):
    """The fields that identify an accepted finding, without its target."""

    path: str
    rule: str
    print: str


class Entry(NamedTuple):
    """One line of a baseline."""

    key: Key
    targets: tuple[str, ...]
    reason: str
    line: int = 0


@dataclass(frozen=True)
class Baseline:
    """The contents of a baseline. `data`: the bytes of the file, None if it does not exist."""

    file: str
    entries: tuple[Entry, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    data: bytes | None = None


def read_baseline(file: str) -> Baseline:
    """The baseline in a file, which need not exist; BaselineError if it is unusable."""
    try:
        data = read_bytes(file, _LARGEST)
        text = decode_utf8(data)
    except FileNotFoundError:
        return Baseline(file)
    except OSError as error:
        raise BaselineError(file, 0, "baseline unreadable", error.strerror or error) from None
    except NotUtf8Error as error:
        raise BaselineError(file, error.line, "baseline not utf-8", error.message) from None
    entries: list[Entry] = []
    counts: dict[str, int] = {}
    known = False
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        record = _record(file, number, line)
        if "format" in record:
            known = True
            for kind, count in _counts(file, number, record).items():
                counts[kind] = max(count, counts.get(kind, 0))
        else:
            entries.append(_entry(file, number, record))
    if entries and not known:
        raise BaselineError(file, 1, "baseline without format", FORMAT)
    return Baseline(file, tuple(entries), counts, data)


def baseline_bytes(entries: Iterable[Entry], counts: Mapping[str, int]) -> bytes:
    """The bytes of a baseline with these entries, sorted and without duplicates. `counts`: the number of findings of
    each fix class; if the mapping is empty, no counts are written."""
    counted = {"counts": {kind: counts.get(kind, 0) for kind in CLASSES}} if counts else {}
    lines = [_dump({"format": FORMAT, **counted})]
    for key, reason, targets in sorted((entry.key, entry.reason, tuple(sorted(entry.targets))) for entry in entries):
        lines.append(_dump({**key._asdict(), "targets": list(targets), "reason": reason}))
    return "".join(f"{line}\n" for line in dict.fromkeys(lines)).encode("utf-8")


def write_baseline(baseline: Baseline, data: bytes) -> bool:
    """Write a baseline; returns whether its bytes changed. Raises BaselineError if the file changed since it was
    read."""
    if data == baseline.data:
        return False
    try:
        now = read_bytes(baseline.file, _LARGEST)
    except FileNotFoundError:
        now = None
    except OSError as error:
        raise BaselineError(baseline.file, 0, "baseline unreadable", error.strerror or error) from None
    if now != baseline.data:
        raise BaselineError(baseline.file, 0, "baseline changed")
    try:
        if now is None:
            create_atomically(baseline.file, data)
        else:
            write_atomically(baseline.file, data)
    except FileProblem as error:
        raise BaselineError(baseline.file, 0, "baseline unwritten", error) from None
    return True


def relative(path: str, folder: str) -> str:
    """Return a path as it is written in a baseline in `folder`."""
    try:
        found = os.path.relpath(path, folder)
        if found.startswith(os.pardir):  # the path of the file or of the folder may lead through a symbolic link
            place, name = os.path.split(os.path.abspath(path))  # noqa: PTH100
            real = os.path.relpath(f"{os.path.realpath(place)}{os.sep}{name}", os.path.realpath(folder))
            found = found if real.startswith(os.pardir) else real
    except ValueError:  # the paths are on different drives
        found = os.path.abspath(path)  # noqa: PTH100 as everywhere in this layer
    return found.replace(os.sep, "/")


def _record(file: str, number: int, line: str) -> dict[str, Any]:
    if line.startswith(_MARKS):
        raise BaselineError(file, number, "baseline conflict")
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        message = error.msg if isinstance(error, json.JSONDecodeError) else "too deep, or too long"
        raise BaselineError(file, number, "baseline not json", message) from None
    if not isinstance(record, dict):
        raise BaselineError(file, number, "baseline not object")
    return record


def _counts(file: str, number: int, record: dict[str, Any]) -> dict[str, int]:
    if record["format"] != FORMAT or isinstance(record["format"], bool):
        raise BaselineError(file, number, "baseline newer", _dump(record["format"]))
    if unknown := sorted(record.keys() - {"format", "counts"}):
        raise BaselineError(file, number, "baseline member", unknown[0])
    counts = record.get("counts", {})
    fits = isinstance(counts, dict) and all(
        kind in CLASSES and type(count) is int and count >= 0 for kind, count in counts.items()
    )
    if not fits:
        raise BaselineError(file, number, "baseline value", "counts")
    found: dict[str, int] = counts
    return found


def _entry(file: str, number: int, record: dict[str, Any]) -> Entry:
    if unknown := sorted(record.keys() - {*Key._fields, "targets", "reason"}):
        raise BaselineError(file, number, "baseline member", unknown[0])
    for name in (*Key._fields, "targets"):
        if name not in record:
            raise BaselineError(file, number, "baseline lacks", name)
    path, rule, print_ = (record[name] for name in Key._fields)
    targets, reason = record["targets"], record.get("reason", "")
    right = {
        "path": isinstance(path, str) and bool(path),
        "rule": isinstance(rule, str) and bool(rule),
        "print": isinstance(print_, str) and PRINT.fullmatch(print_) is not None,
        "targets": isinstance(targets, list) and bool(targets) and all(isinstance(one, str) for one in targets),
        "reason": isinstance(reason, str),
    }
    for name, fits in right.items():
        if not fits:
            raise BaselineError(file, number, "baseline value", name)
    return Entry(Key(path, rule, print_), tuple(dict.fromkeys(targets)), reason, number)


def _dump(value: Any) -> str:
    return printable_json(json.dumps(value, ensure_ascii=False))
