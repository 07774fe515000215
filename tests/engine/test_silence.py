"""Tests of comments that suppress a finding: where they are inserted, and that they work."""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache

import pytest

from support.engines import engine_for
from uncuda.catalogue import load, read_page
from uncuda.edits import Edit, apply_edits
from uncuda.engine import Finding
from uncuda.engine.suppression_edits import ignore_in_file, ignore_on_line
from uncuda.facts.layout import Layout
from uncuda.settings import Settings
from uncuda.source import Source, Span

ENGINE = engine_for("npu", Settings(locale="en", strategy="rewrite"))


@lru_cache(maxsize=256)
def findings(text: str) -> tuple[Finding, ...]:
    return ENGINE.check(Source(text)).findings


def silenced(text: str, finding: Finding, edit: Edit) -> str:
    """The text after the edit; the edit must suppress the finding, and no finding of another rule."""
    after = apply_edits(text, [edit])
    left = findings(after)
    assert finding.rule not in {other.rule for other in left if _moved(other.span, edit) == finding.span}
    # `unused-suppression` is not compared: a comment that suppressed nothing may now suppress the finding
    told = {finding.rule, "unused-suppression"}
    before = [(other.rule, other.span) for other in findings(text) if other.rule not in told]
    assert [(other.rule, _moved(other.span, edit)) for other in left if other.rule not in told] == before
    return after


def _moved(span: Span, edit: Edit) -> Span:
    """Return the position that a span had before an insertion."""
    grown = len(edit.text)
    start, end = (at - grown if at >= edit.start + grown else at for at in span)
    return Span(start, end)


def on_line(text: str, rule: str = "cuda-api") -> str | None:
    finding = next(finding for finding in findings(text) if finding.rule == rule)
    edit = ignore_on_line(text, Layout(text), finding.span, rule)
    return None if edit is None else silenced(text, finding, edit)


C = "  # uncuda: ignore[cuda-api]"


@pytest.mark.parametrize(
    ("line", "due"),
    [
        ("torch.cuda.init()", f"torch.cuda.init(){C}"),
        ("torch.cuda.init()   ", f"torch.cuda.init(){C}   "),
        ("torch.cuda.init()\f", f"torch.cuda.init(){C}\f"),
        ("torch.cuda.init()  # noqa: E501", f"torch.cuda.init()  # noqa: E501{C}"),
        ("torch.cuda.init()  # why \\", f"torch.cuda.init()  # why \\{C}"),
        ("torch.cuda.init()  # uncuda: ignore[is-cuda]", "torch.cuda.init()  # uncuda: ignore[is-cuda, cuda-api]"),
        ("torch.cuda.init()  # uncuda: ignore[]", "torch.cuda.init()  # uncuda: ignore[cuda-api]"),
        ("torch.cuda.init()  #uncuda:ignore [ a ] x", "torch.cuda.init()  #uncuda:ignore [ a, cuda-api ] x"),
        ("f(torch.cuda.init(),\n  x)", f"f(torch.cuda.init(),{C}\n  x)"),
        ("x = torch.cuda.init() + \\\n  1", f"x = torch.cuda.init() + \\\n  1{C}"),
        ("x = torch.cuda.init() + \\\n  1 + \\\n  2  # c", f"x = torch.cuda.init() + \\\n  1 + \\\n  2  # c{C}"),
        ('f(torch.cuda.init(), """\n#\n""", 1)\nx', f'f(torch.cuda.init(), """\n#\n""", 1){C}\nx'),
        ('f(torch.cuda.init(), """\n""", \\\n  1)\nx', f'f(torch.cuda.init(), """\n""", \\\n  1){C}\nx'),
        ('f(torch.cuda.init(), "a\\\nb")', f'f(torch.cuda.init(), "a\\\nb"){C}'),
        ('x = f"""\n{torch.cuda.init()}\n"""', f'x = f"""\n{{torch.cuda.init()}}\n"""{C}'),
        ("torch.cuda.init(); y = '# uncuda: ignore[a]'", f"torch.cuda.init(); y = '# uncuda: ignore[a]'{C}"),
        ("if torch.cuda.init(): pass", f"if torch.cuda.init(): pass{C}"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_on_the_line(line: str, due: str, newline: str) -> None:
    text = f"import torch\n{line}\n".replace("\n", newline)
    assert on_line(text) == f"import torch\n{due}\n".replace("\n", newline)


def test_on_a_last_line_without_a_break() -> None:
    assert on_line("import torch\ntorch.cuda.init()") == f"import torch\ntorch.cuda.init(){C}"


def test_where_no_line_has_room() -> None:
    text = "import torch\nx = torch.cuda.init() + \\"
    assert ignore_on_line(text, Layout(text), Span(17, 32), "cuda-api") is None


def test_what_silences_nothing_can_be_silenced() -> None:
    text = "x = 1  # uncuda: ignore[no-such]\n"
    assert on_line(text, "unused-suppression") == "x = 1  # uncuda: ignore[no-such, unused-suppression]\n"


A = "# uncuda: file-ignore[cuda-api]"


@pytest.mark.parametrize(
    ("head", "due"),
    [
        ("", f"{A}\n"),
        ('"""Doc."""\n', f'{A}\n"""Doc."""\n'),
        ("#!/usr/bin/env python\n", f"#!/usr/bin/env python\n{A}\n"),
        ("#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n", f"#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n{A}\n"),
        ("# coding=utf-8\n# Licence\n", f"# coding=utf-8\n{A}\n# Licence\n"),
        ("# Licence\n# coding=utf-8\n", f"# Licence\n# coding=utf-8\n{A}\n"),
        ("\n# coding=utf-8\n", f"\n# coding=utf-8\n{A}\n"),
        ("x = 1\n# coding=utf-8\n", f"{A}\nx = 1\n# coding=utf-8\n"),
        ("\n \t\n\n", f"\n \t\n\n{A}\n"),
        ("# Licence\n", f"{A}\n# Licence\n"),
        ("\ufeff", f"\ufeff{A}\n"),
        ("# uncuda: file-ignore[is-cuda]\n", "# uncuda: file-ignore[is-cuda, cuda-api]\n"),
        ("x = 1  # uncuda: ignore[no]\n", f"{A}\nx = 1  # uncuda: ignore[no]\n"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_in_the_file(head: str, due: str, newline: str) -> None:
    text = f"{head}import torch\ntorch.cuda.init()\n".replace("\n", newline)
    after = apply_edits(text, [ignore_in_file(text, Layout(text), "cuda-api")])
    assert after == f"{due}import torch\ntorch.cuda.init()\n".replace("\n", newline)
    assert "cuda-api" not in {finding.rule for finding in findings(after.lstrip("\ufeff"))}
    assert "unused-suppression" not in {f.rule for f in findings(after)} or "ignore[no]" in head or "is-cuda" in head


def test_below_a_first_line_without_a_break() -> None:
    assert apply_edits("#!x", [ignore_in_file("#!x", Layout("#!x"), "a")]) == "#!x\n# uncuda: file-ignore[a]"


@pytest.mark.parametrize("rule", load().rules.values(), ids=lambda rule: rule.name)
def test_every_finding_of_every_example(rule: object) -> None:
    for example in read_page(rule.path)[1]:  # type: ignore[attr-defined]
        for text in (example.text, example.text.replace("\n", "\r\n")):
            for finding in findings(text):
                edit = ignore_on_line(text, Layout(text), finding.span, finding.rule)
                assert edit is not None
                assert edit.start == edit.end
                after = silenced(text, finding, edit)
                whole = apply_edits(text, [ignore_in_file(text, Layout(text), finding.rule)])
                assert finding.rule not in {other.rule for other in findings(whole)}
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(text)) == ast.dump(ast.parse(whole))
