"""Every action of the window, in the order of the menus.

Menus, command palette and the page of shortcuts are made from it (``gui.window.actions``). Those that show a workspace
or a page come from the registry.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QT_TRANSLATE_NOOP

from gui.window.menus.action_spec import ActionSpec
from gui.window.menus.file_and_edit_actions import EDIT, FILE
from gui.window.menus.tools_and_help_actions import HELP, TOOLS
from gui.window.menus.view_actions import VIEW
from gui.window.workspaces import SHORTCUT, WORKSPACES

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
        QT_TRANSLATE_NOOP("Actions", "Move the keyboard to the next region: rail, header, page, inspector, status bar"),
        ("F6",),
        submenu="pages",
        separator=True,
        kind=QT_TRANSLATE_NOOP("Actions", "Keyboard"),
    ),
    ActionSpec(
        "previous_region",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Previous region"),
        QT_TRANSLATE_NOOP("Actions", "Move the keyboard to the region before"),
        ("Shift+F6",),
        submenu="pages",
        kind=QT_TRANSLATE_NOOP("Actions", "Keyboard"),
    ),
)

ACTIONS = (*FILE, *EDIT, *_workspace_actions(), *_page_actions(), *STEPS, *VIEW, *TOOLS, *HELP)
"""The actions of the menus File, Edit, View, Tools and Help."""
