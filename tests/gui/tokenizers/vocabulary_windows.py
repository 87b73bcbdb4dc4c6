"""Windows with the vocabulary browser in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytestqt.qtbot import QtBot

if TYPE_CHECKING:
    from gui.tokenizers.vocabulary.panel import VocabularyPanel
    from gui.window.application import Application


def browse(qtbot: QtBot, bench: Application, name: str, *, diagnosed: bool = False) -> VocabularyPanel:
    """Show the vocabulary of an encoding, and wait until its entries are there."""
    assert bench.pages.vocabulary is not None
    bench.pages.vocabulary.focus()
    panel, flow = bench.pages.vocabulary.panel, bench.pages.vocabulary.browser
    assert panel is not None
    assert flow is not None
    flow.open(name)
    qtbot.waitUntil(lambda: flow.vocabulary is not None and flow.vocabulary.name == name)
    if diagnosed:
        qtbot.waitUntil(lambda: flow.vocabulary.search.diagnosis is not None and panel.filters.finding.isEnabled())
    return panel


def shown_ids(panel: VocabularyPanel) -> list[int]:
    """The ids in the table."""
    assert panel.model.ids is not None
    return panel.model.ids.tolist()
