"""Scenarios under names, as JSON text that a program of a later version can still read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from pricing.scenario_checks import check
from pricing.types import Scenario, ScenarioError

VERSION = 1


def save_scenarios(scenarios: Mapping[str, Scenario]) -> str:
    """The text of a file. Amounts are text, so that no digit is lost."""
    saved = {name: _plain(scenario) for name, scenario in scenarios.items()}
    return json.dumps({"version": VERSION, "scenarios": saved}, indent=1, ensure_ascii=False) + "\n"


def load_scenarios(text: str) -> dict[str, Scenario]:
    """The scenarios of a file's text. Raises ScenarioError for text of another kind, and for scenarios that cannot be.

    Fields that a later program has added are left out; fields that are missing have their usual values.
    """
    try:
        document = json.loads(text)
    except ValueError as error:
        raise ScenarioError(f"the saved scenarios are damaged: {error}") from error
    saved = document.get("scenarios") if isinstance(document, dict) else None
    if not isinstance(saved, dict) or not all(isinstance(one, dict) for one in saved.values()):
        raise ScenarioError("this is no file of saved scenarios")
    return {name: _scenario(name, raw) for name, raw in saved.items()}


def _plain(scenario: Scenario) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for field in fields(Scenario):
        value = getattr(scenario, field.name)
        plain[field.name] = str(value) if isinstance(value, (date, Decimal)) else value
    return plain


def _scenario(name: str, raw: Mapping[str, Any]) -> Scenario:
    known: dict[str, Any] = {}
    try:
        for field in fields(Scenario):
            value = raw.get(field.name)
            if value is not None:
                read: Callable[[Any], Any] = _READERS.get(field.name, _whole)
                known[field.name] = read(value)
        scenario = Scenario(**known)
        check(None, scenario)
    except (TypeError, ValueError, InvalidOperation) as error:
        raise ScenarioError(f"the scenario {name!r} cannot be used: {error}") from error
    return scenario


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} is no whole number")
    return value


def _range(value: Any) -> tuple[int, int]:
    low, high = value
    return _whole(low), _whole(high)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is neither true nor false")
    return value


def _day(value: Any) -> date:
    return date.fromisoformat(value)


_READERS: dict[str, Callable[[Any], Any]] = {
    "on": _day,
    "factor": Decimal,
    "cached_share": Decimal,
    "batch": _flag,
    "output_range": _range,
    "reasoning_range": _range,
}
