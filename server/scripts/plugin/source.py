"""The source of a plugin in a wheel or a folder: its modules are parsed and never imported."""

from __future__ import annotations

import ast
import re
import zipfile
from email.parser import HeaderParser
from pathlib import Path
from typing import Protocol

# Matches operator schemas that PyTorch's dispatcher reads in a library: `name.overload(Tensor x, …) -> Tensor`, between
# two zero bytes.
SCHEMA = re.compile(rb"\0(?:npu::)?([A-Za-z_]\w*)(?:\.\w+)?\([^\0]{0,8000}?\) -> [^\0]")
CORE = "libtorch_npu.so"
LIBRARY = re.compile(r"/libtorch_\w+\.so$")  # the file name of a plugin's compiled C part
# The members of the classes for streams, events, graphs and pools that PyTorch defines in C, from torch/_C/__init__.pyi
# of torch 2.14.1. Plugins define the same members in C, with the name of their device in place of `cuda`.
IMITATED = re.findall(
    r"\w+",
    """
    allocator begin_capture_to_if_node begin_capture_to_while_node capture_begin capture_end cuda_event
    cuda_stream debug_dump device device_index device_type elapsed_time enable_debug_mode
    end_capture_to_conditional_node event_id from_ipc_handle get_currently_capturing_graph id instantiate
    ipc_handle is_capturing pool pools priority priority_range query raw_cuda_graph raw_cuda_graph_exec record
    record_event register_generator_state replay reset set_conditional_handle_for_current_node stream_id
    synchronize use_count wait wait_event wait_stream
    """,
)
TYPES, MODULE = "csrc/core/PythonTensor.cpp", "csrc/core/Module.cpp"
SET = re.compile(r"\bset_module_attr\(\"(\w+)\"")  # torch_musa's C part sets this attribute of the package


class Files(Protocol):
    """The interface of a set of files that can be read by their names, which contain slashes."""

    def names(self, start: str) -> list[str]:
        """The file names that begin with `start`."""

    def read(self, name: str) -> bytes:
        """The bytes of a file."""

    def holds(self, name: str) -> bool:
        """Whether there is a file of this name."""


class Zip:
    """The files of a wheel."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.archive = zipfile.ZipFile(path)

    def names(self, start: str) -> list[str]:
        """The file names that begin with `start`."""
        return [name for name in self.archive.namelist() if name.startswith(start)]

    def read(self, name: str) -> bytes:
        """The bytes of a file."""
        return self.archive.read(name)

    def holds(self, name: str) -> bool:
        """Whether there is a file of this name."""
        return name in self.archive.namelist()


class Folder:
    """The files of a checkout, or of an installed package."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self, start: str) -> list[str]:
        """Return the file names that begin with `start`; if `start` names a folder, only that folder is searched."""
        top = self.path / start.rpartition("/")[0]
        places = top.rglob("*") if "/" in start else top.glob(f"{start}*/*")
        found = sorted(path.relative_to(self.path).as_posix() for path in places if path.is_file())
        return [name for name in found if name.startswith(start)]

    def holds(self, name: str) -> bool:
        """Whether there is a file of this name."""
        return (self.path / name).is_file()

    def read(self, name: str) -> bytes:
        """The bytes of a file."""
        return (self.path / name).read_bytes()


class Source:
    """The modules of one package."""

    def __init__(self, files: Files, package: str, only: tuple[str, ...] = ()) -> None:
        """`only`: prefixes of the names of the files to read, if only a part of the package is read."""
        self.files = files
        self.package = package
        self.names = [name for start in only or (f"{package}/",) for name in files.names(start)]
        self.unreadable: dict[str, str] = {}
        self.paths: dict[str, str] = {}
        self.trees: dict[str, ast.Module] = {}
        for name in self.names:
            if name.endswith(".py"):
                dotted = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                if dotted not in self.paths or name.endswith("/__init__.py"):
                    self.paths[dotted] = name

    def __contains__(self, module: str) -> bool:
        """Whether the source of a module exists."""
        return module in self.paths

    def is_package(self, module: str) -> bool:
        """Whether a module is a package."""
        return self.paths[module].endswith("/__init__.py")

    def tree(self, module: str) -> ast.Module:
        """Return the parsed module; if it cannot be parsed, an empty module, and a note is recorded."""
        if module not in self.trees:
            try:
                self.trees[module] = ast.parse(self.files.read(self.paths[module]))
            except (SyntaxError, ValueError) as problem:
                self.unreadable[module] = str(problem)
                self.trees[module] = ast.Module(body=[], type_ignores=[])
        return self.trees[module]

    def base(self, module: str, node: ast.ImportFrom) -> str:
        """Return the module that a `from … import` statement names."""
        if not node.level:
            return node.module or ""
        parts = module.split(".")
        drop = node.level - (1 if self.is_package(module) else 0)
        parts = parts[: len(parts) - drop]
        return ".".join([*parts, *([node.module] if node.module else [])])

    def operators(self) -> list[str]:
        """Return the operators that the wheel's library registers, found by the schemas that the library contains."""
        found: set[str] = set()
        for name in self.names:
            if name.endswith(f"/{CORE}"):
                found |= {match[1].decode() for match in SCHEMA.finditer(self.files.read(name))}
        return sorted(found)

    def native(self, device: str) -> list[str]:
        """Return names that occur in the plugin's C part (its compiled libraries or C++ sources): names of PyTorch's C
        classes, and of functions such as `_npu_getDevice`.

        In a compiled file, a string ends with a zero byte, and may be stored as the end of a longer string. If a name
        is not found, the C part does not have it. If a name is found, the C part may still lack it, because the string
        may have another purpose. In a C++ source file, a name is found only as a string in quotes.
        """
        wanted = {name.replace("cuda", device) for name in IMITATED}
        functions = rf"(?<!\w)_{device}_[a-z]+(?:[A-Z][a-z]+)+"
        marked = "|".join([functions, r"ProcessGroup\w*CL", *sorted(wanted, key=len, reverse=True)])
        found: set[bytes] = set()
        for name in self.names:
            if LIBRARY.search(name):
                found |= set(re.findall(rf"({marked})\0".encode(), self.files.read(name)))
            elif name.endswith((".cpp", ".h")):
                found |= set(re.findall(rf"\"({marked})\"".encode(), self.files.read(name)))
        return sorted(name.decode() for name in found)

    def c_names(self) -> list[str]:
        """The names that torch_musa's C part adds to the package: types of tensors, such as `FloatTensor`, and
        attributes that it sets when it initialises the devices, such as `default_generators`."""
        try:
            types, module = (self.files.read(f"{self.package}/{name}").decode() for name in (TYPES, MODULE))
        except (KeyError, FileNotFoundError):
            return []
        declared = types.partition("scalar_types = {")[2].partition("}")[0]
        return [*(f"{name}Tensor" for name in re.findall(r"ScalarType::(\w+)", declared)), *SET.findall(module)]

    def metadata(self, name: str) -> str:
        """Return the text of a file of the wheel's metadata; "" if it is missing."""
        for path in self.files.names(f"{self.package}-"):
            if path.endswith(f".dist-info/{name}"):
                return self.files.read(path).decode()
        return ""

    def version(self) -> str:
        """The version in the metadata, or in the checkout's version.txt."""
        stated = HeaderParser().parsestr(self.metadata("METADATA"))["Version"]
        if stated is None and self.files.holds("version.txt"):
            stated = self.files.read("version.txt").decode().strip()
        return (stated or "").partition("+")[0]
