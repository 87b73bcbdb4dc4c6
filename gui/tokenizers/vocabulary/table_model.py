"""The table of entries of a vocabulary: its columns, its model, and lists of entries.

Searching and sorting change only the array of IDs, so the table costs the GUI thread the same for 10 rows as for
200,000.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    QAbstractListModel,
    QAbstractTableModel,
    QCoreApplication,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from gui.core.token_text import hexadecimal, visible
from gui.look.quantities import figure
from gui.widgets.token_pills import PLAIN, WHOLE, Pill, pair_pills

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from engine.vocabulary.entries.diagnostics import Diagnosis
    from engine.vocabulary.entries.search import SortKey
    from engine.vocabulary.entries.table import EntryTable


class EntryColumn(NamedTuple):
    """A column. ``key``: its sort key. ``widest``: a typical text that sets its width."""

    title: str
    hint: str
    numeric: bool
    widest: str
    key: SortKey


COLUMNS = (
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "ID"),
        QT_TRANSLATE_NOOP("Vocabulary", "The number the model sees"),
        True,
        "200,000     ",
        "id",
    ),
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "Token"),
        QT_TRANSLATE_NOOP(
            "Vocabulary",
            "Text of the token; · is a space, ⏎ a newline, \\x a byte that is not a character",
        ),
        False,
        "·SolidGoldMagikarp  ",
        "bytes",
    ),
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "Merged from"),
        QT_TRANSLATE_NOOP("Vocabulary", "The two tokens that it is merged from"),
        False,
        "·Golden + Magikarp     ",
        "left",
    ),
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "Bytes"),
        QT_TRANSLATE_NOOP("Vocabulary", "Length in bytes"),
        True,
        "Bytes ▼",
        "length",
    ),
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "Used by"),
        QT_TRANSLATE_NOOP("Vocabulary", "Number of tokens that contain it in their merge tree"),
        True,
        "Used by ▼",
        "built_in_all",
    ),
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "Kind"),
        QT_TRANSLATE_NOOP("Vocabulary", "Single byte, merged token, special token, or unused ID"),
        False,
        "unused id ",
        "kind",
    ),
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "Script"),
        QT_TRANSLATE_NOOP("Vocabulary", "Script of most of its letters"),
        False,
        "Devanagari ",
        "script",
    ),
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "Flags"),
        QT_TRANSLATE_NOOP("Vocabulary", "Findings from an analysis of the whole vocabulary"),
        False,
        "unreachable, control ",
        "findings",
    ),
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "Hexadecimal"),
        QT_TRANSLATE_NOOP("Vocabulary", "Its bytes in hexadecimal"),
        False,
        "20 74 6f 6b 65 6e 69",
        "bytes",
    ),
)
ID, TOKEN, PARENTS, LENGTH, BUILT, KIND, SCRIPT, REMARKS, BYTES = range(len(COLUMNS))

NEED_DIAGNOSIS = (SCRIPT, PARENTS, BUILT, REMARKS)
"""Columns that are empty until the diagnosis is done."""

FIXED_FONT = (TOKEN, PARENTS, BYTES)

KINDS = {
    "byte": QT_TRANSLATE_NOOP("Vocabulary", "byte"),
    "merge": QT_TRANSLATE_NOOP("Vocabulary", "merged"),
    "special": QT_TRANSLATE_NOOP("Vocabulary", "special"),
    "unused": QT_TRANSLATE_NOOP("Vocabulary", "unused ID"),
    "piece": QT_TRANSLATE_NOOP("Vocabulary", "piece"),
}
"""Labels of kinds of IDs, by the names in ``engine.vocabulary.entries.table``."""

FINDINGS = {
    "unreachable": QT_TRANSLATE_NOOP("Vocabulary", "unreachable"),
    "partial UTF-8": QT_TRANSLATE_NOOP("Vocabulary", "part of a character"),
    "white space": QT_TRANSLATE_NOOP("Vocabulary", "whitespace"),
    "control": QT_TRANSLATE_NOOP("Vocabulary", "control"),
    "unused id": QT_TRANSLATE_NOOP("Vocabulary", "unused ID"),
}
"""Labels of findings, by the names in ``engine.vocabulary.entries.diagnostics``, in its order."""

FINDING_HINTS = {
    "unreachable": QT_TRANSLATE_NOOP("Vocabulary", "Never produced: its own text encodes to other IDs"),
    "partial UTF-8": QT_TRANSLATE_NOOP("Vocabulary", "Its bytes are not whole characters (partial UTF-8)"),
    "white space": QT_TRANSLATE_NOOP("Vocabulary", "Whitespace only"),
    "control": QT_TRANSLATE_NOOP("Vocabulary", "Contains control or format characters other than whitespace"),
    "unused id": QT_TRANSLATE_NOOP("Vocabulary", "This ID is unused"),
}

SCRIPTS = (
    *("no letters", "Japanese"),
    *("Latin", "Cyrillic", "Greek", "Armenian", "Georgian", "Hebrew", "Arabic", "Ethiopic"),
    *("Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala"),
    *("Thai", "Lao", "Khmer", "Myanmar", "Tibetan", "Mongolian", "Hangul", "Han"),
    "other scripts",
)
"""Copy of ``engine.text.scripts.SCRIPT_NAMES`` that needs no import of the engine; a test compares both."""


def tr(text: str) -> str:
    """Translate in the context of the page Vocabulary."""
    return QCoreApplication.translate("Vocabulary", text)


_NO_INDEX = QModelIndex()
MAX_SHOWN_BYTES = 60
"""Maximum number of bytes of a token shown in a cell."""
PENDING = "…"

# Fetched for every painted cell; combining flags there takes longer than reading a token.
ALIGNMENTS = tuple(
    (Qt.AlignmentFlag.AlignRight if column.numeric else Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignVCenter
    for column in COLUMNS
)
"""Alignment of the cells of each column."""
_ROW_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

Index = QModelIndex | QPersistentModelIndex


class VocabularyTableModel(QAbstractTableModel):
    """One row for each ID.

    Signals: ``sort_asked(int, bool)``: a column, and True for descending order; the receiver sorts.
    """

    sort_asked = Signal(int, bool)

    def __init__(self, locale: QLocale, spelled: Callable[[bytes], str], parent: QObject | None = None) -> None:
        """``spelled``: formats bytes in the byte alphabet of GPT-2."""
        super().__init__(parent)
        self._locale, self._spelled = locale, spelled
        self._entries: EntryTable | None = None
        self._diagnosis: Diagnosis | None = None
        self._ids: NDArray[np.int32] | None = None
        self._in_letters = False

    @property
    def ids(self) -> NDArray[np.int32] | None:
        """int32[n]: the ID of each row; None before there is a vocabulary."""
        return self._ids

    def set_vocabulary(self, entries: EntryTable, ids: NDArray[np.int32]) -> None:
        """Show these IDs of another vocabulary, without a diagnosis."""
        self.beginResetModel()
        self._entries, self._ids, self._diagnosis = entries, ids, None
        self.endResetModel()

    def set_ids(self, ids: NDArray[np.int32]) -> None:
        """Show these IDs of the same vocabulary."""
        self.beginResetModel()
        self._ids = ids
        self.endResetModel()

    def set_diagnosis(self, diagnosis: Diagnosis) -> None:
        """Fill the columns that need the diagnosis."""
        self._diagnosis = diagnosis
        self._changed()

    def set_in_letters(self, on: bool) -> None:
        """Show tokens in the byte alphabet of GPT-2, or as in the rest of the program."""
        self._in_letters = on
        self._changed()

    def set_locale(self, locale: QLocale) -> None:
        """Format figures for another locale."""
        self._locale = locale
        self._changed()

    def _changed(self) -> None:
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(COLUMNS) - 1))

    def row_of(self, token_id: int) -> int:
        """Return the row of an ID, -1 if it is not shown."""
        if self._ids is None:
            return -1
        found = (self._ids == token_id).argmax() if len(self._ids) else 0
        return int(found) if len(self._ids) and self._ids[found] == token_id else -1

    def id_at(self, row: int) -> int:
        """Return the ID of a row. Raises IndexError."""
        if self._ids is None or not 0 <= row < len(self._ids):
            raise IndexError(row)
        return int(self._ids[row])

    def token_text(self, content: bytes) -> str:
        """Format a token as in the table, truncated if it is long."""
        shown = content[:MAX_SHOWN_BYTES]
        text = self._spelled(shown) if self._in_letters else visible(shown)
        return text if len(content) <= MAX_SHOWN_BYTES else f"{text}…"

    def cell_text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        assert self._entries is not None
        entries, token_id = self._entries, self.id_at(row)
        if column == ID:
            return str(token_id)
        if column == TOKEN:
            return self.token_text(entries.token_bytes(token_id))
        if column == BYTES:
            return hexadecimal(entries.token_bytes(token_id), 16)
        if column == LENGTH:
            return figure(self._locale, int(entries.byte_lengths[token_id]))
        if column == KIND:
            return tr(KINDS[entries.kind(token_id)])
        return self._diagnosed_text(token_id, column)

    def _diagnosed_text(self, token_id: int, column: int) -> str:
        diagnosis = self._diagnosis
        if diagnosis is None:
            return PENDING
        if column == SCRIPT:
            return tr(diagnosis.script(token_id))
        if column == PARENTS:
            return " ".join(pill.text for pill in self._parents(token_id, diagnosis))
        if column == BUILT:
            return figure(self._locale, int(diagnosis.built_in_all[token_id]))
        assert column == REMARKS
        return ", ".join(tr(FINDINGS[name]) for name in diagnosis.findings_of(token_id))

    def pills(self, row: int, column: int) -> tuple[Pill, ...]:
        """Return the tokens of a cell of ``TOKEN`` or ``PARENTS``."""
        assert self._entries is not None
        token_id, diagnosis = self.id_at(row), self._diagnosis
        if column == TOKEN:
            return (Pill(self.token_text(self._entries.token_bytes(token_id)), WHOLE),)
        return (Pill(PENDING, PLAIN),) if diagnosis is None else self._parents(token_id, diagnosis)

    def _parents(self, token_id: int, diagnosis: Diagnosis) -> tuple[Pill, ...]:
        assert self._entries is not None
        left = int(diagnosis.left[token_id])
        if left < 0:
            return ()
        entries, right = self._entries, int(diagnosis.right[token_id])
        return pair_pills(self.token_text(entries.token_bytes(left)), self.token_text(entries.token_bytes(right)))

    # Qt's interface

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() or self._ids is None else len(self._ids)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= self.rowCount():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cell_text(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return ALIGNMENTS[index.column()]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            said = self.cell_text(index.row(), index.column())
            unknown = self._diagnosis is None and index.column() in NEED_DIAGNOSIS
            return f"{tr(COLUMNS[index.column()].title)}: {tr('not known yet') if unknown else said}"
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(COLUMNS):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(COLUMNS[section].title)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tr(COLUMNS[section].hint)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return ALIGNMENTS[section]
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        return _ROW_FLAGS if index.isValid() else Qt.ItemFlag.NoItemFlags

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.sort_asked.emit(column, order == Qt.SortOrder.DescendingOrder)


class TokenListModel(QAbstractListModel):
    """List of tokens whose lines are formatted when they are painted."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ids: Sequence[int] = ()
        self._line: Callable[[int], str] = str

    def set_tokens(self, ids: Sequence[int], line: Callable[[int], str]) -> None:
        """Show these tokens. ``line``: returns the text of a row."""
        self.beginResetModel()
        self._ids, self._line = ids, line
        self.endResetModel()

    def id_at(self, row: int) -> int:
        """Return the ID of a row."""
        return int(self._ids[row])

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._ids)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and index.isValid():
            return self._line(index.row())
        return None
