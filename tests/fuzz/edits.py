"""Random typing in open documents and notebooks: the diagnostics must equal those of a newly opened text."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from fuzz.model import Find, chance, first_of_run
from fuzz.sessions import Session, converse
from fuzz.texts import ODD, SCRAPS, python
from fuzz.trees import tree
from lsp.harness.client import Client
from lsp.harness.traffic import Json
from lsp.test_fuzz import LINES, change_in_one
from lsp.test_fuzz_notebooks import Notebook

T = TypeVar("T")
_FIELDS = ("code", "range", "severity", "message", "tags", "relatedInformation")
_PIECES = (*SCRAPS, *ODD, *LINES, "", "", "x")
_LONGEST = 20_000
# How long a server may use outdated facts about a project after a document was opened or closed, because it updates
# them when typing pauses.
_REST = 5.0


class Edits:
    """Each fuzz input is a document with a dozen changes."""

    name = "edits"
    size = 30

    def run(self, seed: str, cases: Sequence[int]) -> list[Find]:
        """Type in documents in one server, and open them in another to compare."""
        choose = chance(seed, self.name, f"run {first_of_run(self, cases)}")
        encoding = choose.choice(("utf-16", "utf-16", "utf-8", "utf-32"))
        with tree() as folder:
            fresh = Session(folder, encoding, conforming=True)
            try:
                typed = Session(folder, encoding, conforming=True)

                def speak(case: int) -> Iterator[Find]:
                    choose = chance(seed, self.name, case)
                    script = _notebook if choose.random() < 0.15 else _document
                    yield from script(typed.client, fresh.client, folder, case, choose)

                finds = converse(typed, cases, speak)
                return [*finds, *fresh.end()]
            finally:
                fresh.kill()


def _document(typed: Client, fresh: Client, folder: Path, case: int, choose: random.Random) -> Iterator[Find]:
    texts = [_text(choose)]
    path = folder / f"d{case}.py"
    if choose.random() < 0.3:
        _write(path, texts[0], typed, fresh)
    uri = typed.open(path if path.exists() else f"untitled:d{case}", texts[0])
    for _ in range(choose.randrange(1, 15)):
        kind = choose.randrange(10)
        if kind == 0:
            typed.type(uri, choose.choice(texts))  # undo
        elif kind == 1 and texts[-1]:
            _retype_line(typed, uri, choose)
        elif kind == 2:
            for action in typed.actions(uri, only=["source.fixAll"]):
                typed.do(action)
        elif kind == 3 and path.exists():
            _write(path, typed.text(uri), typed, fresh)
            typed.save(uri)
        else:
            change_in_one(
                typed, uri, [_edit(choose) for _ in range(choose.choice((1, 1, 1, 2, 4)))], choose.random() < 0.05
            )
        texts.append(typed.text(uri))
        if choose.random() < 0.7:
            yield from _same(typed, fresh, uri)
    yield from _same(typed, fresh, uri)
    typed.close(uri)


def _write(path: Path, text: str, *clients: Client) -> None:
    """Write a file and notify every server, because the file may change the facts about its project."""
    kind = 2 if path.exists() else 1
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    for client in clients:
        client.watched(path, kind)


def _same(typed: Client, fresh: Client, uri: str) -> Iterator[Find]:
    """Compare the diagnostics of an open document with the diagnostics of a server that opens the same text for the
    first time."""
    text = typed.text(uri)
    fresh.open(uri, text)
    got, due = _at_rest(lambda: _shown(typed.diagnostics(uri)), lambda: _shown(fresh.diagnostics(uri)))
    fresh.close(uri)
    if got != due:
        files = {"text.py": text.encode("utf-8", "surrogatepass")}
        detail = f"{uri}\ntyped only: {_less(got, due)}\nfresh only: {_less(due, got)}\nother diagnostics"
        yield Find("typed is not fresh", detail, files=files)


def _at_rest(typed: Callable[[], T], fresh: Callable[[], T]) -> tuple[T, T]:
    """Return the results of both servers as soon as they are equal, or when the time is over."""
    deadline = time.monotonic() + _REST
    while (got := typed()) != (due := fresh()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return got, due


def _notebook(typed: Client, fresh: Client, folder: Path, case: int, choose: random.Random) -> Iterator[Find]:
    path = folder / f"n{case}.ipynb"
    notebook = Notebook(typed, path, [_cell(choose) for _ in range(choose.randrange(4))])
    for _ in range(choose.randrange(1, 12)):
        what = choose.choice(("insert", "delete", "move", "type", "type", "type", "cut"))
        notebook.step(what, choose.randrange(10), _step(what, choose))
        texts = [typed.text(uri) for uri in notebook.uris]
        opened = Notebook(fresh, path, texts)
        got, due = _at_rest(
            lambda: [_shown(typed.diagnostics(uri), notebook.uris) for uri in notebook.uris],
            lambda opened=opened: [_shown(fresh.diagnostics(uri), opened.uris) for uri in opened.uris],  # type: ignore[misc]
        )
        opened.close()
        if got != due:
            yield Find("a typed notebook is not fresh", f"{texts!r}\n{got}\n{due}\nother diagnostics")
    notebook.close()


def _step(what: str, choose: random.Random) -> Any:
    """Return a random value for the parameter `more` of `Notebook.step`: the text of the new cell, the position to move
    a cell to, or where in a cell to type or delete, and what."""
    if what == "insert":
        return _cell(choose)
    if what == "move":
        return choose.randrange(10)
    return choose.random(), choose.choice(_PIECES) or "x" if what == "type" else choose.choice((1, 5, 20))


def _shown(items: list[Json], cells: Sequence[str] = ()) -> list[str]:
    """The diagnostics as strings; `cells` are named by position, because a moved cell has another URI."""
    shown = []
    for item in items:
        said = repr({key: item.get(key) for key in _FIELDS})
        for place, uri in enumerate(cells):
            said = said.replace(repr(uri), f"cell {place}")
        shown.append(said)
    return sorted(shown)


def _less(some: list[str], others: list[str]) -> list[str]:
    return [item for item in some if item not in others][:5]


def _retype_line(client: Client, uri: str, choose: random.Random) -> None:
    """Empty a line and type it again, letter by letter."""
    text = client.text(uri)
    start = text.rfind("\n", 0, choose.randrange(len(text))) + 1
    end = text.find("\n", start)
    line = text[start : end if end >= 0 else len(text)][:60]
    for length in range(len(line) + 1):
        client.type(uri, text[:start] + line[:length] + text[start + len(line) :])
        if choose.random() < 0.2:
            client.diagnostics(uri)


def _text(choose: random.Random) -> str:
    return python(choose)[: choose.choice((2000, 4000, _LONGEST))].encode("utf-8", "ignore").decode("utf-8")


def _cell(choose: random.Random) -> str:
    return choose.choice(
        (choose.choice(LINES), choose.choice(LINES), "%%time\nx.cuda()", "!nvidia-smi", _text(choose)[:2000])
    )


def _edit(choose: random.Random) -> tuple[float | int, float, str, bool]:
    """Return a random edit in the form that `content_change` takes."""
    place: float | int = choose.random() if choose.random() < 0.7 else choose.randrange(30)
    text = "".join(choose.choice(_PIECES) for _ in range(choose.choice((0, 1, 1, 2, 3))))
    return place, choose.choice((0.0, 0.0, 0.002, 0.02, 0.3)), text, choose.random() < 0.1
