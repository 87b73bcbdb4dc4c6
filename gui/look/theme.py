"""Colours of the application: light, dark, high contrast, or as the system prefers.

Widgets use the application's palette and style sheet; custom painting calls ``Theme.colour(name)``, again on
``Theme.changed``. No change needs a restart.
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
"""For everything outside the style sheet: item view contents, disabled text, links, system dialogs."""


class LookStyle(QProxyStyle):
    """Fusion, which takes every colour from the palette, as the base of the sheet.

    Only ``polish`` is overridden: it runs once per widget, other style functions thousands of times per repaint.
    """

    def polish(self, target: QWidget | QApplication | QPalette) -> None:
        super().polish(target)
        if isinstance(target, QAbstractSpinBox) and not isinstance(target, QDateTimeEdit):
            # The sheet's padding does not reach this field.
            target.lineEdit().setTextMargins(6, 0, 0, 0)
        elif isinstance(target, QDialog) and type(target).__module__.startswith("gui."):
            _give_room(target)
        elif style_sheet.is_strong(target):
            target.setFont(fonts.strong(target.font()))


def _give_room(dialog: QDialog) -> None:
    """Give one of our dialogs page margins, unless it sets its own (popovers do)."""
    layout = dialog.layout()
    if layout is not None and dialog.property("kind") != "popover":
        page, wide = style_sheet.SPACE["page"], style_sheet.SPACE["wide"]
        layout.setContentsMargins(page, wide, page, wide)
        layout.setSpacing(max(layout.spacing(), style_sheet.SPACE["normal"]))


class FormerLook(QObject):
    """The look of the application before its first window; restored when the last window has closed."""

    _kept: ClassVar[FormerLook | None] = None

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app, self._windows = app, 0
        self._palette, self._sheet, self._font = app.palette(), app.styleSheet(), app.font()
        # Read before the sheet is set: a style wrapped by a sheet no longer reports its name.
        self._style = app.style().objectName()
        self._marks = QDir.searchPaths(style_sheet.MARKS)
        QDir.setSearchPaths(style_sheet.MARKS, [str(style_sheet.FOLDER)])
        app.setStyle(LookStyle("fusion"))
        self.dressing = Dressing(app)

    @classmethod
    def of(cls, app: QApplication) -> FormerLook:
        """Return the former look, and count one more window that hides it."""
        if cls._kept is None:
            cls._kept = cls(app)
        cls._kept._windows += 1
        return cls._kept

    def let_return(self) -> None:
        """Restore this look two turns of the event loop later, if no window has opened by then.

        Earlier, every widget of the closing window would be polished again. The window is deleted by an event that is
        posted when its closing ends.
        """
        self._windows -= 1
        in_next_turn(self, lambda: in_next_turn(self, self._return))

    @classmethod
    def return_now(cls) -> None:
        """Restore the former look at once, unless a window is open."""
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
    """The current colours.

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
        # Kept alive: Qt's wrapper of the accessibility hints lives only as long as that of the style hints.
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
        """True if the theme has light text on a dark background."""
        return self._colours.dark

    @property
    def name(self) -> str:
        """Name of the current theme."""
        return self._colours.name

    def set_mode(self, mode: str) -> None:
        """Set the mode: ``system``, ``light`` or ``dark``."""
        if mode not in MODES:
            raise ValueError(f"{mode!r} is none of {', '.join(MODES)}")
        if mode != self._mode:
            self._mode = mode
            self._tell_system()
            self._refresh()

    def set_contrast(self, contrast: str) -> None:
        """Set the contrast: ``system``, ``normal`` or ``high``."""
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
        """Return the colour of this name (``theme_file.COLOURS``, ``FORMER``). Raises KeyError if it is unknown."""
        return QColor(self._colours.colours[theme_file.FORMER.get(role, role)])

    def token_palette(self, name: str = "standard") -> TokenPalette:
        """Return the colours of tokens in one of ``TOKEN_MODES``. Raises KeyError for an unknown name."""
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
            # In high contrast a fill may equal the page colour.
            gaps=source == "standard" and not high_contrast,
            text=self.colour("text"),
            base=self.colour("surface"),
            selection=selection,
            selected_text=self.colour("on_token_selection" if high_contrast else "text"),
            **{role: QColor(value) for role, value in tokens.roles.items()},
        )

    def qt_palette(self) -> QPalette:
        """Return the theme as a Qt palette."""
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
        """Apply these colours to the application, and follow the system from now on. ``release`` reverts it."""
        self._app, self._before = app, FormerLook.of(app)
        self._hints.colorSchemeChanged.connect(self._on_system_changed)
        self._wishes.contrastPreferenceChanged.connect(self._on_system_changed)
        self._tell_system()
        self._colours = self._wanted()
        self._dress()

    def _dress(self) -> None:
        """Set the palette, font and style sheet of the application, if this theme is applied."""
        if self._before is not None:
            sheet = style_sheet.sheet(self._colours.colours, fonts.scale())
            self._before.dressing.change(self.qt_palette(), fonts.ui_font(), sheet)

    def release(self) -> None:
        """Restore the look that the application had before ``apply``."""
        self.release_soon()
        FormerLook.return_now()

    def release_soon(self) -> None:
        """Like ``release``, but two turns of the event loop later, so that a closing window is not polished again."""
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
        """Make title bars and system dialogs follow the mode."""
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
        """Return True if the system prefers dark colours; unknown counts as light."""
        return self._hints.colorScheme() == Qt.ColorScheme.Dark

    def system_wants_contrast(self) -> bool:
        """Return True if the system prefers high contrast."""
        return self._wishes.contrastPreference() == Qt.ContrastPreference.HighContrast
