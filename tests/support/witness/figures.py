"""The number of half-ported places by package and kind: as JSON, as a table, and as the page docs/witness.md."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from corpus.fetch import LOCKS, pinned

from .exceptions import EXCEPTIONS
from .record import KINDS
from .runs import MODES, Run
from .words import TARGETS

ROOT = Path(__file__).parents[3]
BEFORE = Path(__file__).parent / "before.json"
FIGURES = Path(__file__).parent / "figures.json"
PAGE = ROOT / "docs" / "witness.md"
Figures = dict[str, Any]

HEAD = """# The witness: code that a port leaves partly on CUDA

`tests/support/witness` shares no code with the engine. The witness parses the Python files of a package before and
after `uncuda fix` with `ast`, and counts the places of which the fix ported only a part. Places that the fix did not
change are not counted.

| kind | what is counted |
|---|---|
| question | a condition that asks for the target after the fix, while the guarded code, or a function that it calls, \
uses CUDA |
| stayed question | a condition that still asks for CUDA, while the code that it guards uses the target |
| value | a variable, attribute, parameter or result that was ported while a condition that compares its value was \
not, or the reverse |
| option | an option that was ported while a condition that compares its value was not, or the reverse; \
a default that is not among the option's choices |
| kit | APIs that only work together, of which only some were ported: \
graphs and pools, streams and events, autocast and GradScaler, the profiler |
| call | a call of a function for CUDA with an argument for the target, or the reverse |
| position | a positional argument that has another meaning on the target |
| patch | a name that a pytest test patches, and that the ported code no longer calls |
| import | names of the target in a project in which no file imports the plugin |
| statement | device strings of CUDA and of the target in one statement, except where each part of the \
statement is meant for one device, such as the branches of `a if test else b` |

The witness counts each line once. If several kinds of the table above apply to a line, only the kind that comes first
in this order is counted: option, value, question, stayed question, kit, call, position, patch, import, statement.
*files changed* counts the files that `uncuda fix` changed.

```console
$ make witness
```
"""


def figures(runs: Iterable[Run], engine: str) -> Figures:
    """The counts of all runs, with the engine's commit and the packages' files."""
    runs, files = list(runs), pinned(*LOCKS)
    return {
        "engine": engine,
        "packages": {run.package: files[run.package].file for run in runs if run.package in files},
        "runs": [
            {"package": run.package, "target": run.target, "mode": run.mode, "changed": run.changed, **run.kinds}
            for run in runs
        ],
    }


def committed() -> Figures:
    """The committed counts, from figures.json."""
    return _read(FIGURES)


def _read(path: Path) -> Figures:
    found: Figures = json.loads(path.read_text(encoding="utf-8"))
    return found


def most(package: str, target: str, mode: str) -> int:
    """Return the number of half-ported places of a package, from figures.json; for the mode "review" from before.json,
    which has the numbers of an earlier version of the engine."""
    case = {"package": package, "target": target, "mode": mode}
    rows = [row for found in (committed(), _read(BEFORE)) for row in found["runs"] if case.items() <= row.items()]
    return sum(rows[0].get(kind, 0) for kind in KINDS)


def table(found: Figures, target: str, mode: str) -> str:
    """A Markdown table of the counts by package and kind."""
    rows = [row for row in found["runs"] if (row["target"], row["mode"]) == (target, mode)]
    kinds = [kind for kind in KINDS if any(row.get(kind) for row in rows)]
    total: Counter[str] = Counter()
    lines = [f"| package | files changed | {''.join(f'{kind} | ' for kind in kinds)}all |"]
    lines.append("|---|" + "--:|" * (len(kinds) + 2))
    for row in rows:
        total.update({name: row.get(name, 0) for name in ("changed", *kinds)})
        lines.append(_line(row["package"], row, kinds))
    return "\n".join([*lines, _line("**all**", total, kinds)]) + "\n"


def _line(name: str, row: dict[str, Any], kinds: list[str]) -> str:
    cells = [row.get(kind, 0) for kind in kinds]
    return f"| {name} | {row['changed']} | {''.join(f'{cell} | ' for cell in cells)}{sum(cells)} |"


def page(found: Figures) -> str:
    """The text of docs/witness.md."""
    before = _read(BEFORE)
    engines = (
        f"The figures of the first two tables are those of the engine of commit {found['engine']}, the figures of the "
        f"tables *Before* those of {before['engine']}. `make witness WITNESS_ARGS=--write` writes this page.\n"
    )
    parts = [HEAD, engines]
    for title, figures_of, modes in (("", found, ("safe",)), ("Before: ", before, tuple(MODES))):
        for mode in modes:
            for target in TARGETS:
                options = " --review-fixes" if mode == "review" else ""
                parts += [f"## {title}`uncuda fix --target {target}{options}`\n", table(figures_of, target, mode)]
    parts += ["## Places that the witness reports and that are right\n", _excepted()]
    packages = "".join(f"- {name}: `{file}`\n" for name, file in sorted(found["packages"].items()))
    return "\n".join([*parts, "## Packages that were read\n", packages])


def _excepted() -> str:
    return "".join(f"- `{path}`, `{quoted}`: {reason}\n" for path, quoted, reason in EXCEPTIONS)


def write(found: Figures) -> None:
    """Write figures.json, with the counts for safe fixes, and the page."""
    rows = ",\n  ".join(json.dumps(row) for row in found["runs"] if row["mode"] == "safe")
    rest = {"engine": found["engine"], "packages": found["packages"]}
    head = json.dumps(rest, indent=1).removesuffix("\n}")
    FIGURES.write_text(f'{head},\n "runs": [\n  {rows}\n ]\n}}\n', encoding="utf-8")
    PAGE.write_text(page(committed()), encoding="utf-8")
