"""Functions that TorchScript may compile through another file: a call of the helper does not compile."""

from __future__ import annotations

import re

from ...checks.base import Context
from ...facts.scopes import Header

_SCRIPTS = re.compile(r"\bjit[ \t]*\.[ \t]*(?!trace|load|save)\w")
_NAMED = re.compile(r"(?:async[ \t]+)?def[ \t]+(\w+)[^\n]*")
_NEVER = frozenset({"__init__", "__new__", "__del__", "__enter__", "__exit__", "__getattr__", "__setattr__", "main"})
_PYTHONS = re.compile(
    r"\b(?:try|yield|lambda|def|class|global|nonlocal|import|async|await|os|sys|time|logging|logger|_logger|LOGGER"
    r"|argparse|args|opt|tqdm|open|getattr|setattr|super|wandb|DataLoader|optimizer|state_dict|backward|no_grad)\b"
    r"|\*\*?\w+[,)]|\btorch\.(?:save|load|distributed|backends|cuda\.(?:amp|nvtx|memory|reset|max_|empty|manual))"
)
"""Words of which TorchScript compiles none."""


class Compiled:
    """Answers for one text."""

    def __init__(self, context: Context) -> None:
        self._context = context
        text = context.text
        self._any = context.project.scripts or ("jit" in text and _SCRIPTS.search(text) is not None)
        self._known: dict[int, bool] = {}

    def may_be(self, offset: int) -> bool:
        """Whether a place is in a function that TorchScript may compile."""
        if not self._any:
            return False
        functions = [one for one in self._context.facts.indents.headers(offset) if one.word in ("def", "async")]
        if len(functions) != 1:
            return False  # TorchScript compiles no function within another
        return self._fits(functions[0])

    def _fits(self, header: Header) -> bool:
        """Whether a function has nothing that TorchScript cannot compile."""
        if header.start not in self._known:
            text, layout = self._context.text, self._context.facts.layout
            match = _NAMED.match(text, header.start)
            end = self._context.facts.indents.extent(header.start)
            self._context.facts.work.search(header.start, end)
            pythons = (found.start() for found in _PYTHONS.finditer(text, header.start + len("def"), end))
            alone = match is None or match[1] in _NEVER or match[1].startswith("test_")
            self._known[header.start] = not alone and all(map(layout.token_at, pythons))
        return self._known[header.start]
