"""The training tab: the folder on top, what to learn on the left, and on the right preview, progress and result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QScrollArea, QSplitter, QTabWidget, QVBoxLayout, QWidget

from gui.look.corner import plain_corner
from gui.look.icons import Icons
from gui.look.quantities import TrainingText
from gui.look.theme import Theme
from gui.state.settings import SettingsStore
from gui.tokenizers.train.preview import TrainingPreview
from gui.tokenizers.train.progress import TrainingProgressPage
from gui.tokenizers.train.result import TrainingResultPage
from gui.tokenizers.train.run_bar import TrainingRunBar
from gui.tokenizers.train.settings_form import TrainingSettingsForm
from gui.tokenizers.train.survey import TrainingSurveyBox
from gui.widgets.dropped_files import DroppedFiles
from gui.widgets.folder_bar import FolderBar
from gui.widgets.layouts import WheelGuard

if TYPE_CHECKING:
    from pricing.types import Model

FORM_WIDTH = 360
LEAST_LINES = 20
"""Height of the right side, in lines of text, below which it scrolls."""


class TrainingPanel(QWidget):
    """Puts the parts of the tab together, when ``make`` is through. What happens is in ``TrainingFlow``.

    Signals: ``state_changed()`` when ``state()`` would give something else.
    """

    state_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("trainingPanel")
        self._files = DroppedFiles(self)
        self.text = TrainingText(self.locale())
        self._wheel = WheelGuard(self)

    def make(
        self, theme: Theme, icons: Icons, settings: SettingsStore, model: Callable[[], Model | None]
    ) -> Iterator[None]:
        """Make the parts, step by step. ``model``: gives the one chosen beside the encoding."""
        self.folder = FolderBar(icons)
        self.survey = TrainingSurveyBox(theme, self.text)
        yield
        self.form = TrainingSettingsForm(theme)
        yield
        self.preview = TrainingPreview(theme, self.text, settings)
        self.progress = TrainingProgressPage(theme, self.text)
        yield
        self.result = TrainingResultPage(theme, self.text, settings, model)
        self.run_bar = TrainingRunBar(theme, self.text)
        yield
        self._place()
        self._wheel.guard(self.forms)
        for change in (self.folder.paths_changed, self.survey.rules_changed, self.survey.held_back_changed):
            change.connect(self.state_changed)
        for change in (self.form.settings_changed, self.form.name_changed, self.splitter.splitterMoved):
            change.connect(self.state_changed)
        self.preview.files_dropped.connect(self.folder.set_paths)
        self._files.dropped.connect(self._on_dropped)

    def state(self) -> dict[str, Any]:
        """Everything that the user chose, as JSON holds it."""
        return {
            "folder": self.folder.field.text(),
            "rules": self.survey.state(),
            "settings": self.form.state(),
            "split": self.splitter.sizes(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Take back what ``state`` gave; what is missing or of no use stays as at the first start."""
        for part, name in ((self.survey, "rules"), (self.form, "settings")):
            values = state.get(name)
            part.restore_state(values if isinstance(values, dict) else {})
        sizes = state.get("split")
        if isinstance(sizes, list) and len(sizes) == 2 and all(isinstance(size, int) for size in sizes):
            self.splitter.setSizes(sizes)
        folder = state.get("folder")
        self.folder.field.setText(folder if isinstance(folder, str) else "")

    def show_page(self, page: QWidget) -> None:
        """Bring a page of the right side to the front."""
        self.pages.setCurrentWidget(page)

    @Slot(list)
    def _on_dropped(self, paths: list[Path]) -> None:
        self.folder.set_paths([str(path) for path in paths])

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LocaleChange and hasattr(self, "text"):
            self.text.locale = self.locale()

    def _place(self) -> None:
        self.forms = QWidget()
        forms = QVBoxLayout(self.forms)
        forms.setContentsMargins(0, 0, 6, 0)
        forms.setSpacing(8)
        forms.addWidget(self.survey)
        forms.addWidget(self.form)
        forms.addStretch(1)
        scroll = _scrolled(self.forms)
        scroll.setObjectName("trainForms")
        scroll.setAccessibleName(self.tr("What to train on and what to learn"))
        scroll.setMinimumWidth(self.forms.minimumSizeHint().width() + scroll.verticalScrollBar().sizeHint().width())
        self.pages = QTabWidget(objectName="trainPages")
        self.pages.setAccessibleName(self.tr("Preview, progress and result"))
        self.pages.tabBar().setAccessibleName(self.pages.accessibleName())
        self.pages.setDocumentMode(True)
        self.pages.addTab(self.preview, self.tr("Split preview"))
        self.pages.addTab(self.progress, self.tr("Progress"))
        self.pages.addTab(self.result, self.tr("Result"))
        self.splitter = QSplitter(Qt.Orientation.Horizontal, objectName="trainMainSplitter")
        self.splitter.addWidget(scroll)
        self.pages.setMinimumHeight(self.fontMetrics().lineSpacing() * LEAST_LINES)
        right = _scrolled(self.pages)
        right.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.splitter.addWidget(right)
        self.splitter.setCollapsible(1, False)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([FORM_WIDTH, 3 * FORM_WIDTH])
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(8)
        column.addWidget(self.folder)
        column.addWidget(self.splitter, 1)
        column.addWidget(self.run_bar)
        self._set_tab_order()

    def _set_tab_order(self) -> None:
        """As the eye goes: folder, texts, vocabulary, the pages, the run."""
        survey, form = self.survey, self.form
        order = [
            *(self.folder.field, self.folder.button, survey.details, survey.tree, survey.include, survey.exclude),
            *(survey.gitignore, survey.hidden_files, survey.hold_back, survey.sample, survey.sample_mb),
            *(form.name, form.vocab_size, form.pattern, form.dummy_prefix),
            *(form.normalization, form.lowercase, form.strip_accents),
            *(form.more, form.alphabet, form.special, form.min_count, form.max_token, form.tie_order),
            *(form.thread_count, self.pages, self.preview.files, self.preview.view),
            *(self.progress.follow, self.progress.curve, self.progress.feed),
            *self.result.controls,
            *(self.run_bar.start, self.run_bar.pause, self.run_bar.cancel, self.run_bar.bar),
        ]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)


def _scrolled(widget: QWidget) -> QScrollArea:
    """A widget that scrolls up and down where the window is too low for it."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what is in it scrolls into sight when the keyboard gets there
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(widget)
    area.setCornerWidget(plain_corner(area))
    return area
