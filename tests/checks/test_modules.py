"""Tests of libraries listed in the targets' tables: where and how often they are reported, and which modules are the
project's own."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from engine.typist import Typist, prepared
from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.engine import Engine, Finding
from uncuda.lsp.state.scan import CODEC, Reader, SaidBy
from uncuda.settings import Settings
from uncuda.source import Source
from uncuda.workspace import Engines, File

CATALOGUE = load()
NPU, MUSA = (engine_for(target, Settings(locale="en")) for target in ("npu", "musa"))


def said(text: str, engine: Engine = NPU) -> list[tuple[str, int]]:
    source = Source(text)
    findings = engine.check(source).findings
    return [(finding.rule, source.position(finding.span.start)[0]) for finding in findings]


def in_project(folder: Path, files: dict[str, str], path: str) -> list[str]:
    """The names of the rules with findings in one file of a project."""
    return [finding.rule for finding in found_in(folder, files, path)]


def found_in(folder: Path, files: dict[str, str], path: str) -> Sequence[Finding]:
    """The findings in one file of a project."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    settings = Settings(target="npu", locale="en")
    engines = Engines(CATALOGUE)
    look = engines.survey([File(str(folder / name), settings, given=False) for name in files])
    reader = Reader(CATALOGUE)
    read = {str(folder / name): reader.file(str(folder / name)) for name in files}
    assert reader.project(read).own == look.project.own
    for facts in read.values():
        assert CODEC.record(CODEC.line(SaidBy("a.py", facts))).facts == facts
    source = Source(files[path], str(folder / path))
    return engines.engine_for(settings).check(source).findings


USER = "import torch\nimport triton\n"


def test_a_library_is_said_once_a_file() -> None:
    text = "import torch\nimport triton\nimport triton.language as tl\nfrom triton import jit\n"
    assert said(text) == [("module-adapted", 2)]
    text = "import torch\nimport cutlass\nimport cupy\ndef f():\n    from cutlass import cute\n"
    assert said(text) == [("module-unsupported", 2), ("module-unsupported", 3)]
    text = "import torch\nimport cupy\nimport spmm_cuda\ndef f():\n    import spmm_cuda, cupy\n"
    assert said(text) == [("module-unsupported", 2), ("cuda-module", 3)]


GOES_ON = {
    "a name that is None": "try:\n    import cupy\nexcept ImportError:\n    cupy = None\n",
    "a flag": "try:\n    import cupy\n    OK = True\nexcept ModuleNotFoundError:\n    OK = False\n",
    "a list of what is missing": 'try:\n    from cupy import x\nexcept Exception:\n    missing.append("cupy")\n',
    "any error": "try: import cupy\nexcept: pass\n",
    "a warning": "def f():\n    try:\n        import cupy\n    except ImportError as e:\n        f(e)\n",
    "a test that only asks": "try:\n    import cupy\nexcept ImportError:\n    cupy = None\nif cupy is None:\n    f()\n",
    "a suppressed error": "with suppress(ImportError):\n    import cupy\n",
    "a function that tells": "def f(x):\n    if is_cupy_available():\n        import cupy as cp\n        cp.f(x)\n",
    "a constant": "if HAS_CUPY:\n    import cupy\nelse:\n    cupy = None\n",
    "a look for it": 'if importlib.util.find_spec("cupy") is not None:\n    import cupy\n',
    "a test that leaves": "def f(x):\n    if not is_cupy_available():\n        return None\n    import cupy\n",
    "a test above the block": (
        "def f(x):\n    if not is_cupy_available():\n        return\n    if x:\n        import cupy\n"
    ),
    "a short name": "def f(x):\n    if is_cpy_available():\n        import cupy\n",
    "a skipped test": 'def test_x():\n    pytest.importorskip("cupy")\n    import cupy\n',
    "skipped tests": 'pytest.importorskip("cupy")\n\n\ndef test_x():\n    import cupy\n',
    "a flag of its own": (
        "try:\n    import cupy\n    OK = True\nexcept ImportError:\n    OK = False\n"
        "def f():\n    if OK:\n        import cupy.linalg\n"
    ),
    "an extension": "try:\n    import cross_entropy_cuda\nexcept ImportError:\n    cross_entropy = slow\n",
}
FAILS = {
    "a handler that raises": 'try:\n    import cupy\nexcept ImportError:\n    raise ImportError("install it")\n',
    "one that ends the program": "try:\n    import cupy\nexcept ImportError:\n    log()\n    sys.exit(1)\n",
    "another error": "try:\n    import cupy\nexcept OSError:\n    pass\n",
    "no handler": "try:\n    import cupy\nfinally:\n    f()\n",
    "a handler": "try:\n    import fast\nexcept ImportError:\n    import cupy\n",
    "a function in a try": "try:\n    def f():\n        import cupy\nexcept ImportError:\n    pass\n",
    "a denial": "if not is_cupy_available():\n    import cupy\n",
    "a test that raises": "def f():\n    if not is_cupy_available():\n        raise ImportError\n    import cupy\n",
    "a test below": "def f():\n    import cupy\n    if not is_cupy_available():\n        return\n",
    "a test that leaves where it is there": "def f():\n    if is_cupy_available():\n        return\n    import cupy\n",
    "another's short name": "def f(x):\n    if is_cut_available():\n        import cupy\n",
    "another test that is skipped": (
        'def test_x():\n    pytest.importorskip("cupy")\n\n\ndef test_y():\n    import cupy\n'
    ),
    "another question": "if is_torch_available():\n    import cupy\n",
    "a choice": "if args.cupy:\n    import cupy\n",
    "an other way that raises": "if HAS_CUPY:\n    import cupy\nelse:\n    raise ImportError\n",
    "one of two": "try:\n    import cupy\nexcept ImportError:\n    cupy = None\ndef f():\n    import cupy\n",
}
RAISES = {
    "a test": "def f():\n    if not OK:\n        raise RuntimeError\n",
    "a test of the name": "def f():\n    if cupy is None:\n        log()\n        raise RuntimeError\n",
    "an assertion": 'def f():\n    assert OK, "cupy is not installed"\n',
}


def severities(text: str) -> list[str]:
    findings = NPU.check(Source("import torch\n" + text)).findings
    return [finding.severity for finding in findings if "module" in finding.rule]


@pytest.mark.parametrize("name", GOES_ON)
def test_what_the_program_does_without_is_information(name: str) -> None:
    report = NPU.check(Source("import torch\n" + GOES_ON[name]))
    assert [finding.severity for finding in report.findings] == ["information"]
    assert "the program can go on without it" in report.findings[0].message


@pytest.mark.parametrize("name", FAILS)
def test_what_the_program_does_not_do_without_is_an_error(name: str) -> None:
    assert severities(FAILS[name]) == ["error"]


@pytest.mark.parametrize("name", RAISES)
def test_what_raises_later_is_a_warning(name: str) -> None:
    start = "try:\n    import cupy\n    OK = True\nexcept ImportError:\n    OK, cupy = False, None\n"
    start = start.replace("OK, cupy = False, None", "OK = False\n    cupy = None")
    assert severities(start) == ["information"]
    assert severities(start + RAISES[name]) == ["warning"]


def test_what_raises_later_comes_with_the_advice_not_to_ask_for_it() -> None:
    text = "import torch\ntry:\n    import cupy\nexcept ImportError:\n    cupy = None\n"
    text += "def f(fast):\n    if fast and cupy is None:\n        raise ImportError\n"
    (found,) = NPU.check(Source(text)).findings
    assert "raises an error if something asks for it: leave that switched off" in found.message
    assert "the program can go on without it" not in found.message


UNTESTED = {
    "a module": "def f(x):\n    cupy.put(x)\n",
    "an argument": "def f(x):\n    g(x, cupy.float32)\n",
    "a mention": "# if cupy is None\ndef f(x):\n    cupy.put(x)\n",
    "an attribute of another object": "def f(x):\n    x.OK = not x.cupy\n    cupy.put(x)\n",
    "another mention": '"""Without `has_cupy`, this fails."""\n# has_cupy\ncupy.put(x)\n',
    "an attribute": "x = cupy.float32\n",
    "a base class": "class X(cupy.Base): ...\n",
    "a base class itself": "class X(Y, cupy): ...\n",
    "a decorator": "@cupy.fuse\ndef f(): ...\n",
    "an imported word": "from x import is_cupy_available\ncupy.put(x)\n",
}
TESTED = {
    "no use": "",
    "a comment": "# cupy.put(x)\n",
    "a flag": "def f(x):\n    if OK:\n        cupy.put(x)\n",
    "a flag that is passed on": "def f(x):\n    return g(OK, cupy)\n",
    "the name": "def f(x):\n    return None if cupy is None else cupy.put(x)\n",
    "another word for it": "def f(x):\n    if is_cupy_available():\n        cupy.put(x)\n",
    "a mark": "@pytest.mark.skipif(not OK)\ndef f(x):\n    cupy.put(x)\n",
    "a definition": "def cupy(x):\n    return x\n\n\ncupy(1)\n",
    "another import": "def f(x):\n    import cupy\n\n    cupy.put(x)\n",
    "another word that a file imports": "from x import has_cupy\nhas_cupy()\ncupy.put(x)\n",
    "a handler around the use": "def f():\n    try:\n        cupy.put(1)\n    except NameError:\n        pass\n",
    "a suppressed error": "def f():\n    with suppress(NameError):\n        cupy.put(1)\n",
    "a class of its name": "class cupy(X): ...\n\n\ncupy.put(x)\n",
    "a parameter": "def f(cupy):\n    return cupy.put(1)\n",
    "a parameter on a line of its own": "def f(\n    x,\n    cupy,\n):\n    return cupy.put(1)\n",
    "the name of an argument": "f(cupy=1)\n",
    "a default value": "def f(x=cupy):\n    return x\n",
    "an annotation": "from __future__ import annotations\n\n\ndef f(x: cupy.ndarray) -> cupy.ndarray: ...\n",
    "an annotation of several lines": "def f(\n    x: tuple[int, cupy.ndarray],\n): ...\n",
    "an element": "libraries = [numpy, cupy]\n",
    "a filter": "libraries = list(filter(None, [numpy, cupy]))\n",
    "a look at the names": 'def f():\n    if "cupy" in globals():\n        return cupy.zeros(3)\n',
    "a look at the modules": 'def f():\n    if "cupy" in sys.modules:\n        return cupy.zeros(3)\n',
    "a look at a list": 'def f():\n    if "cupy" in LIBRARIES:\n        return cupy.zeros(3)\n',
}


BOUND = (
    "if is_flash_attn_available():\n    from flash_attn import flash_attn_func\n"
    "    _windows = 'window' in signature(flash_attn_func)\n"
)


@pytest.mark.parametrize(
    ("rest", "severity"),
    [
        ("def f(x):\n    if not _windows:\n        log()\n", "warning"),
        ("def f(x):\n    return g(_windows)\n", "warning"),
        ("def f(x):\n    return g(_windows)\ndef g(x):\n    return is_flash_attn_available()\n", "warning"),
        ("def f(x):\n    if not is_flash_attn_available():\n        return\n    return g(_windows)\n", "information"),
        ("def f(x):\n    try:\n        g(_windows)\n    except NameError:\n        pass\n", "information"),
        ("_windows = False\ndef f(x):\n    return g(_windows)\n", "information"),
        ("def f(_windows):\n    return g(_windows)\n", "information"),
        ("def f(x):\n    return g(_windows=x)\n", "information"),
        ("def f(x):\n    return x._windows\n", "information"),
        ("def f(x):\n    if is_flash_attn_available():\n        return g(_windows)\n", "information"),
    ],
)
def test_a_variable_that_only_an_optional_import_sets(rest: str, severity: str) -> None:
    """As in colossalai/shardformer/modeling/mixtral.py of ColossalAI."""
    assert severities(BOUND + rest) == [severity]


def test_a_variable_that_only_an_optional_import_sets_is_typed() -> None:
    text = "import torch\n" + BOUND + "def f(x):\n    if not _windows:\n        log()\n\n\nx = 1\n"
    typist = Typist(text, prepared("musa"))
    at = text.index("x = 1")
    typist.type(at, "_windows = 0\n")
    typist.erase(at + len("_windows = 0\n"), 4)
    typist.erase(typist.text.index(":\n        log"), 4)


COLLECTED = (
    "def lacking():\n    missing = []\n    try:\n        from cudnn import DSA\n    except ImportError:\n"
    "        missing.append('cudnn')\n    return missing\n\n\n"
    "def check(kind):\n    missing = lacking() if kind else []\n    if missing:\n        raise ValueError(missing)\n"
)


@pytest.mark.parametrize(
    ("old", "new", "severity"),
    [
        ("", "", "warning"),
        ("return missing", "return None", "information"),
        ("raise ValueError(missing)", "print(missing)", "information"),
        ("lacking() if", "other() if", "information"),
        ("missing.append('cudnn')", "pass", "information"),
    ],
)
def test_what_is_missing_is_raised_later(old: str, new: str, severity: str) -> None:
    """As in megatron/core/utils.py of Megatron-core."""
    assert severities(COLLECTED.replace(old, new) if old else COLLECTED) == [severity]


def test_what_is_missing_is_typed() -> None:
    text = "import torch\n" + COLLECTED.replace("raise ValueError(missing)", "pass")
    typist = Typist(text, prepared("npu"))
    at = text.index("pass")
    typist.erase(at + 4, 4)
    typist.type(at, "raise ValueError(missing)")
    typist.erase(typist.text.index("return missing") + len("return missing"), 7)
    typist.erase(typist.text.index("missing.append") + len("missing.append"), 7)


def test_a_function_that_lets_versions_agree_is_no_test() -> None:
    """As in resharding/nvshmem_copy_service/core/pipeline_executor.py of Megatron-core."""
    text = "{0}()\ntry:\n    import nvshmem.core\n    HAVE = True\nexcept ImportError:\n    HAVE = False\n"
    text += "def f(x):\n    nvshmem.core.put(x)\n"
    assert severities(text.format("ensure_nvshmem_compat")) == ["warning"]
    assert severities(text.format("ensure_nvshmem")) == ["information"]


@pytest.mark.parametrize("name", [*UNTESTED, *TESTED])
def test_what_uses_an_optional_import_without_a_test_does_not_go_on(name: str) -> None:
    start = "import torch\ntry:\n    import cupy\n    OK = True\nexcept ImportError:\n    OK = False\n"
    found = NPU.check(Source(start + {**UNTESTED, **TESTED}[name])).findings[0]
    assert ("used here without a test: code that uses it raises" in found.message) == (name in UNTESTED)
    assert (found.severity == "warning") == (name in UNTESTED)


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ("try:\n    import cupy\nexcept ImportError:\n    cupy, x = None, 1\n", True),
        ("try:\n    import cupy\nexcept ImportError: cupy = None\n", True),
        (
            "try:\n    import cupy  # fast\n    from cupy import (\n        x,\n    )\nexcept ImportError:\n    pass\n",
            True,
        ),
        ('try:\n    import cupy\n    AVAILABLE.append("cupy")\nexcept ImportError:\n    pass\n', False),
        ('try: import cupy; AVAILABLE.append("cupy")\nexcept ImportError: pass\n', False),
        ('try:\n    import cupy\nexcept ImportError: MISSING.append("cupy")\n', False),
        ("try:\n    import cupy\n    A, B = True, 1\nexcept ImportError:\n    A, B = False, 2\nf(B)\n", False),
    ],
)
def test_what_a_block_does_besides_the_import_may_be_tested_elsewhere(start: str, said: bool) -> None:
    found = NPU.check(Source(f"import torch\n{start}def f():\n    return cupy.zeros(3)\n")).findings[0]
    assert ("used here without a test" in found.message) == said


OPTIONAL = "try:\n    import cupy{0}\nexcept ImportError:\n    pass\n"


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["a long word", "many imports", "a long line", "many names on a line"])
def test_the_time_to_look_for_tests_of_optional_imports_is_linear(shape: str) -> None:
    def text(count: int) -> str:
        return (
            "import torch\n"
            + {
                "a long word": f"s = '{'cupy' * 8 * count}'\n" + OPTIONAL.format("") + "cupy.x()\n",
                "many imports": "".join(OPTIONAL.format(f".a{i}") for i in range(count)) + "cupy.x()\n" * count,
                "a long line": OPTIONAL.format("") + "x = [" + "cupy.x(), " * 4 * count + "]\n",
                "many names on a line": f"from x import {'has_cupy, ' * 4 * count}y\n"
                + OPTIONAL.format("")
                + "cupy.x()\n",
            }[shape]
        )

    times = []
    for count in (500, 2000):
        start = time.process_time()
        found = NPU.check(Source(text(count))).findings[0]
        times.append(time.process_time() - start)
        assert found.severity == ("information" if shape == "many imports" else "warning")
    assert times[1] < 0.3 + 8 * times[0]


@pytest.mark.parametrize(
    ("rest", "untested"),
    [
        ("", True),
        ("if x and is_cupy_available():\n    y()\n", False),
        ("else:\n    put = slow\n", False),
    ],
)
def test_what_uses_an_import_behind_a_function_that_tells_without_a_test(rest: str, untested: bool) -> None:
    """A name that is imported behind `if is_cupy_available():` is called behind another condition, `if self.use_cupy:`.
    In trl/experimental/gkd/gkd_trainer.py of TRL, a class of Liger is used in this way."""
    text = "import torch\nfrom .utils import (\n    is_cupy_available,\n)\nif is_cupy_available():\n"
    text += f"    from cupy import put\n{rest}def f(self, x):\n    if self.use_cupy:\n        put(x)\n"
    leave, raises = "leave that switched off", "used here without a test"
    for more, said in (("", leave), ("        if x:\n            put(x)\n", leave), ("    put(x)\n", raises)):
        (found,) = NPU.check(Source(text + more)).findings
        assert (said in found.message) == untested
        assert found.severity == ("warning" if untested else "information")


HANDLERS = {
    "pass": True,
    "put, OK = None, False": True,
    'put = None  # no fast way\n    logger.warning(\n        "slow"\n    )': True,
    "return": False,
    "KINDS.remove('fast')": False,
    "for kind in KINDS:\n        kind['enabled'] = False": False,
    "pytest.skip('no cupy')": False,
}


@pytest.mark.parametrize("handler", HANDLERS)
def test_a_handler_may_keep_the_program_from_what_is_missing(handler: str) -> None:
    """As in nemo/core/config/hydra_runner.py of NeMo, whose handler returns, and in
    benchmarks/kernels/benchmark_nvfp4_gemm.py of vLLM, whose handler disables what needs the library."""
    text = f"try:\n    from cupy import put\nexcept ImportError:\n    {handler}\nx = put(1)\n"
    text = "import torch\ndef f():\n" + "".join(f"    {line}\n" for line in text.splitlines())
    (found,) = NPU.check(Source(text)).findings
    assert ("used here without a test" in found.message) == HANDLERS[handler]


def test_what_another_object_takes_the_place_of_goes_on() -> None:
    text = "import torch\ntry:\n    from cupy import put\nexcept ImportError:\n    from .slow import put\nput(1)\n"
    (found,) = NPU.check(Source(text)).findings
    assert "the program can go on without it" in found.message


@pytest.mark.parametrize(
    ("name", "use", "version"),
    [
        ("get_version_str", 'hasattr(cupy, "__version__") and cupy.__version__', True),
        ("cupyVersion", "cupy . __version__", True),
        ("cupy_version", "cupy.__version__ or cupy.array", False),
        ("cupy_version", "cupy", False),
        ("export", "cupy.__version__", False),
    ],
)
def test_a_function_that_returns_the_version_of_a_library_gets_no_replacement(
    name: str, use: str, version: bool
) -> None:
    """As in megatron/core/utils.py of Megatron-core, whose functions return the versions of optional libraries. A
    program that needs the library may ask for its version, too, as in ultralytics/engine/exporter.py of Ultralytics."""
    text = f"import torch\ndef {name}():\n    import cupy\n\n    return {use}\n"
    (found,) = NPU.check(Source(text)).findings
    assert found.severity == ("warning" if version else "error")
    assert ("this function asks for its version only" in found.message) == version
    assert ("no build of it by the accelerator's vendor is known" in found.message) != version


@pytest.mark.parametrize("leaving", ["raise ImportError", "assert False", "sys.exit(1)"])
def test_a_function_that_refuses_a_version_does_more_than_ask_for_it(leaving: str) -> None:
    text = f'import torch\ndef check_version():\n    import cupy\n\n    if cupy.__version__ < "2":\n        {leaving}\n'
    (found,) = NPU.check(Source(text)).findings
    assert found.severity == "error" and "asks for its version only" not in found.message


def test_a_function_that_returns_the_version_of_a_replaced_library_names_what_replaces_it() -> None:
    text = "import torch\ndef get_version():\n    import transformer_engine as te\n\n    return te.__version__\n"
    (found,) = NPU.check(Source(text)).findings
    assert "use MindSpeed" in found.message and "asks for its version only" in found.message


@pytest.mark.parametrize(
    ("imported", "test", "refused"),
    [
        ("transformer_engine as te", "if Version(te.__version__) < NEEDED:", True),
        ("transformer_engine", "_version = transformer_engine.__version__\n    if _version <= NEEDED:", True),
        ("transformer_engine as te", "if Version(te.__version__) > NEEDED:", False),
        ("numpy as te", "if Version(te.__version__) < NEEDED:", False),
    ],
)
def test_an_import_that_is_refused_below_a_version_says_so(imported: str, test: str, refused: bool) -> None:
    """As in megatron/core/tensor_parallel/generalized_tensor_parallelism.py of Megatron-core, which refuses versions of
    Transformer Engine below 2.19.0.dev0."""
    text = f"import torch\ntry:\n    import {imported}\n    {test}\n        raise ImportError(\n            NEEDED\n"
    text += "        )\n    import transformer_engine_torch as tex\nexcept ImportError:\n    tex = None\n"
    found = MUSA.check(Source(text)).findings
    assert found and all(one.rule == "module-adapted" for one in found)
    assert all(("this file raises ImportError at the import" in one.message) == refused for one in found)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_import_that_is_refused_below_a_version_says_so_with_every_line_break(newline: str) -> None:
    found = NPU.check(Source(REFUSING.replace("\n", newline))).findings[0]
    assert "this file raises ImportError at the import" in found.message


REFUSING = "import torch\ntry:\n    import triton\n    if triton.__version__ < X:\n        raise ImportError\n"
REFUSING += "except ImportError:\n    triton = None\n"


def test_a_long_line_about_versions_is_read_once() -> None:
    line = "    if " + "version<:" * 15_000 + " x\n"
    start = time.process_time()
    NPU.check(Source(REFUSING.replace("    if", f"{line}    if")))
    NPU.check(Source(f"import torch\nimport triton\nf.inline_asm_elementwise('{'a.a:' * 15_000}')\n"))
    assert time.process_time() - start < 5


ASSEMBLY = {
    "an instruction": ('tl.inline_asm_elementwise("mov.u32 $0, %tid.x;")', True),
    "instructions": ('tl.inline_asm_elementwise(\n"""\n{ ld.relaxed.sys.global.v4.b32 {$0}, [$4]; }""")', True),
    "assembly of AMD": ('tl.inline_asm_elementwise("v_dot2_f32_f16 $0, $1, $2, $3")', True),
    "a comment": ("# tl.inline_asm_elementwise('mov.u32 $0, %tid.x;')", False),
    "a docstring": ('"""inline_asm_elementwise("mov.u32")"""', False),
    "a definition": ("def inline_asm_elementwise(a): return 'fp8.f32'", False),
    "no assembly": ('print("mov.u32")', False),
    "a helper": ("from .multimem_asm import st_32", True),
    "another helper": ("from kernels.ptx_utils import st_32", True),
    "a word": ("from kernels.laptx import st_32", False),
}


@pytest.mark.parametrize("name", ASSEMBLY)
@pytest.mark.parametrize("engine", [NPU, MUSA])
def test_kernels_with_inline_assembly_do_not_run_with_another_build_of_triton(name: str, engine: Engine) -> None:
    """As in megatron/core/inference/communication/torch_symm_triton of Megatron-core."""
    code, there = ASSEMBLY[name]
    found = engine.check(Source(f"import torch\nimport triton.language as tl\n{code}\n")).findings[0]
    assert found.rule == "module-adapted"
    assert ("kernels with inline assembly, such as PTX, do not run there" in found.message) == there


def test_the_events_of_deep_ep_come_without_the_hints_on_its_buffer() -> None:
    """As in xformers/fwbw_overlap.py of xFormers."""
    found = MUSA.check(Source("import torch\nfrom deep_ep.utils import EventHandle, EventOverlap\n")).findings[0]
    assert found.rule == "module-adapted" and "`EventHandle`" in found.message and "`Buffer`" not in found.message


def test_what_raises_without_a_library_that_a_function_tells_of_is_a_warning() -> None:
    start = "if is_cupy_available():\n    import cupy\n"
    raises = "def f(x):\n    if x:\n        if not is_cupy_available():\n            raise ImportError\n"
    assert severities(start + raises) == ["warning"]
    assert severities(start + raises.replace("raise ImportError", "log()")) == ["information"]
    assert severities(start + raises.replace("is_cupy", "is_peft")) == ["information"]


def test_what_raises_where_the_library_is_there_is_no_need() -> None:
    start = "try:\n    import cupy\nexcept ImportError:\n    cupy = None\ndef f():\n    assert cupy is not None\n"
    behind, alone = "if cupy is not None:\n    f()\n", "if cupy is None:\n    f()\n"
    assert severities(start + behind) == ["information"]
    assert severities(start + behind + alone) == ["warning"]
    assert severities(start + "f()\n") == ["warning"]
    leaves = "def g():\n    if cupy is None:\n        log()\n        return\n    f()\n"
    assert severities(start + leaves) == ["information"]
    assert severities(start.replace("cupy is not None", "cupy") + leaves) == ["warning"]


NONE = "try:\n    import cupy\nexcept ImportError:\n    cupy = None\n"
ASSERTS = "class A:\n    def f(self):\n        assert cupy is not None\n        cupy.put()\n"
OTHERWISE = {
    # vllm/compilation/passes/fusion/allreduce_rms_fusion.py of vLLM 0.28
    NONE
    + ASSERTS
    + "    def g(self):\n        if cupy is None:\n            return\n        self.f()\n": "information",
    NONE + ASSERTS + "    def g(self):\n        self.f()\n": "warning",
    NONE + ASSERTS + "    def g(self):\n        if cupy is None:\n            raise ValueError\n": "warning",
    NONE + ASSERTS.replace(" is not None", "") + "def g():\n    if cupy is None:\n        return\n": "warning",
    # vllm/compilation/passes/fusion/rms_quant_fusion.py: the function is named only beside the import
    "PUT = None\ndef f():\n    assert PUT is not None\n    PUT()\n"
    "try:\n    from cupy import put\nexcept ImportError:\n    pass\n"
    "else:\n    PUT = put\n    register(f)\n": "information",
    "PUT = None\ndef f():\n    assert PUT is not None\n    PUT()\nregister(f)\n"
    "try:\n    from cupy import put\nexcept ImportError:\n    pass\nelse:\n    PUT = put\n": "warning",
    # benchmarks/kernels/benchmark_fused_collective.py
    NONE + "def f(work):\n    if cupy is None or work is None:\n        raise RuntimeError\n"
    "def g():\n    if cupy is None:\n        return None\n    return cupy.work()\n": "information",
    NONE + "def f():\n    if cupy is None:\n        raise RuntimeError\n"
    "def g():\n    if cupy is None:\n        return None\n    return cupy.work()\n": "warning",
    NONE + "def f(work):\n    if cupy is None or work is None:\n        raise RuntimeError\n"
    "def g():\n    if cupy is None:\n        log()\n    return cupy.work()\n": "warning",
}


@pytest.mark.parametrize("text", OTHERWISE)
def test_a_file_that_leaves_out_what_needs_a_library_does_not_need_it(text: str) -> None:
    assert severities(text) == [OTHERWISE[text]]


LEFT, NEEDED = "the program can go on without it", "this file raises an error if something asks for it"
WITHOUT = "used here without a test"
LISTS = (
    "def f():\n    missing = []\n    try:\n        import cupy\n    except ImportError:\n        missing.append('x')\n"
)
FLAGGED = (
    "try:\n    import cupy\n    HAVE_CUPY = True\nexcept ImportError:\n    HAVE_CUPY = False\n"
    "def f():\n    cupy.put()\n"
)
PAIR = "try:\n    from cupy import put\n    from cupy.cuda import take\nexcept ImportError:\n    put = None\n"
LATER = {
    # megatron/core/utils.py of Megatron-core 0.20
    LISTS + "    return missing\ndef g():\n    names = f()\n    if names:\n        raise ValueError\n": NEEDED,
    LISTS + "    if missing:\n        raise ValueError(missing)\n": NEEDED,
    LISTS + "    return missing\ndef g():\n    names = f()\n    if names:\n        print(names)\n": LEFT,
    LISTS + "    return missing\ndef g():\n    if names:\n        raise ValueError\n": LEFT,
    LISTS + "    return missing\ndef g():\n    names = f()\ndef h(names):\n"
    "    if names:\n        raise ValueError\n": LEFT,
    # megatron/core/resharding/nvshmem_copy_service/core/pipeline_executor.py: the call comes before the import
    "ensure_cupy_compat()\n" + FLAGGED: WITHOUT,
    "ensure_cupy()\n" + FLAGGED: LEFT,
    "skip_if_no_cupy()\n" + FLAGGED: LEFT,
    "if not has_cupy():\n    pass\n" + FLAGGED: LEFT,
    # megatron/core/ssm/mamba_mixer.py: the handler binds one of two names only
    PAIR + "def f(x):\n    if x:\n        take(x)\n    if put is None:\n        return x\n    return put(x)\n": WITHOUT,
    PAIR + "def f(x):\n    if put is None:\n        return x\n    return take(x)\n": LEFT,
    PAIR + "def f(x):\n    if put is not None:\n        return take(x)\n": LEFT,
    PAIR + "def f(x):\n    take(x)\ndef g(x):\n    if put is not None:\n        f(x)\n": LEFT,
    PAIR + "    take = None\ndef f(x):\n    take(x)\ndef g(x):\n    if put is None:\n        return\n": LEFT,
    PAIR + "    HAVE = False\ndef f(x):\n    take(x)\ndef g(x):\n    if HAVE and put is None:\n        return\n": LEFT,
}


@pytest.mark.parametrize("text", LATER)
def test_an_optional_library_that_the_file_needs_later_is_not_said_to_be_left_out(text: str) -> None:
    found = NPU.check(Source("import torch\n" + text)).findings[0]
    assert LATER[text] in found.message
    assert found.severity == ("information" if LATER[text] == LEFT else "warning")


def test_of_a_library_the_gravest_import_is_said() -> None:
    assert said("import torch\n" + FAILS["one of two"]) == [("module-unsupported", 7)]


def test_the_uses_of_a_library_behind_its_flag_are_no_errors() -> None:
    text = "try:\n    from apex import amp\n    OK = True\nexcept ImportError:\n    OK = False\n"
    text += "if OK:\n    amp.initialize()\namp.initialize()\n"
    found = MUSA.check(Source("import torch\n" + text)).findings
    assert [finding.severity for finding in found] == ["information", "information", "error"]


def test_many_imports_that_may_fail_take_as_long_as_the_file() -> None:
    """The time is linear, since the code that guards a block, and the code that raises if a module is missing, are each
    read only once."""
    block = "try:\n" + "    import cupy\n" * 1500 + "except ImportError:\n    cupy = None\n"
    text = "import torch\n" + block + "if not cupy:\n    raise X\n" * 300
    start = time.process_time()
    assert [finding.severity for finding in NPU.check(Source(text)).findings] == ["warning"]
    assert time.process_time() - start < 6


def test_the_uses_of_a_library_are_not_said() -> None:
    assert said("import torch\nimport cutlass\n\ncutlass.range(3)\n") == [("module-unsupported", 2)]


@pytest.mark.parametrize("engine", [NPU, MUSA])
@pytest.mark.parametrize("library", ["cudnn", "quack", "nvshmem.core", "tensorrt_llm", "cuda.nvrtc", "cuda.core"])
def test_a_library_is_a_row_of_the_table(library: str, engine: Engine) -> None:
    assert said(f"import torch\nimport {library}\n", engine) == [("module-unsupported", 2)]


def test_parts_of_libraries_that_are_modules_of_their_own() -> None:
    """`apex_C` is compiled as C++, also by Ascend's build of apex, but `colossal_C` needs nvcc."""
    text = "import torch\nimport apex_C\nfrom colossal_C import multi_tensor_l2norm\n"
    assert said(text) == [("module-adapted", 2), ("module-unsupported", 3)]
    assert said(text, MUSA) == [("module-unknown", 2), ("module-unsupported", 3)]


# https://docs.mthreads.com/musa-sdk/version-5.2.0/install_guide: Moore Threads' builds of Triton are 3.2.0 and 3.6.0.
# The wheels of Triton have `knobs` and `experimental` from 3.4.0 on, `runtime._async_compile` from 3.5.0 on, and `ops`
# before 3.2.0; those of xformers have `components` before 0.0.34.
OF_VERSIONS = {
    "triton.experimental.gluon": "Triton 3.6.0 (MUSA SDK 5.2.0): 3.2.0 does not have this part",
    "triton.knobs": "Triton 3.6.0 (MUSA SDK 5.2.0): 3.2.0 does not have this part",
    "triton.runtime._async_compile": "Triton 3.6.0 (MUSA SDK 5.2.0): 3.2.0 does not have this part",
    "triton.ops": "from 3.2.0 on",
    "triton.profiler": "whether Moore Threads' build of Triton has this part is not known",
    "triton.language": "install Moore Threads' build of Triton; the import name stays",
    "xformers.components.attention": "from 0.0.34 on",
}


@pytest.mark.parametrize("module", OF_VERSIONS)
def test_a_part_that_only_some_versions_have_is_said_with_them(module: str) -> None:
    (found,) = MUSA.check(Source(f"import torch\nimport {module} as part\n")).findings
    assert OF_VERSIONS[module] in found.message


PARTS = {
    "import deepspeed": (None, "module-adapted"),
    "import bitsandbytes as bnb": (None, "module-unknown"),
    "import flashinfer": ("module-unknown", "module-adapted"),
    "from flashinfer import shuffle_matrix_a": ("module-unknown", "module-unknown"),
    "from causal_conv1d import causal_conv1d_varlen_states": ("module-unknown", "module-unknown"),
    "from causal_conv1d.causal_conv1d_varlen import causal_conv1d_varlen_states": ("module-unknown", "module-unknown"),
    "from flashinfer.gemm import bmm_fp8": ("module-unknown", "module-adapted"),
    "from flashinfer import bmm_fp8": ("module-unknown", "module-adapted"),
    "from flashinfer.gemm import gemm_fp8_nt_groupwise": ("module-unknown", "module-adapted"),
    "from flashinfer.gdn_prefill import chunk_gated_delta_rule": ("module-unknown", "module-replaced"),
    "from flashinfer.decode import trtllm_batch_decode_with_kv_cache_mla": ("module-unknown", "module-adapted"),
    "from flashinfer.decode import trtllm_batch_decode_with_kv_cache": ("module-unknown", "module-unknown"),
    "from flashinfer import BatchPrefillWithRaggedKVCacheWrapper": ("module-unknown", "module-unknown"),
    "from flashinfer.prefill import BatchPrefillWithRaggedKVCacheWrapper": ("module-unknown", "module-unknown"),
    "from flashinfer import rmsnorm": ("module-unknown", "module-adapted"),
    "from flashinfer.gemm import mm_fp4": ("module-unknown", "module-unknown"),
    "from flashinfer.norm import gemma_rmsnorm": ("module-unknown", "module-adapted"),
    "from flashinfer.prefill import cudnn_batch_prefill_with_kv_cache": ("module-unknown", "module-unknown"),
    "from flashinfer.comm.mnnvl import CommBackend": ("module-unknown", "module-unknown"),
    "from deep_gemm import fp8_gemm_nt": ("module-adapted", "module-adapted"),
    "from deep_gemm.utils.math import ceil_div": ("module-adapted", "module-unknown"),
    "from deep_gemm.utils import per_token_cast_to_fp4": ("module-adapted", "module-unknown"),
    "from deep_gemm.utils import get_num_sms": ("module-adapted", "module-adapted"),
    "from flash_attn import flash_attn_func": ("module-unsupported", "module-replaced"),
    "from flash_attn.bert_padding import pad_input": ("module-unsupported", "module-unknown"),
    "from flash_attn.flash_attn_interface import flash_attn_func": ("module-unsupported", "module-unknown"),
    "from fbgemm_gpu.experimental.gemm.triton_gemm.fp4_quantize import f": ("module-unknown", "module-unknown"),
    "from fbgemm_gpu import split_table_batched_embeddings_ops": ("module-adapted", "module-unknown"),
    "from triton import knobs": ("module-unknown", "module-adapted"),
    "import triton.profiler as proton": ("module-unknown", "module-unknown"),
    "from modelopt.onnx.quantization import quantize": (None, None),
    "from modelopt.torch.quantization import quantize": ("module-unknown", "module-unknown"),
    "from xformers.components.attention import build_attention": ("module-unsupported", "module-unknown"),
    "import triton.experimental.gluon as gluon": ("module-unknown", "module-adapted"),
    "from triton.runtime._async_compile import active_mode": ("module-unknown", "module-adapted"),
    "from triton.testing import do_bench": ("module-adapted", "module-adapted"),
    "from flash_attn.ops.triton import rotary": ("module-unsupported", "module-unknown"),
    "from flash_attn import layers": ("module-unsupported", "module-unknown"),
    "from flash_attn_interface import flash_attn_combine": ("module-unsupported", "module-unknown"),
    "from deep_ep import Buffer": ("module-adapted", "module-adapted"),
    "from deep_ep import ElasticBuffer": ("module-adapted", "module-unknown"),
    "from megatron.core import mpu": ("module-adapted", "module-adapted"),
    "from megatron.model.transformer import ParallelMLP": ("module-adapted", "module-unknown"),
    "from megatron.core.parallel_state import get_expert_data_parallel_group": ("module-adapted", "module-unknown"),
    "import flashinfer.mamba": ("module-unknown", "module-adapted"),
    "import flash_attn_2_cuda": ("module-unsupported", "module-replaced"),
    "import scaled_masked_softmax_cuda": ("module-unsupported", "module-unsupported"),
    "import other_softmax_cuda": ("cuda-module", "cuda-module"),
    "from vllm._C import ops": ("module-unsupported", "module-unknown"),
    "import modelopt.torch.quantization as mtq": ("module-unknown", "module-unknown"),
    "from megatron.core.parallel_state import get_data_parallel_group": ("module-adapted", "module-adapted"),
    "from megatron.training.gpt_builders import gpt_builder": ("module-adapted", "module-unknown"),
}


@pytest.mark.parametrize("line", PARTS)
def test_a_part_of_a_library_is_what_the_vendors_version_has_of_it(line: str) -> None:
    for engine, rule in zip((NPU, MUSA), PARTS[line]):
        assert [name for name, _ in said(f"import torch\n{line}\n", engine)] == ([rule] if rule else [])


# MooreThreads/vllm-musa, setup.py, _install_flashinfer_mamba(): copies the packages autotuner, fused_moe, jit, trace,
# triton and mamba, and the modules `flashinfer/*.py` that the installed build lacks, but not `flashinfer/__init__.py`.
# Copied modules that import a package which is not copied stay unusable: `fp4_quantization.py` imports `quantization`,
# and `prefill.py` imports `cudnn`, too.
OVERLAID = {
    "from flashinfer.autotuner import autotune": True,
    "from flashinfer.fused_moe import cutlass_fused_moe": True,
    "from flashinfer.tllm_enums import RoutingMethodType": True,
    "from flashinfer.sampling import top_k_renorm_probs": True,
    "from flashinfer.fp4_quantization import fp4_quantize": False,
    "from flashinfer.prefill import single_prefill_with_kv_cache": False,
    "from flashinfer import RoutingMethodType": False,
    "from flashinfer import autotune": False,
    "from flashinfer import block_scale_interleave": False,
    "from flashinfer import nvfp4_block_scale_interleave": False,
    "from flashinfer import nvfp4_quantize": False,
    "from flashinfer.quantization.fp4_quantization import fp4_quantize": False,
}


@pytest.mark.parametrize("line", OVERLAID)
def test_parts_of_flashinfer_that_building_vllm_musa_adds(line: str) -> None:
    (found,) = MUSA.check(Source(f"import torch\n{line}\n")).findings
    assert ("building vllm-musa adds its Python" in found.message) == OVERLAID[line]


# yeahdongcn/mate, wrappers/FlashInfer: the functions of the wheels 0.2.6+musa and 0.2.7+musa, and what they refuse.
SERVED = {
    "from flashinfer.decode import trtllm_batch_decode_with_kv_cache_mla": "sparse attention in FP8 only",
    "from flashinfer.gemm import gemm_fp8_nt_groupwise": "as `backend` it takes `auto` or `mudnn`",
    "from flashinfer import bmm_fp8": "as `backend` it takes `auto` or `mudnn`",
}


@pytest.mark.parametrize("line", SERVED)
def test_a_part_that_the_vendors_version_has_is_said_with_what_it_takes(line: str) -> None:
    (found,) = MUSA.check(Source(f"import torch\n{line}\n")).findings
    assert (found.rule, found.severity) == ("module-adapted", "information")
    assert SERVED[line] in found.message


# triton-ascend 3.2.0 is its only release on PyPI; the main branch of Ascend/triton-ascend, 3.5.0, has these modules.
@pytest.mark.parametrize(
    ("module", "unreleased"),
    [("experimental", True), ("knobs", True), ("runtime._async_compile", True), ("ops", False), ("profiler", False)],
)
def test_a_part_that_only_an_unreleased_version_has_is_not_unknown(module: str, unreleased: bool) -> None:
    (found,) = NPU.check(Source(f"import torch\nimport triton.{module} as part\n")).findings
    assert f"no released version of `triton.{module}`" in found.message
    assert "triton-ascend 3.2.0" in found.message
    assert ("3.5.0 in its repository does" in found.message) == unreleased


BUFFER, TYPE = "deep_ep.ElasticBuffer", "deep_ep.topk_idx_t"
ATTRIBUTES = {
    "import deep_ep\n\ndeep_ep.ElasticBuffer(1)\n": [BUFFER],
    "import deep_ep as d\n\nx = d.ElasticBuffer(d.topk_idx_t)\n": [BUFFER, TYPE],
    "import deep_ep\n\n\ndef f(self):\n    return self.deep_ep.topk_idx_t\n": [TYPE],
    "import deep_ep\n\ndeep_ep.Buffer(1)\ndeep_ep.ElasticBuffer(1)\n": ["deep_ep", BUFFER],
    "import deep_ep\n\nother.deep_ep.ElasticBuffer(1)\n": ["deep_ep"],
    "import deep_ep\n\ndeep_ep.ElasticBuffers(my_deep_ep.ElasticBuffer)\n": ["deep_ep"],
    "import deep_ep\n\nprint('deep_ep.ElasticBuffer')  # deep_ep.ElasticBuffer\n": ["deep_ep"],
    "import deep_ep\nfrom deep_ep.topk_idx_t import T\n": ["deep_ep", TYPE],
    "import flashinfer.gemm as g, flashinfer as f\n\ng.bmm_fp8(f.comm.x)\n": [
        "flashinfer.gemm.bmm_fp8",
        "flashinfer.comm",
    ],
    "from flashinfer import gemm\n\ngemm.bmm_fp8()\n": ["flashinfer.gemm.bmm_fp8"],
    "from flashinfer import norm, gemm\n\ngemm.bmm_fp8()\n": ["flashinfer", "flashinfer.gemm.bmm_fp8"],
}


@pytest.mark.parametrize("lines", ATTRIBUTES)
def test_a_part_of_a_library_that_is_used_as_an_attribute_is_said_at_its_import(lines: str) -> None:
    findings = MUSA.check(Source(f"import torch\n{lines}")).findings
    assert [finding.subject for finding in findings] == ATTRIBUTES[lines]


def test_an_import_in_a_function_is_of_what_the_function_uses() -> None:
    lines = ["import torch", "def f():", "    import deep_ep", "    deep_ep.Buffer()"]
    lines += ["def g():", "    import deep_ep", "    deep_ep.ElasticBuffer()"]
    source = Source("\n".join(lines) + "\n")
    found = [(one.subject, source.position(one.span.start)[0]) for one in MUSA.check(source).findings]
    assert found == [("deep_ep", 3), (BUFFER, 6)]
    source = Source(
        "import torch\ndef get():\n    import deep_ep\n    return deep_ep\ndeep_ep = get()\ndeep_ep.ElasticBuffer()\n"
    )
    assert [one.subject for one in MUSA.check(source).findings] == [BUFFER]


def test_the_severity_of_a_part_is_that_of_its_uses() -> None:
    asks = "    if has_deep_ep_elastic():"
    lines = ["import torch", "import deep_ep", "def f(x):", asks, "        deep_ep.ElasticBuffer(x)"]
    (finding,) = MUSA.check(Source("\n".join(lines))).findings
    assert (finding.rule, finding.severity) == ("module-unknown", "information")
    (finding,) = MUSA.check(Source("\n".join([*lines, "    deep_ep.ElasticBuffer()"]))).findings
    assert (finding.rule, finding.severity) == ("module-unknown", "warning")


ASKED = {
    "def f(x):\n    if has_deep_ep():\n        from deep_ep import ElasticBuffer\n": "warning",
    "def f(x):\n    if is_deep_ep_available() and x:\n        from deep_ep import ElasticBuffer\n": "warning",
    "def f(x):\n    if not has_deep_ep():  # available\n        return\n"
    "    from deep_ep import ElasticBuffer\n": "warning",
    "import deep_ep\ndef f(x):\n    if has_deep_ep():\n        deep_ep.ElasticBuffer(x)\n": "warning",
    "import pytest\ndef f(x):\n    pytest.importorskip('deep_ep')\n    from deep_ep import ElasticBuffer\n": "warning",
    "def f(x):\n    if has_deep_ep_v2():\n        from deep_ep import ElasticBuffer\n": "information",
    "def f(x):\n    if has_deep_ep_elastic() and x:\n        from deep_ep import ElasticBuffer\n": "information",
    "def f(x):\n    if find_spec('deep_ep.v2'):\n        from deep_ep import ElasticBuffer\n": "information",
    "def f(x):\n    if has_deep_ep():\n        try:\n            from deep_ep import ElasticBuffer\n"
    "        except ImportError:\n            pass\n": "information",
    "import pytest\ndef f(x):\n    pytest.importorskip('deep_ep.v2')\n"
    "    from deep_ep import ElasticBuffer\n": "information",
}


@pytest.mark.parametrize("lines", ASKED)
def test_a_test_for_a_library_that_the_target_has_is_none_for_its_part(lines: str) -> None:
    """vllm/model_executor/layers/quantization/utils/mxfp8_utils.py of vllm 0.28: `has_flashinfer()` is true on MUSA."""
    (finding,) = MUSA.check(Source(f"import torch\n{lines}")).findings
    assert (finding.rule, finding.severity) == ("module-unknown", ASKED[lines])
    assert ("can go on without" in finding.message) == (ASKED[lines] == "information")


@pytest.mark.parametrize(
    ("name", "severity"),
    [("deep_ep.ElasticBuffer()", "warning"), ("deep_ep.topk_idx_t", "warning"), ("x", "information")],
)
def test_a_handler_at_the_import_does_not_catch_that_a_part_is_missing(name: str, severity: str) -> None:
    """As in tests/kernels/attention/test_flashinfer.py of vllm 0.28: MUSA's build of a library can be imported, but
    lacks parts."""
    text = f"try:\n    import deep_ep\nexcept ImportError:\n    pass\n\n\ndef f():\n    return {name}\n"
    (finding,) = MUSA.check(Source("import torch\n" + text)).findings
    assert (finding.severity, "can go on without" in finding.message) == (severity, False)
    (finding,) = NPU.check(Source("import torch\n" + text.replace("deep_ep", "flashinfer"))).findings
    assert finding.severity == severity
    assert ("can go on without" if name == "x" else "used here without a test") in finding.message


@pytest.mark.parametrize(
    ("test", "around", "severity"),
    [
        ("not has_cupy()", "", "information"),
        ("x is None or not has_cupy()", "", "information"),
        ("kind == 'b12x' and not has_cupy()", "", "error"),
        ("kind == 'b12x' and not has_cupy()", "if kind == 'b12x':", "information"),
        ("kind == 'b12x' and not has_cupy()", "if kind == 'other':", "error"),
        ("kind and not has_cupy()", "if kinds:", "error"),
        ("not has_cupy() and not has_numba()", "", "error"),
    ],
)
def test_a_test_that_leaves_for_one_case_alone_is_not_about_the_library(test: str, around: str, severity: str) -> None:
    """As in tests/kernels/quantization/test_flashinfer_nvfp4_scaled_mm.py of vllm 0.28: a condition that skips the
    code for a single backend does not show that the code works without the library."""
    lines = [f"    if {test}:", "        return", f"    {around or 'if True:'}", "        import cupy"]
    (finding,) = NPU.check(
        Source("\n".join(["import torch", "def f(kind, x):", "    # available", *lines, ""]))
    ).findings
    assert (finding.rule, finding.severity) == ("module-unsupported", severity)


@pytest.mark.parametrize("words", ["deep_ep.ElasticBuffer(x)", "self.deep_ep.topk_idx_t", "y = deep_ep.Buffer()"])
def test_a_part_is_said_anew_while_its_use_is_typed(words: str) -> None:
    text = "import torch\nimport deep_ep\n\ntorch.cuda.seed()\n\n\ndef f(self, x):\n    \n    deep_ep.EPHandle()\n"
    typist = Typist(text, prepared("musa"))
    at = text.index("    \n") + 4
    typist.type(at, words)
    typist.erase(at + len(words), len(words))


def message(line: str, engine: Engine) -> str:
    (finding,) = engine.check(Source(f"import torch\n{line}\n")).findings
    return finding.message


@pytest.mark.parametrize("line, engine", [("import liger_kernel", MUSA), ("import bitsandbytes", MUSA)])
def test_a_library_for_several_devices_is_not_made_for_cuda(line: str, engine: Engine) -> None:
    assert "for CUDA" not in message(line, engine)


def test_a_message_says_which_part_there_is() -> None:
    assert "only 0.1.3 has a module `flash_attn`" in message("import flash_attn", MUSA)
    assert "for `ElasticBuffer` build Ascend/DeepEP" in message("import deep_ep", NPU)
    assert "Ascend/DeepEP" in message("from deep_ep import EPHandle", NPU)
    assert "DeepGEMM-Ascend" in message("import deep_gemm", NPU)
    assert "are missing" in message("import transformer_engine_torch as tex", NPU)
    assert "one warning" in message("x = y.to(torch.float64)", NPU)


@pytest.mark.parametrize(
    ("lines", "advice"),
    [
        ("import nvidia_resiliency_ext\n", True),
        ("import spmm_cuda\n", True),
        ("try:\n    import nvidia_resiliency_ext\nexcept ImportError:\n    pass\n", False),
        ("import cutlass\n", False),
        ("import triton\n", False),
    ],
)
def test_a_library_that_the_code_needs_comes_with_an_advice(lines: str, advice: bool) -> None:
    """If the table of libraries says what to do, as for cutlass, the message says that and not the general advice."""
    (finding,) = NPU.check(Source(f"import torch\n{lines}")).findings
    assert ("give what needs it another way there, or leave it out" in finding.message) == advice


def test_a_part_that_the_code_needs_comes_with_an_advice_unless_it_may_never_run() -> None:
    text = "import torch\nfrom deep_ep import ElasticBuffer\n"
    (finding,) = MUSA.check(Source(text)).findings
    assert "only; give what needs it another way there" in finding.message
    text = "import torch\nif current_platform.is_cuda():\n    from deep_ep import ElasticBuffer\n"
    (finding,) = MUSA.check(Source(text)).findings
    assert finding.severity == "information" and "another way there" not in finding.message


def test_sparse_attention_of_flash_mla_comes_with_its_own_counterpart() -> None:
    (sparse,) = NPU.check(Source("import torch\nfrom flash_mla import flash_mla_sparse_fwd\n")).findings
    (dense,) = NPU.check(Source("import torch\nfrom flash_mla import flash_mla_with_kvcache\n")).findings
    assert "torch_npu.npu_sparse_flash_attention" in sparse.message
    assert "torch_npu.npu_fused_infer_attention_score" in dense.message


def test_a_library_for_every_device_is_not_said() -> None:
    text = "import torch\nimport peft\nimport ray\nimport torchvision\nimport transformers\nimport onnxruntime\n"
    assert not said(text) and not said(text, MUSA)


@pytest.mark.parametrize(
    "line", ["import os, triton", "from triton import jit", "if x: import triton", "import triton.language as tl"]
)
def test_an_import_opens_a_file_that_says_torch(line: str) -> None:
    ruleset = NPU.ruleset(shim=False)
    assert ruleset.concerns(f"import torch\n{line}\n".encode())
    assert not ruleset.concerns(f"{line}\n".encode())
    assert said(f"import torch\n{line}\n") == [("module-adapted", 2)]


@pytest.mark.parametrize(
    "text, rule",
    [
        ("from numba import cuda\n@cuda.jit\ndef f(x): ...\n", "module-numba"),
        ("from numba import float32, cuda\n", "module-numba"),
        ("from numba import (  # (types)\n    float32,\n    cuda as nc,\n)\n", "module-numba"),
        ("from numba import float32, \\\n    cuda\n", "module-numba"),
        ("from  numba  import  cuda\n", "module-numba"),
        ("import numba.cuda as nc\n", "module-numba"),
        (
            "from torch.utils.cpp_extension import load\nops = load('ops', ['ops.cpp', 'ops.cu'])\n",
            "cpp-extension-load",
        ),
        ("if 'CUDA out of memory' in str(error):\n    skip()\n", "out-of-memory-message"),
    ],
)
def test_a_file_that_says_nothing_else_of_cuda_or_torch_is_opened(text: str, rule: str) -> None:
    assert NPU.ruleset(shim=False).concerns(text.encode())
    assert {finding.rule for finding in NPU.check(Source(text)).findings} == {rule}


OLDER = engine_for("npu", Settings(target_version="2.1.0"))


@pytest.mark.parametrize(
    "call",
    ["model.to(0)", "model.to(1, torch.half)", "model.to(device=3)", "torch.zeros(2, device = 7)", "torch.device(2)",
     "torch.device( 12 )", "model.to_empty(device=1)", "model.to_empty(1)"],
)  # fmt: skip
def test_any_integer_as_a_device_opens_a_file(call: str) -> None:
    text = f"import torch\nx = {call}\n"
    assert OLDER.ruleset(shim=False).concerns(text.encode())
    assert {finding.rule for finding in OLDER.check(Source(text)).findings} == {"integer-device"}


def test_one_that_the_rule_does_not_find_opens_none() -> None:
    text = "import torch\nmodel.to(rank)\nmodel.to(dtype)\ntorch.device(name)\nf(device_id=0)\n"
    assert not OLDER.ruleset(shim=False).concerns(text.encode())


@pytest.mark.parametrize("text", ["import numba\nnumba.njit\n", "oom = 'out of memory' in text\n"])
def test_a_file_of_what_runs_everywhere_is_not(text: str) -> None:
    assert not NPU.ruleset(shim=False).concerns(text.encode())


@pytest.mark.parametrize("line", ["import tritonic", "from .triton import jit", "x = 'import'  # triton", "triton = 1"])
def test_another_line_does_not(line: str) -> None:
    assert not NPU.ruleset(shim=False).concerns(f"import torch\n{line}\n".encode())


@pytest.mark.parametrize("line", ["import " * 60_000, "from " * 60_000, "import " + "a," * 150_000, "a_cuda" * 60_000])
def test_the_first_look_takes_as_long_as_the_file(line: str) -> None:
    start = time.process_time()
    NPU.ruleset(shim=False).concerns(f"torch\n{line}".replace("cuda", "cud").encode())
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "own",
    ["triton.py", "triton/__init__.py", "src/triton/__init__.py"],
)
def test_a_module_of_the_project_is_its_own(own: str, tmp_path: Path) -> None:
    assert in_project(tmp_path, {own: "", "tests/a.py": USER}, "tests/a.py") == []


@pytest.mark.parametrize("other", ["pkg/triton.py", "pkg/triton/__init__.py", "tools/triton.py", "pkg/tritons.py"])
def test_a_module_inside_a_package_or_of_another_folder_is_not(other: str, tmp_path: Path) -> None:
    files = {"pkg/__init__.py": "", other: "", "a.py": USER}
    assert in_project(tmp_path, files, "a.py") == ["module-adapted"]


def test_a_namespace_is_the_projects_own_as_far_as_its_packages(tmp_path: Path) -> None:
    files = {"megatron/core/__init__.py": "", "a.py": "import torch\nfrom megatron.core import x\n"}
    assert in_project(tmp_path, files, "a.py") == []
    files["a.py"] = files["megatron/core/b.py"] = "import torch\nfrom megatron.training import x\n"
    assert in_project(tmp_path, files, "a.py") == ["module-adapted"]
    # b.py is part of the project's own `megatron`, so its import of `megatron` does not mean the installed library
    assert in_project(tmp_path, files, "megatron/core/b.py") == []


LAYER = "import fast_cuda\nimport torch\n\n\nclass Layer:\n    pass\n"
TRIED = {
    "a try": "try:\n    from pkg.ops.layer import Layer\nexcept ImportError:\n    Layer = None\n",
    "in a function": (
        "def f():\n    try:\n        from pkg.ops import (\n            Layer,\n        )\n"
        "        return Layer()\n    except ImportError as e:\n        print(e)\n"
    ),
    "any error": "try:\n    from pkg.ops import Layer\nexcept:\n    pass  # ImportError\n",
    "a flag": "if CUDA_AVAILABLE:\n    from pkg.ops import Layer\n",
    "a relative import": "try:\n    from .ops.layer import Layer\nexcept ImportError:\n    pass\n",
}
NOT_TRIED = {
    "a handler that raises": "try:\n    from pkg.ops import Layer\nexcept ImportError:\n    raise\n",
    "another error": "try:\n    from pkg.ops import Layer\nexcept OSError:\n    pass  # ImportError\n",
    "another name": "try:\n    from pkg.ops import Other\nexcept ImportError:\n    pass\n",
    "another module": "try:\n    from pkg.ops.other import Layer\nexcept ImportError:\n    pass\n",
    "another package": "try:\n    from ops.layer import Layer\nexcept ImportError:\n    pass\n",
    "no try": "from pkg.ops import Layer  # ImportError\n",
    "a choice": "if x:\n    from pkg.ops import Layer  # ImportError\n",
}


@pytest.mark.parametrize("name", [*TRIED, *NOT_TRIED])
def test_a_file_that_another_one_imports_where_it_can(name: str, tmp_path: Path) -> None:
    files = {"pkg/ops/layer.py": LAYER, "pkg/a.py": "from torch.cuda import seed\n" + {**TRIED, **NOT_TRIED}[name]}
    (found,) = found_in(tmp_path, files, "pkg/ops/layer.py")
    assert (found.rule, found.severity) == ("cuda-module", "information" if name in TRIED else "error")
    files["pkg/ops/layer.py"] = LAYER.replace("import fast_cuda\n", "def f():\n    import fast_cuda\n\n\n")
    assert [one.severity for one in found_in(tmp_path, files, "pkg/ops/layer.py")] == ["error"]


def test_a_python_file_of_the_project_is_not_compiled(tmp_path: Path) -> None:
    user = "import torch\nimport fast_cuda\nimport cuda_ext\n"
    assert in_project(tmp_path, {"a.py": user}, "a.py") == ["cuda-module", "cuda-module"]
    files = {"a.py": user, "fast_cuda.py": "", "ops/cuda_ext.py": ""}
    assert in_project(tmp_path, files, "a.py") == []


def alone(folder: Path, files: dict[str, str], path: str, monkeypatch: pytest.MonkeyPatch | None = None) -> list[str]:
    """The names of the rules with findings in one file of a project whose other files are not read."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    where = str(folder / path)
    if monkeypatch is not None:
        monkeypatch.chdir(folder)
        where = path
    settings = Settings(target="npu", locale="en")
    engines = Engines(CATALOGUE)
    engines.survey([File(where, settings, given=True)])
    reader = Reader(CATALOGUE)
    assert reader.project({where: reader.file(where)}).own == engines.project.own
    return [finding.rule for finding in engines.engine_for(settings).check(Source(files[path], where)).findings]


CUDAS = "import torch\nimport fast_cuda\n"
BESIDE = {
    "a module": {"fast_cuda.py": "", "a.py": CUDAS},
    "a package": {"fast_cuda/__init__.py": "", "a.py": CUDAS},
    "a folder of modules": {"fast_cuda/k.py": "", "a.py": CUDAS},
    "a folder of folders": {"fast_cuda/sub/k.py": "", "a.py": "import torch\nfrom fast_cuda.sub.k import f\n"},
    "a module of a folder": {"ops_cuda/fast_cuda.py": "", "a.py": "import torch\nfrom ops_cuda.fast_cuda import f\n"},
    "in a folder above": {"fast_cuda.py": "", "pkg/__init__.py": "", "pkg/sub/a.py": CUDAS},
    "in a package": {"pkg/__init__.py": "", "pkg/fast_cuda.py": "", "pkg/a.py": CUDAS},
    "a library's name": {"triton.py": "", "a.py": USER},
    "a library's package": {"src/triton/__init__.py": "", "src/a.py": USER},
    "a module in a library's folder": {"cutlass/foo.py": "", "a.py": "import torch\nfrom cutlass import foo\n"},
}


@pytest.mark.parametrize("name", BESIDE)
def test_a_module_of_the_project_that_is_not_looked_at(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    *_, path = files = BESIDE[name]
    assert alone(tmp_path, files, path) == []
    assert alone(tmp_path, files, path, monkeypatch) == []
    assert in_project(tmp_path, files, path) == []


ELSEWHERE = {
    "what is built": {"fast_cuda/kernel.cu": "", "fast_cuda/test.py": "", "a.py": CUDAS},
    "what is built by a file": {"fast_cuda/setup.py": "", "a.py": CUDAS},
    "what is typed": {"fast_cuda.pyi": "", "a.py": CUDAS},
    "what is compiled": {"fast_cuda.so": "", "a.py": CUDAS},
    "an empty folder": {"fast_cuda/README": "", "a.py": CUDAS},
    "the folder of the file": {"fast_cuda/a.py": CUDAS},
    "above the project": {"fast_cuda.py": "", "project/setup.py": "", "project/a.py": CUDAS},
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_module_that_no_import_finds(name: str, tmp_path: Path) -> None:
    *_, path = files = ELSEWHERE[name]
    assert alone(tmp_path, files, path) == ["cuda-module"]


def test_a_module_beside_a_build_file_is_its_own_in_a_package_too(tmp_path: Path) -> None:
    files = {"hopper/__init__.py": "", "hopper/triton.py": "", "hopper/test_a.py": USER}
    assert alone(tmp_path / "a", files, "hopper/test_a.py") == ["module-adapted"]
    files = {"hopper/setup.py": "", **files}
    assert (
        alone(tmp_path / "b", files, "hopper/test_a.py") == in_project(tmp_path / "c", files, "hopper/test_a.py") == []
    )


def test_a_library_comes_before_a_folder_that_is_no_package(tmp_path: Path) -> None:
    files = {"triton/x.py": "", "a.py": USER}
    assert alone(tmp_path, files, "a.py") == in_project(tmp_path, files, "a.py") == ["module-adapted"]


def test_a_namespace_that_a_library_shares_is_not_the_projects(tmp_path: Path) -> None:
    user = "import torch\nfrom cuda import cudart\n"
    assert alone(tmp_path, {"cuda/ops.py": "", "a.py": user}, "a.py") == ["module-unsupported"]
    assert alone(tmp_path, {"cuda/__init__.py": "", "a.py": user}, "a.py") == []


def test_the_folder_above_is_the_disks_where_a_path_goes_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`..` in a path is resolved, so that the current folder does not count as a parent of `../a.py`."""
    here = tmp_path / "project/here"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    (here / "fast_cuda.py").touch()
    for path in ("../a.py", "../sub/../a.py"):
        assert not Reader(CATALOGUE).facts(CUDAS.encode(), path).told.own
    (tmp_path / "fast_cuda.py").touch()
    assert Reader(CATALOGUE).facts(CUDAS.encode(), "../a.py").told.own == {"fast_cuda"}
    (tmp_path / "project/fast_cuda.py").touch()
    assert "../fast_cuda" in Reader(CATALOGUE).facts(CUDAS.encode(), "../a.py").told.own


def test_a_module_that_a_file_does_not_name_is_not_told_of(tmp_path: Path) -> None:
    (tmp_path / "fast_cuda.py").touch()
    reader = Reader(CATALOGUE)
    assert not reader.facts(b"import torch\n", str(tmp_path / "a.py")).told.own
    assert reader.facts(CUDAS.encode(), str(tmp_path / "a.py")).told.own == {str(tmp_path / "fast_cuda")}


def test_a_folder_is_read_again_once_it_has_changed(tmp_path: Path) -> None:
    reader, path = Reader(CATALOGUE), tmp_path / "a.py"
    path.write_text(CUDAS, encoding="utf-8")
    assert not reader.file(str(path)).told.own
    (tmp_path / "fast_cuda.py").touch()
    os.utime(tmp_path, ns=(1, 1))
    assert reader.file(str(path)).told.own == {str(tmp_path / "fast_cuda")}


def test_many_files_of_one_folder_do_not_read_it_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    scandir = os.scandir

    def counted(folder: str) -> Iterator[os.DirEntry[str]]:
        read.append(folder)
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", counted)
    reader = Reader(CATALOGUE)
    (tmp_path / ".git").mkdir()
    for number in range(20):
        reader.facts(CUDAS.encode(), str(tmp_path / f"{number}.py"))
    assert read == [str(tmp_path)]


GUARDED = """import torch
import {0}

def f(x):
    if torch.cuda.is_available():
        return {0}.run(x)
    return x
"""


@pytest.mark.parametrize("library, fix", [("cutlass", []), ("liger_kernel", ["safe"]), ("triton", ["safe"])])
def test_only_a_library_that_needs_cuda_keeps_a_question(library: str, fix: list[str]) -> None:
    """The table for musa has no row for `liger_kernel`, a library that runs on several kinds of devices."""
    source = Source(GUARDED.format(library))
    (question,) = (finding for finding in MUSA.check(source).findings if finding.rule == "cuda-api")
    assert [one.applicability for one in question.fixes] == fix


def test_names_that_two_libraries_may_give_are_neithers() -> None:
    text = (
        "import torch\ntry:\n    from transformer_engine.pytorch.optimizers import FusedSGD as SGD\n"
        "except ImportError:\n    from apex.optimizers import FusedSGD as SGD\n\nchosen = SGD\n"
    )
    assert said(text) == [("module-replaced", 3), ("apex-adapted", 5)]


def test_words_for_other_modules_are_no_short_names() -> None:
    for line in (
        "if is_torch_available():\n    import torch_tensorrt\n",
        "if is_tf_available():\n    import torchxyz_cuda\n",
    ):
        assert "information" not in severities(line)


def test_a_skip_for_another_module_or_in_a_comment_is_none() -> None:
    for skip in ('pytest.importorskip("cupyx")\n', '# pytest.importorskip("cupy")\n'):
        assert severities(f"{skip}import cupy\n") == ["error"]


def test_a_long_line_of_a_short_name_is_read_once() -> None:
    text = (
        "import torch\ntry:\n    import cupy as x\nexcept ImportError:\n    x = None\nif "
        + "+".join(["ax"] * 30_000)
        + ":\n    f()\n"
    )
    assert [one.severity for one in NPU.check(Source(text)).findings] == ["information"]


PROBE = (
    "def f():\n    from numba import cuda\n    # cuda may be absent\n    return cuda.is_available() and cuda.detect()\n"
)


def test_kernels_that_a_file_only_asks_for_are_information() -> None:
    assert severities(PROBE) == ["information"]
    assert severities(PROBE + "@cuda.jit\ndef g(x): ...\n") == ["error"]
    assert severities(PROBE + "run(cuda)\n") == ["error"]
    assert severities("from numba import cuda\n") == ["error"]


ASSEMBLY_TYPED = 'import torch\nimport triton\n\n\ndef f(tl):\n    return tl.inline_asm("mov.b32 $0, $1;")\n'
SILENT_TYPED = ASSEMBLY_TYPED.replace("inline_asm(", "inline_asm_elementwise(").replace("mov.b32", "nop")
DOCUMENTED = '\n\ndef g():\n    """Doc."""\n    y = 1\n    return y\n'
OLDER_TYPED = (
    "import torch\n\ntry:\n    import transformer_engine as te\n\n    if te.__version__ > X:\n"
    "        raise ImportError\nexcept ImportError:\n    te = None\n"
)
OPTIONAL_TYPED = (
    "import torch\n\ntry:\n    import cupy\nexcept ImportError:\n    pass\n\n\ndef f():\n    return cupy.zeros(3)\n\n\n"
    'def g():\n    """Doc."""\n    y = 1\n    return y\n'
)
VERSION_TYPED = "import torch\n\n\ndef version():\n    import cupy\n\n    return cupy.__version__\n"


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (ASSEMBLY_TYPED, "inline_asm(", "inline_asm_elementwise("),
        (ASSEMBLY_TYPED + DOCUMENTED, "Doc.", "inline_asm_elementwise( add.f32"),
        (SILENT_TYPED + DOCUMENTED, "Doc.", "add.f32"),
        (ASSEMBLY_TYPED + DOCUMENTED, "y = 1", "y = tl.inline_asm_elementwise('')"),
        (ASSEMBLY_TYPED.replace("inline_asm", "# inline_asm"), "# inline_asm", "inline_asm_elementwise"),
        (OLDER_TYPED, "> X", "< X"),
        (OLDER_TYPED, "te.__version__", "te.version"),
        (VERSION_TYPED, "__version__", "array"),
        (VERSION_TYPED, "version()", "f()"),
        (VERSION_TYPED + DOCUMENTED, "y = 1", "y = cupy"),
        (VERSION_TYPED + DOCUMENTED, "y = 1", "raise x"),
        (VERSION_TYPED, "return ", "raise "),
        (OPTIONAL_TYPED, "y = 1", "y = has_cupy()"),
        (OPTIONAL_TYPED, "y = 1", "find_spec()"),
        (OPTIONAL_TYPED, "y = 1", "y = 1  # has_cupy"),
        (OPTIONAL_TYPED, "y = 1", "y = globals()"),
        (OPTIONAL_TYPED, "y = 1", 'y = "cupy" in LIBRARIES'),
        (OPTIONAL_TYPED, "y = 1", "y = cupy"),
        (OPTIONAL_TYPED, "y = 1", "y = cupy.x"),
        (OPTIONAL_TYPED, "Doc.", "is_cupy"),
        (OPTIONAL_TYPED, "pass", "A.append(1)"),
        (OPTIONAL_TYPED, "import cupy", "import cupy; A()"),
    ],
)
def test_what_a_file_does_with_a_library_is_typed(text: str, old: str, new: str) -> None:
    typist = Typist(text, prepared("musa"))
    at = text.index(old)
    typist.erase(at + len(old), len(old))
    typist.type(at, new)
