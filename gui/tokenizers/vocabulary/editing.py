"""Removal and renaming of entries of the user's encodings, after showing the cost on the prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QInputDialog, QMessageBox

from gui.core.token_text import visible
from gui.look.quantities import figure
from gui.tokenizers.vocabulary.service import EditRequest

if TYPE_CHECKING:
    from gui.core.text_chunks import ChunkedText
    from gui.prompt.prompt import Prompt
    from gui.runtime.notify import Notifier
    from gui.tokenizers.vocabulary.detail import VocabularyDetail
    from gui.tokenizers.vocabulary.service import EditOutcome, EditService, TokenDetail

FAILED = "vocabulary-edit"


class VocabularyEditing(QObject):
    """Controller of edits: counts the prompt with an edited encoding, and saves the edit if the user agrees.

    Signals: ``kept(str)``: the name of the new encoding.
    """

    kept = Signal(str)

    def __init__(
        self,
        pane: VocabularyDetail,
        service: EditService,
        prompt: Prompt,
        notifier: Notifier,
        is_own: Callable[[str], bool],
        parent: QObject | None = None,
    ) -> None:
        """``is_own``: returns True if the encoding of this name is the user's, and can be edited."""
        super().__init__(parent)
        self._pane, self._service, self._prompt, self._notifier = pane, service, prompt, notifier
        self._is_own = is_own
        self._token: TokenDetail | None = None
        self._wanted: tuple[TokenDetail, str] | None = None
        pane.remove.clicked.connect(self._on_remove)
        pane.rename.clicked.connect(self._on_rename)
        prompt.text_ready.connect(self._on_text)
        service.weighed.connect(self._ask)
        service.kept.connect(self._on_kept)
        service.failed.connect(self._on_failed)

    @Slot(object)
    def set_token(self, token: TokenDetail) -> None:
        """Offer the edits possible for this token."""
        self._token = token
        encoding = token.request.encoding
        can = self._is_own(encoding.name) and not encoding.no_merges
        self._pane.remove.setVisible(can and (token.kind == "special" or token.parents is not None))
        self._pane.rename.setVisible(can and token.kind == "special")

    @Slot()
    def _on_remove(self) -> None:
        self._begin("")

    @Slot()
    def _on_rename(self) -> None:
        assert self._token is not None
        dialog = QInputDialog(self._pane.window(), objectName="vocabRenameDialog")
        dialog.setWindowTitle(self.tr("Rename a special token"))
        dialog.setLabelText(self.tr("Text of token {id}").format(id=self._token.token_id))
        dialog.setTextValue(self._token.token_bytes.decode("utf-8", "replace"))
        dialog.setOkButtonText(self.tr("Continue"))
        dialog.textValueSelected.connect(self._begin)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot(str)
    def _begin(self, new_text: str) -> None:
        assert self._token is not None
        self._wanted = self._token, new_text
        self._prompt.request_text()

    @Slot(int, object)
    def _on_text(self, _revision: int, text: ChunkedText) -> None:
        if self._wanted is not None:
            (token, new_text), self._wanted = self._wanted, None
            self._service.weigh(EditRequest(token.request.encoding, token.token_id, new_text, text))

    @Slot(object)
    def _ask(self, outcome: EditOutcome) -> None:
        request, write = outcome.request, lambda value: figure(self._pane.locale(), value)
        old, new = request.encoding.name, outcome.edited.name
        token = visible(request.encoding.token_info(request.token_id).token_bytes[:60])
        box = QMessageBox(self._pane.window(), objectName="vocabEditDialog")
        box.setTextFormat(Qt.TextFormat.PlainText)
        if request.new_text:
            box.setWindowTitle(self.tr("Rename a special token"))
            box.setText(self.tr("Rename “{old}” to “{new}”?").format(old=token, new=visible(request.new_text.encode())))
            words = self.tr("&Rename")
        else:
            box.setWindowTitle(self.tr("Remove an entry"))
            box.setText(self.tr("Remove “{token}” from {name}?").format(token=token, name=old))
            words = self.tr("&Remove")
        before, after = outcome.tokens_before, outcome.tokens_after
        cost = self.tr("Your prompt keeps its {n} tokens.").format(n=write(before))
        if before != after:
            share = 100 * (after - before) / max(1, before)
            cost = self.tr("Your prompt: {before} → {after} tokens ({share}%).").format(
                before=write(before), after=write(after), share=f"{share:+.1f}".replace("-", "−")
            )
        lines = [cost]
        if outcome.removed > 1:
            more = self.tr("{n} more entries go with it: nothing else is merged to them.")
            lines.append(more.format(n=write(outcome.removed - 1)))
        lines.append(self.tr("The result is saved as {new}; {old} stays as it is.").format(new=new, old=old))
        box.setInformativeText("\n".join(lines))
        agree = box.addButton(words, QMessageBox.ButtonRole.AcceptRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        agree.clicked.connect(lambda: self._service.keep(outcome))
        box.finished.connect(box.deleteLater)
        box.open()

    @Slot(str)
    def _on_kept(self, name: str) -> None:
        self._notifier.withdraw(FAILED)
        self._notifier.information(self.tr("Saved {name} among your tokenizers.").format(name=name), key=FAILED)
        self.kept.emit(name)

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        self._notifier.error(why, key=FAILED)
