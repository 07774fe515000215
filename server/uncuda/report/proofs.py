"""How each rule was tested on simulated accelerators: this module reads the record of those tests, and writes the last
paragraph of a rule's page from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as shortened
from typing import Any, Literal

from uncuda.catalogue import Catalogue, folder
from uncuda.reading import decode_utf8, read_bytes

from .words import Words

_NAME = "execution.json"


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of testing a rule for one target."""

    proof: Literal["run", "signature", "neither"]
    examples: int  # the number of the rule's examples for this target
    run: int  # the number of the rule's examples that ran after uncuda's fixes, without further changes
    reason: str  # the reason why not all of the rule's examples ran; may be empty
    versions: tuple[str, ...]  # the simulated versions of the plugin


def load_proofs() -> dict[str, dict[str, Proof]]:
    """Return the test results by rule and target; empty if their file is missing or invalid, because rule pages can be
    shown without them."""
    try:
        record = json.loads(decode_utf8(read_bytes(str(_record_path()))))
        return {
            rule: {target: read_proof(raw) for target, raw in targets.items()}
            for rule, targets in record["rules"].items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def read_proof(raw: object) -> Proof:
    """Return the Proof that a JSON object describes; raise ValueError if it describes none."""
    match raw:
        case {
            "proof": "run" | "signature" | "neither" as proof,
            "examples": int(examples),
            "run": int(run),
            "reason": str(reason),
            "versions": [*versions],
        } if all(isinstance(version, str) for version in versions):
            return Proof(proof, examples, run, reason, tuple(versions))
    raise ValueError(f"not a proof: {shortened(raw)}")


def proof_section(proofs: Mapping[str, Proof], catalogue: Catalogue, words: Words) -> str:
    """Return the last paragraph of a rule's page; empty if the rule was tested for no target."""
    declarations = catalogue.declarations
    order = sorted(proofs.keys() & declarations, key=lambda target: (target != catalogue.default_target, target))
    said = [_sentence(proofs[target], declarations[target], words) for target in order]
    return words("proof", "".join(said).rstrip()) if said else ""


def _sentence(proof: Proof, declaration: Mapping[str, Any], words: Words) -> str:
    package = declaration["words"]["package"]
    how = words(
        f"proof {proof.proof}",
        run=proof.run,
        examples=words.count(proof.examples, "example"),
        package=package,
        plugin=" ".join(filter(None, (package, words.join(proof.versions)))),
    )
    if proof.reason:
        how += words("proof reason", proof.reason.rstrip("."))
    return words("proof of target", declaration["title-zh" if words.locale == "zh" else "title"], how)


def _record_path() -> Path:
    """The path of the file with the test results of the rules: beside the folder of the rules in an installed package,
    in `docs/` in a checkout."""
    rules = folder()
    package = Path(__file__).parents[1]
    return package / _NAME if rules.parent == package else rules.parent / "docs" / _NAME
