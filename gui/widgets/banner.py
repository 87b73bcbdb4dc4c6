"""A strip across the window with a message and its actions."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QIcon, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QWidget,
)

from gui.look.icons import Icons
from gui.look.theme import Theme
from gui.runtime.notify import ERROR, WARNING, Notice, Offer
from gui.widgets.forms import column_of, row_of

TOAST_WIDTH = 560


class Banner(QFrame):
    """One message, with an icon for its kind, buttons for its offers, and expandable details.

    Signals: ``dismissed()`` when the user closes it.
    """

    dismissed = Signal()

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icons = icons
        self._kind = "information"
        self._details = ""
        self._offers: tuple[Offer, ...] = ()
        self._buttons: list[QPushButton] = []
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._sign = _Sign(icons, self)
        self._text = QLabel(self, wordWrap=True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._more = QPushButton(self.tr("Details"), self, checkable=True)
        self._more.setAccessibleName(self.tr("Show the details of this message"))
        self._copy = QPushButton(self.tr("Copy"), self, accessibleName=self.tr("Copy this message"))
        self._close = QToolButton(self, accessibleName=self.tr("Close this message"))
        self._close.setIcon(icons.icon("close"))
        self._close.setAutoRaise(True)
        self._close.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._close.setToolTip(self.tr("Close this message (Esc)"))
        self._more_text = QPlainTextEdit(self, readOnly=True, accessibleName=self.tr("Details of the message"))
        self._more_text.setTabChangesFocus(True)
        self._more_text.setMaximumHeight(self.fontMetrics().height() * 8)
        self._more_text.hide()
        top = (0, Qt.AlignmentFlag.AlignTop)
        buttons = ((self._more, *top), (self._copy, *top), (self._close, *top))
        self._row = row_of((self._sign, *top), (self._text, 1), *buttons, spacing=8)
        column_of(self._row, self._more_text, parent=self, margins=(8, 5, 5, 5))
        self._more.toggled.connect(self._more_text.setVisible)
        self._copy.clicked.connect(self._copy_message)
        self._close.clicked.connect(self._dismiss)
        theme.changed.connect(self.update)

    @property
    def text(self) -> str:
        """The sentence shown."""
        return self._text.text()

    def show_notice(self, notice: Notice) -> None:
        """Show this message."""
        self._kind = notice.kind
        self._details = notice.details
        self._sign.set_kind(notice.kind)
        self._text.setText(notice.text)
        kinds = {WARNING: self.tr("Warning"), ERROR: self.tr("Error")}
        kind = kinds.get(notice.kind, self.tr("Information"))
        self.setAccessibleName(self.tr("{kind}: {text}").format(kind=kind, text=notice.text))
        self._more.setVisible(bool(notice.details))
        self._more.setChecked(False)
        self._more_text.setPlainText(notice.details)
        self._copy.setVisible(bool(notice.details) or notice.kind == ERROR)
        self._set_offers(notice.offers)
        self.update()

    def _set_offers(self, offers: tuple[Offer, ...]) -> None:
        # Reuse buttons where possible: a focused button must not lose the focus because a number changed.
        while len(self._buttons) > len(offers):
            self._buttons.pop().deleteLater()
        while len(self._buttons) < len(offers):
            button = QPushButton(self)
            button.clicked.connect(self._on_offer_taken)
            self._row.insertWidget(2 + len(self._buttons), button, 0, Qt.AlignmentFlag.AlignTop)
            self._buttons.append(button)
        self._offers = offers
        for button, offer in zip(self._buttons, offers, strict=True):
            button.setText(offer.label)
            button.setAccessibleName(offer.label)

    @Slot()
    def _on_offer_taken(self) -> None:
        button = self.sender()
        if button in self._buttons:
            self._offers[self._buttons.index(button)].act()

    @Slot()
    def _copy_message(self) -> None:
        QGuiApplication.clipboard().setText("\n\n".join(filter(None, (self._text.text(), self._details))))

    @Slot()
    def _dismiss(self) -> None:
        self.dismissed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._close.isVisible():
            self._dismiss()
            return
        super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), self._theme.colour(f"{self._kind}_base"))
            stripe = QRect(self.rect())
            stripe.setWidth(4)
            painter.fillRect(stripe, self._theme.colour(self._kind))
            painter.setPen(self._theme.colour("border"))
            painter.drawLine(self.rect().bottomLeft(), self.rect().bottomRight())


class Toast(Banner):
    """A banner that floats over the content, in tooltip colours, so that it stands out."""

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget) -> None:
        super().__init__(theme, icons, parent)
        self.setObjectName("toast")
        self.setProperty("kind", "toast")  # the sheet sets the colours of background, text and buttons
        self._close.setIcon(QIcon())
        self._close.setText("✕")
        self._row.setSpacing(10)
        self.layout().setContentsMargins(12, 8, 8, 8)
        self._sign.set_role("on_tip")

    def fit(self, room: int) -> None:
        """Resize to fit the text, within this many pixels."""
        least = self.sizeHint().width()
        beside = sum(
            button.sizeHint().width() + 10 for button in (*self._buttons, self._close) if not button.isHidden()
        )
        words = self._text.fontMetrics().horizontalAdvance(self.text) + beside + 70
        width = max(120, min(room, TOAST_WIDTH, max(least, words)))
        self.resize(width, max(self.layout().totalHeightForWidth(width), self.minimumSizeHint().height()))

    def _set_offers(self, offers: tuple[Offer, ...]) -> None:
        super()._set_offers(offers)
        for button in self._buttons:
            button.setFlat(True)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(self._theme.colour("tip_edge"))
            painter.setBrush(self._theme.colour("tip"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)


class _Sign(QWidget):
    """The icon of a kind of message, in its colour."""

    def __init__(self, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self._icons = icons
        self._kind = "information"
        self._role = ""

    def set_role(self, role: str) -> None:
        """Draw in this colour for every kind."""
        self._role = role
        self.update()

    def set_kind(self, kind: str) -> None:
        self._kind = kind
        self.update()

    def sizeHint(self) -> QSize:
        side = self.fontMetrics().height() + 6
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._icons.draw(painter, self._kind, self.rect().adjusted(1, 1, -1, -1), self._role or self._kind)
