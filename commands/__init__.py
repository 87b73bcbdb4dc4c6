"""The command line, one file per family of commands. No Qt.

A separate package, loaded only when a command is run, so that the window starts without it.
"""
