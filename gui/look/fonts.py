"""Fonts of the window: Inter for the interface, JetBrains Mono for text and bytes.

Each comes from its own package. If one is missing, or the user prefers system fonts, the system's are used; for glyphs
that a font lacks (CJK, Devanagari, Arabic, emoji) Qt always falls back to the system.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication

BODY = 13
"""Size of interface text, in pixels, unless the system's text is large."""
_LARGE = 15.0
"""Size from which the system's text counts as large, in pixels; all sizes then scale with it."""
STRONG = QFont.Weight.DemiBold
_PACKAGES = {
    "ui": ("fontpkg_inter", ("Inter[opsz,wght].ttf", "Inter-Italic[opsz,wght].ttf")),
    "fixed": ("fontpkg_jetbrains_mono", ("JetBrainsMono[wght].ttf", "JetBrainsMono-Italic[wght].ttf")),
}
_choice = {"own": True}


def use_own(own: bool) -> None:
    """Choose the fonts that come with the program, or the system's."""
    _choice["own"] = own


@cache
def _loaded(use: str) -> str:
    """Load the font for a use and return its family, empty if its package is missing or unreadable."""
    package, files = _PACKAGES[use]
    found = find_spec(package)
    if found is None or found.origin is None:
        return ""
    folder = Path(found.origin).parent / "files"
    numbers = [QFontDatabase.addApplicationFont(str(folder / name)) for name in files if (folder / name).is_file()]
    families = [family for number in numbers if number >= 0 for family in QFontDatabase.applicationFontFamilies(number)]
    return families[0] if families else ""


def _system(use: str) -> QFont:
    kind = QFontDatabase.SystemFont.FixedFont if use == "fixed" else QFontDatabase.SystemFont.GeneralFont
    return QFontDatabase.systemFont(kind)


def _font(use: str) -> QFont:
    font = _system(use)
    family = _loaded(use) if _choice["own"] else ""
    if family:
        font.setFamilies([family, font.family()])
        font.setStyleName("")
    return font


def as_points(pixels: float) -> float:
    """Convert pixels to points. Text can be enlarged relative to a size in points only."""
    return pixels * 72 / QGuiApplication.primaryScreen().logicalDotsPerInch()


def system_pixels() -> float:
    """Return the size of the system's text, in pixels."""
    font = _system("ui")
    return font.pixelSize() if font.pixelSize() > 0 else font.pointSizeF() / as_points(1)


def scale() -> float:
    """Return the scale of all text sizes: above 1 if the system's text is large; relative to it if its font is used."""
    pixels = system_pixels()
    if not _choice["own"]:
        return max(pixels / BODY, 0.9)
    return max(pixels / _LARGE, 1.0)


def ui_font() -> QFont:
    """Return the interface font. Its digits have equal widths, so that columns of numbers do not jitter."""
    font = _font("ui")
    font.setPointSizeF(as_points(round(BODY * scale())))
    if _choice["own"]:
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        font.setFeature(QFont.Tag("tnum"), 1)
    return font


def fixed_font(points: int = 0, family: str = "") -> QFont:
    """Return the fixed-pitch font for text and bytes, without ligatures, which would hide token boundaries.

    ``points``: size in points, by default that of the interface. ``family``: a font chosen by the user.
    """
    font = _font("fixed")
    if family:
        font.setFamilies([family])
    font.setStyleHint(QFont.StyleHint.Monospace)
    for ligatures in ("calt", "liga"):
        font.setFeature(QFont.Tag(ligatures), 0)
    if points:
        font.setPointSize(points)
    else:
        font.setPointSizeF(as_points(round((BODY - 1) * scale())))
    return font


def set_weight(font: QFont, weight: QFont.Weight = STRONG) -> None:
    """Set the weight of a font. A variable font also needs its axis set, or it would stay regular."""
    font.setWeight(weight)
    font.setVariableAxis(QFont.Tag("wght"), weight.value)


def semibold() -> QFont:
    """Return a font that sets nothing but the weight of a widget."""
    font = QFont()
    set_weight(font)
    return font


def strong(font: QFont) -> QFont:
    """Return the font in semibold."""
    made = QFont(font)
    set_weight(made)
    return made
