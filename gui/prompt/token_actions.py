"""What is done with the token at the caret: described in the inspector, copied, shown elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from gui.editor.offsets import TokenSpan
    from gui.prompt.ids_controller import IdsController
    from gui.widgets.page_controller import AppContext

MOST_BYTES = 64


MENU = ("copy_token_id", "copy_ids", "show_in_vocabulary", "show_merges", "why_not_one_token")
"""What the context menu of the editor adds to Qt's own."""


class TokenActions(QObject):
    """Connects the actions on tokens, and offers them where the editor is clicked."""

    def __init__(self, context: AppContext, ids: IdsController) -> None:
        super().__init__(context.pages)
        self._context = context
        self._actions = act = context.window.actions_by_name
        editor = context.prompt.editor
        act["copy_token_id"].triggered.connect(self._copy_id)
        act["copy_ids"].triggered.connect(ids.copy_selection)
        act["show_in_vocabulary"].triggered.connect(self._show_in_vocabulary)
        act["why_not_one_token"].triggered.connect(self._explain)
        for name in MENU:
            if act[name] not in editor.actions():
                editor.addAction(act[name])
        editor.caret_token_changed.connect(self._on_caret_token)
        self._on_caret_token(self._token())

    def _token(self) -> TokenSpan | None:
        """The token at the caret; of a selection, the first."""
        editor = self._context.prompt.editor
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
            self._context.notifier.remark(self.tr("Copied ID {id}").format(id=span.token_id))

    @Slot()
    def _show_in_vocabulary(self) -> None:
        span, vocabulary = self._token(), self._context.pages.vocabulary
        if span is not None and vocabulary is not None:
            vocabulary.show_token(self._context.prompt.encoding, span.token_id)

    @Slot()
    def _explain(self) -> None:
        """Show the merges of the selection or of the word at the caret, at the answer."""
        merges = self._context.pages.merges
        if merges is not None:
            merges.show_selection()
            merges.build().why.setFocus()
