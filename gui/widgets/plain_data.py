"""Decorators for the ``data`` of models whose texts come from files and prompts."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from PySide6.QtCore import Qt

from gui.core.token_text import visible_lines
from gui.look.plain_tip import as_written

Data = Callable[..., Any]

_READ = (
    *(Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole),
    *(Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.AccessibleDescriptionRole),
)
"""What somebody reads, or has read out to them."""


def plain_tips(data: Data) -> Data:
    """Tool tips are shown as they are: what looks like HTML is not taken for it."""

    @wraps(data)
    def plain(self: Any, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        value = data(self, index, role)
        return as_written(value) if role == Qt.ItemDataRole.ToolTipRole and isinstance(value, str) else value

    return plain


def everything_visible(data: Data) -> Data:
    """The same, and in cells, tips and what a screen reader says, what hides or turns text is made visible."""

    @wraps(data)
    def visible(self: Any, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        value = data(self, index, role)
        if isinstance(value, str) and role in _READ:
            return visible_lines(value)
        return value

    return plain_tips(visible)
