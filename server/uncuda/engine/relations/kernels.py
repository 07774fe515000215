"""Finds names that mean a compiled module or a kernel; code that uses these names runs only on CUDA.

A name counts only if its import, a call of `load()` or a decorator shows that it means a compiled module or a kernel. A
name of unknown meaning is no evidence that code needs CUDA.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from ... import lazy_re
from ...catalogue import CUDA_OR_CPU, Catalogue, Target
from ...checks import Hit
from ...checks.verdicts import Verdicts
from ...edits import SAFE
from ...facts.changes import Scan, Worded
from ...facts.names import imported_name
from ...facts.read import Facts, Statement
from ...facts.scans import matches, plain, uses
from ...facts.scopes import CLASS, FUNCTION, Header
from ...module_names import OPERATORS, operators
from ...project import MANY, MARK, Project
from .parts import is_within

_PACKAGES = 3  # how many segments before the name of a function may be the packages from which files import it
_LOADERS = frozenset({"torch.utils.cpp_extension.load", "torch.utils.cpp_extension.load_inline"})
BUILDER = "torch.utils.cpp_extension.CUDAExtension"
_IMPORTERS = ("importorskip(", "import_module(")
_JITTED = "@triton"
_DEF = lazy_re.compile(r"\bdef[ \t]+(\w+)")
_FAR = 2000  # maximum number of characters between a decorator and the function that it decorates
_WIDE = 200  # maximum number of characters of a variable, with its annotation, to which a name is assigned
_ENDS = lazy_re.compile(r"[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)")
_GIVEN = lazy_re.compile(r"[ \t]*(\w+)[ \t]*(?::[^=\n]+)?=[ \t]*")
_OPERATOR = lazy_re.compile(re.escape(OPERATORS) + r"(\w+)\.\w+")
_MAP = ".set_device_map("  # a method of torch.distributed.rpc that accepts only CUDA devices
# A build script for the cffi of PyTorch before 1.0 defines the second if it compiles CUDA sources.
_FFI, _BUILT = "torch.utils.ffi", "WITH_CUDA"
_LOADS = ("CDLL(", "LoadLibrary(")
_SUPER = "super()."
_NVIDIA = "cuda|cudart|cudnn|cublas|cufft|cufile|cupti|curand|cusolver|cusparse|nccl|npp|nvidia-ml|nvinfer|nvj|nvrtc"
# a string that names a file of one of NVIDIA's libraries: "lib/libcudnn_cnn*.so*", "nvrtc*.dll"
_FILE = lazy_re.compile(
    rf"[\"']((?:[^\"'\s]*/)?(?:lib|nv)?(?:{_NVIDIA})[^\"'\s/]*\.(?:dll|so)(?![A-Za-z])[^\"'\s]*)", re.I
)
_USED = lazy_re.compile(r"[ \t]*(?:[.(\[]|\)[ \t]*\()")  # the last: `wrap(name)(x)`
_CALLED = lazy_re.compile(r"[ \t]*[(\[]|\.(?:apply|forward)[ \t]*\(")
_PASSED = lazy_re.compile(r"\s*[,)]")
_MORE = lazy_re.compile(r"(?:\.\w+)*")
_PASSIVE = lazy_re.compile(r"\.(?:__\w+__|is_available\b)|\([ \t]*\)[ \t]*is\b")


class Libraries:
    """Tells which modules are compiled for CUDA: those in the target's tables, and those that the project builds."""

    def __init__(
        self,
        modules: frozenset[str],
        called: Collection[str],
        project: Project,
        verdicts: Verdicts | None = None,
        choosing: frozenset[str] = frozenset(),
        unwrapped: bool = False,
        named: frozenset[str] = frozenset(),
    ) -> None:
        """`modules`: the CUDA libraries in the target's tables; `called`: patterns for names of compiled modules;
        `verdicts`: what the rules say about each name of `torch.cuda`; None if `project.reaches` is empty; `choosing`:
        the functions of libraries that choose CUDA or the CPU by themselves if their call passes no device;
        `unwrapped`: whether the target has no `DataParallel`; `named`: the libraries that take no tensors of the target
        and have no dot in their names."""
        self.modules, self.project, self._verdicts, self.unwrapped = modules, project, verdicts, unwrapped
        self.named = named
        self.with_own_devices: frozenset[str] = frozenset()
        """The libraries with devices of their own."""
        own = {place.replace("\\", "/").rpartition("/")[2] for place in project.own}
        self._choosing = frozenset(name for name in choosing if name.partition(".")[0] not in own)
        self._called = re.compile("|".join(called) or r"(?!)")

    @classmethod
    def of(cls, catalogue: Catalogue, target: Target, project: Project) -> Libraries:
        """Return the object for a target; its `modules` are those that do not run unchanged on the target, according
        to the rules and tables."""
        rules = [rule for rule in catalogue.rules.values() if rule.severity != "information" and not rule.get("uses")]
        found = {str(rule.get("module")) for rule in rules if rule.check == "amp-c"}
        found.update(*(target.libraries(rule) for rule in rules if rule.check == "module"))
        kinds = {name: target.modules[name].kind for name in found if name in target.modules}
        lost, choosing = (frozenset(name for name in kinds if kinds[name] == kind) for kind in ("cuda", CUDA_OR_CPU))
        called = [str(rule.get("pattern")) for rule in rules if rule.check == "module" and rule.get("pattern")]
        names = [rule for rule in rules if rule.check == "name"] if project.reaches else []
        unwrapped = any(rule.get("keeps-counts") and not target.has(rule.needs) for rule in catalogue.rules.values())
        named = frozenset(name for name in {*lost, *target.cuda_and_cpu} if "." not in name)
        verdicts = Verdicts(names, target) if names else None
        libraries = cls(lost, called, project, verdicts, choosing, unwrapped, named)
        libraries.with_own_devices = catalogue.with_own_devices
        return libraries

    @cached_property
    def reached(self) -> frozenset[str]:
        """The names in `Project.reaches` through which functions are called that need something the target lacks."""
        listed = {needs for _, needs in self.project.reaches}
        lost = {need for need in {need for needs in listed for need in needs.split("\n")} if self._lacks(need)}
        lacking = {needs for needs in listed if not lost.isdisjoint(needs.split("\n"))}
        return frozenset(name for name, needs in self.project.reaches if needs in lacking)

    @cached_property
    def marks(self) -> frozenset[str]:
        """The names of the skip marks in `reached`, without their prefix MARK."""
        return frozenset(name.removeprefix(MARK) for name in self.reached if name.startswith(MARK))

    @cached_property
    def last_words(self) -> frozenset[str]:
        """The last three segments of each name in `reached`; a line that imports the name contains one of them."""
        return frozenset(word for name in self.reached for word in name.removeprefix(MARK).split(".")[-3:])

    def reached_below(self, dotted: str) -> Iterator[str]:
        """Yield the names in `reached` that are equal to `dotted`, or begin with `dotted` and a dot."""
        names = self._sorted
        for end in ("", "."):
            for at in range(bisect_left(names, (dotted + end, "")), len(names)):
                plain_name, name = names[at]
                if not (plain_name.startswith(dotted + end) if end else plain_name == dotted):
                    break
                yield name

    @cached_property
    def _sorted(self) -> list[tuple[str, str]]:
        return sorted((name.removeprefix(MARK), name) for name in self.reached)

    def _lacks(self, need: str) -> bool:
        """Return whether the target lacks a name of `torch.cuda` or a library. The target lacks every name that no safe
        fix ports, and every library that is compiled for CUDA. `need`: the name, with the keywords of its call in
        parentheses, or the library."""
        name, _, keywords = need.partition("(")
        if name in _LOADERS or name == MANY:
            return True
        if not name.startswith("torch."):
            return self.are_cuda(name)
        verdict = self._verdicts.of(name) if self._verdicts is not None else None
        if verdict is None or verdict.rule.severity != "error" or self._verdicts is None:
            return False
        if verdict.rule.get("numbers", {}).get(name) == [] and not self._verdicts.target.has("capability"):
            return True  # the code may compare the numbers that the function returns with those of CUDA's devices
        given, device = set(keywords.strip(")").split(",")), self._verdicts.target.words["device"]
        missing = given.intersection(verdict.row.missing) if verdict.row is not None else set()
        extra = verdict.row.extra if verdict.row is not None else ()
        return verdict.applicability != SAFE or any(word.replace("cuda", device) not in extra for word in missing)

    @cached_property
    def hint(self) -> re.Pattern[str]:
        """A pattern that matches each line which may import a module compiled for CUDA."""
        project = {name.rpartition(".")[2] for name in self.project.extensions}
        project |= {name.partition(".")[0] for name in self.project.kernels | self.project.askers}
        project |= self.wrappers.keys() | self.wrappers_in.keys()
        roots = "|".join(sorted({re.escape(name.partition(".")[0]) for name in self.modules | self._choosing}))
        return re.compile(
            "|".join(["_cuda", rf"(?:from|import|,)[ \t]+(?:{roots})\b", *map(re.escape, sorted(project))])
        )

    @cached_property
    def by_module(self) -> dict[str, list[str]]:
        """The names of the project's kernels, by the name of the module that defines them."""
        found: dict[str, list[str]] = {}
        for known in sorted(self.project.kernels):
            module, _, name = known.partition(".")
            found.setdefault(module, []).append(name)
        return found

    @cached_property
    def wrappers(self) -> dict[str, list[tuple[str, ...]]]:
        """The functions of the project that run code of a module compiled for CUDA (`Project.wrappers`): maps each name
        to the segments of the names of the modules that define it."""
        found: dict[str, list[tuple[str, ...]]] = {}
        for known in sorted({known for known, module in self.project.wrappers if self.are_cuda(module)}):
            *packages, name = known.split(".")
            found.setdefault(name, []).append(tuple(packages))
        return found

    @cached_property
    def wrappers_in(self) -> dict[str, list[str]]:
        """The names in `wrappers`, by each of the last _PACKAGES segments of the names of their modules."""
        found: dict[str, list[str]] = {}
        for name, modules in self.wrappers.items():
            for segment in sorted({segment for packages in modules for segment in packages[-_PACKAGES:]}):
                found.setdefault(segment, []).append(name)
        return found

    def gives(self, module: str, name: str) -> bool:
        """Return whether `from module import name` may import one of `wrappers`: from the module that defines it, or
        from a package around this module, which gives it on."""
        parts = tuple(module.split("."))
        return any(
            parts == packages[end - len(parts) : end]
            for packages in self.wrappers.get(name, ())
            for end in range(max(len(parts), len(packages) - _PACKAGES + 1), len(packages) + 1)
        )

    def chosen_below(self, dotted: str) -> Iterator[str]:
        """Yield what follows `dotted` in the names of functions that choose CUDA or the CPU by themselves: "" if
        `dotted` is such a name, `.RealESRGANer` for `realesrgan`."""
        yield from (name[len(dotted) :] for name in self._choosing if f"{name}.".startswith(f"{dotted}."))

    def may_choose(self, says: Callable[[str], bool]) -> bool:
        """Return whether a file may call such a function. `says`: returns whether the file contains a word."""
        return any(says(last) for last in {name.rpartition(".")[2] for name in self._choosing})

    def are_cuda(self, module: str, relative: bool = False) -> bool:
        """Return whether a module is compiled for CUDA; `module`: the dotted name of the module, or of a name in it."""
        parts = module.split(".")
        if not relative and any(".".join(parts[:size]) in self.modules for size in range(1, len(parts) + 1)):
            return True
        for built in self.project.extensions:
            known = built.split(".")
            if known == parts[: len(known)] or (relative and known[-1:] == parts[:1] and len(known) > 1):
                return True
        return not relative and bool(self._called.fullmatch(parts[0])) and parts[0] not in self.project.sources


class Word(NamedTuple):
    """A name whose uses in [start, end) count as code that runs only on CUDA."""

    text: str
    start: int
    end: int
    gives: bool = False
    """Whether this name is a function that returns a compiled module."""
    left: bool = False
    """Whether this name stands for a call, or for a device string, that has no safe fix."""
    value: bool = False
    """Whether this name holds a value instead of a function; all uses of a value, except comparisons, count as code for
    CUDA."""
    called: bool = False
    """Whether only calls count as uses: calls of the name itself, and of its methods `apply` and `forward`."""
    nested: bool = False
    """Whether passing the name to a call counts as a call of it: for a function defined in another function, and for a
    kernel of a library."""
    chooses: bool = False
    """Whether calls of this name count only if they pass no device; the function then chooses CUDA or the CPU."""


class Place(NamedTuple):
    """A use of a name that means a compiled module or a kernel; `name`: the name as the code spells it at this use."""

    at: int
    name: str
    left: bool = False
    """Whether the code at this use is a call or a device string without a safe fix, or a name that stands for one of
    these."""
    hit: Hit | None = None
    """If this use is a call that has no safe fix: the hit of the call."""


class Kernels:
    """Finds the code of one file that needs CUDA, except calls that only raise an exception on the target. `only`: the
    places at which the search starts; if None, it starts at the file's kernels and compiled modules."""

    def __init__(
        self, facts: Facts, hits: Sequence[Hit], libraries: Libraries, only: Sequence[Place] | None = None
    ) -> None:
        self._facts, self._hits, self._libraries = facts, hits, libraries
        self._text, self._work = facts.text, facts.work
        self.places: list[Place] = list(only or ())
        """Places that count as code for CUDA although they use no name of `words`: imports of compiled modules, and
        calls that compile a module."""
        self.words: list[Word] = []
        if only is None:
            self._find()

    def _find(self) -> None:
        facts = self._facts
        self.words += [*self._imported(), *self._loaded(), *self._by_name(), *self._decorated(_JITTED)]
        for at in facts.searches.find(("text", _MAP), plain(_MAP)):
            if not facts.layout.token_at(at):
                self.places.append(Place(at, _MAP.strip(".(")))
        self.places += self._operators()
        self.places += self._libraries_by_path()
        if facts.says(_FFI):
            found = facts.searches.find(("text", _BUILT), plain(_BUILT))
            self.places += (Place(at, _BUILT) for at in found if facts.layout.token_at(at) != "#")

    def _operators(self) -> Iterator[Place]:
        """Yield the uses of operators that modules of the project register, and that are compiled for CUDA:
        `torch.ops.pkg.swap`."""
        known = operators(self._libraries.project.extensions)
        for at in self._facts.searches.find(("text", OPERATORS), plain(OPERATORS)) if known else ():
            match = _OPERATOR.match(self._text, at)
            if match is not None and match[1] in known and not self._facts.layout.token_at(at):
                yield Place(at, match[0])

    def _libraries_by_path(self) -> Iterator[Place]:
        """Yield the names of files of NVIDIA's libraries, as in `folder.glob("libcudnn*.so")`, in functions that load a
        library with ctypes."""
        searches, layout, scope_of = self._facts.searches, self._facts.layout, self._facts.indents.scope_of
        if not self._facts.says("ctypes"):
            return
        loads = (at for word in _LOADS for at in searches.find(("text", word), plain(word)))
        scopes = {scope_of(at) for at in loads if not layout.token_at(at)}
        for at in searches.find(("kernel", "files"), matches(_FILE)) if scopes else ():
            match = _FILE.match(self._text, at)
            if match is not None and scope_of(at) in scopes and not layout.string_around(at):
                if layout.token_at(at + 1) != "#":
                    yield Place(at + 1, match[1])

    def _imported(self) -> Iterator[Word]:
        hint, searches = self._libraries.hint, self._facts.searches
        # In the searched text, "?" replaces every character beyond Latin-1 (facts/narrow.py), so the pattern `hint`
        # would not find a module whose name contains a replaced character.
        scan = _hinted(hint) if hint.pattern.isascii() else plain("import ")
        for at in searches.find(("kernel", hint), scan):
            if (statement := self._facts.peek(at)) is not None:
                yield from self._of_import(statement)
        for importer in _IMPORTERS:
            for at in searches.find(("text", importer), plain(importer)):
                if (statement := self._facts.peek(at)) is not None:
                    for binding in statement.digest.bindings:
                        module = imported_name(binding.value)
                        if module and self._libraries.are_cuda(module):
                            yield self.word(binding.name, statement.start)

    def _of_import(self, statement: Statement) -> Iterator[Word]:
        for binding in statement.digest.bindings:
            node, alias = binding.statement, binding.alias
            if alias is None or binding.kind not in ("import", "from"):
                continue
            level, module = 0, alias.name
            local = alias.asname or alias.name
            if isinstance(node, ast.ImportFrom):
                level, module = node.level, f"{node.module}.{alias.name}" if node.module else alias.name
            if self._libraries.are_cuda(module, level > 0):
                self.places.append(Place(statement.start, module))
                yield self.word(local, statement.start)
                yield from self._decorated(f"@{local}", nested=True)
                yield from self._derived(local)
            else:
                yield from self._of_project(module, local, statement.start)
                for rest in self._libraries.chosen_below(module) if not level else ():
                    yield self.word(local + rest, statement.start)._replace(left=True, called=True, chooses=True)

    def _of_project(self, module: str, local: str, at: int) -> Iterator[Word]:
        """Yield the names that are imported from a module of the project, and that the scan of the project found to be
        a kernel or a function that returns a compiled module."""
        kernels = self._libraries.project.kernels
        *_, stem, name = ["", *module.split(".")]
        for gives in (False, True):
            end = "()" if gives else ""
            if f"{stem}.{name}{end}" in kernels:
                yield self.word(local, at, gives)
        for known in self._libraries.by_module.get(name, ()):
            yield self.word(f"{local}.{known.removesuffix('()')}", at, known.endswith("()"))
        if f"{stem}.{name}" in self._libraries.project.askers:
            yield self.word(local, at)._replace(left=True, called=True)
        if self._libraries.gives(module.rpartition(".")[0], name):
            self.places.append(Place(at, module))
            yield self.word(local, at)
            yield from self._aliases(local)
        for known in self._libraries.wrappers_in.get(name, ()):
            if self._libraries.gives(module, known):
                yield self.word(f"{local}.{known}", at)

    def _loaded(self) -> Iterator[Word]:
        """Yield the names of modules that calls compile; a module of only C++ sources counts, because it may accept
        only CUDA tensors.

        A use of `CUDAExtension` counts as code for CUDA even if the code only stores the class and does not call it.
        """
        if not self._facts.says("cpp_extension"):
            return
        fixed = {hit.words.get("name", ""): bool(hit.fixes) for hit in self._hits}
        for reference in self._facts.references:
            statement, node = reference.statement, reference.chain.node
            call = statement.digest.parents.get(node)
            loads = reference.dotted in _LOADERS and isinstance(call, ast.Call) and call.func is node
            if loads or (reference.dotted == BUILDER and BUILDER in fixed):
                at = statement.start + reference.chain.piece.start(node)
                self.places.append(Place(at, ast.unparse(node), fixed.get(reference.dotted, False)))
            if loads and call is not None:
                yield from self.holders(call, statement)

    def _by_name(self) -> Iterator[Word]:
        """Yield the names to which the result of a call is assigned, if an argument of the call is the name of a
        compiled module: `load_ext("_ext", names)`."""
        for module in self._libraries.project.extensions:
            for name in {module, module.rpartition(".")[2]}:
                for at in self._facts.searches.find(("text", name), plain(name)):
                    quoted = self._text[at - 1 : at] + self._text[at + len(name) : at + len(name) + 1]
                    statement = self._facts.peek(at) if quoted in ("''", '""') else None
                    for binding in statement.digest.bindings if statement is not None else ():
                        if isinstance(binding.value, ast.Call) and any(
                            getattr(node, "value", None) == name for node in binding.value.args
                        ):
                            yield self.word(binding.name, at)

    def _decorated(self, decorator: str, nested: bool = False) -> Iterator[Word]:
        """Yield the functions that a decorator such as `@triton.jit` makes kernels. `nested`: whether passing a kernel
        to a call counts as a call of it, too: `run(kernel, x)`."""
        for at in self._facts.searches.find(("text", decorator), plain(decorator)):
            line, end = self._facts.indents.header_at(at), at + len(decorator)
            named = self._text[end : end + 1].isalnum() or self._text.startswith("_", end)  # a longer name
            if named or line.word != "@" or self._facts.layout.string_around(at):
                continue
            while line.word in ("@", "#", "") and line.end < min(len(self._text), at + _FAR):
                line = self._facts.indents.header_at(line.end)
            if match := FUNCTION.match(self._text, line.start, line.end):
                yield self.word(match[1], at)._replace(nested=nested)

    def _derived(self, base: str) -> Iterator[Word]:
        """Yield the classes with a base class from a module compiled for CUDA, `class Norm(FusedLayerNorm):`, and the
        classes derived from them. `base`: the name of the base class or of the module."""
        waiting, seen = [base], {base}
        while waiting:
            name = waiting.pop()
            for at in self._facts.searches.find(("kernel", name), uses(name, True)):
                self._work.compare()
                header = self._facts.indents.header_at(at)
                statement = self._facts.peek(header.start) if header.word == "class" else None
                node = next(iter(statement.digest.piece.nodes), None) if statement is not None else None
                if isinstance(node, ast.ClassDef) and node.name not in seen and _is_base(name, node):
                    seen.add(node.name)
                    waiting.append(node.name)
                    self._find_base_calls(header)
                    yield self.word(node.name, header.start)

    def _find_base_calls(self, header: Header) -> None:
        """Add the calls of a derived class's methods to those of its base class: `super().forward(x)`. The constructor
        runs anywhere."""
        every = self._facts.searches.find(("text", _SUPER), plain(_SUPER))
        for at in _between(every, Word(_SUPER, header.start, self._facts.indents.extent(header.start))):
            self._work.compare()
            if not self._text.startswith("__init__", at + len(_SUPER)) and not self._facts.layout.token_at(at):
                self.places.append(Place(at, _SUPER.rstrip(".")))

    def _aliases(self, name: str) -> Iterator[Word]:
        """Yield the variables to which a name is assigned: `Attention = AttentionFp16`."""
        for at in self._facts.searches.find(("kernel", name), uses(name, True)):
            self._work.compare()
            ends = _ENDS.match(self._text, at + len(name)) is not None
            start = self._text.rfind("\n", max(0, at - _WIDE), at) + 1 if ends else 0
            given = _GIVEN.fullmatch(self._text, start, at) if start else None
            if given is not None:
                yield self.word(given[1], at)

    def word(self, text: str, at: int, gives: bool = False) -> Word:
        """Return the name that a line binds, with the span in which the name is valid: the function that contains the
        line, or the whole file if the line is in no function."""
        scope = self._facts.indents.scope_of(at)
        if scope is None:
            return Word(text, 0, len(self._text), gives)
        return Word(text, scope[0], self._facts.indents.extent(scope[0]), gives)

    def holders(self, call: ast.AST, statement: Statement) -> Iterator[Word]:
        """Yield the names that lead to the compiled module that a call returns: variables, or the function that returns
        the module."""
        for outer in statement.digest.ancestors(call):
            targets: Collection[ast.expr] = ()
            if isinstance(outer, ast.Assign):
                targets = outer.targets
            elif isinstance(outer, (ast.AnnAssign, ast.NamedExpr)):
                targets = [outer.target]
            elif isinstance(outer, ast.Return):
                yield from self.function_around(statement.start, gives=True)
            for target in targets:
                if isinstance(target, ast.Attribute):
                    yield Word(ast.unparse(target), 0, len(self._text))
                elif isinstance(target, ast.Name):
                    yield self.variable(target.id, statement.start)
            if isinstance(outer, (ast.stmt, ast.NamedExpr, ast.Lambda)) or targets:
                return

    def variable(self, name: str, at: int) -> Word:
        """Return the variable `name` that the line at the offset `at` assigns, with the span of code in which the name
        is valid: the function around the line, or the whole file for a global variable."""
        scope = self._facts.indents.scope_of(at)
        shared = scope is not None and re.search(
            rf"\bglobal\b[^\n]*\b{re.escape(name)}\b", self._text[scope[0] : self._facts.indents.extent(scope[0])]
        )
        return Word(name, 0, len(self._text)) if shared else self.word(name, at)

    def function_around(self, at: int, gives: bool = False) -> Iterator[Word]:
        """Yield the names by which code calls the function around an offset. For a method such as `__init__` or
        `forward`, which code that uses the class is assumed to call, also yield the name of the class."""
        indents = self._facts.indents
        scope = indents.scope_of(at)
        match = _DEF.search(self._text, scope[0], scope[0] + _FAR) if scope is not None else None
        if scope is None or match is None or scope[1] != "def":
            return
        above = indents.header_above(scope[0])
        if above is None or above.word != "class":
            word = self.word(match[1], scope[0], gives)
            yield word._replace(nested=word.start > 0)
            return
        for owner in ("self", "cls"):
            yield Word(f"{owner}.{match[1]}", above.start, indents.extent(above.start), gives)
        name = CLASS.match(self._text, above.start, above.end)
        if name is not None:  # `Device.query()` calls a class method
            yield self.word(f"{name[1]}.{match[1]}", above.start, gives)
        if name is not None and not gives:
            yield from (self.word(f"{held}.{match[1]}", at) for held, at in self._objects(name[1]))
        if name is not None and match[1] in ("forward", "__init__", "__call__", "apply") and not gives:
            yield self.word(name[1], above.start)
        yield from self.function_around(above.start)  # a function around the class may return the class as a decorator

    def _objects(self, name: str) -> Iterator[tuple[str, int]]:
        """Yield the variables to which an object of a class is assigned, `TRACKER = Tracker()`, each with the offset of
        the class's name in the assignment."""
        for at in self._facts.searches.find(("kernel", name, "="), _given(name)):
            self._work.compare()
            given = _GIVEN.fullmatch(self._text, self._text.rfind("\n", 0, at) + 1, at)
            if given is not None:
                yield given[1], at

    def uses(self, word: Word) -> Iterator[Place]:
        """Yield the uses of a name: calls, subscripts and reads of its attributes. If the name holds a value and not a
        function (`Word.value`), yield all reads of the name except comparisons."""
        text, layout = self._text, self._facts.layout
        find = self._facts.searches.find
        if word.value:
            yield from self._values(word, find(("kernel", word.text), uses(word.text, True)))
            return
        used = _between(find(("kernel", word.text, "used"), _used(word.text)), word)
        if word.nested:  # passing the function as an argument counts as a use, too
            every = _between(find(("kernel", word.text), uses(word.text, True)), word)
            used = sorted({*used, *(at for at in every if self._is_passed(word.text, at))})
        for at in used:
            self._work.compare(2)
            end = at + len(word.text)
            line = layout.logical_line(at)[0]
            head = text[line:at].split(None, 1)[:1]
            if head and head[0] in ("def", "class", "import", "from", "async"):
                continue
            if word.called and not _CALLED.match(text, end):
                continue
            if word.chooses and self._passes_device(at):
                continue
            if not layout.token_at(at):
                yield Place(at, _spelled(text, at, end), word.left)

    def _passes_device(self, at: int) -> bool:
        """Return whether the call of the name at an offset passes a device, or keywords of a dictionary."""
        chain = statement.chain_at(at) if (statement := self._facts.peek(at)) is not None else None
        call = statement.digest.parents.get(chain.node) if statement is not None and chain is not None else None
        given = [one.value for one in getattr(call, "keywords", ()) if one.arg in ("device", None)]
        return any(not isinstance(value, ast.Constant) or value.value is not None for value in given)

    def _is_passed(self, name: str, at: int) -> bool:
        """Return whether the name of a function at an offset is an argument of a call; the callee is assumed to call
        the function at once."""
        if not _PASSED.match(self._text, at + len(name)) or (statement := self._facts.peek(at)) is None:
            return False
        self._work.compare(len(statement.digest.chains))
        chain = statement.chain_at(at)
        return chain is not None and isinstance(statement.digest.parents.get(chain.node), (ast.Call, ast.keyword))

    def _values(self, word: Word, every: Sequence[int]) -> Iterator[Place]:
        """Yield the reads of a name, without those in comparisons."""
        for _, statement in self._facts.statements_at(every):
            self._work.compare(len(statement.digest.chains))
            for one in statement.digest.chains:
                loads = isinstance(getattr(one.node, "ctx", None), ast.Load)
                if loads and one.spelled == word.text:
                    if not is_within(one.node, statement, (ast.Compare, ast.match_case)):
                        yield Place(statement.start + one.piece.start(one.node), word.text, word.left)


def _is_base(name: str, node: ast.ClassDef) -> bool:
    """Return whether a class has a base class of this name, or one of the module of this name."""
    return any(f"{ast.unparse(base)}.".startswith(f"{name}.") for base in node.bases)


def _between(offsets: Sequence[int], word: Word) -> Sequence[int]:
    """Return those of `offsets`, which are sorted, that are in the span of a name."""
    return offsets[bisect_left(offsets, word.start) : bisect_left(offsets, word.end)]


def _hinted(hint: re.Pattern[str]) -> Scan:
    """Return a function that finds imports in lines that match a pattern."""

    def scan(text: str, start: int, end: int) -> Iterator[int]:
        for at in plain("import ")(text, start, end):
            stop = text.find("\n", at)
            if hint.search(text, text.rfind("\n", 0, at) + 1, stop if stop >= 0 else len(text)):
                yield at

    return Worded("import ", scan)


def _used(name: str) -> Scan:
    """Return a function that finds the places where a name is called or indexed, or an attribute of it is read."""

    def scan(text: str, start: int, end: int) -> Iterator[int]:
        for at in uses(name, True)(text, start, end):
            if _USED.match(text, at + len(name)) and not _PASSIVE.match(text, at + len(name)):
                yield at

    return Worded(name, scan)


def _given(name: str) -> Scan:
    """Return a function that finds the calls of `name` directly after an equals sign: `x = name(…)`."""

    def scan(text: str, start: int, end: int) -> Iterator[int]:
        for at in uses(name, True)(text, start, end):
            if text.startswith("(", at + len(name)) and text[text.rfind("\n", 0, at) + 1 : at].rstrip().endswith("="):
                yield at

    return Worded(name, scan)


def _spelled(text: str, at: int, end: int) -> str:
    match = _MORE.match(text, end)
    return text[at : match.end() if match is not None else end]
