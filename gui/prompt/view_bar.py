"""The switches of the page Text: how tokens are coloured, what is shown, and text or token IDs."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QTabBar, QWidget

from gui.look.icons import Icons
from gui.look.plain_label import PlainLabel
from gui.prompt.prompt import Prompt
from gui.settings import SettingsStore, describe

COLOUR_CHARACTERS = 7
"""So many characters of a mode are seen in the closed list, so that the row fits a small window."""
TEXT, IDS, BOTH = "text", "ids", "both"
MODES = (TEXT, IDS, BOTH)


class ViewBar(QWidget):
    """One row of switches, each with its word. What they set is in the settings and in the prompt.

    Signals: ``mode_chosen(str)``: the text, its token IDs, or both are to be seen.
    """

    mode_chosen = Signal(str)

    def __init__(self, prompt: Prompt, settings: SettingsStore, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._prompt, self._settings, self._icons = prompt, settings, icons
        self.setObjectName("viewBar")
        self.setAccessibleName(self.tr("View"))
        self.colours = QComboBox(self)
        self.colours.setObjectName("tokenColourMode")
        self.colours.setAccessibleName(self.tr("Token colours"))
        self.colours.setToolTip(self.tr("Choose how neighbouring tokens are told apart"))
        self.colours.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.colours.setMinimumContentsLength(COLOUR_CHARACTERS)
        option = describe("token_colours")
        assert option is not None
        for value, title in option.choices:
            self.colours.addItem(QCoreApplication.translate("Settings", title), value)
        metrics = self.colours.fontMetrics()
        widest = max(metrics.horizontalAdvance(self.colours.itemText(row)) for row in range(self.colours.count()))
        self.colours.view().setMinimumWidth(widest + 32)
        self.spaces = self._switch(self.tr("Spaces"), "showSpaces", "whitespace", self.tr("Show spaces and line ends"))
        self.wrap = self._switch(self.tr("Wrap"), "wrapLines", "wrap", self.tr("Wrap long lines at the window edge"))
        self.special = self._switch(
            self.tr("Special to&kens"),
            "specialTokens",
            "special",
            self.tr("On: text such as <|endoftext|> counts as that special token. Off: it counts as the text it is."),
        )
        self.modes = QTabBar(self)
        self.modes.setObjectName("idsMode")
        self.modes.setAccessibleName(self.tr("Show text or token IDs"))
        self.modes.setProperty("kind", "segments")
        self.modes.setDrawBase(False)
        self.modes.setExpanding(False)
        self.modes.setUsesScrollButtons(False)
        for title in (self.tr("Text"), self.tr("IDs"), self.tr("Both")):
            self.modes.addTab(title)
        self._lay_out()
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
        return (self.colours, self.spaces, self.wrap, self.special, self.modes)

    def _lay_out(self) -> None:
        label = PlainLabel(self.tr("Co&lours"), self)
        label.setBuddy(self.colours)
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(4, 4, 8, 4)
        row.setSpacing(4)
        row.addStretch(1)
        row.addWidget(label)
        row.addWidget(self.colours)
        for switch in (self.spaces, self.wrap, self.special):
            row.addWidget(switch)
        row.addWidget(self.modes)

    def _switch(self, text: str, name: str, icon: str, tip: str) -> QPushButton:
        button = QPushButton(self._icons.icon(icon), text, self)
        button.setObjectName(name)
        button.setProperty("kind", "quiet")
        button.setCheckable(True)
        button.setToolTip(tip)
        return button

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
