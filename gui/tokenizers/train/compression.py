"""Bytes per token by kind of text beside other encodings, and what the difference would be worth."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLabel, QSpinBox, QVBoxLayout, QWidget

from gui.core.money import usd_text
from gui.look.corner import plain_corner
from gui.look.plain_label import PlainLabel
from gui.look.quantities import TrainingText
from gui.tokenizers.train.report_tables import GROUP, CompressionModel
from gui.tokenizers.train.savings_service import is_comparable, savings
from gui.widgets.layouts import FlowLayout
from gui.widgets.tables import FittedTable

if TYPE_CHECKING:
    from gui.tokenizers.train.report_service import Report
    from pricing.types import Model

DEFAULT_PROMPT_BYTES = 4_000
MOST_PROMPT_BYTES = 100_000_000
CALLS = 1_000_000
ROW_PADDING = 12


class CompressionPage(QWidget):
    """The table, and below it the sum for the model chosen beside the encoding, which ``model`` gives."""

    def __init__(
        self, text: TrainingText, model: Callable[[], Model | None], today: Callable[[], date] = date.today
    ) -> None:
        super().__init__()
        self._text, self._reference, self._today = text, model, today
        self._report: Report | None = None
        self.model = CompressionModel(text, self)
        self.table = FittedTable("trainCompression")
        self.table.setAccessibleName(self.tr("Bytes per token by kind of text and encoding"))
        self.table.setModel(self.model)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setAlternatingRowColors(True)
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        self.table.setCornerWidget(plain_corner(self.table))
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + ROW_PADDING)
        self.table.horizontalHeader().setHighlightSections(False)
        self.calls_of = PlainLabel(objectName="trainSavingsModel")
        self.prompt_bytes = QSpinBox(objectName="trainSavingsBytes")
        self.prompt_bytes.setRange(1, MOST_PROMPT_BYTES)
        self.prompt_bytes.setGroupSeparatorShown(True)
        self.prompt_bytes.setSuffix(self.tr(" bytes"))
        self.prompt_bytes.setValue(DEFAULT_PROMPT_BYTES)
        self.prompt_bytes.setAccessibleName(self.tr("Size of a prompt"))
        self.savings = QLabel(objectName="trainSavings")
        self.savings.setWordWrap(True)
        self.savings.setTextFormat(Qt.TextFormat.PlainText)
        self.savings.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._place()
        self.prompt_bytes.valueChanged.connect(self.show_savings)

    def set_report(self, report: Report | None) -> None:
        """Show these figures, or none."""
        self._report = report
        self.model.set_report(report)
        header = self.table.horizontalHeader()
        if report is not None:
            header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
            header.setSectionResizeMode(GROUP, QHeaderView.ResizeMode.Fixed)
        self.show_savings()

    def _place(self) -> None:
        self.question = QWidget()
        row = FlowLayout(self.question, 6)
        for widget in (self.calls_of, self.prompt_bytes, PlainLabel(self.tr("of such text each would take"))):
            row.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 6, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.table, 1)
        column.addWidget(self.question)
        column.addWidget(self.savings)

    @Slot()
    def show_savings(self) -> None:
        """Work the sum out again: another report, size or model."""
        model, report = self._reference(), self._report
        self.savings.setVisible(report is not None and model is not None)
        if report is None or model is None or not is_comparable(model, report.names[1:]):
            self.question.hide()
            words = self.tr(
                "{model} counts with a vocabulary that was not measured here. Choose another model beside the encoding "
                "to see what this one would be worth."
            )
            self.savings.setText("" if model is None else words.format(model=model.name))
            return
        self.question.show()
        self.calls_of.setText(self.tr("If {model} used this vocabulary, a million calls of").format(model=model.name))
        total = report.evaluation.total
        theirs = report.names.index(model.count.tokenizer or "")
        size = self.prompt_bytes.value()
        tokens = [round(size / max(total.bytes_per_token(index), 1e-9)) for index in (theirs, 0)]
        found = savings(model, tokens[0], tokens[1], CALLS, self._today())
        self.savings.setText(self._words(found.tokens_saved, found.usd_saved, tokens))

    def _words(self, saved: int, usd: object, tokens: list[int]) -> str:
        write = self._text
        per_call = self.tr("{mine} tokens a call instead of {theirs}").format(
            mine=write.number(tokens[1]), theirs=write.number(tokens[0])
        )
        if saved == 0:
            return self.tr("{per_call}: the same.").format(per_call=per_call)
        amount = write.about(abs(saved))
        words = self.tr("{amount} tokens fewer") if saved > 0 else self.tr("{amount} tokens more")
        text = f"{per_call}: {words.format(amount=amount)}"
        if usd is not None:
            money = usd_text(abs(usd))
            text += (
                self.tr(", {money} less").format(money=money)
                if saved > 0
                else self.tr(", {money} more").format(money=money)
            )
        return text + self.tr(". Vendors keep to their own vocabularies: it is what yours would be worth to one.")
