"""The messages of the overview of a project."""

from . import Room

OVERVIEW: Room = {
    # texts of classes and filters
    "class safe": ("Safe", "安全修复"),
    "class review": ("To review", "需复核"),
    "class manual": ("By hand", "需手动处理"),
    "class accepted": ("Accepted", "已接受"),
    "severity error": ("Errors", "错误"),
    "severity warning": ("Warnings", "警告"),
    "severity information": ("Information", "信息"),
    "place code": ("Code", "代码"),
    "place tests": ("Tests", "测试"),
    # nodes
    "root folder": ("(this folder)", "（此目录）"),
    "folder tests": ("{0} (tests)", "{0}（测试）"),
    "row": ("{0:,} in {1}", "{0:,} 处，{1}"),
    "line": ("line {0}", "第 {0} 行"),
    "tooltip safe": (
        "Fixes that keep the meaning of the code: one click applies them.",
        "保持代码含义的修复：一键完成。",
    ),
    "tooltip review": ("Fixes that a person should read first.", "需要先由人工审阅的修复。"),
    "tooltip manual": ("No fix is known: a person has to decide.", "没有已知的修复：需由人决定。"),
    "tooltip accepted": (
        "Accepted and kept as they are; the reasons are in uncuda-baseline.jsonl.",
        "已评估并保持原样；理由见 uncuda-baseline.jsonl。",
    ),
    # actions
    "fix": ("Fix", "修复"),
    "fix group": ("Fix all {0:,}", "修复全部 {0:,} 处"),
    "show fix": ("Preview the fix", "预览修复"),
    "show fixes": ("Preview fixes", "预览修复"),
    "accept": ("Accept with a reason", "接受并注明理由"),
    "suppress": ("Suppress by a comment, with a reason", "用注释忽略并注明理由"),
    "no room": ("its lines have no room for a comment", "其所在行无法添加注释"),
    "accept group": ("Accept all {0:,}, with a reason", "接受全部 {0:,} 处并注明理由"),
    "why": ("Why: '{0}'", "原因：'{0}'"),
    # texts above the view
    "left": ("{0:,} left", "剩余 {0:,}"),
    "done": ("{0:,} of {1:,} done", "已完成 {0:,}/{1:,}"),
    "accepted": ("{0:,} accepted", "已接受 {0:,}"),
    "shown": ("shown: {0}", "显示：{0}"),
    "badge": ("uncuda: {0} left", "uncuda：剩余 {0}"),
    "reading": ("the files are being read", "正在读取文件"),
    "checking": ("the files are being checked", "正在检查文件"),
    "open only": ("open files only: the workspace was not scanned", "仅已打开的文件：未扫描工作区"),
    "restricted": (
        "open files only: you have not said that you trust this workspace",
        "仅已打开的文件：您尚未信任此工作区",
    ),
    "undecided": (
        "plugins of {0} are imported; nothing is shown before the target is chosen",
        "项目导入了 {0} 的插件；选择目标之前不显示任何结果",
    ),
    "clean": ("nothing is left", "没有剩余问题"),
    "none shown": ("the filter hides all findings", "所有问题均被筛选隐藏"),
    # texts of the review
    "place": ("{0} ({1:,} of {2:,})", "{0}（{1:,}/{2:,}）"),
    "review waits": (
        "The files are still being checked; the review goes on when a finding is found.",
        "文件仍在检查中；发现问题后将继续复核。",
    ),
    "none open": ("Nothing is left to review ({0}).", "没有需要复核的问题（{0}）。"),
    "fixed": ("{0}: fixed", "{0}：修复后"),
    "changed": ("the text has changed, look again", "文本已更改，请重新查看"),
    "not fixed": ("Nothing was fixed: {0}", "未修复任何问题：{0}"),
    "link out": (
        "the file is a link to a file outside of the open folders",
        "该文件是链接，指向已打开目录之外的文件",
    ),
    "no fix": ("no fix is known that could be made automatically", "没有可自动执行的修复"),
    "label": ("uncuda: {0}", "uncuda：{0}"),
    "changes": ("{0}: {1}", "{0}：{1}"),
    # versions
    "update server": (
        "The extension is newer than the uncuda that it runs: update uncuda ({0}).",
        "扩展比它运行的 uncuda 更新：请更新 uncuda（{0}）。",
    ),
    "update client": (
        "The uncuda that runs ({0}) is newer than the extension: update the extension.",
        "运行的 uncuda（{0}）比扩展更新：请更新扩展。",
    ),
}
