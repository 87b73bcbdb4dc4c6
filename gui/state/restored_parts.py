"""Restores the parts of a window from its session one by one: a bad one is set aside, the others go on."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject

from gui.notify import Notifier
from gui.state.session import MOST_OF_A_NUMBER, PART_SET_ASIDE
from gui.state.session_slot import SessionSlot
from gui.state.storage import WriteRequest, write_now

MOST_OF_A_REASON = 200


class RestoredParts(QObject):
    """Guards what restores a part. ``slot``: where a bad part is kept."""

    def __init__(self, slot: SessionSlot, notifier: Notifier, parent: QObject) -> None:
        super().__init__(parent)
        self._slot, self._notifier = slot, notifier

    def restore(self, name: str, restore: Callable[[dict[str, Any]], object], state: dict[str, Any]) -> None:
        """Restore the part ``name`` of a session. If that fails, set ``state`` aside and say so."""
        usable = without_huge_numbers(state)
        why = "" if usable == state else self.tr("a number is too large")
        try:
            restore(usable)
        except Exception as error:  # noqa: BLE001 - the file may hold anything, and whatever it is stays in its part
            why = f"{type(error).__name__}: {error}"[:MOST_OF_A_REASON]
        if why:
            self._set_aside(name, state, why)

    def _set_aside(self, name: str, state: dict[str, Any], why: str) -> None:
        words = self.tr("The part “{part}” of the last session could not be restored in full ({why}).")
        words = words.format(part=name, why=why)
        if self._slot.folder is not None:
            path = self._slot.folder / PART_SET_ASIDE.format(part=name)
            try:
                write_now(WriteRequest(path, json.dumps(state, indent=1)))
            except (OSError, ValueError, RecursionError):
                pass
            else:
                words += " " + self.tr("It is kept as {file}; everything else is there.").format(file=path)
        self._notifier.warning(words, key=f"part-{name}")


def without_huge_numbers(value: Any) -> Any:
    """Return ``value`` as JSON holds it, None in place of numbers that Qt does not take: it prints a fault for them."""
    if isinstance(value, dict):
        return {key: without_huge_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_huge_numbers(item) for item in value]
    return None if isinstance(value, int) and abs(value) > MOST_OF_A_NUMBER else value
