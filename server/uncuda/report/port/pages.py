"""Converts the Markdown documentation of rules to HTML.

Only the Markdown syntax that this documentation uses is supported; a test checks that it uses no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from uncuda import lazy_re
from uncuda.printable import printable, printable_lines

_BLOCK = lazy_re.compile(
    r"^```(?P<info>[^\n]*)\n(?P<code>.*?)^```[ \t]*$|^(?P<text>(?!```)\S[^\n]*(?:\n(?!\n|```)[^\n]*)*)", re.M | re.S
)
_INLINE = lazy_re.compile(
    r"(?P<ticks>`+)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)"
    r"|\*\*(?P<strong>[^*\n]+)\*\*"
    r"|\[(?P<label>[^\]\n]+)\]\((?P<link>https://[^\s()<>\"]+)\)",
    re.S,
)
_HEADING = lazy_re.compile(r"(#+) +(.*)")
_TOP = 3  # heading level of a rule's title in the report (h3)
_LOWEST = 6


def page_html(markdown: str) -> str:
    """Return the documentation of a rule as HTML, without its first line (the title)."""
    return "\n".join(_blocks(markdown.partition("\n")[2]))


def _blocks(markdown: str) -> Iterator[str]:
    for match in _BLOCK.finditer(markdown):
        if match["code"] is not None:
            yield f'<pre tabindex="0"><code>{escape(printable_lines(match["code"].rstrip()))}</code></pre>'
        elif heading := _HEADING.fullmatch(match["text"].strip()):
            level = min(_TOP - 1 + len(heading[1]), _LOWEST)
            yield f"<h{level}>{_inline(heading[2])}</h{level}>"
        elif match["text"].startswith("> "):
            yield f"<blockquote><p>{_inline(re.sub('^> ?', '', match['text'], flags=re.M))}</p></blockquote>"
        elif match["text"].startswith("|"):
            yield _table(match["text"])
        else:
            yield f"<p>{_inline(match['text'])}</p>"


def _table(text: str) -> str:
    head, _, *rows = [[cell.strip() for cell in _cells(line)] for line in text.strip().split("\n")]
    heads = "".join(f'<th scope="col">{_inline(cell)}</th>' for cell in head)
    lines = "".join(f"<tr>{''.join(f'<td>{_inline(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"


def _cells(line: str) -> list[str]:
    """Return the cells of a table row; a vertical bar after a backslash is text, not the end of a cell."""
    return [cell.replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _inline(text: str) -> str:
    """Convert inline Markdown to HTML: code spans, bold and https links; line breaks become spaces."""
    parts, end = [], 0
    for match in _INLINE.finditer(text):
        parts += [_text(text[end : match.start()]), _span(match)]
        end = match.end()
    return "".join([*parts, _text(text[end:])])


def _span(match: re.Match[str]) -> str:
    if match["code"] is not None:
        return f"<code>{_text(match['code'].strip(' '))}</code>"
    if match["strong"] is not None:
        return f"<strong>{_text(match['strong'])}</strong>"
    return f'<a href="{escape(match["link"])}" rel="noreferrer">{_text(match["label"])}</a>'


def _text(text: str) -> str:
    return escape(" ".join(map(printable, text.split("\n"))))
