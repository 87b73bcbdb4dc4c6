"""The colours of the application: light, dark, high contrast, or whatever the system asks for.

Widgets wear the palette and the one style sheet of the application; what paints itself asks ``Theme.colour(name)``,
again on ``Theme.changed``. Nothing needs a restart.
"""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QDir, QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QDateTimeEdit, QDialog, QProxyStyle, QWidget

from gui.look import fonts, style_sheet, theme_file
from gui.look.dressing import Dressing
from gui.look.token_palette import ALTERNATING, TOKEN_MODES, TokenPalette
from gui.runtime.event_loop import in_next_turn

MODES = ("system", "light", "dark")
CONTRASTS = ("system", "normal", "high")

_ROLES = {
    QPalette.ColorRole.Window: "page",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Base: "surface",
    QPalette.ColorRole.AlternateBase: "surface",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.Button: "surface",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.BrightText: "on_accent",
    QPalette.ColorRole.Highlight: "text_selection",
    QPalette.ColorRole.HighlightedText: "text",
    QPalette.ColorRole.Link: "accent",
    QPalette.ColorRole.LinkVisited: "accent",
    QPalette.ColorRole.PlaceholderText: "quiet",
    QPalette.ColorRole.ToolTipBase: "tip",
    QPalette.ColorRole.ToolTipText: "on_tip",
    QPalette.ColorRole.Light: "surface",
    QPalette.ColorRole.Midlight: "hover",
    QPalette.ColorRole.Mid: "line",
    QPalette.ColorRole.Dark: "outline",
    QPalette.ColorRole.Shadow: "outline",
    QPalette.ColorRole.Accent: "accent",
}
"""For what the style sheet does not reach: contents of item views, disabled text, links, the system's own dialogs."""


class LookStyle(QProxyStyle):
    """Fusion, the one style that takes every colour from the palette, below the sheet.

    Only ``polish`` is overridden: it runs once a widget, the other functions of a style thousands of times a picture.
    """

    def polish(self, target: QWidget | QApplication | QPalette) -> None:
        super().polish(target)
        if isinstance(target, QAbstractSpinBox) and not isinstance(target, QDateTimeEdit):
            # The padding of a sheet does not reach this field.
            target.lineEdit().setTextMargins(6, 0, 0, 0)
        elif isinstance(target, QDialog) and type(target).__module__.startswith("gui."):
            _give_room(target)
        elif style_sheet.is_strong(target):
            target.setFont(fonts.strong(target.font()))


def _give_room(dialog: QDialog) -> None:
    """Give one of our dialogs the margins of a page, unless it sets its own (popovers do)."""
    layout = dialog.layout()
    if layout is not None and dialog.property("kind") != "popover":
        page, wide = style_sheet.SPACE["page"], style_sheet.SPACE["wide"]
        layout.setContentsMargins(page, wide, page, wide)
        layout.setSpacing(max(layout.spacing(), style_sheet.SPACE["normal"]))


class FormerLook(QObject):
    """The look that the application had before the first of its windows; it returns when the last of them is gone."""

    _kept: ClassVar[FormerLook | None] = None

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app, self._windows = app, 0
        self._palette, self._sheet, self._font = app.palette(), app.styleSheet(), app.font()
        # Before the sheet: a style that wears one no longer says its name.
        self._style = app.style().objectName()
        self._marks = QDir.searchPaths(style_sheet.MARKS)
        QDir.setSearchPaths(style_sheet.MARKS, [str(style_sheet.FOLDER)])
        app.setStyle(LookStyle("fusion"))
        self.dressing = Dressing(app)

    @classmethod
    def of(cls, app: QApplication) -> FormerLook:
        """Keep the look of the application for one more window."""
        if cls._kept is None:
            cls._kept = cls(app)
        cls._kept._windows += 1
        return cls._kept

    def let_return(self) -> None:
        """Return to this look two turns of the event loop later, if no window has opened by then.

        Sooner, every widget of the window that is closing would be polished again. It deletes itself with an event
        that is posted when its closing ends.
        """
        self._windows -= 1
        in_next_turn(self, lambda: in_next_turn(self, self._return))

    @classmethod
    def return_now(cls) -> None:
        """Return to the former look at once, unless a window is open."""
        if cls._kept is not None:
            cls._kept._return()

    def _return(self) -> None:
        if self._windows or FormerLook._kept is not self:
            return
        FormerLook._kept = None
        self.dressing.finish()
        self.dressing.deleteLater()
        app = self._app
        app.setStyleSheet(self._sheet)
        QDir.setSearchPaths(style_sheet.MARKS, self._marks)
        app.setStyle(self._style)
        app.setFont(self._font)
        app.setPalette(self._palette)
        self.deleteLater()


class Theme(QObject):
    """The colours in use.

    Signals: ``changed()`` when any colour may have changed.
    """

    changed = Signal()

    def __init__(
        self,
        mode: str = "system",
        contrast: str = "system",
        parent: QObject | None = None,
        *,
        system_fonts: bool = False,
    ) -> None:
        super().__init__(parent)
        fonts.use_own(not system_fonts)
        self._mode = mode if mode in MODES else "system"
        self._contrast = contrast if contrast in CONTRASTS else "system"
        self._read: dict[str, theme_file.ThemeColours] = {}
        self._app: QApplication | None = None
        self._before: FormerLook | None = None
        # Kept, because Qt's wrapper of the accessibility hints lives only as long as that of the style hints.
        self._hints = QGuiApplication.styleHints()
        self._wishes = self._hints.accessibility()
        self._colours = self._wanted()

    @property
    def mode(self) -> str:
        """``system``, ``light`` or ``dark``."""
        return self._mode

    @property
    def contrast(self) -> str:
        """``system``, ``normal`` or ``high``."""
        return self._contrast

    @property
    def is_dark(self) -> bool:
        """Whether light text stands on a dark ground."""
        return self._colours.dark

    @property
    def name(self) -> str:
        """The name of the theme in use."""
        return self._colours.name

    def set_mode(self, mode: str) -> None:
        """Choose ``system``, ``light`` or ``dark``."""
        if mode not in MODES:
            raise ValueError(f"{mode!r} is none of {', '.join(MODES)}")
        if mode != self._mode:
            self._mode = mode
            self._tell_system()
            self._refresh()

    def set_contrast(self, contrast: str) -> None:
        """Choose ``system``, ``normal`` or ``high`` contrast."""
        if contrast not in CONTRASTS:
            raise ValueError(f"{contrast!r} is none of {', '.join(CONTRASTS)}")
        if contrast != self._contrast:
            self._contrast = contrast
            self._refresh()

    def set_system_fonts(self, system: bool) -> None:
        """Use the system's fonts, or those that come with the program."""
        fonts.use_own(not system)
        self._dress()
        self.changed.emit()

    def colour(self, role: str) -> QColor:
        """The colour of this name (``theme_file.COLOURS``, ``FORMER``). Raises KeyError for another."""
        return QColor(self._colours.colours[theme_file.FORMER.get(role, role)])

    def token_palette(self, name: str = "standard") -> TokenPalette:
        """How tokens are drawn in one of ``TOKEN_MODES``. Raises KeyError for another name."""
        tells = TOKEN_MODES[name]
        source = "standard" if tells else name
        tokens = self._colours.tokens[source]
        fills = tuple(QColor(fill) for fill in tokens.fills)
        selection, alpha = self.colour("token_selection"), self._colours.selection_alpha
        selection.setAlpha(alpha)
        high_contrast = alpha >= 128
        return TokenPalette(
            name=name,
            fills=(fills if tells else fills[:ALTERNATING]) or None,
            tells=tells,
            # In high contrast a fill may be that of the page.
            gaps=source == "standard" and not high_contrast,
            text=self.colour("text"),
            base=self.colour("surface"),
            selection=selection,
            selected_text=self.colour("on_token_selection" if high_contrast else "text"),
            **{role: QColor(value) for role, value in tokens.roles.items()},
        )

    def qt_palette(self) -> QPalette:
        """The theme as Qt's palette."""
        palette = QPalette()
        for role, name in _ROLES.items():
            palette.setColor(role, self.colour(name))
        disabled = self.colour("disabled")
        for role in (
            QPalette.ColorRole.WindowText,
            QPalette.ColorRole.Text,
            QPalette.ColorRole.ButtonText,
            QPalette.ColorRole.PlaceholderText,
        ):
            palette.setColor(QPalette.ColorGroup.Disabled, role, disabled)
        palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Highlight, self.colour("line"))
        return palette

    def apply(self, app: QApplication) -> None:
        """Give the application these colours, and follow the system from now on. ``release`` undoes it."""
        self._app, self._before = app, FormerLook.of(app)
        self._hints.colorSchemeChanged.connect(self._on_system_changed)
        self._wishes.contrastPreferenceChanged.connect(self._on_system_changed)
        self._tell_system()
        self._colours = self._wanted()
        self._dress()

    def _dress(self) -> None:
        """Give the application palette, font and style sheet, if it is to have this theme."""
        if self._before is not None:
            sheet = style_sheet.sheet(self._colours.colours, fonts.scale())
            self._before.dressing.change(self.qt_palette(), fonts.ui_font(), sheet)

    def release(self) -> None:
        """Give the application back the look it had before ``apply``."""
        self.release_soon()
        FormerLook.return_now()

    def release_soon(self) -> None:
        """The same two turns of the event loop later: sooner, a window that is closing would be polished once more."""
        before, self._app, self._before = self._before, None, None
        if before is None:
            return
        self._hints.colorSchemeChanged.disconnect(self._on_system_changed)
        self._wishes.contrastPreferenceChanged.disconnect(self._on_system_changed)
        self._hints.unsetColorScheme()
        before.let_return()

    @Slot()
    def _on_system_changed(self) -> None:
        self._refresh()

    def _refresh(self) -> None:
        wanted = self._wanted()
        if wanted is self._colours:
            return
        self._colours = wanted
        self._dress()
        self.changed.emit()

    def _tell_system(self) -> None:
        """Let title bars and the system's own dialogs follow the choice."""
        if self._app is None:
            return
        if self._mode == "system":
            self._hints.unsetColorScheme()
        else:
            self._hints.setColorScheme(Qt.ColorScheme.Dark if self._mode == "dark" else Qt.ColorScheme.Light)

    def _wanted(self) -> theme_file.ThemeColours:
        dark = self._mode == "dark" or (self._mode == "system" and self.system_is_dark())
        high = self._contrast == "high" or (self._contrast == "system" and self.system_wants_contrast())
        name = ("high_contrast_" if high else "") + ("dark" if dark else "light")
        if name not in self._read:
            self._read[name] = theme_file.read_theme(theme_file.FOLDER / f"{name}.json")
        return self._read[name]

    def system_is_dark(self) -> bool:
        """Whether the system asks for dark colours. Unknown counts as light."""
        return self._hints.colorScheme() == Qt.ColorScheme.Dark

    def system_wants_contrast(self) -> bool:
        """Whether the system asks for high contrast."""
        return self._wishes.contrastPreference() == Qt.ContrastPreference.HighContrast
