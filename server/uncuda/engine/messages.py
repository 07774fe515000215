"""Builds the messages of findings in the user's language; sentences about limitations, from the tables, are
appended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..catalogue import Catalogue, Rule, Target, Versions
from ..checks import Hit
from ..edits import Fix
from ..messages import Sentences, language
from ..messages.findings import FINDINGS
from ..messages.fixes import Title, titled
from ..printable import cut

_NAMED = 20  # the number of rules that the message about one suppression comment names
_LONGEST = 500  # the maximum length in characters, which only names from the user's code can exceed


class Messages(Sentences):
    """Fills in the message templates of rules for one target."""

    room = FINDINGS

    def __init__(self, catalogue: Catalogue, target: Target, locale: str, every: Sequence[Target] = ()) -> None:
        """`every`: the targets for which a portable source is written; empty for a single target."""
        super().__init__(language(locale))
        self._catalogue, self._target, self._every = catalogue, target, every
        self._title = target.title_zh if self.chinese else target.title

    def of(self, hit: Hit) -> str:
        """The message of a hit."""
        template = hit.rule.message_zh if self.chinese else hit.rule.message
        words = {**self._target.words, "target": self._title, **hit.words}
        if hit.fixes and "portable" in hit.words:
            template = self.room["portable"][self.chinese]
            words["every"] = self("between targets").join(
                target.title_zh if self.chinese else target.title for target in self._every
            )
        message = template.format_map(words)
        if len(message) > _LONGEST:
            message = template.format_map({name: cut(word) for name, word in words.items()})
        notes = [self._note(limit, hit) for limit in hit.limits]
        if hit.since:
            notes.insert(0, self._lacking(hit.since))
        return message + self("notes", self("between notes").join(notes)) if notes else message

    def noted(self, message: str, limit: str) -> str:
        """Return a message with the sentence for a further limit."""
        return message + self("notes", self._catalogue.limit(limit, self.locale))

    def _note(self, limit: str, hit: Hit) -> str:
        """Return the sentence for a limit; if the hit knows which code causes the limit, the sentence contains that
        code."""
        note, shown = self._catalogue.limit(limit, self.locale), hit.words.get(limit)
        return self("note", note, cut(shown)) if shown else note

    def _lacking(self, since: str) -> str:
        """Return the sentence that says since which plugin version a name exists, if not every configured version has
        it."""
        package, version = self._target.words["package"], self._target.version
        key = "known since" if Versions.of(version).may("<", since) else "not in"
        return self(key, package=package, since=since, version=version)

    def alias(self, name: str, dotted: str) -> str:
        """Return the message for the import or assignment that gave an API a local name."""
        return self("alias", cut(name), cut(dotted))

    def fixes(self, hit: Hit) -> tuple[Fix, ...]:
        """The fixes of a hit with titles in the user's language."""
        return tuple(replace(fix, title=self._title_of(fix.title)) for fix in hit.fixes) if self.chinese else hit.fixes

    def _title_of(self, title: str) -> str:
        return title.chinese if self.chinese and isinstance(title, Title) else title

    def unused(self, rule: Rule, names: tuple[str, ...], unknown: tuple[str, ...]) -> tuple[str, str]:
        """Return (title of the fix, message) for a suppression comment that suppresses no finding."""
        template = rule.message_zh if self.chinese else rule.message
        message = template.format(names=_listed(names) or self("every rule"))
        if unknown:
            message += self("no such rule", _listed(unknown))
        return self._title_of(titled("remove suppression")), message


def _listed(names: tuple[str, ...]) -> str:
    """Return the first of the names, comma-separated and each shortened."""
    listed = ", ".join(cut(name) for name in names[:_NAMED])
    return f"{listed}, …" if len(names) > _NAMED else listed
