"""What is said of accepted findings, and of the lines that changed."""

from . import Room

BASELINE: Room = {
    "accepted": ("{0} accepted by {1}.", "{0}已由 {1} 接受。"),
    "accepted now": ("{1} written: {0} accepted.", "已写入 {1}：接受 {0}。"),
    "baselines": ("{0} baselines", "{0} 个基线"),
    "unused": (
        "{0} no longer found (line {1}); `uncuda check --prune-baseline` drops the entries",
        "{0}已不存在（第 {1} 行）；`uncuda check --prune-baseline` 可删除这些条目",
    ),
    "doubted": (
        "lines {0} and {1} give different reasons for one finding; leave the right one",
        "第 {0} 行与第 {1} 行对同一问题给出了不同的理由；请保留正确的一行",
    ),
    "pruned": ("{0} dropped", "已删除 {0}"),
    "baseline unreadable": ("cannot be read: {0}", "无法读取：{0}"),
    "baseline not utf-8": ("is not UTF-8: {0}", "不是 UTF-8 编码：{0}"),
    "baseline without format": (
        'has no line with the format, as `{{"format": {0}, "counts": {{}}}}`',
        '缺少格式行，例如 `{{"format": {0}, "counts": {{}}}}`',
    ),
    "baseline newer": (
        "has the format {0}, which this version of uncuda does not know; use the one that wrote it",
        "格式为 {0}，当前版本的 uncuda 无法识别；请使用写入它的版本",
    ),
    "baseline conflict": (
        "is a conflict of a merge: keep the lines of both sides (`merge=union` in .gitattributes does that)",
        "存在合并冲突：请保留双方的行（在 .gitattributes 中设置 `merge=union` 可自动完成）",
    ),
    "baseline not json": ("is no valid JSON: {0}", "不是有效的 JSON：{0}"),
    "baseline not object": ("is no JSON object", "不是 JSON 对象"),
    "baseline member": ("has an unknown member `{0}`", "包含未知成员 `{0}`"),
    "baseline lacks": ("has no `{0}`", "缺少 `{0}`"),
    "baseline value": ("has a `{0}` that cannot be right", "`{0}` 的值无效"),
    "baseline changed": (
        "was changed by somebody else meanwhile; nothing was written, run again",
        "在此期间已被他人修改；未写入任何内容，请重新运行",
    ),
    "baseline unwritten": ("{0}", "无法写入：{0}"),
    "baseline missing": ("there is no such file", "文件不存在"),
}
