"""Checks the exit code and the output of a command."""

import json
import re
from collections.abc import Iterator

from fuzz.model import Find
from fuzz.processes import Done

CODES = {0, 1, 2}
JSON_FORMATS = ("json", "sarif", "gitlab")
# Characters that move a terminal's cursor or change its state, or the direction of text; tabs and line feeds are left
# out.
CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_TROUBLE = re.compile(r"internal error|MemoryError|RecursionError|Fatal Python error")
_TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n(?: .*\n)*(\S.*)")
_WORKFLOW = re.compile(r"::(?:error|warning|notice) (?:file|title)=[^\n]*::")


def ended(done: Done, command: list[str]) -> Iterator[Find]:
    """Yield failures of a command that hung, ended with a wrong exit code, or left processes running."""
    said = _shown(done)
    name = " ".join(command)
    if done.hung:
        yield Find("hang", f"{said}\n{name}: over its time")
    elif done.code not in CODES:
        yield Find("crash", f"{said}\n{name}: exit code {done.code}")
    for process in done.remained:
        yield Find("a process remains", f"{name}\n{process}")
    yield from trouble(done.err, tracebacks="--verbose" in command)


def trouble(err: bytes, tracebacks: bool = False) -> Iterator[Find]:
    """Yield failures for internal errors on standard error; `tracebacks`: whether tracebacks may be printed for errors
    in the input."""
    text = err.decode("utf-8", "replace")
    if found := _TROUBLE.search(text):
        line = text[text.rfind("\n", 0, found.start()) + 1 :].partition("\n")[0]
        yield Find("internal error", f"{text[-6000:]}\n{line}")
    elif (found := _TRACEBACK.search(text)) and not tracebacks:
        yield Find("traceback", f"{text[-6000:]}\n{found[1]}")


def streams(done: Done, output_format: str) -> Iterator[Find]:
    """Yield the failures found in a command's output, as people and CI systems read it; `output_format`: the format of
    standard output, or `diff`."""
    yield from _readable(done.err, "standard error")
    for line in done.err.decode("utf-8", "replace").splitlines():
        if line.lstrip().startswith("::"):
            yield Find("a workflow command on standard error", f"{line!r}\na line begins with ::")
    if output_format in JSON_FORMATS:
        yield from _json(done, output_format)
    elif output_format == "diff":
        headers = [line for line in done.out.split(b"\n") if line.startswith((b"--- ", b"+++ ", b"diff "))]
        yield from _readable(b"\n".join(headers), "the headers of a diff")
    else:
        yield from _readable(done.out, f"standard output as {output_format}")
    if output_format == "github":
        for line in done.out.decode("utf-8", "replace").split("\n"):
            if line.startswith("::") and not _WORKFLOW.match(line):
                yield Find("an unknown workflow command", f"{line!r}\na line begins with ::")


def _json(done: Done, output_format: str) -> Iterator[Find]:
    if done.hung or done.code not in CODES:
        return
    try:
        json.loads(done.out.decode("utf-8"))
    except ValueError as error:
        if done.code != 2 or done.out.strip():
            yield Find(f"no {output_format} on standard output", f"{_shown(done)}\n{type(error).__name__}: {error}")


def _readable(data: bytes, where: str) -> Iterator[Find]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        yield Find(f"{where} is not UTF-8", f"{data[max(0, error.start - 80) : error.end + 80]!r}\n{error.reason}")
        return
    if found := CONTROL.search(text):
        kind = "a bidirectional control" if found[0] >= "\u061c" else "a control character"
        around = text[max(0, found.start() - 80) : found.end() + 80]
        yield Find(f"{kind} on {where}", f"{found[0]!r}\n{around!r}\n{kind}")


def _shown(done: Done) -> str:
    return "\n".join(part.decode("utf-8", "replace")[-3000:] for part in (done.out, done.err))
