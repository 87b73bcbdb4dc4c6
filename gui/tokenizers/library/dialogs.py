"""The dialogs of the library: preview of a file to import, a new name, and the models to count with a tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QWidget,
)

from gui.look.quantities import figure
from gui.look.style_sheet import give_tone
from gui.tokenizers.library.service import PATTERN_NAMES, ReadRequest, Refusal, TokenizerPreview
from gui.widgets.forms import Dialog, button_row, column_of, label_of, row_of
from gui.widgets.labels import PlainLabel, wrapped_label


class TokenizerNameDialog(Dialog):
    """Dialog for a new name that is not in ``taken``. Calls ``take`` with the old and the new name."""

    def __init__(
        self, name: str, taken: Collection[str], take: Callable[[str, str], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("tokenizerNameDialog")
        self.setWindowTitle(self.tr("Rename a tokenizer"))
        self._old, self._taken, self._take = name, frozenset(taken), take
        self.name = QLineEdit(name, objectName="tokenizerName", maxLength=LONGEST_NAME)
        self.name.setAccessibleName(self.tr("New name"))
        self.name.selectAll()
        label = label_of(self.name, self.tr("&New name of {name}:").format(name=name.replace("&", "&&")))
        self.remark = wrapped_label("tokenizerNameRemark")
        buttons = button_row(self, QDialogButtonBox.StandardButton.Ok, QDialogButtonBox.StandardButton.Cancel)
        self.ok = buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.ok.setText(self.tr("&Rename"))
        column_of(label, self.name, self.remark, buttons, parent=self, margins=None)
        self.name.textChanged.connect(self._check)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 48)
        self._check()

    def accept(self) -> None:
        if self.ok.isEnabled():
            super().accept()
            self._take(self._old, self._new)

    @property
    def _new(self) -> str:
        return " ".join(self.name.text().split())

    @Slot()
    def _check(self) -> None:
        is_taken = self._new != self._old and self._new in self._taken
        self.remark.setText(self.tr("⚠ An encoding with this name exists.") if is_taken else "")
        self.ok.setEnabled(bool(self._new) and self._new != self._old and not is_taken)


LONGEST_NAME = 80
_LONGEST_SHOWN = 160


class TokenizerImportDialog(Dialog):
    """Preview of a file to import. Accepted with a valid preview and a free name; the caller does the import.

    Signals: ``read_asked(ReadRequest)``: read the same file again with a split pattern.
    """

    read_asked = Signal(object)

    def __init__(self, taken: Collection[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tokenizerImportDialog")
        self.setWindowTitle(self.tr("Import a tokenizer"))
        self._taken = frozenset(taken)
        self._path = Path()
        self.preview: TokenizerPreview | None = None
        self.says_why = False
        """True if it shows why a file was not read."""
        self.about = _words("tokenizerImportAbout")
        self.busy = QProgressBar(objectName="tokenizerImportBusy")
        self.busy.setRange(0, 0)
        self.busy.setTextVisible(False)
        self.busy.setAccessibleName(self.tr("Reading and checking the file"))
        self.facts = QFormLayout()
        self.facts.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.facts.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self._make_pattern()
        self._make_name()
        self._buttons = button_row(self, QDialogButtonBox.StandardButton.Ok, QDialogButtonBox.StandardButton.Cancel)
        self.add = self._buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.add.setText(self.tr("&Add"))
        self.add.setObjectName("tokenizerImportAdd")
        self._lay_out()
        self.resize(self.fontMetrics().averageCharWidth() * 92, 480)

    def _make_pattern(self) -> None:
        self.pattern = QComboBox(objectName="tokenizerImportPattern", editable=True)
        self.pattern.addItems(PATTERN_NAMES)
        self.pattern.setAccessibleName(self.tr("Split pattern: a name, or a regular expression"))
        self.again = QPushButton(self.tr("&Read with this pattern"), objectName="tokenizerImportAgain")
        self.again.setAutoDefault(False)
        self.again.clicked.connect(self._ask_again)
        label = label_of(self.pattern, self.tr("&Split pattern"))
        self.asking = QWidget()
        row_of(label, (self.pattern, 1), self.again, parent=self.asking)

    def _make_name(self) -> None:
        self.name = QLineEdit(objectName="tokenizerImportName", maxLength=LONGEST_NAME)
        self.name.setAccessibleName(self.tr("Name of the new encoding"))
        self.name.textChanged.connect(self._check_name)
        self.remark = _words("tokenizerImportRemark")
        label = label_of(self.name, self.tr("&Name"))
        self.naming = QWidget()
        row_of(label, (self.name, 1), parent=self.naming)

    def _lay_out(self) -> None:
        content = QWidget()
        column_of(self.about, self.facts, 1, parent=content)
        self.scroll = QScrollArea(objectName="tokenizerImportFacts", accessibleName=self.tr("File contents"))
        self.scroll.setWidgetResizable(True)
        self.scroll.setFrameShape(QFrame.Shape.NoFrame)
        self.scroll.setWidget(content)
        foot = (self.asking, self.naming, self.remark, self._buttons)
        column_of(self.busy, (self.scroll, 1), *foot, parent=self, margins=None)

    # --- display ------------------------------------------------------------------------------------------------------

    def show_reading(self, path: Path) -> None:
        """Show that a file is being read."""
        self._path = path
        self.preview = None
        self.says_why = False
        self._show_facts(())
        self._say(self.tr("Reading and checking {name}…").format(name=path.name))
        self.busy.setVisible(True)
        self.asking.setVisible(False)
        self.naming.setVisible(False)
        self.remark.setText("")
        self.add.setEnabled(False)

    def show_refusal(self, refusal: Refusal) -> None:
        """Show why a file was not read, and ask for a split pattern if it lacks one."""
        self.says_why = True
        self.busy.setVisible(False)
        self._say(f"✗ {refusal.why}", error=True)
        self.asking.setVisible(refusal.wants_pattern or bool(refusal.request.pattern))
        if self.asking.isVisible():
            self.pattern.setFocus()

    def show_preview(self, preview: TokenizerPreview) -> None:
        """Show the content of a file, and offer to import it."""
        self.preview = preview
        self.busy.setVisible(False)
        self.asking.setVisible(bool(preview.request.pattern))
        self._say(self.tr("{name} contains a tokenizer.").format(name=preview.request.path.name))
        self._show_facts(self._facts_of(preview))
        self.naming.setVisible(True)
        self.name.setText(preview.name)
        self.name.selectAll()
        self.name.setFocus()
        self._check_name()

    def _facts_of(self, preview: TokenizerPreview) -> tuple[tuple[str, str], ...]:
        locale, check = self.locale(), preview.check
        kind = f"{preview.kind}, {preview.model}" if preview.model else preview.kind
        special = ", ".join(f"{text} ({token_id})" for text, token_id in preview.special)
        if preview.special_count > len(preview.special):
            special += ", …"
        ids = self.tr("same as {library} on {tokens} tokens")
        if check.runs:
            ids = self.tr("from {library} itself; checked on {tokens} tokens")
        lost = self.tr("nothing: all {texts} test texts round-trip")
        if check.changed:
            lost = self.tr("{changed} of {texts} test texts do not round-trip")
        facts = [
            (self.tr("File"), str(preview.request.path)),
            (self.tr("Kind"), kind),
            (self.tr("Engine"), preview.runs or self.tr("Tokenloupe's own engine")),
            (
                self.tr("Size"),
                self.tr("{tokens} tokens and {special} special tokens, IDs up to {last}").format(
                    tokens=figure(locale, preview.tokens),
                    special=figure(locale, preview.special_count),
                    last=figure(locale, preview.ids - 1),
                ),
            ),
            (self.tr("Special tokens"), special or self.tr("none")),
            (self.tr("Split"), _short(preview.pattern) or self.tr("by the library")),
            (self.tr("Normalization"), ", ".join(preview.normalization) or self.tr("nothing")),
            (self.tr("IDs"), "✓ " + ids.format(library=check.library, tokens=figure(locale, check.tokens))),
            (
                self.tr("Lost"),
                lost.format(changed=figure(locale, check.changed), texts=figure(locale, check.texts)),
            ),
        ]
        if check.example is not None:
            before, after = (_short(repr(text)) for text in check.example)
            facts.append((self.tr("For example"), f"{before} → {after}"))
        if check.runs:
            facts.append((self.tr("Not shown"), self.tr("merges and unreachable tokens")))
        return (*facts, *((self.tr("Note"), note) for note in preview.notes))

    def _show_facts(self, facts: Collection[tuple[str, str]]) -> None:
        while self.facts.rowCount():
            self.facts.removeRow(0)
        for title, words in facts:
            value = _words("")
            value.setText(words)
            value.setAccessibleName(title)
            self.facts.addRow(PlainLabel(f"{title}:"), value)

    def _say(self, words: str, *, error: bool = False) -> None:
        give_tone(self.about, "error" if error else "")
        self.about.setText(words)

    # --- user actions -------------------------------------------------------------------------------------------------

    @property
    def chosen_name(self) -> str:
        """The name that the user entered, with whitespace normalized."""
        return " ".join(self.name.text().split())

    @Slot()
    def _ask_again(self) -> None:
        pattern = self.pattern.currentText().strip()
        if pattern:
            self.show_reading(self._path)
            self.read_asked.emit(ReadRequest(self._path, pattern))

    @Slot()
    def _check_name(self) -> None:
        name = self.chosen_name
        is_taken = name in self._taken
        self.remark.setText(self.tr("⚠ An encoding with this name exists.") if is_taken else "")
        self.remark.setVisible(is_taken)
        self.add.setEnabled(self.preview is not None and bool(name) and not is_taken)


def _words(name: str) -> QLabel:
    label = PlainLabel(objectName=name)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


_ID = Qt.ItemDataRole.UserRole


class TokenizerModelsDialog(Dialog):
    """Dialog to choose the models to count with an encoding. Accepted with at least one new model checked."""

    def __init__(self, encoding: str, models: Iterable[tuple[str, str, str]], parent: QWidget | None = None) -> None:
        """``models``: ID, name, and current tokenizer of each."""
        super().__init__(parent)
        self.setObjectName("tokenizerModelsDialog")
        self.setWindowTitle(self.tr("Count models with {name}").format(name=encoding))
        self.encoding = encoding
        about = QLabel(
            self.tr(
                "Checked models are counted with {name} from now on. Your price file records this as “assumed”: only "
                "you know that it is the model's own tokenizer."
            ).format(name=encoding)
        )
        about.setTextFormat(Qt.TextFormat.PlainText)
        about.setWordWrap(True)
        self.filter = QLineEdit(objectName="tokenizerModelsFilter", placeholderText=self.tr("Filter models"))
        self.filter.setAccessibleName(self.filter.placeholderText())
        self.filter.setClearButtonEnabled(True)
        self.list = QListWidget(objectName="tokenizerModels")
        self.list.setAccessibleName(self.tr("Models; Space checks the selected one"))
        for model_id, name, counted in models:
            self._add(model_id, name, counted)
        buttons = button_row(self, QDialogButtonBox.StandardButton.Ok, QDialogButtonBox.StandardButton.Cancel)
        self.ok = buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.ok.setText(self.tr("&Assign"))
        column_of(about, self.filter, (self.list, 1), buttons, parent=self, margins=None)
        self.filter.textChanged.connect(self._show_matching)
        self.list.itemChanged.connect(self._show_choice)
        self.resize(self.fontMetrics().averageCharWidth() * 76, 460)
        self._show_choice()
        self.filter.setFocus()

    def _add(self, model_id: str, name: str, counted: str) -> None:
        words = self.tr("{name}   ({id}; now {tokenizer})") if counted else self.tr("{name}   ({id})")
        item = QListWidgetItem(words.format(name=name, id=model_id, tokenizer=counted), self.list)
        item.setData(_ID, model_id)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        is_so = counted == self.encoding
        item.setCheckState(Qt.CheckState.Checked if is_so else Qt.CheckState.Unchecked)
        if is_so:
            item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEnabled)

    @property
    def models(self) -> tuple[str, ...]:
        """The IDs of the checked models."""
        items = (self.list.item(row) for row in range(self.list.count()))
        return tuple(
            str(item.data(_ID))
            for item in items
            if item.checkState() == Qt.CheckState.Checked and item.flags() & Qt.ItemFlag.ItemIsEnabled
        )

    @Slot(str)
    def _show_matching(self, words: str) -> None:
        search: Sequence[str] = words.casefold().split()
        for row in range(self.list.count()):
            item = self.list.item(row)
            item.setHidden(not all(word in item.text().casefold() for word in search))

    @Slot()
    def _show_choice(self) -> None:
        self.ok.setEnabled(bool(self.models))
