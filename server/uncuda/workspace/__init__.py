"""Files: which ones, reading and writing them, and running the engine over them."""

from .backends import cudas_own, neighbours
from .constants import Constants, named_targets
from .discover import Exceeds, File, Found, Problem, SettingsFor, discover, leads_out, reach
from .engines import Engines, UndecidedTarget
from .files import FileProblem, read_file, write_atomically
from .gitignore import GitIgnore
from .kernels import UNTOLD, Told
from .requirements import Required, required_torch, torch_version
from .run import AnswersFor, Checked, EngineFor, Repaired, ask, ask_nobody, check_files, fix_files, load_file, write
from .scan import Read, Said, Scanner, Survey, Words, read_text, survey

__all__ = [
    "UNTOLD",
    "AnswersFor",
    "Checked",
    "Constants",
    "EngineFor",
    "Engines",
    "Exceeds",
    "File",
    "FileProblem",
    "Found",
    "GitIgnore",
    "Problem",
    "Read",
    "Repaired",
    "Required",
    "Said",
    "Scanner",
    "SettingsFor",
    "Survey",
    "Told",
    "UndecidedTarget",
    "Words",
    "ask",
    "ask_nobody",
    "check_files",
    "cudas_own",
    "discover",
    "fix_files",
    "leads_out",
    "load_file",
    "named_targets",
    "neighbours",
    "reach",
    "read_file",
    "read_text",
    "required_torch",
    "survey",
    "torch_version",
    "write",
    "write_atomically",
]
