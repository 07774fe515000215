"""Engines share the rules that they prepare if their settings select the same ones."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import pytest

from uncuda.catalogue import Catalogue, folder, load
from uncuda.engine import Engine
from uncuda.settings import Settings

SETTINGS = Settings(select=("cuda-api",), extend_select=("tf32",), ignore=("amp-c",))


def test_settings_that_select_the_same_rules_share_them() -> None:
    one = Engine(load(), "npu", SETTINGS)
    other = Engine(load(), "npu", replace(SETTINGS, locale="zh", fail_level="error", workers=2))
    assert one.ruleset(False) is other.ruleset(False)
    assert one.ruleset(True) is other.ruleset(True) is not one.ruleset(False)


@pytest.mark.parametrize(
    "different",
    [
        {"select": ("cuda-method",)},
        {"extend_select": ()},
        {"ignore": ()},
        {"strategy": "portable"},
        {"target_version": "2.1.0"},
    ],
    ids=lambda different: next(iter(different)),
)
def test_settings_that_select_others_have_their_own(different: dict[str, object]) -> None:
    one = Engine(load(), "npu", SETTINGS).ruleset(False)
    other = Engine(load(), "npu", replace(SETTINGS, **different)).ruleset(False)  # type: ignore[arg-type]
    assert one is not other


def test_another_target_or_catalogue_has_its_own() -> None:
    one = Engine(load(), "npu", SETTINGS).ruleset(False)
    assert one is not Engine(load(), "musa", SETTINGS).ruleset(False)
    assert one is not Engine(Catalogue(folder()), "npu", SETTINGS).ruleset(False)


def test_rules_that_no_engine_uses_are_not_kept() -> None:
    kept = weakref.ref(Engine(load(), "npu", replace(SETTINGS, ignore=("cuda-method",))).ruleset(False))
    gc.collect()
    assert kept() is None
