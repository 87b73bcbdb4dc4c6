"""Saved state of the window: settings, the session, and files shared by several windows."""
