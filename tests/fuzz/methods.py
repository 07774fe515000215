"""Requests and notifications of every method; one part of the parameters is wrong, or all of them."""

import copy
import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lsprotocol.types import METHOD_TO_TYPES

from fuzz.model import Find, chance
from fuzz.sessions import Session, converse
from fuzz.texts import ODD, python
from fuzz.trees import GOOD, tree
from lsp.test_malformed import Hostile, parts, valid

_ENDING = {"exit", "shutdown"}
_METHODS = sorted({*METHOD_TO_TYPES, "$/unknown", "unknown/method", "", "textDocument/", "x" * 5000} - _ENDING)
_TREE_NAMES = ("a.py", "fifo.py", "zero.py", "b/c.py", "uncuda.toml", ".gitignore", "missing.py", "b", ".", "a.ipynb")
_URIS = (
    *(
        "untitled:victim",
        "untitled:",
        "file:///nowhere/a.py",
        "file:///dev/zero",
        "file:///proc/self/mem",
        "x",
        "",
        "file:",
    ),
    *(
        "file://host/share/a.py",
        "file:///C:/a.py",
        "file:///c%3A/a.py",
        "file:///%00.py",
        "file:///a%0Ab.py",
        "file:///%ff",
    ),
    *(
        "FILE:///a.py",
        "file:relative.py",
        "http://[::1",
        "jar:file:///a!/b.py",
        "vscode-notebook-cell:/a.ipynb#1",
        "\ud800",
    ),
    *(
        "git:/a.py?{%22ref%22:1}",
        "file:///" + "a/" * 3000 + "b.py",
        "file:///" + "x" * 300 + ".py",
        "file:///../../a.py",
    ),
    *("file:///a.py#fragment", "file:///a.py?query", "urn:uuid:1", "%", "file:///%", "data:text/plain,x"),
)


class Methods:
    """Each fuzz input consists of a few messages to the language server."""

    name = "methods"
    size = 200

    def run(self, seed: str, cases: Sequence[int]) -> list[Find]:
        """Send the messages in one session; after each input the server must still give correct diagnostics for a
        document."""
        with tree() as folder:
            _fill(folder)
            session = Session(folder)
            commands = session.client.server["executeCommandProvider"]["commands"]
            hostile = Hostile(session.client)

            def speak(case: int) -> Iterator[Find]:
                choose = chance(seed, self.name, case)
                for _ in range(choose.choice((1, 1, 2, 4))):
                    hostile.send(*_message(choose, folder, commands))
                hostile.check()
                return iter(())

            return converse(session, cases, speak)


def _fill(folder: Path) -> None:
    (folder / "b").mkdir()
    for name in ("a.py", "b/c.py"):
        (folder / name).write_text(GOOD, encoding="utf-8")
    os.mkfifo(folder / "fifo.py")
    (folder / "zero.py").symlink_to("/dev/zero")
    (folder / ".gitignore").write_text("ignored/\n", encoding="utf-8")


def _message(choose: random.Random, folder: Path, commands: list[str]) -> tuple[str, bool, Any]:
    """A random message: method, whether it is a request, parameters."""
    uri = (folder / choose.choice(_TREE_NAMES)).as_uri() if choose.random() < 0.4 else choose.choice(_URIS)
    if choose.random() < 0.15:
        return choose.choice(_METHODS), choose.random() < 0.5, junk(choose)
    method, is_request, params = copy.deepcopy(choose.choice(valid(uri)))
    if method == "workspace/executeCommand":
        params = {
            "command": choose.choice(commands),
            "arguments": [choose.choice(({"uri": uri}, uri, {}, junk(choose)))],
        }
    for holder, key in list(parts(params)):
        if choose.random() < 0.05 and isinstance(holder, dict) and key in ("text", "newText"):
            holder[key] = python(choose)[:5000]
    for _ in range(choose.choice((0, 0, 1, 1, 2))):
        places = [*parts(params)]
        if places:
            holder, key = choose.choice(places)
            if isinstance(holder, dict) and choose.random() < 0.2:
                del holder[key]
            else:
                holder[key] = choose.choice(_URIS) if choose.random() < 0.2 else junk(choose)
    return method, is_request, params


def junk(choose: random.Random, depth: int = 0) -> Any:
    """A random JSON value."""
    kind = choose.randrange(8 if depth < 4 else 6)
    if kind == 6:
        return [junk(choose, depth + 1) for _ in range(choose.randrange(4))]
    if kind == 7:
        names = ("uri", "textDocument", "range", "start", "end", "line", "character", "text", "version", "x", "", "\0")
        return {choose.choice(names): junk(choose, depth + 1) for _ in range(choose.randrange(4))}
    if kind == 5:
        value: Any = choose.choice(([], {}))
        for _ in range(choose.choice((10, 100, 400))):
            value = choose.choice(([value], {"x": value}))
        return value
    simple: tuple[Any, ...] = (
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31,
        2**40,
        -(2**70),
        10**400,
        1.5,
        1e300,
        "",
        "x",
        "\ud800",
    )
    return choose.choice((*simple, choose.choice(ODD), choose.choice(_URIS), "a" * 10_000))
