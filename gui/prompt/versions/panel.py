"""Page Versions: the saved versions on the left, a comparison of two texts on the right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import (
    QDateTime,
    QItemSelectionModel,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui.core.token_text import visible_line
from gui.core.version_store import LONGEST_NAME, SavedVersions, Version
from gui.look.fonts import strong
from gui.look.icons import Icons
from gui.look.quantities import figure, moment_format
from gui.look.style_sheet import give_kind, give_role
from gui.look.theme import Theme
from gui.prompt.versions.comparison import VersionComparison, tr
from gui.widgets.bars import draw_share
from gui.widgets.forms import FlowLayout, column_of, row_of, splitter_of
from gui.widgets.labels import wrapped_label
from gui.widgets.table_model import Index, RowsModel, everything_visible
from gui.widgets.tables import FittedTable, edit_cell, set_up_list

# --- list of versions -------------------------------------------------------------------------------------------------

NAME, TOKENS, COST, CONTEXT, SAVED = range(5)

MIN_SHARE = 0.001
"""Minimum share shown; a smaller one is shown as below this, as in the cost table."""


class VersionsModel(RowsModel):
    """Versions: name, tokens, cost of one call, share of the context window, and date and time.

    Signals: ``renamed(Version, str)`` when the user typed another name.
    """

    COLUMNS = 5
    FIGURES = (TOKENS, COST, CONTEXT)

    renamed = Signal(object, str)

    def __init__(self, locale: QLocale, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale = locale
        self._cost: Callable[[Version], str] = lambda version: ""
        self._share: Callable[[Version], float | None] = lambda version: None

    def set_cost(self, cost: Callable[[Version], str]) -> None:
        """Set the function that returns the cost of one call with a version, as text."""
        self._cost = cost
        self.notify_column(COST)

    def set_share(self, share: Callable[[Version], float | None]) -> None:
        """Set the function that returns a version's share of the model's context window; None if unknown."""
        self._share = share
        self.notify_column(CONTEXT)

    def share(self, row: int) -> float | None:
        """Return the share of the context window that a version takes; above 1 it does not fit."""
        return self._share(self.rows[row])

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == NAME else flags

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        version = self.rows[index.row()]
        name = str(value).strip()
        if role != Qt.ItemDataRole.EditRole or index.column() != NAME or not name or name == version.name:
            return False
        self.renamed.emit(version, name)
        return True

    @everything_visible
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and role == Qt.ItemDataRole.EditRole and index.column() == NAME:
            return self.rows[index.row()].name
        if index.isValid() and role == Qt.ItemDataRole.ToolTipRole:
            version = self.rows[index.row()]
            words = tr("{day}, {size} bytes, {encoding}, SHA-256 {digest}")
            facts = {"day": self.cell(version, SAVED), "size": figure(self._locale, version.size)}
            return words.format(**facts, encoding=version.encoding, digest=version.sha256)
        return super().data(index, role)

    def titles(self) -> tuple[str, ...]:
        return tr("Name"), tr("Tokens"), tr("One call"), tr("Context"), tr("Saved")

    def cell(self, version: Version, column: int) -> str:
        if column == NAME:
            return version.name
        if column == SAVED:
            moment = QDateTime.fromSecsSinceEpoch(int(version.saved.timestamp()))
            return self._locale.toString(moment, moment_format(self._locale))
        if column == TOKENS:
            return tr("n/a") if version.tokens is None else figure(self._locale, version.tokens)
        if column == COST:
            return self._cost(version)
        share = self._share(version)
        if share is None:
            return tr("n/a")
        if 0 < share < MIN_SHARE:
            return "<" + self._locale.toString(MIN_SHARE * 100, "f", 1) + "%"
        return self._locale.toString(share * 100, "f", 1 if share < 10 else 0) + "%"


ROW_PADDING = 12
NAME_CHARACTERS = 8
BAR_WIDTH = 40
BAR_HEIGHT = 4.0
GAP = 6


class FirstLine(QStyledItemDelegate):
    """Cells with their text on the first of the two lines of a row."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        option.rect = option.rect.adjusted(0, ROW_PADDING // 2, 0, 0)
        option.displayAlignment = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop


class ContextCells(FirstLine):
    """Cells with the percentage of a model's context window that a text takes, and a bar below it."""

    def __init__(self, model: VersionsModel, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._model, self._theme = model, theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        share = self._model.share(index.row())
        if share is None:
            return
        area, mirrored = option.rect, self.parent().isRightToLeft()
        left = area.left() + GAP if mirrored else area.right() - GAP - BAR_WIDTH
        line = ROW_PADDING / 2 + option.fontMetrics.height() * 1.5
        bar = QRectF(left, area.top() + line - BAR_HEIGHT / 2, BAR_WIDTH, BAR_HEIGHT)
        painter.save()
        draw_share(painter, bar, (share, share), self._theme.colour, mirrored=mirrored)
        painter.restore()


class NameCells(QStyledItemDelegate):
    """Cells of two lines: the name, and below it the cost of one call and the time when the version was saved."""

    def __init__(self, model: VersionsModel, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._model, self._theme = model, theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        drawn = QStyleOptionViewItem(option)
        self.initStyleOption(drawn, index)
        name, drawn.text = drawn.text, ""
        drawn.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, drawn, painter, drawn.widget)
        version = self._model.rows[index.row()]
        facts = tr("{cost} · {saved}").format(
            cost=self._model.cell(version, COST), saved=self._model.cell(version, SAVED)
        )
        area = option.rect.adjusted(GAP - 2, ROW_PADDING // 2, -GAP, 0)
        painter.save()
        for text, font, role in ((name, strong(option.font), "text"), (facts, option.font, "quiet")):
            painter.setFont(font)
            painter.setPen(self._theme.colour(role))
            metrics = QFontMetrics(font)
            cut = metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
            painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, cut)
            area.translate(0, metrics.height())
        painter.restore()


class VersionList(QWidget):
    """List of the saved versions.

    Signals: ``save_asked(str)`` with a name; ``restore_asked(Version)``; ``rename_asked(Version, str)``;
    ``delete_asked(Version)`` after confirmation; ``current_changed()``.
    """

    save_asked = Signal(str)
    restore_asked = Signal(object)
    rename_asked = Signal(object, str)
    delete_asked = Signal(object)
    current_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.name = QLineEdit(objectName="versionName", maxLength=LONGEST_NAME)
        self.name.setPlaceholderText(self.tr("Name of this version"))
        self.name.setAccessibleName(self.tr("Name of the new version"))
        self.save = _button("versionSave", self.tr("&Save version"), self.tr("Save the current prompt"))
        give_kind(self.save, "primary")
        self.restore = _button(
            "versionRestore", self.tr("&Restore"), self.tr("Replace the prompt with this version; Undo reverts it")
        )
        self.rename = _button("versionRename", self.tr("Re&name"), self.tr("Rename this version (F2)"))
        self.delete = _button("versionDelete", self.tr("De&lete…"), self.tr("Delete this version permanently (Del)"))
        for button in (self.rename, self.delete):
            button.setProperty("kind", "quiet")
        self.model = VersionsModel(QLocale(), self)
        self.model.renamed.connect(self.rename_asked)
        self.table = _Versions("versionTable", self)
        self.table.setModel(self.model)
        self.table.setItemDelegateForColumn(NAME, NameCells(self.model, theme, self.table))
        self.table.setItemDelegateForColumn(TOKENS, FirstLine(self.table))
        self.table.setItemDelegateForColumn(CONTEXT, ContextCells(self.model, theme, self.table))
        self.total = wrapped_label("versionTotal")
        give_role(self.total, "caption")
        self._doomed: Version | None = None
        self._set_up_table()
        self._lay_out()
        self.save.clicked.connect(self._save)
        self.name.returnPressed.connect(self._save)
        self.restore.clicked.connect(self._restore)
        self.rename.clicked.connect(self._rename)
        self.delete.clicked.connect(self.ask_to_delete)
        self.table.selectionModel().currentRowChanged.connect(self._on_current)
        self._on_current()

    @property
    def current(self) -> Version | None:
        """Selected version."""
        row = self.table.currentIndex().row()
        return self.model.rows[row] if 0 <= row < len(self.model.rows) else None

    def show_versions(self, saved: SavedVersions, current: str = "") -> None:
        """Show these versions. Select the one with the key ``current``, else the previous selection or the first."""
        before = self.current
        preferred = (current, before.key if before is not None else "")
        self.model.set_rows(saved.versions)
        keys = [version.key for version in saved.versions]
        row = next((keys.index(key) for key in preferred if key in keys), 0)
        if keys:
            self.table.selectionModel().setCurrentIndex(
                self.model.index(row, NAME),
                QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows,
            )
        number, size = figure(self.locale(), len(keys)), self.locale().formattedDataSize(saved.size)
        words = self.tr("One version") if len(keys) == 1 else self.tr("{number} versions").format(number=number)
        words = self.tr("{versions}, {size} in your profile.").format(versions=words, size=size)
        self.total.setText(words if keys else self.tr("No versions yet."))
        self._on_current()

    @Slot()
    def ask_to_delete(self) -> None:
        """Ask for confirmation before deleting the current version."""
        version = self.current
        if version is None:
            return
        buttons = QMessageBox.StandardButton
        box = QMessageBox(QMessageBox.Icon.Warning, self.tr("Delete version"), "", buttons.NoButton, self)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(self.tr("Delete “{name}” permanently?").format(name=visible_line(version.name)))
        box.addButton(self.tr("&Delete"), QMessageBox.ButtonRole.DestructiveRole).clicked.connect(self._delete)
        box.setDefaultButton(box.addButton(buttons.Cancel))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._doomed = version
        box.open()

    @Slot()
    def _delete(self) -> None:
        self.delete_asked.emit(self._doomed)

    @Slot()
    def _save(self) -> None:
        moment = QLocale().toString(QDateTime.currentDateTime(), moment_format(QLocale()))
        self.save_asked.emit(self.name.text().strip() or moment)
        self.name.clear()

    @Slot()
    def _restore(self) -> None:
        if self.current is not None:
            self.restore_asked.emit(self.current)

    @Slot()
    def _rename(self) -> None:
        if self.current is not None:
            self.table.setFocus()
            edit_cell(self.table, self.model.index(self.table.currentIndex().row(), NAME))

    @Slot()
    def _on_current(self) -> None:
        for button in (self.restore, self.rename, self.delete):
            button.setEnabled(self.current is not None)
        self.current_changed.emit()

    def _set_up_table(self) -> None:
        table = self.table
        table.setAccessibleName(self.tr("Versions of the prompt; F2 renames one, Delete removes it"))
        set_up_list(table, self.fontMetrics().height() + ROW_PADDING)
        table.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(CONTEXT, QHeaderView.ResizeMode.Interactive)
        table.setColumnWidth(CONTEXT, max(BAR_WIDTH, self.fontMetrics().horizontalAdvance("Context")) + 3 * GAP)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(self.fontMetrics().averageCharWidth() * NAME_CHARACTERS)
        for column in (COST, SAVED):  # below the name
            table.setColumnHidden(column, True)
        table.delete_pressed.connect(self.ask_to_delete)

    def _lay_out(self) -> None:
        buttons = FlowLayout()
        buttons.add(self.restore, self.rename, self.delete)
        column_of(
            row_of((self.name, 1), self.save, margins=(16, 8, 12, 2), spacing=8),
            (row_of(self.table, margins=(12, 0, 0, 0)), 1),
            column_of(buttons, self.total, margins=(16, 4, 12, 10), spacing=6),
            parent=self,
            spacing=6,
        )


class _Versions(FittedTable):
    """Table of the versions. Signals: ``delete_pressed()``."""

    delete_pressed = Signal()

    def keyPressEvent(self, event: object) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.delete_pressed.emit()
        else:
            super().keyPressEvent(event)


def _button(name: str, text: str, tip: str) -> QPushButton:
    button = QPushButton(text, objectName=name, toolTip=tip, accessibleName=tip)
    button.setAutoDefault(False)
    return button


# --- the page ---------------------------------------------------------------------------------------------------------

FIRST_WIDTHS = [350, 830]


class VersionsPanel(QWidget):
    """The whole page. ``VersionsController`` holds the logic."""

    def __init__(self, theme: Theme, icons: Icons) -> None:
        super().__init__(objectName="versionsPanel")
        self.list = VersionList(theme)
        self.comparison = VersionComparison(theme, icons)
        self.splitter = splitter_of("versionsSplitter", self.list, self.comparison, FIRST_WIDTHS)
        self.splitter.setStretchFactor(1, 1)
        column_of(self.splitter, parent=self)
