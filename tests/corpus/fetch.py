"""Downloads the packages of the lock files into a cache and unpacks them, checked by SHA-256; no code in them is run.

    python tests/corpus/fetch.py [NAME…]    fetch these (default: all), print the folder of each

The cache folder is $UNCUDA_CORPUS, or .cache/corpus in the checkout. The package index is the one for which pip is
configured.
"""

import hashlib
import html.parser
import http.client
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
LOCKS = ("corpus.lock", "witness.lock")
TIMEOUT_SECONDS = 60
TRIES = 3
FAILURES = (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError)


class Unavailable(Exception):
    """A package cannot be downloaded; the message says why."""


class Pinned(NamedTuple):
    """One package of a lock file."""

    name: str
    file: str
    sha256: str


def pinned(*locks: str) -> dict[str, Pinned]:
    """Return the packages of some lock files by name (default: the packages of corpus.lock)."""
    names = locks or LOCKS[:1]
    lines = [line for lock in names for line in (HERE / lock).read_text(encoding="utf-8").splitlines()]
    rows = [Pinned(*line.split()) for line in lines if line.strip() and not line.startswith("#")]
    return {row.name: row for row in rows}


def cache() -> Path:
    """The folder that contains the unpacked packages and the archives they came from."""
    return Path(os.environ.get("UNCUDA_CORPUS") or HERE.parents[1] / ".cache" / "corpus")


def tree(name: str) -> Path:
    """The unpacked sources of a package, downloaded if they are missing; raises Unavailable."""
    package = pinned(*LOCKS)[name]
    folder = cache() / f"{name}-{package.sha256[:8]}"
    if not folder.is_dir():
        archive = _archive(package)
        with tempfile.TemporaryDirectory(dir=cache(), prefix=".unpack-") as scratch:
            unpacked = _unpack(archive, Path(scratch) / "tree")
            try:
                unpacked.rename(folder)
            except OSError:  # another process has created the folder meanwhile
                if not folder.is_dir():
                    raise
    return folder


def _archive(package: Pinned) -> Path:
    path = cache() / "files" / package.file
    if path.is_file() and _sha256(path.read_bytes()) == package.sha256:
        return path
    try:
        data = _get(_url(package))[0]
    except FAILURES as error:
        raise Unavailable(f"no package index for {package.file}: {error}") from error
    if _sha256(data) != package.sha256:
        raise ValueError(f"{package.file} has SHA-256 {_sha256(data)}, the lock says {package.sha256}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as scratch:
        scratch.write(data)
    Path(scratch.name).replace(path)
    return path


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _index() -> str:
    if url := os.environ.get("PIP_INDEX_URL"):
        return url
    for setting in ("global.index-url", "install.index-url"):
        if url := _pip("-m", "pip", "config", "get", setting):
            return url
    url = _pip("-c", "from pip._internal.models.index import PyPI; print(PyPI.simple_url)")
    if not url:
        raise Unavailable("pip does not say which package index it uses")
    return url


def _pip(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def _url(package: Pinned) -> str:
    """The URL of a file, from the package's page on the index (JSON or HTML)."""
    page = f"{_index().rstrip('/')}/{package.name}/"
    body, kind = _get(page, accept="application/vnd.pypi.simple.v1+json, text/html;q=0.1")
    if "json" in kind:
        links = {file["filename"]: file["url"] for file in json.loads(body)["files"]}
    else:
        parser = _Links()
        parser.feed(body.decode())
        links = parser.links
    if package.file not in links:
        raise Unavailable(f"the package index has no {package.file}")
    return str(urllib.parse.urljoin(page, links[package.file]))


class _Links(html.parser.HTMLParser):
    """Collects the URLs of files, by file name, from a package's page on the package index."""

    def __init__(self) -> None:
        super().__init__()
        self.links: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        address = (dict(attrs).get("href") or "").partition("#")[0]
        if tag == "a" and address:
            self.links[urllib.parse.unquote(address.rpartition("/")[2])] = address


def _get(url: str, accept: str = "*/*") -> tuple[bytes, str]:
    import ssl  # imported here, because some Python installations lack it, and these have no network either

    request = urllib.request.Request(url, headers={"Accept": accept})
    trust = ssl.create_default_context(cafile=os.environ.get("PIP_CERT"))
    for left in reversed(range(TRIES)):
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS, context=trust) as answer:
                return answer.read(), answer.headers.get("content-type", "")
        except FAILURES:
            if not left:
                raise
    raise AssertionError("unreachable")


def _unpack(archive: Path, folder: Path) -> Path:
    """Write the regular files of an archive below `folder`, and return the folder of the sources.

    Links, devices and paths that lead out of the folder are skipped.
    """
    for name, data in _members(archive):
        parts = PurePosixPath(name).parts
        if not parts or ".." in parts or parts[0] == "/" or any("\\" in part or ":" in part for part in parts):
            continue
        path = folder.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    # a source distribution has a single folder at its top
    return folder if archive.suffix == ".whl" else next(folder.iterdir())


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in wheel.namelist():
                if not name.endswith("/"):
                    yield name, wheel.read(name)
        return
    with tarfile.open(archive) as sdist:
        for member in sdist:
            file = sdist.extractfile(member) if member.isreg() else None
            if file:
                yield member.name, file.read()


def main(names: list[str]) -> int:
    """Fetch the packages and print their folders; exit code 1 if one cannot be fetched."""
    status = 0
    known = pinned(*LOCKS)
    for name in names or known:
        try:
            print(tree(name) if name in known else f"{name}: not in a lock; these are: {', '.join(known)}")
        except Unavailable as error:
            print(f"{name}: {error}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
