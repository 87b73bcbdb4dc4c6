"""Three cards under the sample prompt of the first start. Closing a card, or its button, dismisses it."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.look.icons import Icons
from gui.look.plain_text import PlainLabel
from gui.look.theme import Theme
from gui.state.settings import SettingsStore

ICON = QSize(20, 20)
MIN_HEIGHT = 320
"""Minimum height of the prompt in pixels, without the cost strip, at which the cards are shown: below it they would
leave too little of the prompt."""


class Card(NamedTuple):
    """Content of a card. ``page``: object name of the page that its button opens; empty for the prompt itself."""

    key: str
    icon: str
    title: str
    sentence: str
    button: str
    page: str = ""


CARDS = (
    Card(
        "paste",
        "prompt",
        QT_TRANSLATE_NOOP("FirstSteps", "Count your own prompt"),
        QT_TRANSLATE_NOOP("FirstSteps", "See its tokens and the cost of one call with every model."),
        QT_TRANSLATE_NOOP("FirstSteps", "Paste"),
    ),
    Card(
        "train",
        "tokenizers",
        QT_TRANSLATE_NOOP("FirstSteps", "Train a tokenizer"),
        QT_TRANSLATE_NOOP("FirstSteps", "Train on your own texts and compare the result."),
        QT_TRANSLATE_NOOP("FirstSteps", "Open Train"),
        "trainingTab",
    ),
    Card(
        "vocabulary",
        "search",
        QT_TRANSLATE_NOOP("FirstSteps", "Explore a vocabulary"),
        QT_TRANSLATE_NOOP("FirstSteps", "Search the entries of an encoding and see how they are merged."),
        QT_TRANSLATE_NOOP("FirstSteps", "Open Vocabulary"),
        "vocabularyTab",
    ),
)


def open_cards(settings: SettingsStore) -> tuple[Card, ...]:
    """Return the cards that the user has not dismissed."""
    return tuple(card for card in CARDS if card.key not in settings.values.dismissed_cards)


class FirstSteps(QWidget):
    """Row of cards that have not been dismissed.

    Signals: ``paste_asked()``; ``page_asked(str)`` with the object name of a page.
    """

    paste_asked = Signal()
    page_asked = Signal(str)

    def __init__(self, settings: SettingsStore, theme: Theme, icons: Icons, page: QWidget) -> None:
        """``page``: parent of the cards, whose height decides whether they are shown."""
        super().__init__(page)
        self.setObjectName("firstSteps")
        self._settings, self._icons = settings, icons
        self.cards: dict[str, QFrame] = {}
        self._pictures: list[tuple[QLabel, str]] = []
        self._row = QHBoxLayout()
        self._row.setSpacing(10)
        for card in open_cards(settings):
            self.cards[card.key] = made = self._card(card)
            self._row.addWidget(made, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(0, 0, 0, 0)
        self.close_all = QPushButton(self.tr("Don’t show these again"), objectName="firstStepsClose")
        self.close_all.setProperty("kind", "link")
        self.close_all.clicked.connect(self._dismiss_all)
        foot.addStretch(1)
        foot.addWidget(self.close_all)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 8, 16, 4)
        column.setSpacing(4)
        column.addLayout(self._row)
        column.addLayout(foot)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._draw)
        settings.changed.connect(self._on_setting)
        self._draw()
        page.installEventFilter(self)
        self._fit()

    def _card(self, card: Card) -> QFrame:
        frame = QFrame(self, objectName=f"firstStep_{card.key}")
        frame.setProperty("kind", "card")
        picture = QLabel(frame)
        picture.setTextFormat(Qt.TextFormat.PlainText)
        self._pictures.append((picture, card.icon))
        title, sentence = PlainLabel(_tr(card.title), frame), PlainLabel(_tr(card.sentence), frame)
        title.setProperty("role", "strong")
        sentence.setProperty("role", "caption")
        sentence.setWordWrap(True)
        close = QToolButton(frame, objectName=f"firstStepClose_{card.key}")
        close.setProperty("kind", "icon")
        close.setIcon(self._icons.icon("close"))
        close.setIconSize(QSize(14, 14))
        close.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        close.setAccessibleName(self.tr("Dismiss: {title}").format(title=_tr(card.title)))
        close.setToolTip(self.tr("Don’t show this again"))
        close.clicked.connect(partial(self._dismiss, card.key))
        button = QPushButton(_tr(card.button), frame, objectName=f"firstStepGo_{card.key}")
        button.setProperty("kind", "secondary" if card.page else "primary")
        button.setAccessibleName(f"{_tr(card.title)}: {_tr(card.button)}")
        button.clicked.connect(partial(self._follow, card))
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(picture)
        head.addWidget(title, 1)
        head.addWidget(close)
        column = QVBoxLayout(frame)
        column.setContentsMargins(12, 8, 8, 10)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(sentence, 1)
        column.addWidget(button, alignment=Qt.AlignmentFlag.AlignLeft)
        # A row of cards gives a wrapping label too little height: each needs two lines.
        sentence.setMinimumHeight(2 * sentence.fontMetrics().height())
        return frame

    def _follow(self, card: Card) -> None:
        self._dismiss(card.key)
        if card.page:
            self.page_asked.emit(card.page)
        else:
            self.paste_asked.emit()

    def _dismiss(self, key: str) -> None:
        dismissed = self._settings.values.dismissed_cards
        if key not in dismissed:
            self._settings.set("dismissed_cards", (*dismissed, key))

    @Slot()
    def _dismiss_all(self) -> None:
        self._settings.set("dismissed_cards", tuple(card.key for card in CARDS))

    @Slot(str)
    def _on_setting(self, name: str) -> None:
        if name != "dismissed_cards":
            return
        left = {card.key for card in open_cards(self._settings)}
        for key, frame in self.cards.items():
            frame.setVisible(key in left)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.parentWidget():
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        """Show the remaining cards if the page has room for them."""
        page = self.parentWidget()
        self.setVisible(bool(open_cards(self._settings)) and page is not None and page.height() >= MIN_HEIGHT)

    @Slot()
    def _draw(self) -> None:
        for picture, icon in self._pictures:
            picture.setPixmap(self._icons.icon(icon).pixmap(ICON))


def _tr(text: str) -> str:
    return QCoreApplication.translate("FirstSteps", text)
