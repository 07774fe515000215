"""The table of all settings; validation, the JSON schema and the editors' settings are made from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from uncuda.catalogue.words import HELPER_NAMES
from uncuda.limits import Limits

SEVERITIES = ("error", "warning", "information")

Kind = Literal[
    "string",
    "boolean",
    "integer",
    "rules",
    "targets",
    "patterns",
    "severity-by-rule",
    "rules-by-pattern",
    "expressions",
]


@dataclass(frozen=True)
class Option:
    """The declaration of one setting. `name`: the name in kebab-case, as in TOML; if `choices` is empty, any text that
    matches `pattern` is valid; the choices of a boolean are valid in addition to true and false."""

    name: str
    kind: Kind
    default: object
    en: str
    zh: str
    choices: tuple[str, ...] = ()
    pattern: str = ""
    example: str = ""
    most: int = 0
    """The largest value of an integer; the smallest is 1."""

    @property
    def field(self) -> str:
        """The name as a Python field, with underscores."""
        return self.name.replace("-", "_")


_MOST = 1_000_000_000
_VERSION = r"^\d+(\.\d+)*(\.post\d+)?$"

OPTIONS: tuple[Option, ...] = (
    Option(
        "target",
        "string",
        None,
        "The accelerator to port to. Default: the accelerator whose plugin the project imports or requires, else "
        "uncuda's default target, which is then printed.",
        "要迁移到的加速器。默认：项目已导入或已在依赖中声明其插件的那一个，"
        "否则为 uncuda 的默认目标，此时会说明所选目标。",
    ),
    Option(
        "target-version",
        "string",
        None,
        "The version of the target's plugin, with or without `.postN`. Default: the version in the project's "
        "requirements or lock files, else the plugin version for the PyTorch version in them, else uncuda's default, "
        "which is then printed.",
        "目标插件的版本，可带或不带 `.postN`。默认：取自项目的依赖声明或锁文件，其次取与其中 PyTorch 配套的版本，"
        "否则为 uncuda 的默认版本，此时会说明所选版本。",
        pattern=_VERSION,
        example="2.7.1",
    ),
    Option(
        "torch-version",
        "string",
        None,
        "The PyTorch version that the project runs on. Default: the version in the project's requirements or lock "
        "files, else the version that the plugin is made for.",
        "项目使用的 PyTorch 版本。默认：取自项目的依赖声明或锁文件，否则为与插件配套的版本。",
        pattern=r"^\d+(\.\d+)*$",
        example="2.7.1",
    ),
    Option(
        "hardware",
        "string",
        None,
        "The hardware series of the target. Without this setting, features that only some hardware series "
        "support count as supported.",
        "目标的硬件系列。未设置时，仅部分系列支持的功能视为支持。",
        choices=("A1", "A2", "A3", "950"),
    ),
    Option(
        "strategy",
        "string",
        "auto",
        "`rewrite`: the source names the target. `shim`: the source keeps its CUDA names and a runtime patch maps "
        "them. `portable`: one source runs on CUDA and every accelerator, calls a helper module of the project, and "
        "needs PyTorch 2.1 or later. `auto`: `shim` if the project imports the target's runtime patch, else `rewrite`.",
        "`rewrite`：源码直接写目标名称；`shim`：源码保留 CUDA 名称，由运行时补丁映射；"
        "`portable`：同一份源码适用于 CUDA 与各加速器，由项目中的一个小模块给出答案；"
        "`auto`：项目已导入目标的补丁时为 shim，否则为 rewrite。",
        choices=("auto", "rewrite", "shim", "portable"),
    ),
    Option(
        "portable-targets",
        "targets",
        (),
        'With `strategy = "portable"`: the accelerators on which the source shall run, besides CUDA. Default: all '
        "accelerators that have a table of APIs.",
        '用于 `strategy = "portable"`：除 CUDA 外源码还应支持的加速器。默认：所有有接口表的加速器。',
    ),
    Option(
        "portable-helper",
        "string",
        None,
        'With `strategy = "portable"`: the dotted name of the helper module, whose functions return the accelerator '
        "of the machine. A fix creates the module if it does not exist. Default: `PACKAGE.device` if the project has "
        "one package, else `_accelerator` beside the scripts.",
        '用于 `strategy = "portable"`：说明当前加速器的模块（带点的名称）；不存在时写入一次。'
        "默认：项目只有一个包时为 `PACKAGE.device`，否则为脚本旁的 `_accelerator`。",
        pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$",
        example="mypackage.device",
    ),
    Option(
        "portable-style",
        "string",
        "helper",
        'With `strategy = "portable"`: `helper`: fixes call only functions of the helper module. `accelerator`: '
        "fixes call functions of `torch.accelerator` where PyTorch (2.6 or later) and every plugin have them in the "
        "configured versions; such fixes need review.",
        '用于 `strategy = "portable"`：`helper`：全部由该模块给出。'
        "`accelerator`：所配置的 PyTorch 与各插件版本均支持时调用 `torch.accelerator` 的函数；此类修复需复核。",
        choices=("helper", "accelerator"),
    ),
    Option(
        "portable-names",
        "expressions",
        {},
        'With `strategy = "portable"`: for a project that has a helper module of its own, the expression that fixes '
        'write for each function of the helper module: `{ device_type = "get_device_name()" }`.',
        '用于 `strategy = "portable"`：项目已有此类模块时，各函数对应写入的表达式：'
        '`{ device_type = "get_device_name()" }`。',
        choices=HELPER_NAMES,
    ),
    Option(
        "select",
        "rules",
        (),
        "The rules to report. Default: all rules that are on by default.",
        "要检查的规则。默认：所有默认启用的规则。",
    ),
    Option(
        "ignore",
        "rules",
        (),
        "Rules that are not reported. Rules that the file in `extend` ignores are ignored, too.",
        "不检查的规则，与 `extend` 所指文件中忽略的规则合并。",
    ),
    Option(
        "extend-select",
        "rules",
        (),
        "Rules to report in addition to the selected rules.",
        "在所选规则之外额外检查的规则。",
    ),
    Option(
        "per-file-ignores",
        "rules-by-pattern",
        {},
        "Rules that are not reported in the files that a pattern matches. Patterns have the syntax of .gitignore and "
        "are relative to the folder of the configuration file, or, in an editor's settings, to the workspace folder.",
        "在与模式匹配的文件中不检查的规则。模式语法与 .gitignore 相同，"
        "相对于配置文件所在目录；在编辑器设置中相对于工作区文件夹。",
    ),
    Option(
        "severity",
        "severity-by-rule",
        {},
        "A severity for a rule that replaces the rule's own severity.",
        "为规则指定其他严重级别。",
        choices=SEVERITIES,
    ),
    Option(
        "exclude",
        "patterns",
        (),
        "Files and folders that are not read, besides the built-in list (such as .git, .venv, build, node_modules). "
        "A folder called build or dist is read if it is a Python package. "
        "Patterns have the syntax of .gitignore and are relative to the folder of the configuration file, or, in an "
        "editor's settings, to the workspace folder. `!build` removes a pattern of the built-in list.",
        "除内置列表（.git、.venv、build、node_modules 等）之外不读取的文件和目录。"
        "名为 build 或 dist 的包会被读取。模式语法与 .gitignore 相同，"
        "相对于配置文件所在目录，在编辑器设置中相对于工作区文件夹；`!build` 可取消内置排除。",
    ),
    Option(
        "locale",
        "string",
        "auto",
        "The language of messages. `auto`: the language of the terminal or the editor.",
        "消息语言。`auto`：跟随终端或编辑器的语言。",
        choices=("auto", "en", "zh"),
    ),
    Option(
        "fail-level",
        "string",
        "warning",
        "`uncuda check` and `uncuda fix` end with exit code 1 if there is a finding of this severity or a higher one.",
        "达到此严重级别及以上时，`uncuda check` 与 `uncuda fix` 的退出码为 1。",
        choices=SEVERITIES,
    ),
    Option(
        "receivers",
        "boolean",
        False,
        'Search other files, too, for the type of `x` in `x.cuda()`, `x.is_cuda` and `x.to("cuda")`. With '
        "this setting, objects whose type does not come from torch are not reported, fixes on objects of uncertain "
        "type need review, and a check takes longer.",
        '同时在其他文件中推断 `x.cuda()`、`x.is_cuda` 与 `x.to("cuda")` 中的 `x`：'
        "与 torch 无关的不再报告，存疑的仅在复核后修复。耗时更长。",
    ),
    Option(
        "workers",
        "integer",
        None,
        "How many worker processes `uncuda check` and `uncuda fix` start to read files; 1 starts none. Default: as "
        "many as there are processors, if the tree is large enough. A configuration file cannot set more processes "
        "than there are processors.",
        "`uncuda check` 与 `uncuda fix` 并行读取文件时启动的进程数；1 表示不启动。"
        "默认：文件足够多时与可用处理器数相同。配置文件中的值不能超过处理器数。",
        most=64,
    ),
    Option(
        "max-bytes",
        "integer",
        Limits.bytes,
        "The largest size of a file, in bytes. A larger file is reported and not checked.",
        "文件大小上限（字节），超出的文件不读取并会列出。",
        most=_MOST,
    ),
    Option(
        "max-statements",
        "integer",
        Limits.statements,
        "How many statements of one file uncuda may read. A file with more statements is reported and not checked. "
        "Only statements with a word that rules look for, or with an alias of such a word, count.",
        "单个文件中需要读取的语句数上限，超出的文件不检查并会列出。仅计入含有规则关键词或相关名称的语句。",
        most=_MOST,
    ),
    Option(
        "max-comparisons",
        "integer",
        Limits.comparisons,
        "How many steps the check of one file may take. A file that takes more steps is reported and not checked. "
        "uncuda counts the steps of its loops, not seconds, so that the result is the same on every machine.",
        "检查单个文件的步数上限，超出的文件不检查并会列出。按步数而非时间计算，因此在任何机器上结果相同。",
        most=_MOST,
    ),
    Option(
        "max-depth",
        "integer",
        Limits.depth,
        "How deep brackets, blocks and operators may be nested in a statement that only libcst can parse, and how many "
        "aliases of aliases uncuda follows. Python itself parses at most 200 nested brackets.",
        "仅 libcst 可读的语句中括号、代码块与运算符的嵌套层数上限，以及名称相互指向的层数上限。"
        "Python 本身最多读取 200 层括号。",
        most=150,
    ),
)

BY_NAME: dict[str, Option] = {option.name: option for option in OPTIONS}
