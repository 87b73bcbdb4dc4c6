"""Which fonts the window uses: its own, the system's by choice, and the system's where a package is missing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from PySide6.QtGui import QFont, QFontDatabase, QFontInfo, QFontMetricsF
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from gui.look import fonts, style_sheet
from gui.look.theme import Theme


@pytest.fixture(autouse=True)
def own_fonts() -> Iterator[None]:
    yield
    fonts.use_own(True)
    fonts._loaded.cache_clear()


def family(font: QFont) -> str:
    return QFontInfo(font).family()


def test_the_window_has_fonts_of_its_own(qapp: QApplication):
    assert family(fonts.ui_font()) == "Inter"
    assert family(fonts.fixed_font()) == "JetBrains Mono"
    metrics = QFontMetricsF(fonts.ui_font())
    assert metrics.horizontalAdvance("1111") == metrics.horizontalAdvance("8888"), "figures of one width"


def test_no_ligature_hides_a_boundary(qapp: QApplication):
    font = fonts.fixed_font(11)
    for ligatures in ("calt", "liga"):
        assert font.featureValue(QFont.Tag(ligatures)) == 0
    assert font.pointSize() == 11


def test_a_strong_text_is_bolder(qapp: QApplication):
    """The weight alone would change nothing: a variable font has it as an axis."""
    plain = fonts.ui_font()
    assert QFontMetricsF(fonts.strong(plain)).horizontalAdvance("Total cost") > QFontMetricsF(plain).horizontalAdvance(
        "Total cost"
    )


def test_the_systems_fonts_are_used_by_choice(qtbot: QtBot, qapp: QApplication):
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    before = qapp.font()
    theme = Theme("light", "normal")
    theme.apply(qapp)
    assert family(qapp.font()) == "Inter"
    with qtbot.waitSignal(theme.changed):
        theme.set_system_fonts(True)
    assert family(qapp.font()) == family(system)
    assert family(fonts.fixed_font()) == family(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    theme.release()
    assert qapp.font() == before


def test_without_the_packages_the_systems_fonts_are_used(qapp: QApplication, monkeypatch: pytest.MonkeyPatch):
    fonts._loaded.cache_clear()
    monkeypatch.setattr(fonts, "find_spec", lambda _name: None)
    assert family(fonts.ui_font()) == family(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont))
    assert family(fonts.fixed_font()) == family(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))


def test_a_large_text_of_the_system_makes_all_text_larger(qapp: QApplication, monkeypatch: pytest.MonkeyPatch):
    usual = fonts.ui_font().pointSizeF()
    assert fonts.scale() == 1
    monkeypatch.setattr(fonts, "system_pixels", lambda: 30.0)
    assert fonts.ui_font().pointSizeF() == pytest.approx(2 * usual)
    size = fonts.as_points(24)  # tables: 12
    assert f"font-size: {size:g}pt" in style_sheet.sheet(Theme("light")._colours.colours, fonts.scale())


@pytest.mark.parametrize("later", [False, True])
def test_a_strong_role_lasts_through_changes_of_tone_and_theme(qtbot: QtBot, qapp: QApplication, later: bool):
    theme = Theme("light", "normal")
    theme.apply(qapp)
    usual, label = QLabel("230"), QLabel("230")
    if not later:
        style_sheet.give_role(label, "figure")
    for one in (usual, label):
        qtbot.addWidget(one)
        one.show()
    for change in (
        *(partial(style_sheet.give_role, label, "figure"), partial(style_sheet.give_tone, label, "warning")),
        *(partial(theme.set_mode, "dark"), partial(style_sheet.give_tone, label, "")),
    ):
        change()
        assert label.sizeHint().height() > 1.5 * usual.sizeHint().height()
        assert label.font().isVariableAxisSet(QFont.Tag("wght"))
    for change in (partial(style_sheet.give_role, label, "quiet"), partial(theme.set_mode, "light")):
        change()
        assert label.font().weight() == QFont.Weight.Normal
        assert not label.font().isVariableAxisSet(QFont.Tag("wght"))
    theme.release()
