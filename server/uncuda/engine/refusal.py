"""Decides whether fixed text may be written: it must parse if the original text does."""

from __future__ import annotations

import ast
import symtable
import warnings

from ..facts.new_syntax import readable, reusing


def refusal(before: str, after: str, quoted: bool = True) -> str | None:
    """Return the reason why a fixed text must not be written; None if it may be written. `quoted`: whether a fix wrote
    quotation marks.

    The original text is parsed only if the fixed text does not parse, because fixes never repair invalid text.
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
            # This call runs the same parser as ast.parse in less than two thirds of the time, because it builds no
            # tree.
            symtable.symtable(text, "<text>", "exec")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            try:
                ast.parse(text)
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                return None if readable(text) else _said(error)
    return None


def _said(error: Exception) -> str:
    """Return the message of a syntax error with its line number, but without a file name."""
    if isinstance(error, SyntaxError) and error.lineno:
        return f"line {error.lineno}: {error.msg}"
    return str(error)
