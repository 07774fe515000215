"""The page of a rule for users: in one language, filled in for one target and version."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from uncuda import lazy_re
from uncuda.catalogue import CHINESE, Catalogue, Rule, Target, Versions, read_chinese, read_page
from uncuda.catalogue.model import IN_BRACES
from uncuda.catalogue.ranges import minor
from uncuda.engine import Engine
from uncuda.engine.several import make_engine
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source

from .proofs import Proof, load_proofs, proof_section
from .words import PageWords, Words

_BLOCK = lazy_re.compile(r"^```(\w*)[ \t]*([^\n]*)\n(.*?)^```[ \t]*$", re.M | re.S)
_LINK = lazy_re.compile(r"\[([^\]]+)\]\((?!https://|#)[^)]*\)")
_FLAG = lazy_re.compile(r"# flagged$", re.M)
_PYTHON = "python"


def page_of(rule: Rule, target: Target, catalogue: Catalogue, locale: str) -> str:
    """A rule's page in Markdown. The page contains only https links; the text of other links is kept as plain text."""
    return _Page(rule, target, catalogue, locale).text()


class _Page:
    def __init__(self, rule: Rule, target: Target, catalogue: Catalogue, locale: str) -> None:
        self._rule, self._target, self._catalogue = rule, target, catalogue
        self._say = PageWords(locale)
        self._title = target.title_zh if locale == "zh" else target.title

    def text(self) -> str:
        rule, say = self._rule, self._say
        source = rule.path.read_text(encoding="utf-8") if rule.path else ""
        declaration = _BLOCK.search(source)
        body = source[declaration.end() :] if declaration else ""
        body = body.partition(CHINESE)[0]
        chinese = read_chinese(rule.path) if say.chinese and rule.path else ""
        prose, *sections = re.split(r"^(?=## )", body, flags=re.M)
        parts = [f"# {rule.title_in(say.locale)}", self._facts(), f"> {self._message()}", *self._limit()]
        if chinese:
            examples = "\n\n".join(self._blocks(body, say))
            parts += [self._prose(chinese), f"## {say('examples')}\n\n{examples}" if examples else ""]
        else:
            parts += [self._prose(prose), *map(self._section, sections)]
        parts.append(self._proof())
        return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"

    def _facts(self) -> str:
        """A line with the rule's name, severity and fix class, and the target and version."""
        say, target = self._say, self._target
        plugin = f"{target.words['package']} {target.version}".strip()
        return " · ".join(
            [f"`{self._rule.name}`", say(self._rule.severity), say(self._rule.fix or "manual"), self._title, plugin]
        )

    def _message(self) -> str:
        """Return the rule's message for its first example; if there is no example, the template of the message with "…"
        for placeholders."""
        rule = self._rule
        for example in read_page(rule.path)[1] if rule.path else ():
            if example.flagged and self._concerns([*example.only, *example.project]):
                strategy = _options(example.project).get("strategy", "auto")
                engine = _engine(self._catalogue, self._target.id, self._target.version, self._say.locale, strategy)
                found = engine.check(Source(example.text, "example.py")).findings
                if said := [finding.message for finding in found if finding.rule == rule.name]:
                    return said[0]
        words = {**self._target.words, "target": self._title}
        if isinstance(new := rule.get("replace"), str):
            words["new"] = self._fill(new)
        template = rule.message_zh if self._say.chinese else rule.message
        return IN_BRACES.sub(lambda found: words.get(found[1], "…"), template)

    def _limit(self) -> list[str]:
        """Return the sentence that says why the target lacks the feature that the rule is about; empty if the rule is
        not about a missing feature."""
        reason = str(self._target.features.get(self._rule.needs, "yes")) if self._rule.needs else "yes"
        return [] if reason == "yes" else [self._catalogue.limit(reason, self._say.locale)]

    def _fill(self, text: str) -> str:
        return IN_BRACES.sub(lambda found: self._target.words.get(found[1], found[0]), text)

    def _prose(self, text: str) -> str:
        return _LINK.sub(r"\1", self._fill(text))

    def _section(self, text: str) -> str:
        """Return a section of the page that contains examples; "" if all of them are for other targets or versions."""
        blocks = list(self._blocks(text, None))
        if not blocks and _BLOCK.search(text):
            return ""
        return "\n\n".join(part for part in (self._prose(_BLOCK.sub("", text)).strip(), *blocks) if part)

    def _blocks(self, text: str, say: PageWords | None) -> Iterator[str]:
        """Yield the code blocks for this target, with a title above each result. `say`: None leaves out the sentence
        that stands above an example without findings."""
        shown = True
        for language, info, code in (match.groups() for match in _BLOCK.finditer(text)):
            if language == _PYTHON and info.startswith("->"):
                if shown and self._target.id in info[2:].split():
                    yield f"{self._say('result', self._title)}\n\n{_fenced(code)}"
                continue
            shown = language != _PYTHON or self._concerns(info.split())
            if shown:
                marked = _FLAG.sub(f"# {self._say('reported')}", code)
                quiet = say is not None and language == _PYTHON and marked == code
                yield (f"{self._say('not reported')}\n\n" if quiet else "") + _fenced(marked, language)

    def _concerns(self, words: list[str]) -> bool:
        """Return whether an example with these words after ```python applies to this target and version."""
        options = _options(words)
        only = [word for word in words if ":" not in word]
        exact = Versions.of(self._target.version).exact
        near = "version" not in options or not exact or minor(options["version"]) == minor(exact)
        return near and (not only or self._target.id in only)

    def _proof(self) -> str:
        proofs = _proofs().get(self._rule.name, {})
        mine = {self._target.id: proofs[self._target.id]} if self._target.id in proofs else {}
        if self._say.chinese:  # the reasons why examples did not run exist in English only
            mine = {target: replace(proof, reason="") for target, proof in mine.items()}
        return proof_section(mine, self._catalogue, Words(self._say.locale))


@lru_cache(maxsize=4)
def _engine(catalogue: Catalogue, target: str, version: str, locale: str, strategy: str) -> Engine:
    return make_engine(catalogue, target, Settings(target_version=version, locale=locale, strategy=strategy), Project())


@lru_cache(maxsize=1)
def _proofs() -> dict[str, dict[str, Proof]]:
    return load_proofs()


def _options(words: Iterable[str]) -> dict[str, str]:
    return dict(word.split(":", 1) for word in words if ":" in word)


def _fenced(code: str, language: str = _PYTHON) -> str:
    return f"```{language}\n{code}```"
