"""The sentences of reports in two languages, also those about files that exceed a limit such as `max-statements`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from uncuda.messages import Sentences
from uncuda.messages.baseline import BASELINE
from uncuda.messages.editor import EDITOR
from uncuda.messages.reports import REPORTS

if TYPE_CHECKING:
    from uncuda.limits import LimitExceeded
    from uncuda.workspace.baseline import BaselineError


class BaselineWords(Sentences):
    """The sentences about baselines in one language."""

    room = BASELINE


def baseline_problem(error: BaselineError, locale: str) -> str:
    """Return the message that says why a baseline cannot be used: the location of the error and the error itself."""
    return f"{error.place}: {BaselineWords(locale)(error.key, error.value)}"


class Words(Sentences):
    """The sentences of reports in one language, "en" or "zh"."""

    room = REPORTS

    def exceeds(self, error: LimitExceeded) -> str:
        """The message about a text that exceeds a limit."""
        return self("exceeds", self(f"exceeds {error.kind}", error.limit), error.setting)


class PageWords(Sentences):
    """The messages in the documentation of rules, in one language; editors show the same messages."""

    room = EDITOR
