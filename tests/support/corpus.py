"""The pytest fixture that gives tests the source trees of large packages."""

from collections.abc import Callable
from pathlib import Path

import pytest

from corpus.fetch import Unavailable, tree


@pytest.fixture(scope="session")
def corpus() -> Callable[[str], Path]:
    """`corpus("timm")` returns the folder with that package's sources, which are fetched on first use; the test is
    skipped if no package index can be reached."""

    def folder(name: str) -> Path:
        try:
            return tree(name)
        except Unavailable as error:
            pytest.skip(str(error))

    return folder
