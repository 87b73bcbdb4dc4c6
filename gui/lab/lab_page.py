"""The page Lab: the list of experiments on the left, and the open experiment on the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QMimeData, QRect, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.lab.experiments.card import BROKEN, DONE, EDITOR, FAILS, HOLDS, MERGES, NOT_RUN, TRAINER, WAITING, Inputs
from gui.lab.experiments.card import tr as card_words
from gui.lab.lab_outcome import ROLES, OutcomeView, status_text
from gui.look.fonts import fixed_font, strong
from gui.look.icons import Icons
from gui.look.style_sheet import plain_corner
from gui.look.theme import Theme
from gui.widgets.forms import FlowLayout, SpinBox, WheelGuard, button_of_kind, column_of, label_of, row_of, separator
from gui.widgets.labels import PlainLabel

if TYPE_CHECKING:
    from gui.lab.experiments.card import Card, Outcome

MAX_CHARACTERS = 100_000
"""Maximum number of characters taken from one paste or drop.

An experiment reads its whole text after every key, which takes seconds for 10 MB; the editor and the Train page are
made for such texts.
"""
MIN_LINES, MAX_LINES = 2, 9
KEY = Qt.ItemDataRole.UserRole
"""Role of an item's key; headings have none."""
ROW, HEADING, MARGIN = 30, 34, 16
WIDE_LIST, NARROW_LIST, MIN_FOR_WIDE = 308, 236, 1000
ICON = QSize(16, 16)


class LabText(QPlainTextEdit):
    """The text of an experiment. Inserts only the beginning of a long paste."""

    def insertFromMimeData(self, source: QMimeData) -> None:
        self.insertPlainText(source.text()[:MAX_CHARACTERS])


class LabCard(QFrame):
    """One experiment with the user's inputs. ``LabController`` runs it.

    Signals: ``run_asked(str)`` with the key; ``taken(str, str, str, str)``: open its text elsewhere (``EDITOR``,
    ``MERGES``, ``TRAINER``), with key, destination, text, and encoding, which may be empty; ``status_changed(str)``
    with the key.
    """

    run_asked = Signal(str)
    taken = Signal(str, str, str, str)
    status_changed = Signal(str)

    def __init__(self, card: Card, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.card = card
        self.revision = 0
        self.standing = NOT_RUN
        self._theme, self._icons = theme, icons
        self.text: LabText | None = None
        self.numbers: dict[str, QSpinBox] = {}
        self.outcome: OutcomeView | None = None
        self._unseen: Outcome | None = None
        self.setObjectName(f"labCard-{card.key}")
        self.setAccessibleName(card_words(card.title))
        self.run_button = button_of_kind(f"labRun-{card.key}", self.tr("Run"), "primary")
        self.run_button.setParent(self)
        self.run_button.setAccessibleName(self.tr("Run: {card}").format(card=card_words(card.title)))
        self.run_button.clicked.connect(self._ask_run)
        self.hide()

    def inputs(self) -> Inputs:
        """Return the inputs to run the experiment with."""
        if self.outcome is None:
            return self.card.inputs
        text = self.text.toPlainText() if self.text is not None else self.card.text
        return Inputs(text, tuple((key, box.value()) for key, box in self.numbers.items()))

    def matches(self, words: str) -> bool:
        """Return True if the experiment contains these words, or has this key."""
        card = self.card
        text = " ".join((card.key, *map(card_words, (card.title, card.question, card.truth, card.subject))))
        return words.casefold() in text.casefold()

    def open(self) -> None:
        """Show text, numbers and outcome. Built when first opened: together the cards have a thousand widgets."""
        self._build()
        self._show_below()
        self.show()

    def set_status(self, standing: str) -> None:
        """Set the state of the experiment."""
        self.standing = standing
        self.run_button.setEnabled(standing != WAITING)
        self.status_changed.emit(self.card.key)

    def show_outcome(self, outcome: Outcome) -> None:
        """Show the outcome of the current inputs once the experiment is open."""
        self.set_status(DONE if outcome.holds is None else HOLDS if outcome.holds else FAILS)
        self._unseen = outcome
        if not self.isHidden():
            self._show_below()

    def show_problem(self, why: str) -> None:
        """Show why there is no outcome."""
        self.set_status(BROKEN)
        self._unseen = None
        self._build().show_problem(why)

    def _show_below(self) -> None:
        outcome, self._unseen = self._unseen, None
        if outcome is not None:
            self._build().show_outcome(outcome)

    def _build(self) -> OutcomeView:
        if self.outcome is not None:
            return self.outcome
        title = PlainLabel(card_words(self.card.title), role="section")
        column = column_of(
            title,
            self._sentence(card_words(self.card.question), "quiet"),
            separator(),
            parent=self,
            margins=(24, 12, 20, 16),
            spacing=8,
        )
        self._add_inputs(column)
        column.addWidget(separator())
        self.outcome = OutcomeView(self._theme, self)
        column.addWidget(self.outcome)
        column.addLayout(self._truth())
        column.addStretch(1)
        self._wheel = WheelGuard(self)
        self._wheel.guard(self)
        return self.outcome

    @staticmethod
    def _sentence(words: str, role: str) -> PlainLabel:
        label = PlainLabel(words, role=role)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    def _truth(self) -> QHBoxLayout:
        """Return the explanation, with an information icon before it."""
        sign = QToolButton()
        sign.setProperty("kind", "icon")
        sign.setIcon(self._icons.icon("information"))
        sign.setIconSize(ICON)
        sign.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        sign.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        sign.setAccessibleName(self.tr("Explanation"))
        truth = self._sentence(card_words(self.card.truth), "table")
        return row_of((sign, 0, Qt.AlignmentFlag.AlignTop), (truth, 1), spacing=8)

    def _add_inputs(self, column: QVBoxLayout) -> None:
        if self.card.takes_text:
            caption = PlainLabel(self.tr("Text"), role="caption")
            head = row_of(caption, 1, spacing=12)
            for destination, words in self._destinations():
                head.addWidget(self._destination_button(destination, words))
            column.addLayout(head)
            self.text = self._make_text()
            caption.setBuddy(self.text)
            column.addWidget(self.text)
        row = row_of((self._make_numbers(), 1), self.run_button, spacing=8)
        column.addLayout(row)

    def _destination_button(self, destination: str, words: str) -> QPushButton:
        button = button_of_kind(f"labTake-{self.card.key}-{destination}", words, "link")
        button.setProperty("destination", destination)
        button.clicked.connect(self._take)
        return button

    def _make_text(self) -> LabText:
        text = LabText(objectName=f"labText-{self.card.key}")
        text.setAccessibleName(self.tr("Text of: {card}").format(card=card_words(self.card.title)))
        text.setFont(fixed_font())
        text.setPlainText(self.card.text)
        text.setTabChangesFocus(True)
        text.setToolTip(self.tr("Pasted text is limited to {n} characters").format(n=f"{MAX_CHARACTERS:,}"))
        text.setCornerWidget(plain_corner(text))
        lines = min(max(self.card.text.count("\n") + 1 + len(self.card.text) // 90, MIN_LINES), MAX_LINES)
        margin = int(2 * text.document().documentMargin()) + 2 * text.frameWidth()
        text.setFixedHeight(lines * text.fontMetrics().lineSpacing() + margin)
        text.textChanged.connect(self._on_changed)
        return text

    def _make_numbers(self) -> FlowLayout:
        row = FlowLayout(gap=8)
        for field in self.card.fields:
            box = SpinBox(objectName=f"labNumber-{self.card.key}-{field.key}")
            box.setRange(field.least, field.most)
            box.setGroupSeparatorShown(True)
            box.setValue(field.value)
            box.setAccessibleName(card_words(field.title))
            box.valueChanged.connect(self._on_changed)
            self.numbers[field.key] = box
            row.add(label_of(box, card_words(field.title), "caption"), box)
        self.reset_button = QPushButton(self.tr("Reset"))
        self.reset_button.setProperty("kind", "quiet")
        self.reset_button.setAccessibleName(self.tr("Restore the text and numbers of the experiment"))
        self.reset_button.setEnabled(False)
        self.reset_button.clicked.connect(self.reset)
        row.addWidget(self.reset_button)
        return row

    def _destinations(self) -> tuple[tuple[str, str], ...]:
        """Return the destinations that the text can be opened in, with the labels of their buttons."""
        destinations = [(EDITOR, self.tr("Open in the editor"))]
        if self.card.encoding:
            destinations.append((MERGES, self.tr("Show its merges")))
        if self.card.trainable:
            destinations.append((TRAINER, self.tr("Train on it")))
        return tuple(destinations)

    @Slot()
    def _ask_run(self) -> None:
        self.run_asked.emit(self.card.key)

    @Slot()
    def _on_changed(self) -> None:
        """Clear the outcome: it does not belong to the changed inputs."""
        self.revision += 1
        self.set_status(NOT_RUN)
        self._unseen = None
        assert self.outcome is not None
        self.outcome.clear()
        self.reset_button.setEnabled(self.inputs() != self.card.inputs)

    @Slot()
    def reset(self) -> None:
        """Restore text and numbers, and clear the outcome."""
        if self.outcome is None:
            self._unseen = None
            self.set_status(NOT_RUN)
            return
        if self.text is not None:
            with QSignalBlocker(self.text):
                self.text.setPlainText(self.card.text)
        for field in self.card.fields:
            with QSignalBlocker(self.numbers[field.key]):
                self.numbers[field.key].setValue(field.value)
        self._on_changed()

    @Slot()
    def _take(self) -> None:
        self.taken.emit(self.card.key, self.sender().property("destination"), self.inputs().text, self.card.encoding)


class ListRows(QStyledItemDelegate):
    """Painter of the rows of the list: headings in small semibold, experiments with their state at the end."""

    def __init__(self, cards: dict[str, LabCard], theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._cards, self._theme = cards, theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Any) -> QSize:
        return QSize(100, ROW if index.data(KEY) else HEADING)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Any) -> None:
        key = index.data(KEY)
        drawn = QStyleOptionViewItem(option)
        self.initStyleOption(drawn, index)
        text, drawn.text = drawn.text, ""
        drawn.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, drawn, painter, drawn.widget)
        area = option.rect.adjusted(MARGIN, 0, -MARGIN, 0)
        painter.save()
        if key is None:
            painter.setFont(strong(option.font))
            painter.setPen(self._theme.colour("quiet"))
            area.adjust(0, 8, 0, 0)
        else:
            area = self._draw_status(painter, area, self._cards[key].standing, option)
            painter.setPen(self._theme.colour("text"))
            painter.setFont(strong(option.font) if option.state & QStyle.StateFlag.State_Selected else option.font)
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        start = QStyle.visualAlignment(option.direction, Qt.AlignmentFlag.AlignLeft)
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | start, shown)
        painter.restore()

    def _draw_status(self, painter: QPainter, area: QRect, standing: str, option: QStyleOptionViewItem) -> QRect:
        """Draw the state of an experiment at the end of its row; return the remaining area."""
        words = "" if standing == NOT_RUN else status_text(standing)
        width = option.fontMetrics.horizontalAdvance(words)
        painter.setPen(self._theme.colour(ROLES.get(standing, "quiet")))
        end = QStyle.visualAlignment(option.direction, Qt.AlignmentFlag.AlignRight)
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | end, words)
        left = area.adjusted(0, 0, -width - 8 if words else 0, 0)
        return QStyle.visualRect(option.direction, area, left)


class LabPage(QWidget):
    """The page of all experiments. ``LabController`` runs them.

    Signals: ``run_all_asked()``. The cards have their own signals.
    """

    run_all_asked = Signal()

    def __init__(self, cards: Sequence[Card], theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("labPanel")
        self.cards = {card.key: LabCard(card, theme, icons, self) for card in cards}
        self._make_side(theme, icons)
        self._make_main(icons)
        row_of(self.side, (self.main, 1), parent=self, spacing=0)
        self._connect(theme)
        self.show_summary()
        self.show_card(next(iter(self.cards)))

    def _make_side(self, theme: Theme, icons: Icons) -> None:
        self.side = QFrame()
        self.side.setProperty("kind", "side")
        self.filter = QLineEdit(objectName="labFilter", placeholderText=self.tr("Find an experiment"))
        self.filter.setAccessibleName(self.tr("Find an experiment"))
        self.filter.setClearButtonEnabled(True)
        self.only_new = self._chip("labNotRun", self.tr("Not run"))
        self.only_failed = self._chip("labDiffers", self.tr("Differs"))
        self.summary = PlainLabel(objectName="labSummary", role="caption")
        self.list = QListWidget(objectName="labList", accessibleName=self.tr("List of experiments"))
        self.list.setProperty("kind", "plain")
        self.list.setItemDelegate(ListRows(self.cards, theme, self.list))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._nothing = PlainLabel(self.tr("No experiment matches."))
        self._nothing.setContentsMargins(MARGIN, 8, MARGIN, 8)
        self._nothing.hide()
        self.run_all = QPushButton(self.tr("&Run all {n}").format(n=len(self.cards)), objectName="labRunAll")
        self.run_all.setIcon(icons.icon("play"))
        self.run_all.setAccessibleName(self.tr("Run all experiments"))
        self.reset_all = button_of_kind("labResetAll", self.tr("Reset all"), "quiet")
        chips = row_of(self.only_new, self.only_failed, 1, self.summary, spacing=6)
        head = column_of(self.filter, chips, margins=(MARGIN, 12, MARGIN, 8), spacing=8)
        foot = row_of(self.run_all, 1, self.reset_all, margins=(MARGIN, 8, 12, 10))
        column_of(head, self._nothing, (self.list, 1), foot, parent=self.side, spacing=0)
        self._fill()

    @staticmethod
    def _chip(name: str, words: str) -> QPushButton:
        chip = button_of_kind(name, words, "chip")
        chip.setCheckable(True)
        return chip

    def _fill(self) -> None:
        self._items: dict[str, QListWidgetItem] = {}
        self._headings: list[tuple[QListWidgetItem, list[str]]] = []
        subject = ""
        for key, card in self.cards.items():
            if card.card.subject != subject:
                subject = card.card.subject
                heading = QListWidgetItem(card_words(subject), self.list)
                heading.setFlags(Qt.ItemFlag.NoItemFlags)
                self._headings.append((heading, []))
            item = self._items[key] = QListWidgetItem(card_words(card.card.title), self.list)
            item.setData(KEY, key)
            self._headings[-1][1].append(key)

    def _make_main(self, icons: Icons) -> None:
        self.main = QFrame()
        self.main.setProperty("kind", "surface")
        self.position = PlainLabel(objectName="labPlace", role="overline")
        self.previous = self._arrow("up", self.tr("Previous experiment"), icons)
        self.next = self._arrow("down", self.tr("Next experiment"), icons)
        head = row_of(self.position, 1, self.previous, self.next, margins=(24, 10, 16, 0))
        body = QFrame()
        body.setProperty("kind", "surface")
        self._body = QVBoxLayout(body)
        self._body.setContentsMargins(0, 0, 0, 0)
        for card in self.cards.values():
            self._body.addWidget(card)
        self.scroll = QScrollArea(objectName="labCards", accessibleName=self.tr("Experiments"), widgetResizable=True)
        self.scroll.setFrameShape(QFrame.Shape.NoFrame)
        self.scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.scroll.setWidget(body)
        column_of(head, (self.scroll, 1), parent=self.main, spacing=0)

    @staticmethod
    def _arrow(icon: str, words: str, icons: Icons) -> QToolButton:
        button = QToolButton()
        button.setProperty("kind", "icon")
        button.setIcon(icons.icon(icon))
        button.setIconSize(ICON)
        button.setToolTip(words)
        button.setAccessibleName(words)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _connect(self, theme: Theme) -> None:
        self.filter.textChanged.connect(self._show_matching)
        for chip in (self.only_new, self.only_failed):
            chip.toggled.connect(self._show_matching)
        self.list.currentItemChanged.connect(self._on_current)
        self.run_all.clicked.connect(self.run_all_asked)
        self.reset_all.clicked.connect(self._reset_all)
        self.previous.clicked.connect(self._go_back)
        self.next.clicked.connect(self._go_on)
        theme.changed.connect(self.list.viewport().update)
        for card in self.cards.values():
            card.status_changed.connect(self._on_status)

    @property
    def shown(self) -> str:
        """Key of the open experiment."""
        return self._shown

    def show_card(self, key: str) -> None:
        """Open an experiment."""
        if self.list.currentItem() is not self._items[key]:
            self.list.setCurrentItem(self._items[key])  # calls ``show_card`` again
            return
        self._shown = key
        card = self.cards[key]
        for other in self.cards.values():
            other.setVisible(other is card)
        card.open()
        index = list(self.cards).index(key)
        self.position.setText(
            self.tr("{subject}: {n} of {all}").format(
                subject=card_words(card.card.subject), n=index + 1, all=len(self.cards)
            )
        )
        self._enable_arrows()
        self.scroll.verticalScrollBar().setValue(0)

    @Slot()
    def show_summary(self) -> None:
        """Show how many experiments were run."""
        standings = [card.standing for card in self.cards.values()]
        finished = len(standings) - standings.count(NOT_RUN) - standings.count(WAITING)
        self.summary.setText(self.tr("{n} of {all} run").format(n=finished, all=len(standings)))
        self.run_all.setEnabled(WAITING not in standings)

    def focus(self) -> None:
        """Focus the search field."""
        self.filter.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.side.setFixedWidth(WIDE_LIST if self.width() >= MIN_FOR_WIDE else NARROW_LIST)

    @Slot(str)
    def _on_status(self, key: str) -> None:
        words = status_text(self.cards[key].standing)
        self._items[key].setData(
            Qt.ItemDataRole.AccessibleTextRole, f"{card_words(self.cards[key].card.title)}, {words}"
        )
        if self.only_new.isChecked() or self.only_failed.isChecked():
            self._show_matching()

    @Slot(QListWidgetItem, QListWidgetItem)
    def _on_current(self, item: QListWidgetItem | None, _before: QListWidgetItem | None) -> None:
        key = item.data(KEY) if item is not None else None
        if key is not None:
            self.show_card(key)

    @Slot()
    def _show_matching(self) -> None:
        words, found = self.filter.text().strip(), 0
        standings = {NOT_RUN, WAITING} if self.only_new.isChecked() else set()
        standings |= {FAILS, BROKEN} if self.only_failed.isChecked() else set()
        for heading, keys in self._headings:
            shown = [
                key
                for key in keys
                if self.cards[key].matches(words) and (not standings or self.cards[key].standing in standings)
            ]
            for key in keys:
                self._items[key].setHidden(key not in shown)
            heading.setHidden(not shown)
            found += len(shown)
        self._nothing.setVisible(not found)
        self._enable_arrows()

    @Slot()
    def _reset_all(self) -> None:
        for card in self.cards.values():
            card.reset()
        self.show_summary()

    @Slot()
    def _go_back(self) -> None:
        self._step(-1)

    @Slot()
    def _go_on(self) -> None:
        self._step(1)

    def _step(self, by: int) -> None:
        key = self._neighbour(by)
        if key is not None:
            self.show_card(key)

    def _neighbour(self, by: int) -> str | None:
        """Return the key of the listed experiment before the open one (-1) or after it (1)."""
        keys = list(self.cards)[::by]
        following = keys[keys.index(self._shown) + 1 :]
        return next((key for key in following if not self._items[key].isHidden()), None)

    def _enable_arrows(self) -> None:
        self.previous.setEnabled(self._neighbour(-1) is not None)
        self.next.setEnabled(self._neighbour(1) is not None)
