"""Finds, in the text of one file, classes that define `cuda` or `is_cuda` themselves, or have a field `is_cuda`."""

from __future__ import annotations

import ast
import re
import textwrap
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from .. import lazy_re
from ..byte_search import contains, contains_any
from ..facts.piece import parsed
from ..facts.scans import plain
from ..facts.scopes import FUNCTION
from ..project import ACTS, FIELD, INHERITS, MOVES, PATCHES, Owner

IS_CUDA = "is_cuda"
METHODS = ("cuda", IS_CUDA)
_CLASS = lazy_re.compile(
    r"[ \t]*class[ \t]+(?P<name>\w+)[ \t]*\((?P<bases>[^()]{0,2000}(?:\([^()]{0,500}\)[^()]{0,500}){0,9})\)"
)
_METHOD = lazy_re.compile(r"def[ \t]+(?P<name>cuda|is_cuda)\(")
_FIELD = lazy_re.compile(r"is_cuda[ \t]*(?::[^\n=,()#]*\bbool\b[^\n=,()#]*(?:=|\r?\n|#|\Z)|=(?!=))")
_SET_IN_METHOD = lazy_re.compile(r"is_cuda[ \t]*(?::[^\n=,()#]{0,200})?=(?!=)")
_TO = lazy_re.compile(r"def[ \t]+(?P<name>to)\(")
_INDENTED = lazy_re.compile(r"(?P<indent>[ \t]*)(?:async[ \t]+)?def[ \t]+(?P<name>\w+)")
_HEADS = ("class", "def")
_HEAD = lazy_re.compile(r"(?P<indent>[ \t]*)(?:class|(?:async[ \t]+)?(?P<def>def))[ \t]+(?P<name>\w+)")
_MARGIN = lazy_re.compile(r"\n(?=[^\s#)\]}\"'])")
_INDENT = lazy_re.compile(r"[\s#)\]}\"']|\Z")
_PARTS = lazy_re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_TORCHS = ("Module", "Tensor", "Parameter")
_MOVERS = frozenset({"cuda", "to"})
_LONGEST = 4000
_MANY = 64
_FEW = 16  # up to this number of names, each is searched separately
_HOLDERS = "|".join(_TORCHS)
# `_matches_behind` checks the character before a match; patterns that check it themselves take many times as long.
_SETS_TEXT = rf"(?:{_HOLDERS})\.(?P<method>cuda|is_cuda)[ \t]*=(?!=)"
_SETS_BY_NAME_TEXT = rf"setattr\([ \t]*(?:\w+\.)*(?:{_HOLDERS})[ \t]*,[ \t]*[\"'](?P<method>cuda|is_cuda)[\"']"
_SETS, _SETS_IN_BYTES = lazy_re.compile(_SETS_TEXT), lazy_re.compile(_SETS_TEXT.encode())
_SETS_BY_NAME, _SETS_BY_NAME_IN_BYTES = (
    lazy_re.compile(_SETS_BY_NAME_TEXT),
    lazy_re.compile(_SETS_BY_NAME_TEXT.replace(r"\w", r"[\w\x80-\xff]").encode()),
)
_SETTING = "setattr("
_SET = tuple(f"{holder}.{method}" for holder in _TORCHS for method in METHODS)
_QUOTED = tuple(f"{quote}{method}{quote}" for method in METHODS for quote in "\"'")
_SET_BYTES, _QUOTED_BYTES = (tuple(word.encode() for word in words) for words in (_SET, _QUOTED))
_SET_CUDA = tuple(word for word in _SET_BYTES if not word.endswith(IS_CUDA.encode()))
_SETTING_BYTES = _SETTING.encode()
PATCHING = (*(f"{last}.{method}" for last in "re" for method in METHODS), _SETTING)
"""Every file that replaces `cuda` or `is_cuda` of torch contains one of these words."""


Find = Callable[[str, str], Sequence[int]]
"""A function that returns the offsets of a word in a text."""


def places_of(text: str, word: str) -> Sequence[int]:
    """Return the offsets of a word in a text."""
    return list(plain(word)(text, 0, len(text)))


def owners_of(
    text: str, is_code: Callable[[int], bool], known: Collection[Owner] = (), find: Find = places_of
) -> frozenset[Owner]:
    """The classes in a file that define `cuda` or `is_cuda` or have a field `is_cuda`, classes derived from them, and
    functions that return them.

    `is_code`: whether the character at an offset is code. `known`: classes of other files that define `cuda` or
    `is_cuda` themselves; the result also contains the classes of this file that derive from a class in `known`,
    directly or through other classes of this file. `find`: a function that returns the offsets of a word in the text.
    """
    defines = any(f"def {method}(" in text for method in METHODS)
    found = [(m, holder) for m, holder in _methods(text, find) if is_code(m.start("name"))] if defines else []
    patches = {Owner(method, "", PATCHES) for at, method in patches_of(text, find) if is_code(at)}
    fields = {holder for at, holder in _fields(text, find) if is_code(at)}
    if not found and not fields and not known:
        return frozenset(patches)
    bases = {match["name"]: _last_words(match["bases"]) for match in _classes(text, find)}
    torchs = _derived({name: name for name, words in bases.items() if _is_torchs(words)}, bases)
    moving = {holder for match, holder in _methods(text, find, _TO)} if found and torchs else set()
    kinds = {(IS_CUDA, holder): FIELD for holder in fields}
    for match, holder in found:
        body = _body(text, match) if holder else ""
        # if a class has its own `to`, and its `cuda` calls it, torch's method of the target does not
        acts = holder in moving and holder in torchs and "self.to(" in body
        kinds[match["name"], holder] = ACTS if acts else _kind(body, match["name"], holder in torchs)
    owners = patches | {Owner(method, name, kind) for (method, name), kind in kinds.items()}
    for method in METHODS:
        own = {owner.name: owner.kind for owner in known if owner.method == method and owner.name}
        own |= {name: kind for (what, name), kind in kinds.items() if what == method and name}
        own = _derived(own, bases) if own else {}
        owners |= {Owner(method, name, kind) for name, kind in own.items()}
        owners |= {Owner(method, maker, own[name]) for maker, name in _makers(text, own, find)}
    return frozenset(owners)


def may_patch(data: bytes, named: bool = True) -> bool:
    """Whether the bytes of a file show that it may replace `cuda` or `is_cuda` of torch; a fast check. `named`: whether
    they contain `is_cuda`."""
    if contains_any(data, _SET_BYTES if named else _SET_CUDA) and _SETS_IN_BYTES.search(data) is not None:
        return True
    if not (contains(data, _SETTING_BYTES) and contains_any(data, _QUOTED_BYTES)):
        return False
    return _SETS_BY_NAME_IN_BYTES.search(data) is not None


def patches_of(text: str, find: Find = places_of) -> Iterator[tuple[int, str]]:
    """Yield (offset, "cuda" or "is_cuda") for each statement that replaces this member of a tensor, module or parameter
    of torch: `torch.Tensor.cuda = move`. `find`: a function that returns the offsets of a word in the text."""
    for word in _SET:
        yield from _matches_behind("", _SETS, text, find(text, word))
    if any(find(text, word) for word in _QUOTED):
        yield from _matches_behind(".", _SETS_BY_NAME, text, find(text, _SETTING))


def _matches_behind(
    excluded: str, pattern: re.Pattern[str], text: str, places: Sequence[int]
) -> Iterator[tuple[int, str]]:
    """Yield (offset, method name) for each offset in `places` at which a pattern matches. A match after a word
    character, or after a character of `excluded`, does not count."""
    for at in places:
        before = text[at - 1 : at] if at else ""
        if not (before.isalnum() or before == "_" or (before and before in excluded)):
            if match := pattern.match(text, at):
                yield at, match["method"]


def _derived(known: dict[str, str], bases: dict[str, list[str]]) -> dict[str, str]:
    """Return the known classes, plus all classes that derive from them."""
    below: dict[str, list[str]] = {}
    for name, words in bases.items():
        for word in words:
            below.setdefault(word, []).append(name)
    found, waiting = dict(known), list(known)
    while waiting:
        name = waiting.pop()
        for derived in below.get(name, ()):
            if derived not in found:
                found[derived] = found[name]
                waiting.append(derived)
    return found


def _last_words(bases: str) -> list[str]:
    return [word for base in bases.split(",") if (word := base.partition("[")[0].rpartition(".")[2].strip())]


def _is_torchs(bases: Iterable[str]) -> bool:
    return any(base.endswith(_TORCHS) for base in bases)


def _classes(text: str, find: Find) -> Iterator[re.Match[str]]:
    """Yield the headers of classes that have base classes."""
    done = 0
    for at in find(text, "class"):
        line = text.rfind("\n", 0, at) + 1
        if line >= done and not text[line:at].strip(" \t") and (match := _CLASS.match(text, line)) is not None:
            done = match.end()
            yield match


def _methods(text: str, find: Find, pattern: re.Pattern[str] = _METHOD) -> Iterator[tuple[re.Match[str], str]]:
    """The indented definitions of `cuda` and `is_cuda`, or of the methods of another pattern, each with the name of its
    class, or "" if it is in no class."""
    before: dict[int, tuple[int, str]] = {}
    heads: list[int] = []
    for match in pattern.finditer(text):
        line = text.rfind("\n", 0, match.start()) + 1
        found = _INDENTED.match(text, line)
        if found is not None and found["indent"] and found.start("name") == match.start("name"):
            heads = heads or sorted(at for word in _HEADS for at in find(text, word))
            holder = _holder(text, heads, found, before)
            before[len(found["indent"])] = line, holder
            yield found, holder


def _fields(text: str, find: Find) -> Iterator[tuple[int, str]]:
    """Yield (offset, class) for each `is_cuda: bool` in a class, and each `self.is_cuda = …` in a method of a class.
    Only the first `_MANY` places are looked at."""
    heads: list[int] = []
    for at in find(text, IS_CUDA)[:_MANY]:
        line = text.rfind("\n", 0, at) + 1
        before = text[line:at].lstrip(" \t")
        pattern = {"": _FIELD, "self.": _SET_IN_METHOD}.get(before)
        if pattern is None or not pattern.match(text, at):
            continue
        heads = heads or sorted(place for word in _HEADS for place in find(text, word))
        above = _head_above(text, heads, at, at - len(before) - line)
        if before and above is not None and above["def"]:
            above = _head_above(text, heads, above.start(), len(above["indent"]))
        if above is not None and not above["def"]:
            yield at, above["name"]


def _head_above(text: str, heads: Sequence[int], at: int, indent: int) -> re.Match[str] | None:
    """The nearest header of a class or function above an offset with an indentation of less than `indent`."""
    found = (_HEAD.match(text, line) for line in _lines_above(text, heads, at))
    return next((head for head in found if head is not None and len(head["indent"]) < indent), None)


def _lines_above(text: str, heads: Sequence[int], at: int) -> Iterator[int]:
    """Yield the starts of the lines above an offset that contain one of the words at the offsets `heads`, the nearest
    first."""
    for index in range(bisect_left(heads, at) - 1, -1, -1):
        yield text.rfind("\n", 0, heads[index]) + 1


def _holder(text: str, heads: Sequence[int], method: re.Match[str], before: Mapping[int, tuple[int, str]]) -> str:
    """The class whose body contains a method; "" for a definition in a function or at module level.

    `heads`: the offsets of the words `class` and `def`; `before`: for each indentation, the line and the class of the
    previous method.
    """
    indent = len(method["indent"])
    for line in _lines_above(text, heads, method.start()):
        if (known := before.get(indent)) is not None and known[0] == line:
            return known[1]
        head = _HEAD.match(text, line)
        if head is not None and len(head["indent"]) < indent:
            return "" if head["def"] else head["name"]
    return ""


def _body(text: str, method: re.Match[str]) -> str:
    """Return the dedented source of a method, up to the next line that is not indented deeper; "" if it is too long."""
    ending = re.compile(rf"^[ \t]{{0,{len(method['indent'])}}}[^\s#)]", re.M)
    most = method.start() + _LONGEST
    end = ending.search(text, text.find("\n", method.end()) % (len(text) + 1), most)
    if end is None and most < len(text):
        return ""
    body = text[method.start() : end.start() if end else len(text)]
    return textwrap.dedent(body.replace("\r\n", "\n"))  # dedent does not take a line that is only \r for a blank line


def _kind(body: str, method: str, torchs: bool) -> str:
    tree = parsed(body)
    if tree is None or len(tree.body) != 1:
        return ACTS
    (function,) = tree.body
    if method != "cuda" or not isinstance(function, ast.FunctionDef):
        return ACTS
    if not any(isinstance(node, ast.expr) and _is_move(node) for node in ast.walk(function)):
        return ACTS
    # In a class derived from a torch class, torch itself moves most members; an assignment such as `self.x =
    # self.x.cuda()` moves a member that torch does not move.
    if torchs:
        return INHERITS if all(map(_moves, function.body)) else ACTS
    return MOVES if all(map(_moves_plain, function.body)) else ACTS


def _moves(statement: ast.stmt) -> bool:
    """Return whether a statement only moves a member of `self` to a device (`self.x.cuda()`), returns `self` or the
    result of such a move, or does nothing."""
    if isinstance(statement, ast.Expr):
        return _is_text(statement.value) or _is_move(statement.value)
    if isinstance(statement, ast.Return):
        return statement.value is None or _is_self(statement.value) or _is_move(statement.value)
    return isinstance(statement, ast.Pass)


def _moves_plain(statement: ast.stmt) -> bool:
    """Return whether a statement only stores members that it moves to a device (`self.x = self.x.cuda()`), or returns a
    new object that is made from them. The class that contains the statement must not derive from a torch class."""
    if isinstance(statement, ast.Assign):
        return _is_move(statement.value)
    if isinstance(statement, ast.If):
        return all(map(_moves_plain, (*statement.body, *statement.orelse)))
    if isinstance(statement, ast.Return) and isinstance(statement.value, ast.Call) and not _is_move(statement.value):
        call = statement.value
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        return all(isinstance(value, (ast.Constant, ast.Attribute, ast.Name)) or _is_move(value) for value in values)
    return _moves(statement) or isinstance(statement, ast.Raise)


def _is_move(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _MOVERS


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _is_self(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id == "self"


def _makers(text: str, names: Collection[str], find: Find) -> Iterator[tuple[str, str]]:
    """Yield (function, class) for the module's functions that return an object of one of the classes, or have the class
    as return annotation."""
    either = "|".join(map(re.escape, sorted(names)))
    if not either:
        return
    made = re.compile(rf"(?:^[ \t]+return[ \t]+|->[ \t]*[\"']?)(?:\w+\.)*({either})\b", re.M)
    done = 0
    few = len(names) <= _FEW
    places = (
        sorted(at for name in names for at in find(text, name))
        if few
        else [match.start() for match in re.finditer(either, text)]
    )
    function: re.Match[str] | None = None
    found = False
    for at in places:
        if at >= done:
            start, below = _margin_above(text, at, done), _MARGIN.search(text, at)
            done = below.end() if below else len(text)
            function, found = FUNCTION.match(text, start, done), False
        if function is None or found or at < function.end():
            continue
        end = text.find("\n", at)
        line = max(text.rfind("\n", 0, at) + 1, function.end())
        if match := made.search(text, line, end if end >= 0 else len(text)):
            found = True
            yield function[1], match[1]


def _margin_above(text: str, offset: int, floor: int) -> int:
    """The start of the last unindented line at or above an offset; lines above the offset `floor` are not looked at."""
    line = text.rfind("\n", 0, offset) + 1
    while line > floor and _INDENT.match(text, line):
        line = text.rfind("\n", 0, line - 1) + 1
    return line


def called_so(receiver: ast.expr, names: Iterable[str]) -> bool:
    """Whether the name of a variable is made from the name of one of the classes: `src_batch` or `batches[0]` for
    `GraphBatch`."""
    while isinstance(receiver, ast.Subscript):
        receiver = receiver.value
    spelled = receiver.id if isinstance(receiver, ast.Name) else getattr(receiver, "attr", "")
    words = {word.rstrip("s0123456789") for word in spelled.lower().split("_")}
    words |= {word.removesuffix("es") for word in spelled.lower().split("_")}
    for name in names:
        parts = _PARTS.findall(name)
        if parts and not words.isdisjoint({parts[-1].lower().rstrip("s"), name.lower().rstrip("s")}):
            return True
    return False
