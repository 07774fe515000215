"""Functions, grouped by what they do with their arguments: print them, store them, or return them."""

from __future__ import annotations

import ast

from .. import lazy_re
from ..facts.digest import Digest
from ..facts.role_calls import last_word

SAME = frozenset(
    {"Version", "abs", "copy", "deepcopy", "float", "frozenset", "hex", "int", "list", "max", "min", "next", "parse",
     "reversed", "round", "set", "sorted", "str", "sum", "tuple"}
)  # fmt: skip
"""Functions that return a number equal to their argument, or an item of their argument."""
ITEM = frozenset({"max", "min", "next", "sum"})
KEEPING = frozenset({"add", "append", "appendleft", "extend", "insert", "setdefault", "update"})
TEXT = frozenset({"dumps", "format", "join", "pformat", "repr", "str"})
"""Functions that return a string made from their argument."""
TEXTS_OWN = frozenset(
    {"center", "encode", "format", "join", "ljust", "lower", "lstrip", "partition", "replace", "rjust", "rsplit",
     "rstrip", "split", "strip", "title", "upper", "zfill"}
)  # fmt: skip
"""Methods of strings that return the string in another form, or a part of it."""
NOTHING = frozenset({"id", "isinstance", "len", "type"})
"""Functions whose result does not depend on the fields of their argument."""
TABLES_OWN = frozenset({"copy", "items", "values"})
TABLES_ITEM = frozenset({"get", "pop", "popitem", "popleft"})
TABLES_PLAIN = KEEPING | {"clear", "discard", "keys", "remove", "reverse", "sort"}
"""Methods of lists and dictionaries, in three sets: those that return all items, those that return one item, those that
return none."""
SPREAD = frozenset({"format", "print"})
_SHOWS = lazy_re.compile(
    r"(?:rank_?(?:zero|0)_|main_|master_)?(?:p?print|log|debug|info|warn|warning|error)|(?:print|log)_\w+"
    r"|exception|critical|fatal|s?echo|dump|write|writelines|write_text|skip|set_description|set_postfix|add_text|add_row|\w+(?:Error|Exception|Warning|Exit)"
)
_BETWEEN = (ast.Await, ast.BoolOp, ast.IfExp)


def shows(call: ast.Call, digest: Digest) -> bool:
    """Whether a call only prints or logs its arguments, and no code uses its result: `logger.info(x)`."""
    word = last_word(call.func)
    if not _SHOWS.fullmatch(word):
        return False
    parents = digest.parents
    outer = parents.get(call)
    while isinstance(outer, _BETWEEN):
        outer = parents.get(outer)
    return isinstance(outer, (ast.Expr, ast.Raise))
