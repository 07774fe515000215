"""The package's modules import each other only as docs/architecture.md allows."""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter

import pytest

from support.imports import PACKAGE, ROOT, imports, modules, nodes_of, tree_of
from uncuda.lsp.server import FEATURES

LAYERS = [
    *(
        "messages",
        "lazy_re",
        "byte_search",
        "printable",
        "reading",
        "cells",
        "source",
        "limits",
        "module_names",
        "facts",
        "edits",
        "catalogue",
        "project",
    ),
    *("checks", "settings", "suppress", "engine", "import_path", "bundled", "child", "receivers"),
    *("workspace", "report", "cli", "lsp"),
]
# The packages of the language server, each of which imports only packages before it in this list, and the modules
# beside them.
ROOMS = ["wire", "state", "session", "debug", "fixing", "features", "server", "start"]
LARGEST_ROOM = 25
# Modules that are imported when a command or setting needs them, not when the server starts.
NOT_AT_THE_START = [
    *(
        "debug",
        "fixing.apply",
        "fixing.batch",
        "fixing.changes",
        "fixing.jobs",
        "fixing.open_file",
        "fixing.questions",
        "fixing.keeping",
    ),
    *(
        "fixing.rewrite",
        "fixing.summary",
        "fixing.worker",
        "state.analyst",
        "state.inspector",
        "state.inspection_process",
        "state.scan_process",
    ),
]
# Modules that may import a package which slows down the start, or which only one entry point needs.
OWNERS = {
    "pygls": {"lsp"},
    "lsprotocol": {"lsp"},
    "libcst": {"facts", "edits"},
    "jedi": {"receivers"},
    "click": {"cli", "report"},
}
# The module that starts processes, and modules that store a started process and need its type.
STARTER = "uncuda.child"
STARTED = {"uncuda.child.pool", "uncuda.lsp.wire.background", "uncuda.receivers.process", "uncuda.workspace.git"}
STARTS = re.compile(
    r"(?:subprocess|multiprocessing|pty|webbrowser|runpy|asyncio\.(?:subprocess|create_subprocess\w*)|ctypes\.util"
    r"|concurrent\.futures\.ProcessPoolExecutor|platform\.(?:platform|processor|uname|architecture|libc_ver)"
    r"|os\.(?:system|popen|fork\w*|exec\w+|spawn\w+|posix_spawn\w*|startfile))(?:\.|$)"
)
ALWAYS_LAZY = {"libcst", "jedi"}
LONG_MODULE = 400
# Class names that occur twice in one layer; no name may be added to this list. The list contains `Check` because every
# module of a check has a class of this name.
SHARED_NAMES = {("checks", "Check"), ("engine", "Found"), ("lsp", "Batch")}
TARGET_WORD = re.compile(r"(?<![a-z])(?:npu|musa|hccl|mccl|ascend|torchada)(?![a-z])", re.IGNORECASE)
# Names of an author's machine and of package mirrors, which must not occur in any file of the project. A file is
# searched for a pattern only if its text in lower case contains one of the words before the pattern, because that is
# much faster.
MACHINE_WORDS = {
    "a path of one machine": (
        ("/root/", "/work/", "/home/", "/users/"),
        re.compile(r"(?<![\w.~-])/(?:root|work|home/\w+|Users/\w+)/\w"),
    ),
    "a package registry's host": (
        ("pypi.", "pythonhosted.", "npmjs.", "crates.", "maven."),
        re.compile(r"(?:pypi|pythonhosted|npmjs|crates|maven)\.(?:org|io|com)\b", re.IGNORECASE),
    ),
    "an issue's number": (("issue",), re.compile(r"\bissues? #?\d+\b", re.IGNORECASE)),
}
MODULES = modules()


def layer(module: str) -> str:
    return module.split(".")[1] if module.count(".") else ""


def test_every_module_has_a_layer() -> None:
    assert {layer(name) for name in MODULES} - {"", "__main__"} <= set(LAYERS)


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _outside_functions(child)


def test_no_import_compiles_a_pattern() -> None:
    wrong = [
        f"{name}:{node.lineno}"
        for name, path in MODULES.items()
        for node in _outside_functions(tree_of(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile"
    ]
    assert not wrong, "lazy_re.compile compiles the pattern when it is first used"


def test_one_function_decides_the_language() -> None:
    found = {
        name
        for name in MODULES
        for node in tree_of(MODULES[name]).body
        if isinstance(node, ast.FunctionDef) and node.name == "language"
    }
    assert found == {"uncuda.messages"}


@pytest.mark.parametrize("name", [name for name in MODULES if layer(name) in LAYERS])
def test_imports_point_one_way(name: str) -> None:
    allowed = set(LAYERS[: LAYERS.index(layer(name)) + 1])
    if layer(name) == "lsp":  # `uncuda.lsp` is on the same level as the command line, not above it
        allowed.remove("cli")
    if name == "uncuda.cli.server":  # this command starts the language server
        allowed.add("lsp")
    wrong = [
        f"{name}:{found.line} imports {found.module}"
        for found in imports(name, MODULES[name])
        if found.module.startswith("uncuda.") and layer(found.module) not in allowed
    ]
    assert not wrong


def imported(name: str) -> set[str]:
    """Return the modules that a module imports, including those that it imports through a package, and the modules that
    it starts as processes."""
    found = {one.module for one in imports(name, MODULES[name])}
    found.update(re.findall(r'"(uncuda\.[\w.]+)"', _code(name)))
    packages = [one for one in found & {*MODULES} - {"uncuda"} if MODULES[one].name in ("__init__.py", "session.py")]
    return found.union(*({one.module for one in imports(package, MODULES[package])} for package in packages))


def test_ways_through_it_are_as_the_page_says() -> None:
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    section = page.partition("## Three ways through the modules\n")[2].partition("\n## ")[0]
    ways = [re.findall(r"^\| \d+ \| `([\w/]+)\.py` \|", way, re.M) for way in section.split("\n**")[1:]]
    assert len(ways) == 3
    for way in ways:
        stations = ["uncuda." + path.removesuffix("/__init__").replace("/", ".") for path in way]
        assert 4 < len(stations) <= 8
        near = {name: imported(name) for name in stations}
        for index, name in enumerate(stations):
            before = stations[:index]
            assert not before or any(name in near[other] or other in near[name] for other in before), name


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {
        name: {found.module for found in imports(name, path) if found.module in MODULES} - {name}
        for name, path in MODULES.items()
    }
    TopologicalSorter(graph).prepare()  # imports inside functions and imports for type checkers count, too


@pytest.mark.parametrize("name", [name for name in MODULES if layer(name) == "lsp" and name.count(".") > 1])
def test_rooms_of_the_language_server_import_one_way(name: str) -> None:
    room = name.split(".")[2]
    allowed = set(ROOMS[: ROOMS.index(room) + 1])
    wrong = []
    for found in imports(name, MODULES[name]):
        to, _, other = found.module.removeprefix("uncuda.lsp.").partition(".")
        if found.module.startswith("uncuda.lsp.") and (to not in allowed or (room == to == "features" and other)):
            wrong.append(f"{name}:{found.line} imports {found.module}")
    assert not wrong, "no feature imports another, and no room what stands after it"


def test_rooms_of_the_language_server_are_small() -> None:
    rooms = Counter(path.parent.name for name, path in MODULES.items() if layer(name) == "lsp")
    assert {*rooms} == {"lsp", "wire", "state", "fixing", "features"}
    assert max(rooms.values()) <= LARGEST_ROOM


def test_every_feature_is_registered() -> None:
    here = {name.rpartition(".")[2] for name in MODULES if name.startswith("uncuda.lsp.features.")}
    assert sorted(here) == sorted(feature.__name__.rpartition(".")[2] for feature in FEATURES)


@pytest.mark.slow
def test_the_language_server_starts_light() -> None:
    code = "from uncuda.lsp.server import UncudaServer; import sys; UncudaServer(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    late = {f"uncuda.lsp.{name}" for name in NOT_AT_THE_START} | {"uncuda.child.pool", "uncuda.workspace.workers"}
    assert late <= {*MODULES}
    assert not {"libcst", "jedi", "uncuda.receivers", *late} & {*loaded}


@pytest.mark.parametrize("name", list(MODULES))
def test_costly_packages_have_one_owner(name: str) -> None:
    wrong = []
    for found in imports(name, MODULES[name]):
        package = found.module.split(".")[0]
        if package in OWNERS and layer(name) not in OWNERS[package]:
            wrong.append(f"{name}:{found.line}: only {sorted(OWNERS[package])} may import {package}")
        if package in ALWAYS_LAZY and not found.lazy:
            wrong.append(f"{name}:{found.line}: import {package} inside the function that needs it")
    assert not wrong


def test_processes_are_started_in_few_places() -> None:
    found = {name for name in MODULES if any(_starts_processes(_nodes(name)))}
    assert found == {STARTER, *STARTED}, "what starts a process could run something of the workspace, or git"
    calls = {
        name: set(re.findall(r"subprocess\.Popen\(|(?<![.\w])start\(\s*(.*?)(?:,\n|\)\n)", _code(name)))
        for name in found
    }
    assert calls == {
        STARTER: {""},  # only this module calls subprocess.Popen itself
        "uncuda.child.pool": {"command(self._launch.module)"},
        "uncuda.lsp.wire.background": {"command(module)"},
        "uncuda.receivers.process": {"arguments or command(_MODULE)"},
        "uncuda.workspace.git": {"words, cwd=folder, env=_environment(), stderr=subprocess.PIPE"},
    }


@cache
def _code(name: str) -> str:
    return MODULES[name].read_text("utf-8")


def _nodes(name: str) -> list[ast.AST]:
    return [node for node, _ in nodes_of(MODULES[name])]


def _starts_processes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield code that starts a process, and names of modules that start processes; platform and ctypes.util count,
    because they run programs found on PATH."""
    for node in nodes:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = [f"{node.value.id}.{node.attr}"]
        else:
            continue
        if any(STARTS.match(name) for name in names):
            yield node


@pytest.mark.parametrize(
    "code",
    [
        *(
            "import subprocess",
            "from subprocess import run",
            "import os; os.system('x')",
            "from os import execv",
            "import pty",
        ),
        *("import multiprocessing.pool", "from concurrent.futures import ProcessPoolExecutor", "platform.platform()"),
    ],
)
def test_what_starts_a_process_is_seen(code: str) -> None:
    assert list(_starts_processes(ast.walk(ast.parse(code))))


def test_the_command_line_starts_light() -> None:
    if "uncuda.cli" not in MODULES:
        pytest.skip("there is no command line yet")
    code = "import uncuda.cli, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"libcst", "jedi", "lsprotocol", "cattrs", "uncuda.engine", "uncuda.workspace", "uncuda.catalogue"}
    assert not heavy & set(loaded)


def test_long_modules_are_named(record_property: Callable[[str, object], None]) -> None:
    """Warn about long modules; docs/style.md says what to check in them."""
    lines = {name: len(_code(name).splitlines()) for name in MODULES}
    if long := [f"{name} ({lines[name]})" for name in MODULES if lines[name] >= LONG_MODULE]:
        record_property("note", f"modules of {LONG_MODULE} lines or more: {', '.join(long)}; have they two subjects?")


def test_a_class_name_is_one_class_in_its_layer() -> None:
    found = Counter(
        (layer(name), node.name)
        for name in MODULES
        for node in _nodes(name)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {key for key, count in found.items() if count > 1} <= SHARED_NAMES


@pytest.mark.parametrize("name", list(MODULES))
def test_no_logic_names_a_target(name: str) -> None:
    wrong = [
        f"{MODULES[name].relative_to(PACKAGE)}:{node.lineno}: {node.value!r}"
        for node in _strings(_nodes(name))
        if TARGET_WORD.search(str(node.value))
    ]
    assert not wrong, "a target's words are data: rules/targets/*.toml"


def _strings(nodes: list[ast.AST]) -> Iterator[ast.Constant]:
    """Yield the string literals that are not docstrings."""
    prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node


def test_the_text_is_the_projects_own() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    wrong = []
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        lower = text.lower()
        near = {what: word for what, (parts, word) in MACHINE_WORDS.items() if any(part in lower for part in parts)}
        words = {what: word for what, word in near.items() if word.search(text)}
        for number, line in enumerate(text.splitlines() if words else (), 1):
            found = [what for what, word in words.items() if word.search(line)]
            wrong += [f"{name}:{number}: {what}: {line.strip()[:80]}" for what in found]
    assert not wrong
