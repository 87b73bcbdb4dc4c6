"""Workspace Files: count a folder and choose which files to send."""
