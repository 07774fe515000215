"""The language in which a user is spoken to."""

from __future__ import annotations

import os


def language(locale: str) -> str:
    """ "en" or "zh" for a setting of the locale; "auto" asks the environment."""
    if locale in ("en", "zh"):
        return locale
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"
