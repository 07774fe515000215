"""Texts of the command line, in the language of the environment: the help, errors and pages that are printed before the
settings are read."""

import sys

from uncuda.messages import Sentences, language
from uncuda.messages.terminal import TERMINAL

_LONGEST = 1_000


class _Terminal(Sentences):
    room = TERMINAL


def say(key: str, **named: object) -> str:
    """Return a sentence of the command line in the language of the environment (LANG)."""
    return _Terminal(language("auto"))(key, **named)


def either(en: str, zh: str) -> str:
    """The description of a setting in the language of the environment: `en` or `zh`."""
    return zh if language("auto") == "zh" else en


def complain(text: str) -> None:
    """Print the reason why the command cannot run to standard error, in one line."""
    sys.stderr.write(one_line(text) + "\n")


def one_line(text: str) -> str:
    """Return a message that may quote untrusted text in a form that is safe to print: escaped, and cut to a readable
    length."""
    from uncuda.printable import cut_middle, printable  # `--version` and `--help` never need this import

    return printable(cut_middle(text, _LONGEST))


def complain_lines(text: str) -> None:
    """Print a text of several lines to standard error, escaped."""
    from uncuda.printable import printable_lines

    sys.stderr.write(printable_lines(text))
