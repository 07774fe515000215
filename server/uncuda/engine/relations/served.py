"""Decides which hits are not reported because other code handles the target, and which fixes need review."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import PurePath

from ... import lazy_re
from ...checks import Context, Hit
from ...checks.branch_words import asked_by_hand
from ...checks.branches import Branches
from ...checks.families import OTHERS
from ...checks.string import INDEXLESS
from ...checks.tested import CAUGHT, TESTED_FOR
from ...edits import REVIEW
from ...facts.read import Statement
from ...facts.scans import matches, plain
from ...facts.scopes import Header
from ...module_names import is_test
from .apart import of_bytes, of_host, of_platforms, of_rocm
from .autocast import decorating, scaling_on_host
from .by_hand import ByHand
from .cuda_and_cpu import FOR_LIBRARY, CudaAndCpu
from .doubles import FOR_DOUBLES, device_choices
from .exported import EXPORTED, exported
from .indexless import indexless
from .older import OLDER, of_older
from .own_devices import ENTRY, FOR_OWN_DEVICES, OPTION, OwnDevices
from .own_members import OWN_MEMBER, OwnMembers
from .own_words import BEHIND, OWN_FLAG, of_own_words, own_flags
from .parts import in_test, is_within
from .replaced_names import FOR_LIBRARIES, is_assigned, replaced_names
from .sliced import SLICED, sliced_strings
from .traced import OF_TRACED, beside_traced

OTHER_PLATFORM = "other-platform"
"""The id in rules/limits.tsv of the sentence about code that runs only on another platform, according to a condition in
the project."""
OTHER_LATER = "other-platform-later"
"""The id in rules/limits.tsv of the sentence about an import that always runs, although the code that uses the library
runs only on another platform, according to a condition in the project."""
CHOSEN = "project-chooses"
"""The id in rules/limits.tsv of the sentence about hits that are only information, because the project chooses between
accelerators."""
REPLACED = "replaced-by-another"
"""The id in rules/limits.tsv of the sentence about a file that puts the functions of another accelerator in the place
of those of torch.cuda."""
AMDS = "amd-file"
"""The id in rules/limits.tsv of the sentence "the name of the file or of its folder says that it is for AMD's GPUs"."""
NVIDIAS = "nvidia-folder"
"""The id in rules/limits.tsv of the sentence "the name of its folder says that it is for NVIDIA's GPUs"."""
CLOUD = "cloud-gpus"
"""The id in rules/limits.tsv of the sentence "the file asks Modal for NVIDIA's GPUs"."""
SWITCHED = "switched-on"
"""The id in rules/limits.tsv of the sentence about an extension that is built only if an environment variable is set to
1."""
_EXCUSES = frozenset({CAUGHT, TESTED_FOR})
_SWITCH = lazy_re.compile(
    r"if[ \t]+os\.(?:getenv|environ\.get)\([ \t]*[\"']\w+[\"'](?:,[ \t]*(?:None|[\"']0?[\"']))?[ \t]*\)"
    r"[ \t]*==[ \t]*[\"']1[\"'][ \t]*:"
)
# Modal runs the functions of a file in containers with the GPUs that the file names; all are NVIDIA's
_MODALS = lazy_re.compile(r"^[ \t]*(?:from|import(?:[ \t]+[\w.]+[ \t]*,)*)[ \t]+modal\b", re.M), "modal"
_GPUS = (
    lazy_re.compile(
        r"\.(?:cls|function|with_options)\([^\n#]{0,200}?\bgpu[ \t]*=(?![ \t]*None\b)"
        r"|^[ \t]+gpu[ \t]*=(?![ \t]*None\b)[^\n#]*,[ \t]*(?:#[^\n]*)?\r?$|\bmodal\.gpu\.",
        re.M,
    ),
    "gpu",
)
_AMD = lazy_re.compile(r"(?<![A-Za-z])(?:amd|rocm)(?![A-Za-z])", re.I)
_NVIDIA = ".nvidia"
_NVIDIAS = lazy_re.compile(r"^from[ \t]+[\w.]*\.nvidia(?:\.[\w.]*)?[ \t]+import\b", re.M)
_STARTS = lazy_re.compile(r"^if[ \t]+__name__[ \t]*==", re.M)
_TAKES = ("ArgumentParser", "sys.argv", "import click", "import fire", "tyro.cli")
_FOLDERS = frozenset({"benchmark", "benchmarks", "example", "examples", "scripts", "tools"})
_BESIDE = lazy_re.compile(r"^from[ \t]+\.", re.M)
_MAKERS = ("cutlass", "cute_dsl", "cutedsl", "aiter")
_OF_A_MAKER = lazy_re.compile(
    r"^(?:from[ \t]+[\w.]*\.\w*(?:cutlass|cute_?dsl)[\w.]*[ \t]+import|(?:from|import)[ \t]+aiter)\b", re.M
)
_WRAPS = "_aiter_ops"
_OF_A_WRAPPER = lazy_re.compile(r"^from[ \t]+[\w.]*\._aiter_ops[ \t]+import\b", re.M)
_HEAD = lazy_re.compile(r"(?:\s|#[^\n]*\n)*(?:\"{3}[^\"]*\"{3})?")
_DOCSTRING = lazy_re.compile(r"(?:\s|#[^\n]*\n)*\"{3}([^\"]*)\"{3}")
_ABOUT_AMD, _ABOUT_CUDA = lazy_re.compile(r"\b(?:AMD|ROCm|AITER)\b"), lazy_re.compile(r"CUDA|NVIDIA|NCCL", re.I)
_BUILDS = "torch.utils.cpp_extension."
_FLOAT64 = "float64"  # the feature that most operators take float64
_SCALER = "host-scaler"  # the feature that the scaler takes a loss on the CPU
_AUTOCAST = "autocast-made"  # the feature that an autocast can be made without starting the device
_AGNOSTIC = ("torch.accelerator", "import accelerator")
_QUESTIONS = frozenset({"torch.cuda.is_available", "torch.cuda.device_count"})
_TESTED, _ASKED = (ast.Compare, ast.match_case, ast.Assert), (ast.If, ast.While, ast.IfExp)
_CLAUSES = frozenset({"if", "elif", "else"})
_SEVERAL = 2  # a test may replace one name: `torch.cuda.is_available = lambda: False`
_OF_WHOLE = frozenset({"missing-import", "accelerator-member"})


class Served:
    """Decides which hits in one file are reported for one target."""

    def __init__(self, context: Context, branches: Branches) -> None:
        self._context, self._facts, self._target, self._branches = context, context.facts, context.target, branches
        self._catalogue = context.catalogue
        self._everywhere = self._target.id in context.project.served
        self._portable = context.portable  # fixes in portable projects import the name `accelerator_type`
        self._path = context.path
        self._lacks = (self._target.id, context.path) in context.project.lacking
        self._rocm, self._bytes, self._host = of_rocm(branches, context.path), of_bytes(branches), of_host(branches)
        self._others = of_platforms(branches, context.path, self._target.cuda_alike)
        self._older = of_older(branches, self._target)
        self._own_words = of_own_words(branches, context)
        self._cuda_and_cpu, self._own_members = CudaAndCpu(branches, context), OwnMembers(context)
        self._by_hand = ByHand(branches, self._target)
        self._other_ways: dict[int, bool] = {}
        self._kept = [span for family in context.families for span in family.spans]

    def holds(self, hit: Hit) -> bool:
        """Return whether a hit is dropped: it is in a class for another accelerator, in code for ROCm, or has a sibling
        branch for the target."""
        if self._lacks:
            return hit.rule.check != "accelerator-member"
        if hit.statement is None or hit.rule.check in _OF_WHOLE:
            return False
        at = hit.statement.start
        if any(start <= at < end for start, end in self._kept) or self._rocm.holds(hit):
            return True
        if hit.rule.get("on-device") and (self._host.holds(hit) or self._is_denied(hit.statement, hit.node)):
            return True
        return self._branches.served(hit.statement, hit.node)

    def _is_denied(self, statement: Statement, node: ast.AST | None) -> bool:
        """Return whether a node is in a branch that does not run on the target. A person or a fix may have written
        the condition of the branch."""
        inner = node
        for outer in statement.digest.ancestors(node) if node is not None else ():
            if isinstance(outer, ast.IfExp) and inner is not outer.test:
                start, end = (statement.start + at for at in statement.digest.span(outer.test))
                if self._asks(start, end) == (-1 if inner is outer.body else 1):
                    return True
            inner = outer
        headers = self._facts.indents.headers(statement.start)
        return any(header.word in _CLAUSES and self._is_other_way(header) for header in headers)

    def _is_other_way(self, header: Header) -> bool:
        """Return whether a clause does not run on the target: its condition excludes the target, or an earlier clause
        of the if/elif chain asks for the target."""
        if header.start not in self._other_ways:
            above = False
            for clause in self._facts.indents.clauses(header):
                asked = self._asks(clause.start, clause.end) if clause.word in ("if", "elif") else 0
                self._other_ways[clause.start] = above or asked < 0
                above = above or asked > 0
        return self._other_ways[header.start]

    def _asks(self, start: int, end: int) -> int:
        """Return what a condition asks for: 1 for the target, -1 for any device but the target, 0 for neither, or if it
        contains `and`."""
        self._facts.work.search(start, end)
        condition = self._facts.text[start:end]
        return 0 if re.search(r"\band\b", condition) else self._branches.asked(condition)

    def lowered(self, hits: Sequence[Hit]) -> Sequence[Hit]:
        """Return the hits; their fixes need review if the code chooses between accelerators, or works with any of them.

        In code that chooses between accelerators, a condition that asks for CUDA may be meant for no other accelerator.
        The condition, and the code that runs only if it is true, must then stay unchanged.
        """
        if self._replaces_cuda(hits):
            return [hit if hit.rule.check in _OF_WHOLE else _informing(hit, REPLACED) for hit in hits]
        hits = [self._of_another_platform(hit) if self._others.holds(hit) else hit for hit in hits]
        hits = [_informing(hit, OLDER) if not hit.fixes and self._older.holds(hit) else hit for hit in hits]
        hits = [_informing(hit, SWITCHED) if _builds(hit) and self._is_switched(hit) else hit for hit in hits]
        if any(map(_AMD.search, PurePath(self._path).parts[-2:])):
            hits = [self._of_amd(hit) for hit in hits]
            if self._everywhere:
                return hits
        if self._everywhere:
            alone = self._is_a_makers or any(self._is_needed(hit) for hit in hits)
            hits = [hit.lowered(REVIEW) if self._is_started(hit) else _chosen(hit, alone) for hit in hits]
            return [_of_nvidia(hit) for hit in hits] if _NVIDIA[1:] in PurePath(self._path).parts[:-1] else hits
        hits = [hit.lowered(REVIEW) if hit.fixes and self._is_beside(hit) else hit for hit in hits]
        given = self._given(hits)
        hits = [hit.for_review(reason) if (reason := self._why_review(hit, given)) else hit for hit in hits]
        agnostic = any(map(self._says, _AGNOSTIC[:1] if self._portable else _AGNOSTIC))
        if not agnostic and not asked_by_hand(self._facts, self._target):
            return hits
        asks = _tests if agnostic else _is_question
        return [hit.lowered(REVIEW) if hit.fixes and asks(hit) else hit for hit in hits]

    def _given(self, hits: Sequence[Hit]) -> dict[int, str]:
        """Return the starts of hits whose fixes need review because of what else the file does, each with the id of the
        sentence that says why."""
        own = OwnDevices(self._context)
        given = dict.fromkeys(own.answers(hits), FOR_OWN_DEVICES) | dict.fromkeys(own.entries(hits), ENTRY)
        given |= dict.fromkeys(own.options(hits), OPTION)
        given |= dict.fromkeys(own_flags(hits, self._context), OWN_FLAG)
        if not is_test(self._path):
            given |= dict.fromkeys(replaced_names(hits), FOR_LIBRARIES)
        given |= dict.fromkeys(exported(hits, self._facts), EXPORTED)
        given |= dict.fromkeys(beside_traced(hits, self._facts), OF_TRACED)
        given |= dict.fromkeys(sliced_strings(hits, self._facts, self._target.words["device"]), SLICED)
        if not self._target.has(_FLOAT64):
            given |= dict.fromkeys(device_choices(hits, self._facts), FOR_DOUBLES)
        if not self._target.has(INDEXLESS):
            unnumbered = indexless(hits, self._facts, self._catalogue.indexed_calls, self._target.words["device"])
            given |= dict.fromkeys(unnumbered, str(self._target.features[INDEXLESS]))
        if not self._target.has(_SCALER):
            given |= dict.fromkeys(scaling_on_host(hits, self._facts), str(self._target.features[_SCALER]))
        if not self._target.has(_AUTOCAST):
            given |= decorating(hits, self._facts, str(self._target.features[_AUTOCAST]))
        return given

    def _why_review(self, hit: Hit, given: Mapping[int, str]) -> str:
        """Return the id of the sentence that says why a safe fix needs review after all: its code runs only behind the
        program's own word for CUDA, is there for a library that knows only CUDA and the CPU, is beside a device of the
        program's own list, or its offset is in `given`, with the id; "" if it is safe."""
        if not hit.is_safe:
            return ""
        if self._own_words.holds(hit):
            return BEHIND
        if self._is_in_cloud:
            return CLOUD
        if self._cuda_and_cpu.holds(hit.start):
            return FOR_LIBRARY
        if self._own_members.holds(hit.start):
            return OWN_MEMBER
        return given.get(hit.start, "")

    def _replaces_cuda(self, hits: Sequence[Hit]) -> bool:
        """Return whether the file makes CUDA's names those of another accelerator, as in `torch.cuda.Event =
        torch.xpu.Event`: it assigns to several names of torch.cuda, and uses the other accelerator's module."""
        if sum(map(is_assigned, hits)) < _SEVERAL:
            return False
        devices = {*OTHERS, *self._catalogue.devices} - {self._target.words["device"]}
        return any(self._facts.says(f"torch.{device}.") for device in sorted(devices))

    def _is_beside(self, hit: Hit) -> bool:
        """Return whether a hit is behind a condition about bytes, or in code that makes the value by which a person
        chooses the target."""
        return self._bytes.holds(hit) or self._by_hand.holds(hit.start)

    def _of_another_platform(self, hit: Hit) -> Hit:
        later = hit.rule.check == "module" and self._others.runs_before(hit)
        return _informing(hit, OTHER_LATER if later else OTHER_PLATFORM)

    def _is_switched(self, hit: Hit) -> bool:
        """Return whether a hit is in code that runs only if an environment variable, unset by default, is 1."""
        text, indents = self._facts.text, self._facts.indents
        headers = indents.headers(hit.statement.start) if hit.statement is not None else iter(())
        return any(header.word == "if" and _SWITCH.match(text, header.start, header.end) for header in headers)

    def _of_amd(self, hit: Hit) -> Hit:
        """Return the hit, which is in a file for AMD's GPUs, with the severity "information" if the project chooses
        between accelerators.

        If the project does not choose between accelerators, the file for AMD's GPUs may have to run on the target, too,
        so errors and warnings keep their severity.
        """
        if hit.rule.check in _OF_WHOLE or not (self._everywhere or _is_information(hit)):
            return hit
        return _informing(hit, AMDS)

    @cached_property
    def _is_a_makers(self) -> bool:
        """Whether the file is assumed to run only on the GPUs of one vendor: it imports from a package named `nvidia`
        at module level, or is a script that imports CUTLASS kernels or AMD's AITER at module level, or is a script that
        mentions a backend or a compute capability of NVIDIA's GPUs in the comments or the docstring at its top. An
        import of a module `_aiter_ops` counts only if the script's docstring names AMD, ROCm or AITER but not CUDA,
        because scripts for CUDA import a module of this name, too."""
        facts = self._facts
        if facts.says(_NVIDIA) and self._has(_NVIDIAS):
            return True
        kernels = any(map(facts.says, _MAKERS)) and self._has(_OF_A_MAKER)
        return self._is_started_by_hand and (kernels or self._wraps_aiter() or self._says_nvidia())

    @cached_property
    def _is_in_cloud(self) -> bool:
        """Whether the file asks Modal for GPUs, `@app.function(gpu="H100")`: its functions run there on NVIDIA's GPUs,
        wherever the file is started."""
        searches, layout = self._facts.searches, self._facts.layout
        for pattern, word in (_MODALS, _GPUS):
            places = searches.find(("cloud", word), matches(pattern, word)) if self._facts.says(word) else ()
            if all(map(layout.token_at, places)):
                return False
        return True

    def _says_nvidia(self) -> bool:
        """Return whether the comments or the docstring at the top of the file mention a backend or a compute capability
        of NVIDIA's GPUs."""
        head = _HEAD.match(self._facts.text)
        self._facts.work.search(0, head.end() if head is not None else 0)
        self._facts.layout.reads(0, head.end() if head is not None else 0)
        rules = self._catalogue.rules.values()
        patterns = [pattern for rule in rules if rule.check == "module" and (pattern := rule.get("one-maker"))]
        return head is not None and any(re.search(pattern, head[0]) for pattern in patterns)

    def _wraps_aiter(self) -> bool:
        """Return True if the file imports a module `_aiter_ops` at module level, and the docstring of the file names
        AMD, ROCm or AITER but not CUDA."""
        facts = self._facts
        about = _DOCSTRING.match(facts.text) if facts.says(_WRAPS) and self._has(_OF_A_WRAPPER) else None
        facts.layout.reads(0, about.end() if about is not None else 0)
        return about is not None and bool(_ABOUT_AMD.search(about[1])) and not _ABOUT_CUDA.search(about[1])

    def _has(self, pattern: re.Pattern[str]) -> bool:
        """Whether a pattern has a match outside of strings and comments."""
        facts = self._facts
        facts.work.search(0, len(facts.text))
        return any(not facts.layout.token_at(match.start()) for match in pattern.finditer(facts.text))

    def _is_needed(self, hit: Hit) -> bool:
        """Return whether a hit is a module-level import of a library that the target lacks; the file then cannot
        run."""
        return (hit.severity or hit.rule.severity) == "error" and self._is_at_top(hit)

    def _is_started(self, hit: Hit) -> bool:
        """Return whether a hit is a module-level import in a script that users start by hand. A module-level import of
        a script always runs, because no code chooses an accelerator before the script starts."""
        return self._is_at_top(hit) and self._is_started_by_hand

    def _is_at_top(self, hit: Hit) -> bool:
        """Return whether a hit is an import of a library outside of all blocks."""
        if hit.statement is None or hit.rule.check != "module":
            return False
        return self._facts.layout.line_start(hit.statement.start) == hit.statement.start

    @cached_property
    def _is_started_by_hand(self) -> bool:
        """Whether the file is a script that users start by hand: it parses arguments, or is in a folder of scripts."""
        facts = self._facts
        if not facts.says("__main__") or not self._has(_STARTS) or self._has(_BESIDE):
            return False
        return any(map(facts.says, _TAKES)) or not _FOLDERS.isdisjoint(PurePath(self._path).parts)

    def _says(self, words: str) -> bool:
        facts = self._facts
        places = facts.searches.find(("agnostic", words), plain(words))
        facts.work.compare(len(places))
        return any(not facts.layout.token_at(at) for at in places)


def reported(rows: Iterable[Iterable[tuple[Hit, bool | None]]]) -> list[Hit]:
    """Return the hits to report: all except those that are superfluous because the code has a branch for the target.
    `rows`: for each check, its hits, each with a flag: True if a branch for the target makes the hit superfluous.

    If no fix can replace a name, and only branches for devices other than the target use the name, the hit at the
    import of the name is superfluous, too.
    """
    found = [(hit, stays) for row in rows for hit, stays in row]
    served = {hit.words.get("name", "") for hit, stays in found if stays and _is_use_by_hand(hit)}
    if served:
        served -= {"", *(hit.words.get("name") for hit, stays in found if not stays and _is_use_by_hand(hit))}
    left = _excused([hit for hit, stays in found if not stays])
    if not served:
        return left
    return [hit for hit in left if hit.fixes or hit.words.get("name") not in served or not hit.is_import]


def _excused(hits: list[Hit]) -> list[Hit]:
    """Return the hits; some imports of names that no fix can replace now have the severity "information". This is so if
    every use of the name is behind a condition that asks for the name, or if every use is in a `try` with a handler
    that continues without the name."""
    uses: dict[str, list[Hit]] = {}
    for hit in filter(_is_use_by_hand, hits):
        uses.setdefault(hit.words.get("name", ""), []).append(hit)
    excuses = {name: _EXCUSES.intersection(*(hit.limits for hit in found)) for name, found in uses.items()}
    if not any(excuses.values()):
        return hits
    return [_excused_by(hit, excuses.get(hit.words.get("name", ""), frozenset())) for hit in hits]


def _excused_by(hit: Hit, excuses: frozenset[str]) -> Hit:
    if not excuses or hit.fixes or hit.rule.check != "name" or _is_information(hit) or not hit.is_import:
        return hit
    return hit.as_information(min(excuses))


def _is_use_by_hand(hit: Hit) -> bool:
    """Return whether a hit is at the use of a name, and no fix replaces the name there."""
    return hit.rule.check == "name" and not hit.fixes and not hit.is_import


def _chosen(hit: Hit, alone: bool) -> Hit:
    """Return a hit in a project that chooses between accelerators. The hit gets the severity "information" if it is
    about a CUDA library or the build of a CUDA extension (the target may need neither), or if `alone` is True.

    `alone`: whether all code of this file may be for other accelerators, so that the target runs none of it.
    """
    lacked = alone or hit.rule.check == "module" or _builds(hit)
    if not lacked or hit.rule.check in _OF_WHOLE or _is_information(hit):
        return hit.lowered(REVIEW)
    return _informing(hit, CHOSEN)


def _of_nvidia(hit: Hit) -> Hit:
    """Return a hit of a file in a folder for NVIDIA's GPUs. If the hit only informs about a library, its message also
    says that the folder is for NVIDIA's GPUs."""
    told = not {CHOSEN, OTHER_LATER, OTHER_PLATFORM, SWITCHED}.isdisjoint(hit.limits)
    return hit if told or hit.rule.check != "module" or not _is_information(hit) else _informing(hit, NVIDIAS)


def _builds(hit: Hit) -> bool:
    return hit.words.get("name", "").startswith(_BUILDS)


def _is_information(hit: Hit) -> bool:
    return (hit.severity or hit.rule.severity) == "information"


def _informing(hit: Hit, limit: str) -> Hit:
    """Return the hit with the severity "information", and with the id of the sentence that says why the target may
    never run this code."""
    return hit.lowered(REVIEW).as_information(limit)


def _is_question(hit: Hit) -> bool:
    return hit.words.get("name", "") in _QUESTIONS and _tests(hit)


def _tests(hit: Hit) -> bool:
    """Whether a hit is in a condition or a comparison."""
    if hit.statement is None:
        return False
    return is_within(hit.node, hit.statement, _TESTED) or in_test(hit.node, hit.statement, _ASKED)
