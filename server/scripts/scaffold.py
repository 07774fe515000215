"""Writes a valid file for a new rule or target, with example contents that you then replace.

python server/scripts/scaffold.py rule NAME python server/scripts/scaffold.py target ID
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.generated import ROOT
from uncuda.catalogue.words import WORDS, Word

RULES = ROOT / "rules"
RULE = Path(__file__).with_name("rule.md")
_NAMES = {"rule": r"[a-z][a-z0-9]*(-[a-z0-9]+)*", "target": r"[a-z][a-z0-9_]*"}
_HEAD = """\
# What the rules know of {ID}.
# Sources: TODO: the code and the documentation of the plugin.
title = "{ID}"
title-zh = "{ID}"
homepage = "https://example.com/TODO"
# versions = ["1.0"]  # of the plugin: those that have tables (tables/{id}/api-*.tsv)
# default-version = "1.0"
# torch-from = "1.0"  # from then on the plugin's versions are those of the PyTorch that they go with
default = false  # one target has it true already

[words]  # a word that the accelerator does not have is left out: rules that write it are off
"""
_FEATURES = """
[features]  # "yes", or the id of a sentence in limits.tsv that says why not; one that is left out counts as "yes"
"""


def rule(name: str) -> str:
    """Return the text of a new rule about one name, with its examples."""
    title = name.replace("-", " ").capitalize()
    return RULE.read_text(encoding="utf-8").replace("TITLE", title)


def target(identifier: str) -> str:
    """Return the text of a new target's declaration with the required words; optional words are commented out."""
    head = _HEAD.format(ID=identifier.upper(), id=identifier)
    return head + "".join(f"{_line(word, identifier)}\n" for word in WORDS) + _FEATURES


def _line(word: Word, identifier: str) -> str:
    known = {"package": f"torch_{identifier}", "module": f"torch.{identifier}", "device": identifier}
    about = re.sub(r"\bID|_ID\b", lambda match: match[0].replace("ID", identifier), word.about)
    if word.required:
        return f'{word.name} = "{known[word.name]}"  # {about}'
    default = f" (left out: {word.derived})" if word.derived else ""
    return f'# {word.name} = "TODO"  # {about}{default}'


def main(arguments: list[str] | None = None) -> int:
    """Write the file; exit code 2 if the name is invalid or exists already."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("rule", "target"))
    parser.add_argument("name", nargs="?", default="")
    options = parser.parse_args(arguments)
    if not re.fullmatch(_NAMES[options.kind], options.name):
        example = "make rule is-available" if options.kind == "rule" else "make target mlu"
        print(f"a {options.kind} has a name in lower case: {example}", file=sys.stderr)
        return 2
    path = RULES / f"{options.name}.md" if options.kind == "rule" else RULES / "targets" / f"{options.name}.toml"
    if path.exists():
        print(f"{path.relative_to(ROOT)} is there already", file=sys.stderr)
        return 2
    path.write_text(rule(options.name) if options.kind == "rule" else target(options.name), "utf-8", newline="\n")
    print(f"{path.relative_to(ROOT)} is written; what to do next: CONTRIBUTING.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
