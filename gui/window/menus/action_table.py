"""Every action of the window, in the order of the menus.

Menus, toolbar, command palette and the sheet of shortcuts are made from it (``gui.window.actions``).
"""

from __future__ import annotations

from gui.window.menus.file_and_edit_actions import EDIT, FILE
from gui.window.menus.tools_and_help_actions import HELP, TOOLS
from gui.window.menus.view_actions import VIEW

ACTIONS = (*FILE, *EDIT, *VIEW, *TOOLS, *HELP)
