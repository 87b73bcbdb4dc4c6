"""Gives the window its training tab: the services at the start, the page when somebody first looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QApplication

from gui.notify import Offer
from gui.services.encoding import FIRST_ENCODING
from gui.tabs.tab_building import TabBuilding
from gui.tabs.tab_wiring import TabWiring
from gui.tokenizers.train.checkpoint_service import drop_checkpoint, find_checkpoints, newer_checkpoints
from gui.tokenizers.train.run_service import IDLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gui.tabs.tab_wiring import TabParts
    from gui.tokenizers.train.checkpoint_service import Checkpoint
    from gui.tokenizers.train.controller import TrainingFlow
    from gui.tokenizers.train.panel import TrainingPanel
    from gui.tokenizers.train.plan import RunOutcome, TrainingPlan
    from gui.tokenizers.train.result_controller import TrainingResults
    from pricing.types import Model

INTERRUPTED = "training-interrupted"
ENDED = "training-ended"


NEEDS = (
    "gui.key_guard",
    "gui.tokenizers.train.panel",
    "gui.tokenizers.train.run_service",
    "gui.tokenizers.train.corpus_service",
    "gui.tokenizers.train.engine_service",
    "gui.tokenizers.train.export_service",
    "gui.tokenizers.train.report_service",
    "gui.tokenizers.train.controller",
    "gui.tokenizers.train.result_controller",
)
"""What making the page loads."""


class TrainingWiring(TabWiring["TrainingPanel"]):
    """Made after the first picture of the window, with the worker threads."""

    def __init__(self, parts: TabParts, state: dict[str, Any]) -> None:
        """``state``: as from ``state()``."""
        super().__init__(parts, state)
        self._encodings = parts.encodings
        self._folder = self._bench.slot.folder
        self._own: tuple[str, ...] = ()
        self.flow: TrainingFlow | None = None
        self.results: TrainingResults | None = None
        self._building = TabBuilding(self._steps, self._bench.window.closed, self)
        parts.encodings.own_listed.connect(self._on_own_listed)
        self._offer_interrupted()
        self._bench.page("trainingTab").when_looked_at(NEEDS, self._bench.load_first, self._come_to_front)

    def build(self) -> TrainingFlow:
        """Make the page now, if nobody has yet."""
        self._building.finish()
        assert self.flow is not None
        return self.flow

    def _steps(self) -> Iterator[None]:
        from gui.tokenizers.train.controller import TrainingFlow
        from gui.tokenizers.train.corpus_service import CorpusService
        from gui.tokenizers.train.engine_service import EngineTrainer
        from gui.tokenizers.train.panel import TrainingPanel
        from gui.tokenizers.train.run_service import TrainingService

        bench, runner = self._bench, self._runner
        panel = TrainingPanel()
        yield from panel.make(bench.theme, bench.icons, bench.settings, self._model)
        yield
        bench.parts.restore("training", panel.restore_state, self._state)
        trainer = EngineTrainer(bench.paths.compiled, bench.own_encodings)
        training = TrainingService(runner, trainer, self._folder, self)
        corpus = CorpusService(runner, bench.paths.compiled, self)
        flow = TrainingFlow(panel, training, corpus, bench.notifier, self)
        self.results = self._make_results(panel)
        flow.finished.connect(self._on_finished)
        flow.files_found.connect(self.results.set_files)
        panel.state_changed.connect(bench.keeper.touch)
        if bench.costs is not None:
            bench.costs.reference_changed.connect(panel.result.compression.show_savings)
        self.panel, self.flow = panel, flow
        yield
        bench.page("trainingTab").fill(panel)

    def _make_results(self, panel: TrainingPanel) -> TrainingResults:
        from gui.key_guard import KeyGuard
        from gui.tokenizers.train.export_service import ExportService
        from gui.tokenizers.train.report_service import ReportService
        from gui.tokenizers.train.result_controller import TrainingResults

        bench, runner = self._bench, self._runner
        results = TrainingResults(
            panel.result,
            ReportService(runner, self._open, self),
            ExportService(runner, self._open, self),
            bench.own_encodings,
            runner,
            KeyGuard(runner, bench.notifier, panel, self),
            bench.notifier,
            self,
        )
        results.set_names(self._own)
        results.use_asked.connect(self._use)
        results.removed.connect(self._on_removed)
        return results

    def _model(self) -> Model | None:
        return self._bench.costs.reference_model() if self._bench.costs is not None else None

    @Slot()
    def show(self) -> None:
        """Bring the tab to the front."""
        self._bench.page("trainingTab").bring_to_front()
        self.build()

    def focus(self) -> None:
        """Show the page, with the keyboard in its first control."""
        self.show()
        self.build().focus()

    @Slot()
    def _come_to_front(self) -> None:
        self._bench.notifier.withdraw(ENDED)
        self._building.begin()

    # --- what comes of a run ------------------------------------------------------------------------------------------

    @Slot(object)
    def _on_own_listed(self, names: tuple[str, ...]) -> None:
        self._own = names
        if self.results is not None:
            self.results.set_names(names)

    @Slot(object, object, str)
    def _on_finished(self, outcome: RunOutcome, plan: TrainingPlan, summary: str) -> None:
        assert self.panel is not None
        assert self.results is not None
        assert outcome.kept is not None
        bench, name = self._bench, outcome.kept.name
        self._follow_encodings()
        self.results.show_outcome(outcome, plan, summary)
        self.panel.show_page(self.panel.result)
        QApplication.alert(bench.window)
        words = self.tr("{name} is trained. {summary}").format(name=name, summary=summary)
        if bench.page("trainingTab").is_in_front() and bench.window.isActiveWindow():
            bench.notifier.remark(words)
            return
        bench.notifier.information(
            words,
            key=ENDED,
            offers=(
                Offer(self.tr("Show it"), self._show_result),
                Offer(self.tr("Use in the editor"), lambda: self._use(name)),
            ),
        )

    def _show_result(self) -> None:
        self._bench.notifier.withdraw(ENDED)
        self.show()
        assert self.panel is not None
        self.panel.show_page(self.panel.result)

    @Slot(str)
    def _use(self, name: str) -> None:
        """Count the prompt in a trained encoding."""
        bench = self._bench
        bench.notifier.withdraw(ENDED)
        bench.prompt.set_encoding(name)
        bench.show_prompt()

    @Slot(str)
    def _on_removed(self, name: str) -> None:
        if self._bench.prompt.encoding == name:
            self._bench.prompt.set_encoding(FIRST_ENCODING)
        self._follow_encodings()

    def _follow_encodings(self) -> None:
        """There is one more encoding, or one less: in the picker, and in the cost table."""
        self._encodings.refresh()
        if self._bench.costs is not None:
            self._bench.costs.service.reload_prices(quiet=True)

    # --- a run that was interrupted -----------------------------------------------------------------------------------

    def _offer_interrupted(self) -> None:
        """Runs that earlier windows of this session left unfinished can go on."""
        if self._folder is None:
            return
        for checkpoint in find_checkpoints(self._folder):
            self._offer(checkpoint)
        for place in newer_checkpoints(self._folder):
            words = self.tr("A newer version of Tokenloupe has left a training run in {folder}. It is left as it is.")
            self._bench.notifier.warning(words.format(folder=place), key=f"{INTERRUPTED}-{place.name}")

    def _offer(self, checkpoint: Checkpoint) -> None:
        when = self._bench.window.locale().toString(checkpoint.saved.astimezone(), "d MMM, HH:mm")
        self._bench.notifier.information(
            self.tr("Training {name} was interrupted after {merges} merges. It was saved on {when}.").format(
                name=checkpoint.plan.name, merges=f"{checkpoint.merges:,}", when=when
            ),
            key=_subject(checkpoint),
            offers=(
                Offer(self.tr("Go on with it"), lambda: self._take_up(checkpoint)),
                Offer(self.tr("Forget it"), lambda: self._forget(checkpoint)),
            ),
        )

    def _take_up(self, checkpoint: Checkpoint) -> None:
        self.show()
        flow = self.build()
        if flow.state != IDLE:
            self._bench.notifier.remark(self.tr("One run at a time: this one waits until the other has ended."))
            return
        self._bench.notifier.withdraw(_subject(checkpoint))
        flow.take_up(checkpoint)

    def _forget(self, checkpoint: Checkpoint) -> None:
        self._bench.notifier.withdraw(_subject(checkpoint))
        drop_checkpoint(checkpoint.state.parent)


def _subject(checkpoint: Checkpoint) -> str:
    """The key of the notice about an interrupted run."""
    return f"{INTERRUPTED}-{checkpoint.state.parent.name}"
