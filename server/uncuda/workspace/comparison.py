"""Compares the findings with the findings of an earlier report: which findings are fixed, were accepted since then, are
still left, or are new."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from .port import PortFinding


@dataclass(frozen=True, slots=True)
class Earlier:
    """A finding of an earlier report, with the fields of `PortFinding`."""

    path: str
    line: int
    rule: str
    subject: str
    message: str
    kind: str
    target: str
    print: str
    accepted: bool


@dataclass(frozen=True)
class Comparison:
    """The result of comparing a report with an earlier one.

    `fixed`: findings that only the earlier report has. `accepted`: findings that were accepted since the earlier
    report. `left`: findings in both reports that are not accepted. `new`: findings that the earlier report does not
    have, or that were accepted in the earlier report but are no longer accepted.
    """

    fixed: tuple[Earlier, ...]
    accepted: tuple[PortFinding, ...]
    left: tuple[PortFinding, ...]
    new: tuple[PortFinding, ...]


def compare(earlier: Iterable[Earlier], now: Iterable[PortFinding], looked: Collection[str]) -> Comparison:
    """Compare the findings of two reports, matched by rule, target and fingerprint.

    `looked`: names of the files that the current run checked. A finding is matched within its own file if that file was
    checked now, otherwise in any file, because the code may have moved.
    """
    here: dict[tuple[str, ...], deque[Earlier]] = defaultdict(deque)
    moved: dict[tuple[str, ...], deque[Earlier]] = defaultdict(deque)
    for old in earlier:
        key = old.rule, old.target, old.print
        place = *key, old.path
        (here[place] if old.path in looked else moved[key]).append(old)
    accepted, left, new = [], [], []
    for one in now:
        key = one.rule, one.target, one.print
        found = here.get((*key, one.path)) or moved.get(key)
        known = found.popleft() if found else None
        if one.accepted:
            accepted += [one] if known is not None and not known.accepted else []
        elif known is None or known.accepted:
            new.append(one)
        else:
            left.append(one)
    gone = [old for group in (here, moved) for some in group.values() for old in some if not old.accepted]
    gone.sort(key=lambda old: (old.path, old.line, old.rule, old.print))
    return Comparison(tuple(gone), tuple(accepted), tuple(left), tuple(new))
