"""Sentences about accepted findings and about changed lines (`--diff-base`)."""

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
        "lines {0} and {1} give different reasons for one finding; delete the wrong line",
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
        "has the format {0}, which this version of uncuda does not know; use the version that wrote it",
        "格式为 {0}，当前版本的 uncuda 无法识别；请使用写入它的版本",
    ),
    "baseline conflict": (
        "has an unresolved merge conflict: keep the lines of both sides (`merge=union` in .gitattributes does that)",
        "存在合并冲突：请保留双方的行（在 .gitattributes 中设置 `merge=union` 可自动完成）",
    ),
    "baseline not json": ("is no valid JSON: {0}", "不是有效的 JSON：{0}"),
    "baseline not object": ("is no JSON object", "不是 JSON 对象"),
    "baseline member": ("has an unknown member `{0}`", "包含未知成员 `{0}`"),
    "baseline lacks": ("has no `{0}`", "缺少 `{0}`"),
    "baseline value": ("has an invalid value of `{0}`", "`{0}` 的值无效"),
    "baseline changed": (
        "was changed by somebody else meanwhile; nothing was written, run again",
        "在此期间已被他人修改；未写入任何内容，请重新运行",
    ),
    "baseline unwritten": ("{0}", "无法写入：{0}"),
    "git missing": (
        "--diff-base needs git, which is in no folder of PATH",
        "--diff-base 需要 git，但 PATH 的目录中没有 git",
    ),
    "git no repository": (
        "--diff-base: {0} is in no git repository; run without --diff-base, or in a clone",
        "--diff-base：{0} 不在 git 仓库中；请去掉 --diff-base，或在克隆的仓库中运行",
    ),
    "git unsafe": (
        (
            "--diff-base: {0} belongs to somebody else, and git does not read it; if you trust it, "
            "`git config --global --add safe.directory {0}`"
        ),
        (
            "--diff-base：{0} 属于其他用户，git 不会读取；如果信任它，"
            "请运行 `git config --global --add safe.directory {0}`"
        ),
    ),
    "git unknown": (
        "--diff-base: git knows no commit `{0}`; `git fetch` it, or name another commit",
        "--diff-base：git 找不到提交 `{0}`；请先 `git fetch`，或指定其他提交",
    ),
    "git unknown in shallow": (
        (
            "--diff-base: git knows no commit `{0}`, and this clone is shallow; clone it whole (`fetch-depth: 0` in a "
            "workflow of GitHub, `GIT_DEPTH: 0` of GitLab, or `git fetch --unshallow`)"
        ),
        (
            "--diff-base：git 找不到提交 `{0}`，且当前为浅克隆；请完整克隆（GitHub 工作流中设置 `fetch-depth: 0`，"
            "GitLab 中设置 `GIT_DEPTH: 0`，或运行 `git fetch --unshallow`）"
        ),
    ),
    "git shallow": (
        (
            "--diff-base: this clone is shallow and lacks the commit that `{0}` and HEAD come from; clone it whole "
            "(`fetch-depth: 0` in a workflow of GitHub, `GIT_DEPTH: 0` of GitLab, or `git fetch --unshallow`)"
        ),
        (
            "--diff-base：当前为浅克隆，缺少 `{0}` 与 HEAD 的共同祖先；"
            "请完整克隆（GitHub 工作流中设置 `fetch-depth: 0`，GitLab 中设置 `GIT_DEPTH: 0`，"
            "或运行 `git fetch --unshallow`）"
        ),
    ),
    "git unrelated": (
        "--diff-base: `{0}` and HEAD have no commit in common; name a revision that HEAD comes from",
        "--diff-base：`{0}` 与 HEAD 没有共同祖先；请指定 HEAD 所源自的提交",
    ),
    "git submodule": (
        (
            "--diff-base: the submodule {0} does not have the commit {1}, which the revision names; run `git fetch` "
            "in the submodule (`fetch-depth: 0` in a workflow of GitHub)"
        ),
        (
            "--diff-base：子模块 {0} 中没有该版本所记录的提交 {1}；请在其中运行 `git fetch`"
            "（GitHub 工作流中设置 `fetch-depth: 0`）"
        ),
    ),
    "git lacks object": (
        "--diff-base: the repository {0} does not have the object {1}; clone it without a filter",
        "--diff-base：仓库 {0} 缺少对象 {1}；请在克隆时不使用 filter",
    ),
    "git failed": ("--diff-base: git in {0}: {1}", "--diff-base：git 在 {0} 中出错：{1}"),
    "baseline missing": ("there is no such file", "文件不存在"),
}
