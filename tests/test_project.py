"""Tests of `Project`, which tells the engine at every import whether the module is the project's own or a library."""

from __future__ import annotations

import sys

import pytest

from uncuda.project import Project

OWN = Project(own=frozenset({"libs/apex", "apex", "ours/megatron.core"}), sources=frozenset({"kernels"}))


@pytest.mark.parametrize(
    ("module", "path", "owned"),
    [
        ("apex.optimizers", "train.py", True),
        ("apexes", "libs/train.py", False),
        ("megatron.core.utils", "ours/train.py", True),
        ("megatron.core", "train.py", False),
        ("megatron.rl", "ours/megatron/core/a.py", True),  # in the same namespace package as the file
        ("megatron.rl", "ours\\megatron\\core\\a.py", True),
        ("megatron.rl", "ours/a.py", False),
        ("kernels.softmax", "a.py", True),
        ("torch", "a.py", False),
    ],
)
def test_a_module_of_the_project_is_not_a_library(module: str, path: str, owned: bool) -> None:
    assert OWN.owns(module, path) is owned


def test_an_import_is_compared_with_the_modules_that_begin_like_it() -> None:
    def calls(others: int) -> int:
        project = Project(own=frozenset({"apex", *(f"libs/module{number}" for number in range(others))}))
        project.owns("apex", "train.py")
        count = 0

        def counted(*_: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(counted)
        try:
            project.owns("numpy", "train.py")
        finally:
            sys.setprofile(None)
        return count

    assert calls(1000) == calls(1)
