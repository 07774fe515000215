"""A rule that fails costs its own findings, not those of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..catalogue import Rule, Target
from ..checks import CHECKS, Check, Context, Hit
from ..limits import LimitExceeded

Tell = Callable[[str, str, Exception], object]
"""Is told of a failure: the rule's name (empty: it was none's), the path of the text, and what was raised."""


def run_apart(
    check: Check, context: Context, rules: Sequence[Rule], target: Target, tell: Callable[[str, Exception], object]
) -> list[Hit]:
    """The hits of a check that fails with all its rules together, without those of the rules that are to blame."""
    kind: object = type(check)
    mine = [rule for rule in rules if CHECKS.get(rule.check) is kind]
    good = []
    for rule in mine:
        try:
            list(CHECKS[rule.check]([rule], target).run(context))
            good.append(rule)
        except (LimitExceeded, RecursionError):
            raise
        except Exception as error:  # noqa: BLE001 whatever it is, the rule is named
            tell(rule.name, error)
    try:
        return list(CHECKS[good[0].check](good, target).run(context)) if good else []
    except (LimitExceeded, RecursionError):
        raise
    except Exception as error:  # noqa: BLE001 no rule is to blame alone
        tell(", ".join(rule.name for rule in good), error)
        return []
