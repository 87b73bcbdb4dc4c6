"""Declaration of a window action."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtGui import QKeySequence

Standard = QKeySequence.StandardKey


class ActionSpec(NamedTuple):
    """An action. ``shortcuts``: key sequences as text, or standard keys of the platform.

    ``menu``: the menu that contains it. ``group``: actions of a group exclude each other. ``separator``: draw a line
    before it. ``checked``: initial state. ``keyword``: ranks it first in the command palette; ``kind``: shown before
    its name there, by default the submenu.
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
