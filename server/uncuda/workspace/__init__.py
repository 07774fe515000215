"""Finds, reads and writes files, and runs the engine over them."""

from .backends import cudas_own, neighbours
from .baselines import Baselines, baseline_above, baseline_beside
from .calls import has_tests
from .choice import Chosen, choose
from .constants import Constants
from .counts import CLASSES, MANUAL, Counts, Decision, FileCounts, FolderTally, Tally, Totals, fix_class
from .cpus import number_for, processors, sizes_of, wanted_for
from .discover import Exceeds, File, Found, LeftOut, Problem, SettingsFor, discover, leads_out, reach
from .engines import Engines, UndecidedTarget
from .files import FileProblem, read_file, write_atomically
from .gitignore import GitIgnore
from .kernels import UNTOLD, Told
from .notebooks import OtherLanguageError, file_changes, file_text, is_notebook, program_bytes, source_of, written
from .pins import Pins, of_lines, of_lock, of_pyproject, versions_of
from .project_root import project_files
from .requirements import Held, Holds, Requirements, asks_for_versions
from .run import (
    AnswersFor,
    Checked,
    EngineFor,
    Repaired,
    SelectionFor,
    ask,
    ask_nobody,
    check_files,
    fix_files,
    load_file,
    selected,
    write,
)
from .scan import Read, Said, Scanner, Survey, read_text, survey
from .versions import Taken, pinned_target, settled
from .words import Words

__all__ = [
    "CLASSES",
    "MANUAL",
    "UNTOLD",
    "AnswersFor",
    "Baselines",
    "Checked",
    "Chosen",
    "Constants",
    "Counts",
    "Decision",
    "EngineFor",
    "Engines",
    "Exceeds",
    "File",
    "FileCounts",
    "FileProblem",
    "FolderTally",
    "Found",
    "GitIgnore",
    "Held",
    "Holds",
    "LeftOut",
    "OtherLanguageError",
    "Pins",
    "Problem",
    "Read",
    "Repaired",
    "Requirements",
    "Said",
    "Scanner",
    "SelectionFor",
    "SettingsFor",
    "Survey",
    "Taken",
    "Tally",
    "Told",
    "Totals",
    "UndecidedTarget",
    "Words",
    "ask",
    "ask_nobody",
    "asks_for_versions",
    "baseline_above",
    "baseline_beside",
    "check_files",
    "choose",
    "cudas_own",
    "discover",
    "file_changes",
    "file_text",
    "fix_class",
    "fix_files",
    "has_tests",
    "is_notebook",
    "leads_out",
    "load_file",
    "neighbours",
    "number_for",
    "of_lines",
    "of_lock",
    "of_pyproject",
    "pinned_target",
    "processors",
    "program_bytes",
    "project_files",
    "reach",
    "read_file",
    "read_text",
    "selected",
    "settled",
    "sizes_of",
    "source_of",
    "survey",
    "versions_of",
    "wanted_for",
    "write",
    "write_atomically",
    "written",
]
