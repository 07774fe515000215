"""Tests that the engine counts its work: a text that would take long is refused at the same count every time, and all
other texts are checked."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache

import pytest

import uncuda.engine
from support.counted import growing
from support.engines import engine_for
from support.growth import SHAPES
from uncuda.edits import Edit
from uncuda.engine import Engine
from uncuda.limits import UNLIMITED, LimitExceeded, Limits, Size, Work
from uncuda.settings import Settings
from uncuda.source import Source

SMALL = Limits(bytes=60_000, statements=100, comparisons=20_000)
FINE = "import torch\ntorch.cuda.synchronize()\n"
# Deep recursion crashes Python for WebAssembly, which uses the browser's stack, so deeply nested texts are left out
# there.
pytestmark = pytest.mark.slow

# The time to analyse these texts grows linearly with their size, or Python refuses to parse them. Of all
# limits, these texts can therefore exceed only the limit on the size of a text.
BY_SIZE = {
    "columns_of_parameters",
    "comprehensions",
    "device_alias_chain",
    "dict_of_values",
    "long_comment",
    "long_word",
    "attribute_chain",
    "call_chain",
    "sum_chain",
}


def engine(remember: int = 1, **settings: int) -> Engine:
    return engine_for("npu", Settings(locale="en", **settings), remember=remember)  # type: ignore[arg-type]


@lru_cache
def shared() -> Engine:
    """Return an engine without cached texts; creating one for each test would take long."""
    return engine()


class Kept(Work):
    """A Work counter whose counts can be read after the analysis."""

    last: Work

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        Kept.last = self


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uncuda.engine, "Work", Kept)


def refusal(name: str, sizes: tuple[int, ...] = (25, 100, 400, 1600, 6400, 25_600)) -> tuple[int, LimitExceeded] | None:
    for size in sizes:
        try:
            shared()._forget("")
            shared().check(Source(SHAPES[name](size)), limits=SMALL)
        except LimitExceeded as error:
            return size, error
    return None


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize("name", [name for name in SHAPES if name != "comprehensions"])
def test_what_grows_is_refused_by_count_at_some_size(name: str) -> None:
    found = refusal(name)
    assert found is not None
    size, error = found
    assert (error.kind == "bytes") <= (name in BY_SIZE)
    before = Kept.last.statements, Kept.last.comparisons
    again = refusal(name, (size,))
    assert again is not None
    assert again[1].kind == error.kind
    assert (Kept.last.statements, Kept.last.comparisons) == before


# The work for these texts was once quadratic, so its growth is tested; for all other texts, only the limit on the work
# is tested.
FOLLOWED = [
    *("and_chain", "is_cuda_chain", "if_after_if", "rebound_name", "match_cases", "unclosed_brackets"),
    *("broken_statements", "unclosed_quotes", "dict_of_values", "nccl_checks", "argparse_options", "amp_c_guards"),
    *("unused_suppressions", "used_suppressions", "with_items", "comprehension_clauses", "long_comment"),
    *("carriage_returns", "many_findings"),
]


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize("name", FOLLOWED)
def test_four_times_the_text_takes_about_four_times_the_work(name: str) -> None:
    counts = []
    for size in (400, 1600):  # with both sizes, one fix would have more edits than allowed
        shared()._forget("")
        shared().check(Source(SHAPES[name](size)), limits=UNLIMITED)
        counts.append(Kept.last.comparisons)
    assert counts[1] <= 6 * counts[0]


def test_a_fix_changes_no_more_places_than_anybody_looks_through() -> None:
    """If a fix would change more code than the maximum, none of this code is changed, and each use is still
    reported."""

    def applicable(text: str, places: int) -> int:
        findings = engine().check(Source(text)).findings
        assert len(findings) == places
        return sum(bool(finding.fixes) for finding in findings)

    assert applicable(SHAPES["rebound_name"](150), 150) == 150
    assert applicable(SHAPES["rebound_name"](300), 300) == 0
    many = SHAPES["is_cuda_chain"](300)
    findings = engine().check(Source(many)).findings
    assert len(findings) == 300
    assert not findings[0].fixes
    assert max(len(fix.edits) for finding in findings for fix in finding.fixes) <= 201
    fixed = engine().fix(Source(many), review=True)
    assert fixed.refused is None
    assert not engine().fix(Source(fixed.text), review=True).applied


def test_a_chain_of_names_is_no_internal_error() -> None:
    # this chain is too long to analyse; the file's other findings are reported
    chain = SHAPES["device_alias_chain"](2000)
    assert engine().check(Source(chain + FINE)).findings
    with pytest.raises(LimitExceeded, match=r"comparisons|statements|bytes"):
        engine().check(Source(SHAPES["alias_chain"](512_000)))


def test_the_limits_are_those_of_the_settings_unless_others_are_given() -> None:
    small = engine(max_statements=1)
    with pytest.raises(LimitExceeded) as caught:
        small.check(Source(FINE))
    assert (caught.value.kind, caught.value.limit, caught.value.setting) == ("statements", 1, "max-statements")
    assert small.check(Source(FINE), limits=Limits()).findings


def test_the_size_of_an_edited_text_is_that_of_the_text() -> None:
    size, chance, text = Size(), random.Random(1), "aé中🚀\ud83d" * 9
    assert size.of(text, None) == len(text.encode("utf-8", "surrogatepass"))
    for _ in range(300):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.randrange(4))
        new = "".join(chance.choices("aé中🚀\ud83d", k=chance.randrange(4)))
        before, text = text, text[:start] + new + text[end:]
        edited = (before, [(start, end, new)]) if chance.random() < 0.8 else None
        assert size.of(text, edited) == size.of(text, None) == len(text.encode("utf-8", "surrogatepass"))


def test_characters_count_as_the_bytes_that_they_take() -> None:
    text = FINE + "# " + "中" * 100 + "\n"
    assert engine().check(Source(text), limits=Limits(bytes=len(text.encode()))).findings
    with pytest.raises(LimitExceeded, match="bytes"):
        engine().check(Source(text), limits=Limits(bytes=len(text.encode()) - 1))


@pytest.mark.parametrize("shape", ["if_after_if", "match_cases", "is_cuda_chain", "and_chain", "unclosed_brackets"])
@pytest.mark.parametrize("comparisons", [10, 300, 1500, 5000])
def test_what_was_read_in_part_is_not_kept(shape: str, comparisons: int) -> None:
    made, fresh = engine(remember=3), engine(remember=3)
    made.check(Source(FINE, "a.py"))
    grown = SHAPES[shape](300)
    edited = FINE, [Edit(0, len(FINE), grown)]
    with pytest.raises(LimitExceeded):
        made.check(Source(grown, "a.py"), edited=edited, limits=Limits(comparisons=comparisons))
    after = FINE + "x = torch.cuda.device_count()\n"
    report = made.check(Source(after, "a.py"), edited=(grown, [Edit(0, len(grown), after)]))
    assert report == fresh.check(Source(after, "a.py"))


def test_every_pass_of_a_fix_has_the_whole_limit_and_no_more() -> None:
    limits = Limits(statements=12)
    text = FINE + "torch.cuda.synchronize()\n" * 9
    assert "torch.npu" in engine().fix(Source(text), limits=limits).text
    with pytest.raises(LimitExceeded):
        engine().fix(Source(text + "torch.cuda.synchronize()\n" * 9), limits=limits)


def test_a_guard_does_not_hide_a_limit() -> None:
    made = engine()
    made.guard = lambda rule, path, error: pytest.fail(f"{rule}: {error}")
    with pytest.raises(LimitExceeded):
        made.check(Source(SHAPES["list_of_values"](800)), limits=Limits(comparisons=3000))


def test_a_map_of_devices_is_an_ordinary_file() -> None:
    entries = "".join(f'    "layer.{number}": "cuda:{number % 8}",\n' for number in range(2000))
    assert len(engine().check(Source(f"import torch\nplaces = {{\n{entries}}}\nmodel.to(places)\n")).findings) == 2000


SKIPPING = "pytestmark = pytest.mark.skipif(not torch.cuda.is_available())\n"
FIXTURE = "@pytest.fixture(autouse=True)\ndef gpu():\n    if not torch.cuda.is_available():\n        pytest.skip('')\n"
MANY = {
    "comparisons of one device": "d = torch.device('cuda')\nif d.type == 'cuda': x.cuda()\n" * 1_200,
    "fixtures that skip": FIXTURE * 800 + "def test_a():\n    torch.cuda.nvtx.mark('')\n",
    "marks of one file": SKIPPING * 400 + "def test_a():\n    torch.cuda.nvtx.mark('')\n    x.cuda()\n" * 400,
}


@pytest.mark.parametrize("name", MANY)
def test_many_conditions_that_are_fixed_together_are_within_the_limits(name: str) -> None:
    assert shared().check(Source("import torch, pytest\n" + MANY[name], "tests/test_x.py")).findings


@pytest.mark.parametrize("line", ["x = [{}]\n", "x = f({})\n"])
def test_each_string_of_a_long_statement_costs_the_same(line: str) -> None:
    def check(size: int) -> Callable[[], object]:
        text = FINE + line.format("""f("cuda") == "cuda", "cuda:0", """ * size)
        return lambda: engine().check(Source(text))

    found = growing(check(50), check(200), 6)
    assert not [one for one in found if "string_evidence" in one or "role_calls" in one]
