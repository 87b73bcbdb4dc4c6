"""Shows what ``Notifier`` is told, across the top of the window, without stopping anybody's work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.look.icons import Icons
from gui.look.theme import Theme
from gui.notify import INFORMATION, Notice, Notifier

if TYPE_CHECKING:
    from gui.panels.banner import Banner

MOST_SHOWN = 3
INFORMATION_MS = 15_000
"""Information goes by itself; warnings and errors stay until they are closed or settled."""


class MessageBar(QWidget):
    """The newest messages, at most three; a newer one about the same subject takes the place of the older."""

    def __init__(self, notifier: Notifier, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icons = icons
        self._shown: list[tuple[Notice, Banner]] = []
        self.setObjectName("messageBar")
        self.setAccessibleName(self.tr("Messages"))
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._tidy = QTimer(self)
        self._tidy.setSingleShot(True)
        self._tidy.setInterval(INFORMATION_MS)
        self._tidy.timeout.connect(self._drop_information)
        notifier.posted.connect(self._on_posted)
        notifier.withdrawn.connect(self._on_withdrawn)
        self.hide()

    @property
    def notices(self) -> list[Notice]:
        """What is shown, newest first."""
        return [notice for notice, _banner in self._shown]

    @Slot(object)
    def _on_posted(self, notice: Notice) -> None:
        subject = notice.key or notice.text
        for old, banner in self._shown:
            if notice == old:
                return
            if subject == (old.key or old.text):
                self._remove(banner)
                break
        # Most windows open without a word to say.
        from gui.panels.banner import Banner

        banner = Banner(self._theme, self._icons, self)
        banner.show_notice(notice)
        banner.dismissed.connect(self._on_dismissed)
        self._column.insertWidget(0, banner)
        banner.show()
        self._shown.insert(0, (notice, banner))
        for _notice, old_banner in self._shown[MOST_SHOWN:]:
            self._remove(old_banner)
        if notice.kind == INFORMATION and not notice.offers:
            self._tidy.start()
        self.show()

    @Slot(str)
    def _on_withdrawn(self, key: str) -> None:
        for notice, banner in list(self._shown):
            if notice.key == key:
                self._remove(banner)

    @Slot()
    def _on_dismissed(self) -> None:
        for _notice, banner in list(self._shown):
            if banner is self.sender():
                self._remove(banner)

    @Slot()
    def _drop_information(self) -> None:
        for notice, banner in list(self._shown):
            if notice.kind == INFORMATION and not notice.offers:
                self._remove(banner)

    def _remove(self, banner: Banner) -> None:
        self._shown = [(notice, other) for notice, other in self._shown if other is not banner]
        self._column.removeWidget(banner)
        banner.hide()
        banner.deleteLater()
        self.setVisible(bool(self._shown))
