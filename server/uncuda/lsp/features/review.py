"""The review of findings one by one: the next finding, its fixed text, and the commands to fix or accept it."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from uncuda.printable import printable
from uncuda.workspace.overview import Filter

from ..fixing.arguments import Wanted, read_object, read_text, read_wanted
from ..fixing.asked import asked_of, outlines_of, unchecked_of, undecided_of
from ..state.outline import OverviewTexts, queue
from ..wire.names import ACCEPT_FINDING, CHANGES, FIX_FINDING, FIXED_TEXT, REVIEW_QUEUE, SUPPRESS_FINDING
from ..wire.overview import Changes, FindingName, FixedText, ReviewAnswer
from ..wire.protocol import field

if TYPE_CHECKING:
    from ..session import Session

_NAME = ("uri", "print", "version")
_WANTED = ("rules", "applicability", "scope")


def register(session: Session) -> None:
    """Register the requests of a review, and the commands that fix or accept one finding."""

    @session.raw(REVIEW_QUEUE)
    def review(params: Any) -> ReviewAnswer:
        session.inspection.pull()
        return _review(session, params)

    @session.raw(FIXED_TEXT)
    def fixed(params: Any) -> FixedText:
        from ..fixing.compared import changed_text
        from ..fixing.finding import fixed_text

        uri, version = (field(params, key) for key in ("uri", "version"))
        if "print" in params:
            return fixed_text(session, _name({key: field(params, key) for key in _NAME}))
        table = read_object([params], ("uri", "version", *_WANTED))
        return changed_text(session, uri, version, _wanted(session, table))

    @session.raw(CHANGES)
    def changes_(params: Any) -> Changes:
        from ..fixing.compared import changes

        return changes(session, _wanted(session, read_object([params], _WANTED)))

    @session.command(FIX_FINDING)
    async def fix(*arguments: Any) -> dict[str, Any]:
        from ..fixing.finding import fix_finding

        return await fix_finding(session, _name(read_object(list(arguments), _NAME)))

    @session.command(ACCEPT_FINDING)
    def accept(*arguments: Any) -> dict[str, Any]:
        from ..fixing.finding import accept_finding

        table = read_object(list(arguments), (*_NAME, "reason"))
        return accept_finding(session, _name(table), read_text(table, "reason") if "reason" in table else None)

    @session.command(SUPPRESS_FINDING)
    async def suppress(*arguments: Any) -> dict[str, Any]:
        from ..fixing.finding import suppress_finding

        table = read_object(list(arguments), (*_NAME, "reason"))
        return await suppress_finding(session, _name(table), read_text(table, "reason"))


def _name(table: dict[str, Any]) -> FindingName:
    uri, print_, version = (read_text(table, key) for key in _NAME)
    return FindingName(uri=uri, print=print_, version=version)


def _wanted(session: Session, table: dict[str, Any]) -> Wanted:
    """Return which fixes are requested: the fixes of `rules`, in the file or folder `scope`."""
    return read_wanted({key: table[key] for key in _WANTED if key in table}, session.folders.catalogue.rules)


def _review(session: Session, params: Any) -> ReviewAnswer:
    """Return the next finding of the queue.

    `from`: the key of the current finding. `at`: the index of the current finding, which is used if the finding no
    longer exists. `move`: 1 for the next finding, -1 for the previous one, 0 for the current one. `skip`: keys of
    findings to leave out.
    """
    asked = asked_of(session, params)
    rule, last = read_text(params, "rule"), params.get("from")
    at, move, skipped = (params.get(key, default) for key, default in (("at", 0), ("move", 0), ("skip", [])))
    if not all(isinstance(number, int) for number in (at, move)) or not isinstance(skipped, list):
        raise JsonRpcInvalidParams("`at` and `move` are numbers, `skip` is a list of keys")
    outlines = outlines_of(session, asked)
    every = queue(outlines, Filter.of(asked.filter), rule)
    skip = set(map(str, skipped))
    keys = [outline.key(place) for outline, place in every]
    open_ = [index for index, key in enumerate(keys) if key not in skip]
    version = max((outline.version for outline in outlines), default=0)
    if not open_:
        return _none(session, version)
    known = keys.index(last) if last in keys else None
    index = _index(open_, at if known is None else known, move, gone=known is None)
    outline, place = every[index]
    node = outline.finding(place)
    number = open_.index(index) + 1
    name = f"{printable(PurePosixPath(place.file.path).name)}: {place.finding.row.rule}"
    label = outline.texts("place", name, number, len(open_))
    return ReviewAnswer(version=version, index=index, total=len(open_), label=label, node=node)


def _none(session: Session, version: int) -> ReviewAnswer:
    """Return the answer if no finding is left; its message says if not all files were checked."""
    texts, unchecked = OverviewTexts(session.folders.language()), unchecked_of(session)
    waits = session.inspection.state in ("reading", "checking")
    message = undecided_of(session)
    if unchecked and not message and not waits:
        message = texts("none open", unchecked)
    elif not message and session.inspection.is_whole:
        message = texts("review waits")
    answer = ReviewAnswer(version=version, index=0, total=0, label="", node=None, isWaiting=waits)
    if message:
        answer["message"] = message
    return answer


def _index(open_: list[int], at: int, move: int, gone: bool) -> int:
    """Return the index of the next finding to show. If the current finding no longer exists, the finding after it is
    now at its index."""
    if move > 0:
        after = [index for index in open_ if index > at or (gone and index == at)]
        return after[0] if after else open_[0]
    if move < 0:
        before = [index for index in open_ if index < at]
        return before[-1] if before else open_[-1]
    return min(open_, key=lambda index: (index < at, abs(index - at)))
