"""The menus of the window, with all actions in order.

Menus, command palette and shortcuts page are built from this table (``gui.window.actions``). Actions that show a
workspace or a page come from the registry.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QT_TRANSLATE_NOOP

from gui.window.menus.action_spec import ActionSpec, Standard
from gui.window.menus.file_and_edit_actions import EDIT, FILE
from gui.window.menus.view_actions import VIEW
from gui.window.workspaces import SHORTCUT, WORKSPACES

MENUS = {
    "file": QT_TRANSLATE_NOOP("Actions", "&File"),
    "edit": QT_TRANSLATE_NOOP("Actions", "&Edit"),
    "view": QT_TRANSLATE_NOOP("Actions", "&View"),
    "tools": QT_TRANSLATE_NOOP("Actions", "&Tools"),
    "help": QT_TRANSLATE_NOOP("Actions", "&Help"),
}

SUBMENUS = {
    "recent": QT_TRANSLATE_NOOP("Actions", "Open &recent"),
    "pages": QT_TRANSLATE_NOOP("Actions", "P&ages"),
    "token": QT_TRANSLATE_NOOP("Actions", "Token at the caret"),
    "theme": QT_TRANSLATE_NOOP("Actions", "T&heme"),
    "colours": QT_TRANSLATE_NOOP("Actions", "Token colo&urs"),
}

WORKSPACE_ACTION = "workspace_{}"
"""Name of the action that shows a workspace, by its position."""


def _workspace_actions() -> Iterator[ActionSpec]:
    for number, workspace in enumerate(WORKSPACES, 1):
        yield ActionSpec(
            WORKSPACE_ACTION.format(number),
            "view",
            workspace.menu,
            workspace.tip,
            (SHORTCUT.format(number),),
            workspace.icon,
            checkable=True,
            group="workspace",
            kind=QT_TRANSLATE_NOOP("Actions", "Workspace"),
        )


def _page_actions() -> Iterator[ActionSpec]:
    for workspace in WORKSPACES:
        for page in workspace.pages:
            yield ActionSpec(
                page.action,
                "view",
                page.menu,
                page.tip,
                page.shortcuts,
                submenu="pages",
                separator=page is workspace.pages[0] and workspace is not WORKSPACES[0],
                keyword=page.keyword,
                kind=workspace.title,
            )


STEPS = (
    ActionSpec(
        "next_page",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Ne&xt page"),
        QT_TRANSLATE_NOOP("Actions", "Show the next page of the workspace"),
        ("Ctrl+Tab",),
        submenu="pages",
        separator=True,
        kind=QT_TRANSLATE_NOOP("Actions", "Page"),
    ),
    ActionSpec(
        "previous_page",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Prev&ious page"),
        QT_TRANSLATE_NOOP("Actions", "Show the previous page of the workspace"),
        ("Ctrl+Shift+Tab",),
        submenu="pages",
        kind=QT_TRANSLATE_NOOP("Actions", "Page"),
    ),
    ActionSpec(
        "next_region",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Next region"),
        QT_TRANSLATE_NOOP("Actions", "Move focus to the next region: rail, header, page, inspector, status bar"),
        ("F6",),
        submenu="pages",
        separator=True,
        kind=QT_TRANSLATE_NOOP("Actions", "Keyboard"),
    ),
    ActionSpec(
        "previous_region",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Previous region"),
        QT_TRANSLATE_NOOP("Actions", "Move focus to the previous region"),
        ("Shift+F6",),
        submenu="pages",
        kind=QT_TRANSLATE_NOOP("Actions", "Keyboard"),
    ),
)

TOOLS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "search",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Sea&rch or run…"),
        QT_TRANSLATE_NOOP("Actions", "Find models, encodings, pages and commands"),
        ("Ctrl+K",),
        "search",
    ),
    ActionSpec(
        "command_palette",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "&Command palette…"),
        QT_TRANSLATE_NOOP("Actions", "Run any action by typing part of its name"),
        ("Ctrl+Shift+P",),
        "palette",
    ),
    ActionSpec(
        "choose_encoding",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Choose &encoding"),
        QT_TRANSLATE_NOOP("Actions", "Focus the encoding picker"),
        ("Ctrl+E",),
    ),
    ActionSpec(
        "go_to_entry",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to an ID in the vocabular&y"),
        QT_TRANSLATE_NOOP(
            "Actions", "Show the entry of an id, or a range; in the vocabulary tab Ctrl+G does it as well"
        ),
    ),
    ActionSpec(
        "show_merges",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "S&how merges of the selection"),
        QT_TRANSLATE_NOOP("Actions", "Show how the selection, or the word at the caret, is merged"),
        ("Ctrl+M",),
    ),
    ActionSpec(
        "import_prices",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "&Import prices…"),
        QT_TRANSLATE_NOOP("Actions", "Compare your prices with a published table and import selected values"),
    ),
    ActionSpec(
        "calibrate",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "C&alibrate counts…"),
        QT_TRANSLATE_NOOP("Actions", "Narrow a model's estimates with what its provider billed for this prompt"),
    ),
    ActionSpec(
        "cancel_jobs",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Stop r&unning jobs"),
        QT_TRANSLATE_NOOP("Actions", "Cancel all background jobs"),
        ("Ctrl+.",),
    ),
    ActionSpec(
        "show_profile",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Sho&w the profile folder"),
        QT_TRANSLATE_NOOP("Actions", "Open the folder with settings, prices and session"),
    ),
)

HELP: tuple[ActionSpec, ...] = (
    ActionSpec(
        "guide",
        "help",
        QT_TRANSLATE_NOOP("Actions", "&Guide"),
        QT_TRANSLATE_NOOP("Actions", "Introduce every page"),
        (Standard.HelpContents, "F1"),
        "help",
    ),
    ActionSpec(
        "dots",
        "help",
        QT_TRANSLATE_NOOP("Actions", "What do the &dots mean?"),
        QT_TRANSLATE_NOOP("Actions", "Explain count quality"),
    ),
    ActionSpec(
        "shortcuts",
        "help",
        QT_TRANSLATE_NOOP("Actions", "&Keyboard shortcuts"),
        QT_TRANSLATE_NOOP("Actions", "See and change the shortcuts of all actions"),
        ("Ctrl+F1",),
    ),
    ActionSpec(
        "about",
        "help",
        QT_TRANSLATE_NOOP("Actions", "&About Tokenloupe"),
        QT_TRANSLATE_NOOP("Actions", "Version, licences and bundled components"),
    ),
)

ACTIONS = (*FILE, *EDIT, *_workspace_actions(), *_page_actions(), *STEPS, *VIEW, *TOOLS, *HELP)
"""Actions of the menus File, Edit, View, Tools and Help."""
