"""Weighs the evidence that a string is a device string: its role proves it (safe), suggests it (review), or shows
nothing (None)."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase

from .. import lazy_re
from ..catalogue import Rule
from ..edits import REVIEW, SAFE
from ..facts.read import Facts, Statement
from ..facts.role_calls import COMPREHENSIONS, chain_of, last_word
from ..facts.roles import Role, unwrapped
from ..facts.scans import uses
from ..module_names import SELECTS
from .asked_strings import is_asked_for
from .base import is_listed
from .checkpoint_maps import is_map_location, is_sure
from .device_entries import says_index
from .result_words import KEEPING
from .string_flow import TESTS, Flow
from .string_members import MemberIndex, Members
from .string_patterns import MODULES, other_expressions, patterns

TORCHS, OWN = "torch", "own"
_SILENT_KINDS = frozenset({"statement", "other", "receiver", "concatenation", "subscript"})
ACCELERATORS = frozenset({"hip", "hpu", "mtia", "tpu", "xla", "xpu"})
# Classes, of any library, whose objects store each keyword argument under its keyword: `Namespace(device="cuda")`.
_HOLDERS = frozenset({"HParams", "Namespace", "SimpleNamespace", "ConfigDict", "EasyDict", "AttrDict", "Munch"})
# Functions that receive strings that are text for people, or names of files, modules or patterns.
_FILE_CALLS = frozenset(
    {"join", "Path", "PurePath", "open", "exists", "isfile", "isdir", "glob", "rglob", "import_module", "find_spec",
     "find_library", "CDLL", "__import__"}
)  # fmt: skip
_PROSE_CALLS = _FILE_CALLS | frozenset(
    {"print", "pprint", "debug", "info", "warn", "warning", "warning_once", "error", "critical", "exception", "log",
     "info_once", "print_rank_0", "log_dist", "echo", "secho", "write", "fail", "skip", "skipif", "skipIf",
     "skipUnless", "xfail", "set_description", "set_postfix", "add_scalar", "set_title", "title",
     "getLogger", "get_logger",
     "importorskip", "namedtuple", "TypeVar", "NewType", "add_parser", "range_push", "Timer", "encode",
     "len"}
)  # fmt: skip
_SAID = (_PROSE_CALLS - _FILE_CALLS) | {"success"}
_DEEP = 30  # how many expressions around a string are looked at
_SHOWN = frozenset({"upper", "title", "capitalize", "center", "ljust", "rjust"})  # methods that make a text for people
_PROSE_PARAMETERS = frozenset(
    {"help", "description", "desc", "doc", "epilog", "metavar", "prog", "msg", "message", "reason", "title", "label",
     "text", "prefix", "suffix", "tag", "tags", "caption", "usage", "short_help"}
)  # fmt: skip
_LOOKS_FOR = frozenset({"compile", "findall", "finditer", "fullmatch", "match", "search"})
_PROSE_MODULES = MODULES | {"logging", "warnings"}
_LISTS = lazy_re.compile(r"(?:async[ \t]+)?for\b|assert\b")  # `for x in kinds`, `assert x in kinds` choose nothing
_GIVES_DEVICE = lazy_re.compile(SELECTS)
_PACKAGE = lazy_re.compile(r"[\w.-]*\w")
_RAISED = lazy_re.compile(r"\w*(?:Error|Exception|Warning)\Z")


def complete(role: Role, statement: Statement, flow: Flow) -> Role:
    """Return the role, completed with facts from earlier lines: for a string in a `case`, the subject of the `match`;
    for a returned string, the name of the function; for a string that is compared with the first part of a divided
    string, `parts[0]` after `parts = device.split(":")`, the name of what is divided."""
    facts = flow.context.facts
    if role.kind == "case" and role.subject is None:
        header = facts.indents.header_above(statement.start)
        above = facts.peek(header.start) if header and header.word == "match" else None
        node = above.digest.piece.nodes[0] if above else None
        if isinstance(node, ast.Match):
            role.subject, role.name = node.subject, last_word(node.subject)
    elif role.kind == "return" and not role.name:
        role.name = flow.function_of(statement)
    elif role.kind in TESTS and isinstance(role.subject, (ast.Call, ast.Subscript)):
        divided = flow.divided(role.subject, statement)
        if divided is not role.subject:
            role.name = last_word(unwrapped(divided)[0])
    return role


def weigh(rule: Rule, role: Role, statement: Statement, flow: Flow, members: MemberIndex) -> str | None:
    """Return the fix class of this string, "safe" or "review"; None if the rule does not apply to the string."""
    if role.kind in _SILENT_KINDS or (role.kind == "key" and not (rule.get("entry") or "key" in rule.get("roles", ()))):
        return None
    if role.kind == "key" and is_map_location(role):
        return None  # in `map_location={"cuda:0": "cuda:1"}`, the fix of the value also adds an entry for the target
    if is_silent(rule, role, flow):
        return None
    if role.containers and not proves(rule, role) and not set(role.items).isdisjoint(rule.get("implementations", ())):
        return None  # the strings in `["cuda", "triton"]` name implementations, not devices
    domain = _domain(rule, role, statement, flow, members.of(role, statement)) if rule.get("own-choices") else ""
    if (domain == OWN) != bool(rule.get("own")):
        return None
    if is_map_location(role) and role.kind == "value":
        return SAFE if is_sure(role) and flow.context.has_torch else REVIEW
    choice = _is_choice_of_accelerators(rule, role, statement) or _is_list_of_accelerators(role, flow.context.facts)
    if choice or _is_matched(rule, role, statement) or _is_of_library(rule, role, statement, flow):
        return REVIEW
    roots = rule.get("needs-import", ())
    known = not roots or any(flow.context.imports_root(root) for root in roots) or _is_of_device(rule, role)
    shown = domain == TORCHS or proves(rule, role) or _is_said_of(rule, role, statement, flow)
    shown = shown or is_asked_for(rule, role, statement, flow)
    if shown or _flows(rule, role, statement, flow):
        return SAFE if known or flow.context.has_torch else REVIEW
    if not known or rule.get("otherwise", "review") == "silent":
        return None
    return REVIEW if _suggests(rule, role) else None


def _domain(rule: Rule, role: Role, statement: Statement, flow: Flow, members: Members) -> str:
    """Return TORCHS if a string is a value that torch defines, OWN if the checked file defines it, "" if the
    surrounding code shows neither."""
    listed, singly = members.listed, members.compared
    if not (listed | singly).isdisjoint(rule.get("own-choices")):
        given = flow.reaches(f"{rule.name}()", role, statement, lambda use: _is_given(rule, use))
        return TORCHS if given else OWN
    if not listed.isdisjoint(rule.get("torch-choices", ())):
        return TORCHS
    if not members.tested or named(role.name, rule.get("hints", ())) or proves(rule, role):
        return ""
    if role.kind == "membership" and not role.containers:
        return ""  # in `"NCCL" in name`, the string may be a part of any name
    return "" if _flows(rule, role, statement, flow) else OWN


def _is_given(rule: Rule, use: Role) -> bool:
    """Whether a value is an argument of a function of torch."""
    return use.kind == "argument" and bool(use.callee) and is_listed(use.callee, rule.get("calls", ()))


def is_silent(rule: Rule, role: Role, flow: Flow) -> bool:
    """Return whether the rule ignores a string because of the function or the parameter that receives the string."""
    if role.kind == "value" and role.name in rule.get("silent-names", ()) and not is_map_location(role):
        return True
    if role.kind != "argument":
        return False
    if is_prose(role) and not _is_pattern(rule, role):
        return True
    called = role.callee or (flow.module_of(role.call.func) if role.call is not None else "")
    kept = role.method in _HOLDERS and isinstance(role.parameter, str)
    if role.method in rule.get("silent-calls", ()) or (not kept and is_listed(called, rule.get("silent-calls", ()))):
        return not flow.context.project.owns(called, flow.context.path)
    if role.parameter in rule.get("silent-parameters", ()) or _is_beside(role, rule.get("silent-arguments", ())):
        return True
    if role.method in ("get", "pop", "setdefault") and role.parameter == 0:
        return True  # the string is a key of a dictionary, not a value
    # In `hasattr(x, "is_cuda")`, the string names an attribute; rules of the check `name` cover attributes.
    return role.method in ("hasattr", "getattr", "setattr", "delattr")


def is_alternative(rule: Rule, node: ast.AST, statement: Statement) -> bool:
    """Return whether a string follows one of the rule's `alternatives` in a tuple inside a list or another tuple. In
    `check_requirements([("onnxruntime", "onnxruntime-gpu")])`, one package of the inner tuple is enough."""
    known, parents = rule.get("alternatives"), statement.digest.parents
    holder = parents.get(node)
    if not isinstance(holder, ast.Tuple) or not isinstance(parents.get(holder), (ast.List, ast.Tuple)):
        return False
    return any(_names_only(item, known) for item in itertools.takewhile(lambda item: item is not node, holder.elts))


def is_conditional(rule: Rule, node: ast.AST, statement: Statement) -> bool:
    """Return whether a conditional expression chooses between the string and one of the rule's `alternatives`:
    `"onnxruntime-gpu" if cuda else "onnxruntime"`."""
    parent = statement.digest.parents.get(node)
    if not isinstance(parent, ast.IfExp) or node is parent.test:
        return False
    return _names_only(parent.orelse if node is parent.body else parent.body, rule.get("alternatives"))


def _names_only(item: ast.expr, packages: Collection[str]) -> bool:
    """Return whether an expression is a string that requires one of the packages, such as `"onnxruntime"`, or is a
    conditional expression with such a string in both branches."""
    if isinstance(item, ast.IfExp):
        return _names_only(item.body, packages) and _names_only(item.orelse, packages)
    value = getattr(item, "value", None)
    package = _PACKAGE.match(value) if isinstance(value, str) else None
    return package is not None and package[0] in packages


def _is_beside(role: Role, words: Collection[str]) -> bool:
    """Return whether the call that has the string as an argument also has one of the strings `words` as an argument:
    `f("cuda", WORD)`."""
    if not words or role.call is None:
        return False
    given = [*role.call.args, *(keyword.value for keyword in role.call.keywords)]
    return any(getattr(value, "value", None) in words for value in given if isinstance(value, ast.Constant))


def is_prose(role: Role) -> bool:
    """Return whether a string is an argument that is text for people, or names a file, a module or a pattern."""
    if role.kind != "argument":
        return False
    function = role.call.func if role.call is not None else None
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        if function.value.id in _PROSE_MODULES:
            return True
    if role.parameter == "device":
        return False  # `model.encode(texts, device="cuda")` is not the method of a string
    return role.method in _PROSE_CALLS or role.parameter in _PROSE_PARAMETERS or bool(_RAISED.match(role.method))


def is_said(node: ast.AST, statement: Statement) -> bool:
    """Return whether an expression is a part of a text for people: of an f-string, of a longer text with spaces, of the
    arguments of `print` or a similar function, of a description, or of the message of an exception."""
    parents = statement.digest.parents
    for outer in itertools.islice(statement.digest.ancestors(node), _DEEP):
        if isinstance(outer, (ast.JoinedStr, ast.Raise, ast.Assert)):
            return True
        if isinstance(outer, ast.BinOp) and any(map(_has_space, (outer.left, outer.right))):
            return True
        if isinstance(outer, ast.keyword) and outer.arg in _PROSE_PARAMETERS:
            return True
        if isinstance(outer, ast.Call) and node is not outer.func and last_word(outer.func) in _SAID:
            return True
        if isinstance(outer, ast.Attribute) and outer.attr in _SHOWN and isinstance(parents.get(outer), ast.Call):
            return True
        node = outer
    return False


def _has_space(node: ast.AST) -> bool:
    """Return whether an expression is a text with a space, or ends with one: `name + " on " + …`."""
    last = node.right if isinstance(node, ast.BinOp) else node
    return isinstance(last, ast.Constant) and isinstance(last.value, str) and " " in last.value


def names_file(role: Role) -> bool:
    """Return whether a string is the name of a file or module, or a part of it: `Path("cuda")`."""
    return role.kind == "argument" and role.method in _FILE_CALLS


def _is_choice_of_accelerators(rule: Rule, role: Role, statement: Statement) -> bool:
    """Return whether a condition lists several accelerators, which shows that its author has considered each of them:
    `x.device.type in ("cuda", "xpu")`. An `assert` chooses nothing: if its list does not change, it only raises."""
    if role.kind != "membership" or ACCELERATORS.isdisjoint(role.items) or not compared(rule, role):
        return False
    return not _is_required(role, statement)


def _is_list_of_accelerators(role: Role, facts: Facts) -> bool:
    """Return whether a string is in a list of several accelerators, and a condition asks whether a value is in the
    list's variable: `KINDS = ("cuda", "xpu")`, `if x.device.type in KINDS:`."""
    if role.kind != "assignment" or not role.containers or ACCELERATORS.isdisjoint(role.items) or not role.name:
        return False
    places = facts.searches.find(("flag", role.name), uses(role.name, True)) if facts.says(f" in {role.name}") else ()
    facts.work.compare(len(places))
    lines = (facts.text[facts.layout.logical_line(at)[0] : at].strip() for at in places)
    asks = (line for line in lines if line.endswith(" in"))
    return any(not _LISTS.match(line) and " for " not in line for line in asks)


def _is_required(role: Role, statement: Statement) -> bool:
    """Return whether an `assert` raises unless a value is in the list that contains the string: `assert kind in
    ("cuda", "cpu")`."""
    inner = role.node
    for outer in statement.digest.ancestors(role.node):
        if isinstance(outer, ast.Assert):
            return inner is outer.test
        is_in = isinstance(outer, ast.Compare) and [type(one) for one in outer.ops] == [ast.In]
        both = isinstance(outer, ast.BoolOp) and isinstance(outer.op, ast.And)
        if not is_in and not both and outer not in role.containers:
            return False
        inner = outer
    return False


def _is_matched(rule: Rule, role: Role, statement: Statement) -> bool:
    r"""Return whether a regular expression in the same condition contains one of the rule's words: `x == "cuda" or
    re.match(r"^(cuda|gpu)", x)`. A fix would change the string `"cuda"`, but not a regular expression that the rule
    does not report."""
    if role.kind not in TESTS or not patterns(statement.digest):
        return False
    return any(node is not role.node for node in other_expressions(rule, statement.digest))


def _is_of_library(rule: Rule, role: Role, statement: Statement, flow: Flow) -> bool:
    """Return whether a comparison is joined by `and` with a question for the CUDA of another library, which has none
    for the target: `pycolmap.has_cuda and device.type == "cuda"`."""
    imported = flow.context.imports_root
    known = [name for name in rule.get("asks-library", ()) if imported(name.partition(".")[0])]
    compare = statement.digest.parents.get(role.node) if known and role.kind in TESTS else None
    both = statement.digest.parents.get(compare) if compare is not None else None
    if not isinstance(both, ast.BoolOp) or not isinstance(both.op, ast.And):
        return False
    asked = (node for value in both.values if value is not compare for node in ast.walk(value))
    return any(_dotted(node, flow) in known for node in asked if isinstance(node, (ast.Name, ast.Attribute)))


def _dotted(node: ast.AST, flow: Flow) -> str:
    """Return the dotted name of an imported object that is not torch's: "pycolmap.has_cuda"; "" for other nodes."""
    module, parts = flow.module_of(node), chain_of(node)[1]
    return ".".join([module, *parts]) if module else ""


def proves(rule: Rule, role: Role) -> bool:
    """Return whether the way in which the code uses a string (its role) is enough to prove what the string means."""
    if role.kind == "argument" and (_proves_argument(rule, role) or _is_pattern(rule, role)):
        return True
    if role.kind == "receiver" and role.method == "index" and role.call is not None:
        return any(named(last_word(value), rule.get("names", ())) for value in role.call.args)
    if role.kind in _SILENT_KINDS or (role.kind == "key" and not rule.get("entry")):
        return False
    if role.kind == "value" and role.outer is not None and _is_named(rule, role.outer):
        return True
    if role.name and role.kind != "key" and named(role.name, rule.get("names", ())):
        return True
    if role.containers and any(fnmatchcase(role.name, pattern) for pattern in rule.get("lists", ())):
        return True
    if role.containers and role.parameter in rule.get("list-arguments", ()) and not role.option:
        return bool(role.items) and set(role.items).issubset(rule.get("suggesting-items", ()))
    if role.kind in TESTS and (compared(rule, role) or _is_looked_for(rule, role)):
        return True
    return any(item in rule.get("proving-items", ()) for item in role.items)


def _is_named(rule: Rule, role: Role) -> bool:
    """Return whether a dictionary is an argument or variable whose name says what its values are:
    `device_map={"": "cuda:0"}`."""
    name = role.parameter if role.kind == "argument" else role.name
    return isinstance(name, str) and bool(name) and named(name, rule.get("names", ()))


def _proves_argument(rule: Rule, role: Role) -> bool:
    if role.callee and is_listed(role.callee, rule.get("calls", ())):
        if isinstance(role.parameter, int) or role.parameter is None:
            return True
        return named(role.parameter, (*rule.get("names", ()), *rule.get("parameters", ())))
    if role.method in rule.get("methods", ()):
        return bool(rule.get("anywhere")) or role.parameter in (0, "device")
    return False


def _is_looked_for(rule: Rule, role: Role) -> bool:
    """Return whether a string is a part of an error message that the code searches in another text. A string that is
    only assigned to a variable does not count as searched for."""
    return bool(rule.get("message-text")) and role.node is not role.subject


def _is_pattern(rule: Rule, role: Role) -> bool:
    """Return whether a string is a part of an error message that is used as a regular expression: `re.search("CUDA out
    of memory", str(e))`."""
    function = role.call.func if role.call is not None else None
    if not rule.get("message-text") or role.parameter not in (0, "pattern") or role.method not in _LOOKS_FOR:
        return False
    return isinstance(function, ast.Attribute) and last_word(function.value) in MODULES


def compared(rule: Rule, role: Role) -> bool:
    """Whether the string is compared with a value that torch itself reports: `.type`, `get_backend()`."""
    words = rule.get("compared", ())
    return role.name in words or (isinstance(role.subject, ast.Attribute) and f".{role.name}" in words)


def holds_truth(rule: Rule, role: Role, statement: Statement, flow: Flow) -> bool:
    """Return whether the string is compared with a variable to which only values that torch itself reports are
    assigned: `backend = get_backend()`."""
    place = flow.place(role, statement) if role.kind in TESTS and not isinstance(role.subject, ast.Call) else None
    if place is None:
        return False
    spelled, scope = place
    values: list[ast.expr] = []
    for found in flow.naming(spelled, scope):
        if "." not in spelled and found.start != scope and flow.scope(spelled, found.start, role) != scope:
            continue
        for node in found.digest.piece.nodes:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            if any(target is not None and ast.unparse(target) == spelled for target in targets):
                value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
                if value is None:
                    return False
                values.append(value)
            elif any(
                binding.name == spelled and (binding.kind != "parameter" or found.start == scope)
                for binding in found.digest.bindings
            ):
                return False
    cores = [unwrapped(value)[0] for value in values]
    return bool(cores) and all(
        compared(rule, Role("comparison", core, name=last_word(core), subject=core)) for core in cores
    )


def _is_of_device(rule: Rule, role: Role) -> bool:
    """Whether the name of the object in `device.type == "cuda"` is a name for devices."""
    subject = role.subject
    if role.kind not in TESTS or not isinstance(subject, ast.Attribute) or not compared(rule, role):
        return False
    return named(last_word(subject.value), rule.get("names", ()))


def _is_said_of(rule: Rule, role: Role, statement: Statement, flow: Flow) -> bool:
    """In `str(select_device()) == "cuda:0"` and `get_device() == "cuda"`: whether the name of the function matches a
    pattern in the rule's key `names`, and no library with devices of its own has the function or gets its results.
    Without `str`, the file must define the function, or its name must say that it selects a device; in a comparison,
    the project must define it, too."""
    if role.kind not in ("comparison", "membership") or not isinstance(role.subject, ast.Call):
        return False
    outer, function = statement.digest.parents.get(role.subject), role.subject.func
    name = last_word(function)
    if not named(name, rule.get("names", ())):
        return False
    if (isinstance(outer, ast.Call) and last_word(outer.func) == "str") or flow.context.facts.says(f"def {name}("):
        return True
    if role.kind == "membership" and role.containers:
        return False
    makers, module = flow.context.project.device_makers, flow.module_of(function)
    if is_listed(module, rule.get("silent-calls", ())) or any(maker.endswith(f".{name}") for maker in makers):
        return False
    if role.kind == "membership":
        return _GIVES_DEVICE.fullmatch(name) is not None
    return flow.context.project.selects(name, module)


def _flows(rule: Rule, role: Role, statement: Statement, flow: Flow) -> bool:
    """Return whether another use of the same variable proves what the string means; the variable holds the string, or
    is compared with it."""
    if role.kind not in ("assignment", "default", "item", "return", *TESTS) or role.option:
        return False
    return flow.reaches(rule.name, role, statement, lambda use: proves(rule, use))


def _suggests(rule: Rule, role: Role) -> bool:
    near = any(item in rule.get("suggesting-items", ()) for item in role.items)
    # a list that a comprehension iterates over may be a list of devices to try
    near = near or any(isinstance(holder, COMPREHENSIONS) for holder in role.containers)
    if role.kind == "value" and role.outer is not None:
        return near or says_index(role) or named(role.outer.name, (*rule.get("names", ()), *rule.get("parameters", ())))
    if role.kind in ("key", "value") and not near:
        return role.kind == "key" and "key" in rule.get("roles", ())
    if role.kind in ("key", "value") or (role.containers and role.kind in ("argument", "item")):
        return near or (role.method in KEEPING and _is_kept_in(role, rule.get("names", ())))
    return True


def _is_kept_in(role: Role, names: Sequence[str]) -> bool:
    """Return whether a method stores a string in a list with one of these names: `providers.insert(0,
    ("CUDAExecutionProvider", {}))`."""
    function = role.call.func if role.call is not None else None
    return isinstance(function, ast.Attribute) and named(last_word(function.value), names)


def named(name: str, patterns: Sequence[str]) -> bool:
    """Whether a name, in lower case, matches one of the patterns."""
    lowered = name.lower()
    return any(fnmatchcase(lowered, pattern) for pattern in patterns)
