"""What the user must know about how the prompt is counted: special tokens spelled in it, line ends of its file."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.look.figures import figure
from gui.look.icons import Icons
from gui.look.theme import Theme
from gui.prompt.prompt import Prompt
from gui.runtime.notify import INFORMATION, WARNING, Notice, Offer

if TYPE_CHECKING:
    from gui.services.live_text import PromptCounts
    from gui.widgets.banner import Banner


class PromptBanners(QWidget):
    """Strips above the prompt that come and go with the text. A closed one stays away until its cause has gone."""

    def __init__(self, prompt: Prompt, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._prompt = prompt
        self._theme = theme
        self._icons = icons
        self.setObjectName("promptBanners")
        self.setAccessibleName(self.tr("Notes on the prompt"))
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._special_closed = False
        self._stored_closed = False
        prompt.counted.connect(self._on_counted)
        prompt.origin_changed.connect(self._on_origin_changed)

    # Made when first asked for, with the first counts at the latest: the first picture is without them.

    @cached_property
    def special(self) -> Banner:
        """About text that spells special tokens."""
        banner = self._banner("specialBanner", 0)
        banner.dismissed.connect(self._on_special_closed)
        return banner

    @cached_property
    def stored(self) -> Banner:
        """About a text that is counted as its file stores it."""
        banner = self._banner("storedBanner", self._column.count())
        banner.dismissed.connect(self._on_stored_closed)
        return banner

    def _banner(self, name: str, place: int) -> Banner:
        from gui.widgets.banner import Banner

        banner = Banner(self._theme, self._icons, self)
        banner.setObjectName(name)
        banner.hide()
        self._column.insertWidget(place, banner)
        return banner

    @Slot(object)
    def _on_counted(self, counts: PromptCounts) -> None:
        self._show_special(counts)
        self._show_stored(counts)

    def _show_special(self, counts: PromptCounts) -> None:
        if not counts.special_occurrences:
            self._special_closed = False
            self.special.hide()
            return
        if self._special_closed:
            return
        number = partial(figure, self.locale())
        if counts.special_occurrences == 1:
            spelled = self.tr("The text spells a special token of {encoding} once.")
        else:
            spelled = self.tr("The text spells special tokens of {encoding} {n} times.")
        spelled = spelled.format(encoding=counts.encoding, n=number(counts.special_occurrences))
        both = self.tr("As ordinary text: {plain} tokens. As special tokens: {special}.").format(
            plain=number(counts.tokens_plain), special=number(counts.tokens_special)
        )
        on = counts.special_as_tokens
        now = self.tr("Special tokens now count as tokens.") if on else self.tr("Special tokens now count as text.")
        label = self.tr("Count them as text") if on else self.tr("Count them as tokens")
        notice = Notice(INFORMATION, f"{spelled} {both} {now}", key="special", offers=(Offer(label, self._switch),))
        self._show(self.special, notice)

    def _show_stored(self, counts: PromptCounts) -> None:
        if not counts.counted_as_stored or self._stored_closed:
            self.stored.hide()
            return
        text = self.tr(
            "Counted as stored: the file has line endings or characters that the editor cannot hold, such as CRLF. "
            "After the first edit the text is counted as shown, with LF."
        )
        self._show(self.stored, Notice(WARNING, text, key="stored"))

    def _show(self, banner: Banner, notice: Notice) -> None:
        if not banner.isVisibleTo(self) or banner.text != notice.text:
            banner.show_notice(notice)
            banner.show()

    @Slot()
    def _switch(self) -> None:
        self._prompt.set_special_as_tokens(not self._prompt.special_as_tokens)

    @Slot()
    def _on_special_closed(self) -> None:
        self._special_closed = True
        self.special.hide()

    @Slot()
    def _on_stored_closed(self) -> None:
        self._stored_closed = True
        self.stored.hide()

    @Slot()
    def _on_origin_changed(self) -> None:
        self._special_closed = False
        self._stored_closed = False
