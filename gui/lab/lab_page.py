"""The Lab tab: every experiment as a card, under headings, with one button that runs them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget

from gui.lab.experiments.words import tr as card_words
from gui.lab.lab_card import LabCard
from gui.lab.lab_tables import DONE, FAILS, HOLDS, WAITING
from gui.look.fonts import set_weight
from gui.look.plain_label import PlainLabel
from gui.look.theme import Theme

if TYPE_CHECKING:
    from gui.lab.experiments.types import Card


class LabPanel(QWidget):
    """Shows the cards. What happens is in ``LabWiring``.

    Signals: ``run_all_asked()``; those of ``LabCard`` come from the cards.
    """

    run_all_asked = Signal()

    def __init__(self, cards: Sequence[Card], theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("labPanel")
        self.cards = {card.key: LabCard(card, theme) for card in cards}
        self._headings: list[tuple[QLabel, list[LabCard]]] = []
        self.filter = QLineEdit(objectName="labFilter")
        self.filter.setPlaceholderText(self.tr("Find an experiment"))
        self.filter.setAccessibleName(self.tr("Find an experiment"))
        self.filter.setClearButtonEnabled(True)
        self.run_all = QPushButton(self.tr("&Run all"), objectName="labRunAll")
        self.run_all.setAccessibleName(self.tr("Run all experiments"))
        self.summary = QLabel(objectName="labSummary")
        self.summary.setTextFormat(Qt.TextFormat.PlainText)
        self._nothing = PlainLabel(self.tr("No experiment says that."))
        self._nothing.hide()
        self._place()
        self.filter.textChanged.connect(self._show_matching)
        self.run_all.clicked.connect(self.run_all_asked)
        self.show_summary()

    @Slot()
    def show_summary(self) -> None:
        """Say how all cards stand."""
        standings = [card.standing for card in self.cards.values()]
        good, bad = standings.count(HOLDS), standings.count(FAILS)
        words = [self.tr("{n} experiments").format(n=len(standings))]
        if good or bad or DONE in standings:
            words.append(self.tr("✓ {n} as expected").format(n=good))
            words.append(self.tr("✗ {n} not").format(n=bad))
        if DONE in standings:
            words.append(self.tr("– {n} without a claim").format(n=standings.count(DONE)))
        waiting = standings.count(WAITING)
        if waiting:
            words.append(self.tr("… {n} running").format(n=waiting))
        self.summary.setText("   ".join(words))
        self.run_all.setEnabled(not waiting)

    def focus(self) -> None:
        """Put the caret where one begins."""
        self.filter.setFocus()

    def _place(self) -> None:
        intro = PlainLabel(
            self.tr(
                "What lessons on tokens claim, tried out here: change a text, run it, and see whether it is so. "
                "Claims are checked as long as a card is as it came."
            )
        )
        intro.setWordWrap(True)
        top = QHBoxLayout()
        top.addWidget(self.filter, 1)
        top.addWidget(self.summary)
        top.addWidget(self.run_all)
        page = QWidget()
        list_ = QVBoxLayout(page)
        list_.setContentsMargins(0, 0, 6, 0)
        list_.setSpacing(4)
        for card in self.cards.values():
            if not self._headings or self._headings[-1][0].text() != card_words(card.card.subject):
                heading = PlainLabel(card_words(card.card.subject))
                font = heading.font()
                set_weight(font)
                heading.setFont(font)
                heading.setContentsMargins(2, 8, 0, 0)
                list_.addWidget(heading)
                self._headings.append((heading, []))
            self._headings[-1][1].append(card)
            list_.addWidget(card)
        list_.addWidget(self._nothing)
        list_.addStretch(1)
        self.scroll = QScrollArea(objectName="labCards")
        self.scroll.setAccessibleName(self.tr("Experiments"))
        self.scroll.setWidgetResizable(True)
        self.scroll.setFrameShape(QFrame.Shape.NoFrame)
        self.scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.scroll.setWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(8)
        column.addWidget(intro)
        column.addLayout(top)
        column.addWidget(self.scroll, 1)

    @Slot(str)
    def _show_matching(self, words: str) -> None:
        shown = False
        for heading, cards in self._headings:
            found = [card for card in cards if card.matches(words.strip())]
            for card in cards:
                card.setVisible(card in found)
            heading.setVisible(bool(found))
            shown = shown or bool(found)
        self._nothing.setVisible(not shown)
