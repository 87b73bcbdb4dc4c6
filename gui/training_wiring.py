"""Gives the window its training tab: the services at the start, the page when somebody first looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from gui.notify import Offer
from gui.services.training_checkpoint import drop_checkpoint, find_checkpoint

if TYPE_CHECKING:
    from gui.jobs import JobRunner, Ticket
    from gui.panels.training_panel import TrainingPanel
    from gui.services.training_checkpoint import Checkpoint
    from gui.services.training_plan import RunOutcome
    from gui.training_flow import TrainingFlow
    from gui.workbench import Workbench

INTERRUPTED = "training-interrupted"
ENDED = "training-ended"


class TrainingWiring(QObject):
    """Made after the first picture of the window, with the worker threads."""

    def __init__(self, bench: Workbench, runner: JobRunner, page: QWidget, state: dict[str, Any]) -> None:
        super().__init__(bench)
        self._bench, self._runner, self._page, self._state = bench, runner, page, state
        self._folder = bench.slot.folder
        self.panel: TrainingPanel | None = None
        self.flow: TrainingFlow | None = None
        bench.window.tabs.currentChanged.connect(self._on_tab)
        self._offer_interrupted()
        self._on_tab()

    def state(self) -> dict[str, Any]:
        """What the user chose, as JSON holds it."""
        return self._state if self.panel is None else self.panel.state()

    def build(self) -> TrainingFlow:
        """Make the page, if nobody has yet."""
        if self.flow is not None:
            return self.flow
        from gui.panels.training_panel import TrainingPanel
        from gui.services.training import TrainingService
        from gui.services.training_corpus import CorpusService
        from gui.services.training_engine import make_run
        from gui.training_flow import TrainingFlow

        bench = self._bench
        self.panel = panel = TrainingPanel(bench.theme, bench.icons, bench.settings)
        panel.restore_state(self._state)
        panel.progress.curve.start(self._runner)
        body = QVBoxLayout(self._page)
        body.setContentsMargins(0, 0, 0, 0)
        body.addWidget(panel)
        training = TrainingService(self._runner, make_run, self._keep, None, self)
        corpus = CorpusService(self._runner, self)
        self.flow = TrainingFlow(panel, training, corpus, bench.notifier, self)
        self.flow.finished.connect(self._on_finished)
        panel.state_changed.connect(bench.keeper.touch)
        return self.flow

    @Slot()
    def show(self) -> None:
        """Bring the tab to the front."""
        self._bench.window.tabs.setCurrentWidget(self._page)
        self.build()

    @Slot()
    def _on_tab(self) -> None:
        if self._bench.window.tabs.currentWidget() is self._page:
            self.build()

    def _keep(self, _encoding: object, _ticket: Ticket) -> str:
        return ""

    def _offer_interrupted(self) -> None:
        """A run that the last window left unfinished can go on."""
        checkpoint = find_checkpoint(self._folder) if self._folder is not None else None
        if checkpoint is None:
            return
        when = self._bench.window.locale().toString(checkpoint.saved.astimezone(), "d MMM, HH:mm")
        self._bench.notifier.information(
            self.tr("Training {name} was interrupted after {merges} merges. It was saved on {when}.").format(
                name=checkpoint.plan.name, merges=f"{checkpoint.merges:,}", when=when
            ),
            key=INTERRUPTED,
            offers=(
                Offer(self.tr("Go on with it"), lambda: self._take_up(checkpoint)),
                Offer(self.tr("Forget it"), self._forget),
            ),
        )

    def _take_up(self, checkpoint: Checkpoint) -> None:
        self._bench.notifier.withdraw(INTERRUPTED)
        self.show()
        self.build().take_up(checkpoint)

    def _forget(self) -> None:
        self._bench.notifier.withdraw(INTERRUPTED)
        if self._folder is not None:
            drop_checkpoint(self._folder)

    @Slot(object)
    def _on_finished(self, outcome: RunOutcome) -> None:
        QApplication.alert(self._bench.window)
