"""What is `x` in `x.cuda()`, `x.is_cuda`, `x.to("cuda")`, where the file alone cannot tell? jedi is asked.

It runs in a process of its own, reads the workspace as text, and has limits of time and memory. Its answer takes a
finding away or makes its fix one to review; it never adds one. That it does not know is the normal answer.
"""

from .client import Receivers

__all__ = ["Receivers"]
