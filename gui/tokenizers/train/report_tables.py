"""Tables of a report: compression by kind of text, and the tokens of each vocabulary."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from gui.core.token_text import hexadecimal, visible
from gui.look.fonts import fixed_font, set_weight
from gui.look.quantities import TrainingText
from gui.widgets.table_model import plain_tips

if TYPE_CHECKING:
    from engine.training.evaluation import Measured
    from gui.tokenizers.train.report_service import Report

_NO_INDEX = QModelIndex()
Index = QModelIndex | QPersistentModelIndex
BEST = "✓ "
"""Prefix of the best figure of a row, which is bold as well."""
GROUP, SIZE, FIRST = 0, 1, 2
_RUN = re.compile(r"(.)\1{5,}")


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("TrainingReport", text)


class _Row(NamedTuple):
    title: str
    measured: Measured


class CompressionModel(QAbstractTableModel):
    """Bytes per token: a row for all texts, each file type and each script; a column for each encoding."""

    def __init__(self, text: TrainingText, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._names: tuple[str, ...] = ()
        self._rows: list[_Row] = []

    def set_report(self, report: Report | None) -> None:
        """Show the figures of a report, or none."""
        self.beginResetModel()
        self._names = () if report is None else report.names
        self._rows = []
        if report is not None:
            found = report.evaluation
            self._rows = [_Row(tr("All texts"), found.total)]
            self._rows += [_Row(_type_title(one.group), one) for one in found.by_type]
            self._rows += [_Row(_script_title(one.group), one) for one in found.by_script]
        self.endResetModel()

    # Qt's interface

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else FIRST + len(self._names)

    @plain_tips
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row, column = self._rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cell(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if column == GROUP else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.FontRole and column >= FIRST and self._is_best(row, column - FIRST):
            font = QFont()
            set_weight(font)
            return font
        if role == Qt.ItemDataRole.ToolTipRole and column >= FIRST:
            return self._tip(row, column - FIRST)
        if role == Qt.ItemDataRole.AccessibleTextRole and column >= FIRST:
            words = tr("{title}, {encoding}: {figure} bytes per token")
            figure = self._text.decimal(row.measured.bytes_per_token(column - FIRST))
            return words.format(title=row.title, encoding=self._names[column - FIRST], figure=figure)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < self.columnCount():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return (tr("Texts"), tr("Size"), *self._names)[section]
        if role == Qt.ItemDataRole.ToolTipRole and section >= FIRST:
            return tr("Bytes per token in {encoding}: more is better").format(encoding=self._names[section - FIRST])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section == GROUP else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def _cell(self, row: _Row, column: int) -> str:
        if column == GROUP:
            return row.title
        if column == SIZE:
            return self._text.size(row.measured.text_bytes)
        figure = self._text.decimal(row.measured.bytes_per_token(column - FIRST))
        return BEST + figure if self._is_best(row, column - FIRST) else figure

    def _is_best(self, row: _Row, encoding: int) -> bool:
        tokens = row.measured.tokens
        return tokens[encoding] == min(tokens) > 0

    def _tip(self, row: _Row, encoding: int) -> str:
        tokens, mine = row.measured.tokens[encoding], row.measured.tokens[0]
        words = tr("{number} tokens").format(number=self._text.number(tokens))
        if encoding == 0 or not tokens:
            return words
        change = (mine - tokens) / tokens
        more = tr("{share}% more") if change > 0 else tr("{share}% fewer")
        amount = more.format(share=self._text.decimal(abs(change) * 100, 1))
        return tr("{tokens}; {mine} takes {amount}").format(tokens=words, mine=self._names[0], amount=amount)


class TokenListsModel(QAbstractTableModel):
    """Lists of tokens side by side: one column for each list."""

    def __init__(self, text: TrainingText, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._names: tuple[str, ...] = ()
        self._lists: tuple[tuple[bytes, ...], ...] = ()

    def set_lists(self, names: tuple[str, ...], lists: tuple[tuple[bytes, ...], ...]) -> None:
        """Show these lists of tokens, one for each name."""
        self.beginResetModel()
        self._names, self._lists = names, lists
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else max(map(len, self._lists), default=0)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._names)

    @plain_tips
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._lists[index.column()]):
            return None
        token = self._lists[index.column()][index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return runs_counted(visible(token))
        if role == Qt.ItemDataRole.FontRole:
            return fixed_font()
        if role == Qt.ItemDataRole.ToolTipRole:
            words = tr("{number} bytes: {bytes}")
            return words.format(number=self._text.number(len(token)), bytes=hexadecimal(token))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return self._names[section] if orientation == Qt.Orientation.Horizontal else str(section + 1)


def runs_counted(text: str) -> str:
    """Shorten long runs of a character to that character and their length: ``·×128``."""
    return _RUN.sub(lambda run: f"{run.group(1)}×{len(run.group())}", text)


def _type_title(ending: str) -> str:
    return tr("{ending} files").format(ending=ending) if ending else tr("Files without an extension")


def _script_title(script: str) -> str:
    return tr("Lines in {script}").format(script=script) if script != "no letters" else tr("Lines without letters")
