"""The colours of the application: light, dark, high contrast, or whatever the system asks for.

Widgets read ``QPalette`` as usual; colours with a meaning of ours come from ``Theme.colour(role)`` and are asked for
again on
``Theme.changed``. Nothing needs a restart.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from gui.look import theme_file
from gui.look.token_palette import TokenPalette

MODES = ("system", "light", "dark")
CONTRASTS = ("system", "normal", "high")

_ROLES = {
    "window": QPalette.ColorRole.Window,
    "window_text": QPalette.ColorRole.WindowText,
    "base": QPalette.ColorRole.Base,
    "alternate_base": QPalette.ColorRole.AlternateBase,
    "text": QPalette.ColorRole.Text,
    "button": QPalette.ColorRole.Button,
    "button_text": QPalette.ColorRole.ButtonText,
    "bright_text": QPalette.ColorRole.BrightText,
    "highlight": QPalette.ColorRole.Highlight,
    "highlighted_text": QPalette.ColorRole.HighlightedText,
    "link": QPalette.ColorRole.Link,
    "link_visited": QPalette.ColorRole.LinkVisited,
    "tool_tip_base": QPalette.ColorRole.ToolTipBase,
    "tool_tip_text": QPalette.ColorRole.ToolTipText,
    "placeholder_text": QPalette.ColorRole.PlaceholderText,
    "light": QPalette.ColorRole.Light,
    "midlight": QPalette.ColorRole.Midlight,
    "mid": QPalette.ColorRole.Mid,
    "dark": QPalette.ColorRole.Dark,
    "shadow": QPalette.ColorRole.Shadow,
    "accent": QPalette.ColorRole.Accent,
}

_OUTLINED = ("QAbstractSpinBox", "QComboBox", "QLineEdit", "QPlainTextEdit", "QAbstractItemView")
"""Widgets, besides buttons, whose outline shows where they are. Fusion derives it from the colour of the window, which
in a dark theme makes it darker than dark; as these widgets paint nothing else in that colour, they get one of their
own."""


class Theme(QObject):
    """The colours in use.

    Signals: ``changed()`` when any colour may have changed.
    """

    changed = Signal()

    def __init__(self, mode: str = "system", contrast: str = "system", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mode = mode if mode in MODES else "system"
        self._contrast = contrast if contrast in CONTRASTS else "system"
        self._read: dict[str, theme_file.ThemeColours] = {}
        self._app: QApplication | None = None
        self._palette_before = QPalette()
        self._style_before = ""
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

    def colour(self, role: str) -> QColor:
        """The colour of a role (``theme_file.PALETTE_ROLES`` and ``EXTRA_ROLES``). Raises KeyError for another name."""
        return QColor(self._colours.colours[role])

    def token_palette(self, name: str = "standard") -> TokenPalette:
        """How tokens are drawn: ``standard``, ``colour_safe`` or ``none``. Raises KeyError for another name."""
        tokens = self._colours.tokens[name]
        fills = tuple(QColor(fill) for fill in tokens.fills)
        selection, alpha = self.colour("highlight"), self._colours.selection_alpha
        selection.setAlpha(alpha)
        return TokenPalette(
            name=name,
            fills=(fills[0], fills[1], fills[2]) if fills else None,
            text=self.colour("text"),
            base=self.colour("base"),
            selection=selection,
            selected_text=self.colour("text" if alpha < 128 else "highlighted_text"),
            **{role: QColor(value) for role, value in tokens.roles.items()},
        )

    def qt_palette(self) -> QPalette:
        """The theme as Qt's palette."""
        palette = QPalette()
        for name, role in _ROLES.items():
            palette.setColor(role, self.colour(name))
        disabled = self.colour("disabled_text")
        for role in (
            QPalette.ColorRole.WindowText,
            QPalette.ColorRole.Text,
            QPalette.ColorRole.ButtonText,
            QPalette.ColorRole.PlaceholderText,
        ):
            palette.setColor(QPalette.ColorGroup.Disabled, role, disabled)
        palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Highlight, self.colour("mid"))
        return palette

    def apply(self, app: QApplication) -> None:
        """Give the application these colours, and follow the system from now on. ``release`` undoes it."""
        self._app = app
        self._palette_before = app.palette()
        self._hints.colorSchemeChanged.connect(self._on_system_changed)
        self._wishes.contrastPreferenceChanged.connect(self._on_system_changed)
        self._tell_system()
        self._colours = self._wanted()
        self._give_palette(app)

    def _give_palette(self, app: QApplication) -> None:
        palette = self.qt_palette()
        app.setPalette(palette)
        # Fusion's outline is the window's colour, darker by 140.
        palette.setColor(QPalette.ColorRole.Window, self.colour("outline").lighter(140))
        for kind in _OUTLINED:
            app.setPalette(palette, kind)
        # And the outline of a button with the focus is the highlight, darker by 125.
        palette.setColor(QPalette.ColorRole.Highlight, self.colour("focus").lighter(125))
        app.setPalette(palette, "QAbstractButton")

    def use_fusion(self) -> None:
        """Draw with the one style that takes every colour from the palette, on every system.

        Apart from ``apply``, because to ask for the style takes long: ``gui.app.run`` starts with Fusion anyway, and
        elsewhere this can wait until the window has been seen.
        """
        if self._app is not None and self._app.style().objectName() != "fusion":
            self._style_before = self._app.style().objectName()
            self._app.setStyle("Fusion")

    def release(self) -> None:
        """Give the application back the style and the palette it had before ``apply``."""
        app, self._app = self._app, None
        if app is None:
            return
        self._hints.colorSchemeChanged.disconnect(self._on_system_changed)
        self._wishes.contrastPreferenceChanged.disconnect(self._on_system_changed)
        self._hints.unsetColorScheme()
        if self._style_before:
            app.setStyle(self._style_before)
        app.setPalette(self._palette_before)

    @Slot()
    def _on_system_changed(self) -> None:
        self._refresh()

    def _refresh(self) -> None:
        wanted = self._wanted()
        if wanted is self._colours:
            return
        self._colours = wanted
        if self._app is not None:
            self._give_palette(self._app)
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
