"""The feed of merges: batches at the end, bytes made visible, and a view that follows until somebody reads."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QLocale, QPoint, QPointF, Qt
from PySide6.QtGui import QKeySequence, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.training.types import Merge
from gui.look.quantities import TrainingText
from gui.look.theme import Theme
from gui.tokenizers.train.feed import COUNT, NUMBER, PAIR, TOKEN, TOKEN_ID, TOKENS_LEFT, MergeFeed, MergeFeedModel
from tests.gui.tokenizers.training_samples import merge


@pytest.fixture
def model(qapp) -> MergeFeedModel:
    return MergeFeedModel(TrainingText(QLocale(QLocale.Language.English)))


@pytest.fixture
def feed(qtbot: QtBot, model: MergeFeedModel) -> MergeFeed:
    feed = MergeFeed(model, Theme("light"))
    qtbot.addWidget(feed)
    feed.resize(600, 300)
    feed.show()
    return feed


def last_row_is_seen(feed: MergeFeed) -> bool:
    last = feed.model().index(feed.model().rowCount() - 1, 0)
    return feed.viewport().rect().contains(feed.visualRect(last).center())


def test_a_row_shows_pair_token_id_count_and_tokens_left(model):
    model.append([Merge(0, 32, 116, 256, b" t", 12345, 999_999), Merge(1, 256, 104, 257, b" th", 12, 3)])
    first = [model.index(0, column).data() for column in range(model.columnCount())]
    assert first == ["1", "· + t", "·t", "256", "12,345", "999,999"]
    assert model.index(1, PAIR).data() == "·t + h"
    assert model.index(1, TOKEN).data() == "·th"
    titles = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())]
    assert [titles[column] for column in (NUMBER, TOKEN_ID, COUNT, TOKENS_LEFT)] == [
        "Merge",
        "ID",
        "Count",
        "Tokens left",
    ]


def test_bytes_that_are_no_character_are_shown(model):
    model.append([Merge(0, 0xE4, 0xBD, 256, b"\xe4\xbd", 3, 9), Merge(1, 256, 0xA0, 257, b"\xe4\xbd\xa0", 3, 6)])
    assert model.index(0, PAIR).data() == r"\xe4 + \xbd"
    assert model.index(1, PAIR).data() == r"\xe4\xbd + \xa0"
    assert model.index(1, TOKEN).data() == "你"
    tip = model.index(1, TOKEN).data(Qt.ItemDataRole.ToolTipRole)
    assert "e4 bd a0" in tip
    assert "257" in tip


def test_pairs_of_characters_part_at_the_character(model):
    model.append([Merge(0, 5, 7, 40, "éü".encode(), 3, 9), Merge(1, 9, 40, 41, "aéü".encode(), 3, 6)])
    assert model.index(0, PAIR).data() == "é + ü"
    assert model.index(1, PAIR).data() == "a + éü"


def test_batches_come_in_order_and_none_twice(model, qtbot):
    batches = [[merge(index) for index in range(start, start + 10)] for start in (0, 10, 15)]
    with qtbot.waitSignals([model.rowsInserted] * 3):
        for batch in batches:
            model.append(batch)
    assert [one.index for one in model.merges] == list(range(25))
    model.append([])
    model.append(batches[0])
    assert model.rowCount() == 25
    model.clear()
    assert model.rowCount() == 0


def test_a_very_long_token_is_cut_and_its_length_told(model):
    model.append([Merge(0, 97, 97, 256, b"a" * 500, 2, 1)])
    assert model.index(0, TOKEN).data().endswith("(500 bytes)")


def test_the_newest_merge_stays_in_sight(feed, model):
    for start in range(0, 500, 50):
        model.append([merge(index) for index in range(start, start + 50)])
        assert last_row_is_seen(feed)
    assert feed.following


@pytest.mark.parametrize("keys", ["PgUp", "Ctrl+Home", "Up"])
def test_reading_further_up_lets_go_until_the_end_is_reached_again(feed, model, qtbot, keys):
    model.append([merge(index) for index in range(500)])
    feed.setFocus()
    feed.selectRow(480 if keys == "Up" else 499)
    qtbot.keySequence(feed, QKeySequence(keys))
    assert not feed.following
    before = feed.verticalScrollBar().value()
    model.append([merge(index) for index in range(500, 600)])
    assert feed.verticalScrollBar().value() == before
    qtbot.keySequence(feed, QKeySequence.StandardKey.MoveToEndOfDocument)
    assert feed.following
    model.append([merge(index) for index in range(600, 700)])
    assert last_row_is_seen(feed)


def test_the_wheel_lets_go_as_well(feed, model, qtbot):
    model.append([merge(index) for index in range(500)])
    seen = []
    feed.following_changed.connect(seen.append)
    place = QPointF(feed.viewport().rect().center())
    for turn in (120, -1200):
        event = QWheelEvent(
            place,
            feed.viewport().mapToGlobal(place),
            QPoint(),
            QPoint(0, turn),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(feed.viewport(), event)
    assert seen == [False, True]


def test_following_can_be_asked_for(feed, model):
    model.append([merge(index) for index in range(500)])
    feed.set_following(False)
    feed.scrollToTop()
    feed.set_following(True)
    assert last_row_is_seen(feed)


def test_a_hundred_thousand_rows_are_appended_and_painted_without_being_looked_at(feed, model, monkeypatch):
    asked: list[int] = []
    shown = MergeFeedModel.shown

    def counted(self, row: int, column: int) -> str:
        asked.append(row)
        return shown(self, row, column)

    monkeypatch.setattr(MergeFeedModel, "shown", counted)
    for start in range(0, 100_000, 5_000):
        model.append([merge(index) for index in range(start, start + 5_000)])
        feed.grab()
    assert model.rowCount() == 100_000
    assert last_row_is_seen(feed)
    rows_in_sight = feed.viewport().height() // feed.rowHeight(0) + 2
    assert len(asked) <= 20 * rows_in_sight * model.columnCount() * 3


def test_rows_can_be_copied(feed, model, qtbot):
    model.append([merge(index) for index in range(3)])
    feed.selectAll()
    feed.setFocus()
    qtbot.keySequence(feed, QKeySequence.StandardKey.Copy)
    lines = QApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[0] == "Merge"
    assert len(lines) == 4
    assert lines[3].startswith("3\ta + b\tab\t258\t")
