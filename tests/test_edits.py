"""Edits combine or stay out of each other's way."""

from __future__ import annotations

import pytest

from uncuda.edits import Edit, Fix, OverlapError, apply_edits, lowest, select


def fix(*edits: Edit, applicability: str = "safe") -> Fix:
    return Fix("", applicability, edits)


def test_edits_apply_in_the_order_of_the_text() -> None:
    assert apply_edits("abcdef", [Edit(4, 5, "E"), Edit(0, 1, ""), Edit(2, 2, "+")]) == "b+cdEf"


def test_edits_that_touch_the_same_characters_are_an_error() -> None:
    with pytest.raises(OverlapError):
        apply_edits("abcdef", [Edit(0, 3, "x"), Edit(2, 4, "y")])


def test_fixes_that_share_an_edit_are_both_made() -> None:
    shared = Edit(0, 0, "import x\n")
    assert len(select([fix(shared, Edit(3, 4, "a")), fix(shared, Edit(5, 6, "b"))])) == 2


def test_of_two_that_collide_the_first_is_made_whole() -> None:
    first, second = fix(Edit(0, 3, "x"), Edit(8, 9, "y")), fix(Edit(2, 4, "z"), Edit(20, 21, "w"))
    assert select([first, second]) == [first]


def test_two_different_insertions_at_one_place_collide() -> None:
    assert len(select([fix(Edit(3, 3, "a")), fix(Edit(3, 3, "b"))])) == 1


def test_neighbours_do_not_collide() -> None:
    assert len(select([fix(Edit(0, 3, "x")), fix(Edit(3, 5, "y"))])) == 2


def test_the_lowest_class_wins() -> None:
    assert lowest("safe", "safe") == "safe"
    assert lowest("safe", "review") == "review"
    assert lowest("safe", None, "review") is None
