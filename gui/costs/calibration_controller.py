"""Calibration of counts: the dialog for the usage that a provider reported, and its controller.

The controller loads the samples of the profile for the cost table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QLocale, QObject, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QDialogButtonBox,
    QFormLayout,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from gui.costs.calibration_service import CALIBRATED_LABELS, Calibrations, UsageRequest
from gui.look.fonts import fixed_font
from gui.look.quantities import figure
from gui.look.style_sheet import give_tone
from gui.state.storage import Storage
from gui.widgets.forms import Dialog, SpinBox, button_of_kind, button_row, column_of, label_of, row_of
from gui.widgets.labels import PlainLabel, wrapped_label
from gui.widgets.table_model import Column, TableModel
from gui.widgets.tables import StretchedTable, set_up_rows

if TYPE_CHECKING:
    from gui.costs.calibration_service import UsageReading
    from gui.widgets.page_controller import AppContext
    from pricing.calibration import Kind, Sample
    from pricing.types import CountRule, Model


KIND_WORDS = {
    "code": QT_TRANSLATE_NOOP("Calibration", "code"),
    "json": QT_TRANSLATE_NOOP("Calibration", "JSON"),
    "structured": QT_TRANSLATE_NOOP("Calibration", "YAML, tables, logs"),
    "english": QT_TRANSLATE_NOOP("Calibration", "English"),
    "latin": QT_TRANSLATE_NOOP("Calibration", "another language in Latin letters"),
    "chinese": QT_TRANSLATE_NOOP("Calibration", "Chinese"),
    "japanese": QT_TRANSLATE_NOOP("Calibration", "Japanese"),
    "korean": QT_TRANSLATE_NOOP("Calibration", "Korean"),
    "cyrillic": QT_TRANSLATE_NOOP("Calibration", "Cyrillic"),
    "arabic": QT_TRANSLATE_NOOP("Calibration", "Arabic"),
    "devanagari": QT_TRANSLATE_NOOP("Calibration", "Devanagari"),
    "other": QT_TRANSLATE_NOOP("Calibration", "mixed or too short"),
}
MAX_FRAMING = 1_000_000
SIZE = (760, 600)


def _kind_text(kind: Kind | Any) -> str:
    return QCoreApplication.translate("Calibration", KIND_WORDS.get(kind, str(kind)))


def _ratio(sample: Sample) -> str:
    return f"{sample.ratio:.3f}"


def _range(rule: CountRule) -> str:
    return f"{rule.ratio:.3f} ({rule.low:.3f}–{rule.high:.3f})"


def _column(key: str, title: str, text: Callable[[Sample, QLocale], str], *, numeric: bool = False) -> Column:
    """Return a column with a tooltip, since it may be too narrow for its text."""
    return Column(key, title, "", text, numeric=numeric, tip=text)


_SAMPLES = (
    _column("model", QT_TRANSLATE_NOOP("CalibrationDialog", "Model"), lambda sample, _: sample.model_id),
    _column("kind", QT_TRANSLATE_NOOP("CalibrationDialog", "Kind of text"), lambda sample, _: _kind_text(sample.kind)),
    _column(
        "counted",
        QT_TRANSLATE_NOOP("CalibrationDialog", "Counted"),
        lambda sample, locale: figure(locale, sample.counted),
        numeric=True,
    ),
    _column(
        "billed",
        QT_TRANSLATE_NOOP("CalibrationDialog", "Billed"),
        lambda sample, locale: figure(locale, sample.billed),
        numeric=True,
    ),
    _column("ratio", QT_TRANSLATE_NOOP("CalibrationDialog", "Ratio"), lambda sample, _: _ratio(sample), numeric=True),
    _column("date", QT_TRANSLATE_NOOP("CalibrationDialog", "Date"), lambda sample, _: sample.day.isoformat()),
)


class CalibrationDialog(Dialog):
    """Dialog that calibrates counts with a reported usage.

    Signals: ``asked()`` when the input is to be read; ``keep_asked(Sample)``; ``remove_asked(set[int])``.
    """

    asked = Signal()
    keep_asked = Signal(object)
    remove_asked = Signal(set)

    def __init__(self, models: Sequence[Model], parent: QWidget) -> None:
        """``models``: those whose counts can be calibrated. None is selected until a usage names one."""
        super().__init__(parent)
        self.setObjectName("calibrationDialog")
        self.setWindowTitle(self.tr("Calibrate counts"))
        self._sample: Sample | None = None
        self._make_entries(models)
        self._make_list()
        self._lay_out()
        self._is_own_choice = False
        self.insists = False  # True if the user chose the model after pasting the usage
        self.usage.textChanged.connect(self._on_pasted)
        self.model.currentIndexChanged.connect(self._on_chosen)
        self.model.activated.connect(self._on_chosen)
        self.kind.currentIndexChanged.connect(self.asked)
        self.framing.valueChanged.connect(self.asked)
        self.keep.clicked.connect(self._on_keep)
        self.remove.clicked.connect(self._on_remove)
        self.table.selectionModel().selectionChanged.connect(self._show_remove)
        self.usage.setFocus()
        available = parent.window().size()
        self.resize(min(SIZE[0], max(available.width() - 40, 500)), min(SIZE[1], max(available.height() - 60, 420)))

    @property
    def chosen(self) -> Model | None:
        """Model chosen by the user rather than named by a usage."""
        chosen: Model | None = self.model.currentData() if self._is_own_choice else None
        return chosen

    def show_reading(self, reading: UsageReading) -> None:
        """Show the pasted usage and its effect on the count. Selects the model that the usage names."""
        self._show_model(reading)
        self._sample = reading.sample
        self.keep.setEnabled(reading.sample is not None)
        self.kind.setItemText(0, self.tr("detected: {kind}").format(kind=_kind_text(reading.kind)))
        tone, words = "", self._words(reading)
        if reading.why:
            tone, words = "error", f"✗ {reading.why[:1].upper()}{reading.why[1:]}."
        self.result.setText(words)
        give_tone(self.result, tone)

    def _show_model(self, reading: UsageReading) -> None:
        if self.insists or reading.usage is None or (reading.model is None and self._is_own_choice):
            return
        ids = [self.model.itemData(index).id for index in range(self.model.count())]
        index = ids.index(reading.model.id) if reading.model is not None and reading.model.id in ids else -1
        if index != self.model.currentIndex():
            with QSignalBlocker(self.model):
                self.model.setCurrentIndex(index)
            self._is_own_choice = False

    def show_samples(self, samples: Sequence[Sample]) -> None:
        """List these samples."""
        self.samples.show(samples, self.locale())
        width = self.fontMetrics().averageCharWidth()
        for column, characters in enumerate((26, 18, 9, 9, 8)):
            self.table.setColumnWidth(column, width * characters)
        self.title.setText(self.tr("Saved samples: {number}").format(number=figure(self.locale(), len(samples))))
        self._show_remove()

    def _make_entries(self, models: Sequence[Model]) -> None:
        self.intro = PlainLabel(
            self.tr(
                "Send the prompt to a model, then paste the response here: all of it, or only its 'usage' (OpenAI, "
                "Anthropic, Gemini). The ratio of billed to counted tokens narrows this model's estimates for this "
                "kind of text. Nothing is sent anywhere."
            )
        )
        self.intro.setWordWrap(True)
        self.model = QComboBox(objectName="calibrationModel", accessibleName=self.tr("Billed model"))
        for model in models:
            self.model.addItem(model.name, model)
        self.model.setPlaceholderText(self.tr("from the usage"))
        self.model.setCurrentIndex(-1)
        self.kind = QComboBox(objectName="calibrationKind", accessibleName=self.tr("Kind of text"))
        self.kind.addItem(self.tr("detect"), None)
        for kind in KIND_WORDS:
            self.kind.addItem(_kind_text(kind), kind)
        self.framing = SpinBox(objectName="calibrationFraming", accessibleName=self.tr("Other tokens in the request"))
        self.framing.setToolTip(self.tr("Roles, system prompt, tools: billed with the text but not part of it"))
        self.framing.setRange(0, MAX_FRAMING)
        self.framing.setGroupSeparatorShown(True)
        self.usage = QPlainTextEdit(objectName="calibrationUsage", tabChangesFocus=True)
        self.usage.setAccessibleName(self.tr("Usage in the response, as JSON"))
        self.usage.setPlaceholderText('{"usage": {"input_tokens": 1530, "output_tokens": 210}}')
        self.usage.setFont(fixed_font())
        self.result = wrapped_label("calibrationResult")
        self.result.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.keep = button_of_kind("calibrationKeep", self.tr("&Keep sample"), "primary")
        self.keep.setEnabled(False)

    def _make_list(self) -> None:
        self.title = PlainLabel()
        self.samples = TableModel(_SAMPLES, parent=self, context="CalibrationDialog")
        self.table = StretchedTable(objectName="calibrationSamples")
        set_up_rows(self.table)
        self.table.setModel(self.samples)
        self.table.setAccessibleName(self.tr("Saved samples"))
        self.table.horizontalHeader().setStretchLastSection(True)
        self.table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.remove = QPushButton(self.tr("&Remove selected"), objectName="calibrationRemove", autoDefault=False)
        self.buttons = button_row(self, QDialogButtonBox.StandardButton.Close)

    def _lay_out(self) -> None:
        form = QFormLayout()
        for words, control in (
            (self.tr("&Model"), self.model),
            (self.tr("Kind of &text"), self.kind),
            (self.tr("Tokens &around it"), self.framing),
        ):
            form.addRow(label_of(control, words), control)
        result = row_of((self.result, 1), (self.keep, 0, Qt.AlignmentFlag.AlignTop))
        bottom = row_of(self.remove, (self.buttons, 1))
        items = (self.intro, form, (self.usage, 2), result, self.title, (self.table, 3), bottom)
        column_of(*items, parent=self, margins=None)

    def _words(self, reading: UsageReading) -> str:
        sample, usage = reading.sample, reading.usage
        if sample is None or usage is None or reading.before is None or reading.after is None:
            return self.tr("Paste a response to begin.")
        read = self.tr("{api}: {billed} tokens billed, {counted} counted with {tokenizer}: a ratio of {ratio}.")
        words = read.format(
            api=" ".join(filter(None, (usage.api, usage.model))),
            billed=figure(self.locale(), sample.billed),
            counted=figure(self.locale(), sample.counted),
            tokenizer=sample.tokenizer,
            ratio=_ratio(sample),
        )
        change = self.tr("Ratio so far × {before}; with this sample × {after}.")
        model = "" if reading.model is None else reading.model.name
        whose = self.tr("It will be saved for {model}.").format(model=model)
        change_words = change.format(before=_range(reading.before), after=_range(reading.after))
        return "\n".join((words, f"{whose} {change_words}"))

    @Slot()
    def _on_pasted(self) -> None:
        self.insists = False
        self.asked.emit()

    @Slot()
    def _on_chosen(self) -> None:
        self._is_own_choice = True
        self.insists = bool(self.usage.toPlainText().strip())
        self.asked.emit()

    @Slot()
    def _on_keep(self) -> None:
        sample, self._sample = self._sample, None
        if sample is not None:
            self.keep_asked.emit(sample)
            self.usage.clear()

    @Slot()
    def _on_remove(self) -> None:
        self.remove_asked.emit({index.row() for index in self.table.selectionModel().selectedRows()})

    @Slot()
    def _show_remove(self) -> None:
        self.remove.setEnabled(self.table.selectionModel().hasSelection())


CALIBRATION = "calibration"


class CalibrationController(QObject):
    """Controller of calibration. Created with the cost table."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context.pages)
        self._context, self._costs = context, context.pages.costs
        storage = Storage(context.jobs, self.tr("Saving the calibration"), self)
        self.calibrations = Calibrations(context.paths.calibration_file, context.jobs, storage, self)
        self._dialog: CalibrationDialog | None = None
        self.calibrations.changed.connect(self._on_changed)
        self.calibrations.read.connect(self._on_read)
        self.calibrations.failed.connect(self._on_failed)
        context.prompt.counted.connect(self._ask)

    @Slot()
    def open(self) -> None:
        """Show the dialog. The pasted usage names the model, or the user chooses it there."""
        models = self._models()
        if not models:
            self._context.notifier.remark(self.tr("Prices are still loading. Try again in a moment."))
            return
        if self._dialog is not None:
            return
        self._dialog = dialog = CalibrationDialog(models, self._context.window)
        dialog.asked.connect(self._ask)
        dialog.keep_asked.connect(self.calibrations.add)
        dialog.remove_asked.connect(self.calibrations.remove)
        dialog.finished.connect(self._on_finished)
        dialog.show_samples(self.calibrations.samples)
        dialog.open()
        self._ask()

    def _models(self) -> list[Model]:
        """Return the models whose counts are not the vendor's own, sorted by name."""
        service = self._costs.service
        found = (model for model in service.models if model.count.tokenizer and model.count.label in CALIBRATED_LABELS)
        return sorted((model for model in found if not model.is_retired(service.today)), key=lambda model: model.name)

    @Slot()
    def _ask(self) -> None:
        dialog, counts = self._dialog, self._context.prompt.counts
        if dialog is None or counts is None:
            return
        self.calibrations.ask(
            UsageRequest(
                dialog.usage.toPlainText(),
                dialog.chosen,
                dialog.insists,
                self._costs.service.models,
                {**counts.by_encoding, counts.encoding: counts.tokens},
                counts.sample,
                dialog.kind.currentData(),
                dialog.framing.value(),
                self._costs.service.today,
                self.calibrations.samples,
            )
        )

    @Slot(object)
    def _on_read(self, reading: UsageReading) -> None:
        if self._dialog is not None:
            self._dialog.show_reading(reading)

    @Slot()
    def _on_changed(self) -> None:
        samples: tuple[Sample, ...] = self.calibrations.samples
        self._costs.service.set_samples(samples)
        if self._dialog is not None:
            self._dialog.show_samples(samples)
        self._ask()

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        words = self.tr("Could not load or save the calibration: {why}. Counts ignore it. {file} was not changed.")
        file = self._context.paths.calibration_file
        self._context.notifier.warning(words.format(why=why.rstrip("."), file=file), key=CALIBRATION)

    @Slot()
    def _on_finished(self) -> None:
        dialog, self._dialog = self._dialog, None
        if dialog is not None:
            dialog.deleteLater()
