"""Messages of the language server's commands, and the questions that it asks."""

from . import Room

COMMANDS: Room = {
    # messages with the titles of commands
    "fix all workspace": ("uncuda: fix all in workspace", "uncuda：修复工作区中的所有问题"),
    "fix all file": ("uncuda: fix all in file", "uncuda：修复文件中的所有问题"),
    "accepting": ("uncuda: looking for findings to accept", "uncuda：正在查找要接受的问题"),
    "report": ("uncuda: report on the port", "uncuda：生成移植报告"),
    "check workspace": ("uncuda: checking the workspace", "uncuda：正在检查工作区"),
    "preview": ("uncuda: preview of all fixes", "uncuda：预览所有修复"),
    "label": ("uncuda: fix all", "uncuda：修复所有问题"),
    "shared": ("needed by several rules", "多条规则共同需要"),
    "opener": ("this entry makes no change; all ticked changes are safe", "无改动；已勾选的均为安全修复"),
    "to review": ("{0} (to review)", "{0}（需复核）"),
    "between": ("; ", "；"),
    # messages that ask the user
    "which target": (
        "The project imports plugins of {targets}. Which accelerator is the project to run on?",
        "项目导入了 {targets} 的插件。要迁移到哪一种加速器？",
    ),
    "undecided": (
        "the project imports plugins of {targets}; set `target`, or switch the target, to choose one of them",
        "项目导入了 {targets} 的插件；请设置 `target` 或切换目标，以指定其中之一",
    ),
    "portable": ("portable (CUDA, {0})", "同一份源码（CUDA、{0}）"),
    "cannot create": (
        "the fix needs a new file, the helper module, and your editor cannot create files: `{0}`",
        "此修复需要新建一个说明当前加速器的模块文件，而您的编辑器不为服务器新建文件；请运行 `{0}`",
    ),
    "nothing says": (
        (
            "uncuda shows what keeps this code from running on {0}, because nothing says which accelerator it is for. "
            "Which accelerator is the code for? The answer is written into uncuda.toml, or where your settings are, "
            "if you "
            "trust the workspace."
        ),
        (
            "uncuda 正在显示此代码无法在{0} 上运行的原因，因为尚未指定目标加速器。"
            "目标加速器是哪一个？答案将写入 uncuda.toml 或您现有的配置文件（工作区不受信任时除外）。"
        ),
    ),
    "switch target": ("Which accelerator is the code to run on?", "要迁移到哪一种加速器？"),
    "says otherwise": (
        "{0} names another accelerator. Show findings for {1} anyway, until the server ends?",
        "{0} 指定了另一种加速器。仍要针对{1} 显示所有内容（直至服务器结束）吗？",
    ),
    "all the same": ("Show findings for {0}", "针对{0} 显示"),
    "kept": ("uncuda now checks for {0}; the target was written into {1}.", "uncuda 现针对{0} 检查，已写入 {1}。"),
    "not kept": ("The target was not written: {0}", "未写入目标：{0}"),
    "not trusted": ("you have not said that you trust this workspace", "您尚未信任此工作区"),
    "no folder to fix": (
        "No folder is open, so only open files are fixed. Open a folder; many editors find it by its uncuda.toml.",
        "没有打开文件夹，因此仅修复已打开的文件。请打开文件夹；许多编辑器凭 uncuda.toml 识别它。",
    ),
    "no folder": ("no folder is open", "没有打开文件夹"),
    "outside": ("the settings are in {0}, outside of the workspace", "设置位于工作区之外的 {0}"),
    "by yourself": (
        "{0} cannot be changed line by line; write {1} there yourself",
        "无法逐行修改 {0}；请自行在其中写入 {1}",
    ),
    "which file": ("Which file is to be fixed?", "要修复哪个文件？"),
    # messages with the results of commands
    "fixed": ("Fixed {findings} in {files}.", "已修复 {files}中的 {findings}。"),
    "would fix": ("Would fix {findings} in {files}.", "将修复 {files}中的 {findings}。"),
    "nothing": ("Nothing to fix.", "没有可修复的内容。"),
    "left": ("Left: {0:,} to review, {1:,} by hand.", "剩余：需复核 {0:,}，需手动处理 {1:,}。"),
    "left safe": (
        "Left: {2:,} safe, {0:,} to review, {1:,} by hand.",
        "剩余：安全修复 {2:,}，需复核 {0:,}，需手动处理 {1:,}。",
    ),
    "left of": ("Left for {3}: {0:,} to review, {1:,} by hand.", "{3} 剩余：需复核 {0:,}，需手动处理 {1:,}。"),
    "left safe of": (
        "Left for {3}: {2:,} safe, {0:,} to review, {1:,} by hand.",
        "{3} 剩余：安全修复 {2:,}，需复核 {0:,}，需手动处理 {1:,}。",
    ),
    "show": ("Show", "查看"),
    "review button": ("Review", "复核"),
    "report button": ("Report", "报告"),
    "left out": ("{files} left out:", "未处理 {files}："),
    "more": ("and {0} more (see the log)", "以及另外 {0} 个（见日志）"),
    "report written": ("The report is in {0}.", "报告已写入 {0}。"),
    "no folder to report": (
        "No folder is open, so there is nothing to report on.",
        "没有打开文件夹，无法生成报告。",
    ),
    "no cache folder": (
        "There is no cache folder to write the report to; run `uncuda report` in a terminal.",
        "没有可写入报告的缓存目录；请在终端中运行 `uncuda report`。",
    ),
    "cancelled": ("Cancelled.", "已取消。"),
    "not asked": (
        "This editor does not show findings of files that are not open; `uncuda check` in a terminal shows them.",
        "此编辑器不显示未打开文件中的问题；可在终端中运行 `uncuda check` 查看。",
    ),
    "accepted": ("Accepted: {0}, in {1}.", "已接受 {0}，已写入 {1}。"),
    "accepted safe": (
        " {0:,} of these findings have a safe fix, which uncuda no longer makes.",
        "其中 {0:,} 个有安全修复，今后不再执行。",
    ),
    "take back": ("Take back", "撤销"),
    "write reason": ("Write the reason", "填写理由"),
    "not accepted": ("Nothing was accepted: {0}", "未接受任何问题：{0}"),
    "not all accepted": ("Not all findings were accepted: {0}", "部分问题未被接受：{0}"),
    "not there": ("the finding is no longer there; look again", "该问题已不在原处；请重新查看"),
    "nothing changed": ("Nothing was changed.", "没有进行任何改动。"),
    "not applied": ("The editor did not make the changes.", "编辑器未执行改动。"),
    "not applied why": ("The editor did not make the changes: {0}", "编辑器未执行改动：{0}"),
    "no edits": (
        "This editor cannot apply changes that a language server requests.",
        "此编辑器不支持由服务器执行改动。",
    ),
    "no preview": (
        "This editor cannot show a preview; the result of the command contains the diff. Nothing was changed.",
        "此编辑器不支持预览；命令的结果中包含 diff。没有进行任何改动。",
    ),
    "target": ("uncuda shows findings for {0} now.", "uncuda 现已切换到{0}。"),
    "target overrides": (
        "uncuda shows findings for {0} now, and ignores the target in {1} until the server ends.",
        "uncuda 现已切换到{0}，在服务器结束前忽略 {1} 中的设置。",
    ),
    "no file": ("No Python file is open.", "没有打开的 Python 文件。"),
    "failed": ("The job failed: {0}", "任务失败：{0}"),
    # messages that say why a file was not checked
    "not checked": ("uncuda did not check this file: {0}", "uncuda 未检查此文件：{0}"),
    "not checked long": (
        "uncuda did not check this file: it took longer than {0} s. The file is checked again when it changes",
        "uncuda 未检查此文件：检查时间超过 {0} 秒。文件改动后将重新检查",
    ),
    "not checked crashed": (
        "uncuda did not check this file: its process ended (see the log). The file is checked again when it changes",
        "uncuda 未检查此文件：检查进程意外结束（日志中或有说明）。文件改动后将重新检查",
    ),
    "heavy": (
        "the file takes too much work to be fixed while you type; run `{0}`",
        "文件过大，无法在编辑时修复；请运行 `{0}`",
    ),
    "reopen": ("reopen the file with encoding {0}, or run `{1}`", "请以编码 {0} 重新打开，或运行 `{1}`"),
    # messages that say why a file was skipped
    "moved": ("the file is being changed; run the command again", "文件正在被修改；请重新运行命令"),
    "refused": ("the editor refused the changes of this file", "编辑器未接受对该文件的改动"),
    "stopped": ("cancelled", "已取消"),
    "encoding": (
        "the file's encoding is {encoding}, and the editor would write it in another one; run `{0}`",
        "文件编码为 {encoding}，编辑器会以其他编码写回；请运行 `{0}`",
    ),
    "read as": (
        "the file is UTF-8, and the editor reads it as {encoding} (`files.encoding`); run `{0}`",
        "文件是 UTF-8，而编辑器以 {encoding} 读取（`files.encoding`）；请运行 `{0}`",
    ),
    "line ends": (
        "the file has different line ends, and the editor would change them; run `{0}`",
        "文件的换行符不一致，编辑器会改写它们；请运行 `{0}`",
    ),
}
