"""Tests of notebook cells as Python: syntax that only IPython knows is replaced by blanks, and no offset changes."""

from __future__ import annotations

import ast
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncuda.workspace.magics import plain

LINES = [
    *(
        "import torch",
        "x = f(",
        ")",
        "if y:",
        "    !ls",
        "  %time z()",
        "%matplotlib inline",
        "!pip install torch \\",
        "  more",
    ),
    *(
        's = """',
        '"""',
        "'''",
        "%s",
        "# it's",
        "f?",
        "?f",
        "a = !ls",
        "b = %pwd",
        "%%time",
        "%%bash",
        "a % b",
        "",
        "x != y",
    ),
]


@given(st.lists(st.sampled_from(LINES)), st.sampled_from(["\n", "\r\n", "\r"]))
def test_no_offset_moves(lines: list[str], end: str) -> None:
    cell = end.join(lines)
    made = plain(cell)
    assert len(made) == len(cell)
    breaks = [place for place, character in enumerate(cell) if character in "\r\n"]
    assert [place for place, character in enumerate(made) if character in "\r\n"] == breaks


@pytest.mark.parametrize(
    "cell, expected",
    [
        ("x = 1", "x = 1"),
        ("%matplotlib inline\nx = 1", "0                 \nx = 1"),
        ("!pip install 'x\ny()", "0              \ny()"),
        ("!pip install \\\n  torch\ny()", "0             \n       \ny()"),
        ("if y:\n    !ls\nz()", "if y:\n    0  \nz()"),
        ("files = !ls *.py\nz()", "files = 0       \nz()"),
        ("a, b = %capture x\nz()", "a, b = 0         \nz()"),
        ("torch.cuda?\nz()", "0          \nz()"),
        ("torch.cuda??", "0           "),
        ("?torch.cuda\nz()", "0          \nz()"),
        ("%%time\nz()", "      \nz()"),
        ("%%capture out\nz()", "             \nz()"),
        ("%%bash\necho $CUDA", "      \n          "),
        ("\n%%html\n<b>", "\n      \n   "),
        ("!", "0"),
    ],
)
def test_what_ipython_alone_understands(cell: str, expected: str) -> None:
    assert plain(cell) == expected


@pytest.mark.parametrize(
    "cell",
    [
        "x = (a\n% b)",
        'x = """\n%s\n!important\n"""\ny = 1',
        "x = '''\n!ls\n'''",
        "x = [\n  1, 2\n]\nx != 3",
        "print('what?')",
        "a = b % c",
        "# 100%?\nx = 1",
        "x = f'{a!r}'",
        "def f():\n    return a\n",
    ],
)
def test_python_stays(cell: str) -> None:
    ast.parse(cell)
    assert plain(cell) == cell


COMMANDS = frozenset({"nvidia-smi"})


@pytest.mark.parametrize(
    "cell, expected",
    [
        ("!nvidia-smi", "~nvidia-smi"),
        ("!nvidia-smi -q # it's\nx = 1", "~nvidia-smi          \nx = 1"),
        ("if y:\n    !nvidia-smi\nz()", "if y:\n    ~nvidia-smi\nz()"),
        ("out = !nvidia-smi -L\nz()", "out = ~nvidia-smi   \nz()"),
        ("!! nvidia-smi", "~  nvidia-smi"),
        ("%sx nvidia-smi", "~   nvidia-smi"),
        ("!watch -n 1 nvidia-smi", "~           nvidia-smi"),
        ("!ls; /usr/bin/nvidia-smi | grep MiB", "~             nvidia-smi           "),
        ("!nvidia-smi \\\n  -q\ny()", "~nvidia-smi  \n    \ny()"),
        ("%%bash\nnvidia-smi -L\nls", "      \nnvidia-smi   \n  "),
        ("%%bash -e\r\nls\r\n  sudo nvidia-smi", "         \r\n  \r\n~      nvidia-smi"),
        ("%sh\nls\nnvidia-smi", "   \n  \nnvidia-smi"),
        ("%sh nvidia-smi", "~   nvidia-smi"),
    ],
)
def test_commands_that_rules_speak_of_stay(cell: str, expected: str) -> None:
    assert plain(cell, COMMANDS) == expected
    ast.parse(expected)
    assert "nvidia" not in plain(cell)


@pytest.mark.parametrize(
    "cell",
    [
        "!pip install nvidia-smi",
        "!echo nvidia-smi",
        "!ls # nvidia-smi",
        "!ls #; nvidia-smi",
        "!echo 'a; nvidia-smi'",
        "!nvidia-smi.py",
        "!my-nvidia-smi",
        "!nvidia-smi-log",
        "!./nvidia-smi=x",
        "%load nvidia-smi",
        "%%html\nnvidia-smi",
        "%%writefile a.sh\nnvidia-smi",
        "%%bash\n# nvidia-smi\necho nvidia-smi",
        "?nvidia-smi",
    ],
)
def test_what_is_no_command(cell: str) -> None:
    assert plain(cell, COMMANDS) == plain(cell)
    assert "nvidia" not in plain(cell)


@given(
    st.lists(st.sampled_from([*LINES, "!nvidia-smi", "  nvidia-smi", "x = !nvidia-smi", "%sh"])),
    st.sampled_from("\n\r"),
)
def test_commands_move_no_offset(lines: list[str], end: str) -> None:
    cell = end.join(lines)
    made = plain(cell, COMMANDS)
    assert [place for place, character in enumerate(cell) if character in "\r\n"] == [
        place for place, character in enumerate(made) if character in "\r\n"
    ]
    assert len(made) == len(cell)


@pytest.mark.parametrize("word", [";nvidia-smi", ';nvidia-smi""'])
def test_a_line_of_commands_in_a_string_takes_as_long_as_it_is(word: str) -> None:
    start = time.process_time()
    plain(f'!"{word * 60_000}', frozenset({"nvidia-smi"}))
    assert time.process_time() - start < 2
