"""VS Code by hand."""

import socket
import sys

import pytest

from e2e.vscode import serve


def test_a_port_that_is_in_use(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        monkeypatch.setattr(sys, "argv", ["serve", "--port", port])
        assert serve.main() == 1
    assert port in capsys.readouterr().err
