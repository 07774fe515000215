"""Packages come from the configured index, are checked by hash, and are unpacked only into their own folder."""

import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from corpus import fetch

FILE = "tiny-1.0.tar.gz"


def sdist() -> bytes:
    """A source archive with one valid file, and three files whose paths lead out of the archive's folder."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name in ("tiny-1.0/tiny/a.py", "../evil.py", "/tmp/evil.py", "tiny-1.0/C:evil.py"):
            member = tarfile.TarInfo(name)
            member.size = 4
            archive.addfile(member, io.BytesIO(b"a=1\n"))
        link = tarfile.TarInfo("tiny-1.0/link.py")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return buffer.getvalue()


class Index(BaseHTTPRequestHandler):
    """A package index with one file; its page is JSON or HTML."""

    data = sdist()
    kind = "application/vnd.pypi.simple.v1+json"

    def do_GET(self) -> None:
        pages = {
            "application/vnd.pypi.simple.v1+json": json.dumps(
                {"files": [{"filename": FILE, "url": f"../../files/{FILE}"}]}
            ),
            "text/html": f'<a href="../../files/{FILE}#sha256=00" data-x="&gt;">{FILE}</a>',
        }
        body = self.data if self.path == f"/files/{FILE}" else pages[self.kind].encode()
        self.send_response(200 if self.path in (f"/files/{FILE}", "/simple/tiny/") else 404)
        self.send_header("content-type", self.kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Index]]:
    handler = type("OneIndex", (Index,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_address[1]}/simple")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        monkeypatch.setenv("UNCUDA_CORPUS", str(tmp_path))
        pin(monkeypatch, hashlib.sha256(Index.data).hexdigest())
        yield handler
        server.shutdown()


def pin(monkeypatch: pytest.MonkeyPatch, digest: str) -> None:
    monkeypatch.setattr(fetch, "pinned", lambda *_: {"tiny": fetch.Pinned("tiny", FILE, digest)})


@pytest.mark.parametrize("kind", ["application/vnd.pypi.simple.v1+json", "text/html"])
def test_fetches_and_unpacks_only_what_is_inside(index: type[Index], tmp_path: Path, kind: str) -> None:
    index.kind = kind
    folder = fetch.tree("tiny")
    assert folder.parent == tmp_path
    assert [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*"))] == ["tiny", "tiny/a.py"]
    assert not (tmp_path / "evil.py").exists()
    index.data = b"the index is not asked a second time"
    assert fetch.tree("tiny") == folder


def test_another_hash_is_refused(index: type[Index], tmp_path: Path) -> None:
    index.data = b"something else"
    with pytest.raises(ValueError, match="the lock says"):
        fetch.tree("tiny")
    assert not list(tmp_path.rglob("*.py"))


def test_no_index_is_said(index: type[Index], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    with pytest.raises(fetch.Unavailable, match=f"no package index for {FILE}"):
        fetch.tree("tiny")


def test_every_pinned_file_has_a_hash() -> None:
    assert all(len(package.sha256) == 64 for package in fetch.pinned(*fetch.LOCKS).values())
