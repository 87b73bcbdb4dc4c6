"""What is done to a request tab in tests."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from engine.requests.types import Message
from gui.prompt.chat.panel import ChatPanel
from gui.window.application import Application


def settled(qtbot: QtBot, bench: Application) -> None:
    """Wait until what is shown is what the draft counts."""
    panel, flow = bench.pages.request.panel, bench.pages.request
    panel.message.take_over()
    qtbot.waitUntil(lambda: not panel._tools_settle.isActive() and flow.settled)


def parts(panel: ChatPanel) -> str:
    return panel.result.parts.text()


def notices(bench: Application) -> list[str]:
    bar = bench.window.findChild(QWidget, "messageBar")
    return [notice.text for notice, _ in bar._shown]


def contents(panel: ChatPanel) -> list[str]:
    return [message.content for message in panel.model.messages]


def show_messages(qtbot: QtBot, bench: Application, *messages: Message) -> None:
    bench.pages.request.panel.model.set_messages(messages)
    settled(qtbot, bench)


def open_body(qtbot: QtBot, bench: Application, tmp_path: Path, body: object, name: str = "body.json") -> None:
    path = tmp_path / name
    path.write_text(body if isinstance(body, str) else json.dumps(body), encoding="utf-8")
    with qtbot.waitSignal(bench.pages.request.reading.finished):
        bench.pages.request.open(path)
    settled(qtbot, bench)


def drop(panel: ChatPanel, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(QPoint(5, 5)),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    panel.dropEvent(event)
