"""The fixture `tmp_path` makes empty folders, above which each folder has at most `_MOST` entries."""

from pathlib import Path

from support.folders import _MOST


def test_a_folder_is_empty_and_alone(tmp_path: Path) -> None:
    assert not list(tmp_path.iterdir())
    assert list(tmp_path.parent.iterdir()) == [tmp_path]
    assert len(list(tmp_path.parent.parent.iterdir())) <= _MOST
