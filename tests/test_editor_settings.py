"""Tests of settings in the form in which editors send them."""

from __future__ import annotations

from typing import Any

import pytest

from uncuda.settings import EDITOR_OPTIONS, OPTIONS, Vocabulary, read_editor

WORDS = Vocabulary(("npu", "musa"), ("cuda-api", "cuda-method"))


def test_names_in_camel_case() -> None:
    said = read_editor({"targetVersion": "2.7.1", "perFileIgnores": {"*.py": ["cuda-api"]}, "codeLens": True}, WORDS)
    assert said.table == {"target-version": "2.7.1", "per-file-ignores": {"*.py": ["cuda-api"]}}
    assert said.code_lens
    assert not said.problems


@pytest.mark.parametrize("nothing", [None, "", [], {}])
def test_what_is_not_set(nothing: Any) -> None:
    assert read_editor({"target": nothing, "select": nothing, "codeLens": nothing}, WORDS) == read_editor({}, WORDS)


def test_defaults_count_as_not_set() -> None:
    every = {option.name: option.default for option in (*OPTIONS, *EDITOR_OPTIONS)}
    assert read_editor(every, WORDS) == read_editor(None, WORDS)


def test_a_wrong_value_costs_itself_only() -> None:
    said = read_editor(
        {"target": "tpu", "ignore": ["cuda-api"], "codeLens": "yes", "configurationPreference": "x"}, WORDS
    )
    assert said.table == {"ignore": ["cuda-api"]}
    assert len(said.problems) == 3
    assert "`tpu`" in said.problems[0]


@pytest.mark.parametrize("key", ["targetVersion", "target-version"])
def test_a_wrong_value_is_named_as_the_editor_names_it(key: str) -> None:
    (problem,) = read_editor({key: "newest"}, WORDS).problems
    assert problem.startswith(f"`{key}`: ")


def test_unknown_keys_suggest_the_nearest() -> None:
    said = read_editor({"taget": "npu", "trace": {"server": "off"}, "interpreter": ["python"]}, WORDS)
    assert said.unknown == ("`taget` (did you mean 'target'?)",)


@pytest.mark.parametrize("preference, over", [("filesystemFirst", False), ("editorFirst", True)])
def test_over_or_under_the_file(preference: str, over: bool) -> None:
    said = read_editor({"target": "npu", "configurationPreference": preference}, WORDS)
    assert (said.over, said.under) == (({"target": "npu"}, {}) if over else ({}, {"target": "npu"}))
