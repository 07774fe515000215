"""The page of a rule, as `uncuda rule` prints it and as reports contain it."""

from __future__ import annotations

import re
from typing import Any

from uncuda import lazy_re
from uncuda.catalogue import CHINESE, Rule, read_chinese, read_page

_DECLARATION = lazy_re.compile(r"^```toml\n.*?^```\n+", re.MULTILINE | re.DOTALL)


def rule_page(rule: Rule, locale: str) -> str:
    """The page of a rule in Markdown: title; the rule's name, severity and fix class; message, reasons, what to do,
    examples."""
    text = rule.path.read_text(encoding="utf-8") if rule.path else ""
    _, _, body = _DECLARATION.sub("", text, count=1).partition("\n")
    body, _, chinese = body.partition(CHINESE)
    if locale == "zh" and chinese.strip():
        body = f"{chinese.strip()}\n\n{body.strip()}"
    facts = f"`{rule.name}` · {rule.severity} · fix: {rule.fix or 'manual'}"
    return f"# {rule.title_in(locale)}\n\n{facts}\n\n> {message(rule, locale)}\n\n{body.strip()}\n"


def page_uri(rule: Rule) -> str:
    """The `file:` URI of a rule's page, which is installed with uncuda; "" if the rule has no file."""
    return rule.path.absolute().as_uri() if rule.path else ""


def rule_record(rule: Rule) -> dict[str, Any]:
    """A rule's page as a JSON object."""
    prose, examples = read_page(rule.path) if rule.path else ("", [])
    return {
        "name": rule.name,
        "title": rule.title,
        "severity": rule.severity,
        "fix": rule.fix or "manual",
        "message": {"en": rule.message, "zh": rule.message_zh},
        "text": prose,
        "chinese": {"title": rule.title_zh, "text": read_chinese(rule.path) if rule.path else ""},
        "examples": [
            {
                "title": example.title,
                "targets": list(example.only),
                "text": example.text,
                "flagged": list(example.flagged),
                "after": example.after,
            }
            for example in examples
        ],
    }


def message(rule: Rule, locale: str) -> str:
    """The rule's message in a language, with its `{placeholders}` not yet filled in."""
    return rule.message_zh if locale == "zh" and rule.message_zh else rule.message
