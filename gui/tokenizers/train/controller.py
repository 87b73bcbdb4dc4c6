"""Controllers of the page Train: of the form, the corpus and the run, and of the page with the result of a run.

The chosen folder is scanned; a forecast and a preview follow from the scan and the settings. A start waits for the scan
if necessary, and a run is shown while it is advanced. Widgets do not know each other; only this controller does.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QMessageBox

from gui.core.profile_files import suggested_file
from gui.core.token_text import visible_line
from gui.prompt.counting_service import FIRST_ENCODING
from gui.runtime.jobs import NewestRequest
from gui.runtime.notify import Offer
from gui.tokenizers.train.corpus_service import (
    CorpusService,
    ForecastRequest,
    PreviewRequest,
    SurveyRequest,
    without_held_out,
)
from gui.tokenizers.train.report_service import (
    FORMATS,
    ExportRequest,
    ReportRequest,
    export_encoding,
    format_title,
    keys_of,
    make_report,
)
from gui.tokenizers.train.run_service import (
    IDLE,
    RUNNING,
    EngineTrainer,
    TrainingPlan,
    TrainingService,
    drop_checkpoint,
    find_checkpoints,
    newer_checkpoints,
)
from gui.widgets import file_choosers
from gui.widgets.page_controller import KeyGuard, PageBuilding, PageController

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engine.corpus.types import CorpusFile, CorpusSurvey, SkippedFile
    from gui.core.user_encodings import UserEncodings
    from gui.runtime.jobs import JobFailure, JobResult, Ticket
    from gui.tokenizers.train.corpus_service import SplitPreview
    from gui.tokenizers.train.panel import TrainingPanel
    from gui.tokenizers.train.report_service import Report
    from gui.tokenizers.train.result import TrainingResultPage
    from gui.tokenizers.train.run_service import Checkpoint, RunOutcome, TrainingSnapshot
    from gui.widgets.page_controller import AppContext
    from pricing.types import Model

LOOK_DELAY_MS = 400
"""Debounce interval, in milliseconds, before a path that is being typed is scanned."""
SETTINGS_DELAY_MS = 150
UNNAMED = "trained"
UNSAVED = "training-unsaved"
PROBLEMS = "training-problems"
INTERRUPTED = "training-interrupted"
ENDED = "training-ended"
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
        context: AppContext,
        page: TrainingResultPage,
        guard: KeyGuard,
        parent: QObject,
    ) -> None:
        """``guard``: checks exports for API keys."""
        super().__init__(parent)
        self._page, self._guard, self._notifier = page, guard, context.notifier
        self._open = context.encodings.open
        self._files: tuple[CorpusFile, ...] = ()
        self._plans: dict[str, TrainingPlan] = {}
        self._summaries: dict[str, tuple[str, str]] = {}
        self._names: tuple[str, ...] = ()
        self._shown = ""
        self._sample = ""
        runner, own = context.jobs, context.encodings.user
        self._reports = NewestRequest(
            runner.conflated(self.tr("Evaluating the vocabulary"), partial(make_report, self._open))
        )
        self._reports.answered.connect(self._on_report)
        self._reports.failed.connect(self._on_report_failed)
        self._reports.cancelled.connect(self._on_report_cancelled)
        self._saving = runner.exclusive(
            self.tr("Saving the tokenizer"), partial(export_encoding, self._open), stoppable=False
        )
        self._saving.finished.connect(self._on_saved)
        self._saving.failed.connect(self._on_save_failed)
        self._removing = runner.exclusive(self.tr("Deleting a tokenizer"), partial(_remove, own), stoppable=False)
        self._removing.finished.connect(self._on_removed)
        self._removing.failed.connect(self._on_remove_failed)
        page.chosen.connect(self._on_chosen)
        page.use_asked.connect(self.use_asked)
        page.save_asked.connect(self._on_save)
        page.remove_asked.connect(self._on_remove)

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
        if plan is not None and plan.held_out:
            request = ReportRequest(name, plan.held_out, True)
        elif plan is not None and plan.survey is not None:
            request = ReportRequest(name, plan.survey.files, False)
        else:
            request = ReportRequest(name, self._files, None)
        if not request.files:
            page.show_hint(self.tr("Choose a folder to evaluate the vocabulary on its texts."))
            return
        page.show_hint(self.tr("Comparing with gpt2, cl100k_base and o200k_base…"))
        self._reports.submit(request)

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

    @Slot()
    def _on_report_cancelled(self) -> None:
        self._on_report_failed(self.tr("Stopped before the evaluation was complete."))

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
        look = partial(keys_of, self._open, name)
        self._guard.before(self.tr("The vocabulary"), look, partial(self.save, request))

    def save(self, request: ExportRequest) -> None:
        """Export an encoding to a file."""
        self._page.say(self.tr("Saving…"))
        self._saving.submit(request)

    @Slot(object)
    def _on_saved(self, result: JobResult) -> None:
        self._notifier.withdraw(SAVING)
        words = self.tr("Saved as {path} and verified.").format(path=result.request.path)
        self._page.say(" ".join((words, *result.value.losses)), "success")

    @Slot(object)
    def _on_save_failed(self, failure: JobFailure) -> None:
        request, why = failure.request, failure.why
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


NEEDS = ("gui.tokenizers.train.panel",)
"""Modules to import before the page is built."""


class TrainingController(PageController["TrainingPanel"]):
    """Controller of the page. Created with the worker threads, after the first paint of the window.

    Signals: ``finished(RunOutcome)``: a run ended with a vocabulary.
    """

    finished = Signal(object)

    def __init__(self, context: AppContext, state: dict[str, Any]) -> None:
        """``state``: as from ``state()``."""
        super().__init__(context, state)
        self._encodings = context.encodings
        self._folder, self._notifier = context.session.folder, context.notifier
        self._own: tuple[str, ...] = ()
        self.results: TrainingResults | None = None
        self._survey: CorpusSurvey | None = None
        self._looking = False
        self._starts_then = False
        self._file = 0
        self._unsaved = ""
        self._look_timer = QTimer(self, singleShot=True, interval=LOOK_DELAY_MS)
        self._look_timer.timeout.connect(self._look)
        self._settings_timer = QTimer(self, singleShot=True, interval=SETTINGS_DELAY_MS)
        self._settings_timer.timeout.connect(self._follow_settings)
        self._building = PageBuilding(self._steps, self._context.window.closed, self)
        context.encodings.own_listed.connect(self._on_own_listed)
        self._offer_interrupted()
        self._context.pages.when_page_shown("trainingTab", NEEDS, self._on_shown)

    def build(self) -> TrainingController:
        """Build the page now, unless it exists."""
        self._building.finish()
        return self

    def _steps(self) -> Iterator[None]:
        from gui.tokenizers.train.panel import TrainingPanel

        context, runner = self._context, self._runner
        panel = TrainingPanel()
        yield from panel.make(context.theme, context.icons, context.settings, self._model)
        yield
        context.session.restore("training", panel.restore_state, self._state)
        trainer = EngineTrainer(context.paths.compiled, context.encodings.user)
        self._training = TrainingService(runner, trainer, self._folder, self)
        self._corpus = CorpusService(runner, context.paths.compiled, self)
        self.results = self._make_results(panel)
        panel.state_changed.connect(context.session.touch)
        context.pages.costs.reference_changed.connect(panel.result.compression.show_savings)
        self.panel = self._panel = panel
        self._connect()
        self._suggest_name()
        self._check()
        if panel.folder.paths():
            panel.preview.show_hint(panel.text.stage("looking"))
            self._look()
        yield
        context.pages.page("trainingTab").fill(panel)

    def _make_results(self, panel: TrainingPanel) -> TrainingResults:
        guard = KeyGuard(self._runner, self._context.notifier, panel, self)
        results = TrainingResults(self._context, panel.result, guard, self)
        results.set_names(self._own)
        results.use_asked.connect(self._use)
        results.removed.connect(self._on_removed)
        results.compared.connect(panel.progress.curve.set_references)
        return results

    def _model(self) -> Model | None:
        return self._context.pages.costs.reference_model()

    @Slot()
    def show(self) -> None:
        """Show the page."""
        self._context.pages.page("trainingTab").bring_to_front()
        self.build()

    def focus(self) -> None:
        """Show the page and focus its first control."""
        self.show()
        self._panel.folder.field.setFocus()

    @Slot()
    def _on_shown(self) -> None:
        self._context.notifier.withdraw(ENDED)
        self._building.begin()

    def _connect(self) -> None:
        panel, training, corpus = self._panel, self._training, self._corpus
        panel.folder.paths_changed.connect(self._on_paths)
        panel.survey.rules_changed.connect(self._on_folder)
        panel.form.split_changed.connect(self._show_preview)
        panel.form.settings_changed.connect(self._on_settings)
        panel.preview.file_chosen.connect(self._on_file_chosen)
        panel.run_bar.start_asked.connect(self.start)
        panel.run_bar.pause_asked.connect(training.pause)
        panel.run_bar.resume_asked.connect(training.resume)
        panel.run_bar.stop_asked.connect(training.stop)
        corpus.looking.connect(panel.survey.set_looking)
        corpus.surveyed.connect(self._on_surveyed)
        corpus.survey_failed.connect(self._on_survey_failed)
        corpus.forecast_made.connect(panel.survey.set_forecast)
        corpus.forecast_failed.connect(self._on_forecast_failed)
        corpus.previewed.connect(self._on_previewed)
        corpus.preview_failed.connect(panel.preview.show_hint)
        training.state_changed.connect(self._on_state)
        training.compiling.connect(self._on_compiling)
        training.advanced.connect(self._on_advanced)
        training.ended.connect(self._on_ended)
        training.failed.connect(self._on_failed)
        training.abandoned.connect(self._on_gave_up)

    @property
    def run_state(self) -> str:
        """State of the run, a constant of ``gui.tokenizers.train.run_service``; ``IDLE`` until the page is built."""
        return IDLE if self.panel is None else self._training.state

    # --- the texts ----------------------------------------------------------------------------------------------------

    @Slot()
    def _on_paths(self) -> None:
        self._panel.progress.curve.set_references(())  # these were measured on other texts
        self._panel.preview.show_hint(self._panel.text.stage("looking"))
        if self._training.state == IDLE:
            self._panel.run_bar.clear()  # what it shows is of other texts
        self._show_preview()
        self._on_folder()

    @Slot()
    def _show_preview(self) -> None:
        """Show the preview of the changed settings, unless a run is shown."""
        if self._training.state == IDLE:
            self._panel.show_page(self._panel.preview)

    @Slot()
    def _on_folder(self) -> None:
        self._survey = None
        self._suggest_name()
        self._look_timer.start()
        self._check()

    @Slot()
    def _look(self) -> None:
        self._look_timer.stop()
        panel = self._panel
        paths = panel.folder.paths()
        self._survey = None
        self._looking = bool(paths)
        if not paths:
            self._corpus.forget()
            panel.survey.set_survey(None)
            panel.preview.set_files((), -1)
            panel.preview.invite()
            self._check()
            return
        panel.survey.set_looking("")
        self._corpus.survey(SurveyRequest(paths, panel.survey.rules()))
        self._check()

    @Slot(object)
    def _on_surveyed(self, survey: CorpusSurvey) -> None:
        panel = self._panel
        self._survey, self._looking = survey, False
        if not survey.files:
            self._refuse(self._nothing_in(survey), survey)
            return
        panel.survey.set_survey(survey)
        assert self.results is not None
        self.results.set_files(survey.files)
        self._file = 0
        panel.preview.set_files([_shown(file, survey) for file in survey.files], 0)
        self._check()
        self._follow_settings()
        self._start_if_waiting()

    @Slot(str)
    def _on_survey_failed(self, why: str) -> None:
        self._survey, self._looking = None, False
        self._refuse(why)

    def _refuse(self, why: str, survey: CorpusSurvey | None = None) -> None:
        panel = self._panel
        panel.survey.set_problem(why, survey)
        panel.preview.set_files((), -1)
        panel.preview.show_hint(why)
        self._starts_then = False
        panel.run_bar.set_waiting(False)
        self._check()

    def _nothing_in(self, survey: CorpusSurvey) -> str:
        text = self._panel.text
        if not survey.skipped_counts:
            return self.tr("This folder has no files.")
        counts = sorted(survey.skipped_counts.items(), key=lambda item: -item[1])
        why = ", ".join(f"{text.number(number)} {text.reason(reason).lower()}" for reason, number in counts)
        return self.tr("No text to train on here. Skipped: {why}.").format(why=why)

    # --- the settings -------------------------------------------------------------------------------------------------

    @Slot()
    def _on_settings(self) -> None:
        self._suggest_name()
        self._check()
        self._settings_timer.start()

    @Slot()
    def _follow_settings(self) -> None:
        """Update forecast and preview for the current settings."""
        self._settings_timer.stop()
        survey, form = self._survey, self._panel.form
        settings = form.settings()
        file = survey.files[self._file] if survey is not None and self._file < len(survey.files) else None
        self._corpus.preview(PreviewRequest(file, settings))
        if survey is None or not survey.files:
            return
        if form.problem():
            self._corpus.forget_forecast()
            self._panel.survey.set_forecast(None)
        else:
            self._panel.survey.set_forecasting()
            self._corpus.forecast(ForecastRequest(survey, settings, form.threads))

    @Slot(str)
    def _on_forecast_failed(self, why: str) -> None:
        survey, form = self._panel.survey, self._panel.form
        if form.problem():
            survey.set_forecast(None)  # the form shows the reason
        else:
            survey.set_forecast_problem(why)

    @Slot(int)
    def _on_file_chosen(self, index: int) -> None:
        self._file = index
        self._follow_settings()

    @Slot(object)
    def _on_previewed(self, preview: SplitPreview) -> None:
        panel = self._panel
        panel.form.set_pattern_problem(preview.pattern_problem)
        self._check()
        if self._survey is None or not self._survey.files:
            return
        if preview.file_problem:
            panel.preview.show_hint(preview.file_problem)
        else:
            panel.preview.show_preview(preview)

    def _suggest_name(self) -> None:
        paths = self._panel.folder.paths()
        folder = "".join(one if one.isprintable() else "_" for one in paths[0].stem) if paths else UNNAMED
        self._panel.form.suggest_name(f"{folder or UNNAMED}-{self._panel.form.vocab_size.value()}")

    def _check(self) -> None:
        """Enable the start button, or show why a run cannot be started."""
        panel = self._panel
        nothing = self._survey is not None and not self._survey.files
        why = panel.form.problem()
        if not panel.folder.paths():
            # The page already asks for a folder; an error before the first input would be rude.
            panel.run_bar.set_blocked("")
            panel.run_bar.set_ready(False, self.tr("Choose a folder of text to begin."))
            return
        panel.run_bar.set_ready(not nothing and (self._survey is not None or self._coming()))
        panel.run_bar.set_blocked(why)

    def _coming(self) -> bool:
        return self._looking or self._look_timer.isActive()

    # --- the run ------------------------------------------------------------------------------------------------------

    @Slot()
    def start(self) -> None:
        """Start a run, as soon as the folder has been scanned."""
        if self._training.state != IDLE or self._panel.form.problem() or not self._panel.folder.paths():
            return
        self._starts_then = True
        if self._survey is None:
            self._panel.run_bar.set_waiting(True)
            self._panel.run_bar.set_busy(self._panel.text.stage("looking"))
            if not self._looking:
                self._look()
            return
        self._start_if_waiting()

    def _start_if_waiting(self) -> None:
        if not self._starts_then or self._survey is None:
            return
        self._starts_then = False
        panel = self._panel
        panel.run_bar.set_waiting(False)
        survey, held = without_held_out(self._survey, panel.survey.held_out_share)
        self._begin()
        self._training.start(
            TrainingPlan(
                name=panel.form.chosen_name(),
                paths=panel.folder.paths(),
                settings=panel.form.settings(),
                rules=panel.survey.rules(),
                threads=panel.form.threads,
                dask=panel.form.dask,
                held_out=held,
                survey=survey,
            )
        )

    def continue_from(self, checkpoint: Checkpoint) -> None:
        """Resume a run of an earlier window. The page shows its settings."""
        if self._training.state != IDLE:
            return
        plan, panel = checkpoint.plan, self._panel
        panel.folder.set_paths([str(path) for path in plan.paths])
        panel.survey.set_rules(plan.rules)
        panel.form.set_settings(plan.settings, plan.name, plan.threads)
        self._begin()
        self._training.continue_from(checkpoint)

    def _begin(self) -> None:
        panel = self._panel
        panel.progress.clear()
        panel.run_bar.clear()
        panel.run_bar.set_busy(panel.text.stage("preparing"))
        panel.show_page(panel.progress)

    @Slot(str)
    def _on_state(self, state: str) -> None:
        self._panel.run_bar.show_state(state)
        if state == RUNNING:
            self._panel.show_page(self._panel.progress)

    @Slot()
    def _on_compiling(self) -> None:
        self._panel.run_bar.set_busy(self._panel.text.stage("compiling"))

    @Slot(object)
    def _on_advanced(self, snapshot: TrainingSnapshot) -> None:
        self._panel.run_bar.set_progress(snapshot.progress, snapshot.seconds)
        self._panel.progress.add(snapshot)
        if snapshot.unsaved != self._unsaved:
            self._report_unsaved(snapshot.unsaved)

    def _report_unsaved(self, why: str) -> None:
        """Warn that a crash would lose the run, or withdraw the warning."""
        self._unsaved = why
        if not why:
            self._notifier.withdraw(UNSAVED)
            return
        self._notifier.warning(
            self.tr(
                "Training continues, but its progress cannot be saved: {why}. If the program ended now, training "
                "would start over."
            ).format(why=why.rstrip(".")),
            key=UNSAVED,
        )

    def _report_problems(self, problems: tuple[SkippedFile, ...]) -> None:
        """Warn of files that could not be read completely."""
        if not problems:
            return
        many = self.tr("{n} files could not be read to the end. All or part of them is missing from the vocabulary.")
        one = self.tr("One file could not be read to the end. All or part of it is missing from the vocabulary.")
        self._notifier.warning(
            one if len(problems) == 1 else many.format(n=self._panel.text.number(len(problems))),
            "\n".join(f"{problem.path}: {problem.why}" for problem in problems),
            key=PROBLEMS,
        )

    @Slot(object)
    def _on_ended(self, outcome: RunOutcome) -> None:
        self._report_unsaved("")
        self._report_problems(outcome.snapshot.progress.problems)
        summary = self._summary(outcome)
        self._panel.run_bar.rest(summary)
        if outcome.kept is not None:
            self._show_outcome(outcome, self._training.plan, summary)
            self.finished.emit(outcome)

    @Slot()
    def _on_gave_up(self) -> None:
        self._panel.run_bar.rest(self.tr("Stopped before the first text was read."))

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        self._report_unsaved("")
        self._panel.run_bar.rest("")
        self._panel.run_bar.set_failed(why)

    def _summary(self, outcome: RunOutcome) -> str:
        """Return a one-line summary of a run."""
        write, snapshot = self._panel.text, outcome.snapshot
        progress = snapshot.progress
        if outcome.kept is None:
            return self.tr("Stopped before the first merge. Nothing was saved.")
        head = self.tr("Done") if outcome.ending == "done" else self.tr("Stopped; result kept")
        words = self.tr("{head}: {entries} entries, {density} bytes per token, in {time}.").format(
            head=head,
            entries=write.number(progress.vocab_size),
            density=write.decimal(progress.bytes_per_token),
            time=write.duration(snapshot.seconds),
        )
        return f"{words} {progress.why_done}".rstrip()

    # --- results ------------------------------------------------------------------------------------------------------

    @Slot(object)
    def _on_own_listed(self, names: tuple[str, ...]) -> None:
        self._own = names
        if self.results is not None:
            self.results.set_names(names)

    def _show_outcome(self, outcome: RunOutcome, plan: TrainingPlan, summary: str) -> None:
        assert self.panel is not None
        assert self.results is not None
        assert outcome.kept is not None
        context, name = self._context, outcome.kept.name
        self._follow_encodings()
        self.results.show_outcome(outcome, plan, summary)
        self.panel.show_page(self.panel.result)
        QApplication.alert(context.window)
        words = self.tr("Trained {name}. {summary}").format(name=name, summary=summary)
        if context.pages.page("trainingTab").is_in_front() and context.window.isActiveWindow():
            context.notifier.remark(words)
            return
        context.notifier.done(
            words,
            key=ENDED,
            offers=(
                Offer(self.tr("Show it"), self._show_result),
                Offer(self.tr("Use in the editor"), lambda: self._use(name)),
            ),
        )

    def _show_result(self) -> None:
        self._context.notifier.withdraw(ENDED)
        self.show()
        assert self.panel is not None
        self.panel.show_page(self.panel.result)

    @Slot(str)
    def _use(self, name: str) -> None:
        self._context.notifier.withdraw(ENDED)
        super()._use(name)

    @Slot(str)
    def _on_removed(self, name: str) -> None:
        if self._context.prompt.encoding == name:
            self._context.prompt.set_encoding(FIRST_ENCODING)
        self._follow_encodings()

    def _follow_encodings(self) -> None:
        """Update the encoding picker and the cost table after an encoding was added or removed."""
        self._encodings.refresh()
        self._context.pages.costs.service.reload_prices(quiet=True)

    # --- interrupted runs ---------------------------------------------------------------------------------------------

    def _offer_interrupted(self) -> None:
        """Offer to resume runs that earlier windows of this session left unfinished."""
        if self._folder is None:
            return
        for checkpoint in find_checkpoints(self._folder):
            self._offer(checkpoint)
        for folder in newer_checkpoints(self._folder):
            words = self.tr(
                "The training run in {folder} was saved by a newer version of Tokenloupe. It was not changed."
            )
            self._context.notifier.warning(words.format(folder=folder), key=f"{INTERRUPTED}-{folder.name}")

    def _offer(self, checkpoint: Checkpoint) -> None:
        when = self._context.window.locale().toString(checkpoint.saved.astimezone(), "d MMM, HH:mm")
        self._context.notifier.information(
            self.tr("Training of {name} was interrupted after {merges} merges; saved {when}.").format(
                name=checkpoint.plan.name, merges=f"{checkpoint.merges:,}", when=when
            ),
            key=_subject(checkpoint),
            offers=(
                Offer(self.tr("Resume"), lambda: self._take_up(checkpoint)),
                Offer(self.tr("Discard"), lambda: self._forget(checkpoint)),
            ),
        )

    def _take_up(self, checkpoint: Checkpoint) -> None:
        self.show()
        if self.run_state != IDLE:
            self._context.notifier.remark(self.tr("One training run at a time: this one starts when the other ends."))
            return
        self._context.notifier.withdraw(_subject(checkpoint))
        self.continue_from(checkpoint)

    def _forget(self, checkpoint: Checkpoint) -> None:
        self._context.notifier.withdraw(_subject(checkpoint))
        drop_checkpoint(checkpoint.state.parent)


def _subject(checkpoint: Checkpoint) -> str:
    """Return the key of the notification about an interrupted run."""
    return f"{INTERRUPTED}-{checkpoint.state.parent.name}"


def _shown(file: CorpusFile, survey: CorpusSurvey) -> str:
    """Return the path of a file relative to its root."""
    for root in survey.roots:
        if file.path != root and file.path.is_relative_to(root):
            return str(file.path.relative_to(root))
    return str(Path(file.path.name))
