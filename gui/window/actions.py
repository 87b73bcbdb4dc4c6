"""The window's ``QAction``s, created from ``gui.window.menus``. Handlers connect to them."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence

from gui.look.icons import Icons
from gui.window.menus.action_spec import ActionSpec
from gui.window.menus.action_table import ACTIONS


class WindowActions(QObject):
    """The ``QAction`` of every row of the table, accessed by name with ``[]``."""

    def __init__(self, icons: Icons, parent: QObject) -> None:
        super().__init__(parent)
        self._groups: dict[str, QActionGroup] = {}
        self._actions: dict[str, QAction] = {}
        self._defaults: dict[str, list[QKeySequence]] = {}
        for spec in ACTIONS:
            self._actions[spec.name] = self._make(spec, icons)

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def __iter__(self):
        return iter(self._actions.items())

    def default_keys(self, name: str) -> list[QKeySequence] | None:
        """Return the default keys of an action; None if it is not in the table."""
        return self._defaults.get(name)

    def use_shortcuts(self, changed: Iterable[str]) -> None:
        """Apply the user's shortcuts (``Settings.shortcuts``); all other actions get their default keys."""
        wanted = {name: keys for name, _, keys in (entry.partition("=") for entry in changed)}
        for name, action in self._actions.items():
            own = [QKeySequence(wanted[name])] if wanted.get(name) else []
            keys = own if name in wanted else self._defaults[name]
            if action.shortcuts() != keys:
                _set_keys(action, keys)

    def _make(self, spec: ActionSpec, icons: Icons) -> QAction:
        action = QAction(translated(spec.text), self)
        action.setObjectName(spec.name)
        keys: list[QKeySequence] = []
        for shortcut in spec.shortcuts:
            if isinstance(shortcut, str):
                keys.append(QKeySequence(shortcut))
            else:
                # The first is the one in use; others are on few keyboards, such as F14 and Copy.
                keys += QKeySequence.keyBindings(shortcut)[:1]
        self._defaults[spec.name] = _without_repeats(keys)
        action.setStatusTip(translated(spec.tip))
        _set_keys(action, self._defaults[spec.name])
        action.setProperty("kind", translated(spec.kind) if spec.kind else "")
        action.setProperty("keyword", translated(spec.keyword) if spec.keyword else "")
        action.setCheckable(spec.checkable)
        action.setChecked(spec.checked)
        if spec.icon:
            action.setIcon(icons.icon(spec.icon))
        if spec.group:
            group = self._groups.get(spec.group)
            if group is None:
                group = self._groups[spec.group] = QActionGroup(self)
            group.addAction(action)
        return action


def _set_keys(action: QAction, keys: list[QKeySequence]) -> None:
    """Set the keys of an action, and name the first one in its tooltip."""
    action.setShortcuts(keys)
    shown = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    action.setToolTip(f"{action.statusTip()} ({shown})" if shown else action.statusTip())


def translated(text: str) -> str:
    """Translate a text of the action table."""
    return QCoreApplication.translate("Actions", text)


def plain_text(action: QAction) -> str:
    """Return the name of an action, without its mnemonic mark and the ellipsis that announces a dialog."""
    text = action.text().replace("&&", "\0").replace("&", "").replace("\0", "&")
    return text.removesuffix("…")


def _without_repeats(keys: list[QKeySequence]) -> list[QKeySequence]:
    seen: list[QKeySequence] = []
    for key in keys:
        if not key.isEmpty() and key not in seen:
            seen.append(key)
    return seen
