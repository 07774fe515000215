"""A simulated user who takes random steps in a small workspace of two folders, in one of three kinds of editors.

The steps depend only on the seed, apart from the server's timing.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from lsp.conftest import write
from lsp.harness.client import Client
from lsp.harness.editbuffer import NotApplied
from lsp.harness.profiles import PROFILES, Profile
from lsp.harness.pulls import Pulls
from lsp.harness.traffic import Json
from uncuda.catalogue import load
from uncuda.engine import Report
from uncuda.lsp.state.analyses import Analysis
from uncuda.lsp.state.documents import Document
from uncuda.lsp.state.folders import Folders
from uncuda.lsp.state.inspector import Inspector
from uncuda.lsp.state.render import Renderer
from uncuda.lsp.state.scan import Reader
from uncuda.lsp.wire.client import read_client
from uncuda.lsp.wire.uris import path_of
from uncuda.source import Source
from uncuda.workspace import discover

KINDS = ("workspace", "whole", "documents", "push")
NAMES = [
    *("one/a.py", "one/b.py", "one/c.py", "one/old/d.py", "one/deep/e.py", "one/deep/f.py", "one/sp ace[1].py"),
    *("two/g.py", "two/h.py", "two/i.py", "two/j.py", "two/cuda_k.py"),
]
LINES = [
    *(
        "torch.cuda.synchronize()",
        "x.cuda()",
        "y = torch.device('cuda')",
        "torch.distributed.init_process_group('nccl')",
    ),
    *(
        "n = 1",
        "# 中文 😀",
        "print(n)",
        "def broken(:",
        "import torch_npu",
        "from torch_npu.contrib import transfer_to_npu",
    ),
]
CONFIGURATIONS = [
    'target = "npu"\n',
    'target = "musa"\n',
    'target = "npu"\nexclude = ["old"]\n',
    'target = "npu"\nlocale = "zh"\n',
]


class Editor(Client):
    """An editor that opens the documents that a workspace edit changes, and saves nothing by itself."""

    def __init__(self, kind: str, folders: list[Path], workspace: bool, profile: Profile = PROFILES["vscode"]) -> None:
        if kind == "push":
            profile = profile.having(textDocument__diagnostic=None, workspace__diagnostics=None)
        self.kind = kind
        super().__init__(profile, folders, configuration={"workspaceDiagnostics": workspace})
        self.initialize()
        self.pulls_of: Pulls | None = None
        if kind != "push":
            self.pulls_of = Pulls(self, kind in ("workspace", "whole"), kind == "workspace")

    def look(self, message: Json) -> Mapping[str, str]:
        return {}

    def findings(self) -> dict[str, list[Json]]:
        """The diagnostics that the user sees, by URI."""
        if self.pulls_of:
            return self.pulls_of.findings
        with self.changed:
            return {uri: said["diagnostics"] for uri, said in self.pushed.items() if said["diagnostics"]}

    def show(self, uri: str) -> None:
        """Show a document in a tab."""
        if self.pulls_of:
            self.pulls_of.show(uri)

    def hide(self, uri: str) -> None:
        """Close a document's tab."""
        if self.pulls_of:
            self.pulls_of.hide(uri)

    def _apply_edit(self, params: Json) -> Json:
        try:
            texts = self.buffers._edited(params["edit"])
        except NotApplied as error:
            return {"applied": False, "failureReason": str(error)}
        for uri, text in texts.items():
            if uri not in self.buffers.open:
                self.open(uri)
            self.type(uri, text)
        return {"applied": True}


class Wanderer:
    """Takes random steps in an editor. `client`: the editor; `log`: the steps taken."""

    def __init__(self, root: Path, kind: str, seed: int, profile: Profile = PROFILES["vscode"]) -> None:
        self.root, self.kind, self.chance = root, kind, random.Random(seed)
        self.folders = [root / "one", root / "two"]
        write(root, {name: self._text() for name in NAMES})
        write(root, {"one/uncuda.toml": CONFIGURATIONS[0], "two/uncuda.toml": CONFIGURATIONS[0]})
        self.on = True
        self.configurations = list(CONFIGURATIONS)
        self.client = Editor(kind, self.folders, True, profile)
        self.log: list[str] = []
        self._undo: dict[str, list[str]] = {}
        steps: dict[Callable[[], object], int] = {
            self.open: 14, self.edit: 24, self.undo: 10, self.save: 10, self.close: 12, self.rename: 3,
            self.outside: 10, self.create: 4, self.delete: 3, self.fix_all: 2, self.burst: 5,
            self.configure: 1, self.switch: 1,
        }  # fmt: skip
        self._steps, self._weights = list(steps), list(steps.values())

    def leave_out(self, step: Callable[[], object]) -> None:
        """Never take the given step."""
        del self._weights[self._steps.index(step)]
        self._steps.remove(step)

    def step(self) -> None:
        """Take one random step."""
        self.chance.choices(self._steps, self._weights)[0]()
        if self.client.pulls_of and self.chance.random() < 0.7:
            self.client.pulls_of.look()

    def open(self) -> None:
        closed = [uri for uri in self._files() if uri not in self._open]
        if closed:
            self._show(self.chance.choice(closed))

    def edit(self) -> None:
        if uri := self._any():
            self._note("edit", uri)
            self._remember(uri)
            lines = self.client.buffers.open[uri].text.split("\n")
            place = self.chance.randrange(len(lines))
            lines[place:place] = [self.chance.choice(LINES)]
            if self.chance.random() < 0.4:
                del lines[self.chance.randrange(len(lines))]
            self.client.type(uri, "\n".join(lines))

    def undo(self) -> None:
        changed = [uri for uri in sorted(self._open) if self._undo.get(uri)]
        if changed:
            uri = self.chance.choice(changed)
            self._note("undo", uri)
            self.client.type(uri, self._undo[uri].pop())

    def save(self, uri: str | None = None) -> None:
        if uri := uri or self._any():
            self._note("save", uri)
            self.client.save(uri)
            self.client.watched(Path(path_of(uri) or ""), 2)

    def close(self, uri: str | None = None, tab: bool | None = None) -> None:
        if uri := uri or self._any():
            tab = self.chance.random() < 0.5 if tab is None else tab
            self._note("close with its tab" if tab else "close", uri)
            self._undo.pop(uri, None)
            if tab:
                self.client.hide(uri)
            self.client.close(uri)

    def rename(self) -> None:
        files = self._files()
        if files:
            old = self.chance.choice(files)
            new = Path(path_of(old) or "").with_name(f"r{self.chance.randrange(1000)}.py")
            if new.exists():
                return
            self._note(f"rename to {new.name}", old)
            text = self.client.buffers.open[old].text if old in self._open else None
            Path(path_of(old) or "").rename(new)
            if text is not None:
                self.close(old, tab=True)
                self._show(self.client.uri(new), text)
            changes = [{"uri": old, "type": 3}, {"uri": new.as_uri(), "type": 1}]
            self.client.notify("workspace/didChangeWatchedFiles", {"changes": changes})

    def outside(self) -> None:
        closed = [uri for uri in self._files() if uri not in self._open]
        if closed:
            uri = self.chance.choice(closed)
            self._note("outside change", uri)
            path = Path(path_of(uri) or "")
            path.write_text(self._text(), encoding="utf-8")
            self.client.watched(path, 2)

    def create(self) -> None:
        path = self.root / self.chance.choice(NAMES)
        if not path.exists():
            self._note("create", path.as_uri())
            path.write_text(self._text(), encoding="utf-8")
            self.client.watched(path, 1)

    def delete(self) -> None:
        files = self._files()
        if len(files) > 5:
            uri = self.chance.choice(files)
            self._note("delete", uri)
            if uri in self._open:
                self.close(uri, tab=True)
            path = Path(path_of(uri) or "")
            path.unlink()
            self.client.watched(path, 3)

    def fix_all(self) -> None:
        """Run Fix All in Workspace as in VS Code, undo it or not, then save and close the documents that the command
        opened."""
        self._note("fix all", "")
        before = {uri: self.client.text(uri) for uri in self._files()}
        opened = set(self._open)
        self.client.execute("uncuda.fixAllInWorkspace")
        changed = [uri for uri in sorted(self._open) if uri in before and self.client.text(uri) != before[uri]]
        self._note(f"changed {[Path(uri).name for uri in changed]}", "")
        # VS Code saves documents after a refactoring, and then closes documents that have no tab
        if self.chance.random() < 0.5:
            for uri in changed:
                self.save(uri)
            for uri in sorted(self._open - opened):
                self.close(uri, tab=False)
        if self.chance.random() < 0.7:
            self._note("undo all", "")
            for uri in changed:
                if uri not in self._open:
                    self.client.open(uri)
                self.client.type(uri, before[uri])
        for uri in sorted(self._open - opened):
            if self.chance.random() < 0.8:
                self.client.show(uri)
        if self.chance.random() < 0.7:
            self._note("save all", "")
            for uri in sorted(self._open - opened):
                self.save(uri)
                if self.chance.random() < 0.9:
                    self.close(uri, tab=False)

    def burst(self) -> None:
        """Open, change, undo, save and close a document without waiting for a reply."""
        if files := self._files():
            uri = self.chance.choice(files)
            if uri not in self._open:
                self._show(uri)
            for do in self.chance.choices([self._retype, self.save, self._reopen], k=3):
                do(uri)
            if self.chance.random() < 0.5:
                self.close(uri)

    def configure(self) -> None:
        path = self.chance.choice(self.folders) / "uncuda.toml"
        text = self.chance.choice(self.configurations)
        self._note(f"configure {text!r}", path.as_uri())
        path.write_text(text, encoding="utf-8")
        self.client.watched(path, 2)

    def switch(self) -> None:
        self.on = not self.on
        self._note(f"workspace diagnostics {self.on}", "")
        self.client.configure({"workspaceDiagnostics": self.on})
        if not self.on:  # switch the setting on again soon, because little is shown while it is off
            self._steps.append(self.switch)
            self._weights.append(15)
        elif len(self._weights) > len(set(self._steps)):
            del self._steps[-1], self._weights[-1]

    def rest(self) -> dict[str, list[Json]]:
        """Wait until the user sees the expected diagnostics, and return them. If the time is up, raises AssertionError
        with the diagnostics that are shown and those that are expected, for each file in which they differ."""
        due = self.due()
        try:
            self.client.wait(lambda: self.client.findings() == due, "agreement")
        except AssertionError as error:
            shown = self.client.findings()
            wrong = [
                f"{uri} ({'open' if uri in self._open else 'closed'}): "
                f"shown {_brief(shown.get(uri))}, due {_brief(due.get(uri))}"
                for uri in sorted({*shown, *due})
                if shown.get(uri) != due.get(uri)
            ]
            raise AssertionError("\n".join([str(error), *wrong, "last steps:", *self.log[-60:]])) from None
        return due

    def due(self) -> dict[str, list[Json]]:
        """The diagnostics that the user should see, computed without a server."""
        client = self.client
        params = client.profile.initialize(client.folders, client.options)
        folders = Folders(read_client(params), params)
        folders.set_editor(dict.fromkeys(["", *(folder.uri for folder in folders.all)], client.configuration))
        shims = self._read_projects(folders)
        renderer = Renderer(folders.client, load(), lambda program, target: _shim(shims, folders, program.path, target))
        inspector = Inspector(folders, [folder.uri for folder in folders.all], shims)
        closed = self.on and self.kind in ("workspace", "whole")
        found = {}
        for uri, buffer in client.buffers.open.items():
            if client.pulls_of is None or closed or uri in client.pulls_of.tabs:
                document = Document(uri, "python", buffer.version, buffer.text, folders.client.encoding)
                choice = folders.choice_of(document)
                report = Report() if choice.left_out else choice.engine.check(Source(buffer.text, document.path))
                found[uri] = renderer.items(Analysis(document, buffer.text, 1, choice.engine, report))[uri]
        if closed:
            paths = [path_of(uri) or "" for uri in self._files() if uri not in self._open]
            found |= {client.uri(Path(record.path)): record.items for record in inspector.some(paths)}
        return {uri: json.loads(items) for uri, items in found.items() if items != "[]"}

    def again(self) -> Editor:
        """Return an editor with a new server, whose documents are in the same state as those of this editor."""
        other = Editor(self.kind, self.folders, self.on)
        for uri, buffer in self.client.buffers.open.items():
            if self.client.pulls_of and uri in self.client.pulls_of.tabs:
                other.show(uri)
            other.open(uri, buffer.text, version=buffer.version)
        return other

    def _read_projects(self, folders: Folders) -> dict[str, dict[str, Any]]:
        """Set the `project` of each folder from the facts about its files; return, by folder and target, the first
        place where a file imports a runtime patch."""
        reader = Reader(folders.catalogue)
        shims: dict[str, dict[str, Any]] = {}
        opened = {path_of(uri): buffer.text for uri, buffer in self.client.buffers.open.items()}
        for folder in folders.all:
            settings = partial(folders.settings_for, folder=folder)
            paths = {file.path for file in discover([folder.path], settings, empty=True).files}
            facts = {path: reader.file(path) for path in paths}
            facts |= {
                path: reader.facts(text.encode(), path) for path, text in opened.items() if path and folder.holds(path)
            }
            facts = {path: said for path, said in facts.items() if said}
            folder.project = reader.project(facts)
            folder.scanned = True
            for target, module in reader.shims.items():
                for path, said in sorted(facts.items()):
                    exact = (module, reader.variables.get(target))
                    names = [
                        name for name in said.modules if module and (name in exact or name.startswith(module + "."))
                    ]
                    if names:
                        place = said.modules[names[0]]
                        points = ((place.line, place.columns[0]), (place.line, place.columns[1]))
                        shims.setdefault(folder.uri, {})[target] = (Path(path).as_uri(), *points)
                        break
        return shims

    @property
    def _open(self) -> set[str]:
        return set(self.client.buffers.open)

    def _files(self) -> list[str]:
        return sorted(path.as_uri() for path in self.root.rglob("*.py"))

    def _any(self) -> str | None:
        return self.chance.choice(sorted(self._open)) if self._open else None

    def _show(self, uri: str, text: str | None = None) -> None:
        self._note("open", uri)
        if self.chance.random() < 0.9:
            self.client.show(uri)
        self.client.open(uri, text)

    def _remember(self, uri: str) -> None:
        self._undo.setdefault(uri, []).append(self.client.buffers.open[uri].text)

    def _retype(self, uri: str) -> None:
        self._note("retype", uri)
        self._remember(uri)
        self.client.type(uri, self._text())

    def _reopen(self, uri: str) -> None:
        self.close(uri)
        self._show(uri)

    def _text(self) -> str:
        return "\n".join(["import torch", *self.chance.choices(LINES, k=self.chance.randrange(5)), ""])

    def _note(self, what: str, uri: str) -> None:
        self.log.append(f"{what} {Path(uri).name}")


def _shim(shims: Mapping[str, Mapping[str, Any]], folders: Folders, path: str, target: str) -> Any:
    folder = folders.folder_of(path)
    return shims.get(folder.uri, {}).get(target) if folder else None


def _brief(items: list[Json] | None) -> str:
    return str([(item["range"]["start"]["line"], item["code"], item["message"][:30]) for item in items or []])
