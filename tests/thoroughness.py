"""How much of what is long and repetitive runs: some of it in every run of the tests, all of it in the deep one.

The marker ``deep`` is on what the README's command leaves out and ``.ci/run`` runs. A test that is named on the command
line runs with all of its cases.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import hypothesis
import pytest

DEEP_EXAMPLES = 100
"""Random examples of a property that asks for no number of its own, in the deep run: Hypothesis's own default."""

FEWEST_EXAMPLES = 10
"""Random examples that every property gets at least, unless it never wants as many."""


def examples(number: int, *suppressed: hypothesis.HealthCheck) -> hypothesis.settings:
    """Return settings that try ``number`` examples in the deep run, and fewer or more in others, by the same factor.

    Decorates a property whose examples take long, or that wants many. ``suppressed``: what Hypothesis need not check.
    """
    now = hypothesis.settings.default
    return hypothesis.settings(
        max_examples=max(scaled(number), min(number, FEWEST_EXAMPLES)),
        suppress_health_check=[*now.suppress_health_check, *suppressed],
    )


def scaled(number: int) -> int:
    """Return how much of ``number``, a figure of the deep run, a run with fewer or more examples comes to."""
    return number * hypothesis.settings.default.max_examples // DEEP_EXAMPLES


def mostly_deep(cases: Iterable[Any], always: int = 4) -> list[Any]:
    """Return the cases for ``pytest.mark.parametrize``; all but ``always`` of them, evenly spread, are deep."""
    cases = list(cases)
    steps = max(always - 1, 1)
    kept = {step * (len(cases) - 1) // steps for step in range(always)}
    return [case if number in kept else as_deep(case) for number, case in enumerate(cases)]


def as_deep(case: Any) -> Any:
    """Return a case for ``pytest.mark.parametrize`` that only the deep run tries."""
    if isinstance(case, type(pytest.param())):
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.deep], id=case.id)
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.deep)
