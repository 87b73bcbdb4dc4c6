"""Contents of the window's menus."""
