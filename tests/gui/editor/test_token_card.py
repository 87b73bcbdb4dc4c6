from __future__ import annotations

import pytest
from PySide6.QtCore import QLocale, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from gui.editor.token_card import CardToken, TokenCard, TokenCardContents

WHOLE = TokenCardContents(CardToken(1204, 4037, "·token", "20 74 6f 6b 65 6e", 6, 4037), 12, 18, 12, 18)
SHARED = TokenCardContents(
    CardToken(7, 222, "\\xf0", "f0", 1, None),
    4,
    6,
    partners=(CardToken(8, 30433, "\\x9f\\x98\\x80", "9f 98 80", 3, 30433),),
)


@pytest.fixture
def card(qtbot) -> TokenCard:
    card = TokenCard()
    card.setLocale(QLocale("en_US"))
    qtbot.addWidget(card)
    return card


def test_it_says_all_about_a_token(card) -> None:
    card.show_at(WHOLE, QPoint(50, 50))
    assert card.isVisible()
    text = card.text()
    for part in ("Token 1,205", "4037", "“·token”", "20 74 6f 6b 65 6e", "6 bytes", "UTF-16 12 to 18"):
        assert part in text
    assert card.accessibleDescription() == text


def test_partners_are_named(card) -> None:
    card.show_at(SHARED, QPoint(50, 50))
    text = card.text()
    assert "special token" in text
    assert "Shares a character with" in text
    assert "Token 9" in text
    assert "9f 98 80" in text
    card.show_at(WHOLE, QPoint(60, 60))
    assert "Shares" not in card.text()
    shown = [label.text() for label in card.findChildren(QLabel) if not label.isHidden()]
    assert "4037" in shown
    assert "222" not in shown


def test_markup_is_shown_as_it_is(card) -> None:
    card.show_at(TokenCardContents(CardToken(0, 1, "<b>&amp;", "3c", 1, 1), 0, 3), QPoint(0, 0))
    assert "“<b>&amp;”" in card.text()
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in card.findChildren(QLabel))


def test_leaving_hides_it_unless_it_is_pinned(card, qtbot) -> None:
    card.show_at(WHOLE, QPoint(50, 50))
    card.leave()
    assert not card.isVisible()
    card.pin_at(SHARED, QPoint(50, 50))
    card.leave()
    card.show_at(WHOLE, QPoint(90, 90))
    assert card.isVisible()
    assert card.contents is SHARED
    with qtbot.waitSignal(card.closed):
        QTest.keyClick(card, Qt.Key.Key_Escape)
    assert not card.isVisible()
    assert not card.pinned
    card.show_at(WHOLE, QPoint(50, 50))
    assert card.contents is WHOLE


def test_a_pinned_card_can_be_copied(card) -> None:
    card.pin_at(WHOLE, QPoint(50, 50))
    QTest.keyClick(card, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == card.text()


def test_it_stays_on_the_screen(card) -> None:
    area = card.screen().availableGeometry()
    card.show_at(WHOLE, area.bottomRight())
    assert area.contains(card.geometry())


def test_a_key_that_comes_after_the_card_was_hidden_does_nothing(card) -> None:
    asked: list[tuple[int, int]] = []
    card.merges_asked.connect(lambda start, end: asked.append((start, end)))
    card.pin_at(WHOLE, QPoint(50, 50))
    button = card.findChild(QPushButton, "tokenCardMerges")
    card.dismiss()
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert asked == []
    card.pin_at(WHOLE, QPoint(50, 50))
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert asked == [(12, 18)]
