"""The page on how long the tokens of a vocabulary are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from gui.look.plain_label import PlainLabel
from gui.look.quantities import TrainingText
from gui.look.theme import Theme
from gui.runtime.loading import Loading
from gui.widgets.plot_turn import PlotTurn

if TYPE_CHECKING:
    from gui.tokenizers.vocabulary.lengths_service import Lengths
    from gui.tokenizers.vocabulary.plots import LengthPlots


class LengthsPage(QWidget):
    """Words on top, which say what the pictures show, and the pictures, made when the page is first seen."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("vocabLengths")
        self.setAccessibleName(self.tr("How long the tokens are"))
        self._theme, self._text = theme, TrainingText(self.locale())
        self._lengths: Lengths | None = None
        self.plots: LengthPlots | None = None
        self._problem: PlainLabel | None = None
        self._loading = Loading(self)
        self._turn = PlotTurn(theme, self, self._draw)
        self.words = QLabel(objectName="vocabLengthsWords")
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.words.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 0, 0)
        column.addWidget(self.words)
        column.addStretch(1)

    def set_lengths(self, name: str, lengths: Lengths) -> None:
        """Show the figures of the vocabulary of that name."""
        self._lengths = lengths
        write = self._text
        self.words.setText(
            self.tr(
                "The {count} tokens of {name} that were learned have {mean} bytes on average; half have at most "
                "{median}, the longest {longest}. The broken line is the longest token among its neighbours; what has "
                "32 bytes or more is drawn as 32."
            ).format(
                count=write.number(lengths.total),
                name=name,
                mean=write.decimal(lengths.mean, 2),
                median=write.number(lengths.median),
                longest=write.number(len(lengths.counts) - 1),
            )
        )
        self._draw()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.plots is None:
            self._loading.when_loaded(("gui.tokenizers.vocabulary.plots",), self._make_plots)
        else:
            self._turn.ask_later()

    @Slot()
    def _make_plots(self) -> None:
        if self.plots is not None or self._problem is not None:
            return
        column = self.layout()
        column.takeAt(column.count() - 1)
        try:
            from gui.tokenizers.vocabulary.plots import LengthPlots
        except ImportError as error:
            self._problem = PlainLabel(self.tr("The pictures cannot be drawn: {reason}").format(reason=error))
            self._problem.setWordWrap(True)
            column.addWidget(self._problem, 1)
        else:
            self.plots = LengthPlots(self._theme, self._text)
            self.plots.setAccessibleName(self.tr("Tokens by length, and length by id; the words above say it too"))
            column.addWidget(self.plots, 1)
            self._draw()

    def _draw(self) -> None:
        if self.plots is not None and self._lengths is not None and self.isVisible():
            self.plots.draw(self._lengths)
