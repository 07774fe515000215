"""Tests that nesting is counted before libcst is called: no text crashes the process, and normal nesting is parsed."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.engines import engine_for
from support.nesting import NESTED
from uncuda.facts.depth import nesting, split_strings
from uncuda.facts.new_syntax import readable
from uncuda.settings import Settings
from uncuda.source import Source

# The stack size that is the default on Windows: the smallest one of a Python thread or process on the systems where
# uncuda runs.
SMALL = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from support.nesting import NESTED
from uncuda.facts.new_syntax import readable

def run():
    for name, made in NESTED.items():
        for size in (40, 1500):
            readable(made(size), 150)
    print("alive")

threading.stack_size(2 * 1024 * 1024)
thread = threading.Thread(target=run)
thread.start()
thread.join()
"""
# Texts that CPython, libcst or both reject at any depth.
_REFUSED = {name for name in NESTED if name.startswith(("broken", "open"))} | {"await", "class bases", "ann parens"}


@pytest.mark.slow
def test_no_construct_ends_the_process_however_deep() -> None:
    pytest.importorskip("libcst")
    folder = str(Path(__file__).resolve().parents[1])
    done = subprocess.run([sys.executable, "-c", SMALL, folder], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "alive"), done.stderr


@pytest.mark.parametrize("name", sorted(set(NESTED) - _REFUSED))
def test_what_is_nested_as_people_nest_is_read(name: str) -> None:
    pytest.importorskip("libcst")
    assert readable(NESTED[name](6))


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("x", 0),
        ("x = ((1))", 2),
        ("x = [1, 2, (3, 4), (5, 6)]", 2),
        ("x = ')))' + ((1))", 3),
        ("x = 1  # (((", 0),
        ('"""(((\n((("""', 0),
    ],
)
def test_brackets_in_strings_and_comments_do_not_count(text: str, depth: int) -> None:
    parts = split_strings(text)
    assert parts is not None
    assert nesting(parts[0]) == depth


@pytest.mark.parametrize(
    "hidden", ['x = ""f"{" + "(" * 3', "x = f'{\"}' * 9", "x = bf'{'", "x = f'{a!r:{b}' '}'", "x = f'{", "x = '''"]
)
def test_a_text_that_could_be_lexed_in_another_way_is_not_tried(hidden: str) -> None:
    assert not readable(hidden)


def test_a_statement_that_is_too_deep_costs_its_own_findings() -> None:
    deep = 'x = f"{' + "(" * 1500 + "torch.cuda.f()" + ")" * 1500 + '}"\n'
    text = "import torch\ntorch.cuda.synchronize()\n" + deep + "torch.cuda.synchronize()\n"
    report = engine_for("npu", Settings(locale="en")).check(Source(text))
    assert [text.count("\n", 0, found.span.start) for found in report.findings] == [1, 3]
    assert [text.count("\n", 0, span.start) for span in report.skipped] == [2]
