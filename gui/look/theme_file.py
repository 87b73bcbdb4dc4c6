"""Design tokens of the four themes: JSON files, read and validated. No Qt.

Every colour is defined in a theme file; palette, style sheet, delegates, plots and icons look theirs up by name. JSON
is fast to read, as needed before the window is first painted.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

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


def _section(path: Path, name: str, values: object, wanted: tuple[str, ...]) -> dict[str, str]:
    if not isinstance(values, dict) or set(values) != set(wanted):
        given = set(values) if isinstance(values, dict) else set()
        wrong = ", ".join(sorted(given ^ set(wanted)))
        raise ThemeError(f"{path.name}: missing or unknown in [{name}]: {wrong}")
    for key, value in values.items():
        _check(path, f"{name}.{key}", value)
    return dict(values)


def _check(path: Path, where: str, value: object) -> None:
    if not isinstance(value, str) or not _COLOUR.fullmatch(value):
        raise ThemeError(f"{path.name}: {where} must be a colour like #1c1e21, not {value!r}")
