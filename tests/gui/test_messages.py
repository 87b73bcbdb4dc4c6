"""The bar of messages, and the banners in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gui.look.icons import Icons
from gui.look.theme import Theme
from gui.runtime.notify import Notice, Notifier, Offer
from gui.widgets.banner import Banner, Toast
from gui.window import message_bar
from gui.window.message_bar import INFORMATION_MS as READING_MS
from gui.window.message_bar import MessageBar


@pytest.fixture
def bar(qtbot: QtBot) -> Iterator[MessageBar]:
    notifier = Notifier()
    theme = Theme("light", "normal")
    over = QWidget()
    over.resize(900, 500)
    qtbot.addWidget(over)
    over.show()
    bar = MessageBar(notifier, theme, Icons(theme), over, over)
    bar.notifier = notifier
    return bar


def texts(bar: MessageBar) -> list[str]:
    return [notice.text for notice in bar.notices]


def banners(bar: MessageBar) -> list[Banner]:
    return [banner for banner in bar.window().findChildren(Banner) if banner.isVisible()]


def toasts(bar: MessageBar) -> list[Toast]:
    """Newest first."""
    found = {toast.text: toast for toast in bar.window().findChildren(Toast)}
    return [found[notice.text] for notice in bar.notices]


def test_shows_nothing_until_there_is_something(bar: MessageBar):
    assert not bar.isVisible()
    bar.notifier.warning("Something")
    assert not bar.isVisible(), "it happened, and a toast tells it"
    bar.notifier.warning("Something lasts", key="condition")
    assert bar.isVisible()


def test_one_condition_is_seen_at_a_time(bar: MessageBar):
    for subject in ("first", "second"):
        bar.notifier.warning(subject, key=subject)
    bar.notifier.information("It happened.")
    assert [banner.text for banner in banners(bar)] == ["second", "It happened."]
    bar.notifier.withdraw("second")
    assert [banner.text for banner in banners(bar)] == ["first", "It happened."]


def test_toasts_stand_above_the_bottom_and_move_nothing(bar: MessageBar):
    over = bar.window()
    bar.notifier.information("Saved.", offers=(Offer("Undo", lambda: None),))
    bar.notifier.information("Copied.")
    newest, older = toasts(bar)
    assert newest.objectName() == older.objectName() == "toast"
    assert newest.geometry().bottom() < over.height() - 30
    assert older.geometry().bottom() < newest.geometry().top()
    assert not bar.isVisible()
    over.resize(700, 400)
    assert over.rect().contains(newest.geometry())
    assert not newest.grab().isNull()
    bar.notifier.warning("long words " * 40)
    longest = toasts(bar)[0]
    assert longest.width() <= 560
    assert longest._text.height() >= longest._text.heightForWidth(longest._text.width()), "all of it is seen"


def test_the_text_of_a_toast_stands_out_from_its_ground(
    bar: MessageBar, qapp: QApplication, request: pytest.FixtureRequest
):
    theme = bar._theme
    theme.apply(qapp)
    request.addfinalizer(theme.release)
    for mode in ("light", "dark"):
        theme.set_mode(mode)
        bar.notifier.information(f"Trained in {mode}.", offers=(Offer("Use", lambda: None),))
        picture = toasts(bar)[0].grab().toImage()
        for widget in (toasts(bar)[0]._text, toasts(bar)[0]._buttons[0]):
            area = widget.geometry()
            tones = {
                picture.pixelColor(x, y).lightness()
                for x in range(area.left(), area.right())
                for y in range(area.top(), area.bottom())
            }
            assert min(tones) < 80, "a dark ground"
            assert max(tones) > 180, "light text"
            assert sum(picture.pixelColor(area.left() + 1, y).lightness() > 180 for y in range(8, 20)) < 6


def test_the_newest_comes_first_and_three_are_enough(bar: MessageBar):
    for number in range(5):
        bar.notifier.warning(f"message {number}")
    assert texts(bar) == ["message 4", "message 3", "message 2"]


def test_a_newer_one_about_the_same_subject_replaces_the_older(bar: MessageBar):
    bar.notifier.error("disk full", key="session")
    bar.notifier.warning("another thing")
    bar.notifier.error("disk still full", key="session")
    assert texts(bar) == ["disk still full", "another thing"]
    bar.notifier.withdraw("session")
    assert texts(bar) == ["another thing"]


def test_the_same_one_again_is_not_shown_anew(bar: MessageBar):
    bar.notifier.error("disk full", key="session")
    [banner] = banners(bar)
    bar.notifier.error("disk full", key="session")
    assert banners(bar) == [banner]


def test_markup_is_shown_as_it_is(bar: MessageBar):
    bar.notifier.error("<b>not bold</b>")
    [banner] = banners(bar)
    assert banner.text == "<b>not bold</b>"
    assert banner._text.textFormat() == Qt.TextFormat.PlainText


def test_details_can_be_seen_and_copied(qtbot: QtBot, bar: MessageBar):
    bar.notifier.error("It failed.", "line 1\nline 2")
    [banner] = banners(bar)
    details = banner.findChild(QPlainTextEdit)
    assert details is not None
    assert not details.isVisible()
    more, copy = (
        next(button for button in banner.findChildren(QPushButton) if button.text() == text)
        for text in ("Details", "Copy")
    )
    qtbot.mouseClick(more, Qt.MouseButton.LeftButton)
    assert details.isVisible()
    assert details.toPlainText() == "line 1\nline 2"
    qtbot.mouseClick(copy, Qt.MouseButton.LeftButton)
    assert QApplication.clipboard().text() == "It failed.\n\nline 1\nline 2"


def test_offers_act_and_keep_the_focus_when_words_change(qtbot: QtBot, bar: MessageBar):
    done: list[str] = []
    banner = Banner(bar._theme, bar._icons, bar)

    banner.show_notice(Notice("information", "one", offers=(Offer("Do it", lambda: done.append("first")),)))
    bar.layout().addWidget(banner)
    bar.show()
    banner.show()
    [button] = banner._buttons
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    banner.show_notice(Notice("information", "two", offers=(Offer("Do that", lambda: done.append("second")),)))
    assert banner._buttons == [button]
    assert button.text() == "Do that"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert done == ["first", "second"]
    banner.show_notice(Notice("warning", "three"))
    assert banner._buttons == []


def test_closing_by_mouse_and_by_key(qtbot: QtBot, bar: MessageBar):
    bar.notifier.warning("one")
    bar.notifier.warning("two")
    close = next(button for button in banners(bar)[0].findChildren(QToolButton))
    qtbot.mouseClick(close, Qt.MouseButton.LeftButton)
    assert len(bar.notices) == 1
    [banner] = banners(bar)
    qtbot.keyClick(banner, Qt.Key.Key_Escape)
    assert not bar.notices
    assert not bar.isVisible()


def test_information_goes_by_itself_and_the_rest_stays(bar: MessageBar, qtbot: QtBot):
    assert READING_MS >= 10_000, "long enough to be read"
    bar._tidy.setInterval(1)
    bar.notifier.warning("stays")
    bar.notifier.information("stays too", offers=(Offer("Do", lambda: None),))
    bar.notifier.information("goes")
    qtbot.waitUntil(lambda: texts(bar) == ["stays too", "stays"])


def test_what_was_done_goes_with_its_page_once_it_was_read(bar: MessageBar, monkeypatch: pytest.MonkeyPatch):
    undo = (Offer("Undo", lambda: None),)
    bar.notifier.information("stays", offers=undo)
    bar.notifier.done("not yet read", key="unread", offers=undo)
    monkeypatch.setattr(message_bar, "INFORMATION_MS", 0)
    bar.notifier.done("goes", key="read", offers=undo)
    bar.leave_page()
    assert texts(bar) == ["not yet read", "stays"]


def test_kinds_are_spoken(bar: MessageBar):
    bar.notifier.error("It failed.")
    bar.notifier.warning("It is odd.")
    bar.notifier.information("It is so.")
    spoken = [banner.accessibleName() for banner in banners(bar)]
    assert sorted(spoken) == ["Error: It failed.", "Information: It is so.", "Warning: It is odd."]
