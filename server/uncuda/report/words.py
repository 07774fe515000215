"""The words of reports, and what is said of a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from uncuda.messages import Sentences
from uncuda.messages.reports import REPORTS

if TYPE_CHECKING:
    from uncuda.limits import LimitExceeded


class Words(Sentences):
    """The words of one language: "en" or "zh"."""

    room = REPORTS

    def exceeds(self, error: LimitExceeded) -> str:
        """What is said of a text that takes more than a limit allows."""
        return self("exceeds", self(f"exceeds {error.kind}", error.limit), error.setting)
