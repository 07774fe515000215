"""Makes the HTML report on a folder; this code runs in the process of a workspace job."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from uncuda.report.port import port_report
from uncuda.report.port.naming import Naming
from uncuda.report.port.shown import PortReport, PortWords
from uncuda.workspace import Checked, EngineFor, File, Problem, check_files
from uncuda.workspace.port import Gathering

from ..state.fix_command import aim_options
from .rewrite import Group, Run


def port_page(run: Run, group: Group, tell: Callable[[int, int], object]) -> str:
    """Return the page as HTML. `tell(done, total)`: reports the progress, in files."""
    job, catalogue = run.job, run.catalogue
    targets = list(catalogue.declarations)
    done, total = 0, len(group.files) + len(group.looked) * (len(targets) - 1)
    problems: dict[str, Problem] = {}
    naming = Naming(group.root, job.beside, Path(group.root).name, stays=True)

    with run.receivers(group) as answers_for:

        def checked(files: Sequence[File], engine_for: EngineFor) -> Iterator[Checked]:
            nonlocal done
            for result in check_files(files, engine_for, answers_for, run.load):
                if result.problem:
                    problems.setdefault(result.problem.path, result.problem)
                yield result
                done += 1
                tell(min(done, total), total)

        select = run.accepted(group)
        gathering = Gathering(group.engines, group.looked, naming.name, checked)
        for result in checked(group.files, group.engines.engine_for):
            gathering.add(result, select(result))
        port = gathering.finish(targets, select)

    def command(name: str, *options: str) -> str:
        return shlex.join(["uncuda", name, *options, *aim_options(group.target)])

    said = [Problem(naming.shown(one.path), one.message) for one in (*group.problems, *problems.values())]
    words = PortWords(job.locale)
    report = PortReport(port, naming.title, words, catalogue, command, said, naming.link, run.begun(group))
    return port_report("html", report)
