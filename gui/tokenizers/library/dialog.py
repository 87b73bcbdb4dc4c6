"""The tokenizers of the user: imported and trained ones, and those that other programs keep on this computer."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.core.local_tokenizers import LocalTokenizer
from gui.core.token_text import visible_line
from gui.look.plain_label import PlainLabel
from gui.look.plain_tip import plain_tip
from gui.widgets.dialog_buttons import button_row

_DATA = Qt.ItemDataRole.UserRole


class TokenizersDialog(QDialog):
    """Says what the user wants done; who does it is elsewhere.

    Signals: ``import_asked()``; ``found_chosen(Path)``; ``find_asked()``; with the name of an encoding:
    ``use_asked(str)``, ``rename_asked(str)``, ``remove_asked(str)``, ``assign_asked(str)``.
    """

    import_asked = Signal()
    find_asked = Signal()
    found_chosen = Signal(object)
    use_asked = Signal(str)
    rename_asked = Signal(str)
    remove_asked = Signal(str)
    assign_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tokenizersDialog")
        self.setWindowTitle(self.tr("Tokenizers"))
        self.own = QListWidget(objectName="tokenizersOwn")
        self.own.setAccessibleName(self.tr("Your own tokenizers"))
        self.found = QListWidget(objectName="tokenizersFound")
        self.found.setAccessibleName(self.tr("Tokenizers found on this computer"))
        self.about_own, self.about_found = _words("tokenizersAboutOwn"), _words("tokenizersAboutFound")
        self._make_buttons()
        self._place()
        self.own.currentItemChanged.connect(self._show_choice)
        self.own.itemActivated.connect(self._use)
        self.found.currentItemChanged.connect(self._show_choice)
        self.found.itemActivated.connect(self._choose_found)
        self.about_found.setText(
            self.tr(
                "Other programs keep tokenizers on this computer: Hugging Face's cache, Ollama, LM Studio, llama.cpp. "
                "Nothing is looked for before you ask, and nothing comes from the network."
            )
        )
        self.show_own(())
        self.resize(self.fontMetrics().averageCharWidth() * 88, 520)

    def _make_buttons(self) -> None:
        self.take = self._button(self.tr("&Import a file…"), "tokenizersImport", self.import_asked)
        self.use = self._button(self.tr("&Use in the editor"), "tokenizersUse", self._use)
        self.assign = self._button(self.tr("&Assign to models…"), "tokenizersAssign", self._assign)
        self.rename = self._button(self.tr("Re&name…"), "tokenizersRename", self._rename)
        self.remove = self._button(self.tr("Re&move…"), "tokenizersRemove", self._remove)
        self.find = self._button(self.tr("&Look on this computer"), "tokenizersFind", self._find)
        self.take_found = self._button(self.tr("Im&port the selected…"), "tokenizersImportFound", self._choose_found)

    def _button(self, text: str, name: str, act: object) -> QPushButton:
        button = QPushButton(text, objectName=name)
        button.setAutoDefault(False)
        button.clicked.connect(act)
        return button

    def _place(self) -> None:
        own = QGroupBox(self.tr("Your own"))
        row = QHBoxLayout(own)
        left = QVBoxLayout()
        left.addWidget(self.about_own)
        left.addWidget(self.own, 1)
        row.addLayout(left, 1)
        right = QVBoxLayout()
        for button in (self.take, self.use, self.assign, self.rename, self.remove):
            right.addWidget(button)
        right.addStretch(1)
        row.addLayout(right)
        others = QGroupBox(self.tr("Of other programs"))
        row = QHBoxLayout(others)
        left = QVBoxLayout()
        left.addWidget(self.about_found, 0, Qt.AlignmentFlag.AlignTop)
        left.addWidget(self.found, 1)
        row.addLayout(left, 1)
        right = QVBoxLayout()
        right.addWidget(self.find)
        right.addWidget(self.take_found)
        right.addStretch(1)
        row.addLayout(right)
        self.found.setVisible(False)
        self.take_found.setVisible(False)
        column = QVBoxLayout(self)
        column.addWidget(own, 3)
        column.addWidget(others, 2)
        column.addWidget(button_row(self, QDialogButtonBox.StandardButton.Close))

    # --- what it shows ------------------------------------------------------------------------------------------------

    def show_own(self, encodings: Sequence[tuple[str, str]]) -> None:
        """Names and descriptions of the user's own encodings; the one that is selected stays selected."""
        chosen = self.chosen
        self.own.clear()
        for name, description in encodings:
            item = QListWidgetItem(f"{name}   ({description})" if description else name, self.own)
            item.setData(_DATA, name)
            if name == chosen:
                self.own.setCurrentItem(item)
        if self.own.count() and self.own.currentRow() < 0:
            self.own.setCurrentRow(0)
        if not self.own.count() and self.focusWidget() in (None, self.own):
            self.take.setFocus()  # in an empty list there is nothing for a key to do
        self.about_own.setText(
            self.tr("Counted with like the built-in ones: in the editor, the cost table, and the other tabs.")
            if encodings
            else self.tr("There are none yet. Import a file, or drop it on the window; or train one.")
        )
        self._show_choice()

    def select(self, name: str) -> None:
        """Select an encoding."""
        for row in range(self.own.count()):
            if self.own.item(row).data(_DATA) == name:
                self.own.setCurrentRow(row)

    def show_found(self, tokenizers: Sequence[LocalTokenizer]) -> None:
        """What the search found."""
        self.find.setEnabled(True)
        self.found.clear()
        for one in tokenizers:
            item = QListWidgetItem(visible_line(f"{one.title}   ({one.owner})"), self.found)
            item.setData(_DATA, one.path)
            item.setToolTip(plain_tip(str(one.path)))
        self.found.setVisible(bool(tokenizers))
        self.take_found.setVisible(bool(tokenizers))
        self.about_found.setText(
            self.tr("Found: {number}. A file is only read when you import it.").format(number=len(tokenizers))
            if tokenizers
            else self.tr("No tokenizers of other programs were found on this computer.")
        )
        if tokenizers:
            self.found.setCurrentRow(0)
            self.found.setFocus()
        self._show_choice()

    def show_stopped(self) -> None:
        """The search was stopped."""
        self.find.setEnabled(True)

    @property
    def chosen(self) -> str:
        """The name of the selected encoding, empty for none."""
        item = self.own.currentItem()
        return str(item.data(_DATA)) if item is not None else ""

    @Slot()
    def _show_choice(self) -> None:
        for button in (self.use, self.assign, self.rename, self.remove):
            button.setEnabled(bool(self.chosen))
        self.take_found.setEnabled(self.found.currentItem() is not None)

    # --- what the user does -------------------------------------------------------------------------------------------

    @Slot()
    def _find(self) -> None:
        self.find.setEnabled(False)
        self.about_found.setText(self.tr("Looking…"))
        self.find_asked.emit()

    @Slot()
    def _choose_found(self) -> None:
        item = self.found.currentItem()
        if item is not None:
            self.found_chosen.emit(item.data(_DATA))

    @Slot()
    def _use(self) -> None:
        if self.chosen:
            self.use_asked.emit(self.chosen)

    @Slot()
    def _assign(self) -> None:
        self.assign_asked.emit(self.chosen)

    @Slot()
    def _rename(self) -> None:
        self.rename_asked.emit(self.chosen)

    @Slot()
    def _remove(self) -> None:
        self.remove_asked.emit(self.chosen)


def _words(name: str) -> QLabel:
    label = PlainLabel(objectName=name)
    label.setWordWrap(True)
    return label
