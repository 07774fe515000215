"""Tests of suppression comments: which findings they suppress, and which unused comments are reported."""

from typing import NamedTuple

import pytest

from uncuda.edits import apply_edits
from uncuda.source import Span
from uncuda.suppress import parse

KNOWN = ("alpha", "beta", "gamma", "unused-suppression")


class Finding(NamedTuple):
    rule: str
    span: Span


def run(text: str, found: list[tuple[str, str]], active: tuple[str, ...] = KNOWN) -> tuple[list[str], list[str], str]:
    """Return the rules of the remaining findings, the unused comments, and the text without these comments. `found`:
    for each finding, its rule and the text that it marks."""
    findings = [Finding(rule, Span(text.index(words), text.index(words) + len(words))) for rule, words in found]
    kept, unused = parse(text, lambda offset: text[offset - 1 : offset] != "'").apply(findings, KNOWN, active)
    told = [",".join(entry.rules) or "*" for entry in unused]
    return [finding.rule for finding in kept], told, apply_edits(text, [entry.edit for entry in unused])


@pytest.mark.parametrize(
    "comment",
    [
        "# uncuda: ignore[alpha]",
        "#uncuda:ignore[alpha]",
        "# uncuda: ignore [ beta , alpha ]",
        "# uncuda: ignore",
        "# noqa: E501  # uncuda: ignore[alpha]",
        "# uncuda: ignore[alpha]  # noqa: E501",
        "# uncuda: ignore[alpha] because it must stay",
    ],
)
def test_silenced_on_the_line(comment: str) -> None:
    assert run(f"x\ncall(y)  {comment}\nz\n", [("alpha", "y")])[0] == []


@pytest.mark.parametrize(
    "text",
    [
        "y  # uncuda: ignore[beta]\n",
        "# uncuda: ignore[alpha]\ny\n",
        "y\n# uncuda: ignore[alpha]\n",
        "y\r# uncuda: ignore[alpha]\n",
        "y '# uncuda: ignore[alpha]'\n",
        "y  # uncuda: ignoring\n",
        "y  # uncuda ignore\n",
    ],
)
def test_not_silenced(text: str) -> None:
    assert run(text, [("alpha", "y")])[0] == ["alpha"]


@pytest.mark.parametrize(("line", "silent"), [(0, True), (1, False), (2, True)])
def test_several_lines_first_or_last(line: int, silent: bool) -> None:
    lines = ["call(", "  y,", ")"]
    lines[line] += "  # uncuda: ignore[alpha]"
    text = "\n".join(lines) + "\n"
    kept, _ = parse(text, lambda _: True).apply([Finding("alpha", Span(0, text.rindex(")") + 1))], KNOWN, KNOWN)
    assert bool(kept) is not silent


def test_a_backslash_leaves_no_room_for_a_comment() -> None:
    assert run("y = 1 + \\\n  2 + \\\n 3  # uncuda: ignore[alpha]\n", [("alpha", "y")])[0] == []


@pytest.mark.parametrize(("comment", "kept"), [("file-ignore", []), ("file-ignore[alpha]", ["beta"])])
def test_file_ignore(comment: str, kept: list[str]) -> None:
    assert run(f"y\nz\n# uncuda: {comment}\n", [("alpha", "y"), ("beta", "z")])[0] == kept


@pytest.mark.parametrize(
    ("text", "unused", "after"),
    [
        ("y  # uncuda: ignore[beta]\n", ["beta"], "y\n"),
        ("y  # uncuda: ignore\n", ["*"], "y\n"),
        ("y  # uncuda: ignore[]\n", ["*"], "y\n"),
        ("y  # uncuda: ignore[bata]  \r\nz\r\n", ["bata"], "y\r\nz\r\n"),
        ("y  # uncuda: ignore[x, beta]", ["x,beta"], "y"),
        ("y  # noqa  # uncuda: ignore[beta]\n", ["beta"], "y  # noqa\n"),
        ("y  # uncuda: ignore[beta] as we said  # noqa\n", ["beta"], "y  # noqa\n"),
        ("  # uncuda: file-ignore[beta]\r\ny\n", ["beta"], "y\n"),
        ("y\n\t# uncuda: file-ignore", ["*"], "y\n"),
    ],
)
def test_unused_comments_go(text: str, unused: list[str], after: str) -> None:
    assert run(text, []) == ([], unused, after)


@pytest.mark.parametrize(
    ("names", "unused", "after"),
    [
        ("alpha, beta", ["beta"], "alpha"),
        ("beta, alpha", ["beta"], "alpha"),
        ("beta,alpha , what", ["beta,what"], "alpha"),
        ("alpha, alpha", ["alpha"], "alpha"),
        ("alpha", [], "alpha"),
    ],
)
def test_only_the_unused_name_goes(names: str, unused: list[str], after: str) -> None:
    found = [("alpha", "y")]
    assert run(f"y  # uncuda: ignore[{names}] why\n", found) == ([], unused, f"y  # uncuda: ignore[{after}] why\n")


def test_a_line_and_a_file_comment_are_both_used() -> None:
    assert run("# uncuda: file-ignore[alpha]\ny  # uncuda: ignore[alpha]\n", [("alpha", "y")])[1] == []


def test_of_a_rule_that_is_not_checked_nothing_is_said() -> None:
    active = ("alpha", "unused-suppression")
    assert run("y  # uncuda: ignore[beta]\n", [], active)[1] == []
    assert run("y  # uncuda: ignore[bata]\n", [], active)[1] == ["bata"]


def test_an_unused_one_can_be_silenced_by_name() -> None:
    assert run("y  # uncuda: ignore[beta, unused-suppression]\n", [])[1] == []
    assert run("# uncuda: file-ignore[unused-suppression]\ny  # uncuda: ignore[beta]\n", [])[1] == []
    assert run("# uncuda: file-ignore\ny  # uncuda: ignore[beta]\n", [("alpha", "y")])[1] == ["beta"]


def test_unknown_names_are_told_apart() -> None:
    text = "y  # uncuda: ignore[beta, bata]\n"
    _, unused = parse(text, lambda _: True).apply([], KNOWN, KNOWN)
    assert [(entry.rules, entry.unknown) for entry in unused] == [(("beta", "bata"), ("bata",))]
    assert text[slice(*unused[0].span)] == "# uncuda: ignore[beta, bata]"


def test_without_a_comment_nothing_is_asked() -> None:
    def never(_: int) -> bool:
        raise AssertionError

    assert not parse("y = 'uncuda'\n", never)
