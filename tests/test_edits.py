"""Tests that edits are combined, or rejected if they conflict."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject, data

from uncuda.edits import Change, Edit, Fix, OverlapError, apply_edits, changes_of, compose, lowest, select


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


def change(start: int, end: int, text: str, rule: str = "a", applicability: str = "safe") -> Change:
    return Change(Edit(start, end, text), (rule,), applicability)


class TestCompose:
    def test_one_pass_is_itself(self) -> None:
        only = [change(0, 1, "A"), change(3, 3, "+", "b")]
        assert compose("abcdef", [only]) == only

    def test_places_move_with_what_came_before(self) -> None:
        first, second = [change(0, 1, "AAA")], [change(5, 6, "", "b")]
        assert compose("abcdef", [first, second]) == [change(0, 1, "AAA"), change(3, 4, "", "b")]

    def test_a_change_within_a_change_is_one_edit_of_both_rules(self) -> None:
        first, second = [change(2, 4, "hello")], [change(3, 5, "E", "b", "review")]
        assert compose("abcdef", [first, second]) == [Change(Edit(2, 4, "hElo"), ("a", "b"), "review")]

    def test_what_was_taken_back_is_no_change(self) -> None:
        assert compose("abc", [[change(1, 2, "xyz")], [change(1, 4, "b")]]) == []

    def test_a_later_change_may_reach_over_several(self) -> None:
        first, second = [change(0, 1, ""), change(3, 3, "++"), change(5, 6, "F")], [change(1, 7, "-", "b")]
        expected = [change(0, 1, ""), Change(Edit(2, 6, "-"), ("b", "a"), "safe")]
        assert compose("abcdef", [first, second]) == expected

    def test_insertions_at_one_place_are_one_edit(self) -> None:
        first, second = [change(3, 3, "x")], [change(4, 4, "y", "b")]
        assert compose("abcdef", [first, second]) == [Change(Edit(3, 3, "xy"), ("a", "b"), "safe")]

    @given(data())
    def test_the_whole_gives_what_the_passes_give(self, draw: DataObject) -> None:
        before = text = draw.draw(st.text("ab\n", max_size=12))
        passes = []
        for number in range(draw.draw(st.integers(0, 4))):
            cuts = sorted(draw.draw(st.lists(st.integers(0, len(text)), max_size=8)))
            spans = list(dict.fromkeys(zip(cuts[::2], cuts[1::2])))
            made = [change(*span, draw.draw(st.text("XY", max_size=3)), f"r{number}") for span in spans]
            passes.append(made)
            text = apply_edits(text, [one.edit for one in made])
        composed = [one.edit for one in compose(before, passes)]
        assert apply_edits(before, composed) == text
        assert all(edit.end <= other.start for edit, other in zip(composed, composed[1:]))
        assert all(edit.start < other.start for edit, other in zip(composed, composed[1:]))


def test_an_edit_that_several_rules_ask_for_has_their_names() -> None:
    shared = Edit(0, 0, "import x\n")
    fixes = [(fix(shared, Edit(3, 4, "a"), applicability="review"), "one"), (fix(shared, Edit(5, 6, "b")), "two")]
    assert changes_of(fixes) == [
        Change(shared, ("one", "two"), "safe"),
        Change(Edit(3, 4, "a"), ("one",), "review"),
        Change(Edit(5, 6, "b"), ("two",), "safe"),
    ]
