"""Help in the language of the terminal."""

from uncuda.report.words import language


def say(en: str, zh: str) -> str:
    """The text in the language that the environment asks for."""
    return zh if language("auto") == "zh" else en
