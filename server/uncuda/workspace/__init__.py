"""Files: which ones, reading and writing them, and running the engine over them."""

from .discover import File, Found, Problem, SettingsFor, discover
from .files import FileProblem, read_file, write_atomically
from .run import Checked, EngineFor, Repaired, check_files, fix_files, write
from .scan import Scanner, Survey, Words, read_text, survey

__all__ = [
    "Checked",
    "EngineFor",
    "File",
    "FileProblem",
    "Found",
    "Problem",
    "Repaired",
    "Scanner",
    "SettingsFor",
    "Survey",
    "Words",
    "check_files",
    "discover",
    "fix_files",
    "read_file",
    "read_text",
    "survey",
    "write",
    "write_atomically",
]
