"""The table of the keys that a rule's declaration may have: what each key means, what values it may have, and which
check reads it.

The loader's validation and the page `docs/rule-keys.md` are generated from this table.
"""

from __future__ import annotations

from typing import NamedTuple

STATUSES = ("supported", "present", "renamed", "limited", "replaced", "noop", "missing", "unlisted")
SEVERITIES = ("error", "warning", "information")
FIXES = ("safe", "review")
PREREQUISITES = ("library", "extension", "environment")
ROLES = ("argument", "comparison", "membership", "default", "assignment", "key", "value", "item", "subscript",
         "return", "receiver", "case", "concatenation", "compared")  # fmt: skip

# The kinds of values; the kind of a key decides how its value is validated.
TEXT, TEXTS, NUMBER, FLAG, TABLE, PATTERN, PATTERNS = "text", "texts", "number", "flag", "table", "pattern", "patterns"


class Key(NamedTuple):
    """One key of a rule's declaration. `choices`: the values that the key may have; `empty`: the meaning of an empty
    value, if one is allowed; `each`: the type of the values in a table.

    `filled`: whether names and device strings of the target replace `{placeholders}` in the value. `group`: the heading
    under which `docs/rule-keys.md` lists the key.
    """

    name: str
    kind: str
    en: str
    zh: str
    choices: tuple[str, ...] = ()
    default: str = ""
    required: bool = False
    empty: bool = False
    filled: bool = True
    group: str = ""
    each: str = ""


class Verb(NamedTuple):
    """One check: what code it looks at, which keys its rules may have besides the common ones, and which
    `{placeholders}` its messages may use."""

    en: str
    zh: str
    keys: tuple[Key, ...] = ()
    words: tuple[str, ...] = ()


COMMON = (
    Key("check", TEXT, "The check that the rule uses; it decides what the rule looks at.", "检查方式：规则查看什么。",
        required=True),
    Key("severity", TEXT,
        "`error`: the code fails at run time. `warning`: the code runs with another result. `information`: background "
        "information about the code.",
        "`error`：运行时失败；`warning`：能运行但结果悄悄不同；`information`：背景信息。", SEVERITIES, required=True),
    Key("fix", TEXT,
        "`safe`: a fix of the rule can be safe; `review`: all its fixes need review. A rule without this key has no "
        "fixes.",
        "该规则的修复可达到的最高级别。不写则规则没有修复。", FIXES),
    Key("message", TEXT, "The finding's message in English: what is wrong and what to do.",
        "问题的提示信息（英文）：问题是什么、该怎么做。", required=True, filled=False),
    Key("message-zh", TEXT, "The finding's message in Chinese.", "问题的提示信息（中文）。", required=True,
        filled=False),
    Key("title-zh", TEXT, "The page's title in Chinese.", "页面标题（中文）。", filled=False),
    Key("needs", TEXT,
        "A feature that a target may have, such as `float64`. The rule is off for targets that have the feature; for "
        "other targets, the rule's messages contain the reason that the target's file states.",
        "目标的一项特性。目标具备时规则关闭；否则提示信息中说明原因。", filled=False),
    Key("when-imported", TEXT,
        "The module whose import activates the runtime patch; `{patch}` stands for the target's module. A rule with "
        "this key is on only with the strategy `shim`.",
        "运行时补丁的模块（`{patch}`）。仅在策略为 `shim` 时规则才开启。"),
    Key("prerequisite", TEXT,
        "The step of the recommended order of work to which the rule's findings without a fix belong; it comes before "
        "all fixes.",
        "该规则需手动处理的问题在处理顺序中属于哪一步（先于所有修复）。", PREREQUISITES),
    Key("imports", TEXTS, "The imports that a fix adds if they are missing.", "修复所需的导入，缺少时由修复添加。"),
    Key("anchors", TEXTS,
        "Words. The rule checks only statements that contain at least one of these words. A rule needs this key only "
        "if uncuda cannot take these words from another key, such as `methods`.",
        "语句至少含其中一个词才会被读取；仅当其他键不能给出时才写。"),
    Key("gate", TEXTS,
        "Words of `anchors` that select a file: the rule checks a file that contains one of them. `[]`: the rule "
        "checks only files that other rules select.",
        "使文件被检查的词。`[]`：只检查其他规则选中的文件。", empty=True),
    Key("gate-patterns", PATTERNS,
        "Regular expressions for one line; the rule checks a file that contains `torch` and a matching line.",
        "匹配单行的正则表达式；含 `torch` 且有匹配的文件会被检查。", filled=False),
    Key("with-torch", FLAG, "The rule checks only files that contain `torch`.", "只检查含 `torch` 的文件。"),
)  # fmt: skip
_SHIM = Key("shim", TEXT,
            "What the rule does if a runtime patch is used: report (`flag`), not report (`silent`), or what the "
            "target's table says.", "使用运行时补丁时：照常报告（`flag`）、不报告（`silent`），或以目标的表为准。",
            ("flag", "silent", "table"), "flag")  # fmt: skip
_STATUS = "The statuses in the target's table for which the rule reports a name."
_STATUS_ZH = "目标表中的哪些状态由该规则报告。"
_COLLECTIVES = Key("collectives", TEXTS,
                   "Functions that raise an exception for tensors of the dtype that the rule reports. A finding at an "
                   "argument of one of these functions has the severity error.",
                   "不接受该 dtype、会抛出异常的函数。把这种 dtype 的张量传给它们时为错误。")  # fmt: skip
_ON_DEVICE = Key("on-device", FLAG,
                 "The rule does not report tensors on the CPU, nor code that runs only on other devices than the "
                 "target.",
                 "不报告 CPU 上的张量，也不报告只由其他设备运行的代码。")  # fmt: skip
_REPLACE = Key("replace", TEXT, "The replacement that a fix writes if the target's table has none.",
               "目标表未给出时，修复写入的替代。")  # fmt: skip

_PORTABLE = Key("portable", TABLE,
                "With `strategy = \"portable\"`: for each name, method, word or argument that the rule reports, the "
                "replacement that a fix writes; a name in braces is a function of the helper module. With "
                "`strategy = \"portable\"`, a finding without a replacement has no fix, and `portable = {}` switches "
                "the rule off.",
                "使用 `strategy = \"portable\"` 时：各项的写法，花括号中为辅助模块的函数。"
                "不写则此时需手动处理；`{}` 表示此时不报告。",
                empty=True, group="in a source for every accelerator", each=TEXT)  # fmt: skip
_PORTABLE_SINCE = Key("portable-since", TEXT,
                      "The PyTorch version since which the replacements of `portable` work. If the project declares "
                      "that it also runs on an older PyTorch version, the fix needs review.",
                      "`portable` 的写法自哪个 PyTorch 版本起可用。声明支持更旧版本的项目，其修复需要审查。",
                      filled=False, group="in a source for every accelerator")  # fmt: skip

_MANUAL_LIMITS = Key("manual-limits", TEXTS, "Ids of sentences in `rules/limits.tsv`, which say what differs on "
                     "the target. If a listed sentence applies to a finding, the finding has no fix.",
                     "`rules/limits.tsv` 中目标限制的 id。受其中任一限制的问题没有修复。",
                     group="which limits lower the class of a fix")  # fmt: skip
_KEEPS_TESTS = Key("keeps-tests", FLAG,
                   "On the target, code with a name or argument of this rule fails, or gives wrong results without an "
                   "error, unless a safe fix changes it. Therefore an `if` that asks for CUDA has no safe fix if it "
                   "guards a name or argument without a safe fix, as if the rule's severity were `error`.",
                   "含有这些名称或参数、又没有安全修复的代码在目标上会出错，或悄悄给出错误结果："
                   "保护它的 CUDA 判断没有安全修复，如同级别为 `error`。",
                   group="which limits lower the class of a fix")  # fmt: skip
_NAME = (
    Key("names", TEXTS,
        "Dotted names that the rule reports, with all names below them. A final `*` matches any ending.",
        "该规则报告的带点名称及其下级；末尾 `*` 匹配任意结尾。", required=True, group="which names"),
    Key("status", TEXTS, _STATUS, _STATUS_ZH, STATUSES, group="which names"),
    Key("members-only", FLAG, "The rule reports the names below `names`, but not `names` themselves.",
        "只针对下级名称，不含其自身。", group="which names"),
    Key("exact", FLAG,
        "Only the names that `names` lists have a fix. Names below a listed name, such as `a.b.c` below `a.b`, are "
        "reported without a fix.",
        "只有名称自身有修复；其下级只报告，没有修复。", group="which names"),
    Key("none", TEXTS,
        "Names whose value is None without CUDA. A finding has the severity `error` if the code joins this value with "
        "text and no `if` excludes None.",
        "没有 CUDA 时值为 None 的名称；未加判断就与文本拼接的代码级别为 `error`。", group="which names"),
    Key("called", FLAG, "The rule reports a name only where it is called.", "仅在被调用处。", group="which names"),
    Key("harmless", TEXTS,
        "Values of a function's argument. The rule reports only calls of its names with another argument that is not "
        "None; all other uses are reported by the rule that covers the names' status.",
        "参数的取值。该规则只报告以其他非 None 参数调用其名称之处；其余写法由涵盖其状态的规则报告。",
        group="which names"),
    Key("results", TABLE, "For each function: attributes of its result that the rule reports.",
        "按函数列出：该规则报告的返回值属性。", group="which names", each=TEXTS),
    Key("only-with", TEXTS, "The rule checks only files that contain one of these names.",
        "只检查含有这些名称之一的文件。", group="which names"),
    _SHIM,
    Key("tags", TEXTS, "LSP tags of the diagnostic; `deprecated` is shown struck through.",
        "诊断的 LSP 标签；`deprecated` 显示为删除线。", ("deprecated",)),
    _REPLACE,
    Key("replacements", TABLE, "For each name: the replacement that a fix writes.", "按名称列出修复写入的替代。",
        each=TEXT),
    Key("group", TEXT,
        "The name of a group of rules. Findings of one group in a file are fixed together, or not at all.",
        "规则所属的组。文件中同组的问题一起修复，或都不修复。"),
    Key("unbound", TEXTS,
        "Methods that may be called as functions, such as `torch.Tensor.cuda(x)`; the call has a safe fix only if `x` "
        "is its one argument.",
        "可当作函数调用的方法，如 `torch.Tensor.cuda(x)`；仅当 `x` 是唯一参数时才有安全修复。"),
    Key("leading", TABLE, "For each function: how many of its positional arguments, from the first on, mean the same "
                          "on the target.",
        "按函数列出：有多少个位置参数在目标上含义相同。", each=NUMBER),
    Key("beyond", TABLE, "For each function: the keywords that a fix writes for the positional arguments after those "
                         "that `leading` counts.",
        "按函数列出：`leading` 之后的位置参数对应的关键字。", each=TEXTS),
    Key("review-limits", TEXTS,
        "Ids of sentences in `rules/limits.tsv`, which say what differs on the target. If the target's table "
        "gives a name one of these ids, the fix of the name needs review.",
        "`rules/limits.tsv` 中说明目标差异的句子的 id。"
        "其中任一适用于某个名称时，该名称的修复需要复核。", group="which limits lower the class of a fix"),
    Key("device-words", TEXTS,
        "Words. In a file that contains none of these words, the fix needs review: nothing shows that its code runs on "
        "a device.",
        "文件不含这些词时，修复需要复核：没有迹象表明其代码在设备上运行。",
        group="which limits lower the class of a fix"),
    Key("subject-words", TEXTS,
        "Words. If the name of the file, or of a function or class around a finding, contains one of these words, the "
        "fix needs review: the code is about what the fix takes away. Case and underscores do not count.",
        "文件名或外层函数、类的名称含这些词（不计大小写和下划线）时，修复需要复核：这段代码正是为此而写。",
        group="which limits lower the class of a fix"),
    _MANUAL_LIMITS,
    Key("manual-words", TEXTS, "Words. The rule has no fixes in a file that contains one of these words.",
        "文件含这些词时所有位置都没有修复。", group="which limits lower the class of a fix"),
    Key("manual-calls", TEXTS, "Functions. A name in an argument of a listed function has no fix.",
        "函数。位于其参数中的名称没有修复。", group="which limits lower the class of a fix"),
    Key("review-compared", FLAG, "The fix of a name that is compared with another value, or listed with others, needs "
                                 "review.",
        "与其他值比较、或与其他值并列的名称，其修复需要复核。", group="which limits lower the class of a fix"),
    Key("call-limits", TABLE,
        "Maps the id of a sentence in `rules/limits.tsv` to the arguments to which the sentence applies "
        "(`enabled=True`, or `=True` by position), or to the keys of the call's result to which it applies "
        "(`['key']`). The sentence has no effect on a call if none of the listed arguments is passed and none of the "
        "listed keys is read from its result.",
        "按限制列出：受其约束的参数（`enabled=True`，或按位置 `=True`）或对结果的使用（`['key']`）。其他调用保留修"
        "复，提示信息也不含该限制。", group="which limits lower the class of a fix", each=TEXTS),
    Key("fields", TEXTS,
        "Functions whose result lacks fields on the target; the fix needs review if the code reads a missing field.",
        "其结果在目标上缺少某些字段的函数；读取缺少的字段时需复核。", group="which limits lower the class of a fix"),
    Key("numbers", TABLE,
        "For each function: fields of its result whose numbers have a meaning only on CUDA; the fix needs review if "
        "the code compares one of these fields.",
        "按函数列出：数值只对 CUDA 有意义的字段；与之比较时需复核。", group="which limits lower the class of a fix",
        each=TEXTS),
    Key("with-words", TABLE,
        "Maps words to features of targets. If a file contains a word and the target lacks the word's feature, the "
        "message of a finding in this file also says why.",
        "将单词映射到目标的特性。文件含有某个单词而目标缺少对应的特性时，消息还会说明原因。",
        group="which limits lower the class of a fix", each=TEXT),
    Key("drops-beside", TEXTS,
        "Names. In an `and` with a call of a listed name, the fix removes the call of this rule's name, because the "
        "other call alone decides on the target.",
        "名称。若与所列名称的调用同处一个 `and` 中，修复会删除本规则名称的调用，因为在目标上仅由另一调用决定。",
        group="what a fix writes"),
    _KEEPS_TESTS,
    Key("takes-function", FLAG,
        "The first argument of each function in `names` is a function. The call is fixed only together with the code "
        "of this function; if the code is in another file, the fix of the call needs review.",
        "`names` 中各函数的第一个参数是函数。调用与该函数的代码一起修复；若其代码在其他文件中，调用的修复需复核。",
        group="which limits lower the class of a fix"),
    Key("keeps-tests-for", TEXTS,
        "Ids in rules/limits.tsv: for targets whose limits of the name are among them, the rule has the key "
        "`keeps-tests`.",
        "rules/limits.tsv 中的标识：目标对该名称的限制在其中时，规则如同带有 `keeps-tests`。",
        group="which limits lower the class of a fix"),
    Key("keeps-counts", FLAG,
        "On the target, code with a name of this rule may fail. Therefore an `if` that asks for the number of CUDA "
        "devices has no safe fix if it guards a call of such a name without a safe fix.",
        "调用这些名称的代码在目标上可能出错：保护这种调用、又询问 CUDA 设备数量的判断没有安全修复。",
        group="which limits lower the class of a fix"),
    Key("silent-calls", TEXTS, "Functions. A name in an argument of a listed function is not reported.",
        "函数。位于其参数中的名称不报告。", group="what the rule does not report"),
    Key("silent-sources", TEXTS, "A file that compiles only sources with these file endings is not reported.",
        "文件后缀。只编译这类源文件的文件不报告。", group="what the rule does not report"),
    _COLLECTIVES, _ON_DEVICE, _PORTABLE, _PORTABLE_SINCE,
)  # fmt: skip
_METHOD = (
    Key("methods", TEXTS, "The names of the methods or attributes.", "方法或属性的名称。", required=True),
    Key("call", FLAG, "true: the rule reports calls. false: it reports attributes that are not called.",
        "true：报告调用；false：报告未被调用的属性。"),
    _SHIM, _REPLACE,
    Key("arguments", TEXTS, "Keyword arguments that a call with a safe fix may have.",
        "有安全修复的调用可以带有的关键字参数。"),
    Key("receivers", TEXTS,
        "Functions. The fix is safe only for a method of an object that one of these functions returns; otherwise the "
        "fix needs review.",
        "函数。仅对其返回对象的方法，修复才是安全的，否则需复核。"),
    Key("not-from", TABLE,
        "For each function: the id of the sentence in `rules/limits.tsv` that says why an object which the function "
        "returns may lack the method on the target. For an object that one of these functions returns, the fix writes "
        "the code of the key `for-all`.",
        "按函数列出：`rules/limits.tsv` 中说明其返回对象为何可能没有该方法的限制的 id；"
        "对这些对象，修复写入 `for-all` 的代码。", each=TEXT),
    Key("then-needs", TABLE,
        "For each method: the feature that the target needs if this method is called on the result, as in "
        "`x.cuda().to_dense()`. Without the feature, the fix needs review.",
        "按方法列出：在结果上调用该方法（如 `x.cuda().to_dense()`）时目标所需的特性；"
        "缺少该特性时，修复需复核。", each=TEXT),
    Key("for-all", TEXT, "The replacement for objects that may lack the method on the target.",
        "对象在目标上可能没有该方法时写入的替代。"),
    Key("with-device", TEXT, "The replacement for a call whose argument is a device.", "参数为设备时写入的替代。"),
    Key("scripted", TEXT, "The replacement in code that TorchScript compiles.",
        "在由 TorchScript 编译的代码中写入的替代。"),
    _COLLECTIVES, _ON_DEVICE, _PORTABLE,
)  # fmt: skip
_STRING = (
    Key("pattern", PATTERN, "A regular expression that the whole string must match.", "整个字符串须匹配的正则表达式。",
        required=True, filled=False, group="which strings"),
    Key("expression", PATTERN,
        "A regular expression. The rule also reports strings that match it and are themselves regular expressions, in "
        "a call such as `re.match`.",
        "正则表达式。与其匹配、且自身在 `re.match` 等调用中作正则表达式的字符串也会报告。", filled=False,
        group="which strings"),
    Key("words", TABLE, "Words in the string, and the replacement of each.", "字符串中的词及各自的替代。",
        group="which strings", each=TEXT),
    Key("roles", TEXTS, "Uses of a string, such as `argument`. The rule reports only strings with one of these uses.",
        "只报告代码以这些方式使用的字符串。", ROLES, group="which strings"),
    Key("own", FLAG,
        "The rule reports only strings that, as `own-choices` and `hints` show, are the program's own and not torch's.",
        "只报告由 `own-choices`、`hints` 判定为程序自己的、而非 torch 的字符串。", group="which strings"),
    Key("message-text", FLAG, "The rule reports strings that are searched for in the text of an exception.",
        "报告在异常文本中查找的字符串。", group="which strings"),
    Key("commands", TEXTS, "Shell commands that the rule reports in notebook cells.",
        "在笔记本单元格中报告的 shell 命令。", group="which strings"),
    Key("calls", TEXTS,
        "Functions of torch that take a device or backend as an argument. A name with a final dot means all functions "
        "below this name.", "以设备或后端为参数的 torch 函数；末尾为点表示其下全部函数。",
        group="what proves that a string is a device or backend"),
    Key("parameters", TEXTS, "The parameters of the functions in `calls` that take a device or backend.",
        "`calls` 中函数接收它的参数名。", group="what proves that a string is a device or backend"),
    Key("methods", TEXTS, "Methods that take a device or backend as the first argument or as `device`.",
        "以其为首个参数或 `device` 的方法。", group="what proves that a string is a device or backend"),
    Key("anywhere", FLAG, "Every argument of the methods in `methods` may be a device or backend, not only the first.",
        "`methods` 中方法的任意参数都算。",
        group="what proves that a string is a device or backend"),
    Key("names", TEXTS, "Patterns for names that the string is assigned to or compared with.",
        "字符串所赋给或所比较的名称的模式。", group="what proves that a string is a device or backend"),
    Key("lists", TEXTS,
        "Patterns, case-sensitive, for names of constants and variables that list devices or backends: `*_DEVICES`.",
        "列出设备或后端的常量与变量的名称模式（区分大小写）：`*_DEVICES`。",
        group="what proves that a string is a device or backend"),
    Key("list-arguments", TEXTS,
        "Keyword arguments that list devices if all other items are `suggesting-items`: `Dropdown(choices=[…])`.",
        "其余各项均属于 `suggesting-items` 时即表示设备列表的关键字参数：`Dropdown(choices=[…])`。",
        group="what proves that a string is a device or backend"),
    Key("compared", TEXTS,
        "Attributes and functions that return the actual device or backend at run time: `.type`, `get_backend()`.",
        "运行时返回实际设备或后端的属性和函数：`.type`、`get_backend()`。",
        group="what proves that a string is a device or backend"),
    Key("proving-items", TEXTS,
        "Strings that prove that the checked string is a device or backend, if they are in the same list or in the "
        "other branch of the same conditional expression.",
        "位于同一列表或条件表达式另一分支中、可作为证明的字符串。",
        group="what proves that a string is a device or backend"),
    Key("questions", TEXTS,
        "Conditions that ask for CUDA, such as `torch.cuda.is_available()`, and decide whether the string is used. The "
        "string and the condition are fixed only together.",
        "决定是否使用该字符串的 CUDA 判断。字符串与判断一起修复。",
        group="what proves that a string is a device or backend"),
    Key("needs-import", TEXTS, "Modules. In a file that imports none of these modules, the fixes of all strings need "
                               "review.",
        "模块。文件未导入其中任何一个时，其字符串需复核。", group="what proves that a string is a device or backend"),
    Key("torch-choices", TEXTS, "If a name can also hold one of these strings, it holds a device or backend of torch.",
        "字符串。同一名称也可取其中之一时，其值是 torch 的设备或后端。",
        group="whether a string is torch's or the program's own"),
    Key("own-choices", TEXTS,
        "If a name can also hold one of these strings, all strings that the name can hold are the program's own, not "
        "devices or backends of torch.",
        "字符串。同一名称也可取其中之一时，其值是程序自己的字符串。",
        group="whether a string is torch's or the program's own"),
    Key("hints", TEXTS,
        "Patterns. If a string is compared with a name that matches one of these patterns, the string is torch's "
        "device or backend.",
        "名称的模式。与这类名称的比较是对 torch 设备或后端的判断。",
        group="whether a string is torch's or the program's own"),
    Key("suggesting-items", TEXTS,
        "Strings that suggest that the checked string is a device or backend, if they are in the same list. In a list "
        "with one of these strings, the fix of the checked string needs review.",
        "位于同一列表中、使其可能是设备或后端的字符串；修复需复核。",
        group="what suggests that a string is a device or backend"),
    Key("otherwise", TEXT, "What the rule does if nothing proves a string to be a device or backend.",
        "无法证明字符串是设备或后端时的处理：复核或不报告。", ("review", "silent"), "review",
        group="what suggests that a string is a device or backend"),
    Key("silent-calls", TEXTS, "Functions whose string arguments are not devices or backends of torch. A string "
                               "that is passed to one of these functions is not reported.",
        "有自己的设备的函数，其参数不报告。", group="what the rule does not report"),
    Key("silent-parameters", TEXTS, "Parameters that may hold any text. A string that is passed to one of these "
                                    "parameters is not reported.",
        "可为任意文本的参数，其字符串不报告。", group="what the rule does not report"),
    Key("silent-arguments", TEXTS, "Strings. A call with one of these strings as an argument is not reported.",
        "同一调用中的这些字符串使其不被报告。", group="what the rule does not report"),
    Key("silent-names", TEXTS, "Dictionary keys whose values are not devices. A string that is the value of one of "
                               "these dictionary keys is not reported.",
        "字典键。其值不是设备，不报告。", group="what the rule does not report"),
    Key("indexed-calls", TEXTS,
        "Functions that take a device only with an index on targets without the feature `indexless-device`: the fix of "
        "a device without an index needs review there.",
        "在没有 `indexless-device` 特性的目标上只接受带序号设备的函数：其中不带序号的设备，修复需复核。",
        group="which limits lower the class of a fix"),
    Key("implementations", TEXTS,
        "Strings such as `triton`. If a list contains one of these strings, the list names implementations, not "
        "devices.",
        "位于同一列表时表明该列表列出的是实现而非设备的字符串。", group="what the rule does not report"),
    Key("asks-library", TEXTS,
        "Dotted names of questions for the CUDA of another library. A comparison that is joined with one of them by "
        "`and` needs review: `pycolmap.has_cuda and device.type == \"cuda\"`.",
        "询问其他库的 CUDA 的名称（带点）；与其以 `and` 相连的比较，修复需复核。",
        group="what the rule does not report"),
    Key("alternatives", TEXTS,
        "Names of packages. If the checked code has one of these packages in a tuple inside a list or another tuple, "
        "the strings after the package in this tuple are not reported: the tuple lists packages of which one is "
        "enough, and only the first is installed. If a conditional expression chooses between a string and one of "
        "these packages, the severity is `information`.",
        "软件包名。位于列表或另一元组内的元组列出任选其一的软件包：其中排在这些包之后的字符串不报告，因为只会安装第一个。"
        "若条件表达式在字符串与这些包之一间选择，则严重程度为 `information`。",
        group="what the rule does not report"),
    Key("entry", FLAG, "If the string is a dictionary key, the fix adds an entry for the target and keeps the old one.",
        "对字典的键，修复加入目标的条目，保留原条目。", group="what a fix writes"),
    Key("shim", TEXT, _SHIM.en, _SHIM.zh, _SHIM.choices, _SHIM.default, group="with a runtime patch"),
    Key("shim-roles", TEXTS,
        "Uses of a string, such as `argument`. Strings with these uses are reported even with a runtime patch.",
        "使用运行时补丁时仍报告这些角色的字符串。", ROLES, group="with a runtime patch"),
    Key("shim-fix", TEXT,
        "`safe`: with a runtime patch, a fix of the rule can be safe; `review`: with it, all fixes need review.",
        "使用运行时补丁时修复的最高级别。", FIXES, group="with a runtime patch"),
    _PORTABLE,
)  # fmt: skip
_ARGUMENT = (
    Key("calls", TEXTS, "The functions whose calls the rule checks.", "规则检查其调用的函数。", required=True),
    Key("argument", TEXT, "The name of the argument.", "参数名。", required=True),
    Key("position", NUMBER, "The position of the argument, from 0.", "参数的位置，从 0 起。"),
    Key("values", TEXTS, "The rule reports the argument only with one of these values.", "规则报告的参数值。"),
    Key("add", TEXT, "The rule reports calls without the argument; the fix adds this text.",
        "报告缺少该参数的调用；修复写入此内容。"),
    Key("beside", TEXTS,
        "Functions that also have the argument named by `argument`. If a call of one of these functions in the file "
        "gives this argument a value that begins with an imported name, such as `get_accelerator().device_name()`, the "
        "fix copies the value and needs review.",
        "带有同名参数的函数。若文件以导入的名称计算并传入该值，修复写入此值，需复核。"),
    Key("before", FLAG, "The fix adds the argument before the one argument that the call has.",
        "写入的参数位于最前，在调用原有的一个参数之前。"),
    _MANUAL_LIMITS,
    Key("review-words", TEXTS, "Words. In a file that contains one of these words, the rule's fixes need review.",
        "文件含这些词时，修复需要检查。", group="which limits lower the class of a fix"),
    Key("rename", FLAG, "The fix renames the argument's keyword.", "修复重命名该关键字。"),
    Key("statements", TABLE, "For each value of the argument: statements that replace the call.",
        "按参数值列出代替该调用的语句。", each=TEXT),
    _PORTABLE, _PORTABLE_SINCE,
    _KEEPS_TESTS,
)  # fmt: skip
_MODULE = (
    Key("modules", TEXTS,
        "The modules that the rule reports. Default: all modules in the target's table with the given `status`.",
        "规则报告的模块。不写则为目标表中具有所给 `status` 的全部模块。"),
    Key("except", TEXTS, "Modules that another rule reports.", "由其他规则负责的模块。"),
    Key("pattern", PATTERN, "A regular expression; the rule also reports modules with a matching name that are in no "
                            "table.",
        "不在任何表中、也要报告的模块名的正则表达式。", filled=False),
    Key("status", TEXTS, _STATUS, _STATUS_ZH, ("adapted", "upstream", "replaced", "unsupported", "unknown")),
    Key("uses", FLAG, "The rule reports every import and use, not only the first of a file.",
        "报告每个导入和使用，而不只是文件中的第一个。"),
    Key("probes", TEXTS,
        "Names of the module that only tell whether the module can be used. In a file that uses only these names of "
        "the module, the severity of the finding is `information`.",
        "仅用于判断模块是否可用的成员。文件不使用其他成员时，问题为信息级别。"),
    Key("one-maker", PATTERN,
        "A regular expression. In a project that chooses between accelerators, a script whose first comments or "
        "docstring match runs only on the GPUs of one maker; the severity of its findings about libraries is "
        "`information`.",
        "正则表达式。在选择加速器的项目中，开头的注释或文档字符串与之匹配的脚本只在一家厂商的 GPU 上运行，"
        "其关于库的问题为信息级别。", filled=False),
)  # fmt: skip
_ENVIRONMENT = (
    Key("calls", TEXTS, "Functions whose argument is the name of an environment variable.",
        "以环境变量名为参数的函数。"),
    Key("mappings", TEXTS, "Mappings whose keys are environment variables, such as `os.environ`.",
        "以环境变量名为键的映射，如 `os.environ`。"),
    Key("names", TEXTS, "Patterns for the names of dictionaries that a program passes on as an environment.",
        "程序作为环境传递的字典的名称模式。"),
    Key("status", TEXTS, _STATUS, _STATUS_ZH, ("safe", "review", "manual", "late")),
    Key("value-limits", TEXTS,
        "Ids of sentences in `rules/limits.tsv` which say that a variable takes other values on the target. If a "
        "variable's row in the target's table has one of these ids, code that sets the variable has no fix.",
        "在目标上取值不同的变量的限制。设置这类变量的代码没有修复。"),
    Key("format-limits", TEXTS,
        "Ids of sentences in `rules/limits.tsv` which say that a variable's values have another format on the target. "
        "If a variable's row in the target's table has one of these ids, code that reads the variable has no fix.",
        "在目标上取值格式不同的变量的限制。读取这类变量的代码没有修复。"),
    Key("ascending-limits", TEXTS,
        "Ids of sentences in `rules/limits.tsv` which say that the target takes only ascending numbers. If a "
        "variable's row in the target's table has one of these ids, code that sets the variable to other numbers has "
        "no fix, and only its message contains the sentence.",
        "表示目标只接受升序编号的限制。若变量所在的行包含其中之一，则把该变量设为其他顺序编号的代码没有修复，"
        "且只有这些代码的信息才包含该句。"),
    Key("below-import", FLAG,
        "The rule reports a variable only where code sets it for its own process below an import of torch.",
        "该规则只报告在导入 torch 之后为本进程设置该变量的代码。"),
    Key("values", TEXTS, "Patterns for values that mean the same for CUDA and for the target.",
        "对 CUDA 和目标含义相同的取值的模式。"),
    Key("card-tests", TEXTS,
        "Functions that return False only on a machine with certain models of NVIDIA's GPUs. If `f` is one of these "
        "functions, a finding in the block of `if not f():` has the severity `information` and no fix.",
        "仅当存在特定 NVIDIA 显卡时才返回 False 的函数。若 `f` 为其中之一，"
        "位于 `if not f():` 代码块中的代码只作提示，没有修复。"),
    Key("nvidia-words", TEXTS,
        "Names of NVIDIA's tools. In a file that contains one of these names, a finding has the severity `information` "
        "and no fix.",
        "NVIDIA 工具的名称。文件含有其中之一时，只作提示，没有修复。"),
    Key("nvidia-queries", TEXTS,
        "Names of NVIDIA's tools that list devices. In a class or function that contains one of these names, a finding "
        "has the severity `information` and no fix.",
        "列出设备的 NVIDIA 工具的名称。类或函数含有其中之一时，只作提示，没有修复。"),
    Key("nvidia-choosers", TABLE,
        "For each variable: code that chooses among the devices that NVIDIA's driver lists. In a file that contains "
        "it, a finding about the variable has the severity `information` and no fix.",
        "按变量列出在 NVIDIA 驱动列出的设备中进行选择的代码。文件含有它时，该变量只作提示，没有修复。"),
    Key("frameworks", TEXTS,
        "Deep learning frameworks other than PyTorch. In a file that imports one of these modules and not PyTorch, a "
        "finding has the severity `information` and no fix.",
        "PyTorch 以外的深度学习框架。文件导入其中之一而不导入 PyTorch 时，只作提示，没有修复。"),
    _PORTABLE,
)  # fmt: skip

CHECKS: dict[str, Verb] = {
    "name": Verb("Uses of a dotted name of an API, through any import or alias.",
                 "API 的带点名称的使用，无论经由何种导入或别名。", _NAME, ("name", "replacement")),
    "method": Verb("A method or attribute of an object.", "对象的方法或属性。", _METHOD, ("old", "new")),
    "string": Verb("A string, judged by how the code uses it.", "字符串，依代码如何使用它来判断。", _STRING,
                   ("old", "new")),
    "argument": Verb("An argument of a call.", "调用的参数。", _ARGUMENT, ("name", "argument", "new", "old")),
    "module": Verb("The import of a library.", "被导入的库。", _MODULE, ("name",)),
    "environment": Verb("An environment variable.", "环境变量。", _ENVIRONMENT, ("old", "new")),
    "missing-import": Verb("A file that uses the plugin without importing it.", "使用了插件却未导入的文件。",
                           (Key("by-itself", TEXT,
                                "The feature of the target that says whether PyTorch imports the plugin by itself.",
                                "使 PyTorch 自行导入插件的目标特性。", filled=False), _PORTABLE), ("name",)),
    "jit-script": Verb("Code that TorchScript compiles.", "由 TorchScript 编译的代码。",
                       (Key("names", TEXTS, "The functions that compile a function or module.",
                            "编译函数或模块的函数。", required=True),), ("name",)),
    "amp-c": Verb("NVIDIA Apex's compiled module.", "NVIDIA Apex 的编译模块。",
                  (Key("module", TEXT, "The name of the compiled module.", "该编译模块的名称。", required=True),
                   Key("part", TEXT,
                       "What the rule reports: an import, an import whose failure the code handles, or a use of "
                       "the module.", "规则报告什么：导入、代码已处理失败情况的导入，或模块的使用。",
                       ("import", "guarded", "use"), required=True),
                   Key("applier", TEXT, "The function that calls the module's kernels.", "调用其内核的函数。")),
                  ("name",)),
    "integer-device": Verb("An integer as a device.", "以整数表示的设备。",
                           (Key("calls", TEXTS, "Functions whose first argument is a device.",
                                "首个参数为设备的函数。"),
                            Key("methods", TEXTS, "Methods whose first argument is a device.",
                                "首个参数为设备的方法。"),
                            Key("arguments", TEXTS, "Keyword arguments that take a device.", "值为设备的关键字参数。")),
                           ("old", "new")),
    "hard-coded": Verb("Code that names one accelerator, in a project whose code must run on every accelerator.",
                       "面向所有加速器的源码中写死某一种加速器。",
                       (Key("ways", TABLE, "What to write instead of a name of the accelerator's module, a method "
                                           "named after the accelerator, or its device string.",
                            "对其模块中的名称、方法、设备字符串分别应写什么。", required=True, filled=False,
                            each=TEXT),),
                       ("name", "new")),
    "accelerator-api": Verb("A name of `torch.accelerator`, checked against the versions of PyTorch and plugin.",
                            "按版本检查 `torch.accelerator`。",
                            (Key("names", TEXTS, "The names of `torch.accelerator` that the rule checks.",
                                 "规则检查的 `torch.accelerator` 名称。", required=True),
                             Key("cases", TABLE, "For each case: the reason why the use fails, in English and Chinese.",
                                 "按情形列出失败原因（英文和中文）。", required=True, filled=False, each=TEXTS),
                             Key("ways", TABLE, "For each kind of replacement: the sentence that says what to write "
                                                "instead of the reported name, in English and Chinese.",
                                 "按替代方案列出可行的写法（英文和中文）。", required=True, filled=False, each=TEXTS)),
                            ("name", "why", "way", "why-zh", "way-zh")),
    "accelerator-member": Verb("A group of modules or classes, one for each accelerator, without one for the target.",
                               "每种加速器一个的一组模块或类中，缺少目标的那一个。", (), ("name",)),
    "missing-shim": Verb("A script without the target's runtime patch.", "缺少运行时补丁的入口程序。", (), ("new",)),
    "suppression": Verb("A suppression comment that suppresses no finding.", "未抑制任何问题的注释。", (), ("names",)),
}  # fmt: skip


def keys_of(check: str) -> dict[str, Key]:
    """Return the keys that a rule of this check may have: first those of the check, then those that every rule may
    have."""
    return {key.name: key for key in (*CHECKS[check].keys, *COMMON)}
