"""The keys of a rule's declaration in one table: what each key means, what values it may have, which check reads it.

The loader's validation and the page `docs/rule-keys.md` are made from this table.
"""

from __future__ import annotations

from dataclasses import dataclass

STATUSES = ("supported", "present", "renamed", "limited", "replaced", "noop", "missing", "unlisted")
SEVERITIES = ("error", "warning", "information")
FIXES = ("safe", "review")
PREREQUISITES = ("library", "extension", "environment")
ROLES = ("argument", "comparison", "membership", "default", "assignment", "key", "value", "item", "subscript",
         "return", "receiver", "case", "concatenation", "compared")  # fmt: skip

# Kinds of values, which decide how a key's value is validated.
TEXT, TEXTS, NUMBER, FLAG, TABLE, PATTERN, PATTERNS = "text", "texts", "number", "flag", "table", "pattern", "patterns"


@dataclass(frozen=True)
class Key:
    """One key. `choices`: the words that it may have; `empty`: an empty value is allowed and means something; `each`:
    the kind of the values in a table.

    `filled`: its `{placeholders}` are filled with the target's words. `group`: the heading under which the page lists
    it.
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


@dataclass(frozen=True)
class Verb:
    """One check: what it looks at, the keys of its own, and the `{placeholders}` that its messages may use."""

    en: str
    zh: str
    keys: tuple[Key, ...] = ()
    words: tuple[str, ...] = ()


COMMON = (
    Key("check", TEXT, "The verb: what the rule looks at.", "检查方式：规则查看什么。", required=True),
    Key("severity", TEXT, "`error`: fails at run time. `warning`: runs and differs silently. `information`: context.",
        "`error`：运行时失败；`warning`：能运行但结果悄悄不同；`information`：背景信息。", SEVERITIES, required=True),
    Key("fix", TEXT, "The best class of its fixes. Without it a person decides.",
        "其修复的最高级别。不写则由人决定。", FIXES),
    Key("message", TEXT, "What is wrong and what to do, in English.", "问题是什么、该怎么做（英文）。",
        required=True, filled=False),
    Key("message-zh", TEXT, "The same in Chinese.", "同上（中文）。", required=True, filled=False),
    Key("title-zh", TEXT, "The page's title in Chinese.", "页面标题（中文）。", filled=False),
    Key("needs", TEXT, "A feature of the target: where it has it, the rule is off; else its reason is said.",
        "目标的一项特性：目标具备时规则关闭，否则说明其原因。", filled=False),
    Key("when-imported", TEXT, "A module, such as `{patch}`: the rule is on only where it is in force.",
        "某个模块，如 `{patch}`：仅在它生效时规则才开启。"),
    Key("prerequisite", TEXT, "What is by hand comes before the rest: libraries, extensions to build, the environment.",
        "其中需手动处理的先于其余解决：库、需构建的扩展、运行环境。", PREREQUISITES),
    Key("imports", TEXTS, "What a fix needs imported.", "修复所需的导入。"),
    Key("anchors", TEXTS, "Words without which a statement is not read, where the other keys do not give them.",
        "语句不含这些词就不读取；仅当其他键不能给出时才写。"),
    Key("gate", TEXTS, "Which of its words open a file; `[]`: it speaks only in files that other rules open.",
        "哪些词使文件被打开；`[]`：只在其他规则打开的文件中检查。", empty=True),
    Key("gate-patterns", PATTERNS, "Patterns of one line that open a file which says torch.",
        "匹配单行的正则，使提到 torch 的文件被打开。", filled=False),
    Key("with-torch", FLAG, "It speaks only in files that say torch.", "只在提到 torch 的文件中检查。"),
)  # fmt: skip
_SHIM = Key("shim", TEXT, "With a runtime patch: reported all the same, silent, or as the target's table says.",
            "使用运行时补丁时：照常报告、不报告，或以目标的表为准。", ("flag", "silent", "table"), "flag")  # fmt: skip
_STATUS = "Which rows of the target's table it speaks of."
_STATUS_ZH = "涉及目标表中的哪些行。"
_PORTABLE = Key("portable", TABLE, "With `strategy = \"portable\"`: what is written for each of these, with the "
                "helper's functions in braces. Without it a place is by hand then; `{}`: it is silent.",
                "使用 `strategy = \"portable\"` 时：各项的写法，花括号中为辅助模块的函数。"
                "不写则此时需手动处理；`{}` 表示此时不报告。",
                empty=True, group="in a source for every accelerator", each=TEXT)  # fmt: skip
_COLLECTIVES = Key("collectives", TEXTS, "Functions that raise if they are given the dtype: an error then.",
                   "收到该 dtype 会报错的函数：此时为错误。")  # fmt: skip
_ON_DEVICE = Key("on-device", FLAG, "Silent about tensors of the host, and where another device runs.",
                 "不报告主机上的张量以及其他设备运行的代码。")  # fmt: skip
_REPLACE = Key("replace", TEXT, "What is written in its place, where the target's table does not say it.",
               "目标表未给出时写入的替代。")  # fmt: skip

_NAME = (
    Key("names", TEXTS, "Dotted names; the rule speaks of each and of what lies below. A last `*`: all that begin so.",
        "带点的名称及其下级；末尾 `*` 表示以此开头的全部名称。", required=True, group="which names"),
    Key("status", TEXTS, _STATUS, _STATUS_ZH, STATUSES, group="which names"),
    Key("members-only", FLAG, "What lies below the names, not they themselves.", "只针对下级名称，不含其自身。",
        group="which names"),
    Key("exact", FLAG, "The names, not what lies below.", "只针对名称自身，不含下级。", group="which names"),
    Key("called", FLAG, "Only where the name is called.", "仅在被调用处。", group="which names"),
    Key("results", TABLE, "By function: attributes of what its call gives.", "按函数列出：其调用结果的属性。",
        group="which names", each=TEXTS),
    Key("only-with", TEXTS, "Silent in files that say none of these names.", "文件不含这些名称之一时不报告。",
        group="which names"),
    _SHIM,
    Key("tags", TEXTS, "How an editor shows the place: struck through.", "编辑器的显示方式：删除线。", ("deprecated",)),
    _REPLACE,
    Key("replacements", TABLE, "By name: what is written in its place.", "按名称列出写入的替代。", each=TEXT),
    Key("group", TEXT, "Rules of one group change together, or not at all.", "同组规则一起更改，或都不改。"),
    Key("unbound", TEXTS, "Methods that are used as functions: safe only with the object alone.",
        "当作函数使用的方法：仅传入对象时才安全。"),
    Key("leading", TABLE, "By function: how many positional arguments mean the same on the target.",
        "按函数列出：有多少个位置参数在目标上含义相同。", each=NUMBER),
    Key("beyond", TABLE, "By function: what the positional arguments behind those are called.",
        "按函数列出：其后位置参数的名称。", each=TEXTS),
    Key("review-limits", TEXTS, "Limits of a row that lower its fix to review.", "使修复降为 review 的限制。",
        group="what lowers a fix"),
    Key("manual-limits", TEXTS, "Limits of a row that leave it without a fix.", "使其没有修复的限制。",
        group="what lowers a fix"),
    Key("manual-words", TEXTS, "Words in the file that leave every place without a fix.",
        "文件含这些词时所有位置都没有修复。", group="what lowers a fix"),
    Key("manual-calls", TEXTS, "Calls round a name that leave it without a fix.", "名称外层的这些调用使其没有修复。",
        group="what lowers a fix"),
    Key("call-limits", TABLE, "By limit: what a call gives (`enabled=True`, `=True` by position) or takes of the "
        "result (`['key']`) to meet it; others do not, and are not told of it.",
        "按限制列出：调用给出（`enabled=True`，或按位置 `=True`）或从结果取用（`['key']`）什么才受其约束。",
        group="what lowers a fix", each=TEXTS),
    Key("fields", TEXTS, "Functions whose result the target fills in part: review where another field is read.",
        "目标只填写其结果一部分的函数：读取其他字段时为 review。", group="what lowers a fix"),
    Key("numbers", TABLE, "By function: fields that hold CUDA's own numbers: review where they are compared.",
        "按函数列出：保存 CUDA 自身数值的字段；被比较时为 review。", group="what lowers a fix", each=TEXTS),
    Key("silent-calls", TEXTS, "Calls round a name that make it silent.", "名称外层的这些调用使其不被报告。",
        group="where it is silent"),
    Key("silent-sources", TEXTS, "Endings of sources: a file that compiles only such is silent.",
        "源文件后缀：只编译这类源文件的文件不报告。", group="where it is silent"),
    _COLLECTIVES, _ON_DEVICE, _PORTABLE,
)  # fmt: skip
_METHOD = (
    Key("methods", TEXTS, "The names of the methods or attributes.", "方法或属性的名称。", required=True),
    Key("call", FLAG, "A call of it (else: the attribute).", "针对调用（否则针对属性）。"),
    _SHIM, _REPLACE,
    Key("arguments", TEXTS, "Keywords that a safe fix may keep.", "安全修复可以保留的关键字参数。"),
    Key("receivers", TEXTS, "Calls that give the object; another object is not the rule's.",
        "给出该对象的调用；其他对象与规则无关。"),
    Key("not-from", TABLE, "By function: the limit of an object that it gives; the fix is for all devices then.",
        "按函数列出：其给出的对象的限制；此时使用对所有设备都成立的写法。", each=TEXT),
    Key("for-all", TEXT, "What is written where the object may lack it.", "对象可能没有该方法时写什么。"),
    Key("with-device", TEXT, "What is written where the argument is a device.", "参数为设备时的写法。"),
    Key("scripted", TEXT, "What is written where TorchScript compiles.", "在由 TorchScript 编译的代码中的写法。"),
    _COLLECTIVES, _ON_DEVICE, _PORTABLE,
)  # fmt: skip
_STRING = (
    Key("pattern", PATTERN, "The whole string, as a regular expression.", "整个字符串的正则表达式。", required=True,
        filled=False, group="which strings"),
    Key("words", TABLE, "Words in it, and what is written for them.", "其中的词及其替换。", group="which strings",
        each=TEXT),
    Key("roles", TEXTS, "Only strings of these roles.", "仅限这些角色的字符串。", ROLES, group="which strings"),
    Key("own", FLAG, "Words of the program's own, not torch's (`own-choices`, `hints`).",
        "程序自己的词，而非 torch 的（见 `own-choices`、`hints`）。", group="which strings"),
    Key("message-text", FLAG, "A part of an error's text that is looked for.", "在错误文本中查找的部分。",
        group="which strings"),
    Key("commands", TEXTS, "Commands that a cell of a notebook runs.", "笔记本单元格运行的命令。",
        group="which strings"),
    Key("calls", TEXTS, "Calls of torch's, with a dot at the end all below, whose argument it is.",
        "以其为参数的 torch 调用；末尾为点表示其下全部。", group="what proves"),
    Key("parameters", TEXTS, "Names of parameters of those calls.", "这些调用的参数名。", group="what proves"),
    Key("methods", TEXTS, "Methods whose first argument, or `device`, it is.", "以其为首个参数或 `device` 的方法。",
        group="what proves"),
    Key("anywhere", FLAG, "Any argument of those methods.", "这些方法的任意参数。", group="what proves"),
    Key("names", TEXTS, "Patterns of names that it is bound to, or compared with.", "其绑定或比较的名称模式。",
        group="what proves"),
    Key("compared", TEXTS, "What tells the truth at run time: `.type`, `get_backend()`.",
        "运行时给出真实值的对象：`.type`、`get_backend()`。", group="what proves"),
    Key("proving-items", TEXTS, "Strings beside it in a list, or in the other arm of a condition.",
        "列表中或条件另一分支中与其并列的字符串。", group="what proves"),
    Key("questions", TEXTS, "Questions for CUDA that choose it: they change together.",
        "据以选择它的 CUDA 询问：一起更改。", group="what proves"),
    Key("needs-import", TEXTS, "Modules without which a file's strings are for review.",
        "文件未导入这些模块时降为 review。", group="what proves"),
    Key("torch-choices", TEXTS, "A name that is given one of these, too, holds torch's word.",
        "同一名称也取这些值时，为 torch 的词。", group="whose word"),
    Key("own-choices", TEXTS, "A name that is given one of these, too, holds a word of the program's own.",
        "同一名称也取这些值时，为程序自己的词。", group="whose word"),
    Key("hints", TEXTS, "Patterns of names whose tests are torch's.", "其判断属于 torch 的名称模式。",
        group="whose word"),
    Key("suggesting-items", TEXTS, "Strings beside it that suggest it: review.", "使其可能成立的并列字符串：review。",
        group="what suggests"),
    Key("otherwise", TEXT, "Where nothing proves it: for review, or silent.", "无法证明时：review 或不报告。",
        ("review", "silent"), "review", group="what suggests"),
    Key("silent-calls", TEXTS, "Calls that have devices of their own.", "有自己的设备的调用。",
        group="where it is silent"),
    Key("silent-parameters", TEXTS, "Parameters that hold anything.", "可为任意内容的参数。",
        group="where it is silent"),
    Key("silent-arguments", TEXTS, "Words beside it in a call that make it silent.",
        "同一调用中的这些字符串使其不被报告。", group="where it is silent"),
    Key("silent-names", TEXTS, "Keys of dictionaries whose values say something else.", "其值另有含义的字典键。",
        group="where it is silent"),
    Key("implementations", TEXTS, "Strings beside it that say who computes, not where.",
        "与其并列、表示由谁而非在哪里计算的字符串。", group="where it is silent"),
    Key("entry", FLAG, "A key of a dictionary: the target's entry is added.", "字典的键：加入目标的条目。",
        group="what is written"),
    Key("shim", TEXT, _SHIM.en, _SHIM.zh, _SHIM.choices, _SHIM.default, group="with a runtime patch"),
    Key("shim-roles", TEXTS, "The roles that are reported all the same.", "仍会报告的角色。", ROLES,
        group="with a runtime patch"),
    Key("shim-fix", TEXT, "The best class of its fixes then.", "此时修复的最高级别。", FIXES,
        group="with a runtime patch"),
    _PORTABLE,
)  # fmt: skip
_ARGUMENT = (
    Key("calls", TEXTS, "The functions.", "函数。", required=True),
    Key("argument", TEXT, "The keyword.", "关键字参数。", required=True),
    Key("position", NUMBER, "Its position, from 0.", "其位置，从 0 起。"),
    Key("values", TEXTS, "Only these values.", "仅限这些值。"),
    Key("add", TEXT, "The argument is missing; this is added.", "缺少该参数；写入此内容。"),
    Key("rename", FLAG, "The keyword is renamed.", "重命名关键字。"),
    Key("statements", TABLE, "By value: statements in the place of the call.", "按值列出代替该调用的语句。", each=TEXT),
    _SHIM, _PORTABLE,
)  # fmt: skip
_MODULE = (
    Key("modules", TEXTS, "Modules; without it all of the table's `status`.", "模块；不写则为表中该 `status` 的全部。"),
    Key("except", TEXTS, "Modules that another rule speaks of.", "由其他规则负责的模块。"),
    Key("pattern", PATTERN, "Names of modules that are in no table.", "不在任何表中的模块名称。", filled=False),
    Key("status", TEXTS, _STATUS, _STATUS_ZH, ("adapted", "upstream", "replaced", "unsupported", "unknown")),
    Key("uses", FLAG, "Every import and use, not the first of a file.", "每个导入和使用，而不只是文件中的第一个。"),
    Key("probes", TEXTS, "What a file takes of the module to ask whether it could be used: information then.",
        "文件仅用于询问模块是否可用的成员：此时为信息。"),
)  # fmt: skip
_ENVIRONMENT = (
    Key("calls", TEXTS, "Functions that are given a variable's name.", "以变量名为参数的函数。"),
    Key("mappings", TEXTS, "Mappings whose keys are variables.", "以变量名为键的映射。"),
    Key("names", TEXTS, "Patterns of names of what becomes an environment.", "将成为环境的字典的名称模式。"),
    Key("status", TEXTS, _STATUS, _STATUS_ZH, ("safe", "review", "manual")),
    Key("value-limits", TEXTS, "Limits of variables that take other values: one that is set has no fix.",
        "取值不同的变量的限制：设置它的位置没有修复。"),
    Key("format-limits", TEXTS, "Limits of variables whose values are written otherwise: one that is read has no fix.",
        "取值写法不同的变量的限制：读取它的位置没有修复。"),
    Key("values", TEXTS, "Patterns of values that both know.", "两者都认识的取值模式。"),
    _PORTABLE,
)  # fmt: skip

CHECKS: dict[str, Verb] = {
    "name": Verb("A dotted name, wherever it is imported from or spelled.", "带点的名称，无论从哪里导入、如何书写。",
                 _NAME, ("name", "replacement")),
    "method": Verb("A method or attribute of an object.", "对象的方法或属性。", _METHOD, ("old", "new")),
    "string": Verb("A string, by what it is there for.", "字符串，依其用途判断。", _STRING, ("old", "new")),
    "argument": Verb("An argument of a call.", "调用的参数。", _ARGUMENT, ("name", "argument", "new", "old")),
    "module": Verb("A library, where it is imported.", "被导入的库。", _MODULE, ("name",)),
    "environment": Verb("An environment variable.", "环境变量。", _ENVIRONMENT, ("old", "new")),
    "missing-import": Verb("The plugin is used and not imported.", "使用了插件却未导入。",
                           (Key("by-itself", TEXT, "The feature by which PyTorch imports the plugin itself.",
                                "使 PyTorch 自行导入插件的特性。", filled=False), _PORTABLE), ("name",)),
    "jit-script": Verb("Code that TorchScript compiles.", "由 TorchScript 编译的代码。",
                       (Key("names", TEXTS, "The functions that compile.", "进行编译的函数。", required=True),),
                       ("name",)),
    "amp-c": Verb("NVIDIA Apex's compiled module.", "NVIDIA Apex 的编译模块。",
                  (Key("module", TEXT, "The module.", "该模块。", required=True),
                   Key("part", TEXT, "Its import, one that may fail, or a use.", "导入、可失败的导入，或使用。",
                       ("import", "guarded", "use"), required=True),
                   Key("applier", TEXT, "The function that calls its kernels.", "调用其内核的函数。")), ("name",)),
    "integer-device": Verb("An integer as a device.", "以整数表示的设备。",
                           (Key("calls", TEXTS, "Functions that first take a device.", "首个参数为设备的函数。"),
                            Key("methods", TEXTS, "The same of methods.", "同上，方法。"),
                            Key("arguments", TEXTS, "Keywords that hold a device.", "值为设备的关键字参数。")),
                           ("old", "new")),
    "accelerator-api": Verb("`torch.accelerator` by version.", "按版本检查 `torch.accelerator`。",
                            (Key("names", TEXTS, "The names.", "名称。", required=True),
                             Key("cases", TABLE, "By case: why it fails, in both languages.",
                                 "按情形列出失败原因（两种语言）。", required=True, filled=False, each=TEXTS),
                             Key("ways", TABLE, "By way out: what works, in both languages.",
                                 "按出路列出可行的写法（两种语言）。", required=True, filled=False, each=TEXTS)),
                            ("name", "why", "way", "why-zh", "way-zh")),
    "accelerator-member": Verb("A family of modules for accelerators lacks the target's.",
                               "加速器模块族中缺少目标的一个。", (), ("name",)),
    "missing-shim": Verb("An entry point without the runtime patch.", "缺少运行时补丁的入口程序。", (), ("new",)),
    "suppression": Verb("A comment that silences nothing.", "未抑制任何问题的注释。", (), ("names",)),
}  # fmt: skip


def keys_of(check: str) -> dict[str, Key]:
    """The keys that a rule of this check may have: first those of the check, then those of every rule."""
    return {key.name: key for key in (*CHECKS[check].keys, *COMMON)}
