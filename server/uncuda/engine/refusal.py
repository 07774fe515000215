"""Whether a fixed text may be written: it must parse, as the text that it came from did."""

from __future__ import annotations

import ast
import symtable
import warnings

from ..facts.new_syntax import readable, reusing


def refusal(before: str, after: str, quoted: bool = True) -> str | None:
    """Why a fixed text must not be written, or None. `quoted`: whether a fix wrote quotes.

    Fixes do not repair broken text, so one look at the result is enough while it parses.
    """
    if (error := _syntax_error(after)) is None:
        newer = quoted and reusing(after) > reusing(before)
        return "after its fixes Python before 3.12 would not read it (an f-string in its own quotes)" if newer else None
    if (old := _syntax_error(before)) is not None:
        return f"it does not parse ({old}); until it does, its fixes are made one at a time, in an editor"
    return f"it would not parse after its fixes ({error})"


def _syntax_error(text: str) -> str | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            # The same parser as ast.parse, in less than two thirds of its time: no tree is handed out.
            symtable.symtable(text, "<text>", "exec")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            try:
                ast.parse(text)
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                return None if readable(text) else _said(error)
    return None


def _said(error: Exception) -> str:
    """What is wrong and on which line, without a name: the text has none here."""
    if isinstance(error, SyntaxError) and error.lineno:
        return f"line {error.lineno}: {error.msg}"
    return str(error)
