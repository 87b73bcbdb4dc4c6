"""The shell of the window: workspaces and their pages, header, menus, status bar, and what their actions do."""
