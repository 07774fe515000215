"""What one file cannot know: facts of the whole project, gathered by workspace, given to the engine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Project:
    """Immutable facts of a project. Targets are named by their ids."""

    plugins: frozenset[str] = frozenset()
    shims: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset()
    """Targets that a module-level constant names, where no plugin is imported: `BACKEND = "…"`."""
    methods: frozenset[str] = frozenset()
    """Names of methods that some class of the project defines itself: "cuda", "is_cuda"."""
