"""The commands of the command line, one family a file. No Qt.

They are a package of their own, and loaded only when a command was asked for: the window should not wait for them.
"""
