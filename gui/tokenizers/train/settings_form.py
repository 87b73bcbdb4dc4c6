"""The settings of a training run: vocabulary size, split pattern, alphabet, normalization and advanced options."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QGroupBox,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from engine.training.types import TrainingSettings, has_signs
from gui.core.about import is_built
from gui.look.fonts import fixed_font
from gui.look.theme import Theme
from gui.tokenizers.train import choices
from gui.widgets.forms import Remark, form_grid, form_row
from gui.widgets.layouts import FlowLayout

MAX_BYTES = 1_000_000
MAX_THREADS = 256
SPECIAL_LINES = 2
DESCRIBED = (
    ("pattern", choices.PATTERNS),
    ("alphabet", choices.ALPHABETS),
    ("normalization", choices.NORMAL_FORMS),
    ("tie_order", choices.TIE_ORDERS),
)


class TrainingSettingsForm(QGroupBox):
    """The controls of ``TrainingSettings``, and the name of the result.

    Signals: ``settings_changed()``: the result would be another vocabulary; ``split_changed()``: emitted before it if
    the split or normalization changes; ``name_changed()``.
    """

    settings_changed = Signal()
    split_changed = Signal()
    name_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTitle(self.tr("Vocabulary"))
        self._theme = theme
        self._pattern_problem = ""
        self._make_controls()
        self._place()
        if is_built():
            self._close_cluster()
        self.restore_state({})
        self._connect()

    # --- values -------------------------------------------------------------------------------------------------------

    def settings(self) -> TrainingSettings:
        """Return the settings shown."""
        return TrainingSettings(
            vocab_size=self.vocab_size.value(),
            pattern=self.pattern.currentText().strip() or "none",
            alphabet=self.alphabet.currentData(),
            normalization=self.normalization.currentData() or None,
            lowercase=self.lowercase.isChecked(),
            strip_accents=self.strip_accents.isChecked(),
            min_count=self.min_count.value(),
            max_token_bytes=self.max_token.value() or None,
            special_tokens=self._special_tokens(),
            tie_order=self.tie_order.currentData(),
            dummy_prefix=self.dummy_prefix.isChecked(),
            max_space_run=self.max_space_run.value() or None,
        )

    @property
    def threads(self) -> int | None:
        """Number of threads that count; None for one per core."""
        return self.thread_count.value() or None

    @property
    def dask(self) -> str:
        """Address of the Dask scheduler whose workers count; empty to count on this computer."""
        return self.cluster.text().strip()

    @property
    def own_pattern(self) -> bool:
        """True if the split pattern is the user's own expression, not one of the list."""
        return self.pattern.currentText().strip() not in {choice.value for choice in choices.PATTERNS}

    def state(self) -> dict[str, Any]:
        """Return the values of the controls as JSON data."""
        return {
            "vocab_size": self.vocab_size.value(),
            "pattern": self.pattern.currentText(),
            "alphabet": self.alphabet.currentData(),
            "normalization": self.normalization.currentData(),
            "lowercase": self.lowercase.isChecked(),
            "strip_accents": self.strip_accents.isChecked(),
            "min_count": self.min_count.value(),
            "max_token": self.max_token.value(),
            "max_space_run": self.max_space_run.value(),
            "special": self.special.toPlainText(),
            "tie_order": self.tie_order.currentData(),
            "dummy_prefix": self.dummy_prefix.isChecked(),
            "threads": self.thread_count.value(),
            "name": self.name.text(),
            "more": self.more.isChecked(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the values from ``state``; missing or invalid values get their defaults."""
        fresh = TrainingSettings(vocab_size=choices.DEFAULT_VOCAB)
        blocker = QSignalBlocker(self)
        self.vocab_size.setValue(_whole(state.get("vocab_size"), fresh.vocab_size))
        pattern = state.get("pattern")
        self.pattern.setCurrentText(pattern if isinstance(pattern, str) and pattern else fresh.pattern)
        for name, _choices in DESCRIBED[1:]:
            box: QComboBox = getattr(self, name)
            box.setCurrentIndex(max(0, box.findData(state.get(name))))
        self.dummy_prefix.setChecked(state.get("dummy_prefix") is not False)
        self.lowercase.setChecked(state.get("lowercase") is True)
        self.strip_accents.setChecked(state.get("strip_accents") is True)
        self.min_count.setValue(_whole(state.get("min_count"), fresh.min_count))
        self.max_token.setValue(_whole(state.get("max_token"), 0))
        self.max_space_run.setValue(_whole(state.get("max_space_run"), 0))
        special = state.get("special")
        self.special.setPlainText(special if isinstance(special, str) else "")
        self.thread_count.setValue(_whole(state.get("threads"), 0))
        name = state.get("name")
        self.name.setText(name if isinstance(name, str) else "")
        self.more.setChecked(state.get("more") is True)
        blocker.unblock()
        self._describe()

    def set_settings(self, settings: TrainingSettings, name: str, threads: int | None) -> None:
        """Show these settings."""
        self.restore_state(
            {
                **asdict(settings),
                "max_token": settings.max_token_bytes or 0,
                "special": "\n".join(settings.special_tokens),
                "threads": threads or 0,
                "name": name,
                "more": self.more.isChecked(),
            }
        )

    def problem(self) -> str:
        """Return why training with these settings is impossible, as a sentence; empty if it is possible."""
        return self._size_problem() or self._pattern_problem

    def _size_problem(self) -> str:
        least = choices.MIN_VOCAB.get(self.alphabet.currentData(), 2)
        least += len(self._special_tokens())
        if self.vocab_size.value() < least:
            if self.alphabet.currentData() == "bytes":
                return self.tr(
                    "The vocabulary needs at least {least} entries: the 256 bytes, the special tokens and one merge."
                ).format(least=least)
            return self.tr("The vocabulary needs at least {least} entries.").format(least=least)
        return ""

    @Slot(str)
    def set_pattern_problem(self, problem: str) -> None:
        """Show why the split pattern is invalid; empty if it is valid."""
        self._pattern_problem = problem
        self._describe()

    def suggest_name(self, name: str) -> None:
        """Set the default name."""
        self.name.setPlaceholderText(name)

    def chosen_name(self) -> str:
        """Return the name of the vocabulary."""
        return self.name.text().strip() or self.name.placeholderText()

    def _special_tokens(self) -> tuple[str, ...]:
        lines = (line.strip() for line in self.special.toPlainText().splitlines())
        return tuple(dict.fromkeys(line for line in lines if line))

    # --- controls -----------------------------------------------------------------------------------------------------

    def _make_controls(self) -> None:
        self.name = QLineEdit(objectName="trainName")
        self.name.setToolTip(self.tr("Name of the encoding in Tokenloupe."))
        self.vocab_size = _number("trainVocabSize", 1, choices.MAX_VOCAB)
        self.vocab_size.setToolTip(self.tr("Total number of entries: bytes, merges and special tokens."))
        self.pattern = choices.choice_box("trainPattern", choices.PATTERNS)
        self.pattern.setEditable(True)
        self.pattern.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.pattern.setCompleter(None)
        self.pattern.lineEdit().setFont(fixed_font())
        self.pattern.setToolTip(self.tr("How text is split before merging. Choose a pattern or type a regex."))
        self.dummy_prefix = QCheckBox(self.tr("Dummy prefix: ▁ before each text"), objectName="trainDummyPrefix")
        self.dummy_prefix.setToolTip(
            self.tr("Makes a word the same token at the start of a text as after a space. Decoding removes it.")
        )
        self.alphabet = choices.choice_box("trainAlphabet", choices.ALPHABETS)
        self.normalization = choices.choice_box("trainNormalization", choices.NORMAL_FORMS)
        self.lowercase = QCheckBox(self.tr("Lowercase"), objectName="trainLowercase")
        self.strip_accents = QCheckBox(self.tr("Strip accents"), objectName="trainStripAccents")
        self.special = QPlainTextEdit(objectName="trainSpecialTokens")
        self.special.setPlaceholderText(self.tr("<|endoftext|>, one per line"))
        self.special.setTabChangesFocus(True)
        self.special.setFont(fixed_font())
        self.special.setToolTip(self.tr("Each becomes one token that never merges. They get the last IDs."))
        self.min_count = _number("trainMinCount", 1, MAX_BYTES)
        self.min_count.setToolTip(self.tr("Training stops when the most frequent pair occurs fewer times than this."))
        self.max_token = _number("trainMaxToken", 0, MAX_BYTES)
        self.max_token.setSpecialValueText(self.tr("no limit"))
        self.max_token.setSuffix(self.tr(" bytes"))
        self.max_space_run = _number("trainMaxSpaceRun", 0, MAX_BYTES)
        self.max_space_run.setSpecialValueText(self.tr("no limit"))
        self.max_space_run.setSuffix(self.tr(" characters"))
        self.max_space_run.setToolTip(
            self.tr("Longer runs of spaces, tabs or line ends count as so many, and no token of them gets longer.")
        )
        self.tie_order = choices.choice_box("trainTieOrder", choices.TIE_ORDERS)
        self.thread_count = _number("trainThreads", 0, MAX_THREADS)
        self.thread_count.setSpecialValueText(self.tr("one per core"))
        self.thread_count.setToolTip(self.tr("Threads for reading and splitting. The merges do not depend on it."))
        self.cluster = QLineEdit(objectName="trainCluster")
        self.cluster.setPlaceholderText(self.tr("count on this computer"))
        self.cluster.setToolTip(
            self.tr(
                "Address of a Dask scheduler, such as tcp://10.0.0.1:8786. Its workers must see the same files; they "
                "count instead of this computer. The merges do not depend on it. Empty at each start."
            )
        )
        self._cluster_remark = Remark(self._theme)
        self.more = QToolButton(objectName="trainMore")
        self.more.setCheckable(True)
        self.more.setAutoRaise(True)
        self.more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.more.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.more.setText(self.tr("More settings"))

    def _close_cluster(self) -> None:
        """Disable the cluster field in a build without Dask, and explain why."""
        words = self.tr(
            "This build does not include Dask. To count on a cluster, run Tokenloupe from source with the extra "
            "“dask”; see docs/scale.md."
        )
        self.cluster.setEnabled(False)
        self.cluster.setToolTip(words)
        self.cluster.setAccessibleDescription(words)
        self._cluster_remark.say(words)

    def _place(self) -> None:
        self.remarks = {name: Remark(self._theme) for name in ("vocab_size", "pattern", "normalization")}
        grid = form_grid()
        form_row(grid, self.tr("Na&me"), self.name)
        form_row(grid, self.tr("Vocabulary si&ze"), self.vocab_size, self.remarks["vocab_size"])
        form_row(grid, self.tr("Spl&it pattern"), self.pattern, self.remarks["pattern"])
        grid.addWidget(self.dummy_prefix, grid.rowCount(), 1)
        form_row(grid, self.tr("Normalization"), self.normalization)
        switches = FlowLayout(gap=16)
        switches.addWidget(self.lowercase)
        switches.addWidget(self.strip_accents)
        grid.addLayout(switches, grid.rowCount(), 1)
        grid.addWidget(self.remarks["normalization"], grid.rowCount(), 0, 1, 2)
        grid.addWidget(self.more, grid.rowCount(), 0, 1, 2, Qt.AlignmentFlag.AlignLeft)
        self.finer = QWidget()
        finer = form_grid()
        self.finer.setLayout(finer)
        form_row(finer, self.tr("Alphabet"), self.alphabet)
        form_row(finer, self.tr("Special tokens"), self.special)
        form_row(finer, self.tr("Minimum count"), self.min_count)
        form_row(finer, self.tr("Maximum token length"), self.max_token)
        form_row(finer, self.tr("Whitespace runs"), self.max_space_run)
        form_row(finer, self.tr("Tie-breaking"), self.tie_order)
        form_row(finer, self.tr("Threads"), self.thread_count)
        form_row(finer, self.tr("Dask scheduler"), self.cluster, self._cluster_remark)
        margins = self.special.contentsMargins()
        room = self.special.fontMetrics().lineSpacing() * SPECIAL_LINES
        self.special.setFixedHeight(room + margins.top() + margins.bottom() + 12)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(grid)
        column.addWidget(self.finer)

    def _connect(self) -> None:
        for box in (self.vocab_size, self.min_count, self.max_token, self.max_space_run, self.thread_count):
            box.valueChanged.connect(self._on_changed)
        self.tie_order.currentIndexChanged.connect(self._on_changed)
        self.cluster.textChanged.connect(self._on_cluster)
        for choice in (self.alphabet, self.normalization):
            choice.currentIndexChanged.connect(self._on_split)
        self.pattern.currentTextChanged.connect(self._on_pattern)
        for switch in (self.lowercase, self.strip_accents, self.dummy_prefix):
            switch.toggled.connect(self._on_split)
        self.special.textChanged.connect(self._on_changed)
        self.name.textChanged.connect(self._on_name)
        self.more.toggled.connect(self._describe)

    @Slot()
    def _on_cluster(self) -> None:
        """Explain what will be sent to the scheduler, before anything is."""
        self._cluster_remark.say(
            self.tr(
                "File names and sizes are sent to {address}, whose workers read the files. Name only a scheduler you "
                "trust."
            ).format(address=self.dask)
            if self.dask
            else ""
        )

    @Slot()
    def _on_changed(self) -> None:
        self._describe()
        self.settings_changed.emit()

    @Slot()
    def _on_split(self) -> None:
        self.split_changed.emit()
        self._on_changed()

    @Slot()
    def _on_pattern(self) -> None:
        self._pattern_problem = ""
        self._on_split()

    @Slot()
    def _on_name(self) -> None:
        self.name_changed.emit()

    @Slot()
    def _describe(self) -> None:
        """Show the meaning of the choices, and their problems."""
        self.finer.setVisible(self.more.isChecked())
        self.dummy_prefix.setVisible(has_signs(self.settings()))
        self.more.setArrowType(Qt.ArrowType.DownArrow if self.more.isChecked() else Qt.ArrowType.RightArrow)
        for name, of in DESCRIBED[1:]:
            box: QComboBox = getattr(self, name)
            box.setToolTip(choices.hint_of(of, box.currentData()))
        kind = "error" if self._pattern_problem else ""
        self.remarks["pattern"].say(self._pattern_problem or self._pattern_words(), kind)
        self.remarks["vocab_size"].say(self._size_problem(), "error")
        self.remarks["normalization"].say(self._loss_words(), "warning")

    def _pattern_words(self) -> str:
        text = self.pattern.currentText().strip()
        if not text:
            return choices.hint_of(choices.PATTERNS, "none")
        return choices.hint_of(choices.PATTERNS, text) or self.tr(
            "Custom regular expression. Text it does not match is dropped from the training data."
        )

    def _loss_words(self) -> str:
        """Describe what decoding will not restore."""
        form = self.normalization.currentData()
        lost = [self.tr("capitals")] if self.lowercase.isChecked() else []
        lost += [self.tr("accents")] if self.strip_accents.isChecked() else []
        lost += [self.tr("the original form of some characters ({form})").format(form=form)] if form else []
        if not lost:
            return ""
        return self.tr("Lossy: decoding returns the normalized text, without {what}. See the preview.").format(
            what=self.tr(" and ").join(lost)
        )


def _number(name: str, least: int, most: int) -> QSpinBox:
    box = QSpinBox(objectName=name)
    box.setRange(least, most)
    box.setGroupSeparatorShown(True)
    box.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
    box.setAccelerated(True)
    return box


def _whole(value: object, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else default
