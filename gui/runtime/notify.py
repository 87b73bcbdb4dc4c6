"""Messages to the user.

``Notifier`` takes sentences; the window's message bar shows them without interrupting work. A sentence says what
happened, what was kept and what can be done; technical details go to ``details``, never into the sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from gui.core.token_text import shown

INFORMATION = "information"
WARNING = "warning"
ERROR = "error"


class Offer(NamedTuple):
    """An action that the user can take on a notice: its label and its callback."""

    label: str
    act: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Notice:
    """A message. ``key`` identifies its subject: a newer notice with the same key replaces it.

    ``passing``: True for a notice about something just done, which disappears when the user leaves the page. Others
    stay until they are closed or settled.
    """

    kind: str
    text: str
    details: str = ""
    key: str = ""
    offers: tuple[Offer, ...] = field(default=(), compare=False)
    passing: bool = False


class Notifier(QObject):
    """Channel for messages from anywhere in the window to their display.

    Signals: ``posted(Notice)``; ``withdrawn(str)`` with the key of a notice that no longer applies; ``remarked(str)``
    with a transient remark.
    """

    posted = Signal(object)
    withdrawn = Signal(str)
    remarked = Signal(str)

    def information(self, text: str, details: str = "", *, key: str = "", offers: tuple[Offer, ...] = ()) -> None:
        """Post information."""
        self._post(INFORMATION, text, details, key, offers)

    def done(self, text: str, *, key: str, offers: tuple[Offer, ...]) -> None:
        """Post a notice about something just done, with offers such as Undo."""
        self._post(INFORMATION, text, "", key, offers, passing=True)

    def warning(self, text: str, details: str = "", *, key: str = "", offers: tuple[Offer, ...] = ()) -> None:
        """Post a warning: something went differently, but work continues."""
        self._post(WARNING, text, details, key, offers)

    def error(self, text: str, details: str = "", *, key: str = "", offers: tuple[Offer, ...] = ()) -> None:
        """Post an error: the requested action did not happen."""
        self._post(ERROR, text, details, key, offers)

    def remark(self, text: str) -> None:
        """Show a short remark in the status bar, such as that something was copied."""
        self.remarked.emit(shown(text))

    def _post(
        self, kind: str, text: str, details: str, key: str, offers: tuple[Offer, ...], *, passing: bool = False
    ) -> None:
        self.posted.emit(Notice(kind, shown(text), shown(details), key, offers, passing))

    def withdraw(self, key: str) -> None:
        """Withdraw the notice with this key because it no longer applies."""
        self.withdrawn.emit(key)
