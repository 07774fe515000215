"""Finds out what the object `x` is in `x.cuda()`, `x.is_cuda`, `x.to("cuda")`, where the file alone cannot tell, by
asking jedi.

jedi runs in a process of its own, reads the workspace as text, and has limits of time and memory. Its answer can only
remove a finding or lower its fix to "review"; it never adds a finding. "unknown" is the normal answer.
"""

from .client import Receivers

__all__ = ["Receivers"]
