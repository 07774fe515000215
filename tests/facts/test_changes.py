"""Tests that reading a changed text, with results kept from the old text, finds the same as reading it anew."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.facts.changes import Searches, between, moved, of_edits
from uncuda.facts.layout import Layout
from uncuda.facts.read import Facts, read
from uncuda.facts.relayout import relayout
from uncuda.facts.scans import plain

WORDS = engine_for(load().default_target).ruleset(False).words
LINES = st.text(alphabet="ab\n", max_size=30)
FRAGMENTS = [
    *("(", ")", "[", "{", "}", '"', "'", '"""', "'''", "#", "\\", "\n", "\r\n", "\r", "    ", ":", ",", "é", "中"),
    *("\f", "import torch\n", "from torch import cuda as c\n", "torch.cuda.synchronize()\n", 'x.to("cuda")\n'),
    *("def f(torch):\n", "return ", "if x:\n", "else:\n", "cuda_graph = 1\n", '"""docs of cuda\n'),
    *("device = 'cuda:0'\n", "tc = torch.cuda\n"),
]
PROGRAM = '''"""About "cuda"."""
import torch
from torch import nn, cuda as c
tc = torch.cuda


class Net(nn.Module):
    """A net.

    It runs on torch.cuda.
    """

    def forward(self, x, device="cuda:0"):
        if device.type == "cuda":
            return x.to(
                device,  # "cuda"
                non_blocking=True,
            )
        text = \'\'\'torch.cuda
        \'\'\'
        torch = None
        return torch.cuda.synchronize(), c.empty_cache(), tc.stream(1)


def main(cuda_graph=True):
    x = \\
        torch.zeros(1, device="cuda")
    with torch.cuda.device(0), torch.cuda.stream(
        torch.cuda.Stream()
    ): pass
    return {"device": "cuda", "n": x.cuda()}
'''


@given(LINES, LINES, st.integers(0, 30), st.integers(0, 30))
def test_searches_find_what_a_new_search_finds(old: str, inserted: str, start: int, length: int) -> None:
    start = min(start, len(old))
    end = min(start + length, len(old))
    new = old[:start] + inserted + old[end:]
    for regions in (between(old, new), of_edits(old, [(start, end, inserted)])):
        before = Searches(old)
        before.find("a", plain("a"))
        after = Searches(new, before, regions)
        assert after.find("a", plain("a")) == list(plain("a")(new, 0, len(new)))
        for region in regions:
            assert old[: region.old].endswith("\n") or region.old == 0
            assert new[: region.new].endswith("\n") or region.new == 0
            assert old[region.old_end :] == new[region.new_end :]


@given(
    st.text(alphabet="a\n", max_size=12),
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 4), st.text(alphabet="b\n", max_size=2)), max_size=3),
)
def test_several_edits_differ_only_in_their_regions(old: str, wanted: list[tuple[int, int, str]]) -> None:
    edits: list[tuple[int, int, str]] = []
    for start, length, text in sorted(wanted, key=lambda edit: edit[0]):
        if start <= len(old) and not (edits and start < max(edits[-1][1], edits[-1][0] + 1)):
            edits.append((start, min(start + length, len(old)), text))
    new, done = "", 0
    for start, end, text in edits:
        new += old[done:start] + text
        done = end
    new += old[done:]
    last = before = 0
    for region in of_edits(old, edits):
        assert old[last : region.old] == new[before : region.new]
        last, before = region.old_end, region.new_end
    assert old[last:] == new[before:]


def test_searches_that_are_not_made_again_are_forgotten() -> None:
    searches = Searches("a\n")
    for number in range(1000):
        searches.find(str(number), plain("a"))
        searches = Searches("a\n", searches, [])
        assert searches.keys() == frozenset()
        assert searches.again(str(number)) == [0]
    assert len(searches._scans) < 200
    assert not searches.know({"0"})


@pytest.mark.parametrize("seed", range(20))
def test_searches_that_some_texts_did_without_find_what_a_new_search_finds(seed: int) -> None:
    chance = random.Random(seed)
    text = "".join(chance.choice("ab\n") for _ in range(400))
    searches = Searches(text)
    for _ in range(200):
        start = chance.randrange(len(text) + 1) if chance.random() < 0.2 else min(len(text), 20)
        end = min(len(text), start + chance.randrange(3))
        new = text[:start] + chance.choice(["", "a", "b\n", "\na"]) + text[end:]
        searches = Searches(new, searches, between(text, new))
        text = new
        for word in "ab":
            if chance.random() < 0.3:
                assert searches.find(word, plain(word)) == list(plain(word)(text, 0, len(text)))


@pytest.mark.parametrize("seed", range(20))
def test_results_are_kept_past_edits_in_several_parts_of_a_text(seed: int) -> None:
    chance = random.Random(seed)
    text = "".join(chance.choice("ab\n") for _ in range(4000))
    searches, searched = Searches(text), 0

    def scan(part: str, start: int, end: int) -> list[int]:
        nonlocal searched
        searched += end - start
        return list(plain("a")(part, start, end))

    for word in "abc":
        searches.find(word, scan)
    searched = 0
    for _ in range(8):
        at = chance.randrange(len(text) + 1)
        new = text[:at] + chance.choice(["", "a", "b\n", "\na"]) + text[at + chance.randrange(3) :]
        searches, text = Searches(new, searches, between(text, new)), new
    assert searches.find("a", scan) == list(plain("a")(text, 0, len(text)))
    assert searched < 400


def test_offsets_move_with_the_lines_that_hold_them() -> None:
    regions = of_edits("a\nb\nc\nd\n", [(2, 3, "long"), (6, 6, "x")])
    assert [tuple(region) for region in regions] == [(2, 4, 2, 7), (6, 8, 9, 12)]
    assert moved([0, 2, 4, 6, 8], regions) == [0, 7, 12]


@pytest.mark.parametrize(
    ("edit", "region"),
    [
        ((1, 1, "\n  "), (2, 2, 2, 5)),  # Enter at the end of a line
        ((1, 3, ""), (2, 4, 2, 2)),  # a line break and the line below it are deleted
        ((2, 2, "x\ny\n"), (2, 2, 2, 6)),  # whole lines
        ((2, 4, ""), (2, 4, 2, 2)),
        ((2, 3, "x\n"), (2, 4, 2, 5)),
        ((0, 0, "x\ny"), (0, 2, 0, 5)),
        ((5, 5, "\nx"), (4, 5, 4, 7)),  # at the end of a text without a line break
    ],
)
def test_an_edit_of_whole_lines_leaves_the_lines_beside_them(
    edit: tuple[int, int, str], region: tuple[int, int, int, int]
) -> None:
    assert [tuple(one) for one in of_edits("a\nb\nc", [edit])] == [region]


def said(facts: Facts) -> object:
    """Return everything that `facts` says about its text, without id() values, so that two readings can be compared."""
    return (
        sorted((start, s.end, facts.text[start : s.end], len(s.digest.texts)) for start, s in facts.statements.items()),
        sorted(facts.unread),
        sorted((name.dotted, name.statement.start, name.hidden) for name in facts.references),
        facts.present,
        facts.layout.strings,
        [facts.indents.header_above(start) for start in sorted(facts.statements)],
        [facts.indents.extent(facts.indents.header_at(start).start) for start in sorted(facts.statements)],
        [list(facts.indents.lines_above(start, "if", "with")) for start in sorted(facts.statements)],
    )


@pytest.mark.parametrize("seed", [*range(8), 304, 339])  # 304, 339: carriage returns between lines of code
def test_reading_after_an_edit_is_reading_anew(seed: int) -> None:
    chance = random.Random(seed)
    text, facts = PROGRAM, read(PROGRAM, WORDS)
    for _ in range(60):
        edits: list[tuple[int, int, str]] = []
        for at in sorted(chance.sample(range(len(text) + 1), chance.choice([1, 1, 1, 3]))):
            end = min(len(text), at + chance.choice([0, 0, 0, 1, 2, 30]))
            if not edits or at >= edits[-1][1]:
                edits.append((at, end, chance.choice([*FRAGMENTS, ""])))
        new = text
        for start, end, inserted in reversed(edits):
            new = new[:start] + inserted + new[end:]
        facts = read(new, WORDS, facts, edits if chance.random() < 0.5 else ())
        assert said(facts) == said(read(new, WORDS)), (text, edits)
        text = new if len(new) < 3000 and chance.random() < 0.9 else PROGRAM
        if text is PROGRAM:
            facts = read(PROGRAM, WORDS)


def test_a_blank_line_that_was_asked_about_does_not_end_a_block() -> None:
    text = "def f():\n    \n    x = 1\n"
    indents = read(text, WORDS).indents
    assert indents.header_above(text.index("    \n")) is None
    assert indents.scope_of(text.index("x = 1")) == (0, "def")


@pytest.mark.parametrize("blank", ["# old code\r\n", "\r\n", "#\r", "\t# a\n"])
def test_blank_lines_at_the_end_are_read_in_one_way(blank: str) -> None:
    """If each line could be matched in several ways, this test would not end: the time would double with every line."""
    text = "def f():\n    return 1\nx = f()\n" + 200 * blank
    assert read(text, WORDS).indents.extent(0) == text.index("x =")


TYPED_BLOCKS = """class Net:
    def run(self):
        for one in self:
            one()
            other(
                one,
            )
        return self

    def end(self):
        pass


def main():
    Net()
"""


TYPED_LINES = [match.start() for match in re.finditer(r"^ *\w", TYPED_BLOCKS, re.M)]


@pytest.mark.parametrize(
    "line", ["        for one", "            one()", "            other(", "        return", "        pass"]
)
def test_a_line_that_is_being_typed_does_not_end_a_block(line: str) -> None:
    """An `x` before the indentation of a line leaves all other lines in the functions that they were in."""
    at = TYPED_BLOCKS.index(line)
    before = read(TYPED_BLOCKS, WORDS).indents
    typed = read(TYPED_BLOCKS[:at] + "x" + TYPED_BLOCKS[at:], WORDS).indents
    for start in TYPED_LINES:
        if before.header_at(start).start != before.header_at(at).start:
            scope, now = before.scope_of(start), typed.scope_of(start + (start > at))
            assert now == (scope and (scope[0] + (scope[0] > at), scope[1])), TYPED_BLOCKS[start : start + 20]


@pytest.mark.parametrize("words", ["x", "return x", "# x", "(", "    "])
@pytest.mark.parametrize("line", TYPED_BLOCKS.splitlines())
def test_blocks_after_an_edit_at_the_margin_are_those_of_a_text_read_anew(line: str, words: str) -> None:
    at = TYPED_BLOCKS.index(line)
    facts = read(TYPED_BLOCKS, WORDS)
    for start in TYPED_LINES:
        facts.indents.extent(facts.indents.header_at(start).start)
    after = TYPED_BLOCKS[:at] + words + TYPED_BLOCKS[at:]
    typed, fresh = read(after, WORDS, facts, [(at, at, words)]).indents, read(after, WORDS).indents
    for start in (match.start() for match in re.finditer(r"^ *\w", after, re.M)):
        header = fresh.header_at(start)
        assert typed.header_at(start) == header
        assert typed.header_above(start) == fresh.header_above(start)
        assert typed.extent(header.start) == fresh.extent(header.start)


TYPED_QUOTES = '''def f():
    """Say it."""
    x = r"""a
    b"""
    return 'c' + """d"""  # "e"
'''


@pytest.mark.parametrize("key", ["s", " ", "#", "(", '"', "\\", "'"])
def test_strings_of_a_line_that_is_typed_are_those_of_a_new_layout(key: str) -> None:
    old, taken_over = Layout(TYPED_QUOTES), 0
    for at in range(len(TYPED_QUOTES) + 1):
        text = TYPED_QUOTES[:at] + key + TYPED_QUOTES[at:]
        new, taken = relayout(old, text, between(TYPED_QUOTES, text))
        assert new.strings == Layout(text).strings, text
        back, _ = relayout(Layout(text), TYPED_QUOTES, between(text, TYPED_QUOTES))
        assert back.strings == old.strings, text
        taken_over += taken is not None
    if key in "s ":
        assert taken_over > 20


def test_most_of_a_layout_is_taken_over() -> None:
    old = Layout(PROGRAM)
    for at in range(0, len(PROGRAM), 7):
        old.logical_line(at)
    at = PROGRAM.index("x.to(")
    text = PROGRAM[:at] + "y" + PROGRAM[at:]
    new, taken = relayout(old, text, between(PROGRAM, text))
    assert taken is not None
    assert len(new.known_starts) == len(old.known_starts)
    assert new.strings == Layout(new.text).strings


def test_layout_is_taken_over_past_pasted_strings_and_a_line_that_began_a_statement() -> None:
    lines = '"""Say\nit."""\n', "x", '    """It said\n    that."""\n'
    for line, words in zip(("tc = torch.cuda\n", "        return torch", "    def forward"), lines):
        old, at = Layout(PROGRAM), PROGRAM.index(line)
        for offset in range(0, len(PROGRAM), 7):
            old.logical_line(offset)
        text = PROGRAM[:at] + words + PROGRAM[at:]
        new, taken = relayout(old, text, of_edits(PROGRAM, [(at, at, words)]))
        assert taken is not None
        assert new.strings == Layout(text).strings
        assert len(new.known_starts) >= len(old.known_starts)
        back, taken = relayout(new, PROGRAM, of_edits(text, [(at, at + len(words), "")]))
        assert taken is not None
        assert back.strings == Layout(PROGRAM).strings


def test_a_line_that_is_inserted_below_an_open_bracket_of_which_nothing_was_read() -> None:
    text = "import torch\n\nloss = model(\nfrom torch import cuda\nsamples, ratio)\n"
    at = text.index("from torch")
    facts = read(text, WORDS)
    typed = text[:at] + "    x = 'cuda'\n" + text[at:]
    facts = read(typed, WORDS, facts, [(at, at, "    x = 'cuda'\n")])
    assert facts.layout.logical_line(at) == Layout(typed).logical_line(at)


def test_a_name_typed_in_an_open_bracket_above_a_line_that_can_be_read() -> None:
    above, below = (
        "import torch\n\ntorch.cuda.seed()\n\n\ndef f(x):\n    n = int(torc",
        "\n    x.cuda()\n    return n\n",
    )
    facts = read(above + below, WORDS)
    text = above + "h" + below
    facts = read(text, WORDS, facts, [(len(above), len(above), "h")])
    assert facts.unread == read(text, WORDS).unread


def test_a_line_in_brackets_that_looks_like_a_statement() -> None:
    """The line typed inside the brackets is read as a logical line of its own, although it is in the logical line of
    the brackets; an edit changes both."""
    text = 'import torch\nx = [\n    torch,\n    \n    ("cuda", y.cuda()),\n]\n'
    at = text.index("    \n") + 4
    facts = read(text, WORDS)
    for offset, key in enumerate("import flash_attn", at):
        text = text[:offset] + key + text[offset:]
        facts = read(text, WORDS, facts, [(offset, offset, key)])
        assert said(facts) == said(read(text, WORDS)), text
