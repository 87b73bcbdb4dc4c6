"""Whole numbers in the user's locale."""

from __future__ import annotations

from PySide6.QtCore import QLocale


def figure(locale: QLocale, number: int) -> str:
    """``number`` with the locale's separators. A system without a locale (C) has none: commas make it readable."""
    if locale.language() == QLocale.Language.C:
        return f"{number:,}"
    return locale.toString(number)
