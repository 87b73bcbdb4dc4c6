"""Token IDs in place of the editor: the list, copying it in four forms, and IDs back to text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSplitter,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.editor.soft_text_edit import SoftTextEdit
from gui.look.figures import figure
from gui.look.fonts import fixed_font
from gui.look.icons import Icons
from gui.look.plain_label import PlainLabel
from gui.look.theme import Theme
from gui.prompt.ids_list import IdsList
from gui.prompt.ids_service import FORMS, IdsText, written
from gui.prompt.prompt import Prompt
from gui.state.settings import SettingsStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PREVIEWED = 200
"""So many IDs are written into the field."""
READ_AFTER_MS = 150
LEAST_LINES = 4


class IdsPanel(QWidget):
    """The IDs of the prompt, with what can be done about them.

    Signals: ``copy_asked(str)``: in which form; ``paste_asked()``: IDs are to be turned into text.
    """

    copy_asked = Signal(str)
    paste_asked = Signal()

    def __init__(self, prompt: Prompt, theme: Theme, settings: SettingsStore, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self._ids: NDArray[np.int32] | None = None
        self._name = ""
        self.setObjectName("idsView")
        self.setAccessibleName(self.tr("Token IDs"))
        self.list = IdsList(prompt, theme, settings, self)
        self.list.setMinimumHeight(self.list.fontMetrics().lineSpacing() * LEAST_LINES)
        self._title = PlainLabel(self)
        self._title.setObjectName("idsTitle")
        self._title.setProperty("role", "strong")
        self.forms = QTabBar(self)
        self.forms.setObjectName("idsForm")
        self.forms.setAccessibleName(self.tr("Form of the IDs"))
        self.forms.setProperty("kind", "segments")
        self.forms.setDrawBase(False)
        titles = {"json": "JSON", "csv": "CSV", "python": "Python", "plain": self.tr("Plain")}
        for form in FORMS:
            self.forms.addTab(titles[form])
        self.preview = QLineEdit(self)
        self.preview.setObjectName("idsPreview")
        self.preview.setReadOnly(True)
        self.preview.setAccessibleName(self.tr("IDs to copy"))
        self.preview.setFont(fixed_font(settings.values.font_size, settings.values.font_family))
        self.copy = QPushButton(icons.icon("copy"), self.tr("&Copy all"), self)
        self.copy.setObjectName("copyIds")
        self.copy.setProperty("kind", "primary")
        self.paste = QPushButton(self.tr("Paste &IDs…"), self)
        self.paste.setObjectName("pasteIds")
        self.paste.setProperty("kind", "quiet")
        self.paste.setToolTip(self.tr("Turn token IDs into text"))
        self._lay_out()
        self.copy.clicked.connect(self._ask_to_copy)
        self.list.copy_asked.connect(self._ask_to_copy)
        self.list.token_chosen.connect(self._show_figures)
        self.paste.clicked.connect(self.paste_asked)
        self.forms.currentChanged.connect(self._show_figures)

    def _lay_out(self) -> None:
        above, below = QHBoxLayout(), QHBoxLayout()
        above.addWidget(self._title, 1)
        above.addWidget(self.forms)
        below.addWidget(self.preview, 1)
        below.addWidget(self.copy)
        below.addWidget(self.paste)
        foot = QVBoxLayout()
        foot.setContentsMargins(10, 6, 10, 8)
        foot.addLayout(above)
        foot.addLayout(below)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.list, 1)
        column.addLayout(foot)

    @property
    def form(self) -> str:
        """The form in which IDs are copied."""
        return FORMS[self.forms.currentIndex()]

    def set_ids(self, ids: NDArray[np.int32], encoding: str) -> None:
        """Show the IDs of the prompt."""
        self._ids, self._name = ids, encoding
        self.list.set_ids(ids)
        self._show_figures()

    def chosen_ids(self) -> NDArray[np.int32] | None:
        """The IDs marked, of several tokens, else all; None before there are any."""
        first, last = self.list.selection
        if self._ids is None or last - first < 2:
            return self._ids
        return self._ids[first:last]

    @Slot()
    def _show_figures(self) -> None:
        ids = self.chosen_ids()
        if ids is None:
            return
        some = self._ids is not None and len(ids) < len(self._ids)
        words = self.tr("{n} selected IDs of {encoding}") if some else self.tr("{n} IDs of {encoding}")
        self._title.setText(words.format(n=figure(self.locale(), len(ids)), encoding=self._name))
        self.copy.setText(self.tr("&Copy selected") if some else self.tr("&Copy all"))
        text = written(ids[:PREVIEWED], self.form)
        self.preview.setText(text if len(ids) <= PREVIEWED else text.removesuffix("]") + " …")
        self.preview.setCursorPosition(0)

    @Slot()
    def _ask_to_copy(self) -> None:
        self.copy_asked.emit(self.form)


class IdsToText(QFrame):
    """IDs on one side, the text that they spell on the other.

    Signals: ``read_asked(str)``: the IDs in the field have changed; ``insert_asked(str)``: put the text at the caret;
    ``copy_asked(str)``; ``closed()``.
    """

    read_asked = Signal(str)
    insert_asked = Signal(str)
    copy_asked = Signal(str)
    closed = Signal()

    def __init__(self, settings: SettingsStore, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = ""
        self.setObjectName("idsToText")
        self.setAccessibleName(self.tr("IDs to text"))
        self.ids, self.text = SoftTextEdit(self), SoftTextEdit(self)
        self.ids.setObjectName("pastedIds")
        self.ids.setAccessibleName(self.tr("Token IDs"))
        self.ids.setPlaceholderText(self.tr("Paste token IDs: JSON, CSV, or separated by spaces"))
        self.text.setObjectName("textOfIds")
        self.text.setAccessibleName(self.tr("Text of the IDs"))
        self.text.setReadOnly(True)
        for field in (self.ids, self.text):
            field.setFont(fixed_font(settings.values.font_size, settings.values.font_family))
            field.setTabChangesFocus(True)
        self.message = PlainLabel(self)
        self.message.setObjectName("idsMessage")
        self.message.setWordWrap(True)
        self.insert = QPushButton(self.tr("Insert in &prompt"), self)
        self.insert.setObjectName("insertIdsText")
        self.insert.setProperty("kind", "primary")
        self.copy = QPushButton(self.tr("Cop&y text"), self)
        self.copy.setObjectName("copyIdsText")
        self.copy.setProperty("kind", "secondary")
        self.close_button = QToolButton(self)
        self.close_button.setObjectName("closeIdsToText")
        self.close_button.setProperty("kind", "icon")
        self.close_button.setAutoRaise(True)
        self.close_button.setIcon(icons.icon("close"))
        self.close_button.setAccessibleName(self.tr("Close IDs to text"))
        self.close_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._timer = QTimer(self, singleShot=True, interval=READ_AFTER_MS)
        self._timer.timeout.connect(self._ask)
        self.ids.textChanged.connect(self._timer.start)
        self.insert.clicked.connect(self._insert)
        self.copy.clicked.connect(self._copy)
        self.close_button.clicked.connect(self.closed)
        self._lay_out()
        self._show_state(ready=False)

    def _lay_out(self) -> None:
        title = PlainLabel(self.tr("IDs to text"), self)
        title.setProperty("role", "strong")
        above, below = QHBoxLayout(), QHBoxLayout()
        above.addWidget(title, 1)
        above.addWidget(self.close_button)
        below.addWidget(self.message, 1)
        below.addWidget(self.copy)
        below.addWidget(self.insert)
        split = QSplitter(self)
        split.addWidget(self.ids)
        split.addWidget(self.text)
        split.setChildrenCollapsible(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 6, 10, 8)
        column.addLayout(above)
        column.addWidget(split, 1)
        column.addLayout(below)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * 10)

    def open(self) -> None:
        """Show the panel, ready to paste into."""
        self.show()
        self.ids.setFocus()
        self._timer.start()

    def show_text(self, of: str, found: IdsText) -> None:
        """Show what the IDs ``of`` spell, and which are none."""
        if of != self.ids.toPlainText():
            return
        self._text = found.text
        self.text.load_text(found.text)
        number = self.locale().toString
        if found.bad:
            bad = "; ".join(
                self.tr("“{id}”, number {n}").format(id=bad.text, n=number(bad.number)) for bad in found.bad
            )
            more = found.bad_count - len(found.bad)
            words = self.tr("Not IDs of this encoding: {bad}") + (self.tr(" and {n} more") if more else "") + "."
            self.message.setText(words.format(bad=bad, n=number(more)))
        elif found.broken:
            self.message.setText(self.tr("The IDs start or end inside a character, shown as “�”."))
        elif found.count and not found.same_again:
            self.message.setText(self.tr("Encoding this text again gives other IDs."))
        else:
            self.message.setText(self.tr("{n} IDs").format(n=number(found.count)) if found.count else "")
        self._show_state(ready=bool(found.text) and not found.bad)

    def _show_state(self, *, ready: bool) -> None:
        self.insert.setEnabled(ready)
        self.copy.setEnabled(ready)

    @Slot()
    def _ask(self) -> None:
        if self.ids.is_loading:
            self._timer.start()
        elif self.isVisible():
            self.read_asked.emit(self.ids.toPlainText())

    @Slot()
    def _insert(self) -> None:
        self.insert_asked.emit(self._text)

    @Slot()
    def _copy(self) -> None:
        self.copy_asked.emit(self._text)
