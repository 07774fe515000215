"""Generates trees with bad configuration files: invalid, huge, circular, links, pipes and devices."""

import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from fuzz.commands import findings
from fuzz.model import Find, chance, first_of_run, told
from fuzz.sessions import Session, converse
from fuzz.texts import ODD
from fuzz.trees import CANARY, GOOD, changes, put_canary, state, tree
from uncuda.settings import OPTIONS

_NAMES = (
    "pyproject.toml", "pyproject.toml", "uncuda.toml", "uncuda.toml", ".gitignore", ".gitignore", "requirements.txt",
    "requirements-dev.txt", "requirements/base.txt", "setup.cfg", "setup.py", "environment.yml", "environment.yaml",
    "constraints.txt", "Pipfile", "poetry.lock", ".git/info/exclude", ".git/config", ".gitattributes",
)  # fmt: skip
_TARGETS = (
    "/dev/zero", "/dev/null", "/dev/full", "/dev/urandom", "/proc/self/mem", "/proc/self/environ", "/", ".", "..",
    "missing", "uncuda.toml", "pyproject.toml", ".gitignore", "/etc/passwd", "/proc/self/fd/0", "/dev/fd/0", "loop",
    "a.py",
)  # fmt: skip
_PATTERNS = (
    "*", "**", "!*", "/", "//", "\\", "[", "[z-a]", "[]", "[!]", "[[:alpha:]]", "*a*a*a*a*a*b", "a?" * 30, "**/" * 50,
    "*/" * 200, "!", "#", "\\#", " ", "\\ ", "a.py", "!a.py", "{a,b}", "(", "(?i)a", "[a-", "x" * 5000, "\x1b[31m",
    "**a**", "/**/", "../*", "~", "%0A", "\ud800", "[\\", "a\\", "*" * 300, "?" * 3000, "[^a]" * 50, "日本",
)  # fmt: skip
_VALUES = (
    '"npu"', '"musa"', '"nup"', '""', "1", "true", "false", "[]", "{}", '["cuda-api"]', '["x"]', "1979-05-27", "inf",
    "nan", '{"**" = ["cuda-api"]}', '"2.7.1"', '"9" * 9', '["\\\\"]', "'''\n'''", '"\\u001b[31m"', '"\\ud800"',
    "[[]]", "0x1f", '{"a.py" = "error"}', '["' + "','" * 40 + '"]', '"2.7.1.post11"', '"' + "9." * 3000 + '"', "-0",
    "[1, 'a']", '{cuda-api = "warning"}', '{cuda-api = 1}', '"portable"', '"zh"', '"error"',
)  # fmt: skip
_REQUIREMENTS = (
    "torch==2.1.0", "torch", "torch>=", "torch==", "torch[a" * 50, "torch" + " " * 3000 + "x", "-r requirements.txt",
    "-r ../requirements.txt", "-r /dev/zero", "-c missing", "--index-url x", "torch @ file:///x", "torch; x",
    "torch==2.1.0+cu118", "torch==" + "9" * 6000, "torch_npu==2.1.0", "-e .", "\\\n" * 50, "# x", "torch[" * 3000,
    "torch (==2.1)", "torch~=2.1", "'torch'", "torch==*", "TORCH===2.1", "torch==1.13.1,>2", "\x1b",
)  # fmt: skip
_EXTENDS = (
    "uncuda.toml", "./uncuda.toml", "pyproject.toml", "../uncuda.toml", "missing.toml", "/dev/zero", "~nobodyx/z",
    "~", "", ".", "..", "/", "fifo", "\\u0000", "a" * 300, "a/" * 3000, "link.toml", "//x", "file:///x", "$HOME",
    "a.py",
)  # fmt: skip

_MUCH = (
    "x = " + "[" * 3000 + "]" * 3000, "x = " + "9" * 5000, "a." * 5000 + "b = 1", "x = " + "{a=" * 500, "x = 1e9999",
    "[" + "a." * 2000 + "b]", "x = '" + "a" * 10**6 + "'", "[[a]]\n" * 3000, "= 1", "x",
)  # fmt: skip


class Configuration:
    """Each fuzz input is a folder with configuration files and links."""

    name = "configuration"
    size = 20

    def run(self, seed: str, cases: Sequence[int]) -> list[Find]:
        """Check folders with bad configuration files by the command line or the server; all other files in them must
        still be checked."""
        choose = chance(seed, self.name, f"run {first_of_run(self, cases)}")
        traps = choose.random() < 0.3  # a file that makes uncuda hang would hide the effects of the other files
        options = choose.choice(([], ["--target", "npu"], ["--receivers"], ["--locale", "zh"], ["--verbose"]))
        with tree() as folder:
            put_canary(folder)
            (folder / "canary/uncuda.toml").write_text('target = "npu"\n', encoding="utf-8")
            for case in cases:
                _fill(folder / f"c{case}", chance(seed, self.name, case), traps)
            before = state(folder)
            finds = _served(folder, cases) if choose.random() < 0.4 else list(_checked(folder, options, len(cases)))
            finds += changes(before, state(folder))
        listed = b"\n\n".join(name + b"\n" + content[:3000] for name, content in sorted(before.items()))
        return [told(find, r"\bc", **{"tree.txt": listed}) for find in finds]


def _checked(folder: Path, options: list[str], cases: int) -> Iterator[Find]:
    reported = set()
    for found in findings(folder, options, cases):
        if isinstance(found, Find):
            yield found
        else:
            reported.add(found[0])
    if CANARY not in reported:
        yield Find("the rest is not checked", f"{sorted(reported)!r}\nthe canary is missing")


def _served(folder: Path, cases: Sequence[int]) -> list[Find]:
    session = Session(folder)
    client = session.client

    def speak(case: int) -> Iterator[Find]:
        uri = client.open(folder / f"c{case}" / "open.py", GOOD)
        client.diagnostics(uri)
        client.actions(uri)
        if not client.diagnostics(client.open(folder / CANARY, GOOD)):
            yield Find("the rest is not checked", "the canary is missing")
        client.close(folder / CANARY)
        client.close(uri)

    return converse(session, cases, speak)


def _fill(folder: Path, choose: random.Random, traps: bool) -> None:
    """Make a folder with a Python file and a few configuration files."""
    folder.mkdir()
    (folder / "a.py").write_text(GOOD, encoding="utf-8")
    for _ in range(choose.choice((1, 1, 2, 3, 5))):
        name = choose.choice(_NAMES) if choose.random() < 0.95 else choose.choice(("a.py", "b/a.py", "b", "link.toml"))
        path = folder / name
        try:
            # nothing is written to the place to which a symbolic link leads
            if not path.parent.resolve().is_relative_to(folder.resolve()):
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            # an existing link is removed first, because writing through it would change its target
            if path.is_symlink() or (path.exists() and not path.is_dir()):
                path.unlink()
            _put(path, choose, traps)
            if choose.random() < 0.05 and not path.is_symlink():
                path.chmod(choose.choice((0, 0o200, 0o111, 0o777)))
        except OSError:
            continue


def _put(path: Path, choose: random.Random, traps: bool) -> None:
    kind = choose.randrange(30) if traps else 9
    if kind == 0:
        os.mkfifo(path)
    elif kind == 1:
        path.mkdir()
    elif kind in (2, 3):
        path.symlink_to(choose.choice(_TARGETS))
    elif kind == 4:
        with path.open("wb") as file:
            file.truncate(choose.choice((0, 10**6, 10**8, 5 * 10**9)))
    else:
        path.write_bytes(_content(path.name, choose))


def _content(name: str, choose: random.Random) -> bytes:
    lines = [_line(name, choose) for _ in range(choose.choice((1, 1, 2, 4, 8)))]
    if name == "pyproject.toml" and choose.random() < 0.9:
        lines.insert(
            0, choose.choice(("[tool.uncuda]", "[tool.uncuda]", "[tool]", "[[tool.uncuda]]", "[tool.uncuda.severity]"))
        )
    text = choose.choice(("\n", "\n", "\n", "\r\n", "\r")).join(lines) + "\n"
    if choose.random() < 0.1:
        at = choose.randrange(len(text))
        text = text[:at] + choose.choice((*ODD, '"', "[", "]", "=", "'''", "{", "\\")) + text[at:]
    data = text.encode("utf-8", "surrogatepass")
    return choose.choice(
        (data, data, data, data, b"\xef\xbb\xbf" + data, data + b"\xff\xfe", text.encode("utf-16", "replace"))
    )


def _line(name: str, choose: random.Random) -> str:
    if name.endswith(".toml"):
        return _setting(choose)
    if name in (".gitignore", "exclude", ".gitattributes"):
        return (
            choose.choice(_PATTERNS) * choose.choice((1, 1, 1, 1, 20, 2000))
            if choose.random() < 0.9
            else "a\n" * 50_000
        )
    if name.startswith("setup"):
        return f"install_requires = [{choose.choice(_REQUIREMENTS)!r}]"
    return choose.choice(("", "", "- ", "  - ")) + choose.choice(_REQUIREMENTS)


def _setting(choose: random.Random) -> str:
    kind = choose.randrange(12)
    if kind == 0:
        return f'extend = "{choose.choice(_EXTENDS)}"'
    if kind == 1:
        return choose.choice(_MUCH)
    if kind < 5:
        patterns = ", ".join(_quoted(choose.choice(_PATTERNS)) for _ in range(choose.choice((1, 2, 5))))
        return choose.choice(
            (f"exclude = [{patterns}]", f"per-file-ignores = {{{_quoted(choose.choice(_PATTERNS))} = ['x']}}")
        )
    name = (
        choose.choice(OPTIONS).name
        if choose.random() < 0.95
        else choose.choice(("taget", '"\\u001b[31m"', "''", "a.b", "extend"))
    )
    return f"{name} = {choose.choice(_VALUES)}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "") + "'"
