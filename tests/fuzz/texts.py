"""Generates Python files, both valid ones and ones that nobody would write."""

import random
import re
import textwrap
from collections.abc import Callable
from functools import cache

from support.imports import ROOT
from uncuda.catalogue import folder, read_page

MAXIMUM = 1_200_000  # the maximum number of characters in one text
LINE_ENDS = ("\n", "\r\n", "\r")
# Control characters, line ends of other systems, invisible or bidirectional characters, half a surrogate pair,
# characters that look like letters.
ODD = (
    *("\0", "\x01", "\x08", "\x0b", "\x0c", "\x1a", "\x1b[31m", "\x1b]0;x\x07", "\x1c", "\x7f", "\x85", "\x9b31m"),
    *(
        "\u200b",
        "\u202e",
        "\u2066",
        "\u2028",
        "\u2029",
        "\ufeff",
        "\u00ad",
        "ﬁ",
        "ⅽuda",
        "é",
        "e\u0301",
        "中",
        "😀",
        "𝒳",
    ),
)
SCRAPS = (
    *('"', "'", '"""', "'''", "(", ")", "[", "]", "{", "}", "\n", "\r\n", "\r", "\\\n", "\\", "#", "\t", "    ", ";"),
    *(":", "=", ",", ".", "@", "*", "**", "->", ":=", "!", "f'{", "}'", "f'{x!r:{", "rb'", "lambda ", "lambda torch: "),
    *("import torch\n", "import torch as t\n", "from torch import cuda\n", "from torch.cuda import *\n", "torch.cuda."),
    *("cuda", "nccl", '"cuda:0"', "x.cuda()", "x.is_cuda", "torch.cuda.is_available()", "device=", "def torch():\n"),
    *(
        "# uncuda: ignore",
        "# uncuda: ignore[",
        "# uncuda: file-ignore[cuda-api]\n",
        "# type: ignore",
        "# coding: latin-1",
    ),
    *("if ", "else:\n", "elif x:\n", "try:\n", "except* E:\n", "with ", "match x:\n", "case _:\n", "async ", "await "),
    *("yield ", "return ", "global torch\n", "nonlocal x\n", "del torch\n", "import npu\n", "import torch_npu\n"),
)
COOKIES = (
    *("utf-8", "latin-1", "cp1252", "gbk", "big5", "shift_jis", "euc-kr", "utf-16", "utf-32", "utf-7", "utf-8-sig"),
    *("idna", "punycode", "undefined", "rot13", "hex", "base64", "zlib", "unicode_escape", "raw_unicode_escape"),
    *("charmap", "mbcs", "klingon", "iso2022_jp", "hz", "cp037", "ascii", "", "x" * 300, "utf_8_sig", "..", "\x1b[31m"),
)


@cache
def seeds() -> tuple[str, ...]:
    """The texts of all examples: those of the rules, and the project's own."""
    found = [
        example.text
        for page in sorted(folder().glob("*.md"))
        if page.name != "README.md"
        for example in read_page(page)[1]
    ]
    return (*found, *(path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").rglob("*.py"))))


def python(choose: random.Random) -> str:
    """Return random code: examples joined together, deeply nested or very long code, or scraps; random changes may then
    damage it."""
    makers: list[tuple[int, Callable[[random.Random], str]]] = [(20, _together), (4, _deep), (2, _long), (1, _scraps)]
    text = choose.choices([maker for _, maker in makers], [weight for weight, _ in makers])[0](choose)
    for _ in range(choose.choice((0, 0, 1, 1, 2, 3, 8))):
        text = damaged(text, choose)
    return text[:MAXIMUM]


def encoded(text: str, choose: random.Random) -> bytes:
    """A text as bytes: with various line ends, a byte order mark, a declared encoding, or an encoding other than the
    declared one."""
    if choose.random() < 0.2:
        text = text.replace("\n", choose.choice(LINE_ENDS))
    codec = "utf-8"
    if choose.random() < 0.25:
        cookie = choose.choice(COOKIES)
        line = choose.choice(("# coding: {}", "# -*- coding:{} -*-", "#!/usr/bin/python\n# vim: set fileencoding={} :"))
        text = line.format(cookie) + "\n" + text
        codec = cookie if choose.random() < 0.7 else codec
    try:
        data = text.encode(codec, choose.choice(("replace", "surrogatepass", "strict", "ignore")))
    except (LookupError, ValueError, AssertionError):
        data = text.encode("utf-8", "surrogatepass")
    if choose.random() < 0.05:
        data = choose.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf\xef\xbb\xbf")) + data
    if choose.random() < 0.05 and data:
        at = choose.randrange(len(data))
        data = data[:at] + choose.randbytes(choose.choice((1, 1, 3, 40))) + data[at:]
    return data


def damaged(text: str, choose: random.Random) -> str:
    """A text after one change of a random kind, from typing to garbage."""
    at = choose.randrange(len(text) + 1)
    kind = choose.randrange(9)
    if kind == 0:
        return text[:at] + choose.choice(SCRAPS) + text[at:]
    if kind == 1:
        return text[:at] + choose.choice(ODD) + text[at:]
    if kind == 2:
        return text[:at] + text[at + choose.choice((1, 1, 4, 30)) :]
    if kind == 3:
        return text[:at]
    if kind == 4:
        return text[:at] + "\ud800" + text[at:] if choose.random() < 0.1 else text[:at] + "\\" + text[at:]
    if kind == 5:  # tokens are swapped or doubled
        tokens = re.findall(r"\w+|\s+|[^\w\s]", text) or [""]
        one, other = choose.randrange(len(tokens)), choose.randrange(len(tokens))
        tokens[one] = tokens[other] if choose.random() < 0.5 else tokens[one] * 2
        return "".join(tokens)
    lines = text.split("\n")
    one, other = choose.randrange(len(lines)), choose.randrange(len(lines))
    if kind == 6:
        lines[one], lines[other] = lines[other], lines[one]
    elif kind == 7:
        lines[one:one] = lines[min(one, other) : max(one, other) + 1][:40]
    else:
        lines[one] = " " * choose.randrange(9) + lines[one].lstrip()
    return "\n".join(lines)


def _together(choose: random.Random) -> str:
    parts = []
    for _ in range(choose.choice((1, 1, 2, 3, 5))):
        part = choose.choice(seeds())
        for _ in range(choose.choice((0, 0, 0, 1, 2))):
            header = choose.choice(_HEADERS)
            body = textwrap.indent(part, choose.choice(("    ", "  ", "\t")))
            part = f"{header}\n{body}" + _AFTER.get(header.split()[0], "")
        parts.append(part)
    return choose.choice(("\n", "\n\n", "")).join(parts)


_HEADERS = (
    *(
        "def f(x, device='cuda'):",
        "class C(torch.nn.Module):",
        "if torch.cuda.is_available():",
        "if x.is_cuda:",
        "try:",
    ),
    *("with torch.cuda.device(0):", "for i in range(torch.cuda.device_count()):", "while True:", "async def f():"),
    *("if not is_npu:", "if device.type == 'cuda':", "if False:", "if TYPE_CHECKING:"),
)
_AFTER = {"try:": "\nexcept Exception:\n    x.cuda()\n", "if": "\nelse:\n    x.npu()\n"}
# (before, inner, after): the first and the last part are repeated around the inner one, so that they nest.
_NESTS = (
    ("(", ")"), ("[", "]"), ("{", "}"), ("{1: ", "}"), ("f(", ")"), ("x[", "]"), ("lambda: ", ""), ("not ", ""),
    ("-", ""), ("~", ""), ("await ", ""), ("(yield ", ")"), ("x if y else ", ""), ("(x := ", ")"), ("f'{", "}'"),
    ('f"{f\'{', "}'}\""), ("torch.cuda.synchronize(", ")"), ("[x for x in ", "]"), ("x.cuda(", ")"), ("1 + ", ""),
    ("x == ", ""), ("*", ""), ("a[b(", ")]"), ("(", ""), ("[", ""), ("f'{x:{", "}}'"), ("torch.cuda.", ""),
    ("x.is_cuda and ", ""), ("'", ""),
)  # fmt: skip
_BLOCKS = (
    "if x.is_cuda:", "def f():", "class C:", "for x in y:", "with torch.cuda.device(0):", "try:", "while x:",
    "async def f():", "match x:", "case 1:", "else:",
)  # fmt: skip


def _deep(choose: random.Random) -> str:
    depth = 2 ** choose.triangular(1, 14, 6)
    inner = choose.choice(("torch.cuda.synchronize()", "x.cuda()", '"cuda"', "1", ""))
    if choose.random() < 0.25:
        header, step = choose.choice(_BLOCKS), choose.choice((" ", "    ", "\t"))
        depth = min(depth, 300.0)
        lines = [step * number + header for number in range(int(depth))]
        return "import torch\n" + "\n".join([*lines, step * int(depth) + inner]) + "\n"
    kinds = [choose.choice(_NESTS) for _ in range(choose.choice((1, 1, 2)))]
    before, after = "".join(kind[0] for kind in kinds), "".join(kind[1] for kind in reversed(kinds))
    expression = before * int(depth) + inner + after * int(depth)
    if choose.random() < 0.3:
        expression = "f'{" + expression + "}'"
    statement = choose.choice(("x = {}", "{}", "return {}", "f({})", "x.cuda({})", "assert {}", "@{}\ndef f(): pass"))
    return "import torch\n" + statement.replace("{}", expression) + "\n" + choose.choice(seeds())


_REPEATED = (
    "if x.is_cuda:\n    y.cuda()\n", "import a{n}\n", "from torch import *\n", "a{n} = a{m}\n",
    "x.cuda()  # uncuda: ignore\n", "x = 1  # uncuda: ignore[cuda-api]\n", "(\n", "'\n", "x = (\n",
    'd["cuda"] = "cuda"\n', "if d.type == 'cuda': pass\n", "def f{n}(torch):\n    torch.cuda.seed()\n",
    "with a as b, \\\n", "p.add_argument('--device', default='cuda')\n", "dist.init_process_group('nccl')\n",
    "try:\n    import amp_C\nexcept ImportError:\n    pass\n", "}\n", '"""\n',
    "class C{n}:\n    def cuda(self): pass\n", "device = 'cuda' if x else 'cpu'\n", "@f\n", "\\\n", "x{n}: 'cuda'\n",
    "\r", "\f\n",
)  # fmt: skip
_CHAINED = (
    *(
        "x.is_cuda and ",
        "torch.cuda.is_available() or ",
        "'cuda', ",
        "x.cuda().",
        "a, ",
        "1 if x.is_cuda else ",
        "'cuda' ",
    ),
    *("a = ", "x[", "f'{x}' ", "lambda: ", "'cuda': 1, ", "\\\n ", "# ", "x, *", "~", "torch.cuda.amp.autocast(), "),
)


def _long(choose: random.Random) -> str:
    size = int(min(2 ** choose.triangular(3, 15, 5), 20_000))  # long inputs are rare, because checking them takes long
    if choose.random() < 0.5:
        piece = choose.choice(_REPEATED)
        body = "".join(piece.replace("{n}", str(n)).replace("{m}", str(n + 1)) for n in range(size))
    elif choose.random() < 0.1:
        body = choose.choice(("#", "'", "x = '", '"""', "(", "x", " ", "\\", "cuda ", "\x1b")) * choose.choice(
            (1, 9, MAXIMUM)
        )
        body = body[: choose.choice((70_000, MAXIMUM))]
    else:
        ends = choose.choice(
            (("x = ", ""), ("f(", ")"), ("x = {", "}"), ("", ""), ("match x:\n case ", ": pass"), ("with ", ": 1"))
        )
        body = ends[0] + choose.choice(_CHAINED) * size + choose.choice(("y", "")) + ends[1] + "\n"
    return "import torch\n" + body + "\n" + choose.choice(seeds())


def _scraps(choose: random.Random) -> str:
    return "".join(choose.choice((*SCRAPS, *ODD)) for _ in range(choose.randrange(200)))
