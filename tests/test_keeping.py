"""Tests that settings are written to configuration files without changing anything else there; where that is
impossible, the file does not change."""

import pytest

from uncuda.settings.keeping import NotWrittenError, with_values

MUSA = {"target": "musa"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'target = "musa"\n'),
        ("# ours\n", '# ours\ntarget = "musa"\n'),
        ("# ours", '# ours\ntarget = "musa"\n'),
        ("target = 'npu'  # now\nselect = [\n  'a',\n]\n", "target = \"musa\"  # now\nselect = [\n  'a',\n]\n"),
        ('# ours\n\nlocale = "zh"\n\n[severity]\n', '# ours\n\ntarget = "musa"\nlocale = "zh"\n\n[severity]\n'),
        ('strategy = "shim"\r\n', 'target = "musa"\r\nstrategy = "shim"\r\n'),
        ('target="npu"', 'target="musa"'),
    ],
)  # fmt: skip
def test_a_file_of_our_own(before: str, after: str) -> None:
    assert with_values(before, False, MUSA) == after


PYPROJECT = '[project]\nname = "x"\ntarget = "mine"\n\n[tool.uncuda] # here\n{}\n[tool.other]\ntarget = "theirs"\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'target = "musa"\n'),
        ('  target = "npu"\n', '  target = "musa"\n'),
        ('strategy = "shim"\n', 'target = "musa"\nstrategy = "shim"\n'),
    ],
)
def test_a_table_of_pyproject(before: str, after: str) -> None:
    assert with_values(PYPROJECT.format(before), True, MUSA) == PYPROJECT.format(after)


def test_what_was_said_of_another_target_goes() -> None:
    before = 'target = "npu"\ntarget-version = "2.9.0"  # pinned\nhardware = "A2"\nstrategy = "shim"\n'
    values = {"target": "musa", "target-version": None, "hardware": None}
    assert with_values(before, False, values) == 'target = "musa"\nstrategy = "shim"\n'
    values = {"target": "npu", "target-version": "2.7.1", "hardware": "A3"}
    written = 'target = "npu"\ntarget-version = "2.7.1"  # pinned\nhardware = "A3"\nstrategy = "shim"\n'
    assert with_values(before, False, values) == written


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ('[tool]\nuncuda.target = "npu"\n', True),
        ('[tool]\nuncuda = {target = "npu"}\n', True),
        ('"target" = "npu"\n', False),
        ('target = """npu"""\n', False),
        ('x = """\ntarget = "npu"\n"""\n', False),
        ("target = \n", False),
        ('[tool.uncuda]\ntext = """\n[tool.other]\ntarget = "npu"\n"""\ntarget = "npu"\n', True),
    ],
)
def test_what_is_laid_out_otherwise_stays(text: str, inside: bool) -> None:
    with pytest.raises(NotWrittenError):
        with_values(text, inside, MUSA)
