"""Controller of calibration: loads the samples of the profile for the cost table, and opens the dialog for more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from gui.costs.calibration_service import CALIBRATED_LABELS, Calibrations, UsageRequest
from gui.state.storage import Storage

if TYPE_CHECKING:
    from gui.costs.calibration_dialog import CalibrationDialog
    from gui.costs.calibration_service import UsageReading
    from gui.widgets.page_controller import AppContext
    from pricing.calibration import Sample
    from pricing.types import Model

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
        from gui.costs.calibration_dialog import CalibrationDialog

        self._dialog = dialog = CalibrationDialog(models, self._context.theme, self._context.window)
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
