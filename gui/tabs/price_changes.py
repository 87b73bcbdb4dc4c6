"""Changes of the user's price file that are made elsewhere than on its tab: in the cost table, by an import."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from gui.models.import_rows import field_words
from gui.runtime.notify import Notifier, Offer
from gui.services.price_facts import typed_amount
from gui.tabs.pricing_flow import REFUSED, refuse

if TYPE_CHECKING:
    from gui.panels.price_editor import PriceEditor
    from gui.services.price_desk import Change, ChangeRequest, PriceDesk
    from gui.services.price_text import Splice
    from gui.tabs.pricing_flow import PricingFlow
    from pricing.types import Model

CHANGED = "price-file-put"


class PriceChanges(QObject):
    """Puts them into the text of the tab, each as one step of undo, and saves where nothing else waits to be saved."""

    def __init__(
        self,
        editor: PriceEditor,
        flow: PricingFlow,
        desk: PriceDesk,
        notifier: Notifier,
        models: Callable[[], tuple[Model, ...]],
    ) -> None:
        """``models``: those whose prices are in force."""
        super().__init__(flow)
        self._models = models
        self._editor, self._flow, self._desk, self._notifier = editor, flow, desk, notifier
        self._waiting: list[tuple[str, str, str]] = []
        self._made: list[tuple[int, int, bool]] = []
        """Revision before and after each change that can be taken back from elsewhere, and whether it was saved."""
        flow.opened.connect(self._on_opened)
        desk.changed.connect(self._on_changed)

    @Slot(str, str, str)
    def change_price(self, model_id: str, path: str, typed: str) -> None:
        """Set a price to what was typed; with nothing typed, the built-in one holds again."""
        if not self._flow.is_open:
            self._waiting.append((model_id, path, typed))
            return
        why = self._flow.why_not_changed()
        if why:
            refuse(self._notifier, why.rstrip("."))
            return
        self._notifier.withdraw(REFUSED)
        editor = self._editor
        self._desk.change(editor.text(), editor.revision, model_id, path, "money", typed or None, from_table=True)

    def put(self, splice: Splice, revision: int, words: str, key: str = CHANGED) -> bool:
        """Change the text of this revision, and say so, with the way back. Returns whether it was still that text."""
        if revision != self._editor.revision or self._flow.why_not_changed():
            return False
        saves = self._flow.is_saved
        self._editor.apply(splice)
        self._made.append((revision, self._editor.revision, saves))
        self._flow.check()
        if saves:
            self._flow.save(quiet=True)
        else:
            words += " " + self.tr("Other changes wait on the tab Prices, so it is not saved yet.")
        self._notifier.information(words, key=key, offers=(Offer(self.tr("Undo"), self.take_back),))
        return True

    @Slot()
    def take_back(self) -> None:
        """Make the text as it was before the last change that was put into it."""
        before, after, saves = self._made.pop() if self._made else (-1, -1, False)
        if after != self._editor.revision:
            self._made.clear()
            self._notifier.remark(self.tr("There is no change of a price to take back here. The tab Prices has more."))
            return
        self._editor.undo()
        if self._made and self._made[-1][1] == before:
            earlier, _, saved = self._made.pop()
            self._made.append((earlier, self._editor.revision, saved))
        self._notifier.withdraw(CHANGED)
        self._notifier.remark(self.tr("The last change of your price file is taken back."))
        self._flow.check()
        if saves:
            self._flow.save(quiet=True)

    @Slot()
    def _on_opened(self) -> None:
        waiting, self._waiting = self._waiting, []
        for change in waiting:
            self.change_price(*change)

    @Slot(object, object)
    def _on_changed(self, change: Change, request: ChangeRequest) -> None:
        if not request.from_table:
            return
        if change.why:
            refuse(self._notifier, change.why)
        elif change.splice is not None and not self.put(change.splice, request.revision, self._words(request)):
            refuse(self._notifier, self.tr("the text of your price file changed meanwhile"))

    def _words(self, request: ChangeRequest) -> str:
        """What changed, from which price to which."""
        model = next((model for model in self._models() if model.id == request.model_id), None)
        unit = "$" if model is None or model.exchange_rate == 1 else ""  # prices of the file may be in another currency
        usd = getattr(model.price.rates, request.path.removeprefix("price."), None) if model is not None else None
        before = typed_amount(model, usd, model.origin.get(request.path, "")) if model and usd is not None else ""
        words = self.tr("{model}: {field} {before} → {after} in your price file.")
        if request.typed is None:
            words = self.tr("{model}: {field} {before} → the built-in price.")
        return words.format(
            model=model.name if model is not None else request.model_id,
            field=field_words(request.path),
            before=unit + before if before else self.tr("n/a"),
            after=unit + (request.typed or "").removeprefix("$"),
        )
