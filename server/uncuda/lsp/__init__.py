"""The language server of uncuda. The server's modules are imported only when it starts."""

from __future__ import annotations


def serve(tcp: str | None = None, log_file: str | None = None) -> int:
    """Run the server on standard input and output, or on a socket (`tcp`: "[HOST:]PORT"), and return the exit code."""
    from .start import run

    return run(tcp, log_file)
