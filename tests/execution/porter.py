"""Ports folders with the uncuda of any commit: `PYTHONPATH=SERVER python porter.py`; SERVER is the folder `server` of a
checkout of that commit. uncuda is imported only once, for all jobs.

Reads one job per line from standard input and writes one result per line to standard output, both as JSON:

    job: {"folder": "…", "options": ["--target", "npu"], "review": false}
    result: {"findings": [["main.py", 12, "cuda-method", "review"], …], "error": ""}

A job rewrites the files in `folder` in place. The findings are those that `uncuda check` reports in the ported folder,
each as file, line, rule, class of the fix. A job may contain `"without": ["package.module:name", "lambda …"]`: a
function of the engine, and the lambda that replaces it.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import sys
from collections.abc import Iterator
from typing import Any


def _run(command: str, arguments: list[str]) -> tuple[str, str]:
    """Run a command of uncuda; returns its standard output and an error message, empty if there was none."""
    module = importlib.import_module(f"uncuda.cli.{command}")
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = module.command.main(arguments, prog_name="uncuda", standalone_mode=False)
        except SystemExit as exit_:
            code = exit_.code
    return out.getvalue(), err.getvalue() if code not in (0, 1, None) else ""


def port(job: dict[str, Any]) -> dict[str, Any]:
    """Fix a folder in place; returns the findings that are left."""
    options = ["--quiet", "--isolated", *job["options"]]
    with _without(*job.get("without", ("", ""))):
        _, wrong = _run("fix", [*options, *(["--review-fixes"] if job["review"] else []), job["folder"]])
        report, wrong_too = _run("check", [*options, "--exit-zero", "--output-format", "json", job["folder"]])
    findings = []
    for finding in json.loads(report)["findings"] if report else []:
        fixes = finding["fixes"]
        kind = fixes[0]["applicability"] if fixes else "manual"
        if not fixes and finding["severity"] == "information":
            kind = "information"
        path = finding.get("file") or finding["path"]
        name = os.path.relpath(path, job["folder"])
        findings.append([name.replace(os.sep, "/"), finding["range"]["start"]["line"], finding["rule"], kind])
    return {"findings": findings, "error": wrong or wrong_too}


@contextlib.contextmanager
def _without(place: str, answer: str) -> Iterator[None]:
    """Replace one function of the engine during the block, also in every module that imported it by name."""
    if not place:
        yield
        return
    module, _, names = place.partition(":")
    owner: Any = importlib.import_module(module)
    *path, last = names.split(".")
    for name in path:
        owner = getattr(owner, name)
    original, other = vars(owner)[last], eval(answer)
    places = [(owner, last)]
    if not path:
        engine = [found for name, found in sys.modules.items() if name.startswith("uncuda") and found is not owner]
        places += [(found, key) for found in engine for key, value in vars(found).items() if value is original]
    for holder, key in places:
        setattr(holder, key, other)
    try:
        yield
    finally:
        for holder, key in places:
            setattr(holder, key, original)


def main() -> None:
    os.chdir("/")
    for line in sys.stdin:
        sys.stdout.write(json.dumps(port(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
