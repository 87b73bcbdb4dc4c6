"""The list of models: the one chosen here is the one whose figures are shown wherever there is room for one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QWidget

from gui.look.plain_tip import plain_tip
from gui.panels.encoding_picker import DESCRIPTION

if TYPE_CHECKING:
    from pricing.types import Model

SHOWN_CHARACTERS = 20
"""Longer names are cut in the closed list: it stands beside the encoding, in a narrow window, too."""


class ModelPicker(QComboBox):
    """Shows the name of the model; the list adds provider and tokenizer.

    Signals: ``chosen(str)`` with an id when the user, or a script, picks another.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("modelPicker")
        self.setAccessibleName(self.tr("Model"))
        self.setToolTip(self.tr("The model of the context window, savings, files, conversation and versions"))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(SHOWN_CHARACTERS)
        self.setMaxVisibleItems(20)
        self.setEnabled(False)
        self._filling = False
        self.currentIndexChanged.connect(self._on_index_changed)

    def fill(self, models: Iterable[Model], current: Model | None) -> None:
        """Offer these models, in their order."""
        from gui.panels.described_delegate import DescribedDelegate

        if not isinstance(self.view().itemDelegate(), DescribedDelegate):
            self.view().setItemDelegate(DescribedDelegate(self))
        self._filling = True
        self.clear()
        widest = 0
        for model in models:
            parts = (model.provider, model.count.tokenizer or self.tr("no known tokenizer"))
            description = " · ".join(part for part in parts if part)
            self.addItem(model.name, model.id)
            row = self.count() - 1
            self.setItemData(row, description, DESCRIPTION)
            self.setItemData(row, plain_tip(model.id), Qt.ItemDataRole.ToolTipRole)
            self.setItemData(row, f"{model.name}, {description}", Qt.ItemDataRole.AccessibleTextRole)
            widest = max(widest, self.fontMetrics().horizontalAdvance(f"{model.name}    {description}"))
        self.setCurrentIndex(self.findData(current.id) if current is not None else -1)
        self.setEnabled(self.count() > 0)
        self.view().setMinimumWidth(min(widest + 48, 640))
        self._filling = False

    @Slot(int)
    def _on_index_changed(self, row: int) -> None:
        if not self._filling and row >= 0:
            self.chosen.emit(self.itemData(row))
