"""What an action of the window is made from."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtGui import QKeySequence

Standard = QKeySequence.StandardKey


class ActionSpec(NamedTuple):
    """One action. ``shortcuts`` are key sequences as text, or a standard key of the platform.

    ``menu`` is the menu it is in. ``group`` makes actions exclude each other. ``separator`` puts a line before it.
    ``checked``: at first.
    ``keyword``: what the command palette finds it by before all others; ``kind``: what it shows before the name, else
    the submenu.
    """

    name: str
    menu: str
    text: str
    tip: str
    shortcuts: tuple[str | Standard, ...] = ()
    icon: str = ""
    checkable: bool = False
    group: str = ""
    separator: bool = False
    submenu: str = ""
    keyword: str = ""
    kind: str = ""
    checked: bool = False
