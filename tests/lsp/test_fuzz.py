"""Tests that after any sequence of edits the server's text equals the client's, and that no message makes the server
crash or hang."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lsp.harness.client import Client
from lsp.harness.editbuffer import Buffer
from lsp.harness.expected import places
from lsp.harness.profiles import PROFILES
from lsp.harness.starting import Start
from lsp.harness.text import Positions, line_starts, units
from lsp.harness.traffic import Json
from uncuda.lsp.state.documents import Document
from uncuda.lsp.wire.positions import Encoding

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
FEW = settings(max_examples=100, suppress_health_check=list(HealthCheck), deadline=None)
# Characters of one to four bytes in UTF-8, characters that only some editors treat as line ends, and pieces of code.
PIECES = st.sampled_from(
    [
        *("", "x", "é", "中文", "😀", "𝒳", "\t", "#", '"', "\n", "\r\n", "\r"),
        *("\f", "\v", "\x1c", "\x85", "\u2028", "\u2029", "\0", "\\\n", "(", "    ", "'''"),
        *("torch.cuda.synchronize()", "y.cuda()", 'device="cuda"', "import torch\n"),
    ]
)
LINES = [
    "import torch",
    "s = '😀'; torch.cuda.synchronize()",
    "def f(中):",
    "    return torch.cuda.device_count()  # é",
]
TEXTS = st.lists(st.sampled_from([*LINES, "", "\f", "x = 1  # \u2028 torch.cuda"]), min_size=1, max_size=6).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n", "\r"]).map(lambda end: end.join([*lines, "torch.cuda.seed()"]))
)
# An edit: its start (a fraction of the text, or a line), its length, its new text, and whether its end is beyond the
# end of the line.
EDITS = st.tuples(
    st.floats(0, 1) | st.integers(0, 9),
    st.sampled_from([0.0, 0.0, 0.1, 0.3]),
    st.lists(PIECES, max_size=3).map("".join),
    st.booleans(),
)


def content_change(buffer: Buffer, encoding: str, edit: Any, whole: bool) -> Json:
    """Return the `didChange` parameters for an edit; with `beyond`, the edit's end is a column larger than the line,
    which means the line's end."""
    place, length, text, beyond = edit
    starts, size = line_starts(buffer.text), len(buffer.text)
    start = starts[place % len(starts)] if isinstance(place, int) else int(place * size)
    if whole:
        return {"text": buffer.text[:start] + text}
    positions = Positions(buffer.text, encoding)
    range_ = positions.range(start, min(size, start + int(length * size)))
    if beyond:
        range_["end"]["character"] = units(positions.line(range_["end"]["line"]), encoding) + 7
    return {"range": range_, "text": text}


@settings(max_examples=500)
@given(TEXTS, st.lists(EDITS, max_size=12), st.sampled_from(ENCODINGS))
@pytest.mark.slow
def test_edits_keep_every_character_and_line(text: str, edits: list[Any], encoding: Encoding) -> None:
    ours, theirs = Buffer("untitled:a", "python", 1, text), Document("untitled:a", "python", 1, text, encoding)
    for edit in edits:
        change = content_change(ours, encoding, edit, whole=False)
        ours.change([change], encoding)
        theirs.apply([change])
        assert theirs.text == ours.text
        starts = [theirs.lines.start(number) for number in range(theirs.lines.count)]
        assert starts == line_starts(ours.text)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_edits_keep_texts_equal(start: Start, encoding: str) -> None:
    client = start(PROFILES["vscode"].counting(encoding))

    @FEW
    @given(TEXTS, st.lists(st.lists(EDITS, min_size=1, max_size=3), max_size=8), st.sampled_from([0, 0, 0, 1]))
    def check(text: str, batches: list[Any], whole: int) -> None:
        uri = client.open("untitled:fuzz", text)
        try:
            for batch in batches:
                change_in_one(client, uri, batch, bool(whole))
                assert places(client, uri, client.diagnostics(uri)) == places(client, uri)
        finally:
            client.close(uri)

    check()


def change_in_one(client: Client, uri: str, batch: list[Any], whole: bool) -> None:
    """Send several edits in one `didChange` notification; the positions of each refer to the text after the previous
    edits."""
    known = client.buffers.open[uri]
    buffer = Buffer(uri, "python", known.version, known.text)
    changes = []
    for edit in batch:
        changes.append(content_change(buffer, client.buffers.encoding, edit, whole))
        buffer.change(changes[-1:], client.buffers.encoding)
    client.change(uri, *changes)
