"""A window whose request tab is in front."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from gui.prompt.chat.panel import ChatPanel
from gui.window.application import Application
from tests.gui.conftest import OpenWindow
from tests.gui.requests.windows import settled


@pytest.fixture
def bench(open_window: OpenWindow) -> Application:
    return open_window(counted=False)


@pytest.fixture
def panel(qtbot: QtBot, bench: Application) -> ChatPanel:
    bench.window.actions_by_name["focus_request"].trigger()
    settled(qtbot, bench)
    return bench.pages.request.panel
