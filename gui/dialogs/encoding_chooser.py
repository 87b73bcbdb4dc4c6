"""Asks in which character encoding a file was stored, with a picture of what the text would look like."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gui.core.token_text import visible_line
from gui.look.plain_label import PlainLabel
from gui.services.files import Candidate, UndecidedFile
from gui.widgets.dialog_buttons import button_row


class EncodingChooser(QDialog):
    """``chosen`` is Python's name of the encoding, once accepted."""

    def __init__(self, file: UndecidedFile, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.file = file
        self.setObjectName("encodingChooser")
        self.setWindowTitle(self.tr("How was {name} stored?").format(name=visible_line(file.path.name)))
        words = QLabel(
            self.tr(
                "{name} cannot be read without help: {why}. Choose the character encoding in which the text below "
                "looks right."
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
        self._preview.setAccessibleName(self.tr("What the text would look like"))
        label = PlainLabel(self.tr("&Character encoding:"), self)
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
            item.setText(self.tr("{title}: does not fit").format(title=candidate.title))
            item.setFlags(Qt.ItemFlag.NoItemFlags)

    @property
    def chosen(self) -> str | None:
        """The encoding that is selected."""
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
