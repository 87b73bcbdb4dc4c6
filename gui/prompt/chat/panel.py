"""Page Chat: the messages and tools of a request on the left, their counts on the right."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QComboBox, QFrame, QPlainTextEdit, QSizePolicy, QStackedWidget, QWidget

from engine.requests.types import Image, Message, Request, ToolCall
from gui.core.token_text import visible_line
from gui.look.icons import Icons
from gui.look.style_sheet import plain_corner
from gui.look.theme import Theme
from gui.prompt.chat.messages import EDGE, SETTLE_MS, MessageEditor, MessageList, MessagesModel
from gui.prompt.chat.result import RequestLinesPage, RequestResult, unknown_text
from gui.state.settings import SettingsStore
from gui.widgets.forms import Remark, button_of_kind, column_of, labelled_row, row_of, splitter_of
from gui.widgets.labels import PlainLabel
from gui.widgets.tool_row import ElidedChoice, EncodingPicker, ToolRow

if TYPE_CHECKING:
    from engine.requests.bodies.reading import UnknownPart
    from engine.requests.template import Template
    from gui.prompt.chat.service import RequestReply

CHOOSE_FILE = "choose"
OWN_TEMPLATE = "file"


class RequestBar(ToolRow):
    """Tools in the view bar of the window.

    Signals: ``changed()``: another template, encoding or rule; ``template_file_asked()``, ``open_asked()``,
    ``paste_asked()``; ``price_toggled(bool)``.
    """

    changed = Signal()
    template_file_asked = Signal()
    open_asked = Signal()
    paste_asked = Signal()
    price_toggled = Signal(bool)

    def __init__(self, templates: Sequence[Template], rules: Sequence[str], icons: Icons) -> None:
        super().__init__("requestTools", "")
        self.setAccessibleName(self.tr("Request"))
        self._icons = icons
        self._choices = {choice.key: choice for choice in templates}
        self._key = templates[0].key
        self.template_file: Path | None = None
        self._last_file: Path | None = None
        self._make(templates, rules)
        self._lay_out()
        self._describe()
        self.template.currentIndexChanged.connect(self._on_template)
        self.picker.chosen.connect(self.changed)
        self.rule.currentIndexChanged.connect(self.changed)
        self.open.clicked.connect(self.open_asked)
        self.paste.clicked.connect(self.paste_asked)
        self.price.toggled.connect(self.price_toggled)

    @property
    def template_key(self) -> str:
        """Key of the template in use; ``OWN_TEMPLATE`` for that of ``template_file``."""
        return self._key

    def show_template(self, key: str) -> None:
        """Use this template and its usual encoding. An unknown key changes nothing."""
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
        """Select a template in the list without emitting signals."""
        with QSignalBlocker(self.template):
            self.template.setCurrentIndex(self.template.findData(key))

    def _describe(self) -> None:
        """Show the source of the template as the tooltip."""
        choice = self._choices.get(self._key)
        source = str(self.template_file) if choice is None else choice.source
        self.template.setToolTip(self.tr("Source: {source}").format(source=source))

    def _make(self, templates: Sequence[Template], rules: Sequence[str]) -> None:
        self.template = ElidedChoice(objectName="requestTemplate")
        self.template.setAccessibleName(self.tr("Chat template"))
        for choice in templates:
            self.template.addItem(choice.label, choice.key)
        self.template.addItem(self.tr("Template file…"), CHOOSE_FILE)
        self.picker = EncodingPicker()
        self.picker.setObjectName("requestEncoding")
        self.picker.setAccessibleName(self.tr("Encoding"))
        self.picker.show_name(templates[0].encoding or "")
        self.rule = ElidedChoice(objectName="requestImageRule")
        self.rule.setAccessibleName(self.tr("How images are counted"))
        self.rule.addItem(self.tr("model default"), "")
        for rule in rules:
            self.rule.addItem(rule, rule)
        self.open = button_of_kind("requestOpen", self.tr("&Open…"), "secondary")
        self.open.setToolTip(self.tr("Open an API request body, or a JSONL file of many"))
        self.paste = button_of_kind("requestPaste", self.tr("&Paste"), "quiet")
        self.paste.setToolTip(self.tr("Paste an API request body"))
        self.price = button_of_kind("requestPrice", self.tr("&Price it"), "quiet")
        self.price.setAccessibleName(self.tr("Price this request"))
        self.price.setCheckable(True)
        self.price.setToolTip(self.tr("Show the cost of this request in the cost table, instead of the prompt"))

    def _lay_out(self) -> None:
        self.add_caption(self.tr("Te&mplate"), self.template)
        self.add(self.template, self.picker)
        self.add_caption(self.tr("Ima&ges"), self.rule)
        self.add(self.rule)
        for button, icon in ((self.price, "cost"), (self.paste, "copy"), (self.open, "open")):
            self.add_button(button, self._icons.icon(icon))
        for choice, least in ((self.template, 13), (self.picker, 8), (self.rule, 7)):
            choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            choice.setMinimumContentsLength(least)
        self.picker.setProperty("kind", "quiet")


# --- the page ---------------------------------------------------------------------------------------------------------

FIRST_MESSAGES = (
    Message("system", "You are a helpful assistant. Answer in one sentence."),
    Message("user", "What is in this picture?", images=(Image(1024, 1024, "high"),)),
)
MAX_KEPT = 1_000_000
"""Maximum size of a request saved with the session, in characters."""

FIRST_WIDTHS = [420, 480]

MAX_UNKNOWN = 200
"""Maximum number of uncounted parts saved with the session."""


class ChatPanel(QFrame):
    """The whole page, once ``make`` is done; ``bar`` is for the view bar of the window.

    Signals: ``changed()``: the draft was edited; ``state_changed()``; ``files_dropped(list)``: paths.
    """

    changed = Signal()
    state_changed = Signal()
    files_dropped = Signal(list)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "surface")
        self.model_name = ""
        self.not_counted: tuple[tuple[str, str], ...] = ()
        self.model = MessagesModel(self)
        self._tools_settle = QTimer(self, singleShot=True, interval=SETTLE_MS)

    def make(
        self,
        theme: Theme,
        settings: SettingsStore,
        icons: Icons,
        templates: Sequence[Template],
        rules: Sequence[str],
    ) -> Iterator[None]:
        """Create the widgets, step by step."""
        self.bar = RequestBar(templates, rules, icons)
        self.message = MessageEditor(theme, icons)
        yield
        self.messages = MessageList(self.model, self.message, theme)
        yield
        self.result = RequestResult(theme, settings)
        yield
        self.lines = RequestLinesPage()
        self._make_tools()
        self.unknown = Remark()
        self.unknown.setObjectName("requestUnknown")
        yield
        self._lay_out()
        self.setAcceptDrops(True)
        self._connect()
        self.model.set_messages(FIRST_MESSAGES)

    def _connect(self) -> None:
        self.messages.current_changed.connect(self._show_current)
        self.message.changed.connect(self._take_message)
        self.model.dataChanged.connect(self._on_cells)
        for signal in (self.model.rowsInserted, self.model.rowsRemoved, self.model.rowsMoved, self.model.modelReset):
            signal.connect(self._on_change)
        self.tools.textChanged.connect(self._tools_settle.start)
        self._tools_settle.timeout.connect(self._on_change)
        self.choice.currentIndexChanged.connect(self._on_change)
        self.bar.changed.connect(self._on_change)
        self.edit_tools.toggled.connect(self._show_tools)
        for editor in (self.result.view, self.message.content):
            editor.files_dropped.connect(self.files_dropped)

    # --- request ------------------------------------------------------------------------------------------------------

    @property
    def tools_text(self) -> str:
        """Tools as JSON text."""
        return self.tools.toPlainText()

    @property
    def tool_choice(self) -> tuple[Literal["auto", "none"], str]:
        """Tool choice (``auto`` or ``none``), and the name of the tool that must be called; "" for any."""
        choice, name = self.choice.currentData()
        return choice, name

    def show_request(self, request: Request, unknown: Sequence[UnknownPart] = ()) -> None:
        """Edit this request. ``unknown``: its parts that are not counted."""
        self.model_name = request.model
        self._show_choices((), (request.tool_choice, request.forced_tool))
        listed = [tool.as_json() for tool in request.tools]
        with QSignalBlocker(self.tools):
            self.tools.setPlainText(json.dumps(listed, ensure_ascii=False, indent=2) if listed else "")
        self._tools_settle.stop()
        self.show_not_counted([(part.path, part.what) for part in unknown])
        self.model.set_messages(request.messages)
        self.show_builder()

    def show_not_counted(self, parts: Sequence[tuple[str, str]]) -> None:
        """List the parts of the request's body that are not counted, by position and kind."""
        self.not_counted = tuple(parts)
        self.unknown.say(unknown_text(parts), "warning")

    def show_reply(self, reply: RequestReply) -> None:
        """Show the counts of the draft."""
        self.tools_remark.say(reply.tools_problem, "error")
        self.tools_names.setText(", ".join(map(visible_line, reply.tool_names)) or self.tr("none"))
        self._show_choices(reply.tool_names, self.tool_choice)
        self.result.show_reply(reply)
        if len(reply.message_tokens) == self.model.rowCount():
            self.model.set_tokens(reply.message_tokens, reply.message_grades)

    def _show_choices(self, names: Sequence[str], chosen: tuple[str, str]) -> None:
        """List tools of these names as choices and select ``chosen``, without emitting signals."""
        choices = {("auto", ""): self.tr("automatic"), ("none", ""): self.tr("no tool")}
        forced = chosen[1] if chosen[0] == "auto" else ""
        choices |= {("auto", name): visible_line(name) for name in (*names, forced) if name}
        with QSignalBlocker(self.choice):
            if [tuple(self.choice.itemData(row)) for row in range(self.choice.count())] != list(choices):
                self.choice.clear()
                for choice, words in choices.items():
                    self.choice.addItem(words, choice)
            self.choice.setCurrentIndex(list(choices).index(chosen) if chosen in choices else 0)

    def show_builder(self) -> None:
        """Show the request instead of a file of requests."""
        self.pages.setCurrentWidget(self.builder)

    def show_lines(self, path: Path) -> None:
        """Show a file of requests that is being counted."""
        self.pages.setCurrentWidget(self.lines)
        self.lines.begin(path)

    def focus(self) -> None:
        """Focus the list of messages."""
        self.messages.table.setFocus()

    # --- state --------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the user's edits as JSON data; without the messages if they are too long."""
        state: dict[str, Any] = {
            "template": self.bar.template_key,
            "template_file": str(self.bar.template_file) if self.bar.template_file else "",
            "encoding": self.bar.picker.currentText(),
            "image_rule": self.bar.rule.currentData(),
            "model": self.model_name,
            "tool_choice": list(self.tool_choice),
        }
        messages = [_stored(message) for message in self.model.messages]
        if sum(len(message["content"]) for message in messages) + len(self.tools_text) <= MAX_KEPT:
            state |= {"messages": messages, "tools": self.tools_text}
            state["not_counted"] = [list(part) for part in self.not_counted[:MAX_UNKNOWN]]
        return state

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned; invalid values are ignored."""
        template, file = state.get("template"), state.get("template_file")
        if isinstance(file, str) and file and _is_file(file):
            self.bar.show_template_file(Path(file))
        elif isinstance(template, str):
            self.bar.show_template(template)
        encoding, rule, model = (state.get(name) for name in ("encoding", "image_rule", "model"))
        if isinstance(encoding, str) and encoding:
            self.bar.picker.show_name(encoding)
        self.bar.rule.setCurrentIndex(max(0, self.bar.rule.findData(rule)))
        self.model_name = model if isinstance(model, str) else ""
        for choice, name in _rows([state.get("tool_choice")], (str, str)):
            self._show_choices((), (choice, name))
        tools, messages = state.get("tools"), state.get("messages")
        if isinstance(tools, str) and isinstance(messages, list):
            self.tools.setPlainText(tools)
            self.model.set_messages(tuple(_restored(one) for one in messages if isinstance(one, dict)))
            self.show_not_counted([(path, what) for path, what in _rows(state.get("not_counted"), (str, str))])

    # --- edits --------------------------------------------------------------------------------------------------------

    @Slot(int)
    def _show_current(self, row: int) -> None:
        self.message.take_over()
        self._editing = row
        self.message.show_message(self.model.message(row) if row >= 0 else None)

    @Slot(bool)
    def _show_tools(self, on: bool) -> None:
        """Show the editor of the tools, or only their names."""
        self.tools_page.setVisible(on)
        self._rows.setStretchFactor(self._foot, 2 if on else 0)
        if on:
            self.tools.setFocus()

    @Slot(object)
    def _take_message(self, message: Message) -> None:
        if 0 <= self._editing < self.model.rowCount():
            self.model.change(self._editing, message)

    @Slot(object, object, object)
    def _on_cells(self, _first: object, _last: object, roles: list[int]) -> None:
        if Qt.ItemDataRole.EditRole in roles:
            if not self.message.content.hasFocus():
                self._refresh_editor()
            self._on_change()

    def _refresh_editor(self) -> None:
        row = self.messages.current_row
        if row >= 0:
            self.message.show_message(self.model.message(row))

    @Slot()
    def _on_change(self) -> None:
        self._editing = self.messages.current_row
        self.changed.emit()
        self.state_changed.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.files_dropped.emit(_files(event))

    # --- layout -------------------------------------------------------------------------------------------------------

    def _make_tools(self) -> None:
        self._editing = -1
        self.tools = QPlainTextEdit(objectName="requestTools", accessibleName=self.tr("Tools of the request, as JSON"))
        self.tools.setPlaceholderText(self.tr('A JSON list of tools, like [{"name": "f", "parameters": {…}}]'))
        self.tools.setTabChangesFocus(True)
        self.tools.setCornerWidget(plain_corner(self.tools))
        self.tools_title = PlainLabel(self.tr("Tools"), role="strong")
        self.tools_names = PlainLabel(objectName="requestToolNames", role="quiet")
        self.tools_names.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.edit_tools = button_of_kind("requestEditTools", self.tr("Edit as &JSON"), "link")
        self.edit_tools.setCheckable(True)
        self.edit_tools.setToolTip(self.tr("Show or hide the tools of the request, as JSON"))
        self.tools_remark = Remark()
        self.tools_remark.setObjectName("requestToolsProblem")
        self.tools.setAcceptDrops(False)  # a file dropped there is opened as well
        self.choice = QComboBox(objectName="requestToolChoice", accessibleName=self.tr("Tool choice"))
        self.choice.setToolTip(self.tr("Which tool the model may or must call; OpenAI counts tokens for it"))
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._show_choices((), ("auto", ""))

    def _lay_out(self) -> None:
        self.tools_page = QWidget()
        column_of((self.tools, 1), labelled_row(self.tr("Too&l choice"), self.choice), parent=self.tools_page)
        self.tools_page.hide()
        foot = QFrame()
        foot.setProperty("kind", "surface")
        head = row_of(self.tools_title, (self.tools_names, 1), self.edit_tools)
        column_of(head, (self.tools_page, 1), self.tools_remark, parent=foot, margins=(EDGE, 8, EDGE, 8), spacing=6)
        line = QFrame()
        line.setProperty("kind", "line")
        left = QWidget()
        self._rows = column_of((self.messages, 3), line, (foot, 0), parent=left, spacing=0)
        self._foot = foot
        self.builder = splitter_of("", left, self.result, FIRST_WIDTHS)
        self.builder.setStretchFactor(0, 1)
        self.builder.setStretchFactor(1, 1)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.builder)
        self.pages.addWidget(self.lines)
        column_of(column_of(self.unknown, margins=(8, 0, 8, 0)), (self.pages, 1), parent=self, spacing=0)


def _files(event: QDropEvent) -> list[str]:
    return [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]


def _stored(message: Message) -> dict[str, Any]:
    return {
        "role": message.role,
        "content": message.content,
        "name": message.name,
        "call_id": message.call_id,
        "images": [[image.width, image.height, image.detail, image.name] for image in message.images],
        "calls": [[call.name, call.arguments, call.call_id] for call in message.tool_calls],
    }


def _restored(stored: dict[str, Any]) -> Message:
    """Return a message from its stored form; invalid fields are ignored."""
    texts = {name: stored[name] for name in ("content", "name", "call_id") if isinstance(stored.get(name), str)}
    role = stored.get("role")
    return Message(
        role if isinstance(role, str) else "user",
        images=tuple(Image(*one) for one in _rows(stored.get("images"), (int, int, str, str))),
        tool_calls=tuple(ToolCall(*one) for one in _rows(stored.get("calls"), (str, str, str))),
        **texts,
    )


def _rows(value: object, kinds: tuple[type, ...]) -> list[list[Any]]:
    """Return the lists in ``value`` whose items have these types."""
    return [
        row
        for row in (value if isinstance(value, list) else [])
        if isinstance(row, list)
        and len(row) == len(kinds)
        and all(isinstance(one, kind) for one, kind in zip(row, kinds, strict=True))
    ]


def _is_file(name: str) -> bool:
    """Return True if a file has this path; False also for an invalid path."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False
