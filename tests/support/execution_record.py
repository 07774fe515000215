"""Reads and writes `docs/execution.json`: the results of programs on simulated accelerators, and digests of all files
on which the results depend.

`tests/execution` writes `docs/execution.json`, with `dump` and `digests`; `tests/test_execution.py` checks that file;
`uncuda rule` shows a rule's test results from it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from support.imports import ROOT
from uncuda.report.proofs import Proof, read_proof

if TYPE_CHECKING:
    from cattrs import Converter

RECORD = ROOT / "docs" / "execution.json"
_EXECUTION = "tests/execution"
_SIMULATOR = (f"{_EXECUTION}/simulator/**/*.py", f"{_EXECUTION}/names/*.toml", "server/scripts/plugin/names/*.json")
# For each digest, the glob patterns of the files that are hashed.
DIGESTED = {
    "programs": (f"{_EXECUTION}/programs/**/*.py", f"{_EXECUTION}/programs/**/*.toml"),
    "rules": ("rules/*.md",),
    "simulator": _SIMULATOR,
    "tables": ("rules/tables/**/*", "rules/targets/*.toml"),
}


@dataclass(frozen=True, slots=True)
class Digests:
    """The SHA-256 digests, in hexadecimal, of the files of each part of DIGESTED."""

    programs: str
    rules: str
    simulator: str
    tables: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of running one ported program."""

    program: str
    target: str
    version: str  # the version of the target's plugin, torch_npu or torch_musa
    strategy: Literal["rewrite", "shim"]
    mode: Literal["safe", "review"]  # which class of fixes was applied
    # the result of the comparison with the original program
    verdict: Literal["same", "reported", "differs", "fails", "not simulated"]
    note: str


@dataclass(frozen=True, slots=True)
class Mutation:
    """The programs that notice that one rule or one function of the engine is broken on purpose; empty if none does."""

    rules: Mapping[str, str]
    relations: Mapping[str, str]
    reasons: Mapping[str, str]  # the reason why no program notices the mutation


@dataclass(frozen=True, slots=True)
class Record:
    """One run of the execution suite.

    `rules`: how each rule was tested, by rule and target. `folded`: how many ports in `programs` were not run, because
    their result was taken from another port with the same text and the same simulated devices. `earlier`: the results
    of ports by the engine of commit d2dd3e6, where they differ from the current results.
    """

    digests: Digests
    python: str
    torch: str
    rules: Mapping[str, Mapping[str, Proof]]
    programs: tuple[Outcome, ...]
    folded: int
    earlier: tuple[Outcome, ...]
    mutation: Mutation


def read(text: str) -> Record:
    """Parse a record from JSON; raise ValueError, which lists every error of the format."""
    from cattrs import transform_error

    raw = json.loads(text)
    try:
        return _converter().structure(raw, Record)
    except Exception as error:
        raise ValueError("; ".join(transform_error(error, format_exception=_explain))) from error


def dump(record: Record) -> str:
    """Return the JSON text of a record, with sorted keys, an indentation of one space and a final newline."""
    return json.dumps(asdict(record), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def problems(record: Record, rules: Collection[str], targets: Collection[str]) -> list[str]:
    """Return the contradictions in a record whose format is valid, one line each. `rules` and `targets` are the names
    that exist."""
    return [
        *(f"digests: {name} is no SHA-256" for name, value in asdict(record.digests).items() if not _is_sha256(value)),
        *(f"rules: there is no rule {name}" for name in record.rules if name not in rules),
        *(f"mutation: there is no rule {name}" for name in record.mutation.rules if name not in rules),
        *_of_proofs(record, targets),
        *_of_programs(record, targets),
        *(f"mutation: a reason for {name}, which did not survive" for name in _needless_reasons(record.mutation)),
    ]


def digests(root: Path = ROOT) -> Digests:
    """Return the digests of the checkout's current files."""
    return Digests(**{name: _digest(root, patterns) for name, patterns in DIGESTED.items()})


def changed(record: Record, now: Digests) -> list[str]:
    """Return the parts of DIGESTED whose files changed since the record was written."""
    return [field.name for field in fields(Digests) if getattr(record.digests, field.name) != getattr(now, field.name)]


def _of_proofs(record: Record, targets: Collection[str]) -> Iterator[str]:
    for rule, proofs in record.rules.items():
        for target, proof in proofs.items():
            place = f"rules: {rule}, {target}"
            if target not in targets:
                yield f"{place}: there is no such target"
            if not 0 <= proof.run <= proof.examples:
                yield f"{place}: {proof.run} of {proof.examples} examples ran"
            if proof.proof == "run" and not (proof.run and proof.versions):
                yield f"{place}: proved by a run, but of no example or no version"
            if proof.proof == "neither" and not proof.reason:
                yield f"{place}: not proved, and no reason"
            if not proof.reason.isprintable():
                yield f"{place}: the reason is not one line of text"


def _of_programs(record: Record, targets: Collection[str]) -> Iterator[str]:
    for outcome in record.programs:
        if outcome.target not in targets:
            yield f"programs: {outcome.program}: there is no target {outcome.target}"
    runs = Counter((o.program, o.target, o.version, o.strategy, o.mode) for o in record.programs)
    yield from (f"programs: {', '.join(run)}: {count} times" for run, count in runs.items() if count > 1)


def _needless_reasons(mutation: Mutation) -> list[str]:
    survived = {name for noticed in (mutation.rules, mutation.relations) for name, by in noticed.items() if not by}
    return sorted(mutation.reasons.keys() - survived)


def _digest(root: Path, patterns: Collection[str]) -> str:
    """Return the SHA-256 of the relative paths and contents of all files that match a pattern, in order of path."""
    found = {path for pattern in patterns for path in root.glob(pattern) if path.is_file()}
    files = {path.relative_to(root).as_posix(): path for path in found if "__pycache__" not in path.parts}
    total = hashlib.sha256()
    for name, path in sorted(files.items()):
        data = path.read_bytes()
        total.update(f"{name}\0{len(data)}\0".encode() + data)
    return total.hexdigest()


def _is_sha256(text: str) -> bool:
    return re.fullmatch("[0-9a-f]{64}", text) is not None


@lru_cache
def _converter() -> Converter:
    """Return the cattrs converter that makes a Record from JSON without type conversion; it is created on first use."""
    from cattrs import Converter

    made = Converter(forbid_extra_keys=True)
    made.register_structure_hook(str, _text)
    made.register_structure_hook(Proof, lambda raw, _: read_proof(raw))
    return made


def _explain(error: BaseException, kind: type | None) -> str:
    """Return cattrs' description of an error; for a TypeError or ValueError raised by this module, the message
    alone."""
    from cattrs.v import format_exception

    return str(error) if type(error) in (TypeError, ValueError) else format_exception(error, kind)


def _text(raw: Any, _: type) -> str:
    if not isinstance(raw, str):
        raise TypeError(f"{raw!r} is not a string")
    return raw
