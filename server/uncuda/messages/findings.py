"""Texts that are appended to a finding's message, in addition to the messages of rules."""

from . import Room

FINDINGS: Room = {
    "known since": ("since {package} {since}", "自 {since} 起"),
    "not in": ("not in {package} {version}", "{package} {version} 中没有"),
    "alias": ("`{0}` is `{1}`", "`{0}` 即 `{1}`"),
    "every rule": ("every rule", "全部规则"),
    "no such rule": (" (no rule is called {0})", "（没有名为 {0} 的规则）"),
    "portable": ("CUDA only; `{portable}` runs on CUDA, {every}", "仅适用于 CUDA；`{portable}` 可用于 CUDA、{every}"),
    "between targets": (", ", "、"),
    "notes": (" ({0})", "（{0}）"),
    "between notes": ("; ", "；"),
    "note": ("{0}: `{1}`", "{0}：`{1}`"),
}
