"""Asks which models are to be counted with a tokenizer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui.widgets.dialog_buttons import button_row

_ID = Qt.ItemDataRole.UserRole


class TokenizerModelsDialog(QDialog):
    """Accepted with at least one model ticked that is not counted so yet."""

    def __init__(self, encoding: str, models: Iterable[tuple[str, str, str]], parent: QWidget | None = None) -> None:
        """``models``: id, name, and what each is counted with now."""
        super().__init__(parent)
        self.setObjectName("tokenizerModelsDialog")
        self.setWindowTitle(self.tr("Count models with {name}").format(name=encoding))
        self.encoding = encoding
        about = QLabel(
            self.tr(
                "Ticked models are counted with {name} from now on. That goes into your price file, where it is "
                "labelled as assumed: only you know that it is the model's own tokenizer."
            ).format(name=encoding)
        )
        about.setTextFormat(Qt.TextFormat.PlainText)
        about.setWordWrap(True)
        self.filter = QLineEdit(objectName="tokenizerModelsFilter")
        self.filter.setPlaceholderText(self.tr("Filter models"))
        self.filter.setAccessibleName(self.filter.placeholderText())
        self.filter.setClearButtonEnabled(True)
        self.list = QListWidget(objectName="tokenizerModels")
        self.list.setAccessibleName(self.tr("Models; Space ticks the selected one"))
        for model_id, name, counted in models:
            self._add(model_id, name, counted)
        buttons = button_row(self, QDialogButtonBox.StandardButton.Ok, QDialogButtonBox.StandardButton.Cancel)
        self.ok = buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.ok.setText(self.tr("&Assign"))
        column = QVBoxLayout(self)
        column.addWidget(about)
        column.addWidget(self.filter)
        column.addWidget(self.list, 1)
        column.addWidget(buttons)
        self.filter.textChanged.connect(self._show_matching)
        self.list.itemChanged.connect(self._show_choice)
        self.resize(self.fontMetrics().averageCharWidth() * 76, 460)
        self._show_choice()
        self.filter.setFocus()

    def _add(self, model_id: str, name: str, counted: str) -> None:
        words = self.tr("{name}   ({id}; now {tokenizer})") if counted else self.tr("{name}   ({id})")
        item = QListWidgetItem(words.format(name=name, id=model_id, tokenizer=counted), self.list)
        item.setData(_ID, model_id)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        is_so = counted == self.encoding
        item.setCheckState(Qt.CheckState.Checked if is_so else Qt.CheckState.Unchecked)
        if is_so:
            item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEnabled)

    @property
    def models(self) -> tuple[str, ...]:
        """The ids of the models that were ticked."""
        items = (self.list.item(row) for row in range(self.list.count()))
        return tuple(
            str(item.data(_ID))
            for item in items
            if item.checkState() == Qt.CheckState.Checked and item.flags() & Qt.ItemFlag.ItemIsEnabled
        )

    @Slot(str)
    def _show_matching(self, words: str) -> None:
        wanted: Sequence[str] = words.casefold().split()
        for row in range(self.list.count()):
            item = self.list.item(row)
            item.setHidden(not all(word in item.text().casefold() for word in wanted))

    @Slot()
    def _show_choice(self) -> None:
        self.ok.setEnabled(bool(self.models))
