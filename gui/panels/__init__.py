"""The panes of the main window, one class a file."""
