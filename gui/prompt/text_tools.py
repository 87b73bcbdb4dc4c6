"""The tools of the page Text: encoding, how tokens are coloured, what is shown, and text or token IDs."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Signal, Slot
from PySide6.QtWidgets import QPushButton, QTabBar, QWidget

from gui.look.icons import Icons
from gui.prompt.prompt import Prompt
from gui.state.settings import SettingsStore, describe
from gui.widgets.encoding_picker import EncodingPicker
from gui.widgets.tool_row import QuietChoice, ToolRow, segments

LEAST_ENCODING = 5
"""So many characters of the encoding are seen, so that the row fits a small window."""
TEXT, IDS, BOTH = "text", "ids", "both"
MODES = (TEXT, IDS, BOTH)


class TextTools(ToolRow):
    """Stands in the view bar of the window. What its switches set is in the settings and in the prompt.

    Signals: ``mode_chosen(str)``: the text, its token IDs, or both are to be seen.
    """

    mode_chosen = Signal(str)

    def __init__(self, prompt: Prompt, settings: SettingsStore, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__("textTools", "", parent)
        self.setAccessibleName(self.tr("View"))
        self._settings, self._icons = settings, icons
        self.picker = EncodingPicker(self)
        self.picker.setProperty("kind", "quiet")
        self.picker.setMinimumContentsLength(LEAST_ENCODING)
        self.colours = QuietChoice(icons.icon("columns"), self.tr("Colours: {choice}"), self)
        self.colours.setObjectName("tokenColourMode")
        self.colours.setAccessibleName(self.tr("Token colours"))
        self.colours.setToolTip(self.tr("Choose how neighbouring tokens are told apart"))
        option = describe("token_colours")
        assert option is not None
        for value, title in option.choices:
            self.colours.addItem(QCoreApplication.translate("Settings", title), value)
        metrics = self.colours.fontMetrics()
        widest = max(metrics.horizontalAdvance(self.colours.itemText(row)) for row in range(self.colours.count()))
        self.colours.view().setMinimumWidth(widest + 32)
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
        self.spaces.toggled.connect(self._on_spaces)
        self.wrap.toggled.connect(self._on_wrap)
        self.special.toggled.connect(prompt.set_special_as_tokens)
        prompt.special_changed.connect(self.special.setChecked)
        settings.changed.connect(self._show_settings)
        self._show_settings("")

    @property
    def tab_order(self) -> tuple[QWidget, ...]:
        """The switches in the order in which the Tab key comes to them."""
        return (self.picker, self.colours, self.spaces, self.wrap, self.special, self.modes)

    def _switch(self, text: str, name: str, icon: str, tip: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName(name)
        button.setProperty("kind", "quiet")
        button.setCheckable(True)
        button.setToolTip(tip)
        return self.add_button(button, self._icons.icon(icon))

    @property
    def mode(self) -> str:
        """One of ``MODES``."""
        return MODES[self.modes.currentIndex()]

    def show_mode(self, mode: str) -> None:
        """Choose what is to be seen."""
        self.modes.setCurrentIndex(MODES.index(mode))

    @Slot(int)
    def _on_mode(self) -> None:
        self.mode_chosen.emit(self.mode)

    @Slot(int)
    def _on_colours(self, row: int) -> None:
        self._settings.set("token_colours", self.colours.itemData(row))

    @Slot(bool)
    def _on_spaces(self, on: bool) -> None:
        self._settings.set("show_whitespace", on)

    @Slot(bool)
    def _on_wrap(self, on: bool) -> None:
        self._settings.set("word_wrap", on)

    @Slot(str)
    def _show_settings(self, _name: str) -> None:
        values = self._settings.values
        self.colours.setCurrentIndex(self.colours.findData(values.token_colours))
        self.spaces.setChecked(values.show_whitespace)
        self.wrap.setChecked(values.word_wrap)
