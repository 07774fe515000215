"""Finds the type of the object `x` in `x.cuda()`, `x.is_cuda`, `x.to("cuda")` with jedi, if the file alone does not
show it.

jedi runs in a separate process, reads the workspace as text, and has limits of time and memory. The answer of the
receiver analysis can only remove a finding or lower the class of its fix to "review"; it never adds a finding. For most
objects `x`, the analysis does not find the type, and answers "unknown".
"""

from .client import Receivers

__all__ = ["Receivers"]
