"""One text in two vocabularies, token by token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from gui.look.plain_label import PlainLabel
from gui.look.quantities import TrainingText
from gui.look.theme import Theme
from gui.models.aligned_rows import AlignedRows
from gui.panels.aligned_tokens import AlignedTokens
from gui.state.settings import SettingsStore

if TYPE_CHECKING:
    from gui.editor.token_spans import TokenSpans
    from gui.tokenizers.train.report_service import Report


class VocabularyChoice(QWidget):
    """One of the encodings of a report, and how many tokens the text has in it.

    Signals: ``changed()``: another one.
    """

    changed = Signal()

    def __init__(self, text: TrainingText, name: str, spoken: str) -> None:
        super().__init__()
        self._text = text
        self._report: Report | None = None
        self.choice = QComboBox(objectName=f"{name}Choice")
        self.choice.setAccessibleName(self.tr("Vocabulary: {pane}").format(pane=spoken))
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.choice.setMinimumContentsLength(8)
        self.figures = PlainLabel(objectName=f"{name}Figures")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.choice, 1)
        row.addWidget(self.figures)
        self.choice.currentIndexChanged.connect(self._on_choice)

    def set_report(self, report: Report | None, first: int) -> None:
        """Offer the encodings of a report; ``first`` is the one to begin with."""
        blocker = QSignalBlocker(self.choice)
        before = self.choice.currentText()
        self.choice.clear()
        self._report = report
        if report is not None:
            self.choice.addItems(list(report.names))
            found = self.choice.findText(before) if first else -1
            self.choice.setCurrentIndex(found if found > 0 else first)
        blocker.unblock()
        self._show_figures()

    @Slot()
    def _on_choice(self) -> None:
        self._show_figures()
        self.changed.emit()

    def _show_figures(self) -> None:
        place = self.choice.currentIndex()
        if self._report is None or place < 0:
            self.figures.clear()
            return
        tokens = len(self._report.patches[place].ids)
        self.figures.setText(self.tr("{n} tokens").format(n=self._text.number(tokens)))


class SideBySidePage(QWidget):
    """Two of the encodings, each row of the text once for both."""

    def __init__(self, theme: Theme, text: TrainingText, settings: SettingsStore) -> None:
        super().__init__()
        self._report: Report | None = None
        self._spans: tuple[TokenSpans, ...] = ()
        self.left = VocabularyChoice(text, "trainSampleLeft", self.tr("Upper"))
        self.right = VocabularyChoice(text, "trainSampleRight", self.tr("Lower"))
        self.view = AlignedTokens(theme, settings, "trainSample", self.tr("The text in both vocabularies"))
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.left)
        head.addWidget(self.right)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 6, 0, 0)
        column.addLayout(head)
        column.addWidget(self.view, 1)
        for change in (self.left.changed, self.right.changed, self.view.columns_changed):
            change.connect(self._show)

    def set_report(self, report: Report | None) -> None:
        """Show a sample: the trained vocabulary above, the last of the others below."""
        from gui.services.comparisons import spans_of_patch

        self._report = report
        self._spans = () if report is None else tuple(map(spans_of_patch, report.patches))
        self.left.set_report(report, 0)
        self.right.set_report(report, len(report.names) - 1 if report is not None else 0)
        self._show()

    @Slot()
    def _show(self) -> None:
        from gui.services.comparisons import cut_short_text

        report = self._report
        if report is None or not report.sample:
            self.view.show_hint("")
            return
        chosen = self.left.choice.currentIndex(), self.right.choice.currentIndex()
        rows = AlignedRows(*cut_short_text(report.sample, self.view.columns))
        self.view.show_tokens(
            tuple(report.names[place] for place in chosen), tuple(self._spans[place] for place in chosen), rows
        )
