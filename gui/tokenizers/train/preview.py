"""How a real text of the folder would be split: its pretokens in colours, and what normalisation does to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from gui.look.plain_label import PlainLabel
from gui.look.quantities import TrainingText
from gui.look.theme import Theme
from gui.state.settings import SettingsStore
from gui.widgets.editor_look import TokenView
from gui.widgets.form_rows import Remark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.tokenizers.train.preview_service import SplitPreview

MOST_FILES = 200
MOST_CHANGES = 8


class TrainingPreview(QWidget):
    """A read-only text with its pretokens, out of a file that can be chosen.

    Signals: ``file_chosen(int)`` with the place of a file in the list; ``files_dropped(list)`` with paths.
    """

    file_chosen = Signal(int)
    files_dropped = Signal(list)

    def __init__(
        self, theme: Theme, text: TrainingText, settings: SettingsStore, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._text = text
        self.files = QComboBox(objectName="trainPreviewFile")
        self.files.setAccessibleName(self.tr("File of the preview"))
        self.files.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.files.setMinimumContentsLength(10)
        self.figures = PlainLabel(objectName="trainPreviewFigures")
        self.remark = Remark(theme)
        self.remark.setObjectName("trainPreviewChanges")
        self.view = TokenView(theme, settings, self)
        self.view.setObjectName("trainPreview")
        self.view.setAccessibleName(self.tr("Preview of the split"))
        self.hint = PlainLabel()
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint.setWordWrap(True)
        self._place()
        self.invite()
        self.files.currentIndexChanged.connect(self._on_file)
        self.view.files_dropped.connect(self.files_dropped)

    def set_files(self, files: Sequence[str], current: int) -> None:
        """Offer these files, shown by these names; the first few hundred will do to look at."""
        blocker = QSignalBlocker(self.files)
        self.files.clear()
        self.files.addItems(list(files[:MOST_FILES]))
        self.files.setCurrentIndex(current)
        blocker.unblock()
        if not files:
            self.pages.setCurrentWidget(self.hint_page)

    def invite(self) -> None:
        """Ask for a folder."""
        self.show_hint(self.tr("Choose a folder of texts above, or drop one here.\nNothing leaves this computer."))

    def show_hint(self, words: str) -> None:
        """Say why there is no preview."""
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
        """What normalisation does to this text, in words."""
        if not preview.changes:
            return ""
        number = sum(count for _before, _after, count in preview.changes)
        shown = ", ".join(f"{before} → {after or '∅'}" for before, after, _count in preview.changes[:MOST_CHANGES])
        more = ", …" if len(preview.changes) > MOST_CHANGES else ""
        places = self.tr("1 place") if number == 1 else self.tr("{n} places").format(n=self._text.number(number))
        return self.tr("Normalisation changes {places}, framed below: {changes}").format(
            places=places, changes=shown + more
        )

    def _place(self) -> None:
        self._shown_text: str | None = None
        head = QHBoxLayout()
        head.setSpacing(8)
        label = PlainLabel(self.tr("Te&xt:"))
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
