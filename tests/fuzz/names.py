"""Gives files and folders random names, such as archives and other systems may contain, and checks the reports and
diffs that contain these names."""

import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from fuzz.commands import check_and_fix, findings
from fuzz.files import FORMATS, TARGETS
from fuzz.model import Find, chance, first_of_run, told
from fuzz.texts import ODD
from fuzz.trees import CANARY, GOOD, put_canary, tree

_LONGEST = 255  # maximum bytes of a name on most file systems
_PARTS = (
    *("\n", "\r", "\r\n", "\t", " ", "  ", "\x1b[2J", "\x1b]8;;x\x07", "\x9b31m", "\x7f", "\x00"[:0], "\u2028"),
    *("\n::error file=x::y", "::error::x", "::stop-commands::x", "##[error]x", "%0A", "%0D%0A::warning::x", "%", "%25"),
    *(
        '"',
        "'",
        "`",
        "\\",
        "\\n",
        "\\\\",
        "\\303",
        "$(touch x)",
        "${x}",
        "!x",
        "[a]",
        "*",
        "?",
        "{a,b}",
        "~",
        "#",
        "&",
        ";",
    ),
    *(
        "|",
        "<",
        ">",
        ":",
        "..",
        ".",
        "-",
        "--",
        "-rf",
        "--config",
        "@x",
        "+",
        "=",
        ",",
        "(",
        ")",
        "^",
        "a",
        "ab",
        "名",
        "é",
    ),
    *(
        "cuda_ops",
        "npu_ops",
        "setup",
        "con",
        "nul",
        "a/b",
        "/dev/null",
        "\n+++ b/x",
        "\n--- a/x\n",
        "x" * 120,
        "tests",
        "build",
    ),
    *("\udcff", "\udc80\udc81", "\udce4\udcb8", "e\u0301", "K", "ſ"),
)
_SUFFIXES = (".py", ".py", ".py", ".py", ".pyi", ".pyw", ".PY", ".py ", ".py.", ".py\n", "")
_TEXTS = (
    GOOD,
    'import torch\n\nif lang == "cuda":\n    x.cuda()\n',
    "import amp_C\n\namp_C.multi_tensor_lamb(chunk, buffer, tensors)\n",
    "import torch\n\ntorch.cuda.synchronize()  # uncuda: ignore[{}]\n",
    "# uncuda: file-ignore[{}]\nimport torch\n\ntorch.cuda.synchronize()\nx = '{}', 'cuda'\n",
    "import {}\nimport torch\nx = (\n",
    "def f(:\n    torch.cuda.synchronize('{}')\n",
    "import torch\nos.environ['CUDA_{}'] = '1'\ntorch.cuda.{}()\nimport torch.cuda.{} as x\n",
)


class Names:
    """Each fuzz input is the path of a file, with random names."""

    name = "names"
    size = 60

    def run(self, seed: str, cases: Sequence[int]) -> list[Find]:
        """Check and fix files with random names, found in a folder or passed as arguments."""
        choose = chance(seed, self.name, f"run {first_of_run(self, cases)}")
        options = ["--target", choose.choice(TARGETS), *choose.choice(([], ["--verbose"], ["--locale", "zh"]))]
        output_format, review, given = choose.choice(FORMATS), choose.random() < 0.5, choose.random() < 0.3
        with tree() as folder:
            put_canary(folder)
            made = [name for case in cases if (name := _make(folder, case, chance(seed, self.name, case)))]
            paths = ["--", *made] if given and made else None
            finds = list(_all_are_named(folder, options, len(cases)))
            finds += check_and_fix(folder, output_format, options, review, len(cases), paths)
        listed = "\n".join([" ".join([*options, output_format, str(review), str(given)]), *map(repr, made)]).encode()
        return [told(find, "_n", **{"names.txt": listed}) for find in finds]


def _all_are_named(folder: Path, options: list[str], cases: int) -> Iterator[Find]:
    """Compare the report with the list of files that must have a finding, whatever their names are."""
    reported = set()
    for found in findings(folder, options, cases):
        if isinstance(found, Find):
            yield found
        else:
            reported.add(found[0])
    if reported and CANARY not in reported:
        yield Find("the rest is not checked", f"{sorted(reported)!r}\nthe canary is missing")


def _make(folder: Path, case: int, choose: random.Random) -> str:
    """Write a file; returns its path in the folder, or "" if the file system refuses it."""
    path = "/".join([*(_name(choose) for _ in range(choose.choice((0, 0, 0, 1, 2, 12)))), _name(choose)])
    # the number of the input in the name shows which input made uncuda fail
    path += f"_n{case}" if choose.random() < 0.7 else ""
    path += choose.choice(_SUFFIXES)
    text = choose.choice(_TEXTS).replace("{}", _name(choose).encode("utf-8", "replace").decode())
    try:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8", errors="replace", newline="")
    except (OSError, ValueError):
        return ""
    return path


def _name(choose: random.Random) -> str:
    parts = [choose.choice(ODD if choose.random() < 0.15 else _PARTS) for _ in range(choose.choice((1, 1, 2, 3)))]
    name = "".join(parts).replace("/", choose.choice(("_", "\\"))).replace("\0", "")
    return os.fsdecode(os.fsencode(name)[: _LONGEST - 10]) if name.strip(".") else "x"
