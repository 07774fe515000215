"""Notebooks as files."""

import json
from typing import Any


def notebook(*cells: str | dict[str, Any], indent: int | None = 1, **more: Any) -> str:
    """A notebook as Jupyter writes it: of each text a cell of code."""
    made = [code(cell) if isinstance(cell, str) else cell for cell in cells]
    whole = {"cells": made, "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps({**whole, **more}, indent=indent, ensure_ascii=False) + "\n"


def code(text: str, **more: Any) -> dict[str, Any]:
    """A cell of code with an output."""
    output = {"name": "stdout", "output_type": "stream", "text": ["cuda:0\n"]}
    source = text.splitlines(keepends=True)
    return {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [output], "source": source, **more}


def markdown(text: str) -> dict[str, Any]:
    """A cell of text."""
    return {"cell_type": "markdown", "metadata": {}, "source": [text]}


def sources(data: str | bytes) -> list[str]:
    """The text of each cell."""
    return ["".join(cell["source"]) for cell in json.loads(data)["cells"]]
