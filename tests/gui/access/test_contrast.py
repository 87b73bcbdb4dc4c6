"""Every pair of colours that is drawn, in every theme: 4.5 to 1 for text, 3 to 1 for what else has a meaning; 7 to 1
for text in high contrast.

The pairs are those of ``gui/look`` and of all that widgets paint by hand. Not measured: texts of what is disabled, and
lines that mean nothing (``DECORATION``).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gui.core.token_text import ADDED, REMOVED
from gui.costs.conversation_controller import LINE_STYLES
from gui.editor import token_painter
from gui.lab.lab_outcome import ROLES as LAB_ROLES
from gui.look.theme import COLOURS, FOLDER, FORMER, TOKEN_ROLES, TokenColours, read_theme
from gui.widgets.delegates import GROUNDS
from tests.gui.access.contrast import contrast, over

ROOT = Path(__file__).parents[3]
THEMES = sorted(FOLDER.glob("*.json"))
each_theme = pytest.mark.parametrize("path", THEMES, ids=lambda path: path.stem)

BESIDE = ("page", "surface", "raised")
"""Forms and inspectors, content, what floats."""
ROWS = ("surface", "page", "hover", "selection")

TEXT = {
    # Cells, tiles of a map, boxes of merge trees; the segment in front; messages.
    "text": (*BESIDE, *ROWS, "sunken", "hover_page", "accent_soft", "text_selection", "segment", "ok_soft", "warn_soft",
             "error_soft"),
    "quiet": (*BESIDE, *ROWS, "sunken", "hover_page", "accent_soft", "track"),  # line numbers, hints, idle buttons
    "accent": (*BESIDE, *ROWS, "accent_soft", "hover_page"),  # links, what is switched on
    "on_accent": ("accent_fill", "accent_hover"),
    "on_tip": ("tip",),
    "tip_action": ("tip",),
    "ok": (*BESIDE, "selection", "ok_soft"),
    "warn": (*BESIDE, "selection", "warn_soft"),
    "error": (*BESIDE, "selection", "error_soft"),
    "rival_1": BESIDE,
    "rival_2": BESIDE,
    "syntax_key": ("surface",),
    "syntax_text": ("surface",),
    "syntax_number": ("surface",),
}  # fmt: skip
"""Colour of a text: the grounds it is read on."""

GRAPHICS = {
    "outline": BESIDE,  # controls, axes, tiles of a map and their hatching, lines of merge trees
    "mark": ("surface", "page"),  # arrows of controls
    "focus": (*BESIDE, "hover", "accent_soft", "selection"),
    "accent_fill": ("surface", "page"),  # ticks, radio buttons, progress
    "star": ("surface", "selection"),
    "bar": ("surface", "page", "track"),
    "bar_range": ("surface", "bar_soft"),  # lines in the lighter end of a bar, which is a range
    "rival_1": ("surface",),
    "rival_2": ("surface",),
    "warn": ("track",),  # a context nearly full
    "error": ("track", "error_soft"),  # a context exceeded; underlined problems
    "surface": ("error",),  # the hatching on that
}
"""Colour of something drawn: what it stands on or beside."""

DECORATION = {
    *("grid", "line", "segment_edge", "tip_edge", "scroll"),  # between regions, behind a plot, along an edge
    "disabled",  # exempt
    "bar_soft",  # the possible part of a bar: its end has a line
}
GROUND = {
    *("page", "surface", "sunken", "raised", "hover", "hover_page", "segment", "tip", "track", "selection"),
    *("accent_fill", "accent_hover", "accent_soft", "ok_soft", "warn_soft", "error_soft", "text_selection"),
    *("token_selection", "on_token_selection"),  # measured with the tokens
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
            # In high contrast a selected row stands out of its table: nothing has 7 to 1 on it but the text itself.
            wanted = 4.5 if ground in ("selection", "accent_soft") and role != "text" else least
            assert ratio >= min(wanted, least), f"{role} on {ground}: {ratio:.2f}"


@each_theme
def test_a_selected_row_stands_out_in_high_contrast(path: Path):
    colours = read_theme(path).colours
    least = 2 if needed(path) == 7 else 1.1
    assert contrast(colours["selection"], colours["surface"]) >= least
    assert contrast(colours["text_selection"], colours["surface"]) >= (least if needed(path) == 7 else 1.4)


@each_theme
def test_every_former_name_stands_for_a_colour(path: Path):
    assert set(FORMER.values()) <= set(COLOURS)
    assert not set(FORMER) & set(COLOURS)


def grounds_of(tokens: TokenColours, base: str) -> tuple[str, ...]:
    """What may be painted under the text of a token."""
    return (*tokens.fills, tokens.roles["stale"], base)


@each_theme
@pytest.mark.parametrize("name", ["standard", "colour_safe", "none"])
def test_signs_of_tokens_stand_out_of_them(path: Path, name: str):
    """Boundaries, hatching, the frames of the current token and of what was found."""
    theme = read_theme(path)
    for ground in grounds_of(theme.tokens[name], theme.colours["surface"]):
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
    selected_text = colours["text" if alpha < 128 else "on_token_selection"]
    for ground in grounds_of(theme.tokens[name], colours["surface"]):
        for text, lies, part in (
            (colours["text"], ground, 0),
            (selected_text, colours["token_selection"], alpha),
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
        assert contrast(colours[current(style.role)], colours["surface"]) >= 3, style.role


def current(role: str) -> str:
    """The colour for which a former name stands."""
    return FORMER.get(role, role)


def test_every_colour_is_measured_or_means_nothing():
    measured = {*TEXT, *GRAPHICS, *DECORATION, *GROUND}
    assert set(COLOURS) == measured
    assert set(TOKEN_ROLES) == {"boundary", "hatch", "newline", "current", "stale", "match"}
    painted = {GROUNDS[ADDED], GROUNDS[REMOVED], *LAB_ROLES.values(), *(s.role for s in LINE_STYLES)}
    assert {current(role) for role in painted} <= {*TEXT, *GRAPHICS}


def test_nothing_that_means_something_is_drawn_as_decoration():
    """Where the lines that need not be seen are drawn: whoever adds a place decides whether it belongs here."""
    places = {
        path.stem
        for path in sorted((ROOT / "gui").rglob("*.py"))
        if re.search(r'colour\("(border|line|grid|scroll|disabled|bar_soft)"', path.read_text(encoding="utf-8"))
    }
    assert places == {
        "theme",
        "aligned_tokens",
        "banner",
        "cost_table",
        "command_palette",
        "cost_view",
        "messages",
        "delegates",
    }
