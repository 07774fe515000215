"""Engines for tests: each engine begins with an empty cache; engines with the same settings share the prepared rules.

Preparing the rules takes far longer than checking the few lines of a test, so they are prepared once.
"""

from __future__ import annotations

from uncuda.catalogue import load
from uncuda.engine import Engine
from uncuda.engine.several import PortableEngine, make_engine
from uncuda.project import Project
from uncuda.settings import Settings

_prepared: dict[tuple[str, int, str], Engine] = {}


def engine_for(
    target: str, settings: Settings | None = None, project: Project | None = None, remember: int = 1
) -> Engine:
    """Return the same engine as `make_engine(load(), …)`."""
    settings = settings or Settings()
    key = target, remember, repr(settings)
    if key not in _prepared:
        engine = _prepared[key] = make_engine(load(), target, settings, remember=remember)
        for part in engine.parts if isinstance(engine, PortableEngine) else ():
            for shim in (False, True):
                part.ruleset(shim)  # engines with the same settings share it
    return _prepared[key].knowing(project or Project())
