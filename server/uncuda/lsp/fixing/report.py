"""Makes the HTML report on a folder with a workspace job, and returns it to the client or writes it to a file."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from uncuda.printable import printable
from uncuda.workspace import FileProblem
from uncuda.workspace.files import put_atomically

from ..state.pages import cache_folder
from ..wire.progress import Progress
from ..wire.texts import Texts
from ..wire.uris import path_of, uri_of
from .arguments import Wanted
from .job import Outcome
from .jobs import JobProcess, job_of

if TYPE_CHECKING:
    from ..session import Session

NAME = "uncuda-report.html"


async def report(session: Session, root: str, token: Any = None) -> dict[str, str] | None:
    """Return the report's page for a client that shows it itself. `root`: the URI of a folder, or empty for the first
    workspace folder."""
    folder = folder_at(session, root)
    html = await _page(session, folder, folder, token)
    return {"name": NAME, "html": html} if html else None


async def write_report(session: Session, root: str, token: Any = None) -> dict[str, str] | None:
    """Write the report's page to a file in the user's cache folder and ask the client to show it; return its URI."""
    texts, folder, cache = Texts(session.folders.language()), folder_at(session, root), cache_folder()
    if cache is None:
        _refuse(session, texts("no cache folder"))
        return None
    place = cache / "reports" / sha256(os.fsencode(folder)).hexdigest()[:16]
    html = await _page(session, folder, str(place), token)
    if not html:
        return None
    file = place / NAME
    try:
        place.mkdir(parents=True, exist_ok=True)
        put_atomically(str(file), html.encode("utf-8", "backslashreplace"))
    except (OSError, FileProblem) as error:
        _refuse(session, f"{file}: {error}")
        return None
    uri = uri_of(str(file))
    if session.client.show_document:
        session.ask(types.WINDOW_SHOW_DOCUMENT, types.ShowDocumentParams(uri, external=True))
    said = texts("report written", printable(str(file)))
    session.window_show_message(types.ShowMessageParams(types.MessageType.Info, said))
    return {"uri": uri}


def folder_at(session: Session, root: str) -> str:
    """Return the path of a workspace folder, given its URI; raises JsonRpcInvalidParams for any other URI."""
    folders = session.folders.all
    if not root:
        return folders[0].path if folders else ""
    path = (path_of(root) or "").rstrip("/\\")
    for folder in folders:
        if os.path.normcase(folder.path.rstrip("/\\")) == os.path.normcase(path):
            return folder.path
    raise JsonRpcInvalidParams(f"`root` is not a folder of the workspace: {root}")


async def _page(session: Session, folder: str, beside: str, token: Any) -> str:
    """Return the report's page for a folder. If the report cannot be made, show a message that says why, and return "";
    also return "" if the user cancelled. `beside`: the folder that contains the page."""
    texts = Texts(session.folders.language())
    if not folder:
        _refuse(session, texts("no folder to report"))
        return ""
    progress = Progress(session, texts("report"), token)
    progress.start()
    try:
        job = replace(await job_of(session, Wanted(), diff=False), report=folder, beside=beside)
        outcome = await _done(session, job, progress)
    finally:
        progress.end()
    if outcome is None:
        return ""  # the user cancelled, so no message is shown
    if outcome.undecided:
        _refuse(session, texts("undecided", targets=session.folders.titles_of(outcome.undecided, texts.locale)))
    elif outcome.failed:
        _refuse(session, texts("failed", outcome.failed))
    return outcome.page


async def _done(session: Session, job: Any, progress: Progress) -> Outcome | None:
    """Run a job and return its outcome; None if the user cancelled it."""
    process = JobProcess(session, job, progress.report)
    cancelled = asyncio.ensure_future(progress.cancelled.wait())
    either: set[asyncio.Future[Any]] = {process.done, cancelled}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        return None if progress.cancelled.is_set() else process.done.result()
    finally:
        cancelled.cancel()
        process.stop()


def _refuse(session: Session, why: str) -> None:
    session.window_show_message(types.ShowMessageParams(types.MessageType.Warning, printable(why)))
