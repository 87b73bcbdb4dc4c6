"""The page Train: the form on the left, and the preview, the progress or the result of a run on the right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from gui.editor.token_editor import TokenView
from gui.look.icons import Icons
from gui.look.quantities import TrainingText, overall_fraction
from gui.look.style_sheet import plain_corner
from gui.look.theme import Theme
from gui.state.settings import SettingsStore
from gui.tokenizers.train.feed import TrainingProgressPage
from gui.tokenizers.train.form import TrainingSettingsForm, TrainingSurveyBox
from gui.tokenizers.train.result import TrainingResultPage
from gui.tokenizers.train.run_service import IDLE, KEEPING, PAUSED, PAUSING, RUNNING, STOPPING
from gui.widgets.bars import ReachableProgressBar
from gui.widgets.file_choosers import DroppedFiles
from gui.widgets.folders import FolderBar
from gui.widgets.forms import Remark, WheelGuard, button_of_kind, column_of, label_of, restore_sizes, row_of
from gui.widgets.labels import PlainLabel, StatusLine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.training.types import TrainingProgress
    from gui.tokenizers.train.corpus_service import SplitPreview
    from pricing.types import Model


# --- steps of a run ---------------------------------------------------------------------------------------------------

STEPS = 1000


class TrainingRunBar(QFrame):
    """The foot of the form: a status line, the progress of the run, and its buttons.

    Signals: ``start_asked()``, ``pause_asked()``, ``resume_asked()``, ``stop_asked()``.
    """

    start_asked = Signal()
    pause_asked = Signal()
    resume_asked = Signal()
    stop_asked = Signal()

    def __init__(self, text: TrainingText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "foot")
        self._text = text
        self._state = IDLE
        self._waiting = False
        self._ready = False
        self._lacking = ""
        self._blocked = ""
        self._make()
        self._lay_out()
        self.start.clicked.connect(self.start_asked)
        self.pause.clicked.connect(self._on_pause)
        self.cancel.clicked.connect(self.stop_asked)
        self.show_state(IDLE)

    def show_state(self, state: str) -> None:
        """Show the buttons for this state of the run: start, or pause and stop."""
        had_focus = self.start.hasFocus()
        self._state = state
        going = state in (RUNNING, PAUSED)
        self.start.setVisible(state == IDLE)
        self.pause.setVisible(state != IDLE)
        self.cancel.setVisible(state != IDLE)
        if had_focus and state != IDLE:
            self.pause.setFocus()
        self.pause.setEnabled(going)
        self.cancel.setEnabled(going)
        paused = state in (PAUSED, PAUSING)
        self.pause.setText(self.tr("&Resume") if paused else self.tr("&Pause"))
        self.pause.setToolTip(
            self.tr("Resume training") if paused else self.tr("Pause training; you can resume it later")
        )
        if state == PAUSED:
            self.say(self.tr("Paused. {words}").format(words=self._words).rstrip())
        elif state == STOPPING:
            self.say(self.tr("Stopping and saving the result…"))
        elif state == KEEPING:
            self.say(self.tr("{stage}…").format(stage=self._text.stage("keeping")))
        self._enable_start()

    def set_waiting(self, waiting: bool) -> None:
        """Show that a requested start waits for the scan of the folder."""
        self._waiting = waiting
        self._enable_start()

    def set_ready(self, ready: bool, lacking: str = "") -> None:
        """Set whether texts are available, or will be. ``lacking``: asks for them if there is no other status."""
        if self.words.text() == self._lacking:
            self.say(lacking)
        self._ready, self._lacking = ready, lacking
        self._enable_start()

    def set_failed(self, why: str) -> None:
        """Show why a run failed. The message stays until something is changed or started."""
        self.problem.say(why, "error")

    def set_blocked(self, why: str) -> None:
        """Show why a run cannot be started; empty if it can."""
        self._blocked = why
        self.problem.say(why, "error")
        self._enable_start()

    def set_progress(self, progress: TrainingProgress, seconds: float) -> None:
        """Show the progress of a run."""
        self.bar.setRange(0, STEPS)
        self.bar.setValue(round(overall_fraction(progress) * STEPS))
        self._words = self._describe(progress, seconds)
        if self._state in (RUNNING, PAUSING):
            self.say(self._words)

    def set_busy(self, words: str) -> None:
        """Show that work without known progress is running."""
        self.bar.setRange(0, 0)
        self.say(words)

    def rest(self, words: str) -> None:
        """Show that no run is active, and the outcome of the last one."""
        if self.bar.maximum() == 0:
            self.bar.setRange(0, STEPS)
            self.bar.setValue(0)
        self.say(words)

    def clear(self) -> None:
        """Reset the bar before another run."""
        self.bar.setRange(0, STEPS)
        self.bar.setValue(0)
        self.bar.setTextVisible(True)
        self._words = self._lacking = ""
        self.problem.say("")
        self.say("")

    def say(self, words: str) -> None:
        """Set the status line."""
        self.words.set_text(words)
        self.bar.setAccessibleDescription(words)

    def _describe(self, progress: TrainingProgress, seconds: float) -> str:
        """Describe stage, progress, speed and remaining time."""
        write = self._text
        parts = [write.stage(progress.stage)]
        if progress.stage == "counting":
            of = self.tr("{read} of {total}")
            parts.append(of.format(read=write.size(progress.bytes_read), total=write.size(progress.bytes_total)))
            if progress.rate > 0:
                parts.append(self.tr("{rate} per second").format(rate=write.size(progress.rate)))
        elif progress.stage == "merging":
            of = self.tr("{merges} of {wanted} merges")
            numbers = write.number(progress.merges), write.number(progress.merges_wanted)
            parts.append(of.format(merges=numbers[0], wanted=numbers[1]))
        if progress.eta_seconds is not None and progress.stage != "done" and seconds >= 3:
            parts.append(write.left(progress.eta_seconds))
        if progress.stage == "merging" and progress.rate > 0:
            parts.append(self.tr("{rate} per second").format(rate=write.about(progress.rate)))
        return " · ".join(parts)

    def _enable_start(self) -> None:
        free = self._state == IDLE and not self._waiting
        self.start.setEnabled(free and self._ready and not self._blocked)
        what = self.tr("Train a tokenizer on the texts in the folder")
        self.start.setToolTip(self._blocked or self._lacking or what)

    @Slot()
    def _on_pause(self) -> None:
        if self._state == PAUSED:
            self.resume_asked.emit()
        else:
            self.pause_asked.emit()

    def _make(self) -> None:
        self._words = ""
        self.start = button_of_kind("trainStart", self.tr("&Start training"), "primary")
        self.pause = QPushButton(self.tr("&Pause"), objectName="trainPause")
        self.cancel = QPushButton(self.tr("Stop and &keep result"), objectName="trainCancel")
        self.cancel.setToolTip(self.tr("End training now. The merges so far form a smaller vocabulary, ready for use."))
        for button, spoken in (
            (self.start, self.tr("Start training")),
            (self.pause, self.tr("Pause or resume training")),
            (self.cancel, self.tr("Stop training and keep the result")),
        ):
            button.setAutoDefault(False)
            button.setAccessibleName(spoken)
        self.bar = ReachableProgressBar()
        self.bar.setObjectName("trainProgress")
        self.bar.setAccessibleName(self.tr("Training progress"))
        self.bar.setRange(0, STEPS)
        self.bar.setValue(0)
        self.bar.setFormat("%p%")
        self.bar.setTextVisible(False)  # no run is active, so there is no percentage to show
        self.words = StatusLine("trainWords")
        self.problem = Remark()
        self.problem.setObjectName("trainProblem")

    def _lay_out(self) -> None:
        row = row_of((self.start, 1), self.pause, (self.cancel, 1), spacing=8)
        column_of(self.problem, self.words, self.bar, row, parent=self, margins=(16, 10, 16, 12), spacing=8)


# --- preview ----------------------------------------------------------------------------------------------------------

MAX_FILES = 200
MAX_CHANGES = 8


class TrainingPreview(QWidget):
    """Read-only text of a chosen file, with its pretokens.

    Signals: ``file_chosen(int)`` with the index of a file in the list; ``files_dropped(list)`` with paths.
    """

    file_chosen = Signal(int)
    files_dropped = Signal(list)

    def __init__(
        self, theme: Theme, text: TrainingText, settings: SettingsStore, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._text = text
        self.files = QComboBox(objectName="trainPreviewFile", accessibleName=self.tr("File to preview"))
        self.files.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.files.setMinimumContentsLength(10)
        self.figures = PlainLabel(objectName="trainPreviewFigures")
        self.remark = Remark()
        self.remark.setObjectName("trainPreviewChanges")
        self.view = TokenView(theme, settings, self)
        self.view.setObjectName("trainPreview")
        self.view.setAccessibleName(self.tr("Split preview"))
        self.hint = PlainLabel(role="quiet")
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint.setWordWrap(True)
        self._lay_out()
        self.invite()
        self.files.currentIndexChanged.connect(self._on_file)
        self.view.files_dropped.connect(self.files_dropped)

    def set_files(self, files: Sequence[str], current: int) -> None:
        """Offer the first ``MAX_FILES`` of these files, by these names."""
        blocker = QSignalBlocker(self.files)
        self.files.clear()
        self.files.addItems(list(files[:MAX_FILES]))
        self.files.setCurrentIndex(current)
        blocker.unblock()
        if not files:
            self.pages.setCurrentWidget(self.hint_page)

    def invite(self) -> None:
        """Ask for a folder."""
        self.show_hint(self.tr("Choose a folder of texts, or drop one here.\nNothing leaves this computer."))

    def show_hint(self, words: str) -> None:
        """Show why there is no preview."""
        self.hint.setText(words)
        self.pages.setCurrentWidget(self.hint_page)

    def show_preview(self, preview: SplitPreview) -> None:
        """Show a split."""
        self.pages.setCurrentWidget(self.text_page)
        write = self._text
        if preview.text != self._shown_text:
            self._shown_text = preview.text
            self.view.load_text(preview.text)
        if preview.patch is None:
            self.view.clear_tokens()
            self.figures.setText("")
        else:
            self.view.apply_patch(self.view.revision, preview.patch)
            words = self.tr("{n} pretokens, {mean} bytes each")
            mean = preview.utf8_bytes / max(1, preview.pretokens)
            self.figures.setText(words.format(n=write.number(preview.pretokens), mean=write.decimal(mean, 1)))
        self.view.highlight_matches(preview.changed_starts, preview.changed_ends)
        self.remark.say(self._changes(preview), "warning")

    def _changes(self, preview: SplitPreview) -> str:
        """Describe the changes of normalization."""
        if not preview.changes:
            return ""
        number = sum(count for _before, _after, count in preview.changes)
        shown = ", ".join(f"{before} → {after or '∅'}" for before, after, _count in preview.changes[:MAX_CHANGES])
        more = ", …" if len(preview.changes) > MAX_CHANGES else ""
        places = self.tr("1 place") if number == 1 else self.tr("{n} places").format(n=self._text.number(number))
        return self.tr("Normalization changes {places}, framed below: {changes}").format(
            places=places, changes=shown + more
        )

    def _lay_out(self) -> None:
        self._shown_text: str | None = None
        head = row_of(label_of(self.files, self.tr("Te&xt")), (self.files, 1), self.figures, spacing=8)
        self.text_page = QWidget()
        column_of(head, self.remark, (self.view, 1), parent=self.text_page, spacing=6)
        self.hint_page = QWidget()
        hint = QVBoxLayout(self.hint_page)
        hint.addWidget(self.hint, 1)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.hint_page)
        self.pages.addWidget(self.text_page)
        column_of(self.pages, parent=self, margins=(8, 8, 8, 8))

    @Slot(int)
    def _on_file(self, index: int) -> None:
        if index >= 0:
            self.file_chosen.emit(index)


# --- the page ---------------------------------------------------------------------------------------------------------

FORM_WIDTH = 360
MIN_LINES = 20
"""Minimum height of the right side, in lines of text; if there is less, it scrolls."""


class TrainingPanel(QWidget):
    """The page. ``make`` builds its widgets; ``TrainingController`` has the logic.

    Signals: ``state_changed()``: ``state()`` has changed.
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
        """Build the page step by step. ``model``: returns the reference model."""
        self.folder = FolderBar(icons, stacked=True)
        self.survey = TrainingSurveyBox(self.text)
        yield
        self.form = TrainingSettingsForm()
        yield
        self.preview = TrainingPreview(theme, self.text, settings)
        self.progress = TrainingProgressPage(theme, self.text)
        yield
        self.result = TrainingResultPage(theme, self.text, settings, model)
        self.run_bar = TrainingRunBar(self.text)
        yield
        self._lay_out()
        self._wheel.guard(self.forms)
        for change in (self.folder.paths_changed, self.survey.rules_changed, self.survey.held_out_changed):
            change.connect(self.state_changed)
        for change in (self.form.settings_changed, self.form.name_changed, self.splitter.splitterMoved):
            change.connect(self.state_changed)
        self.preview.files_dropped.connect(self.folder.set_paths)
        self._files.dropped.connect(self._on_dropped)

    def state(self) -> dict[str, Any]:
        """Return the user's choices as JSON data."""
        return {
            "folder": self.folder.field.text(),
            "rules": self.survey.state(),
            "settings": self.form.state(),
            "split": self.splitter.sizes(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the choices from ``state``; missing or invalid values get their defaults."""
        for box, name in ((self.survey, "rules"), (self.form, "settings")):
            values = state.get(name)
            box.restore_state(values if isinstance(values, dict) else {})
        restore_sizes(self.splitter, state.get("split"))
        folder = state.get("folder")
        self.folder.field.setText(folder if isinstance(folder, str) else "")

    def show_page(self, page: QWidget) -> None:
        """Show a page on the right side."""
        self.pages.setCurrentWidget(page)

    @Slot(list)
    def _on_dropped(self, paths: list[Path]) -> None:
        self.folder.set_paths([str(path) for path in paths])

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LocaleChange and hasattr(self, "text"):
            self.text.locale = self.locale()

    def _lay_out(self) -> None:
        self.forms = QWidget()
        column_of(self.folder, self.survey, self.form, 1, parent=self.forms, margins=(16, 12, 12, 12), spacing=8)
        scroll = _scrolled(self.forms)
        scroll.setObjectName("trainForms")
        scroll.setAccessibleName(self.tr("Corpus and settings"))
        scroll.setMinimumWidth(self.forms.minimumSizeHint().width() + scroll.verticalScrollBar().sizeHint().width())
        self.pages = QTabWidget(objectName="trainPages", accessibleName=self.tr("Preview, progress and result"))
        self.pages.tabBar().setAccessibleName(self.pages.accessibleName())
        self.pages.setDocumentMode(True)
        self.pages.addTab(self.preview, self.tr("Split preview"))
        self.pages.addTab(self.progress, self.tr("Progress"))
        self.pages.addTab(self.result, self.tr("Result"))
        self.splitter = QSplitter(Qt.Orientation.Horizontal, objectName="trainMainSplitter")
        side = QFrame()
        side.setProperty("kind", "side")
        column_of((scroll, 1), self.run_bar, parent=side, spacing=0)
        self.splitter.addWidget(side)
        self.pages.setMinimumHeight(self.fontMetrics().lineSpacing() * MIN_LINES)
        right = _scrolled(self.pages)
        right.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        right.setCornerWidget(plain_corner(right))
        self.splitter.addWidget(right)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([FORM_WIDTH, 3 * FORM_WIDTH])
        column_of(self.splitter, parent=self)
        self._set_tab_order()

    def _set_tab_order(self) -> None:
        """Set the tab order to the visual order: folder, texts, vocabulary, run, pages."""
        survey, form = self.survey, self.form
        order = [
            *(self.folder.field, self.folder.button, survey.details, survey.tree, survey.include, survey.exclude),
            *(survey.gitignore, survey.hidden_files, survey.hold_back, survey.sample, survey.sample_mb),
            *(form.name, form.vocab_size, form.pattern, form.dummy_prefix),
            *(form.normalization, form.lowercase, form.strip_accents),
            *(
                form.more,
                form.alphabet,
                form.special,
                form.min_count,
                form.max_token,
                form.max_space_run,
                form.tie_order,
            ),
            *(form.thread_count, self.run_bar.start, self.run_bar.pause, self.run_bar.cancel, self.run_bar.bar),
            *(self.pages, self.preview.files, self.preview.view),
            *(self.progress.follow, self.progress.curve, self.progress.feed),
            *self.result.controls,
        ]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)


def _scrolled(widget: QWidget) -> QScrollArea:
    """Wrap a widget so that it scrolls vertically if the window is too low for it."""
    area = QScrollArea(widgetResizable=True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its content scrolls into view when it gets the focus
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(widget)
    return area
