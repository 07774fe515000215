"""Tests that the server's memory does not grow after ten thousand edits, about a day of typing."""

import random
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from lsp.harness.client import Client
from lsp.harness.expected import places
from lsp.harness.starting import Start
from lsp.harness.text import units
from lsp.harness.traffic import Json

EDITS, WARM = 10_000, 2_000
MOST = 4.0  # the highest allowed growth of the memory in MiB, after warming up: 0.5 KB for each edit
STATEMENTS = [
    "torch.cuda.set_device({})",
    'x{} = y.to("cuda:{}")',
    "torch.distributed.init_process_group(backend='nccl', rank={})  # 中文😀",
    "with torch.cuda.stream(s{}): pass",
]
FUNCTIONS = 100
BODY = "".join(f"def f{n}(x):\n    return x + {n}  # é{n}\n\n" for n in range(FUNCTIONS))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc"),
]


def memory(client: Client) -> float:
    """The memory of the server, in MiB."""
    status = Path(f"/proc/{client.process.pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def test_ten_thousand_edits(start: Start) -> None:
    client, chance = start("vscode"), random.Random(4)
    uri = client.open("untitled:soak", f"import torch\n\n{BODY}torch.cuda.seed()\n")
    held: list[float] = []
    keys = typing(chance)
    for number in range(1, EDITS + 1):
        client.change(uri, next(keys))
        shown = client.diagnostics(uri)
        if number % 1000 == 0:
            assert places(client, uri, shown) == places(client, uri)
            held.append(memory(client))
    assert held[-1] - held[WARM // 1000 - 1] < MOST, [f"{mebibytes:.1f}" for mebibytes in held]


def typing(chance: random.Random) -> Iterator[Json]:
    """Yield endless changes that type a statement at a random place, one character at a time, and then delete it."""
    for number in count():
        line, column = 2 + 3 * chance.randrange(FUNCTIONS), 0
        for key in chance.choice(STATEMENTS).format(number, number) + "\n":
            place = {"line": line, "character": column}
            yield {"range": {"start": place, "end": place}, "text": key}
            column += units(key, "utf-16")
        start, end = ({"line": line + more, "character": 0} for more in (0, 1))
        yield {"range": {"start": start, "end": end}, "text": ""}
