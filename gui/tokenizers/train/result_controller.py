"""Controller of the result of a run: evaluate, show, use, export or remove its vocabulary."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QMessageBox

from gui.core.paths import suggested_file
from gui.core.token_text import visible_line
from gui.runtime.notify import Offer
from gui.tokenizers.train.report_service import FORMATS, ExportRequest, ReportRequest, format_title
from gui.widgets import file_choosers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.corpus.types import CorpusFile
    from gui.core.user_encodings import UserEncodings
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket
    from gui.runtime.notify import Notifier
    from gui.tokenizers.train.checkpoint_service import RunOutcome, TrainingPlan
    from gui.tokenizers.train.report_service import ExportService, Report, ReportService
    from gui.tokenizers.train.result import TrainingResultPage
    from gui.widgets.api_key_check import KeyGuard

SAVING = "training-save"


class TrainingResults(QObject):
    """Controller of the result page.

    Signals: ``use_asked(str)``: show an encoding in the editor; ``removed(str)``: an encoding was removed;
    ``compared(tuple[tuple[str, float], ...])``: other encodings, and their bytes per token on the same texts.
    """

    use_asked = Signal(str)
    removed = Signal(str)
    compared = Signal(object)

    def __init__(
        self,
        page: TrainingResultPage,
        reports: ReportService,
        exports: ExportService,
        own: UserEncodings,
        runner: JobRunner,
        guard: KeyGuard,
        notifier: Notifier,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._page, self._reports, self._exports, self._notifier = page, reports, exports, notifier
        self._guard = guard
        self._files: tuple[CorpusFile, ...] = ()
        self._plans: dict[str, TrainingPlan] = {}
        self._summaries: dict[str, tuple[str, str]] = {}
        self._names: tuple[str, ...] = ()
        self._shown = ""
        self._sample = ""
        self._removing = runner.exclusive(self.tr("Deleting a tokenizer"), partial(_remove, own), stoppable=False)
        self._removing.finished.connect(self._on_removed)
        self._removing.failed.connect(self._on_remove_failed)
        page.chosen.connect(self._on_chosen)
        page.use_asked.connect(self.use_asked)
        page.save_asked.connect(self._on_save)
        page.remove_asked.connect(self._on_remove)
        reports.made.connect(self._on_report)
        reports.failed.connect(self._on_report_failed)
        exports.saved.connect(self._on_saved)
        exports.failed.connect(self._on_save_failed)

    def set_files(self, files: Sequence[CorpusFile]) -> None:
        """Set the texts on which vocabularies of earlier runs can be evaluated."""
        self._files = tuple(files)

    @Slot(object)
    def set_names(self, names: tuple[str, ...]) -> None:
        """Set the names of the user's own encodings."""
        self._names = names
        if self._shown not in names:
            self._shown = ""
        self._page.set_names(names, self._shown)

    def show_outcome(self, outcome: RunOutcome, plan: TrainingPlan, summary: str) -> None:
        """Show the result of a run, and evaluate it."""
        kept = outcome.kept
        assert kept is not None
        self._plans[kept.name] = plan
        self._summaries[kept.name] = (summary, kept.hash)
        self._shown = kept.name
        names = self._names if kept.name in self._names else (*self._names, kept.name)
        self._names = names
        self._page.set_names(names, kept.name)
        self._measure(kept.name)
        if kept.unkept:
            self._page.say(
                self.tr(
                    "Could not save it to your profile ({why}). It is lost when the window closes: save it elsewhere, "
                    "or free some space and train again."
                ).format(why=kept.unkept.rstrip(".")),
                "warning",
            )

    @Slot(str)
    def _on_chosen(self, name: str) -> None:
        self._shown = name
        self._measure(name)

    def _measure(self, name: str) -> None:
        page, plan = self._page, self._plans.get(name)
        page.say("")
        page.set_summary(*self._summaries.get(name, ("",)))
        if plan is not None and plan.held_back:
            request = ReportRequest(name, plan.held_back, True)
        elif plan is not None and plan.survey is not None:
            request = ReportRequest(name, plan.survey.files, False)
        else:
            request = ReportRequest(name, self._files, None)
        if not request.files:
            page.show_hint(self.tr("Choose a folder to evaluate the vocabulary on its texts."))
            return
        page.show_hint(self.tr("Comparing with gpt2, cl100k_base and o200k_base…"))
        self._reports.ask(request)

    @Slot(object)
    def _on_report(self, report: Report) -> None:
        self._sample = report.sample
        if report.evaluation.total.texts:
            self._page.set_report(report)
            others = enumerate(report.names[1:], 1)
            self.compared.emit(tuple((name, report.evaluation.total.bytes_per_token(n)) for n, name in others))
        else:
            self._page.show_hint(self.tr("The evaluation texts can no longer be read."))

    @Slot(str)
    def _on_report_failed(self, why: str) -> None:
        self._page.show_hint(self.tr("Could not evaluate it: {why}").format(why=why))

    # --- saving -------------------------------------------------------------------------------------------------------

    @Slot(str, str)
    def _on_save(self, name: str, ending: str) -> None:
        kind = next(format_title(title) for known, title in FORMATS if known == ending)
        file_name = "tokenizer.json" if ending == ".json" else suggested_file(name, ending)
        dialog = file_choosers.saving(
            self._page.window(),
            "trainSaveDialog",
            self.tr("Save {name}").format(name=name),
            Path.home() / file_name,
            [f"{kind} (*{ending})"],
            [ending.removeprefix(".")],
        )
        dialog.fileSelected.connect(partial(self._on_target, name))
        dialog.open()

    def _on_target(self, name: str, path: str) -> None:
        request = ExportRequest(name, Path(path), self._sample)
        look = self._exports.look_for_keys(name)
        self._guard.before(self.tr("The vocabulary"), look, partial(self.save, request))

    def save(self, request: ExportRequest) -> None:
        """Export an encoding to a file."""
        self._page.say(self.tr("Saving…"))
        self._exports.save(request)

    @Slot(object, object)
    def _on_saved(self, path: Path, losses: tuple[str, ...]) -> None:
        self._notifier.withdraw(SAVING)
        words = self.tr("Saved as {path} and verified.").format(path=path)
        self._page.say(" ".join((words, *losses)), "success")

    @Slot(object, str)
    def _on_save_failed(self, request: ExportRequest, why: str) -> None:
        self._page.say(why, "error")
        self._notifier.error(
            self.tr("Could not save {name}: {why} It is still here.").format(name=request.name, why=_sentence(why)),
            key=SAVING,
            offers=(Offer(self.tr("Try again"), lambda: self.save(request)),),
        )

    # --- removing -----------------------------------------------------------------------------------------------------

    @Slot(str)
    def _on_remove(self, name: str) -> None:
        box = QMessageBox(self._page.window())
        box.setObjectName("trainRemoveDialog")
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(self.tr("Delete tokenizer"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(self.tr("Delete the tokenizer {name}?").format(name=visible_line(name)))
        box.setInformativeText(self.tr("Its file in the profile is deleted too. Copies saved elsewhere stay."))
        delete = box.addButton(self.tr("&Delete"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        delete.clicked.connect(partial(self._removing.submit, name))
        box.finished.connect(box.deleteLater)
        box.open()

    @Slot(object)
    def _on_removed(self, result: JobResult) -> None:
        name = result.request
        self._plans.pop(name, None)
        self._summaries.pop(name, None)
        self.set_names(tuple(one for one in self._names if one != name))
        self._page.set_summary("")
        self._page.show_hint(self.tr("Deleted {name}.").format(name=name))
        self.removed.emit(name)

    @Slot(object)
    def _on_remove_failed(self, failure: JobFailure) -> None:
        self._page.say(self.tr("Could not delete {name}: {why}").format(name=failure.request, why=failure.why), "error")


def _remove(own: UserEncodings, name: str, _ticket: Ticket) -> None:
    own.remove(name)


def _sentence(why: str) -> str:
    return why if why.endswith((".", "!", "?")) else f"{why}."
