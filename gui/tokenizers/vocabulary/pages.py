"""Fills the pages beside the table that are about the whole vocabulary: its lengths, and another one beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

if TYPE_CHECKING:
    from engine.entries.comparison import Comparison
    from gui.tokenizers.vocabulary.comparison import ComparePage
    from gui.tokenizers.vocabulary.controller import VocabularyFlow
    from gui.tokenizers.vocabulary.lengths import LengthsPage
    from gui.tokenizers.vocabulary.service import OpenedVocabulary, VocabularyService


class VocabularyPages(QObject):
    """Follows the vocabulary that is shown."""

    def __init__(
        self,
        lengths: LengthsPage,
        compare: ComparePage,
        flow: VocabularyFlow,
        service: VocabularyService,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._lengths, self._compare = lengths, compare
        self._flow, self._service = flow, service
        flow.opened.connect(self._on_opened)
        service.compared.connect(self._on_compared)
        compare.compare_asked.connect(self._on_compare)
        compare.token_asked.connect(flow.go_to)

    @Slot(object)
    def _on_opened(self, opened: OpenedVocabulary) -> None:
        self._lengths.set_lengths(opened.name, opened.lengths)
        self._compare.show_hint()
        self._on_compare(self._compare.other.currentText())

    @Slot(str)
    def _on_compare(self, other: str) -> None:
        shown = self._flow.vocabulary
        if shown is not None and other:
            self._compare.words.setText(self.tr("Comparing…"))
            self._service.compare(shown, other)

    @Slot(object)
    def _on_compared(self, comparison: Comparison) -> None:
        shown = self._flow.vocabulary
        if shown is not None and comparison.first is shown.entries:
            self._compare.show_comparison(comparison)
