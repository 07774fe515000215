"""Tests of the record of runs on simulated accelerators: its format, the programs and rules it names, and which files
changed since the record was written."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from execution.mutation import Mutant, relations, unusable
from execution.programs import load_programs
from execution.report import FAILURES, needless, page, why
from support.execution_record import (
    DIGESTED,
    RECORD,
    Digests,
    Mutation,
    Outcome,
    Record,
    changed,
    digests,
    dump,
    problems,
    read,
)
from uncuda.catalogue import load
from uncuda.report.proofs import Proof, load_proofs

Note = Callable[[str, object], None]

RULES, TARGETS = ("cuda-method", "tf32"), ("npu", "musa")
PROOF = Proof("run", 3, 2, "one is a fragment", ("2.14",))
OUTCOME = Outcome("mnist", "npu", "2.14", "rewrite", "safe", "same", "")
RIGHT = Record(
    Digests("a" * 64, "b" * 64, "c" * 64, "d" * 64),
    "3.11",
    "2.14.1",
    {"cuda-method": {"npu": PROOF}},
    (OUTCOME,),
    0,
    (),
    Mutation({"cuda-method": "mnist …", "tf32": ""}, {"guarded": ""}, {"tf32": "changes speed only"}),
)


@pytest.fixture(scope="module")
def record() -> Record:
    return read(RECORD.read_text(encoding="utf-8"))


def test_the_record_is_well_formed(record: Record) -> None:
    catalogue = load()
    assert not problems(record, catalogue.rules, catalogue.declarations)
    assert RECORD.read_text(encoding="utf-8") == dump(record), "write it with `dump` of support.execution_record"


def test_the_page_is_that_of_the_record(record: Record) -> None:
    written = RECORD.with_suffix(".md").read_text(encoding="utf-8")
    assert written == page(record, load_programs()), "write it with `make test-execution EXECUTION_ARGS=--page`"


def test_every_failure_has_a_reason_and_every_reason_a_failure(record: Record) -> None:
    unsaid = {
        f"{o.program}: {o.target} {o.strategy} {o.mode}"
        for o in record.programs
        if o.verdict in FAILURES and not why(o)
    }
    assert not unsaid, "say why in tests/execution/failures.toml"
    assert not needless(record)


def test_pages_show_what_is_recorded(record: Record) -> None:
    assert load_proofs() == record.rules


def test_what_has_no_entry_is_said(record: Record, record_property: Note) -> None:
    if missing := sorted(load().rules.keys() - record.rules.keys()):
        record_property("note", f"docs/execution.json has no entry for {len(missing)} rules: {', '.join(missing)}")


def test_what_changed_since_is_said(record: Record, record_property: Note) -> None:
    if parts := changed(record, digests()):
        record_property("note", f"changed since docs/execution.json was written: {', '.join(parts)}")


def test_a_record_survives_its_text() -> None:
    assert read(dump(RIGHT)) == RIGHT
    assert not problems(RIGHT, RULES, TARGETS)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("python",), 3.11, r"3\.11 is not a string"),
        (("torch",), None, "None is not a string"),
        (("digests", "rule"), "", "extra fields found"),
        (("rules",), [], "rules"),
        (("rules", "cuda-method", "npu", "proof"), "proved", "not a proof"),
        (("rules", "cuda-method", "npu", "run"), "2", "not a proof"),
        (("programs",), {"mnist": "same"}, "programs"),
        (("programs", 0, "verdict"), "good", "verdict"),
        (("programs", 0, "time"), 1.5, "extra fields found"),
        (("mutation", "reasons"), "none", "reasons"),
    ],
)
def test_another_form_is_refused(place: tuple[Any, ...], value: object, message: str) -> None:
    raw = json.loads(dump(RIGHT))
    parent = raw
    for key in place[:-1]:
        parent = parent[key]
    parent[place[-1]] = value
    with pytest.raises(ValueError, match=message):
        read(json.dumps(raw))


@pytest.mark.parametrize("key", ["digests", "python", "rules", "programs", "mutation"])
def test_a_missing_key_is_named(key: str) -> None:
    raw = json.loads(dump(RIGHT))
    del raw[key]
    with pytest.raises(ValueError, match=f"'{key}'|{key}"):
        read(json.dumps(raw))


def proved(**fields: Any) -> dict[str, Any]:
    return {"rules": {"cuda-method": {"npu": replace(PROOF, **fields)}}}


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"digests": replace(RIGHT.digests, rules="later")}, "digests: rules is no SHA-256"),
        ({"rules": {"cuda-methods": {}}}, "rules: there is no rule cuda-methods"),
        ({"rules": {"tf32": {"xpu": PROOF}}}, "rules: tf32, xpu: there is no such target"),
        (proved(run=4), "rules: cuda-method, npu: 4 of 3 examples ran"),
        (proved(run=0), "rules: cuda-method, npu: proved by a run, but of no example or no version"),
        (proved(proof="neither", reason=""), "rules: cuda-method, npu: not proved, and no reason"),
        (proved(reason="two\nlines"), "rules: cuda-method, npu: the reason is not one line of text"),
        ({"programs": (replace(OUTCOME, target="xpu"),)}, "programs: mnist: there is no target xpu"),
        (
            {"programs": (OUTCOME, replace(OUTCOME, verdict="fails"))},
            "programs: mnist, npu, 2.14, rewrite, safe: 2 times",
        ),
        ({"mutation": Mutation({"gone": ""}, {}, {})}, "mutation: there is no rule gone"),
        (
            {"mutation": Mutation({"tf32": "mnist"}, {}, {"tf32": "?"})},
            "mutation: a reason for tf32, which did not survive",
        ),
    ],
)
def test_what_cannot_be_is_named(fields: dict[str, Any], problem: str) -> None:
    assert problems(replace(RIGHT, **fields), RULES, TARGETS) == [problem]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder with one file for each digest that docs/execution.json records."""
    for name in (
        "tests/execution/programs/mnist/train.py",
        "tests/execution/simulator/device.py",
        "rules/cuda-method.md",
        "rules/tables/npu/api-2.14.0.tsv",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("tests/execution/programs/mnist/train.py", "programs"),
        ("tests/execution/programs/programs.toml", "programs"),
        ("tests/execution/simulator/npu/memory.py", "simulator"),
        ("server/scripts/plugin/names/npu-2.14.json", "simulator"),
        ("tests/execution/names/musa.toml", "simulator"),
        ("rules/cuda-method.md", "rules"),
        ("rules/tables/npu/deep/words.tsv", "tables"),
        ("rules/targets/npu.toml", "tables"),
        ("rules/tables/__pycache__/tables.json", ""),
        ("tests/execution/test_programs.py", ""),
        ("rules/limits.tsv", ""),
    ],
)
def test_what_a_digest_is_made_of(checkout: Path, name: str, part: str) -> None:
    record = replace(RIGHT, digests=digests(checkout))
    assert not changed(record, digests(checkout))
    (checkout / name).parent.mkdir(parents=True, exist_ok=True)
    (checkout / name).write_text("changed", encoding="utf-8")
    assert changed(record, digests(checkout)) == list(filter(None, [part]))


def test_a_digest_knows_names(checkout: Path) -> None:
    before = digests(checkout)
    rule = checkout / "rules" / "cuda-method.md"
    rule.rename(rule.with_name("cuda-methods.md"))
    assert changed(replace(RIGHT, digests=before), digests(checkout)) == ["rules"]


def test_every_part_has_files() -> None:
    assert list(DIGESTED) == sorted(DIGESTED)
    for part in ("rules", "tables"):
        assert any(any(RECORD.parents[1].glob(pattern)) for pattern in DIGESTED[part])


@pytest.mark.slow
def test_the_stand_ins_of_relations_fit_the_engine(capfd: pytest.CaptureFixture[str]) -> None:
    assert not unusable(relations())
    (wrong,) = unusable([Mutant("families", "uncuda.workspace.backends:ByName.families", "lambda *_: 1 / 0")])
    assert "families: the engine does not work with its answer" in wrong
    assert "ZeroDivisionError" in capfd.readouterr().err
