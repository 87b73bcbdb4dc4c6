"""Asks for a line or a token to go to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QSpinBox, QVBoxLayout, QWidget

from gui.editor.token_editor import TokenEditor
from gui.look.plain_label import PlainLabel
from gui.widgets.dialog_buttons import button_row

if TYPE_CHECKING:
    from gui.costs.price_editor import PriceEditor


class GoToDialog(QDialog):
    """A number from 1 up; ``go`` is called with it."""

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
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 44)  # The title is to be read, too.

    @classmethod
    def for_lines(cls, editor: TokenEditor | PriceEditor, parent: QWidget) -> GoToDialog:
        """Go to a line of the editor."""
        count, now = editor.line_count, editor.caret_line
        question = _tr("&Line, 1 to {count}:").format(count=parent.locale().toString(count))
        return cls(_tr("Go to line"), question, count, now, editor.go_to_line, parent)

    @classmethod
    def for_tokens(cls, editor: TokenEditor, parent: QWidget) -> GoToDialog:
        """Go to a token of the editor. The reader counts from 1, the editor from 0."""
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
