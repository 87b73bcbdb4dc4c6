"""Fonts of the window: Inter for the interface, JetBrains Mono for texts and bytes.

Both come from packages of their own. Where one is missing, or the user prefers the system's fonts, the system's are
used; and for what a font has no glyphs for (CJK, Devanagari, Arabic, emoji) Qt asks the system in any case.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication

BODY = 13
"""Pixels of the interface's text, unless the system's own text is large."""
_LARGE = 15.0
"""Pixels from which on the system's text counts as large: then all sizes grow with it."""
STRONG = QFont.Weight.DemiBold
_PACKAGES = {
    "ui": ("fontpkg_inter", ("Inter[opsz,wght].ttf", "Inter-Italic[opsz,wght].ttf")),
    "fixed": ("fontpkg_jetbrains_mono", ("JetBrainsMono[wght].ttf", "JetBrainsMono-Italic[wght].ttf")),
}
_wanted = {"own": True}


def use_own(own: bool) -> None:
    """Use the fonts that come with the program, or the system's."""
    _wanted["own"] = own


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
    family = _loaded(use) if _wanted["own"] else ""
    if family:
        font.setFamilies([family, font.family()])
        font.setStyleName("")
    return font


def as_points(pixels: float) -> float:
    """A size in points, with which a text can be made relatively larger; a font of so many pixels has none."""
    return pixels * 72 / QGuiApplication.primaryScreen().logicalDotsPerInch()


def system_pixels() -> float:
    """Size of the system's own text, in pixels."""
    font = _system("ui")
    return font.pixelSize() if font.pixelSize() > 0 else font.pointSizeF() / as_points(1)


def scale() -> float:
    """By how much all sizes of text are enlarged: with the system's, where that is large or its font is used."""
    pixels = system_pixels()
    if not _wanted["own"]:
        return max(pixels / BODY, 0.9)
    return max(pixels / _LARGE, 1.0)


def ui_font() -> QFont:
    """Font of the interface. Its figures have one width, so that columns of numbers stand still."""
    font = _font("ui")
    font.setPointSizeF(as_points(round(BODY * scale())))
    if _wanted["own"]:
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        font.setFeature(QFont.Tag("tnum"), 1)
    return font


def fixed_font(points: int = 0, family: str = "") -> QFont:
    """Fixed-pitch font for texts and bytes, without ligatures, which would hide the boundaries of tokens.

    ``points``: its size, that of the interface unless given. ``family``: another font that the user chose.
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
    """Set the weight of a font. A variable font takes it from its axis: by the weight alone it would stay regular."""
    font.setWeight(weight)
    font.setVariableAxis(QFont.Tag("wght"), weight.value)


def strong(font: QFont) -> QFont:
    """The same font in semibold."""
    made = QFont(font)
    set_weight(made)
    return made
