"""Tests of the catalogue: errors in a rule file are reported with line and hint, and its cache is never out of date."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from uncuda.catalogue import Catalogue, CatalogueError, Rule, Versions, around, folder, load, read_page, tables
from uncuda.catalogue import cache as remembered
from uncuda.catalogue.keys import CHECKS, COMMON
from uncuda.catalogue.rules import parse_toml, read_rule

RULE = """\
# A test rule

```toml
check = "name"
names = ["torch.cuda.tested"]
severity = "error"
message = "`{name}` is tested"
message-zh = "`{name}` 是测试"
```

Why.

## Here

```python
import torch

torch.cuda.tested()  # flagged
```

```python
import torch
```
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """Return a copy of the targets' folders, to which the test has added a rule."""
    copy = tmp_path / "rules"
    copy.mkdir()
    shutil.copytree(folder() / "targets", copy / "targets")
    (copy / "tested.md").write_text(RULE, encoding="utf-8")
    return copy


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


def complaint(rules: Path) -> str:
    """Return the error about a folder, with relative paths."""
    with pytest.raises(CatalogueError) as caught:
        Catalogue(rules)
    return str(caught.value).replace(f"{rules}{os.sep}", "").replace("\\", "/")


def test_the_rule_is_right(rules: Path) -> None:
    assert list(Catalogue(rules).rules) == ["tested"]


@pytest.mark.parametrize(
    "old, new, due",
    [
        ("names =", "nams =", "5: unknown key 'nams' (did you mean 'names'?)"),
        ('"name"', '"nme"', "4: unknown check 'nme' (did you mean 'name'?)"),
        ('"error"', '"eror"', "6: severity = 'eror' is none of error, warning, information (did you mean 'error'?)"),
        ('"error"', '"error"\nfix = "save"', "7: fix = 'save' is none of safe, review (did you mean 'safe'?)"),
        ('"error"', '"error"\nprerequisite = "libary"', "7: prerequisite = 'libary' is none of library, extension,"),
        ('"error"', '"error"\ntags = ["deprecate"]', "7: tags: unknown word 'deprecate' (did you mean 'deprecated'?)"),
        ('"error"', '"error"\nstatus = ["missin"]', "7: status: unknown word 'missin' (did you mean 'missing'?)"),
        ('"error"', '"error"\nneeds = "amp-d"', "7: needs: unknown feature 'amp-d' (did you mean 'amp-c'?)"),
        (
            '"error"',
            '"error"\nwith-words = { x = "amp-d" }',
            "7: with-words: unknown feature 'amp-d' (did you mean 'amp-c'?)",
        ),
        ('"error"', '"error"\nposition = 1', "7: 'position' is no key of check 'name', but of argument"),
        ('["torch.cuda.tested"]', '"torch.cuda.tested"', "5: names must be a list of strings"),
        ('"error"', '"error"\nunbound = []', "7: unbound is empty: say something, or leave it out"),
        ('"error"', '"error"\nonly-with = [" "]', "7: only-with is empty"),
        ('["torch.cuda.tested"]', "[]", "5: names is empty"),
        ('"error"', '"error"\nreplacements = { a = "" }', "7: replacements is empty"),
        ('"error"', '"error"\nleading = { a = "x" }', "7: leading: 'a' must be a number"),
        ('"error"', '"error"\nbeyond = { a = "x" }', "7: beyond: 'a' must be a list of strings"),
        ('"error"', '"error"\nreplacements = { a = ["x"] }', "7: replacements: 'a' must be a string"),
        ('"error"', '"error"\ngate = [""]', "7: gate is empty"),
        ('"error"', '"error"\nreplace = "{devise}"', "7: replace: nothing fills {devise} (did you mean 'device'?)"),
        ('["torch.cuda.tested"]', "[torch]", "5: Invalid value"),
        ('severity = "error"\n', "", "4: 'severity' is missing"),
        ("# A test rule\n", "", "1: a rule starts with `# title` and a ```toml block"),
        ("  # flagged", "", "1: a rule needs an example with a line marked `# flagged`"),
        ("```python\nimport torch\n```\n", "", "1: a rule needs an example without a flagged line"),
        ("```python\n", "```python nqu\n", "15: unknown target 'nqu' (did you mean 'npu'?)"),
        ("```python\n", "```python version=2\n", "15: unknown target 'version=2'"),
        ("```python\n", "```python torhc:2.1\n", "15: unknown option 'torhc' (did you mean 'torch'?)"),
        ("```python\n", "```python -> npu\n```\n\n```python\n", "15: a result (->) needs an example above it"),
    ],
)
def test_a_rule_that_is_wrong(rules: Path, old: str, new: str, due: str) -> None:
    (rules / "tested.md").write_text(changed(RULE, old, new), encoding="utf-8")
    assert complaint(rules).startswith(f"tested.md:{due}")


@pytest.mark.parametrize("key", ["message", "message-zh"])
def test_a_message_with_a_word_that_nothing_fills(rules: Path, key: str) -> None:
    text = re.sub(rf'^{key} *= *".*"$', f'{key} = "{{nmae}} on {{target}}"', RULE, flags=re.M)
    (rules / "tested.md").write_text(text, encoding="utf-8")
    assert f"{key}: nothing fills {{nmae}} (did you mean 'name'?)" in complaint(rules)


def test_the_prose_of_a_rule_ends_before_its_examples() -> None:
    for rule in load().rules.values():
        prose, examples = read_page(rule.path) if rule.path else ("", [])
        assert bool(prose) == bool(examples)
        assert "## " not in prose, rule.name


def test_a_limit_of_some_hardware(rules: Path) -> None:
    path = rules / "targets" / "npu.toml"
    text, limit = path.read_text(encoding="utf-8"), '{ value = "hccl-dtype", when = { hardware = "A2|A3" } }'
    path.write_text(re.sub(r"(?m)^collective-float64 = .*", f"collective-float64 = [{limit}]", text), encoding="utf-8")
    found = {name: Catalogue(rules).target("npu", hardware=name).features for name in ("A2", "A3", "950")}
    limits = {name: features["collective-float64"] for name, features in found.items()}
    assert limits == {"A2": "hccl-dtype", "A3": "hccl-dtype", "950": "yes"}


def test_every_key_is_used() -> None:
    used = {(rule.check, key) for rule in load().rules.values() for key in _declared(rule)}
    known = {(check, key.name) for check, verb in CHECKS.items() for key in verb.keys}
    assert known - used == set()
    assert {key.name for key in COMMON} - {key for _, key in used} == set()


def _declared(rule: Rule) -> dict[str, object]:
    assert rule.path is not None
    block = re.search(r"^```toml\n(.*?)^```$", rule.path.read_text(encoding="utf-8"), re.M | re.S)
    assert block is not None
    return parse_toml(block[1], rule.name)


def test_strings_have_their_own_words(rules: Path) -> None:
    text = changed(RULE, 'check = "name"\nnames =', 'check = "string"\npattern = "x"\nroles = ["argumnet"]\nwords.x =')
    text = changed(text, '["torch.cuda.tested"]', '"y"')
    (rules / "tested.md").write_text(text, encoding="utf-8")
    assert complaint(rules) == "tested.md:6: roles: unknown word 'argumnet' (did you mean 'argument'?)"


def test_a_pattern_that_is_none(rules: Path) -> None:
    text = changed(RULE, 'check = "name"\nnames = ["torch.cuda.tested"]', 'check = "string"\npattern = "("')
    (rules / "tested.md").write_text(text, encoding="utf-8")
    assert complaint(rules).startswith("tested.md:5: pattern must be a regular expression: ")


def test_a_list_of_patterns_of_which_one_is_none(rules: Path) -> None:
    text = changed(RULE, 'check = "name"\n', 'check = "name"\ngate-patterns = ["x", "("]\n')
    (rules / "tested.md").write_text(text, encoding="utf-8")
    assert complaint(rules).startswith("tested.md:5: gate-patterns must be a regular expression: ")


def test_a_name_that_is_none(rules: Path) -> None:
    (rules / "tested.md").rename(rules / "Tested_2.md")
    assert complaint(rules) == "Tested_2.md:1: a rule is named in lower case with dashes, not 'Tested_2'"


def test_two_rules_claim_one_name(rules: Path) -> None:
    (rules / "zested.md").write_text(RULE, encoding="utf-8")
    assert complaint(rules) == "zested.md:5: zested and tested both claim torch.cuda.tested; one must give way"


@pytest.mark.parametrize(
    "old, new, due",
    [
        ("title-zh", "titel-zh", "unknown key 'titel-zh' (did you mean 'title-zh'?)"),
        ("homepage", "#", "'homepage' is missing"),
        ("default = true", 'default = "yes"', "'default' must be true or false"),
        ("[words]", "[words", "Expected"),
        ("package =", "packages =", "unknown word 'packages' (did you mean 'package'?)"),
        ('ccl = "hccl"', 'ccl = ""', "ccl is empty: if there is no such thing, leave the line out"),
        ('device = "npu"', "device = 1", "device must be a string"),
    ],
)
def test_a_target_that_is_wrong(rules: Path, old: str, new: str, due: str) -> None:
    path = rules / "targets" / "npu.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(changed(text, old, new), encoding="utf-8")
    line = text.count("\n", 0, text.index(old)) + 1
    if due.endswith("missing"):
        line = 1
    assert complaint(rules).startswith(f"targets/npu.toml:{line}: {due}")


def test_just_one_target_is_the_default(rules: Path) -> None:
    assert Catalogue(rules).default_target == "npu"
    shutil.copy(rules / "targets" / "npu.toml", rules / "targets" / "other.toml")
    with pytest.raises(CatalogueError, match="just one target says `default = true`, not npu and other"):
        _ = Catalogue(rules).default_target


def test_a_row_with_a_cell_too_many(rules: Path) -> None:
    tables = rules / "tables" / "npu"
    tables.mkdir(parents=True)
    (tables / "modules.tsv").write_text("# generated\nmodule\tstatus\nxformers\tadapted\t\n", encoding="utf-8")
    with pytest.raises(CatalogueError, match=r"modules\.tsv:3: 3 cells where 2 are due"):
        Catalogue(rules).target("npu")


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the rules that were read from files instead of the cache."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    names: list[str] = []

    def noted(path: Path) -> Rule:
        names.append(path.stem)
        return read_rule(path)

    monkeypatch.setattr(remembered, "read_rule", noted)
    return names


def store(rules: Path) -> Path:
    (found,) = (rules / "__pycache__").glob("*.json")
    return found


class TestMemory:
    def test_nothing_is_read_twice(self, rules: Path, reads: list[str]) -> None:
        first, second = Catalogue(rules).rules, Catalogue(rules).rules
        assert reads == ["tested"]
        assert first == second

    def test_the_real_rules_come_back_as_they_were(self, tmp_path: Path, reads: list[str]) -> None:
        rules = shutil.copytree(folder(), tmp_path / "all", ignore=shutil.ignore_patterns("__pycache__"))
        first = Catalogue(rules).rules
        count = len(reads)
        assert Catalogue(rules).rules == first
        assert len(reads) == count == len(first)

    def test_a_changed_rule(self, rules: Path, reads: list[str]) -> None:
        Catalogue(rules)
        (rules / "tested.md").write_text(changed(RULE, "A test rule", "Another"), encoding="utf-8")
        assert Catalogue(rules).rules["tested"].title == "Another"

    def test_a_changed_rule_of_the_same_size(self, rules: Path, reads: list[str]) -> None:
        Catalogue(rules)
        path = rules / "tested.md"
        before = path.stat()
        path.write_text(changed(RULE, "A test rule", "A fest rule"), encoding="utf-8")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1_000_000_000))
        assert Catalogue(rules).rules["tested"].title == "A fest rule"

    def test_rules_that_come_and_go(self, rules: Path, reads: list[str]) -> None:
        Catalogue(rules)
        other = changed(RULE, "torch.cuda.tested", "torch.cuda.other")
        (rules / "other.md").write_text(other, encoding="utf-8")
        assert set(Catalogue(rules).rules) == {"tested", "other"}
        (rules / "tested.md").unlink()
        assert set(Catalogue(rules).rules) == {"other"}

    def test_a_wrong_rule_is_not_remembered(self, rules: Path, reads: list[str]) -> None:
        (rules / "tested.md").write_text(changed(RULE, "names", "nams"), encoding="utf-8")
        assert complaint(rules) == complaint(rules)
        assert not (rules / "__pycache__").exists()

    @pytest.mark.parametrize("text", ["", "{", "[]", "null", "[1, 2, 3]", '{"a": 1}', "\0\0"])
    def test_a_broken_store(self, rules: Path, reads: list[str], text: str) -> None:
        Catalogue(rules)
        store(rules).write_text(text, encoding="utf-8")
        assert list(Catalogue(rules).rules) == ["tested"]
        assert list(Catalogue(rules).rules) == ["tested"]
        assert len(reads) == 2  # the second read wrote the cache again

    @pytest.mark.parametrize("old, new", [('"check"', '"chek"'), ('"parameters": {', '"parameters": 5, "x": {')])
    def test_a_store_of_another_shape(self, rules: Path, reads: list[str], old: str, new: str) -> None:
        Catalogue(rules)
        path = store(rules)
        path.write_text(changed(path.read_text(encoding="utf-8"), old, new), encoding="utf-8")
        assert list(Catalogue(rules).rules) == ["tested"]

    def test_bytes_that_are_no_text(self, rules: Path, reads: list[str]) -> None:
        Catalogue(rules)
        store(rules).write_bytes(b"\xff\xfe\x00")
        assert list(Catalogue(rules).rules) == ["tested"]

    def test_a_folder_that_cannot_be_written(self, rules: Path, reads: list[str]) -> None:
        (rules / "__pycache__").write_text("in the way", encoding="utf-8")
        assert [list(Catalogue(rules).rules) for _ in range(2)] == [["tested"], ["tested"]]
        assert len(reads) == 2

    def test_a_read_only_folder(self, rules: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "mkdir", refuse)
        assert [list(Catalogue(rules).rules) for _ in range(2)] == [["tested"], ["tested"]]
        assert not (rules / "__pycache__").exists()

    def test_a_reader_that_changed(self, rules: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        Catalogue(rules)
        monkeypatch.setattr(remembered, "_readers", lambda: [1, 2, 3, 4])
        Catalogue(rules)
        assert len(reads) == 2


class TestVersions:
    KNOWN = ("2.1.0.post17", "2.6.0.post5", "2.7.1.post11", "2.8.0.post5", "2.13.0", "2.14.0")

    @pytest.mark.parametrize(
        ("versions", "asked"),
        [
            ("2.6.0.post5", "2.6.0.post5"),
            ("2.6.0", "2.6.0.post5"),
            ("2.6", "2.6.0.post5"),
            ("2.5.1", "2.1.0.post17 2.6.0.post5"),
            ("2.15", "2.14.0"),
            (">=2.13", "2.13.0 2.14.0"),
            (">=2.6,<2.8", "2.6.0.post5 2.7.1.post11"),
            (">=2.7,<2.8", "2.7.1.post11"),
            (">=2.6,<=2.8", "2.6.0.post5 2.7.1.post11 2.8.0.post5"),
            (">2.6.0,<2.8", "2.6.0.post5 2.7.1.post11"),
            # there is no table for 2.5: only the names in the tables of both 2.1.0.post17 and 2.6.0.post5 count as
            # existing, so both tables are read
            (">=2.5,<2.7", "2.1.0.post17 2.6.0.post5"),
            # there is no table for 2.9: only the names in the tables of both 2.8.0.post5 and 2.13.0 count as existing,
            # so both tables are read
            (">=2.8,<2.10", "2.8.0.post5 2.13.0"),
            (">=2.9,<2.12", "2.8.0.post5 2.13.0"),
            ("<2", "2.1.0.post17"),
            (">=3", "2.14.0"),
            (">=2.13,<3", "2.13.0 2.14.0"),
            (">=2.6,<2.6.0.post9", "2.6.0.post5"),
            ("2.6.0.post9", "2.6.0.post5"),
            ("2.6.0.post1", "2.1.0.post17 2.6.0.post5"),
            ("2.8.0rc1", "2.7.1.post11 2.8.0.post5"),  # this is a pre-release of 2.8.0
            ("2.13.0+cu128", "2.13.0"),
        ],
    )
    def test_the_tables_that_are_asked(self, versions: str, asked: str) -> None:
        assert " ".join(around(Versions.of(versions), self.KNOWN)) == asked

    @pytest.mark.parametrize("text", ["2.6.0.post5", ">=2.6", "<2.8", ">2.6,<=2.8", ""])
    def test_as_text(self, text: str) -> None:
        assert str(Versions.of(text)) == text

    @pytest.mark.parametrize(
        ("one", "other", "both", "either"),
        [
            (">=2.1", "<2.4", ">=2.1,<2.4", ""),
            ("2.1", "2.4", None, ">=2.1,<=2.4"),
            (">=2.1,<2.5", ">=2.4,<3", ">=2.4,<2.5", ">=2.1,<3"),
            (">=2.1", "2.4", "2.4", ">=2.1"),
            (">2.4", "<=2.4", None, ""),
            (">=2.4", "<=2.4", "2.4", ""),
            ("", "2.6", "2.6", ""),
            (">=2.9", "<2.9.0.post9", ">=2.9,<2.9.0.post9", ""),
            (">2.9.0.post3", "2.9.0", None, ">=2.9.0"),
            (">2.9.0", "<2.9.0.post9", None, ""),  # a post-release of 2.9.0 does not fulfil `>2.9.0`
            (">2.9.0", "<2.9.1", ">2.9.0,<2.9.1", ""),
            (">2.9.0.post3", "<2.9.0.post9", ">2.9.0.post3,<2.9.0.post9", ""),
            ("2.8.0rc1", ">=2.8.0", None, ">=2.8.0rc1"),
            (">=2.8.0rc1", "<2.8.0", ">=2.8.0rc1,<2.8.0", ""),
        ],
    )
    def test_of_two_ranges(self, one: str, other: str, both: str | None, either: str) -> None:
        for first, second in ((one, other), (other, one)):
            found = Versions.of(first).within(Versions.of(second))
            assert (str(found) if found is not None else None) == both
            assert str(Versions.of(first).spanning(Versions.of(second))) == either

    @pytest.mark.parametrize(
        ("versions", "condition", "may", "must"),
        [
            ("2.4", "<2.5.1", True, True),
            ("2.6", "<2.5.1", False, False),
            (">=2.4", "<2.5.1", True, False),
            (">=2.5.1", "<2.5.1", False, False),
            ("<2.5.1", "<2.5.1", True, True),
            ("<=2.5.1", "<2.5.1", True, False),
            ("", ">=2.5", True, False),
            ("2.6.0", "==2.6", True, True),
            ("2.8.0rc1", ">=2.8", False, False),
            ("2.8.0rc1", "<2.8", True, True),
            ("2.8.0a0+34c6371.nv25", ">2.7.1", True, True),
            ("2.9.0.dev20250801", ">=2.9", False, False),
            ("2.8.0+cu128", ">=2.8", True, True),
            (">=2.8.0rc1", ">=2.8", True, False),
            (">=2.6", "==2.6", True, False),
        ],
    )
    def test_conditions(self, versions: str, condition: str, may: bool, must: bool) -> None:
        sign, version = re.fullmatch(r"(\D+)(.+)", condition).groups()  # type: ignore[union-attr]
        assert (Versions.of(versions).may(sign, version), Versions.of(versions).must(sign, version)) == (may, must)

    def test_a_target_for_a_range_has_the_limits_of_all_of_it(self) -> None:
        catalogue = load()
        assert catalogue.target("npu", ">=2.4").features["integer-device"] == "integer-device"
        assert catalogue.target("npu", ">=2.6").features["integer-device"] == "yes"
        assert catalogue.target("npu", "2.7.1", ">=2.1").features["integer-device"] == "integer-device"
        assert catalogue.target("npu", "2.7.1.post11").rows["torch.cuda.ExternalStream"].present
        assert not catalogue.target("npu", "2.7.1").rows["torch.cuda.ExternalStream"].present
        assert not catalogue.target("npu", ">=2.7,<2.9").rows["torch.cuda.ExternalStream"].present
        assert not catalogue.target("npu", ">=2.7,<2.9").rows["torch.set_autocast_gpu_dtype"].shim

    @pytest.mark.parametrize(
        ("target", "torch", "plugin"),
        [
            ("npu", "2.6.0", "2.6.0"),
            ("npu", "2.7.0", "2.7.1"),
            ("npu", "2.5.1", "2.5.1"),
            ("npu", "<2.5", ">=1.8.1,<2.5"),
            ("npu", "1.5", None),
            ("musa", "2.7.0", "2.7.0"),
            ("musa", "2.2.0", None),
            ("musa", ">=2.2,<2.7", ">=2.5.0,<2.7"),
        ],
    )
    def test_what_goes_with_torch(self, target: str, torch: str, plugin: str | None) -> None:
        assert load().going_with(target, torch) == plugin


def test_ranges_share_the_tables_that_were_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each folder of a repository may require another range of plugin versions; a table of APIs that several ranges
    need is read from its file only once."""
    read: list[str] = []
    records = tables.records

    def noted(path: Path) -> Iterator[dict[str, str]]:
        read.append(path.name)
        return records(path)

    monkeypatch.setattr(tables, "records", noted)
    catalogue = Catalogue(folder())
    first, second = (catalogue.target("npu", f">=2.{number},<2.14").rows for number in (6, 8))
    assert read.count("api-2.13.0.tsv") == read.count("env.tsv") == 1
    assert first is not second
