"""What the commands of the server say, in English and Chinese."""

from __future__ import annotations

from uncuda.report.words import Words

_TEXTS: dict[str, tuple[str, str]] = {
    # why a file is left out
    "encoding": (
        "its encoding is {encoding}, and the editor would write it in another one; run `{0}`",
        "文件编码为 {encoding}，编辑器会以其他编码写回；请运行 `{0}`",
    ),
    "line ends": (
        "its line ends are not all the same, and the editor would change them; run `{0}`",
        "文件的换行符不一致，编辑器会改写它们；请运行 `{0}`",
    ),
}


class Texts(Words):
    """The texts of one language: "en" or "zh"."""

    def __call__(self, key: str, *values: object, **named: object) -> str:
        """The text for `key` with values in its braces."""
        return _TEXTS[key][self.locale == "zh"].format(*values, **named)
