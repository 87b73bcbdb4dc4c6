"""Themes as JSON files: reading and checking them. No Qt.

A theme is read before the first picture of the window, which is why it is written in what is read fastest.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "themes"
_COLOUR = re.compile(r"#[0-9a-f]{6}")

PALETTE_ROLES = (
    "window", "window_text", "base", "alternate_base", "text", "button", "button_text", "bright_text", "highlight",
    "highlighted_text", "link", "link_visited", "tool_tip_base", "tool_tip_text", "placeholder_text", "light",
    "midlight", "mid", "dark", "shadow", "accent", "disabled_text",
)  # fmt: skip
"""Colours of Qt's own palette."""

EXTRA_ROLES = (
    "outline", "border", "focus", "stale", "information", "information_base", "success", "success_base", "warning",
    "warning_base", "error", "error_base", "meter", "meter_near", "meter_over", "meter_track", "grid", "bar",
    "bar_pinned", "bar_range", "syntax_key", "syntax_text", "syntax_number", "syntax_comment",
)  # fmt: skip
"""Colours with a meaning of ours. ``X_base`` is the background on which ``X`` and the window's text are read."""

TOKEN_PALETTES = ("standard", "colour_safe", "none")
TOKEN_ROLES = ("boundary", "hatch", "newline", "current", "stale", "match")


class ThemeError(Exception):
    """A theme file is wrong; the text says where."""


class TokenColours(NamedTuple):
    """Colours of one way to draw tokens. ``fills`` is empty where tokens are not filled."""

    fills: tuple[str, ...]
    roles: dict[str, str]


class ThemeColours(NamedTuple):
    """All colours of a theme, as ``#rrggbb``.

    ``selection_alpha``: how much of a selection covers the tokens under it, 0 to 255; from 128 on its text is
    ``highlighted_text``.
    """

    name: str
    dark: bool
    selection_alpha: int
    colours: dict[str, str]
    tokens: dict[str, TokenColours]


def read_theme(path: Path) -> ThemeColours:
    """Read a theme file. Raises ThemeError where a colour is missing, unknown or no ``#rrggbb``."""
    raw = json.loads(path.read_bytes())
    colours = _section(path, "palette", raw.get("palette"), PALETTE_ROLES)
    colours |= _section(path, "roles", raw.get("roles"), EXTRA_ROLES)
    tokens = {}
    for name in TOKEN_PALETTES:
        section = dict(raw.get("tokens", {}).get(name) or {})
        fills = tuple(section.pop("fills", ()))
        if len(fills) not in ((0,) if name == "none" else (3,)):
            raise ThemeError(f"{path.name}: tokens.{name}.fills must be three colours")
        for fill in fills:
            _check(path, f"tokens.{name}.fills", fill)
        tokens[name] = TokenColours(fills, _section(path, f"tokens.{name}", section, TOKEN_ROLES))
    return ThemeColours(str(raw["name"]), bool(raw["dark"]), int(raw["selection_alpha"]), colours, tokens)


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
