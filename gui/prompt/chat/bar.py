"""How a request is rendered and counted, and where it comes from: the tools of the page Chat."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QComboBox, QPushButton, QWidget

from gui.core.token_text import visible_line
from gui.look.icons import Icons
from gui.widgets.encoding_picker import EncodingPicker
from gui.widgets.tool_row import ToolRow

if TYPE_CHECKING:
    from gui.prompt.chat.draft_service import TemplateChoice

LIST_PADDING = 24
CHOOSE_FILE = "choose"
OWN_TEMPLATE = "file"


class RequestBar(ToolRow):
    """Stands in the view bar of the window.

    Signals: ``changed()``: template, encoding or rule are others; ``template_file_asked()``, ``open_asked()``,
    ``paste_asked()``; ``price_toggled(bool)``.
    """

    changed = Signal()
    template_file_asked = Signal()
    open_asked = Signal()
    paste_asked = Signal()
    price_toggled = Signal(bool)

    def __init__(
        self, templates: Sequence[TemplateChoice], rules: Sequence[str], icons: Icons, parent: QWidget | None = None
    ) -> None:
        super().__init__("requestTools", "", parent)
        self.setAccessibleName(self.tr("Request"))
        self._icons = icons
        self._choices = {choice.key: choice for choice in templates}
        self._key = templates[0].key
        self.template_file: Path | None = None
        self._last_file: Path | None = None
        self._make(templates, rules)
        self._place()
        self._describe()
        self.template.currentIndexChanged.connect(self._on_template)
        self.picker.chosen.connect(self._on_choice)
        self.rule.currentIndexChanged.connect(self._on_choice)
        self.open.clicked.connect(self.open_asked)
        self.paste.clicked.connect(self.paste_asked)
        self.price.toggled.connect(self.price_toggled)

    @property
    def template_key(self) -> str:
        """The template in use; ``OWN_TEMPLATE`` for that of ``template_file``."""
        return self._key

    def show_template(self, key: str) -> None:
        """Use this template, with the encoding it usually goes with. An unknown key changes nothing."""
        choice = self._choices.get(key)
        if choice is None:
            return
        self._key, self.template_file = key, None
        self._show_row(key)
        if choice.encoding:
            self.picker.show_name(choice.encoding)
        self._describe()

    def show_template_file(self, path: Path) -> None:
        """Use the template of a file."""
        self._key, self.template_file = OWN_TEMPLATE, path
        row = self.template.findData(OWN_TEMPLATE)
        if row < 0:
            row = self.template.count() - 1
            self.template.insertItem(row, "", OWN_TEMPLATE)
        self.template.setItemText(row, visible_line(path.name))
        self._last_file = path
        self._show_row(OWN_TEMPLATE)
        self._describe()

    @Slot(int)
    def _on_template(self, row: int) -> None:
        key = self.template.itemData(row)
        if key == CHOOSE_FILE:
            self._show_row(self._key)
            self.template_file_asked.emit()
            return
        if key == OWN_TEMPLATE and self._last_file is not None:
            self.show_template_file(self._last_file)
        else:
            self.show_template(key)
        self.changed.emit()

    def _show_row(self, key: str) -> None:
        """Show a template in the list, without telling anybody."""
        blocker = QSignalBlocker(self.template)
        self.template.setCurrentIndex(self.template.findData(key))
        del blocker

    @Slot()
    def _on_choice(self) -> None:
        self.changed.emit()

    def _describe(self) -> None:
        """Say where the form of the template is published."""
        choice = self._choices.get(self._key)
        source = str(self.template_file) if choice is None else choice.source
        self.template.setToolTip(self.tr("Source: {source}").format(source=source))

    def _make(self, templates: Sequence[TemplateChoice], rules: Sequence[str]) -> None:
        self.template = QComboBox(objectName="requestTemplate")
        self.template.setAccessibleName(self.tr("Template of the request"))
        for choice in templates:
            self.template.addItem(choice.label, choice.key)
        self.template.addItem(self.tr("Template file…"), CHOOSE_FILE)
        self.picker = EncodingPicker()
        self.picker.setObjectName("requestEncoding")
        self.picker.setAccessibleName(self.tr("Encoding of the request"))
        self.picker.show_name(templates[0].encoding)
        self.rule = QComboBox(objectName="requestImageRule")
        self.rule.setAccessibleName(self.tr("How images are counted"))
        self.rule.addItem(self.tr("model default"), "")
        for rule in rules:
            self.rule.addItem(rule, rule)
        self.open = QPushButton(self.tr("&Open…"), objectName="requestOpen")
        self.open.setToolTip(self.tr("Open an API request body, or a JSONL file of many"))
        self.paste = QPushButton(self.tr("&Paste"), objectName="requestPaste")
        self.paste.setToolTip(self.tr("Paste an API request body"))
        self.price = QPushButton(self.tr("&Price it"), objectName="requestPrice")
        self.price.setAccessibleName(self.tr("Price this request"))
        self.price.setCheckable(True)
        self.price.setToolTip(
            self.tr(
                "Show the cost of this request in the cost table, by each model's own template, instead of the prompt"
            )
        )
        self.open.setProperty("kind", "secondary")
        for button in (self.paste, self.price):
            button.setProperty("kind", "quiet")
        for button in (self.open, self.paste, self.price):
            button.setAutoDefault(False)

    def _place(self) -> None:
        self.add_caption(self.tr("Te&mplate"), self.template)
        self.add(self.template, self.picker)
        self.add_caption(self.tr("Ima&ges"), self.rule)
        self.add(self.rule)
        for button, icon in ((self.price, "cost"), (self.paste, "copy"), (self.open, "open")):
            self.add_button(button, self._icons.icon(icon))
        for choice, least in ((self.template, 13), (self.picker, 8), (self.rule, 7)):
            choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            choice.setMinimumContentsLength(least)
        for choice in (self.template, self.rule):
            choice.view().setMinimumWidth(choice.view().sizeHintForColumn(0) + LIST_PADDING)
        self.picker.setProperty("kind", "quiet")
