"""Says, when a window has started, what was restored and what could not be, and offers texts that it does not show."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from gui.notify import Offer
from gui.state.session import EARLIER_FILE, Restored

if TYPE_CHECKING:
    from gui.workbench import Workbench


class StartReport(QObject):
    """The notices of a start."""

    def __init__(self, bench: Workbench, restored: Restored, put_by: bool) -> None:
        """``put_by``: the text of last time is on the disk, and the user wants windows to begin without it."""
        super().__init__(bench)
        self._bench, self._restored, self._put_by = bench, restored, put_by
        bench.keeper.fetched.connect(self._on_fetched)

    def tell(self) -> None:
        """Show all that apply."""
        bench, restored = self._bench, self._restored
        if restored.crashed and (restored.text or restored.text_bytes) and not bench.files.expected:
            bench.notifier.information(
                self.tr("The last window ended without closing. Its text is back, as it was a few seconds before.")
            )
        for problem in filter(None, (bench.settings.problem, *restored.problems)):
            bench.notifier.warning(problem)
        slot = bench.slot
        if slot.folder is None:
            bench.notifier.warning(
                self.tr("Nothing of this window will be remembered: {why}.").format(why=slot.why_not)
            )
            return
        self._offer_earlier_texts()
        if slot.number > 1 and slot.newer is None:
            bench.notifier.information(
                self.tr(
                    "Tokenloupe is open already with this profile. This window keeps a session of its own; "
                    "settings are shared."
                )
            )

    def _offer_earlier_texts(self) -> None:
        """Texts that are on the disk and not in the window: of last time, of other windows that are gone."""
        keeper, slot = self._bench.keeper, self._bench.slot
        assert slot.folder is not None
        if self._put_by:
            earlier = slot.folder / EARLIER_FILE
            self._offer_text(
                self.tr("The text of last time is kept."),
                "earlier",
                lambda: keeper.fetch(earlier, self._restored.state),
            )
        for folder in slot.orphans():
            text = self.tr("A second window ended with text that is not saved. The text is kept.")
            discard = partial(keeper.discard_orphan, folder)
            self._offer_text(text, f"orphan-{folder.name}", partial(keeper.fetch_orphan, folder), discard)

    def _offer_text(
        self, text: str, key: str, fetch: Callable[[], None], discard: Callable[[], None] | None = None
    ) -> None:
        notifier = self._bench.notifier

        def offer(words: str, act: Callable[[], None]) -> Offer:
            def take() -> None:
                notifier.withdraw(key)
                act()

            return Offer(words, take)

        offers = [offer(self.tr("Show that text"), fetch)]
        if discard is not None:
            offers.append(offer(self.tr("Discard it"), discard))
        notifier.information(text, key=key, offers=tuple(offers))

    @Slot(object)
    def _on_fetched(self, show: Callable[[], None]) -> None:
        self._bench.files.show_instead(self.tr("The earlier text"), show)
