"""Collects facts about a project from its files: plugins and shims that they import, classes that they define, targets
that they support."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from uncuda import lazy_re
from uncuda.byte_search import contains, contains_any
from uncuda.checks.branch_words import arms_by_hand, may_choose
from uncuda.checks.missing_shim import switched_on
from uncuda.checks.owners import may_patch, owners_of
from uncuda.facts.changes import Searches
from uncuda.facts.layout import Layout
from uncuda.facts.scopes import IndentScopes
from uncuda.limits import LimitExceeded, Limits
from uncuda.project import Owner, Project
from uncuda.source import Source, SourceError, Span

from .backends import ByName, cudas_own, is_apart, neighbours
from .calls import Calls, calls, has_tests, may_wrap, wrapped
from .discover import Exceeds, File, LeftOut, Problem
from .files import FileProblem, read_file
from .followed import follow, reached, wrappers
from .given_devices import GIVES, GivenDevices
from .idioms import NAMES, PACKS, STARRED, TORCH_OF, idioms
from .import_roots import import_roots
from .importers import Importers, device_makers, user_and_library
from .kept_flags import models_stay
from .kernels import UNTOLD, Told, module_of, told
from .notebooks import OtherLanguageError, is_notebook, program_bytes
from .own import Above, own_module
from .patched import patches
from .scripted import scripts
from .scripted import together as scripts_together
from .selectors import Selectors
from .tried import tried
from .words import Words

_TORCH = lazy_re.compile(rb"^[ \t]*(?:import torch\b|from torch[. ])", re.M)
_METHOD_BYTES = lazy_re.compile(rb"def[ \t]+(?:is_)?cuda\(")
_FIELD_BYTES = lazy_re.compile(
    rb"is_cuda[ \t]*:[^\n=,()#]*\bbool\b|self\.is_cuda[ \t]*(?::[^\n=,()#]*)?=(?!=)|\n[ \t]+is_cuda[ \t]*=(?!=)"
)
_IMPORT = lazy_re.compile(
    r"(?:^|[;:])[ \t]*(?P<word>from[ \t]+(?P<origin>[\w.]+)[ \t]+import\b[ \t]*(?P<names>\([^)]{0,5000}\)|[^\r\n#;]*)"
    r"|import[ \t]+(?P<modules>[^\r\n#;]*))",
    re.MULTILINE,
)


# a project counts as supporting a target if at least this number of its files choose the target at run time; a file
# that also imports the target's plugin in a `try` counts twice
_CHOOSING = 2
# matches an import of a target's plugin as the first statement of a `try`, or of an `if` with a target's name in its
# condition; a person wrote this import, because fixes add the plugin's import only after another import
_TRIED = (
    r"^[ \t]*(?:try[ \t]*:[^\S\n]*(?:#[^\n]*)?\n[ \t]+(?:import|from)[ \t]+(%s)\b"
    r"|if[ \t][^\n#]{0,200}(?<![A-Za-z])(?i:%s)(?![A-Za-z])[^\n#]{0,200}:[^\S\n]*(?:#[^\n]*)?\n"
    r"[ \t]+import[ \t]+(%s)(?:[ \t]+as[ \t]+\w+)?[ \t]*(?:#|\r|$))"
)
_NEAR = 200
"""A package's name counts as part of an import only if `import` begins before the name, or fewer than this number of
characters after it."""

Read = Callable[[str, int], bytes]
"""A function that reads at most a given number of bytes of a file."""


@dataclass
class Survey:
    """The result of searching the bytes of every file: the project, the readable files, and problems. `silent`: paths
    of files that cannot have findings."""

    project: Project
    files: list[File]
    silent: set[str]
    problems: list[Problem]

    def of(self, paths: Collection[str]) -> Survey:
        """The survey restricted to some files, with the same project."""
        files = [file for file in self.files if file.path in paths]
        return replace(self, files=files, problems=[problem for problem in self.problems if problem.path in paths])


def read_text(path: str, most: int = Limits.bytes) -> bytes:
    """The bytes of a file; for a notebook, the bytes of its joined cells. If Python could not read the file,
    FileProblem, SourceError or LimitExceeded is raised."""
    data = read_file(path, most)
    if is_notebook(path):
        return program_bytes(data, path)
    if b"\0" in data or not (data.isascii() or _is_utf8(data)):
        Source.decode(data, path)
    return data


@dataclass
class Part:
    """The result of searching the bytes of some files for facts about the project and for words that rules look for.
    `silent`: indices of files that cannot have findings; `problems`: problems by the index of the file."""

    gathered: Gathered
    silent: set[int]
    problems: dict[int, Problem]


def survey(
    files: Sequence[File], words: Words, concerns: Callable[[File, bytes], bool], read: Read = read_text
) -> Survey:
    """Read every file once: check that it is text, collect facts about the project, and find out whether it may have
    findings."""
    scanner = Scanner(words, once=True)
    scanner.follows = has_tests(file.path for file in files)
    return together([(files, look_at(files, scanner, concerns, read))], scanner, read)


def look_at(
    files: Iterable[File], scanner: Scanner, concerns: Callable[[File, bytes], bool], read: Read = read_text
) -> Part:
    """Do the work of `survey` for some of the files. The facts about the project that the scanner has collected are
    moved from the scanner to the result."""
    silent: set[int] = set()
    problems: dict[int, Problem] = {}
    for number, file in enumerate(files):
        try:
            data = read(file.path, file.settings.max_bytes)
        except OtherLanguageError as error:
            problems[number] = LeftOut(file.path, str(error))
            continue
        except (FileProblem, SourceError) as error:
            problems[number] = Problem(file.path, str(error))
            continue
        except LimitExceeded as error:
            problems[number] = Exceeds.of(file.path, error)
            continue
        found = concerns(file, data)
        scanner.add(data, found, file.path, file.settings.portable)
        if not found:
            silent.add(number)
    gathered, scanner.gathered = scanner.gathered, Gathered()
    gathered.condense()
    return Part(gathered, silent, problems)


def together(looks: Iterable[tuple[Sequence[File], Part]], scanner: Scanner, read: Read = read_text) -> Survey:
    """Combine the results for consecutive groups of files into one Survey. `read`: a function that reads those files to
    which calls of tests lead."""
    readable: list[File] = []
    silent: set[str] = set()
    near: set[str] = set()
    problems: list[Problem] = []
    for files, part in looks:
        scanner.gathered.take(part.gathered)
        for number, file in enumerate(files):
            if problem := part.problems.get(number):
                problems.append(problem)
                continue
            readable.append(file)
            if number in part.silent:
                silent.add(file.path)
            else:
                near.update(neighbours(file.path))
    if any("cuda" in file.path or "nvidia" in file.path for file in readable):
        near.update(file.path for file in readable if scanner.names.tells(file.path))
    scanner.follow((file.path for file in readable), read)
    return Survey(scanner.project(near), readable, silent, problems)


@dataclass
class Gathered:
    """The facts collected from several files. `serving`: for each target, how often it is in the fields `Said.serves`
    of the files, counted up to a limit; the other fields have the same meaning as in `Said`."""

    modules: set[str] = field(default_factory=set)
    owners: set[Owner] = field(default_factory=set)
    told: list[Told] = field(default_factory=list)
    serving: dict[str, int] = field(default_factory=dict)
    torch: bool = False

    def add(self, said: Said) -> None:
        """Add what one file shows about the project."""
        self.modules.update(said.modules)
        self.owners |= said.owners
        self.torch = self.torch or said.torch
        if said.told != UNTOLD:
            self.told.append(said.told)
        for target in said.serves:
            self.serving[target] = self.serving.get(target, 0) + 1

    def condense(self) -> None:
        """Merge the `Told` objects of all files into one, because it does not matter which file shows a fact."""
        if self.told:
            self.told = [Told(*(frozenset().union(*names) for names in zip(*self.told, strict=True)))]

    def take(self, other: Gathered) -> None:
        """Add the facts that another Gathered object contains."""
        self.modules |= other.modules
        self.owners |= other.owners
        self.torch = self.torch or other.torch
        self.told += other.told
        for target, count in other.serving.items():
            self.serving[target] = self.serving.get(target, 0) + count


@dataclass(frozen=True)
class Said:
    """What one file shows about its project, such as the plugins that it imports. `modules`: the plugins and shims that
    the file imports, and variables that activate a shim, each with the span of the name. `owners`: classes of the file
    that define `cuda` or `is_cuda`. `told`: the modules that the file builds for CUDA, the functions that run a kernel,
    and the other fields of `Told`. `serves`: targets that the file chooses besides CUDA at run time; a target is listed
    twice if the file also imports the target's plugin in a `try`. `torch`: whether the file imports torch and uses CUDA
    names of torch."""

    modules: Mapping[str, Span] = field(default_factory=dict)
    owners: frozenset[Owner] = frozenset()
    told: Told = UNTOLD
    serves: tuple[str, ...] = ()
    torch: bool = False


_NOTHING = Said()


class Scanner:
    """Collects the facts of a Project from the bytes of one file after another. `once`: whether to assume that files do
    not change while they are read."""

    def __init__(self, words: Words, once: bool = False) -> None:
        self._words = words
        modules = {*words.packages.values(), *words.shims.values()} - {""}
        self._packages = {module.partition(".")[0] for module in modules}
        either = "|".join(sorted(map(re.escape, self._packages)))
        self._variables = [name for name in words.variables.values() if name]
        self._package_bytes = [name.encode() for name in self._packages]
        # if every module name contains "torch", they are searched only in files that contain "torch"
        self._common = b"torch" if all("torch" in name for name in self._packages) else b""
        self._switches = [name.encode() for name in self._variables]
        self._package_name = lazy_re.compile(either)
        self._plugins = {package: target for target, package in words.packages.items() if package}
        plugins = "|".join(sorted(map(re.escape, self._plugins)))
        devices = "|".join(sorted({re.escape(device) for device, _ in words.devices.values() if device}))
        self._tried = lazy_re.compile(_TRIED % (plugins, devices, plugins), re.MULTILINE)
        self.gathered = Gathered()
        self._importers = Importers(words.cuda_and_cpu)
        self._given_devices = GivenDevices(words.own_devices)
        self._selectors = Selectors([device for device, _ in words.devices.values() if device])
        self._above = Above(words.libraries, once)
        self._once = once
        self._bound_to_cuda = frozenset(name.encode() for name in words.bound_to_cuda)
        self.follows = True
        """Whether to find the calls in each file; they are needed only in projects with pytest files (`test_*.py`)."""
        self._libraries = frozenset(name.partition(".")[0] for name in words.libraries)
        self.names = ByName({target: device for target, (device, _) in words.devices.items()})
        self._asking = {target: device.encode() for target, (device, _) in words.devices.items() if device}
        self._vendors = {target: vendor.encode() for target, vendor in words.vendors.items() if vendor}

    def add(self, data: bytes, concerned: bool = True, path: str = "", portable: bool = True) -> None:
        """Add what one file shows about its project. `concerned`: whether rules may have findings in the file;
        `portable`: whether to search also for code that only matters in portable projects (`idioms.py`)."""
        self.gathered.add(self.look(data, concerned, self.gathered.modules, path, portable))

    def look(
        self,
        data: bytes,
        concerned: bool = True,
        known: Collection[str] = (),
        path: str = "",
        portable: bool = True,
        followed: bool = False,
    ) -> Said:
        """Return the facts that one file shows about its project; imports of the modules in `known` are left out.
        `concerned`, `path` and `portable`: see `add`; `followed`: whether calls of tests lead to the file."""
        roots = import_roots(data) if concerned else frozenset()
        likely = concerned or contains(data, self._common)
        if concerned:
            imports = not roots.isdisjoint(self._package_bytes)
        else:
            imports = likely and contains_any(data, self._package_bytes)
        imports = imports or contains_any(data, self._switches)
        cuda = concerned and contains(data, b"cuda")
        methods = cuda and contains(data, b"cuda(") and _METHOD_BYTES.search(data) is not None
        if cuda and not methods:
            asked = contains(data, b"is_cuda")
            methods = may_patch(data, asked) or (asked and _FIELD_BYTES.search(data) is not None)
        kernels = self._told(data, concerned, path, portable, followed, roots, likely)
        asking = [one for one in self._asking if self._may_choose(one, data, cuda)]
        apart = bool(imports or asking) and is_apart(path)
        asking = [] if apart else asking
        torch = cuda and not self.gathered.torch and contains(data, b"torch.cuda") and _TORCH.search(data) is not None
        if not imports and not methods and not asking:
            return _NOTHING if kernels == UNTOLD and not torch else Said(told=kernels, torch=torch)
        text = data.decode("utf-8", "replace")
        layout = Layout(text)
        owners = owners_of(text, lambda at: not layout.token_at(at)) if methods else frozenset()
        modules: dict[str, Span] = {}
        for match in self._imports(text) if imports else ():
            fresh = [name for name in self._of_interest(match) if name not in modules and name not in known]
            if fresh and not layout.token_at(match.start("word")):
                modules.update(dict.fromkeys(fresh, Span(*match.span("word"))))
        for variable in self._variables if imports and not apart else ():
            for at in switched_on(text, variable, layout) if variable not in known else ():
                modules.setdefault(variable, Span(at, at + len(variable)))
        serves = [target for target in asking if self._chooses(target, layout)]
        if serves and imports and self._plugins:
            trying = {self._plugins[match[1] or match[2]] for match in self._tried.finditer(text)}
            serves += [target for target in serves if target in trying]
        return Said(modules, owners, kernels, tuple(serves), torch)

    def _told(
        self,
        data: bytes,
        concerned: bool,
        path: str,
        portable: bool,
        followed: bool,
        roots: frozenset[bytes],
        likely: bool,
    ) -> Told:
        """Return the facts about one file that are names, such as the modules that it builds (see `Told`). `roots`: the
        result of `import_roots`, if the file is `concerned`; `likely`: whether the file may import torch; for the other
        parameters, see `look`."""
        found = told(data, path, concerned)
        above = self._above.of(path, data) if concerned else ()
        if own := frozenset(filter(None, (own_module(path, self._words.libraries), *above))):
            found = found._replace(own=own)
        if concerned and (modules_tried := tried(data, path)):
            found = found._replace(tried=modules_tried)
        if self.follows and (called := calls(data, path, self._libraries, concerned, followed)):
            found = found._replace(calls=called)
        wraps = likely and may_wrap(data, path)
        gives = path.endswith(".py") and "\n" not in path and (concerned or contains(data, GIVES))
        if (wraps or gives) and not concerned:
            roots = import_roots(data)
        if gives:
            if concerned and (imported := self._importers.of(data, path, roots)):
                found = found._replace(users=imported, device_makers=device_makers(data, path, imported))
            libraries, makers = self._given_devices.of(data, path, roots)
            if libraries or makers:
                found = found._replace(devices_given=libraries, device_makers=found.device_makers | makers)
        if wraps and self._once and not self._may_need_cuda(roots, path):
            found = found._replace(wrapping=frozenset({path}))
        elif wraps and (functions := wrapped(data, path)):
            found = found._replace(wrapped=functions)
        if self.follows and concerned and path.endswith(".py") and patches(data):
            found = found._replace(patching=frozenset({path}))
        if likely and (stay := models_stay(data, path)):
            found = found._replace(models_stay=stay)
        if likely and (selecting := self._selectors.of(data, path)):
            found = found._replace(selectors=selecting)
        if portable and (habits := idioms(data, module_of(path), path) | self._scripts(data, path)):
            found = found._replace(idioms=habits)
        return found

    def _may_need_cuda(self, roots: Iterable[bytes], path: str) -> bool:
        """Return whether a file may import a library that needs CUDA, or whose name contains "cuda". `roots`: the
        result of `import_roots`; the names of relative imports begin with folders of the path."""
        return "cuda" in path or any(b"cuda" in root or root in self._bound_to_cuda for root in roots)

    def follow(self, paths: Iterable[str], read: Read = read_text) -> None:
        """Add the calls of the files to which calls of tests lead and, if the project compiles extensions, the calls of
        the files with autograd functions. `paths`: the paths of all files of the project."""
        if any(one.extensions for one in self.gathered.told):
            for path in sorted(path for one in self.gathered.told for path in one.wrapping):
                with suppress(FileProblem, SourceError, LimitExceeded):
                    self.gathered.told.append(UNTOLD._replace(wrapped=wrapped(read(path, Limits.bytes), path)))
        if self.follows:
            found = self.followed((one.calls for one in self.gathered.told), paths, read)
            self.gathered.told += [UNTOLD._replace(calls=called) for called in found.values()]

    def followed(self, told: Iterable[Calls], paths: Iterable[str], read: Read = read_text) -> dict[str, Calls]:
        """Return the calls of the files, by path, to which the calls in `told` lead from tests."""

        def read_calls(path: str) -> Calls:
            try:
                return calls(read(path, Limits.bytes), path, self._libraries, followed=True)
            except (FileProblem, SourceError, LimitExceeded):
                return frozenset()

        return follow(told, paths, read_calls)

    def _scripts(self, data: bytes, path: str) -> frozenset[str]:
        """Return the facts about what a file compiles with TorchScript."""
        return scripts(data, path, read_text, self._words.libraries) if contains(data, b"jit") else frozenset()

    def _may_choose(self, target: str, data: bytes, cuda: bool) -> bool:
        """Return whether a file may choose a target at run time; False if enough such files are known already. `cuda`:
        whether rules may have findings in the file, and it contains the word `cuda`.

        The result is True also for a file that asks for the target's vendor and does not name CUDA, because a fix may
        have removed the file's last CUDA name.
        """
        if self.gathered.serving.get(target, 0) >= _CHOOSING:
            return False
        if target in self._vendors and may_choose(data, self._vendors[target]):
            return True
        return cuda and may_choose(data, self._asking[target])

    def _chooses(self, target: str, layout: Layout) -> bool:
        """Return whether the text chooses between CUDA and a target at run time, in a way that uncuda's own fixes never
        write."""
        indents, vendor = IndentScopes(layout, Searches(layout.text)), self._words.vendors.get(target, "")
        return arms_by_hand(layout, indents, *self._words.devices[target], vendor)

    def _imports(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the imports on lines that contain a package's name; matching every import would be slow.

        The time stays linear in the length of the text: each search for an import, or for the word `import`, starts
        behind the place that the previous search found.
        """
        done = line = passed = 0
        word = -1
        match: re.Match[str] | None = None
        searched = False
        for hit in self._package_name.finditer(text):
            line = text.rfind("\n", passed, hit.start()) + 1 or line
            passed = hit.start()
            start = max(done, line)
            if word < start:
                word = text.find("import", start) % (len(text) + 1)  # the length of the text, if the word is not found
            if start > hit.start() or word >= hit.end() + _NEAR:
                continue
            if not searched or (match is not None and match.start() < start):
                match, searched = _IMPORT.search(text, start), True
            if match is not None and match.start() < hit.start():
                done = match.end()
                yield match

    def _of_interest(self, match: re.Match[str]) -> set[str]:
        origin = match["origin"]
        if origin is None:
            modules = set(_first_words(match["modules"]))
        else:
            modules = {origin, *(f"{origin}.{name}" for name in _first_words(match["names"].strip("()")))}
        return {module for module in modules if module.partition(".")[0] in self._packages}

    def project(self, paths: Collection[str] = ()) -> Project:
        """The project with the collected facts; `paths`: the paths of its files."""
        said = self.gathered
        return self.project_of(
            said.modules, said.owners, paths=paths, told=said.told, serving=said.serving, torch=said.torch
        )

    def project_of(
        self,
        modules: Collection[str],
        owners: Iterable[Owner],
        constants: Iterable[str] = (),
        paths: Collection[str] = (),
        told: Collection[Told] = (),
        serving: Mapping[str, int] = MappingProxyType({}),
        torch: bool = False,
    ) -> Project:
        """Return the Project with these facts: its files import `modules`, define the classes in `owners` (which have
        `cuda` or `is_cuda`), and contain `constants`.

        `paths` are the paths of the project's files. `told` contains a `Told` for each file: facts such as the modules
        that the file builds for CUDA, and which of its functions run a kernel. `serving` maps each target to the number
        of files that choose the target at run time. `torch` says whether a file uses torch's CUDA functions.
        """
        families = self.names.families(paths)
        served = {target for target, count in serving.items() if count >= _CHOOSING}
        habits = frozenset(habit for one in told for habit in one.idioms)
        compiles = scripts_together(habits)
        extensions = frozenset(name for one in told for name in one.extensions)
        return Project(
            plugins=_importing(self._words.packages, modules),
            shims=_importing(self._words.shims, modules),
            switched=_importing(self._words.variables, modules),
            constants=frozenset(constants),
            owners=frozenset(owners),
            torch=torch,
            served=frozenset(self._words.devices if families.serving else served),
            neutral=families.neutral,
            lacking=families.lacking,
            backends=cudas_own(paths, self._words.devices),
            extensions=extensions,
            kernels=frozenset(name for one in told for name in one.kernels),
            askers=frozenset(name for one in told for name in one.askers),
            selectors=frozenset(name for one in told for name in one.selectors),
            sources=frozenset(name for one in told for name in one.sources),
            own=frozenset(place for one in told for place in one.own),
            tried=frozenset(name for one in told for name in one.tried),
            starred=frozenset(habit.removeprefix(STARRED) for habit in habits if habit.startswith(STARRED)),
            torch_of=frozenset(habit.removeprefix(TORCH_OF) for habit in habits if habit.startswith(TORCH_OF)),
            scripts=compiles.scripts,
            compiled=compiles.compiled,
            packs=PACKS in habits,
            reaches=reached((one.calls for one in told), self._libraries, extensions),
            users=frozenset(user_and_library(user) for one in told for user in one.users),
            device_makers=frozenset(name for one in told for name in one.device_makers),
            devices_given=frozenset(user_and_library(given) for one in told for given in one.devices_given),
            wrappers=wrappers((one.wrapped for one in told), self._words.bound_to_cuda, extensions),
            naming=frozenset(habit.removeprefix(NAMES) for habit in habits if habit.startswith(NAMES)),
            patching=frozenset(path for one in told for path in one.patching),
            models_stay=frozenset(why for one in told for why in one.models_stay),
        )


def _importing(wanted: Mapping[str, str], modules: Collection[str]) -> frozenset[str]:
    return frozenset(
        target
        for target, module in wanted.items()
        if module and any(name == module or name.startswith(module + ".") for name in modules)
    )


def _first_words(names: str) -> list[str]:
    return [words[0] for name in names.split(",") if (words := name.split())]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
