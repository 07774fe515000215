"""Replaces pytest's fixture `tmp_path`: the folders above the empty folder of a test have only few entries.

To find a project's root, requirements and modules, uncuda lists the entries of all folders above a file. pytest puts
the folders of all tests into one folder, so that each command would take longer the more tests have run before it.
"""

import itertools
import re
from pathlib import Path

import pytest

_MOST = 32  # maximum number of entries of a folder that contains the folders of tests
_numbers = itertools.count()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a new empty folder; the folder above it has no other entry."""
    above, number = divmod(next(_numbers), _MOST)
    name = re.sub(r"\W", "_", request.node.name)[:30]
    folder = tmp_path_factory.getbasetemp() / str(above) / str(number) / name
    folder.mkdir(parents=True, mode=0o700)
    return folder
