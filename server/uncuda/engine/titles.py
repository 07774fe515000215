"""Titles of fixes in Chinese. Checks write them in English; what they quote stays as it is."""

from __future__ import annotations

import re
from functools import lru_cache

_TITLES = (
    ("Replace with the identity function", "替换为恒等函数"),
    ("Replace with {}, which no other accelerator has", "替换为 {}（其他加速器没有此接口）"),
    ("Replace with {}", "替换为 {}"),
    ("Remove the unused import of {}", "删除未使用的导入 {}"),
    ("Remove the unused suppression", "删除无用的抑制注释"),
    ("Remove {}", "删除 {}"),
    ("Import from {}", "改为从 {} 导入"),
    ("Import {}", "导入 {}"),
    ("Guard the import of {}", "为 {} 的导入加上保护"),
    ("Unwrap {}", "去掉外层的 {}"),
    ("Add an entry for {}", "为 {} 添加一项"),
    ("Add {}", "添加 {}"),
    ("Use {}, which every device has", "改用所有设备都有的 {}"),
)
_PATTERNS = [
    (re.compile(re.escape(english).replace(r"\{\}", "(.+)"), re.DOTALL), chinese) for english, chinese in _TITLES
]


@lru_cache(maxsize=1024)
def in_chinese(title: str) -> str:
    """A fix's title in Chinese; one that is not known stays as it is."""
    for pattern, chinese in _PATTERNS:
        if match := pattern.fullmatch(title):
            return chinese.replace("{}", match[match.lastindex]) if match.lastindex else chinese
    return title
