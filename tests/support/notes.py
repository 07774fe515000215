"""Prints the notes that passing tests have left, at the end of a run, with or without xdist workers.

A test adds a note by `record_property("note", text)`. `tests/conftest.py` registers the hook of this module.
"""

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name == "note":
                terminalreporter.write_line(f"NOTE {report.nodeid}: {value}")
