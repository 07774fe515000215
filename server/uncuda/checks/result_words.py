"""What calls do with what they are given, by their last word: they show it, they keep it, they give the same."""

from __future__ import annotations

import ast
import re

from ..facts.digest import Digest
from ..facts.role_calls import last_word

SAME = frozenset(
    {"Version", "abs", "copy", "deepcopy", "float", "frozenset", "hex", "int", "list", "max", "min", "next", "parse",
     "reversed", "round", "set", "sorted", "str", "sum", "tuple"}
)  # fmt: skip
"""What they give says the same number, or an item of what they are given."""
ITEM = frozenset({"max", "min", "next", "sum"})
KEEPING = frozenset({"add", "append", "appendleft", "extend", "insert", "setdefault", "update"})
TEXT = frozenset({"dumps", "format", "join", "pformat", "repr", "str"})
"""What they give is a text, which says what they are given."""
TEXTS_OWN = frozenset(
    {"center", "encode", "format", "join", "ljust", "lower", "lstrip", "partition", "replace", "rjust", "rsplit",
     "rstrip", "split", "strip", "title", "upper", "zfill"}
)  # fmt: skip
"""Methods of a text that give what it says."""
NOTHING = frozenset({"id", "isinstance", "len", "type"})
"""What they give does not hang on what the object holds."""
TABLES_OWN = frozenset({"copy", "items", "values"})
TABLES_ITEM = frozenset({"get", "pop", "popitem", "popleft"})
TABLES_PLAIN = KEEPING | {"clear", "discard", "keys", "remove", "reverse", "sort"}
"""Methods of a list or dictionary: with all items, with one, and those that do nothing with any."""
SPREAD = frozenset({"format", "print"})
_SHOWS = re.compile(
    r"(?:rank_?(?:zero|0)_|main_|master_)?(?:p?print|log|debug|info|warn|warning|error)|(?:print|log)_\w+"
    r"|exception|critical|fatal|s?echo|dump|write|writelines|write_text|skip|set_description|set_postfix|add_text|add_row|\w+(?:Error|Exception|Warning|Exit)"
)
_BETWEEN = (ast.Await, ast.BoolOp, ast.IfExp)


def shows(call: ast.Call, digest: Digest) -> bool:
    """Whether a call prints or logs what it is given, and nothing is done with what it gives: `logger.info(x)`."""
    word = last_word(call.func)
    if not _SHOWS.fullmatch(word):
        return False
    parents = digest.parents
    outer = parents.get(call)
    while isinstance(outer, _BETWEEN):
        outer = parents.get(outer)
    return isinstance(outer, (ast.Expr, ast.Raise))
