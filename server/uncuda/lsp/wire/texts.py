"""The messages of the server's commands, in one language."""

from __future__ import annotations

from uncuda.messages.commands import COMMANDS
from uncuda.report.words import Words


class Texts(Words):
    """The messages in one language: "en" or "zh"."""

    room = COMMANDS
