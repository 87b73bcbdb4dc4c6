"""The page Text: the prompt with its margin, its figures, and the token at the caret."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QSplitter, QVBoxLayout, QWidget

from gui.editor.token_editor import TokenEditor
from gui.look.icons import Icons
from gui.look.theme import Theme
from gui.prompt.count_bar import CountBar
from gui.prompt.gutter import Gutter
from gui.prompt.prompt import Prompt
from gui.prompt.prompt_banners import PromptBanners
from gui.prompt.text_tools import TEXT, TextTools
from gui.prompt.token_readout import TokenReadout
from gui.state.settings import SettingsStore
from gui.widgets.editor_look import EditorLook

if TYPE_CHECKING:
    from gui.editor.offsets import TokenSpan
    from gui.prompt.counting_service import PromptCounts
    from gui.prompt.token_readout import TokenAnnouncer
    from gui.widgets.find_bar import FindBar
    from gui.window.navigation import ViewBar


LEAST_LINES = 4
"""So much of the prompt can always be seen, whatever opens around it."""
MARGIN, TOP = 8, 8
"""Beside and above the text, in pixels: with its padding the gutter begins where the switcher of pages does."""


STRIP_HEIGHT, STRIP_SHARE = 290, 0.45
"""Height of the strip below the prompt in a fresh window, and the share of the page that it takes at most."""
LEAST_STRIP, MOST_STRIP = 60, 4000


class StripSplitter(QSplitter):
    """The prompt above, a strip below, with a hairline between them. Folded, the strip is as high as its bar.

    Signals: ``changed()`` when ``state()`` would give something else; ``folded_changed(bool)``.
    """

    changed = Signal()
    folded_changed = Signal(bool)

    def __init__(self, prompt: QWidget, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.setObjectName("promptSplitter")
        self.strip = QWidget()
        """What stands below; empty until ``set_strip``."""
        self.folded = False
        self._height = 0  # as the user wants it; 0: as in a fresh window
        self.addWidget(prompt)
        self.addWidget(self.strip)
        self._prepare()
        self.splitterMoved.connect(self._on_moved)

    def set_strip(self, strip: QWidget) -> None:
        """Put a strip in place of the one before."""
        before = self.replaceWidget(1, strip)
        self.strip = strip
        strip.show()
        before.deleteLater()
        self._prepare()
        self._apply()

    @Slot(bool)
    def fold(self, folded: bool) -> None:
        """Leave only the bar of the strip, or show all of it, as high as it was."""
        if folded != self.folded:
            self.folded = folded
            self.folded_changed.emit(folded)
            self._apply()
            self.changed.emit()

    def state(self) -> dict[str, Any]:
        """Return what the user made of the strip, as JSON holds it."""
        return {"folded": self.folded, "height": self._height}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Take back what ``state`` gave; what is of no use is ignored."""
        height = state.get("height")
        if isinstance(height, int) and LEAST_STRIP <= height <= MOST_STRIP:
            self._height = height
        self.fold(state.get("folded") is True)
        self._apply()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._apply()

    def _prepare(self) -> None:
        self.setChildrenCollapsible(False)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 0)

    def _apply(self) -> None:
        """Give the strip its height. Without a share of its own, a folded one is as high as its layout needs."""
        vertical = QSizePolicy.Policy.Fixed if self.folded else QSizePolicy.Policy.Preferred
        self.strip.setSizePolicy(QSizePolicy.Policy.Preferred, vertical)
        self.handle(1).setEnabled(not self.folded)
        room = self.height() - self.handleWidth()
        height = self.strip.sizeHint().height() if self.folded else self._height
        height = height or min(STRIP_HEIGHT, round(room * STRIP_SHARE))
        self.setSizes([max(1, room - height), height])

    @Slot()
    def _on_moved(self) -> None:
        self._height = self.sizes()[1]
        self.changed.emit()


class PromptPanel(QFrame):
    """Puts the editor together with everything that describes it. What happens is in ``Prompt`` and ``Finder``.

    ``tools`` are for the view bar of the window.
    """

    def __init__(self, theme: Theme, icons: Icons, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme, self.icons, self.settings = theme, icons, settings
        self.setObjectName("promptTab")
        self.setProperty("kind", "surface")
        self.editor = TokenEditor(self)
        self.editor.setAccessibleName(self.tr("Prompt"))
        self.prompt = Prompt(self.editor, self)
        self.counts = CountBar(theme, self)
        self.readout = TokenReadout(self)
        self.banners = PromptBanners(self.prompt, theme, icons, self)
        self.tools = TextTools(self.prompt, settings, icons, self)
        self.picker = self.tools.picker
        self.gutter = Gutter(self.prompt, theme, settings, self)
        EditorLook(self.editor, theme, settings, LEAST_LINES)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self._text = QWidget(self)
        text = QHBoxLayout(self._text)
        text.setContentsMargins(MARGIN, TOP, 0, 0)
        text.setSpacing(0)
        text.addWidget(self.gutter)
        text.addWidget(self.editor, 1)
        upper = QWidget(self, objectName="promptText")
        self._column = column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.banners)
        column.addWidget(self._text, 1)
        column.addWidget(self.readout)
        column.addWidget(self.counts)
        self.splitter = StripSplitter(upper, self)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.splitter)

    def give_tools(self, bar: ViewBar) -> None:
        """Put the tools into the view bar of the window; the Tab key goes from them into the text."""
        bar.add_tools(self.objectName(), self.tools)
        for before, after in pairwise((*self.tools.tab_order, self.editor)):
            QWidget.setTabOrder(before, after)

    @property
    def regions(self) -> tuple[QWidget, ...]:
        """What F6 goes through on this page."""
        return self.splitter.widget(0), self.splitter.strip

    def add_views(self, *views: QWidget) -> None:
        """Put more ways to look at the prompt below the editor, hidden."""
        for view in views:
            view.hide()
            stretch = 1 if view is views[0] else 0
            self._column.insertWidget(self._column.indexOf(self.readout), view, stretch)

    def add_strip(self, strip: QWidget) -> None:
        """Put a strip of controls right below the editor, hidden."""
        strip.hide()
        self._column.insertWidget(self._column.indexOf(self._text) + 1, strip)

    def add_foot(self, foot: QWidget) -> None:
        """Add a widget that is shown at times between the text and its figures."""
        self._column.insertWidget(self._column.indexOf(self.readout), foot)

    def show_editor(self, shown: bool) -> None:
        """Show the text, or make room for another view of it."""
        self._text.setVisible(shown)

    def show_text(self) -> None:
        """Show the text rather than its token IDs."""
        self.tools.show_mode(TEXT)

    @cached_property
    def find_bar(self) -> FindBar:
        """Find and replace, below the prompt. Made when it is first asked for: the first picture is without it."""
        from gui.widgets.find_bar import FindBar

        bar = FindBar(self.theme, self.icons, self)
        self._column.insertWidget(self._column.indexOf(self.readout), bar)
        for before, after in pairwise((self.editor, *bar.tab_order)):
            QWidget.setTabOrder(before, after)
        return bar

    def _connect(self) -> None:
        prompt = self.prompt
        self.picker.show_name(prompt.encoding)
        self.picker.chosen.connect(prompt.set_encoding)
        prompt.encoding_changed.connect(self.picker.show_name)
        prompt.counted.connect(self._on_counted)
        prompt.stale_changed.connect(self.counts.set_stale)
        self.editor.selection_tokens_changed.connect(self.counts.set_selected_tokens)
        self.editor.caret_token_changed.connect(self._on_caret_token)

    @cached_property
    def announcer(self) -> TokenAnnouncer:
        """For screen readers. Made with the first token at the caret: the first picture is without it."""
        from gui.prompt.token_readout import TokenAnnouncer

        return TokenAnnouncer(self.editor)

    @Slot(object)
    def _on_counted(self, counts: PromptCounts) -> None:
        self.counts.set_counts(counts)

    @Slot(object)
    def _on_caret_token(self, span: TokenSpan | None) -> None:
        info = self.prompt.token_info(span)
        self.readout.show_token(span, info)
        self.announcer.show_token(span, info)
