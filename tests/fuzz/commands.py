"""Checks that `check`, `fix --diff` and `fix` agree on all files."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from fuzz import judge
from fuzz.model import Find
from fuzz.processes import COMMAND, Done, run
from fuzz.trees import changes, patched, state

# A program that reads file names, one per line in hexadecimal, and prints for each whether Python can parse the file.
_PARSES = """
import ast, sys, warnings
warnings.simplefilter("ignore")
for line in sys.stdin:
    try:
        with open(bytes.fromhex(line), "rb") as file:
            ast.parse(file.read())
    except (SyntaxError, ValueError, RecursionError, MemoryError, LookupError):
        print(0)
    else:
        print(1)
"""


def check_and_fix(
    folder: Path, output_format: str, options: list[str], review: bool, cases: int, arguments: list[str] | None = None
) -> Iterator[Find]:
    """Check the files of a folder and fix them in every way; `cases`: the number of inputs, which share the time
    limit."""
    before = state(folder)
    paths = arguments or []
    yield from _run(folder, ["check", "--output-format", output_format, *options, *paths], output_format, cases)
    yield from changes(before, state(folder))
    fixing = ["fix", *(["--review-fixes"] if review else []), *options]
    shown = Done(0, b"", b"", False, ())
    for found in _runs(folder, [*fixing, "--diff", *paths], "diff", cases):
        if isinstance(found, Done):
            shown = found
        else:
            yield found
    yield from changes(before, state(folder))
    if shown.hung or shown.code not in judge.CODES:
        return
    expected, applied = patched(folder, shown.out)
    if applied.code:
        yield Find("git refuses a diff", applied.err.decode("utf-8", "replace"), files={"diff": shown.out})
    yield from _run(folder, [*fixing, *paths], "text", cases)
    after = state(folder)
    yield from changes(before, after, None)
    edited = [name for name in before if name in after and before[name] != after[name]]
    if not applied.code:
        for name, data in state(expected).items():
            if after.get(name) != data:
                detail = f"{name!r}\n{data!r}\n{after.get(name)!r}\nother bytes"
                yield Find("`fix` and `fix --diff` differ", detail, files={"diff": shown.out})
    yield from _broken(folder, before, edited)
    yield from _run(folder, [*fixing, *paths], "text", cases)
    again = state(folder)
    for name in after:
        if again.get(name) != after[name]:
            detail = f"{name!r}\n{after[name]!r}\n{again.get(name)!r}\nchanged again"
            yield Find("the second `fix` changes something", detail)


def findings(folder: Path, options: list[str], cases: int) -> Iterator[Find | tuple[str, str]]:
    """Run the JSON report on a folder; yield (path, rule or `error`) for every entry, and a Find for each failure of
    the run."""
    for found in _runs(folder, ["check", "--output-format", "json", *options], "json", cases):
        if isinstance(found, Find):
            yield found
            continue
        try:
            report = json.loads(found.out)
        except ValueError:
            return
        for finding in report["findings"]:
            yield finding["path"], finding["rule"]
        for error in report["errors"]:
            yield error["path"], "error"


def _run(folder: Path, arguments: list[str], output_format: str, cases: int) -> Iterator[Find]:
    for found in _runs(folder, arguments, output_format, cases):
        if isinstance(found, Find):
            yield found


def _runs(folder: Path, arguments: list[str], output_format: str, cases: int) -> Iterator[Find | Done]:
    done = run([*COMMAND, *arguments], folder, cpu=20 + cases)
    yield from judge.ended(done, ["uncuda", *arguments])
    yield from judge.streams(done, output_format)
    yield done


def _broken(folder: Path, before: dict[bytes, bytes], edited: list[bytes]) -> Iterator[Find]:
    """Yield failures for files that Python could parse before they were fixed, but not afterwards."""
    if not edited:
        return
    old = folder.parent / "before"
    old.mkdir(exist_ok=True)
    lines = []
    for number, name in enumerate(edited):
        (old / str(number)).write_bytes(before[name].partition(b" ")[2])
        lines += [bytes(old / str(number)).hex(), (bytes(folder) + b"/" + name).hex()]
    done = run([sys.executable, "-c", _PARSES], folder, stdin="\n".join(lines).encode())
    answers = re.findall(rb"[01]", done.out)
    for name, was, still in zip(edited, answers[::2], answers[1::2], strict=False):
        if was == b"1" and still == b"0":
            yield Find("a fixed file does not parse", f"{name!r}\n{before[name][:3000]!r}\ndoes not parse")
