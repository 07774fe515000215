"""What the commands of the server say, in one language."""

from __future__ import annotations

from uncuda.messages.commands import COMMANDS
from uncuda.report.words import Words


class Texts(Words):
    """The texts of one language: "en" or "zh"."""

    room = COMMANDS
