"""What the menus of the window hold."""
