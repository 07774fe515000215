"""Titles of fixes: a check creates the English title by its key; the Chinese title is looked up by the same key."""

from __future__ import annotations

from . import Room

FIXES: Room = {
    "replace": ("Replace with {0}", "替换为 {0}"),
    "bind": ("Replace with {0}, which no other accelerator has", "替换为 {0}（其他加速器没有此接口）"),
    "identity": ("Replace with the identity function", "替换为恒等函数"),
    "add": ("Add {0}", "添加 {0}"),
    "add entry": ("Add an entry for {0}", "为 {0} 添加一项"),
    "remove": ("Remove {0}", "删除 {0}"),
    "remove import": ("Remove the unused import of {0}", "删除未使用的导入 {0}"),
    "remove suppression": ("Remove the unused suppression", "删除无用的抑制注释"),
    "unwrap": ("Unwrap {0}", "去掉外层的 {0}"),
    "import": ("Import {0}", "导入 {0}"),
    "import from": ("Import from {0}", "改为从 {0} 导入"),
    "guard import": ("Guard the import of {0}", "为 {0} 的导入加上保护"),
    "stand-in": ("Use {0}, which every device has", "改用所有设备都有的 {0}"),
}


class Title(str):
    """The English title of a fix. `key`: the key of the title in FIXES; `said`: the code that the title quotes, which
    is the same in both languages."""

    __slots__ = ("key", "said")
    key: str
    said: str

    @property
    def chinese(self) -> str:
        """The title in Chinese."""
        return FIXES[self.key][1].format(self.said)


def titled(key: str, said: str = "") -> Title:
    """Return the English title of a fix; `said`: the code that the title quotes."""
    title = Title(FIXES[key][0].format(said))
    title.key, title.said = key, said
    return title
