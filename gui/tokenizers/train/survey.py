"""The survey of the folder to train on, and a preview of its split."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGroupBox,
    QHBoxLayout,
    QLineEdit,
    QSpinBox,
    QStackedWidget,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from engine.corpus.types import CorpusRules
from gui.editor.editor_look import TokenView
from gui.look.fonts import set_weight
from gui.look.plain_text import PlainLabel
from gui.look.quantities import TrainingText
from gui.look.theme import Theme
from gui.state.settings import SettingsStore
from gui.widgets.forms import Remark, form_grid, form_row
from gui.widgets.layouts import FlowLayout
from gui.widgets.skipped_files import SkippedFilesModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.corpus.types import CorpusSurvey
    from engine.training.types import TrainingForecast
    from gui.tokenizers.train.corpus_service import SplitPreview

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
        self.files = QComboBox(objectName="trainPreviewFile")
        self.files.setAccessibleName(self.tr("File to preview"))
        self.files.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.files.setMinimumContentsLength(10)
        self.figures = PlainLabel(objectName="trainPreviewFigures")
        self.remark = Remark(theme)
        self.remark.setObjectName("trainPreviewChanges")
        self.view = TokenView(theme, settings, self)
        self.view.setObjectName("trainPreview")
        self.view.setAccessibleName(self.tr("Split preview"))
        self.hint = PlainLabel()
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint.setWordWrap(True)
        self._place()
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

    def _place(self) -> None:
        self._shown_text: str | None = None
        head = QHBoxLayout()
        head.setSpacing(8)
        label = PlainLabel(self.tr("Te&xt"))
        label.setBuddy(self.files)
        head.addWidget(label)
        head.addWidget(self.files, 1)
        head.addWidget(self.figures)
        self.text_page = QWidget()
        column = QVBoxLayout(self.text_page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.remark)
        column.addWidget(self.view, 1)
        self.hint_page = QWidget()
        hint = QVBoxLayout(self.hint_page)
        hint.addWidget(self.hint, 1)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.hint_page)
        self.pages.addWidget(self.text_page)
        body = QVBoxLayout(self)
        body.setContentsMargins(8, 8, 8, 8)
        body.addWidget(self.pages)

    @Slot(int)
    def _on_file(self, place: int) -> None:
        if place >= 0:
            self.file_chosen.emit(place)


MEGABYTE = 1_000_000
MAX_SAMPLE_MB = 1_000_000
DEFAULT_SAMPLE_MB = 50
TREE_LINES = 8
HELD_BACK = 0.05
"""Default share of the texts held out of training, to evaluate the result on."""


class TrainingSurveyBox(QGroupBox):
    """View of a survey and its forecast; holds the rules of the next one.

    Signals: ``rules_changed()``: the rules have changed; ``held_back_changed()``.
    """

    rules_changed = Signal()
    held_back_changed = Signal()

    def __init__(self, theme: Theme, text: TrainingText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTitle(self.tr("Texts"))
        self._theme, self._text = theme, text
        self.model = SkippedFilesModel(text, self)
        self._make()
        self._place()
        self.restore_state({})
        self.set_survey(None)
        self._connect()

    # --- values -------------------------------------------------------------------------------------------------------

    def rules(self) -> CorpusRules:
        """Return the rules of the next survey."""
        return CorpusRules(
            include=_globs(self.include.text()),
            exclude=_globs(self.exclude.text()),
            honour_gitignore=self.gitignore.isChecked(),
            hidden=self.hidden_files.isChecked(),
            sample_bytes=self.sample_mb.value() * MEGABYTE if self.sample.isChecked() else None,
        )

    @property
    def held_back_share(self) -> float:
        """Share of the texts that is held out of training."""
        return HELD_BACK if self.hold_back.isChecked() else 0.0

    def state(self) -> dict[str, Any]:
        """Return the rules as JSON data."""
        return {
            "include": self.include.text(),
            "exclude": self.exclude.text(),
            "gitignore": self.gitignore.isChecked(),
            "hidden": self.hidden_files.isChecked(),
            "sample": self.sample.isChecked(),
            "sample_mb": self.sample_mb.value(),
            "hold_back": self.hold_back.isChecked(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the rules from ``state``; missing or invalid values get their defaults."""
        blocker = QSignalBlocker(self)
        for field, name in ((self.include, "include"), (self.exclude, "exclude")):
            value = state.get(name)
            field.setText(value if isinstance(value, str) else "")
        self.gitignore.setChecked(state.get("gitignore") is not False)
        self.hidden_files.setChecked(state.get("hidden") is True)
        self.hold_back.setChecked(state.get("hold_back") is not False)
        self.sample.setChecked(state.get("sample") is True)
        size = state.get("sample_mb")
        good = isinstance(size, int) and not isinstance(size, bool) and size > 0
        self.sample_mb.setValue(size if good else DEFAULT_SAMPLE_MB)
        self.sample_mb.setEnabled(self.sample.isChecked())
        blocker.unblock()

    def set_rules(self, rules: CorpusRules) -> None:
        """Show these rules."""
        self.restore_state(
            {
                "include": ", ".join(rules.include),
                "exclude": ", ".join(rules.exclude),
                "gitignore": rules.honour_gitignore,
                "hidden": rules.hidden,
                "sample": rules.sample_bytes is not None,
                "sample_mb": (rules.sample_bytes or 0) // MEGABYTE,
                "hold_back": self.hold_back.isChecked(),
            }
        )

    # --- display ------------------------------------------------------------------------------------------------------

    def set_looking(self, note: str) -> None:
        """Show that a survey is running."""
        self.headline.setText(self.tr("Scanning the folder… {note}").format(note=note).rstrip())
        self.headline.show()
        self.remark.say("")
        self.forecast.say("")

    def set_problem(self, problem: str) -> None:
        """Show why there is nothing to train on."""
        self._show(None)
        self.headline.hide()
        self.remark.say(problem, "error")

    def set_survey(self, survey: CorpusSurvey | None) -> None:
        """Show a survey, or none."""
        self._show(survey)
        if survey is None:
            self.headline.setText(self.tr("No folder chosen yet."))
            return
        write = self._text
        files = self.tr("1 text file") if len(survey.files) == 1 else self.tr("{n} text files")
        words = files.format(n=write.number(len(survey.files)))
        self.headline.setText(f"{words}, {write.size(survey.file_bytes)}")
        self.remark.say("\n".join(self._remarks(survey)))

    def set_forecasting(self) -> None:
        """Show that a forecast is being made; an older one stays visible until then."""
        if self.forecast.isHidden():
            self.forecast.say(self.tr("Forecast: reading a sample…"))

    def set_forecast(self, forecast: TrainingForecast | None) -> None:
        """Show the forecast of a training, or none."""
        if forecast is None:
            self.forecast.say("")
            return
        write = self._text
        soon = self.tr("less than a second")
        self.forecast.say(
            self.tr("Forecast: {pretokens} unique pretokens, {memory} of memory, {seconds}").format(
                pretokens=write.ends(*forecast.pretokens, write.about),
                memory=write.ends(*forecast.memory_bytes, write.size),
                seconds=soon if forecast.seconds[1] < 1 else write.ends(*forecast.seconds, write.duration),
            )
        )

    def set_forecast_problem(self, why: str) -> None:
        """Show why there is no forecast."""
        self.forecast.say(self.tr("No forecast: {why}").format(why=why), "warning")

    def _show(self, survey: CorpusSurvey | None) -> None:
        self.model.set_survey(survey)
        self.headline.show()
        left_out = sum(survey.skipped_counts.values()) if survey is not None else 0
        self.details.setVisible(self.model.rowCount() > 0)
        self.details.setText(
            self.tr("Skipped: {n}").format(n=self._text.number(left_out)) if left_out else self.tr("Duplicates")
        )
        self.details.setToolTip(self.tr("Show skipped files and the reasons"))
        self.remark.say("")
        self.forecast.say("")
        self._show_tree()

    def _remarks(self, survey: CorpusSurvey) -> list[str]:
        """Return remarks on the survey besides the number of files."""
        write, found = self._text, []
        if survey.duplicate_files:
            found.append(
                self.tr("{n} are duplicates ({size}) and count twice.").format(
                    n=write.number(survey.duplicate_files), size=write.size(survey.duplicate_bytes)
                )
            )
        encodings = Counter(file.encoding for file in survey.files if file.encoding not in ("utf-8", "utf-8-sig"))
        if encodings:
            listed = ", ".join(f"{name.upper()} {write.number(n)}" for name, n in encodings.most_common())
            found.append(self.tr("Not in UTF-8: {encodings}.").format(encodings=listed))
        return found

    # --- controls -----------------------------------------------------------------------------------------------------

    def _make(self) -> None:
        self.headline = PlainLabel(objectName="trainSummary")
        self.headline.setWordWrap(True)
        self.headline.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        font = self.headline.font()
        set_weight(font)
        self.headline.setFont(font)
        self.remark = Remark(self._theme)
        self.forecast = Remark(self._theme)
        self.forecast.setObjectName("trainForecast")
        self.details = QToolButton(objectName="trainSkippedButton")
        self.details.setCheckable(True)
        self.details.setAutoRaise(True)
        self.details.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.details.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.tree = QTreeView(objectName="trainSkipped")
        self.tree.setAccessibleName(self.tr("Skipped files, by reason"))
        self.tree.setModel(self.model)
        self.tree.setHeaderHidden(True)
        self.tree.setUniformRowHeights(True)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.tree.setMinimumHeight(self.fontMetrics().lineSpacing() * TREE_LINES)
        self.include = _field("trainInclude", self.tr("all, or such as *.md, docs/**"))
        self.exclude = _field("trainExclude", self.tr("such as *.min.js, test*/"))
        self.gitignore = QCheckBox(self.tr("Respect .gitignore"), objectName="trainGitignore")
        self.hidden_files = QCheckBox(self.tr("Include hidden files"), objectName="trainHidden")
        self.hold_back = QCheckBox(self.tr("Hold out 5% for evaluation"), objectName="trainHoldBack")
        self.hold_back.setToolTip(
            self.tr("About every twentieth file is kept out of training; the result is evaluated on it.")
        )
        self.sample = QCheckBox(self.tr("Train on a sample of"), objectName="trainSample")
        self.sample.setToolTip(self.tr("Take files evenly from the whole folder, up to this size."))
        self.sample_mb = QSpinBox(objectName="trainSampleSize")
        self.sample_mb.setRange(1, MAX_SAMPLE_MB)
        self.sample_mb.setSuffix(self.tr(" MB"))
        self.sample_mb.setGroupSeparatorShown(True)
        self.sample_mb.setAccessibleName(self.tr("Size of the sample"))

    def _place(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for widget in (self.headline, self.remark, self.forecast):
            column.addWidget(widget)
        column.addWidget(self.details, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.tree)
        grid = form_grid()
        form_row(grid, self.tr("Include onl&y"), self.include)
        form_row(grid, self.tr("Exc&lude"), self.exclude)
        column.addLayout(grid)
        which = FlowLayout(gap=16)
        for switch in (self.gitignore, self.hidden_files):
            which.addWidget(switch)
        column.addLayout(which)
        column.addWidget(self.hold_back)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.sample)
        row.addWidget(self.sample_mb)
        row.addStretch(1)
        column.addLayout(row)

    def _connect(self) -> None:
        for field in (self.include, self.exclude):
            field.textChanged.connect(self._on_rules)
        for switch in (self.gitignore, self.hidden_files, self.sample):
            switch.toggled.connect(self._on_rules)
        self.sample_mb.valueChanged.connect(self._on_rules)
        self.sample.toggled.connect(self.sample_mb.setEnabled)
        self.hold_back.toggled.connect(self._on_hold_back)
        self.details.toggled.connect(self._show_tree)

    @Slot()
    def _on_rules(self) -> None:
        self.rules_changed.emit()

    @Slot()
    def _on_hold_back(self) -> None:
        self.held_back_changed.emit()

    @Slot()
    def _show_tree(self) -> None:
        shown = self.details.isChecked()
        self.tree.setVisible(shown and self.model.rowCount() > 0)
        self.details.setArrowType(Qt.ArrowType.DownArrow if shown else Qt.ArrowType.RightArrow)


def _field(name: str, hint: str) -> QLineEdit:
    field = QLineEdit(objectName=name)
    field.setPlaceholderText(hint)
    field.setToolTip(field.tr("Patterns as in .gitignore, separated by commas."))
    return field


def _globs(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
