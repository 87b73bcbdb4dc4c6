"""The menus of the window and their submenus, by the names that actions give."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

MENUS = {
    "file": QT_TRANSLATE_NOOP("Actions", "&File"),
    "edit": QT_TRANSLATE_NOOP("Actions", "&Edit"),
    "view": QT_TRANSLATE_NOOP("Actions", "&View"),
    "tools": QT_TRANSLATE_NOOP("Actions", "&Tools"),
    "help": QT_TRANSLATE_NOOP("Actions", "&Help"),
}

SUBMENUS = {
    "recent": QT_TRANSLATE_NOOP("Actions", "Open &recent"),
    "pages": QT_TRANSLATE_NOOP("Actions", "P&ages"),
    "token": QT_TRANSLATE_NOOP("Actions", "Token at the caret"),
    "theme": QT_TRANSLATE_NOOP("Actions", "&Theme"),
    "colours": QT_TRANSLATE_NOOP("Actions", "Token colo&urs"),
}
