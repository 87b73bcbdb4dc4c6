"""What happens in the tab that compares encodings: which text is taken, when it is compared, where one goes from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from gui.look.figures import figure
from gui.models.aligned_rows import AlignedRows
from gui.panels.compare_panel import SELECTION, TYPED, ComparePanel
from gui.prompt.prompt import Prompt
from gui.runtime.notify import Notifier
from gui.services.comparisons import Compared, CompareRequest, ComparisonService, RowsRequest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gui.core.text_chunks import HeldText

DELAY_MS = 60
"""Changes that come together are compared once; while somebody types, the prompt's own count goes first."""

LONGEST_READ = 65_536
"""UTF-16 units of a selection that are taken from the editor at once; a longer one is cut out by the worker."""

FAILED = "compare-failed"


class CompareFlow(QObject):
    """Between panel, prompt and service.

    Signals: ``place_asked(int, int)``: bring these UTF-16 offsets of the prompt to the front.
    """

    place_asked = Signal(int, int)

    def __init__(
        self, panel: ComparePanel, prompt: Prompt, service: ComparisonService, notifier: Notifier, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._panel, self._prompt, self._service, self._notifier = panel, prompt, service, notifier
        self.compared: Compared | None = None
        self._revision = 0
        self._wants_text = self._rows_wanted = self._goes = False
        self._part: tuple[int, int] | None = None
        self._delay = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._delay.timeout.connect(self._take_text)
        panel.text_wanted.connect(self.refresh)
        panel.encodings.base_changed.connect(self._show_base)
        panel.view.columns_changed.connect(self._cut)
        panel.pages.stretch_opened.connect(self._go_to)
        panel.stop_asked.connect(service.stop)
        prompt.changed.connect(self._on_prompt)
        prompt.editor.selectionChanged.connect(self._on_selection)
        prompt.text_ready.connect(self._on_text)
        service.compared.connect(self._on_compared)
        service.cut.connect(self._on_cut)
        service.progressed.connect(self._on_progress)
        service.stopped.connect(self._on_stopped)
        service.failed.connect(self._on_failed)

    @property
    def settled(self) -> bool:
        """Whether what is shown is what was asked for."""
        waits = self._delay.isActive() or self._wants_text or self._rows_wanted
        return not waits and self.compared is not None and self.compared.request.revision == self._revision

    @Slot()
    def refresh(self) -> None:
        """Compare anew, soon; as soon as the page is looked at, if it is not."""
        self._revision += 1
        if self._panel.isVisible():
            self._delay.start()

    @Slot()
    def refresh_if_old(self) -> None:
        """The page is looked at."""
        if self.compared is None or self.compared.request.revision != self._revision:
            self._delay.start()

    # --- the text -----------------------------------------------------------------------------------------------------

    @Slot()
    def _on_prompt(self) -> None:
        if self._source != TYPED:
            self.refresh()

    @Slot()
    def _on_selection(self) -> None:
        if self._source == SELECTION and not self._goes:
            self.refresh()

    @property
    def _source(self) -> str:
        return str(self._panel.source.currentData())

    @Slot()
    def _take_text(self) -> None:
        self._panel.show_running(True)
        self._wants_text = False  # that of the prompt may be on its way for what was chosen before
        if self._source == TYPED:
            self._compare(self._panel.typed.toPlainText(), None)
        elif self._source == SELECTION:
            start, end = self._prompt.editor.selected_range()
            if end - start <= LONGEST_READ:
                self._compare(self._prompt.editor.text_between(start, end), start)
            else:
                self._ask_for_text((start, end))
        else:
            self._ask_for_text(None)

    def _ask_for_text(self, part: tuple[int, int] | None) -> None:
        self._wants_text, self._part = True, part
        self._prompt.request_text()

    @Slot(int, object)
    def _on_text(self, revision: int, text: HeldText) -> None:
        if self._wants_text and revision == self._prompt.editor.revision:
            self._wants_text = False
            self._compare(text, self._part[0] if self._part else 0, self._part)

    def _compare(self, text: HeldText | str, first: int | None, part: tuple[int, int] | None = None) -> None:
        revision = self._prompt.editor.revision
        self._service.compare(CompareRequest(self._revision, text, self._panel.encodings.names, first, revision, part))

    # --- what came of it ----------------------------------------------------------------------------------------------

    @Slot(object)
    def _on_compared(self, compared: Compared) -> None:
        if compared.request.names != self._panel.encodings.names:
            return  # others were chosen meanwhile, and are asked for
        self._notifier.withdraw(FAILED)
        self.compared = compared
        self._panel.show_running(False)
        self._panel.show_compared(compared)
        n_bytes = figure(self._panel.locale(), compared.comparison.utf8_bytes)
        self._panel.status.setText(self.tr("{n} bytes").format(n=n_bytes))
        if not compared.comparison.utf8_bytes:
            self._panel.status.clear()
            self._panel.view.show_hint(self._nothing())
        else:
            self._cut()

    def _nothing(self) -> str:
        if self._source == SELECTION:
            return self.tr("Nothing is selected in the prompt.")
        if self._source == TYPED:
            return self.tr("Type a text above to see it in every encoding.")
        return self.tr("The prompt is empty.")

    @Slot()
    def _cut(self) -> None:
        if self.compared is not None and self.compared.comparison.utf8_bytes:
            self._rows_wanted = True
            self._service.cut_rows(RowsRequest(self.compared, self._panel.view.columns))

    @Slot(object, object)
    def _on_cut(self, request: RowsRequest, starts: NDArray[np.int32]) -> None:
        if request.compared is not self.compared or not self._rows_wanted:
            return  # those of another text, or of a width for which others were cut at once meanwhile
        self._rows_wanted = request.columns != self._panel.view.columns
        found = request.compared.comparison
        self._panel.view.show_tokens(found.names, request.compared.spans, AlignedRows(found.units, starts))

    @Slot()
    def _show_base(self) -> None:
        if self.compared is not None and self.compared.request.names == self._panel.encodings.names:
            self._panel.show_compared(self.compared)

    @Slot(float)
    def _on_progress(self, fraction: float) -> None:
        self._panel.status.setText(self.tr("Comparing… {n}%").format(n=round(100 * fraction)))

    @Slot()
    def _on_stopped(self) -> None:
        self._panel.show_running(False)
        self._panel.status.setText(self.tr("Stopped. Change anything to compare again."))

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        self._panel.show_running(False)
        self._panel.status.setText(self.tr("Not compared."))
        words = self.tr("The encodings could not be compared: {why}.").format(why=why.rstrip("."))
        self._notifier.error(words, key=FAILED)

    @Slot(int, int)
    def _go_to(self, utf16_start: int, utf16_end: int) -> None:
        self._panel.view.show_stretch(utf16_start, utf16_end)
        if self.compared is None or self.compared.request.first is None:
            return
        request = self.compared.request
        if request.prompt_revision != self._prompt.editor.revision:
            self._notifier.remark(self.tr("The prompt has changed, so the position may be off."))
            return
        self._goes = True  # what is shown there is selected, and is not what somebody wants to have compared
        self.place_asked.emit(request.first + utf16_start, request.first + utf16_end)
        self._goes = False
