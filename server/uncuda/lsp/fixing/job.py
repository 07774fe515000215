"""What the server asks of the workspace job, and what is said of files in reply: values that cross."""

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
    """Numbers of findings: with a safe fix, with one to review, for a person to deal with.

    `place`: start and end of the first one, as line and column each; None where there is none, or nobody needs it.
    """

    safe: int = 0
    review: int = 0
    manual: int = 0
    place: tuple[int, int, int, int] | None = None

    @property
    def total(self) -> int:
        """All of them."""
        return self.safe + self.review + self.manual

    def plus(self, other: Left) -> Left:
        """Both together; the place is the first one's."""
        return Left(self.safe + other.safe, self.review + other.review, self.manual + other.manual, self.place)


def of_rules(findings: Iterable[Finding], rules: Collection[str] | None) -> list[Finding]:
    """The findings of these rules; None: of all."""
    return [finding for finding in findings if rules is None or finding.rule in rules]


def left_in(findings: Iterable[Finding], rules: Collection[str] | None, lines: Lines | None = None) -> Left:
    """What findings of these rules (None: of all) there are; `lines`: of the text they are in, where places matter."""
    found = of_rules(findings, rules)
    classes = Counter(map(fix_class, found))
    place = (*lines.point(found[0].span.start), *lines.point(found[0].span.end)) if found and lines else None
    return Left(classes[SAFE], classes[REVIEW], classes[MANUAL], place)


def lowered(findings: Iterable[Finding], answers: Answers) -> list[Finding]:
    """The findings whose fixes an answer about their receivers has lowered: a batch leaves them alone."""
    sites = {(site.rule, site.span) for site, verdict in answers.items() if verdict == REVIEW}
    return [finding for finding in findings if (finding.rule, finding.span) in sites] if sites else []


@dataclass(frozen=True)
class JobFolder:
    """A folder of the workspace. `over`, `under`: settings (kebab-case) over and under those of configuration files."""

    path: str
    over: Mapping[str, object] = field(default_factory=dict)
    under: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Buffer:
    """An open program: its text counts, whatever the disk says.

    `path` is empty where there is no file. `cells`: it is a notebook, and its edits come back with offsets. `disabled`:
    why its fixes must not be made. `spared`: the sites whose findings the editor silences or lowers; `lowered`: what
    is left of those that it lowers.
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
        """Its path, or its URI where it has none."""
        return self.path or self.uri


@dataclass(frozen=True)
class Form:
    """In which form a client takes edits: with columns in which encoding, which parts of a WorkspaceEdit it knows.
    `creates`: whether it makes new files."""

    encoding: Encoding = "utf-16"
    document_changes: bool = True
    annotate: bool = False
    creates: bool = False


@dataclass(frozen=True)
class Job:
    """Which fixes to make and where. `rules`: None for all; `scope`: the path of a file or folder, empty for all;
    `accept`: nothing is fixed; what is to be accepted of what these rules find is said."""

    folders: tuple[JobFolder, ...] = ()
    buffers: tuple[Buffer, ...] = ()
    rules: tuple[str, ...] | None = None
    review: bool = False
    scope: str = ""
    diff: bool = False
    accept: bool = False
    locale: str = "en"
    form: Form = Form()


@dataclass(frozen=True)
class FileChange:
    """What is to be changed in one file.

    `body`: its edits, JSON that is ready to be sent; for a notebook `offsets` instead: (start, end, text, annotation).
    `stamp`: modification time and size of a closed file when it was read. `rules`: how many findings of each are fixed.
    `left`: what is left in it then. `otherwise`: the command that fixes a closed file, where its columns depend on the
    encoding that it is read in.
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
    """How many files are done, and of how many."""

    done: int
    total: int


@dataclass(frozen=True)
class JobUndecided:
    """Ends the job: the project uses several targets, and nothing says which one is meant."""

    targets: tuple[str, ...]


@dataclass(frozen=True)
class JobFailed:
    """The end: why there is no result."""

    reason: str


@dataclass(frozen=True)
class Acceptable:
    """A finding to be accepted: the file of its baseline, what its entry is to say, and the finding's class."""

    file: str
    path: str
    rule: str
    print: str
    target: str
    kind: str


@dataclass(frozen=True)
class JobDone:
    """The end; fields as in `Outcome`."""

    skipped: tuple[Mapping[str, str], ...]
    left: Mapping[str, Left]
    diff: str
    acceptable: tuple[Acceptable, ...] = ()


JobAnswer = JobProgress | FileChange | JobUndecided | JobFailed | JobDone
CODEC = Codec(Job, JobProgress, FileChange, JobUndecided, JobFailed, JobDone)


@dataclass
class Outcome:
    """What a job found. `left`: what there is in each file as it is, by URI.

    `undecided`: targets among which nothing chooses; `failed`: why there is no result.
    """

    files: list[FileChange] = field(default_factory=list)
    skipped: list[dict[str, str]] = field(default_factory=list)
    left: dict[str, Left] = field(default_factory=dict)
    diff: str = ""
    acceptable: tuple[Acceptable, ...] = ()
    undecided: tuple[str, ...] = ()
    failed: str = "it ended too early"
