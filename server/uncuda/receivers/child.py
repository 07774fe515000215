"""The main module of the process that runs jedi. This process reads questions about the types of receivers (`x` in
`x.cuda()`) as JSON, one per line, and writes its answers in the same way.

The line `{"path", "text", "roots"}` opens a document and has no answer. The line `{"line", "column", "argument",
"lacking", "seconds"}` is a question about the open document, answered with `{"verdict", "memory", "last"}`; `last`
means that the process has reached the memory limit and ends. The first line that the process writes is `{"ready":
true}`.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
from collections.abc import Iterable
from importlib import invalidate_caches
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from uncuda.child import lines
from uncuda.project import UNKNOWN

from .sandbox import keep_nothing, limit_memory, memory, seal

if TYPE_CHECKING:
    from .modules import Module, Modules

ADDRESS_SPACE = 1 << 30
"""The maximum address space of this process, in bytes."""


def main() -> None:
    """Answer the questions on standard input until it ends."""
    frames = os.fdopen(os.dup(1), "w", encoding="ascii", buffering=1)
    with open(os.devnull, "w", encoding="ascii") as silence:
        os.dup2(silence.fileno(), 1)
        limit_memory(ADDRESS_SPACE)
        Answers(frames, silence).run(lines())


class Answers:
    """Answers the questions about types, and keeps the open document from one question to the next. `frames`: the
    stream to which answers are written; `silence`: the stream for tracebacks that faulthandler prints."""

    def __init__(self, frames: IO[str], silence: IO[str]) -> None:
        from . import judge
        from .modules import Modules

        self._judge = judge
        self._modules_of = Modules
        self._frames = frames
        self._silence = silence
        self._roots: tuple[str, ...] = ()
        self._modules: Modules | None = None
        self._module: Module | None = None

    def run(self, lines: Iterable[bytes]) -> None:
        """Process each line of JSON: it opens a document, or it asks for the type of a receiver."""
        keep_nothing()
        self._warm_up()
        seal()
        self._say({"ready": True})
        for line in lines:
            message = json.loads(line)
            if "text" in message:
                self._open(message)
            else:
                self._answer(message)

    def _warm_up(self) -> None:
        """Answer one question at the start, so that jedi imports all its modules now; later the process may import only
        modules of the standard library."""
        text = "import re\nx = re.compile('')\nx.cuda()\n"
        module = self._modules_of(()).document(str(Path(sys.executable).with_name("warm.py")), text)
        self._judge.answer(module, self._judge.Question(3, 2, False, ()))

    def _open(self, message: dict[str, Any]) -> None:
        invalidate_caches()  # the document may be a new file, so Python's cached listings of folders are cleared
        roots = tuple(message["roots"])
        if self._modules is None or roots != self._roots:
            self._modules, self._roots = self._modules_of(roots), roots
        self._module = self._modules.document(message["path"], message["text"])

    def _answer(self, message: dict[str, Any]) -> None:
        # If answering takes too long, this timer ends the process, even if no parent process is left to kill it.
        faulthandler.dump_traceback_later(message["seconds"], exit=True, file=self._silence)
        question = self._judge.Question(
            message["line"], message["column"], message["argument"], tuple(message["lacking"])
        )
        verdict, over = UNKNOWN, False
        try:
            if self._module is not None:
                verdict = self._judge.answer(self._module, question)
        except MemoryError:
            over = True
        except Exception:  # noqa: BLE001, S110 what jedi or parso stumble over, nobody knows
            pass
        faulthandler.cancel_dump_traceback_later()
        self._say({"verdict": verdict, "memory": memory(), "last": over})
        if over:
            sys.exit(1)

    def _say(self, message: dict[str, Any]) -> None:
        self._frames.write(json.dumps(message) + "\n")
        self._frames.flush()
