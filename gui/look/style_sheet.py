"""The application's only style sheet, generated from the design tokens of a theme, and how it is applied.

Dynamic properties declare the purpose of a widget, set with ``give_kind``, ``give_role`` and ``give_tone``:

- ``kind`` of buttons: ``primary`` (one per page), ``secondary`` (the default), ``quiet`` (also of combo boxes),
  ``link``, ``chip``, ``summary``, ``picker``, ``field``; of tool buttons ``icon`` and ``rail``; of a tab bar
  ``segments`` (in a frame of kind ``track``); of tables and texts ``flat``, without a frame; of frames ``card``,
  ``popover``, ``toast``, ``page``, ``surface``, ``header``, ``bar``, ``foot``, ``side``, ``line`` and ``vline``.
- ``tone`` of labels, their colour: ``quiet``, ``success``, ``information``, ``warning``, ``error``.
- ``role`` of labels: ``caption``, ``quiet``, ``section``, ``strong``, ``figure``, ``hero``, ``overline``, ``pill``,
  ``key``, ``table``, ``tableQuiet``.

A sheet overrides palettes and fonts set on a widget, sooner or later: a label that is polished again, as when it gets a
parent, has the palette of the first time. So it sets no colour or font of text except for roles and tones.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import shiboken6
from PySide6.QtCore import QDir, QEvent, QObject, Qt
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QLabel,
    QWidget,
)

from gui.look.fonts import as_points, semibold
from gui.runtime.event_loop import in_next_turn

FOLDER = Path(__file__).parent / "marks"
MARKS = "marks"
"""Qt search path under which the sheet finds its arrows and ticks: it loads images from files only."""

TYPE = {"micro": 10, "caption": 11, "table": 12, "body": 13, "section": 15, "figure": 23, "hero": 28}
"""Text sizes, in pixels."""
SPACE = {"small": 4, "normal": 8, "wide": 12, "page": 16, "large": 24}
RADIUS = {"token": 3, "control": 6, "card": 10}
ROW = 28
"""Height of a table row, in pixels."""

# Button layout 3 is GNOME's, with the primary button last. The default depends on the desktop.
SHEET = """
QMainWindow, QDialog { background: @page; }
QDialog[kind="popover"] { background: transparent; }
QDialogButtonBox { button-layout: 3; }
QToolTip { background: @tip; color: @on_tip; border: 1px solid @tip_edge; padding: 5px 7px; font-size: @table; }

QFrame[kind="page"] { background: @page; border: 0; }
QFrame[kind="surface"] { background: @surface; border: 0; }
QFrame[kind="header"], QFrame[kind="bar"], QFrame#header, QFrame#viewBar {
  background: @surface; border: 0; border-bottom: 1px solid @line; }
QFrame[kind="foot"] { background: @page; border: 0; border-top: 1px solid @line; }
QFrame[kind="side"] { background: @page; border: 0; border-right: 1px solid @line; }
QFrame[kind="inspector"], QFrame#inspector { background: @page; border: 0; border-left: 1px solid @line; }
QFrame[kind="rail"], QFrame#rail { background: @page; border: 0; border-right: 1px solid @line; }
QFrame[kind="card"] { background: @surface; border: 1px solid @line; border-radius: @r_card; }
QFrame[kind="popover"] { background: @raised; border: 1px solid @line; border-radius: @r_card; }
QFrame[kind="toast"], QFrame#toast { background: @tip; border: 1px solid @tip_edge; border-radius: 8px; }
QFrame[kind="toast"] QLabel { color: @on_tip; }
QFrame[kind="toast"] QPushButton, QFrame[kind="toast"] QToolButton { color: @tip_action; background: transparent;
  border: 1px solid transparent; font-weight: 600; padding: 0 8px; min-height: 24px; }
QFrame[kind="toast"] QPushButton:hover, QFrame[kind="toast"] QToolButton:hover { text-decoration: underline; }
QFrame[kind="track"], QFrame#track { background: @sunken; border: 0; border-radius: 8px; }
QDialog QFrame[kind="track"] { border: 1px solid @line; }
QFrame[kind="line"] { background: @line; border: 0; min-height: 1px; max-height: 1px; }
QFrame[kind="vline"] { background: @line; border: 0; min-width: 1px; max-width: 1px; }

QLabel[role="caption"] { font-size: @caption; color: @quiet; }
QLabel[role="quiet"] { color: @quiet; }
*[role="table"] { font-size: @table; }
*[role="tableQuiet"] { font-size: @table; color: @quiet; }
QLabel[role="strong"] { font-weight: 600; }
QLabel[role="overline"] { font-size: @caption; font-weight: 600; color: @quiet; }
QLabel[role="section"] { font-size: @section; font-weight: 600; }
QLabel[role="figure"] { font-size: @figure; font-weight: 600; }
QLabel[role="hero"] { font-size: @hero; font-weight: 600; }
QLabel[role="key"] { font-size: @caption; color: @quiet; background: @page; border: 1px solid @line;
  border-radius: 4px; padding: 0 5px; }
QLabel[tone="quiet"] { color: @quiet; }
QLabel[tone="success"] { color: @ok; }
QLabel[tone="information"] { color: @accent; }
QLabel[tone="warning"] { color: @warn; }
QLabel[tone="error"] { color: @error; }
QLabel[role="pill"] { font-size: @caption; font-weight: 600; color: @accent; background: @accent_soft;
  border-radius: 7px; padding: 1px 7px; }

QPushButton { background: @surface; border: 1px solid @outline; border-radius: @r_control;
  padding: 0 12px; min-height: 26px; }
QPushButton:hover, QPushButton:pressed { background: @hover; }
QPushButton:checked { background: @accent_soft; border-color: @accent; color: @accent; }
QPushButton:disabled { border-color: @line; background: transparent; }
QPushButton:default, QPushButton[kind="primary"] { background: @accent_fill; color: @on_accent;
  border-color: @accent_fill; padding: 0 16px; }
QPushButton[kind="primary"] { font-weight: 600; }
QPushButton:default:hover, QPushButton[kind="primary"]:hover, QPushButton:default:pressed,
QPushButton[kind="primary"]:pressed { background: @accent_hover; border-color: @accent_hover; }
QPushButton:default:disabled, QPushButton[kind="primary"]:disabled { background: @track; color: @quiet;
  border-color: @line; }
QPushButton[kind="secondary"]:default { background: @surface; color: @text; border-color: @outline; padding: 0 12px; }
QPushButton[kind="secondary"]:default:hover { background: @hover; }
QPushButton[kind="quiet"], QPushButton[kind="link"] { background: transparent; border-color: transparent;
  color: @quiet; padding: 0 8px; }
QPushButton[kind="quiet"]:hover { background: @hover_page; color: @text; }
QPushButton[kind="quiet"]:checked { background: @accent_soft; color: @accent; }
QPushButton[kind="link"] { color: @accent; padding: 0; text-align: left; min-height: 20px; }
QPushButton[kind="link"]:hover { text-decoration: underline; }
QPushButton[kind="quiet"]:disabled, QPushButton[kind="link"]:disabled { color: @disabled; }
QPushButton[kind="chip"] { border-radius: 13px; padding: 0 10px; min-height: 24px; max-height: 24px;
  font-size: @table; }
QPushButton[kind="summary"] { padding: 0 8px 0 10px; text-align: left; font-size: @table; }
QPushButton[kind="summary"]:checked, QPushButton[kind="picker"]:checked { color: @text; }
QPushButton[kind="picker"] { border-radius: 8px; padding: 0; text-align: left; }
QPushButton[kind="field"] { background: @page; color: @quiet; text-align: left; padding: 0 8px; }
QPushButton::menu-indicator { image: url("marks:down-@mark.svg"); width: 14px; height: 14px;
  subcontrol-origin: padding; subcontrol-position: right center; right: 6px; }

QToolButton { background: transparent; border: 1px solid transparent; border-radius: @r_control;
  padding: 4px; }
QToolButton:hover, QToolButton:pressed { background: @hover_page; }
QToolButton:checked { background: @accent_soft; color: @accent; }
QToolButton[popupMode="1"] { padding-right: 18px; }
QToolButton[kind="icon"] { padding: 3px; }
QToolButton[kind="rail"] { border-radius: 8px; color: @quiet; font-size: @caption; padding: 5px 0 4px 0; }
QToolButton[kind="rail"]:hover { color: @text; }
QToolButton[kind="rail"]:checked { color: @accent; }
QToolButton::menu-indicator { image: none; }
QToolButton::menu-button { border: 0; width: 16px; }
QToolButton::menu-arrow { image: url("marks:down-@mark.svg"); width: 14px; height: 14px; }

QLineEdit, QAbstractSpinBox, QComboBox { background: @surface; border: 1px solid @outline;
  border-radius: @r_control; padding: 0 7px; min-height: 26px; }
QLineEdit:focus, QAbstractSpinBox:focus, QComboBox:focus, QComboBox:on { border-color: @accent; }
QLineEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled { border-color: @line; background: transparent; }
QLineEdit:read-only { background: transparent; }
QLineEdit[kind="plain"] { background: transparent; border: 0; font-size: @section; min-height: 30px; }
QAbstractItemView QLineEdit, QAbstractItemView QAbstractSpinBox, QAbstractItemView QComboBox { border-radius: 0;
  border-color: @accent; padding: 0 3px; min-height: 0; }
#messageEditor QLineEdit, #messageEditor QComboBox, #messageEditor QAbstractSpinBox { border-radius: @r_control;
  border-color: @outline; padding: 0 7px; min-height: 24px; }
#messageEditor QLineEdit:focus, #messageEditor QComboBox:focus, #messageEditor QAbstractSpinBox:focus {
  border-color: @accent; }
#messageEditor QComboBox QLineEdit, #messageEditor QAbstractSpinBox QLineEdit { border: 0; padding: 0; min-height: 0; }
QComboBox[kind="quiet"] { background: transparent; border-color: transparent; color: @quiet; }
QComboBox[kind="quiet"]:hover, QComboBox[kind="quiet"]:on { background: @hover_page; color: @text; }
QComboBox[kind="quiet"]:focus { border-color: @accent; }
QComboBox::drop-down { border: 0; width: 22px; }
QComboBox::down-arrow { image: url("marks:down-@mark.svg"); width: 14px; height: 14px; }
QComboBox QAbstractItemView { background: @raised; border: 1px solid @outline; font-size: @body; padding: 3px; }
/* Qt adds 3 pixels to a spin box: so it is as high as the fields beside it. */
QAbstractSpinBox { padding: 0 0 0 6px; min-height: 23px; }
#messageEditor QAbstractSpinBox { min-height: 21px; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { subcontrol-origin: border; border: 0; width: 20px;
  background: transparent; }
QAbstractSpinBox::up-button { subcontrol-position: top right; margin: 3px 1px 0 0; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; margin: 0 1px 3px 0; }
QAbstractSpinBox::up-arrow { image: url("marks:up-@mark.svg"); width: 11px; height: 11px; }
QAbstractSpinBox::down-arrow { image: url("marks:down-@mark.svg"); width: 11px; height: 11px; }
QDateTimeEdit::drop-down { border: 0; width: 22px; subcontrol-origin: border; subcontrol-position: center right; }
QDateTimeEdit::down-arrow { image: url("marks:down-@mark.svg"); width: 14px; height: 14px; }

QCheckBox, QRadioButton, QGroupBox { spacing: 8px; }
QCheckBox, QRadioButton { min-height: 22px; }
QCheckBox::indicator, QRadioButton::indicator, QGroupBox::indicator, QAbstractItemView::indicator { width: 14px;
  height: 14px; border: 1px solid @outline; border-radius: 4px; background: @surface; }
QRadioButton::indicator { border-radius: 8px; }
QCheckBox::indicator:hover, QRadioButton::indicator:hover, QGroupBox::indicator:hover { border-color: @accent; }
QCheckBox::indicator:checked, QGroupBox::indicator:checked, QAbstractItemView::indicator:checked {
  background: @accent_fill; border-color: @accent_fill; image: url("marks:check-@on_accent_mark.svg"); }
QCheckBox::indicator:indeterminate, QAbstractItemView::indicator:indeterminate { background: @accent_fill;
  border-color: @accent_fill; image: url("marks:dash-@on_accent_mark.svg"); }
QRadioButton::indicator:checked { width: 6px; height: 6px; border: 5px solid @accent_fill; background: @on_accent; }
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled { border-color: @line; background: @page; }
QCheckBox::indicator:checked:disabled { background: @disabled; border-color: @disabled; }
QRadioButton::indicator:checked:disabled { border: 5px solid @disabled; }

QGroupBox { border: 0; border-top: 1px solid @line; margin-top: 20px; padding-top: 8px; font-weight: 600; }
QGroupBox::title { subcontrol-origin: margin; subcontrol-position: top left; left: -2px; padding: 0 8px 0 0; }
QGroupBox:flat { border: 0; }

QPlainTextEdit, QTextEdit { border: 1px solid @outline; }
QPlainTextEdit:read-only, QTextEdit:read-only { border-color: @line; }
QPlainTextEdit:focus, QTextEdit:focus { border-color: @accent; }
QPlainTextEdit#promptEditor { border: 0; }

QAbstractItemView { background: @surface; border: 1px solid @line; outline: 0; font-size: @table;
  selection-background-color: @selection; selection-color: @text; gridline-color: @line; }
QAbstractItemView:focus { border-color: @accent; }
QAbstractScrollArea[kind="flat"] { border: 0; }
QAbstractItemView[kind="plain"] { background: transparent; border: 0; font-size: @body; }
#preferencesPages::item { padding: 0 8px; border-radius: @r_control; }
#preferencesPages::item:selected { background: @selection; color: @text; }
QHeaderView { background: @surface; border: 0; }
QHeaderView::section { background: @surface; color: @quiet; border: 0; border-bottom: 1px solid @line;
  padding: 0 4px; min-height: 28px; font-size: @table; }
QHeaderView::section:vertical { border-bottom: 0; border-right: 1px solid @line; min-height: 0; }
QHeaderView::up-arrow { image: url("marks:up-@mark.svg"); width: 12px; height: 12px;
  subcontrol-position: right center; right: 3px; }
QHeaderView::down-arrow { image: url("marks:down-@mark.svg"); width: 12px; height: 12px;
  subcontrol-position: right center; right: 3px; }
QTableCornerButton::section { background: @surface; border: 0; }
QTreeView::branch:has-children:!has-siblings:closed, QTreeView::branch:closed:has-children:has-siblings {
  image: url("marks:right-@mark.svg"); }
QTreeView::branch:open:has-children:!has-siblings, QTreeView::branch:open:has-children:has-siblings {
  image: url("marks:down-@mark.svg"); }
QAbstractScrollArea::corner { background: transparent; border: 0; }
QScrollArea { border: 0; background: transparent; }

QScrollBar:vertical { background: transparent; border: 0; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; border: 0; height: 12px; margin: 0; }
QScrollBar::handle { background: @scroll; border-radius: 3px; margin: 3px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover, QScrollBar::handle:pressed { background: @quiet; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; border: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QTabWidget::pane { border: 0; border-top: 1px solid @line; }
QTabBar { qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: @quiet; border: 0; border-bottom: 2px solid transparent;
  padding: 7px 10px 6px 10px; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:selected { color: @accent; border-bottom-color: @accent; }
QTabBar::tab:disabled { color: @disabled; }
QTabBar[kind="segments"]::tab { border: 1px solid transparent; border-radius: 6px; padding: 4px 11px; margin: 0 1px; }
QTabBar[kind="segments"]::tab:selected { background: @segment; color: @text; border: 1px solid @segment_edge; }

QMenuBar { background: @surface; padding: 2px 6px; }
QMenuBar::item { background: transparent; padding: 4px 9px; border-radius: 4px; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: @hover; }
QMenu { background: @raised; border: 1px solid @outline; padding: 4px; }
QMenu::item { padding: 5px 28px 5px 26px; border-radius: 4px; }
QMenu::item:selected { background: @selection; }
QMenu::item:disabled { color: @disabled; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }
QMenu::right-arrow { image: url("marks:right-@mark.svg"); width: 14px; height: 14px; right: 4px; }
QMenu::indicator { width: 14px; height: 14px; left: 6px; border: 1px solid @outline; border-radius: 4px; }
QMenu::indicator:exclusive { border-radius: 7px; }
QMenu::indicator:checked { background: @accent_fill; border-color: @accent_fill;
  image: url("marks:check-@on_accent_mark.svg"); }

QToolBar { background: @surface; border: 0; border-bottom: 1px solid @line; padding: 3px 8px; spacing: 2px; }
QToolBar#railHolder { background: @page; border: 0; border-right: 1px solid @line; padding: 0; }
QToolBar::separator { background: @line; width: 1px; margin: 6px 6px; }
QStatusBar { background: @page; border-top: 1px solid @line; }
QStatusBar::item { border: 0; }
QStatusBar QLabel, QStatusBar QToolButton, QStatusBar QWidget[role="caption"] { font-size: @caption; color: @quiet; }
QStatusBar QToolButton { padding: 0 4px; }
QMainWindow::separator { width: 7px; height: 7px; }
QSplitter::handle:horizontal { width: 7px; }
QSplitter::handle:vertical { height: 7px; }
QSplitter::handle:horizontal, QMainWindow::separator:vertical { background: @across_line; }
QSplitter::handle:vertical, QMainWindow::separator:horizontal { background: @down_line; }
QSplitter::handle:horizontal:hover, QMainWindow::separator:vertical:hover { background: @across_accent; }
QSplitter::handle:vertical:hover, QMainWindow::separator:horizontal:hover { background: @down_accent; }
QProgressBar { background: @track; border: 0; border-radius: 3px; min-height: 6px; max-height: 6px;
  color: transparent; }
QProgressBar::chunk { background: @accent_fill; border-radius: 3px; }
QSlider::groove:horizontal { background: @track; height: 4px; border-radius: 2px; }
QSlider::sub-page:horizontal { background: @accent_fill; border-radius: 2px; }
QSlider::handle:horizontal { background: @surface; border: 2px solid @accent_fill; width: 12px; margin: -6px 0;
  border-radius: 8px; }
"""


def sheet(colours: dict[str, str], scale: float = 1) -> str:
    """Return the style sheet of a theme. ``scale``: factor of text sizes."""
    values = colours | {name: f"{as_points(round(size * scale)):g}pt" for name, size in TYPE.items()}
    values |= {f"r_{name}": f"{size}px" for name, size in RADIUS.items()}
    values |= {"mark": colours["mark"][1:], "on_accent_mark": colours["on_accent"][1:]}
    for name in ("line", "accent"):
        values |= {f"across_{name}": _hairline(1, 0, colours[name]), f"down_{name}": _hairline(0, 1, colours[name])}
    return re.sub(r"@([a-z_0-9]+)", lambda found: values[found[1]], SHEET)


def _hairline(x: int, y: int, colour: str) -> str:
    """Return a line of one pixel in the middle of seven, across (``x``) or down (``y``); the rest is a grip."""
    stops = ((0, "transparent"), (0.428, "transparent"), (0.429, colour), (0.571, colour), (0.572, "transparent"))
    parts = ", ".join(f"stop: {place} {shade}" for place, shade in (*stops, (1, "transparent")))
    return f"qlineargradient(x1: 0, y1: 0, x2: {x}, y2: {y}, {parts})"


_OWN_FONT = "_q_styleSheetWidgetFont"
"""Property in which Qt keeps the font that a widget would have without the sheet, and from which it restores it. Set
when the widget is first polished, and not again when ``setFont`` is called later."""
_STRONG = frozenset({"strong", "overline", "section", "figure", "hero", "pill"})


def _is_strong(widget: QWidget) -> bool:
    """Return True if the sheet sets the widget's text in semibold."""
    return widget.property("role") in _STRONG or widget.property("kind") == "primary"


def give_kind(widget: QWidget, kind: str) -> None:
    """Set the ``kind`` of a widget."""
    _give(widget, "kind", kind)


def give_role(label: QWidget, role: str) -> None:
    """Set the ``role`` of a label."""
    _give(label, "role", role)


def give_tone(label: QLabel, tone: str) -> None:
    """Set the ``tone`` of a label; "" is the colour of its role."""
    _give(label, "tone", tone)


def _give(widget: QWidget, name: str, value: str) -> None:
    if widget.property(name) == value:
        return
    was_strong = _is_strong(widget)
    widget.setProperty(name, value)
    if _is_strong(widget) != was_strong:
        # A variable font needs more than the weight that the sheet sets.
        set_font(widget, QFont() if was_strong else semibold())
    if widget.testAttribute(_POLISHED):
        style = widget.style()
        style.unpolish(widget)
        style.polish(widget)
        widget.update()


def set_font(widget: QWidget, font: QFont) -> None:
    """Set the font of a widget, and keep it (``keep_font``)."""
    widget.setFont(font)
    keep_font(widget, font)


def keep_font(widget: QWidget, font: QFont) -> None:
    """Keep a font that was set on a widget: otherwise Qt may restore an earlier one when the sheet changes."""
    widget.setProperty(_OWN_FONT, font)


def plain_corner(area: QAbstractScrollArea) -> QWidget:
    """Return a corner in the background of its area. Fusion fills it with a colour that ``Theme`` uses for outlines."""
    return QWidget(area)


# --- the look of the application --------------------------------------------------------------------------------------


AT_ONCE = 40
"""Number of hidden widgets polished per turn."""

_POLISHED = Qt.WidgetAttribute.WA_WState_Polished
_OPAQUE = Qt.WidgetAttribute.WA_OpaquePaintEvent
_UPDATES_DISABLED = Qt.WidgetAttribute.WA_UpdatesDisabled
_SET_DISABLED = Qt.WidgetAttribute.WA_ForceUpdatesDisabled
_OWN_CHILDREN = Qt.FindChildOption.FindDirectChildrenOnly


class Dressing(QObject):
    """Palette, font and style sheet of an application, set together. Hidden widgets follow in small steps.

    When Qt replaces a sheet, it polishes and notifies every widget of which it has cached rules, a quarter of a
    millisecond each, though of two thousand only about a hundred are visible. So the cache is emptied first, and the
    visible widgets are polished here. Afterwards a few hidden ones are polished in each turn of the event loop; if a
    page or dialog is shown earlier, what is visible of it is done at once.

    Only a change of text sizes sends the events that make widgets measure themselves and lay out their children again:
    themes differ in colours only.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._sizes: tuple[QFont, float] | None = None
        self._outdated: dict[QWidget, list[QWidget]] = {}
        """Outermost hidden widgets that still have the previous sheet. The value lists those of the widget and its
        descendants that are still to be polished; it is empty before the first step, when all of them are."""
        self._have_old_sizes = False
        """True if text sizes have changed since the outdated widgets were polished."""

    def change(self, palette: QPalette, font: QFont, colours: dict[str, str], scale: float) -> None:
        """Set all three, if any of them differs. ``colours`` and ``scale``: those of the style sheet."""
        app, changed = self._app, sheet(colours, scale)
        if (app.styleSheet(), app.palette(), app.font()) == (changed, palette, font):
            return  # another window has this theme
        resized = self._sizes != (font, scale)
        self._sizes = (font, scale)
        is_first = not app.styleSheet()
        visible, hidden = _shown_and_hidden(app.topLevelWidgets())
        self.drop_cached_rules()
        app.setPalette(palette)
        app.setFont(font)
        app.setStyleSheet(changed)
        if is_first:
            return  # Qt has polished every widget
        _polish_all(visible, resized)
        self._have_old_sizes = resized or (self._have_old_sizes and bool(self._outdated))
        is_running = bool(self._outdated)
        for root in filter(shiboken6.isValid, self._outdated):
            root.removeEventFilter(self)
        self._outdated.clear()
        self._postpone(hidden)
        if hidden and not is_running:
            in_next_turn(self, self._polish_some)

    def drop_cached_rules(self) -> None:
        """Drop the style rules that Qt has cached for each widget: 11 KB each, 25 MB once every page has been shown. It
        takes 8 ms. Qt computes the rules of visible widgets again at their next paint, which takes as long."""
        self._app.style().unpolish(self._app)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and watched in self._outdated:
            self._on_shown(watched)
        return False

    def _postpone(self, roots: list[QWidget]) -> None:
        """Let these hidden widgets wait until they are shown, or until their turn comes."""
        for root in roots:
            self._outdated[root] = []
            root.installEventFilter(self)

    def _polish_some(self) -> None:
        left = AT_ONCE
        while self._outdated and left > 0:
            root = next(iter(self._outdated))
            widgets = self._remaining(root)
            split = len(widgets) if self._have_old_sizes else left  # all at once: parents measure their children
            some, self._outdated[root] = widgets[:split], widgets[split:]
            _polish_all(some, self._have_old_sizes)
            if len(widgets) <= split:
                self._outdated.pop(root, None)
                if shiboken6.isValid(root):
                    root.removeEventFilter(self)
            left -= len(some) or 1
        if self._outdated:
            in_next_turn(self, self._polish_some)

    def _on_shown(self, root: QWidget) -> None:
        """Polish the visible part of a widget that was hidden, and postpone its hidden parts. If text sizes have
        changed, polish all of it: parents measure their hidden children, too."""
        root.removeEventFilter(self)
        if self._have_old_sizes:
            _polish_all(self._remaining(root), resized=True)
            self._outdated.pop(root, None)
            return
        del self._outdated[root]
        shown, hidden = _shown_and_hidden([root])
        self._postpone(hidden)
        _polish_all(shown, resized=False)

    def _remaining(self, root: QWidget) -> list[QWidget]:
        if self._outdated[root] or not shiboken6.isValid(root):
            return self._outdated[root]
        family = [root]
        for widget in family:  # which grows
            family += _children(widget)
        return [widget for widget in family if widget.testAttribute(_POLISHED)]


@contextlib.contextmanager
def painted_once() -> Iterator[None]:
    """Repaint all windows after this block, each part once.

    Qt paints an opaque widget together with the widgets inside it that are not opaque, and then paints each of those
    again that requested an update. So their requests are ignored during this block.
    """
    opaque, others = [], []
    for widget in _shown_and_hidden(QApplication.topLevelWidgets())[0]:
        if widget.isWindow() or widget.autoFillBackground() or widget.testAttribute(_OPAQUE):
            opaque.append(widget)
        elif not widget.testAttribute(_UPDATES_DISABLED):
            others.append(widget)
            widget.setAttribute(_UPDATES_DISABLED)
    try:
        yield
    finally:
        others = list(filter(shiboken6.isValid, others))
        for widget in others:
            widget.setAttribute(_UPDATES_DISABLED, False)
        for child in (child for widget in others for child in _children(widget)):
            if child.testAttribute(_UPDATES_DISABLED) and not child.testAttribute(_SET_DISABLED):
                child.setUpdatesEnabled(True)  # created in this block, with the flag of its parent
        for widget in filter(shiboken6.isValid, opaque):
            widget.update()


def _shown_and_hidden(widgets: list[QWidget]) -> tuple[list[QWidget], list[QWidget]]:
    """Return the visible ones of these widgets and their descendants, parents first, and the outermost hidden ones.
    Descendants are added to ``widgets``."""
    shown, hidden = [], []
    for widget in widgets:  # which grows
        if widget.isVisible():
            shown.append(widget)
            widgets += _children(widget)
        else:
            hidden.append(widget)
    return shown, hidden


def _children(widget: QWidget) -> list[QWidget]:
    """Return the direct child widgets of a widget, without its windows."""
    return [child for child in widget.findChildren(QWidget, options=_OWN_CHILDREN) if not child.isWindow()]


def _polish_all(widgets: list[QWidget], resized: bool) -> None:
    for widget in filter(shiboken6.isValid, widgets):
        widget.style().polish(widget)
    if resized:  # each can now measure the others
        for widget in filter(shiboken6.isValid, widgets):
            QApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))


class FormerLook(QObject):
    """The look of the application before its first window; restored when the last window has closed."""

    _current: ClassVar[FormerLook | None] = None

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app, self._windows = app, 0
        self._palette, self._sheet, self._font = app.palette(), app.styleSheet(), app.font()
        # Read before the sheet is set: a style wrapped by a sheet no longer reports its name.
        self._style = app.style().objectName()
        self._marks = QDir.searchPaths(MARKS)
        QDir.setSearchPaths(MARKS, [str(FOLDER)])
        app.setStyle("fusion")  # it takes every colour from the palette
        self.dressing = Dressing(app)

    @classmethod
    def of(cls, app: QApplication) -> FormerLook:
        """Return the former look, and count one more window that hides it."""
        if cls._current is None:
            cls._current = cls(app)
        cls._current._windows += 1
        return cls._current

    def restore_later(self) -> None:
        """Restore this look two turns of the event loop later, if no window has opened by then.

        Earlier, every widget of the closing window would be polished again. The window is deleted by an event that is
        posted when its closing ends.
        """
        self._windows -= 1
        in_next_turn(self, lambda: in_next_turn(self, self._restore))

    @classmethod
    def restore_now(cls) -> None:
        """Restore the former look at once, unless a window is open."""
        if cls._current is not None:
            cls._current._restore()

    def _restore(self) -> None:
        if self._windows or FormerLook._current is not self:
            return
        FormerLook._current = None
        self.dressing.deleteLater()
        app = self._app
        app.setStyleSheet(self._sheet)
        QDir.setSearchPaths(MARKS, self._marks)
        app.setStyle(self._style)
        app.setFont(self._font)
        app.setPalette(self._palette)
        self.deleteLater()
