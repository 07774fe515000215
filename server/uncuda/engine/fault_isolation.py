"""Runs the rules of a check separately if one raises an exception, so that only the findings of this rule are lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..catalogue import Rule, Target
from ..checks import CHECKS, Check, Context, Hit
from ..limits import LimitExceeded

Tell = Callable[[str, str, Exception], object]
"""A function that is called for each failure of a rule, with the rule's name ("" if it is unknown), the path of the
text, and the exception."""


def run_apart(
    check: Check, context: Context, rules: Sequence[Rule], target: Target, tell: Callable[[str, Exception], object]
) -> list[Hit]:
    """Return the hits of a check that raised an exception: each rule is run alone first; then the rules that raised no
    exception are run together."""
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
