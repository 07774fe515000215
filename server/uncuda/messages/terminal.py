"""Help texts and errors of the command line that are printed before the settings are read."""

from . import Room

TERMINAL: Room = {
    "about": (
        "Find what ties PyTorch code to CUDA and rewrite it for another accelerator.",
        "查找 PyTorch 代码中依赖 CUDA 的内容，并改写为其他加速器的代码。",
    ),
    "commands": ("Commands", "命令"),
    "check in short": ("report what ties code to CUDA", "报告代码中依赖 CUDA 的内容"),
    "fix in short": ("rewrite this code for the target, in place", "就地改写为目标加速器的代码"),
    "report in short": ("write a page on the whole port", "生成整个移植工作的报告"),
    "rule in short": ("show the page of a rule", "显示规则说明"),
    "server in short": ("run the language server", "运行语言服务器"),
    "check": (
        (
            "Report what ties Python code to CUDA. PATHS are files and folders (default: the current folder); `-` "
            "reads standard input. Exit code: 0 nothing found, 1 findings, 2 error."
        ),
        (
            "报告 Python 代码中依赖 CUDA 的内容。PATHS 为文件或目录（默认：当前目录）；`-` 表示读取标准输入。"
            "退出码：0 无问题，1 有问题，2 出错。"
        ),
    ),
    "fix": (
        (
            "Make the safe fixes in place. PATHS are files and folders (default: the current folder); "
            "`-` reads standard input and writes the result to standard output. "
            "Exit code: 0 nothing left, 1 findings left, 2 error."
        ),
        (
            "就地执行安全（safe）修复。PATHS 为文件或目录（默认：当前目录）；"
            "`-` 表示读取标准输入并将结果写到标准输出。"
            "退出码：0 无遗留问题，1 有遗留问题，2 出错。"
        ),
    ),
    "report": (
        (
            "Write one page on the whole port: which findings are left, which of them a command fixes, which a person "
            "must decide, and which block the port. PATHS are files and folders (default: the current folder). Exit "
            "code: 0 done, 2 error."
        ),
        (
            "生成一页关于整个移植工作的报告：剩余多少、哪些可由命令完成、哪些须由人决定、哪些阻碍进展。"
            "PATHS 为文件或目录（默认：当前目录）。退出码：0，出错为 2。"
        ),
    ),
    "output": (
        "The output file; `-`: standard output. Default: uncuda-report.html for HTML, else standard output.",
        "输出位置；`-` 表示标准输出。HTML 默认写入 uncuda-report.html，其余写到标准输出。",
    ),
    "report format": (
        "The report's format. Default: the format that the output file's name shows, else html.",
        "报告格式；未指定时以文件扩展名为准，否则为 html。",
    ),
    "compare": (
        "Also list which findings were fixed and which are new since this earlier report, written with --format json.",
        "与先前以 --format json 生成的报告相比，列出已修复和新增的问题。",
    ),
    "beside": (
        "Also count what is left for the other accelerators (default); each takes as long as the first.",
        "同时给出其他加速器的情况（默认）；每个加速器需要同样长的时间。",
    ),
    "rule": ("Show the page of a rule; without a name, list the rules.", "显示规则说明；不给名称时列出所有规则。"),
    "server": ("Run the language server.", "运行语言服务器。"),
    "error": ("error", "错误"),
    "interrupted": ("interrupted", "已中断"),
    "output-format": ("The format of the output.", "报告格式。"),
    "statistics": (
        "Also print counts by rule and by decision (text, concise, json).",
        "同时按规则和决定统计（text、concise、json）。",
    ),
    "summary": (
        "Print one screen instead of findings: how many, where, and what to do first (text; field `summary` in json).",
        "不逐条列出，只用一屏说明：有多少、在哪里、先做什么（text；json 中为一个成员）。",
    ),
    "only": (
        (
            "Show only findings of these classes, and of these rules; the exit code counts only the findings that are "
            "shown. "
            "`library`, `extension` and `environment` select rules by prerequisite. Repeat the option, or separate "
            "values by commas."
        ),
        (
            "只显示这些类别及这些规则的问题，退出码以所显示的为准。"
            "`library`、`extension`、`environment` 各代表一组规则。可重复，或以逗号分隔。"
        ),
    ),
    "fixable": (
        "Make only the fixes of these rules, and the fixes that must be made with them; all rules are checked.",
        "只执行这些规则的修复以及必须随之更改的内容；仍检查全部规则。",
    ),
    "goes with": (
        "{option} works only with these output formats: {formats}",
        "{option} 仅可与这些输出格式一起使用：{formats}",
    ),
    "exit-zero": ("Exit with 0 in spite of findings.", "即使有问题也以 0 退出。"),
    "review-fixes": ("Also make the fixes that should be reviewed.", "同时执行需复核（review）的修复。"),
    "diff": ("Write nothing; print what would change.", "不写入文件，仅输出将要进行的改动。"),
    "config": ("Use this configuration file instead of the closest one.", "使用该配置文件，而不是最近的配置文件。"),
    "isolated": ("Read no configuration file.", "不读取任何配置文件。"),
    "verbose": ("Also say which files were left out, and why.", "同时说明哪些文件未读取及其原因。"),
    "quiet": ("Print no summary and no notes.", "不输出摘要和提示。"),
    "stdin-filename": ("The name that the text on standard input (`-`) has.", "标准输入（`-`）内容所对应的文件名。"),
    "baseline": (
        "Use this file of accepted findings instead of uncuda-baseline.jsonl beside the configuration.",
        "使用该基线文件（已接受的问题），而不是配置文件旁的 uncuda-baseline.jsonl。",
    ),
    "diff-base": (
        "Consider only findings on lines changed since the merge base of REV and HEAD, uncommitted changes included.",
        "仅包含自 REV 与 HEAD 的共同祖先以来改动的行（含工作区）上的问题。",
    ),
    "no-baseline": ("Use no baseline: accepted findings are reported, too.", "不使用任何基线文件。"),
    "write-baseline": (
        "Accept all current findings: write them to the baseline.",
        "接受当前的所有问题：将其写入基线文件。",
    ),
    "reason": (
        "The reason for accepting the findings; with --write-baseline.",
        "接受的理由；与 --write-baseline 一起使用。",
    ),
    "prune-baseline": (
        "Drop the entries of the baseline whose finding is gone.",
        "从基线文件中删除已不存在的问题。",
    ),
    "strict-baseline": (
        "Entries of the baseline whose finding is gone are errors.",
        "基线文件中的问题若已不存在，则视为错误。",
    ),
    "all": ("Show the pages of all rules.", "显示所有规则的说明。"),
    "rule output-format": ("The format of the pages.", "输出格式。"),
    "stdio": ("Communicate over standard input and output (default).", "使用标准输入输出通信（默认）。"),
    "tcp": (
        "Wait for one client on a socket instead; without a host only this machine can connect.",
        "改为在套接字上等待一个客户端；未指定主机时仅限本机连接。",
    ),
    "log-file": ("Also write the log to this file.", "同时将日志写入该文件。"),
    "stdio with tcp": ("--stdio cannot be combined with --tcp", "--stdio 不能与 --tcp 同时使用"),
    "no standard input": ("there is no standard input", "没有标准输入"),
    "two plugins": (
        "the project imports {names}; choose with {choices}, or with `target` in uncuda.toml or [tool.uncuda]",
        "项目同时导入了 {names}；请用 {choices} 选择，或在 uncuda.toml 或 [tool.uncuda] 中设置 `target`",
    ),
    "name or all": ("give a NAME or --all", "请给出 NAME 或使用 --all"),
    "unknown locale": ("unknown locale `{value}`{hint}", "未知的语言 `{value}`{hint}"),
    "unknown output format": ("unknown output format `{value}`{hint}", "未知的输出格式 `{value}`{hint}"),
    "unknown format": ("unknown format `{value}`{hint}", "未知的格式 `{value}`{hint}"),
    "unknown class": ("unknown class or rule `{value}`{hint}", "未知的类别或规则 `{value}`{hint}"),
    "unknown rule": ("unknown rule `{value}`{hint}", "未知的规则 `{value}`{hint}"),
    "unknown command": ("unknown command `{value}`{hint}", "未知的命令 `{value}`{hint}"),
    "internal error": ("internal error, please report it: {what}", "内部错误，请报告：{what}"),
}
