"""A project shared by all tests that only ask whether the type of a receiver (the `x` of `x.cuda()`) is torch's."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from receivers.project import FILES, write
from uncuda.receivers import Receivers


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the shared project."""
    root = tmp_path_factory.mktemp("project")
    write(root, FILES)
    return root


@pytest.fixture(scope="module")
def receivers(project: Path) -> Iterator[Receivers]:
    """Return a `Receivers` for the project; its questions go to the real child process."""
    made = Receivers([str(project)], note=lambda *said: pytest.fail(f"said {said}"), question_seconds=60)
    yield made
    made.close()
