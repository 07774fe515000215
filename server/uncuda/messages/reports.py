"""What the command line says of files and findings, and what the server says of a choice of target."""

from . import Room

REPORTS: Room = {
    "fix": ("fix: {0}", "修复：{0}"),
    "by hand": ("by hand", "手动"),
    "none": ("No findings in {files}.", "{files}中没有发现问题。"),
    "found": ("{findings} in {files}: {severities}; {fixes}.", "{files}中有 {findings}：{severities}；{fixes}。"),
    "how": ("`uncuda fix` makes the safe fixes.", "`uncuda fix` 执行安全（safe）修复。"),
    "how review": (
        "`uncuda fix --review-fixes` also makes those to review.",
        "`uncuda fix --review-fixes` 还会执行需复核（review）的修复。",
    ),
    "by rule": ("By rule:", "按规则统计："),
    "by decision": ("Decisions by hand:", "需手动作出的决定："),
    "in files": ("{0}; {1}", "{0}；{1}"),
    "more": ("{0} [{1}], {2} in {3}:", "{0} [{1}]，{3}中还有 {2}："),
    "manual decisions": ("{0} by hand ({1})", "{0} 处需手动处理（{1}）"),
    "fixed": ("Fixed {findings} in {files}:", "已修复 {files}中的 {findings}："),
    "would fix": ("Would fix {findings} in {files}:", "将修复 {files}中的 {findings}："),
    "nothing fixed": ("Nothing to fix in {files}.", "{files}中没有可修复的内容。"),
    "left": ("Left by hand ({findings}):", "需手动处理（{findings}）："),
    "left review": (
        "{findings} more can be fixed with --review-fixes; read the result.",
        "使用 --review-fixes 还可修复 {findings}，请复核结果。",
    ),
    "left safe": ("{findings}: the fixes could not be applied.", "{findings} 的修复未能执行。"),
    "refused": ("left alone: {0}", "未改动：{0}"),
    "link out": (
        "it is a link to a file outside what was given; name the link, or the file, to fix it",
        "它是指向给定目录之外文件的链接；如需修复，请直接指定该链接或文件",
    ),
    "hard links": (
        "written; {0} of the same file (hard links) kept the old text",
        "已写入；同一文件的 {0}（硬链接）仍为旧内容",
    ),
    "diff outside": (
        "{0} outside the current folder ({1}): `git apply` does not take the changes; run uncuda in a folder above",
        "{0}位于当前目录之外（{1}），`git apply` 不会修改它们；请在其上级目录中运行 uncuda",
    ),
    "unread some": ("{0} could not be read ({1}), the others were", "{0}无法读取（{1}），其余部分已读取"),
    "exceeds": ("{0}, left out; raise `{1}`, or `exclude` it", "{0}，未检查；请调高 `{1}`，或将其加入 `exclude`"),
    "exceeds bytes": ("larger than {0:,} bytes", "大于 {0:,} 字节"),
    "exceeds statements": ("more than {0:,} statements to read", "需要读取的语句超过 {0:,} 条"),
    "exceeds comparisons": ("more than {0:,} comparisons to make", "需要的比较超过 {0:,} 次"),
    "exceeds depth": (
        "more than {0:,} levels of nesting, or of names that stand for names",
        "嵌套或名称指代超过 {0:,} 层",
    ),
    "unread": ("this statement could not be read", "无法读取此语句"),
    "target assumed": (
        "target: {0} (nothing set; the project imports no plugin)",
        "目标：{0}（未设置；项目未导入任何插件）",
    ),
    "target switched": ("target: {0} (the project sets {1})", "目标：{0}（项目设置了 {1}）"),
    "target found": ("target: {0} (the project imports {1})", "目标：{0}（项目导入了 {1}）"),
    "target asked for": ("target: {0} ({2} asks for {1})", "目标：{0}（{2} 要求 {1}）"),
    "target named": ("target: {0} (the project says {1})", "目标：{0}（项目中写有 {1}）"),
    "serves several": (
        "the project runs on several accelerators already: its fixes need review",
        "项目已支持多种加速器：其修复均需人工审阅",
    ),
    "table older": (
        "no table for {0} {1}, which is newer than any; that of {2} is used",
        "没有 {0} {1} 的数据表，该版本比所有数据表都新；使用 {2} 的数据表",
    ),
    "table newer": (
        "no table for {0} {1}, which is older than any; that of {2} is used",
        "没有 {0} {1} 的数据表，该版本比所有数据表都旧；使用 {2} 的数据表",
    ),
    "plugin set": ("{0} {1} (`target-version`)", "{0} {1}（`target-version`）"),
    "plugin asked for": ("{0} {1} (asked for by {2})", "{0} {1}（由 {2} 指定）"),
    "plugin range": (
        "{0} {1}: what all of these versions have (asked for by {2})",
        "{0} {1}：以这些版本共有的接口为准（由 {2} 指定）",
    ),
    "plugin goes with": (
        "{0} {1}, which goes with PyTorch {2} (asked for by {3})",
        "{0} {1}，与 PyTorch {2} 配套（由 {3} 指定）",
    ),
    "plugin goes with set": (
        "{0} {1}, which goes with PyTorch {2} (`torch-version`)",
        "{0} {1}，与 PyTorch {2} 配套（`torch-version`）",
    ),
    "plugin near": (
        "{0} {1}, the nearest that is known to PyTorch {2} (asked for by {3})",
        "{0} {1}，已知版本中与 PyTorch {2} 最接近（由 {3} 指定）",
    ),
    "plugin near set": (
        "{0} {1}, the nearest that is known to PyTorch {2} (`torch-version`)",
        "{0} {1}，已知版本中与 PyTorch {2} 最接近（`torch-version`）",
    ),
    "plugin assumed": (
        "{0} {1} is assumed; pin it in the requirements, or set `target-version`",
        "假定为 {0} {1}；请在依赖声明中固定其版本，或设置 `target-version`",
    ),
    "no tables": (
        "{0} has no table of APIs: nothing is safe; a file with a finding by hand or a CUDA library keeps its text",
        "{0} 没有 API 数据表：没有安全修复；含需手动处理之处或 CUDA 库的文件不做部分修复",
    ),
    "folders differ": (
        "other versions in other folders: --verbose names them",
        "其他目录使用其他版本：--verbose 可列出",
    ),
    "torch": ("PyTorch {0} (asked for by {1})", "PyTorch {0}（由 {1} 指定）"),
    "receivers late": (
        "{0}: receiver analysis timed out at {1} places; they are reported as without it",
        "{0}：{1} 处的接收者分析超时，按未分析处理",
    ),
    "receivers off": (
        "receiver analysis is off: its process crashed again and again",
        "接收者分析已关闭：其进程反复崩溃",
    ),
    "worker crashed": (
        "worker process {0} crashed ({1}); another one reads its files",
        "工作进程 {0} 崩溃（{1}），其文件由其他进程读取",
    ),
    "note": ("note: {0}", "提示：{0}"),
    "left out": ("left out {0}: {1}", "未读取 {0}：{1}"),
    "error": ("error", "错误"),
    "interrupted": ("interrupted; no file was written", "已中断；没有写入任何文件"),
    "interrupted after": ("interrupted; written before that: {0}", "已中断；此前已写入：{0}"),
    "safe": ("{0} safe", "{0} 处安全修复"),
    "review": ("{0} to review", "{0} 处需复核"),
    "manual": ("{0} by hand", "{0} 处需手动处理"),
    "proof": ("**Proof.** {0}", "**验证。** {0}"),
    "proof of target": ("{0}: {1}. ", "{0}：{1}。"),
    "proof run": (
        "{run} of {examples} ran on simulated {plugin}",
        "{examples}中有 {run} 个在模拟的 {plugin} 上运行通过",
    ),
    "proof signature": (
        "names and parameters compared with {package}'s source",
        "名称和参数已与 {package} 的源代码比对",
    ),
    "proof neither": ("neither run nor compared", "既未运行，也未比对"),
    "proof reason": (" ({0})", "（{0}）"),
}
