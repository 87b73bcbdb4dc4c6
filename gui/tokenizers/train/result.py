"""The result of a training run: compression beside published encodings, texts side by side, and actions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QObject, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QTabWidget,
    QWidget,
)

from gui.core.figures import usd_text
from gui.core.token_text import hexadecimal, visible
from gui.editor.aligned_tokens import AlignedRows, AlignedTokens
from gui.look.fonts import fixed_font, set_weight
from gui.look.quantities import TrainingText
from gui.look.style_sheet import give_kind, plain_corner
from gui.look.theme import Theme
from gui.state.settings import SettingsStore
from gui.tokenizers.train.report_service import FORMATS, format_title, input_usd, is_comparable
from gui.widgets.forms import FlowLayout, Remark, SpinBox, column_of, label_of, labelled_row, row_of
from gui.widgets.labels import FigureStrip, PlainLabel, wrapped_label
from gui.widgets.table_model import Column, TableModel
from gui.widgets.tables import ROW_PADDING, FittedTable, StretchedTable

if TYPE_CHECKING:
    from engine.training.evaluation import Measured
    from gui.editor.token_spans import TokenSpans
    from gui.tokenizers.train.report_service import Report
    from pricing.types import Model


# --- models -----------------------------------------------------------------------------------------------------------

BEST = "✓ "
"""Prefix of the best figure of a row, which is bold as well."""
GROUP = 0
"""Column of the titles of rows."""
_RUN = re.compile(r"(.)\1{5,}")


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("TrainingReport", text)


class _Row(NamedTuple):
    title: str
    measured: Measured


class CompressionModel(TableModel):
    """Bytes per token: a row for all texts, each file type and each script; a column for each encoding."""

    def __init__(self, text: TrainingText, parent: QObject | None = None) -> None:
        super().__init__(compression_columns(()), text, parent, context="TrainingReport")

    def set_report(self, report: Report | None) -> None:
        """Show the figures of a report, or none."""
        if report is None:
            self.show((), columns=compression_columns(()))
            return
        found = report.evaluation
        rows = [_Row(tr("All texts"), found.total)]
        rows += [_Row(_type_title(one.group), one) for one in found.by_type]
        rows += [_Row(_script_title(one.group), one) for one in found.by_script]
        self.show(rows, columns=compression_columns(report.names))


def compression_columns(names: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns for these encodings. The view is the ``TrainingText``."""
    return (
        Column("texts", QT_TRANSLATE_NOOP("TrainingReport", "Texts"), "", lambda row, _text: row.title),
        Column(
            "size",
            QT_TRANSLATE_NOOP("TrainingReport", "Size"),
            "",
            lambda row, text: text.size(row.measured.text_bytes),
            numeric=True,
        ),
        *(_density_column(names, encoding) for encoding in range(len(names))),
    )


def _density_column(names: Sequence[str], encoding: int) -> Column:
    """Return the column of an encoding. The best figure of a row is bold and has a tick."""
    bold = QFont()
    set_weight(bold)

    def is_best(row: _Row) -> bool:
        tokens = row.measured.tokens
        return tokens[encoding] == min(tokens) > 0

    def figure(row: _Row, text: TrainingText) -> str:
        return text.decimal(row.measured.bytes_per_token(encoding))

    def tip(row: _Row, text: TrainingText) -> str:
        tokens, mine = row.measured.tokens[encoding], row.measured.tokens[0]
        words = tr("{number} tokens").format(number=text.number(tokens))
        if encoding == 0 or not tokens:
            return words
        change = (mine - tokens) / tokens
        more = tr("{share}% more") if change > 0 else tr("{share}% fewer")
        amount = more.format(share=text.decimal(abs(change) * 100, 1))
        return tr("{tokens}; {mine} takes {amount}").format(tokens=words, mine=names[0], amount=amount)

    def spoken(row: _Row, text: TrainingText) -> str:
        words = tr("{title}, {encoding}: {figure} bytes per token")
        return words.format(title=row.title, encoding=names[encoding], figure=figure(row, text))

    return Column(
        names[encoding],
        names[encoding],
        tr("Bytes per token in {encoding}: more is better").format(encoding=names[encoding]),
        lambda row, text: (BEST if is_best(row) else "") + figure(row, text),
        numeric=True,
        tip=tip,
        spoken=spoken,
        roles={Qt.ItemDataRole.FontRole: lambda row, _text: bold if is_best(row) else None},
    )


class TokenListsModel(TableModel):
    """Lists of tokens side by side: one column for each list. A row is a tuple with a token of each, or None."""

    def __init__(self, text: TrainingText, parent: QObject | None = None) -> None:
        super().__init__((), text, parent)

    def set_lists(self, names: tuple[str, ...], lists: tuple[tuple[bytes, ...], ...]) -> None:
        """Show these lists of tokens, one for each name."""
        columns = tuple(_tokens_column(name, index) for index, name in enumerate(names))
        self.show(tuple(zip_longest(*lists)), columns=columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Number the rows as well."""
        if orientation == Qt.Orientation.Vertical and role == Qt.ItemDataRole.DisplayRole:
            return str(section + 1)
        return super().headerData(section, orientation, role)


def _tokens_column(name: str, index: int) -> Column:
    font = fixed_font()

    def tip(row: Sequence[bytes | None], text: TrainingText) -> str:
        token = row[index]
        if token is None:
            return ""
        return tr("{number} bytes: {bytes}").format(number=text.number(len(token)), bytes=hexadecimal(token))

    return Column(
        name,
        name,
        "",
        lambda row, _text: "" if row[index] is None else runs_counted(visible(row[index])),
        tip=tip,
        roles={Qt.ItemDataRole.FontRole: lambda _row, _text: font},
    )


def runs_counted(text: str) -> str:
    """Shorten long runs of a character to that character and their length: ``·×128``."""
    return _RUN.sub(lambda run: f"{run.group(1)}×{len(run.group())}", text)


def _type_title(ending: str) -> str:
    return tr("{ending} files").format(ending=ending) if ending else tr("Files without an extension")


def _script_title(script: str) -> str:
    return tr("Lines in {script}").format(script=script) if script != "no letters" else tr("Lines without letters")


# --- texts side by side -----------------------------------------------------------------------------------------------


class VocabularyChoice(QWidget):
    """Selector of one of the encodings of a report, with the text's token count in it.

    Signals: ``changed()``: another one was chosen.
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
        row_of((self.choice, 1), self.figures, parent=self)
        self.choice.currentIndexChanged.connect(self._on_choice)

    def set_report(self, report: Report | None, first: int) -> None:
        """Offer the encodings of a report. ``first``: index of the initial one."""
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
        index = self.choice.currentIndex()
        if self._report is None or index < 0:
            self.figures.clear()
            return
        tokens = len(self._report.patches[index].ids)
        self.figures.setText(self.tr("{n} tokens").format(n=self._text.number(tokens)))


class SideBySidePage(QWidget):
    """Page that shows a text in two of the encodings, row by row."""

    def __init__(self, theme: Theme, text: TrainingText, settings: SettingsStore) -> None:
        super().__init__()
        self._report: Report | None = None
        self._spans: tuple[TokenSpans, ...] = ()
        self.left = VocabularyChoice(text, "trainSampleLeft", self.tr("Upper"))
        self.right = VocabularyChoice(text, "trainSampleRight", self.tr("Lower"))
        self.view = AlignedTokens(theme, settings, "trainSample", self.tr("The text in both vocabularies"))
        head = row_of(self.left, self.right, spacing=12)
        column_of(head, (self.view, 1), parent=self, margins=(0, 6, 0, 0))
        for change in (self.left.changed, self.right.changed, self.view.columns_changed):
            change.connect(self._show)

    def set_report(self, report: Report | None) -> None:
        """Show a sample: the trained vocabulary above, the last of the others below."""
        from gui.prompt.compare.service import spans_of_patch

        self._report = report
        self._spans = () if report is None else tuple(map(spans_of_patch, report.patches))
        self.left.set_report(report, 0)
        self.right.set_report(report, len(report.names) - 1 if report is not None else 0)
        self._show()

    @Slot()
    def _show(self) -> None:
        from gui.prompt.compare.service import cut_short_text

        report = self._report
        if report is None or not report.sample:
            self.view.show_hint("")
            return
        chosen = self.left.choice.currentIndex(), self.right.choice.currentIndex()
        rows = AlignedRows(*cut_short_text(report.sample, self.view.columns))
        self.view.show_tokens(
            tuple(report.names[index] for index in chosen), tuple(self._spans[index] for index in chosen), rows
        )


# --- compression ------------------------------------------------------------------------------------------------------

DEFAULT_PROMPT_BYTES = 4_000
MAX_PROMPT_BYTES = 100_000_000
CALLS = 1_000_000


class CompressionPage(QWidget):
    """The compression table, and below it the savings at the reference model, which ``model`` returns."""

    def __init__(self, text: TrainingText, model: Callable[[], Model | None]) -> None:
        super().__init__()
        self._text, self._reference = text, model
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
        self.table.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        self.calls_of = PlainLabel(objectName="trainSavingsModel")
        self.prompt_bytes = SpinBox(objectName="trainSavingsBytes")
        self.prompt_bytes.setRange(1, MAX_PROMPT_BYTES)
        self.prompt_bytes.setGroupSeparatorShown(True)
        self.prompt_bytes.setSuffix(self.tr(" bytes"))
        self.prompt_bytes.setValue(DEFAULT_PROMPT_BYTES)
        self.prompt_bytes.setAccessibleName(self.tr("Size of a prompt"))
        self.savings = wrapped_label("trainSavings", selectable=True)
        self._lay_out()
        self.prompt_bytes.valueChanged.connect(self.show_savings)

    def set_report(self, report: Report | None) -> None:
        """Show the figures of a report, or none."""
        self._report = report
        self.model.set_report(report)
        header = self.table.horizontalHeader()
        if report is not None:
            header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
            header.setSectionResizeMode(GROUP, QHeaderView.ResizeMode.Fixed)
        self.show_savings()

    def _lay_out(self) -> None:
        self.question = QWidget()
        row = FlowLayout(self.question, 6)
        row.add(self.calls_of, self.prompt_bytes, PlainLabel(self.tr("of such text each would take")))
        column_of((self.table, 1), self.question, self.savings, parent=self, margins=(0, 6, 0, 0), spacing=6)

    @Slot()
    def show_savings(self) -> None:
        """Update the savings after a change of report, prompt size or model."""
        model, report = self._reference(), self._report
        self.savings.setVisible(report is not None and model is not None)
        if report is None or model is None or not is_comparable(model, report.names[1:]):
            self.question.hide()
            words = self.tr(
                "{model} uses a vocabulary that was not measured here. Choose another model in the header to compare."
            )
            self.savings.setText("" if model is None else words.format(model=model.name))
            return
        self.question.show()
        self.calls_of.setText(self.tr("If {model} used this vocabulary, a million calls of").format(model=model.name))
        total = report.evaluation.total
        theirs = report.names.index(model.count.tokenizer or "")
        size = self.prompt_bytes.value()
        before, after = (round(size / max(total.bytes_per_token(index), 1e-9)) for index in (theirs, 0))
        self.savings.setText(self._savings(model, before, after))

    def _savings(self, model: Model, before: int, after: int) -> str:
        """Describe what a prompt of ``after`` tokens instead of ``before`` saves at a model."""
        write = self._text
        per_call = self.tr("{mine} tokens per call instead of {theirs}").format(
            mine=write.number(after), theirs=write.number(before)
        )
        saved = (before - after) * CALLS
        if saved == 0:
            return self.tr("{per_call}: the same.").format(per_call=per_call)
        amount = write.about(abs(saved))
        words = self.tr("{amount} tokens fewer") if saved > 0 else self.tr("{amount} tokens more")
        text = f"{per_call}: {words.format(amount=amount)}"
        usd = [input_usd(model, tokens, CALLS, date.today()) for tokens in (before, after)]
        if usd[0] is not None and usd[1] is not None:
            money = usd_text(abs(usd[0] - usd[1]))
            text += (
                self.tr(", {money} less").format(money=money)
                if saved > 0
                else self.tr(", {money} more").format(money=money)
            )
        return text + self.tr(". Hypothetical: vendors use their own vocabularies.")


# --- the page ---------------------------------------------------------------------------------------------------------

HASH_DIGITS = 12


class TrainingResultPage(QWidget):
    """Page that shows a report on one of the user's own vocabularies.

    Signals: ``chosen(str)``: show another vocabulary; ``use_asked(str)``: use it in the editor; ``save_asked(str,
    str)``: its name and the suffix of a file format; ``remove_asked(str)``.
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
        self._make()
        self.compression = CompressionPage(text, model)
        self.side_by_side = SideBySidePage(theme, text, settings)
        self.tokens = TokenListsModel(text, self)
        self._lay_out()
        self.names.currentTextChanged.connect(self._on_name)
        self.use.clicked.connect(self._on_use)
        self.remove.clicked.connect(self._on_remove)
        self.kind.currentIndexChanged.connect(self._show_tokens)
        self.set_names((), "")

    @property
    def controls(self) -> tuple[QWidget, ...]:
        """The widgets in tab order, which is the visual order."""
        sums, pair = self.compression, self.side_by_side
        return (
            *(self.names, self.use, self.save, self.remove, self.sheets),
            *(sums.table, sums.prompt_bytes),
            *(pair.left.choice, pair.right.choice, pair.view),
            *(self.kind, self.table),
        )

    def set_names(self, names: Sequence[str], current: str) -> None:
        """Offer these vocabularies. ``current``: the one shown, empty for none."""
        blocker = QSignalBlocker(self.names)
        self.names.clear()
        self.names.addItems(list(names))
        self.names.setCurrentIndex(self.names.findText(current) if current else -1)
        blocker.unblock()
        self._enable()
        if not names:
            self.show_hint(self.tr("Results appear here when training ends."))

    def say(self, words: str, kind: str = "") -> None:
        """Show a message about the vocabulary, such as the outcome of saving it."""
        self.remark.say(words, kind)

    def set_summary(self, words: str, run_hash: str = "") -> None:
        """Show a one-line summary of the vocabulary. ``run_hash``: identical for identical texts and settings."""
        short = self.tr("  Hash {hash}…").format(hash=run_hash[:HASH_DIGITS]) if run_hash else ""
        self.summary.setText(words + short)
        self.summary.setToolTip(
            self.tr("The same texts and settings always give the same hash: {hash}").format(hash=run_hash)
            if run_hash
            else ""
        )
        self.summary.setVisible(bool(words))

    def show_hint(self, words: str) -> None:
        """Show why there are no figures."""
        self.hint.setText(words)
        self.strip.show_figures()
        self.strip.hide()
        self.body.setCurrentWidget(self.hint)

    def set_report(self, report: Report) -> None:
        """Show the figures of the chosen vocabulary."""
        self.compression.set_report(report)
        self.side_by_side.set_report(report)
        self._report = report
        self._show_tokens()
        self.overlap.setText("\n".join(self._overlaps(report)))
        self.source.setText(self._source(report))
        self.strip.show_figures(*self._verdict(report))
        self.strip.show()
        self.body.setCurrentWidget(self.figures)

    def _verdict(self, report: Report) -> list[tuple[str, str]]:
        """Return the bytes per token of the vocabulary, and their difference to the other encodings in percent."""
        total = report.evaluation.total
        mine = total.bytes_per_token(0)
        figures = [(self._text.decimal(mine), self.tr("bytes per token"))]
        for number, name in enumerate(report.names[1:], 1):
            theirs = total.bytes_per_token(number)
            if theirs > 0:
                percent = round(100 * (mine / theirs - 1))
                sign = "+" if percent > 0 else "−" if percent < 0 else ""
                text = self.tr("{number}%").format(number=f"{sign}{self._text.number(abs(percent))}")
                figures.append((text, self.tr("vs. {name}").format(name=name)))
        return figures

    @Slot()
    def _show_tokens(self) -> None:
        """Show the chosen lists of tokens: of each vocabulary, or in comparison with each of the others."""
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
        """Describe the texts that were measured."""
        total, held = report.evaluation.total, report.request.held_out
        texts = self.tr("1 text") if report.files == 1 else self.tr("{n} texts")
        words = f"{texts.format(n=self._text.number(report.files))}, {self._text.size(total.text_bytes)}"
        if held is None:
            return self.tr("Measured on {texts} of the folder.").format(texts=words)
        if held:
            return self.tr("Measured on {texts} held out of training.").format(texts=words)
        return self.tr(
            "Measured on {texts} of training text: nothing was held out, as that is off or no file is small enough. "
            "Expect slightly worse results on other text."
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

    def _make(self) -> None:
        self.names = QComboBox(objectName="trainResultName", accessibleName=self.tr("Vocabulary"))
        self.names.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.names.setPlaceholderText(self.tr("Choose one"))
        self.use = _button("trainUse", self.tr("&Use in the editor"), self.tr("Count the prompt with this tokenizer"))
        give_kind(self.use, "primary")
        self.save = _button("trainSave", self.tr("Save &as"), self.tr("Save it to a file for other programs"))
        self.save.setMenu(QMenu(self.save))
        for ending, title in FORMATS:
            action = self.save.menu().addAction(f"{format_title(title)} ({ending})…")
            action.setData(ending)
            action.triggered.connect(self._on_save)
        self.remove = _button("trainRemove", self.tr("Remove…"), self.tr("Delete it from Tokenloupe"))
        self.summary = wrapped_label("trainResultSummary", selectable=True)
        self.remark = Remark()
        self.remark.setObjectName("trainResultRemark")
        self.source = PlainLabel(objectName="trainResultSource")
        self.source.setWordWrap(True)
        self.hint = PlainLabel()
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint.setWordWrap(True)
        self.kind = QComboBox(objectName="trainTokensKind", accessibleName=self.tr("Tokens to list"))
        self.kind.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContentsOnFirstShow)
        self.kind.setMinimumContentsLength(8)
        self.kind.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        for title in (
            self.tr("all tokens"),
            self.tr("tokens missing from the others"),
            self.tr("tokens shared with the others"),
        ):
            self.kind.addItem(title)
        self.overlap = PlainLabel(objectName="trainOverlap")
        self.overlap.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.overlap.setWordWrap(True)

    def _lay_out(self) -> None:
        head = QWidget()
        row = FlowLayout(head, 8)
        label = label_of(self.names, self.tr("Voca&bulary"))
        row.add(label, self.names, self.use, self.save, self.remove)
        self.sheets = QTabWidget(objectName="trainSheets")
        self.sheets.setAccessibleName(self.tr("Compression, side by side, and tokens"))
        self.sheets.tabBar().setAccessibleName(self.sheets.accessibleName())
        self.sheets.setDocumentMode(True)
        self.sheets.addTab(self.compression, self.tr("Bytes per token"))
        self.sheets.addTab(self.side_by_side, self.tr("Side by side"))
        self.sheets.addTab(self._tokens_page(), self.tr("Tokens"))
        self.figures = QWidget()
        column_of(self.source, (self.sheets, 1), parent=self.figures)
        self.body = QStackedWidget()
        self.body.addWidget(self.hint)
        self.body.addWidget(self.figures)
        self.strip = FigureStrip("trainHeldOut", "trainAgainstFirst", "trainAgainstSecond", "trainAgainstThird")
        self.strip.hide()
        column_of(
            head, self.summary, self.remark, self.strip, (self.body, 1), parent=self, margins=(16, 10, 16, 8), spacing=6
        )

    def _tokens_page(self) -> QWidget:
        page = QWidget()
        self.table = table = StretchedTable(objectName="trainTokens")
        table.setAccessibleName(self.tr("Tokens, longest first"))
        table.setModel(self.tokens)
        table.setTabKeyNavigation(False)
        table.setCornerWidget(plain_corner(table))
        table.setAlternatingRowColors(True)
        table.setShowGrid(False)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        table.horizontalHeader().setHighlightSections(False)
        table.verticalHeader().setHighlightSections(False)
        table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + ROW_PADDING)
        column_of(
            self.overlap,
            labelled_row(self.tr("The l&ongest"), self.kind),
            (table, 1),
            parent=page,
            margins=(0, 6, 0, 0),
        )
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
    return QPushButton(text, objectName=name, autoDefault=False, toolTip=tip, accessibleName=tip)
