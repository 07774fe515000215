"""The sentences of code actions, hovers and lenses, in one language."""

from __future__ import annotations

import platform
import sys

from uncuda.engine import Engine
from uncuda.messages import language
from uncuda.messages.editor import EDITOR

from ..wire.markup import code
from ..wire.texts import Texts


class Phrases(Texts):
    """The sentences in one language: "en" or "zh"."""

    room = EDITOR


def phrases(engine: Engine) -> Phrases:
    """Return the sentences of code actions, hovers and lenses in the language of an engine's messages."""
    return Phrases(language(engine.settings.locale))


def newer_python(say: Phrases) -> str:
    """The sentence that a newer Python is needed to read a statement, with the command that installs libcst."""
    return say("newer", platform.python_version(), code(f"{sys.executable} -m pip install --upgrade libcst"))
