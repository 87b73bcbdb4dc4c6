"""Dialogs of the prompt: the character encoding of a file, and the line or token to go to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QSpinBox,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gui.core.token_text import visible_line
from gui.editor.token_editor import TokenEditor
from gui.look.plain_text import PlainLabel
from gui.prompt.file_service import Candidate, UndecidedFile
from gui.widgets.forms import button_row

if TYPE_CHECKING:
    from gui.costs.price_editor import PriceEditor


class EncodingChooser(QDialog):
    """Choice of a character encoding with a preview; ``chosen`` holds it once accepted."""

    def __init__(self, file: UndecidedFile, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.file = file
        self.setObjectName("encodingChooser")
        self.setWindowTitle(self.tr("Character encoding of {name}").format(name=visible_line(file.path.name)))
        words = QLabel(
            self.tr(
                "{name} could not be decoded: {why}. Choose the character encoding that makes the text below look "
                "right."
            ).format(name=visible_line(file.path.name), why=file.why),
            self,
        )
        words.setTextFormat(Qt.TextFormat.PlainText)
        words.setWordWrap(True)
        self._list = QListWidget(self)
        self._list.setObjectName("encodingCandidates")
        self._list.setAccessibleName(self.tr("Character encodings"))
        self._preview = QPlainTextEdit(self)
        self._preview.setObjectName("encodingPreview")
        self._preview.setReadOnly(True)
        self._preview.setTabChangesFocus(True)
        self._preview.setAccessibleName(self.tr("Preview of the text"))
        label = PlainLabel(self.tr("&Character encoding"), self)
        label.setBuddy(self._list)
        buttons = button_row(self, QDialogButtonBox.StandardButton.Open, QDialogButtonBox.StandardButton.Cancel)
        self._open = buttons.button(QDialogButtonBox.StandardButton.Open)
        split = QSplitter(self)
        split.addWidget(self._list)
        split.addWidget(self._preview)
        split.setStretchFactor(1, 1)
        column = QVBoxLayout(self)
        column.addWidget(words)
        column.addWidget(label)
        column.addWidget(split, 1)
        column.addWidget(buttons)
        self.resize(720, 420)
        self._list.currentItemChanged.connect(self._show_candidate)
        self._list.itemActivated.connect(self._accept_item)
        for candidate in file.candidates:
            self._add(candidate)
        self._list.setCurrentRow(0)

    def _add(self, candidate: Candidate) -> None:
        item = QListWidgetItem(candidate.title, self._list)
        item.setData(Qt.ItemDataRole.UserRole, candidate)
        if not candidate.preview:
            item.setText(self.tr("{title}: cannot decode this file").format(title=candidate.title))
            item.setFlags(Qt.ItemFlag.NoItemFlags)

    @property
    def chosen(self) -> str | None:
        """Python's name of the selected encoding; None if there is none or it cannot decode the file."""
        item = self._list.currentItem()
        candidate = item.data(Qt.ItemDataRole.UserRole) if item else None
        return candidate.encoding if candidate and candidate.preview else None

    @Slot()
    def _show_candidate(self) -> None:
        item = self._list.currentItem()
        candidate = item.data(Qt.ItemDataRole.UserRole) if item else None
        self._preview.setPlainText(candidate.preview if candidate else "")
        self._open.setEnabled(self.chosen is not None)

    @Slot()
    def _accept_item(self) -> None:
        if self.chosen is not None:
            self.accept()


class GoToDialog(QDialog):
    """Dialog for a number from 1 up, which calls ``go`` with it."""

    def __init__(
        self, title: str, question: str, most: int, now: int, go: Callable[[int], None], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._go = go
        self.setObjectName("goToDialog")
        self.setWindowTitle(title)
        self.number = QSpinBox(self)
        self.number.setObjectName("goToNumber")
        self.number.setRange(1, max(1, most))
        self.number.setGroupSeparatorShown(True)
        self.number.setValue(now)
        self.number.setAccessibleName(question)
        label = PlainLabel(question, self)
        label.setBuddy(self.number)
        buttons = button_row(self, QDialogButtonBox.StandardButton.Ok, QDialogButtonBox.StandardButton.Cancel)
        column = QVBoxLayout(self)
        column.addWidget(label)
        column.addWidget(self.number)
        column.addWidget(buttons)
        self.accepted.connect(self._on_accepted)
        self.number.selectAll()
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 44)  # wide enough to show the title

    @classmethod
    def for_lines(cls, editor: TokenEditor | PriceEditor, parent: QWidget) -> GoToDialog:
        """Return a dialog that goes to a line of the editor."""
        count, now = editor.line_count, editor.caret_line
        question = _tr("&Line, 1 to {count}:").format(count=parent.locale().toString(count))
        return cls(_tr("Go to line"), question, count, now, editor.go_to_line, parent)

    @classmethod
    def for_tokens(cls, editor: TokenEditor, parent: QWidget) -> GoToDialog:
        """Return a dialog that goes to a token of the editor. The dialog counts from 1, the editor from 0."""
        count = editor.token_count
        span = editor.token_at(editor.caret_offset())
        question = _tr("&Token, 1 to {count}:").format(count=parent.locale().toString(count))
        return cls(
            _tr("Go to token"),
            question,
            count,
            span.index + 1 if span else 1,
            lambda number: editor.go_to_token(number - 1),
            parent,
        )

    @Slot()
    def _on_accepted(self) -> None:
        self._go(self.number.value())


def _tr(text: str) -> str:
    return QCoreApplication.translate("GoToDialog", text)
