"""What came of a run: the vocabulary beside others on the user's own texts, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QHeaderView,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from gui.look.corner import plain_corner
from gui.look.plain_label import PlainLabel
from gui.look.quantities import TrainingText
from gui.look.theme import Theme
from gui.state.settings import SettingsStore
from gui.tokenizers.train.compression import CompressionPage
from gui.tokenizers.train.export_service import FORMATS, format_title
from gui.tokenizers.train.report_tables import TokenListsModel
from gui.tokenizers.train.side_by_side import SideBySidePage
from gui.widgets.form_rows import Remark
from gui.widgets.layouts import FlowLayout, labelled_row
from gui.widgets.tables import StretchedTable

if TYPE_CHECKING:
    from gui.tokenizers.train.report_service import Report
    from pricing.types import Model


HASH_DIGITS = 12
ROW_PADDING = 12


class TrainingResultPage(QWidget):
    """Shows a report on one of the user's own vocabularies.

    Signals: ``chosen(str)``: another vocabulary is to be shown; ``use_asked(str)``: it is to be used in the editor;
    ``save_asked(str, str)``: its name and the ending of a file format; ``remove_asked(str)``.
    """

    chosen = Signal(str)
    use_asked = Signal(str)
    save_asked = Signal(str, str)
    remove_asked = Signal(str)

    def __init__(
        self, theme: Theme, text: TrainingText, settings: SettingsStore, model: Callable[[], Model | None]
    ) -> None:
        super().__init__()
        self._text = text
        self._report: Report | None = None
        self._make(theme)
        self.compression = CompressionPage(text, model)
        self.side_by_side = SideBySidePage(theme, text, settings)
        self.tokens = TokenListsModel(text, self)
        self._place()
        self.names.currentTextChanged.connect(self._on_name)
        self.use.clicked.connect(self._on_use)
        self.remove.clicked.connect(self._on_remove)
        self.kind.currentIndexChanged.connect(self._show_tokens)
        self.set_names((), "")

    @property
    def controls(self) -> tuple[QWidget, ...]:
        """All that the Tab key reaches, as the eye goes."""
        sums, pair = self.compression, self.side_by_side
        return (
            *(self.names, self.use, self.save, self.remove, self.sheets),
            *(sums.table, sums.prompt_bytes),
            *(pair.left.choice, pair.right.choice, pair.view),
            *(self.kind, self.table),
        )

    def set_names(self, names: Sequence[str], current: str) -> None:
        """Offer these vocabularies; ``current`` is the one shown, none where it is empty."""
        blocker = QSignalBlocker(self.names)
        self.names.clear()
        self.names.addItems(list(names))
        self.names.setCurrentIndex(self.names.findText(current) if current else -1)
        blocker.unblock()
        self._enable()
        if not names:
            self.show_hint(self.tr("A vocabulary appears here when a run has ended."))

    def say(self, words: str, kind: str = "") -> None:
        """Say something about the vocabulary shown: what came of saving it, for one."""
        self.remark.say(words, kind)

    def set_summary(self, words: str, run_hash: str = "") -> None:
        """Say in a line what the vocabulary is. ``run_hash`` is the same for the same texts and settings."""
        short = self.tr("  Hash {hash}…").format(hash=run_hash[:HASH_DIGITS]) if run_hash else ""
        self.summary.setText(words + short)
        self.summary.setToolTip(
            self.tr("The same texts and settings give the same hash: {hash}").format(hash=run_hash) if run_hash else ""
        )
        self.summary.setVisible(bool(words))

    def show_hint(self, words: str) -> None:
        """Say why there are no figures."""
        self.hint.setText(words)
        self.body.setCurrentWidget(self.hint)

    def set_report(self, report: Report) -> None:
        """Show the figures of the vocabulary chosen."""
        self.compression.set_report(report)
        self.side_by_side.set_report(report)
        self._report = report
        self._show_tokens()
        self.overlap.setText("\n".join(self._overlaps(report)))
        self.source.setText(self._source(report))
        self.body.setCurrentWidget(self.figures)

    @Slot()
    def _show_tokens(self) -> None:
        """The list chosen: of each vocabulary, or by comparison with each of the others."""
        report, kind = self._report, self.kind.currentIndex()
        if report is None:
            return
        if kind == 0:
            self.tokens.set_lists(report.names, report.longest)
            return
        lists = (one.longest_only_first if kind == 1 else one.longest_shared for one in report.overlaps)
        title = self.tr("not in {name}") if kind == 1 else self.tr("also in {name}")
        self.tokens.set_lists(tuple(title.format(name=name) for name in report.names[1:]), tuple(lists))

    def _source(self, report: Report) -> str:
        """What was measured on."""
        total, held = report.evaluation.total, report.request.held_out
        texts = self.tr("1 text") if report.files == 1 else self.tr("{n} texts")
        words = f"{texts.format(n=self._text.number(report.files))}, {self._text.size(total.text_bytes)}"
        if held is None:
            return self.tr("Measured on {texts} of the folder.").format(texts=words)
        if held:
            return self.tr("Measured on {texts} that were held back from training.").format(texts=words)
        return self.tr(
            "Measured on {texts} it was trained on, for none were held back: on other texts it will do a little worse."
        ).format(texts=words)

    def _overlaps(self, report: Report) -> list[str]:
        lines = []
        for name, found in zip(report.names[1:], report.overlaps, strict=True):
            lines.append(
                self.tr("{shared} of its tokens ({share}) are also in {name}.").format(
                    shared=self._text.number(found.shared), share=self._text.per_cent(found.share_of_first), name=name
                )
            )
        return lines

    # --- controls -----------------------------------------------------------------------------------------------------

    def _make(self, theme: Theme) -> None:
        self.names = QComboBox(objectName="trainResultName")
        self.names.setAccessibleName(self.tr("Vocabulary"))
        self.names.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.names.setPlaceholderText(self.tr("Choose one"))
        self.use = _button("trainUse", self.tr("&Use in the editor"), self.tr("Count the prompt in this vocabulary"))
        self.save = _button("trainSave", self.tr("Save &as"), self.tr("Write it to a file for other programs"))
        self.save.setMenu(QMenu(self.save))
        for ending, title in FORMATS:
            action = self.save.menu().addAction(f"{format_title(title)} ({ending})…")
            action.setData(ending)
            action.triggered.connect(self._on_save)
        self.remove = _button("trainRemove", self.tr("Remove…"), self.tr("Delete it from Tokenloupe"))
        self.summary = QLabel(objectName="trainResultSummary")
        self.summary.setWordWrap(True)
        self.summary.setTextFormat(Qt.TextFormat.PlainText)
        self.summary.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.remark = Remark(theme)
        self.remark.setObjectName("trainResultRemark")
        self.source = PlainLabel(objectName="trainResultSource")
        self.source.setWordWrap(True)
        self.hint = PlainLabel()
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint.setWordWrap(True)
        self.kind = QComboBox(objectName="trainTokensKind")
        self.kind.setAccessibleName(self.tr("Which tokens are listed"))
        self.kind.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContentsOnFirstShow)
        self.kind.setMinimumContentsLength(8)
        self.kind.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        for title in (
            self.tr("tokens of each vocabulary"),
            self.tr("tokens that the others lack"),
            self.tr("tokens that it shares with the others"),
        ):
            self.kind.addItem(title)
        self.overlap = PlainLabel(objectName="trainOverlap")
        self.overlap.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.overlap.setWordWrap(True)

    def _place(self) -> None:
        head = QWidget()
        row = FlowLayout(head, 8)
        label = PlainLabel(self.tr("Voca&bulary:"))
        label.setBuddy(self.names)
        for widget in (label, self.names, self.use, self.save, self.remove):
            row.addWidget(widget)
        self.sheets = QTabWidget(objectName="trainSheets")
        self.sheets.setAccessibleName(self.tr("Compression, side by side, and tokens"))
        self.sheets.tabBar().setAccessibleName(self.sheets.accessibleName())
        self.sheets.setDocumentMode(True)
        self.sheets.addTab(self.compression, self.tr("Bytes per token"))
        self.sheets.addTab(self.side_by_side, self.tr("Side by side"))
        self.sheets.addTab(self._tokens_page(), self.tr("Tokens"))
        self.figures = QWidget()
        column = QVBoxLayout(self.figures)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.source)
        column.addWidget(self.sheets, 1)
        self.body = QStackedWidget()
        self.body.addWidget(self.hint)
        self.body.addWidget(self.figures)
        page = QVBoxLayout(self)
        page.setContentsMargins(8, 8, 8, 8)
        page.setSpacing(6)
        for widget in (head, self.summary, self.remark):
            page.addWidget(widget)
        page.addWidget(self.body, 1)

    def _tokens_page(self) -> QWidget:
        page = QWidget()
        self.table = table = StretchedTable(objectName="trainTokens")
        table.setAccessibleName(self.tr("Tokens, the longest first"))
        table.setModel(self.tokens)
        table.setTabKeyNavigation(False)
        table.setCornerWidget(plain_corner(table))
        table.setAlternatingRowColors(True)
        table.setShowGrid(False)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        table.horizontalHeader().setHighlightSections(False)
        table.verticalHeader().setHighlightSections(False)
        table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + ROW_PADDING)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 6, 0, 0)
        column.addWidget(self.overlap)
        column.addLayout(labelled_row(self.tr("The l&ongest"), self.kind))
        column.addWidget(table, 1)
        return page

    def _enable(self) -> None:
        known = bool(self.names.currentText())
        for button in (self.use, self.save, self.remove):
            button.setEnabled(known)
        self.names.setEnabled(self.names.count() > 0)

    @Slot(str)
    def _on_name(self, name: str) -> None:
        self._enable()
        if name:
            self.chosen.emit(name)

    @Slot()
    def _on_use(self) -> None:
        self.use_asked.emit(self.names.currentText())

    @Slot()
    def _on_save(self) -> None:
        self.save_asked.emit(self.names.currentText(), self.sender().data())

    @Slot()
    def _on_remove(self) -> None:
        self.remove_asked.emit(self.names.currentText())


def _button(name: str, text: str, tip: str) -> QPushButton:
    button = QPushButton(text, objectName=name)
    button.setAutoDefault(False)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    return button
