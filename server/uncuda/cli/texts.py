"""Help in the language of the terminal; errors and pages that are printed outside of a run."""

import sys

from uncuda.messages import Sentences, language
from uncuda.messages.terminal import TERMINAL

_LONGEST = 1_000


class _Terminal(Sentences):
    room = TERMINAL


def say(key: str, **named: object) -> str:
    """A sentence of the terminal, in the language that the environment asks for."""
    return _Terminal(language("auto"))(key, **named)


def either(en: str, zh: str) -> str:
    """What a setting says of itself, in that language."""
    return zh if language("auto") == "zh" else en


def complain(text: str) -> None:
    """Say on standard error, in one line, why nothing can be done."""
    sys.stderr.write(one_line(text) + "\n")


def one_line(text: str) -> str:
    """A message that may quote what somebody else wrote: escaped, and of a length that can be read."""
    from uncuda.printable import cut_middle, printable  # `--version` and `--help` do without

    return printable(cut_middle(text, _LONGEST))


def complain_lines(text: str) -> None:
    """The same for a text of several lines."""
    from uncuda.printable import printable_lines

    sys.stderr.write(printable_lines(text))
