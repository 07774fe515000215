"""The fixes of some rules in all files, for a client that compares each file with its fixed text."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from uncuda.edits import REVIEW, SAFE
from uncuda.limits import LimitExceeded
from uncuda.project import SILENT
from uncuda.source import Source
from uncuda.workspace.overview import FileListing

from ..state.outline import OverviewTexts, action
from ..wire.names import ACCEPT_IN_WORKSPACE, FIX_ALL_IN_WORKSPACE
from ..wire.overview import ChangedFile, Changes, FixedText
from .arguments import Wanted
from .finding import current
from .jobs import scope_of, spared_in

if TYPE_CHECKING:
    from ..session import Session

MOST = 100
"""The largest number of files that are compared at once: a client reads them all before it shows one."""


def changes(session: Session, wanted: Wanted) -> Changes:
    """Return the files that the wanted fixes would change, and the commands that fix or accept the findings in all
    these files."""
    texts = OverviewTexts(session.folders.language())
    found = _files(session, wanted)
    files = [
        ChangedFile(uri=file.uri, version=file.version, isNotebook=file.path.endswith(".ipynb")) for file, _ in found
    ]
    number = sum(number for _, number in found)
    title = texts("changes", texts.join(wanted.rules or ()), texts.count(number, "finding"))
    if len(files) > MOST:
        return Changes(title=title, files=[], many=True, actions=[])
    actions = []
    if files and not session.client.restricted:
        command: dict[str, Any] = {"rules": list(wanted.rules or ())}
        command |= {"scope": wanted.scope} if wanted.scope else {}
        if session.client.apply_edit:
            seen = {file.uri: file.version for file, _ in found}
            kind = REVIEW if wanted.review else SAFE
            fix = {**command, "applicability": kind, "seen": seen}
            actions.append(action("fix", texts("fix group", number), FIX_ALL_IN_WORKSPACE, fix))
        accept = {**command, "classes": list(_classes(wanted))}
        actions.append(action("accept", texts("accept group", number), ACCEPT_IN_WORKSPACE, accept))
    return Changes(title=title, files=files, many=False, actions=actions)


def has_changed(session: Session, wanted: Wanted, seen: Any) -> bool:
    """Return whether the fixes would change other files, or other versions of files, than the user has seen.

    `seen`: the version of each file that the user has seen, by URI.
    """
    return bool({file.uri: file.version for file, _ in _files(session, wanted)} != seen)


def changed_text(session: Session, uri: str, version: str, wanted: Wanted) -> FixedText:
    """Return the text of a file after the requested fixes; if no rules are requested, the unchanged text."""
    texts = OverviewTexts(session.folders.language())
    known = current(session, uri, version)
    if known is None:
        return FixedText(stale=texts("changed"))
    analysis, closed = known
    text = analysis.text
    if wanted.rules:
        spared = spared_in(session, analysis.program) if closed is None else ()
        answers, source = dict.fromkeys(spared, SILENT), Source(text, analysis.program.path)
        with suppress(LimitExceeded):
            fix, selection = analysis.engine.fix, analysis.selection
            fixed = fix(source, wanted.review, rules=wanted.rules, answers=answers, selection=selection)
            text = text if fixed.refused else fixed.text
    return FixedText(text=text, title=texts("fixed", PurePosixPath(uri).name))


def _files(session: Session, wanted: Wanted) -> list[tuple[FileListing, int]]:
    """Return the files with findings of the requested rules, each with the number of these findings."""
    overviews = session.overviews
    overviews.refresh()
    classes, scope = _classes(wanted), Path(scope_of(session, wanted.scope))
    found = []
    for root in overviews.roots:
        for file in overviews.of(root).files:
            if wanted.scope and scope not in (Path(file.file), *Path(file.file).parents):
                continue
            rows = [one.row for one in file.findings if not one.accepted]
            if number := sum(row.rule in (wanted.rules or ()) and row.kind in classes for row in rows):
                found.append((file, number))
    return found


def _classes(wanted: Wanted) -> tuple[str, ...]:
    return (SAFE, REVIEW) if wanted.review else (SAFE,)
