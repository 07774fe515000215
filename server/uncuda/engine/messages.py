"""Builds the messages of findings in the user's language; each message ends with the sentences about the target's
limits."""

from __future__ import annotations

from collections.abc import Sequence

from ..catalogue import Catalogue, Rule, Target, Versions
from ..checks import Hit
from ..edits import Fix
from ..messages import Sentences, language
from ..messages.findings import FINDINGS
from ..messages.fixes import Title, titled
from ..printable import cut

_NAMED = 20  # maximum number of rules that the message about one suppression comment names
_LONGEST = 500  # maximum number of characters of a message; only names in the user's code can make it longer


class Messages(Sentences):
    """Fills in the templates of rules' messages for one target."""

    room = FINDINGS

    def __init__(self, catalogue: Catalogue, target: Target, locale: str, every: Sequence[Target] = ()) -> None:
        """`every`: the targets of a portable source; empty for a single target."""
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
        """Return a message with an additional sentence, whose id is `limit`."""
        return message + self("notes", self._catalogue.limit(limit, self.locale))

    def _note(self, limit: str, hit: Hit) -> str:
        """Return the sentence with the id `limit`, which says, for example, why a hit has no safe fix. If `hit.words`
        has code under the key `limit`, the returned sentence also quotes this code."""
        note, shown = self._catalogue.limit(limit, self.locale), hit.words.get(limit)
        return self("note", note, cut(shown)) if shown else note

    def _lacking(self, since: str) -> str:
        """Return the sentence about a name that some configured plugin versions may lack; it tells the first version
        with this name."""
        package, version = self._target.words["package"], self._target.version
        key = "known since" if Versions.of(version).may("<", since) else "not in"
        return self(key, package=package, since=since, version=version)

    def alias(self, name: str, dotted: str) -> str:
        """Return the message about the import or assignment that binds an API to a local name."""
        return self("alias", cut(name), cut(dotted))

    def fixes(self, hit: Hit) -> tuple[Fix, ...]:
        """Return the fixes of a hit, with their titles in the user's language."""
        return tuple(fix._replace(title=self._title_of(fix.title)) for fix in hit.fixes) if self.chinese else hit.fixes

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
    """Return the first `_NAMED` names, each shortened, with commas between them; "…" stands for further names."""
    listed = ", ".join(cut(name) for name in names[:_NAMED])
    return f"{listed}, …" if len(names) > _NAMED else listed
