"""The URIs of the pages about rules: for clients that request the text of a page from the server, or as files in the
user's cache folder."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, unquote

from uncuda import lazy_re
from uncuda.catalogue import Catalogue, Rule, Target

from ..wire.client import Client
from ..wire.logs import logger
from ..wire.uris import uri_of

SCHEME = "uncuda-rule"
_SIGNS = {"<": "lt", ">": "gt", "=": "eq", ",": "-"}
_PATH = lazy_re.compile(rf"{SCHEME}:/(en|zh)/([^/]+)/([^/]+)/([^/]+)\.md")


class Pages:
    """The pages of rules for one client."""

    def __init__(self, client: Client, catalogue: Catalogue) -> None:
        self._client, self._catalogue = client, catalogue
        self._known: dict[tuple[str, str, str, str], str] = {}

    def uri(self, name: str, target: Target, locale: str) -> str:
        """The URI of a rule's page for a target, in "en" or "zh"; "" if there is no such rule."""
        key = locale, target.id, target.version, name
        known = self._known.get(key)
        if known is None:
            rule = self._catalogue.rules.get(name)
            known = self._known[key] = self._uri(rule, target, locale) if rule is not None and rule.path else ""
        return known

    def _uri(self, rule: Rule, target: Target, locale: str) -> str:
        if self._client.rule_pages:
            parts = (locale, target.id, target.version, f"{rule.name}.md")
            return f"{SCHEME}:/" + "/".join(quote(part, safe="") for part in parts)
        version = "".join(_SIGNS.get(sign, sign) for sign in target.version)
        folder = cache_folder()
        if folder is not None:
            path = folder / "rules" / locale / target.id / version / f"{rule.name}.md"
            try:
                _write(path, self._text(rule, target, locale))
            except OSError as error:
                logger.info("the page of %s is not written: %s", rule.name, error)
            else:
                return uri_of(str(path))
        return uri_of(str(rule.path.absolute())) if rule.path else ""

    def text(self, uri: str) -> str | None:
        """The text of the page with this URI; None if there is none."""
        match = _PATH.fullmatch(uri)
        if match is None:
            return None
        locale, identifier, version, name = map(unquote, match.groups())
        rule = self._catalogue.rules.get(name)
        if rule is None or identifier not in self._catalogue.declarations:
            return None
        return self._text(rule, self._catalogue.target(identifier, version), locale)

    def _text(self, rule: Rule, target: Target, locale: str) -> str:
        # imported here, because the page is needed only when the first finding is shown
        from uncuda.report.rule_page import page_of

        return page_of(rule, target, self._catalogue, locale)


def cache_folder() -> Path | None:
    """The user's cache folder for uncuda; None if the environment does not name one."""
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")  # noqa: PTH111 of nobody's home it says nothing
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    return Path(base) / "uncuda" if os.path.isabs(base) else None  # noqa: PTH117


def _write(path: Path, text: str) -> None:
    """Write a page to a file atomically, unless the file exists already."""
    data = text.encode()
    with suppress(OSError):
        if path.read_bytes() == data:
            return
    import tempfile  # imported here, because a page is written only once for each version

    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".page")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)  # noqa: PTH108
        raise
