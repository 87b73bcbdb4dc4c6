"""Colours of the application: light, dark, high contrast, or as the system prefers.

Every colour is defined in a theme file; palette, style sheet, delegates, plots and icons look theirs up by name. JSON
is fast to read, as needed before the window is first painted. Custom painting calls ``Theme.colour(name)``, again on
``Theme.changed``. No change needs a restart.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from gui.look import fonts
from gui.look.style_sheet import FormerLook, painted_once

# --- files of colours -------------------------------------------------------------------------------------------------

FOLDER = Path(__file__).parent / "themes"
_COLOUR = re.compile(r"#[0-9a-f]{6}")

COLOURS = (
    # Backgrounds: page carries forms, surface carries content, raised floats over both, sunken is the track of
    # segments.
    "page", "surface", "sunken", "raised", "hover", "hover_page",
    "text", "quiet", "disabled",
    # Line separates regions; outline (3:1 contrast) is the edge of a control; mark is its arrow.
    "line", "outline", "mark", "focus", "grid", "scroll", "track",
    "accent", "accent_fill", "accent_hover", "on_accent", "accent_soft",
    # Selected rows, selected text, and the selection painted over tokens in the editor.
    "selection", "text_selection", "token_selection", "on_token_selection",
    "segment", "segment_edge",
    "tip", "tip_edge", "on_tip", "tip_action",
    "ok", "ok_soft", "warn", "warn_soft", "error", "error_soft",
    "star", "bar", "bar_soft", "bar_range", "rival_1", "rival_2",
    "syntax_key", "syntax_text", "syntax_number",
)  # fmt: skip
"""Names of all colours. ``X_soft`` is the background of a message whose icon is ``X``."""

FORMER = {
    "window": "page", "window_text": "text", "base": "surface", "alternate_base": "page", "button": "hover",
    "button_text": "text",
    "border": "line", "stale": "quiet", "disabled_text": "disabled", "highlighted_text": "text",
    "information": "accent", "information_base": "accent_soft", "success": "ok", "success_base": "ok_soft",
    "warning": "warn", "warning_base": "warn_soft", "error_base": "error_soft",
    "meter": "bar", "meter_near": "warn", "meter_over": "error", "meter_track": "track",
    "midlight": "hover", "mid": "line", "bar_pinned": "rival_2", "syntax_comment": "quiet",
}  # fmt: skip
"""Former colour names still used by some pages, and the current names."""

TOKEN_PALETTES = ("standard", "colour_safe", "none")
TOKEN_ROLES = ("boundary", "hatch", "newline", "current", "stale", "match")
FILLS = {"standard": 6, "colour_safe": 3, "none": 0}
"""Number of fills per palette. The first three alternate; all six distinguish tokens by ID or length."""


class ThemeError(Exception):
    """Raised for an invalid theme file; the text says where."""


class TokenColours(NamedTuple):
    """Colours of one way to draw tokens. ``fills`` and ``lines`` (their edges) are empty if tokens are not filled."""

    fills: tuple[str, ...]
    lines: tuple[str, ...]
    roles: dict[str, str]


class ThemeColours(NamedTuple):
    """All colours of a theme, as ``#rrggbb``.

    ``selection_alpha``: opacity of a selection over tokens, 0 to 255; from 128 on, its text is ``on_token_selection``.
    """

    name: str
    dark: bool
    selection_alpha: int
    colours: dict[str, str]
    tokens: dict[str, TokenColours]


def read_theme(path: Path) -> ThemeColours:
    """Read a theme file. Raises ThemeError if a colour is missing, unknown or not ``#rrggbb``."""
    raw = json.loads(path.read_bytes())
    colours = _section(path, "colours", raw.get("colours"), COLOURS)
    tokens = {}
    for name in TOKEN_PALETTES:
        section = dict(raw.get("tokens", {}).get(name) or {})
        fills, lines = (_row(path, f"tokens.{name}.{key}", section.pop(key, ()), name) for key in ("fills", "lines"))
        tokens[name] = TokenColours(fills, lines, _section(path, f"tokens.{name}", section, TOKEN_ROLES))
    return ThemeColours(str(raw["name"]), bool(raw["dark"]), int(raw["selection_alpha"]), colours, tokens)


def _row(path: Path, where: str, values: object, palette: str) -> tuple[str, ...]:
    """Validate the fills of a palette, or their edges."""
    count = FILLS[palette]
    if not isinstance(values, list | tuple) or len(values) != count:
        raise ThemeError(f"{path.name}: {where} must be {count} colours")
    for value in values:
        _check(path, where, value)
    return tuple(values)


def _section(path: Path, name: str, values: object, names: tuple[str, ...]) -> dict[str, str]:
    if not isinstance(values, dict) or set(values) != set(names):
        given = set(values) if isinstance(values, dict) else set()
        wrong = ", ".join(sorted(given ^ set(names)))
        raise ThemeError(f"{path.name}: missing or unknown in [{name}]: {wrong}")
    for key, value in values.items():
        _check(path, f"{name}.{key}", value)
    return dict(values)


def _check(path: Path, where: str, value: object) -> None:
    if not isinstance(value, str) or not _COLOUR.fullmatch(value):
        raise ThemeError(f"{path.name}: {where} must be a colour like #1c1e21, not {value!r}")


# --- colours of tokens ------------------------------------------------------------------------------------------------

ALTERNATING = 3
"""Number of alternating fills: the third is for neighbours brought together by an edit."""
TOKEN_MODES = {"standard": "", "by_id": "id", "by_length": "length", "colour_safe": "", "none": ""}
"""Values of the setting ``token_colours``, and the property of a token that its fill encodes in each."""


class TokenPalette(NamedTuple):
    """Appearance of tokens in the editor.

    ``fills``: backgrounds, three that alternate, or six by a property of the token; None in the mode without colours,
    which draws only boundaries. ``tells``: ``id`` or ``length`` if the fill encodes that property, so that neighbours
    may share a fill. ``gaps``: a boundary is a gap between two fills, else a line. ``boundary``: that line. ``hatch``:
    strokes over characters shared by several tokens. ``newline``: the line end symbol. ``current``: frame of the token
    at the caret. ``stale``: background of text not counted yet. ``match``: frame of a search match. ``text`` and
    ``base``: the editor's own colours. ``selection``: painted over the tokens, which show through; ``selected_text`` is
    the text on it.
    """

    name: str
    fills: tuple[QColor, ...] | None
    tells: str
    gaps: bool
    boundary: QColor
    hatch: QColor
    newline: QColor
    current: QColor
    stale: QColor
    match: QColor
    text: QColor
    base: QColor
    selection: QColor
    selected_text: QColor


# --- the theme --------------------------------------------------------------------------------------------------------

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
        self._read: dict[str, ThemeColours] = {}
        self._app: QApplication | None = None
        self._former: FormerLook | None = None
        # Kept alive: Qt's wrapper of the accessibility hints lives only as long as that of the style hints.
        self._hints = QGuiApplication.styleHints()
        self._accessibility = self._hints.accessibility()
        self._colours = self._current_colours()

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
            self._inform_system()
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
        self._redress()

    def colour(self, role: str) -> QColor:
        """Return the colour of this name (``COLOURS``, ``FORMER``). Raises KeyError if it is unknown."""
        return QColor(self._colours.colours[FORMER.get(role, role)])

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
        self._app, self._former = app, FormerLook.of(app)
        self._hints.colorSchemeChanged.connect(self._on_system_changed)
        self._accessibility.contrastPreferenceChanged.connect(self._on_system_changed)
        self._inform_system()
        self._colours = self._current_colours()
        self._dress()

    def _dress(self) -> None:
        """Set the palette, font and style sheet of the application, if this theme is applied."""
        if self._former is not None:
            self._former.dressing.change(self.qt_palette(), fonts.ui_font(), self._colours.colours, fonts.scale())

    def drop_cached_rules(self) -> None:
        """Drop the style rules cached for each widget (``Dressing.drop_cached_rules``)."""
        if self._former is not None:
            self._former.dressing.drop_cached_rules()

    def release(self) -> None:
        """Restore the look that the application had before ``apply``."""
        self.release_soon()
        FormerLook.restore_now()

    def release_soon(self) -> None:
        """Like ``release``, but two turns of the event loop later, so that a closing window is not polished again."""
        former, self._app, self._former = self._former, None, None
        if former is None:
            return
        self._hints.colorSchemeChanged.disconnect(self._on_system_changed)
        self._accessibility.contrastPreferenceChanged.disconnect(self._on_system_changed)
        self._hints.unsetColorScheme()
        former.restore_later()

    @Slot()
    def _on_system_changed(self) -> None:
        self._refresh()

    def _refresh(self) -> None:
        colours = self._current_colours()
        if colours is self._colours:
            return
        self._colours = colours
        self._redress()

    def _redress(self) -> None:
        with painted_once():
            self._dress()
            self.changed.emit()

    def _inform_system(self) -> None:
        """Make title bars and system dialogs follow the mode."""
        if self._app is None:
            return
        if self._mode == "system":
            self._hints.unsetColorScheme()
        else:
            self._hints.setColorScheme(Qt.ColorScheme.Dark if self._mode == "dark" else Qt.ColorScheme.Light)

    def _current_colours(self) -> ThemeColours:
        dark = self._mode == "dark" or (self._mode == "system" and self.system_is_dark())
        high = self._contrast == "high" or (self._contrast == "system" and self.system_wants_contrast())
        name = ("high_contrast_" if high else "") + ("dark" if dark else "light")
        if name not in self._read:
            self._read[name] = read_theme(FOLDER / f"{name}.json")
        return self._read[name]

    def system_is_dark(self) -> bool:
        """Return True if the system prefers dark colours; unknown counts as light."""
        return self._hints.colorScheme() == Qt.ColorScheme.Dark

    def system_wants_contrast(self) -> bool:
        """Return True if the system prefers high contrast."""
        return self._accessibility.contrastPreference() == Qt.ContrastPreference.HighContrast
