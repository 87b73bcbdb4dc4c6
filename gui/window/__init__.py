"""The window shell: workspaces and their pages, header, menus, status bar, and their actions."""
