"""Random lines are typed into the examples of the rules' pages; after each edit, the findings must be those of a new
analysis of the same text, although the engine keeps the hits of lines that no check reads again."""

from __future__ import annotations

import random
import re

import pytest

from engine.typist import Typist, prepared
from uncuda.catalogue import load, read_page

LINES = [
    *("return {}", "raise {}", "{} = other", "self.{} = other", "{}[0] = other", "{}: int = 1", "del {}", "global {}"),
    *(
        "for {} in others:",
        "if {}:",
        "else:",
        "with other as {}:",
        "import {}",
        "from other import {}",
        "def {}(other):",
    ),
    *("@{}", "print({})", "{}(other)", "# {}", "'''{}", "other({}, [", "return", "x"),
]
FILLING = """

def other(first, second):
    third = first
    if second:
        third = second
    else:
        third = [first,
                 second]
    for one in third:
        one.go(first, key=second)
    return third
"""


def examples() -> list[str]:
    pages = (read_page(rule.path)[1] for rule in load().rules.values() if rule.path is not None)
    return [example.text for page in pages for example in page if example.text.count("\n") > 2]


@pytest.mark.parametrize("target", ["npu", pytest.param("musa", marks=pytest.mark.slow)])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 8))])
def test_lines_beside_what_checks_read(seed: int, target: str) -> None:
    chance = random.Random(seed)
    for example in chance.sample(examples(), 12):
        typist = Typist("import torch\n" + example + FILLING, prepared(target))
        names = sorted(set(re.findall(r"[A-Za-z_]\w*", example)))
        for _ in range(6):
            lines = typist.text.splitlines(keepends=True)
            number = chance.randrange(len(lines))
            start, line = sum(map(len, lines[:number])), lines[number]
            indent = line[: len(line) - len(line.lstrip(" "))]
            words = chance.choice(LINES).format(chance.choice(names))
            typed = f"{indent}{words}\n"
            typist.replace(start, start, typed)
            typist.erase(start + len(typed) - 1, min(3, len(words)))
            typist.replace(start, start + len(typed) - min(3, len(words)), "")
            typist.replace(start, start + len(line), "")
            typist.replace(start, start, line)


def test_a_use_of_a_module_that_was_only_asked_for() -> None:
    head = "import torch\n\n\ndef usable():\n    from numba import cuda\n    return cuda.is_available()\n\n\n"
    other = "def other(first, second):\n    third = first\n    if second:\n        third = second\n    return third\n"
    typist = Typist(head + other, prepared("npu"))
    at = typist.text.index("    return third")
    typist.replace(at, at, "    cuda(other)\n")
