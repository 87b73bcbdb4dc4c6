"""Display of the notices of ``Notifier`` without interrupting the user.

Events are shown as toasts over the content; conditions that last until they are settled, as banners above it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QDeadlineTimer, QEvent, QObject, QTimer, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.look.icons import Icons
from gui.look.theme import Theme
from gui.runtime.notify import INFORMATION, Notice, Notifier

if TYPE_CHECKING:
    from gui.widgets.banner import Banner

MAX_SHOWN = 3
INFORMATION_MS = 15_000
"""Lifetime of information; warnings and errors stay until they are closed or settled. A toast about something just
done disappears when the user leaves the page, once it was visible this long."""
ABOVE_BOTTOM, GAP = 38, 8
"""Distance between the lowest toast and the bottom of the window, and gap between two toasts, in pixels."""


def is_lasting(notice: Notice) -> bool:
    """Return True for a condition: a keyed warning or error, which is withdrawn when it is settled."""
    return notice.kind != INFORMATION and bool(notice.key)


class MessageBar(QWidget):
    """The newest messages, at most three; a newer one on the same subject replaces the older.

    Only the newest condition is visible, as a banner in this widget. Toasts are placed over the widget ``over``.
    """

    def __init__(
        self, notifier: Notifier, theme: Theme, icons: Icons, over: QWidget, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._icons, self._over = theme, icons, over
        self._left: QWidget | None = None
        self._shown: list[tuple[Notice, Banner]] = []
        self._unread: dict[Banner, QDeadlineTimer] = {}
        self.setObjectName("messageBar")
        self.setAccessibleName(self.tr("Messages"))
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._tidy = QTimer(self, singleShot=True, interval=INFORMATION_MS)
        self._tidy.timeout.connect(self._drop_information)
        notifier.posted.connect(self._on_posted)
        notifier.withdrawn.connect(self._on_withdrawn)
        over.installEventFilter(self)
        self.hide()

    def begin_right_of(self, widget: QWidget) -> None:
        """Place toasts to the right of this widget."""
        self._left = widget

    @property
    def notices(self) -> list[Notice]:
        """The displayed notices, newest first."""
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
        banner = self._make(notice)
        banner.show_notice(notice)
        banner.dismissed.connect(self._on_dismissed)
        if notice.passing:
            self._unread[banner] = QDeadlineTimer(INFORMATION_MS)
        self._shown.insert(0, (notice, banner))
        for _notice, old_banner in self._shown[MAX_SHOWN:]:
            self._remove(old_banner)
        if notice.kind == INFORMATION and not notice.offers:
            self._tidy.start()
        self._arrange()

    def _make(self, notice: Notice) -> Banner:
        # imported late: most windows start without a message
        from gui.widgets.banner import Banner, Toast

        if not is_lasting(notice):
            return Toast(self._theme, self._icons, self._over)
        banner = Banner(self._theme, self._icons, self)
        self._column.insertWidget(0, banner)
        return banner

    def _arrange(self) -> None:
        """Show the newest condition as a banner, and stack the toasts with the newest at the bottom."""
        conditions = [banner for notice, banner in self._shown if is_lasting(notice)]
        for banner in conditions:
            banner.setVisible(banner is conditions[0])
        self.setVisible(bool(conditions))
        left = self._left.width() + 16 if self._left is not None else 16
        bottom = self._over.height() - ABOVE_BOTTOM
        for notice, toast in self._shown:
            if not is_lasting(notice):
                toast.fit(self._over.width() - left - 16)
                bottom -= toast.height()
                toast.move(left, max(0, bottom))
                bottom -= GAP
                toast.show()
                toast.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._over and event.type() == QEvent.Type.Resize and self._shown:
            self._arrange()
        return super().eventFilter(watched, event)

    @Slot()
    def leave_page(self) -> None:
        """Remove notices about the page that the user leaves, if there was time to read them."""
        for banner, deadline in list(self._unread.items()):
            if deadline.hasExpired():
                self._remove(banner)

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
        self._unread.pop(banner, None)
        self._column.removeWidget(banner)
        banner.hide()
        banner.deleteLater()
        self._arrange()
