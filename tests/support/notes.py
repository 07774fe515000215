"""Shows what a passing test has to say, at the end of a run, with or without workers.

A test says it with `record_property("note", text)`. `tests/conftest.py` registers the hook below.
"""

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name == "note":
                terminalreporter.write_line(f"NOTE {report.nodeid}: {value}")
