"""The debug information for a bug report: versions, settings with their sources, facts of projects, timings."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import uncuda
from uncuda.engine.several import make_engine
from uncuda.printable import printable
from uncuda.project import Project
from uncuda.settings import OPTIONS, Configuration, Settings, SettingsError
from uncuda.source import Source

from .state.documents import Program
from .state.roots import Folder

if TYPE_CHECKING:
    from .session import Session

_PACKAGES = ("pygls", "lsprotocol", "libcst", "jedi")
_TIMED = 5


def describe(session: Session, job_seconds: float | None) -> str:
    """The text of the debug information. `job_seconds`: how long the last command that fixed or reported on many files
    took."""
    client = session.client
    # platform.platform() is not used, because it runs `uname` from PATH, which may be a file of the workspace.
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    lines = [
        f"uncuda {uncuda.__version__}, process {os.getpid()}",
        f"Python {platform.python_version()} ({sys.executable}), {system}",
        ", ".join(f"{name} {_version(name)}" for name in _PACKAGES),
        f"client: {client.name or 'unknown'} {client.version}, {client.encoding}, "
        + ", ".join(name for name in ("pull", "document_changes", "annotations", "progress") if getattr(client, name)),
        f"switched to target: {session.folders.override or 'no'}",
    ]
    for folder in session.folders.all:
        lines += ["", *_folder(session, folder)]
    lines += ["", *_documents(session)]
    lines.append(f"last workspace job: {f'{job_seconds:.2f} s' if job_seconds is not None else 'none'}")
    return "\n".join(map(printable, lines)) + "\n"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _folder(session: Session, folder: Folder) -> Iterator[str]:
    yield f"folder: {folder.path}"
    configuration = session.folders.configuration(folder)
    try:
        file = configuration.file_for(folder.path)
        settings = configuration.settings_for(folder.path)
    except SettingsError as error:
        yield f"  configuration: {error}"
        return
    yield f"  configuration file: {file or 'none'}"
    own = Configuration(session.folders.vocabulary).settings_for(folder.path)
    for option in OPTIONS:
        value = getattr(settings, option.field)
        if value == getattr(Settings(), option.field):
            continue
        if option.name == "target" and session.folders.override:
            source = "switchTarget"
        else:
            source = file if value == getattr(own, option.field) else "editor"
        yield f"  {option.name} = {value!r} ({source})"
    yield f"  project: {_project(folder.project)}{'' if folder.scanned else ' (still being read)'}"


def _project(project: Project) -> str:
    facts = {"plugins": project.plugins, "shims": project.shims | project.switched, "constants": project.constants}
    facts["own methods"] = frozenset(owner.method for owner in project.owners)
    facts["several accelerators for"] = project.served
    said = [f"{name} {', '.join(sorted(values))}" for name, values in facts.items() if values]
    return "; ".join(said) or "nothing found"


def _documents(session: Session) -> Iterator[str]:
    programs = session.documents.programs()
    yield f"open: {len(programs)}"
    for program in programs[:_TIMED]:
        choice = session.folders.choice_of(program)
        if choice.left_out:
            yield f"  {program.uri}: left out"
            continue
        analysis = session.analyse(program)
        found = f"{len(analysis.findings)} findings, {len(analysis.report.skipped)} statements not read"
        why = f", {analysis.disabled}" if analysis.disabled else ""
        target = f"{choice.engine.target.id}{' (assumed)' if choice.chosen.assumed else ''}, {choice.plugin('en')}"
        torch = choice.settings.torch_version
        target += f", PyTorch {torch}" if torch else ""
        size = program.text.count("\n") + 1
        took = "in another process" if analysis.heavy else f"anew in {_took(session, program):.1f} ms"
        yield f"  {program.uri}: {size} lines, {target}, {found}{why}, read {took}"


def _took(session: Session, program: Program) -> float:
    """Return the milliseconds that the first analysis of an open document's text took."""
    known = session.folders.engine_of(program)
    engine = make_engine(known.catalogue, known.target.id, known.settings, known.project)
    engine.ruleset(False)
    begun = time.perf_counter()
    engine.check(Source(program.text, program.path))
    return 1000 * (time.perf_counter() - begun)
