"""What can be done with the token at the caret and with the selection: copy IDs, look them up, ask why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from gui.editor.offsets import TokenSpan
    from gui.window.workbench import Workbench

MENU = ("copy_token_id", "copy_ids", "show_in_vocabulary", "show_merges", "why_not_one_token")
"""What the context menu of the editor adds to Qt's own."""


class TokenActions(QObject):
    """Connects the actions on tokens, and offers them where the editor is clicked."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench)
        self._bench = bench
        self._actions = act = bench.window.actions_by_name
        editor = bench.panel.editor
        act["copy_token_id"].triggered.connect(self._copy_id)
        act["copy_ids"].triggered.connect(self._copy_ids)
        act["show_in_vocabulary"].triggered.connect(self._show_in_vocabulary)
        act["why_not_one_token"].triggered.connect(self._explain)
        for name in MENU:
            if act[name] not in editor.actions():
                editor.addAction(act[name])
        editor.caret_token_changed.connect(self._on_caret_token)
        self._on_caret_token(self._token())

    def _token(self) -> TokenSpan | None:
        """The token at the caret; of a selection, the first."""
        editor = self._bench.panel.editor
        return editor.token_at(editor.selected_range()[0])

    @Slot(object)
    def _on_caret_token(self, span: TokenSpan | None) -> None:
        for name in ("copy_token_id", "show_in_vocabulary", "why_not_one_token"):
            self._actions[name].setEnabled(span is not None)

    @Slot()
    def _copy_id(self) -> None:
        span = self._token()
        if span is not None:
            QApplication.clipboard().setText(str(span.token_id))
            self._bench.notifier.remark(self.tr("Copied ID {id}").format(id=span.token_id))

    @Slot()
    def _copy_ids(self) -> None:
        if self._bench.ids is not None:
            self._bench.ids.copy_selection()

    @Slot()
    def _show_in_vocabulary(self) -> None:
        span, vocabulary = self._token(), self._bench.vocabulary
        if span is not None and vocabulary is not None:
            vocabulary.show_token(self._bench.prompt.encoding, span.token_id)

    @Slot()
    def _explain(self) -> None:
        """Show the merges of the selection or of the word at the caret, at the answer."""
        merges = self._bench.merges
        if merges is not None:
            merges.show_selection()
            merges.build().why.setFocus()
