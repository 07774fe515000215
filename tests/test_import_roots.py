"""The packages that imports name, found by a fast search."""

import ast

import pytest

from uncuda.workspace.import_roots import import_roots


@pytest.mark.parametrize(
    "text",
    [
        "import a",
        "import a.b as c",
        "import\ta",
        "import x, a.b as c, d",
        "import x,a",
        "from a import b",
        "from a.b.c import (d,\n    e)",
        "from  a  import(b)",
        "try: from a import b\nexcept ImportError: pass",
        "x = 1; import a; from d import e",
        "from from_a import b\nfrom a import from_b",
        "def f():\n    from a import b",
        "import a\r\nimport x\r\n",
        "import x\rimport a\r",
    ],
)
def test_the_roots_of_all_imports_are_found(text: str) -> None:
    tree = ast.parse(text)
    names = {
        name.partition(".")[0].encode()
        for node in ast.walk(tree)
        for name in (
            [one.name for one in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert names
    assert names <= import_roots(text.encode())


def test_text_without_imports_has_no_roots() -> None:
    assert import_roots(b"") == import_roots(b"x = a.b\n") == frozenset()
