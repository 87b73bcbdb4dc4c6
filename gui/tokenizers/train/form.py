"""The form of the page Train: the texts with their survey and forecast, and the settings of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QGroupBox,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QToolButton,
    QTreeView,
    QWidget,
)

from engine.corpus.types import CorpusRules
from engine.training.types import TrainingSettings, has_signs
from gui.core.about import is_built
from gui.look.fonts import fixed_font, semibold, set_weight
from gui.look.quantities import TrainingText
from gui.tokenizers.train.corpus_service import PUBLISHED_PATTERNS
from gui.widgets.folders import SkippedFilesModel
from gui.widgets.forms import FlowLayout, Remark, SpinBox, column_of, form_grid, form_row, row_of
from gui.widgets.labels import PlainLabel

if TYPE_CHECKING:
    from engine.corpus.types import CorpusSurvey
    from engine.training.types import TrainingForecast

MIN_VOCAB = 257
"""Smallest vocabulary of bytes that leaves room for a merge; for characters it depends on the texts."""
DEFAULT_VOCAB = 8192
MAX_VOCAB = 2_000_000


class Choice(NamedTuple):
    """A value of ``TrainingSettings``, its label, and a sentence that explains it."""

    value: str
    title: str
    hint: str


PATTERNS = (
    *(Choice(name, name, description) for name, description in PUBLISHED_PATTERNS),
    Choice(
        "whitespace",
        "whitespace",
        QT_TRANSLATE_NOOP("TrainingChoices", "Words and the whitespace between them, separately"),
    ),
    Choice(
        "sentencepiece",
        "sentencepiece",
        QT_TRANSLATE_NOOP(
            "TrainingChoices", "SentencePiece without its split at spaces: a space is ▁, and tokens may span words"
        ),
    ),
    Choice(
        "none",
        "none",
        QT_TRANSLATE_NOOP("TrainingChoices", "No split: any adjacent symbols may merge, across words and lines"),
    ),
)

ALPHABETS = (
    Choice(
        "bytes",
        QT_TRANSLATE_NOOP("TrainingChoices", "Bytes"),
        QT_TRANSLATE_NOOP("TrainingChoices", "Starts from the 256 bytes: any text can be encoded"),
    ),
    Choice(
        "characters",
        QT_TRANSLATE_NOOP("TrainingChoices", "Characters"),
        QT_TRANSLATE_NOOP("TrainingChoices", "Starts from the characters of the texts; others are encoded as bytes"),
    ),
    Choice(
        "characters+</w>",
        QT_TRANSLATE_NOOP("TrainingChoices", "Characters + </w>"),
        QT_TRANSLATE_NOOP("TrainingChoices", "Like characters, with a mark at the end of each word"),
    ),
)

NORMAL_FORMS = (
    Choice("", QT_TRANSLATE_NOOP("TrainingChoices", "None"), ""),
    Choice(
        "NFC",
        "NFC",
        QT_TRANSLATE_NOOP("TrainingChoices", "Composes e + accent into é. Looks the same, but the bytes differ"),
    ),
    Choice(
        "NFD",
        "NFD",
        QT_TRANSLATE_NOOP("TrainingChoices", "Decomposes é into e + accent. Looks the same, but the bytes differ"),
    ),
    Choice(
        "NFKC",
        "NFKC",
        QT_TRANSLATE_NOOP("TrainingChoices", "Like NFC; also ﬁ → fi, ² → 2, wide forms → narrow. Irreversible"),
    ),
    Choice(
        "NFKD",
        "NFKD",
        QT_TRANSLATE_NOOP("TrainingChoices", "Like NFD; also ﬁ → fi, ² → 2, wide forms → narrow. Irreversible"),
    ),
)

TIE_ORDERS = (
    Choice(
        "bytes",
        QT_TRANSLATE_NOOP("TrainingChoices", "Smaller IDs"),
        QT_TRANSLATE_NOOP("TrainingChoices", "Of equally frequent pairs, the one with the smaller IDs comes first"),
    ),
    Choice(
        "huggingface",
        QT_TRANSLATE_NOOP("TrainingChoices", "Like Hugging Face"),
        QT_TRANSLATE_NOOP("TrainingChoices", "Same merges as the trainer of the tokenizers library"),
    ),
)


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("TrainingChoices", text)


def hint_of(choices: tuple[Choice, ...], value: str) -> str:
    """Return the explanation of a value; empty for an unknown one."""
    return next((tr(choice.hint) for choice in choices if choice.value == value), "")


def choice_box(name: str, choices: tuple[Choice, ...]) -> QComboBox:
    """Return a combo box of choices, as narrow as possible for its column. Each choice has its hint as a tooltip."""
    box = QComboBox(objectName=name)
    for choice in choices:
        box.addItem(tr(choice.title), choice.value)
        box.setItemData(box.count() - 1, tr(choice.hint), Qt.ItemDataRole.ToolTipRole)
        spoken = f"{tr(choice.title)}: {tr(choice.hint)}" if choice.hint else tr(choice.title)
        box.setItemData(box.count() - 1, spoken, Qt.ItemDataRole.AccessibleTextRole)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(12)
    return box


# --- texts ------------------------------------------------------------------------------------------------------------

MEGABYTE = 1_000_000
MAX_SAMPLE_MB = 1_000_000
DEFAULT_SAMPLE_MB = 50
TREE_LINES = 8
HELD_OUT = 0.05
"""Default share of the texts held out of training, to evaluate the result on."""


class TrainingSurveyBox(QGroupBox):
    """View of a survey and its forecast; holds the rules of the next one.

    Signals: ``rules_changed()``: the rules have changed; ``held_out_changed()``.
    """

    rules_changed = Signal()
    held_out_changed = Signal()

    def __init__(self, text: TrainingText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTitle(self.tr("Texts"))
        self.setFont(semibold())
        self._text = text
        self.model = SkippedFilesModel(text, self)
        self._make()
        self._lay_out()
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
    def held_out_share(self) -> float:
        """Share of the texts that is held out of training."""
        return HELD_OUT if self.hold_back.isChecked() else 0.0

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
        self.sample_mb.setValue(_whole(state.get("sample_mb"), 0) or DEFAULT_SAMPLE_MB)
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

    def set_problem(self, problem: str, survey: CorpusSurvey | None = None) -> None:
        """Show why there is nothing to train on. ``survey``: what was skipped, if anything was found."""
        self._show(survey)
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
        self.remark = Remark()
        self.forecast = Remark()
        self.forecast.setObjectName("trainForecast")
        self.details = QToolButton(objectName="trainSkippedButton", checkable=True, autoRaise=True)
        self.details.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.details.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.tree = QTreeView(objectName="trainSkipped", accessibleName=self.tr("Skipped files, by reason"))
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
        self.sample_mb = SpinBox(objectName="trainSampleSize")
        self.sample_mb.setRange(1, MAX_SAMPLE_MB)
        self.sample_mb.setSuffix(self.tr(" MB"))
        self.sample_mb.setGroupSeparatorShown(True)
        self.sample_mb.setAccessibleName(self.tr("Size of the sample"))

    def _lay_out(self) -> None:
        grid = form_grid()
        form_row(grid, self.tr("Include onl&y"), self.include)
        form_row(grid, self.tr("Exc&lude"), self.exclude)
        which = FlowLayout(gap=16)
        which.add(self.gitignore, self.hidden_files)
        column_of(
            self.headline,
            self.remark,
            self.forecast,
            (self.details, 0, Qt.AlignmentFlag.AlignLeft),
            self.tree,
            grid,
            which,
            self.hold_back,
            row_of(self.sample, self.sample_mb, 1, spacing=6),
            parent=self,
            spacing=6,
        )

    def _connect(self) -> None:
        for field in (self.include, self.exclude):
            field.textChanged.connect(self.rules_changed)
        for switch in (self.gitignore, self.hidden_files, self.sample):
            switch.toggled.connect(self.rules_changed)
        self.sample_mb.valueChanged.connect(self.rules_changed)
        self.sample.toggled.connect(self.sample_mb.setEnabled)
        self.hold_back.toggled.connect(self.held_out_changed)
        self.details.toggled.connect(self._show_tree)

    @Slot()
    def _show_tree(self) -> None:
        shown = self.details.isChecked()
        self.tree.setVisible(shown and self.model.rowCount() > 0)
        self.details.setArrowType(Qt.ArrowType.DownArrow if shown else Qt.ArrowType.RightArrow)


def _field(name: str, hint: str) -> QLineEdit:
    field = QLineEdit(objectName=name, placeholderText=hint)
    field.setToolTip(field.tr("Patterns as in .gitignore, separated by commas."))
    return field


def _globs(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


# --- settings ---------------------------------------------------------------------------------------------------------

MAX_BYTES = 1_000_000
MAX_THREADS = 256
SPECIAL_LINES = 2
DESCRIBED = (
    ("alphabet", ALPHABETS),
    ("normalization", NORMAL_FORMS),
    ("tie_order", TIE_ORDERS),
)


class TrainingSettingsForm(QGroupBox):
    """The controls of ``TrainingSettings``, and the name of the result.

    Signals: ``settings_changed()``: the result would be another vocabulary; ``split_changed()``: emitted before it if
    the split or normalization changes; ``name_changed()``.
    """

    settings_changed = Signal()
    split_changed = Signal()
    name_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTitle(self.tr("Vocabulary"))
        self.setFont(semibold())
        self._pattern_problem = ""
        self._make_controls()
        self._lay_out()
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
        return self.pattern.currentText().strip() not in {choice.value for choice in PATTERNS}

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
        fresh = TrainingSettings(vocab_size=DEFAULT_VOCAB)
        blocker = QSignalBlocker(self)
        self.vocab_size.setValue(_whole(state.get("vocab_size"), fresh.vocab_size))
        pattern = state.get("pattern")
        self.pattern.setCurrentText(pattern if isinstance(pattern, str) and pattern else fresh.pattern)
        for name, _choices in DESCRIBED:
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
        of_bytes = self.alphabet.currentData() == "bytes"
        least = (MIN_VOCAB if of_bytes else 2) + len(self._special_tokens())
        if self.vocab_size.value() >= least:
            return ""
        words = self.tr("The vocabulary needs at least {least} entries.")
        if of_bytes:
            words = self.tr(
                "The vocabulary needs at least {least} entries: the 256 bytes, the special tokens and one merge."
            )
        return words.format(least=least)

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
        self.name = QLineEdit(objectName="trainName", toolTip=self.tr("Name of the encoding in Tokenloupe."))
        self.vocab_size = _number("trainVocabSize", 1, MAX_VOCAB)
        self.vocab_size.setToolTip(self.tr("Total number of entries: bytes, merges and special tokens."))
        self.pattern = choice_box("trainPattern", PATTERNS)
        self.pattern.setEditable(True)
        self.pattern.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.pattern.setCompleter(None)
        self.pattern.lineEdit().setFont(fixed_font())
        self.pattern.setToolTip(self.tr("How text is split before merging. Choose a pattern or type a regex."))
        self.dummy_prefix = QCheckBox(self.tr("Dummy prefix: ▁ before each text"), objectName="trainDummyPrefix")
        self.dummy_prefix.setToolTip(
            self.tr("Makes a word the same token at the start of a text as after a space. Decoding removes it.")
        )
        self.alphabet = choice_box("trainAlphabet", ALPHABETS)
        self.normalization = choice_box("trainNormalization", NORMAL_FORMS)
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
        self.tie_order = choice_box("trainTieOrder", TIE_ORDERS)
        self.thread_count = _number("trainThreads", 0, MAX_THREADS)
        self.thread_count.setSpecialValueText(self.tr("one per core"))
        self.thread_count.setToolTip(self.tr("Threads for reading and splitting. The merges do not depend on it."))
        self.cluster = QLineEdit(objectName="trainCluster", placeholderText=self.tr("count on this computer"))
        self.cluster.setToolTip(
            self.tr(
                "Address of a Dask scheduler, such as tcp://10.0.0.1:8786. Its workers must see the same files; they "
                "count instead of this computer. The merges do not depend on it. Empty at each start."
            )
        )
        self._cluster_remark = Remark()
        self.more = QToolButton(objectName="trainMore", checkable=True, autoRaise=True)
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

    def _lay_out(self) -> None:
        self.remarks = {name: Remark() for name in ("vocab_size", "pattern", "normalization")}
        grid = form_grid()
        form_row(grid, self.tr("Na&me"), self.name)
        form_row(grid, self.tr("Vocabulary si&ze"), self.vocab_size, self.remarks["vocab_size"])
        form_row(grid, self.tr("Spl&it pattern"), self.pattern, self.remarks["pattern"])
        grid.addWidget(self.dummy_prefix, grid.rowCount(), 1)
        form_row(grid, self.tr("Normalization"), self.normalization)
        switches = FlowLayout(gap=16)
        switches.add(self.lowercase, self.strip_accents)
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
        height = self.special.fontMetrics().lineSpacing() * SPECIAL_LINES
        self.special.setFixedHeight(height + margins.top() + margins.bottom() + 12)
        column_of(grid, self.finer, parent=self)

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
        self.name.textChanged.connect(self.name_changed)
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
    def _describe(self) -> None:
        """Show the meaning of the choices, and their problems."""
        self.finer.setVisible(self.more.isChecked())
        self.dummy_prefix.setVisible(has_signs(self.settings()))
        self.more.setArrowType(Qt.ArrowType.DownArrow if self.more.isChecked() else Qt.ArrowType.RightArrow)
        for name, choices in DESCRIBED:
            box: QComboBox = getattr(self, name)
            box.setToolTip(hint_of(choices, box.currentData()))
        kind = "error" if self._pattern_problem else ""
        self.remarks["pattern"].say(self._pattern_problem or self._pattern_text(), kind)
        self.remarks["vocab_size"].say(self._size_problem(), "error")
        self.remarks["normalization"].say(self._loss_text(), "warning")

    def _pattern_text(self) -> str:
        text = self.pattern.currentText().strip()
        if not text:
            return hint_of(PATTERNS, "none")
        return hint_of(PATTERNS, text) or self.tr(
            "Custom regular expression. Text it does not match is dropped from the training data."
        )

    def _loss_text(self) -> str:
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
    box = SpinBox(objectName=name)
    box.setRange(least, most)
    box.setGroupSeparatorShown(True)
    box.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
    box.setAccelerated(True)
    return box


def _whole(value: object, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else default
