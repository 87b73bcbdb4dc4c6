"""Page Text: the editor with its tools, the banners above it, the cards of the first start, and the figures below."""

from __future__ import annotations

from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QSizePolicy, QSplitter, QTabBar, QToolButton, QWidget

from gui.editor.token_editor import EditorLook, TokenEditor
from gui.look.icons import Icons
from gui.look.quantities import figure
from gui.look.style_sheet import give_kind, give_role
from gui.look.theme import Theme
from gui.prompt.figures import CountBar, Gutter, TokenAnnouncer, TokenReadout
from gui.prompt.prompt import Prompt
from gui.runtime.notify import INFORMATION, WARNING, Notice, Offer
from gui.state.settings import SettingsStore, describe
from gui.widgets.forms import column_of, row_of
from gui.widgets.labels import PlainLabel
from gui.widgets.tool_row import EncodingPicker, QuietChoice, ToolRow, segments

if TYPE_CHECKING:
    from gui.editor.offsets import TokenSpan
    from gui.prompt.counting_service import PromptCounts
    from gui.widgets.banner import Banner
    from gui.widgets.find_bar import FindBar
    from gui.window.navigation import ViewBar

MIN_ENCODING = 5
"""Minimum number of visible characters of the encoding's name, so that the row fits a small window."""
TEXT, IDS, BOTH = "text", "ids", "both"
MODES = (TEXT, IDS, BOTH)
MIN_LINES = 4
"""Minimum number of visible lines of the prompt, whatever opens around it."""
MARGIN, TOP = 8, 8
"""Margins beside and above the text, in pixels: with its padding the gutter aligns with the page switcher."""
STRIP_HEIGHT, STRIP_SHARE = 290, 0.45
"""Default height of the strip below the prompt in pixels, and its maximum share of the page's height."""
MIN_STRIP, MAX_STRIP = 60, 4000
CARD_ICON = QSize(20, 20)
MIN_CARDS_HEIGHT = 320
"""Minimum height of the prompt in pixels, without the cost strip, at which the cards are shown: below it they would
leave too little of the prompt."""


class TextTools(ToolRow):
    """Tools in the view bar of the window. The settings and the prompt hold the state of the switches.

    Signals: ``mode_chosen(str)``: show the text, its token IDs, or both.
    """

    mode_chosen = Signal(str)

    def __init__(self, prompt: Prompt, settings: SettingsStore, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__("textTools", "", parent)
        self.setAccessibleName(self.tr("View"))
        self._settings, self._icons = settings, icons
        self.picker = EncodingPicker(self)
        self.picker.setProperty("kind", "quiet")
        self.picker.setMinimumContentsLength(MIN_ENCODING)
        self.colours = QuietChoice(icons.icon("columns"), self.tr("Colours: {choice}"), self)
        self.colours.setObjectName("tokenColourMode")
        self.colours.setAccessibleName(self.tr("Token colours"))
        self.colours.setToolTip(self.tr("Choose how adjacent tokens are distinguished"))
        option = describe("token_colours")
        assert option is not None
        for value, title in option.choices:
            self.colours.addItem(QCoreApplication.translate("Settings", title), value)
        self.add(self.picker, self.colours)
        self.spaces = self._switch(self.tr("Spaces"), "showSpaces", "whitespace", self.tr("Show spaces and line ends"))
        self.wrap = self._switch(self.tr("Wrap"), "wrapLines", "wrap", self.tr("Wrap long lines at the window edge"))
        self.special = self._switch(
            self.tr("Special to&kens"),
            "specialTokens",
            "special",
            self.tr("On: text such as <|endoftext|> counts as that special token. Off: it counts as the text it is."),
        )
        self.modes = QTabBar(self)
        self.add(segments(self.modes, "idsMode", self.tr("Show text or token IDs")))
        for title in (self.tr("Text"), self.tr("IDs"), self.tr("Both")):
            self.modes.addTab(title)
        self.modes.currentChanged.connect(self._on_mode)
        self.colours.currentIndexChanged.connect(self._on_colours)
        self.spaces.toggled.connect(partial(settings.set, "show_whitespace"))
        self.wrap.toggled.connect(partial(settings.set, "word_wrap"))
        self.special.toggled.connect(prompt.set_special_as_tokens)
        prompt.special_changed.connect(self.special.setChecked)
        settings.changed.connect(self._show_settings)
        self._show_settings("")

    @property
    def tab_order(self) -> tuple[QWidget, ...]:
        """Switches in the order of the Tab key."""
        return (self.picker, self.colours, self.spaces, self.wrap, self.special, self.modes)

    def _switch(self, text: str, name: str, icon: str, tip: str) -> QPushButton:
        button = QPushButton(text, self, objectName=name)
        button.setProperty("kind", "quiet")
        button.setCheckable(True)
        button.setToolTip(tip)
        return self.add_button(button, self._icons.icon(icon))

    @property
    def mode(self) -> str:
        """Selected mode: one of ``MODES``."""
        return MODES[self.modes.currentIndex()]

    def show_mode(self, mode: str) -> None:
        """Select a mode: text, token IDs, or both."""
        self.modes.setCurrentIndex(MODES.index(mode))

    @Slot(int)
    def _on_mode(self) -> None:
        self.mode_chosen.emit(self.mode)

    @Slot(int)
    def _on_colours(self, row: int) -> None:
        self._settings.set("token_colours", self.colours.itemData(row))

    @Slot(str)
    def _show_settings(self, _name: str) -> None:
        values = self._settings.values
        self.colours.setCurrentIndex(self.colours.findData(values.token_colours))
        self.spaces.setChecked(values.show_whitespace)
        self.wrap.setChecked(values.word_wrap)


class PromptBanners(QWidget):
    """Banners above the prompt that depend on the text. A closed one stays hidden until its cause has gone."""

    def __init__(self, prompt: Prompt, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._prompt = prompt
        self._theme = theme
        self._icons = icons
        self.setObjectName("promptBanners")
        self.setAccessibleName(self.tr("Prompt notices"))
        self._column = column_of(parent=self, spacing=0)
        self._closed: set[str] = set()
        prompt.counted.connect(self._on_counted)
        prompt.origin_changed.connect(self._closed.clear)

    # Created on first use, with the first counts at the latest: the first paint does not need them.

    @cached_property
    def special(self) -> Banner:
        """Banner about text that spells special tokens."""
        return self._banner("special", 0)

    @cached_property
    def stored(self) -> Banner:
        """Banner about text that is counted as its file stores it."""
        return self._banner("stored", self._column.count())

    def _banner(self, key: str, index: int) -> Banner:
        from gui.widgets.banner import Banner

        banner = Banner(self._theme, self._icons, self)
        banner.setObjectName(f"{key}Banner")
        banner.hide()
        banner.dismissed.connect(banner.hide)
        banner.dismissed.connect(partial(self._closed.add, key))
        self._column.insertWidget(index, banner)
        return banner

    @Slot(object)
    def _on_counted(self, counts: PromptCounts) -> None:
        self._show_special(counts)
        self._show_stored(counts)

    def _show_special(self, counts: PromptCounts) -> None:
        if not counts.special_occurrences:
            self._closed.discard("special")
            self.special.hide()
            return
        if "special" in self._closed:
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
        if not counts.counted_as_stored or "stored" in self._closed:
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


class Card(NamedTuple):
    """Content of a card. ``page``: object name of the page that its button opens; empty for the prompt itself."""

    key: str
    icon: str
    title: str
    sentence: str
    button: str
    page: str = ""


CARDS = (
    Card(
        "paste",
        "prompt",
        QT_TRANSLATE_NOOP("FirstSteps", "Count your own prompt"),
        QT_TRANSLATE_NOOP("FirstSteps", "See its tokens and the cost of one call with every model."),
        QT_TRANSLATE_NOOP("FirstSteps", "Paste"),
    ),
    Card(
        "train",
        "tokenizers",
        QT_TRANSLATE_NOOP("FirstSteps", "Train a tokenizer"),
        QT_TRANSLATE_NOOP("FirstSteps", "Train on your own texts and compare the result."),
        QT_TRANSLATE_NOOP("FirstSteps", "Open Train"),
        "trainingTab",
    ),
    Card(
        "vocabulary",
        "search",
        QT_TRANSLATE_NOOP("FirstSteps", "Explore a vocabulary"),
        QT_TRANSLATE_NOOP("FirstSteps", "Search the entries of an encoding and see how they are merged."),
        QT_TRANSLATE_NOOP("FirstSteps", "Open Vocabulary"),
        "vocabularyTab",
    ),
)


def open_cards(settings: SettingsStore) -> tuple[Card, ...]:
    """Return the cards that the user has not dismissed."""
    return tuple(card for card in CARDS if card.key not in settings.values.dismissed_cards)


class FirstSteps(QWidget):
    """Row of cards under the sample prompt of the first start. Closing a card, or its button, dismisses it.

    Signals: ``paste_asked()``; ``page_asked(str)`` with the object name of a page.
    """

    paste_asked = Signal()
    page_asked = Signal(str)

    def __init__(self, settings: SettingsStore, theme: Theme, icons: Icons, page: QWidget) -> None:
        """``page``: parent of the cards, whose height decides whether they are shown."""
        super().__init__(page)
        self.setObjectName("firstSteps")
        self._settings, self._icons = settings, icons
        self.cards: dict[str, QFrame] = {}
        self._pictures: list[tuple[QLabel, str]] = []
        row = row_of(spacing=10)
        for card in open_cards(settings):
            self.cards[card.key] = made = self._card(card)
            row.addWidget(made, 1)
        self.close_all = QPushButton(self.tr("Don’t show these again"), objectName="firstStepsClose")
        self.close_all.setProperty("kind", "link")
        self.close_all.clicked.connect(self._dismiss_all)
        column_of(row, row_of(1, self.close_all), parent=self, margins=(16, 8, 16, 4), spacing=4)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._draw)
        settings.changed.connect(self._on_setting)
        self._draw()
        page.installEventFilter(self)
        self._fit()

    def _card(self, card: Card) -> QFrame:
        frame = QFrame(self, objectName=f"firstStep_{card.key}")
        frame.setProperty("kind", "card")
        picture = PlainLabel(frame)
        self._pictures.append((picture, card.icon))
        title, sentence = PlainLabel(_tr(card.title), frame), PlainLabel(_tr(card.sentence), frame)
        give_role(title, "strong")
        give_role(sentence, "caption")
        sentence.setWordWrap(True)
        sentence.setAlignment(Qt.AlignmentFlag.AlignTop)
        close = QToolButton(frame, objectName=f"firstStepClose_{card.key}")
        close.setProperty("kind", "icon")
        close.setIcon(self._icons.icon("close"))
        close.setIconSize(QSize(14, 14))
        close.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        close.setAccessibleName(self.tr("Dismiss: {title}").format(title=_tr(card.title)))
        close.setToolTip(self.tr("Don’t show this again"))
        close.clicked.connect(partial(self._dismiss, card.key))
        button = QPushButton(_tr(card.button), frame, objectName=f"firstStepGo_{card.key}")
        give_kind(button, "secondary" if card.page else "primary")
        button.setAccessibleName(f"{_tr(card.title)}: {_tr(card.button)}")
        button.clicked.connect(partial(self._follow, card))
        head = row_of(picture, (title, 1), close, spacing=8)
        foot = (button, 0, Qt.AlignmentFlag.AlignLeft)
        column_of(head, (sentence, 1), foot, parent=frame, margins=(12, 8, 8, 10), spacing=4)
        # A row of cards gives a wrapping label too little height: each needs two lines.
        sentence.setMinimumHeight(2 * sentence.fontMetrics().height())
        return frame

    def _follow(self, card: Card) -> None:
        self._dismiss(card.key)
        if card.page:
            self.page_asked.emit(card.page)
        else:
            self.paste_asked.emit()

    def _dismiss(self, key: str) -> None:
        dismissed = self._settings.values.dismissed_cards
        if key not in dismissed:
            self._settings.set("dismissed_cards", (*dismissed, key))

    @Slot()
    def _dismiss_all(self) -> None:
        self._settings.set("dismissed_cards", tuple(card.key for card in CARDS))

    @Slot(str)
    def _on_setting(self, name: str) -> None:
        if name != "dismissed_cards":
            return
        remaining = {card.key for card in open_cards(self._settings)}
        for key, frame in self.cards.items():
            frame.setVisible(key in remaining)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.parentWidget():
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        """Show the remaining cards if the page is high enough for them."""
        page = self.parentWidget()
        self.setVisible(bool(open_cards(self._settings)) and page is not None and page.height() >= MIN_CARDS_HEIGHT)

    @Slot()
    def _draw(self) -> None:
        for picture, icon in self._pictures:
            picture.setPixmap(self._icons.icon(icon).pixmap(CARD_ICON))


def _tr(text: str) -> str:
    return QCoreApplication.translate("FirstSteps", text)


class StripSplitter(QSplitter):
    """Splitter with the prompt above, a strip below, and a hairline between them. A folded strip is as high as its bar.

    Signals: ``changed()`` when ``state()`` changes; ``folded_changed(bool)``.
    """

    changed = Signal()
    folded_changed = Signal(bool)

    def __init__(self, prompt: QWidget, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.setObjectName("promptSplitter")
        self.strip = QWidget()
        """Widget below the prompt; empty until ``set_strip``."""
        self.folded = False
        self._height = 0  # set by the user; 0: the default
        self.addWidget(prompt)
        self.addWidget(self.strip)
        self._prepare()
        self.splitterMoved.connect(self._on_moved)

    def set_strip(self, strip: QWidget) -> None:
        """Replace the strip."""
        before = self.replaceWidget(1, strip)
        self.strip = strip
        strip.show()
        before.deleteLater()
        self._prepare()
        self._apply()

    @Slot(bool)
    def fold(self, folded: bool) -> None:
        """Fold the strip to its bar, or unfold it to its previous height."""
        if folded != self.folded:
            self.folded = folded
            self.folded_changed.emit(folded)
            self._apply()
            self.changed.emit()

    def state(self) -> dict[str, Any]:
        """Return the user's changes to the strip, as JSON data."""
        return {"folded": self.folded, "height": self._height}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned; invalid values are ignored."""
        height = state.get("height")
        if isinstance(height, int) and MIN_STRIP <= height <= MAX_STRIP:
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
        """Set the height of the strip. A folded strip is as high as its layout needs."""
        vertical = QSizePolicy.Policy.Fixed if self.folded else QSizePolicy.Policy.Preferred
        self.strip.setSizePolicy(QSizePolicy.Policy.Preferred, vertical)
        self.handle(1).setEnabled(not self.folded)
        space = self.height() - self.handleWidth()
        height = self.strip.sizeHint().height() if self.folded else self._height
        height = height or min(STRIP_HEIGHT, round(space * STRIP_SHARE))
        self.setSizes([max(1, space - height), height])

    @Slot()
    def _on_moved(self) -> None:
        self._height = self.sizes()[1]
        self.changed.emit()


class PromptPanel(QFrame):
    """Editor with all widgets that describe it. ``Prompt`` and ``Finder`` hold the logic.

    ``tools`` are for the view bar of the window.
    """

    def __init__(self, theme: Theme, icons: Icons, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme, self.icons, self.settings = theme, icons, settings
        self.setObjectName("promptTab")
        self.setProperty("kind", "surface")
        self.editor = TokenEditor(self)
        self.editor.setAccessibleName(self.tr("Prompt"))
        self.editor.setPlaceholderText(self.tr("Paste or type a prompt, or drop a file here"))
        self.prompt = Prompt(self.editor, self)
        self.counts = CountBar(theme, self)
        self.readout = TokenReadout(self)
        self.banners = PromptBanners(self.prompt, theme, icons, self)
        self.tools = TextTools(self.prompt, settings, icons, self)
        self.picker = self.tools.picker
        self.gutter = Gutter(self.prompt, theme, settings, self)
        EditorLook(self.editor, theme, settings, MIN_LINES)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self._text = QWidget(self)
        row_of(self.gutter, (self.editor, 1), parent=self._text, margins=(MARGIN, TOP, 0, 0), spacing=0)
        upper = QWidget(self, objectName="promptText")
        self._column = column_of(self.banners, (self._text, 1), self.readout, self.counts, parent=upper, spacing=0)
        self.splitter = StripSplitter(upper, self)
        column_of(self.splitter, parent=self)

    def give_tools(self, bar: ViewBar) -> None:
        """Add the tools to the view bar of the window; the Tab key goes from them to the text."""
        bar.add_tools(self.objectName(), self.tools)
        for before, after in pairwise((*self.tools.tab_order, self.editor)):
            QWidget.setTabOrder(before, after)

    @property
    def regions(self) -> tuple[QWidget, ...]:
        """Regions of this page that F6 cycles through."""
        return self.splitter.widget(0), self.splitter.strip

    def add_views(self, *views: QWidget) -> None:
        """Add more views of the prompt below the editor, hidden."""
        for view in views:
            view.hide()
            stretch = 1 if view is views[0] else 0
            self._column.insertWidget(self._column.indexOf(self.readout), view, stretch)

    def add_strip(self, strip: QWidget) -> None:
        """Add a strip of controls right below the editor, hidden."""
        strip.hide()
        self._column.insertWidget(self._column.indexOf(self._text) + 1, strip)

    def add_foot(self, foot: QWidget) -> None:
        """Add a widget, shown only at times, between the text and its figures."""
        self._column.insertWidget(self._column.indexOf(self.readout), foot)

    def show_editor(self, shown: bool) -> None:
        """Show the text, or hide it to make room for another view."""
        self._text.setVisible(shown)

    def show_text(self) -> None:
        """Show the text rather than its token IDs."""
        self.tools.show_mode(TEXT)

    @cached_property
    def find_bar(self) -> FindBar:
        """Find and replace, below the prompt. Created on first use: the first paint does not need it."""
        from gui.widgets.find_bar import FindBar

        bar = FindBar(self.icons, self)
        self._column.insertWidget(self._column.indexOf(self.readout), bar)
        for before, after in pairwise((self.editor, *bar.tab_order)):
            QWidget.setTabOrder(before, after)
        return bar

    def _connect(self) -> None:
        prompt = self.prompt
        self.picker.show_name(prompt.encoding)
        self.picker.chosen.connect(prompt.set_encoding)
        prompt.encoding_changed.connect(self.picker.show_name)
        prompt.counted.connect(self.counts.set_counts)
        prompt.stale_changed.connect(self.counts.set_stale)
        self.editor.selection_tokens_changed.connect(self.counts.set_selected_tokens)
        self.editor.caret_token_changed.connect(self._on_caret_token)

    @cached_property
    def announcer(self) -> TokenAnnouncer:
        """Announcer for screen readers. Created with the first token at the caret: the first paint does not need it."""
        return TokenAnnouncer(self.editor)

    @Slot(object)
    def _on_caret_token(self, span: TokenSpan | None) -> None:
        info = self.prompt.token_info(span)
        self.readout.show_token(span, info)
        self.announcer.show_token(span, info)
