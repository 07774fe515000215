"""Gives each test an empty folder of its own, with few other entries in the folders above it.

uncuda lists the folders above a file, to find the project's root, its requirements and its modules. If the folders of
all tests were in one folder, as pytest makes them, each command would take longer the more tests have run before it.
"""

import itertools
import re
from pathlib import Path

import pytest

_MOST = 32  # maximum number of tests whose folders are in one folder
_numbers = itertools.count()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a new empty folder; the folder above it has no other entry."""
    above, number = divmod(next(_numbers), _MOST)
    name = re.sub(r"\W", "_", request.node.name)[:30]
    folder = tmp_path_factory.getbasetemp() / str(above) / str(number) / name
    folder.mkdir(parents=True, mode=0o700)
    return folder
