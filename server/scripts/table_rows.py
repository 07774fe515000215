"""Rows of the tables, from the parsed data files. No files are read or written here."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from scripts.table_limits import (
    API_FACTS,
    API_REMARKS,
    ENV_FACTS,
    ENV_NOTES,
    ENV_PATTERNS,
    MODULE_ADVICE,
    NATIVE_FACTS,
    NATIVE_TEXTS,
    Ids,
)

Json = dict[str, Any]
Row = tuple[str, ...]

TARGETS = ("npu", "musa")
MUSA_VERSION = "2.7.1"  # torch_cuda_api.json, `roots.musa`: one source tree
SHIM_FLAG = {"npu": "t2n", "musa": "ada"}
KINDS = {"attr": "attribute", "kwarg": "keyword"}

DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
WORD = re.compile(r"(torch[\w.]*) (backend|dispatch key) '(\w+)'")
KEYWORD_VALUE = re.compile(r"(\w+)='(\w+)'")
VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")

# Presence that a remark states and the field `in` does not: `npu.note` of torch.cuda.nvtx.range_push / range_pop
# ("in wheels 2.7.1.post11, 2.13.0, 2.14.0; absent in ...") and of torch.cuda.cudart ("absent before the 2.13/2.14
# wheels").
PRESENCE = {
    "torch.cuda.nvtx.range_push": "001011",
    "torch.cuda.nvtx.range_pop": "001011",
    "torch.cuda.cudart": "000011",
}
# limits.json, amp-gradscaler-device: torch.amp.GradScaler('npu'). `npu.n` names torch.npu.amp.GradScaler, which takes
# other arguments.
REPLACEMENTS = {("npu", "torch.amp.GradScaler"): "torch.amp.GradScaler"}
# The design's list; a value of any other variable is a matter for a reader.
SAFE_VARIABLES = {"CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "PYTORCH_NO_CUDA_MEMORY_CACHING"}
# A script that asks whether it is set builds for CUDA if it is, whatever its name.
MANUAL_VARIABLES = {"CUDA_HOME"}
# `cuda` alone is too common a name to be a module.
MODULE_NAMES = {"cuda (cuda-python)": "cuda.bindings"}


class Table(NamedTuple):
    """One generated file: its path below rules/tables, its columns and its rows."""

    path: str
    columns: Row
    rows: list[Row]


class UnknownRemark(Exception):
    """A string of the data that has no limit id yet."""


def all_tables(data: dict[str, Json]) -> list[Table]:
    """Every table; `data` holds the parsed JSON files by their name without `.json`."""
    tables = []
    for target in TARGETS:
        tables += api_tables(data["torch_cuda_api"], data["transfer_to_npu"], target)
        tables += [
            words_table(data["torch_cuda_api"], target),
            env_table(data["env_map"], target),
            modules_table(data["third_party"], target),
        ]
    return tables + native_tables(data["npu_native_api_support"])


# APIs of torch that are bound to CUDA


API_COLUMNS = (
    "name",
    "kind",
    "status",
    "replacement",
    "present",
    "since",
    "missing",
    "extra",
    "positions",
    "limits",
    "shim",
    "agnostic",
)


def api_tables(api: Json, shim: Json, target: str) -> list[Table]:
    """One table for each version of the plugin."""
    versions = api["npu_versions"] if target == "npu" else [MUSA_VERSION]
    entries = [entry for entry in api["apis"] if is_api(entry, target)]
    digits = presence(entries, target)
    tables = []
    for index, version in enumerate(versions):
        rows = [api_row(entry, target, versions, index, digits[entry["n"]], shim) for entry in entries]
        tables.append(Table(f"{target}/api-{version}.tsv", API_COLUMNS, rows))
    return tables


def is_api(entry: Json, target: str) -> bool:
    """Whether both the name and its counterpart are names (`words_table` has the others)."""
    counterpart = entry[target]["n"]
    return bool(DOTTED.fullmatch(entry["n"]) and (counterpart is None or DOTTED.fullmatch(counterpart)))


def api_row(entry: Json, target: str, versions: list[str], index: int, digits: str, shim: Json) -> Row:
    name, side = entry["n"], entry[target]
    signature = side.get("sig", {})
    return (
        name,
        str(KINDS.get(entry["k"], entry["k"])),
        side["s"],
        replacement(name, side, target),
        digits[index] if digits else "1",
        since(digits, versions),
        ",".join(signature.get("missing", ())),
        ",".join(signature.get("extra", ())),
        str(signature.get("positions_differ", 0)),
        ",".join(api_limits(entry, target)),
        shimmed(entry, target, digits, index, shim),
        entry.get("gen", {}).get("n", ""),
    )


def presence(entries: list[Json], target: str) -> dict[str, str]:
    """One digit for each version of the plugin, or nothing where all versions have the name."""
    if target != "npu":
        return dict.fromkeys((entry["n"] for entry in entries), "")
    digits = {entry["n"]: PRESENCE.get(entry["n"]) or str(entry["npu"].get("in", "")) for entry in entries}
    for entry in entries:
        # A member without digits of its own is there when its class is.
        if entry["k"] == "member" and entry["npu"]["n"] and not digits[entry["n"]]:
            digits[entry["n"]] = digits.get(entry["n"].rpartition(".")[0], "")
    return digits


def since(digits: str, versions: list[str]) -> str:
    """The first version that has the name, where an earlier one lacks it."""
    first = digits.find("1")
    return versions[first] if first > 0 else ""


def replacement(name: str, side: Json, target: str) -> str:
    return REPLACEMENTS.get((target, name)) or str(side["n"] or "")


def shimmed(entry: Json, target: str, digits: str, index: int, shim: Json) -> str:
    """1 where the target's shim makes the name work in this version."""
    name = entry["n"]
    if target == "npu" and name in (rebound := rebound_modules(shim)):
        return rebound[name][index]
    # A class that is rebound as a whole has only the members that the plugin's class has.
    lost_member = entry["k"] == "member" and entry[target]["s"] == "missing"
    if not entry[SHIM_FLAG[target]] or lost_member:
        return "0"
    if target == "musa":
        return "1"
    assigned = shim["assigned"].get(name, {}).get("in", "1" * len(shim["npu_versions"]))
    wrapped = wrapped_names(shim).get(name, assigned)
    return "1" if "0" not in (digits[index : index + 1], assigned[index], wrapped[index]) else "0"


def rebound_modules(shim: Json) -> dict[str, str]:
    """Names left of the arrow in `module_patches`, with their presence in each wheel."""
    return {patch.split(" <- ")[0]: digits for patch, digits in shim["module_patches"].items()}


def wrapped_names(shim: Json) -> dict[str, str]:
    """Functions wrapped by name, except where their whole module is rebound anyway."""
    names = {}
    for text, digits in shim["wrapped"].items():
        module, _, functions = text.partition(": ")
        if functions.startswith("[") and module not in rebound_modules(shim):
            names.update({f"{module}.{function}": digits for function in re.findall(r"'(\w+)'", functions)})
    return names


def api_limits(entry: Json, target: str) -> Ids:
    side = entry[target]
    remarks = [*side.get("lim", ()), *([side["note"]] if "note" in side else ())]
    ids: list[str] = []
    for remark in remarks:
        ids += known(API_REMARKS, remark, f"torch_cuda_api.json, {entry['n']}, {target}")
    ids += API_FACTS.get((target, entry["n"]), ())
    parts = (side["n"] or "").split(".")
    if any(part.startswith("_") and not part.endswith("__") for part in parts):
        ids.append("private-name")
    return tuple(dict.fromkeys(ids))


def known(ids: dict[Any, Any], key: Any, where: str) -> Any:
    if key not in ids:
        raise UnknownRemark(f"{where}: no limit id for {key!r} (server/scripts/table_limits.py)")
    return ids[key]


# Words that are not names: backends, dispatch keys, keywords


WORD_COLUMNS = ("owner", "kind", "word", "replacement", "value", "limits")


def words_table(api: Json, target: str) -> Table:
    """Strings and keywords: `owner` takes `word` where the target's code says `replacement` (with `value`, if any)."""
    rows = []
    for entry in api["apis"]:
        # A counterpart that the data itself does not vouch for is left out.
        if is_api(entry, target) or entry[target].get("note") == "not verified":
            continue
        rows.append((*word_cells(entry["n"], entry[target]["n"]), ",".join(api_limits(entry, target))))
    return Table(f"{target}/words.tsv", WORD_COLUMNS, rows)


def word_cells(name: str, counterpart: str) -> Row:
    if match := WORD.fullmatch(name):
        owner, kind, word = match.groups()
        return owner, kind.replace(" ", "-"), word, counterpart, ""
    owner, _, word = name.rpartition(".")
    if match := KEYWORD_VALUE.fullmatch(counterpart):
        return owner, "keyword", word, match[1], match[2]
    if counterpart.startswith("env ") and VARIABLE.fullmatch(counterpart[4:]):
        return owner, "variable", word, counterpart[4:], ""
    raise UnknownRemark(f"torch_cuda_api.json, {name}: {counterpart!r} is neither a name nor a word")


# Environment variables


def env_table(env: Json, target: str) -> Table:
    rows = [row for entry in env["env"] for row in env_rows(entry, target)]
    return Table(f"{target}/env.tsv", ("name", "replacement", "status", "limits"), rows)


def env_rows(entry: Json, target: str) -> list[Row]:
    names = re.sub(r" \(.*\)", "", entry["cuda"]).split(", ")
    value = entry[target] or ""
    ids: list[str] = []
    if "note" in entry:
        ids += known(ENV_NOTES, entry["note"], f"env_map.json, {entry['cuda']}").get(target, ())
    if value and not VARIABLE.fullmatch(value):
        ids += known(ENV_PATTERNS, value, f"env_map.json, {entry['cuda']}, {target}")
        value = ""
    plain = bool(value) and names == [entry["cuda"]] and not MANUAL_VARIABLES.intersection(names)
    plain = plain and "*" not in entry["cuda"]
    status = ("safe" if entry["cuda"] in SAFE_VARIABLES else "review") if plain else "manual"
    return [(name, value if plain else "", status, ",".join(ENV_FACTS.get((target, name), ids))) for name in names]


# Third-party modules


def modules_table(third_party: Json, target: str) -> Table:
    rows = [module_row(entry, target) for entry in third_party["modules"]]
    return Table(f"{target}/modules.tsv", ("module", "status", "limits"), rows)


def module_row(entry: Json, target: str) -> Row:
    module = MODULE_NAMES.get(entry["module"]) or str(entry["module"])
    side = entry[target]
    where = f"third_party.json, {side['use']}"
    ids = known(MODULE_ADVICE, (target, module), where) if side["use"] else ()
    return module, side["s"], ",".join(ids)


# Native APIs that Ascend's tables say are not, or not everywhere, supported


def native_tables(native: Json) -> list[Table]:
    tables = []
    for index, version in enumerate(native["versions"]):
        rows = [
            row
            for name, entry in native["apis"].items()
            if (row := native_row(name, entry, index, native["texts"])) is not None
        ]
        tables.append(Table(f"npu/native-{version}.tsv", ("name", "status", "hardware", "limits"), rows))
    return tables


def native_row(name: str, entry: Json, index: int, texts: list[str]) -> Row | None:
    """A row where this version says no, or partial and is the newest to list the name (`nohw` speaks of that one)."""
    listed, status = entry["s"], entry["s"][index]
    newest = len(listed.rstrip(".")) - 1
    if status != "n" and not (status == "p" and index == newest):
        return None
    ids = [NATIVE_FACTS[name]] if name in NATIVE_FACTS else []
    ids += [NATIVE_TEXTS[texts[i]] for i in entry.get("t", ()) if texts[i] in NATIVE_TEXTS]
    hardware = ",".join(sorted(entry["nohw"])) if status == "p" else ""
    return name, "no" if status == "n" else "partial", hardware, ",".join(dict.fromkeys(ids))
