"""Starts the real server for a test, and checks all its messages when the test ends."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.command import environment
from lsp.harness.client import Client
from lsp.harness.conformance import problems
from lsp.harness.profiles import PROFILES, Profile
from lsp.harness.starting import Start as Start
from support.forked import ALONE, FORKED, IS_POSSIBLE

# Tests of the server process itself (its start, end, memory, imports), for which the server must not be forked.
STARTED = frozenset({"test_lifecycle", "test_gone", "test_soak", "test_profiles"})
# Tests of the server's child processes, for which the server must not be forked.
ALONE_IN = frozenset({"test_heavy"})
_failed = pytest.StashKey[bool]()


# A test that starts a server takes a second. The tests in the modules of `QUICK` show whether the server works at all;
# all other tests that start a server run only in `make test`.
QUICK = frozenset({"test_documents", "test_hover", "test_lens"})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that start a server as slow, except a few."""
    here = Path(__file__).parent
    for item in items:
        starts = "start" in getattr(item, "fixturenames", ())
        if item.path.parent == here and starts and item.path.stem not in QUICK:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    report = yield
    if report.when == "call":
        item.stash[_failed] = report.failed
    return report


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    """Write files below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the test process use the same cache folder as the servers that it starts."""
    monkeypatch.setenv("XDG_CACHE_HOME", environment()["XDG_CACHE_HOME"])


@pytest.fixture
def start(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Start]:
    """A function that starts servers. At the end of the test each server is shut down and must exit with 0, and its
    messages must conform to the protocol.

    If a test ends or kills a server itself, the messages are checked as well. `client.tolerated`: substrings of
    protocol problems, and of the server's standard error, that the test provokes on purpose.
    """
    clients: list[Client] = []

    def start(
        profile: str | Profile = "vscode",
        *,
        files: dict[str, str | bytes] | None = None,
        folders: list[Path] | None = None,
        initialize: bool = True,
        **more: Any,
    ) -> Client:
        write(tmp_path, files or {})
        known = PROFILES[profile] if isinstance(profile, str) else profile
        if IS_POSSIBLE and request.path.stem not in STARTED and not more.get("env"):
            more.setdefault("command", ALONE if request.path.stem in ALONE_IN else FORKED)
        client = Client(known, [tmp_path] if folders is None else folders, **more)
        clients.append(client)
        if initialize:
            client.initialize()
        return client

    yield start
    failed = request.node.stash.get(_failed, True)
    wrong = []
    for client in clients:
        wrong += _finish(client, shut=not failed)
        if failed or wrong:
            print(f"--- {client.profile.name}\n", *client.traffic.lines(), sep="\n")
            print(f"--- standard error\n{client.stderr}")
    assert failed or not wrong, "\n".join(wrong)


def _finish(client: Client, shut: bool) -> list[str]:
    """End a client's server, with a shutdown request if `shut`; returns the protocol problems of its session."""
    wrong = []
    if client.process.poll() is None and shut and client.server:
        try:
            code = client.shutdown()
            wrong += [f"exit code {code}"] if code else []
        except AssertionError as error:
            wrong.append(str(error))
    if client.process.poll() is None:
        client.kill()
    found = [*wrong, *client.broken, *problems(client.traffic)]
    if "Traceback" in client.stderr:
        found.append(f"on standard error:\n{client.stderr}")
    return [text for text in found if not any(piece in text for piece in client.tolerated)]


@pytest.fixture
def client(start: Start) -> Client:
    """A VS Code session with the test's folder as workspace."""
    return start("vscode")


@pytest.fixture(params=PROFILES)
def each_client(start: Start, request: pytest.FixtureRequest) -> Client:
    """Return a session of every client whose `initialize` parameters were captured, in turn."""
    return start(request.param)
