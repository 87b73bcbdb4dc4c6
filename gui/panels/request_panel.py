"""The tab of whole requests: messages, tools and images on the left, what they count on the right."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QPlainTextEdit,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from engine.requests.types import Image, Message, Request, ToolCall
from gui.core.token_text import visible_line
from gui.look.corner import plain_corner
from gui.look.icons import Icons
from gui.look.theme import Theme
from gui.models.request_messages import MessagesModel
from gui.models.request_words import unknown_words
from gui.panels.request_bar import RequestBar
from gui.panels.request_lines import RequestLinesPage
from gui.panels.request_message import SETTLE_MS, MessageEditor
from gui.panels.request_messages import MessageList
from gui.panels.request_result import RequestResult
from gui.state.settings import SettingsStore
from gui.widgets.form_rows import Remark
from gui.widgets.layouts import labelled_row

if TYPE_CHECKING:
    from engine.requests.bodies.reading import UnknownPart
    from gui.services.request_count import RequestReply
    from gui.services.request_templates import TemplateChoice

FIRST_MESSAGES = (
    Message("system", "You are a helpful assistant. Answer in one sentence."),
    Message("user", "What is in this picture?", images=(Image(1024, 1024, "high"),)),
)
MOST_KEPT = 1_000_000
"""Characters of a request that are remembered from one window to the next."""

MOST_UNKNOWN = 200
"""Parts that are not counted, of which it is remembered that they are not."""


class RequestPanel(QFrame):
    """The whole page, when ``make`` is through; ``bar`` is for the view bar of the window.

    Signals: ``changed()``: the draft is another one; ``state_changed()``; ``files_dropped(list)``: paths."""

    changed = Signal()
    state_changed = Signal()
    files_dropped = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
        templates: Sequence[TemplateChoice],
        rules: Sequence[str],
    ) -> Iterator[None]:
        """Make the parts, step by step."""
        self.bar = RequestBar(templates, rules, icons)
        self.messages = MessageList(self.model)
        yield
        self.message = MessageEditor()
        yield
        self.result = RequestResult(theme, settings)
        yield
        self.lines = RequestLinesPage(theme)
        self._make_tools(theme)
        self.unknown = Remark(theme)
        self.unknown.setObjectName("requestUnknown")
        yield
        self._place()
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
        for editor in (self.result.view, self.message.content):
            editor.files_dropped.connect(self.files_dropped)

    # --- the request --------------------------------------------------------------------------------------------------

    @property
    def tools_text(self) -> str:
        """The tools, as JSON."""
        return self.tools.toPlainText()

    @property
    def tool_choice(self) -> tuple[Literal["auto", "none"], str]:
        """Whether tools may be called, and the name of the one that must be; empty for any."""
        choice, name = self.choice.currentData()
        return choice, name

    def show_request(self, request: Request, unknown: Sequence[UnknownPart] = ()) -> None:
        """Edit this request. ``unknown``: what of it is not counted."""
        self.model_name = request.model
        self._show_choices((), (request.tool_choice, request.forced_tool))
        listed = [tool.as_json() for tool in request.tools]
        blocker = QSignalBlocker(self.tools)
        self.tools.setPlainText(json.dumps(listed, ensure_ascii=False, indent=2) if listed else "")
        del blocker
        self._tools_settle.stop()
        self.say_not_counted([(part.place, part.what) for part in unknown])
        self.model.set_messages(request.messages)
        self.show_builder()

    def say_not_counted(self, parts: Sequence[tuple[str, str]]) -> None:
        """Say what of the request's body is not counted, by place and kind."""
        self.not_counted = tuple(parts)
        self.unknown.say(unknown_words(parts), "warning")

    def show_reply(self, reply: RequestReply) -> None:
        """Show what the draft counts."""
        self.tools_remark.say(reply.tools_problem, "error")
        self._show_choices(reply.tool_names, self.tool_choice)
        self.result.show_reply(reply)
        if len(reply.message_tokens) == self.model.rowCount():
            self.model.set_tokens(reply.message_tokens)

    def _show_choices(self, names: Sequence[str], chosen: tuple[str, str]) -> None:
        """Offer a choice among tools of these names, with this one chosen, without telling anybody."""
        choices = {("auto", ""): self.tr("automatic"), ("none", ""): self.tr("no tool")}
        forced = chosen[1] if chosen[0] == "auto" else ""
        choices |= {("auto", name): visible_line(name) for name in (*names, forced) if name}
        blocker = QSignalBlocker(self.choice)
        if [tuple(self.choice.itemData(row)) for row in range(self.choice.count())] != list(choices):
            self.choice.clear()
            for choice, words in choices.items():
                self.choice.addItem(words, choice)
        self.choice.setCurrentIndex(list(choices).index(chosen) if chosen in choices else 0)
        del blocker

    def show_builder(self) -> None:
        """Show the request, not a file of many."""
        self.pages.setCurrentWidget(self.builder)

    def show_lines(self, path: Path) -> None:
        """Show a file of many requests, which is being counted."""
        self.pages.setCurrentWidget(self.lines)
        self.lines.begin(path)

    def focus(self) -> None:
        """Put the caret where one goes on."""
        self.messages.table.setFocus()

    # --- state --------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """What the user made, as JSON holds it; without the messages where they are too long."""
        state: dict[str, Any] = {
            "template": self.bar.template_key,
            "template_file": str(self.bar.template_file) if self.bar.template_file else "",
            "encoding": self.bar.picker.currentText(),
            "image_rule": self.bar.rule.currentData(),
            "model": self.model_name,
            "tool_choice": list(self.tool_choice),
        }
        messages = [_stored(message) for message in self.model.messages]
        if sum(len(message["content"]) for message in messages) + len(self.tools_text) <= MOST_KEPT:
            state |= {"messages": messages, "tools": self.tools_text}
            state["not_counted"] = [list(part) for part in self.not_counted[:MOST_UNKNOWN]]
        return state

    def restore_state(self, state: dict[str, Any]) -> None:
        """Take back what ``state`` gave; whatever is not as it should be is left out."""
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
            self.say_not_counted([(place, what) for place, what in _rows(state.get("not_counted"), (str, str))])

    # --- edits --------------------------------------------------------------------------------------------------------

    @Slot(int)
    def _show_current(self, row: int) -> None:
        self.message.take_over()
        self._editing = row
        self.message.show_message(self.model.message(row) if row >= 0 else None)

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

    # --- look ---------------------------------------------------------------------------------------------------------

    def _make_tools(self, theme: Theme) -> None:
        self._editing = -1
        self.tools = QPlainTextEdit(objectName="requestTools")
        self.tools.setAccessibleName(self.tr("Tools of the request, as JSON"))
        self.tools.setPlaceholderText(self.tr('A JSON list of tools, like [{"name": "f", "parameters": {…}}]'))
        self.tools.setTabChangesFocus(True)
        self.tools.setCornerWidget(plain_corner(self.tools))
        self.tools_remark = Remark(theme)
        self.tools_remark.setObjectName("requestToolsProblem")
        self.tools.setAcceptDrops(False)  # a file dropped there is one to open, too
        self.choice = QComboBox(objectName="requestToolChoice")
        self.choice.setAccessibleName(self.tr("Tool choice"))
        self.choice.setToolTip(self.tr("Which tool the model may or must call; OpenAI counts tokens for it"))
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._show_choices((), ("auto", ""))

    def _place(self) -> None:
        tools_page = QWidget()
        column = QVBoxLayout(tools_page)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.tools, 1)
        column.addWidget(self.tools_remark)
        column.addLayout(labelled_row(self.tr("Too&l choice:"), self.choice))
        self.parts = QTabWidget(objectName="requestParts")
        self.parts.setAccessibleName(self.tr("Message or tools"))
        self.parts.setDocumentMode(True)
        self.parts.addTab(self.message, self.tr("Message"))
        self.parts.addTab(tools_page, self.tr("Tools"))
        left = QSplitter(Qt.Orientation.Vertical)
        left.addWidget(self.messages)
        left.addWidget(self.parts)
        left.setStretchFactor(1, 1)
        left.setChildrenCollapsible(False)
        self.builder = QSplitter(Qt.Orientation.Horizontal)
        self.builder.addWidget(left)
        self.builder.addWidget(self.result)
        self.builder.setStretchFactor(0, 1)
        self.builder.setStretchFactor(1, 1)
        self.builder.setChildrenCollapsible(False)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.builder)
        self.pages.addWidget(self.lines)
        remark = QVBoxLayout()
        remark.setContentsMargins(8, 0, 8, 0)
        remark.addWidget(self.unknown)
        body = QVBoxLayout(self)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(0)
        body.addLayout(remark)
        body.addWidget(self.pages, 1)


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
    """A message as it was stored; of what is not as it should be, nothing."""
    texts = {name: stored[name] for name in ("content", "name", "call_id") if isinstance(stored.get(name), str)}
    role = stored.get("role")
    return Message(
        role if isinstance(role, str) else "user",
        images=tuple(Image(*one) for one in _rows(stored.get("images"), (int, int, str, str))),
        tool_calls=tuple(ToolCall(*one) for one in _rows(stored.get("calls"), (str, str, str))),
        **texts,
    )


def _rows(value: object, kinds: tuple[type, ...]) -> list[list[Any]]:
    """The lists in ``value`` whose members are of these kinds."""
    return [
        row
        for row in (value if isinstance(value, list) else [])
        if isinstance(row, list)
        and len(row) == len(kinds)
        and all(isinstance(one, kind) for one, kind in zip(row, kinds, strict=True))
    ]


def _is_file(name: str) -> bool:
    """True if a file has this path; False also for what can be no path."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False
