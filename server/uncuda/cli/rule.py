"""The command `uncuda rule`, which prints the pages of rules."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

import click

from uncuda.catalogue import Catalogue, Rule, load
from uncuda.messages import language
from uncuda.report.proofs import load_proofs, proof_section
from uncuda.report.rules import rule_page, rule_record
from uncuda.report.words import Words
from uncuda.settings import hint

from .options import LOCALE
from .session import choose
from .texts import either, say


@click.command(
    "rule",
    help=say("rule"),
)
@click.argument("name", required=False)
@click.option("--all", "everything", is_flag=True, help=say("all"))
@click.option("--output-format", metavar="text|json", default="text", help=say("rule output-format"))
@click.option("--locale", metavar="|".join(LOCALE.choices), default="auto", help=either(LOCALE.en, LOCALE.zh))
def command(name: str | None, everything: bool, output_format: str, locale: str) -> None:
    """Print the page of one rule, the pages of all rules, or a list of the rules."""
    choose("output format", output_format, ("text", "json"))
    words = Words(language(choose("locale", locale, LOCALE.choices)))
    catalogue = load()
    rules = dict(sorted(catalogue.rules.items()))
    if name is not None and everything:
        raise click.UsageError(say("name or all"))
    if name is not None and name not in rules:
        raise click.UsageError(say("unknown rule", value=name, hint=hint(name, list(rules))))
    chosen = [rules[name]] if name is not None else list(rules.values())
    if output_format == "json":
        records = _records(chosen)
        click.echo(json.dumps(records if name is None else records[0], ensure_ascii=False, indent=2))
    elif name is None and not everything:
        wide = max(map(len, rules), default=0)
        for rule in chosen:
            title = rule.title_in(words.locale)
            click.echo(f"{rule.name:{wide}}  {rule.severity:11}  {rule.fix or 'manual':6}  {title}")
    else:
        click.echo("\n\n".join(_pages(chosen, catalogue, words)))


def _records(rules: Iterable[Rule]) -> list[dict[str, Any]]:
    """Return rules as JSON objects, each with the records of how the rule was tested, by target."""
    proofs = load_proofs()
    return [
        rule_record(rule) | {"proof": {target: asdict(proof) for target, proof in proofs.get(rule.name, {}).items()}}
        for rule in rules
    ]


def _pages(rules: Iterable[Rule], catalogue: Catalogue, words: Words) -> Iterator[str]:
    """Yield the pages of rules in Markdown; the last paragraph of a page says how the rule was tested."""
    proofs = load_proofs()
    for rule in rules:
        yield rule_page(rule, words.locale).rstrip()
        if section := proof_section(proofs.get(rule.name, {}), catalogue, words):
            yield section
