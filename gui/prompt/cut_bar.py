"""Bar below the editor that cuts the prompt to a number of tokens, and its controller."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QFrame, QPushButton, QToolButton, QWidget

from gui.core.figures import MAX_TOKENS
from gui.core.text_chunks import ChunkedText
from gui.look.icons import Icons
from gui.look.quantities import figure
from gui.look.style_sheet import give_kind
from gui.prompt.token_service import CutRequest, TextCut, cut_text
from gui.runtime.notify import Offer
from gui.widgets.forms import SpinBox, label_of, row_of
from gui.widgets.labels import PlainLabel

if TYPE_CHECKING:
    from engine.encoding.encoding import Kept
    from gui.prompt.prompt_panel import PromptPanel
    from gui.runtime.jobs import JobFailure, JobResult
    from gui.widgets.page_controller import AppContext

ASK_AFTER_MS = 150


class CutBar(QFrame):
    """Fields for the number of tokens and the part to keep, with the resulting count.

    Signals: ``changed()``: another number or part; ``cut_asked()``; ``closed()``.
    """

    changed = Signal()
    cut_asked = Signal()
    closed = Signal()

    def __init__(self, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("cutToTokens")
        self.setAccessibleName(self.tr("Cut to tokens"))
        self.tokens = SpinBox(self, objectName="cutTokens", accessibleName=self.tr("Tokens to keep"))
        self.tokens.setRange(0, MAX_TOKENS)
        self.tokens.setGroupSeparatorShown(True)
        self.tokens.setMinimumWidth(self.fontMetrics().horizontalAdvance("0") * 14)
        self.keep = QComboBox(self, objectName="cutKeep", accessibleName=self.tr("Part to keep"))
        titles = {"start": self.tr("the start"), "end": self.tr("the end"), "ends": self.tr("the start and the end")}
        for part, title in titles.items():
            self.keep.addItem(title, part)
        self.outcome = PlainLabel(self, objectName="cutOutcome")
        self.cut = QPushButton(self.tr("Cut"), self, objectName="cutApply")
        give_kind(self.cut, "primary")
        self.close_button = QToolButton(self, objectName="closeCut")
        self.close_button.setProperty("kind", "icon")
        self.close_button.setAutoRaise(True)
        self.close_button.setIcon(icons.icon("close"))
        self.close_button.setAccessibleName(self.tr("Close cut to tokens"))
        self.close_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._lay_out()
        self.tokens.valueChanged.connect(self.changed)
        self.keep.currentIndexChanged.connect(self.changed)
        self.cut.clicked.connect(self.cut_asked)
        self.close_button.clicked.connect(self.closed)

    def _lay_out(self) -> None:
        first, second = label_of(self.tokens, self.tr("Cut to")), label_of(self.keep, self.tr("tokens, keep"))
        row = row_of(
            *(first, self.tokens, second, self.keep, (self.outcome, 1), self.cut, self.close_button),
            parent=self,
            margins=(16, 6, 12, 6),
        )
        row.insertSpacing(row.indexOf(self.outcome), 12)

    @property
    def part(self) -> Kept:
        """Part to keep, as ``engine.encoding.encoding`` names it."""
        return self.keep.currentData()

    def show_cut(self, found: TextCut | None) -> None:
        """Show the counts before and after the cut; None while they are not known."""
        self.cut.setEnabled(found is not None and found.after < found.before)
        if found is None:
            self.outcome.setText("")
            return
        before, after = figure(self.locale(), found.before), figure(self.locale(), found.after)
        if found.before == found.after:
            self.outcome.setText(self.tr("{n} tokens: nothing to cut").format(n=before))
        else:
            self.outcome.setText(self.tr("{before} → {after} tokens").format(before=before, after=after))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.cut.isEnabled():
            self.cut_asked.emit()
        else:
            super().keyPressEvent(event)


class CutController(QObject):
    """Controller that computes the cut while the bar is open, and applies it as one undo step."""

    def __init__(self, panel: PromptPanel, context: AppContext) -> None:
        super().__init__(panel)
        self._panel, self._prompt, self._notifier = panel, panel.prompt, context.notifier
        self._lane = context.jobs.conflated(self.tr("Cutting the text"), partial(cut_text, context.encodings.open))
        self._text: tuple[int, ChunkedText] | None = None
        self._found: tuple[CutRequest, TextCut] | None = None
        self._waits = False
        self.bar = CutBar(panel.icons, panel)
        panel.add_strip(self.bar)
        self._timer = QTimer(self, singleShot=True, interval=ASK_AFTER_MS)
        self._timer.timeout.connect(self._ask_for_text)
        self.bar.changed.connect(self._refresh)
        self.bar.cut_asked.connect(self.cut)
        self.bar.closed.connect(self._close)
        self._prompt.changed.connect(self._refresh)
        self._prompt.encoding_changed.connect(self._refresh)
        self._prompt.text_ready.connect(self._on_text)
        self._lane.finished.connect(self._on_found)
        self._lane.failed.connect(self._on_failed)

    @Slot()
    def open(self) -> None:
        """Show the bar with the number selected."""
        self._panel.show_text()
        counts = self._prompt.counts
        if not self.bar.tokens.value() and counts is not None:
            self.bar.tokens.setValue(counts.tokens // 2)
        self.bar.show()
        self.bar.tokens.setFocus()
        self.bar.tokens.selectAll()
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        if self.bar.isHidden() or (self._found is not None and self._answers(self._found[0])):
            return  # Enter in the field emits its unchanged number again
        self._found = None
        self.bar.show_cut(None)
        self._timer.start()

    @Slot()
    def _ask_for_text(self) -> None:
        if self._text is not None and self._text[0] == self._prompt.editor.revision:
            self._find()
        else:
            self._waits = True
            self._prompt.request_text()

    @Slot(int, object)
    def _on_text(self, revision: int, text: ChunkedText) -> None:
        if self._waits and not self.bar.isHidden():
            self._waits = False
            self._text = revision, text
            self._find()

    def _find(self) -> None:
        assert self._text is not None
        revision, text = self._text
        self._lane.submit(CutRequest(revision, self._prompt.encoding, text, self.bar.tokens.value(), self.bar.part))

    @Slot(object)
    def _on_found(self, result: JobResult) -> None:
        if self._answers(result.request) and not self.bar.isHidden():
            self._found = result.request, result.value
            self.bar.show_cut(result.value)

    def _answers(self, request: CutRequest) -> bool:
        requested = (self._prompt.editor.revision, self._prompt.encoding, self.bar.tokens.value(), self.bar.part)
        return (request.revision, request.encoding, request.most, request.keep) == requested

    @Slot()
    def cut(self) -> None:
        """Remove the text beyond the limit."""
        if self._found is None or self._found[0].revision != self._prompt.editor.revision:
            return
        found = self._found[1]
        if not self._prompt.editor.replace_range(found.utf16_start, found.utf16_end, ""):
            return
        before, after = (figure(self._panel.locale(), tokens) for tokens in (found.before, found.after))
        self._notifier.done(
            self.tr("Cut the prompt from {before} to {after} tokens.").format(before=before, after=after),
            key="cut",
            offers=(Offer(self.tr("Undo"), self._undo),),
        )
        self._close()

    def _undo(self) -> None:
        self._notifier.withdraw("cut")
        self._prompt.editor.undo()

    @Slot()
    def _close(self) -> None:
        self._text = self._found = None
        self.bar.hide()
        self._panel.editor.setFocus()

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.bar.outcome.setText(self.tr("Could not cut: {why}").format(why=failure.why))
