"""Builds notebook files for tests."""

import json
from typing import Any


def notebook(*cells: str | dict[str, Any], indent: int | None = 1, **more: Any) -> str:
    """A notebook as Jupyter writes it, with a code cell for each text."""
    made = [code(cell) if isinstance(cell, str) else cell for cell in cells]
    whole = {"cells": made, "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps({**whole, **more}, indent=indent, ensure_ascii=False) + "\n"


def code(text: str, **more: Any) -> dict[str, Any]:
    """Return a code cell that has an output."""
    output = {"name": "stdout", "output_type": "stream", "text": ["cuda:0\n"]}
    source = text.splitlines(keepends=True)
    return {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [output], "source": source, **more}


def markdown(text: str) -> dict[str, Any]:
    """A Markdown cell."""
    return {"cell_type": "markdown", "metadata": {}, "source": [text]}


def sources(data: str | bytes) -> list[str]:
    """The source of each cell of a notebook."""
    return ["".join(cell["source"]) for cell in json.loads(data)["cells"]]
