from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import SIGNAL, QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QColor, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QCalendarWidget,
    QCheckBox,
    QComboBox,
    QDateEdit,
    QDialog,
    QDoubleSpinBox,
    QFrame,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QStackedWidget,
    QStyle,
    QStyleFactory,
    QTabBar,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.look import style_sheet
from gui.look import theme as theme_module
from gui.look.icons import FOLDER as ICONS
from gui.look.icons import Icons
from gui.look.style_sheet import AT_ONCE, give_kind, give_role
from gui.look.theme import CONTRASTS, FOLDER, MODES, Theme, ThemeError, read_theme
from gui.widgets.forms import Remark, column_of
from gui.widgets.tool_row import segments
from tests.gui.access.contrast import channel, contrast

THEMES = sorted(FOLDER.glob("*.json"))
each_theme = pytest.mark.parametrize("path", THEMES, ids=lambda path: path.stem)

# How eyes without one kind of cone see linear RGB (Viénot, Brettel and Mollon 1999; Brettel 1997 for tritans).
BLINDNESS = {
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.11238, 0.88762, 0), (0.11238, 0.88762, 0), (0.00401, -0.00401, 1)),
    "deutan": ((0.29275, 0.70725, 0), (0.29275, 0.70725, 0), (-0.02234, 0.02234, 1)),
    "tritan": ((1.01354, 0.14268, -0.15622), (-0.01181, 0.87561, 0.13619), (0.07707, 0.81208, 0.11085)),
}


def as_lab(colour: str, blindness: str) -> tuple[float, float, float]:
    linear = [channel(int(colour[i : i + 2], 16)) for i in (1, 3, 5)]
    seen = [
        max(0.0, sum(weight * part for weight, part in zip(row, linear, strict=True))) for row in BLINDNESS[blindness]
    ]
    red, green, blue = seen
    xyz = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883,
    )
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one: str, other: str, blindness: str) -> float:
    pairs = zip(as_lab(one, blindness), as_lab(other, blindness), strict=True)
    return sum((a - b) ** 2 for a, b in pairs) ** 0.5


@each_theme
def test_text_can_be_read_on_every_token(path: Path):
    colours = read_theme(path)
    for name, tokens in colours.tokens.items():
        for ground in (*tokens.fills, tokens.roles["stale"], colours.colours["surface"]):
            ratio = contrast(colours.colours["text"], ground)
            assert ratio >= 7, f"{name}: {ground} {ratio:.2f}"
        for ground in tokens.lines:
            ratio = contrast(colours.colours["text"], ground)
            assert ratio >= 4.5, f"{name}: marked token {ground} {ratio:.2f}"


@each_theme
def test_neighbouring_tokens_differ_for_every_kind_of_eye(path: Path):
    tokens = read_theme(path).tokens
    for (number, one), (_, other) in itertools.combinations(enumerate(tokens["standard"].fills), 2):
        assert difference(one, other, "none") > (12 if number < 3 and other in tokens["standard"].fills[:3] else 8)
    for one, other in itertools.combinations(tokens["colour_safe"].fills, 2):
        for blindness in BLINDNESS:
            assert difference(one, other, blindness) > 10, (one, other, blindness)
    assert tokens["none"].fills == ()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (('"page": "#f6f7f9",', ""), "page"),
        (('"page": "#f6f7f9"', '"page": "red"'), "#1c1e21"),
        (('"line": "#e2e5ea"', '"lin": "#e2e5ea"'), "lin"),
        (('"fills": ["#dfe9ff", ', '"fills": ['), "6 colours"),
    ],
)
def test_mistakes_in_a_theme_are_named(tmp_path: Path, change: tuple[str, str], why: str):
    text = (FOLDER / "light.json").read_text()
    assert change[0] in text
    path = tmp_path / "broken.json"
    path.write_text(text.replace(*change))
    with pytest.raises(ThemeError, match=why):
        read_theme(path)


@pytest.fixture
def applied(qapp: QApplication) -> Iterator[Theme]:
    theme = Theme("light", "normal")
    theme.apply(qapp)
    yield theme
    theme.release()


def test_every_choice_has_a_theme(qapp: QApplication):
    seen = set()
    for mode, wanted in itertools.product(MODES, CONTRASTS):
        theme = Theme(mode, wanted)
        seen.add(theme.name)
        for role in (*theme_module.COLOURS, *theme_module.FORMER):
            assert theme.colour(role).isValid()
        for name in theme_module.TOKEN_PALETTES:
            palette = theme.token_palette(name)
            assert (palette.fills is None) == (name == "none")
            assert palette.base == theme.colour("surface")
    assert len(seen) == 4


def test_changing_the_theme_changes_the_application_at_once(qtbot: QtBot, qapp: QApplication, applied: Theme):
    light = qapp.palette().color(QPalette.ColorRole.Window)
    with qtbot.waitSignal(applied.changed):
        applied.set_mode("dark")
    assert applied.is_dark
    dark = qapp.palette().color(QPalette.ColorRole.Window)
    assert dark.lightness() < light.lightness()
    with qtbot.waitSignal(applied.changed):
        applied.set_contrast("high")
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor("black")


def test_the_application_is_dressed_once_a_theme(qapp: QApplication, monkeypatch: pytest.MonkeyPatch):
    """Each time, all widgets of the window are polished anew."""
    given: list[str] = []
    theme = Theme("light", "normal")
    monkeypatch.setattr(QApplication, "setPalette", lambda _app, _palette: given.append("palette"))
    monkeypatch.setattr(QApplication, "setStyleSheet", lambda _app, sheet: given.append(sheet))
    theme.apply(qapp)
    assert given[0] == "palette"
    assert len(given) == 2
    theme.set_mode("light")
    assert len(given) == 2
    theme.set_mode("dark")
    assert given[2] == "palette"
    assert len(given) == 4
    assert given[1] != given[3]
    theme.release()
    assert len(given) == 6


@pytest.mark.parametrize("path", THEMES, ids=lambda path: path.stem)
def test_the_style_sheet_has_a_value_for_everything_and_its_pictures_exist(
    qtbot: QtBot, qapp: QApplication, path: Path
):
    text = style_sheet.sheet(read_theme(path).colours)
    assert "@" not in text
    pictures = set(re.findall(r'url\("marks:([^"]+)"\)', text))
    assert {name.split("-")[0] for name in pictures} == {"check", "dash", "down", "right", "up"}
    assert all((style_sheet.FOLDER / name).is_file() for name in pictures)


def test_a_kind_given_later_is_seen(qtbot: QtBot, applied: Theme):
    button = QPushButton("Train")
    qtbot.addWidget(button)
    button.resize(120, 40)
    button.show()
    inside = QPoint(8, 8)
    assert button.grab().toImage().pixelColor(inside) == applied.colour("surface")
    style_sheet.give_kind(button, "primary")
    assert button.grab().toImage().pixelColor(inside) == applied.colour("accent_fill")


def test_unknown_choices_are_refused(applied: Theme):
    with pytest.raises(ValueError, match="pink"):
        applied.set_mode("pink")
    with pytest.raises(ValueError, match="some"):
        applied.set_contrast("some")
    with pytest.raises(KeyError):
        applied.colour("colour of the cat")


class AskingSystem:
    """Stands for a system whose wishes a test decides."""

    def __init__(self, theme: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
        self.dark = self.contrast = False
        monkeypatch.setattr(theme, "system_is_dark", lambda: self.dark)
        monkeypatch.setattr(theme, "system_wants_contrast", lambda: self.contrast)


def test_the_system_is_followed_without_a_restart(
    qtbot: QtBot, qapp: QApplication, applied: Theme, monkeypatch: pytest.MonkeyPatch
):
    system = AskingSystem(applied, monkeypatch)
    applied.set_mode("system")
    applied.set_contrast("system")
    system.dark = True
    with qtbot.waitSignal(applied.changed):
        qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert applied.name == "Dark"
    system.contrast = True
    with qtbot.waitSignal(applied.changed):
        qapp.styleHints().accessibility().contrastPreferenceChanged.emit(Qt.ContrastPreference.HighContrast)
    assert applied.name == "High contrast, dark"
    applied.set_mode("light")
    with qtbot.assertNotEmitted(applied.changed):
        qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)


def test_release_gives_the_application_its_look_back(qtbot: QtBot, qapp: QApplication):
    before = qapp.palette().toString() if hasattr(QPalette, "toString") else qapp.palette()
    box = QCheckBox()
    qtbot.addWidget(box)
    own = QApplication.palette(box)
    theme = Theme("dark")
    theme.apply(qapp)
    assert QApplication.palette(box) != own
    theme.release()
    theme.release()
    assert (qapp.palette().toString() if hasattr(QPalette, "toString") else qapp.palette()) == before
    assert QApplication.palette(box) == own


def test_fusion_is_used_and_the_style_of_before_comes_back(qapp: QApplication):
    before = qapp.style().objectName()
    qapp.setStyle("Windows")
    theme = Theme("light")
    theme.apply(qapp)
    edge = QStyle.PixelMetric.PM_SliderThickness  # of which the sheet says nothing
    assert qapp.style().pixelMetric(edge) == QStyleFactory.create("fusion").pixelMetric(edge)
    theme.release()
    assert qapp.style().objectName() == "windows"
    qapp.setStyle(before)


OWN_COLOURS = "tokenloupe.svg"
"""The icon of the application: the same in every theme, for it stands outside the window."""


@pytest.mark.parametrize(
    "path", sorted(path for path in ICONS.glob("*.svg") if path.name != OWN_COLOURS), ids=lambda path: path.stem
)
def test_icons_take_the_colour_of_the_theme(qapp: QApplication, path: Path):
    theme = Theme("light", "normal")
    icons = Icons(theme)
    icon = icons.icon(path.stem)
    for wanted in ("button_text", "button_text"):
        image = icon.pixmap(48, 48).toImage()
        solid = {
            image.pixelColor(x, y).name() for x in range(48) for y in range(48) if image.pixelColor(x, y).alpha() == 255
        }
        assert solid == {theme.colour(wanted).name()}, "drawn in one colour, and drawn at all"
        theme.set_mode("dark")
        # The next icon is asked for anew, as widgets do when the palette changes.
        icon = icons.icon(path.stem)


def test_an_icon_of_no_size_is_drawn_nowhere(qapp: QApplication):
    """A button that is squeezed away asks for one; painting on it would be a warning of Qt."""
    icon = Icons(Theme("light", "normal")).icon("open")
    assert icon.pixmap(QSize(0, 0)).isNull()
    assert icon.pixmap(QSize(16, 0)).isNull()


class Told(QObject):
    """Counts the changes of style that a widget is told of."""

    changes = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.changes += event.type() == QEvent.Type.StyleChange
        return False


def test_what_is_hidden_follows_in_small_steps_or_when_it_is_shown(qtbot: QtBot, applied: Theme):
    """Two pages of many labels: one is shown right after the change, the other long after."""
    stack = QStackedWidget()
    qtbot.addWidget(stack)
    pages = [QWidget() for _ in range(3)]
    labels: list[QLabel] = []
    for page in pages:
        column = QVBoxLayout(page)
        for number in range(2 * AT_ONCE):
            label = QLabel(str(number))
            style_sheet.give_role(label, "quiet")
            column.addWidget(label)
            labels.append(label)
        stack.addWidget(page)
    stack.show()
    for page in (*pages[1:], pages[0]):
        stack.setCurrentWidget(page)
        qtbot.waitUntil(page.isVisible)

    def ink(label: QLabel) -> QColor:
        return label.palette().color(QPalette.ColorRole.WindowText)

    told = Told()
    labels[-1].installEventFilter(told)
    labels[3 * AT_ONCE].hide()
    applied.set_mode("dark")
    quiet = applied.colour("quiet")
    assert ink(labels[0]) == quiet
    assert ink(labels[-1]) != quiet, "it is hidden"
    stack.setCurrentWidget(pages[1])
    assert ink(labels[2 * AT_ONCE]) == quiet, "it is shown"
    assert ink(labels[4 * AT_ONCE - 1]) == quiet
    assert ink(labels[3 * AT_ONCE]) != quiet, "it is hidden on a visible page"
    qtbot.waitUntil(lambda: all(ink(label) == quiet for label in labels))
    assert not told.changes, "new colours change no size"
    applied.set_system_fonts(True)
    assert not told.changes, "it is hidden"
    qtbot.waitUntil(lambda: told.changes == 1)
    applied.set_system_fonts(False)
    for mode in ("light", "dark", "light"):
        applied.set_mode(mode)
    assert told.changes == 1, "what still waits for one sheet is given the next alone"
    quiet = applied.colour("quiet")
    assert ink(labels[2 * AT_ONCE]) == quiet
    qtbot.waitUntil(lambda: all(ink(label) == quiet for label in labels))
    assert told.changes == 2, "of the size, which has changed before the colours"
    stack.setCurrentWidget(pages[2])
    assert all(ink(label) == quiet for label in labels)


class Measuring(QWidget):
    """A page that notes the width of its label whenever it is told of a change of style."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.label = QLabel("a text that is as wide as its font")
        self.seen = 0
        column_of(self.label, parent=self)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.seen = self.label.sizeHint().width()


@pytest.mark.parametrize("when", ["visible", "shown at once", "hidden"])
def test_a_parent_measures_children_that_have_the_new_font(qtbot: QtBot, applied: Theme, when: str):
    window = QWidget()
    qtbot.addWidget(window)
    page = Measuring(window)
    for _ in range(AT_ONCE):
        QLabel("more", page)
    window.show()
    before = page.label.sizeHint().width()
    page.setVisible(when == "visible")
    applied.set_system_fonts(True)
    if when == "shown at once":
        page.show()
    qtbot.waitUntil(lambda: page.seen > 0)
    assert page.seen == page.label.sizeHint().width() != before
    applied.set_system_fonts(False)


class Painted(QLabel):
    """Counts how often it is painted."""

    times = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        self.times += 1
        super().paintEvent(event)


def test_a_change_paints_each_part_once(qtbot: QtBot, applied: Theme):
    page, card, label = QWidget(), QFrame(), Painted("text")
    qtbot.addWidget(page)
    give_kind(card, "card")
    card.setAutoFillBackground(True)
    column_of(label, parent=card)
    column_of(card, parent=page)
    applied.changed.connect(label.update)
    added = []
    applied.changed.connect(lambda: added.append(QLabel("new", label)))
    with qtbot.waitExposed(page):
        page.show()
    qtbot.waitUntil(lambda: label.times > 0)
    QApplication.processEvents()
    label.times = 0
    applied.set_mode("dark")
    qtbot.waitUntil(lambda: label.times > 0)
    QApplication.processEvents()
    assert label.times == 1
    assert label.updatesEnabled()
    assert added[0].updatesEnabled()


def test_the_destruction_of_what_was_hidden_reaches_the_caches_of_the_new_sheet(qtbot: QtBot, applied: Theme):
    """Otherwise Qt keeps a pointer to it, and follows it when the sheet is next replaced."""
    page = QWidget()
    qtbot.addWidget(page)
    shown, hidden = QLabel("shown", page), QLabel("hidden", page)
    page.show()
    hidden.hide()
    applied.set_mode("dark")
    qtbot.waitUntil(lambda: hidden.testAttribute(Qt.WidgetAttribute.WA_WState_Polished))
    followers = [label.receivers(SIGNAL("destroyed(QObject*)")) for label in (shown, hidden)]
    assert followers[0] == followers[1] > 0


def test_the_text_of_a_hidden_page_keeps_its_background(qtbot: QtBot, applied: Theme):
    page = QWidget()
    qtbot.addWidget(page)
    page.setPalette(QPalette(QColor("red")))
    text = QPlainTextEdit()
    QVBoxLayout(page).addWidget(text)
    page.show()
    page.hide()
    applied.set_mode("dark")
    page.show()
    centre = text.viewport().mapTo(page, text.viewport().rect().center())
    assert page.grab().toImage().pixelColor(centre) == text.palette().color(QPalette.ColorRole.Base)


def test_dropping_cached_rules_changes_no_picture_and_leaves_no_pointer(qtbot: QtBot, applied: Theme):
    page = QWidget()
    qtbot.addWidget(page)
    column = QVBoxLayout(page)
    button, label, field, passing = QPushButton("Save"), QLabel("strong"), QLineEdit("text"), QPushButton("passing")
    button.setProperty("kind", "primary")
    give_role(label, "strong")
    for widget in (button, label, field, passing):
        column.addWidget(widget)
    page.show()
    passing.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QApplication.processEvents()
    before = page.grab().toImage()
    for _ in range(3):
        applied.drop_cached_rules()
        assert page.grab().toImage() == before
        field.deleteLater()
        field = QLineEdit("text")
        column.addWidget(field)
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QApplication.processEvents()
    applied.set_mode("dark")
    assert page.grab().toImage() != before
    applied.set_mode("light")
    assert page.grab().toImage() == before


def test_a_tone_outlasts_being_polished_again_and_the_theme(qtbot: QtBot, applied: Theme):
    """A palette would not: a label that gets a parent has the palette of before it was first polished."""
    page, remark = QWidget(), Remark()
    qtbot.addWidget(page)
    remark.ensurePolished()
    remark.say("wrong", "error")
    column_of(remark, parent=page)
    page.show()

    def ink() -> QColor:
        return remark.palette().color(QPalette.ColorRole.WindowText)

    assert ink() == applied.colour("error")
    applied.set_mode("dark")
    assert ink() == applied.colour("error")
    remark.say("fine")
    assert ink() == applied.colour("quiet")


def wrapped_fields() -> list[QLineEdit]:
    """The fields of spin boxes that have a wrapper in Python."""
    wrappers = (one for one in shiboken6.getAllValidWrappers() if isinstance(one, QLineEdit))
    return [one for one in wrappers if one.objectName() == "qt_spinbox_lineedit"]


def test_a_change_leaves_no_wrapper_to_the_garbage_collector(qtbot: QtBot, applied: Theme):
    calendar = QCalendarWidget()
    qtbot.addWidget(calendar)
    calendar.show()
    calendar.hide()
    before = len(wrapped_fields())
    applied.set_mode("dark")
    applied.set_mode("light")
    year = calendar.findChild(QSpinBox)
    qtbot.waitUntil(lambda: year.testAttribute(Qt.WidgetAttribute.WA_WState_Polished))
    assert len(wrapped_fields()) == before


def test_fields_side_by_side_have_one_height(qtbot: QtBot, applied: Theme):
    form = QWidget()
    qtbot.addWidget(form)
    fields = QLineEdit(form), QComboBox(form), QSpinBox(form), QDoubleSpinBox(form), QDateEdit(form), QPushButton(form)
    form.show()
    assert len({field.sizeHint().height() for field in fields}) == 1


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_segments_of_a_dialog_have_a_visible_track(qtbot: QtBot, applied: Theme, mode: str):
    applied.set_mode(mode)
    dialog = QDialog()
    qtbot.addWidget(dialog)
    bar = QTabBar(dialog)
    bar.addTab("Web page")
    bar.addTab("Markdown")
    track = segments(bar, "forms", "Form")
    column_of(track, parent=dialog, margins=(20, 20, 20, 20))
    dialog.show()
    picture = dialog.grab().toImage()
    edge = picture.pixelColor(track.x(), track.geometry().center().y())
    assert edge == applied.colour("line")
    assert edge != picture.pixelColor(2, 2)
