"""Tests that verdicts on receivers (whether the `x` of `x.cuda()` can be a tensor) only remove findings or make fixes
need review, and never add anything."""

from __future__ import annotations

import itertools

import pytest

from receivers.project import engine, sites
from uncuda.engine import Report
from uncuda.project import ACTS, Owner, Project, Site
from uncuda.source import Source, Span

HEAD = "import torch\n"


def check(text: str, **answers: str) -> Report:
    """Return the engine's report on a text; `answers`: what is known of the type of a receiver (`x` in `x.cuda()`), by
    the receiver's name."""
    source = Source(text)
    asked = engine().check(source).sites
    given = {site: answers[name] for site in asked if (name := _receiver(text, site)) in answers}
    assert len(given) >= len(answers), "an answer for every name"
    return engine().check(source, answers=given)


def _receiver(text: str, site: Site) -> str:
    return text[: site.at - 1].replace("(", " ").split()[-1]


def found(report: Report) -> list[tuple[str, str]]:
    """Return the rule of each finding with the class of its first fix."""
    return [(f.rule, f.fixes[0].applicability if f.fixes else "manual") for f in report.findings]


@pytest.mark.parametrize(
    ("code", "rule", "attribute"),
    [
        ("x.cuda()", "cuda-method", "cuda"),
        ("x.y[0].cuda(non_blocking=True)", "cuda-method", "cuda"),
        ("f(x)(y).cuda()", "cuda-method", "cuda"),
        ("x.is_cuda", "is-cuda", "is_cuda"),
        ("x.to('cuda')", "device-string", "to"),
        ("x.to(device='cuda:0')", "device-string", "to"),
        ("x.y.to('cuda' if small else 'cpu')", "device-string", "to"),
        ("x.to(f'cuda:{rank}')", "device-string", "to"),
        ("s.cuda_stream", "cuda-stream-handle", "cuda_stream"),
    ],
)
def test_a_site_names_the_attribute(code: str, rule: str, attribute: str) -> None:
    text = HEAD + code + "\n"
    (site,) = sites(text)
    assert site.rule == rule
    assert text.startswith("." + attribute, site.at - 1)
    assert site.argument == (attribute == "to")


@pytest.mark.parametrize(
    "code",
    ["torch.cuda.synchronize()", "torch.device('cuda')", "x = 'cuda'", "import cupy", "f(device='cuda')", "os.cuda()"],
)
def test_where_there_is_nothing_to_ask(code: str) -> None:
    assert sites(HEAD + "import os\n" + code + "\n") == ()


def test_what_a_comment_or_a_setting_silences_is_not_asked() -> None:
    assert sites(HEAD + "x.cuda()  # uncuda: ignore[cuda-method]\n") == ()
    assert sites(HEAD + "x.cuda()  # uncuda: ignore\n") == ()
    assert engine(ignore=("cuda-method",)).sites(Source(HEAD + "x.cuda()\n")) == ()
    ignores = engine(per_file_ignores={"/**/a.py": ("cuda-method",)})
    assert ignores.sites(Source(HEAD + "x.cuda()\n", "/b/a.py")) == ()


def test_silent_takes_the_finding_away_review_lowers_its_fix() -> None:
    text = HEAD + "a.cuda()\nb.cuda()\nc.is_cuda\nd.to('cuda')\n"
    assert [kind for _, kind in found(check(text))] == ["safe"] * 4
    assert found(check(text, a="silent", b="review", c="unknown", d="silent")) == [
        ("cuda-method", "review"),
        ("is-cuda", "safe"),
    ]


def test_a_manual_fix_stays_manual_and_a_review_stays_one() -> None:
    text = HEAD + "x = pack_sequence(y)\nx.cuda(1)\nself.is_cuda\n"
    assert found(check(text, x="review", self="review")) == [("cuda-method", "manual"), ("is-cuda", "review")]


def test_an_answer_never_raises_and_never_adds() -> None:
    text = HEAD + "a.cuda()\nif b.is_cuda and c.to('cuda'):\n    torch.cuda.init()\nd.cuda(1, 2, 3)\n"
    order = ["safe", "review", "manual"]
    before = {(f.rule, f.span): f for f in check(text).findings}
    for verdicts in itertools.product(("silent", "review", "unknown"), repeat=3):
        report = check(text, a=verdicts[0], b=verdicts[1], c=verdicts[2])
        for finding in report.findings:
            was = before[finding.rule, finding.span]
            kinds = [f.fixes[0].applicability if f.fixes else "manual" for f in (was, finding)]
            assert order.index(kinds[0]) <= order.index(kinds[1])
            # the message of a finding whose fix needs review gives the reason in brackets
            why = " (" if kinds[0] != kinds[1] else ""
            assert finding.message == was.message or (why and finding.message.startswith(was.message + why))


def test_a_silenced_place_is_changed_by_no_fix() -> None:
    text = HEAD + "if torch.cuda.is_available():\n    x.cuda()\nelif y.is_cuda:\n    z.cuda()\n"
    source = Source(text)
    answers = dict.fromkeys(engine().sites(source), "silent")
    fixed = engine().fix(source, review=True, answers=answers)
    assert ".cuda()" in fixed.text
    assert "y.is_cuda" in fixed.text
    assert "torch.npu.is_available()" in fixed.text
    assert not [f for f in fixed.report.findings if f.rule != "missing-plugin-import"]


def test_a_call_and_what_is_chained_to_it_stay_together() -> None:
    text = HEAD + "h = torch.cuda.current_stream().cuda_stream\n"
    source = Source(text)
    (site,) = engine().sites(source)
    assert engine().fix(source).text != text
    assert engine().fix(source, answers={site: "silent"}).text == text
    lowered = engine().check(source, answers={site: "review"})
    assert {kind for _, kind in found(lowered)} == {"review"}


def test_answers_hold_while_a_text_is_fixed() -> None:
    text = HEAD + "torch.cuda.init(); a.cuda()\nb.cuda()\nif torch.cuda.is_available():\n    c.is_cuda; d.to('cuda')\n"
    source = Source(text)
    asked = engine().sites(source)
    answers = dict(zip(asked, ("silent", "unknown", "review", "silent")))
    fixed = engine().fix(source, answers=answers)
    assert "a.cuda()" in fixed.text
    assert "b.npu()" in fixed.text
    assert "c.is_cuda" in fixed.text
    assert "d.to('cuda')" in fixed.text
    assert found(fixed.report) == [("is-cuda", "review")]


def test_a_comment_is_of_use_where_an_answer_silences_too() -> None:
    text = HEAD + "x.cuda()  # uncuda: ignore[cuda-method]\n"
    site = Site("cuda-method", Span(len(HEAD) + 2, len(HEAD) + 6), len(HEAD) + 2)
    plain = engine().check(Source(HEAD + "x.cuda()                               \n"))
    (known,) = plain.sites
    assert engine().check(Source(text), answers={known: "silent"}).findings == ()
    assert engine().check(Source(text), answers={site: "silent"}).findings == ()


def test_the_sites_of_a_report_are_the_same_with_answers() -> None:
    source = Source(HEAD + "a.cuda()\nb.is_cuda\n")
    asked = engine().sites(source)
    assert len(asked) == 2
    assert engine().check(source, answers=dict.fromkeys(asked, "silent")).sites == asked


def test_answers_about_other_places_do_nothing() -> None:
    source = Source(HEAD + "a.cuda()\n")
    (site,) = engine().sites(source)
    elsewhere = site._replace(span=Span(0, 4), at=0)
    assert engine().check(source, answers={elsewhere: "silent"}).findings == engine().check(source).findings


def test_a_project_that_defines_the_method_keeps_its_review() -> None:
    made = engine()
    made.project = Project(owners=frozenset({Owner("cuda", "Batch", ACTS)}))
    source = Source(HEAD + "x.cuda()\n")
    (site,) = made.sites(source)
    assert found(made.check(source, answers={site: "unknown"})) == [("cuda-method", "review")]
