"""Boxes for tokens and amounts, alike wherever a scenario is said."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from PySide6.QtCore import QDate
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSpinBox

from gui.costs.scenario_book import MOST_TOKENS


def tokens_box(name: str, spoken: str) -> QSpinBox:
    """A box for a number of tokens or calls."""
    box = QSpinBox(objectName=name)
    box.setRange(0, MOST_TOKENS)
    box.setGroupSeparatorShown(True)
    box.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
    box.setAccelerated(True)
    box.setAccessibleName(spoken)
    # As wide as seven digits: the longest number allowed would make the bar twice as wide for nobody.
    box.setFixedWidth(box.fontMetrics().horizontalAdvance("0,000,000") + 36)
    return box


def amount_box(name: str, spoken: str) -> QDoubleSpinBox:
    """A box for an amount of money with two decimals."""
    box = QDoubleSpinBox(objectName=name)
    box.setDecimals(2)
    box.setGroupSeparatorShown(True)
    box.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
    box.setFixedWidth(box.fontMetrics().horizontalAdvance("$ 0,000,000.00") + 36)
    box.setAccessibleName(spoken)
    return box


def decimal_of(box: QDoubleSpinBox) -> Decimal:
    """The number in a box. It holds a float; its decimals say what the user typed."""
    return Decimal(f"{box.value():.{box.decimals()}f}")


def as_date(day: QDate) -> date:
    """A day of Qt's as Python's."""
    return date(day.year(), day.month(), day.day())
