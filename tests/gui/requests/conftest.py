"""A window whose request tab is in front."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from gui.panels.request_panel import RequestPanel
from gui.window.workbench import Workbench
from tests.gui.conftest import OpenWindow
from tests.gui.requests.windows import settled


@pytest.fixture
def bench(open_window: OpenWindow) -> Workbench:
    return open_window(counted=False)


@pytest.fixture
def panel(qtbot: QtBot, bench: Workbench) -> RequestPanel:
    bench.window.actions_by_name["focus_request"].trigger()
    settled(qtbot, bench)
    return bench.request.panel
