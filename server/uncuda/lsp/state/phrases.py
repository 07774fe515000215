"""What actions, hovers and lenses say, in English and Chinese."""

from __future__ import annotations

import platform
import sys

from uncuda.engine import Engine
from uncuda.messages import language

from ..wire.markup import code
from ..wire.texts import Texts

_PHRASES: dict[str, tuple[str, str]] = {
    # actions
    "to review": ("{0} (to review)", "{0}（需复核）"),
    "fix rule": ("Fix all '{0}' in this file", "修复此文件中的所有 '{0}'"),
    "fix file": ("uncuda: fix all in this file", "uncuda：修复此文件中的所有问题"),
    "fix notebook": ("uncuda: fix all in this notebook", "uncuda：修复此笔记本中的所有问题"),
    "ignore line": ("Ignore '{0}' on this line", "在此行忽略 '{0}'"),
    "ignore file": ("Ignore '{0}' in this file", "在此文件中忽略 '{0}'"),
    "why": ("Why: '{0}'", "原因：'{0}'"),
    "by hand": ("Fix '{0}'", "修复 '{0}'"),
    "no fix": ("no fix is known that could be made automatically: {0}", "没有可自动执行的修复：{0}"),
    "not made": ("No fix was made: {0}", "没有执行修复：{0}"),
    "read": ("Read this statement", "读取此语句"),
    "newer": (
        "this statement is newer than Python {0}, which runs uncuda, and was not read; {1} lets uncuda read it",
        "此语句的语法比运行 uncuda 的 Python {0} 更新，未被读取；执行 {1} 后即可读取",
    ),
    # hovers
    "error": ("error", "错误"),
    "warning": ("warning", "警告"),
    "information": ("information", "信息"),
    "safe": ("safe fix", "安全修复"),
    "review": ("fix to review", "修复需复核"),
    "manual": ("by hand", "手动修复"),
    "state": ("- {0}: {1}", "- {0}：{1}"),
    "status supported": ("supported", "支持"),
    "status present": ("there; the documentation does not speak of it", "存在，但文档未提及"),
    "status renamed": ("there under this name", "以此名称提供"),
    "status limited": ("there, with limits", "存在，但有限制"),
    "status replaced": ("something else takes its place", "由其他接口替代"),
    "status noop": ("without effect", "不起作用"),
    "status missing": ("missing", "不支持"),
    "status unlisted": ("not known", "未知"),
    "same": ("the same name", "同名"),
    "none": ("no counterpart", "无对应接口"),
    "absent": ("not in {0} {1}, which is checked for; since {2}", "所检查的 {0} {1} 中没有；自 {2} 起提供"),
    "never": ("not in {0} {1}, which is checked for", "所检查的 {0} {1} 中没有"),
    "always": ("in every known version of {0} ({1} and later)", "{0} 的所有已知版本均提供（{1} 及以后）"),
    "only": ("in {0} {1}", "{0} {1} 提供"),
    "since": ("since {0} {1}", "自 {0} {1} 起提供"),
    "missing": ("without the parameters {0}", "缺少参数 {0}"),
    "missing one": ("without the parameter {0}", "缺少参数 {0}"),
    "positions": ("positional arguments are in another order", "位置参数的顺序不同"),
    "patched": ("`{0}` maps this name at run time", "运行时由 `{0}` 映射此名称"),
    "silences every": ("silences every rule here", "在此抑制所有规则"),
    "silences": ("silences {0}", "抑制 {0}"),
    "unknown rule": ("no rule is called {0}", "没有名为 {0} 的规则"),
    "page": ("page of `{0}`", "`{0}` 的规则说明"),
    # lenses
    "constructs": ("{0} CUDA-only constructs", "{0} 处仅限 CUDA 的代码"),
    "construct": ("1 CUDA-only construct", "1 处仅限 CUDA 的代码"),
    "fixable": ("{0}, {1} can be fixed", "{0}，其中 {1} 处可自动修复"),
}


class Phrases(Texts):
    """The phrases of one language: "en" or "zh"."""

    table = _PHRASES


def phrases(engine: Engine) -> Phrases:
    """The phrases in the language of an engine's messages."""
    return Phrases(language(engine.settings.locale))


def newer_python(say: Phrases) -> str:
    """Why a statement that is newer than this Python was not read, and the command that helps."""
    return say("newer", platform.python_version(), code(f"{sys.executable} -m pip install --upgrade libcst"))
