"""Every pair of colours that is drawn, in every theme: 4.5 to 1 for text, 3 to 1 for what else has a meaning; 7 to 1
for text in high contrast.

The pairs are those of ``gui/look`` and of all that widgets paint by hand. Not measured: texts of what is disabled, and
lines that mean nothing (``DECORATION``).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gui.editor import token_painter
from gui.look.line_styles import LINE_STYLES
from gui.look.theme_file import EXTRA_ROLES, FOLDER, PALETTE_ROLES, TOKEN_ROLES, TokenColours, read_theme
from gui.models.lab import ROLES as LAB_ROLES
from gui.models.runs import ADDED, REMOVED
from gui.panels.runs_delegate import GROUNDS
from tests.gui.access.contrast import contrast, over

ROOT = Path(__file__).parents[3]
THEMES = sorted(FOLDER.glob("*.json"))
each_theme = pytest.mark.parametrize("path", THEMES, ids=lambda path: path.stem)

TABLE = ("base", "alternate_base")
BESIDE = ("window", *TABLE)

TEXT = {
    "window_text": ("window", "information_base", "success_base", "warning_base", "error_base"),
    "text": (*TABLE, "button", "success_base", "information_base"),  # cells, tiles of a map, boxes of merge trees
    "button_text": ("button",),
    "highlighted_text": ("highlight",),
    "tool_tip_text": ("tool_tip_base",),
    "placeholder_text": BESIDE,  # meanings in lists, hints in fields
    "link": BESIDE,
    "link_visited": BESIDE,
    "stale": BESIDE,  # line numbers, hints, what is counted anew
    "information": (*BESIDE, "information_base"),  # the second is a button of a filter that is on
    "success": (*BESIDE, "success_base"),
    "warning": (*BESIDE, "warning_base"),
    "error": (*BESIDE, "error_base"),
    "syntax_key": ("base",),
    "syntax_text": ("base",),
    "syntax_number": ("base",),
    "syntax_comment": ("base",),
}
"""Role of a text: the grounds it is read on."""

GRAPHICS = {
    "outline": BESIDE,  # controls, axes, tiles of a map and their hatching, lines of merge trees
    "focus": (*BESIDE, "button"),
    "meter": (*BESIDE, "meter_track"),
    "meter_near": (*BESIDE, "meter_track"),
    "meter_over": (*BESIDE, "meter_track"),
    "bar": TABLE,
    "bar_pinned": TABLE,
    "bar_range": TABLE,  # lines in the lighter end of a bar, which is a range
    "base": ("meter_over",),
    "error": ("base", "error_base"),  # underlined problems
    "highlight": TABLE,
    "accent": BESIDE,
}
"""Role of something drawn: what it stands on or beside."""

DECORATION = {
    *("grid", "border"),  # lines of a grid behind a plot, lines between rows and under a banner
    *("light", "midlight", "mid", "dark", "shadow"),  # with which Fusion rounds its edges
    *("disabled_text", "bright_text"),  # exempt, and never drawn
}
GROUND = {
    *("window", "base", "alternate_base", "button", "tool_tip_base", "meter_track"),
    *("information_base", "success_base", "warning_base", "error_base"),
}


def needed(path: Path) -> float:
    return 7.0 if "contrast" in path.stem else 4.5


@each_theme
@pytest.mark.parametrize("pairs", [TEXT, GRAPHICS], ids=["texts", "graphics"])
def test_what_is_drawn_can_be_told_from_its_ground(path: Path, pairs: dict[str, tuple[str, ...]]):
    colours, least = read_theme(path).colours, needed(path) if pairs is TEXT else 3
    for role, grounds in pairs.items():
        for ground in grounds:
            ratio = contrast(colours[role], colours[ground])
            assert ratio >= least, f"{role} on {ground}: {ratio:.2f}"


def grounds_of(tokens: TokenColours, base: str) -> tuple[str, ...]:
    """What may be painted under the text of a token."""
    return (*tokens.fills, tokens.roles["stale"], base)


@each_theme
@pytest.mark.parametrize("name", ["standard", "colour_safe", "none"])
def test_signs_of_tokens_stand_out_of_them(path: Path, name: str):
    """Boundaries, hatching, the frames of the current token and of what was found."""
    theme = read_theme(path)
    for ground in grounds_of(theme.tokens[name], theme.colours["base"]):
        for role in ("boundary", "hatch", "current", "match"):
            ratio = contrast(theme.tokens[name].roles[role], ground)
            assert ratio >= 3, f"{role} on {ground}: {ratio:.2f}"
        ratio = contrast(theme.tokens[name].roles["newline"], ground)
        assert ratio >= 4.5, f"newline on {ground}: {ratio:.2f}"


@each_theme
@pytest.mark.parametrize("name", ["standard", "colour_safe", "none"])
def test_tokens_can_be_read_whatever_lies_over_them(path: Path, name: str):
    """Selected, found, or hatched."""
    theme = read_theme(path)
    colours, roles, alpha = theme.colours, theme.tokens[name].roles, theme.selection_alpha
    selected_text = colours["text" if alpha < 128 else "highlighted_text"]
    for ground in grounds_of(theme.tokens[name], colours["base"]):
        for text, lies, part in (
            (colours["text"], ground, 0),
            (selected_text, colours["highlight"], alpha),
            (colours["text"], roles["match"], token_painter.MATCH_ALPHA),
            (colours["text"], roles["hatch"], token_painter.HATCH_ALPHA),
        ):
            seen = over(lies, ground, part)
            least = 4.5 if lies == roles["match"] else needed(path)
            assert contrast(text, seen) >= least, f"{text} on {seen} ({lies} over {ground}): {contrast(text, seen):.2f}"


@each_theme
def test_lines_of_plots_stand_out(path: Path):
    """On the plot, and in the legend, which is a table."""
    colours = read_theme(path).colours
    for style in LINE_STYLES:
        for ground in TABLE:
            assert contrast(colours[style.role], colours[ground]) >= 3, (style.role, ground)


def test_every_role_is_measured_or_means_nothing():
    measured = {*TEXT, *GRAPHICS, *DECORATION, *GROUND}
    assert {*PALETTE_ROLES, *EXTRA_ROLES} <= measured, {*PALETTE_ROLES, *EXTRA_ROLES} - measured
    assert set(TOKEN_ROLES) == {"boundary", "hatch", "newline", "current", "stale", "match"}
    assert {GROUNDS[ADDED], GROUNDS[REMOVED], *LAB_ROLES.values(), *(s.role for s in LINE_STYLES)} <= {*TEXT, *GRAPHICS}


def test_nothing_that_means_something_is_drawn_as_decoration():
    """Where the lines that need not be seen are drawn: whoever adds a place decides whether it belongs here."""
    places = {
        path.stem
        for path in sorted((ROOT / "gui").rglob("*.py"))
        if re.search(r'colour\("(border|grid|light|midlight|mid|dark|shadow)"', path.read_text(encoding="utf-8"))
    }
    assert places == {"theme", "aligned_tokens", "banner"}
