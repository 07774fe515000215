"""The messages between the server and the process of the workspace job, which fixes many files or makes a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from uncuda.child.records import Codec
from uncuda.edits import REVIEW, SAFE
from uncuda.engine import Finding
from uncuda.project import Answers, Site
from uncuda.workspace import MANUAL, fix_class

from ..wire.positions import Encoding, Lines


class Left(NamedTuple):
    """Numbers of findings: with a safe fix, with a fix that needs review, without a fix.

    `place`: (line, column, end line, end column) of the first finding; None if there is no finding, or if the position
    was not computed.
    """

    safe: int = 0
    review: int = 0
    manual: int = 0
    place: tuple[int, int, int, int] | None = None

    @property
    def total(self) -> int:
        """The number of remaining findings."""
        return self.safe + self.review + self.manual

    def plus(self, other: Left) -> Left:
        """Return this object with the numbers of `other` added; the position remains that of this object."""
        return Left(self.safe + other.safe, self.review + other.review, self.manual + other.manual, self.place)


def of_rules(findings: Iterable[Finding], rules: Collection[str] | None) -> list[Finding]:
    """Return the findings that belong to one of `rules`; None means all findings."""
    return [finding for finding in findings if rules is None or finding.rule in rules]


def left_in(findings: Iterable[Finding], rules: Collection[str] | None, lines: Lines | None = None) -> Left:
    """Count the findings that belong to one of `rules` (None: all findings), by fix class. `lines`: the lines of the
    text, if the position of the first finding is needed."""
    found = of_rules(findings, rules)
    classes = Counter(map(fix_class, found))
    place = (*lines.point(found[0].span.start), *lines.point(found[0].span.end)) if found and lines else None
    return Left(classes[SAFE], classes[REVIEW], classes[MANUAL], place)


def lowered(findings: Iterable[Finding], answers: Answers) -> list[Finding]:
    """Return the findings whose fix needs review only because of the type of a receiver; commands for many files do not
    fix them."""
    sites = {(site.rule, site.span) for site, verdict in answers.items() if verdict == REVIEW}
    return [finding for finding in findings if (finding.rule, finding.span) in sites] if sites else []


@dataclass(frozen=True)
class JobFolder:
    """A workspace folder. `over`: editor settings, in kebab-case, that override the configuration files; `under`:
    editor settings that the configuration files override."""

    path: str
    over: Mapping[str, object] = field(default_factory=dict)
    under: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Buffer:
    """A document or notebook that is open in the editor; its text is used instead of the file on disk.

    `path`: the path of its file; "" if there is no file. `cells`: whether it is a notebook; edits of notebooks are
    returned as offsets. `disabled`: the reason why its fixes must not be applied. `spared`: the positions of findings
    that are removed, or whose fix needs review, because of the types of their receivers; `lowered`: the counts of the
    findings whose fix needs review for this reason.
    """

    uri: str
    path: str
    version: int | None
    text: str
    cells: bool = False
    disabled: str = ""
    spared: tuple[Site, ...] = ()
    lowered: Left = field(default_factory=Left)

    @property
    def name(self) -> str:
        """The path, or the URI if there is no path."""
        return self.path or self.uri


@dataclass(frozen=True)
class Form:
    """The form in which a client accepts edits: the encoding of columns, and the parts of a WorkspaceEdit that it
    supports. `creates`: whether the client can create files as part of an edit."""

    encoding: Encoding = "utf-16"
    document_changes: bool = True
    annotate: bool = False
    creates: bool = False


@dataclass(frozen=True)
class Job:
    """Which fixes a workspace job applies, and to which files. `rules`: the rules whose fixes are applied, None for all
    rules. `scope`: the path of a file or folder, "" for all files. `accept`: whether the job fixes nothing, but returns
    the findings of the rules that can be accepted."""

    folders: tuple[JobFolder, ...] = ()
    buffers: tuple[Buffer, ...] = ()
    rules: tuple[str, ...] | None = None
    review: bool = False
    scope: str = ""
    diff: bool = False
    accept: bool = False
    report: str = ""  # the folder, if the job only makes a report
    beside: str = ""  # the folder to which the links of the report are relative
    locale: str = "en"
    form: Form = Form()


@dataclass(frozen=True)
class FileChange:
    """The changes in one file.

    `body`: the edits of the file as JSON; for a notebook, `offsets` is used instead: (start, end, text, annotation).
    `stamp`: modification time and size of a closed file before the job read it. `rules`: the number of fixed findings
    by rule; `left`: the number of findings that remain. `otherwise`: the command line that fixes the file; it is needed
    if the client may read a closed file in a wrong encoding.
    """

    uri: str
    version: int | None
    open: bool
    stamp: tuple[int, int] | None
    edits: int
    rules: dict[str, int]
    annotations: list[str]
    left: Left
    body: str = ""
    offsets: list[tuple[int, int, str, str]] = field(default_factory=list)
    otherwise: str = ""


@dataclass(frozen=True)
class JobProgress:
    """The number of files that are done, and the number of all files."""

    done: int
    total: int


@dataclass(frozen=True)
class JobUndecided:
    """The last answer of a job if the project imports the plugins of several targets and no setting names one."""

    targets: tuple[str, ...]


@dataclass(frozen=True)
class JobFailed:
    """The last answer of a job that failed, with the reason."""

    reason: str


@dataclass(frozen=True)
class Acceptable:
    """A finding that can be accepted: its baseline file, the fields of its entry, and its fix class."""

    file: str
    path: str
    rule: str
    print: str
    target: str
    kind: str


@dataclass(frozen=True)
class JobDone:
    """The last answer of a job that succeeded; its fields are also fields of `Outcome`."""

    skipped: tuple[Mapping[str, str], ...]
    left: Mapping[str, Left]
    diff: str
    acceptable: tuple[Acceptable, ...] = ()
    page: str = ""  # the report, as HTML


JobAnswer = JobProgress | FileChange | JobUndecided | JobFailed | JobDone
CODEC = Codec(Job, JobProgress, FileChange, JobUndecided, JobFailed, JobDone)


@dataclass
class Outcome:
    """The result of a workspace job. `left`: the numbers of findings in the current state of each file, by URI.

    `undecided` lists the targets whose plugins the project imports, if no setting names one; `failed` is the reason why
    there is no result.
    """

    files: list[FileChange] = field(default_factory=list)
    skipped: list[dict[str, str]] = field(default_factory=list)
    left: dict[str, Left] = field(default_factory=dict)
    diff: str = ""
    acceptable: tuple[Acceptable, ...] = ()
    page: str = ""
    undecided: tuple[str, ...] = ()
    failed: str = "it ended too early"
