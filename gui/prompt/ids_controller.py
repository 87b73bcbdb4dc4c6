"""Controller of the token IDs: shows and copies those of the prompt, and converts IDs to text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication

from gui.look.quantities import figure
from gui.prompt.ids_panel import IdsPanel, IdsToText
from gui.prompt.ids_service import IdRows, IdsText, RowsRequest, TokenIdsService
from gui.prompt.prompt_panel import BOTH, TEXT

if TYPE_CHECKING:
    from gui.prompt.prompt_panel import PromptPanel
    from gui.runtime.notify import Notifier


class IdsController(QObject):
    """Controller between the page Text and the service. IDs are read from the editor only while they are shown."""

    def __init__(self, panel: PromptPanel, service: TokenIdsService, notifier: Notifier) -> None:
        super().__init__(panel)
        self._panel, self._service, self._notifier = panel, service, notifier
        self._prompt = panel.prompt
        self._mode = TEXT
        self._shown: tuple[int, str, bool] | None = None
        self._tokens: RowsRequest | None = None
        self.view = IdsPanel(panel.prompt, panel.theme, panel.settings, panel.icons, panel)
        self.to_text = IdsToText(panel.settings, panel.icons, panel)
        panel.add_views(self.view, self.to_text)
        panel.tools.mode_chosen.connect(self._on_mode)
        self._prompt.counted.connect(self._refresh)
        self.view.list.columns_changed.connect(self._arrange)
        self.view.list.token_chosen.connect(self._select)
        self.view.copy_asked.connect(self.copy)
        self.view.paste_asked.connect(self.open_ids_to_text)
        self.to_text.read_asked.connect(self._read)
        self.to_text.insert_asked.connect(self._insert)
        self.to_text.copy_asked.connect(self._copy_text)
        self.to_text.closed.connect(self._close)
        service.arranged.connect(self._on_arranged)
        service.copied.connect(self._on_copied)
        service.read.connect(self._on_read)
        service.failed.connect(self._on_failed)
        self._on_mode(panel.tools.mode)

    # --- showing IDs -------------------------------------------------------------------------------------------------

    @Slot(str)
    def _on_mode(self, mode: str) -> None:
        self._mode = mode
        self._panel.show_editor(mode == TEXT)
        self.view.setVisible(mode != TEXT)
        if mode != TEXT:
            self.view.list.set_show_text(mode == BOTH)
            self._refresh()
            self.view.list.select(*self._panel.editor.selected_tokens())
            self.view.list.setFocus()

    @Slot()
    def _refresh(self) -> None:
        """Show the IDs of the current text once they are known."""
        counts = self._prompt.counts
        if self._mode == TEXT or counts is None or self._prompt.stale:
            return
        state = (counts.revision, counts.encoding, counts.special_as_tokens)
        tokens = self._panel.editor.token_ids()
        if state == self._shown or tokens is None:
            self._arrange()
            return
        self._shown = state
        self._tokens = RowsRequest(counts.revision, counts.encoding, *tokens, columns=0)
        self.view.set_ids(tokens[0], counts.encoding)
        self._arrange()

    @Slot()
    def _arrange(self) -> None:
        if self._tokens is not None and self._mode == BOTH:
            self._service.arrange(self._tokens._replace(columns=self.view.list.columns))

    @Slot(object, object)
    def _on_arranged(self, request: RowsRequest, rows: IdRows) -> None:
        if self._tokens is not None and request.ids is self._tokens.ids:
            self.view.list.set_rows(rows)

    @Slot(int, int)
    def _select(self, first: int, last: int) -> None:
        editor = self._panel.editor
        start, end = editor.token(first), editor.token(last - 1)
        if start is not None and end is not None:
            editor.select_range(start.utf16_start, end.utf16_end)

    # --- copying ------------------------------------------------------------------------------------------------------

    @Slot(str)
    def copy(self, form: str) -> None:
        """Copy the IDs that are selected in the list, or all."""
        ids = self.view.chosen_ids()
        if ids is not None:
            self._service.copy(ids, form)

    @Slot()
    def copy_selection(self) -> None:
        """Copy the IDs of the editor's selection or, without one, of the whole prompt."""
        tokens = self._panel.editor.token_ids()
        if tokens is None:
            self._notifier.remark(self.tr("Still counting tokens."))
            return
        first, last = self._panel.editor.selected_tokens()
        self._service.copy(tokens[0][first:last] if last > first else tokens[0], self.view.form)

    @Slot(str, int)
    def _on_copied(self, text: str, count: int) -> None:
        QApplication.clipboard().setText(text)
        self._notifier.remark(self.tr("Copied {n} token IDs").format(n=figure(self._panel.locale(), count)))

    # --- IDs to text --------------------------------------------------------------------------------------------------

    @Slot()
    def open_ids_to_text(self) -> None:
        """Show the field that IDs are pasted into."""
        self.to_text.open()

    @Slot(str)
    def _read(self, pasted: str) -> None:
        self._service.read_back(pasted, self._prompt.encoding)

    @Slot(str, object)
    def _on_read(self, pasted: str, found: IdsText) -> None:
        self.to_text.show_text(pasted, found)

    @Slot(str)
    def _insert(self, text: str) -> None:
        self._panel.tools.show_mode(TEXT)
        self._panel.editor.insertPlainText(text)
        self._panel.editor.setFocus()

    @Slot(str)
    def _copy_text(self, text: str) -> None:
        QApplication.clipboard().setText(text)
        self._notifier.remark(self.tr("Copied the text"))

    @Slot()
    def _close(self) -> None:
        self.to_text.hide()
        (self._panel.editor if self._mode == TEXT else self.view.list).setFocus()

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        self._notifier.error(self.tr("Could not show token IDs: {why}.").format(why=why), key="ids")
