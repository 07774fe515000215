"""Messages of findings in the user's language, with the limits that the tables know."""

from __future__ import annotations

from dataclasses import replace

from ..catalogue import Catalogue, Rule, Target, Versions
from ..checks import Hit
from ..edits import Fix
from ..messages import language
from ..printable import cut
from .titles import in_chinese

_NAMED = 20  # rules of one comment
_LONGEST = 500  # characters; only text that somebody else wrote makes a message as long


class Messages:
    """Fills the messages of rules for one target."""

    def __init__(self, catalogue: Catalogue, target: Target, locale: str) -> None:
        self._catalogue, self._target = catalogue, target
        self._language = language(locale)
        self._title = target.title_zh if self._language == "zh" else target.title

    def of(self, hit: Hit) -> str:
        """The message of a hit."""
        chinese = self._language == "zh"
        template = hit.rule.message_zh if chinese else hit.rule.message
        words = {**self._target.words, "target": self._title, **hit.words}
        message = template.format_map(words)
        if len(message) > _LONGEST:
            message = template.format_map({name: cut(word) for name, word in words.items()})
        notes = [self._note(limit, hit) for limit in hit.limits]
        if hit.since:
            notes.insert(0, self._lacking(hit.since, chinese))
        if not notes:
            return message
        joined = "；".join(notes) if chinese else "; ".join(notes)
        return f"{message}（{joined}）" if chinese else f"{message} ({joined})"

    def _note(self, limit: str, hit: Hit) -> str:
        """The sentence of a limit, with what is to blame in this text, where the hit says it."""
        note, shown = self._catalogue.limit(limit, self._language), hit.words.get(limit)
        return f"{note}{'：' if self._language == 'zh' else ': '}`{cut(shown)}`" if shown else note

    def _lacking(self, since: str, chinese: bool) -> str:
        """What is said of a name that the plugin has since a version, and not in all that are checked for."""
        package, version = self._target.words["package"], self._target.version
        if Versions.of(version).may("<", since):
            return f"自 {since} 起" if chinese else f"since {package} {since}"
        return f"{package} {version} 中没有" if chinese else f"not in {package} {version}"

    def alias(self, name: str, dotted: str) -> str:
        """What is said of the place where a local name was bound."""
        name, dotted = cut(name), cut(dotted)
        return f"`{name}` 即 `{dotted}`" if self._language == "zh" else f"`{name}` is `{dotted}`"

    def fixes(self, hit: Hit) -> tuple[Fix, ...]:
        """The fixes of a hit with titles in the user's language."""
        if self._language == "en":
            return hit.fixes
        return tuple(replace(fix, title=in_chinese(fix.title)) for fix in hit.fixes)

    def unused(self, rule: Rule, names: tuple[str, ...], unknown: tuple[str, ...]) -> tuple[str, str]:
        """(title of the fix, message) for a suppression that silences nothing."""
        chinese = self._language == "zh"
        listed = _listed(names) or ("全部规则" if chinese else "every rule")
        template = rule.message_zh if chinese else rule.message
        message = template.format(names=listed)
        if unknown:
            text = _listed(unknown)
            message += f"（没有名为 {text} 的规则）" if chinese else f" (no rule is called {text})"
        title = "Remove the unused suppression"
        return (in_chinese(title) if chinese else title), message


def _listed(names: tuple[str, ...]) -> str:
    """The first names, each short enough to be read."""
    listed = ", ".join(cut(name) for name in names[:_NAMED])
    return f"{listed}, …" if len(names) > _NAMED else listed
