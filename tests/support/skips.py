"""Makes a CI run fail if a test is skipped that is not listed in `.ci/expected-skips`.

`tests/conftest.py` imports the hooks of this module, which makes them part of every run.
"""

import fnmatch
import os
from pathlib import Path

import pytest

EXPECTED = Path(".ci/expected-skips")
_skipped: dict[str, str] = {}


def expected_skips(text: str) -> list[str]:
    """Return the ids and globs of a list whose lines are `id or glob<TAB>reason`; raise ValueError for a line without a
    reason."""
    patterns = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        pattern, tab, reason = line.partition("\t")
        if not tab or not reason.strip():
            raise ValueError(f"{EXPECTED}:{number}: write `test id or glob<TAB>reason`")
        patterns.append(pattern.strip())
    return patterns


def unexpected_skips(skipped: dict[str, str], patterns: list[str]) -> dict[str, str]:
    """Return the entries of `skipped` (test id -> reason) that no pattern matches; `[` in a pattern is literal, as in
    test ids."""
    globs = [pattern.replace("[", "[[]") for pattern in patterns]
    return {test: why for test, why in skipped.items() if not any(fnmatch.fnmatchcase(test, glob) for glob in globs)}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _remember(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    _remember(report)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if os.environ.get("CI") != "true":
        return
    for test, why in _unexpected(config.rootpath).items():
        terminalreporter.write_line(f"UNEXPECTED SKIP {test}: {why} (list it in {EXPECTED} if it is right)", red=True)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    is_worker = hasattr(session.config, "workerinput")
    if os.environ.get("CI") == "true" and not is_worker and _unexpected(session.config.rootpath):
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


def _remember(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):
        longrepr = report.longrepr
        _skipped[report.nodeid] = str(longrepr[2] if isinstance(longrepr, tuple) else longrepr)


def _unexpected(root: Path) -> dict[str, str]:
    return unexpected_skips(_skipped, expected_skips((root / EXPECTED).read_text(encoding="utf-8")))
