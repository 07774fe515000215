"""What actions, hovers and lenses say, in one language."""

from __future__ import annotations

import platform
import sys

from uncuda.engine import Engine
from uncuda.messages import language
from uncuda.messages.editor import EDITOR

from ..wire.markup import code
from ..wire.texts import Texts


class Phrases(Texts):
    """The phrases of one language: "en" or "zh"."""

    room = EDITOR


def phrases(engine: Engine) -> Phrases:
    """The phrases in the language of an engine's messages."""
    return Phrases(language(engine.settings.locale))


def newer_python(say: Phrases) -> str:
    """Why a statement that is newer than this Python was not read, and the command that helps."""
    return say("newer", platform.python_version(), code(f"{sys.executable} -m pip install --upgrade libcst"))
