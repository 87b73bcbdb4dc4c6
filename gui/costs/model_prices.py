"""Form of one model beside the price file: every value, its origin, and the age of the prices."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    QCoreApplication,
    QLocale,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFont, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QCompleter, QHeaderView, QPushButton, QSizePolicy, QWidget

from gui.core.token_text import visible_line
from gui.costs.money_text import CostText, age_tone
from gui.costs.prices_service import BUNDLED, YOURS, Fact, ListedModel, ModelFacts, is_web_address
from gui.look.fonts import set_weight
from gui.look.style_sheet import give_role, give_tone
from gui.runtime.event_loop import in_next_turn
from gui.widgets.forms import FlowLayout, column_of, label_of, row_of
from gui.widgets.labels import ElidedLink, PlainLabel, RemarkLabel, plain_tip, wrapped_label
from gui.widgets.table_model import Column, TableModel
from gui.widgets.tables import CELL_PADDING, ROW_PADDING, StretchedTable, edit_cell, set_up_rows

if TYPE_CHECKING:
    from gui.costs.prices_service import CheckedText


FIELD, VALUE, ORIGIN = range(3)
_NO_INDEX = QModelIndex()

LABELS = {
    "price.input": QT_TRANSLATE_NOOP("PriceFacts", "Input"),
    "price.output": QT_TRANSLATE_NOOP("PriceFacts", "Output"),
    "price.cached": QT_TRANSLATE_NOOP("PriceFacts", "Cached input"),
    "price.cache_write": QT_TRANSLATE_NOOP("PriceFacts", "Cache write"),
    "price.cache_write_1h": QT_TRANSLATE_NOOP("PriceFacts", "Cache write, 1 hour"),
    "price.reasoning": QT_TRANSLATE_NOOP("PriceFacts", "Reasoning"),
    "price.per_request": QT_TRANSLATE_NOOP("PriceFacts", "Fee per request"),
    "price.batch": QT_TRANSLATE_NOOP("PriceFacts", "Batch"),
    "price.tiers": QT_TRANSLATE_NOOP("PriceFacts", "Long prompts"),
    "price.changes": QT_TRANSLATE_NOOP("PriceFacts", "Announced changes"),
    "price.audio_input": QT_TRANSLATE_NOOP("PriceFacts", "Audio input"),
    "price.audio_output": QT_TRANSLATE_NOOP("PriceFacts", "Audio output"),
    "price.per_search": QT_TRANSLATE_NOOP("PriceFacts", "Fee per search"),
    "price.off_peak": QT_TRANSLATE_NOOP("PriceFacts", "Off-peak price"),
    "price.services": QT_TRANSLATE_NOOP("PriceFacts", "Service tiers"),
    "price.since": QT_TRANSLATE_NOOP("PriceFacts", "Price since"),
    "price.history": QT_TRANSLATE_NOOP("PriceFacts", "Earlier prices"),
    "name": QT_TRANSLATE_NOOP("PriceFacts", "Name"),
    "provider": QT_TRANSLATE_NOOP("PriceFacts", "Provider"),
    "context": QT_TRANSLATE_NOOP("PriceFacts", "Context window"),
    "max_input": QT_TRANSLATE_NOOP("PriceFacts", "Max. input"),
    "max_output": QT_TRANSLATE_NOOP("PriceFacts", "Max. output"),
    "count": QT_TRANSLATE_NOOP("PriceFacts", "Tokenizer"),
    "source": QT_TRANSLATE_NOOP("PriceFacts", "Source"),
    "checked": QT_TRANSLATE_NOOP("PriceFacts", "Checked"),
    "checked_in": QT_TRANSLATE_NOOP("PriceFacts", "Checked in"),
    "retires": QT_TRANSLATE_NOOP("PriceFacts", "Retires"),
    "aliases": QT_TRANSLATE_NOOP("PriceFacts", "Aliases"),
    "dated_aliases": QT_TRANSLATE_NOOP("PriceFacts", "Temporary names"),
    "notes": QT_TRANSLATE_NOOP("PriceFacts", "Notes"),
}

Index = QModelIndex | QPersistentModelIndex


def _tr(text: str) -> str:
    return QCoreApplication.translate("PriceFacts", text)


def field_text(path: str) -> str:
    """Return the label of a field."""
    return _tr(LABELS.get(path, path))


def _field_text(fact: Fact, _view: object) -> str:
    return field_text(fact.path)


def _value_text(fact: Fact, _view: object) -> str:
    return fact.shown


def _origin_text(fact: Fact, _view: object) -> str:
    if fact.origin == YOURS:
        return _tr("yours, line {line}").format(line=fact.line) if fact.line else _tr("yours")
    if fact.origin == BUNDLED:
        return _tr("built in, {position}").format(position=fact.position) if fact.position else _tr("built in")
    return _tr("not set")


def _tip(fact: Fact, view: object) -> str:
    words = [fact.about]
    if fact.shown:
        words.append(_tr("{value} – {origin}").format(value=fact.shown, origin=_origin_text(fact, view)))
    if fact.by_hand:
        words.append(_by_hand_words())
    return "\n".join(words)


def _by_hand_words() -> str:
    return _tr("This value spans several lines. Edit it as YAML.")


def _accessible_fact(fact: Fact, view: object) -> str:
    return ": ".join(filter(None, (text(fact, view) for text in (_field_text, _value_text, _origin_text))))


def _fact_font(fact: Fact, _view: object) -> QFont | None:
    """Return a bold font for values set by the user."""
    if fact.origin != YOURS:
        return None
    font = QFont()
    set_weight(font)
    return font


def _typed_value(fact: Fact, _view: object) -> str | None:
    return None if fact.by_hand else fact.typed


def _fact_column(key: str, title: str, text: Callable[[Fact, object], str], **more: Any) -> Column:
    roles = {Qt.ItemDataRole.FontRole: _fact_font}
    return Column(key, title, "", text, tip=_tip, spoken=_accessible_fact, roles=roles, **more)


FACTS = (
    _fact_column("field", QT_TRANSLATE_NOOP("PriceFacts", "Field"), _field_text),
    _fact_column("value", QT_TRANSLATE_NOOP("PriceFacts", "Value"), _value_text, edit=_typed_value),
    _fact_column("origin", QT_TRANSLATE_NOOP("PriceFacts", "Set by"), _origin_text),
)


class ModelPrices(QWidget):
    """Form of the values of a price file for a model; emits changes to them.

    Signals: ``model_chosen(str)`` with an ID; ``changed(Fact, str)`` with the typed text; ``cleared(Fact)`` to use a
    built-in value again; ``forgotten()`` to use all built-in values; ``shown(int)`` with a line of the file to show;
    ``source_asked(str)`` with the address of a page to open; ``undo_asked()`` and ``redo_asked()``.
    """

    model_chosen = Signal(str)
    changed = Signal(object, str)
    cleared = Signal(object)
    forgotten = Signal()
    shown = Signal(int)
    source_asked = Signal(str)
    undo_asked = Signal()
    redo_asked = Signal()

    def __init__(self, today: Callable[[], date]) -> None:
        super().__init__()
        self._today = today
        self._facts: ModelFacts | None = None
        self._models: tuple[ListedModel, ...] = ()
        self._address = ""
        self.setObjectName("pricingForm")
        self._make_controls()
        self._lay_out()
        self.table.model().edited.connect(self._on_edited)
        self.table.activated.connect(self._on_activated)
        self.table.selectionModel().currentRowChanged.connect(self._show_choices)
        self.picker.activated.connect(self._on_chosen)
        self.source.clicked.connect(self._on_source)
        self.reset.clicked.connect(self._clear_current)
        self.forget.clicked.connect(self.forgotten)
        self._show_choices()

    @property
    def model_id(self) -> str:
        """ID of the model shown; "" if there is none."""
        return str(self.picker.currentData() or "")

    def choose(self, model_id: str) -> None:
        """Show another model, as if it had been selected in the list."""
        index = self.picker.findData(model_id)
        if index < 0:
            self.picker.addItem(model_id, model_id)
            index = self.picker.count() - 1
        self.picker.setCurrentIndex(index)
        self._show_heading()
        self.model_chosen.emit(model_id)

    def show_picker(self, on: bool) -> None:
        """Show the box that chooses a model, where no list does, in place of the heading."""
        for widget in (self.picker, self._picker_label):
            widget.setVisible(on)
        for widget in (self.heading, self.identifier):
            widget.setVisible(not on)

    def show_checked(self, checked: CheckedText) -> None:
        """Show the values of a price file. If it has errors, the previous values stay and cannot be edited."""
        self.table.setEnabled(not checked.problems)
        if checked.problems:
            if self._facts is not None and self._facts.model_id != self.model_id:
                self._facts = None  # another model was chosen meanwhile
                self.facts.show(())
                self._show_words()
                self.about.hide()
            self.remark.setText(
                self.tr("These values are from before the error. Fix the text to see and edit those in the file.")
                if self._facts is not None
                else self.tr("Fix the text to see prices here.")
            )
            self.remark.show()
            self._show_choices()
            return
        self._fill(checked.models)
        self._facts = checked.facts
        facts = checked.facts.facts if checked.facts is not None else ()
        same = [fact.path for fact in facts] == [fact.path for fact in self.facts.rows]
        (self.facts.update if same else self.facts.show)(facts)
        self._show_words()
        self._show_choices()

    def _make_controls(self) -> None:
        self.heading = RemarkLabel("pricingHeading", "section")
        self.heading.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.identifier = RemarkLabel("pricingIdentifier", "quiet")
        self.identifier.setAccessibleDescription(self.tr("ID of the model in the price file"))
        self.picker = QComboBox(objectName="pricingModel", accessibleName=self.tr("Model"))
        self.picker.setEditable(True)
        self.picker.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.picker.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.picker.lineEdit().setPlaceholderText(self.tr("Type a part of a model's name"))
        self.picker.lineEdit().setAccessibleName(self.picker.accessibleName())
        self.picker.currentIndexChanged.connect(self._show_start)
        completer = self.picker.completer()
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.about = PlainLabel(objectName="pricingAbout", role="quiet")
        self.source_title = PlainLabel(self.tr("Source"), role="quiet")
        self.source = ElidedLink("pricingSource")
        self.age = PlainLabel(objectName="pricingAge")
        self.units = PlainLabel(self.tr("US$ per million tokens"), objectName="pricingUnits", role="quiet")
        self.remark = PlainLabel(objectName="pricingFormRemark")
        give_tone(self.remark, "warning")
        for label in (self.about, self.remark):
            label.setWordWrap(True)
        for label in (self.about, self.age, self.remark):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.facts = TableModel(FACTS, parent=self, context="PriceFacts")
        self.table = _FactsTable(objectName="pricingFacts")
        self.table.setAccessibleName(self.tr("Values of the model; Enter edits one"))
        self.table.setModel(self.facts)
        self.table.cleared.connect(self._clear_current)
        self.table.undo_asked.connect(self.undo_asked)
        self.table.redo_asked.connect(self.redo_asked)
        self.detail = wrapped_label("pricingDetail", selectable=True)
        give_role(self.detail, "tableQuiet")
        self.detail.hide()
        self.reset = QPushButton(self.tr("Use built-in value"), objectName="pricingReset")
        self.reset.setToolTip(self.tr("Remove this value from your file and use the built-in one (Del)"))
        self.reset.setAccessibleName(self.reset.toolTip())
        self.forget = QPushButton(self.tr("Remove my prices"), objectName="pricingForget")
        self.forget.setToolTip(self.tr("Remove everything your file says about this model"))
        self.forget.setAccessibleName(self.forget.toolTip())
        for button in (self.reset, self.forget):
            button.setAutoDefault(False)

    def _lay_out(self) -> None:
        self._picker_label = label_of(self.picker, self.tr("&Model"))
        top = row_of(self._picker_label, (self.picker, 1), self.heading, (self.identifier, 1), spacing=8)
        source = row_of(self.source_title, self.source, 1, spacing=8)
        self._details = QWidget()
        FlowLayout(self._details, 12).add(self.age, self.units)
        for widget in (self.source_title, self.source, self._details):
            widget.hide()  # until there is a model
        bottom = row_of(1, self.reset, self.forget)
        items = (top, source, self._details, self.about, self.remark, (self.table, 1), self.detail, bottom)
        column_of(*items, parent=self, spacing=6)

    def _fill(self, models: tuple[ListedModel, ...]) -> None:
        if models == self._models:
            return
        self._models, chosen = models, self.model_id
        self.picker.clear()
        for model in models:
            name = self.tr("hidden by your file") if model.hidden else model.name
            self.picker.addItem(f"{name} ({model.id})", model.id)
        if chosen and self.picker.findData(chosen) < 0:
            self.picker.addItem(chosen, chosen)
        self.picker.setCurrentIndex(self.picker.findData(chosen) if chosen else -1)

    def _listed(self) -> ListedModel | None:
        """Return the model shown as it is listed; None if it is not."""
        return next((model for model in self._models if model.id == self.model_id), None)

    def _show_heading(self) -> None:
        listed = self._listed()
        name = listed.name if listed is not None else self.model_id
        self.heading.setText(visible_line(name))
        self.identifier.setText(visible_line(self.model_id) if name != self.model_id else "")
        self.identifier.setToolTip(plain_tip(self.model_id))

    def _show_words(self) -> None:
        facts = self._facts
        self._show_heading()
        source = facts.source if facts is not None else ""
        self._address = source if is_web_address(source) else ""
        self.source.setText(source.partition("//")[2].replace("&", "&&") if self._address else "")
        self.source.setToolTip(plain_tip(self.tr("Open {address} in your browser").format(address=source)))
        self.source.setAccessibleName(self.tr("Source: {address}").format(address=source))
        for widget in (self.source_title, self.source):
            widget.setVisible(bool(self._address))
        self.about.setText(self._about())
        self.about.setVisible(bool(self.about.text()))
        if facts is None:
            self.age.clear()
        else:
            text = CostText(QLocale())
            age = text.age(facts.checked, self._today())
            day = text.day(facts.checked) if facts.checked is not None else ""
            words = self.tr("Checked {day}: {age}").format(day=day, age=age) if day else self.tr("Prices {age}")
            give_tone(self.age, age_tone(facts.checked, self._today()) or "quiet")
            self.age.setText(words.format(age=age))
        self._details.setVisible(facts is not None)
        foreign = facts is not None and facts.currency != "USD"
        if foreign:
            assert facts is not None
            words = self.tr("Shown in US dollars; type amounts in {currency}, the currency of your file.")
            self.remark.setText(words.format(currency=facts.currency))
        self.remark.setVisible(foreign)

    def _about(self) -> str:
        if self._facts is not None:
            source = self._facts.source or self.tr("none named")
            return "" if self._address else self.tr("Source: {source}").format(source=source)
        if not self.model_id:
            return self.tr("Choose a model to see its prices and where each comes from.")
        listed = self._listed()
        if listed is not None and listed.hidden:
            return self.tr("Your file hides this model. “Remove my prices” shows it again.")
        return self.tr("This model is in neither the built-in prices nor your file.")

    def _current(self) -> Fact | None:
        row = self.table.currentIndex().row()
        return self.facts.row_at(row) if 0 <= row < self.facts.rowCount() else None

    @Slot()
    def _show_choices(self) -> None:
        fact = self._current()
        self.reset.setEnabled(self.table.isEnabled() and fact is not None and fact.origin == YOURS)
        hidden = bool(self.model_id) and self._facts is None
        self.forget.setEnabled(
            self.table.isEnabled() and (hidden or (self._facts is not None and self._facts.is_yours))
        )
        self._show_detail(fact)

    def _show_detail(self, fact: Fact | None) -> None:
        """Show below the table what its row has no room for, an item a line."""
        lines: list[str] = []
        if fact is not None and self.table.isEnabled():
            width = self.table.fontMetrics().horizontalAdvance(fact.shown) + CELL_PADDING
            lines = fact.shown.split("; ") if width > self.table.columnWidth(VALUE) else []
            lines += [_by_hand_words()] if fact.by_hand else []
        self.detail.setText("\n".join(map(visible_line, lines)))
        if bool(lines) == self.detail.isHidden():
            self.detail.setVisible(bool(lines))
            in_next_turn(self, self._show_current)

    @Slot()
    def _show_current(self) -> None:
        """Keep the row in view; the text below the table has taken room from it."""
        self.table.scrollTo(self.table.currentIndex())

    @Slot(int)
    def _on_chosen(self, _lay_out: int) -> None:
        self._show_heading()
        self.model_chosen.emit(self.model_id)

    @Slot()
    def _show_start(self) -> None:
        """Scroll a name that is too long to its start; Qt shows its end."""
        self.picker.lineEdit().setCursorPosition(0)

    @Slot()
    def _on_source(self) -> None:
        self.source_asked.emit(self._address)

    @Slot(object, str, str)
    def _on_edited(self, fact: Fact, _key: str, typed: str) -> None:
        if typed:
            self.changed.emit(fact, typed)
        elif fact.origin == YOURS:
            self.cleared.emit(fact)

    @Slot()
    def _clear_current(self) -> None:
        fact = self._current()
        if fact is not None and fact.origin == YOURS:
            self.cleared.emit(fact)

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        """Edit a value on Enter or a double click; a value that can only be edited in the text is shown there."""
        fact = self.facts.row_at(index.row())
        if not fact.by_hand and index.column() != ORIGIN:
            edit_cell(self.table, index.siblingAtColumn(VALUE))
        elif fact.line:
            self.shown.emit(fact.line)


FIELD_CHARACTERS, VALUE_CHARACTERS = 16, 12
"""Widths of the first column, and of the second at least."""


class _FactsTable(StretchedTable):
    """Table of the values. Signals: ``cleared()`` for Del; ``undo_asked()`` and ``redo_asked()`` for the usual keys."""

    cleared = Signal()
    undo_asked = Signal()
    redo_asked = Signal()

    def __init__(self, *, objectName: str) -> None:
        super().__init__(objectName=objectName)
        set_up_rows(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed | QAbstractItemView.EditTrigger.AnyKeyPressed)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + ROW_PADDING)

    def setModel(self, model: TableModel) -> None:
        super().setModel(model)
        header, width = self.horizontalHeader(), self.fontMetrics().averageCharWidth()
        header.setSectionResizeMode(VALUE, QHeaderView.ResizeMode.Stretch)
        self.setColumnWidth(FIELD, width * FIELD_CHARACTERS)
        self.resized.connect(self._share_width)
        model.modelReset.connect(self._share_width)
        model.dataChanged.connect(self._share_width)

    @Slot()
    def _share_width(self) -> None:
        """Keep room for the values: in a narrow table the column *Set by* shrinks instead."""
        width = self.fontMetrics().averageCharWidth()
        left = self.viewport().width() - self.columnWidth(FIELD) - width * VALUE_CHARACTERS
        self.setColumnWidth(ORIGIN, max(width * VALUE_CHARACTERS, min(self.sizeHintForColumn(ORIGIN), left)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        asked = {QKeySequence.StandardKey.Undo: self.undo_asked, QKeySequence.StandardKey.Redo: self.redo_asked}
        signal = next((signal for key, signal in asked.items() if event.matches(key)), None)
        if signal is not None:
            signal.emit()
        elif event.key() == Qt.Key.Key_Delete:
            self.cleared.emit()
        else:
            super().keyPressEvent(event)
