"""Writes docs/execution.md from the record: the programs that were run, the results, and the reasons for them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from execution.programs import Program
from execution.workers import HERE
from support.execution_record import Outcome, Record
from uncuda.settings.toml import parse_toml

WORDS = {"same": "✓", "reported": "reported", "differs": "**differs**", "fails": "**fails**", "not simulated": "n/s"}
FAILURES = ("differs", "fails", "not simulated")
_COLUMNS = [
    (target, strategy, mode)
    for strategy in ("rewrite", "shim")
    for target in ("npu", "musa")
    for mode in ("safe", "review")
]

_HEAD = """\
# Ported programs that are run

`tests/execution` ports {programs} programs with `uncuda fix`. The test runs each port on a PyTorch whose CPU simulates
`npu` (torch_npu {npu}) or `musa` (torch_musa {musa}), and compares it with the unported program on a CPU that
simulates `cuda`.

| result | meaning |
|---|---|
| ✓ | The port ends and has changed the weights; its loss at every step is that of the unported program. \
At least 95 % of the operators ran on the device, in the same order as in the unported program. |
| reported | The port does not run on the device, or fails, and a finding that `uncuda fix` left reports it. |
| **differs**, **fails** | The port gives other results or fails, and no finding reports it. \
A table below gives the reason for each such result. |
| n/s | The port needs something that is not simulated. |

The columns `safe` show ports by `uncuda fix`. The columns `review` show ports by `uncuda fix --review-fixes`, and
nobody reviewed these fixes. If versions of a plugin give different results, the cell names the versions. {folded} of
{cases} cases were not run, because the same ported text had already run with another version of the plugin that does
not differ in what this program uses.

```console
$ make test-execution
```

The programs ran on PyTorch {torch} and Python {python}. `make test-execution-full EXECUTION_ARGS=--write`
writes this page.
"""


def page(record: Record, programs: Sequence[Program]) -> str:
    """Return the whole page."""
    versions = {
        target: ", ".join(sorted({o.version for o in record.programs if o.target == target}, key=_number))
        for target in ("npu", "musa")
    }
    head = _HEAD.format(
        programs=len(programs),
        cases=len(record.programs),
        folded=record.folded,
        torch=record.torch,
        python=record.python,
        **versions,
    )
    parts = [
        head,
        *_matrix(record, programs),
        *_reasons(record),
        *_earlier(record),
        *_mutation(record),
        *_rules(record),
    ]
    return "\n".join(part.rstrip() + "\n" for part in parts)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _matrix(record: Record, programs: Sequence[Program]) -> Iterator[str]:
    yield "## Programs\n"
    found: dict[tuple[str, str, str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for outcome in record.programs:
        key = (outcome.program, outcome.target, outcome.strategy, outcome.mode)
        found[key][outcome.verdict].append(outcome.version)
    lines = [
        "| program | kind | " + " | ".join(f"{target} {strategy} {mode}" for target, strategy, mode in _COLUMNS) + " |",
        "|---|---|" + ":-:|" * len(_COLUMNS),
    ]
    for program in programs:
        cells = [_cell(found.get((program.name, target, strategy, mode), {})) for target, strategy, mode in _COLUMNS]
        blind = " ᵇ" if program.blind else ""
        lines.append(f"| {program.name}{blind} | {program.kind} | {' | '.join(cells)} |")
    yield "\n".join(lines) + "\n"
    yield "ᵇ The program was written from the name in the column *kind* alone, without a look at the rules.\n"
    counts: Counter[str] = Counter(outcome.verdict for outcome in record.programs)
    yield "Number of cases by result: " + ", ".join(f"{counts[word]} {word}" for word in WORDS if counts[word]) + ".\n"
    tolerant = [program for program in programs if program.tolerance]
    if tolerant:
        yield "The losses of a port and of its unported program must be equal in every digit, except in:\n"
        yield (
            "\n".join(
                f"- {program.name}: relative difference up to {program.tolerance:g}, because {program.reason}"
                for program in tolerant
            )
            + "\n"
        )


def _cell(verdicts: dict[str, list[str]]) -> str:
    if len(verdicts) == 1:
        return WORDS[next(iter(verdicts))]
    most = max(verdicts, key=lambda word: len(verdicts[word]), default="")
    rest = [
        f"{', '.join(sorted(versions, key=_number))}: {WORDS[word]}"
        for word, versions in verdicts.items()
        if word != most
    ]
    return "; ".join([WORDS[most], *rest]) if most else ""


def _reasons(record: Record) -> Iterator[str]:
    yield "## Failures and differences that no finding reports\n"
    yield from _notes((o for o in record.programs if o.verdict in FAILURES), "why")
    yield "## Failures that a finding reports\n"
    yield from _notes((o for o in record.programs if o.verdict == "reported"), "")


def why(outcome: Outcome) -> str:
    """The reason why a port fails or gives other results, from failures.toml; "" if there is none."""
    way = {outcome.target, outcome.strategy, outcome.mode}
    said = _failures().get(outcome.program, {})
    return next((reason for where, reason in said.items() if way.issuperset(where.split())), "")


def needless(record: Record) -> list[str]:
    """Return the reasons in failures.toml that apply to no failing port, as `program: where`."""
    failed = [outcome for outcome in record.programs if outcome.verdict in FAILURES]
    used = {(outcome.program, why(outcome)) for outcome in failed}
    said = ((program, where, reason) for program, table in _failures().items() for where, reason in table.items())
    return [f"{program}: {where}" for program, where, reason in said if (program, reason) not in used]


@cache
def _failures() -> dict[str, dict[str, str]]:
    return parse_toml((HERE / "failures.toml").read_text("utf-8"))


def _notes(outcomes: Iterable[Outcome], reason: str) -> Iterator[str]:
    grouped: dict[tuple[str, str, str, str], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        said = why(outcome) if reason else ""
        grouped[outcome.program, outcome.verdict, outcome.note, said].append(outcome)
    lines = []
    for (program, verdict, note, said), those in sorted(grouped.items()):
        ways = sorted({f"{o.target} {o.strategy} {o.mode}" for o in those})
        cells = [program, WORDS[verdict], ", ".join(ways), note.replace("|", "/"), *([said] if reason else [])]
        lines.append(f"| {' | '.join(cells)} |")
    if lines:
        more = f" {reason} |" if reason else ""
        yield (
            "\n".join(
                [
                    f"| program | result | target, strategy, fixes | what happens |{more}",
                    "|---|---|---|---|" + ("---|" if reason else ""),
                    *lines,
                ]
            )
            + "\n"
        )
    else:
        yield "No case.\n"


def _earlier(record: Record) -> Iterator[str]:
    yield "## Results that differ from those of the engine at commit d2dd3e6\n"
    now = {_key(outcome): outcome for outcome in record.programs}
    lines = []
    for outcome in record.earlier:
        later = now.get(_key(outcome))
        if later is not None and later.verdict != outcome.verdict:
            way = f"{outcome.target} {outcome.version} {outcome.strategy} {outcome.mode}"
            note = outcome.note.replace("|", "/")
            lines.append(f"| {outcome.program} | {way} | {WORDS[outcome.verdict]} {note} | {WORDS[later.verdict]} |")
    yield (
        "\n".join(
            [
                "| program | target, version, strategy, fixes | result with commit d2dd3e6 | result now |",
                "|---|---|---|---|",
                *lines,
            ]
        )
        + "\n"
        if lines
        else "No difference.\n"
    )


def _key(outcome: Outcome) -> tuple[str, ...]:
    return outcome.program, outcome.target, outcome.version, outcome.strategy, outcome.mode


def _mutation(record: Record) -> Iterator[str]:
    yield (
        "## Mutants: one rule or relation switched off at a time\n\n"
        "A relation is what one function of the engine finds, for example that a condition guards a call. Its name "
        "is a\ngroup, a colon, and what the function finds. `together` and `links` are about places that are fixed "
        "only\ntogether, `raising` is about code that raises an exception on the target, `served` about code that "
        "already handles\nthe target, and `scan` about facts from other files ([relations.md](relations.md)). While a "
        "relation is switched off,\nthe function is replaced by one that finds nothing.\n"
    )
    for name, noticed in (("safe rule", record.mutation.rules), ("relation", record.mutation.relations)):
        killed = sum(bool(by) for by in noticed.values())
        share = f" ({killed / len(noticed):.0%})" if noticed else ""
        yield f"{killed} of {len(noticed)} {name}s{share} make a program fail or differ when they are switched off.\n"
        lines = [
            f"| {what} | {by or 'no program: ' + record.mutation.reasons.get(what, '?')} |"
            for what, by in sorted(noticed.items())
        ]
        yield "\n".join([f"| {name} switched off | program that notices, and its result |", "|---|---|", *lines]) + "\n"


def _rules(record: Record) -> Iterator[str]:
    yield "## Number of rules by their test\n"
    counts: Counter[tuple[str, str]] = Counter()
    for proofs in record.rules.values():
        counts.update((target, proof.proof) for target, proof in proofs.items())
    lines = [
        f"| {target} | {counts[target, 'run']} | {counts[target, 'signature']} | {counts[target, 'neither']} |"
        for target in ("npu", "musa")
    ]
    yield (
        "\n".join(
            [
                "| target | examples ran | compared with the plugin's source | neither |",
                "|---|--:|--:|--:|",
                *lines,
            ]
        )
        + "\n"
    )
    yield "`uncuda rule NAME` shows how one rule was tested.\n"
