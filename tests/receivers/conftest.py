"""A shared project for all tests that only ask for verdicts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from receivers.project import FILES, write
from uncuda.receivers import Receivers


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the project."""
    root = tmp_path_factory.mktemp("project")
    write(root, FILES)
    return root


@pytest.fixture(scope="module")
def receivers(project: Path) -> Iterator[Receivers]:
    """Receivers for the project, with the real child process."""
    made = Receivers([str(project)], note=lambda *said: pytest.fail(f"said {said}"), question_seconds=60)
    yield made
    made.close()
