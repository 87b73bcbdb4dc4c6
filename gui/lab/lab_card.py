"""One experiment of the Lab: folded up it is a line, unfolded its text, its numbers and what came of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.lab.experiments.types import Inputs
from gui.lab.experiments.words import tr as card_words
from gui.lab.lab_outcome import OutcomeView
from gui.lab.lab_tables import BROKEN, DONE, FAILS, HOLDS, NOT_RUN, ROLES, WAITING, standing_words
from gui.lab.lab_text import MOST_CHARACTERS, LabText
from gui.look.corner import plain_corner
from gui.look.plain_label import PlainLabel
from gui.look.theme import Theme
from gui.widgets.layouts import FlowLayout, WheelGuard, WhenSeen

if TYPE_CHECKING:
    from gui.lab.experiments.types import Card, Outcome

LEAST_LINES, MOST_LINES = 2, 9
INDENT = 26
EDITOR, MERGES, TRAINER = "editor", "merges", "trainer"
"""Where a card's text can be taken."""


class LabCard(QFrame):
    """Holds what the user made of a card. What happens is in ``LabWiring``.

    Signals: ``run_asked(str)`` with the key of the card; ``taken(str, str, str, str)``: take its text to a place
    (``EDITOR``, ``MERGES``, ``TRAINER``); key, place, text, and the encoding to look at it with, which may be empty.
    """

    run_asked = Signal(str)
    taken = Signal(str, str, str, str)

    def __init__(self, card: Card, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.card = card
        self.revision = 0
        self.standing = NOT_RUN
        self._theme = theme
        self._body: QWidget | None = None
        self.text: LabText | None = None
        self.numbers: dict[str, QSpinBox] = {}
        self.outcome: OutcomeView | None = None
        self._unseen: Outcome | None = None
        title = card_words(card.title)
        self.setObjectName(f"labCard-{card.key}")
        self.setAccessibleName(title)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.fold = QToolButton(objectName=f"labFold-{card.key}")
        self.fold.setCheckable(True)
        self.fold.setAutoRaise(True)
        self.fold.setText(title)
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.fold.setArrowType(Qt.ArrowType.RightArrow)
        self.fold.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.fold.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.status = QLabel()
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        self.run_button = QPushButton(self.tr("Run"), objectName=f"labRun-{card.key}")
        self.run_button.setAccessibleName(self.tr("Run: {card}").format(card=title))
        row = QHBoxLayout()
        row.addWidget(self.fold)
        row.addStretch(1)
        row.addWidget(self.status)
        row.addWidget(self.run_button)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(4, 3, 6, 3)
        self._column.addLayout(row)
        self.fold.toggled.connect(self._on_fold)
        self.run_button.clicked.connect(self._ask_run)
        theme.changed.connect(WhenSeen(self, self._colour).ask)
        self.set_standing(NOT_RUN)

    def inputs(self) -> Inputs:
        """What the card is to be run with."""
        if self._body is None:
            return self.card.inputs
        text = self.text.toPlainText() if self.text is not None else self.card.text
        return Inputs(text, tuple((key, box.value()) for key, box in self.numbers.items()))

    def matches(self, words: str) -> bool:
        """Whether the card says any such words, or is named so."""
        card = self.card
        said = " ".join((card.key, *map(card_words, (card.title, card.question, card.truth, card.subject))))
        return words.casefold() in said.casefold()

    def unfold(self) -> None:
        """Show text, numbers and outcome."""
        self.fold.setChecked(True)

    def set_standing(self, standing: str) -> None:
        """Say how the card stands."""
        self.standing = standing
        self.status.setText(standing_words(standing))
        self.fold.setAccessibleName(f"{card_words(self.card.title)}, {standing_words(standing)}")
        self.run_button.setEnabled(standing != WAITING)
        self._colour()

    def show_outcome(self, outcome: Outcome) -> None:
        """Show what came of the inputs as they are, once the card is unfolded: the tables of all cards together are
        more than a thousand widgets, each of which is told of every change of colours.
        """
        self.set_standing(DONE if outcome.holds is None else HOLDS if outcome.holds else FAILS)
        self._unseen = outcome
        if self.fold.isChecked():
            self._show_unseen()

    def show_problem(self, why: str) -> None:
        """Show why nothing came of them."""
        self.set_standing(BROKEN)
        self._unseen = None
        self._build().show_problem(why)
        self.unfold()

    def _show_unseen(self) -> None:
        outcome, self._unseen = self._unseen, None
        if outcome is not None:
            self._build().show_outcome(outcome)

    def _build(self) -> OutcomeView:
        """Make what the line unfolds to, when first needed: there are dozens of cards."""
        if self.outcome is not None:
            return self.outcome
        self._body = QWidget(self)
        column = QVBoxLayout(self._body)
        column.setContentsMargins(INDENT, 0, 4, 6)
        column.setSpacing(6)
        column.addWidget(self._sentence(card_words(self.card.question)))
        if self.card.takes_text:
            column.addWidget(self._make_text())
        column.addLayout(self._make_controls())
        self.outcome = OutcomeView(self._theme, self._body)
        column.addWidget(self.outcome)
        column.addWidget(self._sentence(card_words(self.card.truth)))
        self._column.addWidget(self._body)
        self._body.setVisible(self.fold.isChecked())
        self._wheel = WheelGuard(self)
        self._wheel.guard(self._body)
        return self.outcome

    def _sentence(self, words: str) -> QLabel:
        label = QLabel(words)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    def _make_text(self) -> LabText:
        self.text = text = LabText(objectName=f"labText-{self.card.key}")
        text.setAccessibleName(self.tr("Text of: {card}").format(card=card_words(self.card.title)))
        text.setPlainText(self.card.text)
        text.setTabChangesFocus(True)
        text.setToolTip(
            self.tr("Of a long text that is pasted, the first {n} characters").format(n=f"{MOST_CHARACTERS:,}")
        )
        text.setCornerWidget(plain_corner(text))
        lines = min(max(self.card.text.count("\n") + 1 + len(self.card.text) // 90, LEAST_LINES), MOST_LINES)
        margin = int(2 * text.document().documentMargin()) + 2 * text.frameWidth()
        text.setFixedHeight(lines * text.fontMetrics().lineSpacing() + margin)
        text.textChanged.connect(self._on_changed)
        return text

    def _make_controls(self) -> FlowLayout:
        row = FlowLayout(gap=6)
        for field in self.card.fields:
            box = QSpinBox(objectName=f"labNumber-{self.card.key}-{field.key}")
            box.setRange(field.least, field.most)
            box.setGroupSeparatorShown(True)
            box.setValue(field.value)
            label = PlainLabel(card_words(field.title))
            label.setBuddy(box)
            box.setAccessibleName(card_words(field.title))
            box.valueChanged.connect(self._on_changed)
            self.numbers[field.key] = box
            row.addWidget(label)
            row.addWidget(box)
        self.reset = QPushButton(self.tr("As it was"))
        self.reset.setAccessibleName(self.tr("Bring back text and numbers of the card"))
        self.reset.setEnabled(False)
        self.reset.clicked.connect(self._reset)
        row.addWidget(self.reset)
        for place, words in self._places():
            button = QPushButton(words, objectName=f"labTake-{self.card.key}-{place}")
            button.setProperty("place", place)
            button.clicked.connect(self._take)
            row.addWidget(button)
        return row

    def _places(self) -> tuple[tuple[str, str], ...]:
        """Where the text of this card can be taken."""
        if not self.card.takes_text:
            return ()
        places = [(EDITOR, self.tr("Open in the editor"))]
        if self.card.encoding:
            places.append((MERGES, self.tr("Show its merges")))
        if self.card.trainable:
            places.append((TRAINER, self.tr("Train on it")))
        return tuple(places)

    @Slot(bool)
    def _on_fold(self, unfolded: bool) -> None:
        self.fold.setArrowType(Qt.ArrowType.DownArrow if unfolded else Qt.ArrowType.RightArrow)
        self._build()
        if unfolded:
            self._show_unseen()
        assert self._body is not None
        self._body.setVisible(unfolded)

    @Slot()
    def _ask_run(self) -> None:
        self.unfold()
        self.run_asked.emit(self.card.key)

    @Slot()
    def _on_changed(self) -> None:
        """The outcome shown is not that of these inputs."""
        self.revision += 1
        self.set_standing(NOT_RUN)
        self._unseen = None
        assert self.outcome is not None
        self.outcome.clear()
        self.reset.setEnabled(self.inputs() != self.card.inputs)

    @Slot()
    def _reset(self) -> None:
        if self.text is not None:
            self.text.setPlainText(self.card.text)
        for field in self.card.fields:
            with QSignalBlocker(self.numbers[field.key]):
                self.numbers[field.key].setValue(field.value)
        self._on_changed()

    @Slot()
    def _take(self) -> None:
        self.taken.emit(self.card.key, self.sender().property("place"), self.inputs().text, self.card.encoding)

    @Slot()
    def _colour(self) -> None:
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.WindowText, self._theme.colour(ROLES.get(self.standing, "stale")))
        self.status.setPalette(palette)
